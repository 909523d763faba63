//! Opens an engine over a data directory, listens for clients, and releases the directory again.

use crate::effects::checks::run::end_all;
use crate::effects::plans::program;
use crate::effects::rule_command;
use crate::effects::worktree::trust;
use crate::host::handover::{Heirloom, OpenError, Taken};
use crate::host::instance::Manifest;
use crate::host::paths::Paths;
use crate::host::power::Power;
use crate::host::{config, handover, identity, instance, listening, prices, reserve};
use crate::reactors::{adopt, catch_up, follow, hold_to_budgets, list, run};
use crate::state::agents::Known;
use crate::state::context::Engine;
use crate::state::forges::Forges;
use crate::state::handles::Runtimes;
use crate::state::intent_files;
use crate::state::known::State;
use crate::state::ledger::Ledger;
use crate::state::notifiers::Notifiers;
use crate::state::read_issues::ReadIssues;
use crate::state::requests::Requests;
use crate::state::transcripts::Transcripts;
use crate::state::usage::Used;
use downbeat_model::ProjectId;
use downbeat_store::Chronicle;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The longest time that work on sessions (a removal, a start) may continue before a handover cuts it short;
/// the other engine waits five seconds in all.
const SETTLE: std::time::Duration = std::time::Duration::from_millis(3500);

/// Options for opening an engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// The data directory; created if it is missing.
    pub data_dir: PathBuf,
    /// Whether the engine runs without a window.
    pub headless: bool,
    /// The `downbeat` command that keepers, hooks and bridges run; the engine keeps a copy.
    pub cli: PathBuf,
    /// The environment in which sessions start.
    pub env: Vec<(String, String)>,
    /// Whether to ask a running engine to hand over; otherwise a running engine is an error.
    pub take_over: bool,
}

/// Refuses to open a copy of a data directory: an engine on it would end the agents of the original, which
/// have the same ids, and remove its worktrees, which have the same paths.
fn refuse_copy(paths: &Paths, state: &State, at_rest: &[(ProjectId, String)]) -> Result<(), OpenError> {
    let in_use = state.sessions.values().filter_map(|row| {
        let worktree = Path::new(row.workspace_path.as_deref()?);
        let project = row.project_id.as_str();
        Some(identity::Named { worktree, project })
    });
    // Any worktree in those folders stands for all of them.
    let at_rest: Vec<_> = at_rest
        .iter()
        .map(|(project, folder)| (project, Path::new(folder).join("any")))
        .collect();
    let at_rest = at_rest.iter().map(|(project, worktree)| identity::Named {
        worktree,
        project: project.as_str(),
    });
    let worktrees = in_use.chain(at_rest);
    match identity::claim(paths.root(), worktrees) {
        None => Ok(()),
        Some(original) => Err(OpenError::Copy {
            copy: paths.root().to_owned(),
            original,
        }),
    }
}

impl Engine {
    /// Opens the data directory, adopts every live keeper and continues unfinished work. The caller then
    /// serves the listener that [`crate::state::context::Engine::listen`] returns.
    ///
    /// # Errors
    /// Fails with a [`crate::host::handover::OpenError`]; none of them touches a session.
    pub async fn open(options: Options) -> Result<Arc<Self>, OpenError> {
        let data = |error: &dyn std::fmt::Display| OpenError::Data(error.to_string());
        downbeat_git::bound_memory();
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
        let at_rest = ledger.store().folders_at_rest().await;
        refuse_copy(&paths, &ledger.state(), &at_rest.map_err(|error| data(&error))?)?;
        let chronicle = Chronicle::open(&paths.chronicle())
            .await
            .map_err(|error| data(&error))?;
        let prices = paths.prices();
        let (token, handed) = match heirloom {
            Some(Heirloom { token, port }) => (token, Some(port)),
            None => (instance::new_token().map_err(|error| data(&error))?, None),
        };
        let decoy = instance::new_token().map_err(|error| data(&error))?;
        let search = crate::host::programs::SearchPath::of(&options.env);
        let (runtimes, followed) = Runtimes::new();
        let engine = Arc::new_cyclic(|me| Self {
            intent_files: intent_files::IntentFiles::open(paths.intents(), &ledger.state()),
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
            used: Used::default(),
            prices: prices::Own::new(prices),
            forges: Forges::default(),
            notifiers: Notifiers::default(),
            read_issues: ReadIssues::default(),
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
        let routed = Arc::downgrade(&engine);
        let routes = move || routed.upgrade().map(|engine| engine.config().routes());
        engine
            .ledger
            .route_by(Box::new(move || routes().unwrap_or_default()));
        let in_memory: Vec<_> = engine.ledger.state().sessions.keys().cloned().collect();
        if let Err(error) = engine.sum_up(&in_memory).await {
            // Nothing is decided by these sums: the cost shown is too low until they can be read again.
            tracing::warn!("could not read what was used: {error}");
        }
        follow::start(&engine, followed);
        program::end_all(&engine).await;
        adopt::all(&engine).await;
        trust::note_repositories(&engine).await;
        catch_up::catch_up(&engine);
        hold_to_budgets::interrupt_again(&engine);
        run::start(&engine, list::all());
        Ok(engine)
    }

    /// Listens on `wanted`, else on the port that was handed over, else on the last engine's port if it is
    /// free, and records the port in `engine.json`. A token that was handed over is valid only on its own
    /// port.
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
            manifest.token = instance::new_token().map_err(|error| data(&error))?;
        }
        manifest.port = port;
        if let Some(lock) = &*self.lock.lock().unwrap_or_else(PoisonError::into_inner) {
            lock.note(Some(port)).map_err(|error| data(&error))?;
        }
        let written = manifest.write(&self.paths.manifest());
        written.map_err(|error| data(&error))?;
        Ok(listener)
    }

    /// Releases the data directory: nothing is written any more; every session keeps running.
    pub(crate) async fn let_go(&self) {
        self.closing.cancel();
        end_all(self).await;
        rule_command::end_all(self).await;
        program::end_all(self).await;
        self.runtimes.settle(SETTLE).await;
        self.ledger.close().await;
        self.power.set(false);
        self.ledger.store().close().await;
        self.transcripts.chronicle.close().await;
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.gone.cancel();
    }
}

/// Returns what keeps an engine from starting with the database, with the way out; `None` if nothing does. For a data directory
/// that no engine holds.
pub async fn database_problem(paths: &Paths) -> Option<String> {
    let problem = downbeat_store::problem(&paths.database()).await;
    problem.map(|problem| problem.to_string())
}

/// Reports whether an engine that is gone left a session that has not ended or an intent that was not carried
/// out: processes that worked for it may still run.
pub async fn left_unfinished(paths: &Paths) -> bool {
    downbeat_store::has_unfinished(&paths.database()).await
}
