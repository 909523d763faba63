//! The journal: facts that no engine has stored yet, in memory and on disk.
//!
//! On disk it is one JSON entry a line, appended, and a line `{"stored":n}` for what was
//! acknowledged; the file starts anew whenever nothing is left. It is not fsynced: the page cache
//! outlives every one of our processes, and a machine that goes down ends the session too.
//! Bounded: over the limit hook posts are refused, so that their sender knows; the few entries
//! of the keeper itself are always taken.

use crate::report::{Entry, EntryKind};
use jiff::Timestamp;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// The journal's file in a keeper's directory.
pub const FILE: &str = "journal";

/// Size at which an emptied file starts anew.
const START_ANEW: u64 = 64 << 10;

/// Facts in order.
#[derive(Debug)]
pub struct Journal {
    entries: VecDeque<Entry>,
    bytes: u64,
    next: u64,
    limit: u64,
    file: Option<File>,
    written: u64,
}

impl Journal {
    /// Opens the journal of a new keeper; what an earlier one left is gone (an engine reads it
    /// before it starts another).
    pub fn create(dir: &Path, limit: u64) -> Self {
        let file = super::transcript::private_file(&dir.join(FILE)).ok();
        Self {
            entries: VecDeque::new(),
            bytes: 0,
            next: 1,
            limit,
            file,
            written: 0,
        }
    }

    /// Adds a fact. `None` where it is a hook post and there is no room.
    pub fn add(&mut self, what: EntryKind, output_seq: u64, at: Timestamp) -> Option<&Entry> {
        let size = match &what {
            EntryKind::Hook { body } => body.len() as u64 + 64,
            _ => 64,
        };
        if matches!(what, EntryKind::Hook { .. }) && self.bytes + size > self.limit {
            return None;
        }
        let entry = Entry {
            seq: self.next,
            at,
            output_seq,
            what,
        };
        self.next += 1;
        self.bytes += size;
        self.write(&entry);
        self.entries.push_back(entry);
        self.entries.back()
    }

    /// Everything not yet acknowledged.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// An engine has stored everything up to `seq`.
    pub fn stored(&mut self, seq: u64) {
        while self.entries.front().is_some_and(|entry| entry.seq <= seq) {
            self.entries.pop_front();
        }
        self.bytes = self
            .entries
            .iter()
            .map(|e| {
                if let EntryKind::Hook { body } = &e.what {
                    body.len() as u64 + 64
                } else {
                    64
                }
            })
            .sum();
        if self.entries.is_empty()
            && self.written > START_ANEW
            && let Some(file) = &mut self.file
        {
            drop(file.set_len(0));
            drop(std::io::Seek::rewind(file));
            self.written = 0;
        }
        self.write(&serde_json::json!({ "stored": seq }));
    }

    fn write(&mut self, line: &impl serde::Serialize) {
        let (Some(file), Ok(mut text)) = (&mut self.file, serde_json::to_vec(line)) else {
            return;
        };
        text.push(b'\n');
        self.written += text.len() as u64;
        // A full disk must not harm a running session: the entry stays in memory.
        drop(file.write_all(&text));
    }
}

/// What a keeper that is gone left unacknowledged.
pub fn leftover(dir: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(dir.join(FILE)).unwrap_or_default();
    let mut entries = Vec::<Entry>::new();
    for line in text.lines() {
        if let Ok(entry) = serde_json::from_str::<Entry>(line) {
            entries.push(entry);
        } else if let Ok(line) = serde_json::from_str::<serde_json::Value>(line) {
            let stored = line
                .get("stored")
                .and_then(serde_json::Value::as_u64)
                .unwrap_or(0);
            entries.retain(|entry| entry.seq > stored);
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_until_stored_and_refuses_only_hooks() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), 200);
        let hook = || EntryKind::Hook { body: "x".repeat(60) };
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(journal.add(hook(), 0, at).map(|e| e.seq), Some(1));
        assert!(journal.add(hook(), 0, at).is_none());
        assert_eq!(
            journal
                .add(EntryKind::Key { name: "enter".into() }, 7, at)
                .map(|e| e.seq),
            Some(2)
        );
        assert_eq!(leftover(dir.path()).len(), 2);
        journal.stored(1);
        let left = leftover(dir.path());
        assert_eq!((left.len(), left[0].seq, left[0].output_seq), (1, 2, 7));
        assert!(journal.add(hook(), 0, at).is_some());
    }
}
