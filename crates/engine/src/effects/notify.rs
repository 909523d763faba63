//! Sends notices through notifiers, one at a time for each. A try and its record are two steps: after a crash in between,
//! the same message is sent again under the same identifier.

use crate::decide::notifying::{self, Next, Remembered, When};
use crate::host::failpoint::point;
use crate::host::named;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::delivery::{NotifierSeen, Verdict};
use downbeat_model::{DeliveryId, EventKind, NotifierName, Subject};
use downbeat_notifiers::retry::{self, Outcome, Tried};
use downbeat_notifiers::{Answer, Message, NotifierConfig, Target, Unready};
use downbeat_wire::ApiError;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// The wait before a secret is looked up again whose keychain is locked; it costs no try.
const LOCKED: SignedDuration = SignedDuration::from_mins(1);

/// Sends the next notice of a notifier, if one is due.
///
/// # Errors
/// Fails if nothing can be recorded.
pub async fn send_next(engine: &Engine, name: &str) -> Result<(), ApiError> {
    let turn = engine.notifiers.turn(name);
    let _turn = turn.lock().await;
    let (state, now) = (engine.ledger.state(), Timestamp::now());
    let When::Now(next) = notifying::next(&state, name, now) else {
        return Ok(());
    };
    let Some(config) = engine.config().notifiers.get(name).cloned() else {
        // It was removed from the configuration since.
        let gone = engine.ledger.write(|draft| {
            draft.change_effect(&next.key, crate::state::addressed::give_up);
            Ok(())
        });
        return gone.await;
    };
    let remembered = remembered(engine, &next, now);
    match notifying::verdict(&state, &next, remembered, now) {
        Verdict::Send => send(engine, &next, &config).await,
        Verdict::Skip(why) => {
            let skipped = engine.ledger.write(|draft| {
                notifying::skip(draft, &next.key, why);
                Ok(())
            });
            skipped.await
        }
        Verdict::Later(until) => {
            let postponed = engine.ledger.write(|draft| {
                notifying::postpone(draft, &next.key, until);
                Ok(())
            });
            postponed.await
        }
    }
}

fn remembered(engine: &Engine, next: &Next, now: Timestamp) -> Remembered {
    let memory = engine.notifiers.memory();
    let session = next.delivery.notice.session_id.as_ref();
    Remembered {
        looked_at: session.and_then(|id| memory.views.looked_at(id, now)),
        sent_at: session.and_then(|id| memory.sent_at(&next.delivery.notifier, id)),
    }
}

/// Sends a notice, and records what became of it.
async fn send(engine: &Engine, next: &Next, config: &NotifierConfig) -> Result<(), ApiError> {
    let (name, notice) = (&next.delivery.notifier, &next.delivery.notice);
    let projects = engine.ledger.state().projects;
    let project = notice.project_id.as_ref().and_then(|id| projects.get(id));
    let message = Message::of(notice, project.map(|project| project.name.as_str()));
    // Nothing is sent whose end could not be recorded.
    let seen = seen(engine, name).await?;
    point("notice-due");
    let outcome = attempt(
        engine,
        (name, config),
        &message,
        (&next.delivery.id, notifying::tried(next)),
    )
    .await;
    point("notice-sent");
    if outcome == Outcome::Delivered
        && let Some(session) = &notice.session_id
    {
        engine.notifiers.memory().sent(name, session, Timestamp::now());
    }
    // On a full disk, too: what was sent must not be sent again.
    let written = engine.ledger.write_or_owe(|draft| {
        notifying::conclude(draft, next, &outcome, seen);
        Ok(())
    });
    written.await?;
    point("notice-recorded");
    Ok(())
}

