//! Usage limits of agents: told apart from other failures, waited for, and gone on after. When to go
//! on is decided by [`downbeat_model::usage_limit`]; here the time comes in, and what was decided goes
//! through the session's queue, in the transaction that notes that it did: once, whatever ends when.
//!
//! Times are looked at by the clock at least every [`CHECK`], since a machine that sleeps stops the
//! timers and not the clock. Nothing runs while no session has a limit.

use crate::engine::Engine;
use crate::hold::Hold;
use crate::idempotency::Effect;
use crate::ledger::{Draft, State};
use crate::messages::{self, New};
use crate::point::point;
use crate::transcripts::Refusal;
use crate::{budgets, care, pause, reason, watch};
use downbeat_agents::Manifest;
use downbeat_model::{
    About, Activity, EventKind, EvidenceSource, Fact, FactKind, Limited, Sender, SessionId, Status, When,
    usage_limit,
};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::session::{GoOn, LimitState, Session};
use downbeat_wire::{ApiError, Code};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;

/// What an agent is told after a limit.
const GO_ON: &str = "continue";

/// Between two looks at the clock while a session has a limit.
pub const CHECK: Duration = Duration::from_secs(30);

/// How long before it was read an error in a transcript may have ended the turn that is over now.
const FRESH: SignedDuration = SignedDuration::from_mins(2);

/// In place of a message, where the queue has no room for one more: those that wait go on with it.
const NO_MESSAGE: i64 = 0;

/// A fact of an agent's own hooks, with limits told apart from other failures.
pub fn told(agent: &Manifest, fact: Fact) -> Fact {
    let kind = downbeat_agents::with_limit(agent, fact.kind, fact.at, &TimeZone::system());
    Fact { kind, ..fact }
}

/// An error ended what an agent wrote down until now. Where its turn is over, too, and no hook told
/// why, this does: a limit, or with a turn that failed and told nothing, whatever it was.
pub async fn read(engine: &Engine, id: &SessionId, refusal: Refusal) {
    let (text, at) = (&refusal.text, refusal.at);
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let (Some(seen), Ok(agent)) = (&row.observed, engine.agent(&row.agent)) else {
        return;
    };
    let over = matches!(
        seen.activity,
        Activity::Idle | Activity::Unknown | Activity::Blocked
    );
    // Later than all that its hooks told: the turn that they told of is the one that failed.
    let fails = refusal.ends_turn && seen.turn_failed_at(at);
    let told_late = over && at.duration_since(seen.since).abs() <= FRESH;
    if !fails && !told_late {
        return;
    }
    let kind = match downbeat_agents::usage_limit(&agent, text, at, &TimeZone::system()) {
        Some(limit) => FactKind::Limited(limit),
        None if fails => FactKind::Blocked(text.clone()),
        None => return,
    };
    let detail = "the last line of its transcript";
    watch::note(engine, id, EvidenceSource::Transcript, detail, kind).await;
}

/// An error ended what a sub-agent wrote down: it is over, of which no hook tells.
pub async fn sub_agent_failed(engine: &Engine, id: &SessionId, sub_agent: String) {
    let works = |row: Arc<SessionRow>| {
        let seen = row.observed.as_ref();
        seen.is_some_and(|seen| seen.sub_agents.is_at_work(&sub_agent))
    };
    if !engine.ledger.session(id).is_some_and(works) {
        return;
    }
    let about = About {
        sub_agent: Some(sub_agent),
        call: None,
        ended: true,
    };
    let detail = "the last line of its sub-agent's transcript";
    watch::note_of(
        engine,
        id,
        EvidenceSource::Transcript,
        detail,
        FactKind::SubAgent,
        about,
    )
    .await;
}

/// The limit that keeps a session waiting.
fn of(row: &SessionRow) -> Option<&Limited> {
    let waits = row.status == Status::Waiting && row.intent.is_none();
    row.observed.as_ref().filter(|_| waits)?.limit.as_ref()
}

/// Until when a message waits for the end of a limit. One that is to be delivered now does not; where
/// the session goes on by itself, what goes on comes first.
pub fn holds(engine: &Engine, row: &SessionRow, message: &MessageRow, now: Timestamp) -> Option<Timestamp> {
    let limited = of(row).filter(|_| message.mode != When::Now)?;
    let first = limited.message.is_none() && by_itself(row, engine.config().usage_limits.go_on);
    let over = limited.over_at(margin()).filter(|_| first);
    limited.holds(margin(), now).or(over)
}

