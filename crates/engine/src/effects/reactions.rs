//! Carries out what rules decided: asks the forge why checks failed, then records the message or the
//! notice together with the end of the effect, so that a crash repeats neither.

use crate::decide::merge;
use crate::decide::merge_queue::Pinned;
use crate::decide::reactions::conclude::{self, Means, is_over};
use crate::decide::reactions::matter::{Matter, SessionMatter, is_at_rest};
use crate::decide::reactions::text::{self, Cause};
use crate::decide::reactions::values;
use crate::effects::checks::enqueue;
use crate::effects::checks::merge::new_run;
use crate::effects::conflict;
use crate::effects::session::put_away::{self, PutAway};
use crate::effects::session::{create, pause, restart};
use crate::facts::forges::{look, record};
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use downbeat_forge::{Check, CheckFailure, FailureDetail, Forge, NodeId, RepositoryName};
use downbeat_model::effect;
use downbeat_model::pull::Pull;
use downbeat_model::reactions::{Act, Effect, Event};
use downbeat_model::{PullId, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::restore::RestartSession;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// The number of tries to carry out an effect. The person is notified after that.
pub(crate) const TRIES: u32 = 6;

/// The number of tries to learn why checks failed. After that the agent is told without it.
const TRIES_OF_LOG: u32 = 3;

/// The number of failed checks whose logs are read for one message: as many as fit. Of the others only the step is asked.
const LOGS: usize = 12;

/// The number of failed checks that a forge is asked about for one message. The others are only named.
const ASKED: usize = 40;

/// The number of failed checks that are asked about at a time.
const AT_ONCE: usize = 6;

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
    let done = async {
        let causes = match &pull {
            Some(pull) => causes(engine, outgoing.attempts, effect, pull).await?,
            None => Vec::new(),
        };
        let over = match &pull {
            Some(pull) => is_over(effect, Matter::Pull(pull)),
            None => is_over_for_session(engine, effect)?,
        };
        let prepared = match (over, &effect.act) {
            _ if waits_for_rest(engine, effect)? => Prepared::NotYet,
            (true, _) => Prepared::Over,
            (false, Act::Spawn { message, agent }) => {
                let task = (message.as_deref(), agent.as_deref());
                spawn(engine, outgoing, effect, pull.as_ref(), (task, &causes)).await?
            }
            (false, _) => prepared(engine, effect).await?,
        };
        let pinned = match prepared {
            Prepared::Ready => pinned(engine, effect).await?,
            _ => None,
        };
        Ok((prepared, causes, pinned))
    };
    let done: Result<(Prepared, Vec<Cause>, Option<_>), ApiError> = done.await;
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
                is_done: prepared == Prepared::Done,
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

/// Whether an effect can be recorded now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prepared {
    Ready,
    /// What it needs is at work; that is no failed try.
    NotYet,
    Over,
    /// It was done: only its end is to be recorded.
    Done,
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
    let (Act::Merge { .. }, Subject::Session(id)) = (&effect.act, &effect.subject) else {
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
        Act::Restart => {
            let same = RestartSession {
                id: id.to_string(),
                model: None,
                permission_mode: None,
            };
            restart::restart(engine, id, &same).await?;
            Ok(Prepared::Done)
        }
        _ => Ok(Prepared::Ready),
    }
}

