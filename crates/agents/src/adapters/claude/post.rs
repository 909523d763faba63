//! The posts of Claude Code to its hooks, and the meaning of each post.
//!
//! Posts are read in a forgiving way on purpose: only the event's name is required, and unknown events or
//! fields give nothing. Which hook fires when is in `recorded`, taken from the real program. No hook reports
//! a question that a person dismisses with Esc or No, or a turn that they interrupt; the engine takes those
//! from keys and the title.

use super::typed::unpasted;
use crate::post::asking::{self, Asking, question};
use crate::post::{Post, prose};
use crate::text::plain;
use downbeat_model::{About, EvidenceSource, Fact, FactKind, UsageLimit};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// The fields of a post that its facts need.
#[derive(Debug, Deserialize)]
struct Event {
    hook_event_name: String,
    session_id: Option<String>,
    /// Present in every post that a sub-agent causes.
    agent_id: Option<String>,
    agent_type: Option<String>,
    source: Option<String>,
    reason: Option<String>,
    prompt: Option<String>,
    error: Option<String>,
    error_details: Option<String>,
    trigger: Option<String>,
    last_assistant_message: Option<String>,
    notification_type: Option<String>,
    #[serde(default)]
    is_interrupt: bool,
    #[serde(default)]
    background_tasks: Vec<Background>,
    #[serde(flatten)]
    asking: Asking,
}

/// A task that continues after a finished answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Background {
    r#type: String,
    status: String,
}

/// The id of Claude Code, for errors.
const CLAUDE: &str = "claude";

/// Reads one post.
pub(super) fn read(body: &str, at: Timestamp) -> Post {
    let mut post = Post::read(CLAUDE, body, |value| facts(value, at));
    post.prompt = post.prompt.as_deref().map(unpasted);
    post
}

fn facts(post: Value, at: Timestamp) -> serde_json::Result<Vec<Fact>> {
    let event = Event::deserialize(post)?;
    let fact = |(kind, detail)| Fact {
        at,
        source: EvidenceSource::Hook,
        detail,
        kind,
        about: event.about(),
    };
    Ok(event.meaning().into_iter().map(fact).collect())
}

impl Event {
    fn meaning(&self) -> Vec<(FactKind, String)> {
        let name = self.hook_event_name.as_str();
        let plain = format!("{name} hook");
        let one = |kind| vec![(kind, plain.clone())];
        match name {
            "PermissionRequest" | "Elicitation" => vec![self.asked(name)],
            _ if self.agent_id.is_some() => vec![(FactKind::SubAgent, self.sub_agent(name))],
            "SessionStart" => self.started(&plain),
            // A background task after the last answer ended, and the agent continues by itself.
            "UserPromptSubmit" if self.is_own_prompt() => {
                vec![(FactKind::Working, format!("{plain}: a background task ended"))]
            }
            "UserPromptSubmit" => one(FactKind::TurnStarted),
            "PostToolUseFailure" if self.is_interrupt => {
                vec![(FactKind::TurnEnded, format!("{plain}: interrupted"))]
            }
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => {
                let detail = self.tool(&plain);
                let tasks = asking::tasks_of_call(&self.asking, name == "PostToolUse");
                let tasks = tasks.map(|tasks| (tasks, detail.clone()));
                [Some((FactKind::Working, detail)), tasks]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            "ElicitationResult" => one(FactKind::QuestionClosed),
            "SubagentStart" | "SubagentStop" => one(FactKind::SubAgent),
            "Stop" => {
                let answered = prose::answered(self.last_assistant_message.as_deref());
                let answered = answered.map(|answer| (answer, plain.clone()));
                answered.into_iter().chain([self.stopped(plain)]).collect()
            }
            // A command to compact is a turn of its own; automatic compacting happens in the middle of a
            // turn.
            "PreCompact" => vec![(FactKind::Working, self.compact(&plain))],
            "PostCompact" if self.trigger.as_deref() == Some("manual") => {
                vec![(FactKind::TurnEnded, self.compact(&plain))]
            }
            "PostCompact" => vec![(FactKind::Working, self.compact(&plain))],
            "StopFailure" => vec![(self.refused(), plain)],
            // `permission_prompt` comes seconds after its PermissionRequest and contains less.
            "Notification" if self.notification_type.as_deref() == Some("idle_prompt") => {
                vec![(FactKind::TurnEnded, format!("{plain}: waits for input"))]
            }
            "SessionEnd" => self.ended(&plain),
            _ => Vec::new(),
        }
    }

    /// Returns who caused the post and for which call. A question has no call id, but the same tool with the
    /// same identifying input, by the same sub-agent, is the same call.
    fn about(&self) -> About {
        let name = self.hook_event_name.as_str();
        let (call, ended) = match name {
            "PreToolUse" | "PermissionRequest" => (Some(asking::call_key(&self.asking)), false),
            "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => {
                (Some(asking::call_key(&self.asking)), true)
            }
            "Elicitation" => (Some("Elicitation".to_owned()), false),
            "ElicitationResult" => (Some("Elicitation".to_owned()), true),
            // A background task that ended gives the agent a prompt of its own.
            "UserPromptSubmit" => (None, !self.is_own_prompt()),
            "Stop" | "StopFailure" | "SubagentStop" => (None, true),
            _ => (None, false),
        };
        About {
            sub_agent: self.agent_id.clone(),
            call,
            ended,
        }
    }

