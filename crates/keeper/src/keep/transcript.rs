//! The transcript: output on disk, for use after the keeper is gone. Two files of bounded size are
//! overwritten in turn; each begins with a snapshot without scrollback, so that either can be
//! replayed alone. The format is frames of `kind: u8, length: u32` and a body.
//!
//! A full disk is a pause. The file that could not be written is marked as cut. Once there is room,
//! the other file begins with the whole screen and its scrollback, so nothing is missing that the
//! live terminal still shows. Output that does not fit into the file is shown as a gap with its range.

use crate::report::Text;
use crate::screen::Screen;
use downbeat_files::{begin, read_start};
use downbeat_model::terminal::Frame;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILES: [&str; 2] = ["transcript.a", "transcript.b"];

/// The bytes gathered before a write: output is written when it pauses, or when it reaches this size.
const GATHER: usize = 128 << 10;

/// The name of the next file until it is complete.
const FRESH: &str = "transcript.new";

/// The time between two attempts to continue after the disk was full.
const AGAIN: Duration = Duration::from_secs(1);

/// The numbers of scrollback lines that are tried for a file that begins after a pause, until they fit.
const LINES: [usize; 5] = [usize::MAX, 4_000, 1_000, 200, 0];

/// `generation: u64, seq: u64, cols: u16, rows: u16` and a snapshot.
const START: u8 = 1;
const OUTPUT: u8 = 2;
const RESIZE: u8 = 3;
const EXIT: u8 = 4;
/// `from: u64, to: u64, shown: u8`: the output of this range was not written. The start before it holds
/// the whole screen and replaces all earlier files; `shown` is set if some of the range is missing
/// nevertheless.
const GAP: u8 = 5;

/// The bit of a generation that marks a failed file; later output is not in it.
const CUT: u64 = 1 << 63;

/// The maximum number of bytes that are read from a file: four times what is written into one. The session's
/// agent may have made it longer.
const LARGEST: u64 = 16 << 20;

/// The longest body. A longer one ends the file, as does a frame that was cut when its writer died.
const MAX_BODY: usize = 64 << 20;

/// The writer of output to disk.
#[derive(Debug)]
pub struct Transcript {
    dir: PathBuf,
    /// The current file; `None` while there is no room.
    file: Option<File>,
    /// The time of the next attempt to continue, while there is no room.
    again: Option<Instant>,
    current: usize,
    written: u64,
    limit: u64,
    buffer: Vec<u8>,
    /// The position in the buffer of the length of an output frame that can still grow.
    open: Option<usize>,
    /// The number of files begun, which shows a reader which one is older.
    generation: u64,
    /// Bytes of output so far, and those of them that are on disk.
    seq: u64,
    safe: u64,
    exit: Option<i32>,
}

impl Transcript {
    /// Starts the transcript of a new keeper.
    pub fn create(dir: &Path, limit: u64, screen: &mut Screen) -> Self {
        let mut transcript = Self {
            dir: dir.to_owned(),
            file: None,
            again: None,
            current: 1,
            written: 0,
            limit,
            buffer: Vec::new(),
            open: None,
            generation: 0,
            seq: 0,
            safe: 0,
            exit: None,
        };
        // The file of an earlier keeper would look like this one's.
        drop(std::fs::remove_file(dir.join(FILES[1])));
        transcript.next(screen);
        transcript
    }

    fn start(&self, generation: u64, screen: &mut Screen, lines: usize) -> Vec<u8> {
        let (cols, rows) = screen.size();
        let snapshot = screen.snapshot(lines);
        let mut body = Vec::with_capacity(snapshot.len() + 20);
        body.extend_from_slice(&generation.to_be_bytes());
        body.extend_from_slice(&self.seq.to_be_bytes());
        body.extend_from_slice(&cols.to_be_bytes());
        body.extend_from_slice(&rows.to_be_bytes());
        body.extend_from_slice(&snapshot);
        framed(START, &body)
    }

    fn frame(&mut self, kind: u8, body: &[u8]) {
        self.open = None;
        self.buffer.extend_from_slice(&framed(kind, body));
    }

    /// Adds output; `true` when [`Self::turn`] is due.
    pub fn output(&mut self, bytes: &[u8]) -> bool {
        self.seq += bytes.len() as u64;
        self.exit = None;
        if self.again.is_some() {
            return self.is_due();
        }
        match self.open {
            Some(at) => {
                self.buffer.extend_from_slice(bytes);
                let len = (self.buffer.len() - at - 4) as u32;
                self.buffer[at..at + 4].copy_from_slice(&len.to_be_bytes());
            }
            None => {
                self.frame(OUTPUT, bytes);
                self.open = Some(self.buffer.len() - bytes.len() - 4);
            }
        }
        if self.buffer.len() >= GATHER {
            self.flush();
        }
        self.written >= self.limit || self.is_due()
    }