/// Returns what of a session's work is to land in the project's repository, or why it cannot; `None` if the effect does not
/// ask for that.
async fn pinned(engine: &Engine, effect: &Effect) -> Result<Option<Result<Pinned, String>>, ApiError> {
    let (Act::Merge { .. }, Subject::Session(id)) = (&effect.act, &effect.subject) else {
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

/// Returns why the checks of an effect failed, or what conflicts. After some tries without an answer it returns what is known.
pub(crate) async fn causes(
    engine: &Engine,
    tries: u32,
    effect: &Effect,
    pull: &Pull,
) -> Result<Vec<Cause>, ApiError> {
    let Some(seen) = &pull.seen else {
        return Ok(Vec::new());
    };
    let uses = matches!(effect.act, Act::Send { .. } | Act::Spawn { .. } | Act::Run { .. });
    let Subject::Pull(id) = &effect.subject else {
        return Ok(Vec::new());
    };
    match (effect.event, &effect.session) {
        (Event::CiFailed, _) if uses => {}
        (Event::MergeConflicts, Some(session)) if uses => {
            let found = conflict::of_pull(engine, session, id, seen).await;
            return Ok(found.into_iter().collect());
        }
        _ => return Ok(Vec::new()),
    }
    let failed: Vec<_> = text::failed(effect, seen).collect();
    if let Some(first) = failed.first()
        && followed(engine, id, &first.id).await.is_none()
    {
        // A new engine carries out effects before it has asked the forge for the first time.
        look::look(engine).await;
    }
    let mut causes = Vec::new();
    let asked_about = failed.get(..ASKED).unwrap_or(&failed);
    for some in asked_about.chunks(AT_ONCE) {
        let from = causes.len();
        let asked = some.iter().zip(from..).map(|(check, place)| {
            let detail = match place < LOGS {
                true => FailureDetail::Log,
                false => FailureDetail::Step,
            };
            of_run(engine, id, &check.id, detail)
        });
        for (check, answer) in some.iter().zip(join_all(asked).await) {
            causes.push(match answer {
                Ok(failure) => cause(&failure),
                Err(error) if tries + 1 < TRIES_OF_LOG => return Err(error),
                Err(error) => Cause {
                    of: check.id.clone(),
                    step: None,
                    output: format!("its log could not be read: {}", error.message),
                },
            });
        }
    }
    Ok(causes)
}

/// Asks a forge why a run failed.
async fn of_run(
    engine: &Engine,
    pull: &PullId,
    run: &str,
    detail: FailureDetail,
) -> Result<CheckFailure, ApiError> {
    let known = followed(engine, pull, run).await;
    let (client, repository, check) = known.ok_or_else(|| {
        let what = format!("{} was not asked about this pull request yet", pull.forge());
        ApiError::new(Code::Conflict, what)
    })?;
    let answer = client.failure(&repository, &check, detail).await;
    answer.map_err(|error| ApiError::failed("the log cannot be read", error))
}

async fn followed(
    engine: &Engine,
    pull: &PullId,
    run: &str,
) -> Option<(Arc<dyn Forge>, RepositoryName, Check)> {
    let host = engine.forges.host(pull.forge());
    let memory = host.memory.lock().await;
    let one = memory.pulls.get(&NodeId(pull.id().to_owned()))?;
    let mut runs = one.last.as_ref()?.checks.runs.iter();
    let check = runs.find(|check| check.id.0 == run)?.clone();
    Some((memory.client.clone()?, one.repository.clone(), check))
}

/// Returns what of a failure goes to the agent: its annotations, and the end of its log. Nothing but the step if no log was asked
/// for.
fn cause(failure: &CheckFailure) -> Cause {
    let mut output = String::new();
    if failure.log.is_none() && failure.no_log.is_none() {
        return Cause {
            of: failure.check.0.clone(),
            step: failure.step.as_ref().map(|step| step.name.clone()),
            output,
        };
    }
    if let Some(summary) = &failure.summary {
        let _ = writeln!(output, "{}", summary.text);
    }
    for one in failure.annotations.iter().filter(|one| one.level == "failure") {
        let _ = writeln!(output, "{}:{}: {}", one.path, one.line, one.message.text);
    }
    match (&failure.log, &failure.no_log) {
        (Some(log), _) => output.push_str(&log.text),
        (None, Some(why)) => output.push_str(why),
        (None, None) => {}
    }
    Cause {
        of: failure.check.0.clone(),
        step: failure.step.as_ref().map(|step| step.name.clone()),
        output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_forge::{Annotation, Excerpt, LogTail, Step};

    #[test]
    fn the_log_comes_last_because_its_end_is_kept() {
        let failure = CheckFailure {
            check: NodeId("CR_1".into()),
            name: "test".into(),
            step: Some(Step {
                number: 3,
                name: "Run tests".into(),
            }),
            summary: Some(Excerpt::of("1 failed", 100)),
            annotations: ["failure", "notice"]
                .map(|level| Annotation {
                    path: "a.rs".into(),
                    line: 2,
                    level: level.into(),
                    message: Excerpt::of(level, 100),
                })
                .to_vec(),
            log: Some(LogTail {
                text: "assertion failed".into(),
                ..LogTail::default()
            }),
            no_log: None,
        };
        let cause = cause(&failure);
        assert_eq!(cause.step.as_deref(), Some("Run tests"));
        assert_eq!(cause.output, "1 failed\na.rs:2: failure\nassertion failed");
    }
}
