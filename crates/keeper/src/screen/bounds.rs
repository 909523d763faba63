//! The bounds of what one program can make the screen hold, whatever it prints. Each bound has a name here.
//! Output over a bound is dropped; everything else is shown as usual.
//!
//! The emulator itself bounds CSI parameters (32), and stores nothing of DCS, APC, PM and SOS strings;
//! synchronised updates are not held back ([`super::NeverHold`]). It does not bound OSC strings,
//! titles, links and combining marks: this module does.

use super::pending::PENDING_BYTES;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::Term;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::Hyperlink;
use std::borrow::Cow;
use std::collections::HashSet;

/// The maximum number of bytes of one OSC string that reach the emulator: the start of the string, as much as
/// a snapshot repeats of an unfinished one, so that both have the same string. The two bytes are its `ESC ]`.
const OSC_BYTES: usize = PENDING_BYTES - 2;

/// The maximum number of bytes of a window title; a longer title is cut.
pub const TITLE_BYTES: usize = 4 << 10;

/// The maximum number of bytes of a link's address; the text of a longer link is plain. Browsers stop at 2
/// KiB.
const LINK_BYTES: usize = 2 << 10;

/// The maximum number of bytes of the name that groups the parts of one link.
const LINK_NAME_BYTES: usize = 256;

/// The maximum number of bytes of all links on both screens; further links are plain text until others are
/// gone.
const LINKS_BYTES: usize = 4 << 20;

/// The memory of a link besides its address, in bytes.
const LINK_OVERHEAD: usize = LINK_NAME_BYTES + 96;

/// The maximum number of combining marks on one character: the longest emoji and letters of any script need
/// fewer.
const MARKS: usize = 16;

/// The maximum number of bytes of a snapshot. A program that changes links or colours from cell to cell on a
/// huge screen would need more; then the links are dropped first, the scrollback next.
pub const SNAPSHOT_BYTES: usize = 32 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Other,
    Escape,
    /// Inside an OSC string that has this many bytes so far.
    Osc(usize),
}

/// Follows OSC strings and cuts those that are too long. Parses the stream as vte 0.15 does.
#[derive(Debug, Default)]
pub struct Strings {
    state: State,
}

impl Strings {
    /// Returns the bytes without the excess of strings that are too long.
    pub fn cut<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut kept: Option<Vec<u8>> = None;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (taken, dropped) = self.step(rest);
            let at = bytes.len() - rest.len();
            if dropped > 0 && kept.is_none() {
                kept = Some(bytes[..at].to_vec());
            }
            if let Some(kept) = &mut kept {
                kept.extend_from_slice(&rest[..taken]);
            }
            rest = &rest[taken + dropped..];
        }
        kept.map_or(Cow::Borrowed(bytes), Cow::Owned)
    }

    /// Consumes the next bytes: returns how many pass, and how many after them are dropped.
    fn step(&mut self, bytes: &[u8]) -> (usize, usize) {
        match self.state {
            State::Other => match memchr::memchr(0x1b, bytes) {
                Some(at) => {
                    self.state = State::Escape;
                    (at + 1, 0)
                }
                None => (bytes.len(), 0),
            },
            State::Escape => {
                self.state = match bytes[0] {
                    b']' => State::Osc(0),
                    0x18 | 0x1a | 0x20..=0x7e => State::Other,
                    _ => State::Escape,
                };
                (1, 0)
            }
            State::Osc(held) => {
                let ends = |byte: &u8| matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b);
                let inside = bytes.iter().position(ends).unwrap_or(bytes.len());
                let taken = inside.min(OSC_BYTES.saturating_sub(held));
                if inside > 0 {
                    self.state = State::Osc(held + taken);
                    return (taken, inside - taken);
                }
                self.state = match bytes[0] {
                    0x1b => State::Escape,
                    _ => State::Other,
                };
                (1, 0)
            }
        }
    }
}

/// Cuts a title that is too long, at a character boundary.
pub fn cut_title(title: &mut String) {
    if title.len() > TITLE_BYTES {
        let mut end = TITLE_BYTES;
        while !title.is_char_boundary(end) {
            end -= 1;
        }
        title.truncate(end);
        title.shrink_to_fit();
    }
}