    /// Records a change of size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let [a, b] = cols.to_be_bytes();
        let [c, d] = rows.to_be_bytes();
        self.frame(RESIZE, &[a, b, c, d]);
    }

    /// Records the end.
    pub fn exit(&mut self, code: i32) {
        self.exit = Some(code);
        self.frame(EXIT, &code.to_be_bytes());
    }

    /// Returns the time of the next attempt to continue, if there was no room.
    pub fn due(&self) -> Option<Instant> {
        self.again
    }

    fn is_due(&self) -> bool {
        self.again.is_some_and(|at| at <= Instant::now())
    }

    /// Continues in the other file, if this one is full or after a pause.
    pub fn turn(&mut self, screen: &mut Screen) {
        self.flush();
        if self.again.is_none() && self.written >= self.limit {
            self.next(screen);
        } else if self.is_due() {
            self.go_on(screen);
        }
    }

    /// Writes everything that can be written; no output follows.
    pub fn finish(&mut self, screen: &mut Screen) {
        self.again = self.again.map(|_| Instant::now());
        self.turn(screen);
    }

    fn next(&mut self, screen: &mut Screen) {
        self.current ^= 1;
        self.written = 0;
        self.generation += 1;
        self.buffer = self.start(self.generation, screen, 0);
        match begin(&self.dir.join(FILES[self.current])) {
            Ok(file) => self.file = Some(file),
            Err(_) => self.pause(),
        }
    }

    /// Tries to begin the other file with the whole screen.
    fn go_on(&mut self, screen: &mut Screen) {
        let generation = self.generation + 1;
        let mut bytes = Vec::new();
        let mut is_cut = false;
        for lines in LINES {
            is_cut = lines != usize::MAX;
            bytes = self.start(generation, screen, lines);
            if bytes.len() as u64 <= self.limit / 2 {
                break;
            }
        }
        let mut gap = self.safe.to_be_bytes().to_vec();
        gap.extend_from_slice(&self.seq.to_be_bytes());
        gap.push(u8::from(is_cut));
        bytes.extend(framed(GAP, &gap));
        if let Some(code) = self.exit {
            bytes.extend(framed(EXIT, &code.to_be_bytes()));
        }
        let fresh = self.dir.join(FRESH);
        let written = begin(&fresh).and_then(|mut file| {
            file.write_all(&bytes)?;
            std::fs::rename(&fresh, self.dir.join(FILES[self.current ^ 1]))?;
            Ok(file)
        });
        match written {
            Ok(file) => {
                self.current ^= 1;
                self.generation = generation;
                self.written = bytes.len() as u64;
                (self.file, self.again, self.safe) = (Some(file), None, self.seq);
            }
            Err(_) => {
                drop(std::fs::remove_file(&fresh));
                self.again = Some(Instant::now() + AGAIN);
            }
        }
    }

    /// Starts a pause: there is no room, and later output is written once there is.
    fn pause(&mut self) {
        self.again = Some(Instant::now());
        self.buffer = Vec::new();
        self.open = None;
        if let Some(mut file) = self.file.take() {
            // Overwriting in place needs no room.
            let cut = (self.generation | CUT).to_be_bytes();
            drop(file.seek(SeekFrom::Start(5)).and_then(|_| file.write_all(&cut)));
        }
    }

    /// Passes all buffered bytes to the operating system.
    pub fn flush(&mut self) {
        self.open = None;
        if self.again.is_some() {
            self.buffer.clear();
        }
        if self.buffer.is_empty() {
            return;
        }
        self.written += self.buffer.len() as u64;
        match self.file.as_mut().map(|file| file.write_all(&self.buffer)) {
            Some(Ok(())) => self.safe = self.seq,
            _ => return self.pause(),
        }
        self.buffer.clear();
        if self.buffer.capacity() > 2 * GATHER {
            self.buffer.shrink_to(GATHER);
        }
    }
}

fn framed(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(body.len() + 5);
    frame.push(kind);
    frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
    frame.extend_from_slice(body);
    frame
}

/// A replayed transcript.
pub struct Replayed {
    screen: Screen,
    seq: u64,
    exit: Option<i32>,
}

