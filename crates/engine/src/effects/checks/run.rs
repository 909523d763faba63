//! A run of checks, from its request to its result. Each step can be repeated, so that a run that a crash cut off is
//! made again by the next engine, under the same identifier.

use crate::decide::checks;
use crate::decide::reactions::matter::has_reactions;
use crate::effects::checks::command::{self, Command};
use crate::effects::checks::output;
use crate::effects::checks::plan::{Plan, PlannedCheck};
use crate::effects::checks::reports;
use crate::effects::process::environment;
use crate::effects::worktree::committed::committed;
use crate::facts::commits;
use crate::host::failpoint::point;
use crate::host::{blocking, files};
use crate::state::context::Engine;
use crate::state::error;
use downbeat_failures::Report;
use downbeat_git::{CheckTree, SetupCommand};
use downbeat_model::effect::{Check, Effect, Work};
use downbeat_model::reactions::{Action, Event, Rule};
use downbeat_model::{CheckOutcome, CheckResult, ProjectId, SessionId, Verification, shown};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use futures_util::future::join_all;
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The time limit of a set-up command in the worktree of checks.
const SET_UP: Duration = Duration::from_secs(30 * 60);

/// The interval between two looks whether a run was cancelled.
const LOOK: Duration = Duration::from_millis(200);

/// How long a closing engine waits for the ends of commands.
const CLOSING: Duration = Duration::from_secs(3);

/// The parts of a run that its steps need.
struct Run<'a> {
    engine: &'a Engine,
    check: &'a Check,
    project: &'a ProjectRow,
    tree: &'a CheckTree,
}

/// Runs the checks, and records their result. Returns early, without a result, if the run is cancelled, or if the
/// engine shuts down; the next engine then repeats the run.
///
/// # Errors
/// Fails if the result cannot be recorded; the run is then repeated later.
pub async fn carry_out(engine: &Engine, check: &Check) -> Result<(), ApiError> {
    point("checks-noted");
    let _held = engine.recall(std::slice::from_ref(&check.session)).await?;
    let begun = engine.ledger.write(|draft| checks::begin(draft, check)).await?;
    if !begun {
        return conclude(engine, check, failed(Timestamp::now(), "it was cancelled")).await;
    }
    let started = Timestamp::now();
    let project = engine.row(&check.session)?.project_id.clone();
    // What an earlier engine left would write into the tree of this run.
    clear_left(engine, &project).await;
    let keeper = keeper(engine, &project, &check.run);
    command::clear(&keeper, &check.run).await;
    let result = tokio::select! {
        result = result(engine, check) => result,
        () = cancelled(engine, check) => {
            // The command that runs now is ended before the next run begins. The session may be gone.
            command::clear(&keeper, &check.run).await;
            return Ok(());
        }
    };
    point("checks-ran");
    if engine.closing.is_cancelled() {
        // The end of its commands is not their result: the next engine makes the run again.
        return Ok(());
    }
    let result = result.unwrap_or_else(|error| failed(started, &error.to_string()));
    conclude(engine, check, result).await?;
    point("checks-written");
    Ok(())
}

async fn conclude(engine: &Engine, check: &Check, result: Verification) -> Result<(), ApiError> {
    // While the checks ran, the session may have committed something newer.
    let head = match engine.row(&check.session) {
        Ok(row) => commits::head(engine, &row).await,
        Err(_) => None,
    };
    let by_rule = sends_by_rule(engine, check).await;
    let written = engine
        .ledger
        .write(|draft| checks::conclude(draft, check, result, head, by_rule));
    written.await
}

/// Returns whether a rule of the project sends failures to the agent of a session.
async fn sends_by_rule(engine: &Engine, check: &Check) -> bool {
    let Ok(row) = engine.row(&check.session) else {
        return false;
    };
    let rules = engine.rules(&row.project_id).await.unwrap_or_default();
    let sends = |rule: &Rule| rule.event == Event::ChecksFailed && rule.action == Action::SendToAgent;
    has_reactions(&row) && rules.iter().any(sends)
}

/// Returns when a run was cancelled, or when the engine shuts down.
async fn cancelled(engine: &Engine, check: &Check) {
    while checks::is_under_way(&engine.ledger.state(), check) && !engine.closing.is_cancelled() {
        tokio::time::sleep(LOOK).await;
    }
}

fn failed(started: Timestamp, error: &str) -> Verification {
    Verification {
        commit: String::new(),
        tree: String::new(),
        hash: String::new(),
        uncommitted: 0,
        started_at: started,
        finished_at: Timestamp::now(),
        checks: Vec::new(),
        error: Some(error.to_owned()),
    }
}

/// Returns the folder of the keeper of a run's commands.
pub fn keeper(engine: &Engine, project: &ProjectId, run: &SessionId) -> PathBuf {
    engine.paths.checks(project).join("keepers").join(run.as_str())
}

