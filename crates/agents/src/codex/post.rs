//! What Codex posts to its hooks, and what each post means. Read in the same forgiving way as
//! Claude Code's, whose names it shares. Unlike there, an interrupted turn is told (`Interrupt`),
//! and a question that was dismissed ends the turn with it.

use crate::asking::{self, Asking, call, question};
use crate::{Error, prose};
use downbeat_model::{About, EvidenceSource, Fact, FactKind};
use jiff::Timestamp;
use serde::Deserialize;

/// One post, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Post {
    hook_event_name: String,
    session_id: Option<String>,
    /// Present in what a sub-agent causes.
    agent_id: Option<String>,
    agent_type: Option<String>,
    source: Option<String>,
    reason: Option<String>,
    last_assistant_message: Option<String>,
    #[serde(flatten)]
    asking: Asking,
}

/// The facts of one post.
pub(crate) fn facts(body: &str, at: Timestamp) -> Result<Vec<Fact>, Error> {
    let post: Post = serde_json::from_str(body).map_err(|source| Error::MalformedHook {
        agent: super::CODEX.into(),
        source,
    })?;
    let fact = |(kind, detail)| Fact {
        at,
        source: EvidenceSource::Hook,
        detail,
        kind,
        about: post.about(),
    };
    let tasks = post
        .tasks()
        .map(|tasks| (tasks, format!("{} hook", post.hook_event_name)));
    Ok(post.meaning().into_iter().chain(tasks).map(fact).collect())
}

impl Post {
    fn meaning(&self) -> Option<(FactKind, String)> {
        let name = self.hook_event_name.as_str();
        let plain = format!("{name} hook");
        let told = |word: &Option<String>| match word {
            Some(word) => format!("{plain}: {word}"),
            None => plain.clone(),
        };
        Some(match name {
            // A conversation of a sub-agent's own is never the session's.
            "SessionStart" | "UserPromptSubmit" | "SessionEnd" if self.agent_id.is_some() => {
                (FactKind::SubAgent, told(&self.agent_type))
            }
            "SessionStart" => (FactKind::Ready(self.session_id.clone()), told(&self.source)),
            "UserPromptSubmit" => (FactKind::TurnStarted, plain),
            "PreToolUse" | "PostToolUse" => (FactKind::Working, told(&self.asking.tool_name)),
            "PermissionRequest" => (FactKind::Asked(question(&self.asking)), plain),
            "SubagentStart" | "SubagentStop" => (FactKind::SubAgent, told(&self.agent_type)),
            "Stop" => prose::ended(plain, self.last_assistant_message.as_deref()),
            "Interrupt" => (FactKind::TurnEnded, format!("{plain}: interrupted")),
            "SessionEnd" => (FactKind::ConversationEnded, told(&self.reason)),
            _ => return None,
        })
    }

    /// What it tells of its tasks; those of a sub-agent are not the session's.
    fn tasks(&self) -> Option<FactKind> {
        let begins = self.hook_event_name == "PreToolUse" && self.agent_id.is_none();
        begins.then(|| asking::tasks(&self.asking, false))?
    }

    /// Whose doing it is. A question names no call id, but the same tool with the same telling
    /// input, by the same sub-agent, is the same call.
    fn about(&self) -> About {
        let (call, ended) = match self.hook_event_name.as_str() {
            "PreToolUse" | "PermissionRequest" => (Some(call(&self.asking)), false),
            "PostToolUse" => (Some(call(&self.asking)), true),
            "Stop" | "SubagentStop" => (None, true),
            _ => (None, false),
        };
        About {
            sub_agent: self.agent_id.clone(),
            call,
            ended,
        }
    }
}
