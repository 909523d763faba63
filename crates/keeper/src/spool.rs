//! Posts that the keeper did not answer in time: one file each, in a folder of the keeper's directory. A
//! hook that may not wait any longer writes one ([`crate::client`]), and the keeper takes it into its
//! journal in the order of the posts ([`crate::keep`]). The spool is not a second journal: no keeper has
//! taken the posts in it. Posts that find no room in the spool either are lost, and counted in a file of
//! the same directory.
//!
//! Nothing watches the folder. The keeper reads it whenever a client has connected and no other client
//! waits; a hook therefore knocks at the keeper's socket after it wrote a post ([`crate::socket::knock`]).
//! So no post is left behind, whatever the keeper was doing at that time.

use jiff::Timestamp;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder's name in a keeper's directory.
const FOLDER: &str = "spool";

/// The maximum number of posts that may wait. An agent with its sub-agents posts a few per second; a keeper
/// that does not respond for minutes is not planned for. Further posts are lost, and counted.
pub const POSTS: usize = 1024;

/// The maximum number of bytes of posts that may wait: half of what the journal holds.
const BYTES: u64 = 8 << 20;

/// The longest time that writing a post may take; its hook exits long before that.
const WRITING: Duration = Duration::from_secs(5);

/// The identity of a post among all posts of its keeper, and its position in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Postmark {
    /// The time of the post.
    pub at: Timestamp,
    /// The process that posted it.
    pub pid: u32,
}

impl Postmark {
    /// Returns the mark of a post that this process makes now.
    pub fn now() -> Self {
        let now = Timestamp::now();
        Self {
            // The precision of the protocol.
            at: Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now),
            pid: std::process::id(),
        }
    }

    /// Returns the file name of the post. Names sort by time.
    pub fn name(self) -> String {
        format!("{:020}-{}", self.at.as_microsecond(), self.pid)
    }

    /// Parses the mark from a file name.
    pub fn of(name: &str) -> Option<Self> {
        let (at, pid) = name.split_once('-')?;
        Some(Self {
            at: Timestamp::from_microsecond(at.parse().ok()?).ok()?,
            pid: pid.parse().ok()?,
        })
    }
}

fn place(dir: &Path, mark: Postmark) -> PathBuf {
    dir.join(FOLDER).join(mark.name())
}

/// Creates the folder for a new keeper. Posts that were meant for an earlier keeper are deleted.
pub fn renew(dir: &Path) {
    let folder = dir.join(FOLDER);
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        drop(std::fs::remove_file(entry.path()));
    }
    // A folder in the spool was made by somebody else and may be nested to any depth. The spool is
    // moved aside, and is removed with the keeper's directory.
    if std::fs::remove_dir(&folder).is_err() {
        drop(std::fs::rename(&folder, dir.join(Postmark::now().name())));
    }
    // Without a folder, late posts are counted as lost.
    drop(crate::socket::private_dir(&folder));
}

/// Writes a post to the spool of the keeper in `dir`.
///
/// # Errors
///
/// Fails if there is no room for the post, or if no keeper ever created the folder.
pub fn put(dir: &Path, mark: Postmark, body: &[u8]) -> io::Result<()> {
    let (mut posts, mut bytes) = (0, body.len() as u64);
    for other in std::fs::read_dir(dir.join(FOLDER))? {
        posts += 1;
        // A post that was just taken counts as empty.
        bytes += other?.metadata().map_or(0, |other| other.len());
    }
    if posts >= POSTS || bytes > BYTES {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let target = place(dir, mark);
    // The name of a post never begins with a dot.
    let hidden = target.with_file_name(format!(".{}", mark.name()));
    let written = downbeat_files::begin(&hidden)
        .and_then(|mut file| file.write_all(body))
        .and_then(|()| std::fs::rename(&hidden, target));
    if written.is_err() {
        drop(std::fs::remove_file(&hidden));
    }
    written
}

/// Returns the posts that wait, oldest first; with `before`, only posts that are older.
pub fn waiting(dir: &Path, before: Option<Postmark>) -> Vec<Postmark> {
    let all = std::fs::read_dir(dir.join(FOLDER))
        .into_iter()
        .flatten()
        .flatten();
    let marks = all.filter_map(|post| Postmark::of(post.file_name().to_str()?));
    let mut marks: Vec<_> = marks
        .filter(|mark| before.is_none_or(|before| *mark < before))
        .collect();
    marks.sort_unstable();
    marks
}

/// Removes the drafts of posts whose hooks ended before they wrote everything, and returns their marks.
pub fn given_up(dir: &Path) -> Vec<Postmark> {
    let all = std::fs::read_dir(dir.join(FOLDER))
        .into_iter()
        .flatten()
        .flatten();
    let cut = all.filter_map(|post| {
        let mark = Postmark::of(post.file_name().to_str()?.strip_prefix('.')?)?;
        let written = post.metadata().ok()?.modified().ok()?;
        let is_old = written.elapsed().is_ok_and(|age| age > WRITING);
        (is_old && std::fs::remove_file(post.path()).is_ok()).then_some(mark)
    });
    cut.collect()
}

/// Returns the body of a waiting post. A body is at most as long as all posts together may be.
pub fn read(dir: &Path, mark: Postmark) -> io::Result<Vec<u8>> {
    downbeat_files::read(&place(dir, mark), BYTES)
}

/// Returns the waiting posts with their bodies, within the spool's limits: an agent may put anything there.
pub fn all(dir: &Path) -> Vec<(Postmark, Vec<u8>)> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    for mark in waiting(dir, None).into_iter().take(POSTS) {
        let Ok(body) = read(dir, mark) else { continue };
        bytes += body.len() as u64;
        if bytes > 2 * BYTES {
            break;
        }
        found.push((mark, body));
    }
    found
}

