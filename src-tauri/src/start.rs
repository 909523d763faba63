//! Starts the engine in this process, its loopback server for the command line and the bridges, then the
//! window. A failure is shown with its reason and a way out.

use crate::agents_environment::environment;
use crate::ending;
use crate::follow;
use crate::instance;
use crate::opened;
use crate::page::Page;
use crate::shell::Shell;
use crate::sidecar;
use crate::tray::Tray;
use downbeat_engine::{Engine, Options, paths};
use downbeat_wire::{Host, proof};
use std::sync::{Arc, Mutex};
use tauri::{AppHandle, Manager};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const HOMELESS: &str = "There is no home directory for Downbeat's data. Set DOWNBEAT_HOME to a folder.";

/// Starts everything, or shows why that failed.
pub fn start(app: &AppHandle) {
    app.manage(Page::default());
    app.manage(Tray::default());
    match tauri::async_runtime::block_on(open(app)) {
        Ok(shell) => show(app, shell),
        Err(message) => ending::refuse(app, &message),
    }
}

fn show(app: &AppHandle, shell: Shell) {
    app.manage(shell);
    if let Err(error) = opened::open(app) {
        return ending::refuse(app, &format!("The window could not be opened: {error}"));
    }
    tauri::async_runtime::spawn(follow::follow(app.clone()));
    let arguments: Vec<String> = std::env::args_os()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    let directory = std::env::current_dir().unwrap_or_default();
    instance::take(app, &arguments, &directory);
}

/// Opens the engine, taking over from one without a window, and serves it on loopback.
async fn open(app: &AppHandle) -> Result<Shell, String> {
    let data_dir = paths::data_dir().ok_or(HOMELESS)?;
    let environment = tauri::async_runtime::spawn_blocking(environment);
    let options = Options {
        data_dir: data_dir.clone(),
        headless: false,
        cli: sidecar::find(app).await?,
        env: environment.await.map_err(words)?,
        take_over: true,
    };
    let engine = Engine::open(options).await.map_err(words)?;
    let listener = engine.listen(None).map_err(words)?;
    let (closed, cli) = (engine.closed(), engine.cli().to_owned());
    let page = proof::page_name(&engine.token());
    let host: Arc<dyn Host> = engine;
    tauri::async_runtime::spawn(serve(
        app.clone(),
        Arc::clone(&host),
        (listener, page),
        closed.clone(),
    ));
    Ok(Shell {
        host,
        data_dir,
        cli,
        closed,
        viewers: Arc::default(),
        follower: Mutex::default(),
        in_view: Mutex::default(),
    })
}

/// Serves until the engine releases its data directory, which another engine then has, and ends this program.
/// If serving fails, the program continues until then, since the window does not need it.
async fn serve(
    app: AppHandle,
    host: Arc<dyn Host>,
    (listener, page): (TcpListener, String),
    closed: CancellationToken,
) {
    if let Err(error) = downbeat_server::serve(host, listener, &page, closed.clone()).await {
        tracing::error!(%error, "the command line and bridges cannot reach this engine");
    }
    closed.cancelled().await;
    app.exit(0);
}

fn words(error: impl std::error::Error) -> String {
    error.to_string()
}