/// Keeps the links of both screens within bounds.
#[derive(Debug)]
pub struct Links {
    /// The bytes that may still be used before the links on the screens are measured again.
    left: usize,
    is_full: bool,
    /// The bytes of links on the screen that is not shown.
    other: usize,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            left: LINKS_BYTES,
            is_full: false,
            other: 0,
        }
    }
}

impl Links {
    /// Reports whether there is room for a link.
    pub fn admits<L>(&mut self, link: &Hyperlink, term: &Term<L>) -> bool {
        let name = link.id.as_ref().map_or(0, String::len);
        if link.uri.len() > LINK_BYTES || name > LINK_NAME_BYTES {
            return false;
        }
        let weight = link.uri.len() + LINK_OVERHEAD;
        if self.left < weight {
            self.left = LINKS_BYTES.saturating_sub(self.other + weigh(term));
            // Measuring them for each link would cost more than the links themselves.
            self.is_full = self.left < LINKS_BYTES / 4;
            if self.is_full {
                self.left = LINKS_BYTES / 4;
            }
        }
        self.left -= weight;
        !self.is_full
    }

    /// Records the links of the screen that is about to be hidden.
    pub fn leave<L>(&mut self, term: &Term<L>) {
        self.other = weigh(term);
    }
}

/// Returns the bytes of the links in the cells, counting each link once.
fn weigh<L>(term: &Term<L>) -> usize {
    let grid = term.grid();
    let mut seen = HashSet::new();
    let mut weight = 0;
    for line in -(grid.history_size() as i32)..grid.screen_lines() as i32 {
        for cell in &grid[Line(line)] {
            let link = cell.extra.as_ref().and_then(|_| cell.hyperlink());
            if let Some(link) = link.filter(|link| seen.insert(link.uri().as_ptr() as usize)) {
                weight += link.uri().len() + LINK_OVERHEAD;
            }
        }
    }
    weight
}

/// Reports whether the character before the cursor has as many combining marks as it may.
pub fn is_marked_enough<L>(term: &Term<L>) -> bool {
    let grid = term.grid();
    let point = grid.cursor.point;
    // The character before the cursor, unless the cursor waits on it to wrap.
    let mut column = match grid.cursor.input_needs_wrap {
        true => point.column,
        false => Column(point.column.0.saturating_sub(1)),
    };
    if grid[point.line][column].flags.contains(Flags::WIDE_CHAR_SPACER) {
        column = Column(column.0.saturating_sub(1));
    }
    let marks = grid[point.line][column].zerowidth();
    marks.is_some_and(|marks| marks.len() >= MARKS)
}

