//! The end of a job's log, which GitLab calls its trace.
//!
//! The runner marks where its sections begin and end (<https://docs.gitlab.com/ci/jobs/job_logs/>). What the job itself ran
//! is the section `step_script`, with whatever sections the job makes inside of it. Newer runners put a time and the number
//! of a stream before each line.

use crate::http::log_end::{Line, Lines, LogEnd};
use crate::mask::Mask;
use crate::types::failure::LogTail;

/// The runner's last words about a job that failed.
const ERROR: &[u8] = b"ERROR: Job failed";

/// The sections with what the job ran; old runners call it otherwise.
const SCRIPT: [&[u8]; 2] = [b"step_script", b"build_script"];

/// What ends a mark of a section: the rest of the line is erased.
const ERASE: &[u8] = b"\r\x1b[0K";

/// The length of a time with the number of a stream: `2026-01-01T12:00:00.123456Z 00O `.
const STAMP: usize = 32;

/// Takes a trace in pieces and keeps its end.
#[derive(Default)]
pub(super) struct Trace {
    lines: Lines,
    sections: Sections,
}

#[derive(Default)]
struct Sections {
    in_script: bool,
    script: LogEnd,
    whole: LogEnd,
}

impl Trace {
    /// Takes a piece.
    pub(super) fn take(&mut self, piece: &[u8]) {
        let Self { lines, sections } = self;
        lines.take(piece, |line| {
            sections.take(&line);
            true
        });
    }

    /// Returns the end with secrets masked: of the script, if it is what failed and the trace has its section, or else of
    /// the whole trace up to the runner's last words.
    pub(super) fn finish(mut self, script_failed: bool, mask: &mut Mask) -> Option<LogTail> {
        if let Some(line) = self.lines.last() {
            self.sections.take(&line);
        }
        let Sections { script, whole, .. } = self.sections;
        let of_script = script_failed.then(|| script.finish(mask, true)).flatten();
        of_script.or_else(|| whole.finish(mask, false))
    }
}

impl Sections {
    fn take(&mut self, line: &Line) {
        let mut rest = unstamped(&line.bytes);
        let was_marked = rest.starts_with(b"section_");
        while let Some((mark, after)) = mark(rest) {
            match mark {
                Mark::Begin(name) => self.in_script |= SCRIPT.contains(&name),
                Mark::End(name) => self.in_script &= !SCRIPT.contains(&name),
            }
            rest = after;
        }
        let text = last_drawn(rest);
        if was_marked && text.is_empty() {
            return;
        }
        let is_error = memchr::memmem::find(text, ERROR).is_some();
        if self.in_script {
            self.script.keep(line, text, false);
        }
        self.whole.keep(line, text, is_error);
    }
}

/// A mark of a section.
enum Mark<'a> {
    Begin(&'a [u8]),
    End(&'a [u8]),
}

/// Reads a mark at the beginning of a text: `section_start:1700000000:name[collapsed=true]`, then what erases it. Returns
/// it with what follows.
fn mark(text: &[u8]) -> Option<(Mark<'_>, &[u8])> {
    let text = text.strip_prefix(&ERASE[1..]).unwrap_or(text);
    let (is_begin, rest) = match text.strip_prefix(b"section_start:") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix(b"section_end:")?),
    };
    let colon = memchr::memchr(b':', rest)?;
    if colon == 0 || !rest[..colon].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let rest = &rest[colon + 1..];
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let length = rest.iter().take_while(is_of_name).count();
    let (name, mut rest) = rest.split_at(length);
    if rest.starts_with(b"[") {
        rest = &rest[memchr::memchr(b']', rest)? + 1..];
    }
    let rest = rest
        .strip_prefix(ERASE)
        .or_else(|| rest.strip_prefix(b"\r"))
        .unwrap_or(rest);
    let mark = match is_begin {
        true => Mark::Begin(name),
        false => Mark::End(name),
    };
    (length > 0).then_some((mark, rest))
}

/// What is to be seen of a line that was drawn several times, such as a progress bar.
fn last_drawn(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let drawn = line.rsplit(|byte| *byte == b'\r').next().unwrap_or(line);
    drawn.strip_prefix(b"\x1b[0K").unwrap_or(drawn)
}

