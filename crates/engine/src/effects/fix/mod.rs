//! Carries out runs of `fix`: the steps that run checks, and what is next in a run. What follows is decided in
//! [`crate::decide::fix`].
//!
//! * [`seen`]: what checks found on a commit
//! * [`look`]: the checks on the branch
//! * [`verify`]: the checks of a group on its worker's commit
//! * [`advance`]: starts and ends workers, and puts their work into the merge queue

pub mod advance;
pub mod look;
pub mod seen;
pub mod verify;

use crate::decide::fix as decide;
use crate::effects::checks::command;
use crate::effects::checks::run;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_model::effect::{FixAct, FixStep};
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
