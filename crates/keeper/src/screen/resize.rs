//! Changing the size: lines that were packed come back for the emulator's own reflow, so that a
//! screen that grows shows what scrolled off, as every terminal does.

use super::observer::SLACK;
use super::row::End;
use super::{Screen, Size, clamp};
use alacritty_terminal::grid::Grid;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};

/// Lines that one resize may bring back from the packed scrollback.
const BROUGHT_BACK: usize = 1024;

/// Lines that the emulator may hold while it reflows: the brought back ones made narrow.
const WHILE_REFLOWING: usize = 1 << 20;

/// A blank grid with room for exactly the lines that wait to be packed. (A grid that grows by
/// itself takes a thousand lines more, megabytes that a keeper does not have.)
pub fn shaped(rows: usize, cols: usize) -> Grid<Cell> {
    let spare = rows + SLACK;
    let mut grid = Grid::<Cell>::new(rows + spare, cols, spare);
    grid.resize(false, rows, cols);
    grid
}

impl Screen {
    /// Changes the size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let (cols, rows) = clamp(cols, rows);
        if (cols, rows) == (self.cols, self.rows) {
            return;
        }
        let size = Size {
            cols: cols.into(),
            rows: rows.into(),
        };
        let alt = self.alt();
        self.with_primary(|screen| screen.view.spill_all());
        let back = self.lines_to_bring_back(size);
        let packed = self.view.history.take_tail(back);
        self.with_primary(|screen| screen.unpack(&packed));
        self.view.term.resize(size);
        (self.cols, self.rows) = (cols, rows);
        self.view.last_column = Column(size.cols - 1);
        self.with_primary(|screen| {
            screen.view.spill_all();
            screen.reshape(size);
        });
        if alt {
            self.view.term.grid_mut().truncate();
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

    /// A screenful for each of the old and the new size, and the whole of the first line.
    fn lines_to_bring_back(&self, size: Size) -> usize {
        let wanted = usize::from(self.rows) + size.rows;
        let candidates: Vec<bool> = self
            .view
            .history
            .tail(BROUGHT_BACK)
            .map(|(_, end)| end.wrapped)
            .collect();
        let mut count = wanted.min(candidates.len());
        while count < candidates.len() && candidates[candidates.len() - count - 1] {
            count += 1;
        }
        count
    }

    /// Runs `f` with the primary screen as the shown one.
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
        self.view.term.swap_alt();
        self.view.term.grid_mut().saved_cursor = saved;
    }

    /// Puts packed lines back above the primary screen.
    fn unpack(&mut self, packed: &[(Vec<u8>, End)]) {
        let (cols, rows) = (usize::from(self.cols), usize::from(self.rows));
        let mut scratch = Self::new(self.cols, self.rows, 0);
        let old = self.view.term.grid_mut();
        let mut grid = Grid::<Cell>::new(rows + packed.len(), cols, WHILE_REFLOWING);
        grid.resize(false, rows, cols);
        let region = Line(0)..Line(rows as i32);
        let mut left = packed.len();
        while left > 0 {
            let step = left.min(rows);
            grid.scroll_up(&region, step);
            left -= step;
        }
        let top = -(packed.len() as i32);
        for (i, (bytes, end)) in packed.iter().enumerate() {
            scratch.view.term.grid_mut().reset();
            drop(scratch.feed(bytes));
            let row = &mut grid[Line(top + i as i32)];
            std::mem::swap(row, &mut scratch.view.term.grid_mut()[Line(0)]);
            if end.wrapped {
                row[Column(cols - 1)].flags.insert(Flags::WRAPLINE);
            }
        }
        for line in (0..rows as i32).map(Line) {
            std::mem::swap(&mut grid[line], &mut old[line]);
        }
        grid.cursor = old.cursor.clone();
        grid.saved_cursor = old.saved_cursor.clone();
        *old = grid;
    }

    /// Gives the primary screen a grid without spare lines.
    fn reshape(&mut self, size: Size) {
        let old = self.view.term.grid_mut();
        let mut grid = shaped(size.rows, size.cols);
        for line in (0..size.rows as i32).map(Line) {
            std::mem::swap(&mut grid[line], &mut old[line]);
        }
        grid.cursor = old.cursor.clone();
        grid.saved_cursor = old.saved_cursor.clone();
        *old = grid;
    }
}
