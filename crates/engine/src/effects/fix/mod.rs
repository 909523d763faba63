//! Carries out runs of `fix`: the steps that run checks, and what is next in a run. What follows is decided in
//! [`crate::decide::fix`].
//!
//! * [`look`]: the checks on the branch
//! * [`verify`]: the checks of a group on its worker's commit
//! * [`advance`]: starts and ends workers, and puts their work into the merge queue

pub mod advance;
pub mod look;
pub mod verify;

use crate::decide::fix as decide;
use crate::effects::checks::command;
use crate::effects::checks::plan::Plan;
use crate::effects::checks::run::{self, Ran};
use crate::host::failpoint::point;
use crate::state::context::Engine;
use decide::looked::CheckSeen;
use downbeat_failures::Printed;
use downbeat_model::effect::{Check, FixAct, FixStep};
use downbeat_model::{CheckOutcome, CheckResult};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use std::time::Duration;

/// The interval between two looks whether a step is still wanted.
const LOOK: Duration = Duration::from_millis(200);

/// Carries out a step, and records what follows. Returns early, without a result, if the run was ended, or if the engine
/// shuts down; the next engine then repeats the step.
///
/// # Errors
/// Fails if the result cannot be recorded; the step is then repeated later.
pub async fn carry_out(engine: &Engine, key: &str, step: &FixStep) -> Result<(), ApiError> {
    point("fix-noted");
    let project = engine.project(&step.project)?;
    run::clear_left(engine, &project.id).await;
    let keeper = run::keeper(engine, &project.id, &step.run);
    command::clear(&keeper, &step.run).await;
    let done = async {
        match &step.act {
            FixAct::Look { whole } => look::carry_out(engine, (&project, key), step, *whole).await,
            FixAct::Verify { group } => verify::carry_out(engine, (&project, key), step, *group).await,
        }
    };
    tokio::select! {
        done = done => done,
        () = unwanted(engine, step) => {
            // The command that runs now is ended before other checks begin.
            command::clear(&keeper, &step.run).await;
            Ok(())
        }
    }
}

/// Returns when the run was ended, or when the engine shuts down.
async fn unwanted(engine: &Engine, step: &FixStep) {
    while decide::is_wanted(&engine.ledger.state(), step) && !engine.closing.is_cancelled() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Runs checks of a plan on a commit, and reads their failures. An error is why they could not run.
async fn checks(
    engine: &Engine,
    step: &FixStep,
    (project, plan): (&ProjectRow, &Plan),
    commit: &str,
) -> Result<(Vec<CheckSeen>, Vec<String>), ApiError> {
    let check = Check {
        session: step.run.clone(),
        run: step.run.clone(),
    };
    let Ran { checks, said, .. } = run::on_commit(engine, &check, (project, plan), commit, None).await?;
    let results = checks.map_err(|output| ApiError::failed("set-up failed", output))?;
    let root = engine.paths.checks(&project.id).join("tree");
    let root = root.display().to_string();
    let (mut seen, mut notes) = (Vec::new(), Vec::new());
    for (result, said) in results.iter().zip(&said) {
        let mut failures = Vec::new();
        if result.outcome != CheckOutcome::Passed {
            let reading = downbeat_failures::read(&Printed {
                check: &result.name,
                ended: &ended(result),
                root: &root,
                output: &said.output,
                reports: &said.reports,
            });
            failures = reading.failures;
            notes.extend(reading.notes);
        }
        seen.push(CheckSeen {
            name: result.name.clone(),
            command: result.command.clone(),
            failures,
        });
    }
    Ok((seen, notes))
}

fn ended(result: &CheckResult) -> String {
    match (result.outcome, result.exit_code) {
        (CheckOutcome::TimedOut, _) => format!("did not end within {} s", result.millis / 1000),
        (CheckOutcome::NotStarted, _) => "could not be started".to_owned(),
        (_, Some(code)) => format!("exit code {code}"),
        (_, None) => "ended by a signal".to_owned(),
    }
}
