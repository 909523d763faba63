//! The engine as its parts share it, with access to its configuration, agents, projects and paths.
//! [`crate::open`] opens and closes it.

use crate::host::config::{GlobalConfig, ProjectConfig};
use crate::host::instance::{DataLock, Manifest};
use crate::host::listening::{HeldPort, Twin};
use crate::host::paths::Paths;
use crate::host::power::Power;
use crate::host::{config, ports, prices};
use crate::state::agents::Known;
use crate::state::forges::Forges;
use crate::state::handles::Runtimes;
use crate::state::known::State;
use crate::state::ledger::Ledger;
use crate::state::notifiers::Notifiers;
use crate::state::read_issues::ReadIssues;
use crate::state::requests::Requests;
use crate::state::transcripts::Transcripts;
use crate::state::usage::Used;
use crate::state::{find, intent_files, rule_commands};
use downbeat_agents::{AgentFiles, Agents};
use downbeat_model::limit::Limits;
use downbeat_model::reactions::Rule;
use downbeat_model::{EventKind, ProjectId, SessionId, Status};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio_util::sync::CancellationToken;

/// The engine: the state that all its parts share.
pub struct Engine {
    pub(crate) ledger: Ledger,
    pub(crate) intent_files: intent_files::IntentFiles,
    pub(crate) paths: Paths,
    pub(crate) runtimes: Runtimes,
    /// The copy of the `downbeat` command.
    pub(crate) cli: PathBuf,
    pub(crate) env: Vec<(String, String)>,
    /// Cancelled when this engine starts to release the data directory.
    pub(crate) closing: CancellationToken,
    /// Cancelled after this engine released the data directory.
    pub(crate) gone: CancellationToken,
    /// Locked while a session is planned, so that two sessions never get the same name or branch.
    pub(crate) planning: tokio::sync::Mutex<()>,
    /// The requests under idempotency keys that are under way.
    pub(crate) requests: Requests,
    pub(crate) power: Power,
    pub(crate) agents: Known,
    pub(crate) search: crate::host::programs::SearchPath,
    pub(crate) transcripts: Transcripts,
    pub(crate) used: Used,
    pub(crate) prices: prices::Own,
    pub(crate) forges: Forges,
    pub(crate) notifiers: Notifiers,
    pub(crate) read_issues: ReadIssues,
    /// The plain locks below are held for a copy only, never across an await.
    pub(crate) config: config::Current,
    pub(crate) added_agents: config::Folder,
    pub(crate) project_configs: Arc<config::Checkouts>,
    pub(crate) lock: Mutex<Option<DataLock>>,
    pub(crate) manifest: Mutex<Manifest>,
    /// The port that the previous engine handed over, until this engine listens on it.
    pub(crate) handed: Mutex<Option<HeldPort>>,
    /// The same port on the other loopback address.
    pub(crate) twin: Mutex<Option<Twin>>,
    /// The port that the last engine listened on.
    pub(crate) last_port: Option<u16>,
    /// The secret for a proof in place of an invalid token.
    pub(crate) decoy: String,
    pub(crate) headless: bool,
    pub(crate) me: Weak<Engine>,
}

impl Engine {
    /// Returns the person's token.
    pub fn token(&self) -> String {
        self.manifest().token
    }

    /// Returns the path of `engine.json`.
    pub fn manifest_path(&self) -> PathBuf {
        self.paths.manifest()
    }

    /// Returns the path of the engine's copy of the `downbeat` command, which stays when the application's
    /// own file is removed.
    pub fn cli(&self) -> &Path {
        &self.cli
    }

