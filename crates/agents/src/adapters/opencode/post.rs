//! The posts of our plugin from inside OpenCode, and the meaning of each post. `plugin.js` is the other end;
//! the names are OpenCode's own.

use crate::post::{Post, prose, tasks};
use crate::text::plain;
use downbeat_model::{About, EvidenceSource, Fact, FactKind, Question, QuestionKind, Retry, UsageLimit};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// The id of OpenCode, for errors.
const OPENCODE: &str = "opencode";

/// The fields of a post that its facts need.
#[derive(Debug, Deserialize)]
struct Event {
    hook_event_name: String,
    session_id: Option<String>,
    /// The id of the question.
    id: Option<String>,
    #[serde(default)]
    sub_agent: bool,
    status: Option<String>,
    message: Option<String>,
    error: Option<String>,
    /// The HTTP status code from the model's provider.
    code: Option<u16>,
    /// The number of the next attempt to ask the model again.
    attempt: Option<u32>,
    /// The time of the next attempt, in milliseconds since 1970.
    next: Option<i64>,
    last_assistant_message: Option<String>,
    tool: Option<String>,
    permission: Option<String>,
    #[serde(default)]
    patterns: Vec<String>,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    questions: Value,
    #[serde(default)]
    todos: Value,
}

/// Reads one post.
pub(super) fn read(body: &str, at: Timestamp) -> Post {
    let mut post = Post::read(OPENCODE, body, |value| facts(value, at));
    // The facts report the conversation.
    post.conversation = None;
    post
}

fn facts(post: Value, at: Timestamp) -> serde_json::Result<Vec<Fact>> {
    let event = Event::deserialize(post)?;
    let detail = event.detail();
    let fact = |kind| Fact {
        at,
        source: EvidenceSource::Hook,
        detail: detail.clone(),
        kind,
        about: event.about(),
    };
    // Another conversation may have been opened since: the one that takes a message is the session's.
    let here = event.session_id.clone().map(FactKind::Conversation);
    let takes = event.hook_event_name == "chat.message" && !event.sub_agent;
    let here = here.filter(|_| takes);
    let rests = event.hook_event_name == "session.status" && event.status.as_deref() == Some("idle");
    let answer = event
        .last_assistant_message
        .as_deref()
        .filter(|_| rests && !event.sub_agent);
    let answered = prose::answered(answer);
    let all = here.into_iter().chain(answered).chain(event.meaning());
    Ok(all.map(fact).collect())
}

impl Event {
    fn meaning(&self) -> Option<FactKind> {
        Some(match self.hook_event_name.as_str() {
            "permission.asked" => FactKind::Asked(self.permission()),
            "question.asked" => FactKind::Asked(self.question()),
            "permission.replied" | "question.replied" | "question.rejected" => FactKind::QuestionClosed,
            _ if self.sub_agent => FactKind::SubAgent,
            "session.created" => FactKind::Conversation(self.session_id.clone()?),
            "todo.updated" => tasks::tasks_in_list(&self.todos, &["content"])?,
            "chat.message" => FactKind::TurnStarted,
            "tool.execute.before" | "tool.execute.after" => FactKind::Working,
            "session.status" => match self.status.as_deref()? {
                "idle" => self.ended(),
                // OpenCode asks the model again after a while, which may be hours.
                "retry" => FactKind::Retrying(self.retry()),
                _ => FactKind::Working,
            },
            // A turn that a person stopped is not a failure; the next status says that the agent is idle.
            "session.error" if self.error.as_deref() == Some("MessageAbortedError") => return None,
            "session.error" if self.code == Some(429) => FactKind::Limited(UsageLimit {
                text: self.failure(),
                resets_at: None,
            }),
            "session.error" => FactKind::Blocked(self.failure()),
            _ => return None,
        })
    }

    /// Returns who caused the post and for which call: a question and its answer carry the same id.
    fn about(&self) -> About {
        let event = self.hook_event_name.as_str();
        let answered = matches!(
            event,
            "permission.replied" | "question.replied" | "question.rejected"
        );
        let rests = event == "session.status" && self.status.as_deref() == Some("idle");
        About {
            sub_agent: self.session_id.clone().filter(|_| self.sub_agent),
            call: self.id.clone(),
            ended: answered || rests,
        }
    }

    /// Returns the fact of a turn that ended, perhaps with a question.
    fn ended(&self) -> FactKind {
        let said = self.last_assistant_message.as_deref();
        prose::ended(String::new(), said).0
    }

    fn detail(&self) -> String {
        let who = if self.sub_agent { ", sub-agent" } else { "" };
        let what = self.tool.as_ref().or(self.status.as_ref());
        let what = what.map(|what| format!(": {what}")).unwrap_or_default();
        format!("{} event{who}{what}", self.hook_event_name)
    }

    fn permission(&self) -> Question {
        let kind = self.permission.as_deref().unwrap_or("A tool");
        let told = ["command", "filepath", "url"].iter();
        let told = told.filter_map(|field| self.metadata.get(field)?.as_str()).next();
        let about = told.map_or_else(|| self.patterns.join(", "), str::to_owned);
        Question {
            kind: QuestionKind::Permission,
            text: plain(&format!("{kind}: {about}")),
            options: ["Allow once", "Allow always", "Reject"]
                .map(str::to_owned)
                .to_vec(),
        }
    }

    fn question(&self) -> Question {
        let all: Vec<&Value> = self.questions.as_array().into_iter().flatten().collect();
        let texts: Vec<&str> = all.iter().filter_map(|q| q.get("question")?.as_str()).collect();
        let options = match all.as_slice() {
            [only] => only.get("options").and_then(Value::as_array),
            _ => None,
        };
        let labels = options.into_iter().flatten();
        Question {
            kind: QuestionKind::Choice,
            text: plain(
                if texts.is_empty() {
                    "It has a question".into()
                } else {
                    texts.join("\n")
                }
                .as_str(),
            ),
            options: labels
                .filter_map(|o| Some(plain(o.get("label")?.as_str()?)))
                .collect(),
        }
    }

    fn retry(&self) -> Retry {
        Retry {
            text: self.failure(),
            at: self.next.and_then(|at| Timestamp::from_millisecond(at).ok()),
            attempt: self.attempt,
            most: None,
            by_limit: false,
        }
    }

    fn failure(&self) -> String {
        let said = self.message.as_deref().or(self.error.as_deref());
        plain(said.unwrap_or("The model did not answer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(body: &Value) -> Vec<FactKind> {
        let facts = facts(body.clone(), Timestamp::UNIX_EPOCH).unwrap();
        facts.into_iter().map(|fact| fact.kind).collect()
    }

    #[test]
    fn a_retry_of_the_model_blocks_until_it_answers() {
        let status = |name: &str| {
            serde_json::json!({
                "hook_event_name": "session.status", "session_id": "s", "status": name,
                "message": "Too many requests", "attempt": 2, "next": 1_800_000,
            })
        };
        let retry = FactKind::Retrying(Retry {
            text: "Too many requests".into(),
            at: Some(Timestamp::from_second(1800).unwrap()),
            attempt: Some(2),
            most: None,
            by_limit: false,
        });
        assert_eq!(meaning(&status("retry")), [retry]);
        assert_eq!(meaning(&status("busy")), [FactKind::Working]);
        assert_eq!(meaning(&status("idle")), [FactKind::TurnEnded]);
    }
}
