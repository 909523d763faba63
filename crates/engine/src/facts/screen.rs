//! Looks at a settled screen for what no hook tells: a trust question before the first hook, the
//! answers on offer, and whether a question that a hook opened is still there after a key was
//! pressed. Last in the order of evidence, never on a timer of its own.

use crate::facts::evidence;
use crate::state::context::Engine;
use downbeat_agents::{Manifest, Shown};
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{Activity, EvidenceSource, FactKind, Observed, QuestionKind, SessionId, Status};
use jiff::Timestamp;
use std::sync::Arc;

/// A key that a person pressed, or Downbeat for somebody.
pub struct Key {
    /// `escape`, `enter`, `ctrl-c`, `digit`; `answer` once one of them closed a question.
    pub name: String,
    /// When.
    pub at: Timestamp,
}

/// What a look found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing is left that the key could explain.
    Enough,
    /// The screen does not follow the key yet.
    NotYet,
    /// A question was answered: whether the turn goes on shows in a moment.
    Answered,
    /// The turn was interrupted: its prompt may stand in the agent's again.
    Interrupted,
}

/// Reads the screen, if its rules could say anything now. What a hook opened is closed only after
/// a `key` that is younger: a screen that no rule knows is no evidence.
pub async fn look(engine: &Arc<Engine>, id: &SessionId, link: &Link, key: Option<&Key>) -> Seen {
    let Some(row) = engine.ledger.session(id) else {
        return Seen::Enough;
    };
    let agent = engine.agent(&row.agent).ok().filter(|agent| agent.has_hooks());
    let (Some(known), Some(agent)) = (&row.observed, agent) else {
        return Seen::Enough;
    };
    let starting = matches!(
        row.status,
        Status::Spawning | Status::Waiting | Status::Running | Status::Unknown
    ) && !known.has_hooks
        && !row.is_up_at_start()
        && row.agent_started();
    let since = match known.activity {
        Activity::WaitingInput => known.evidence.at,
        _ => known.since,
    };
    let key = key.filter(|key| key.at >= since).map(|key| key.name.as_str());
    let dismisses = matches!(key, Some("escape" | "ctrl-c"));
    match known.activity {
        // It is at its prompt: nothing on the screen or typed there says what becomes of it.
        Activity::WaitingInput if known.asks_in_prose() => Seen::Enough,
        // Also where an answer was no: some agents end their turn at it and tell nobody.
        Activity::Active if known.has_hooks && key.is_some() => interrupted(engine, id, &agent, link).await,
        Activity::WaitingInput if known.has_hooks && agent.tells_answers() => Seen::Enough,
        Activity::WaitingInput if dismisses || (key.is_some() && takes_one_key(known)) => {
            closed(engine, id, &agent, link, dismisses).await
        }
        Activity::WaitingInput if wants_options(known) => {
            offered(engine, id, &agent, link).await;
            Seen::Enough
        }
        Activity::WaitingInput => Seen::Enough,
        Activity::Idle | Activity::Ready if known.has_hooks && key.is_some() => {
            at_rest(engine, id, &agent, link).await
        }
        _ if starting => {
            started(engine, id, &agent, link).await;
            Seen::Enough
        }
        _ => Seen::Enough,
    }
}

/// Whether a key answers the open question, so that its leaving the screen means something. A
/// choice is the agent's own form, of several pages perhaps: its hook tells when it is done.
fn takes_one_key(known: &Observed) -> bool {
    known
        .open
        .first()
        .is_some_and(|open| open.question.kind != QuestionKind::Choice || open.evidence.detail == AT_REST)
}

/// Whether the answers on the screen belong to the one question that is open.
fn wants_options(known: &Observed) -> bool {
    known.open.len() == 1 && known.question().is_some_and(|open| open.options.is_empty())
}

/// Esc during a turn ends it, and so may an answer; no hook tells: the title does.
async fn interrupted(engine: &Arc<Engine>, id: &SessionId, agent: &Manifest, link: &Link) -> Seen {
    let Ok(text) = link.text(SCREEN_ALONE).await else {
        return Seen::NotYet;
    };
    if downbeat_agents::title_works(agent, &text.title) != Some(false) {
        return Seen::NotYet;
    }
    let detail = "after a key the title says it rests";
    evidence::note(engine, id, EvidenceSource::Title, detail, FactKind::TurnEnded).await;
    Seen::Interrupted
}

/// What a question that an agent asks at a command of its own rests on.
const AT_REST: &str = "a question on the screen, at a command of its own";

/// An agent that rests may ask where a command of its own is to do what it does; no hook tells.
async fn at_rest(engine: &Engine, id: &SessionId, agent: &Manifest, link: &Link) -> Seen {
    if let Ok(text) = link.text(SCREEN_ALONE).await
        && let Some(shown) = downbeat_agents::question_at_rest(agent, &text.text)
    {
        let asked = FactKind::Asked(shown.question);
        evidence::note(engine, id, EvidenceSource::Screen, AT_REST, asked).await;
    }
    Seen::Enough
}

/// A question that leaves the screen after a key was answered or dismissed.
async fn closed(engine: &Engine, id: &SessionId, agent: &Manifest, link: &Link, dismissed: bool) -> Seen {
    let Ok(text) = link.text(SCREEN_ALONE).await else {
        return Seen::NotYet;
    };
    if downbeat_agents::screen_question(agent, &text.text).is_some() {
        return Seen::NotYet;
    }
    // Esc and Ctrl+C end the turn too, and no hook tells.
    let (detail, kind) = match dismissed {
        true => (
            "dismissed by key; the question left the screen",
            FactKind::TurnEnded,
        ),
        false => (
            "answered by key; the question left the screen",
            FactKind::QuestionClosed,
        ),
    };
    evidence::note(engine, id, EvidenceSource::Input, detail, kind).await;
    if dismissed { Seen::Enough } else { Seen::Answered }
}

/// The answers to a question stand on the screen where its hook does not tell them.
async fn offered(engine: &Engine, id: &SessionId, agent: &Manifest, link: &Link) {
    if let Ok(text) = link.text(SCREEN_ALONE).await
        && let Some(shown) = downbeat_agents::screen_question(agent, &text.text)
    {
        offers(engine, id, shown).await;
    }
}

async fn offers(engine: &Engine, id: &SessionId, shown: Shown) {
    let options = shown.question.options;
    if !options.is_empty() {
        let detail = "the answers on the screen";
        evidence::note(
            engine,
            id,
            EvidenceSource::Screen,
            detail,
            FactKind::Offered(options),
        )
        .await;
    }
}

/// Before the first hook, a question is on the screen alone; and of some agents that they are up is
/// in the title alone.
async fn started(engine: &Arc<Engine>, id: &SessionId, agent: &Manifest, link: &Link) {
    let Ok(text) = link.text(SCREEN_ALONE).await else {
        return;
    };
    if let Some(shown) = downbeat_agents::screen_question(agent, &text.text) {
        let detail = "a question on the screen";
        evidence::note(
            engine,
            id,
            EvidenceSource::Screen,
            detail,
            FactKind::Asked(shown.question),
        )
        .await;
    } else if !agent.tells_start() && downbeat_agents::title_is_up(agent, &text.title) {
        evidence::up(engine, id, &text.title).await;
    }
}
