//! The end of a log of GitHub Actions.
//!
//! Its lines begin with their time. Those of the failing step are the ones between its start and its end; without a step,
//! the tail ends with the last line that GitHub marks as an error.

use crate::http::log_end::{Line, Lines, LogEnd};
use crate::mask::Mask;
use crate::types::failure::LogTail;
use jiff::{SignedDuration, Timestamp};

/// GitHub's mark of an error.
const ERROR: &[u8] = b"##[error]";

/// The time of a step: from, to.
pub(super) type Window = (Timestamp, Timestamp);

/// Takes a log in pieces and keeps its end.
pub(super) struct Tail {
    lines: Lines,
    step: Step,
    end: LogEnd,
}

/// Which lines are of the step.
struct Step {
    window: Option<Window>,
    /// Whether the line before was in the window: lines without a time belong to the one before.
    inside: bool,
}

impl Tail {
    /// Keeps the lines of a step, or of the whole log if its time is not known.
    pub(super) fn of(window: Option<Window>) -> Self {
        Self {
            lines: Lines::default(),
            step: Step {
                window,
                inside: window.is_none(),
            },
            end: LogEnd::default(),
        }
    }

    /// Takes a piece. Returns whether more is wanted: not after the end of the step.
    pub(super) fn take(&mut self, piece: &[u8]) -> bool {
        let Self { lines, step, end } = self;
        lines.take(piece, |line| step.take(&line, end))
    }

    /// Returns the tail with secrets masked. Nothing if the log had no line of the step.
    pub(super) fn finish(mut self, mask: &mut Mask) -> Option<LogTail> {
        if let Some(line) = self.lines.last() {
            self.step.take(&line, &mut self.end);
        }
        self.end.finish(mask, self.step.window.is_some())
    }
}

impl Step {
    /// Takes a line. Returns whether more is wanted.
    fn take(&mut self, line: &Line, end: &mut LogEnd) -> bool {
        let (time, text) = split_time(&line.bytes);
        if let (Some((from, to)), Some(time)) = (self.window, time) {
            // Steps have whole seconds; a step ends within the last of them.
            if time >= to.checked_add(SignedDuration::from_secs(1)).unwrap_or(to) {
                return false;
            }
            self.inside = time >= from;
        }
        if self.inside {
            end.keep(line, text, text.starts_with(ERROR));
        }
        true
    }
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
    use crate::http::log_end::{BYTES, LINES};

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
