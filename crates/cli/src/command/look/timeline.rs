//! `downbeat timeline`: which session worked, waited or was held back in the last hours.

use crate::client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show::cut;
use crate::table::{Cell, lines};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::timeline::{GetTimeline, Timeline, TimelineSession, TimelineState, TimelineSums};

/// The number of characters of a bar.
const BAR: usize = 48;

/// The maximum length of a title, in characters.
const TITLE: usize = 32;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// How many hours back, at most 168 (a week)
    #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=168))]
    hours: u32,
    /// Only this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let request = GetTimeline {
        project: arguments.project,
        hours: Some(arguments.hours),
    };
    let timeline = client::look(&home).get_timeline(request).await?;
    if arguments.json {
        print_json(&timeline)
    } else {
        print(&text(Paint::for_stdout(), &timeline, arguments.hours))
    }
}

/// Formats a timeline for people.
fn text(paint: Paint, timeline: &Timeline, hours: u32) -> String {
    if timeline.sessions.is_empty() {
        let hours = downbeat_model::count(u64::from(hours), "hour", "hours");
        return format!("no session ran in the last {hours}\n");
    }
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for session in &timeline.sessions {
        let title = cut(&plain(&session.title), TITLE);
        let bar = bar(timeline, session);
        rows.push(row(
            title.into(),
            Cell::painted(&bar, |text| painted(paint, text)),
            &session.sums,
        ));
    }
    let total = Cell::painted("total", |text| paint.strong(text));
    rows.push(row(total, "".into(), &timeline.sums));
    let ago = format!("{hours} h ago");
    let axis = format!("{ago}{}now", " ".repeat(BAR.saturating_sub(ago.len() + 3)));
    let mut out = lines(&["SESSION", &axis, "WORKED", "WAITED", "HELD"], &rows);
    out.push_str(&format!(
        "\n{} worked  {} waited for somebody  {} held back  {} idle\n",
        mark(TimelineState::Working),
        mark(TimelineState::Waiting),
        mark(TimelineState::Held),
        mark(TimelineState::Idle),
    ));
    out
}

fn row(title: Cell, bar: Cell, sums: &TimelineSums) -> Vec<Cell> {
    let times = [sums.working, sums.waiting, sums.held].map(|ms| Cell::from(lasted(ms)));
    [title, bar].into_iter().chain(times).collect()
}

/// Returns the character for a state.
fn mark(state: TimelineState) -> char {
    match state {
        TimelineState::Working => '█',
        TimelineState::Waiting => '▒',
        TimelineState::Held => '░',
        TimelineState::Idle => '·',
        TimelineState::Unknown => '?',
    }
}

/// Draws what a session did. A character stands for what took the most of its time; where the session had ended, it is
/// blank.
fn bar(timeline: &Timeline, session: &TimelineSession) -> String {
    let (from, until) = (timeline.from.as_millisecond(), timeline.until.as_millisecond());
    let edge = |number: usize| from + (until - from) * number as i64 / BAR as i64;
    let drawn = (0..BAR).map(|number| {
        let (begin, end) = (edge(number), edge(number + 1));
        let longest = session
            .spans
            .iter()
            .map(|span| {
                let (from, until) = (span.from.as_millisecond(), span.until.as_millisecond());
                (until.min(end) - from.max(begin), span.state)
            })
            .filter(|(lasted, _)| *lasted > 0)
            .max_by_key(|(lasted, _)| *lasted);
        longest.map_or(' ', |(_, state)| mark(state))
    });
    drawn.collect::<String>().trim_end().to_owned()
}

/// Paints each part of a bar by what it means.
fn painted(paint: Paint, bar: &str) -> String {
    bar.chars()
        .map(|drawn| {
            let text = drawn.to_string();
            match drawn {
                '█' => paint.busy(&text),
                '▒' => paint.warn(&text),
                ' ' => text,
                _ => paint.faint(&text),
            }
        })
        .collect()
}

/// Formats a time as `2 h 05 min`; `-` for none.
fn lasted(ms: u64) -> String {
    let minutes = ms.div_ceil(60_000);
    match (minutes / 60, minutes % 60) {
        (0, 0) => "-".to_owned(),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Paint, lasted, text};
    use downbeat_model::{ProjectId, SessionId};
    use downbeat_wire::timeline::{Timeline, TimelineSession, TimelineSpan, TimelineState, TimelineSums};
    use jiff::Timestamp;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_second(hour * 3600).unwrap()
    }

    fn span(from: i64, until: i64, state: TimelineState) -> TimelineSpan {
        TimelineSpan {
            from: at(from),
            until: at(until),
            state,
            reason: String::new(),
        }
    }

    #[test]
    fn a_bar_shows_what_a_session_did_most_of_each_part_of_the_time() {
        let sums = TimelineSums {
            working: 12 * 3_600_000,
            waiting: 6 * 3_600_000,
            held: 0,
            idle: 0,
        };
        let session = TimelineSession {
            id: SessionId::parse("s000000000001").unwrap(),
            name: "cart".into(),
            title: "Cart\u{1b}[31m".into(),
            agent: "claude".into(),
            project_id: ProjectId::parse("p000000000001").unwrap(),
            is_archived: false,
            spans: vec![
                span(0, 12, TimelineState::Working),
                span(12, 18, TimelineState::Waiting),
            ],
            sums,
        };
        let mut timeline = Timeline {
            from: at(0),
            until: at(24),
            sessions: vec![session],
            sums,
        };
        let shown = text(Paint::off(), &timeline, 24);
        let bar = format!("{}{}", "█".repeat(24), "▒".repeat(12));
        assert!(
            shown.contains(&bar) && !shown.contains(&"▒".repeat(13)),
            "{shown}"
        );
        assert!(
            shown.contains("12 h 00 min") && shown.contains("6 h 00 min"),
            "{shown}"
        );
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        timeline.sessions.clear();
        assert_eq!(
            text(Paint::off(), &timeline, 1),
            "no session ran in the last 1 hour\n"
        );
    }

    #[test]
    fn times_are_hours_and_minutes() {
        for (ms, text) in [
            (0, "-"),
            (1, "1 min"),
            (3_540_000, "59 min"),
            (3_900_000, "1 h 05 min"),
        ] {
            assert_eq!(lasted(ms), text);
        }
    }
}