/// A moment as people read it: `15:01`, with its day where that is another one.
pub fn clock(at: Timestamp, now: Timestamp) -> String {
    let (at, now) = (at.to_zoned(TimeZone::system()), now.to_zoned(TimeZone::system()));
    let form = match at.date() == now.date() {
        true => "%H:%M",
        false => "%a %-d %b, %H:%M",
    };
    at.strftime(form).to_string()
}

fn margin() -> SignedDuration {
    let sooner = care::sooner("DOWNBEAT_TEST_LIMIT_MARGIN_MS");
    sooner.map_or(usage_limit::MARGIN, |sooner| {
        SignedDuration::try_from(sooner).unwrap_or(usage_limit::MARGIN)
    })
}

fn by_itself(row: &SessionRow, setting: bool) -> bool {
    Hold::of(row).go_on.unwrap_or(setting)
}

/// What is shown of the limit that keeps a session waiting.
pub fn state(engine: &Engine, row: &SessionRow) -> Option<LimitState> {
    let limited = of(row)?;
    Some(LimitState {
        text: limited.limit.text.clone(),
        resets_at: limited.limit.resets_at,
        over_at: limited.over_at(margin()),
        by_itself: by_itself(row, engine.config().usage_limits.go_on),
        goes_on: limited.message.is_some(),
    })
}

/// How many sessions wait for nobody: they go on by themselves.
pub fn by_themselves(engine: &Engine, state: &State) -> u32 {
    let setting = engine.config().usage_limits.go_on;
    let goes_on = |row: &&Arc<SessionRow>| {
        by_itself(row, setting) && of(row).is_some_and(|limited| limited.over_at(margin()).is_some())
    };
    u32::try_from(state.sessions.values().filter(goes_on).count()).unwrap_or(u32::MAX)
}

/// Fills in the limits of sessions.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [Session]) {
    for session in sessions {
        let row = state.sessions.get(&session.id);
        session.limit = row.and_then(|row| self::state(engine, row));
    }
}

/// Goes on with sessions whose limits are over, until the engine lets go.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            let next = look(&engine).await;
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                () = pause(next) => {}
                changed = commits.changed() => if changed.is_err() { return },
            }
        }
    });
}

async fn pause(next: Option<Duration>) {
    match next {
        Some(next) => tokio::time::sleep(next).await,
        None => std::future::pending().await,
    }
}

/// Goes on where that is due, and says when to look again.
async fn look(engine: &Engine) -> Option<Duration> {
    let (due, next) = due(
        &engine.ledger.state(),
        engine.config().usage_limits.go_on,
        Timestamp::now(),
    );
    let mut again = None;
    for id in due {
        match engine.ledger.write(|draft| go_on_if_due(draft, &id)).await {
            Ok(()) => point("limit-over"),
            Err(error) => {
                tracing::warn!(session = %id, "it does not go on after its limit yet: {error}");
                again = Some(CHECK);
            }
        }
    }
    next.into_iter().chain(again).min()
}

/// The sessions that are to go on now, and after how long to look at the others. Pure.
fn due(state: &State, setting: bool, now: Timestamp) -> (Vec<SessionId>, Option<Duration>) {
    let (mut due, mut next) = (Vec::new(), None);
    for row in state.sessions.values().filter(|row| by_itself(row, setting)) {
        let Some(limited) = of(row).filter(|limited| limited.message.is_none()) else {
            continue;
        };
        match limited.over_at(margin()) {
            Some(over) if over <= now => due.push(row.id.clone()),
            Some(over) => next = next.into_iter().chain([rest(over, now)]).min(),
            None => {}
        }
    }
    (due, next)
}

/// How long to wait for a moment before the clock is looked at again.
pub fn rest(until: Timestamp, now: Timestamp) -> Duration {
    match Duration::try_from(until.duration_since(now)) {
        Ok(rest) if !rest.is_zero() => rest.min(CHECK),
        _ => CHECK,
    }
}

