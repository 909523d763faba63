//! The emulator with a witness. Every call goes to alacritty's `Term`; the state that `Term` does not
//! expose (margins, tab stops, charset, title stack, unknown modes, keyboard flags) is recorded on
//! the way, and lines that leave the screen are packed.

use super::bounds::{self, Links};
use super::history::History;
use super::replies::Replies;
use super::row;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{Term, TermMode};
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
    KeyboardModesApplyBehavior, LineClearMode, Mode, NamedPrivateMode, PrivateMode, Rgb, StandardCharset,
    TabulationClearMode,
};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthChar as _;

/// The lines that `Term` itself keeps above the screen before they are packed, beyond one screen
/// (no single operation moves more than a screen).
pub const SLACK: usize = 64;

/// The maximum number of entries of the title stack, of a keyboard stack, and of unknown modes: no program
/// needs more.
const STACK: usize = 64;

/// The kitty keyboard state of one screen: recorded for viewers, never answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyboard {
    /// The stack of pushed modes.
    pub stack: Vec<u8>,
    /// The mode in effect.
    pub mode: u8,
}

/// `Term`, and the state that it does not expose.
pub struct Observer {
    pub term: Term<Replies>,
    pub history: History,
    pub last_column: Column,
    pub margins: (usize, usize),
    pub tabs: Vec<bool>,
    pub charset: CharsetIndex,
    pub charset_plain: bool,
    /// The window title; empty if none was set.
    pub title: String,
    pub titles: Vec<String>,
    pub title_changed: bool,
    pub links: Links,
    pub keyboard: Keyboard,
    /// The keyboard state of the screen that is not shown.
    pub other_keyboard: Keyboard,
    pub unknown_modes: BTreeSet<u16>,
}

/// Returns the tab stops of a fresh terminal.
pub fn default_tabs(cols: usize) -> Vec<bool> {
    (0..cols).map(|i| i % 8 == 0).collect()
}

impl Observer {
    fn lines(&self) -> usize {
        self.term.screen_lines()
    }

    /// Packs the lines that left the screen once there are enough of them.
    #[inline]
    pub fn spill(&mut self) {
        if self.term.history_size() >= SLACK / 2 {
            self.spill_all();
        }
    }

    /// Packs all lines that left the screen.
    pub fn spill_all(&mut self) {
        let grid = self.term.grid_mut();
        for line in (1..=grid.history_size()).rev() {
            let packed = &grid[Line(-(line as i32))];
            self.history.push(|out| row::write(packed, out));
        }
        grid.clear_history();
    }

    fn note_mode(&mut self, mode: PrivateMode, on: bool) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => self.margins = (0, self.lines()),
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor) => {
                if self.term.mode().contains(TermMode::ALT_SCREEN) != on {
                    self.links.leave(&self.term);
                    std::mem::swap(&mut self.keyboard, &mut self.other_keyboard);
                    if !on {
                        // The next program on the alternate screen pushes its own modes.
                        self.other_keyboard = Keyboard::default();
                    }
                    self.keyboard.mode = self.keyboard.stack.last().copied().unwrap_or(0);
                }
            }
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => self.note_unknown(2026, on),
            // Other ways to the alternate screen. The emulator ignores them, so viewers must too.
            PrivateMode::Unknown(47 | 1047 | 1048) | PrivateMode::Named(_) => {}
            PrivateMode::Unknown(mode) => self.note_unknown(mode, on),
        }
    }

    fn note_unknown(&mut self, mode: u16, on: bool) {
        if !on {
            self.unknown_modes.remove(&mode);
        } else if self.unknown_modes.len() < STACK {
            self.unknown_modes.insert(mode);
        }
    }

    fn note_charset(&mut self) {
        let charsets = &self.term.grid().cursor.charsets;
        self.charset_plain = charsets[self.charset] == StandardCharset::Ascii;
    }

    /// Writes a character in the common case, without the work that only drawing needs.
    #[inline]
    fn write_plain(&mut self, c: char) -> bool {
        let insert = self.term.mode().contains(TermMode::INSERT);
        let last_column = self.last_column;
        let grid = self.term.grid_mut();
        let point = grid.cursor.point;
        if point.column >= last_column || insert || !self.charset_plain {
            return false;
        }
        let template = &grid.cursor.template;
        let (fg, bg, flags) = (template.fg, template.bg, template.flags);
        let extra = template.extra.clone();
        let cell = &mut grid[point.line][point.column];
        if cell
            .flags
            .intersects(Flags::WIDE_CHAR.union(Flags::WIDE_CHAR_SPACER))
        {
            return false;
        }
        cell.c = c;
        cell.fg = fg;
        cell.bg = bg;
        cell.flags = flags;
        if cell.extra.is_some() || extra.is_some() {
            cell.extra = extra;
        }
        grid.cursor.point.column += 1;
        true
    }
}

macro_rules! pass {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        $(#[inline]
        fn $name(&mut self, $($arg: $type),*) {
            self.term.$name($($arg),*);
        })*
    };
}

macro_rules! pass_and_spill {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        $(#[inline]
        fn $name(&mut self, $($arg: $type),*) {
            self.term.$name($($arg),*);
            self.spill();
        })*
    };
}

