//! The end of a log, found in passing: a log of any size is read in constant memory. Not where the log comes from.
//!
//! Lines of GitHub Actions begin with their time. Those of the failing step are the ones between its start and its end;
//! without a step, the tail ends with the last line that GitHub marks as an error.

use crate::mask::Mask;
use crate::text::Excerpt;
use crate::types::failure::LogTail;
use jiff::{SignedDuration, Timestamp};
use std::collections::VecDeque;

/// How many lines are kept.
pub(super) const LINES: usize = 150;

/// How many bytes are kept.
pub(super) const BYTES: usize = 64 * 1024;

/// How many bytes of a line are kept.
const LINE_BYTES: usize = 4 * 1024;

/// GitHub's mark of an error.
const ERROR: &[u8] = b"##[error]";

/// The time of a step: from, to.
pub(super) type Window = (Timestamp, Timestamp);

/// Takes a log in pieces and keeps its end.
pub(super) struct Tail {
    window: Option<Window>,
    /// Whether the line before was in the window: lines without a time belong to the one before.
    inside: bool,
    /// The line under way, cut to its bound.
    line: Vec<u8>,
    long: bool,
    /// The lines up to the last error, and those after it.
    until_error: VecDeque<Vec<u8>>,
    after: VecDeque<Vec<u8>>,
    erred: bool,
    cut: bool,
}

impl Tail {
    /// Keeps the lines of a step, or of the whole log if its time is not known.
    pub(super) fn of(window: Option<Window>) -> Self {
        Self {
            window,
            inside: window.is_none(),
            line: Vec::new(),
            long: false,
            until_error: VecDeque::new(),
            after: VecDeque::new(),
            erred: false,
            cut: false,
        }
    }

