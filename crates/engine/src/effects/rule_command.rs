//! Runs the command of a rule in the worktree of its session, at most once: it is noted as started before it starts, and
//! one that an engine's end cut off is not run again, because nobody knows what it did.

use crate::decide::reactions::command::{self as decide, Ran};
use crate::decide::reactions::conclude::is_over;
use crate::decide::reactions::matter::{Matter, SessionMatter};
use crate::decide::reactions::values;
use crate::effects::causes::causes;
use crate::effects::checks::command::{self, Command};
use crate::effects::checks::merge::new_run;
use crate::effects::checks::output;
use crate::effects::process::environment;
use crate::effects::reactions::{TRIES, is_over_for_session};
use crate::facts::forges::record;
use crate::host::failpoint::point;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::rule_commands;
use downbeat_model::effect;
use downbeat_model::pull::Pull;
use downbeat_model::reactions::{Effect, Rule, RuleCommand};
use downbeat_model::{CheckOutcome, ProjectId, SessionId, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use futures_util::future::join_all;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The end of the output that the history keeps, in bytes and lines.
const KEPT: (usize, usize) = (4 << 10, 20);

/// The interval between two looks whether the session of a command is gone.
const LOOK: Duration = Duration::from_millis(200);

/// The shortest and the longest interval between two tries to record what came of a command.
const UNTIL_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// How long a closing engine waits for the ends of commands.
const CLOSING: Duration = Duration::from_secs(3);

/// Runs a command, unless it was started before, and records what came of it.
///
/// # Errors
/// Fails if it could not be started yet, or if nothing can be recorded; that is then tried again later.
pub async fn carry_out(
    engine: &Engine,
    outgoing: &effect::Effect,
    (effect, command): (&Effect, &RuleCommand),
) -> Result<(), ApiError> {
    point("command-noted");
    let session: Vec<_> = effect.session.iter().cloned().collect();
    let _held = engine.recall(&session).await?;
    let state = engine.ledger.state();
    if let Some(begun) = decide::running(&state, &outgoing.key, effect) {
        clear(engine, effect, &begun.run).await;
        return conclude(engine, outgoing, (effect, command), &Ran::Unsure).await;
    }
    let ready = match prepare(engine, outgoing, effect, command).await {
        Ok(ready) => ready,
        Err(error) if outgoing.attempts + 1 < TRIES => return Err(error),
        Err(error) => Err(Ran::Not(error.message)),
    };
    let ready = match ready {
        Ok(ready) => ready,
        Err(ran) => return conclude(engine, outgoing, (effect, command), &ran).await,
    };
    let run = (&ready.run, ready.approved.as_str());
    let begun = engine
        .ledger
        .write(|draft| decide::begin(draft, &outgoing.key, effect, run));
    if let Err(ran) = begun.await? {
        return conclude(engine, outgoing, (effect, command), &ran).await;
    }
    point("command-begun");
    let ran = tokio::select! {
        ran = ran(engine, command, &ready) => ran,
        why = abandoned(engine, &ready.row) => {
            command::clear(&ready.keeper, &ready.run).await;
            Ran::Not(why.to_owned())
        }
    };
    point("command-ran");
    if engine.closing.is_cancelled() {
        // The closing engine may have ended it: the next one says that nobody knows.
        return Ok(());
    }
    conclude(engine, outgoing, (effect, command), &ran).await?;
    point("command-written");
    Ok(())
}

/// A command that can be started.
struct Ready {
    run: SessionId,
    /// The hash of the list of commands that was approved.
    approved: String,
    row: SessionRow,
    keeper: PathBuf,
    env: Vec<(String, String)>,
    cwd: PathBuf,
}

/// Finds out what a command needs. Returns what there is to record instead if it is not to be started.
async fn prepare(
    engine: &Engine,
    outgoing: &effect::Effect,
    effect: &Effect,
    command: &RuleCommand,
) -> Result<Result<Ready, Ran>, ApiError> {
    let pull = match &effect.subject {
        Subject::Pull(_) => Some(record::known(engine, &effect.subject).await?),
        _ => None,
    };
    let Some(id) = &effect.session else {
        return Ok(Err(Ran::Over));
    };
    let over = match &pull {
        Some(pull) => is_over(effect, Matter::Pull(pull)),
        None => is_over_for_session(engine, effect)?,
    };
    if over {
        return Ok(Err(Ran::Over));
    }
    let row = SessionRow::clone(&*engine.row(id)?);
    // The forge may take minutes to answer. What may run is therefore looked at afterwards.
    let variables = variables(engine, outgoing, effect, (&row, pull.as_ref())).await?;
    let project = engine.project(&row.project_id)?;
    let rules = engine.rules_of(&project).await?;
    let is_it = |rule: &Rule| rule.id == effect.rule && rule.command.as_ref() == Some(command);
    if !command.approved || !rules.iter().any(is_it) {
        return Ok(Err(Ran::Not(decide::CHANGED.to_owned())));
    }
    let cwd = match row::path_of(&row) {
        Ok(cwd) if cwd.is_dir() => cwd,
        _ => return Ok(Err(Ran::Not("the worktree of its session is gone".to_owned()))),
    };
    let run = new_run()?;
    let keeper = engine.paths.rule_command(&row.project_id, &run);
    let env = environment::of_command(engine, &run, keeper.clone(), variables);
    Ok(Ok(Ready {
        run,
        approved: rule_commands::hash(&rules),
        row,
        keeper,
        env,
        cwd,
    }))
}

/// Returns the variables that say what a command is about.
async fn variables(
    engine: &Engine,
    outgoing: &effect::Effect,
    effect: &Effect,
    (row, pull): (&SessionRow, Option<&Pull>),
) -> Result<Vec<(String, String)>, ApiError> {
    let causes = match pull {
        Some(pull) => causes(engine, outgoing.attempts, effect, pull).await?,
        None => Vec::new(),
    };
    let state = engine.ledger.state();
    let own = SessionMatter::of(&state, row, engine.config().watchdog.stuck_after());
    let matter = pull.map_or(Matter::Session(&own), Matter::Pull);
    let about = (effect.event, effect.detail.as_str(), effect.attempt);
    let values = values::of(&state, row, matter, about);
    Ok(decide::variables((effect, matter), &causes, &row.id, &values))
}

/// Runs a command to its end or its time limit.
async fn ran(engine: &Engine, rule: &RuleCommand, ready: &Ready) -> Ran {
    let argv = match engine.runnable(&rule.argv) {
        Ok(argv) => argv,
        Err(missing) => {
            return Ran::Ended {
                outcome: CheckOutcome::NotStarted,
                code: None,
                took: Duration::ZERO,
                output: missing.to_string(),
            };
        }
    };
    let command = Command {
        what: "command",
        run: &ready.run,
        keeper: ready.keeper.clone(),
        argv,
        env: ready.env.clone(),
        cwd: &ready.cwd,
        limit: Duration::from_secs(u64::from(rule.limit_minutes) * 60),
    };
    match command::run(engine, command).await {
        Ok(ended) => Ran::Ended {
            outcome: ended.outcome,
            code: ended.code,
            took: ended.took,
            output: output::end_of(ended.output.trim_end(), KEPT.0, KEPT.1),
        },
        Err(error) => Ran::Not(error.message),
    }
}

/// Returns, with the reason, once nobody waits for a command any more: its session or its worktree is gone, or the engine
/// shuts down.
async fn abandoned(engine: &Engine, begun: &SessionRow) -> &'static str {
    loop {
        let state = engine.ledger.state();
        let row = state.sessions.get(&begun.id);
        if row.is_none_or(|row| row.workspace_path != begun.workspace_path) {
            return "the worktree of its session was removed while it ran";
        }
        tokio::select! {
            () = engine.closing.cancelled() => return "Downbeat ended",
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Records what came of a command. Tries until it succeeds or the engine closes, because only this run knows it.
async fn conclude(
    engine: &Engine,
    outgoing: &effect::Effect,
    about: (&Effect, &RuleCommand),
    ran: &Ran,
) -> Result<(), ApiError> {
    let write = move || {
        engine
            .ledger
            .write(move |draft| decide::conclude(draft, &outgoing.key, about, ran))
    };
    recorded(write, UNTIL_AGAIN, &engine.closing).await
}

/// Repeats a write that fails, for example because the disk is full, ever more slowly until the engine closes.
async fn recorded<F: Future<Output = Result<(), ApiError>>>(
    write: impl Fn() -> F,
    (first, longest): (Duration, Duration),
    closing: &CancellationToken,
) -> Result<(), ApiError> {
    let mut rest = first;
    loop {
        let Err(error) = write().await else {
            return Ok(());
        };
        tracing::warn!("what came of a command is not recorded yet: {error}");
        tokio::select! {
            () = closing.cancelled() => return Err(error),
            () = tokio::time::sleep(rest) => rest = longest.min(rest * 2),
        }
    }
}

/// Ends what an earlier engine's command left.
async fn clear(engine: &Engine, effect: &Effect, run: &SessionId) {
    let row = effect.session.as_ref().and_then(|id| engine.row(id).ok());
    if let Some(row) = row {
        command::clear(&engine.paths.rule_command(&row.project_id, run), run).await;
    }
}

/// Ends the commands of all rules, because the engine closes: nobody would hold them to their time limits.
pub async fn end_all(engine: &Engine) {
    let state = engine.ledger.state();
    let runs = |row: &SessionRow| -> Vec<(ProjectId, SessionId)> {
        let commands = row.reacted.values().flat_map(|reacted| reacted.commands.values());
        commands
            .map(|command| (row.project_id.clone(), command.run.clone()))
            .collect()
    };
    let all = state.sessions.values().flat_map(|row| runs(row));
    let ends = all.map(|(project, run)| async move {
        command::clear(&engine.paths.rule_command(&project, &run), &run).await;
    });
    if tokio::time::timeout(CLOSING, join_all(ends)).await.is_err() {
        tracing::warn!("commands of rules are still being ended; the next engine ends what is left");
    }
}

#[cfg(test)]
mod tests {
    use super::recorded;
    use downbeat_wire::{ApiError, Code};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;
    use tokio_util::sync::CancellationToken;

    #[tokio::test]
    async fn a_result_that_cannot_be_recorded_is_kept_until_the_engine_closes() {
        let soon = (Duration::from_millis(1), Duration::from_millis(2));
        let (tries, closing) = (AtomicU32::new(0), CancellationToken::new());
        let write = |until: u32| {
            let tries = &tries;
            move || {
                let is_full = tries.fetch_add(1, Ordering::Relaxed) + 1 < until;
                std::future::ready(match is_full {
                    true => Err(ApiError::new(Code::Failed, "the disk is full")),
                    false => Ok(()),
                })
            }
        };
        assert!(recorded(write(4), soon, &closing).await.is_ok());
        assert_eq!(tries.load(Ordering::Relaxed), 4);
        closing.cancel();
        assert!(recorded(write(9), soon, &closing).await.is_err());
    }
}