/// Ends the commands of runs that nobody waits for any more, because they were cancelled just before their engine died,
/// or because their session was removed.
pub async fn clear_left(engine: &Engine, project: &ProjectId) {
    let folder = engine.paths.checks(project).join("keepers");
    let found = blocking::blocking(move || {
        let names = folder.read_dir().into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names
            .filter_map(|name| SessionId::parse(&name))
            .collect::<Vec<_>>()
    });
    let state = engine.ledger.state();
    for run in found.await.unwrap_or_default() {
        let is_waiting = |effect: &Arc<Effect>| match &effect.work {
            Work::Check(check) => check.run == run,
            Work::Queue(step) => step.run == run,
            Work::Fix(step) => step.run == run,
            Work::Merge(_)
            | Work::GoOn(_)
            | Work::React(_)
            | Work::Notify(_)
            | Work::Track(_)
            | Work::Pull(_) => false,
        };
        if !state.effects.iter().any(is_waiting) {
            command::clear(&keeper(engine, project, &run), &run).await;
        }
    }
}

/// Ends the commands of all runs that are under way, because the engine closes: nobody would hold them to their time
/// limits. The next engine makes the runs again.
pub async fn end_all(engine: &Engine) {
    let state = engine.ledger.state();
    let ends = state.effects.iter().filter_map(|effect| {
        let (project, run) = match &effect.work {
            Work::Check(check) => (&state.sessions.get(&check.session)?.project_id, &check.run),
            Work::Queue(step) => (&step.place.project, &step.run),
            Work::Fix(step) => (&step.project, &step.run),
            Work::Merge(_)
            | Work::GoOn(_)
            | Work::React(_)
            | Work::Notify(_)
            | Work::Track(_)
            | Work::Pull(_) => {
                return None;
            }
        };
        let (keeper, run) = (keeper(engine, project, run), run.clone());
        Some(async move { command::clear(&keeper, &run).await })
    });
    if tokio::time::timeout(CLOSING, join_all(ends)).await.is_err() {
        tracing::warn!("commands of checks are still being ended; the next engine ends what is left");
    }
}

/// Makes the run.
async fn result(engine: &Engine, check: &Check) -> Result<Verification, ApiError> {
    let started = Timestamp::now();
    let row = engine.row(&check.session)?;
    let project = engine.project(&row.project_id)?;
    let plan = Plan::of(engine, &project).await?;
    plan.refuse_unusable(&project)?;
    let (head, uncommitted) = committed(&project, &row).await?;
    let commit = head.commit;
    let anew = row.checks.run.as_ref().is_some_and(|run| run.anew);
    let known = row.checks.last.clone().filter(|_| !anew);
    let known = known.filter(|last| last.is_of(&commit, &plan.hash) && last.uncommitted == uncommitted);
    if let Some(known) = known {
        return Ok(known);
    }
    let folder = engine.paths.check_output(&project.id, &row.id);
    let Ran { tree, checks, .. } = on_commit(engine, check, (&project, &plan), &commit, Some(folder)).await?;
    let results = checks.map_err(|output| ApiError::new(Code::Failed, format!("set-up failed: {output}")))?;
    Ok(Verification {
        commit,
        tree,
        hash: plan.hash.clone(),
        uncommitted,
        started_at: started,
        finished_at: Timestamp::now(),
        checks: results,
        error: None,
    })
}

/// What a check printed and wrote.
pub struct Said {
    /// Its whole output, as far as it is kept.
    pub output: String,
    /// The report files that it wrote.
    pub reports: Vec<Report>,
}

/// What came of the checks on a commit.
pub struct Ran {
    /// The id of the commit's tree.
    pub tree: String,
    /// The results; an error is the set-up command that failed, with the end of its output.
    pub checks: Result<Vec<CheckResult>, String>,
    /// What each check printed and wrote.
    pub said: Vec<Said>,
}

/// Runs all checks on a commit; the whole output is stored in `folder`.
pub async fn on_commit(
    engine: &Engine,
    check: &Check,
    (project, plan): (&ProjectRow, &Plan),
    commit: &str,
    folder: Option<PathBuf>,
) -> Result<Ran, ApiError> {
    let (repo, place) = (
        PathBuf::from(&project.path),
        engine.paths.checks(&project.id).join("tree"),
    );
    let wanted = commit.to_owned();
    let tree = blocking::blocking(move || downbeat_git::check_tree(&repo, &place, &wanted)).await?;
    let tree = tree.map_err(error::git)?;
    let run = Run {
        engine,
        check,
        project,
        tree: &tree,
    };
    if let Err(output) = run.set_up().await? {
        return Ok(Ran {
            tree: tree.tree.clone(),
            checks: Err(output),
            said: Vec::new(),
        });
    }
    point("checks-begun");
    if let Some(folder) = &folder {
        output::remove(folder.clone()).await;
    }
    let (mut results, mut said) = (Vec::new(), Vec::new());
    for (number, planned) in plan.checks.iter().enumerate() {
        if number > 0 {
            restore(project, &tree.path, commit).await?;
        }
        let place = (count(number + 1), count(plan.checks.len()));
        let told = engine
            .ledger
            .write(|draft| checks::at(draft, check, &planned.name, place));
        told.await?;
        let begun = SystemTime::now();
        let (result, text) = run.one(planned).await?;
        if let Some(folder) = &folder {
            output::store(folder.clone(), number, &text).await?;
        }
        let reports = reports::read(&tree.path, &planned.reports, begun).await?;
        said.push(Said {
            output: text,
            reports,
        });
        results.push(result);
    }
    Ok(Ran {
        tree: tree.tree.clone(),
        checks: Ok(results),
        said,
    })
}

