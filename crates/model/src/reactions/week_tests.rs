//! A week of flapping checks over 200 pull requests, as a table: five ways in which checks flap, 40 pull requests each.
//! Every step stores and reads the record, so each of them is a restart, and asks twice.

use super::fixture::*;
use super::*;
use crate::pull::fixture::{check, green};
use crate::pull::{CheckState, PullState, SeenPull};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const WEEK: i64 = 7 * 24 * HOUR;

/// A way in which checks flap.
struct Way {
    name: &'static str,
    /// Returns the observations of a pull request, with their seconds.
    story: fn() -> Vec<(i64, SeenPull)>,
    /// The number of messages to the agent of each pull request, and of escalations.
    counts: (usize, usize),
}

fn seen(head: u64, run: i64, state: CheckState) -> SeenPull {
    green().with_checks(head, vec![check(&format!("run-{head}-{run}"), "test", state)])
}

/// Green all the time, each hour on another head.
fn steady() -> Vec<(i64, SeenPull)> {
    let heads = (0..WEEK / HOUR).flat_map(|n| {
        let head = n as u64 + 1;
        [
            (n * HOUR, seen(head, n, CheckState::Running)),
            (n * HOUR + 600, seen(head, n, CheckState::Passed)),
        ]
    });
    heads.collect()
}

/// Each push fails: 40 heads in a row.
fn each_push_fails() -> Vec<(i64, SeenPull)> {
    let heads = (0..40).flat_map(|n| {
        let head = n as u64 + 1;
        [
            (n * 4 * HOUR, seen(head, n, CheckState::Running)),
            (n * 4 * HOUR + 600, seen(head, n, CheckState::Failed)),
        ]
    });
    heads.collect()
}

/// On one head, somebody runs the check again each 40 minutes, and every second run passes.
fn flaps_on_one_head() -> Vec<(i64, SeenPull)> {
    let runs = (0..WEEK / (40 * MINUTE)).flat_map(|run| {
        let ends = if run % 2 == 0 {
            CheckState::Failed
        } else {
            CheckState::Passed
        };
        [
            (run * 40 * MINUTE, seen(1, run, CheckState::Running)),
            (run * 40 * MINUTE + 300, seen(1, run, ends)),
        ]
    });
    runs.collect()
}

/// The forge shows the same failed run, then nothing, then the same run again, each half hour.
fn the_same_run_comes_and_goes() -> Vec<(i64, SeenPull)> {
    let looks = (0..WEEK / (30 * MINUTE)).map(|look| {
        let state = if look % 2 == 0 {
            CheckState::Failed
        } else {
            CheckState::Running
        };
        (look * 30 * MINUTE, seen(1, 0, state))
    });
    looks.collect()
}

/// One failure a day, mended within ten minutes: a problem of its own each day. Merged in the end.
fn one_failure_a_day() -> Vec<(i64, SeenPull)> {
    let days = (0..7).flat_map(|day| {
        let start = day * 24 * HOUR;
        let head = day as u64 * 2 + 1;
        [
            (start, seen(head, 0, CheckState::Failed)),
            (start + 300, seen(head + 1, 0, CheckState::Running)),
            (start + 600, seen(head + 1, 0, CheckState::Passed)),
        ]
    });
    let merged = SeenPull {
        state: PullState::Merged,
        ..seen(14, 0, CheckState::Passed)
    };
    days.chain([(WEEK - HOUR, merged)]).collect()
}

const WAYS: [Way; 5] = [
    Way {
        name: "steady",
        story: steady,
        counts: (0, 0),
    },
    Way {
        name: "each push fails",
        story: each_push_fails,
        counts: (2, 1),
    },
    Way {
        name: "flaps on one head",
        story: flaps_on_one_head,
        counts: (2, 1),
    },
    Way {
        name: "the same run comes and goes",
        story: the_same_run_comes_and_goes,
        counts: (1, 1),
    },
    Way {
        name: "one failure a day",
        story: one_failure_a_day,
        counts: (7, 0),
    },
];

#[test]
fn a_week_of_flapping_checks_over_200_pull_requests() {
    let mut rule = sends(Event::CiFailed, 2);
    rule.escalate_after = after("12h");
    let (mut messages, mut escalations) = (0, 0);
    for number in 0..200 {
        let way = &WAYS[number % WAYS.len()];
        let mut desk = Desk::new(vec![
            rule.clone(),
            super::fixture::rule(Event::PrOpened, Action::Notify),
        ]);
        desk.situation.subject = pull_subject(number);
        for (second, seen) in (way.story)() {
            // No two pull requests are seen at the same time.
            desk.see(second + number as i64, &seen);
        }
        desk.pass(WEEK + HOUR);
        let is_opening = |effect: &Effect| effect.event == Event::PrOpened;
        let openings = desk
            .effects
            .iter()
            .filter(|(_, effect)| is_opening(effect))
            .count();
        let (all, told) = desk.counts();
        assert_eq!(openings, 1, "{}: it was opened once", way.name);
        assert_eq!((all - openings, told), way.counts, "{} ({number})", way.name);
        messages += all - openings;
        escalations += told;
    }
    assert_eq!((messages, escalations), (480, 120));
}
