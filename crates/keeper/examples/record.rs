//! Records the output of a program to a terminal, for `tests/recordings`:
//! `record <file.cast> <script> <title> <program> [argument…]`. The keeper's own screen answers
//! the program's queries, as in a session. The file is an asciicast (version 2).
//!
//! The script has one step per line: `wait TEXT` until the screen shows it, `quiet MS` until
//! no output arrived for that long, `type TEXT` (with JSON escapes), `size COLUMNS ROWS`. A recording
//! begins at 80 × 24 and ends with the program.
#![allow(clippy::disallowed_methods, reason = "its own files")]

use downbeat_keeper::Screen;
use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::json;
use std::error::Error;
use std::io::{Read as _, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The maximum number of pieces of output that may wait: few, so that a step is compared with the latest
/// output.
const PIECES: usize = 16;

/// The longest wait of a step; a step that waits longer is wrong.
const LONGEST: Duration = Duration::from_secs(60);

struct Recorder {
    file: std::fs::File,
    began: Instant,
    screen: Screen,
    master: Box<dyn MasterPty + Send>,
    input: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    /// The start of a character whose remaining bytes have not arrived.
    cut: Vec<u8>,
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, script, title, program, rest @ ..] = args.as_slice() else {
        return Err("usage: record <file.cast> <script> <title> <program> [argument…]".into());
    };
    let script = std::fs::read_to_string(script)?;
    let pair = native_pty_system().openpty(size(80, 24))?;
    let mut command = CommandBuilder::new(program);
    command.args(rest);
    command.cwd(std::env::current_dir()?);
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader()?;
    let (sender, output) = sync_channel(PIECES);
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut file = std::fs::File::create(file)?;
    writeln!(
        file,
        "{}",
        json!({"version": 2, "width": 80, "height": 24, "title": title})
    )?;
    let mut recorder = Recorder {
        file,
        began: Instant::now(),
        screen: Screen::new(80, 24, 1000),
        input: pair.master.take_writer()?,
        master: pair.master,
        output,
        cut: Vec::new(),
    };
    for step in script.lines().filter(|line| !line.is_empty()) {
        if let Err(error) = recorder.step(step) {
            child.kill()?;
            return Err(format!("{step}: {error}\n{}", recorder.screen.text(100)).into());
        }
    }
    while recorder.take(LONGEST)? {}
    child.wait()?;
    Ok(())
}

impl Recorder {
    fn step(&mut self, step: &str) -> Result<()> {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        let deadline = Instant::now() + LONGEST;
        match word {
            "wait" => {
                while !self.screen.text(100).contains(rest) {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if !self.take(left)? {
                        return Err("it was never shown".into());
                    }
                }
            }
            "quiet" => {
                let pause = Duration::from_millis(rest.parse()?);
                while self.take(pause)? && Instant::now() < deadline {}
            }
            "type" => {
                let text: String = serde_json::from_str(&format!("\"{rest}\""))?;
                self.input.write_all(text.as_bytes())?;
            }
            "size" => {
                let (cols, rows) = rest.split_once(' ').ok_or("two numbers")?;
                let (cols, rows) = (cols.parse()?, rows.parse()?);
                self.screen.resize(cols, rows);
                self.note("r", &format!("{cols}x{rows}"))?;
                self.master.resize(size(cols, rows))?;
            }
            _ => return Err("no such step".into()),
        }
        Ok(())
    }

    /// Takes one piece of output; `false` if none arrived within `longest`.
    fn take(&mut self, longest: Duration) -> Result<bool> {
        let bytes = match self.output.recv_timeout(longest) {
            Ok(bytes) => bytes,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(false),
        };
        let answers = self.screen.feed(&bytes);
        self.input.write_all(&answers)?;
        self.cut.extend_from_slice(&bytes);
        let whole = match std::str::from_utf8(&self.cut) {
            Ok(text) => text.len(),
            Err(e) if e.error_len().is_none() => e.valid_up_to(),
            Err(e) => return Err(format!("not UTF-8, which an asciicast must be: {e}").into()),
        };
        let rest = self.cut.split_off(whole);
        let text = String::from_utf8(std::mem::replace(&mut self.cut, rest))?;
        self.note("o", &text)?;
        Ok(true)
    }

    fn note(&mut self, kind: &str, text: &str) -> Result<()> {
        let at = (self.began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        writeln!(self.file, "{}", json!([at, kind, text]))?;
        Ok(())
    }
}
