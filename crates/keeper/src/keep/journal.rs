//! The journal: facts that no engine has stored yet, in memory and on disk.
//!
//! On disk it is one JSON entry per line, appended, and a line `{"stored":n}` for each
//! acknowledgement; a long file is emptied when nothing is left. It is not fsynced: the page cache
//! outlives all of our processes, and a machine that goes down ends the session too.
//! Bounded: over the limit the oldest posts about tools are dropped, since the newest posts show what
//! an agent does now. If none are left, hook posts are refused, and the senders learn of it. The
//! few entries of the keeper itself are always accepted.

use crate::report::{Entry, EntryKind};
use crate::spool::Postmark;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The journal's file in a keeper's directory.
pub const FILE: &str = "journal";

/// The file of a rewritten journal until it is complete.
const FRESH: &str = "journal.new";

/// The size from which a file without unacknowledged entries is emptied.
const START_ANEW: u64 = 64 << 10;

/// The maximum number of bytes that are read of the file of a keeper that is gone, from its end: four times
/// what a keeper keeps unacknowledged. The session's agent may have made the file longer.
const LARGEST: u64 = 64 << 20;

/// The parts that identify names of posts about tools: of Claude Code and Codex; of OpenCode.
const ABOUT_TOOLS: [&str; 2] = ["ToolUse", "tool.execute"];

/// The time between two attempts to write while there is no room.
const AGAIN: Duration = Duration::from_secs(1);

/// An entry as written to disk. The mark identifies the post's file in the spool: a keeper may die
/// between writing the entry and removing that file.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    entry: &'a Entry,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<String>,
}

/// The unacknowledged facts, in order.
#[derive(Debug)]
pub struct Journal {
    entries: VecDeque<Entry>,
    /// The marks of posts, with the numbers of their entries.
    marks: VecDeque<(u64, Postmark)>,
    bytes: u64,
    next: u64,
    limit: u64,
    dir: PathBuf,
    file: Option<File>,
    written: u64,
    /// Whether the last line on disk may be incomplete.
    torn: bool,
    /// The number of the last entry that is on disk.
    safe: u64,
    /// The time of the next attempt to write, while there is no room.
    again: Option<Instant>,
}

/// Returns the size of an entry.
fn weight(what: &EntryKind) -> u64 {
    match what {
        EntryKind::Hook { body } => body.len() as u64 + 64,
        _ => 64,
    }
}

/// Reports whether a post only says that a tool is about to be used, or was used.
fn is_about_a_tool(what: &EntryKind) -> bool {
    #[derive(serde::Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        hook_event_name: std::borrow::Cow<'a, str>,
    }
    let EntryKind::Hook { body } = what else {
        return false;
    };
    serde_json::from_str::<Named<'_>>(body).is_ok_and(|named| {
        let name = named.hook_event_name;
        ABOUT_TOOLS.iter().any(|part| name.contains(part))
    })
}

impl Journal {
    /// Creates the journal of a new keeper. The entries of an earlier keeper are discarded (an engine reads
    /// them before it starts another keeper).
    pub fn create(dir: &Path, limit: u64) -> Self {
        let file = downbeat_files::begin(&dir.join(FILE)).ok();
        Self {
            entries: VecDeque::new(),
            marks: VecDeque::new(),
            bytes: 0,
            next: 1,
            limit,
            dir: dir.to_owned(),
            file,
            written: 0,
            torn: false,
            safe: 0,
            again: None,
        }
    }

    /// Adds a fact, with the mark of a post. `None` if it is a hook post and there is no room.
    pub fn add(
        &mut self,
        what: EntryKind,
        output_seq: u64,
        at: Timestamp,
        mark: Option<Postmark>,
    ) -> Option<&Entry> {
        let size = weight(&what);
        if matches!(what, EntryKind::Hook { .. }) && self.bytes + size > self.limit {
            self.make_room(size);
            if self.bytes + size > self.limit {
                return None;
            }
        }
        let entry = Entry {
            seq: self.next,
            at,
            output_seq,
            what,
        };
        self.next += 1;
        self.bytes += size;
        self.marks.extend(mark.map(|mark| (entry.seq, mark)));
        self.entries.push_back(entry);
        if self.again.is_none() {
            self.write_missing();
        }
        self.entries.back()
    }

    /// Drops the oldest posts about tools: a quarter of the limit in one go, so that this is rarely needed.
    fn make_room(&mut self, size: u64) {
        let wanted = (self.limit - self.limit / 4).saturating_sub(size);
        let (before, mut left) = (self.entries.len(), self.bytes);
        self.entries.retain(|entry| {
            let stays = left <= wanted || !is_about_a_tool(&entry.what);
            if !stays {
                left -= weight(&entry.what);
            }
            stays
        });
        self.bytes = left;
        if self.entries.len() < before {
            tracing::warn!(dropped = before - self.entries.len(), "the journal was full");
            // Without room on disk the file stays long, which loses nothing.
            drop(self.rewrite());
        }
    }

