//! Which agents there are and whether they are installed, and what they have to be asked before a
//! start. Each costs a process, so an answer is kept: for a short while, or as long as the program
//! stays the same file.

use crate::engine::Engine;
use crate::{error, program};
use downbeat_agents::{Agents, NoProgram};
use downbeat_wire::ApiError;
use downbeat_wire::agent::{Agent, AgentDetail};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Mutex;

/// How long an answer holds: long enough for a dialog, short enough that a fresh installation
/// shows when it is opened again.
const FRESH: Duration = Duration::from_secs(20);

/// What [`downbeat_agents::vouch`] gave.
pub type Vouched = BTreeMap<String, String>;

/// A program as a file: another version is another file.
type File = (PathBuf, u64, Option<SystemTime>);

/// Manifests that do not count: the id that each is for, and what is wrong with it.
type Wrong = Vec<(String, String)>;

/// A list, when it was made, and of what.
struct Listed {
    at: Instant,
    of: (Agents, Wrong),
    agents: Vec<Agent>,
}

/// The last answers.
#[derive(Default)]
pub struct Known {
    list: Mutex<Option<Listed>>,
    vouched: Mutex<BTreeMap<String, (File, Vouched)>>,
}

/// What the agent `id` has to be told so that it runs our hooks. Sessions that start at once
/// share one question.
pub async fn vouched(engine: &Engine, id: &str) -> Result<Vouched, ApiError> {
    let agent = engine.agent(id)?;
    if !downbeat_agents::wants_vouching(&agent) {
        return Ok(Vouched::new());
    }
    let program = engine.find_program(&agent)?;
    let about = std::fs::metadata(&program.path).ok();
    let file: File = (
        program.path.clone(),
        about.as_ref().map_or(0, std::fs::Metadata::len),
        about.and_then(|about| about.modified().ok()),
    );
    let mut known = engine.agents.vouched.lock().await;
    if let Some((of, vouched)) = known.get(id)
        && *of == file
    {
        return Ok(vouched.clone());
    }
    let (path, cli) = (engine.search.get(), engine.cli.clone());
    let ask = move || downbeat_agents::vouch(&agent, &program, &cli, OsStr::new(&path));
    let vouched: Vouched = error::blocking(ask).await?;
    // One that did not answer is asked again: else it would ask the person at every start.
    if !vouched.is_empty() {
        known.insert(id.to_owned(), (file, vouched.clone()));
    }
    Ok(vouched)
}

/// All agents, as they are declared now. Several who ask at once share one look.
pub async fn list(engine: &Engine) -> Result<Vec<Agent>, ApiError> {
    let mut known = engine.agents.list.lock().await;
    let (all, wrong) = (engine.known_agents(), engine.wrong_manifests());
    let of = (all.clone(), wrong.clone());
    if let Some(last) = known.as_ref()
        && last.at.elapsed() < FRESH
        && last.of == of
    {
        return Ok(last.agents.clone());
    }
    if all.iter().any(|agent| engine.find_program(agent).is_err()) {
        engine.search.again().await;
    }
    let path = engine.search.get();
    let look = move || all.iter().map(|agent| look(agent, OsStr::new(&path))).collect();
    let mut agents: Vec<Agent> = error::blocking(look).await?;
    for (id, problem) in wrong {
        match agents.iter_mut().find(|agent| agent.id == id) {
            Some(agent) => agent.problem = Some(problem),
            None => agents.push(broken(id, problem)),
        }
    }
    *known = Some(Listed {
        at: Instant::now(),
        of,
        agents: agents.clone(),
    });
    Ok(agents)
}

/// One agent, with its manifest.
pub async fn detail(engine: &Engine, id: &str) -> Result<AgentDetail, ApiError> {
    let manifest = engine.agent(id)?;
    let path = engine.search.get();
    let known = Arc::clone(&manifest);
    let agent = error::blocking(move || look(&known, OsStr::new(&path))).await?;
    let manifest = serde_json::to_value(&*manifest)
        .map_err(|error| ApiError::failed("the manifest cannot be told", error))?;
    Ok(AgentDetail { agent, manifest })
}

/// A manifest that is wrong, of an agent that nothing else tells of.
fn broken(id: String, problem: String) -> Agent {
    Agent {
        name: id.clone(),
        id,
        tried: None,
        installed: false,
        version: None,
        path: None,
        install_hint: None,
        problem: Some(problem),
        can_conduct: false,
        has_hooks: false,
        can_fork: false,
        can_resume: false,
        can_run_once: false,
        once_reads: false,
    }
}

fn look(agent: &downbeat_agents::Manifest, path: &OsStr) -> Agent {
    let found = downbeat_agents::detect(agent.program(), path);
    Agent {
        id: agent.id.clone(),
        name: agent.name.clone(),
        tried: agent.tried.clone(),
        installed: found.is_ok(),
        version: found.as_ref().ok().and_then(|found| found.version.clone()),
        path: found
            .as_ref()
            .ok()
            .map(|found| found.path.to_string_lossy().into_owned()),
        install_hint: match found {
            Ok(_) => None,
            Err(NoProgram::Missing(_)) => Some(agent.install_hint()),
            Err(batch) => Some(format!("{batch}. {}", program::WITHOUT_BATCH)),
        },
        problem: None,
        can_conduct: agent.can_conduct(),
        has_hooks: agent.has_hooks(),
        can_fork: agent.can_fork(),
        can_resume: agent.can_resume(),
        can_run_once: agent.can_run_once(),
        once_reads: agent.only_reads_once(),
    }
}
