//! What agents write down of their conversations: what was said, which tools were called, what was
//! used. Bytes go in, entries come out; nothing here opens a file but [`below`], which lists one
//! folder.
//!
//! A transcript is lines of JSON that only ever grows. A [`Place`] says how far it was read, and is
//! kept between reads: bytes from there on go into [`read`], which takes whole lines and leaves one
//! that is cut for the next time. A line that is malformed, or longer than [`LONGEST`], is passed
//! over.
//!
//! Known limitation: which model a line of Codex' is about stands in an earlier line, so a file has
//! to be read from its start once.

mod claude;
mod codex;
mod opencode;

use crate::manifest::{Adapter, Manifest};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The longest line that is read; Claude Code writes pictures into one.
pub const LONGEST: usize = 16 << 20;

/// Characters kept of what a tool call is about.
const ABOUT: usize = 300;

/// Fields of a call's input that tell what it is about, the most telling first.
const TELLING: [&str; 13] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "task",
    "skill",
];

/// One thing that a transcript tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When it was written, as far as the line tells.
    pub at: Option<Timestamp>,
    /// Whether a sub-agent did it.
    pub sub_agent: bool,
    /// What it is.
    pub what: What,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The person's message, or another's in their place.
    Said(String),
    /// Text of the agent's answer. One message may come in several pieces.
    Answered {
        /// The message's own id; empty where it has none.
        message: String,
        /// The piece.
        text: String,
    },
    /// A tool was called.
    Called {
        /// Its name.
        tool: String,
        /// A few words on what it was called for.
        about: String,
    },
    /// Tokens were used.
    Used(Tokens),
    /// The model refused to answer, in the agent's words: a usage limit, say.
    Refused(String),
    /// That ended the turn, and no hook tells.
    Failed(String),
}

/// Tokens that one answer of a model took. Nothing is in two of the numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// What tells this answer from all others, also where a resumed or forked conversation repeats
    /// it in another file.
    pub key: String,
    /// The model, by the id that its maker gave it.
    pub model: String,
    /// What the model read and had not kept.
    pub input: u64,
    /// What it read from its cache.
    pub cached: u64,
    /// What it put into its cache.
    pub written: u64,
    /// What it wrote, its thinking with it.
    pub output: u64,
}

/// How far a transcript was read, and what later lines need to be understood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Place {
    /// Bytes that were read.
    pub offset: u64,
    /// Inside a line that is too long.
    pub skipping: bool,
    /// The model that was named last.
    pub model: String,
    /// The conversation that the file is of.
    pub conversation: String,
    /// Whether usage was told for single answers: then sums say nothing new.
    pub by_answer: bool,
    /// Whether an error was the last thing in it, and ended the turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// Whether this agent's transcripts can be read.
#[must_use]
pub fn is_readable(agent: &Manifest) -> bool {
    agent.adapter != Adapter::None
}

/// Reads what follows `place` and moves it behind the last whole line; gives each entry to `each`.
/// Nothing is moved where `bytes` hold no whole line: ask again with more of them, at most
/// [`LONGEST`] bytes, with which a line that is longer is passed over.
pub fn read(agent: &Manifest, place: &mut Place, bytes: &[u8], mut each: impl FnMut(Entry)) {
    let mut rest = bytes;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        place.offset += line.len() as u64 + 1;
        if std::mem::take(&mut place.skipping) || line.len() > LONGEST {
            continue;
        }
        // What is no text, or not what the agent writes, tells nothing.
        let Ok(line) = std::str::from_utf8(line) else {
            continue;
        };
        match agent.adapter {
            Adapter::Claude => claude::line(line, &mut each),
            Adapter::Codex => codex::line(line, place, &mut each),
            Adapter::Opencode => opencode::line(line, &mut each),
            Adapter::None => {}
        }
    }
    if rest.len() >= LONGEST || (place.skipping && !rest.is_empty()) {
        place.skipping = true;
        place.offset += rest.len() as u64;
    }
}

/// Where a hook post says that its agent writes, and whether that is a sub-agent's own file.
#[must_use]
pub fn told(hook_body: &str) -> Vec<(PathBuf, bool)> {
    #[derive(Deserialize)]
    struct Post {
        transcript_path: Option<PathBuf>,
        agent_transcript_path: Option<PathBuf>,
        agent_id: Option<String>,
    }
    let Ok(post) = serde_json::from_str::<Post>(hook_body) else {
        return Vec::new();
    };
    // Codex names the sub-agent's own file here in what that posts, by the sub-agent's id.
    let own = |path: &Path| {
        let name = path.file_stem().and_then(std::ffi::OsStr::to_str);
        let id = post.agent_id.as_deref().filter(|id| !id.is_empty());
        name.zip(id).is_some_and(|(name, id)| name.ends_with(id))
    };
    let main = post.transcript_path.map(|path| {
        let is_own = own(&path);
        (path, is_own)
    });
    let sub = post.agent_transcript_path.map(|path| (path, true));
    let all = main.into_iter().chain(sub);
    all.filter(|(path, _)| path.is_absolute()).collect()
}

