//! Writes a whole screen as plain VT bytes, for a terminal of the same size that was just reset.

use super::Screen;
use super::bounds::{SNAPSHOT_BYTES, without_links};
use super::observer::Keyboard;
use super::observer::default_tabs;
use super::pen::Pen;
use super::row::{self, Stack};
use alacritty_terminal::grid::{Charsets, Cursor, Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{CharsetIndex, CursorShape, CursorStyle, NamedColor, StandardCharset};
use std::io::Write as _;

/// The modes that do not affect how the snapshot itself is written.
const HARMLESS: [(TermMode, &str); 10] = [
    (TermMode::APP_CURSOR, "\x1b[?1"),
    (TermMode::MOUSE_REPORT_CLICK, "\x1b[?1000"),
    (TermMode::MOUSE_DRAG, "\x1b[?1002"),
    (TermMode::MOUSE_MOTION, "\x1b[?1003"),
    (TermMode::FOCUS_IN_OUT, "\x1b[?1004"),
    (TermMode::UTF8_MOUSE, "\x1b[?1005"),
    (TermMode::SGR_MOUSE, "\x1b[?1006"),
    (TermMode::ALTERNATE_SCROLL, "\x1b[?1007"),
    (TermMode::URGENCY_HINTS, "\x1b[?1042"),
    (TermMode::BRACKETED_PASTE, "\x1b[?2004"),
];

/// The modes that affect how text is written; they are set after the text.
const DISTURBING: [(TermMode, &str); 4] = [
    (TermMode::LINE_WRAP, "\x1b[?7"),
    (TermMode::SHOW_CURSOR, "\x1b[?25"),
    (TermMode::INSERT, "\x1b[4"),
    (TermMode::LINE_FEED_NEW_LINE, "\x1b[20"),
];

/// Scrollback of more lines than this takes a viewer longer to draw than a person takes to notice.
const LONG: usize = 1000;

/// A screen of more bytes than this, with a colour or link in each cell, comes hardly sooner than its snapshot.
const ALONE_BYTES: usize = 256 << 10;

impl Screen {
    /// Returns the snapshot without scrollback, if a viewer should draw that before the whole one; `None` if the whole one is as
    /// good.
    pub fn alone(&mut self) -> Option<Vec<u8>> {
        let is_long = self.view.history.len() > LONG;
        let alone = is_long.then(|| self.snapshot(0))?;
        (alone.len() <= ALONE_BYTES).then_some(alone)
    }

    /// Returns the screen with at most `scrollback` lines above it, as VT bytes.
    pub fn snapshot(&mut self, scrollback: usize) -> Vec<u8> {
        self.guarded(|screen| screen.write_bounded(scrollback))
            .unwrap_or_else(|| {
                self.start_anew(self.cols, self.rows);
                Vec::new()
            })
    }

    fn write_bounded(&mut self, scrollback: usize) -> Vec<u8> {
        let snapshot = self.write(scrollback);
        if snapshot.len() <= SNAPSHOT_BYTES {
            return snapshot;
        }
        match without_links(&snapshot) {
            plain if plain.len() <= SNAPSHOT_BYTES => plain,
            _ => without_links(&self.write(0)),
        }
    }

    fn write(&mut self, scrollback: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 << 10);
        let alt = self.alt();
        self.write_titles(&mut out);
        self.write_colors(&mut out);
        let keyboard = if alt {
            self.view.other_keyboard.clone()
        } else {
            self.view.keyboard.clone()
        };
        self.with_primary(|screen| {
            screen.view.spill_all();
            screen.write_primary(scrollback, &mut out);
            write_keyboard(&keyboard, &mut out);
            if alt {
                // Entering the alternate screen saves the cursor where the program left it.
                let cursor = screen.grid().cursor.clone();
                place(screen.grid(), &cursor, None, &mut out);
            }
        });
        if alt {
            self.write_alternate(&mut out);
        }
        self.write_tabs(&mut out);
        self.write_modes(&mut out);
        self.write_cursors(&mut out);
        out.extend_from_slice(self.pending.bytes());
        out
    }

    fn write_primary(&self, scrollback: usize, out: &mut Vec<u8>) {
        let grid = self.grid();
        let mut stack = Stack::new(out);
        for (bytes, end) in self.view.history.tail(scrollback) {
            stack.packed(bytes, end);
        }
        for line in (0..grid.screen_lines() as i32).map(Line) {
            stack.row(&grid[line]);
        }
    }

    fn write_alternate(&self, out: &mut Vec<u8>) {
        let grid = self.grid();
        out.extend_from_slice(b"\x1b[?1049h\x1b[0m\x1b]8;;\x1b\\\x1b(B\x1b)B\x1b*B\x1b+B\x1b[H\x1b[2J");
        let mut stack = Stack::new(out);
        for line in (0..grid.screen_lines() as i32).map(Line) {
            stack.row(&grid[line]);
        }
        write_keyboard(&self.view.keyboard, out);
    }

    fn write_titles(&self, out: &mut Vec<u8>) {
        for title in &self.view.titles {
            write_title(title, out);
            out.extend_from_slice(b"\x1b[22;2t");
        }
        if !self.view.title.is_empty() || !self.view.titles.is_empty() {
            write_title(&self.view.title, out);
        }
    }

    fn write_colors(&self, out: &mut Vec<u8>) {
        let colors = self.view.term.colors();
        for index in 0..256 {
            if let Some(c) = colors[index] {
                drop(write!(
                    out,
                    "\x1b]4;{index};rgb:{:02x}/{:02x}/{:02x}\x1b\\",
                    c.r, c.g, c.b
                ));
            }
        }
        for (name, code) in [
            (NamedColor::Foreground, 10),
            (NamedColor::Background, 11),
            (NamedColor::Cursor, 12),
        ] {
            if let Some(c) = colors[name] {
                drop(write!(
                    out,
                    "\x1b]{code};rgb:{:02x}/{:02x}/{:02x}\x1b\\",
                    c.r, c.g, c.b
                ));
            }
        }
    }

    fn write_tabs(&self, out: &mut Vec<u8>) {
        if self.view.tabs == default_tabs(self.cols.into()) {
            return;
        }
        out.extend_from_slice(b"\x1b[3g");
        for (i, _) in self.view.tabs.iter().enumerate().filter(|(_, stop)| **stop) {
            drop(write!(out, "\x1b[{}G\x1bH", i + 1));
        }
    }

    fn write_modes(&self, out: &mut Vec<u8>) {
        let mode = *self.view.term.mode();
        write_changed(&HARMLESS, mode, out);
        if mode.contains(TermMode::APP_KEYPAD) {
            out.extend_from_slice(b"\x1b=");
        }
        for unknown in &self.view.unknown_modes {
            drop(write!(out, "\x1b[?{unknown}h"));
        }
        let style = self.view.term.cursor_style();
        if style != CursorStyle::default() {
            let code = match style.shape {
                CursorShape::Underline => 4,
                CursorShape::Beam => 6,
                _ => 2,
            };
            drop(write!(out, "\x1b[{} q", code - u8::from(style.blinking)));
        }
    }

    /// Writes the margins, the saved cursor, the modes that affect writing, and the cursor itself.
    fn write_cursors(&self, out: &mut Vec<u8>) {
        let grid = self.grid();
        let saved = &grid.saved_cursor;
        // On the alternate screen, a terminal starts with only its own default saved.
        if *saved != Cursor::default() || self.alt() {
            place(grid, saved, None, out);
            out.extend_from_slice(b"\x1b7");
            wrap_again(grid, saved, out);
        }
        let (top, bottom) = self.view.margins;
        if (top, bottom) != (0, usize::from(self.rows)) {
            drop(write!(out, "\x1b[{};{}r", top + 1, bottom));
        }
        let mode = *self.view.term.mode();
        let origin = mode.contains(TermMode::ORIGIN).then_some(top as i32);
        if origin.is_some() {
            out.extend_from_slice(b"\x1b[?6h");
        }
        place(grid, &grid.cursor, origin, out);
        if self.view.charset == CharsetIndex::G1 {
            out.push(0x0e);
        }
        write_changed(&DISTURBING, mode, out);
    }
}

