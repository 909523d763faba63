//! Switches this terminal to a session, and restores it on every way out.

use crate::failure::Failure;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Written before a snapshot: resets the modes, scrolls the visible part away and clears it. The person's own
/// scrollback stays.
pub(super) const BLANK: &[u8] = b"\x1b[!p\x1b[0m\x1b[r\x1b[?1049l\x1b[999;1H\x1b[2J\x1b[H";

/// Reverts what the program inside may have switched on: an open link and half a sequence, mouse and its
/// encodings, paste marks, focus, reports of colours and sizes, synchronized drawing, keys, character sets,
/// margins, reverse video, the alternate screen, the pen, the cursor.
const RESET: &[u8] = b"\x18\x1b]8;;\x1b\\\x1b[?2026l\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\
\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?1004l\x1b[?2031l\x1b[?2048l\x1b[?1l\x1b>\
\x1b[<99u\x1b[>4;0m\x0f\x1b(B\x1b)B\x1b[4l\x1b[20l\x1b[?5l\x1b[?69l\x1b[r\x1b[?6l\x1b[?7h\x1b[?1049l\
\x1b[<99u\x1b[?25h\x1b[0 q\x1b[0m\x1b[999;1H\r\n";

/// Resets the colours of the terminal itself. Written only if the session changed any, since the person may
/// have changed some before.
const RESET_COLOURS: &[u8] =
    b"\x1b]104\x1b\\\x1b]105\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]117\x1b\\\x1b]119\x1b\\";

/// Whether the program inside changed the terminal's own colours.
pub(super) static COLOURED: AtomicBool = AtomicBool::new(false);

/// Whether the terminal has to be restored. Also read by the threads that end the program.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Keeps the terminal in raw mode until dropped, also by a panic.
#[derive(Debug)]
pub(super) struct Screen(());

impl Screen {
    pub(super) fn enter() -> Result<Self, Failure> {
        #[cfg(windows)]
        super::console::enter();
        crossterm::terminal::enable_raw_mode()?;
        ENTERED.store(true, Ordering::SeqCst);
        Ok(Self(()))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Returns the output on which the session is drawn: one write for each frame, without the line buffer of
/// standard output.
#[cfg(unix)]
pub(super) fn output() -> std::io::Result<impl Write> {
    use std::os::fd::AsFd;
    Ok(std::fs::File::from(
        std::io::stdout().as_fd().try_clone_to_owned()?,
    ))
}

/// Returns the output, which is not standard output, since that takes only complete and valid UTF-8 here: the
/// output of a session may be cut anywhere.
#[cfg(windows)]
pub(super) fn output() -> std::io::Result<impl Write> {
    std::fs::OpenOptions::new().write(true).open("CONOUT$")
}

/// Restores the terminal, once.
pub(super) fn leave() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    // Not on standard output, which may be redirected or locked by now.
    let _ = write_all(RESET);
    if COLOURED.load(Ordering::SeqCst) {
        let _ = write_all(RESET_COLOURS);
    }
    let _ = crossterm::terminal::disable_raw_mode();
    #[cfg(windows)]
    super::console::leave();
}

#[cfg(unix)]
fn write_all(bytes: &[u8]) -> std::io::Result<()> {
    std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/tty")?
        .write_all(bytes)
}

#[cfg(windows)]
fn write_all(bytes: &[u8]) -> std::io::Result<()> {
    std::fs::OpenOptions::new()
        .write(true)
        .open("CONOUT$")?
        .write_all(bytes)
}
