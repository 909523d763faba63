//! Posts that missed their moment: a file each, in a folder of the keeper's directory. A hook that
//! may not wait longer puts one there ([`crate::client`]); the keeper takes it into its journal in
//! the order of the posts ([`crate::keep`]). Not a second journal: what lies here nobody has taken. What found no
//! room here either is lost, and counted beside it.
//!
//! Nobody watches the folder. The keeper looks at it whenever a client came and none waits behind
//! it; who put a post there then knocks at its socket ([`crate::socket::knock`]). So no post stays
//! behind, wherever the keeper stood meanwhile.

use jiff::Timestamp;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder in a keeper's directory.
const FOLDER: &str = "spool";

/// Posts that may wait: an agent with its sub-agents posts a few a second, and a keeper that stands
/// still for minutes is none. More are lost, and counted.
pub const POSTS: usize = 1024;

/// Bytes of posts that may wait: half of what the journal holds.
const BYTES: u64 = 8 << 20;

/// The longest that writing a post may take: its hook ends itself long before.
const WRITING: Duration = Duration::from_secs(5);

/// What tells a post from all others of its keeper, and its place among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Postmark {
    /// When it was posted.
    pub at: Timestamp,
    /// The process that posted it.
    pub pid: u32,
}

impl Postmark {
    /// The mark of a post that this process makes now.
    pub fn now() -> Self {
        let now = Timestamp::now();
        Self {
            // As it travels.
            at: Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now),
            pid: std::process::id(),
        }
    }

    /// Its name as a file's, which sorts by time.
    pub fn name(self) -> String {
        format!("{:020}-{}", self.at.as_microsecond(), self.pid)
    }

    /// The mark that a file's name tells.
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

/// Makes the folder for a new keeper. What was meant for an earlier one goes.
pub fn renew(dir: &Path) {
    let folder = dir.join(FOLDER);
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        drop(std::fs::remove_file(entry.path()));
    }
    // Folders in it are somebody else's, and may be nested without measure. They are put aside, and go
    // with the keeper's directory.
    if std::fs::remove_dir(&folder).is_err() {
        drop(std::fs::rename(&folder, dir.join(Postmark::now().name())));
    }
    // Without a folder posts that come too late are counted as lost.
    drop(crate::socket::private_dir(&folder));
}

/// Puts a post where the keeper in `dir` finds it. An error where there is no room for it, or no
/// keeper ever made the folder.
pub fn put(dir: &Path, mark: Postmark, body: &[u8]) -> io::Result<()> {
    let (mut posts, mut bytes) = (0, body.len() as u64);
    for other in std::fs::read_dir(dir.join(FOLDER))? {
        posts += 1;
        // One that is just taken weighs nothing.
        bytes += other?.metadata().map_or(0, |other| other.len());
    }
    if posts >= POSTS || bytes > BYTES {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let target = place(dir, mark);
    // No post's name begins so.
    let draft = target.with_file_name(format!(".{}", mark.name()));
    let written = downbeat_files::begin(&draft)
        .and_then(|mut file| file.write_all(body))
        .and_then(|()| std::fs::rename(&draft, target));
    if written.is_err() {
        drop(std::fs::remove_file(&draft));
    }
    written
}

/// The posts that wait, oldest first; where `before` is given, those that are older.
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

/// Posts whose hook was gone before all of it was written: what is there of them is taken away.
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

/// The body of a post that waits; none is longer than all of them may be.
pub fn read(dir: &Path, mark: Postmark) -> io::Result<Vec<u8>> {
    downbeat_files::read(&place(dir, mark), BYTES)
}

/// The posts that wait with their bodies, no more of them than may wait: an agent may put anything there.
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

/// Takes a post away.
pub fn remove(dir: &Path, mark: Postmark) {
    // Where that fails it is known as taken as long as the keeper lives.
    drop(std::fs::remove_file(place(dir, mark)));
}

/// The file in a keeper's directory that counts the posts that never reached it, a byte each.
const LOST: &str = "lost-posts";

/// Notes that a post never reached the keeper in `dir`, whose directory is there all the same.
pub fn note_lost_post(dir: &Path) {
    // A disk that is full loses the count as well.
    if let Ok((mut file, _)) = downbeat_files::append(&dir.join(LOST)) {
        let _ = file.write_all(b".");
    }
}

/// How many posts never reached the keepers in `dir`.
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
    fn what_an_agent_nested_there_is_put_aside() {
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
    fn posts_wait_in_order_of_time_and_for_this_keeper_alone() {
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
    fn what_was_cut_off_is_taken_away_once_its_hook_is_gone() {
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
    fn there_is_room_for_so_many_and_so_much() {
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