    /// Replaces the file with one that holds only the remaining entries.
    fn rewrite(&mut self) -> std::io::Result<()> {
        let fresh = self.dir.join(FRESH);
        let mut text = Vec::new();
        for entry in &self.entries {
            self.line(entry, &mut text);
        }
        let mut file = downbeat_files::begin(&fresh)?;
        file.write_all(&text)?;
        std::fs::rename(&fresh, self.dir.join(FILE))?;
        (self.file, self.written, self.torn) = (Some(file), text.len() as u64, false);
        (self.safe, self.again) = (self.next - 1, None);
        Ok(())
    }

    fn line(&self, entry: &Entry, text: &mut Vec<u8>) {
        let mark = self.marks.iter().rev().find(|(seq, _)| *seq == entry.seq);
        let mark = mark.map(|(_, mark)| mark.name());
        // Our own plain struct always serialises.
        drop(serde_json::to_writer(&mut *text, &Line { entry, mark }));
        text.push(b'\n');
    }

    /// Writes the entries that are not on disk yet: the newest one, or all since the disk was full.
    fn write_missing(&mut self) {
        let mut text = Vec::new();
        let first = self.entries.partition_point(|entry| entry.seq <= self.safe);
        for entry in self.entries.range(first..) {
            self.line(entry, &mut text);
        }
        if self.write(text) {
            self.safe = self.next - 1;
        }
    }

    /// Returns the time of the next attempt to write, if there was no room.
    pub fn due(&self) -> Option<Instant> {
        self.again
    }

    /// Tries to write again, if that is due.
    pub fn catch_up(&mut self) {
        if self.again.is_some_and(|at| at <= Instant::now()) {
            self.write_missing();
        }
    }

    /// Returns all unacknowledged entries.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Records that an engine has stored everything up to `seq`.
    pub fn stored(&mut self, seq: u64) {
        if self.is_behind() {
            self.write_missing();
        }
        while let Some(entry) = self.entries.front().filter(|entry| entry.seq <= seq) {
            self.bytes -= weight(&entry.what);
            self.entries.pop_front();
        }
        if self.entries.is_empty()
            && self.written > START_ANEW
            && let Some(file) = &mut self.file
        {
            drop(file.set_len(0));
            drop(std::io::Seek::rewind(file));
            self.written = 0;
        }
        while self.marks.front().is_some_and(|(marked, _)| *marked <= seq) {
            self.marks.pop_front();
        }
        self.write(format!("{{\"stored\":{seq}}}\n").into_bytes());
        if self.is_behind() {
            self.again.get_or_insert(Instant::now() + AGAIN);
        }
    }

    /// Reports whether some entries are not on disk yet.
    fn is_behind(&self) -> bool {
        self.safe + 1 < self.next
    }

    /// Appends whole lines; `false` if there is no room. A full disk must not harm a running session, so
    /// unwritten entries stay in memory.
    fn write(&mut self, mut text: Vec<u8>) -> bool {
        if self.file.is_none() {
            // The file could not be created at the start; that may work now.
            self.file = downbeat_files::begin(&self.dir.join(FILE)).ok();
        }
        if self.torn {
            text.insert(0, b'\n');
        }
        let is_written = match &mut self.file {
            Some(file) => file.write_all(&text).is_ok(),
            None => false,
        };
        self.written += text.len() as u64;
        self.torn = !is_written;
        self.again = (!is_written).then(|| Instant::now() + AGAIN);
        is_written
    }
}

/// The journal of a keeper that is gone.
#[derive(Debug)]
pub struct Left {
    /// The unacknowledged entries.
    pub entries: Vec<Entry>,
    /// The greatest entry number in the file.
    pub last: u64,
    /// The marks of all posts in the file, including acknowledged ones.
    pub marks: Vec<Postmark>,
}

#[derive(Deserialize)]
struct Marked {
    mark: String,
}

