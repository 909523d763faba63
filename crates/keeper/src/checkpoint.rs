//! Access to a session whose keeper is gone, or has not started yet: text, frames, entries, processes.

use crate::keep::{journal, transcript};
use crate::report::{Entry, EntryKind, Text};
use crate::spool;
use downbeat_model::id::SessionId;
use downbeat_model::terminal::Frame;
use std::path::Path;
use std::time::Duration;

/// Returns the last text of a keeper that is gone, rebuilt from its transcript; `None` if there is
/// no transcript.
#[must_use]
pub fn checkpoint(dir: &Path, lines: u32) -> Option<Text> {
    Some(transcript::replay(dir)?.text(lines))
}

/// Returns the last screen of a keeper that is gone, as frames for a viewer: a snapshot, then the end. With `screen_first`, a
/// [`Frame::Screen`] precedes a long snapshot.
#[must_use]
pub fn checkpoint_frames(dir: &Path, screen_first: bool) -> Option<Vec<Frame>> {
    Some(transcript::replay(dir)?.frames(screen_first))
}

/// Returns the journal entries that a keeper left unacknowledged when it ended, and posts that it never took.
#[must_use]
pub fn leftover_entries(dir: &Path) -> Vec<Entry> {
    let journal::Left {
        mut entries,
        mut last,
        marks,
    } = journal::leftover(dir);
    let output_seq = entries.last().map_or(0, |entry| entry.output_seq);
    // The keeper may have died after it journaled a post and before it removed the file of that post.
    let untold = spool::all(dir)
        .into_iter()
        .filter(|(mark, _)| !marks.contains(mark));
    for (mark, body) in untold {
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

/// Ends what is left of a dead keeper's process tree. Blocks until that is done.
pub fn end_tree(dir: &Path, id: &SessionId, grace: Duration) {
    crate::tree::end_left(dir, id, grace);
}

/// Records a process that works for a session without a keeper, so that [`end_tree`] finds it.
pub fn note_process(dir: &Path, pid: u32) {
    // If the directory cannot be created, the session's mark still identifies the process.
    drop(crate::socket::private_dir(dir));
    crate::tree::note_step(dir, pid);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keep::journal::Journal;
    use crate::spool::Postmark;
    use jiff::Timestamp;

    /// The files in a keeper's folder that its agent may have replaced.
    #[cfg(unix)]
    const FILES: [&str; 7] = [
        "journal",
        "transcript.a",
        "transcript.b",
        "steps",
        "lost-posts",
        "socket-path",
        "sock.lock",
    ];

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

    /// Replaces a file with a pipe.
    #[cfg(unix)]
    fn pipe(at: &Path) {
        drop(std::fs::remove_file(at));
        let made = std::process::Command::new("mkfifo").arg(at).status();
        assert!(made.unwrap().success());
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_the_folder_of_a_keeper_blocks_nobody() {
        let (dir, id) = (tempfile::tempdir().unwrap(), SessionId::random().unwrap());
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("spool")).unwrap();
        let names =
            FILES
                .into_iter()
                .chain(["spool/00000000000000000001-7", "journal.new", "transcript.new"]);
        for name in names.clone() {
            pipe(&at(name));
        }
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let path = dir.path().to_owned();
        std::thread::spawn(move || {
            let dir = path.as_path();
            assert!(checkpoint(dir, 10).is_none() && checkpoint_frames(dir, true).is_none());
            assert!(leftover_entries(dir).is_empty());
            note_process(dir, std::process::id());
            end_tree(dir, &id, Duration::ZERO);
            spool::note_lost_post(dir);
            crate::socket::knock(dir);
            drop(crate::socket::connect(dir).unwrap_err());
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            drop(runtime.block_on(crate::socket::connect_async(dir)).unwrap_err());
            // A keeper starts in the same folder.
            drop(crate::socket::listen(dir).unwrap());
            let mut journal = Journal::create(dir, 10_000);
            assert!(
                journal
                    .add(
                        EntryKind::Hook { body: "post".into() },
                        0,
                        Timestamp::UNIX_EPOCH,
                        None
                    )
                    .is_some()
            );
            let mut screen = crate::Screen::new(80, 24, 10);
            transcript::Transcript::create(dir, 10_000, &mut screen).finish(&mut screen);
            tell.send((leftover_entries(dir).len(), checkpoint(dir, 10).is_some()))
                .unwrap();
        });
        assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok((1, true)));
        crate::socket::unlist(dir.path());
    }

    #[test]
    #[cfg(unix)]
    fn foreign_files_are_read_up_to_a_limit_and_links_are_not_written_through() {
        let (dir, id) = (tempfile::tempdir().unwrap(), SessionId::random().unwrap());
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("spool")).unwrap();
        std::fs::write(at("mine"), "mine").unwrap();
        for name in FILES {
            std::os::unix::fs::symlink(at("mine"), at(name)).unwrap();
        }
        note_process(dir.path(), std::process::id());
        spool::note_lost_post(dir.path());
        drop(crate::socket::listen(dir.path()).unwrap());
        drop(Journal::create(dir.path(), 10_000));
        let mut screen = crate::Screen::new(80, 24, 10);
        transcript::Transcript::create(dir.path(), 10_000, &mut screen).finish(&mut screen);
        assert_eq!(std::fs::read(at("mine")).unwrap(), b"mine");
        // Sparse files of two terabytes each; no disk has to hold them.
        for number in 1..20 {
            let post = at("spool").join(format!("{number:020}-7"));
            std::fs::File::create(post).unwrap().set_len(2 << 40).unwrap();
        }
        for name in ["journal", "transcript.a", "steps"] {
            drop(std::fs::remove_file(at(name)));
            std::fs::File::create(at(name)).unwrap().set_len(2 << 40).unwrap();
        }
        assert!(leftover_entries(dir.path()).is_empty());
        drop(checkpoint(dir.path(), 10));
        end_tree(dir.path(), &id, Duration::ZERO);
        crate::socket::unlist(dir.path());
    }
}
