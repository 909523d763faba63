//! The posts of Codex to its hooks, and the meaning of each post. They are read in the same forgiving way as
//! Claude Code's, whose names they share. Unlike there, an interrupted turn is reported (`Interrupt`), and a
//! question that was dismissed ends the turn with it. A turn ends whether or not its sub-agents are still
//! working; their own ends are reported (`SubagentStop`), or are in the answers of the agent's tools for
//! them.

use crate::post::asking::{self, Asking, call_key, question};
use crate::post::{Post, prose};
use downbeat_model::{About, EvidenceSource, Fact, FactKind};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// The id of Codex, for errors.
const CODEX: &str = "codex";

/// The fields of a post that its facts need.
#[derive(Debug, Deserialize)]
struct Event {
    hook_event_name: String,
    session_id: Option<String>,
    /// Present in posts that a sub-agent causes.
    agent_id: Option<String>,
    agent_type: Option<String>,
    source: Option<String>,
    reason: Option<String>,
    last_assistant_message: Option<String>,
    #[serde(flatten)]
    asking: Asking,
}

/// Reads one post.
pub(super) fn read(body: &str, at: Timestamp) -> Post {
    Post::read(CODEX, body, |value| facts(value, at))
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
    let tasks = event
        .tasks()
        .map(|tasks| (tasks, format!("{} hook", event.hook_event_name)));
    let ended = event.ended_sub_agents().into_iter().map(|id| Fact {
        at,
        source: EvidenceSource::Hook,
        detail: event.described_with_tool(),
        kind: FactKind::SubAgent,
        about: About {
            sub_agent: Some(id),
            call: None,
            ended: true,
        },
    });
    let stops = event.hook_event_name == "Stop" && event.agent_id.is_none();
    let answer = event.last_assistant_message.as_deref().filter(|_| stops);
    let answered = prose::answered(answer).map(|answer| (answer, "Stop hook".to_owned()));
    let own = answered.into_iter().chain(event.meaning()).chain(tasks).map(fact);
    Ok(own.chain(ended).collect())
}

impl Event {
    fn meaning(&self) -> Option<(FactKind, String)> {
        let name = self.hook_event_name.as_str();
        let plain = format!("{name} hook");
        let told = |word: &Option<String>| match word {
            Some(word) => format!("{plain}: {word}"),
            None => plain.clone(),
        };
        Some(match name {
            "PermissionRequest" => (FactKind::Asked(question(&self.asking)), self.who()),
            "SubagentStop" | "Stop" | "Interrupt" | "SessionEnd" if self.agent_id.is_some() => {
                (FactKind::SubAgent, self.who())
            }
            // The conversation of a sub-agent is never the session's.
            _ if self.agent_id.is_some() => (FactKind::SubAgentWorks, self.described_with_tool()),
            "SessionStart" => (FactKind::Ready(self.session_id.clone()), told(&self.source)),
            "UserPromptSubmit" => (FactKind::TurnStarted, plain),
            "PreToolUse" | "PostToolUse" => (FactKind::Working, self.described_with_tool()),
            "Stop" => prose::ended(plain, self.last_assistant_message.as_deref()),
            "Interrupt" => (FactKind::TurnEnded, format!("{plain}: interrupted")),
            "SessionEnd" => (FactKind::ConversationEnded, told(&self.reason)),
            _ => return None,
        })
    }

    fn described_with_tool(&self) -> String {
        match &self.asking.tool_name {
            Some(tool) => format!("{}: {tool}", self.who()),
            None => self.who(),
        }
    }

    /// Returns the event's name, with the kind of the sub-agent that caused it, if one did.
    fn who(&self) -> String {
        let name = &self.hook_event_name;
        match (&self.agent_id, &self.agent_type) {
            (None, _) => format!("{name} hook"),
            (Some(_), None) => format!("{name} hook, sub-agent"),
            (Some(_), Some(kind)) => format!("{name} hook, sub-agent {kind}"),
        }
    }

    /// Returns the sub-agents that have ended, according to a tool of the agent: the one that it closed, or
    /// those that it waited for and that are neither running nor pending.
    fn ended_sub_agents(&self) -> Vec<String> {
        let tool = self.asking.tool_name.as_deref().unwrap_or_default();
        if self.hook_event_name != "PostToolUse" {
            return Vec::new();
        }
        if tool.ends_with("close_agent") {
            let target = self.asking.tool_input.get("target").and_then(Value::as_str);
            return target.map(str::to_owned).into_iter().collect();
        }
        if !tool.ends_with("wait_agent") {
            return Vec::new();
        }
        let told = self.asking.tool_response.as_str();
        let told: Value = told
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let works = |state: &Value| matches!(state.as_str(), Some("running" | "pending_init"));
        let states = told
            .get("status")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        states
            .filter(|(_, state)| !works(state))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Returns the change to the agent's tasks; a sub-agent's tasks are not the session's.
    fn tasks(&self) -> Option<FactKind> {
        let begins = self.hook_event_name == "PreToolUse" && self.agent_id.is_none();
        begins.then(|| asking::tasks_of_call(&self.asking, false))?
    }

    /// Returns who caused the post and for which call. A question has no call id, but the same tool with the
    /// same identifying input, by the same sub-agent, is the same call.
    fn about(&self) -> About {
        let (call, ended) = match self.hook_event_name.as_str() {
            "PreToolUse" | "PermissionRequest" => (Some(call_key(&self.asking)), false),
            "PostToolUse" => (Some(call_key(&self.asking)), true),
            "Stop" | "SubagentStop" => (None, true),
            "Interrupt" | "SessionEnd" => (None, self.agent_id.is_some()),
            _ => (None, false),
        };
        About {
            sub_agent: self.agent_id.clone(),
            call,
            ended,
        }
    }
}
