//! Changes the size. Packed lines are unpacked for the emulator's own reflow, so that a growing screen
//! shows the lines that scrolled off, as every terminal does. Only as many lines as needed are unpacked:
//! a resize must not cost more than a few screens, in time and in memory.
//!
//! In two points this follows xterm.js and not the emulator, because viewers run the former and programs
//! see what a viewer does. The line with the cursor is not wrapped again: a shell at its prompt redraws
//! it, starting from where it expects the cursor. And a screen that grows in height takes lines back
//! only if the cursor is at its bottom; otherwise it would restore what a program has cleared.

use super::grid::{exact, roomy, shaped};
use super::row::End;
use super::{NeverHold, Screen, Size, clamp};
use alacritty_terminal::grid::{Dimensions as _, Grid, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Term, TermMode};
use alacritty_terminal::vte::ansi::Processor;

/// The maximum number of packed rows that one resize may restore from the scrollback, besides the missing part
/// of a line.
const BROUGHT_BACK: usize = 1024;

/// The maximum number of rows that they may be wanted for: on a very narrow screen one line of text takes
/// hundreds.
const WANTED: usize = 8192;

/// The maximum number of packed bytes of a line of text that is restored whole; of a longer line the end is
/// restored.
const LINE_BYTES: usize = 64 << 10;

/// The maximum number of lines that the emulator may hold during a reflow: the restored lines at the narrow
/// width.
const WHILE_REFLOWING: usize = 1 << 20;

