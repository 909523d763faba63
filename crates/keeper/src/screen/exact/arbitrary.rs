//! Bytes that no program would print. Whatever arrives, in whatever pieces, the screen accepts it, stays
//! within its bounds, and is the same as if everything had arrived in one piece.

use super::compare::whole;
use crate::screen::bounds::{SNAPSHOT_BYTES, TITLE_BYTES};
use crate::screen::{Screen, clamp};
use proptest::collection::vec;
use proptest::prelude::*;

/// Generates raw bytes, among them far more bytes than by chance that start, split and end sequences.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let telling = b"\x1b[]P_^X\\;:?>!$'()#0123456789hlmrJKHLMPqtu\x07\x18\x1a\x0e\r\n\t\x08\x7f\x90\x9b\x9c\xc2\xcc\x81\xe2\xf0\x9f";
    let piece = prop_oneof![
        6 => vec(proptest::sample::select(telling.as_slice()), 1..12),
        3 => vec(any::<u8>(), 1..12),
        2 => (any::<u8>(), 1_usize..200).prop_map(|(byte, count)| vec![byte; count]),
        2 => "\\PC{1,8}".prop_map(String::into_bytes),
        2 => "\x1b\\[[?>=!]?[0-9;:]{0,12}[@-~]".prop_map(String::into_bytes),
        1 => "\x1b\\](0|2|4|8|10|11|52|104)(;[ -~]{0,9}){0,3}(\x07|\x1b\\\\)?".prop_map(String::into_bytes),
    ];
    vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_stream_in_any_pieces_gives_the_same_screen_within_bounds(
        (stream, piece) in (stream(), 1_usize..40),
        (cols, rows) in (8_u16..60, 1_u16..20),
        resized in proptest::option::of((8_u16..90, 1_u16..40)),
    ) {
        let mut screen = Screen::new(cols, rows, 50);
        let mut other = Screen::new(cols, rows, 50);
        let mut answers = Vec::new();
        for piece in stream.chunks(piece) {
            answers.extend(screen.feed(piece));
        }
        prop_assert_eq!(other.feed(&stream), answers);
        prop_assert_eq!(whole(&mut screen), whole(&mut other));
        if let Some((cols, rows)) = resized {
            screen.resize(cols, rows);
            prop_assert_eq!(screen.size(), clamp(cols, rows));
        }
        prop_assert!(screen.title().len() <= TITLE_BYTES);
        prop_assert!(screen.snapshot(usize::MAX).len() <= SNAPSHOT_BYTES);
        // `tidy` resets everything that a program left set.
        let tidy = screen.tidy();
        drop(screen.feed(&tidy));
        drop(screen.feed(b"\x1b[2J\x1b[Hplain"));
        let text = screen.text(crate::SCREEN_ALONE);
        prop_assert_eq!(text, "plain");
    }
}