/// Reads the journal of a keeper that is gone.
pub fn leftover(dir: &Path) -> Left {
    // A line may be cut anywhere, even within a character; only that line is lost.
    let text = downbeat_files::read_end(&dir.join(FILE), LARGEST).unwrap_or_default();
    let (mut entries, mut last, mut marks) = (Vec::<Entry>::new(), 0, Vec::new());
    for line in text.split(|byte| *byte == b'\n') {
        if let Ok(entry) = serde_json::from_slice::<Entry>(line) {
            let marked = serde_json::from_slice::<Marked>(line).ok();
            marks.extend(marked.and_then(|marked| Postmark::of(&marked.mark)));
            // An entry is in the file twice if the first attempt to write it failed half-way.
            if entry.seq > last {
                last = entry.seq;
                entries.push(entry);
            }
        } else if let Ok(line) = serde_json::from_slice::<serde_json::Value>(line) {
            let stored = line
                .get("stored")
                .and_then(serde_json::Value::as_u64)
                .unwrap_or(0);
            entries.retain(|entry| entry.seq > stored);
            last = last.max(stored);
        }
    }
    Left { entries, last, marks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_kept_until_stored_and_only_hook_posts_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), 200);
        let hook = || EntryKind::Hook { body: "x".repeat(60) };
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(journal.add(hook(), 0, at, None).map(|e| e.seq), Some(1));
        assert!(journal.add(hook(), 0, at, None).is_none());
        assert_eq!(
            journal
                .add(EntryKind::Key { name: "enter".into() }, 7, at, None)
                .map(|e| e.seq),
            Some(2)
        );
        assert_eq!(leftover(dir.path()).entries.len(), 2);
        journal.stored(1);
        let left = leftover(dir.path()).entries;
        assert_eq!((left.len(), left[0].seq, left[0].output_seq), (1, 2, 7));
        assert!(journal.add(hook(), 0, at, None).is_some());
    }

    /// Returns the numbers of the entries that the next engine reads.
    fn left(dir: &Path) -> Vec<u64> {
        leftover(dir).entries.iter().map(|entry| entry.seq).collect()
    }

    /// Returns a journal with four posts, of which the disk accepted only the first, and the disk.
    fn out_of_room(dir: &Path) -> (Journal, File) {
        let mut journal = Journal::create(dir, 10_000);
        let at = Timestamp::UNIX_EPOCH;
        assert!(journal.add(post("Stop", 1), 0, at, None).is_some());
        let disk = journal.file.replace(File::open(dir.join(FILE)).unwrap()).unwrap();
        for n in 2..5 {
            assert!(journal.add(post("Stop", n), 0, at, None).is_some());
        }
        (journal, disk)
    }

    fn post(name: &str, n: usize) -> EntryKind {
        EntryKind::Hook {
            body: serde_json::json!({"hook_event_name": name, "n": n, "text": "é".repeat(50)}).to_string(),
        }
    }

    #[test]
    fn old_posts_about_tools_are_dropped_to_make_room_for_new_facts() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), 20_000);
        let at = Timestamp::UNIX_EPOCH;
        assert!(journal.add(post("UserPromptSubmit", 0), 0, at, None).is_some());
        for n in 0..1_000 {
            let name = [
                "PreToolUse",
                "PostToolUse",
                "tool.execute.before",
                "tool.execute.after",
            ][n % 4];
            assert!(journal.add(post(name, n), 0, at, None).is_some(), "{n}");
            assert!(journal.bytes <= 20_000);
        }
        assert!(journal.add(post("Stop", 0), 0, at, None).is_some());
        let kept: Vec<Entry> = journal.entries().cloned().collect();
        assert_eq!(leftover(dir.path()).entries, kept);
        assert_eq!(
            (kept[0].seq, kept.last().map(|entry| entry.seq)),
            (1, Some(1_002))
        );
        assert_eq!(
            kept[1].seq,
            1_002 - (kept.len() as u64 - 2),
            "the newest are kept"
        );
        assert!(kept.len() > 50, "{}", kept.len());
        // Entries that were not dropped are still acknowledged and written as usual.
        journal.stored(1_001);
        assert_eq!(leftover(dir.path()).entries.len(), 1);
        // There is no more room for posts that may not be dropped.
        while journal.add(post("Stop", 1), 0, at, None).is_some() {}
        assert!(journal.bytes > 19_000);
    }

    #[test]
    fn only_the_damaged_line_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), 10_000);
        let at = Timestamp::UNIX_EPOCH;
        assert!(journal.add(post("Stop", 1), 0, at, None).is_some());
        // A disk that fails after half a line, within a character.
        let whole = std::fs::read(dir.path().join(FILE)).unwrap();
        let half = &whole[..=whole.iter().position(|byte| *byte > 127).unwrap()];
        journal.file.as_mut().unwrap().write_all(half).unwrap();
        journal.torn = true;
        assert!(journal.add(post("Stop", 2), 0, at, None).is_some());
        journal.file.as_mut().unwrap().write_all(half).unwrap();
        assert_eq!(left(dir.path()), [1, 2]);
    }

    #[test]
    fn unwritten_entries_are_written_when_an_engine_stores_some() {
        let dir = tempfile::tempdir().unwrap();
        let (mut journal, disk) = out_of_room(dir.path());
        journal.stored(1);
        assert!(journal.due().is_some(), "there is no room yet");
        journal.file = Some(disk);
        journal.stored(2);
        assert_eq!(journal.due(), None);
        assert_eq!(left(dir.path()), [3, 4]);
    }

    #[test]
    fn unwritten_entries_are_written_once_there_is_room() {
        let dir = tempfile::tempdir().unwrap();
        let (mut journal, disk) = out_of_room(dir.path());
        assert_eq!(leftover(dir.path()).entries.len(), 1);
        journal.file = Some(disk);
        journal.catch_up();
        assert!(journal.due().is_some(), "it is tried once a second");
        journal.again = Some(Instant::now());
        journal.catch_up();
        assert_eq!(journal.due(), None);
        let kept: Vec<Entry> = journal.entries().cloned().collect();
        assert_eq!(leftover(dir.path()).entries, kept);
        assert_eq!(kept.len(), 4);
    }
}