/// Sends a message now, and returns what becomes of it.
async fn attempt(
    engine: &Engine,
    (name, config): (&str, &NotifierConfig),
    message: &Message,
    (id, tried): (&str, Tried),
) -> Outcome {
    let target = match target(engine, name, config).await {
        Ok(target) => target,
        Err(unready) if unready.may_pass => {
            let at = Timestamp::now().saturating_add(LOCKED).unwrap_or(Timestamp::MAX);
            let why = unready.why;
            return Outcome::Again { at, tried, why };
        }
        Err(unready) => return Outcome::GaveUp(format!("{}; {}", unready.why, unready.hint)),
    };
    wait_for_turn(engine, name, &target).await;
    let request = target.request(message, id, Timestamp::now());
    let reply = engine.notifiers.client.post(&request).await;
    let now = Timestamp::now();
    engine.notifiers.memory().asked_at.insert(name.to_owned(), now);
    let answer = target.answer(&reply, now);
    match &answer {
        Answer::Delivered => tracing::debug!(notifier = name, "delivered"),
        Answer::Wait(long) => tracing::info!(notifier = name, "it asks to wait {long:#}"),
        Answer::Again { why, .. } | Answer::GiveUp(why) => {
            tracing::warn!(notifier = name, "not delivered: {why}");
        }
    }
    retry::after(answer, target.kind, config, tried, now)
}

/// Waits until the notifier may be asked again.
async fn wait_for_turn(engine: &Engine, name: &str, target: &Target) {
    let asked = engine.notifiers.memory().asked_at.get(name).copied();
    let since = asked.map(|asked| Timestamp::now().duration_since(asked));
    // A time in the future is one of a clock that was set back.
    let left = since
        .filter(|since| !since.is_negative())
        .map(|since| target.kind.gap() - since);
    if let Some(left) = left.and_then(|left| Duration::try_from(left).ok()) {
        tokio::time::sleep(left).await;
    }
}

/// Returns a notifier with its secrets, which are read anew each time.
///
/// # Errors
/// Says what is missing.
pub async fn target(engine: &Engine, name: &str, config: &NotifierConfig) -> Result<Target, Unready> {
    let (name, config) = (name.to_owned(), config.clone());
    let found = named::with_sources(&engine.env, move |sources| Target::of(&name, &config, sources));
    found.await.unwrap_or_else(|error| {
        Err(Unready {
            why: error.message,
            hint: "`downbeat logs`".to_owned(),
            may_pass: false,
        })
    })
}

/// Returns what was last seen of a notifier.
///
/// # Errors
/// Fails if it cannot be read.
pub async fn seen(engine: &Engine, name: &str) -> Result<NotifierSeen, ApiError> {
    let Some(name) = NotifierName::new(name) else {
        return Ok(NotifierSeen::default());
    };
    let about = Subject::Notifier(name);
    let facts = engine.ledger.store().events_about(&about, &[EventKind::Fact], 1);
    let last = facts.await.map_err(error::store)?.pop();
    Ok(last
        .and_then(|fact| serde_json::from_value(fact.payload).ok())
        .unwrap_or_default())
}

/// Sends a test now, once, and records what became of it.
///
/// # Errors
/// Fails if nothing can be recorded.
pub async fn test(engine: &Engine, name: &str, config: &NotifierConfig) -> Result<Outcome, ApiError> {
    let turn = engine.notifiers.turn(name);
    let _turn = turn.lock().await;
    let id = DeliveryId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let once = NotifierConfig {
        retries: Some(0),
        ..config.clone()
    };
    let message = Message::test(Timestamp::now());
    let first = Tried::default();
    let outcome = match attempt(engine, (name, &once), &message, (id.as_str(), first)).await {
        Outcome::Again { why, .. } => Outcome::GaveUp(why),
        outcome => outcome,
    };
    let seen = seen(engine, name).await?;
    let written = engine.ledger.write(|draft| {
        let now = draft.now();
        let given_up = seen.given_up;
        let mut seen = notifying::after(seen, &outcome, now);
        if outcome != Outcome::Delivered {
            // A test is no notice that was lost.
            seen.given_up = given_up;
        }
        notifying::note(draft, name, &seen);
        Ok(())
    });
    written.await?;
    Ok(outcome)
}
