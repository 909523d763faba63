//! One hook post, parsed as JSON once. Fields that all agents post in the same way are read here; an adapter
//! reads the facts from the same value. A field that is missing or has an unexpected type is ignored, so that
//! a change by an agent to one field does not affect the others.

use crate::error::Error;
use downbeat_model::Fact;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The contents of one hook post.
#[derive(Debug)]
pub struct Post {
    /// The facts about the agent, or an error if the post does not have the agent's form.
    pub facts: Result<Vec<Fact>, Error>,
    /// The conversation of the agent itself, not of a sub-agent; for agents whose facts do not report it.
    pub conversation: Option<String>,
    /// The prompt that the agent accepted.
    pub prompt: Option<String>,
    /// The transcripts that the agent writes.
    pub transcripts: Vec<TranscriptFile>,
}

/// A transcript that a post names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptFile {
    /// The absolute path.
    pub path: PathBuf,
    /// Set when only a sub-agent writes to the file.
    pub is_sub_agents: bool,
}

impl Post {
    /// Parses `body` and passes its value to `facts`. `agent` is the id that an error names.
    pub(crate) fn read(
        agent: &str,
        body: &str,
        facts: impl FnOnce(Value) -> serde_json::Result<Vec<Fact>>,
    ) -> Self {
        let malformed = |source| Error::MalformedHook {
            agent: agent.to_owned(),
            source,
        };
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self {
                conversation: own_conversation(&value),
                prompt: text(&value, "prompt").map(str::to_owned),
                transcripts: transcripts(&value),
                facts: facts(value).map_err(malformed),
            },
            Err(error) => Self {
                facts: Err(malformed(error)),
                ..Self::empty()
            },
        }
    }

    /// Returns a post without any content.
    pub(crate) fn empty() -> Self {
        Self {
            facts: Ok(Vec::new()),
            conversation: None,
            prompt: None,
            transcripts: Vec::new(),
        }
    }
}

fn text<'a>(post: &'a Value, field: &str) -> Option<&'a str> {
    post.get(field).and_then(Value::as_str)
}

fn own_conversation(post: &Value) -> Option<String> {
    let id = text(post, "session_id").filter(|id| !id.is_empty())?;
    let is_own = post.get("agent_id").is_none_or(Value::is_null);
    is_own.then(|| id.to_owned())
}

fn transcripts(post: &Value) -> Vec<TranscriptFile> {
    let sub_agent = text(post, "agent_id").filter(|id| !id.is_empty());
    let file = |field: &str, of_sub_agent: fn(&Path, Option<&str>) -> bool| {
        let path = PathBuf::from(text(post, field)?);
        let is_sub_agents = of_sub_agent(&path, sub_agent);
        path.is_absolute()
            .then_some(TranscriptFile { path, is_sub_agents })
    };
    let main = file("transcript_path", is_named_after);
    let sub = file("agent_transcript_path", |_, _| true);
    main.into_iter().chain(sub).collect()
}

/// Returns whether the file name ends with the sub-agent's id. Codex puts a sub-agent's own file into the
/// field that otherwise names the main transcript.
fn is_named_after(path: &Path, sub_agent: Option<&str>) -> bool {
    let name = path.file_stem().and_then(OsStr::to_str);
    name.zip(sub_agent).is_some_and(|(name, id)| name.ends_with(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(body: &str) -> Vec<(PathBuf, bool)> {
        let post = Post::read("x", body, |_| Ok(Vec::new()));
        let files = post.transcripts.into_iter();
        files.map(|file| (file.path, file.is_sub_agents)).collect()
    }

    #[test]
    fn a_post_names_the_transcripts_of_the_agent() {
        let post = r#"{"transcript_path":"/h/.claude/p/a.jsonl","agent_transcript_path":"/h/b.jsonl"}"#;
        let both = [
            ("/h/.claude/p/a.jsonl".into(), false),
            ("/h/b.jsonl".into(), true),
        ];
        assert_eq!(files(post), both);
        let below = r#"{"agent_id":"01a2","transcript_path":"/h/rollout-11-21-01a2.jsonl"}"#;
        assert_eq!(files(below), [("/h/rollout-11-21-01a2.jsonl".into(), true)]);
        assert_eq!(files(r#"{"transcript_path":"../etc"}"#), []);
        assert_eq!(files("no JSON"), []);
    }

    /// A change to one field does not lose the others.
    #[test]
    fn a_field_of_an_unexpected_type_does_not_lose_the_others() {
        let body = r#"{"hook_event_name":[],"session_id":"s","prompt":7,"transcript_path":"/h/a.jsonl"}"#;
        let post = Post::read("x", body, |value| {
            let name: String = serde_json::from_value(value["hook_event_name"].clone())?;
            unreachable!("{name}")
        });
        assert!(post.facts.is_err());
        assert_eq!((post.conversation.as_deref(), post.prompt), (Some("s"), None));
        assert_eq!(post.transcripts.len(), 1);
    }
}
