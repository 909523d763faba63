//! Runs the person's planner: it gets a goal as JSON, and prints tasks. It runs as a check does, in a keeper of its own, which ends its
//! whole process tree; its input and its output are files of that run, in whose folder it runs: in a repository, a relative path
//! among its arguments would name a file of that repository. Nothing is recorded of a run: if an engine dies, its client
//! asks again, and the next engine ends what is left.

use crate::decide::planner::{self as decide, Ended};
use crate::effects::checks::command::{self, Command};
use crate::effects::checks::merge::new_run;
use crate::effects::checks::output;
use crate::effects::plans::reading;
use crate::effects::process::environment;
use crate::host::config::PlannerConfig;
use crate::host::{blocking, files};
use crate::state::context::Engine;
use downbeat_agents::{NoProgram, SHELL, find_program};
use downbeat_model::SessionId;
use downbeat_plans::{Domains, MOST_BYTES, Place, Plan, Question, read_answer};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use futures_util::future::join_all;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The end of its errors that a person sees, in bytes and lines.
const SHOWN: (usize, usize) = (2 << 10, 12);

/// How long a closing engine waits for the ends of planners.
const CLOSING: Duration = Duration::from_secs(3);

/// Asks a planner for a plan.
///
/// # Errors
/// Fails if it cannot be run, does not end well in time, or answers with no plan that can be done.
pub async fn ask(
    engine: &Arc<Engine>,
    planner: PlannerConfig,
    project: &Arc<ProjectRow>,
    (goal, domains): (&str, Domains),
) -> Result<Plan, ApiError> {
    let (engine, project, goal) = (Arc::clone(engine), Arc::clone(project), goal.to_owned());
    // A run leaves nothing, and ends when nobody waits for it any more.
    let left = CancellationToken::new();
    let _waits = left.clone().drop_guard();
    let asked = tokio::spawn(async move {
        let (most, agents) = (planner.most_tasks(), agents(&engine));
        let asks = question((&goal, &project), most, &domains, agents.clone());
        let answer = answer(&engine, &planner, &asks, &left).await?;
        let (of, own) = (Arc::clone(&project), goal.clone());
        let read = move || {
            let question = question((&own, &of), most, &domains, agents);
            let plan = read_answer(&answer, &question, &domains);
            plan.map_err(|problem| decide::refused(planner.name(), &answer, &problem))
        };
        reading::read(&project, read).await?
    });
    asked
        .await
        .map_err(|error| ApiError::failed("the planner's run was lost", error))?
}

/// Returns what a planner is asked.
fn question<'a>(
    (goal, project): (&'a str, &'a ProjectRow),
    max_tasks: usize,
    domains: &'a Domains,
    agents: Vec<String>,
) -> Question<'a> {
    Question {
        goal,
        project: Place {
            name: &project.name,
            path: &project.path,
        },
        max_tasks,
        domains: domains.names(),
        agents,
    }
}

/// Returns the agents that a task may name: those that a conductor could give it to, and that are installed.
fn agents(engine: &Engine) -> Vec<String> {
    let known = engine.known_agents();
    let own = known
        .iter()
        .filter(|agent| agent.id != SHELL && agent.can_be_spawned() && engine.find_program(agent).is_ok());
    own.map(|agent| agent.id.clone()).collect()
}

/// Runs a planner, and returns what it prints.
async fn answer(
    engine: &Engine,
    planner: &PlannerConfig,
    question: &Question<'_>,
    left: &CancellationToken,
) -> Result<String, ApiError> {
    let program = program(engine, planner).await?;
    let run = new_run()?;
    let folder = engine.paths.planners().join(run.as_str());
    let written = serde_json::to_vec(question).map_err(|error| ApiError::failed("the question", error))?;
    let (input, answer) = (folder.join("question.json"), folder.join("answer.json"));
    let (own, at) = (folder.clone(), input.clone());
    let made = blocking::blocking(move || {
        files::own_folder(&own)?;
        files::replace_here(&at, &written)
    });
    made.await?
        .map_err(|error| ApiError::failed("the planner's question cannot be written", error))?;
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let relay = [
        path(&engine.cli),
        "relay".to_owned(),
        path(&input),
        path(&answer),
        MOST_BYTES.to_string(),
    ];
    let keeper = keeper(&folder, &run);
    let command = Command {
        what: "planner",
        run: &run,
        keeper: keeper.clone(),
        argv: relay.into_iter().chain(program).collect(),
        env: environment::of_command(engine, &run, keeper, Vec::new()),
        cwd: &folder,
        limit: planner.limit(),
    };
    let ended = tokio::select! {
        ended = command::run(engine, command) => ended,
        () = left.cancelled() => Err(ApiError::new(Code::Unavailable, "nobody waits for this plan any more")),
        () = engine.closing.cancelled() => Err(ApiError::new(Code::Unavailable, "Downbeat is shutting down")),
    };
    let read = match ended {
        Ok(ended) => read(planner, &ended, answer).await,
        Err(error) => Err(error),
    };
    clear(folder, &run).await;
    read
}