    /// Returns the facts of a start, which is also how `/clear` and `/resume` report the new conversation.
    /// After compacting, the conversation and the agent's activity are unchanged: a turn continues, or none
    /// is open.
    fn started(&self, plain: &str) -> Vec<(FactKind, String)> {
        match self.source.as_deref().unwrap_or("startup") {
            "compact" => Vec::new(),
            source => vec![(
                FactKind::Ready(self.session_id.clone()),
                format!("{plain}: {source}"),
            )],
        }
    }

    fn ended(&self, plain: &str) -> Vec<(FactKind, String)> {
        match self.reason.as_deref().unwrap_or("other") {
            // A SessionStart follows immediately: nothing ended for the person.
            "clear" | "resume" => Vec::new(),
            reason => vec![(FactKind::ConversationEnded, format!("{plain}: {reason}"))],
        }
    }

    /// Returns the fact of a finished answer. The turn is not finished while sub-agents are still working.
    /// The answer may end with a question.
    fn stopped(&self, plain: String) -> (FactKind, String) {
        let busy = |task: &&Background| task.r#type == "subagent" && task.status == "running";
        match self.background_tasks.iter().filter(busy).count() {
            0 => prose::ended(plain, self.last_assistant_message.as_deref()),
            1 => (
                FactKind::Working,
                format!("{plain}: 1 sub-agent is still working"),
            ),
            n => (
                FactKind::Working,
                format!("{plain}: {n} sub-agents are still working"),
            ),
        }
    }

    fn asked(&self, name: &str) -> (FactKind, String) {
        let detail = match &self.agent_type {
            Some(kind) if self.agent_id.is_some() => format!("{name} hook, sub-agent {kind}"),
            _ => format!("{name} hook"),
        };
        (FactKind::Asked(question(&self.asking)), detail)
    }

    fn is_own_prompt(&self) -> bool {
        self.prompt
            .as_deref()
            .is_some_and(|p| p.starts_with("<task-notification>"))
    }

    fn tool(&self, plain: &str) -> String {
        match &self.asking.tool_name {
            Some(tool) => format!("{plain}: {tool}"),
            None => plain.to_owned(),
        }
    }

    fn compact(&self, plain: &str) -> String {
        match self.trigger.as_deref() {
            Some(trigger) => format!("{plain}: {trigger}"),
            None => plain.to_owned(),
        }
    }

    fn sub_agent(&self, name: &str) -> String {
        let kind = self.agent_type.as_deref().unwrap_or("unnamed");
        self.tool(&format!("{name} hook, sub-agent {kind}"))
    }

    /// Returns the fact of a failed turn. The error names a usage limit, whatever its words are.
    fn refused(&self) -> FactKind {
        match self.error.as_deref() {
            Some("rate_limit") => FactKind::Limited(UsageLimit {
                text: self.failure(),
                resets_at: None,
            }),
            _ => FactKind::Blocked(self.failure()),
        }
    }

    /// Returns the reason why the agent cannot continue, in its own words if there are any.
    fn failure(&self) -> String {
        let said = [&self.last_assistant_message, &self.error_details, &self.error];
        let said = said.into_iter().flatten().find(|s| !s.trim().is_empty());
        said.map_or_else(|| "The model did not answer".to_owned(), |s| plain(s))
    }
}
