//! The engine: one per data directory. Holds what its parts share and answers their small
//! questions; what they do is in their own modules.

use crate::agents::Known;
use crate::config::{GlobalConfig, ProjectConfig};
use crate::cost::Used;
use crate::error::OpenError;
use crate::handover::{Heirloom, Taken};
use crate::idempotency::Requests;
use crate::ledger::{Ledger, State};
use crate::listening::{self, HeldPort, Twin};
use crate::live::Runtimes;
use crate::manifest::{self, DataLock, Manifest};
use crate::paths::Paths;
use crate::power::Power;
use crate::prices;
use crate::transcripts::Transcripts;
use crate::{
    adopt, asked_first, budget_watch, budgets, config, handover, limits, lookup, mail, messages, places,
    ports, queue, reserve, results, shells, transcripts, watch, wishes,
};
use downbeat_agents::{AgentFiles, Agents};
use downbeat_model::limit::Limits;
use downbeat_model::{Activity, EventKind, ProjectId, SessionId, Status};
use downbeat_store::chronicle::Period;
use downbeat_store::{Chronicle, ProjectRow, SessionRow};
use downbeat_wire::engine::EngineInfo;
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long work on sessions (a removal, a start) may go on before a handover cuts it short; the
/// other engine waits five seconds in all.
const SETTLE: std::time::Duration = std::time::Duration::from_millis(3500);

/// How an engine is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The data directory; made where it is missing.
    pub data_dir: PathBuf,
    /// Whether it runs without a window.
    pub headless: bool,
    /// The `downbeat` command that keepers, hooks and bridges run from; a copy is kept.
    pub cli: PathBuf,
    /// The environment that sessions start from.
    pub env: Vec<(String, String)>,
    /// Whether a running engine is asked to hand over; else it is an error that one runs.
    pub take_over: bool,
}

/// See the module.
pub struct Engine {
    pub(crate) ledger: Ledger,
    pub(crate) wishes: wishes::Wishes,
    pub(crate) paths: Paths,
    pub(crate) runtimes: Runtimes,
    /// The copy of the `downbeat` command.
    pub(crate) cli: PathBuf,
    pub(crate) env: Vec<(String, String)>,
    /// Cancelled once this engine lets go of the data directory.
    pub(crate) closing: CancellationToken,
    /// Cancelled once it did.
    gone: CancellationToken,
    /// Taken by whoever plans a session, so that two never plan the same name or branch.
    pub(crate) planning: tokio::sync::Mutex<()>,
    /// Requests under idempotency keys that are under way.
    pub(crate) requests: Requests,
    pub(crate) power: Power,
    pub(crate) agents: Known,
    pub(crate) search: crate::program::SearchPath,
    pub(crate) transcripts: Transcripts,
    pub(crate) used: Used,
    pub(crate) prices: prices::Own,
    /// Plain locks below are held for a copy only, never across an await.
    config: config::Current,
    added_agents: config::Folder,
    pub(crate) project_configs: Arc<config::Checkouts>,
    lock: Mutex<Option<DataLock>>,
    manifest: Mutex<Manifest>,
    /// The port that the engine before this one handed over, until this one listens on it.
    handed: Mutex<Option<HeldPort>>,
    /// The same port of the other loopback address.
    twin: Mutex<Option<Twin>>,
    /// The port that the last engine listened on.
    last_port: Option<u16>,
    /// What is proved where a token is meant that is none.
    pub(crate) decoy: String,
    headless: bool,
    me: Weak<Engine>,
}

