//! Tables of the schedule: facts and a time, and what is asked.

use super::*;
use crate::types::identity::{NodeId, RepositoryName};
use crate::types::limit::{Limit, Limits};
use crate::types::pull::Detail;
use jiff::{SignedDuration, Timestamp};

/// Seconds after a fixed time.
fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
}

fn repository(asked_at: Option<i64>) -> RepositoryFacts {
    let name = RepositoryName::parse("acme/shop").expect("a name");
    RepositoryFacts {
        name,
        asked_at: asked_at.map(at),
        pushed_at: None,
        failures: 0,
    }
}

fn pull(id: &str, observed_at: Option<i64>) -> PullFacts {
    PullFacts {
        id: NodeId(id.to_owned()),
        open: true,
        observed_at: observed_at.map(at),
        change: Change::Nothing,
        pending: Pending::Nothing,
        unknown_asks: 0,
        talked_since: None,
        failures: 0,
        failed_at: None,
    }
}

fn planned(repositories: &[RepositoryFacts], pulls: &[PullFacts], now: i64) -> Plan {
    plan(
        &Facts {
            repositories,
            pulls,
            limits: &Limits::default(),
            spent: &[],
        },
        at(now),
    )
}

fn observe(ids: &[&str], detail: Detail) -> Vec<Ask> {
    vec![Ask::Observe {
        pulls: ids.iter().map(|id| NodeId((*id).to_owned())).collect(),
        detail,
    }]
}

#[test]
fn what_is_due_is_asked_and_nothing_else() {
    let changed = PullFacts {
        change: Change::Itself,
        ..pull("a", Some(-10))
    };
    let elsewhere = PullFacts {
        pending: Pending::Elsewhere,
        ..pull("a", Some(-59))
    };
    let unknown = |asks, ago: i64| PullFacts {
        unknown_asks: asks,
        ..pull("a", Some(-ago))
    };
    let closed = PullFacts {
        open: false,
        ..pull("a", Some(-10_000))
    };
    let jobs = PullFacts {
        pending: Pending::Jobs,
        ..pull("a", Some(-290))
    };
    let failed = PullFacts {
        change: Change::Itself,
        failures: 2,
        failed_at: Some(at(-59)),
        ..pull("a", Some(-10_000))
    };
    let new_failed = PullFacts {
        observed_at: None,
        ..failed.clone()
    };
    let talk_failed = PullFacts {
        talked_since: Some(at(-100)),
        change: Change::Nothing,
        observed_at: Some(at(-70)),
        ..failed.clone()
    };
    let talked = PullFacts {
        talked_since: Some(at(-10)),
        ..pull("a", Some(-10))
    };
    let cases: Vec<(&str, PullFacts, Vec<Ask>)> = vec![
        ("new", pull("a", None), observe(&["a"], Detail::Talk)),
        ("changed", changed.clone(), observe(&["a"], Detail::Talk)),
        (
            "a run ended",
            PullFacts {
                change: Change::Run,
                ..changed
            },
            observe(&["a"], Detail::Checks),
        ),
        ("a check elsewhere, too early", elsewhere.clone(), vec![]),
        (
            "a check elsewhere",
            PullFacts {
                observed_at: Some(at(-60)),
                ..elsewhere
            },
            observe(&["a"], Detail::Checks),
        ),
        ("jobs tell by themselves", jobs, vec![]),
        (
            "everything after five minutes",
            pull("a", Some(-300)),
            observe(&["a"], Detail::Checks),
        ),
        (
            "unknown mergeability after 5 s",
            unknown(1, 5),
            observe(&["a"], Detail::Checks),
        ),
        ("and then after 10 s", unknown(2, 9), vec![]),
        (
            "at most a minute",
            unknown(1000, 60),
            observe(&["a"], Detail::Checks),
        ),
        ("closed", closed, vec![]),
        ("after failures, later", failed.clone(), vec![]),
        (
            "and then again",
            PullFacts {
                failed_at: Some(at(-60)),
                ..failed
            },
            observe(&["a"], Detail::Talk),
        ),
        ("a new one that failed, later", new_failed, vec![]),
        ("a conversation that failed, later", talk_failed, vec![]),
        (
            "of a clock that was set back",
            pull("a", Some(500)),
            observe(&["a"], Detail::Talk),
        ),
        (
            "a conversation",
            talked,
            vec![Ask::Conversations(vec![NodeId("a".to_owned())])],
        ),
    ];
    for (what, pull, asks) in cases {
        let plan = planned(&[], &[pull], 0);
        assert_eq!(plan.asks, asks, "{what}");
        assert!(plan.next > at(0) && plan.next <= at(300), "{what}: {}", plan.next);
    }
}

