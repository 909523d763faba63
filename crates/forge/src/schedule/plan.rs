//! What to ask now, and when to look again.
//!
//! Every repository is asked for changes at each tick, free of cost if there are none. Only what changed, or waits for
//! something that no list tells, is observed, in one query; everything is observed every five minutes, because nothing
//! tells that a base moved. A query that is sent anyway takes along what was not observed for long, as far as that costs
//! nothing. After a sleep or a jump of the clock, everything is due once and not as often as it was missed.

use super::cost::{CONVERSATIONS, TALKS, conversations_cost, observe_cost, room};
use super::facts::{Change, Facts, Pending, PullFacts, RepositoryFacts};
use super::pace::{Pace, left, pace};
use crate::types::identity::{NodeId, RepositoryName};
use crate::types::pull::Detail;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

const TICK: SignedDuration = SignedDuration::from_secs(30);
/// The tick of a repository to which a session has just pushed, and for how long.
const PUSH_TICK: SignedDuration = SignedDuration::from_secs(10);
const PUSHED: SignedDuration = SignedDuration::from_secs(120);
/// How often checks of other services are looked at while they run.
const ELSEWHERE: SignedDuration = SignedDuration::from_secs(60);
/// How often everything is observed.
const SWEEP: SignedDuration = SignedDuration::from_secs(300);
/// What was not observed for this long is taken along.
const STALE: SignedDuration = SignedDuration::from_secs(150);
/// Asked for the first time, mergeability takes a while: again after 5, 10, 15 … seconds.
const UNKNOWN_STEP: i64 = 5;
/// How many queries for conversations at a time.
const TALK_QUERIES: usize = 3;
/// How many pull requests one query observes.
const AT_ONCE: usize = 100;
/// While saving, a query of several points is followed by as many gaps, but no more than these.
const MOST_GAPS: u64 = 5;
/// The least time between two looks.
const SHORTEST: SignedDuration = SignedDuration::from_secs(1);

/// Something to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Whether a repository changed.
    Changes(RepositoryName),
    /// Pull requests, at most 100.
    Observe {
        /// Their ids.
        pulls: Vec<NodeId>,
        /// How much of them.
        detail: Detail,
    },
    /// The conversations of pull requests, at most six.
    Conversations(Vec<NodeId>),
}

/// What to ask now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In this order: what changed is observed with the next plan, made right after.
    pub asks: Vec<Ask>,
    /// When to plan again, if nothing happens before.
    pub next: Timestamp,
    /// How much may be asked, for people.
    pub pace: Pace,
}

/// Plans what to ask.
#[must_use]
pub fn plan(facts: &Facts<'_>, now: Timestamp) -> Plan {
    let pace = pace(facts, now);
    let mut asks = Vec::new();
    let mut next = later(now, SWEEP);
    let mut soonest = |due: Timestamp| next = next.min(due.max(later(now, SHORTEST)));
    let free_from = facts
        .limits
        .not_before
        .filter(|until| *until > now)
        .or_else(|| requests_from(facts, now));
    for repository in facts.repositories {
        let due = repository_due(repository, now, free_from);
        if due <= now {
            asks.push(Ask::Changes(repository.name.clone()));
            soonest(later(now, tick(repository, now)));
        } else {
            soonest(due);
        }
    }
    let open_from = queries_from(facts, pace, now);
    let wanted = wanted(facts.pulls, now);
    if open_from <= now {
        let queries = queries(facts, &wanted, now);
        let talks = facts.pulls.iter().filter(|pull| pull.talked_since.is_some());
        let due = wanted
            .iter()
            .map(|one| one.due)
            .chain(talks.map(|pull| retry_from(pull, now)));
        if let Some(due) = due.filter(|due| *due > now).min() {
            soonest(due);
        }
        asks.extend(queries);
    } else if wanted.iter().any(|one| one.due <= open_from)
        || facts.pulls.iter().any(|pull| pull.talked_since.is_some())
    {
        soonest(open_from);
    }
    Plan { asks, next, pace }
}

/// How long to wait before asking again after so many failures in a row: 30 s, doubled each time, at most 15 minutes.
#[must_use]
pub fn back_off(failures: u32) -> Duration {
    let doubled = 30_u64.saturating_mul(1 << failures.saturating_sub(1).min(10));
    Duration::from_secs(if failures == 0 { 0 } else { doubled.min(900) })
}

/// A pull request that is to be observed at some time.
struct Wanted<'a> {
    pull: &'a PullFacts,
    due: Timestamp,
    detail: Detail,
}

fn wanted(pulls: &[PullFacts], now: Timestamp) -> Vec<Wanted<'_>> {
    pulls
        .iter()
        .filter_map(|pull| due(pull, now).map(|(due, detail)| Wanted { pull, due, detail }))
        .collect()
}

/// When a pull request is to be observed, and how much of it. A closed one is left alone until it changes.
fn due(pull: &PullFacts, now: Timestamp) -> Option<(Timestamp, Detail)> {
    let retry = retry_from(pull, now);
    // A time in the future is of a clock that was set back since.
    let Some(observed) = pull.observed_at.filter(|at| *at <= now) else {
        return Some((retry, Detail::Whole));
    };
    match pull.change {
        Change::Itself => return Some((retry, Detail::Whole)),
        Change::Run => return Some((retry, Detail::Checks)),
        Change::Nothing => {}
    }
    if !pull.open {
        return None;
    }
    let mut wait = SWEEP;
    if pull.pending == Pending::Elsewhere {
        wait = wait.min(ELSEWHERE);
    }
    if pull.unknown_asks > 0 {
        wait = wait.min(SignedDuration::from_secs(
            UNKNOWN_STEP * i64::from(pull.unknown_asks.min(12)),
        ));
    }
    Some((later(observed, wait).max(retry), Detail::Checks))
}

