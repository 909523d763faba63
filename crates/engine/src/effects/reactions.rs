//! Carries out what rules decided: asks the forge why checks failed, then records the message or the
//! notice together with the end of the effect, so that a crash repeats neither.

use crate::decide::merge;
use crate::decide::merge_queue::Pinned;
use crate::decide::reactions::conclude::{self, Means, is_over};
use crate::decide::reactions::matter::{Matter, SessionMatter, is_at_rest};
use crate::decide::reactions::text::{self, Cause};
use crate::decide::reactions::values;
use crate::effects::causes::causes;
use crate::effects::checks::enqueue;
use crate::effects::checks::merge::new_run;
use crate::effects::session::put_away::{self, PutAway};
use crate::effects::session::{create, pause, restart};
use crate::facts::forges::record;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use downbeat_model::Subject;
use downbeat_model::effect;
use downbeat_model::pull::Pull;
use downbeat_model::reactions::{Act, Effect};
use downbeat_store::SessionRow;
use downbeat_wire::restore::RestartSession;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;

/// The number of tries to carry out an effect. The person is notified after that.
pub(crate) const TRIES: u32 = 6;

/// The time after which an effect is looked at again whose session is at work.
const LATER: SignedDuration = SignedDuration::from_secs(30);

/// Carries out an effect.
///
/// # Errors
/// Fails if the forge does not answer, or if nothing can be recorded; it is then tried again later.
pub async fn carry_out(
    engine: &Arc<Engine>,
    outgoing: &effect::Effect,
    effect: &Effect,
) -> Result<(), ApiError> {
    point("reaction-noted");
    let session: Vec<_> = effect.session.iter().cloned().collect();
    let _held = engine.recall(&session).await?;
    let pull = match &effect.subject {
        Subject::Pull(_) => Some(record::known(engine, &effect.subject).await?),
        _ => None,
    };
    let done = prepare(engine, outgoing, effect, pull.as_ref()).await;
    let _others = match &effect.session {
        Some(id) if matches!(done, Ok((.., Some(_)))) => {
            Some(enqueue::others(engine, &*engine.row(id)?).await?)
        }
        _ => None,
    };
    point("reaction-composed");
    let run = new_run()?;
    let written = match done {
        Ok((Prepared::NotYet, ..)) => return put_off(engine, outgoing).await,
        Ok((Prepared::Recorded, ..)) => Ok(()),
        Ok((prepared, causes, pinned)) => {
            let means = Means {
                causes: &causes,
                merge: run,
                pinned,
                is_over: prepared == Prepared::Over,
                is_done: false,
                started: None,
            };
            conclude(engine, outgoing, effect, pull.as_ref(), &means).await
        }
        Err(error) if outgoing.attempts + 1 < TRIES => return Err(error),
        Err(error) => {
            let why = error.message;
            engine
                .ledger
                .write(|draft| conclude::give_up(draft, &outgoing.key, effect, &why))
                .await
        }
    };
    point("reaction-written");
    written
}

/// What is known before an effect is recorded: whether it can be, why checks failed, and what is to be merged.
type Found = (Prepared, Vec<Cause>, Option<Result<Pinned, String>>);

/// Does what has to be done before an effect is recorded.
async fn prepare(
    engine: &Arc<Engine>,
    outgoing: &effect::Effect,
    effect: &Effect,
    pull: Option<&Pull>,
) -> Result<Found, ApiError> {
    let causes = match pull {
        Some(pull) => causes(engine, outgoing.attempts, effect, pull).await?,
        None => Vec::new(),
    };
    let over = match pull {
        Some(pull) => is_over(effect, Matter::Pull(pull)),
        None => is_over_for_session(engine, effect)?,
    };
    let prepared = match (over, &effect.act) {
        _ if waits_for_rest(engine, effect)? => Prepared::NotYet,
        (true, _) => Prepared::Over,
        (false, Act::Spawn { message, agent }) => {
            let task = (message.as_deref(), agent.as_deref());
            spawn(engine, outgoing, effect, pull, (task, &causes)).await?
        }
        (false, Act::Restart) => restart(engine, outgoing, effect, pull).await?,
        (false, _) => prepared(engine, effect).await?,
    };
    let pinned = match prepared {
        Prepared::Ready => pinned(engine, effect).await?,
        _ => None,
    };
    Ok((prepared, causes, pinned))
}

/// Whether an effect can be recorded now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prepared {
    Ready,
    /// What it needs is at work; that is no failed try.
    NotYet,
    Over,
    /// It was done, and its end recorded with it.
    Recorded,
}

