//! The script of a test: rules of words and steps.

use super::turn::Turn;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Rules, tried in their order, with a default answer if none matches.
#[derive(Debug, Clone, Default)]
pub struct Script {
    rules: Vec<(String, Vec<Step>)>,
}

/// One answer of the model.
#[derive(Debug, Clone)]
pub struct Step {
    pub(super) pause: Option<Pause>,
    pub(super) act: Act,
}

#[derive(Debug, Clone)]
pub(super) enum Pause {
    For(Duration),
    Until(String),
}

#[derive(Debug, Clone)]
pub(super) enum Act {
    Say(String),
    Call(Vec<Call>),
    Fail { status: u16, error: Value },
}

/// A call of a tool.
#[derive(Clone)]
pub struct Call {
    pub(super) tool: String,
    pub(super) arguments: Arc<dyn Fn(&Turn) -> Value + Send + Sync>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

impl Call {
    /// Calls `tool` (`mcp__downbeat__spawn_worker`, `Bash`) with fixed arguments.
    pub fn new(tool: &str, arguments: Value) -> Self {
        Self::with(tool, move |_| arguments.clone())
    }

    /// Calls `tool` with arguments computed from the results of earlier tools of the same turn.
    pub fn with(tool: &str, arguments: impl Fn(&Turn) -> Value + Send + Sync + 'static) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments: Arc::new(arguments),
        }
    }
}

impl Step {
    /// Says `text` and ends the turn.
    pub fn say(text: &str) -> Self {
        Act::Say(text.to_owned()).into()
    }

    /// Calls one tool; the next step comes with its result.
    pub fn call(tool: &str, arguments: Value) -> Self {
        Act::Call(vec![Call::new(tool, arguments)]).into()
    }

    /// Calls one tool with arguments computed from the results of earlier tools of the same turn.
    pub fn call_with(tool: &str, arguments: impl Fn(&Turn) -> Value + Send + Sync + 'static) -> Self {
        Act::Call(vec![Call::with(tool, arguments)]).into()
    }

    /// Calls several tools in one answer.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Act::Call(calls.into_iter().collect()).into()
    }

    /// Fails like the API: `fail(429, "rate_limit_error", "…")`.
    pub fn fail(status: u16, kind: &str, text: &str) -> Self {
        Self::fail_with(status, json!({"type": kind, "message": text}))
    }

    /// Fails like the API, with a complete error object.
    pub fn fail_with(status: u16, error: Value) -> Self {
        Act::Fail { status, error }.into()
    }

    /// Delays the step by `time`.
    #[must_use]
    pub fn after(mut self, time: Duration) -> Self {
        self.pause = Some(Pause::For(time));
        self
    }

    /// Holds the step until the test calls `ModelServer::release(name)`.
    #[must_use]
    pub fn held(mut self, name: &str) -> Self {
        self.pause = Some(Pause::Until(name.to_owned()));
        self
    }
}

impl From<Act> for Step {
    fn from(act: Act) -> Self {
        Self { pause: None, act }
    }
}

impl Script {
    /// Creates a script that answers everything with `Done.`
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule: if the person's last message contains `words`, these steps follow, one per answer.
    #[must_use]
    pub fn when(mut self, words: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.rules.push((words.to_owned(), steps.into_iter().collect()));
        self
    }

    /// Returns the step for the position of `turn`; after the last one, `Done.`
    pub(super) fn step(&self, turn: &Turn) -> Step {
        let rule = self.rules.iter().find(|(words, _)| turn.prompt.contains(words));
        let step = rule.and_then(|(_, steps)| steps.get(turn.answers));
        step.cloned().unwrap_or_else(|| Step::say("Done."))
    }
}