impl Handler for Observer {
    pass! {
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, col: usize);
        goto_line(line: i32);
        goto_col(col: usize);
        insert_blank(count: usize);
        move_up(count: usize);
        move_down(count: usize);
        identify_terminal(intermediate: Option<char>);
        device_status(status: usize);
        move_forward(count: usize);
        move_backward(count: usize);
        move_down_and_cr(count: usize);
        move_up_and_cr(count: usize);
        backspace();
        carriage_return();
        scroll_down(count: usize);
        insert_blank_lines(count: usize);
        erase_chars(count: usize);
        delete_chars(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        clear_line(mode: LineClearMode);
        reverse_index();
        terminal_attribute(attr: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        report_private_mode(mode: PrivateMode);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        dynamic_color_sequence(prefix: String, index: usize, terminator: &str);
        decaln();
        text_area_size_pixels();
        text_area_size_chars();
    }

    pass_and_spill! {
        put_tab(count: u16);
        linefeed();
        newline();
        scroll_up(count: usize);
        delete_lines(count: usize);
    }

    #[inline]
    fn input(&mut self, c: char) {
        if matches!(c, ' '..='~') && self.write_plain(c) {
            return;
        }
        if c > '~' && c.width() == Some(0) && bounds::is_marked_enough(&self.term) {
            return;
        }
        let edge = self.term.grid().cursor.point.column >= self.last_column;
        self.term.input(c);
        if edge {
            self.spill();
        }
    }

    fn set_hyperlink(&mut self, link: Option<Hyperlink>) {
        let link = link.filter(|link| self.links.admits(link, &self.term));
        self.term.set_hyperlink(link);
    }

    fn set_color(&mut self, index: usize, color: Rgb) {
        // `Term` has 269 colours and does not check the index.
        if index < alacritty_terminal::term::color::COUNT {
            self.term.set_color(index, color);
        }
    }

    fn reset_color(&mut self, index: usize) {
        if index < alacritty_terminal::term::color::COUNT {
            self.term.reset_color(index);
        }
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        if matches!(mode, ClearMode::Saved) && !self.term.mode().contains(TermMode::ALT_SCREEN) {
            self.history.clear();
        }
        self.term.clear_screen(mode);
        self.spill();
    }

    fn restore_cursor_position(&mut self) {
        self.term.restore_cursor_position();
        self.note_charset();
    }

    fn configure_charset(&mut self, index: CharsetIndex, charset: StandardCharset) {
        self.term.configure_charset(index, charset);
        self.note_charset();
    }

    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.term.set_active_charset(index);
        self.charset = index;
        self.note_charset();
    }

    fn set_horizontal_tabstop(&mut self) {
        let column = self.term.grid().cursor.point.column.0;
        if let Some(stop) = self.tabs.get_mut(column) {
            *stop = true;
        }
        self.term.set_horizontal_tabstop();
    }

    fn clear_tabs(&mut self, mode: TabulationClearMode) {
        let column = self.term.grid().cursor.point.column.0;
        match mode {
            TabulationClearMode::All => self.tabs.fill(false),
            TabulationClearMode::Current => {
                if let Some(stop) = self.tabs.get_mut(column) {
                    *stop = false;
                }
            }
        }
        self.term.clear_tabs(mode);
    }

    fn reset_state(&mut self) {
        self.term.reset_state();
        self.history.clear();
        self.margins = (0, self.lines());
        self.tabs = default_tabs(self.term.columns());
        self.charset = CharsetIndex::G0;
        self.charset_plain = true;
        self.titles.clear();
        self.title_changed |= !std::mem::take(&mut self.title).is_empty();
        self.keyboard = Keyboard::default();
        self.other_keyboard = Keyboard::default();
        self.unknown_modes.clear();
        // `Term` keeps the colours as they are.
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        self.note_mode(mode, true);
        self.term.set_private_mode(mode);
        self.note_charset();
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        self.note_mode(mode, false);
        self.term.unset_private_mode(mode);
        self.note_charset();
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        let lines = self.lines();
        let end = bottom.unwrap_or(lines);
        if top < end {
            self.margins = ((top.saturating_sub(1)).min(lines), end.min(lines));
        }
        self.term.set_scrolling_region(top, bottom);
    }

    fn set_title(&mut self, title: Option<String>) {
        let mut title = title.unwrap_or_default();
        bounds::cut_title(&mut title);
        self.title_changed |= self.title != title;
        self.title = title;
    }

    fn push_title(&mut self) {
        if self.titles.len() < STACK {
            self.titles.push(self.title.clone());
        }
    }

    fn pop_title(&mut self) {
        if let Some(title) = self.titles.pop() {
            self.set_title(Some(title));
        }
    }

    // Keyboard modes are switched off in `Term`, which does not answer queries for them, because not
    // every viewer can encode keys that way. They are recorded for the viewers that can.
    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        if self.keyboard.stack.len() >= STACK {
            self.keyboard.stack.remove(0);
        }
        self.keyboard.stack.push(mode.bits());
        self.keyboard.mode = mode.bits();
    }

    fn pop_keyboard_modes(&mut self, count: u16) {
        let left = self.keyboard.stack.len().saturating_sub(usize::from(count));
        self.keyboard.stack.truncate(left);
        self.keyboard.mode = self.keyboard.stack.last().copied().unwrap_or(0);
    }

    fn set_keyboard_mode(&mut self, mode: KeyboardModes, apply: KeyboardModesApplyBehavior) {
        self.keyboard.mode = match apply {
            KeyboardModesApplyBehavior::Replace => mode.bits(),
            KeyboardModesApplyBehavior::Union => self.keyboard.mode | mode.bits(),
            KeyboardModesApplyBehavior::Difference => self.keyboard.mode & !mode.bits(),
        };
    }
}
