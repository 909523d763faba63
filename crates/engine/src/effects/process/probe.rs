//! Lists agents and whether they are installed, and asks them what a start needs to know. Finding a program
//! is cheap and done immediately. Asking it for its version runs a process of unknown duration, so no request
//! waits for it: the last answer for the same file is shown, and refreshed in the background.

use crate::host::blocking;
use crate::state::agents::{FRESH, File, HookTrust};
use crate::state::context::Engine;
use crate::state::{agents, programs};
use downbeat_agents::{Manifest, NoProgram};
use downbeat_model::EventKind;
use downbeat_wire::ApiError;
use downbeat_wire::agent::{Agent, AgentDetail};
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;

/// Returns what the agent `id` has to be passed so that it runs our hooks. Concurrent starts share one query.
pub async fn hook_trust(engine: &Engine, id: &str) -> Result<HookTrust, ApiError> {
    let agent = engine.agent(id)?;
    if !downbeat_agents::needs_hook_trust(&agent) {
        return Ok(HookTrust::new());
    }
    let program = engine.find_program(&agent)?;
    let file = agents::file(&program.path);
    let mut known = engine.agents.hook_trust.lock().await;
    if let Some((of, hook_trust)) = known.get(id)
        && *of == file
    {
        return Ok(hook_trust.clone());
    }
    let (path, cli) = (engine.search.get(), engine.cli.clone());
    let own = engine.paths.root().to_owned();
    let ask = move || downbeat_agents::trust_hooks(&agent, &program, &cli, OsStr::new(&path), &own);
    let hook_trust: HookTrust = blocking::blocking(ask).await?;
    // An empty answer is not kept: otherwise the agent would ask the person at every start.
    if !hook_trust.is_empty() {
        known.insert(id.to_owned(), (file, hook_trust.clone()));
    }
    Ok(hook_trust)
}

/// Lists all agents as they are declared and installed now, with the versions that are known. Unknown
/// versions are queried in the background; [`EventKind::AgentsChanged`] reports when they have arrived.
pub async fn list(engine: &Engine) -> Result<Vec<Agent>, ApiError> {
    let due = {
        let mut versions = engine.agents.versions();
        let due = !versions.under_way && versions.asked.is_none_or(|at| at.elapsed() >= FRESH);
        versions.under_way |= due;
        due
    };
    if due {
        ask_behind(engine, true);
    }
    loop {
        let answers = engine.agents.versions().answers;
        let agents = found(engine).await?;
        let (before, appeared) = {
            let mut versions = engine.agents.versions();
            // An answer arrived meanwhile, and no event would report that this list lacks it.
            if versions.answers != answers {
                continue;
            }
            // A program that appeared since the last query is asked right away.
            let appeared = !versions.under_way && agents.iter().any(|agent| agent.asking);
            versions.under_way |= appeared;
            (versions.listed.replace(agents.clone()), appeared)
        };
        if appeared {
            ask_behind(engine, false);
        }
        // Whoever read the list before has an outdated one. Whether this caller still waits makes no difference.
        if before.is_some_and(|before| before != agents)
            && let Some(engine) = engine.shared()
        {
            tokio::spawn(async move { report_change(&engine).await });
        }
        return Ok(agents);
    }
}

/// Asks all agents for their versions while the engine starts, so that the first list has them.
pub fn ask_early(engine: &Engine) {
    engine.agents.versions().under_way = true;
    ask_behind(engine, false);
}

/// Asks all agents' programs for their versions, concurrently, and reports if the last list is then out of
/// date. With `again`, the login shell is asked for its `PATH` first if a program is missing.
fn ask_behind(engine: &Engine, again: bool) {
    let Some(engine) = engine.shared() else { return };
    let closing = engine.closing.clone();
    tokio::spawn(async move {
        closing.run_until_cancelled(ask_all(&engine, again)).await;
    });
}

