//! Describes what an agent wants to do in words that a person can decide on. Claude Code and Codex post it in
//! the same form.

use crate::post::tasks;
use crate::text::{MAX_TEXT, plain};
use downbeat_model::{FactKind, OpenQuestion, Question, QuestionKind, shown};
use serde::Deserialize;
use serde_json::Value;

/// Characters by which a call is told apart from others; its length is compared as well.
const MAX_CALL: usize = 500;

/// The field that says what a tool is about to do. For other tools the whole input is shown.
const TELLING: [(&str, &str); 11] = [
    ("Bash", "command"),
    ("PowerShell", "command"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("Write", "file_path"),
    ("Read", "file_path"),
    ("NotebookEdit", "notebook_path"),
    ("WebFetch", "url"),
    ("WebSearch", "query"),
    ("Agent", "description"),
    ("Skill", "skill"),
];

/// The fields of a post that describe a tool call or a question.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asking {
    pub(crate) tool_name: Option<String>,
    pub(crate) tool_input: Value,
    pub(crate) tool_response: Value,
    cwd: String,
    message: Option<String>,
    mcp_server_name: Option<String>,
}

/// The question that people read when an agent has finished its plan; a yes lets the agent act.
const PLAN_READY: &str = "Plan ready. Start on it?";

/// The tool with which an agent shows its plan and asks to act on it.
const PLAN_TOOL: &str = "ExitPlanMode";

/// The tool with which an agent asks a question of its own.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// Returns the question of a post.
pub(crate) fn question(asking: &Asking) -> Question {
    match asking.tool_name.as_deref() {
        Some(QUESTION_TOOL) => choice(&asking.tool_input),
        Some(PLAN_TOOL) => Question {
            kind: QuestionKind::Choice,
            text: match asking.tool_input.get("plan").and_then(Value::as_str) {
                Some(plan) => plain(&format!("{PLAN_READY}\n{plan}")),
                None => PLAN_READY.into(),
            },
            options: Vec::new(),
        },
        Some(tool) => Question {
            kind: QuestionKind::Permission,
            text: exact(&format!("{}: {}", tool_label(tool), subject(asking, tool))),
            options: Vec::new(),
        },
        None => elicitation(asking),
    }
}

/// Returns the change that a tool call makes to the agent's own list of tasks; `done` is set once the call
/// has ended.
pub(crate) fn tasks_of_call(asking: &Asking, done: bool) -> Option<FactKind> {
    let answer = done.then_some(&asking.tool_response);
    tasks::tasks_of_tool_call(asking.tool_name.as_deref()?, &asking.tool_input, answer)
}

/// Returns a key for a tool call that is the same in its question and its end.
pub(crate) fn call_key(asking: &Asking) -> String {
    let tool = asking.tool_name.as_deref().unwrap_or_default();
    // The input contains the answers afterwards.
    if matches!(tool, QUESTION_TOOL | PLAN_TOOL) {
        return tool.to_owned();
    }
    let what = subject(asking, tool);
    let start: String = what.chars().take(MAX_CALL).collect();
    format!("{tool} {}: {start}", what.len())
}

/// Returns whether a question asks for approval of the agent's plan. The tool that asks decides, not the
/// words.
#[must_use]
pub fn asks_to_act(question: &OpenQuestion) -> bool {
    question.about.call.as_deref() == Some(PLAN_TOOL)
}

/// Formats `mcp__server__tool` for people.
fn tool_label(tool: &str) -> String {
    let parts = tool.strip_prefix("mcp__").and_then(|t| t.split_once("__"));
    parts.map_or_else(|| tool.to_owned(), |(server, tool)| format!("{server} {tool}"))
}

fn subject(asking: &Asking, tool: &str) -> String {
    let field = TELLING
        .iter()
        .find(|(name, _)| *name == tool)
        .map(|(_, field)| *field);
    let told = field.and_then(|field| asking.tool_input.get(field)?.as_str());
    let Some(told) = told else {
        return asking.tool_input.to_string();
    };
    let inside = told
        .strip_prefix(asking.cwd.as_str())
        .filter(|_| !asking.cwd.is_empty());
    let inside = inside.and_then(|rest| rest.strip_prefix(['/', '\\']));
    inside.unwrap_or(told).to_owned()
}

/// Returns a question of the agent's own, with the answers that it offers.
fn choice(input: &Value) -> Question {
    let all = input.get("questions").and_then(Value::as_array);
    let all: Vec<&Value> = all.into_iter().flatten().collect();
    let texts: Vec<&str> = all.iter().filter_map(|q| q.get("question")?.as_str()).collect();
    let options = match all.as_slice() {
        [only] => only.get("options").and_then(Value::as_array),
        _ => None,
    };
    let labels = options
        .into_iter()
        .flatten()
        .filter_map(|o| o.get("label")?.as_str());
    let options = labels.map(plain).collect();
    let text = if texts.is_empty() {
        "It has a question".to_owned()
    } else {
        texts.join("\n")
    };
    Question {
        kind: QuestionKind::Choice,
        text: plain(&text),
        options,
    }
}

/// Returns a question of a tool server.
fn elicitation(asking: &Asking) -> Question {
    let server = asking.mcp_server_name.as_deref().unwrap_or("A tool server");
    let message = asking.message.as_deref().unwrap_or("needs an answer");
    Question {
        kind: QuestionKind::Choice,
        text: plain(&format!("{server}: {message}")),
        options: Vec::new(),
    }
}

/// Formats the text of a permission question letter for letter: hidden characters are written out, and a text
/// that is cut says how much is missing.
fn exact(text: &str) -> String {
    let text = text.trim();
    let mut characters = text.chars();
    let mut out: String = characters.by_ref().take(MAX_TEXT).collect();
    out = shown::letters(&out);
    match characters.count() {
        0 => {}
        1 => out.push_str("… (1 more character, see the terminal)"),
        more => out.push_str(&format!("… ({more} more characters, see the terminal)")),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(tool: &str, input: &Value) -> String {
        let asking = json!({"tool_name": tool, "tool_input": input, "cwd": "/repo"});
        question(&serde_json::from_value(asking).unwrap()).text
    }

    #[test]
    fn a_question_shows_what_each_tool_is_about_to_do() {
        for (tool, input, want) in [
            (
                "Bash",
                json!({"command": "npm run migrate:dev"}),
                "Bash: npm run migrate:dev",
            ),
            ("Edit", json!({"file_path": "/repo/src/a.rs"}), "Edit: src/a.rs"),
            (
                "Write",
                json!({"file_path": "/repository/x"}),
                "Write: /repository/x",
            ),
            ("WebFetch", json!({"url": "http://a"}), "WebFetch: http://a"),
            (
                "mcp__db__drop",
                json!({"table": "users"}),
                "db drop: {\"table\":\"users\"}",
            ),
            ("Odd", json!(null), "Odd: null"),
        ] {
            assert_eq!(text(tool, &input), want);
        }
    }

    #[test]
    fn hidden_characters_in_a_question_are_shown() {
        let nasty = "rm -rf \u{202e}x\u{200b}\u{1b}[2K\r/";
        assert_eq!(
            text("Bash", &json!({"command": nasty})),
            "Bash: rm -rf \\u202ex\\u200b\\e[2K\\r/"
        );
        let long = text("Bash", &json!({"command": "x".repeat(100_000)}));
        assert!(
            long.ends_with("x… (98006 more characters, see the terminal)"),
            "{long}"
        );
    }
}
