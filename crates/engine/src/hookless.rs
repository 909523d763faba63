//! What title and screen tell of an agent that has no hooks and whose manifest has rules for them.
//! Looked at once output rests, never on a timer of its own. Where the rules say nothing, output
//! and silence are all there is.

use crate::engine::Engine;
use crate::watch;
use downbeat_agents::Manifest;
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{Activity, EvidenceSource, FactKind, SessionId, Status, name};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Whether the title tells when a turn goes on and when it does not, so that output and silence
/// say nothing.
pub fn title_tells(agent: &Manifest) -> bool {
    !agent.has_hooks() && !agent.title.works.is_empty() && !agent.title.rests.is_empty()
}

/// Looks, and notes what is new.
pub async fn look(engine: &Engine, id: &SessionId, agent: &Manifest, link: &Link) {
    let silent = agent.questions.is_empty()
        && agent.title.works.is_empty()
        && agent.title.rests.is_empty()
        && !agent.limits.iter().any(|rule| rule.screen);
    let Some(row) = engine
        .ledger
        .session(id)
        .filter(|_| !silent && !agent.has_hooks())
    else {
        return;
    };
    // While it is set up, other programs draw on that screen.
    if !matches!(
        row.status,
        Status::Running | Status::Waiting | Status::Idle | Status::Unknown | Status::Paused
    ) {
        return;
    }
    let (Some(known), Ok(text)) = (&row.observed, link.text(SCREEN_ALONE).await) else {
        return;
    };
    let works = downbeat_agents::title_works(agent, &text.title);
    let shown = downbeat_agents::screen_question(agent, &text.text).filter(|_| works != Some(true));
    let (now, zone) = (Timestamp::now(), TimeZone::system());
    let limit = downbeat_agents::screen_limit(agent, &text.text, now, &zone)
        .filter(|_| shown.is_none() && works != Some(true));
    match (limit, &known.limit) {
        (Some(_), Some(_)) => return,
        (Some(limit), None) => {
            let detail = "the last line above its prompt";
            return watch::note(
                engine,
                id,
                EvidenceSource::Screen,
                detail,
                FactKind::Limited(limit),
            )
            .await;
        }
        (None, Some(_)) => {
            let detail = "its limit left the screen";
            watch::note(
                engine,
                id,
                EvidenceSource::Screen,
                detail,
                FactKind::QuestionClosed,
            )
            .await;
        }
        (None, None) => {}
    }
    let title = || format!("the title: {}", name::title(&text.title));
    let (source, detail, kind) = match (shown, works, known.activity) {
        (Some(shown), ..) if known.question() == Some(&shown.question) => return,
        (Some(shown), ..) => {
            let detail = "a question on the screen".to_owned();
            (EvidenceSource::Screen, detail, FactKind::Asked(shown.question))
        }
        (None, Some(true), Activity::Active) | (None, Some(false), Activity::Idle) => return,
        (None, Some(true), _) => (EvidenceSource::Title, title(), FactKind::Working),
        (None, Some(false), _) => (EvidenceSource::Title, title(), FactKind::TurnEnded),
        (None, None, Activity::WaitingInput) => {
            let detail = "the question left the screen".to_owned();
            (EvidenceSource::Screen, detail, FactKind::QuestionClosed)
        }
        (None, None, _) => return,
    };
    if known.question().is_some() && !matches!(kind, FactKind::Asked(_)) {
        engine.runtimes.of(id).answer();
    }
    watch::note(engine, id, source, &detail, kind).await;
}
