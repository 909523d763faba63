//! Writes commit objects byte by byte, so that a commit that is written again keeps a name or a message that
//! is not UTF-8.

use crate::merge::identity::when;
use crate::merge::objects::Objects;
use git2::{Commit, ObjectType, Oid};
use jiff::Zoned;

/// The maximum length of a message, in bytes.
const LONGEST: usize = 64 << 10;

/// A commit to write.
pub(crate) struct New<'a> {
    pub(crate) tree: Oid,
    pub(crate) parents: &'a [Oid],
    pub(crate) author: &'a [u8],
    pub(crate) committer: &'a [u8],
    /// The name of the message's encoding, if it is not UTF-8.
    pub(crate) encoding: Option<&'a [u8]>,
    pub(crate) message: &'a [u8],
}

impl New<'_> {
    pub(crate) fn write(&self, objects: &Objects) -> Result<Oid, git2::Error> {
        let mut text = format!("tree {}\n", self.tree).into_bytes();
        for parent in self.parents {
            text.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        let fields = [
            ("author", Some(self.author)),
            ("committer", Some(self.committer)),
            ("encoding", self.encoding),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                text.extend_from_slice(name.as_bytes());
                text.push(b' ');
                text.extend_from_slice(value);
                text.push(b'\n');
            }
        }
        text.push(b'\n');
        text.extend_from_slice(self.message);
        objects.git2().odb()?.write(ObjectType::Commit, &text)
    }
}

/// Returns a message as it is written: without NUL, bounded, with a line end; `instead` if it is empty.
pub(crate) fn message(text: &str, instead: &str) -> Vec<u8> {
    let text = text.trim();
    let text = if text.is_empty() { instead } else { text };
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut bytes: Vec<u8> = text[..end].bytes().filter(|byte| *byte != 0).collect();
    bytes.push(b'\n');
    bytes
}

/// Returns the line of a commit's header that begins with `name`.
pub(crate) fn field<'a>(commit: &'a Commit<'_>, name: &str) -> Option<&'a [u8]> {
    let lines = commit.raw_header_bytes().split(|byte| *byte == b'\n');
    let mut lines = lines.filter_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b" "));
    lines.next()
}

/// Replaces the time at the end of an author's or committer's line.
pub(crate) fn at(line: &[u8], time: &Zoned) -> Vec<u8> {
    let end = line.iter().rposition(|byte| *byte == b'>');
    let mut line = line[..end.map_or(line.len(), |end| end + 1)].to_vec();
    line.push(b' ');
    line.extend_from_slice(when(time).as_bytes());
    line
}