    /// Returns the token that is cancelled when this engine starts to release its data directory, so that its
    /// faces end.
    pub fn closed(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Returns the token that is cancelled when no work is under way any more, so that the process may end.
    pub fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    pub(crate) fn manifest(&self) -> Manifest {
        self.manifest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns this engine as a shared pointer; `None` only while it is being dropped.
    pub(crate) fn shared(&self) -> Option<Arc<Self>> {
        self.me.upgrade()
    }

    /// Returns this engine as a shared pointer, for work that outlives a request.
    pub(crate) fn arc(&self) -> Result<Arc<Self>, ApiError> {
        let gone = || ApiError::new(Code::Unavailable, "Downbeat is shutting down");
        self.shared().ok_or_else(gone)
    }

    /// Returns the row of a session.
    pub(crate) fn row(&self, id: &SessionId) -> Result<Arc<SessionRow>, ApiError> {
        self.ledger
            .session(id)
            .ok_or_else(|| ApiError::not_found("session", id))
    }

    /// Returns the row of a project.
    pub(crate) fn project(&self, id: &ProjectId) -> Result<Arc<ProjectRow>, ApiError> {
        self.ledger
            .state()
            .projects
            .get(id)
            .cloned()
            .ok_or_else(|| ApiError::not_found("project", id))
    }

    /// Returns the global configuration.
    pub(crate) fn config(&self) -> GlobalConfig {
        self.config_now().config
    }

    /// Returns why the person's configuration is not in effect, if it is invalid.
    pub(crate) fn config_wrong(&self) -> Option<config::Wrong> {
        self.config_now().wrong
    }

    fn config_now(&self) -> config::Now {
        let now = self.config.get();
        if now.is_news
            && let Some(engine) = self.shared()
        {
            tokio::spawn(async move {
                if let Err(error) = engine.tell_settings().await {
                    tracing::warn!("could not announce a changed configuration: {error}");
                }
            });
        }
        now
    }

    /// Notifies all clients that the configuration changed.
    pub(crate) async fn tell_settings(&self) -> Result<(), ApiError> {
        let written = self.ledger.write(|draft| {
            draft.event(EventKind::SettingsChanged, None, serde_json::Value::Null);
            Ok(())
        });
        written.await
    }

    pub(crate) fn set_config(&self, config: GlobalConfig) {
        self.config.set(config);
    }

    /// Returns a project's own configuration, read from its primary checkout, never from a worktree.
    pub(crate) async fn project_config(&self, project: &ProjectRow) -> Result<ProjectConfig, ApiError> {
        let said = self.project_configs.get(Path::new(&project.path)).await;
        said.map_err(|error| ApiError::new(Code::Invalid, error).hint(config::WAY_OUT))
    }

    /// Returns the rules of a project; `None` if its configuration cannot be read.
    pub(crate) async fn rules(&self, project: &ProjectId) -> Option<Vec<Rule>> {
        self.rules_of(&*self.project(project).ok()?).await.ok()
    }

    /// Returns the rules of a project. Before the person trusts it, they are Downbeat's own: a repository does not decide
    /// what happens by itself.
    ///
    /// # Errors
    /// Fails if its configuration cannot be read.
    pub(crate) async fn rules_of(&self, project: &ProjectRow) -> Result<Vec<Rule>, ApiError> {
        if !project.trusted {
            return Ok(config::reaction_rules(&config::Reactions::default()));
        }
        let config = self.project_config(project).await?;
        let mut rules = config::reaction_rules(&config.reactions);
        rule_commands::note_approval(&mut rules, project);
        Ok(rules)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits::from(&self.config().limits)
    }

    /// Returns the agent for sessions that name none.
    pub(crate) fn default_agent(&self) -> Result<String, ApiError> {
        match self.config_wrong() {
            Some(wrong) if wrong.only_defaults => Err(ApiError::new(
                Code::Invalid,
                format!("your default agent is unknown: {}", wrong.problem),
            )
            .hint("fix that file, or name the agent (`--agent`)")),
            _ => Ok(self.config().defaults.agent),
        }
    }

    /// Returns the known agents.
    pub(crate) fn known_agents(&self) -> Agents {
        let config = self.config();
        let shell = config.shell.clone().unwrap_or_else(|| self.shell());
        let added = self.added_agents.get().manifests;
        Agents::new(&shell, added.into_iter().chain(config.agents))
    }

    /// Returns the person's invalid manifests: the id that each is for, and its first problem.
    pub(crate) fn wrong_manifests(&self) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        for problem in self.added_agents.get().problems {
            let id = problem
                .file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if out.iter().all(|(known, _)| *known != id) {
                out.push((id, problem.to_string()));
            }
        }
        out
    }

    /// Returns the person's shell, as the environment of sessions names it.
    pub(crate) fn shell(&self) -> String {
        let (name, fallback) = match cfg!(windows) {
            true => ("COMSPEC", "powershell.exe"),
            false => ("SHELL", "/bin/sh"),
        };
        let told = self.variable(name).filter(|shell| !shell.is_empty());
        told.unwrap_or(fallback).to_owned()
    }

    /// Returns an agent by its id.
    pub(crate) fn agent(&self, id: &str) -> Result<Arc<downbeat_agents::Manifest>, ApiError> {
        let all = self.known_agents();
        all.get(id).cloned().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|agent| agent.id.as_str()).collect();
            let known = known.join(", ");
            if let Some(wrong) = self.config_wrong() {
                let why = format!(
                    "there is no agent {id:?}, and your configuration is ignored: {}",
                    wrong.problem
                );
                return ApiError::new(Code::Invalid, why)
                    .hint(format!("fix that file; the agents without it are: {known}"));
            }
            let file = format!("{id}.yaml");
            let own =
                |problem: &&config::Problem| problem.file.file_name().is_some_and(|name| name == &*file);
            if let Some(problem) = self.added_agents.get().problems.iter().find(own) {
                let why = format!("the manifest of agent {id:?} is ignored: {problem}");
                return ApiError::new(Code::Invalid, why).hint("`downbeat agents check` lists every problem");
            }
            let mut hint = format!("there are: {known}; `downbeat agents list` shows details");
            let near = all.iter().map(|agent| agent.id.as_str());
            if let Some(near) = find::nearest(id, near) {
                hint = format!("did you mean {near:?}? {hint}");
            }
            ApiError::not_found("agent", id).hint(hint)
        })
    }

    /// Returns a variable of the environment in which sessions start.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        // Windows writes `Path`.
        let same = |other: &str| match cfg!(windows) {
            true => other.eq_ignore_ascii_case(name),
            false => other == name,
        };
        let mut named = self.env.iter().filter(|(other, _)| same(other));
        named.next().map(|(_, value)| value.as_str())
    }

    /// Returns where agents keep their own files; `None` if the person has no home directory.
    pub(crate) fn agent_files(&self) -> Option<AgentFiles> {
        let home = self.variable("HOME").or_else(|| self.variable("USERPROFILE"))?;
        let chosen = |name| {
            self.variable(name)
                .filter(|dir| !dir.is_empty())
                .map(PathBuf::from)
        };
        Some(AgentFiles {
            home: home.into(),
            claude: chosen("CLAUDE_CONFIG_DIR"),
            codex: chosen("CODEX_HOME"),
            data: chosen("XDG_DATA_HOME"),
            opencode_database: chosen("OPENCODE_DB"),
        })
    }

    /// Returns the folder in which a project's worktrees are made.
    pub(crate) fn worktree_root(&self, project: &ProjectRow, config: &ProjectConfig) -> PathBuf {
        let global = self.config().worktrees.location;
        let location = config
            .worktrees
            .as_ref()
            .map_or(&global, |worktrees| &worktrees.location);
        self.paths
            .worktree_root(location, Path::new(&project.path), &project.id)
    }

    /// Returns a free dev-server port; `None` if the whole range is taken.
    pub(crate) fn free_port(&self, state: &State) -> Option<u16> {
        // A session whose agent ended keeps its port while one of its shells is open.
        let all = state.sessions.values().chain(state.shells.values());
        let live = all.filter(|row| row.status.is_live() || row.status == Status::Queued);
        let reserved: Vec<u16> = live.filter_map(|row| row.port).collect();
        ports::reserve(&self.config().ports, &reserved)
    }

    /// Returns a new secret: 256 bits in hexadecimal.
    pub(crate) fn new_token(&self) -> Result<String, ApiError> {
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| ApiError::failed("no randomness", error))?;
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