/// Returns the command line of a planner, with its program's whole path.
async fn program(engine: &Engine, planner: &PlannerConfig) -> Result<Vec<String>, ApiError> {
    let find = || {
        let path = engine.search.get();
        match find_program(planner.name(), OsStr::new(&path)) {
            Ok(found) => {
                let program = found.path.to_string_lossy().into_owned();
                Some(
                    std::iter::once(program)
                        .chain(found.arguments)
                        .collect::<Vec<_>>(),
                )
            }
            // The standard library quotes the arguments of a batch file, and refuses those that it cannot quote.
            Err(NoProgram::Batch(path)) => Some(vec![path.to_string_lossy().into_owned()]),
            Err(NoProgram::Missing(_)) => None,
        }
    };
    let mut found = find();
    if found.is_none() {
        engine.search.again().await;
        found = find();
    }
    let mut argv = found.ok_or_else(|| decide::missing(planner.name()))?;
    argv.extend(planner.command.iter().skip(1).cloned());
    Ok(argv)
}

/// Returns the answer of a planner that ended.
async fn read(planner: &PlannerConfig, ended: &command::Ended, answer: PathBuf) -> Result<String, ApiError> {
    let errors = output::end_of(ended.output.trim_end(), SHOWN.0, SHOWN.1);
    let end = Ended {
        outcome: ended.outcome,
        code: ended.code,
        errors: &errors,
    };
    if let Some(error) = decide::failed(planner.name(), planner.limit(), &end) {
        return Err(error);
    }
    let bytes =
        blocking::blocking(move || downbeat_files::read_start(&answer, MOST_BYTES as u64 + 1)).await?;
    let bytes = bytes.map_err(|error| ApiError::failed("the planner's answer cannot be read", error))?;
    if bytes.len() > MOST_BYTES {
        return Err(decide::too_long(planner.name(), MOST_BYTES));
    }
    String::from_utf8(bytes).map_err(|_| {
        decide::refused(
            planner.name(),
            "bytes that are no text",
            &downbeat_plans::Problem::Binary,
        )
    })
}

/// Returns the folder of the keeper of a run.
fn keeper(folder: &Path, run: &SessionId) -> PathBuf {
    folder.join(run.as_str())
}

/// Ends what is left of a run, and removes its files.
async fn clear(folder: PathBuf, run: &SessionId) {
    command::clear(&keeper(&folder, run), run).await;
    let removed = blocking::blocking(move || downbeat_git::remove_tree(&folder)).await;
    if let Ok(Err(error)) = removed {
        tracing::warn!(%run, "the files of a planner's run stay: {error}");
    }
}

/// Ends all runs: those of an engine that closes, or those that an earlier one left.
pub async fn end_all(engine: &Engine) {
    let planners = engine.paths.planners();
    let listed =
        blocking::blocking(move || std::fs::read_dir(planners).map(|all| all.collect::<Vec<_>>())).await;
    // Most engines never ran one, so that there is no such folder.
    let Ok(Ok(listed)) = listed else { return };
    let runs = listed.into_iter().filter_map(|entry| {
        let entry = entry.ok()?;
        Some((entry.path(), SessionId::parse(entry.file_name().to_str()?)?))
    });
    let ends = runs.map(|(folder, run)| async move { clear(folder, &run).await });
    if tokio::time::timeout(CLOSING, join_all(ends)).await.is_err() {
        tracing::warn!("planners are still being ended; the next engine ends what is left");
    }
}