/// Records an effect and its end.
async fn conclude(
    engine: &Arc<Engine>,
    outgoing: &effect::Effect,
    effect: &Effect,
    pull: Option<&Pull>,
    means: &Means<'_>,
) -> Result<(), ApiError> {
    let stuck_after = engine.config().watchdog.stuck_after();
    let about = (pull, stuck_after);
    let written = engine
        .ledger
        .write(|draft| conclude_in(draft, outgoing, effect, about, means));
    written.await?;
    if effect.act == Act::Pause
        && let Some(id) = &effect.session
        && let Some(row) = engine.ledger.session(id)
        && row.hold.pause.as_ref().is_some_and(|pause| pause.interrupts)
    {
        pause::interrupt(engine, id);
    }
    Ok(())
}

/// Records an effect and its end in a change.
fn conclude_in(
    draft: &mut Draft,
    outgoing: &effect::Effect,
    effect: &Effect,
    (pull, stuck_after): (Option<&Pull>, Option<Duration>),
    means: &Means<'_>,
) -> Result<(), ApiError> {
    let own = effect.session.as_ref().and_then(|id| {
        let row = draft.state().row(id)?.clone();
        Some(SessionMatter::of(draft.state(), &row, stuck_after))
    });
    let matter = match (pull, &own) {
        (Some(pull), _) => Matter::Pull(pull),
        (None, Some(own)) => Matter::Session(own),
        (None, None) => return conclude::give_up(draft, &outgoing.key, effect, "its session is gone"),
    };
    conclude::conclude(draft, &outgoing.key, effect, matter, means)
}

/// Returns whether what an effect is about is over by now.
fn is_over_in(
    draft: &Draft,
    effect: &Effect,
    (pull, stuck_after): (Option<&Pull>, Option<Duration>),
) -> bool {
    let row = effect.session.as_ref().and_then(|id| draft.state().row(id));
    match (pull, row) {
        (Some(pull), _) => is_over(effect, Matter::Pull(pull)),
        (None, Some(row)) => {
            let own = SessionMatter::of(draft.state(), row, stuck_after);
            is_over(effect, Matter::Session(&own))
        }
        (None, None) => true,
    }
}

/// Starts another session on the branch of the effect's session, below the same conductor, and records both together.
async fn spawn(
    engine: &Arc<Engine>,
    outgoing: &effect::Effect,
    effect: &Effect,
    pull: Option<&Pull>,
    ((message, agent), causes): ((Option<&str>, Option<&str>), &[Cause]),
) -> Result<Prepared, ApiError> {
    let Some(id) = &effect.session else {
        return Ok(Prepared::Over);
    };
    let (state, row) = (engine.ledger.state(), engine.row(id)?);
    let stuck_after = engine.config().watchdog.stuck_after();
    let own = SessionMatter::of(&state, &row, stuck_after);
    let matter = pull.map_or(Matter::Session(&own), Matter::Pull);
    let about = (effect.event, effect.detail.as_str(), effect.attempt);
    let values = values::of(&state, &row, matter, about);
    let task = text::task(message, effect, matter, causes, values).map_err(ApiError::invalid)?;
    let request = NewSession {
        project_id: Some(row.project_id.to_string()),
        prompt: Some(task),
        agent: agent.map(str::to_owned),
        base: row.branch.clone(),
        parent: row.parent.as_ref().map(ToString::to_string),
        ..NewSession::default()
    };
    let run = new_run()?;
    let also = |draft: &mut Draft, new: &mut SessionRow| {
        new.started_by_rule = Some(effect.rule.clone());
        if is_over_in(draft, effect, (pull, stuck_after)) {
            return Err(ApiError::new(Code::Conflict, "what the rule reacted to is over"));
        }
        let means = Means {
            causes,
            merge: run,
            pinned: None,
            is_over: false,
            is_done: false,
            started: Some(&new.name),
        };
        conclude_in(draft, outgoing, effect, (pull, stuck_after), &means)
    };
    // The rule is the person's; what is on the branch is the agent's.
    let chooser = Caller::Session(id.clone());
    create::create(engine, (&Caller::Owner, &chooser), request, also).await?;
    Ok(Prepared::Recorded)
}

