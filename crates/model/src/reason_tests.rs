//! Tests of which reason follows from the known facts.

use super::*;
use crate::fact::{About, Fact, FactKind};
use crate::fold::Fold as _;
use crate::retry::Retry;
use crate::status::{EvidenceSource, Question, QuestionKind};
use crate::usage_limit::UsageLimit;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn evidence(detail: &str) -> Evidence {
    Evidence {
        source: EvidenceSource::Hook,
        detail: detail.into(),
        at: at(0),
    }
}

/// Returns the observation after these facts, a second apart.
fn seen(kinds: &[FactKind]) -> Observed {
    let facts = kinds.iter().zip(1..).map(|(kind, second)| Fact {
        at: at(second),
        source: EvidenceSource::Hook,
        detail: "a hook".into(),
        kind: kind.clone(),
        about: About::default(),
    });
    facts.fold(Observed::started(at(0)), |seen, fact| seen.after(&fact))
}

fn known<'a>(seen: &'a Observed, evidence: &'a Evidence) -> Known<'a> {
    Known {
        status: seen.activity.status(),
        evidence,
        seen: Some(seen),
        error: None,
        pause: None,
        limit_over: None,
        line: None,
        step: None,
        agent: "OpenCode",
        missing: None,
    }
}

fn retry(text: &str, next: i64, attempt: u32, most: Option<u32>, by_limit: bool) -> FactKind {
    FactKind::Retrying(Retry {
        text: text.into(),
        at: Some(at(next)),
        attempt: Some(attempt),
        most,
        by_limit,
    })
}

fn asks(kind: QuestionKind, text: &str) -> FactKind {
    FactKind::Asked(Question {
        kind,
        text: text.into(),
        options: Vec::new(),
    })
}

