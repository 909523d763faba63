//! The attributes of a cell, without its character, and the SGR and OSC 8 bytes that select them.

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use alacritty_terminal::vte::ansi::{Color, NamedColor};
use std::io::Write as _;

/// The flags that SGR can select.
const SGR_FLAGS: Flags = Flags::INVERSE
    .union(Flags::BOLD)
    .union(Flags::ITALIC)
    .union(Flags::DIM)
    .union(Flags::HIDDEN)
    .union(Flags::STRIKEOUT)
    .union(Flags::ALL_UNDERLINES);

/// The attributes in effect while bytes are written for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pen {
    fg: Color,
    bg: Color,
    flags: Flags,
    underline: Option<Color>,
    link: Option<Hyperlink>,
}

impl Default for Pen {
    fn default() -> Self {
        Self::of(&Cell::default())
    }
}

impl Pen {
    /// Returns the attributes of a cell or of a cursor's template.
    pub fn of(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            flags: cell.flags & SGR_FLAGS,
            underline: cell.underline_color(),
            link: cell.hyperlink(),
        }
    }

    /// Reports whether a cell has exactly these attributes.
    #[inline]
    pub fn fits(&self, cell: &Cell) -> bool {
        self.fg == cell.fg
            && self.bg == cell.bg
            && self.flags == cell.flags & SGR_FLAGS
            && match &cell.extra {
                None => self.underline.is_none() && self.link.is_none(),
                Some(_) => self.underline == cell.underline_color() && self.link == cell.hyperlink(),
            }
    }

    /// Writes the bytes that change `self` into `next`, and becomes `next`.
    pub fn change(&mut self, next: Self, out: &mut Vec<u8>) {
        if self.link != next.link {
            write_link(next.link.as_ref(), out);
        }
        let same = self.fg == next.fg
            && self.bg == next.bg
            && self.flags == next.flags
            && self.underline == next.underline;
        if !same {
            next.write_sgr(out);
        }
        *self = next;
    }

    fn write_sgr(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[0");
        for (flag, code) in [
            (Flags::BOLD, ";1"),
            (Flags::DIM, ";2"),
            (Flags::ITALIC, ";3"),
            (Flags::UNDERLINE, ";4"),
            (Flags::DOUBLE_UNDERLINE, ";4:2"),
            (Flags::UNDERCURL, ";4:3"),
            (Flags::DOTTED_UNDERLINE, ";4:4"),
            (Flags::DASHED_UNDERLINE, ";4:5"),
            (Flags::INVERSE, ";7"),
            (Flags::HIDDEN, ";8"),
            (Flags::STRIKEOUT, ";9"),
        ] {
            if self.flags.contains(flag) {
                out.extend_from_slice(code.as_bytes());
            }
        }
        write_color(self.fg, 30, NamedColor::Foreground, out);
        write_color(self.bg, 40, NamedColor::Background, out);
        match self.underline {
            Some(Color::Spec(c)) => drop(write!(out, ";58:2::{}:{}:{}", c.r, c.g, c.b)),
            Some(Color::Indexed(i)) => drop(write!(out, ";58:5:{i}")),
            _ => {}
        }
        out.push(b'm');
    }
}

fn write_color(color: Color, base: u8, default: NamedColor, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail.
    drop(match color {
        Color::Named(name) if name == default => Ok(()),
        Color::Named(name) => match name as usize {
            n @ 0..=7 => write!(out, ";{}", usize::from(base) + n),
            n @ 8..=15 => write!(out, ";{}", usize::from(base) + 60 + n - 8),
            _ => Ok(()),
        },
        Color::Indexed(i) => write!(out, ";{};5;{i}", base + 8),
        Color::Spec(c) => write!(out, ";{};2;{};{};{}", base + 8, c.r, c.g, c.b),
    });
}

fn write_link(link: Option<&Hyperlink>, out: &mut Vec<u8>) {
    match link {
        None => out.extend_from_slice(b"\x1b]8;;\x1b\\"),
        Some(link) => drop(write!(out, "\x1b]8;id={};{}\x1b\\", link.id(), link.uri())),
    }
}
