//! The state that two screens must have in common, and the parts of it that the listed exceptions may change.

use crate::screen::Screen;
use crate::screen::observer::Keyboard;
use alacritty_terminal::grid::{Cursor, Dimensions, Grid};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use alacritty_terminal::term::color::COUNT;
use alacritty_terminal::vte::ansi::{CharsetIndex, CursorStyle, Rgb};
use std::collections::BTreeSet;

#[derive(Debug, PartialEq)]
struct Side {
    cells: Vec<Vec<Cell>>,
    cursor: Cursor<Cell>,
    saved: Cursor<Cell>,
}

#[derive(Debug, PartialEq)]
pub struct Whole {
    history: Vec<(String, bool)>,
    primary: Side,
    alternate: Option<Side>,
    mode: TermMode,
    rest: Rest,
}

#[derive(Debug, PartialEq)]
struct Rest {
    margins: (usize, usize),
    tabs: Vec<bool>,
    charset: CharsetIndex,
    titles: (String, Vec<String>),
    keyboards: (Keyboard, Option<Keyboard>),
    unknown_modes: BTreeSet<u16>,
    colors: Vec<(usize, Rgb)>,
    cursor: CursorStyle,
    pending: String,
}

/// Normalises a cell: links without an id get a new one each time, and tabs count as the blanks they show.
fn same(mut cell: Cell) -> Cell {
    if cell.c == '\t' {
        cell.c = ' ';
    }
    if let Some(link) = cell.hyperlink() {
        let id = if link.id().ends_with("_alacritty") {
            "auto"
        } else {
            link.id()
        };
        cell.set_hyperlink(Some(Hyperlink::new(Some(id), link.uri().to_owned())));
    }
    // Attributes that were set and cleared may leave an empty box behind.
    let marks = !cell.zerowidth().is_none_or(<[char]>::is_empty);
    if !marks && cell.hyperlink().is_none() && cell.underline_color().is_none() {
        cell.extra = None;
    }
    cell
}

fn cursor(from: &Cursor<Cell>) -> Cursor<Cell> {
    Cursor {
        template: same(from.template.clone()),
        ..from.clone()
    }
}

fn side(grid: &Grid<Cell>) -> Side {
    let cells = (0..grid.screen_lines() as i32).map(|line| {
        let row = &grid[Line(line)];
        let mut cells: Vec<Cell> = row[..].iter().cloned().map(same).collect();
        for i in 0..cells.len() {
            let lone = cells[i].flags.contains(Flags::WIDE_CHAR)
                && !cells
                    .get(i + 1)
                    .is_some_and(|c| c.flags.contains(Flags::WIDE_CHAR_SPACER));
            if lone {
                cells[i].c = ' ';
                cells[i].flags.remove(Flags::WIDE_CHAR);
            }
            let stray = cells[i].flags.contains(Flags::WIDE_CHAR_SPACER)
                && (i == 0 || !cells[i - 1].flags.contains(Flags::WIDE_CHAR));
            if stray {
                cells[i].flags.remove(Flags::WIDE_CHAR_SPACER);
            }
            let wraps = i + 1 == grid.columns() && cells[i].flags.contains(Flags::WRAPLINE);
            if !wraps {
                cells[i]
                    .flags
                    .remove(Flags::LEADING_WIDE_CHAR_SPACER | Flags::WRAPLINE);
            }
        }
        cells
    });
    let mut cells: Vec<Vec<Cell>> = cells.collect();
    // Nothing follows the bottom row; its mark that it continues is a listed exception.
    if let Some(cell) = cells.last_mut().and_then(|row| row.last_mut()) {
        cell.flags
            .remove(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER);
    }
    Side {
        cells,
        cursor: cursor(&grid.cursor),
        saved: cursor(&grid.saved_cursor),
    }
}

pub fn whole(screen: &mut Screen) -> Whole {
    let alternate = screen.alt().then(|| side(screen.grid()));
    let primary = screen.with_primary(|screen| {
        screen.view.spill_all();
        side(screen.grid())
    });
    let history = screen
        .view
        .history
        .tail(usize::MAX)
        .map(|(bytes, end)| (anonymous(&String::from_utf8_lossy(bytes)), end.wrapped))
        .collect();
    Whole {
        history,
        primary,
        alternate,
        mode: *screen.view.term.mode(),
        rest: rest(screen),
    }
}