impl Engine {
    /// Opens the data directory, adopts every keeper that lives and goes on with what was under
    /// way. The caller then serves what [`Engine::listen`] gives.
    ///
    /// # Errors
    /// See [`OpenError`]; no session is touched by any of them.
    pub async fn open(options: Options) -> Result<Arc<Self>, OpenError> {
        let data = |error: &dyn std::fmt::Display| OpenError::Data(error.to_string());
        let paths = Paths::new(options.data_dir.clone());
        if let Some((_, path)) = options.env.iter().find(|(name, _)| name == "PATH") {
            downbeat_git::use_search_path(path.as_ref());
        }
        paths
            .create()
            .map_err(|error| data(&format!("{}: {error}", options.data_dir.display())))?;
        reserve::give_up_if_full(&paths);
        let cli = handover::ready(&paths, &options.cli).await?;
        let Taken { lock, heirloom } = handover::lock(&paths, options.take_over).await?;
        downbeat_git::use_private_folder(&options.data_dir.join("git")).map_err(|error| data(&error))?;
        let added_agents = config::Folder::new(paths.agents());
        let config = config::Current::open(paths.global_config(), paths.last_config());
        let ledger = Ledger::open(&paths.database())
            .await
            .map_err(|error| data(&error))?;
        let chronicle = Chronicle::open(&paths.chronicle())
            .await
            .map_err(|error| data(&error))?;
        let used = chronicle.sums(None, Period::default()).await;
        let used = Used::new(used.unwrap_or_else(|error| {
            // It decides nothing: cost shows too little until it can be read again.
            tracing::warn!("what was used cannot be read: {error}");
            Vec::new()
        }));
        let prices = paths.prices();
        let (token, handed) = match heirloom {
            Some(Heirloom { token, port }) => (token, Some(port)),
            None => (manifest::new_token().map_err(|error| data(&error))?, None),
        };
        let decoy = manifest::new_token().map_err(|error| data(&error))?;
        let search = crate::program::SearchPath::of(&options.env);
        let (runtimes, followed) = Runtimes::new();
        let engine = Arc::new_cyclic(|me| Self {
            wishes: wishes::Wishes::open(paths.wishes(), &ledger.state()),
            ledger,
            paths,
            runtimes,
            cli,
            env: options.env,
            closing: CancellationToken::new(),
            gone: CancellationToken::new(),
            planning: tokio::sync::Mutex::new(()),
            requests: Requests::default(),
            power: Power::new(),
            agents: Known::default(),
            search,
            transcripts: Transcripts::new(chronicle),
            used,
            prices: prices::Own::new(prices),
            config,
            added_agents,
            project_configs: Arc::default(),
            last_port: lock.last_port(),
            handed: Mutex::new(handed),
            twin: Mutex::new(None),
            lock: Mutex::new(Some(lock)),
            manifest: Mutex::new(Manifest::new(token, options.headless)),
            decoy,
            headless: options.headless,
            me: me.clone(),
        });
        watch::start(&engine, followed);
        results::start(&engine);
        adopt::all(&engine).await;
        messages::start(&engine);
        mail::start(&engine);
        asked_first::start(&engine);
        limits::start(&engine);
        transcripts::catch_up(&engine);
        budget_watch::start(&engine);
        places::start(&engine);
        reserve::start(&engine);
        queue::start(&engine);
        Ok(engine)
    }

    /// Listens on `wanted`, else on the port that it was handed, else on the last engine's where that
    /// is free, and says so in `engine.json`. A token that was handed over counts only on its own port.
    pub fn listen(&self, wanted: Option<u16>) -> Result<TcpListener, OpenError> {
        let data = |error: &dyn std::fmt::Display| OpenError::Data(error.to_string());
        let handed = self.handed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let listening = listening::choose(handed, wanted, self.last_port);
        let port = |error| OpenError::Port {
            port: wanted.unwrap_or_default(),
            source: error,
        };
        let ((listener, twin), is_handed) = listening.map_err(port)?;
        let port = listener.local_addr().map_err(port)?.port();
        *self.twin.lock().unwrap_or_else(PoisonError::into_inner) = twin;
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_handed {
            manifest.token = manifest::new_token().map_err(|error| data(&error))?;
        }
        manifest.port = port;
        if let Some(lock) = &*self.lock.lock().unwrap_or_else(PoisonError::into_inner) {
            lock.note(Some(port)).map_err(|error| data(&error))?;
        }
        let written = manifest.write(&self.paths.manifest());
        written.map_err(|error| data(&error))?;
        Ok(listener)
    }

