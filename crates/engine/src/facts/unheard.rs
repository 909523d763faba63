//! Finds what the hooks of an agent fail to report: a turn whose end was lost, and a retry of a model
//! request. Both are read from title and screen, which here only end a turn or explain a delay; they never
//! open a question.

use crate::facts::evidence;
use crate::state::context::Engine;
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{Activity, EvidenceSource, FactKind, Observed, Retry, SessionId};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// The interval between two looks at an agent whose title shows it idle while its hooks say that it works.
pub const LOOK: Duration = Duration::from_secs(1);

/// How long after the last hook the title is trusted if a post was lost.
const LOST: SignedDuration = SignedDuration::from_secs(1);

/// How long if no post is known to be lost: agents report the end of a turn a second after they show it.
const SILENT: SignedDuration = SignedDuration::from_secs(10);

/// The word in the evidence for a sub-agent that works after a finished answer.
const SUB_AGENT: &str = "sub-agent";

/// How long an agent must have reported nothing about its own turn before its screen is read for a retry.
const QUIET: SignedDuration = SignedDuration::from_secs(2);

/// Ends the turn of an agent whose title shows it idle, if the end of the turn was not reported. Returns
/// true if there is nothing left to look for.
pub async fn ended(engine: &Engine, id: &SessionId) -> bool {
    let Some(row) = engine.ledger.session(id) else {
        return true;
    };
    let Some(seen) = row.observed.as_ref().filter(|seen| works(seen)) else {
        return true;
    };
    // The title shows an idle agent while its sub-agents are still working after a finished answer.
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
        true => "the title shows it idle, and a hook post was lost",
        false => "the title shows it idle, and its hooks report nothing more",
    };
    evidence::note(engine, id, EvidenceSource::Title, detail, FactKind::TurnEnded).await;
    true
}

/// Counts the posts that were lost before a turn; they are no evidence of its end.
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

/// Whether a title that shows an idle agent is to be trusted. Pure.
fn is_over(seen: &Observed, is_lost: bool, now: Timestamp) -> bool {
    let told = seen.own_at.unwrap_or(seen.since).max(seen.evidence.at);
    let silent = now.duration_since(told);
    silent >= if is_lost { LOST } else { SILENT }
}

/// Records that an agent retries its model request, or no longer does, if only its screen shows that.
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

/// Whether two looks saw the same attempt; its remaining seconds count down.
fn is_same(old: &Retry, new: &Retry) -> bool {
    (&old.text, old.attempt, old.most) == (&new.text, new.attempt, new.most)
}

#[cfg(test)]
mod tests {
    use super::{is_over, works};
    use downbeat_model::{About, EvidenceSource, Fact, FactKind, Fold as _, Observed};
    use jiff::Timestamp;

    #[test]
    fn a_title_is_trusted_sooner_after_a_lost_post() {
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