/// The line without the time and the stream that newer runners put before it.
fn unstamped(line: &[u8]) -> &[u8] {
    let Some((stamp, rest)) = line.split_at_checked(STAMP) else {
        return line;
    };
    let is_time = stamp[..4].iter().all(u8::is_ascii_digit)
        && stamp[10] == b'T'
        && stamp[26] == b'Z'
        && stamp[27] == b' ';
    let is_stream = stamp[28..30].iter().all(u8::is_ascii_hexdigit)
        && matches!(stamp[30], b'O' | b'E')
        && matches!(stamp[31], b' ' | b'+');
    if is_time && is_stream { rest } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "\u{1b}[0KRunning with gitlab-runner 17.0.0\n\
        section_start:1700000000:get_sources\r\u{1b}[0K\u{1b}[0K\u{1b}[36;1mGetting source\u{1b}[0;m\n\
        Checking out 1234\n\
        section_end:1700000001:get_sources\r\u{1b}[0Ksection_start:1700000001:step_script[collapsed=true]\r\u{1b}[0K\u{1b}[0KExecuting\n\
        $ cargo test\n\
        section_start:1700000002:mine\r\u{1b}[0KMine\n\
        10 %\r50 %\r100 %\n\
        assertion failed: left == right\n\
        section_end:1700000003:mine\r\u{1b}[0K\n\
        section_end:1700000004:step_script\r\u{1b}[0Ksection_start:1700000004:cleanup_file_variables\r\u{1b}[0K\u{1b}[0KCleaning up\n\
        section_end:1700000005:cleanup_file_variables\r\u{1b}[0K\u{1b}[31;1mERROR: Job failed: exit code 101\n\
        \u{1b}[0;m\n";

    fn end(text: &str, script_failed: bool) -> LogTail {
        let mut trace = Trace::default();
        trace.take(text.as_bytes());
        trace.finish(script_failed, &mut Mask::default()).expect("an end")
    }

    #[test]
    fn of_a_script_that_failed_only_its_own_lines_are_kept() {
        let found = end(PLAIN, true);
        assert_eq!(
            (found.text.as_str(), found.of_step),
            (
                "Executing\n$ cargo test\nMine\n100 %\nassertion failed: left == right",
                true
            )
        );
    }

    #[test]
    fn without_a_script_that_failed_it_ends_with_the_runners_last_words() {
        let found = end(PLAIN, false);
        assert!(!found.of_step);
        assert!(
            found
                .text
                .starts_with("Running with gitlab-runner 17.0.0\nGetting source\n")
                && found
                    .text
                    .ends_with("\nCleaning up\nERROR: Job failed: exit code 101"),
            "{}",
            found.text
        );
        assert_eq!(
            end("no marks\nERROR: Job failed: x\nafter\n", true).text,
            "no marks\nERROR: Job failed: x"
        );
    }

    #[test]
    fn the_pieces_may_be_cut_anywhere_and_times_are_no_part_of_the_lines() {
        let stamped: String = PLAIN
            .lines()
            .map(|line| format!("2026-01-01T12:00:00.123456Z 00O {line}\n"))
            .collect();
        for text in [PLAIN.to_owned(), stamped] {
            let whole = end(PLAIN, true);
            for cut in 0..text.len() {
                let (first, second) = text.as_bytes().split_at(cut);
                let mut trace = Trace::default();
                trace.take(first);
                trace.take(second);
                let found = trace.finish(true, &mut Mask::default());
                assert_eq!(found.as_ref(), Some(&whole), "{cut}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_mark_is_a_line() {
        for text in [
            "section_start:x:step_script",
            "section_start:12:",
            "section_begin:1:a",
            "a section_start:1:b",
        ] {
            assert_eq!(end(text, true).text, text);
        }
    }

    #[test]
    fn secrets_do_not_get_through() {
        let found = end("glpat-abcdefghij0123456789\nDEPLOY_TOKEN=abcdefghijkl\n", true);
        assert_eq!(found.text, "***\nDEPLOY_TOKEN=***");
    }
}