/// The kind of a reason, its text, and the time until which it holds.
type Want = Option<(ReasonKind, &'static str, Option<i64>)>;

#[test]
fn every_obstacle_to_work_has_its_reason() {
    let limit = UsageLimit {
        text: "You've hit your limit".into(),
        resets_at: Some(at(900)),
    };
    let start = FactKind::TurnStarted;
    let rows: [(FactKind, Status, Want); 10] = [
        (
            FactKind::Blocked("Invalid API key · Fix external API key\nmore".into()),
            Status::Waiting,
            Some((
                ReasonKind::Failed,
                "cannot continue: Invalid API key · Fix external API key",
                None,
            )),
        ),
        (
            FactKind::Limited(limit),
            Status::Waiting,
            Some((ReasonKind::Limit, "usage limit: You've hit your limit", Some(900))),
        ),
        (
            retry("Too Many Requests", 1800, 3, None, true),
            Status::Waiting,
            Some((ReasonKind::Limit, "usage limit: Too Many Requests", Some(1800))),
        ),
        (
            retry("Overloaded", 1800, 3, None, false),
            Status::Waiting,
            Some((
                ReasonKind::Retrying,
                "Overloaded; retrying, attempt 3",
                Some(1800),
            )),
        ),
        // A retry that comes within the minute counts as work.
        (
            retry("", 30, 7, Some(10), false),
            Status::Running,
            Some((
                ReasonKind::Retrying,
                "the model did not answer; retrying, attempt 7 of 10",
                Some(30),
            )),
        ),
        (
            asks(QuestionKind::Permission, "Bash: npm test"),
            Status::Waiting,
            Some((ReasonKind::Question, "Bash: npm test", None)),
        ),
        (
            FactKind::Stuck,
            Status::Running,
            Some((ReasonKind::Stuck, "seems stuck: a hook", None)),
        ),
        (FactKind::Working, Status::Running, None),
        (FactKind::TurnEnded, Status::Idle, None),
        (FactKind::Ready(None), Status::Idle, None),
    ];
    for (kind, status, want) in rows {
        let (seen, evidence) = (seen(&[start.clone(), kind.clone()]), evidence("a hook"));
        let known = known(&seen, &evidence);
        assert_eq!(known.status, status, "{kind:?}");
        let want = want.map(|(kind, text, until)| Reason {
            kind,
            text: text.into(),
            until: until.map(at),
        });
        assert_eq!(reason(&known), want, "{kind:?}");
    }
}

#[test]
fn a_working_session_has_no_old_reason() {
    for over in [FactKind::Working, FactKind::TurnEnded] {
        for failed in [
            retry("Overloaded", 1800, 1, None, true),
            retry("Overloaded", 30, 1, None, false),
        ] {
            let about = About {
                ended: true,
                ..About::default()
            };
            let seen = seen(&[FactKind::TurnStarted, failed]).after(&Fact {
                at: at(50),
                source: EvidenceSource::Hook,
                detail: "a hook".into(),
                kind: over.clone(),
                about,
            });
            assert_eq!((&seen.retry, &seen.limit, &seen.blocked), (&None, &None, &None));
            assert_eq!(reason(&known(&seen, &evidence("a hook"))), None, "{over:?}");
        }
    }
}

#[test]
fn a_message_behind_a_retry_does_not_make_it_work() {
    let facts = [
        FactKind::TurnStarted,
        retry("Too Many Requests", 1800, 1, None, true),
    ];
    let behind = seen(&[facts[0].clone(), facts[1].clone(), FactKind::TurnStarted]);
    assert_eq!(
        (behind.activity, behind.limit.is_some()),
        (Activity::Blocked, true)
    );
    // Once the time of the try has come, it is a turn.
    let later = seen(&facts).after(&Fact {
        at: at(1801),
        source: EvidenceSource::Hook,
        detail: "a hook".into(),
        kind: FactKind::TurnStarted,
        about: About::default(),
    });
    assert_eq!((later.activity, later.retry), (Activity::Active, None));
}

#[test]
fn a_session_that_is_not_started_says_what_it_waits_for() {
    let evidence = evidence("waiting for room");
    let none = Observed::started(at(0));
    let line = |held_by: &str, place| PlaceInLine {
        held_by: held_by.into(),
        place,
    };
    for (line, want) in [
        (None, "waiting for room"),
        (
            Some(line("the limit of 8 workers per conductor", 1)),
            "held back by the limit of 8 workers per conductor, next in line",
        ),
        (
            Some(line("the limit of 60 sessions", 3)),
            "held back by the limit of 60 sessions, number 3 in line",
        ),
        (
            Some(line("the pause of lead", 0)),
            "held back by the pause of lead",
        ),
    ] {
        let known = Known {
            status: Status::Queued,
            line,
            ..known(&none, &evidence)
        };
        assert_eq!(reason(&known).unwrap().text, want);
    }
    for (step, want) in [
        (Some(("checkout", "")), "creating its worktree"),
        (Some(("copy", "")), "copying files into its worktree"),
        (Some(("setup", "")), "set-up"),
        (Some(("setup", "npm ci")), "set-up: npm ci"),
        (Some(("start", "")), "OpenCode is starting"),
        (None, "OpenCode is about to start"),
    ] {
        let known = Known {
            status: Status::Spawning,
            step,
            ..known(&none, &evidence)
        };
        assert_eq!(reason(&known).unwrap().text, want);
    }
}

#[test]
fn an_agent_that_is_up_awaits_its_tools_or_its_first_prompt() {
    let evidence = evidence("SessionStart hook");
    for (tools, want) in [
        (None, "its first prompt is about to be sent"),
        (Some(ToolsState::Listed), "its first prompt is about to be sent"),
        (
            Some(ToolsState::Awaited),
            "its agent has not loaded Downbeat's tools yet",
        ),
        (
            Some(ToolsState::Missing),
            "its agent works without Downbeat's tools: it did not load them",
        ),
    ] {
        let up = Observed {
            tools,
            ..seen(&[FactKind::Ready(None)])
        };
        let known = Known {
            status: Status::Spawning,
            ..known(&up, &evidence)
        };
        assert_eq!(reason(&known).unwrap().text, want);
    }
}

#[test]
fn a_pause_is_named_before_the_reason_that_it_hides() {
    let evidence = evidence("paused by you");
    let start = FactKind::TurnStarted;
    for (kind, want) in [
        (FactKind::TurnEnded, "paused by you"),
        (
            FactKind::Blocked("Invalid API key".into()),
            "paused by you; cannot continue: Invalid API key",
        ),
        (
            asks(QuestionKind::Asks, "Which one?"),
            "paused by you; asks: Which one?",
        ),
    ] {
        let seen = seen(&[start.clone(), kind]);
        let known = Known {
            status: Status::Paused,
            pause: Some("paused by you"),
            ..known(&seen, &evidence)
        };
        assert_eq!(reason(&known).unwrap().text, want);
    }
}

#[test]
fn a_reason_is_one_line_that_a_list_can_show() {
    let seen = seen(&[
        FactKind::TurnStarted,
        FactKind::Blocked(format!("{}\nx", "é".repeat(2000))),
    ]);
    let text = reason(&known(&seen, &evidence("a hook"))).unwrap().text;
    assert!(
        text.chars().count() == MAX_TEXT + 1 && !text.contains('\n'),
        "{text}"
    );
}

#[test]
fn a_live_session_without_its_folder_can_do_nothing() {
    let evidence = evidence("a hook");
    let works = seen(&[FactKind::TurnStarted, FactKind::Stuck]);
    for (status, want) in [
        (Status::Running, ReasonKind::NoFolder),
        (Status::Idle, ReasonKind::NoFolder),
        (Status::Paused, ReasonKind::NoFolder),
        (Status::SetupFailed, ReasonKind::NoFolder),
        // The folder is still to be created.
        (Status::Queued, ReasonKind::Queued),
        (Status::Spawning, ReasonKind::Starting),
        (Status::Errored, ReasonKind::NotStarted),
    ] {
        let known = Known {
            status,
            missing: Some("/w/checkout"),
            ..known(&works, &evidence)
        };
        let reason = reason(&known).unwrap();
        assert_eq!(reason.kind, want, "{status:?}");
        let names_it = reason.text == "its folder is missing: /w/checkout";
        assert_eq!(names_it, want == ReasonKind::NoFolder, "{status:?}");
    }
    for status in [Status::Exited, Status::Killed] {
        let known = Known {
            status,
            missing: Some("/w/checkout"),
            ..known(&works, &evidence)
        };
        assert_eq!(reason(&known), None, "{status:?}");
    }
}

#[test]
fn a_session_that_could_not_start_says_what_failed() {
    let evidence = evidence("its keeper died");
    let none = Observed::started(at(0));
    for status in [Status::SetupFailed, Status::Errored] {
        for (error, want) in [
            (Some("npm ci failed\nmore"), "npm ci failed"),
            (None, "its keeper died"),
        ] {
            let known = Known {
                status,
                error,
                ..known(&none, &evidence)
            };
            let reason = reason(&known).unwrap();
            assert_eq!(
                (reason.kind, reason.text.as_str()),
                (ReasonKind::NotStarted, want)
            );
        }
    }
}

#[test]
fn an_agent_at_its_prompt_differs_from_one_that_did_not_show_itself() {
    let evidence = evidence("process started");
    let idle = seen(&[FactKind::TurnStarted, FactKind::TurnEnded]);
    let known = Known {
        status: Status::Spawning,
        ..known(&idle, &evidence)
    };
    assert_eq!(reason(&known).unwrap().text, "OpenCode is about to start");
}

#[test]
fn a_limit_ends_when_the_session_continues_or_else_when_the_agent_said() {
    let evidence = evidence("a hook");
    let limit = |text: &str, ends: Option<i64>| {
        FactKind::Limited(UsageLimit {
            text: text.into(),
            resets_at: ends.map(at),
        })
    };
    for (kind, limit_over, want) in [
        (
            limit("hit", Some(900)),
            Some(960),
            ("usage limit: hit", Some(960)),
        ),
        (limit("hit", Some(900)), None, ("usage limit: hit", Some(900))),
        (limit(" \n", None), None, ("usage limit", None)),
    ] {
        let seen = seen(&[FactKind::TurnStarted, kind]);
        let known = Known {
            limit_over: limit_over.map(at),
            ..known(&seen, &evidence)
        };
        let reason = reason(&known).unwrap();
        assert_eq!((reason.text.as_str(), reason.until), (want.0, want.1.map(at)));
    }
}

#[test]
fn a_session_that_waits_for_nothing_known_shows_its_evidence() {
    let evidence = evidence("a dialog on its screen");
    let none = Observed::started(at(0));
    let waits = Known {
        status: Status::Waiting,
        ..known(&none, &evidence)
    };
    let reason = reason(&waits).unwrap();
    assert_eq!(
        (reason.kind, reason.text.as_str()),
        (ReasonKind::Failed, "a dialog on its screen")
    );
    let paused = Known {
        status: Status::Paused,
        ..known(&none, &evidence)
    };
    assert_eq!(super::reason(&paused).unwrap().text, "a dialog on its screen");
}