fn count(checks: usize) -> u32 {
    u32::try_from(checks).unwrap_or(u32::MAX)
}

/// Undoes what the check before changed in files of the commit: each check is about the commit alone.
async fn restore(project: &ProjectRow, tree: &Path, commit: &str) -> Result<(), ApiError> {
    let (repo, tree, commit) = (PathBuf::from(&project.path), tree.to_owned(), commit.to_owned());
    let restored = blocking::blocking(move || downbeat_git::restore_tracked(&repo, &tree, &commit));
    restored.await?.map_err(error::git)
}

impl Run<'_> {
    /// Copies the files that git does not track, and runs the set-up commands if the worktree is new or its lockfiles
    /// changed since. Returns the command that failed, with the end of its output.
    async fn set_up(&self) -> Result<Result<(), String>, ApiError> {
        let config = self.engine.project_config(self.project).await?;
        let (repo, path) = (PathBuf::from(&self.project.path), self.tree.path.clone());
        let copied = blocking::blocking(move || {
            let plan = downbeat_git::plan_copies(&repo, &config.copy, &config.symlink)?;
            downbeat_git::copy(&repo, &path, &plan).map(|_| plan)
        });
        let copied = copied.await?.map_err(error::git)?;
        let setup = self
            .engine
            .setup_commands(self.project, self.tree.path.clone(), copied)
            .await?;
        if setup.commands.is_empty() {
            return Ok(Ok(()));
        }
        if !setup.approved {
            let name = &self.project.name;
            return Err(ApiError::new(
                Code::ApprovalNeeded,
                format!("the set-up of {name} waits for your approval"),
            )
            .hint(format!(
                "`downbeat project approve {name}`, or in the project's settings"
            )));
        }
        let note = self.engine.paths.checks(&self.project.id).join("set-up");
        let mark = mark(&setup.commands, self.tree);
        // In the worktree too, because a worktree that was created anew has nothing installed.
        let inside = self.tree.path.join(".git");
        let made = std::fs::metadata(&inside).and_then(|meta| meta.modified()).ok();
        let mark = format!("{mark}{made:?}");
        if downbeat_files::read(&note, 1 << 20).is_ok_and(|old| old == mark.as_bytes()) {
            return Ok(Ok(()));
        }
        for setup in &setup.commands {
            let ended = self.command(&setup.argv, SET_UP).await?;
            if ended.outcome != CheckOutcome::Passed {
                let (command, end) = (shown::command(&setup.argv), output::excerpt(&ended.output));
                return Ok(Err(format!("{command}\n{end}")));
            }
        }
        let written = blocking::blocking(move || files::replace_here(&note, mark.as_bytes())).await?;
        written.map_err(|error| ApiError::failed("a note about set-up cannot be written", error))?;
        Ok(Ok(()))
    }

    /// Runs one check. Returns its result and its whole output.
    async fn one(&self, planned: &PlannedCheck) -> Result<(CheckResult, String), ApiError> {
        let ended = self.command(&planned.argv, planned.limit).await?;
        let excerpt = match ended.outcome {
            CheckOutcome::Passed => String::new(),
            _ => output::excerpt(&ended.output),
        };
        let result = CheckResult {
            name: planned.name.clone(),
            command: planned.command(),
            required: planned.required,
            outcome: ended.outcome,
            exit_code: ended.code,
            millis: u64::try_from(ended.took.as_millis()).unwrap_or(u64::MAX),
            excerpt,
        };
        Ok((result, ended.output))
    }

    async fn command(&self, argv: &[String], limit: Duration) -> Result<command::Ended, ApiError> {
        let keeper = keeper(self.engine, &self.project.id, &self.check.run);
        let argv = match self.engine.runnable(argv) {
            Ok(argv) => argv,
            Err(missing) => {
                return Ok(command::Ended {
                    outcome: CheckOutcome::NotStarted,
                    code: None,
                    took: Duration::ZERO,
                    output: missing.to_string(),
                });
            }
        };
        let command = Command {
            what: "check",
            run: &self.check.run,
            env: environment::of_checks(self.engine, &self.check.run, keeper.clone()),
            keeper,
            argv,
            cwd: &self.tree.path,
            limit,
        };
        command::run(self.engine, command).await
    }
}

/// Returns a text that changes with what set-up would install.
fn mark(commands: &[SetupCommand], tree: &CheckTree) -> String {
    let lines = commands
        .iter()
        .map(|command| shown::command(&command.argv) + "\n");
    lines.chain([tree.lockfiles.clone()]).collect()
}
