//! Reads the position of a request in a conversation. Knows what Claude Code adds by itself: reminders inside
//! the person's messages, messages with the role `system` after them, and after an interruption a note, with
//! the person's next words in the same message.

use serde_json::Value;

/// The beginnings of texts that the agent wrote itself.
const AGENTS_OWN: [&str; 2] = ["<system-reminder>", "[Request interrupted by user"];

/// The last message of the person, and what has followed it so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The person's last message, without the text that the agent added.
    pub prompt: String,
    /// The number of the model's answers to the message so far.
    pub answers: usize,
    /// The results of tools since then, as text, in order.
    pub results: Vec<String>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    /// The instructions that the agent sends with the request.
    pub system: String,
    /// The texts that Claude Code added to the conversation by itself.
    pub added: String,
}

impl Turn {
    /// Reads a request; `None` for one that offers no tools, or contains no message of a person.
    pub(super) fn read(body: &Value) -> Option<Self> {
        let tools: Vec<String> = names(body.get("tools")?);
        let messages = body.get("messages")?.as_array()?;
        let at = messages.iter().rposition(|m| prompt(m).is_some())?;
        let since = messages.get(at + 1..).unwrap_or_default();
        let turn = Self {
            prompt: prompt(messages.get(at)?)?,
            answers: since.iter().filter(|m| role(m) == "assistant").count(),
            results: since.iter().flat_map(results).collect(),
            tools,
            system: texts(body.get("system")).join("\n"),
            added: messages.iter().flat_map(added).collect::<Vec<_>>().join("\n"),
        };
        (!turn.tools.is_empty()).then_some(turn)
    }
}

fn names(tools: &Value) -> Vec<String> {
    let tools = tools.as_array().into_iter().flatten();
    tools
        .filter_map(|t| Some(t.get("name")?.as_str()?.to_owned()))
        .collect()
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text of a message that a person wrote; `None` for any other message.
fn prompt(message: &Value) -> Option<String> {
    if role(message) != "user" {
        return None;
    }
    let text = texts(message.get("content"));
    let text: Vec<String> = text.into_iter().filter(|text| !is_own(text)).collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

/// Returns whether the agent wrote a text itself.
fn is_own(text: &str) -> bool {
    AGENTS_OWN.iter().any(|own| text.trim_start().starts_with(own))
}

/// Returns the texts of a message that the agent wrote itself, as a message of its own or within another one.
fn added(message: &Value) -> Vec<String> {
    let text = texts(message.get("content"));
    match role(message) {
        "system" => text,
        "user" => text.into_iter().filter(|text| is_own(text)).collect(),
        _ => Vec::new(),
    }
}

/// Returns the texts of a content that is a string or a list of blocks.
fn texts(content: Option<&Value>) -> Vec<String> {
    match content {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(blocks)) => {
            let text = blocks.iter().filter_map(|b| b.get("text")?.as_str());
            text.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns all text of a message's content.
pub(super) fn text(content: &Value) -> String {
    texts(Some(content)).join("\n")
}

fn results(message: &Value) -> Vec<String> {
    let blocks = message.get("content").and_then(Value::as_array);
    let blocks = blocks.into_iter().flatten();
    let results = blocks.filter(|b| b.get("type").is_some_and(|t| t == "tool_result"));
    results.map(|b| texts(b.get("content")).join("\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_turn_counts_from_the_last_words_of_the_person() {
        let body = json!({
            "tools": [{"name": "Bash"}],
            "system": [{"type": "text", "text": "Be brief"}],
            "messages": [
                {"role": "user", "content": "first"},
                {"role": "assistant", "content": [{"type": "text", "text": "ok"}]},
                {"role": "user", "content": [
                    {"type": "text", "text": "<system-reminder>first</system-reminder>"},
                    {"type": "text", "text": "second"},
                ]},
                {"role": "system", "content": "noise"},
                {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash"}]},
                {"role": "user", "content": [{"type": "tool_result", "content": "out"}]},
            ],
        });
        let turn = Turn::read(&body).unwrap();
        assert_eq!((turn.prompt.as_str(), turn.answers), ("second", 1));
        assert_eq!(turn.results, ["out"]);
        assert_eq!(
            (turn.tools.as_slice(), turn.system.as_str()),
            (&["Bash".to_owned()][..], "Be brief")
        );
        let mut interrupted = body.clone();
        interrupted["messages"][5]["content"] = json!([
            {"type": "tool_result", "content": "rejected"},
            {"type": "text", "text": "[Request interrupted by user for tool use]"},
            {"type": "text", "text": "third"},
        ]);
        let turn = Turn::read(&interrupted).unwrap();
        assert_eq!((turn.prompt.as_str(), turn.answers), ("third", 0));
        assert_eq!(
            Turn::read(&json!({"messages": [{"role": "user", "content": "x"}]})),
            None
        );
    }
}
