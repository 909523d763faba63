//! Replays recordings of the real agents to the rules for titles and screens, as if there were no hooks, and
//! measures how long the resulting status is right, unknown or wrong, compared with the recording's marks.
//! Runs at the engine's pace, in virtual time.
//! `cargo test -p downbeat-tests --test replays -- --nocapture` prints the table of `docs/guide/agents.md`;
//! `tests/recordings/README.md` describes the recordings.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the whole crate serves tests: a failure here is a failed test"
)]

use downbeat_agents::{Agents, Looks, TerminalState, terminal_state, title_works};
use downbeat_keeper::{SCREEN_ALONE, Screen};
use serde_json::Value;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The minimum seconds between two reports of output by a keeper.
const REPORTS: f64 = 1.0;

/// The maximum seconds for which a wrong status may last.
const WRONG: f64 = 0.5;

/// The state of an agent, as a recording marks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Starts,
    Works,
    Asks,
    Rests,
}

#[derive(Debug)]
enum Event {
    Output(String),
    Size(u16, u16),
    Does(Does),
}

struct Story {
    size: (u16, u16),
    events: Vec<(f64, Event)>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

fn story(name: &str) -> Story {
    let file = std::fs::File::open(folder().join(format!("{name}.cast.gz"))).unwrap();
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
        let event = match event[1].as_str().unwrap() {
            "r" => {
                let (cols, rows) = data.split_once('x').unwrap();
                Event::Size(cols.parse().unwrap(), rows.parse().unwrap())
            }
            "m" => Event::Does(match data.split(':').next().unwrap() {
                "starts" => Does::Starts,
                "works" => Does::Works,
                "asks" => Does::Asks,
                "rests" => Does::Rests,
                other => panic!("{name} does {other}"),
            }),
            _ => Event::Output(data.to_owned()),
        };
        (at, event)
    });
    Story {
        size: (number(&head["width"]), number(&head["height"])),
        events: events.collect(),
    }
}

/// Values in order, each with the second from which it holds.
type Since<T> = Vec<(f64, T)>;

/// Returns the states that the rules give, as an engine would learn them; `None` is unknown.
fn said(name: &str, story: &Story) -> Since<Option<Does>> {
    let agents = Agents::new("/bin/sh", []);
    let agent = agents.get(name).unwrap();
    let mut screen = Screen::new(story.size.0, story.size.1, 1000);
    let start = Instant::now();
    let time = |second: f64| start + Duration::from_secs_f64(second);
    let mut said: Since<Option<Does>> = vec![(0.0, None)];
    let mut looks = Looks::default();
    let (mut reported, mut report, mut title) = (f64::MIN, None::<f64>, String::new());
    let end = story.events.last().unwrap().0 + REPORTS * 2.0;
    let mut events = story.events.iter().peekable();
    loop {
        let second = |at: Instant| (at - start).as_secs_f64();
        let next = events.peek().map_or(end, |(at, _)| *at);
        let due = looks.due().map_or(f64::MAX, second);
        if due <= next && due <= report.unwrap_or(f64::MAX) {
            let believed = looks.looked(
                terminal_state(agent, screen.title(), &screen.text(SCREEN_ALONE)),
                time(due),
            );
            let does = match believed {
                None => continue,
                Some(TerminalState::Asks(_)) => Some(Does::Asks),
                Some(TerminalState::Works(_)) => Some(Does::Works),
                Some(TerminalState::Rests(_)) => Some(Does::Rests),
                // As in the engine: a question that left the screen was answered; otherwise the state stays.
                Some(TerminalState::Nothing | TerminalState::Doubtful(_)) => match said.last().unwrap().1 {
                    Some(Does::Asks) => Some(Does::Works),
                    before => before,
                },
            };
            if said.last().unwrap().1 != does {
                said.push((due, does));
            }
            continue;
        }
        if let Some(at) = report.filter(|at| *at <= next) {
            (reported, report) = (at, None);
            looks.drawn(time(at));
            continue;
        }
        let Some((at, event)) = events.next() else {
            return said;
        };
        match event {
            Event::Does(_) => {}
            Event::Size(cols, rows) => screen.resize(*cols, *rows),
            Event::Output(text) => {
                drop(screen.feed(text.as_bytes()));
                if screen.title() != title {
                    let turned = title_works(agent, &title) != title_works(agent, screen.title());
                    screen.title().clone_into(&mut title);
                    match turned {
                        true => looks.turned(time(*at)),
                        false => looks.drawn(time(*at)),
                    }
                }
                if at - reported >= REPORTS {
                    reported = *at;
                    looks.drawn(time(*at));
                } else {
                    report.get_or_insert(reported + REPORTS);
                }
            }
        }
    }
}

