//! A terminal fed a snapshot and the rest equals one fed everything, wherever the stream is cut.
//! Streams: generated ones, and every file under `tests/recordings`.

use super::Screen;
use alacritty_terminal::grid::{Cursor, Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};

#[derive(Debug, PartialEq)]
struct Side {
    cells: Vec<Vec<Cell>>,
    cursor: Cursor<Cell>,
    saved: Cursor<Cell>,
}

#[derive(Debug, PartialEq)]
struct Whole {
    history: Vec<(String, bool)>,
    primary: Side,
    alternate: Option<Side>,
    mode: TermMode,
    rest: String,
}

/// Links without an id get a new one each time; tabs count as the blanks that they show.
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
    // Attributes set and cleared again may leave an empty box behind.
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
    // Nothing follows the bottom row: that it goes on is a listed exception.
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

fn whole(screen: &mut Screen) -> Whole {
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
    let view = &screen.view;
    let colors: Vec<_> = (0..269)
        .filter_map(|i| view.term.colors()[i].map(|c| (i, c)))
        .collect();
    let rest = format!(
        "{:?}",
        (
            (view.margins, &view.tabs, view.charset, &view.title, &view.titles),
            (
                &view.keyboard,
                screen.alt().then_some(&view.other_keyboard),
                &view.unknown_modes
            ),
            (
                colors,
                view.term.cursor_style(),
                String::from_utf8_lossy(screen.pending.bytes())
            ),
        )
    );
    Whole {
        history,
        primary,
        alternate,
        mode: *view.term.mode(),
        rest,
    }
}

/// The text with the ids of links that have none of their own taken out.
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

#[track_caller]
fn assert_same(a: &Whole, b: &Whole, what: &str) {
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

/// Whether the screen holds one of the listed exceptions, so that only what is seen now is equal.
fn exceptional(screen: &mut Screen) -> bool {
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

fn rebuilt(screen: &mut Screen) -> Screen {
    let (cols, rows) = screen.size();
    let mut copy = Screen::new(cols, rows, 500);
    drop(copy.feed(&screen.snapshot(usize::MAX)));
    copy
}

/// Cuts at every byte; every `tail_every`th copy is also fed the rest.
fn check(name: &str, stream: &[u8], cols: u16, rows: u16, tail_every: usize) {
    let mut all = Screen::new(cols, rows, 500);
    drop(all.feed(stream));
    let end = whole(&mut all);
    let mut screen = Screen::new(cols, rows, 500);
    for cut in 0..=stream.len() {
        if cut > 0 {
            drop(screen.feed(&stream[cut - 1..cut]));
        }
        let mut copy = rebuilt(&mut screen);
        let around = String::from_utf8_lossy(&stream[cut.saturating_sub(60)..cut])
            .escape_debug()
            .to_string();
        let what = format!("{name} cut at {cut}, after {around}");
        assert_same(&whole(&mut screen), &whole(&mut copy), &what);
        if cut % tail_every == 0 && !exceptional(&mut screen) {
            drop(copy.feed(&stream[cut..]));
            assert_same(&end, &whole(&mut copy), &format!("{what}, and the rest"));
        }
    }
}

/// Small numbers that look random and are the same in every run.
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
        check(&format!("seed {seed}"), &generated(seed, 1200), 30, 9, 41);
    }
}

#[test]
fn a_snapshot_anywhere_in_a_recording_is_exact() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "vt") {
            let stream = std::fs::read(&path).unwrap();
            check(&path.display().to_string(), &stream, 80, 24, 997);
            seen += 1;
        }
    }
    assert!(seen > 0, "no recordings in {}", folder.display());
}

/// The same without wide characters: halves of those are a listed exception, and reflow moves
/// what follows them.
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

#[test]
fn scrollback_comes_back_when_the_screen_grows() {
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
fn bursts_lose_no_line() {
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