fn write_changed(table: &[(TermMode, &str)], mode: TermMode, out: &mut Vec<u8>) {
    for (flag, code) in table {
        let on = mode.contains(*flag);
        if on != TermMode::default().contains(*flag) {
            out.extend_from_slice(code.as_bytes());
            out.push(if on { b'h' } else { b'l' });
        }
    }
}

fn write_title(title: &str, out: &mut Vec<u8>) {
    drop(write!(out, "\x1b]2;{}\x1b\\", title));
}

fn write_keyboard(keyboard: &Keyboard, out: &mut Vec<u8>) {
    for mode in &keyboard.stack {
        drop(write!(out, "\x1b[>{mode}u"));
    }
    if keyboard.mode != keyboard.stack.last().copied().unwrap_or(0) {
        drop(write!(out, "\x1b[={};1u", keyboard.mode));
    }
}

/// Moves the cursor to the position of `cursor`, with its pen and charsets. `origin` is the first row of
/// the margins if rows count from there.
fn place(grid: &Grid<Cell>, cursor: &Cursor<Cell>, origin: Option<i32>, out: &mut Vec<u8>) {
    let line = cursor.point.line.0.clamp(0, grid.screen_lines() as i32 - 1);
    let column = cursor.point.column.0.min(grid.columns() - 1);
    let mut pen = Pen::default();
    out.extend_from_slice(b"\x1b[0m\x1b]8;;\x1b\\\x1b(B\x0f");
    // Only printing makes the cursor wait at the margin.
    let waits = cursor.input_needs_wrap && column + 1 == grid.columns();
    let spacer = grid[Line(line)][Column(column)]
        .flags
        .contains(Flags::WIDE_CHAR_SPACER)
        && column > 0;
    let from = if waits && spacer { column - 1 } else { column };
    drop(write!(
        out,
        "\x1b[{};{}H",
        line - origin.unwrap_or(0) + 1,
        from + 1
    ));
    if waits {
        row::write_cell(grid, Line(line), Column(from), &mut pen, out);
    }
    pen.change(Pen::of(&cursor.template), out);
    write_charsets(&cursor.charsets, out);
}

/// Prints the first cell of the next row again: printing the last cell of a row removed the row's mark that
/// it continues, and this restores the mark.
fn wrap_again(grid: &Grid<Cell>, cursor: &Cursor<Cell>, out: &mut Vec<u8>) {
    let next = cursor.point.line + 1;
    let wrapped = cursor.input_needs_wrap
        && next < grid.screen_lines() as i32
        && grid[cursor.point.line][grid.last_column()]
            .flags
            .contains(Flags::WRAPLINE);
    if wrapped {
        out.extend_from_slice(b"\x1b(B\x0f\x1b[0m\x1b]8;;\x1b\\");
        row::write_cell(grid, next, Column(0), &mut Pen::default(), out);
    }
}

fn write_charsets(charsets: &Charsets, out: &mut Vec<u8>) {
    for (index, select) in [
        (CharsetIndex::G0, b'('),
        (CharsetIndex::G1, b')'),
        (CharsetIndex::G2, b'*'),
        (CharsetIndex::G3, b'+'),
    ] {
        let set = match charsets[index] {
            StandardCharset::Ascii => b'B',
            StandardCharset::SpecialCharacterAndLineDrawing => b'0',
        };
        out.extend_from_slice(&[0x1b, select, set]);
    }
}
