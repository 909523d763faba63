//! Reads title and screen of an agent without hooks whose manifest has rules for them. Looks happen while
//! something is drawn, never on a timer of their own. If the rules do not apply, only output and silence are
//! left.

use crate::facts::evidence;
use crate::state::context::Engine;
use downbeat_agents::{By, Looks, Manifest, TerminalState};
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{Activity, EvidenceSource, FactKind, Observed, SessionId, Status, name};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::time::Instant;

/// Whether title or screen show when a turn runs and when it does not, so that output and silence are
/// ignored.
pub fn tells_turns(agent: &Manifest) -> bool {
    !agent.has_hooks() && agent.tells_turns()
}

/// Whether title and screen of the agent are read at all.
pub fn is_looked_at(agent: &Manifest) -> bool {
    !agent.has_hooks() && agent.has_rules()
}

/// Reads title and screen, and records what is new.
pub async fn look(engine: &Engine, id: &SessionId, agent: &Manifest, link: &Link, looks: &mut Looks) {
    let now = Instant::now();
    let text = link.text(SCREEN_ALONE).await;
    let told = match &text {
        Ok(text) => downbeat_agents::terminal_state(agent, &text.title, &text.text),
        // A late answer is ignored: the next look starts over.
        Err(_) => TerminalState::Nothing,
    };
    let (Some(told), Ok(text)) = (looks.looked(told, now), text) else {
        return;
    };
    let row = engine.ledger.session(id);
    // During set-up, other programs draw on that screen.
    let row = row.filter(|row| {
        matches!(
            row.status,
            Status::Running | Status::Waiting | Status::Idle | Status::Unknown | Status::Paused
        )
    });
    let Some(known) = row.as_ref().and_then(|row| row.observed.as_ref()) else {
        return;
    };
    let limit = match &told {
        TerminalState::Rests(_) | TerminalState::Nothing => {
            downbeat_agents::screen_limit(agent, &text.text, Timestamp::now(), &TimeZone::system())
        }
        _ => None,
    };
    let rested = known.activity == Activity::Idle;
    let is_news = looks.limited(limit.as_ref().map(|limit| limit.text.as_str()), rested);
    match (limit, &known.limit) {
        (Some(_), Some(_)) => return,
        (Some(limit), None) if is_news => {
            let (detail, kind) = ("the last line above its prompt", FactKind::Limited(limit));
            return evidence::note(engine, id, EvidenceSource::Screen, detail, kind).await;
        }
        (None, Some(_)) => {
            let (detail, kind) = ("its limit left the screen", FactKind::QuestionClosed);
            evidence::note(engine, id, EvidenceSource::Screen, detail, kind).await;
        }
        (Some(_) | None, None) => {}
    }
    let Some(((source, detail), kind)) = news(told, &text.title, known) else {
        return;
    };
    if known.question().is_some() && !matches!(kind, FactKind::Asked(_)) {
        engine.runtimes.of(id).answer();
    }
    evidence::note(engine, id, source, &detail, kind).await;
}

/// Returns what the terminal shows that is not known yet, with where it was seen.
fn news(told: TerminalState, title: &str, known: &Observed) -> Option<((EvidenceSource, String), FactKind)> {
    let said = |by: By| match by {
        By::Title => {
            let detail = format!("the title: {}", name::title(title));
            (EvidenceSource::Title, detail)
        }
        By::Screen(mark) => (EvidenceSource::Screen, format!("on the screen: {mark}")),
    };
    Some(match (told, known.activity) {
        (TerminalState::Asks(shown), _) if known.question() == Some(&shown.question) => return None,
        (TerminalState::Asks(shown), _) => {
            let detail = "a question on the screen".to_owned();
            let kind = FactKind::Asked(shown.question);
            ((EvidenceSource::Screen, detail), kind)
        }
        (TerminalState::Works(_), Activity::Active) | (TerminalState::Rests(_), Activity::Idle) => {
            return None;
        }
        // The agent works again, so the question was answered.
        (TerminalState::Works(by), Activity::WaitingInput) => (said(by), FactKind::QuestionClosed),
        (TerminalState::Works(by), _) => (said(by), FactKind::Working),
        (TerminalState::Rests(by), _) => (said(by), FactKind::TurnEnded),
        (TerminalState::Nothing, Activity::WaitingInput) => {
            let detail = "the question left the screen".to_owned();
            ((EvidenceSource::Screen, detail), FactKind::QuestionClosed)
        }
        (TerminalState::Nothing | TerminalState::Doubtful(_), _) => return None,
    })
}