/// Removes a post.
pub fn remove(dir: &Path, mark: Postmark) {
    // If this fails, the keeper remembers for the rest of its life that it took the post.
    drop(std::fs::remove_file(place(dir, mark)));
}

/// The file in a keeper's directory that counts the posts that never reached the keeper, one byte each.
const LOST: &str = "lost-posts";

/// Records that a post never reached the keeper in `dir`. The directory exists all the same.
pub fn note_lost_post(dir: &Path) {
    // On a full disk, the count is lost as well.
    if let Ok((mut file, _)) = downbeat_files::append(&dir.join(LOST)) {
        let _ = file.write_all(b".");
    }
}

/// Returns the number of posts that never reached the keepers in `dir`.
#[must_use]
pub fn lost_posts(dir: &Path) -> u64 {
    std::fs::metadata(dir.join(LOST)).map_or(0, |file| file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(second: i64, pid: u32) -> Postmark {
        Postmark {
            at: Timestamp::from_second(second).unwrap(),
            pid,
        }
    }

    #[test]
    fn folders_in_the_spool_are_moved_aside_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let nested = dir.path().join(FOLDER).join("n/n/n");
        std::fs::create_dir_all(&nested).unwrap();
        renew(dir.path());
        assert_eq!(dir.path().join(FOLDER).read_dir().unwrap().count(), 0);
        assert_eq!(
            dir.path().read_dir().unwrap().count(),
            2,
            "it is not walked through"
        );
    }

    #[test]
    fn posts_are_listed_by_time_and_a_new_keeper_starts_without_them() {
        let dir = tempfile::tempdir().unwrap();
        assert!(
            put(dir.path(), mark(1, 1), b"x").is_err(),
            "no keeper was ever here"
        );
        renew(dir.path());
        for mark in [mark(9, 1), mark(10, 3), mark(10, 2), mark(2, 1)] {
            put(dir.path(), mark, b"body").unwrap();
        }
        std::fs::write(dir.path().join(FOLDER).join(".cut"), "x").unwrap();
        let all = [mark(2, 1), mark(9, 1), mark(10, 2), mark(10, 3)];
        assert_eq!(waiting(dir.path(), None), all);
        assert_eq!(waiting(dir.path(), Some(mark(10, 2))), all[..2]);
        assert_eq!(read(dir.path(), mark(9, 1)).unwrap(), b"body");
        remove(dir.path(), mark(9, 1));
        assert!(read(dir.path(), mark(9, 1)).is_err());
        renew(dir.path());
        assert!(waiting(dir.path(), None).is_empty());
        let now = Postmark::now();
        assert_eq!(Postmark::of(&now.name()), Some(now));
    }

    #[test]
    fn an_unfinished_draft_is_removed_once_its_hook_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        renew(dir.path());
        for (second, age) in [(1, WRITING * 2), (2, Duration::ZERO)] {
            let draft = place(dir.path(), mark(second, 7));
            let draft = draft.with_file_name(format!(".{}", mark(second, 7).name()));
            let file = std::fs::File::create(&draft).unwrap();
            file.set_modified(std::time::SystemTime::now() - age).unwrap();
        }
        assert_eq!(given_up(dir.path()), [mark(1, 7)]);
        assert_eq!(given_up(dir.path()), []);
        assert_eq!(std::fs::read_dir(dir.path().join(FOLDER)).unwrap().count(), 1);
    }

    #[test]
    fn the_number_and_the_size_of_posts_are_limited() {
        let dir = tempfile::tempdir().unwrap();
        renew(dir.path());
        let half = vec![0; BYTES as usize / 2];
        put(dir.path(), mark(1, 1), &half).unwrap();
        put(dir.path(), mark(2, 1), &half).unwrap();
        assert!(put(dir.path(), mark(3, 1), b"x").is_err());
        remove(dir.path(), mark(1, 1));
        for second in 3..POSTS as i64 + 2 {
            put(dir.path(), mark(second, 1), b"x").unwrap();
        }
        assert!(put(dir.path(), mark(9_999, 1), b"x").is_err());
        assert_eq!(waiting(dir.path(), None).len(), POSTS);
    }
}
