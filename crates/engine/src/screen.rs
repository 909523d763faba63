//! Looks at a settled screen for what no hook tells: a trust question before the first hook, and
//! whether a question that a hook opened is still there after a key was pressed. Last in the order
//! of evidence, never on a timer of its own.

use crate::engine::Engine;
use crate::watch;
use downbeat_keeper::Link;
use downbeat_model::{Activity, EvidenceSource, FactKind, SessionId, Status};

/// Lines from the bottom of the screen that a rule may look at.
const LINES: u32 = 40;

/// Reads the screen, if its rules could say anything now. A question that a hook opened is closed
/// only after a `key` was pressed: a screen that no rule knows is no evidence.
pub async fn look(engine: &Engine, id: &SessionId, link: &Link, key: Option<String>) {
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let has_hooks = engine
        .definition(&row.agent)
        .is_ok_and(|definition| definition.has_hooks);
    let heard = row.observed.as_ref().is_some_and(|seen| seen.has_hooks);
    let asked = row
        .observed
        .as_ref()
        .is_some_and(|seen| seen.activity == Activity::WaitingInput);
    let starting = matches!(row.status, Status::Spawning | Status::Waiting) && !heard;
    let active = row
        .observed
        .as_ref()
        .is_some_and(|seen| seen.activity == Activity::Active)
        && heard;
    let dismissed = matches!(key.as_deref(), Some("escape" | "ctrl-c"));
    if !has_hooks || !(starting || asked || (active && dismissed)) {
        return;
    }
    let Ok(text) = link.text(LINES).await else { return };
    if active && dismissed {
        // Esc during a turn ends it, and no hook tells: the title does.
        if downbeat_agents::title_works(&row.agent, &text.title) == Some(false) {
            let detail = "interrupted by key; the title says it rests";
            watch::note(engine, id, EvidenceSource::Title, detail, FactKind::TurnEnded).await;
        }
        return;
    }
    match downbeat_agents::screen_question(&row.agent, &text.text) {
        Some(question) if !asked => {
            watch::note(
                engine,
                id,
                EvidenceSource::Screen,
                "a question on the screen",
                FactKind::Asked(question),
            )
            .await;
        }
        None if asked => match key.as_deref() {
            // Esc and Ctrl+C end the turn, and no hook tells.
            Some("escape" | "ctrl-c") => {
                let detail = "dismissed by key; the question left the screen";
                watch::note(engine, id, EvidenceSource::Input, detail, FactKind::TurnEnded).await;
            }
            Some(_) => {
                let detail = "answered by key; the question left the screen";
                watch::note(
                    engine,
                    id,
                    EvidenceSource::Input,
                    detail,
                    FactKind::QuestionClosed,
                )
                .await;
            }
            None => {}
        },
        _ => {}
    }
}