#[test]
fn repositories_are_asked_every_tick_and_faster_after_a_push() {
    let name = repository(None).name;
    for (what, repository, is_asked, next) in [
        ("never asked", repository(None), true, 30),
        ("too early", repository(Some(-29)), false, 1),
        ("due", repository(Some(-30)), true, 30),
        (
            "just pushed",
            RepositoryFacts {
                pushed_at: Some(at(-5)),
                ..repository(Some(-10))
            },
            true,
            10,
        ),
        (
            "pushed long ago",
            RepositoryFacts {
                pushed_at: Some(at(-200)),
                ..repository(Some(-10))
            },
            false,
            20,
        ),
        (
            "failed four times",
            RepositoryFacts {
                failures: 4,
                ..repository(Some(-100))
            },
            false,
            140,
        ),
        ("a clock that was set back", repository(Some(1000)), true, 30),
    ] {
        let plan = planned(&[repository], &[], 0);
        let asks: Vec<Ask> = is_asked.then(|| Ask::Changes(name.clone())).into_iter().collect();
        assert_eq!((plan.asks, plan.next), (asks, at(next)), "{what}");
    }
}

#[test]
fn after_a_sleep_everything_is_asked_once() {
    let pulls: Vec<PullFacts> = (0..150)
        .map(|n| pull(&n.to_string(), Some(-40_000 - n)))
        .collect();
    let plan = planned(&[repository(Some(-40_000))], &pulls, 0);
    let sizes: Vec<usize> = plan
        .asks
        .iter()
        .filter_map(|ask| match ask {
            Ask::Observe { pulls, .. } => Some(pulls.len()),
            _ => None,
        })
        .collect();
    assert_eq!((plan.asks.len(), sizes), (3, vec![100, 50]));
}

#[test]
fn a_query_takes_along_what_is_stale_if_that_costs_nothing() {
    let mut pulls: Vec<PullFacts> = (0..100).map(|n| pull(&n.to_string(), Some(-200))).collect();
    pulls[7].change = Change::Itself;
    let plan = planned(&[], &pulls, 0);
    let [
        Ask::Observe {
            pulls: ids,
            detail: Detail::Talk,
        },
    ] = plan.asks.as_slice()
    else {
        panic!("{plan:?}")
    };
    assert_eq!(
        (
            ids.len(),
            ids[0].0.as_str(),
            observe_cost(ids.len(), Detail::Talk)
        ),
        (5, "7", 1)
    );
}

#[test]
fn the_agents_keep_their_share_of_the_limit() {
    let pulls = [PullFacts {
        change: Change::Itself,
        ..pull("a", Some(-10))
    }];
    let points = |remaining| {
        Some(Limit {
            limit: 5000,
            remaining,
            resets_at: at(900),
        })
    };
    let just = [Spent {
        at: at(-20),
        points: 1,
    }];
    for (what, limits, pace, is_asked) in [
        (
            "plenty",
            Limits {
                points: points(4000),
                ..Limits::default()
            },
            Pace::Normal,
            true,
        ),
        (
            "half",
            Limits {
                points: points(2500),
                ..Limits::default()
            },
            Pace::Saving(SignedDuration::from_mins(1)),
            false,
        ),
        (
            "nearly none",
            Limits {
                points: points(250),
                ..Limits::default()
            },
            Pace::Stopped(at(900)),
            false,
        ),
        (
            "told to wait",
            Limits {
                not_before: Some(at(45)),
                ..Limits::default()
            },
            Pace::Stopped(at(45)),
            false,
        ),
        (
            "waited",
            Limits {
                not_before: Some(at(-1)),
                ..Limits::default()
            },
            Pace::Normal,
            true,
        ),
    ] {
        let plan = plan(
            &Facts {
                repositories: &[],
                pulls: &pulls,
                limits: &limits,
                spent: &just,
            },
            at(0),
        );
        assert_eq!((plan.pace, !plan.asks.is_empty()), (pace, is_asked), "{what}");
        assert!(plan.next > at(0), "{what}");
    }
}

#[test]
fn failures_are_repeated_later_and_later() {
    let seconds: Vec<u64> = (0..8).map(|failures| back_off(failures).as_secs()).collect();
    assert_eq!(seconds, [0, 30, 60, 120, 240, 480, 900, 900]);
    assert_eq!(back_off(u32::MAX).as_secs(), 900);
}

#[test]
fn a_plan_is_made_again_at_least_every_five_minutes_and_at_most_every_second() {
    for now in [0, 17, 299, 3601] {
        let plan = planned(&[repository(Some(now - 30))], &[pull("a", Some(now - 300))], now);
        assert!(plan.next >= at(now + 1) && plan.next <= at(now + 300));
    }
    assert_eq!(
        planned(&[], &[], 0).next.duration_since(at(0)),
        SignedDuration::from_mins(5)
    );
}