    /// Takes a piece. Returns whether more is wanted: not after the end of the step.
    pub(super) fn take(&mut self, mut piece: &[u8]) -> bool {
        while let Some(at) = memchr::memchr(b'\n', piece) {
            self.extend(&piece[..at]);
            piece = &piece[at + 1..];
            if !self.end_line() {
                return false;
            }
        }
        self.extend(piece);
        true
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES.saturating_sub(self.line.len());
        self.long |= bytes.len() > room;
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Ends a line. Returns whether more is wanted.
    fn end_line(&mut self) -> bool {
        let line = std::mem::take(&mut self.line);
        let long = std::mem::take(&mut self.long);
        let (time, text) = split_time(&line);
        if let (Some((from, to)), Some(time)) = (self.window, time) {
            // Steps have whole seconds; a step ends within the last of them.
            if time >= to.checked_add(SignedDuration::from_secs(1)).unwrap_or(to) {
                return false;
            }
            self.inside = time >= from;
        }
        if self.inside {
            self.cut |= long;
            self.keep(text.to_vec());
        }
        true
    }

    fn keep(&mut self, line: Vec<u8>) {
        let is_error = line.starts_with(ERROR);
        push(&mut self.after, line, &mut self.cut);
        if is_error {
            self.erred = true;
            for line in std::mem::take(&mut self.after) {
                push(&mut self.until_error, line, &mut self.cut);
            }
        }
    }

    /// Returns the tail with secrets masked. Nothing if the log had no line of the step.
    pub(super) fn finish(mut self, mask: &mut Mask) -> Option<LogTail> {
        if !self.line.is_empty() {
            self.end_line();
        }
        let lines = if self.erred { self.until_error } else { self.after };
        if lines.is_empty() {
            return None;
        }
        let raw: Vec<String> = lines
            .iter()
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect();
        let mut kept: VecDeque<String> = VecDeque::new();
        let (mut bytes, mut cut) = (0, self.cut);
        for line in masked(&raw, mask).iter().rev() {
            let line = Excerpt::of(line, LINE_BYTES).text;
            bytes += line.len() + 1;
            if bytes > BYTES {
                cut = true;
                break;
            }
            kept.push_front(line);
        }
        let lines = kept.len();
        let text = kept.into_iter().collect::<Vec<_>>().join("\n");
        Some(LogTail {
            text,
            lines,
            cut,
            of_step: self.window.is_some(),
        })
    }
}

fn push(lines: &mut VecDeque<Vec<u8>>, line: Vec<u8>, cut: &mut bool) {
    if lines.len() == LINES {
        lines.pop_front();
        *cut = true;
    }
    lines.push_back(line);
}

/// Masks lines of which the first ones may be the end of a private key.
fn masked(lines: &[String], mask: &mut Mask) -> Vec<String> {
    let of_key = |line: &String, mark: &str| line.contains(mark) && line.contains("PRIVATE KEY");
    let begin = lines.iter().position(|line| of_key(line, "-----BEGIN "));
    let end = lines.iter().position(|line| of_key(line, "-----END "));
    let hidden = end
        .filter(|end| begin.is_none_or(|begin| begin > *end))
        .map_or(0, |end| end + 1);
    let shown = lines.iter().enumerate();
    shown
        .map(|(at, line)| {
            if at < hidden {
                "***".to_owned()
            } else {
                mask.line(line)
            }
        })
        .collect()
}

/// Splits the time off a line: `2026-01-01T12:00:00.1234567Z text`.
fn split_time(line: &[u8]) -> (Option<Timestamp>, &[u8]) {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let Some(blank) = line.iter().take(40).position(|byte| *byte == b' ') else {
        return (None, line);
    };
    let time = std::str::from_utf8(&line[..blank])
        .ok()
        .filter(|word| word.len() >= 20);
    match time.and_then(|word| word.parse().ok()) {
        Some(time) => (Some(time), &line[blank + 1..]),
        None => (None, line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &[(u32, &str)]) -> String {
        let line = |(second, text): &(u32, &str)| {
            format!(
                "2026-01-01T12:{:02}:{:02}.1234567Z {text}\n",
                second / 60,
                second % 60
            )
        };
        lines.iter().map(line).collect()
    }

    fn at(second: u32) -> Timestamp {
        format!("2026-01-01T12:{:02}:{:02}Z", second / 60, second % 60)
            .parse()
            .expect("a time")
    }

    fn tail(window: Option<(u32, u32)>, pieces: &[&[u8]]) -> Option<LogTail> {
        let mut tail = Tail::of(window.map(|(from, to)| (at(from), at(to))));
        for piece in pieces {
            if !tail.take(piece) {
                break;
            }
        }
        tail.finish(&mut Mask::default())
    }

    #[test]
    fn only_the_lines_of_the_failing_step_are_kept() {
        let text = log(&[
            (1, "checkout"),
            (5, "test"),
            (6, "left != right"),
            (9, "##[error]exit 1"),
            (11, "clean up"),
        ]);
        let found = tail(Some((5, 9)), &[text.as_bytes()]).expect("a tail");
        assert_eq!(
            (found.text.as_str(), found.of_step),
            ("test\nleft != right\n##[error]exit 1", true)
        );
    }

    #[test]
    fn the_pieces_may_be_cut_anywhere() {
        let text = format!("\u{feff}{}", log(&[(5, "tést"), (6, "two"), (9, "three")]));
        let whole = tail(Some((5, 9)), &[text.as_bytes()]);
        for cut in 0..text.len() {
            let (first, second) = text.as_bytes().split_at(cut);
            assert_eq!(tail(Some((5, 9)), &[first, second]), whole, "{cut}");
        }
    }

    #[test]
    fn without_a_step_it_ends_with_the_last_error() {
        let text = log(&[(1, "a"), (2, "##[error]b"), (3, "clean up")]);
        assert_eq!(
            tail(None, &[text.as_bytes()]).expect("a tail").text,
            "a\n##[error]b"
        );
    }

    #[test]
    fn a_log_of_any_size_is_bounded() {
        let mut tail = Tail::of(None);
        let line = format!("2026-01-01T12:00:00.0000000Z {}\n", "x".repeat(10_000));
        for _ in 0..10_000 {
            assert!(tail.take(line.as_bytes()));
        }
        assert!(tail.take(&vec![b'y'; 50 << 20]));
        let found = tail.finish(&mut Mask::default()).expect("a tail");
        assert!(
            found.cut && found.text.len() <= BYTES && found.lines <= LINES,
            "{} {}",
            found.text.len(),
            found.lines
        );
        assert!(found.text.ends_with('y'));
    }

    #[test]
    fn secrets_and_escape_sequences_do_not_get_through_even_from_the_middle_of_a_key() {
        let text = "MIIEow\n-----END RSA PRIVATE KEY-----\n\u{1b}[31mDEPLOY_TOKEN=abcdefghijkl\u{1b}[0m\n";
        let found = tail(None, &[text.as_bytes()]).expect("a tail");
        assert_eq!(found.text, "***\n***\nDEPLOY_TOKEN=***");
    }
}