/// Returns the value that holds at a second.
fn then<T: Copy>(line: &[(f64, T)], second: f64) -> T {
    line.iter().rev().find(|(from, _)| *from <= second).unwrap().1
}

/// The seconds for which the status was right, unknown and wrong, and the longest wrong period.
struct Score {
    right: f64,
    unknown: f64,
    wrong: f64,
    longest: f64,
    /// The end of the longest wrong period, with the wrong state and the true one.
    worst: String,
}

fn score(name: &str) -> Score {
    let story = story(name);
    let said = said(name, &story);
    let does = |(at, event): &(f64, Event)| match event {
        Event::Does(does) => Some((*at, *does)),
        _ => None,
    };
    let truth: Since<Does> = story.events.iter().filter_map(does).collect();
    let mut times: Vec<f64> = said.iter().map(|(at, _)| *at).collect();
    times.extend(truth.iter().map(|(at, _)| *at));
    times.push(story.events.last().unwrap().0);
    times.sort_by(f64::total_cmp);
    let mut score = Score {
        right: 0.0,
        unknown: 0.0,
        wrong: 0.0,
        longest: 0.0,
        worst: String::new(),
    };
    let mut run = 0.0;
    for pair in times.windows(2) {
        let (from, long) = (pair[0], pair[1] - pair[0]);
        match (then(&said, from), then(&truth, from)) {
            (None, _) => (score.unknown, run) = (score.unknown + long, 0.0),
            // An agent that starts is about to take its first prompt. It may look idle or at work; only a
            // question would be wrong.
            (Some(Does::Works | Does::Rests), Does::Starts) => {
                (score.unknown, run) = (score.unknown + long, 0.0);
            }
            (Some(says), does) if says == does => (score.right, run) = (score.right + long, 0.0),
            (says, does) => {
                (score.wrong, run) = (score.wrong + long, run + long);
                if run > score.longest {
                    score.longest = run;
                    score.worst = format!("until {:.2}: {says:?}, but {does:?}", pair[1]);
                }
            }
        }
    }
    score
}

#[test]
fn no_wrong_status_lasts() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name();
            Some(name.to_str()?.strip_suffix(".cast.gz")?.to_owned())
        })
        .collect();
    names.sort();
    assert!(names.len() >= 3, "{names:?}");
    println!("| agent | seconds right | unknown | wrong | longest wrong |\n|---|---|---|---|---|");
    let scores: Vec<(String, Score)> = names
        .into_iter()
        .map(|name| (name.clone(), score(&name)))
        .collect();
    for (name, score) in &scores {
        let Score {
            right,
            unknown,
            wrong,
            longest,
            ..
        } = score;
        println!("| {name} | {right:.1} | {unknown:.1} | {wrong:.1} | {longest:.2} |");
    }
    for (name, score) in &scores {
        assert!(score.longest <= WRONG, "{name}: {}", score.worst);
        assert!(
            score.right > score.unknown,
            "{name} is known {:.1} s only",
            score.right
        );
    }
}

/// Prints the states that the rules give, the marks and the screens of the recording `STORY`, to find out by
/// hand why a rule is wrong.
#[test]
#[ignore = "prints"]
fn print_recording() {
    let name = std::env::var("STORY").unwrap();
    let story = story(&name);
    println!("said: {:#?}", said(&name, &story));
    let mut screen = Screen::new(story.size.0, story.size.1, 1000);
    let mut last = 0.0;
    for (at, event) in &story.events {
        if at - last > 0.3 {
            let text = screen.text(SCREEN_ALONE);
            println!("=== {last:.2}..{at:.2} [{}]\n{text}", screen.title());
        }
        last = *at;
        match event {
            Event::Does(does) => println!("--- {at:.2} {does:?}"),
            Event::Size(cols, rows) => screen.resize(*cols, *rows),
            Event::Output(text) => drop(screen.feed(text.as_bytes())),
        }
    }
}