async fn ask_all(engine: &Engine, again: bool) {
    let all = engine.known_agents();
    if again && all.iter().any(|agent| engine.find_program(agent).is_err()) {
        engine.search.again().await;
        engine.agents.versions().answers += 1;
    }
    let path = engine.search.get();
    let mut answers = JoinSet::new();
    for agent in all.iter() {
        let Ok(program) = engine.find_program(agent) else {
            continue;
        };
        let (name, path) = (agent.program().to_owned(), path.clone());
        answers.spawn_blocking(move || {
            let file = agents::file(&program.path);
            (file, downbeat_agents::program_version(&name, OsStr::new(&path)))
        });
    }
    // Each version is shown as it arrives, so that one that hangs delays no other.
    while let Some(answer) = answers.join_next().await {
        if let Ok((file, version)) = answer {
            engine.agents.versions().take(file, version);
            note_outdated(engine).await;
        }
    }
    {
        let mut versions = engine.agents.versions();
        versions.asked = Some(Instant::now());
        versions.under_way = false;
    }
    note_outdated(engine).await;
}

/// Writes an event if the last list is out of date.
async fn note_outdated(engine: &Engine) {
    let Ok(now) = found(engine).await else { return };
    {
        let mut versions = engine.agents.versions();
        if versions.listed.is_none() || versions.listed.as_ref() == Some(&now) {
            return;
        }
        versions.listed = Some(now);
    }
    report_change(engine).await;
}

/// Writes the event after which every page reads the list again.
async fn report_change(engine: &Engine) {
    let written = engine.ledger.write(|draft| {
        draft.event(EventKind::AgentsChanged, None, json!({}));
        Ok(())
    });
    if let Err(error) = written.await {
        // The next list is up to date all the same.
        tracing::debug!(%error, "a change of the agents was not written");
    }
}

/// Lists all agents with what is known immediately: files are looked for, no program is run.
async fn found(engine: &Engine) -> Result<Vec<Agent>, ApiError> {
    let (all, wrong) = (engine.known_agents(), engine.wrong_manifests());
    let path = engine.search.get();
    let of = engine.agents.versions().of.clone();
    let look = move || {
        all.iter()
            .map(|agent| look(agent, OsStr::new(&path), &of))
            .collect()
    };
    let mut agents: Vec<Agent> = blocking::blocking(look).await?;
    for (id, problem) in wrong {
        match agents.iter_mut().find(|agent| agent.id == id) {
            Some(agent) => agent.problem = Some(problem),
            None => agents.push(broken(id, problem)),
        }
    }
    Ok(agents)
}

/// Describes one agent, with its manifest.
pub async fn detail(engine: &Engine, id: &str) -> Result<AgentDetail, ApiError> {
    let manifest = engine.agent(id)?;
    let path = engine.search.get();
    let known = Arc::clone(&manifest);
    let of = engine.agents.versions().of.clone();
    let agent = blocking::blocking(move || {
        let path = OsStr::new(&path);
        let mut agent = look(&known, path, &of);
        if agent.asking {
            agent.version = downbeat_agents::program_version(known.program(), path);
            agent.untried = is_untried(&known, agent.version.as_deref());
            agent.asking = false;
        }
        agent
    })
    .await?;
    let manifest = serde_json::to_value(&*manifest)
        .map_err(|error| ApiError::failed("the manifest cannot be told", error))?;
    Ok(AgentDetail { agent, manifest })
}

/// Builds the entry of an invalid manifest whose agent has no other.
fn broken(id: String, problem: String) -> Agent {
    Agent {
        name: id.clone(),
        id,
        tried: None,
        untried: false,
        installed: false,
        version: None,
        asking: false,
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

/// Whether the agent has a known version that Downbeat was not tried with.
fn is_untried(agent: &Manifest, version: Option<&str>) -> bool {
    version.is_some_and(|version| !agent.was_tried(version))
}

/// Describes an agent as it is found now, with the known version of its file.
fn look(agent: &Manifest, path: &OsStr, versions: &BTreeMap<File, Option<String>>) -> Agent {
    let found = downbeat_agents::find_program(agent.program(), path);
    let known = found
        .as_ref()
        .ok()
        .map(|found| versions.get(&agents::file(&found.path)));
    let version = known.flatten().cloned().flatten();
    Agent {
        id: agent.id.clone(),
        name: agent.name.clone(),
        tried: agent.tried.clone(),
        untried: is_untried(agent, version.as_deref()),
        installed: found.is_ok(),
        version,
        asking: known == Some(None),
        path: found
            .as_ref()
            .ok()
            .map(|program| program.found.to_string_lossy().into_owned()),
        install_hint: match found {
            Ok(_) => None,
            Err(NoProgram::Missing(_)) => Some(agent.install_hint()),
            Err(batch) => Some(format!("{batch}. {}", programs::WITHOUT_BATCH)),
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