/// Returns a snapshot without its links.
pub fn without_links(snapshot: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(snapshot.len() / 2);
    let mut rest = snapshot;
    while let Some(at) = memchr::memmem::find(rest, b"\x1b]8;") {
        plain.extend_from_slice(&rest[..at]);
        let end = memchr::memmem::find(&rest[at..], b"\x1b\\");
        rest = end.map_or(&[], |end| &rest[at + end + 2..]);
    }
    plain.extend_from_slice(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::super::Screen;
    use super::*;

    /// Feeds the same bytes `count` times.
    fn flood(screen: &mut Screen, bytes: &[u8], count: usize) {
        for _ in 0..count {
            drop(screen.feed(bytes));
        }
    }

    #[test]
    fn an_endless_osc_string_is_cut_and_the_output_after_it_is_not() {
        let mut strings = Strings::default();
        let mut passed = 0;
        for chunk in [&b"a\x1b"[..], b"]0;"] {
            assert_eq!(strings.cut(chunk), chunk);
        }
        for _ in 0..1_000 {
            passed += strings.cut(&[b't'; 1_000]).len();
        }
        assert_eq!(passed, OSC_BYTES - 2);
        assert_eq!(strings.cut(b"tt\x07after\x1b[m").as_ref(), b"\x07after\x1b[m");
        // A new string ends the previous one.
        drop(strings.cut(b"\x1b]52;c;"));
        drop(strings.cut(&vec![b'A'; 2 * OSC_BYTES]));
        assert_eq!(strings.cut(b"AA\x1b]2;x\x1b\\y").as_ref(), b"\x1b]2;x\x1b\\y");
        // Not every sequence with a bracket is an OSC string.
        assert_eq!(strings.cut(b"\x1b(]").len(), 3);
        assert_eq!(strings.cut(&vec![b']'; 2 * OSC_BYTES]).len(), 2 * OSC_BYTES);
    }

    #[test]
    fn a_long_title_is_cut_at_a_character_and_a_short_one_is_not() {
        let mut screen = Screen::new(20, 5, 10);
        drop(screen.feed(format!("\x1b]2;x{}\x07", "é".repeat(TITLE_BYTES)).as_bytes()));
        assert_eq!(screen.title().len(), TITLE_BYTES - 1);
        drop(screen.feed(b"\x1b]2;short\x07"));
        assert_eq!(screen.title(), "short");
        // A whole stack of long titles.
        let long = format!("\x1b]2;{}\x07\x1b[22;2t", "t".repeat(OSC_BYTES - 10));
        flood(&mut screen, long.as_bytes(), 200);
        let titles: usize = screen.view.titles.iter().map(String::capacity).sum();
        assert!(titles <= 64 * TITLE_BYTES, "{titles}");
    }

    #[test]
    fn a_character_has_a_bounded_number_of_marks() {
        let mut screen = Screen::new(20, 5, 10);
        drop(screen.feed("日".as_bytes()));
        flood(&mut screen, "\u{301}".repeat(1_000).as_bytes(), 100);
        drop(screen.feed("é e\u{301}".as_bytes()));
        let text = screen.text(1);
        assert_eq!(text.chars().filter(|c| *c == '\u{301}').count(), MARKS + 1);
        // At the margin, where the cursor waits on the character to wrap.
        drop(screen.feed(b"\r\n\x1b[20Gx"));
        flood(&mut screen, "\u{301}".repeat(1_000).as_bytes(), 10);
        let marks = screen.text(1).chars().filter(|c| *c == '\u{301}').count();
        assert_eq!(marks, MARKS);
    }

    #[test]
    fn links_on_both_screens_are_bounded_and_accepted_again_once_there_is_room() {
        let mut screen = Screen::new(200, 100, 10);
        let print = |screen: &mut Screen, cells: usize| {
            for n in 0..cells {
                let address = format!("http://{n:01900}");
                drop(screen.feed(format!("\x1b]8;;{address}\x1b\\x").as_bytes()));
            }
        };
        for switch in ["", "\x1b[?1049h"] {
            drop(screen.feed(switch.as_bytes()));
            print(&mut screen, 19_000);
            assert!(weigh(&screen.view.term) <= LINKS_BYTES);
        }
        drop(screen.feed(b"\x1b]8;;\x1b\\\x1b[?1049l\x1b[2J\x1b[3J\x1b[H"));
        print(&mut screen, 2_000);
        assert!(weigh(&screen.view.term) > LINKS_BYTES / 8, "new links find room");
        // The text of a link that is too long is plain.
        let long = format!("\x1b[2J\x1b[H\x1b]8;;http://{}\x1b\\text", "x".repeat(LINK_BYTES));
        drop(screen.feed(long.as_bytes()));
        assert!(screen.grid()[Line(0)][Column(0)].hyperlink().is_none());
        assert_eq!(screen.text(1), "text");
    }

    #[test]
    fn a_snapshot_is_bounded_and_drops_links_first() {
        let mut screen = Screen::new(300, 100, 0);
        let mut stream = Vec::new();
        for n in 0..30_000 {
            let address = format!("\x1b]8;;http://{:01900}\x1b\\x", n % 2);
            stream.extend_from_slice(address.as_bytes());
        }
        drop(screen.feed(&stream));
        let snapshot = screen.snapshot(0);
        assert!(snapshot.len() < SNAPSHOT_BYTES, "{}", snapshot.len());
        let mut copy = Screen::new(300, 100, 0);
        drop(copy.feed(&snapshot));
        assert_eq!(copy.text(100), screen.text(100));
    }
}
