//! Which agents there are and whether they are installed. Asking a program for its version costs
//! a process, so an answer is kept for a short while.

use crate::engine::Engine;
use crate::{error, program};
use downbeat_agents::NoProgram;
use downbeat_wire::ApiError;
use downbeat_wire::agent::Agent;
use std::ffi::OsStr;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long an answer holds: long enough for a dialog, short enough that a fresh installation
/// shows when it is opened again.
const FRESH: Duration = Duration::from_secs(20);

/// The last answer.
#[derive(Default)]
pub struct Known(Mutex<Option<(Instant, Vec<Agent>)>>);

impl Known {
    /// Forgets the answer, after the configuration changed.
    pub async fn forget(&self) {
        *self.0.lock().await = None;
    }
}

/// All agents. Several who ask at once share one look.
pub async fn list(engine: &Engine) -> Result<Vec<Agent>, ApiError> {
    let mut known = engine.agents.0.lock().await;
    if let Some((at, agents)) = known.as_ref()
        && at.elapsed() < FRESH
    {
        return Ok(agents.clone());
    }
    let definitions = downbeat_agents::definitions(&engine.custom_agents());
    if definitions
        .iter()
        .any(|agent| engine.find_program(agent).is_err())
    {
        engine.search.again().await;
    }
    let path = engine.search.get();
    let look = move || {
        definitions
            .into_iter()
            .map(|definition| look(definition, OsStr::new(&path)))
            .collect()
    };
    let agents: Vec<Agent> = error::blocking(look).await?;
    *known = Some((Instant::now(), agents.clone()));
    Ok(agents)
}

fn look(definition: downbeat_agents::Definition, path: &OsStr) -> Agent {
    let found = downbeat_agents::detect(&definition.program, path);
    Agent {
        id: definition.id,
        name: definition.name,
        installed: found.is_ok(),
        version: found.as_ref().ok().and_then(|found| found.version.clone()),
        path: found
            .as_ref()
            .ok()
            .map(|found| found.path.to_string_lossy().into_owned()),
        install_hint: match found {
            Ok(_) => None,
            Err(NoProgram::Missing(_)) => Some(definition.install_hint),
            Err(batch) => Some(format!("{batch}. {}", program::WITHOUT_BATCH)),
        },
        can_conduct: definition.can_conduct,
        has_hooks: definition.has_hooks,
        can_resume: definition.can_resume,
    }
}
