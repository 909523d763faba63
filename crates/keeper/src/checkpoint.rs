//! What can still be said and done about a session whose keeper is gone, or is not there yet.

use crate::keep::{journal, transcript};
use crate::report::{Entry, EntryKind, Text};
use crate::spool;
use downbeat_model::id::SessionId;
use downbeat_model::terminal::Frame;
use std::path::Path;
use std::time::Duration;

/// The last text of a keeper that is gone, rebuilt from its transcript; `None` where there is
/// none.
#[must_use]
pub fn checkpoint(dir: &Path, lines: u32) -> Option<Text> {
    Some(transcript::replay(dir)?.text(lines))
}

/// The last screen of a keeper that is gone, as frames for a viewer: a snapshot, then the end.
#[must_use]
pub fn checkpoint_frames(dir: &Path) -> Option<Vec<Frame>> {
    Some(transcript::replay(dir)?.frames())
}

/// Journal entries that a keeper that is gone left unacknowledged, and posts that it never took.
#[must_use]
pub fn leftover_entries(dir: &Path) -> Vec<Entry> {
    let journal::Left {
        mut entries,
        mut last,
        marks,
    } = journal::leftover(dir);
    let output_seq = entries.last().map_or(0, |entry| entry.output_seq);
    // The keeper may have died between its journal and the file of the same post.
    let untold = spool::waiting(dir, None)
        .into_iter()
        .filter(|mark| !marks.contains(mark));
    for mark in untold {
        let Ok(body) = spool::read(dir, mark) else {
            continue;
        };
        last += 1;
        entries.push(Entry {
            seq: last,
            at: mark.at,
            output_seq,
            what: EntryKind::Hook {
                body: String::from_utf8_lossy(&body).into_owned(),
            },
        });
    }
    entries
}

/// Ends what is left of a dead keeper's process tree. Blocks until it is gone.
pub fn end_tree(dir: &Path, id: &SessionId, grace: Duration) {
    crate::tree::end_left(dir, id, grace);
}

/// Writes down a process that works for a session which has no keeper yet, so that [`end_tree`]
/// finds it.
pub fn note_process(dir: &Path, pid: u32) {
    // Where it cannot be made, the session's mark still leads to the process.
    drop(crate::socket::private_dir(dir));
    crate::tree::note_step(dir, pid);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keep::journal::Journal;
    use crate::spool::Postmark;
    use jiff::Timestamp;

    #[test]
    fn a_post_that_is_in_the_journal_and_in_the_spool_counts_once() {
        let dir = tempfile::tempdir().unwrap();
        spool::renew(dir.path());
        let mark = |second| Postmark {
            at: Timestamp::from_second(second).unwrap(),
            pid: 7,
        };
        let mut journal = Journal::create(dir.path(), 10_000);
        for (second, body) in [(1, "acknowledged"), (2, "in both"), (3, "in the spool")] {
            spool::put(dir.path(), mark(second), body.as_bytes()).unwrap();
            if second < 3 {
                let what = EntryKind::Hook { body: body.into() };
                assert!(
                    journal
                        .add(what, 0, mark(second).at, Some(mark(second)))
                        .is_some()
                );
            }
        }
        journal.stored(1);
        let left: Vec<_> = leftover_entries(dir.path())
            .into_iter()
            .map(|entry| (entry.seq, entry.what))
            .collect();
        let hook = |body: &str| EntryKind::Hook { body: body.into() };
        assert_eq!(left, [(2, hook("in both")), (3, hook("in the spool"))]);
    }
}
