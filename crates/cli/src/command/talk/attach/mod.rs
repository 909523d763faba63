//! `downbeat attach`: shows a session's terminal in this one, directly from its keeper. There is no runtime
//! and no engine between a key and its echo; two threads, one for each direction.

#[cfg(windows)]
mod console;
mod detach;
mod queries;
mod screen;
mod window;
mod writer;

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, wait};
use clap::Args;
use detach::{Detach, Typed};
use downbeat_keeper::FrameReader;
use downbeat_model::SessionId;
use downbeat_model::terminal::{Frame, Input, WINDOW};
use downbeat_wire::Client as _;
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::Session;
use queries::Queries;
use screen::Screen;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use writer::{Writer, lock};

/// The maximum number of typed or pasted bytes that are passed on in one piece.
const CHUNK: usize = 16 << 10;

/// The number of bytes drawn before they are acknowledged: often enough that the keeper never holds back.
const ACK_EVERY: u64 = WINDOW / 4;

#[derive(Debug, Args)]
#[command(after_help = "Press Ctrl-\\ twice to leave; the session keeps running.")]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
}

/// The number of lines of scrollback to request: this terminal keeps them, and each further line takes time
/// to draw.
const SCROLLBACK: u32 = 1000;

pub(in crate::command) fn run(arguments: &Arguments, home: &Home) -> Outcome {
    // A keeper asks for no token: anybody who can reach its socket types as the person.
    home.refuse_inside("attach to a terminal")?;
    needs_terminal("`downbeat output` prints the text instead")?;
    let (dir, name) = find(&arguments.session, home)?;
    to(&dir, &name)
}

/// Refuses if there is no terminal to show another one in, with the way out.
pub(in crate::command) fn needs_terminal(way_out: &str) -> Result<(), Failure> {
    match std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        true => Ok(()),
        false => Err(Failure::usage("attach needs a terminal").hint(way_out)),
    }
}

/// Attaches to the keeper in `dir`, whose session or shell is called `name`.
pub(in crate::command) fn to(dir: &Path, name: &str) -> Outcome {
    let size = crossterm::terminal::size().ok();
    let (frames, writer) =
        downbeat_keeper::attach_blocking(dir, size, Some(SCROLLBACK)).map_err(|error| {
            Failure::new(format!("{name} has no terminal: {error}")).hint(format!("downbeat status {name}"))
        })?;
    println!("Attached to {name}. Press Ctrl-\\ twice to leave; the session keeps running.");
    let screen = Screen::enter()?;
    let writer: Writer = Arc::new(Mutex::new(writer));
    window::follow(writer.clone());
    let keys = writer.clone();
    let leaving = name.to_owned();
    std::thread::spawn(move || {
        if type_into(&keys) {
            screen::leave();
            println!("Left {leaving}; it keeps running.");
            std::process::exit(0);
        }
    });
    let end = draw(frames, &writer);
    drop(screen);
    match end {
        End::Exited(code) => println!("{name} ended (exit code {code})."),
        End::Closed(reason) => println!("{name}: {reason}"),
        End::Lost => {
            return Err(
                Failure::new(format!("the keeper of {name} is gone")).hint(format!("downbeat resume {name}"))
            );
        }
    }
    DONE
}

/// Finds the keeper's directory. An id needs no engine; a name does.
fn find(session: &str, home: &Home) -> Result<(PathBuf, String), Failure> {
    if SessionId::parse(session).is_some() && home.keepers().join(session).is_dir() {
        return Ok((home.keepers().join(session), session.to_owned()));
    }
    let session: Session = wait(async {
        let client = Client::ready(home).await?;
        client
            .get_session(SessionRef {
                id: session.to_owned(),
            })
            .await
            .map_err(Failure::from)
    })?;
    Ok((home.keepers().join(session.id.as_str()), session.summary.name))
}

enum End {
    Exited(i32),
    Closed(String),
    Lost,
}

fn draw(mut frames: FrameReader, writer: &Writer) -> End {
    let Ok(mut out) = screen::output() else {
        return End::Closed("this terminal is closed".to_owned());
    };
    let (mut drawn, mut told) = (0u64, 0u64);
    let (mut queries, mut kept) = (Queries::default(), Vec::new());
    loop {
        let (seq, ok) = match frames.next_frame() {
            Ok(Some(Frame::Output { seq, data })) => {
                kept.clear();
                queries.take_out(&data, &mut kept);
                let drawn = out.write_all(&kept);
                (seq + data.len() as u64, drawn.and_then(|()| out.flush()))
            }
            Ok(Some(Frame::Snapshot { seq, data, .. })) => {
                kept.clear();
                queries = Queries::default();
                queries.take_out(&data, &mut kept);
                let drawn = out.write_all(screen::BLANK).and_then(|()| out.write_all(&kept));
                told = 0;
                (seq, drawn.and_then(|()| out.flush()))
            }
            // Another viewer decides the size now; this terminal shows the part that fits.
            Ok(Some(Frame::Resize { .. })) => continue,
            // Not asked for: a terminal draws the whole snapshot at once.
            Ok(Some(Frame::Screen { .. })) => continue,
            Ok(Some(Frame::Exit { code, .. })) => return End::Exited(code),
            Ok(Some(Frame::Closed { reason })) => return End::Closed(reason),
            Ok(None) | Err(_) => return End::Lost,
        };
        if queries.colours {
            screen::COLOURED.store(true, Ordering::SeqCst);
        }
        if ok.is_err() {
            return End::Closed("this terminal is closed".to_owned());
        }
        drawn = drawn.max(seq);
        // Everything is acknowledged even if nothing more comes: a keeper that skipped output waits for that.
        if drawn != told && (drawn.saturating_sub(told) >= ACK_EVERY || !frames.has_more()) {
            told = drawn;
            // A broken link shows up on the reading side.
            let _ = lock(writer).send(&Input::Ack { seq: drawn });
        }
    }
}

/// Passes typed bytes on. Returns true when the person wants to leave.
fn type_into(writer: &Writer) -> bool {
    let mut keys = std::io::stdin().lock();
    let mut detach = Detach::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match keys.read(&mut chunk) {
            Ok(0) | Err(_) => return true,
            Ok(length) => length,
        };
        match detach.typed(&chunk[..length]) {
            Typed::Leave => return true,
            Typed::Pass(bytes) if bytes.is_empty() => {}
            Typed::Pass(bytes) => {
                if lock(writer).send(&Input::Data(bytes)).is_err() {
                    // The drawing side reports the reason and ends the program.
                    return false;
                }
            }
        }
    }
}
