//! One row of a grid as VT bytes: the format of packed scrollback, and of rows in a snapshot. Each row
//! starts and ends with default attributes.

use super::pen::Pen;
use alacritty_terminal::grid::{Grid, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{Color, NamedColor};

/// The end of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct End {
    /// Whether the row continues in the next one.
    pub wrapped: bool,
    /// Whether the row continues because a wide character did not fit.
    pub gap: bool,
    /// Whether the last cell of the row shows something.
    pub full: bool,
}

fn is_wrapped(row: &Row<Cell>) -> bool {
    row.last()
        .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
}

fn is_blank(cell: &Cell) -> bool {
    matches!(cell.c, ' ' | '\t')
        && cell.bg == Color::Named(NamedColor::Background)
        && cell.fg == Color::Named(NamedColor::Foreground)
        && cell.flags.is_empty()
        && cell.extra.is_none()
}

/// Returns the cells up to the last one that shows anything; all of them if the row continues.
fn shown(row: &Row<Cell>, wrapped: bool) -> &[Cell] {
    let cells = &row[..];
    let len = if wrapped {
        cells.len()
    } else {
        cells.iter().rposition(|c| !is_blank(c)).map_or(0, |i| i + 1)
    };
    &cells[..len]
}

/// Appends the row to `out`; returns how it ends.
pub fn write(row: &Row<Cell>, out: &mut Vec<u8>) -> End {
    let wrapped = is_wrapped(row);
    let cells = shown(row, wrapped);
    let mut pen = Pen::default();
    let mut utf8 = [0u8; 4];
    let plain = Flags::WIDE_CHAR
        .union(Flags::WIDE_CHAR_SPACER)
        .union(Flags::LEADING_WIDE_CHAR_SPACER);
    for (i, cell) in cells.iter().enumerate() {
        if cell.flags.intersects(plain) && skip_half(cells, i, wrapped) {
            continue;
        }
        if !pen.fits(cell) {
            pen.change(Pen::of(cell), out);
        }
        let c = if lone_half(cells, i) { ' ' } else { cell.c };
        match c {
            '\t' => out.push(b' '),
            ' '..='~' => out.push(c as u8),
            _ => out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
        }
        for mark in cell.zerowidth().into_iter().flatten() {
            out.extend_from_slice(mark.encode_utf8(&mut utf8).as_bytes());
        }
    }
    pen.change(Pen::default(), out);
    let gap = wrapped
        && cells
            .last()
            .is_some_and(|cell| cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER));
    End {
        wrapped,
        gap,
        full: cells.len() == row.len(),
    }
}

/// Reports whether a cell is not written: the second half of a wide character, or the gap before one that
/// wrapped. The terminal makes both by itself.
fn skip_half(cells: &[Cell], i: usize, wrapped: bool) -> bool {
    let flags = cells[i].flags;
    if flags.contains(Flags::WIDE_CHAR_SPACER) {
        return i > 0 && cells[i - 1].flags.contains(Flags::WIDE_CHAR);
    }
    flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) && wrapped && i + 1 == cells.len()
}

/// Reports whether a wide character lost its other half; it shows as a blank.
fn lone_half(cells: &[Cell], i: usize) -> bool {
    cells[i].flags.contains(Flags::WIDE_CHAR)
        && !cells
            .get(i + 1)
            .is_some_and(|next| next.flags.contains(Flags::WIDE_CHAR_SPACER))
}

/// Prints one cell again at its place, so that the cursor is left waiting at the margin.
pub fn write_cell(grid: &Grid<Cell>, line: Line, column: Column, pen: &mut Pen, out: &mut Vec<u8>) {
    let cell = &grid[line][column];
    pen.change(Pen::of(cell), out);
    let mut utf8 = [0u8; 4];
    let c = if cell.c == '\t' { ' ' } else { cell.c };
    out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
    for mark in cell.zerowidth().into_iter().flatten() {
        out.extend_from_slice(mark.encode_utf8(&mut utf8).as_bytes());
    }
}

/// Appends rows one below the other, starting at the cursor's row and column 0.
pub struct Stack<'a> {
    out: &'a mut Vec<u8>,
    /// The end of the previous row; `None` before the first row.
    before: Option<End>,
}

impl<'a> Stack<'a> {
    /// Starts a stack of rows.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, before: None }
    }

    /// Adds a packed row.
    pub fn packed(&mut self, bytes: &[u8], end: End) {
        self.start();
        self.out.extend_from_slice(bytes);
        self.finish(end);
    }

    /// Adds a row of a grid.
    pub fn row(&mut self, row: &Row<Cell>) {
        self.start();
        let end = write(row, self.out);
        self.finish(end);
    }

    fn start(&mut self) {
        match self.before {
            None | Some(End { gap: true, .. }) => {}
            Some(End { wrapped: false, .. }) => self.out.extend_from_slice(b"\r\n"),
            // The terminal wraps only when something is printed, and fills the new row with the background of
            // that. The blank makes it wrap with the default background.
            Some(_) => self.out.extend_from_slice(b" \r"),
        }
    }

    fn finish(&mut self, end: End) {
        if self.before.is_some_and(|before| before.gap) && !end.full {
            self.out.extend_from_slice(b"\x1b[K");
        }
        self.before = Some(end);
    }
}