fn go_on_if_due(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let now = draft.now();
    let is_due = of(draft.session(id)?).is_some_and(|limited| limited.is_due(margin(), now));
    if is_due { put(draft, id) } else { Ok(()) }
}

/// Puts the message that goes on into the queue, before all others, for a limit or a turn that was cut.
pub fn put(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let new = New {
        text: GO_ON.into(),
        sender: Sender::Downbeat,
        when: When::WhenReady,
        is_task: false,
    };
    let number = match messages::enqueue(draft, id, new) {
        Ok(number) => {
            messages::put_first(draft, id, number)?;
            number
        }
        Err(error) if error.code == Code::Conflict => NO_MESSAGE,
        Err(error) => return Err(error),
    };
    let row = draft.session(id)?;
    if let Some(limited) = row.observed.as_mut().and_then(|seen| seen.limit.as_mut()) {
        limited.message = Some(number);
    }
    draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    Ok(())
}

/// The limit is over, or the session is: a message to go on that was not typed yet is not wanted.
pub fn over(draft: &mut Draft, id: &SessionId, limited: &Limited) {
    if let Some(number) = limited.message {
        messages::withdraw(draft, id, number);
    }
}

/// What a person says of going on.
pub async fn go_on(engine: &Engine, id: &SessionId, wish: GoOn) -> Result<(), ApiError> {
    let (past, stay) = budgets::passed(engine, &*engine.row(id)?).await?;
    let written = engine.ledger.write(|draft| {
        match wish {
            GoOn::Now if Hold::of(draft.session(id)?).pause.is_some() => {
                pause::go_on(draft, id, &past, &stay)?
            }
            GoOn::Now => now(draft, id)?,
            GoOn::AfterLimit => Hold::change(live(draft, id)?, |hold| hold.go_on = Some(true)),
            GoOn::Not => {
                Hold::change(live(draft, id)?, |hold| hold.go_on = Some(false));
                take_back(draft, id)?;
            }
        }
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        draft.effect(Effect::Session(id.clone()));
        Ok(())
    });
    written.await?;
    Ok(())
}

fn live<'a>(draft: &'a mut Draft, id: &SessionId) -> Result<&'a mut SessionRow, ApiError> {
    let row = draft.session(id)?;
    if row.status.is_ended() {
        let what = format!("{} is over: {}", row.name, row.status.as_str());
        return Err(ApiError::new(Code::Conflict, what).hint("resume it first"));
    }
    Ok(row)
}

fn now(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = live(draft, id)?;
    let Some(limited) = of(row) else {
        let what = format!(
            "{} is not paused or rate limited; it is {}",
            row.name,
            reason::says(row)
        );
        return Err(ApiError::new(Code::Conflict, what).hint("send it a message instead"));
    };
    let put_before = limited.message;
    if messages::retries_at(row).is_some() {
        let is_put = |row: &MessageRow| row.sender == Sender::Downbeat && row.text == GO_ON;
        if messages::open(draft.state(), id).any(|row| is_put(row)) {
            return Ok(());
        }
        // Its own next try is cut short, and with it goes the limit: the message stays.
        let new = New {
            text: GO_ON.into(),
            sender: Sender::Downbeat,
            when: When::Now,
            is_task: false,
        };
        return messages::enqueue(draft, id, new).map(drop);
    }
    // Said twice, it goes on once.
    match put_before.is_some_and(|number| messages::open(draft.state(), id).any(|row| row.id == number)) {
        true => Ok(()),
        false => put(draft, id),
    }
}

/// It is not to go on after all.
fn take_back(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let limited = of(draft.session(id)?).cloned();
    let Some(limited) = limited else { return Ok(()) };
    over(draft, id, &limited);
    let typed = limited
        .message
        .is_some_and(|number| messages::open(draft.state(), id).any(|row| row.id == number));
    let row = draft.session(id)?;
    if let Some(limited) = row.observed.as_mut().and_then(|seen| seen.limit.as_mut())
        && !typed
    {
        limited.message = None;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_moment_is_looked_at_again_before_it_comes() {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(rest(at(1000), at(995)), Duration::from_secs(5));
        assert_eq!(rest(at(90_000), at(0)), CHECK);
        assert_eq!(rest(at(0), at(5)), CHECK, "what is over is told by a change");
    }
}
