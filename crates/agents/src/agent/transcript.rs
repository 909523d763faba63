//! Reads the transcripts that agents write of their conversations, each in its own form.

use crate::adapter::Ability;
use crate::adapters::adapter;
use crate::manifest::Manifest;
use crate::transcript::{Entry, Place, read_lines};
use std::path::{Path, PathBuf};

/// Returns whether this agent's transcripts can be read.
#[must_use]
pub fn has_transcripts(agent: &Manifest) -> bool {
    agent.can(Ability::KeepTranscripts)
}

/// Reads what follows `place` in a transcript of `agent`, moves `place` past the last whole line, and passes
/// each entry to `each`. If `bytes` contain no whole line, `place` stays: call again with more of them, at
/// most [`LONGEST`](crate::transcript::LONGEST) bytes, at which a longer line is skipped.
pub fn read_transcript(agent: &Manifest, place: &mut Place, bytes: &[u8], mut each: impl FnMut(Entry)) {
    let adapter = adapter(agent.adapter);
    read_lines(place, bytes, |line, place| {
        adapter.read_transcript_line(line, place, &mut each);
    });
}

/// Lists the transcripts of the sub-agents of the conversation whose transcript is at `path`.
#[must_use]
pub fn sub_agent_transcripts(agent: &Manifest, path: &Path) -> Vec<PathBuf> {
    adapter(agent.adapter).sub_agent_transcripts(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::built_in;
    use crate::transcript::{LONGEST, What};

    const CLAUDE: &str = include_str!("../adapters/claude/transcripts/one.jsonl");
    const FORKED: &str = include_str!("../adapters/claude/transcripts/forked.jsonl");
    const CODEX: &str = include_str!("../adapters/codex/transcripts/one.jsonl");

    fn all(agent: &str, bytes: &[u8]) -> (Vec<Entry>, Place) {
        let (mut entries, mut place) = (Vec::new(), Place::default());
        read_transcript(&built_in(agent), &mut place, bytes, |entry| entries.push(entry));
        (entries, place)
    }

    /// Formats each entry as one line, without times.
    fn entry_lines(entries: &[Entry]) -> String {
        let lines = entries.iter().map(|entry| format!("{:?}", entry.what));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_transcript_of_claude_code_is_read() {
        let (entries, place) = all("claude", CLAUDE.as_bytes());
        assert_eq!(place.offset, CLAUDE.len() as u64);
        assert!(entries.iter().all(|entry| entry.at.is_some() && !entry.sub_agent));
        insta::assert_snapshot!(entry_lines(&entries), @r#"
        Said("list them")
        Called { tool: "Bash", about: "ls" }
        Used(Tokens { key: "claude msg_000000000002", model: "claude-opus-5-5", input: 100, cached: 0, written: 0, output: 10 })
        Answered { message: "msg_000000000003", text: "There are two files.\n\nDone." }
        Used(Tokens { key: "claude msg_000000000003", model: "claude-opus-5-5", input: 100, cached: 0, written: 0, output: 10 })
        "#);
    }

    #[test]
    fn a_transcript_of_codex_is_read() {
        let (entries, place) = all("codex", CODEX.as_bytes());
        assert_eq!(place.offset, CODEX.len() as u64);
        insta::assert_snapshot!(entry_lines(&entries), @r#"
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
    fn a_transcript_that_is_cut_anywhere_gives_the_same_entries() {
        for (agent, text) in [("claude", CLAUDE), ("codex", CODEX)] {
            let whole = all(agent, text.as_bytes());
            let manifest = built_in(agent);
            for cut in (0..text.len()).step_by(37) {
                let (mut entries, mut place) = (Vec::new(), Place::default());
                read_transcript(&manifest, &mut place, &text.as_bytes()[..cut], |e| {
                    entries.push(e)
                });
                assert!(place.offset <= cut as u64);
                let from = usize::try_from(place.offset).unwrap();
                read_transcript(&manifest, &mut place, &text.as_bytes()[from..], |e| {
                    entries.push(e)
                });
                assert_eq!((entries, place), whole.clone(), "{agent} cut at {cut}");
            }
        }
    }

    #[test]
    fn malformed_and_endless_lines_are_skipped() {
        let mut bytes = b"{\"type\":\"assistant\"\nnull\n\xff\xfe\n[1,2]\n{}\n".to_vec();
        bytes.extend_from_slice(CLAUDE.as_bytes());
        assert_eq!(all("claude", &bytes).0, all("claude", CLAUDE.as_bytes()).0);
        let (manifest, mut place) = (built_in("claude"), Place::default());
        let mut seen = 0;
        read_transcript(&manifest, &mut place, &vec![b'x'; LONGEST], |_| seen += 1);
        assert_eq!((place.offset, place.skipping), (LONGEST as u64, true));
        read_transcript(&manifest, &mut place, b"still the same line", |_| seen += 1);
        assert!(place.skipping);
        let mut rest = b"{}\n".to_vec();
        rest.extend_from_slice(CLAUDE.as_bytes());
        read_transcript(&manifest, &mut place, &rest, |_| seen += 1);
        assert_eq!(seen, all("claude", CLAUDE.as_bytes()).0.len());
    }
}
