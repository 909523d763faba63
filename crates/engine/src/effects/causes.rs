//! Asks a forge why the checks failed that an effect of a rule is about, and the repository what conflicts. Not how that is told.

use crate::decide::reactions::text::{self, Cause};
use crate::effects::conflict;
use crate::facts::forges::look;
use crate::state::context::Engine;
use downbeat_forge::{Check, CheckFailure, FailureDetail, Forge, NodeId, RepositoryName};
use downbeat_model::pull::Pull;
use downbeat_model::reactions::{Act, Effect, Event};
use downbeat_model::{PullId, Subject};
use downbeat_wire::{ApiError, Code};
use futures_util::future::join_all;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// The number of tries to learn why checks failed. After that the agent is told without it.
const TRIES_OF_LOG: u32 = 3;

/// The number of failed checks whose logs are read for one message: as many as fit. Of the others only the step is asked.
const LOGS: usize = 12;

/// The number of failed checks that a forge is asked about for one message. The others are only named.
const ASKED: usize = 40;

/// The number of failed checks that are asked about at a time.
const AT_ONCE: usize = 6;

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

/// The longest wait for a look at a forge that is under way.
const PATIENCE: Duration = Duration::from_secs(10);

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
    let memory = tokio::time::timeout(PATIENCE, host.memory.lock()).await.ok()?;
    let one = memory.pulls.get(&NodeId(pull.id().to_owned()))?;
    let mut runs = one.last.as_ref()?.checks.runs.iter();
    let check = runs.find(|check| check.id.0 == run)?.clone();
    Some((
        Arc::clone(&host.connected()?.client),
        one.repository.clone(),
        check,
    ))
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
