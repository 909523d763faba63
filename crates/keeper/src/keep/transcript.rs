//! The transcript: output on disk, for the day that the keeper is gone. Two files of bounded
//! size, the older overwritten in turn; each begins with a snapshot without scrollback, so that
//! either can be replayed alone. Frames of `kind: u8, length: u32` and a body.

use crate::report::Text;
use crate::screen::Screen;
use downbeat_model::terminal::Frame;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

const FILES: [&str; 2] = ["transcript.a", "transcript.b"];

/// Bytes gathered before a write: output is written when it pauses, or by this much.
const GATHER: usize = 128 << 10;

const START: u8 = 1;
const OUTPUT: u8 = 2;
const RESIZE: u8 = 3;
const EXIT: u8 = 4;

/// A frame cut by the death of its writer ends a file; so does anything not understood.
const MAX_BODY: usize = 64 << 20;

/// Opens a file that only its owner can read, empty.
pub fn private_file(path: &Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes output to disk.
#[derive(Debug)]
pub struct Transcript {
    files: Option<[File; 2]>,
    current: usize,
    written: u64,
    limit: u64,
    buffer: Vec<u8>,
    /// The length in the buffer of an output frame that can still grow.
    open: Option<usize>,
    /// Counts the files begun, so that a reader knows which is older.
    generation: u64,
}

impl Transcript {
    /// Starts the transcript of a new keeper. Without a disk there is none.
    pub fn create(dir: &Path, limit: u64, screen: &mut Screen) -> Self {
        let open = || -> io::Result<_> {
            Ok([
                private_file(&dir.join(FILES[0]))?,
                private_file(&dir.join(FILES[1]))?,
            ])
        };
        let mut transcript = Self {
            files: open().ok(),
            current: 0,
            written: 0,
            limit,
            buffer: Vec::new(),
            open: None,
            generation: 0,
        };
        transcript.start(0, 0, screen);
        transcript
    }

    fn start(&mut self, generation: u64, seq: u64, screen: &mut Screen) {
        let (cols, rows) = screen.size();
        let snapshot = screen.snapshot(0);
        let mut body = Vec::with_capacity(snapshot.len() + 20);
        body.extend_from_slice(&generation.to_be_bytes());
        body.extend_from_slice(&seq.to_be_bytes());
        body.extend_from_slice(&cols.to_be_bytes());
        body.extend_from_slice(&rows.to_be_bytes());
        body.extend_from_slice(&snapshot);
        self.frame(START, &body);
        self.generation = generation;
    }

    fn frame(&mut self, kind: u8, body: &[u8]) {
        self.open = None;
        self.buffer.push(kind);
        self.buffer.extend_from_slice(&(body.len() as u32).to_be_bytes());
        self.buffer.extend_from_slice(body);
    }

    /// Adds output; `true` when the file is full and [`Self::turn`] is due.
    pub fn output(&mut self, bytes: &[u8]) -> bool {
        if self.files.is_none() {
            return false;
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
        self.written >= self.limit
    }

    /// Notes a change of size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let [a, b] = cols.to_be_bytes();
        let [c, d] = rows.to_be_bytes();
        self.frame(RESIZE, &[a, b, c, d]);
    }

    /// Notes the end.
    pub fn exit(&mut self, code: i32) {
        self.frame(EXIT, &code.to_be_bytes());
    }

    /// Goes on in the other file.
    pub fn turn(&mut self, seq: u64, screen: &mut Screen) {
        self.flush();
        self.current ^= 1;
        self.written = 0;
        if let Some(files) = &mut self.files {
            let file = &mut files[self.current];
            drop(file.rewind());
            drop(file.set_len(0));
        }
        self.start(self.generation + 1, seq, screen);
    }

    /// Hands everything to the system.
    pub fn flush(&mut self) {
        self.open = None;
        if self.buffer.is_empty() {
            return;
        }
        self.written += self.buffer.len() as u64;
        if let Some(files) = &mut self.files {
            // A full disk ends the transcript, not the session.
            if files[self.current].write_all(&self.buffer).is_err() {
                self.files = None;
            }
        }
        self.buffer.clear();
        if self.buffer.capacity() > 2 * GATHER {
            self.buffer.shrink_to(GATHER);
        }
    }
}

/// A replayed transcript.
pub struct Replayed {
    screen: Screen,
    seq: u64,
    exit: Option<i32>,
}

fn frames(dir: &Path, name: &str) -> Vec<(u8, Vec<u8>)> {
    let mut bytes = Vec::new();
    if let Ok(mut file) = File::open(dir.join(name)) {
        drop(file.read_to_end(&mut bytes));
    }
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

/// Replays what is on disk; `None` where there is nothing.
pub fn replay(dir: &Path) -> Option<Replayed> {
    let mut files: Vec<_> = FILES.iter().map(|name| frames(dir, name)).collect();
    files.retain(|frames| {
        frames
            .first()
            .is_some_and(|(kind, body)| *kind == START && body.len() >= 20)
    });
    files.sort_by_key(|frames| number(&frames[0].1));
    let mut replayed: Option<Replayed> = None;
    for (kind, body) in files.into_iter().flatten() {
        match (kind, &mut replayed) {
            (START, None) => {
                let cols = u16::from_be_bytes([body[16], body[17]]);
                let rows = u16::from_be_bytes([body[18], body[19]]);
                let mut screen = Screen::new(cols, rows, crate::Limits::default().scrollback);
                drop(screen.feed(&body[20..]));
                replayed = Some(Replayed {
                    screen,
                    seq: number(&body[8..]),
                    exit: None,
                });
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
    replayed
}

impl Replayed {
    /// The text of the last screen.
    pub fn text(&self, lines: u32) -> Text {
        Text {
            text: self.screen.text(lines),
            title: self.screen.title().to_owned(),
            seq: self.seq,
            typed: None,
            foreground: None,
        }
    }

    /// The last screen for a viewer: a snapshot, then the end.
    pub fn frames(mut self) -> Vec<Frame> {
        let (cols, rows) = self.screen.size();
        let data = self.screen.snapshot(usize::MAX);
        vec![
            Frame::Snapshot {
                seq: self.seq,
                cols,
                rows,
                data,
            },
            Frame::Exit {
                seq: self.seq,
                code: self.exit.unwrap_or(-1),
            },
        ]
    }
}
