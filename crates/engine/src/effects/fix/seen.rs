//! Runs checks for a run of `fix` and reads what they print and write. Records nothing.

use crate::decide::fix::looked::CheckSeen;
use crate::effects::checks::plan::Plan;
use crate::effects::checks::run::{self, Ran, Said};
use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_failures::Printed;
use downbeat_model::effect::{Check, FixStep};
use downbeat_model::{CheckOutcome, CheckResult, MOST_PROCESSES};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;

/// Runs checks of a plan on a commit, and reads their failures. An error is why they could not run.
pub(super) async fn checks(
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
    // Long outputs take a while to read.
    blocking::blocking(move || read(results, &said, &root)).await
}

/// Reads what checks printed and wrote.
fn read(results: Vec<CheckResult>, said: &[Said], root: &str) -> (Vec<CheckSeen>, Vec<String>) {
    let (mut seen, mut notes) = (Vec::new(), Vec::new());
    for (result, said) in results.into_iter().zip(said) {
        let mut failures = Vec::new();
        if result.outcome != CheckOutcome::Passed {
            let reading = downbeat_failures::read(&Printed {
                check: &result.name,
                ended: &ended(&result),
                root,
                output: &said.output,
                reports: &said.reports,
            });
            failures = reading.failures;
            notes.extend(reading.notes);
        }
        seen.push(CheckSeen {
            name: result.name,
            command: result.command,
            failures,
        });
    }
    (seen, notes)
}

fn ended(result: &CheckResult) -> String {
    match (result.outcome, result.exit_code) {
        (CheckOutcome::TimedOut, _) => format!("did not end within {} s", result.millis / 1000),
        (CheckOutcome::TooManyProcesses, _) => format!("started more than {MOST_PROCESSES} processes"),
        (CheckOutcome::NotStarted, _) => "could not be started".to_owned(),
        (_, Some(code)) => format!("exit code {code}"),
        (_, None) => "ended by a signal".to_owned(),
    }
}