/// Restarts the effect's session, and records both together. If it cannot be started then, its status says so, and that is
/// another end of its agent.
async fn restart(
    engine: &Arc<Engine>,
    outgoing: &effect::Effect,
    effect: &Effect,
    pull: Option<&Pull>,
) -> Result<Prepared, ApiError> {
    let Some(id) = &effect.session else {
        return Ok(Prepared::Over);
    };
    let same = RestartSession {
        id: id.to_string(),
        model: None,
        permission_mode: None,
    };
    let (run, stuck_after) = (new_run()?, engine.config().watchdog.stuck_after());
    let also = |draft: &mut Draft| {
        let means = Means {
            causes: &[],
            merge: run,
            pinned: None,
            is_over: false,
            is_done: true,
            started: None,
        };
        conclude_in(draft, outgoing, effect, (pull, stuck_after), &means)
    };
    let done = restart::restart(engine, id, &same, also).await;
    let waits = |one: &Arc<effect::Effect>| one.key == outgoing.key;
    match done {
        Err(error) if engine.ledger.state().effects.iter().any(waits) => Err(error),
        _ => Ok(Prepared::Recorded),
    }
}

/// Returns whether what an effect is about a session is over.
pub(crate) fn is_over_for_session(engine: &Engine, effect: &Effect) -> Result<bool, ApiError> {
    let Some(id) = &effect.session else {
        return Ok(true);
    };
    let state = engine.ledger.state();
    let row = engine.row(id)?;
    let matter = SessionMatter::of(&state, &row, engine.config().watchdog.stuck_after());
    Ok(is_over(effect, Matter::Session(&matter)))
}

/// Returns whether work would land while its agent is at work, or is not heard of yet after a start of the engine.
fn waits_for_rest(engine: &Engine, effect: &Effect) -> Result<bool, ApiError> {
    let (Act::Merge { .. } | Act::AutoMerge { .. }, Subject::Session(id)) = (&effect.act, &effect.subject)
    else {
        return Ok(false);
    };
    let row = engine.row(id)?;
    Ok(row.archived_at.is_none() && !row.status.is_ended() && !is_at_rest(&engine.ledger.state(), &row))
}

/// Does what has to be done before an effect is recorded.
async fn prepared(engine: &Arc<Engine>, effect: &Effect) -> Result<Prepared, ApiError> {
    let Some(id) = &effect.session else {
        return Ok(Prepared::Ready);
    };
    match &effect.act {
        Act::Archive => Ok(match put_away::put_away(engine, id).await? {
            PutAway::Done => Prepared::Ready,
            PutAway::NotYet => Prepared::NotYet,
            PutAway::GoesOn => Prepared::Over,
        }),
        Act::Merge { .. } | Act::AutoMerge { .. } => {
            let row = engine.row(id)?;
            let Some(run) = &row.merging.run else {
                return Ok(Prepared::Ready);
            };
            if matches!(effect.subject, Subject::Session(_)) {
                // Somebody requested the merge already.
                return Ok(Prepared::Over);
            }
            let (Some(other), false) = (&run.pull, run.is_landing) else {
                return Ok(Prepared::NotYet);
            };
            if other.id != effect.subject || !other.by_rule {
                return Ok(Prepared::NotYet);
            }
            // An order for an older commit waits for what nobody needs any more.
            let is_older = !matches!(&effect.act, Act::Merge { head, .. } | Act::AutoMerge { head, .. } if *head == other.head);
            if is_older {
                let cancelled = engine.ledger.write(|draft| merge::cancel(draft, id));
                cancelled.await?;
                return Ok(Prepared::Ready);
            }
            Ok(Prepared::Over)
        }
        _ => Ok(Prepared::Ready),
    }
}

/// Returns what of a session's work is to land in the project's repository, or why it cannot; `None` if the effect does not
/// ask for that.
async fn pinned(engine: &Engine, effect: &Effect) -> Result<Option<Result<Pinned, String>>, ApiError> {
    let (Act::Merge { .. } | Act::AutoMerge { .. }, Subject::Session(id)) = (&effect.act, &effect.subject)
    else {
        return Ok(None);
    };
    match enqueue::pinned(engine, &*engine.row(id)?, (false, None)).await {
        Ok(pinned) => Ok(Some(Ok(pinned))),
        Err(error) if error.code == Code::Conflict => Ok(Some(Err(error.message))),
        Err(error) => Err(error),
    }
}

/// Looks at an effect again in a while.
async fn put_off(engine: &Engine, outgoing: &effect::Effect) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let later = draft.now().checked_add(LATER).unwrap_or(Timestamp::MAX);
        draft.change_effect(&outgoing.key, |effect| effect.not_before = later);
        Ok(())
    });
    written.await
}
