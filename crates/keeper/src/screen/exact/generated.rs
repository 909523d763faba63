//! Random streams of every kind of sequence, cut at every byte.

use super::compare::{assert_same, exceptional, whole};
use super::cut::{Stream, rebuilt};
use crate::screen::Screen;

/// A generator of small numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn fragment(dice: &mut Dice) -> String {
    let n = dice.roll(30);
    let m = dice.roll(14);
    let texts = [
        "hello, world ",
        "x",
        "日本語",
        "é",
        "e\u{301}",
        "👩‍💻",
        "\r\n",
        "\n",
        "\t",
        "a long line that wraps around ",
    ];
    match dice.roll(46) {
        0..=9 => texts[dice.roll(texts.len())].to_owned(),
        10..=12 => "\r\n".repeat(1 + m % 3),
        13 => format!("\x1b[{n}A"),
        14 => format!("\x1b[{m};{n}H"),
        15 => format!("\x1b[{n}C\x1b[{m}D"),
        16 => format!(
            "\x1b[{}m",
            [0, 1, 2, 3, 4, 7, 8, 9, 31, 42, 95, 103, 22, 27, 39, 49][n % 16]
        ),
        17 => format!("\x1b[38;5;{n};48;2;{m};2;3m"),
        18 => format!("\x1b[4:{}m\x1b[58:2::1:{n}:3m", 1 + m % 5),
        19 => "\x1b[59m\x1b[0m".to_owned(),
        20 => format!("\x1b[{}J", m % 3),
        21 => format!("\x1b[{}K", m % 3),
        22 => format!("\x1b[{}L\x1b[{}M", m % 4, n % 3),
        23 => format!("\x1b[{}@\x1b[{}P", m % 5, n % 4),
        24 => format!("\x1b[{n}X"),
        25 => format!("\x1b[{};{}r", 1 + m % 5, 6 + m % 4),
        26 => "\x1b[r".to_owned(),
        27 => "\x1b7".to_owned(),
        28 => "\x1b8".to_owned(),
        29 => format!("\x1b[?1049{}", ["h", "l"][m % 2]),
        30 => format!(
            "\x1b[?{}h",
            [1, 66, 7, 25, 1000, 1002, 1006, 2004, 1004, 9, 2026, 12][n % 12]
        ),
        31 => format!(
            "\x1b[?{}l",
            [1, 66, 7, 25, 1000, 1002, 1006, 2004, 1004, 9, 2026, 12][n % 12]
        ),
        32 => format!("\x1b[{}", ["4h", "4l", "20h", "20l"][m % 4]),
        33 => format!("\x1b]8;;http://x/{m}\x1b\\link\x1b]8;;\x1b\\"),
        34 => format!("\x1b]8;id=q;http://y/{m}\x07"),
        35 => "\x1b]8;;\x07".to_owned(),
        36 => format!("\x1b]0;title {n}\x07"),
        37 => ["\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f"][m % 5].to_owned(),
        38 => ["\x1b[22;2t", "\x1b[23;2t"][m % 2].to_owned(),
        39 => format!("\x1b[{} q", m % 7),
        40 => ["\x1bH", "\x1b[g", "\x1b[3g", "\x1b[I"][m % 4].to_owned(),
        41 => ["\x1bM", "\x1bD", "\x1bE", "\x1b[2S", "\x1b[2T"][m % 5].to_owned(),
        42 => ["\x1b[>1u", "\x1b[<u", "\x1b[=3;1u", "\x1b=", "\x1b>"][m % 5].to_owned(),
        43 => [
            "\x1bP+q544e\x1b\\",
            "\x1b_Gabc\x1b\\",
            "\x1b]52;c;aGk=\x07",
            "\x1b]4;1;rgb:11/22/33\x07",
        ][m % 4]
            .to_owned(),
        44 => ["\x1b]11;#102030\x07", "\x1b[3\n1m", "\x1b#8", "\x08\x08"][m % 4].to_owned(),
        _ => {
            if n == 0 {
                "\x1bc".to_owned()
            } else {
                "ordinary words, and more of them\r\n".to_owned()
            }
        }
    }
}

fn generated(seed: u64, length: usize) -> Vec<u8> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut stream = Vec::new();
    while stream.len() < length {
        stream.extend_from_slice(fragment(&mut dice).as_bytes());
    }
    stream
}

#[test]
fn a_snapshot_anywhere_in_a_generated_stream_is_exact() {
    for seed in 1..=24 {
        let stream = Stream::plain(30, 9, generated(seed, 1200));
        stream.check(&format!("seed {seed}"), usize::MAX);
    }
}

/// Returns the stream without wide characters: halves of those are a listed exception, and reflow moves
/// the text after them.
fn narrow(stream: Vec<u8>) -> Vec<u8> {
    String::from_utf8_lossy(&stream)
        .replace(['日', '本', '語', '👩', '💻'], "w")
        .into_bytes()
}

#[test]
fn a_resize_gives_the_same_screen_with_and_without_packing() {
    for seed in 1..=200 {
        let mut dice = Dice(seed);
        let mut screen = Screen::new(30, 9, 500);
        drop(screen.feed(&narrow(generated(seed * 100, 900))));
        if exceptional(&mut screen) {
            continue;
        }
        let mut copy = rebuilt(&mut screen);
        let (cols, rows) = (10 + dice.roll(50) as u16, 2 + dice.roll(20) as u16);
        assert_same(
            &whole(&mut screen),
            &whole(&mut copy),
            &format!("seed {seed} before the resize"),
        );
        screen.resize(cols, rows);
        copy.resize(cols, rows);
        assert_same(&whole(&mut screen), &whole(&mut copy), &format!("seed {seed}"));
    }
}