impl Screen {
    /// Changes the size of the screen.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let (cols, rows) = clamp(cols, rows);
        // The height first: the lines restored for it depend on the cursor's position.
        for (cols, rows) in [(self.cols, rows), (cols, rows)] {
            if (cols, rows) != (self.cols, self.rows)
                && self.guarded(|screen| screen.reflow(cols, rows)).is_none()
            {
                self.start_anew(cols, rows);
            }
        }
    }

    fn reflow(&mut self, cols: u16, rows: u16) {
        let size = Size {
            cols: cols.into(),
            rows: rows.into(),
        };
        let alt = self.alt();
        self.with_primary(|screen| screen.view.spill_all());
        let back = self.take_back(size);
        self.with_primary(|screen| {
            screen.put_above(back, size);
            screen.part_cursor_line(size.cols);
        });
        self.reflow_term(size);
        (self.cols, self.rows) = (cols, rows);
        self.view.last_column = Column(size.cols - 1);
        self.with_primary(|screen| {
            screen.view.spill_all();
            screen.reshape(size);
        });
        if alt {
            self.view.term.grid_mut().truncate();
            exact(self.view.term.grid_mut());
        } else {
            self.truncate_alt();
        }
        self.view.margins = (0, size.rows);
        let mut index = self.view.tabs.len();
        self.view.tabs.resize_with(size.cols, || {
            index += 1;
            (index - 1usize).is_multiple_of(8)
        });
        self.replies.set_size(cols, rows);
    }

    /// Runs the emulator's own reflow. When it narrows a row, it gives each piece the memory of all the
    /// pieces after it; halving the width step by step keeps that small.
    fn reflow_term(&mut self, size: Size) {
        let mut cols = usize::from(self.cols);
        while cols > 2 * size.cols {
            cols = cols.div_ceil(2);
            self.view.term.resize(Size { cols, ..size });
            self.with_primary(|screen| exact(screen.view.term.grid_mut()));
        }
        self.view.term.resize(size);
    }

    /// Removes the newest lines of the scrollback and returns them as rows of the present width: as many as
    /// may be visible at the new size, and all of the line of text that continues in the first row.
    fn take_back(&mut self, size: Size) -> Vec<Row<Cell>> {
        let (cols, rows) = (usize::from(self.cols), usize::from(self.rows));
        let wanted = if size.cols > cols {
            // That many rows become one, and leave room for others.
            ((rows + size.rows) * size.cols.div_ceil(cols)).min(WANTED)
        } else if self.with_primary(|screen| screen.is_at_bottom()) {
            size.rows.saturating_sub(rows)
        } else {
            0
        };
        let packed: Vec<_> = self.view.history.tail(usize::MAX).collect();
        let mut goes_on = size.cols != cols && packed.last().is_some_and(|(_, end)| end.wrapped);
        if wanted == 0 && !goes_on {
            return Vec::new();
        }
        let mut unpacker = Unpacker::new(self.cols);
        let (mut lines, mut count, mut first) = (Vec::new(), 0, packed.len());
        let least = packed.len().saturating_sub(BROUGHT_BACK);
        while goes_on || (first > least && count < wanted) {
            let (start, whole) = line_start(&packed[..first]);
            // A part of a line is restored only if its other part is on the screen.
            if !whole && !goes_on {
                break;
            }
            let line = unpacker.rows(&packed[start..first]);
            (first, goes_on) = (start, false);
            count += line.len();
            lines.push(line);
        }
        let taken = packed.len() - first;
        drop(self.view.history.take_tail(taken));
        lines.into_iter().rev().flatten().collect()
    }

    /// Runs `f` while the primary screen is the shown one.
    pub(super) fn with_primary<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        if !self.alt() {
            return f(self);
        }
        let shown = self.view.term.grid().clone();
        self.view.term.swap_alt();
        let result = f(self);
        self.view.term.swap_alt();
        *self.view.term.grid_mut() = shown;
        result
    }

    fn truncate_alt(&mut self) {
        debug_assert!(!self.view.term.mode().contains(TermMode::ALT_SCREEN));
        let saved = self.view.term.grid().saved_cursor.clone();
        self.view.term.swap_alt();
        self.view.term.grid_mut().truncate();
        exact(self.view.term.grid_mut());
        self.view.term.swap_alt();
        self.view.term.grid_mut().saved_cursor = saved;
    }

    /// Inserts rows above the primary screen, in a grid with room for its later size.
    fn put_above(&mut self, back: Vec<Row<Cell>>, size: Size) {
        let (cols, rows) = (usize::from(self.cols), usize::from(self.rows));
        let old = self.view.term.grid_mut();
        let room = back.len() + size.rows.saturating_sub(rows);
        let mut grid = roomy(rows, cols, room, WHILE_REFLOWING);
        let region = Line(0)..Line(rows as i32);
        let mut left = back.len();
        while left > 0 {
            let step = left.min(rows);
            grid.scroll_up(&region, step);
            left -= step;
        }
        let top = -(back.len() as i32);
        for (line, row) in (top..).zip(back) {
            grid[Line(line)] = row;
        }
        for line in (0..rows as i32).map(Line) {
            std::mem::swap(&mut grid[line], &mut old[line]);
        }
        grid.cursor = old.cursor.clone();
        grid.saved_cursor = old.saved_cursor.clone();
        *old = grid;
    }

    fn is_at_bottom(&self) -> bool {
        let grid = self.view.term.grid();
        grid.cursor.point.line == grid.bottommost_line()
    }

    /// Splits the line with the cursor: each of its rows becomes a line of its own, cut to the new width.
    fn part_cursor_line(&mut self, cols: usize) {
        let grid = self.view.term.grid_mut();
        let old = grid.columns();
        if cols == old {
            return;
        }
        let goes_on =
            |grid: &Grid<Cell>, line: Line| grid[line][Column(old - 1)].flags.contains(Flags::WRAPLINE);
        let (mut start, mut end) = (grid.cursor.point.line, grid.cursor.point.line);
        while start > grid.topmost_line() && goes_on(grid, start - 1) {
            start -= 1;
        }
        while end < grid.bottommost_line() && goes_on(grid, end) {
            end += 1;
        }
        for line in (start.0..=end.0).map(Line) {
            let row = &mut grid[line];
            row[Column(old - 1)]
                .flags
                .remove(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER);
            if cols < old {
                row[Column(cols)..].fill(Cell::default());
                if row[Column(cols - 1)].flags.contains(Flags::WIDE_CHAR) {
                    row[Column(cols - 1)] = Cell::default();
                }
            }
        }
        if cols < old {
            let cursor = &mut grid.cursor;
            cursor.point.column = cursor.point.column.min(Column(cols - 1));
            cursor.input_needs_wrap = false;
        }
    }

    /// Gives the primary screen a grid without spare lines or cells.
    fn reshape(&mut self, size: Size) {
        let old = self.view.term.grid_mut();
        let mut grid = shaped(size.rows, size.cols);
        for line in (0..size.rows as i32).map(Line) {
            grid[line] = old[line].clone();
        }
        grid.cursor = old.cursor.clone();
        grid.saved_cursor = old.saved_cursor.clone();
        *old = grid;
    }
}