    /// The person's token.
    pub fn token(&self) -> String {
        self.manifest().token
    }

    /// Where `engine.json` is.
    pub fn manifest_path(&self) -> PathBuf {
        self.paths.manifest()
    }

    /// The copy of the `downbeat` command that stays when the application's own file goes.
    pub fn cli(&self) -> &Path {
        &self.cli
    }

    /// Cancelled once this engine let go of its data directory: its faces end then.
    pub fn closed(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Cancelled once nothing of it is under way any more: the process may end then.
    pub fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    pub(crate) fn manifest(&self) -> Manifest {
        self.manifest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// This engine as a shared pointer; `None` only while it is being dropped.
    pub(crate) fn shared(&self) -> Option<Arc<Self>> {
        self.me.upgrade()
    }

    /// Lets go of the data directory: nothing is written any more; every session lives on.
    pub(crate) async fn let_go(&self) {
        self.closing.cancel();
        self.runtimes.settle(SETTLE).await;
        self.ledger.close().await;
        self.power.set(false);
        self.ledger.store().close().await;
        self.transcripts.chronicle.close().await;
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.gone.cancel();
    }

    /// What the engine says of itself.
    pub(crate) async fn info(&self) -> Result<EngineInfo, ApiError> {
        let state = self.ledger.state();
        let count = |keep: fn(&SessionRow) -> bool| {
            u32::try_from(state.sessions.values().filter(|row| keep(row)).count()).unwrap_or(u32::MAX)
        };
        Ok(EngineInfo {
            version: env!("CARGO_PKG_VERSION").into(),
            pid: std::process::id(),
            data_dir: self.paths.root().to_string_lossy().into_owned(),
            headless: self.headless,
            seq: self
                .ledger
                .store()
                .last_seq()
                .await
                .map_err(crate::error::store)?,
            working: count(works),
            needs_you: count(needs_you).saturating_sub(limits::by_themselves(self, &state)),
            live: count(|row| row.status.is_live()),
            busy_shells: shells::busy(&state),
            awake: self.power.is_held(),
        })
    }

    /// The row of a session.
    pub(crate) fn row(&self, id: &SessionId) -> Result<Arc<SessionRow>, ApiError> {
        self.ledger
            .session(id)
            .ok_or_else(|| ApiError::not_found("session", id))
    }

    /// The row of a project.
    pub(crate) fn project(&self, id: &ProjectId) -> Result<Arc<ProjectRow>, ApiError> {
        self.ledger
            .state()
            .projects
            .get(id)
            .cloned()
            .ok_or_else(|| ApiError::not_found("project", id))
    }

    /// The global configuration.
    pub(crate) fn config(&self) -> GlobalConfig {
        self.config_now().config
    }

    /// Why the person's configuration does not count now, if so.
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
                    tracing::warn!("a changed configuration could not be told: {error}");
                }
            });
        }
        now
    }

    /// Tells everybody that the configuration changed.
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

    /// A project's own configuration, read from its primary checkout, never from a worktree.
    pub(crate) async fn project_config(&self, project: &ProjectRow) -> Result<ProjectConfig, ApiError> {
        let said = self.project_configs.get(Path::new(&project.path)).await;
        said.map_err(|error| ApiError::new(Code::Invalid, error).hint(config::WAY_OUT))
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits::from(&self.config().limits)
    }

    /// The agent of sessions that name none.
    pub(crate) fn default_agent(&self) -> Result<String, ApiError> {
        match self.config_wrong() {
            Some(wrong) if wrong.only_defaults => Err(ApiError::new(
                Code::Invalid,
                format!("your default agent is not known: {}", wrong.problem),
            )
            .hint("mend that file, or name the agent (`--agent`)")),
            _ => Ok(self.config().defaults.agent),
        }
    }

    /// The agents that there are.
    pub(crate) fn known_agents(&self) -> Agents {
        let config = self.config();
        let shell = config.shell.clone().unwrap_or_else(|| self.shell());
        let added = self.added_agents.get().manifests;
        Agents::new(&shell, added.into_iter().chain(config.agents))
    }

    /// Manifests of the person's that do not count: the id that each is for, and what is wrong with it
    /// first.
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

    /// The person's shell, as the environment of sessions tells it.
    fn shell(&self) -> String {
        let (name, fallback) = match cfg!(windows) {
            true => ("COMSPEC", "powershell.exe"),
            false => ("SHELL", "/bin/sh"),
        };
        let told = self.variable(name).filter(|shell| !shell.is_empty());
        told.unwrap_or(fallback).to_owned()
    }

    /// An agent by its id.
    pub(crate) fn agent(&self, id: &str) -> Result<Arc<downbeat_agents::Manifest>, ApiError> {
        let all = self.known_agents();
        all.get(id).cloned().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|agent| agent.id.as_str()).collect();
            let known = known.join(", ");
            if let Some(wrong) = self.config_wrong() {
                let why = format!(
                    "there is no agent {id:?}, and your configuration does not count: {}",
                    wrong.problem
                );
                return ApiError::new(Code::Invalid, why)
                    .hint(format!("mend that file; without it there are: {known}"));
            }
            let file = format!("{id}.yaml");
            let own =
                |problem: &&config::Problem| problem.file.file_name().is_some_and(|name| name == &*file);
            if let Some(problem) = self.added_agents.get().problems.iter().find(own) {
                let why = format!("the manifest of agent {id:?} does not count: {problem}");
                return ApiError::new(Code::Invalid, why)
                    .hint("`downbeat agents check` tells all that is wrong");
            }
            let mut hint = format!("there are: {known}; `downbeat agents list` tells more");
            let near = all.iter().map(|agent| agent.id.as_str());
            if let Some(near) = lookup::nearest(id, near) {
                hint = format!("did you mean {near:?}? {hint}");
            }
            ApiError::not_found("agent", id).hint(hint)
        })
    }

    /// A variable of the environment that sessions start from.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        // Windows writes `Path`.
        let same = |other: &str| match cfg!(windows) {
            true => other.eq_ignore_ascii_case(name),
            false => other == name,
        };
        let mut named = self.env.iter().filter(|(other, _)| same(other));
        named.next().map(|(_, value)| value.as_str())
    }

    /// Where sessions' agents keep their own files; `None` where the person has no home.
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

    /// The folder that a project's worktrees are made in.
    pub(crate) fn worktree_root(&self, project: &ProjectRow, config: &ProjectConfig) -> PathBuf {
        let global = self.config().worktrees.location;
        let location = config
            .worktrees
            .as_ref()
            .map_or(&global, |worktrees| &worktrees.location);
        self.paths
            .worktree_root(location, Path::new(&project.path), &project.id)
    }

    /// A free dev-server port; `None` where the whole range is taken.
    pub(crate) fn free_port(&self, state: &State) -> Option<u16> {
        // A session whose agent ended keeps its port while a shell is open beside it.
        let all = state.sessions.values().chain(state.shells.values());
        let live = all.filter(|row| row.status.is_live() || row.status == Status::Queued);
        let reserved: Vec<u16> = live.filter_map(|row| row.port).collect();
        ports::reserve(&self.config().ports, &reserved)
    }

    /// A new secret: 256 bits in hexadecimal.
    pub(crate) fn new_token(&self) -> Result<String, ApiError> {
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| ApiError::failed("no randomness", error))?;
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Whether a session needs the person: it waits, its set-up failed, or a budget holds it.
fn needs_you(row: &SessionRow) -> bool {
    match row.status {
        Status::Waiting | Status::SetupFailed => true,
        Status::Paused => budgets::by_budget(row),
        _ => false,
    }
}

/// Whether evidence says that a session works.
pub(crate) fn works(row: &SessionRow) -> bool {
    row.status == Status::Running
        && row
            .observed
            .as_ref()
            .is_some_and(|seen| seen.activity == Activity::Active)
}