/// The transcripts of the sub-agents of the conversation in `path`: Claude Code keeps them in a
/// folder beside it.
#[must_use]
pub fn below(agent: &Manifest, path: &Path) -> Vec<PathBuf> {
    if agent.adapter != Adapter::Claude {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(path.with_extension("").join("subagents")) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    paths.sort();
    paths
}

/// What a tool was called for, from its input.
fn about(input: &Value) -> String {
    let told = TELLING.iter().find_map(|field| input.get(field));
    let text = match told.or_else(|| input.as_object()?.values().find(|value| value.is_string())) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join(" ")
        }
        _ => String::new(),
    };
    text.chars().take(ABOUT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::built_in;

    const CLAUDE: &str = include_str!("recorded/claude.jsonl");
    const FORKED: &str = include_str!("recorded/claude-forked.jsonl");
    const CODEX: &str = include_str!("recorded/codex.jsonl");

    fn all(agent: &str, bytes: &[u8]) -> (Vec<Entry>, Place) {
        let (mut entries, mut place) = (Vec::new(), Place::default());
        read(&built_in(agent), &mut place, bytes, |entry| entries.push(entry));
        (entries, place)
    }

    /// One line for each entry, without times.
    fn told_of(entries: &[Entry]) -> String {
        let lines = entries.iter().map(|entry| format!("{:?}", entry.what));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_conversation_of_claude_code() {
        let (entries, place) = all("claude", CLAUDE.as_bytes());
        assert_eq!(place.offset, CLAUDE.len() as u64);
        assert!(entries.iter().all(|entry| entry.at.is_some() && !entry.sub_agent));
        insta::assert_snapshot!(told_of(&entries), @r#"
        Said("list them")
        Called { tool: "Bash", about: "ls" }
        Used(Tokens { key: "claude msg_000000000002", model: "claude-opus-5-5", input: 100, cached: 0, written: 0, output: 10 })
        Answered { message: "msg_000000000003", text: "There are two files.\n\nDone." }
        Used(Tokens { key: "claude msg_000000000003", model: "claude-opus-5-5", input: 100, cached: 0, written: 0, output: 10 })
        "#);
    }

    #[test]
    fn a_conversation_of_codex() {
        let (entries, place) = all("codex", CODEX.as_bytes());
        assert_eq!(place.offset, CODEX.len() as u64);
        insta::assert_snapshot!(told_of(&entries), @r#"
        Said("codex list")
        Called { tool: "exec_command", about: "ls" }
        Used(Tokens { key: "codex resp_000000000007", model: "scripted", input: 100, cached: 0, written: 0, output: 10 })
        Answered { message: "msg_000000000008", text: "Codex listed it." }
        Used(Tokens { key: "codex resp_000000000009", model: "scripted", input: 100, cached: 0, written: 0, output: 10 })
        Said("and again")
        Answered { message: "msg_000000000010", text: "Again." }
        Used(Tokens { key: "codex resp_000000000011", model: "scripted", input: 100, cached: 0, written: 0, output: 10 })
        "#);
    }

    #[test]
    fn a_fork_repeats_its_history_under_the_same_keys() {
        let keys = |text: &str| -> Vec<String> {
            let used = all("claude", text.as_bytes()).0.into_iter();
            used.filter_map(|entry| match entry.what {
                What::Used(tokens) => Some(tokens.key),
                _ => None,
            })
            .collect()
        };
        let (first, forked) = (keys(CLAUDE), keys(FORKED));
        assert_eq!(first.len(), 2);
        assert_eq!(forked[..2], first);
        assert_eq!(forked.len(), 3);
    }

    #[test]
    fn cut_anywhere_it_tells_the_same() {
        for (agent, text) in [("claude", CLAUDE), ("codex", CODEX)] {
            let whole = all(agent, text.as_bytes());
            let manifest = built_in(agent);
            for cut in (0..text.len()).step_by(37) {
                let (mut entries, mut place) = (Vec::new(), Place::default());
                read(&manifest, &mut place, &text.as_bytes()[..cut], |e| {
                    entries.push(e)
                });
                assert!(place.offset <= cut as u64);
                let from = usize::try_from(place.offset).unwrap();
                read(&manifest, &mut place, &text.as_bytes()[from..], |e| {
                    entries.push(e)
                });
                assert_eq!((entries, place), whole.clone(), "{agent} cut at {cut}");
            }
        }
    }

    #[test]
    fn what_is_malformed_or_endless_is_passed_over() {
        let mut bytes = b"{\"type\":\"assistant\"\nnull\n\xff\xfe\n[1,2]\n{}\n".to_vec();
        bytes.extend_from_slice(CLAUDE.as_bytes());
        assert_eq!(all("claude", &bytes).0, all("claude", CLAUDE.as_bytes()).0);
        let (manifest, mut place) = (built_in("claude"), Place::default());
        let mut seen = 0;
        read(&manifest, &mut place, &vec![b'x'; LONGEST], |_| seen += 1);
        assert_eq!((place.offset, place.skipping), (LONGEST as u64, true));
        read(&manifest, &mut place, b"still the same line", |_| seen += 1);
        assert!(place.skipping);
        let mut rest = b"{}\n".to_vec();
        rest.extend_from_slice(CLAUDE.as_bytes());
        read(&manifest, &mut place, &rest, |_| seen += 1);
        assert_eq!(seen, all("claude", CLAUDE.as_bytes()).0.len());
    }

    #[test]
    fn a_post_tells_where_the_agent_writes() {
        let post = r#"{"transcript_path":"/h/.claude/p/a.jsonl","agent_transcript_path":"/h/b.jsonl"}"#;
        let files = [
            ("/h/.claude/p/a.jsonl".into(), false),
            ("/h/b.jsonl".into(), true),
        ];
        assert_eq!(told(post), files);
        let below = r#"{"agent_id":"01a2","transcript_path":"/h/rollout-11-21-01a2.jsonl"}"#;
        assert_eq!(told(below), [("/h/rollout-11-21-01a2.jsonl".into(), true)]);
        assert_eq!(told(r#"{"transcript_path":"../etc"}"#), []);
        assert_eq!(told("no JSON"), []);
    }
}
