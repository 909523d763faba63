//! Reads a settled screen for what no hook reports: a trust question before the first hook, the options of a
//! question, and whether a question that a hook opened is still there after a key press. The weakest kind of
//! evidence, never on a timer of its own.

use crate::facts::evidence;
use crate::state::context::Engine;
use downbeat_agents::{Manifest, Shown};
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::{Activity, EvidenceSource, FactKind, Observed, QuestionKind, SessionId, Status};
use jiff::Timestamp;
use std::sync::Arc;

/// A key that was pressed by a person, or by Downbeat on behalf of somebody.
pub struct Key {
    /// `escape`, `enter`, `ctrl-c`, `digit`; `answer` once such a key closed a question.
    pub name: String,
    /// The time of the key press.
    pub at: Timestamp,
}

/// The result of a look at the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing is left that the key could explain.
    Enough,
    /// The screen does not show the effect of the key yet.
    NotYet,
    /// A question was answered; whether the turn continues shows in a moment.
    Answered,
    /// The turn was interrupted; its prompt may be back in the agent's prompt.
    Interrupted,
}

/// Reads the screen if its rules could apply now. A question that a hook opened is closed only after a later
/// `key`: a screen that no rule recognizes is not evidence.
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
        // The agent is at its prompt: neither the screen nor a key shows what happens to the question.
        Activity::WaitingInput if known.asks_in_prose() => Seen::Enough,
        // Also after a negative answer: some agents end their turn then without a report.
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

/// Whether a single key answers the open question, so that its disappearance from the screen means something.
/// A choice that a hook reported is the agent's own form, possibly of several pages, and its hook reports when it is done.
fn takes_one_key(known: &Observed) -> bool {
    known.open.first().is_some_and(|open| {
        open.question.kind != QuestionKind::Choice || open.evidence.source == EvidenceSource::Screen
    })
}

/// Whether the options on the screen belong to the only open question.
fn wants_options(known: &Observed) -> bool {
    known.open.len() == 1 && known.question().is_some_and(|open| open.options.is_empty())
}

/// Ends a turn after Esc or an answer if the title shows the agent idle; no hook reports that.
async fn interrupted(engine: &Arc<Engine>, id: &SessionId, agent: &Manifest, link: &Link) -> Seen {
    let Ok(text) = link.text(SCREEN_ALONE).await else {
        return Seen::NotYet;
    };
    if downbeat_agents::title_works(agent, &text.title) != Some(false) {
        return Seen::NotYet;
    }
    let detail = "after a key press, the title shows it idle";
    evidence::note(engine, id, EvidenceSource::Title, detail, FactKind::TurnEnded).await;
    Seen::Interrupted
}

/// The evidence of a question that an agent asks for a command of its own.
const AT_REST: &str = "a question on the screen, at a command of its own";

/// Records a question that an idle agent asks after a command of its own; no hook reports it.
async fn at_rest(engine: &Engine, id: &SessionId, agent: &Manifest, link: &Link) -> Seen {
    if let Ok(text) = link.text(SCREEN_ALONE).await
        && let Some(shown) = downbeat_agents::question_at_rest(agent, &text.text)
    {
        let asked = FactKind::Asked(shown.question);
        evidence::note(engine, id, EvidenceSource::Screen, AT_REST, asked).await;
    }
    Seen::Enough
}

/// Closes a question that left the screen after a key: it was answered or dismissed.
async fn closed(engine: &Engine, id: &SessionId, agent: &Manifest, link: &Link, dismissed: bool) -> Seen {
    let Ok(text) = link.text(SCREEN_ALONE).await else {
        return Seen::NotYet;
    };
    if downbeat_agents::screen_question(agent, &text.text).is_some() {
        return Seen::NotYet;
    }
    // Esc and Ctrl+C also end the turn, and no hook reports it.
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

/// Reads the options of a question from the screen if its hook did not report them.
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

/// Records a question that is shown before the first hook, or that the agent is up: some agents show that in
/// the title alone.
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
