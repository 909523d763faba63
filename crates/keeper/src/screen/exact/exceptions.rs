//! The known omissions of a snapshot, as listed at the head of [`crate::screen`]: one test for each, so that
//! the list stays true. If a test fails here, its line in that list is obsolete.

use super::compare::{assert_same, whole};
use super::cut::rebuilt;
use crate::screen::Screen;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;

/// Returns a screen of 10 × 4 that was fed `stream`, and another that was fed its snapshot.
fn both(stream: &str) -> (Screen, Screen) {
    let mut screen = Screen::new(10, 4, 50);
    drop(screen.feed(stream.as_bytes()));
    let copy = rebuilt(&mut screen);
    (screen, copy)
}

/// Returns the text of each screen after both were fed `tail`.
fn after(stream: &str, tail: &str) -> (String, String) {
    let (mut screen, mut copy) = both(stream);
    drop(screen.feed(tail.as_bytes()));
    drop(copy.feed(tail.as_bytes()));
    (screen.text(50), copy.text(50))
}

#[test]
fn a_printed_tab_becomes_blanks() {
    let (screen, copy) = both("a\tb");
    let second = |screen: &Screen| screen.grid()[Line(0)][Column(1)].c;
    assert_eq!((second(&screen), second(&copy)), ('\t', ' '));
    assert_eq!(screen.text(4), copy.text(4));
}

#[test]
fn half_of_a_wide_character_becomes_a_blank() {
    let (screen, copy) = both("日\x1b[1;2Hx");
    let first = |screen: &Screen| screen.grid()[Line(0)][Column(0)].c;
    // The emulator itself blanks the other half; only moved cells leave one.
    assert_eq!((first(&screen), first(&copy)), (' ', ' '));
    let (screen, copy) = both("日本\x1b[1;2H\x1b[P");
    assert_eq!((first(&screen), first(&copy)), ('日', ' '));
}

#[test]
fn the_bottom_row_loses_its_mark_that_it_continues() {
    let goes_on = |screen: &Screen| {
        let row = &screen.grid()[Line(3)];
        row[Column(9)].flags.contains(Flags::WRAPLINE)
    };
    let (screen, copy) = both("\x1b[3;1Haaaaaaaaaab\x1b[1;1H\x1b[L");
    assert_eq!((goes_on(&screen), goes_on(&copy)), (true, false));
}

#[test]
fn a_row_loses_its_mark_that_it_continues_if_the_cursor_was_restored_to_its_end() {
    let (screen, copy) = both("aaaaaaaaaa\x1b7b\x1b8");
    let goes_on = |screen: &Screen| {
        let row = &screen.grid()[Line(0)];
        row[Column(9)].flags.contains(Flags::WRAPLINE)
    };
    assert_eq!((goes_on(&screen), goes_on(&copy)), (true, false));
    let cursor = |screen: &Screen| screen.grid().cursor.clone();
    assert_eq!(cursor(&screen), cursor(&copy));
}

#[test]
fn a_cursor_outside_the_margins_in_origin_mode_moves_inside() {
    // Saved at the bottom, restored under margins that exclude it.
    let (screen, copy) = both("\x1b[4;1H\x1b7\x1b[1;2r\x1b[?6h\x1b8");
    let line = |screen: &Screen| screen.grid().cursor.point.line;
    assert_eq!((line(&screen), line(&copy)), (Line(3), Line(1)));
    // Inside the margins it is exact.
    let (mut screen, mut copy) = both("\x1b[2;3r\x1b[?6h\x1b[2;4H");
    assert_same(&whole(&mut screen), &whole(&mut copy), "inside the margins");
    let (mut screen, mut copy) = both("\x1b[?1049h\x1b[2;3r\x1b[?6h\x1b[2;2H\x1b7\x1b[1;1H");
    assert_same(
        &whole(&mut screen),
        &whole(&mut copy),
        "saved in the alternate screen",
    );
}

#[test]
fn the_character_to_repeat_is_left_out() {
    let texts = after("\x1b[2;1Hz\x1b[1;1Ha", "\x1b[2b");
    assert_eq!(texts, ("aaa\nz".into(), "azz\nz".into()));
}

#[test]
fn features_that_the_emulator_does_not_support_are_left_out() {
    let snapshot = |stream: &str| both(stream).0.snapshot(50);
    // Blinking text, an image, a double-size line.
    assert_eq!(snapshot("\x1b[5mx\x1b[0m"), snapshot("x\x1b[0m"));
    assert_eq!(snapshot("x\x1bPq#0;2;0;0;0#0~~\x1b\\"), snapshot("x"));
    assert_eq!(snapshot("\x1b#6x"), snapshot("x"));
    // Left and right margins: the mode is written, the margins are not.
    let margins = snapshot("\x1b[?69h\x1b[3;6s");
    assert_eq!(margins, snapshot("\x1b[?69h"));
}

#[test]
fn a_long_unfinished_string_keeps_only_its_start() {
    for (begin, end) in [("\x1b]2;", "\x07x"), ("\x1bPq", "\x1b\\x"), ("\x1b_G", "\x1b\\x")] {
        let (mut screen, mut copy) = both(&format!("{begin}{}", "t".repeat(100_000)));
        assert!(screen.snapshot(50).len() < 70_000, "{begin:?}");
        let tail = format!("{}{end}", "t".repeat(100_000));
        drop(screen.feed(tail.as_bytes()));
        drop(copy.feed(tail.as_bytes()));
        // The rest is still swallowed as a string, and a title is the same in both.
        assert_eq!((screen.text(4), copy.text(4)), ("x".into(), "x".into()));
        assert_same(&whole(&mut screen), &whole(&mut copy), begin);
    }
}

#[test]
fn scrollback_of_another_width_is_wrapped_again() {
    let mut screen = Screen::new(10, 4, 5000);
    for n in 0..3000 {
        drop(screen.feed(format!("{n:09}\r\n").as_bytes()));
    }
    screen.resize(5, 4);
    let mut copy = Screen::new(5, 4, 6000);
    drop(copy.feed(&screen.snapshot(usize::MAX)));
    let lines = |screen: &Screen| screen.view.history.len();
    assert!(
        lines(&screen) < lines(&copy),
        "{} {}",
        lines(&screen),
        lines(&copy)
    );
    // Joined again, their text is equal.
    assert_eq!(screen.text(10_000), copy.text(10_000));
}
