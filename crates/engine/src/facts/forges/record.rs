//! Records what was seen of a pull request: as a fact about it, and on its session's card, together with what follows
//! from it by the project's rules. Writes only what is new.

use crate::decide::reactions::matter::Matter;
use crate::decide::reactions::{self, Occasion};
use crate::decide::{notices, observe, plans, pulls, tracking};
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::pull::{Pull, PullState, SeenPull};
use downbeat_model::session::SessionPull;
use downbeat_model::session::pulls::MOST;
use downbeat_model::{EventKind, Fold as _, SessionId, Subject};
use downbeat_store::retention::OF_EACH;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use serde_json::Value;

/// Returns what is known of a pull request from its recorded facts.
pub async fn known(engine: &Engine, subject: &Subject) -> Result<Pull, ApiError> {
    let most = u32::try_from(OF_EACH).unwrap_or(u32::MAX);
    let events = engine
        .ledger
        .store()
        .events_about(subject, &[EventKind::Fact], most);
    let events = events.await.map_err(error::store)?;
    let mut pull = Pull::unseen();
    for event in events {
        match serde_json::from_value::<SeenPull>(event.payload) {
            Ok(fact) => pull = pull.after(&fact),
            Err(error) => tracing::warn!(subject = subject.word(), "a fact of it cannot be read: {error}"),
        }
    }
    Ok(pull)
}

/// Records an observation, and returns what is known now. Does nothing for a session that is not in memory.
///
/// # Errors
/// Fails if it cannot be written; then nothing of it was.
pub async fn record(
    engine: &Engine,
    (subject, session): (&Subject, &SessionId),
    before: &Pull,
    fact: &SeenPull,
) -> Result<Pull, ApiError> {
    let after = before.clone().after(fact);
    let card = SessionPull::of(subject.clone(), &after, fact);
    let state = engine.ledger.state();
    let Some(row) = state.sessions.get(session) else {
        return Ok(after);
    };
    let is_shown = row.pulls.contains(&card);
    let is_judged = row.reacted.contains_key(subject);
    if is_shown && is_judged && !before.is_changed_by(fact) {
        return Ok(after);
    }
    let rules = engine.rules(&row.project_id).await;
    let written = engine.ledger.write(|draft| {
        if draft.state().sessions.contains_key(session) {
            let row = draft.session(session)?;
            let (project, is_archived) = (row.project_id.clone(), row.archived_at.is_some());
            put(&mut row.pulls, card.clone());
            if is_merged(&after) && !is_merged(before) {
                let of = draft.state().projects.get(&project);
                if of.is_some_and(|of| of.default_branch == card.base_branch) {
                    plans::landed(draft, session, card.head.as_str(), &card.url)?;
                }
                tracking::merged(draft, session, &subject.word(), card.url.clone())?;
            } else if is_closed(&after) && !is_closed(before) {
                tracking::closed(draft, session)?;
            }
            if after.is_gone() && !before.is_gone() {
                let text = pulls::gone(card.number, subject);
                notices::notify(draft, session, NoticeKind::NeedsLook, text)?;
            }
            if let Some(why) = after.denied().filter(|_| before.denied().is_none())
                && !pulls::is_denied_elsewhere(draft.state(), subject)
            {
                let text = pulls::denied(card.number, why);
                notices::notify(draft, session, NoticeKind::NeedsLook, text)?;
            }
            observe::write_news(draft, subject, Some(&project), before, fact);
            if !is_shown {
                draft.session_event(session, EventKind::SessionChanged, Value::Null);
            }
            // An archived session is only followed until its pull requests are merged or closed.
            if !is_archived {
                let about = (subject, Matter::Pull(&after));
                reactions::react(draft, session, about, rules.as_deref(), Occasion::Change)?;
            }
        }
        Ok(())
    });
    written.await?;
    Ok(after)
}

fn is_merged(pull: &Pull) -> bool {
    is(pull, PullState::Merged)
}

fn is_closed(pull: &Pull) -> bool {
    is(pull, PullState::Closed)
}

fn is(pull: &Pull, state: PullState) -> bool {
    pull.seen.as_ref().is_some_and(|seen| seen.state == state)
}

/// Puts a card in the place of the older one of the same pull request, or at the end. Cards of closed pull requests give
/// way first.
fn put(cards: &mut Vec<SessionPull>, card: SessionPull) {
    match cards.iter_mut().find(|one| one.id == card.id) {
        Some(one) => *one = card,
        None => cards.push(card),
    }
    while cards.len() > MOST {
        let closed = cards.iter().position(|one| !one.is_open());
        cards.remove(closed.unwrap_or(0));
    }
}
