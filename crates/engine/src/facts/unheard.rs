//! What no hook of an agent tells although it has hooks: a turn whose end was lost on its way, and that
//! the agent asks its model again by itself. Read from title and screen, which here only close a turn
//! or say why it takes so long; they never open a question.

use crate::facts::evidence;
use crate::state::context::Engine;
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{Activity, EvidenceSource, FactKind, Observed, Retry, SessionId};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// Between two looks at an agent whose title says that it rests while its hooks say that it works.
pub const LOOK: Duration = Duration::from_secs(1);

/// How long after its last hook the title is believed where a post of it was lost.
const LOST: SignedDuration = SignedDuration::from_secs(1);

/// How long where none is known to be: agents tell the end of a turn a second after they show it.
const SILENT: SignedDuration = SignedDuration::from_secs(10);

/// What the evidence names where a sub-agent works behind a finished answer.
const SUB_AGENT: &str = "sub-agent";

/// How long an agent told nothing of its own before its screen is read for a retry.
const QUIET: SignedDuration = SignedDuration::from_secs(2);

/// Ends the turn of an agent whose title says that it rests, where the end of the turn was not heard.
/// True where nothing is left to look for.
pub async fn ended(engine: &Engine, id: &SessionId) -> bool {
    let Some(row) = engine.ledger.session(id) else {
        return true;
    };
    let Some(seen) = row.observed.as_ref().filter(|seen| works(seen)) else {
        return true;
    };
    // Its title rests while its sub-agents work on behind a finished answer.
    if seen.sub_agents.any_at_work() || seen.evidence.detail.contains(SUB_AGENT) {
        return true;
    }
    let lost = downbeat_keeper::lost_posts(&engine.paths.keeper(id));
    let live = engine.runtimes.of(id);
    let is_lost = lost > live.lost_seen();
    if !is_over(seen, is_lost, Timestamp::now()) {
        return false;
    }
    live.see_lost(lost);
    let detail = match is_lost {
        true => "the title says it rests, and a post of its hooks was lost",
        false => "the title says it rests, and its hooks tell nothing more",
    };
    evidence::note(engine, id, EvidenceSource::Title, detail, FactKind::TurnEnded).await;
    true
}

/// Counts the posts that were lost before a turn: they say nothing of its end.
pub fn count(engine: &Engine, id: &SessionId) {
    let lost = downbeat_keeper::lost_posts(&engine.paths.keeper(id));
    engine.runtimes.of(id).see_lost(lost);
}

/// Whether the hooks of a session say that it works.
pub fn works_by_hooks(engine: &Engine, id: &SessionId) -> bool {
    let row = engine.ledger.session(id);
    row.is_some_and(|row| row.observed.as_ref().is_some_and(works))
}

fn works(seen: &Observed) -> bool {
    seen.has_hooks && seen.activity == Activity::Active
}

/// Whether the title of an agent that rests is believed. Pure.
fn is_over(seen: &Observed, is_lost: bool, now: Timestamp) -> bool {
    let told = seen.own_at.unwrap_or(seen.since).max(seen.evidence.at);
    let silent = now.duration_since(told);
    silent >= if is_lost { LOST } else { SILENT }
}

/// Notes that an agent asks its model again, where only its screen says so, and that it no longer does.
pub async fn retries(engine: &Engine, id: &SessionId, link: &Link) {
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let agent = engine.agent(&row.agent).ok();
    let (Some(seen), Some(agent)) = (row.observed.as_ref().filter(|seen| works(seen)), agent) else {
        return;
    };
    let now = Timestamp::now();
    let told = seen.own_at.unwrap_or(seen.since);
    if agent.retries.is_empty() || (seen.retry.is_none() && now.duration_since(told) < QUIET) {
        return;
    }
    let Ok(shown) = link.text(SCREEN_ALONE).await else {
        return;
    };
    let found = downbeat_agents::screen_retry(&agent, &shown.text, now);
    let (detail, kind) = match (&seen.retry, found) {
        (None, None) => return,
        (Some(old), Some(new)) if is_same(old, &new) => return,
        (_, Some(new)) => ("it says so above its prompt", FactKind::Retrying(new)),
        (Some(_), None) => ("the retry left the screen", FactKind::Working),
    };
    evidence::note(engine, id, EvidenceSource::Screen, detail, kind).await;
}

/// Whether two looks saw the same try; its seconds count down.
fn is_same(old: &Retry, new: &Retry) -> bool {
    (&old.text, old.attempt, old.most) == (&new.text, new.attempt, new.most)
}

#[cfg(test)]
mod tests {
    use super::{is_over, works};
    use downbeat_model::{About, EvidenceSource, Fact, FactKind, Observed};
    use jiff::Timestamp;

    #[test]
    fn a_title_is_believed_soon_where_a_post_was_lost_and_late_where_none_was() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let started = Observed::started(at(0)).after(&Fact {
            at: at(100),
            source: EvidenceSource::Hook,
            detail: "UserPromptSubmit hook".into(),
            kind: FactKind::TurnStarted,
            about: About::default(),
        });
        assert!(works(&started));
        for (now, is_lost, over) in [
            (100, true, false),
            (101, true, true),
            (109, false, false),
            (110, false, true),
        ] {
            assert_eq!(is_over(&started, is_lost, at(now)), over, "{now} {is_lost}");
        }
    }
}
