//! One terminal screen. Fed with output, it answers queries, returns its text, and writes itself
//! as plain VT bytes that rebuild it on any other terminal.
//!
//! Built on `alacritty_terminal`, whose grid holds the two screens; scrollback is packed outside
//! it ([`history`]). A terminal that is fed a snapshot and the output after it equals one that was fed
//! everything, wherever the stream is cut (`exact` tries every byte of recordings of the real
//! agents). The exceptions, each with a test in `exact/exceptions.rs`:
//! * a printed tab becomes the blanks that it showed;
//! * half of a wide character whose other half moved away becomes a blank;
//! * the bottom row's mark that it continues is lost if its continuation was deleted;
//! * a row's mark that it continues is lost if the cursor was restored to its end and waits there to wrap;
//! * a cursor outside the margins in origin mode moves inside;
//! * the character that `CSI b` would repeat, blinking text, and what the emulator itself does
//!   not support (images, left and right margins, double-size lines) are left out;
//! * of an unfinished image or other string longer than 64 KiB, only the start is kept;
//! * the viewer wraps scrollback lines of another width again.
//!
//! [`bounds`] names each bound of what a program can make a screen hold.
//!
//! Map: [`observer`] feeds the emulator; [`grid`] creates grids; [`pending`] tracks the unfinished sequence;
//! [`row`] and [`pen`] write cells; [`snapshot`] writes everything; [`resize`], [`text`] and [`replies`] do
//! what their names say.

mod bounds;
mod grid;
pub mod history;
pub mod observer;
mod pen;
mod pending;
mod replies;
mod resize;
mod row;
mod snapshot;
mod text;

pub use text::SCREEN_ALONE;

#[cfg(test)]
mod exact;

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::Column;
use alacritty_terminal::term::cell::Cell;
use alacritty_terminal::term::{Config, Osc52, Term, TermMode};
use alacritty_terminal::vte::ansi::{CharsetIndex, Processor, Timeout};
use history::History;
use observer::{Observer, default_tabs};
use pending::Pending;
use replies::Replies;
use std::time::Duration;

/// The bytes parsed at a time, which bounds the lines that the emulator holds before they are packed.
const SLICE: usize = 16 << 10;

/// The limits of a screen's size; a viewer that asks for another size gets the nearest.
const COLS: std::ops::RangeInclusive<u16> = 2..=1000;
const ROWS: std::ops::RangeInclusive<u16> = 1..=500;

/// A timeout that never holds back synchronized updates: nothing is drawn here.
#[derive(Debug, Default)]
struct NeverHold;

impl Timeout for NeverHold {
    fn set_timeout(&mut self, _: Duration) {}
    fn clear_timeout(&mut self) {}
    fn pending_timeout(&self) -> bool {
        false
    }
}

#[derive(Debug, Clone, Copy)]
struct Size {
    cols: usize,
    rows: usize,
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.rows
    }
    fn screen_lines(&self) -> usize {
        self.rows
    }
    fn columns(&self) -> usize {
        self.cols
    }
}

/// A terminal without a display.
pub struct Screen {
    processor: Processor<NeverHold>,
    view: Observer,
    pending: Pending,
    strings: bounds::Strings,
    replies: Replies,
    cols: u16,
    rows: u16,
}

impl Screen {
    /// Creates a blank screen that keeps `scrollback` lines.
    pub fn new(cols: u16, rows: u16, scrollback: u32) -> Self {
        let (cols, rows) = clamp(cols, rows);
        let size = Size {
            cols: cols.into(),
            rows: rows.into(),
        };
        let replies = Replies::default();
        replies.set_size(cols, rows);
        let config = Config {
            scrolling_history: 0,
            osc52: Osc52::Disabled,
            kitty_keyboard: false,
            ..Config::default()
        };
        let mut term = Term::new(config, &size, replies.clone());
        *term.grid_mut() = grid::shaped(size.rows, size.cols);
        let view = Observer {
            term,
            history: History::new(scrollback as usize),
            last_column: Column(size.cols - 1),
            margins: (0, size.rows),
            tabs: default_tabs(size.cols),
            charset: CharsetIndex::G0,
            charset_plain: true,
            title: String::new(),
            titles: Vec::new(),
            title_changed: false,
            links: bounds::Links::default(),
            keyboard: observer::Keyboard::default(),
            other_keyboard: observer::Keyboard::default(),
            unknown_modes: std::collections::BTreeSet::new(),
        };
        Self {
            processor: Processor::new(),
            view,
            pending: Pending::default(),
            strings: bounds::Strings::default(),
            replies,
            cols,
            rows,
        }
    }