/// From when a pull request may be asked about again after failures.
fn retry_from(pull: &PullFacts, now: Timestamp) -> Timestamp {
    let last = pull.failed_at.filter(|at| pull.failures > 0 && *at <= now);
    let wait = SignedDuration::try_from(back_off(pull.failures)).unwrap_or(SWEEP);
    last.map_or(now, |at| later(at, wait))
}

/// The queries for what is due.
fn queries(facts: &Facts<'_>, wanted: &[Wanted<'_>], now: Timestamp) -> Vec<Ask> {
    let ids = |detail: Detail| -> Vec<&PullFacts> {
        wanted
            .iter()
            .filter(|one| one.due <= now && one.detail == detail)
            .map(|one| one.pull)
            .collect()
    };
    let (mut whole, mut light) = (ids(Detail::Whole), ids(Detail::Checks));
    // One query, as long as it costs no more than one that asks for less.
    let mut detail = Detail::Whole;
    if !whole.is_empty() && whole.len() + light.len() <= room(1, Detail::Whole) {
        whole.append(&mut light);
    }
    if whole.len() <= TALKS {
        detail = Detail::Talk;
    }
    take_along(facts.pulls, &mut whole, detail, &light, now);
    let others = whole.clone();
    take_along(facts.pulls, &mut light, Detail::Checks, &others, now);
    let mut asks = observing(&whole, detail);
    asks.extend(observing(&light, Detail::Checks));
    let mut talks: Vec<&PullFacts> = facts
        .pulls
        .iter()
        .filter(|pull| pull.talked_since.is_some() && retry_from(pull, now) <= now)
        .collect();
    talks.sort_by_key(|pull| pull.talked_since);
    let talks: Vec<NodeId> = talks
        .iter()
        .take(TALK_QUERIES * CONVERSATIONS)
        .map(|pull| pull.id.clone())
        .collect();
    asks.extend(
        talks
            .chunks(CONVERSATIONS)
            .map(|some| Ask::Conversations(some.to_vec())),
    );
    let mut left = left(facts, now);
    asks.retain(|ask| {
        let fits = cost(ask) <= left;
        left = left.saturating_sub(if fits { cost(ask) } else { 0 });
        fits
    });
    asks
}

/// What an ask costs, in points.
fn cost(ask: &Ask) -> u64 {
    match ask {
        Ask::Changes(_) => 0,
        Ask::Observe { pulls, detail } => observe_cost(pulls.len(), *detail),
        Ask::Conversations(pulls) => conversations_cost(pulls.len()),
    }
}

/// Adds what was not observed for long, the longest first, as far as it costs nothing.
fn take_along<'a>(
    pulls: &'a [PullFacts],
    chosen: &mut Vec<&'a PullFacts>,
    detail: Detail,
    others: &[&PullFacts],
    now: Timestamp,
) {
    if chosen.is_empty() || chosen.len() >= AT_ONCE {
        return;
    }
    let is_stale = |pull: &&PullFacts| pull.observed_at.is_some_and(|at| later(at, STALE) <= now);
    let is_new = |pull: &&PullFacts| !chosen.iter().chain(others).any(|one| one.id == pull.id);
    let mut stale: Vec<&PullFacts> = pulls
        .iter()
        .filter(|pull| pull.open && pull.failures == 0)
        .filter(is_stale)
        .filter(is_new)
        .collect();
    stale.sort_by_key(|pull| pull.observed_at);
    stale.truncate(room(chosen.len(), detail) - chosen.len());
    chosen.extend(stale);
}

fn observing(pulls: &[&PullFacts], detail: Detail) -> Vec<Ask> {
    let ask = |part: &[&PullFacts]| Ask::Observe {
        pulls: part.iter().map(|pull| pull.id.clone()).collect(),
        detail,
    };
    pulls.chunks(AT_ONCE).map(ask).collect()
}

/// When the next query may be sent.
fn queries_from(facts: &Facts<'_>, pace: Pace, now: Timestamp) -> Timestamp {
    match pace {
        Pace::Normal => now,
        Pace::Stopped(until) => until,
        Pace::Saving(gap) => {
            let last = facts.spent.iter().map(|one| one.at).filter(|at| *at <= now).max();
            let points = |last| {
                facts
                    .spent
                    .iter()
                    .filter(|one| one.at == last)
                    .map(|one| one.points)
                    .sum::<u64>()
            };
            let gaps = |last| i32::try_from(points(last).clamp(1, MOST_GAPS)).unwrap_or(1);
            last.map_or(now, |last| later(last, gap * gaps(last)))
        }
    }
}

/// When REST may be asked, if not now: its limit is nearly used up.
fn requests_from(facts: &Facts<'_>, now: Timestamp) -> Option<Timestamp> {
    let requests = facts
        .limits
        .requests
        .filter(|requests| requests.resets_at > now)?;
    (requests.remaining <= requests.limit / 20).then_some(requests.resets_at)
}

fn repository_due(repository: &RepositoryFacts, now: Timestamp, free_from: Option<Timestamp>) -> Timestamp {
    let due = match repository.asked_at.filter(|at| *at <= now) {
        None => now,
        Some(at) => {
            let failed = SignedDuration::try_from(back_off(repository.failures)).unwrap_or(SWEEP);
            later(at, tick(repository, now).max(failed))
        }
    };
    free_from.map_or(due, |from| due.max(from))
}

fn tick(repository: &RepositoryFacts, now: Timestamp) -> SignedDuration {
    let pushed = repository
        .pushed_at
        .is_some_and(|at| at <= now && now <= later(at, PUSHED));
    if pushed { PUSH_TICK } else { TICK }
}

fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.checked_add(by).unwrap_or(time)
}
