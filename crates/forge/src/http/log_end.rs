//! The end of a log, found in passing: a log of any size is read in constant memory. Which of its lines count, and which of
//! them are errors, is for each forge to say.

use crate::error::ForgeError;
use crate::mask::Mask;
use crate::text::Excerpt;
use crate::types::failure::LogTail;
use std::collections::VecDeque;

/// Returns the end of a log that was read to its end or not, or why there is none. Only what concerns all requests is an error.
pub(crate) fn found(
    forge: &str,
    read: Result<bool, ForgeError>,
    finish: impl FnOnce() -> Option<LogTail>,
) -> Result<(Option<LogTail>, Option<String>), ForgeError> {
    match read {
        Ok(reached) => {
            let mut log = finish();
            if let Some(log) = log.as_mut().filter(|_| !reached) {
                log.cut = true;
                log.text.push('\n');
                log.text.push_str(UNREACHED);
                log.lines += 1;
            }
            let none = log.is_none().then(|| "the log is empty".to_owned());
            Ok((log, none))
        }
        Err(ForgeError::Gone { .. }) => {
            let none = format!("{forge} has no log of this job (any more)");
            Ok((None, Some(none)))
        }
        Err(
            error @ (ForgeError::TokenRejected { .. }
            | ForgeError::LimitReached { .. }
            | ForgeError::SlowDown { .. }),
        ) => Err(error),
        Err(error) => Ok((None, Some(error.to_string()))),
    }
}

/// The last line of a log whose end was not read.
const UNREACHED: &str = "[The log goes on; its end was not read in time.]";

/// How many lines are kept.
pub(crate) const LINES: usize = 150;

/// How many bytes are kept.
pub(crate) const BYTES: usize = 64 * 1024;

/// How many bytes of a line are kept.
const LINE_BYTES: usize = 4 * 1024;

/// A line, cut to its bound.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) bytes: Vec<u8>,
    is_cut: bool,
}

/// Makes lines of pieces that are cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    under_way: Line,
}

impl Lines {
    /// Takes a piece, and passes on each line that ends in it. Stops, and returns false, once no more lines are wanted.
    pub(crate) fn take(&mut self, mut piece: &[u8], mut each: impl FnMut(Line) -> bool) -> bool {
        while let Some(at) = memchr::memchr(b'\n', piece) {
            self.extend(&piece[..at]);
            piece = &piece[at + 1..];
            if !each(std::mem::take(&mut self.under_way)) {
                return false;
            }
        }
        self.extend(piece);
        true
    }

    /// The line after the last line feed, if there is one.
    pub(crate) fn last(&mut self) -> Option<Line> {
        let line = std::mem::take(&mut self.under_way);
        (!line.bytes.is_empty()).then_some(line)
    }

    fn extend(&mut self, bytes: &[u8]) {
        let line = &mut self.under_way;
        let room = LINE_BYTES.saturating_sub(line.bytes.len());
        line.is_cut |= bytes.len() > room;
        line.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// Keeps the last lines up to the last error; without an error, the last lines.
#[derive(Debug, Default)]
pub(crate) struct LogEnd {
    until_error: VecDeque<Vec<u8>>,
    after: VecDeque<Vec<u8>>,
    erred: bool,
    cut: bool,
}

impl LogEnd {
    /// Keeps `text`, which is what counts of a line.
    pub(crate) fn keep(&mut self, line: &Line, text: &[u8], is_error: bool) {
        self.cut |= line.is_cut;
        push(&mut self.after, text.to_vec(), &mut self.cut);
        if is_error {
            self.erred = true;
            for line in std::mem::take(&mut self.after) {
                push(&mut self.until_error, line, &mut self.cut);
            }
        }
    }

    /// Returns the end with secrets masked; nothing if there was no line. `of_step` says whether all lines are of the
    /// failing step.
    pub(crate) fn finish(self, mask: &mut Mask, of_step: bool) -> Option<LogTail> {
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
            of_step,
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