    /// Processes output. Returns the answers to the queries in it.
    #[must_use = "the answers belong to the program"]
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut begun = self.pending.character().to_vec();
        self.pending.feed(bytes);
        let ready = begun.len() + bytes.len() - self.pending.character().len();
        // The bytes that were held back, completed with the first of the new bytes.
        let mut rest = bytes;
        while begun.len() < ready && pending::is_begun(&begun) {
            let Some((byte, after)) = rest.split_first() else {
                break;
            };
            begun.push(*byte);
            rest = after;
        }
        if ready > 0 {
            self.parse(&begun);
            self.parse(&rest[..ready.saturating_sub(begun.len())]);
        }
        self.replies.take()
    }

    /// Parses whole characters: the parser loses some characters after one that arrives in pieces.
    fn parse(&mut self, mut bytes: &[u8]) {
        let all = || {
            while !bytes.is_empty() {
                let slice = pending::whole_characters(bytes, SLICE);
                self.processor.advance(&mut self.view, &self.strings.cut(slice));
                bytes = &bytes[slice.len()..];
            }
        };
        // A fault in the emulator must not end the session: the screen is replaced by a blank one.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(all)).is_err() {
            let lines = u32::try_from(self.view.history.limit()).unwrap_or(u32::MAX);
            let pending = std::mem::take(&mut self.pending);
            *self = Self::new(self.cols, self.rows, lines);
            self.pending = pending;
        }
    }

    /// Returns columns and rows.
    pub fn size(&self) -> (u16, u16) {
        (self.cols, self.rows)
    }

    /// Returns the window title; empty if none was set.
    pub fn title(&self) -> &str {
        &self.view.title
    }

    /// Reports whether the title changed since the last call.
    pub fn title_changed(&mut self) -> bool {
        std::mem::take(&mut self.view.title_changed)
    }

    /// Returns the bytes that reset modes which a program left set when it died, so that the next program
    /// on the same screen starts clean. They are output like any other.
    pub fn tidy(&self) -> Vec<u8> {
        let mode = *self.view.term.mode();
        let mut out = Vec::new();
        if !self.pending.bytes().is_empty() {
            out.push(0x18);
        }
        if mode.contains(TermMode::ALT_SCREEN) {
            out.extend_from_slice(b"\x1b[?1049l");
        }
        let fresh = TermMode::default();
        if (mode & !TermMode::ALT_SCREEN) != fresh || self.view.margins != (0, self.rows.into()) {
            out.extend_from_slice(
                b"\x1b7\x1b[r\x1b8\x1b[?1;6;9;1000;1002;1003;1004;1005;1006;2004l\x1b[?7;25h\x1b[4l\x1b>",
            );
        }
        for mode in &self.view.unknown_modes {
            out.extend_from_slice(format!("\x1b[?{mode}l").as_bytes());
        }
        out.extend_from_slice(b"\x0f\x1b(B\x1b[0 q\x1b[0m\x1b]8;;\x1b\\");
        if self.view.term.grid().cursor.point.column.0 != 0 {
            out.extend_from_slice(b"\r\n");
        }
        out
    }

    fn grid(&self) -> &Grid<Cell> {
        self.view.term.grid()
    }

    fn alt(&self) -> bool {
        self.view.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// Runs `f`. Returns `None` if the emulator panicked, after which the screen is unusable: a fault in the
    /// emulator must not end the session.
    fn guarded<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(self))).ok()
    }

    /// Replaces an unusable screen with a blank one.
    fn start_anew(&mut self, cols: u16, rows: u16) {
        let lines = u32::try_from(self.view.history.limit()).unwrap_or(u32::MAX);
        let pending = std::mem::take(&mut self.pending);
        *self = Self::new(cols, rows, lines);
        self.pending = pending;
    }
}

/// Returns the nearest size that a screen can have.
pub fn clamp(cols: u16, rows: u16) -> (u16, u16) {
    (
        cols.clamp(*COLS.start(), *COLS.end()),
        rows.clamp(*ROWS.start(), *ROWS.end()),
    )
}
