//! Recordings of the real agents, replayed to the rules for titles and screens as if there were no
//! hooks: how long the status that the rules give was right, unknown or wrong, beside what happened.
//! What happened was read from the recordings by hand. `cargo test … -- --nocapture` prints the table
//! of `docs/guide/agents.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the whole crate serves tests: a failure here is a failed test"
)]

use downbeat_agents::{Agents, Told, title_works, told};
use downbeat_keeper::{SCREEN_ALONE, Screen};
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

/// As in the engine: a title that changed is read when it stands for so long, a screen when it rests
/// for so long, and all the same after so long.
const STANDS: f64 = 0.2;
const SETTLED: f64 = 0.7;
const RESTLESS: f64 = 2.0;

/// The longest that a wrong status may last.
const WRONG: f64 = 0.5;

/// What an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Starts,
    Works,
    Asks,
    Rests,
}

use Does::{Asks, Rests, Starts, Works};

/// Since which second it does what.
type Truth = &'static [(f64, Does)];

const CLAUDE: Truth = &[(0.0, Starts)];
const CODEX: Truth = &[(0.0, Starts)];
const OPENCODE: Truth = &[(0.0, Starts)];

enum Event {
    Output(Vec<u8>),
    Size(u16, u16),
}

fn recording(name: &str) -> (u16, u16, Vec<(f64, Event)>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/keeper/tests/recordings");
    let file = std::fs::File::open(folder.join(format!("{name}.cast.gz"))).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap();
    let number = |value: &Value| u16::try_from(value.as_u64().unwrap()).unwrap();
    let events = lines.map(|event| {
        let (at, data) = (event[0].as_f64().unwrap(), event[2].as_str().unwrap());
        match event[1].as_str().unwrap() {
            "r" => {
                let (cols, rows) = data.split_once('x').unwrap();
                (at, Event::Size(cols.parse().unwrap(), rows.parse().unwrap()))
            }
            _ => (at, Event::Output(data.as_bytes().to_vec())),
        }
    });
    (number(&head["width"]), number(&head["height"]), events.collect())
}

/// What the rules say, since when: a reading each time the engine would take one.
fn readings(name: &str) -> (Vec<(f64, Option<Does>)>, f64) {
    let agents = Agents::new("/bin/sh", []);
    let agent = agents.get(name).unwrap();
    let (cols, rows, events) = recording(name);
    let mut screen = Screen::new(cols, rows, 1000);
    let mut out: Vec<(f64, Option<Does>)> = vec![(0.0, None)];
    let (mut due, mut restless): (Option<f64>, Option<f64>) = (None, None);
    let mut title = String::new();
    let end = events.last().unwrap().0;
    let mut look = |screen: &mut Screen, at: f64| {
        let does = match told(agent, screen.title(), &screen.text(SCREEN_ALONE)) {
            Told::Asks(_) => Some(Asks),
            Told::Works => Some(Works),
            Told::Rests => Some(Rests),
            Told::Nothing => None,
        };
        if out.last().unwrap().1 != does {
            out.push((at, does));
        }
    };
    for (at, event) in events {
        if let Some(then) = due.filter(|then| *then <= at) {
            look(&mut screen, then);
            (due, restless) = (None, None);
        }
        match event {
            Event::Size(cols, rows) => screen.resize(cols, rows),
            Event::Output(bytes) => {
                drop(screen.feed(&bytes));
                let since = *restless.get_or_insert(at);
                let before = title_works(agent, &title);
                title = screen.title().to_owned();
                let titled = title_works(agent, &title) != before;
                let settled = (at + SETTLED).min(since + RESTLESS);
                let standing = due
                    .filter(|_| !titled)
                    .filter(|then| *then < settled && then - at < STANDS);
                due = Some(match titled {
                    true => (at + STANDS).min(settled),
                    false => standing.unwrap_or(settled),
                });
            }
        }
    }
    (out, end)
}

fn at<T: Copy>(line: &[(f64, T)], second: f64) -> T {
    line.iter().rev().find(|(from, _)| *from <= second).unwrap().1
}

/// Seconds right, unknown and wrong, and the longest time wrong at once.
fn score(name: &str, truth: Truth) -> (f64, f64, f64, f64) {
    let (said, end) = readings(name);
    eprintln!("{name}: {said:?}");
    let mut times: Vec<f64> = said
        .iter()
        .map(|(at, _)| *at)
        .chain(truth.iter().map(|(at, _)| *at))
        .collect();
    times.push(end);
    times.sort_by(f64::total_cmp);
    let (mut right, mut unknown, mut wrong, mut run, mut longest) = (0.0, 0.0, 0.0, 0.0, 0.0_f64);
    for pair in times.windows(2) {
        let (from, long) = (pair[0], pair[1] - pair[0]);
        match (at(&said, from), at(truth, from)) {
            (None, _) => (unknown, run) = (unknown + long, 0.0),
            (Some(says), does) if says == does => (right, run) = (right + long, 0.0),
            _ => {
                (wrong, run) = (wrong + long, run + long);
                longest = longest.max(run);
            }
        }
    }
    println!("| {name} | {right:.1} | {unknown:.1} | {wrong:.1} | {longest:.2} |");
    (right, unknown, wrong, longest)
}

#[test]
fn no_wrong_status_lasts() {
    println!("| agent | seconds right | unknown | wrong | longest wrong |");
    for (name, truth) in [("claude", CLAUDE), ("codex", CODEX), ("opencode", OPENCODE)] {
        let (.., longest) = score(name, truth);
        assert!(longest <= WRONG, "{name} was wrong for {longest:.2} s at once");
    }
}

#[test]
#[ignore = "prints each change of the screens, for whoever annotates a recording"]
fn screens() {
    for name in ["claude", "codex", "opencode"] {
        let (cols, rows, events) = recording(name);
        let mut screen = Screen::new(cols, rows, 1000);
        let mut last = 0.0;
        for (at, event) in events {
            if at - last > 0.3 {
                println!(
                    "=== {name} {last:.2}..{at:.2} [{}]\n{}",
                    screen.title(),
                    screen.text(SCREEN_ALONE)
                );
            }
            last = at;
            match event {
                Event::Size(cols, rows) => screen.resize(cols, rows),
                Event::Output(bytes) => drop(screen.feed(&bytes)),
            }
        }
    }
}