/// Returns the index of the first row of the last line of text, and whether the line is complete; a very
/// long line is not.
fn line_start(packed: &[(&[u8], End)]) -> (usize, bool) {
    let mut start = packed.len().saturating_sub(1);
    let mut bytes = 0;
    while start > 0 && packed[start - 1].1.wrapped {
        bytes += packed[start].0.len();
        if bytes > LINE_BYTES {
            return (start, false);
        }
        start -= 1;
    }
    (start, true)
}

/// Converts packed lines into rows of a grid, whatever their width was when they were packed.
struct Unpacker {
    term: Term<super::Replies>,
    processor: Processor<NeverHold>,
}

impl Unpacker {
    fn new(cols: u16) -> Self {
        let mut term = Screen::new(cols, 1, 0).view.term;
        let cols = usize::from(cols);
        *term.grid_mut() = roomy(1, cols, LINE_BYTES / cols + 1, WHILE_REFLOWING);
        Self {
            term,
            processor: Processor::new(),
        }
    }

    /// Returns the rows that one line of text fills.
    fn rows(&mut self, packed: &[(&[u8], End)]) -> Vec<Row<Cell>> {
        self.term.grid_mut().reset();
        for (bytes, _) in packed {
            self.processor.advance(&mut self.term, bytes);
        }
        let grid = self.term.grid_mut();
        let cols = grid.columns();
        let full = grid.cursor.input_needs_wrap;
        // The next character was too wide for the one remaining column.
        let short = !full && grid.cursor.point.column.0 == cols - 1;
        if !full {
            // The row got the background of the text that wrapped into it.
            let end = grid.cursor.point.column;
            grid[Line(0)][end..].fill(Cell::default());
        }
        let mut rows: Vec<_> = (grid.topmost_line().0..1)
            .map(|line| std::mem::replace(&mut grid[Line(line)], Row::new(cols)))
            .collect();
        // The first part of a very long line may have been packed at another width; the line ends there.
        let goes_on = packed
            .last()
            .is_some_and(|(_, end)| end.wrapped && (full || end.gap));
        if let Some(last) = rows.last_mut().filter(|_| goes_on) {
            let cell = &mut last[Column(cols - 1)];
            cell.flags.insert(Flags::WRAPLINE);
            cell.flags.set(Flags::LEADING_WIDE_CHAR_SPACER, short);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a screen of lines of `width` columns that are all different.
    fn filled(cols: u16, rows: u16, lines: usize, width: usize) -> (Screen, String) {
        let mut screen = Screen::new(cols, rows, 100_000);
        let text: Vec<String> = (0..lines)
            .map(|n| format!("{n}-{}|", "x".repeat(width - 2 - n.to_string().len())))
            .collect();
        // The line with the cursor belongs to the program, so it is kept blank.
        drop(screen.feed((text.join("\r\n") + "\r\n").as_bytes()));
        (screen, text.join("\n"))
    }

    #[test]
    fn no_resize_loses_or_adds_text() {
        for sizes in [
            [(80, 24), (80, 100), (80, 24), (200, 24)].as_slice(),
            &[(200, 50), (60, 20), (60, 60), (100, 60), (200, 60)],
            &[
                (10, 5),
                (10, 100),
                (900, 3),
                (901, 90),
                (17, 90),
                (400, 500),
                (2, 3),
                (200, 24),
            ],
        ] {
            for width in [77, 177, 200, 333] {
                let (mut screen, text) = filled(200, 24, 300, width);
                for &(cols, rows) in sizes {
                    screen.resize(cols, rows);
                    assert!(screen.text(50_000) == text, "{width} columns, at {cols}x{rows}");
                }
            }
        }
    }

    #[test]
    fn lines_packed_at_another_width_are_restored_whole_and_without_foreign_colours() {
        // Packed at 20 and at 10 columns, with wide characters and a background among the lines.
        let mut screen = Screen::new(20, 4, 1000);
        let line = format!("{}\x1b[41m{}\x1b[0m end", "漢字a".repeat(7), "red".repeat(9));
        let plain = format!("{}{} end", "漢字a".repeat(7), "red".repeat(9));
        drop(screen.feed(format!("{line}\r\n").repeat(40).as_bytes()));
        for (cols, rows) in [(10, 4), (33, 4), (7, 30), (50, 60), (120, 50)] {
            screen.resize(cols, rows);
            let text = screen.text(1000);
            assert_eq!(text, vec![plain.as_str(); 40].join("\n"), "at {cols}x{rows}");
        }
        // The colour of the text itself, and the one that the wrap at 20 columns filled a new row with.
        let coloured = |row: &Row<Cell>| {
            row[..]
                .iter()
                .filter(|cell| cell.bg != Cell::default().bg)
                .count()
        };
        for line in 1..40 {
            assert_eq!(coloured(&screen.grid()[Line(line)]), 27 + 14, "row {line}");
        }
    }

    #[test]
    fn a_growing_screen_shows_lines_that_scrolled_off() {
        let (mut screen, text) = filled(80, 24, 100, 40);
        screen.resize(80, 50);
        assert_eq!(screen.view.history.len(), 51);
        screen.resize(100, 50);
        screen.resize(30, 50);
        screen.resize(100, 60);
        assert_eq!((screen.view.history.len(), screen.text(1000)), (41, text));
    }

    #[test]
    fn a_fault_of_the_emulator_loses_only_the_screen() {
        let (mut screen, _) = filled(80, 24, 100, 40);
        assert!(screen.guarded(|_| -> () { panic!("a fault") }).is_none());
        screen.start_anew(30, 10);
        drop(screen.feed(b"goes on"));
        assert_eq!((screen.size(), screen.text(10)), ((30, 10), "goes on".to_owned()));
        assert_eq!(screen.view.history.limit(), 100_000);
    }

    #[test]
    fn a_shell_redraws_its_prompt_in_place_after_a_resize() {
        let prompt = format!("{}$ ", "p".repeat(83));
        let mut screen = Screen::new(120, 10, 1000);
        drop(screen.feed(format!("one\r\ntwo\r\n{prompt}").as_bytes()));
        // Like readline: goes to the prompt's old last row, erases, and writes from its first row on.
        screen.resize(60, 10);
        drop(screen.feed(format!("\r\x1b[K{prompt}").as_bytes()));
        assert_eq!(screen.text(10), format!("one\ntwo\n{prompt}").trim_end());
        screen.resize(120, 10);
        drop(screen.feed(format!("\r\x1b[K\x1b[A\r\x1b[K{prompt}").as_bytes()));
        assert_eq!(screen.text(10), format!("one\ntwo\n{prompt}").trim_end());
    }

    #[test]
    fn cleared_lines_are_not_restored_when_the_screen_grows() {
        let (mut screen, _) = filled(80, 10, 40, 20);
        drop(screen.feed(b"\r\nWhich one?\r\n1. Yes\r\n2. No"));
        drop(screen.feed(b"\x1b[2J\x1b[Hchose: Yes"));
        for (cols, rows) in [(80, 16), (90, 20)] {
            screen.resize(cols, rows);
            assert_eq!(
                screen.text(super::super::SCREEN_ALONE),
                "chose: Yes",
                "at {cols}x{rows}"
            );
        }
    }

    #[test]
    fn a_resize_restores_no_more_lines_than_it_needs() {
        let (mut screen, _) = filled(200, 24, 5_000, 177);
        let back = |screen: &mut Screen, cols, rows| {
            let rows = screen.take_back(Size { cols, rows });
            (rows.len(), rows.iter().map(|row| row.len()).max())
        };
        let before = screen.view.history.len();
        assert_eq!(back(&mut screen, 100, 24), (0, None));
        assert_eq!(back(&mut screen, 200, 10), (0, None));
        assert_eq!(screen.view.history.len(), before);
        assert_eq!(back(&mut screen, 100, 30), (6, Some(200)));
        assert_eq!(back(&mut screen, 300, 24), (96, Some(200)));
    }
}