fn rest(screen: &Screen) -> Rest {
    let view = &screen.view;
    let colors = view.term.colors();
    Rest {
        margins: view.margins,
        tabs: view.tabs.clone(),
        charset: view.charset,
        titles: (view.title.clone(), view.titles.clone()),
        keyboards: (
            view.keyboard.clone(),
            screen.alt().then(|| view.other_keyboard.clone()),
        ),
        unknown_modes: view.unknown_modes.clone(),
        colors: (0..COUNT).filter_map(|i| Some((i, colors[i]?))).collect(),
        cursor: view.term.cursor_style(),
        pending: String::from_utf8_lossy(screen.pending.bytes()).into_owned(),
    }
}

/// Returns the text without the generated ids of links that have none of their own.
fn anonymous(text: &str) -> String {
    let mut parts = text.split("_alacritty");
    let mut out = String::new();
    let mut last = parts.next().unwrap_or_default();
    for part in parts {
        out.push_str(last.trim_end_matches(|c: char| c.is_ascii_digit()));
        out.push_str("auto");
        last = part;
    }
    out + last
}

/// Panics with the first difference.
#[track_caller]
pub fn assert_same(a: &Whole, b: &Whole, what: &str) {
    if a == b {
        return;
    }
    assert_eq!(a.rest, b.rest, "{what}");
    assert_eq!(a.mode, b.mode, "{what}");
    assert_eq!(a.history, b.history, "{what}");
    let sides = [
        ("primary", Some(&a.primary), Some(&b.primary)),
        ("alt", a.alternate.as_ref(), b.alternate.as_ref()),
    ];
    for (name, a, b) in sides {
        let (Some(a), Some(b)) = (a, b) else { continue };
        assert_eq!(a.cursor, b.cursor, "{what}: {name} cursor");
        assert_eq!(a.saved, b.saved, "{what}: {name} saved cursor");
        for (line, (x, y)) in a.cells.iter().zip(&b.cells).enumerate() {
            for (column, (x, y)) in x.iter().zip(y).enumerate() {
                assert_eq!(x, y, "{what}: {name} line {line} column {column}");
            }
        }
    }
    panic!("{what}: differ");
}

/// Reports whether the screen has one of the listed exceptions, so that only the visible state must be equal.
pub fn exceptional(screen: &mut Screen) -> bool {
    let odd = |grid: &Grid<Cell>| {
        let rows = grid.screen_lines() as i32;
        let bottom = grid[Line(rows - 1)][grid.last_column()].flags;
        let spacer = |cell: Option<&Cell>, flag| cell.is_some_and(|c| c.flags.contains(flag));
        bottom.intersects(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER)
            || (0..rows).map(|line| &grid[Line(line)][..]).any(|row| {
                (0..row.len()).any(|i| {
                    let wide = row[i].flags.contains(Flags::WIDE_CHAR);
                    let second = row[i].flags.contains(Flags::WIDE_CHAR_SPACER);
                    let gap = row[i].flags.contains(Flags::LEADING_WIDE_CHAR_SPACER);
                    // Inserted and deleted characters move such marks along.
                    let goes_on = row[i].flags.contains(Flags::WRAPLINE);
                    let before = if i == 0 { None } else { row.get(i - 1) };
                    (wide && !spacer(row.get(i + 1), Flags::WIDE_CHAR_SPACER))
                        || (second && !spacer(before, Flags::WIDE_CHAR))
                        || ((gap || goes_on) && i + 1 < row.len())
                        || row[i].c == '\t'
                })
            })
    };
    odd(screen.grid()) || screen.with_primary(|screen| odd(screen.grid()))
}

/// Reports whether two screens are equal to the last cell. Fast, and also `false` if only an exception
/// differs.
pub fn same_now(a: &mut Screen, b: &mut Screen) -> bool {
    fn grids(a: &Grid<Cell>, b: &Grid<Cell>) -> bool {
        a.cursor == b.cursor
            && a.saved_cursor == b.saved_cursor
            && (0..a.screen_lines() as i32).all(|line| a[Line(line)] == b[Line(line)])
    }
    if a.size() != b.size() || a.view.term.mode() != b.view.term.mode() || rest(a) != rest(b) {
        return false;
    }
    let shown = grids(a.grid(), b.grid());
    shown
        && a.with_primary(|a| {
            a.view.spill_all();
            b.with_primary(|b| {
                b.view.spill_all();
                (a.view.history.tail(usize::MAX)).eq(b.view.history.tail(usize::MAX))
                    && grids(a.grid(), b.grid())
            })
        })
}
