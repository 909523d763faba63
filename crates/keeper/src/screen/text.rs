//! Clean text, as a person would copy it: soft wraps joined, trailing blanks removed.

use super::Screen;
use super::row;
use alacritty_terminal::index::Line;

/// The number of lines that makes [`Screen::text`] return the visible screen alone, without scrollback, and
/// so without text that a program has replaced.
pub const SCREEN_ALONE: u32 = 0;

impl Screen {
    /// Returns the last `lines` lines of scrollback and screen, without blank ones at the end;
    /// with [`SCREEN_ALONE`], the visible screen and no scrollback.
    pub fn text(&self, lines: u32) -> String {
        let rows = usize::from(self.rows);
        let is_shown = lines == SCREEN_ALONE;
        let wanted = if is_shown { rows } else { lines as usize };
        let mut joined = Joined::default();
        let mut bytes = Vec::new();
        if !self.alt() && !is_shown {
            // With soft wraps, several rows make a line: look far enough back.
            for (packed, end) in self.view.history.tail(wanted.saturating_mul(4)) {
                joined.add(packed, end.wrapped);
            }
        }
        let grid = self.grid();
        let above = match is_shown {
            true => 0,
            false => alacritty_terminal::grid::Dimensions::history_size(grid) as i32,
        };
        for line in (-above..rows as i32).map(Line) {
            bytes.clear();
            let end = row::write(&grid[line], &mut bytes);
            joined.add(&bytes, end.wrapped);
        }
        joined.finish(wanted)
    }
}

#[derive(Default)]
struct Joined {
    lines: Vec<String>,
    open: bool,
}

impl Joined {
    fn add(&mut self, packed: &[u8], wrapped: bool) {
        let text = strip(packed);
        match self.lines.last_mut().filter(|_| self.open) {
            Some(last) => last.push_str(&text),
            None => self.lines.push(text),
        }
        self.open = wrapped;
    }

    fn finish(mut self, wanted: usize) -> String {
        while self.lines.last().is_some_and(|line| line.trim_end().is_empty()) {
            self.lines.pop();
        }
        let skip = self.lines.len().saturating_sub(wanted);
        let lines: Vec<&str> = self.lines[skip..].iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }
}

/// Removes the sequences from a packed line, which holds only text, SGR and OSC 8.
fn strip(packed: &[u8]) -> String {
    let mut text = Vec::with_capacity(packed.len());
    let mut rest = packed;
    while let Some(at) = memchr::memchr(0x1b, rest) {
        text.extend_from_slice(&rest[..at]);
        let sequence = &rest[at..];
        let end = if sequence.get(1) == Some(&b']') {
            memchr::memmem::find(sequence, b"\x1b\\").map(|i| i + 2)
        } else {
            memchr::memchr(b'm', sequence).map(|i| i + 1)
        };
        rest = &sequence[end.unwrap_or(sequence.len())..];
    }
    text.extend_from_slice(rest);
    String::from_utf8_lossy(&text).into_owned()
}