fn frames(dir: &Path, name: &str) -> Vec<(u8, Vec<u8>)> {
    let bytes = read_start(&dir.join(name), LARGEST).unwrap_or_default();
    let mut rest = bytes.as_slice();
    let mut frames = Vec::new();
    while let Some((head, body)) = rest.split_first_chunk::<5>() {
        let len = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if len > MAX_BODY {
            break;
        }
        let cut = len.min(body.len());
        frames.push((head[0], body[..cut].to_vec()));
        rest = &body[cut..];
    }
    frames
}

fn number(body: &[u8]) -> u64 {
    body.first_chunk::<8>().map_or(0, |b| u64::from_be_bytes(*b))
}

/// Returns the screen as it was when a file began.
fn first_screen(body: &[u8], marker: &str) -> Replayed {
    let cols = u16::from_be_bytes([body[16], body[17]]);
    let rows = u16::from_be_bytes([body[18], body[19]]);
    let mut screen = Screen::new(cols, rows, crate::Limits::default().scrollback);
    drop(screen.feed(marker.as_bytes()));
    drop(screen.feed(&body[20..]));
    Replayed {
        screen,
        seq: number(&body[8..]),
        exit: None,
    }
}

/// Replays the transcript on disk; `None` if there is none.
pub fn replay(dir: &Path) -> Option<Replayed> {
    let mut files: Vec<_> = FILES.iter().map(|name| frames(dir, name)).collect();
    files.retain(|frames| {
        frames
            .first()
            .is_some_and(|(kind, body)| *kind == START && body.len() >= 20)
    });
    files.sort_by_key(|frames| number(&frames[0].1) & !CUT);
    let is_cut = files.last().is_some_and(|frames| number(&frames[0].1) & CUT != 0);
    let mut replayed: Option<Replayed> = None;
    // The last start frame, in case a gap follows it.
    let mut start = Vec::new();
    for (kind, body) in files.into_iter().flatten() {
        match (kind, &mut replayed) {
            (START, _) if body.len() >= 20 => {
                replayed = replayed.or_else(|| Some(first_screen(&body, "")));
                start = body;
            }
            (GAP, to) if body.len() >= 17 && !start.is_empty() => {
                let marker = match body[16] {
                    0 => String::new(),
                    _ => missing(number(&body), Some(number(&body[8..]))),
                };
                *to = Some(first_screen(&start, &marker));
            }
            (OUTPUT, Some(to)) => {
                drop(to.screen.feed(&body));
                to.seq += body.len() as u64;
                to.exit = None;
            }
            (RESIZE, Some(to)) if body.len() == 4 => {
                to.screen.resize(
                    u16::from_be_bytes([body[0], body[1]]),
                    u16::from_be_bytes([body[2], body[3]]),
                );
            }
            (EXIT, Some(to)) if body.len() == 4 => {
                to.exit = Some(i32::from_be_bytes([body[0], body[1], body[2], body[3]]))
            }
            _ => {}
        }
    }
    if let Some(to) = replayed.as_mut().filter(|_| is_cut) {
        let tidy = to.screen.tidy();
        drop(to.screen.feed(&tidy));
        let marker = missing(to.seq, None);
        drop(to.screen.feed(marker.as_bytes()));
    }
    replayed
}

/// Returns the line that replaces output which was never written.
fn missing(from: u64, to: Option<u64>) -> String {
    let range = match to {
        Some(to) => format!("bytes {from} to {to} of the output are"),
        None => format!("the output after byte {from} is"),
    };
    format!("\x1b[0;2m[{range} missing here: the disk was full]\x1b[0m\r\n")
}

impl Replayed {
    /// Returns the text of the last screen.
    pub fn text(&self, lines: u32) -> Text {
        Text {
            text: self.screen.text(lines),
            title: self.screen.title().to_owned(),
            seq: self.seq,
            typed: None,
            foreground: None,
        }
    }

    /// Returns the last screen for a viewer: with `screen_first` the screen alone if the snapshot is long, the snapshot, then the
    /// end.
    pub fn frames(mut self, screen_first: bool) -> Vec<Frame> {
        let seq = self.seq;
        let (cols, rows) = self.screen.size();
        let alone = screen_first.then(|| self.screen.alone()).flatten();
        let screen = alone.map(|data| Frame::Screen {
            seq,
            cols,
            rows,
            data,
        });
        let snapshot = Frame::Snapshot {
            seq,
            cols,
            rows,
            data: self.screen.snapshot(usize::MAX),
        };
        let code = self.exit.unwrap_or(-1);
        let end = Frame::Exit { seq, code };
        screen.into_iter().chain([snapshot, end]).collect()
    }
}

// The tests move the folder away while its files are open, so they run on Unix only.
#[cfg(all(test, unix))]
#[path = "transcript_tests.rs"]
mod tests;
