//! Emulator grids that take no more memory than they need.

use super::observer::SLACK;
use alacritty_terminal::grid::{Dimensions as _, Grid};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::Cell;

/// Returns a blank grid with room for exactly the lines that wait to be packed. (A grid that grows by
/// itself takes a thousand lines more, which is megabytes too many for a keeper.)
pub fn shaped(rows: usize, cols: usize) -> Grid<Cell> {
    roomy(rows, cols, SLACK + rows, SLACK + rows)
}

/// Returns a blank grid that may hold `limit` lines above the screen, with room for `room` of them.
pub fn roomy(rows: usize, cols: usize, room: usize, limit: usize) -> Grid<Cell> {
    let mut grid = Grid::<Cell>::new(rows + room, cols, limit);
    grid.resize(false, rows, cols);
    grid
}

/// Frees the memory that rows hold beyond their cells.
pub fn exact(grid: &mut Grid<Cell>) {
    for line in grid.topmost_line().0..grid.screen_lines() as i32 {
        let row = &mut grid[Line(line)];
        *row = row.clone();
    }
}
