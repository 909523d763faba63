//! Grids of the emulator that take no more memory than they need.

use super::observer::SLACK;
use alacritty_terminal::grid::{Dimensions as _, Grid};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::Cell;

/// A blank grid with room for exactly the lines that wait to be packed. (A grid that grows by
/// itself takes a thousand lines more, megabytes that a keeper does not have.)
pub fn shaped(rows: usize, cols: usize) -> Grid<Cell> {
    roomy(rows, cols, SLACK + rows, SLACK + rows)
}

/// A blank grid that may keep `limit` lines above it, with room for some of them.
pub fn roomy(rows: usize, cols: usize, room: usize, limit: usize) -> Grid<Cell> {
    let mut grid = Grid::<Cell>::new(rows + room, cols, limit);
    grid.resize(false, rows, cols);
    grid
}

/// Gives back the memory that rows hold beyond their cells.
pub fn exact(grid: &mut Grid<Cell>) {
    for line in grid.topmost_line().0..grid.screen_lines() as i32 {
        let row = &mut grid[Line(line)];
        *row = row.clone();
    }
}
