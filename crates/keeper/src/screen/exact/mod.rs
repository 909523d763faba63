//! A terminal fed a snapshot and the rest equals one fed everything, wherever the stream is cut.
//!
//! Map: [`compare`] defines equality; [`cut`] cuts; [`generated`] and [`recorded`] are the
//! streams; [`exceptions`] pins the known omissions of a snapshot; [`arbitrary`] feeds bytes that
//! no program would print.

mod arbitrary;
mod compare;
mod cut;
mod exceptions;
mod generated;
mod recorded;

use super::Screen;
use alacritty_terminal::index::{Column, Line};

/// The lines of scrollback of the screens compared here.
const SCROLLBACK: u32 = 60;

#[test]
fn scrollback_is_restored_when_the_screen_grows() {
    let mut screen = Screen::new(20, 5, 500);
    for n in 0..200 {
        drop(screen.feed(format!("line {n}\r\n").as_bytes()));
    }
    screen.resize(20, 10);
    let row: String = (0..8).map(|c| screen.grid()[Line(0)][Column(c)].c).collect();
    assert_eq!(row, "line 191");
    assert!(screen.text(1000).starts_with("line 0\nline 1\n"));
    assert!(
        screen.text(3).ends_with("line 198\nline 199"),
        "{}",
        screen.text(3)
    );
}

#[test]
fn queries_are_answered_once_and_clipboard_reads_never() {
    let mut screen = Screen::new(20, 5, 10);
    let text =
        String::from_utf8(screen.feed(b"ab\x1b[6n\x1b[c\x1b]11;?\x07\x1b]52;c;?\x07\x1b[18t")).unwrap();
    assert_eq!(
        text,
        "\x1b[1;3R\x1b[?6c\x1b]11;rgb:1616/1717/1919\x07\x1b[8;5;20t"
    );
}

#[test]
fn no_line_of_a_burst_is_lost() {
    let mut screen = Screen::new(12, 40, 200_000);
    let mut stream = Vec::new();
    for n in 0..3000 {
        stream.extend_from_slice(format!("{n}\n\r\x1b[40;1Hx\x1b[2J").as_bytes());
    }
    drop(screen.feed(&stream));
    let text = screen.text(1_000_000);
    assert_eq!(
        text.lines()
            .filter(|l| !l.trim().is_empty() && l.trim() != "x")
            .count(),
        3000,
        "{}",
        text.len()
    );
}

#[test]
fn a_character_in_pieces_does_not_lose_its_neighbours() {
    // If the parser gets the pieces as they are, it loses the blank.
    let bytes = "· ← done".as_bytes();
    for cut in 0..=bytes.len() {
        let mut screen = Screen::new(20, 5, 10);
        drop(screen.feed(&bytes[..cut]));
        drop(screen.feed(&bytes[cut..]));
        assert_eq!(screen.text(5), "· ← done", "cut at {cut}");
    }
}
