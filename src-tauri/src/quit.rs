//! The ways out. With no session alive and nothing running in a shell, quitting just ends; otherwise the person chooses: go on
//! without a window, stop all sessions, or stay.

use crate::page::{self, Ask};
use crate::shell::Shell;
use crate::start;
use crate::window;
use downbeat_wire::ApiError;
use downbeat_wire::engine::{EngineInfo, OnShutdown};
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::Duration;
use tauri::{AppHandle, Manager, State};
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};
use tokio::time::{sleep, timeout};

/// How long the engine without a window may take to take over; it does so in well under this.
const TAKE_OVER: Duration = Duration::from_secs(15);

/// How long ending may take; what the engine has not done by then is done by the next one.
const ENDING: Duration = Duration::from_secs(20);

/// The person wants to quit.
pub fn ask(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Some(shell) = app.try_state::<Shell>() else {
            return app.exit(0);
        };
        match shell.ask::<EngineInfo>("get_engine").await {
            Ok(info) if info.holds_any() => choose(&app),
            Ok(_) => end(&app, &shell, OnShutdown::Keep).await,
            Err(_) => app.exit(0),
        }
    });
}

/// The person wants to quit, and says so in the page.
#[tauri::command]
pub fn quit_wanted(app: AppHandle) {
    ask(&app);
}

/// The page asks; where it does not answer, [`ask_by_system`] does.
fn choose(app: &AppHandle) {
    window::show(app);
    page::ask(app, Ask::Quit);
}

/// The page is not there to ask: the system's own dialog asks the safe half of the question.
pub fn ask_by_system(app: &AppHandle) {
    let on_answer = app.clone();
    app.dialog()
        .message("Sessions or shells are still running. They go on without a window when you quit.")
        .title("Quit Downbeat?")
        .buttons(MessageDialogButtons::OkCancelCustom("Quit".into(), "Stay".into()))
        .show(move |quit| {
            if quit {
                tauri::async_runtime::spawn(async move {
                    if let Some(shell) = on_answer.try_state::<Shell>() {
                        end(&on_answer, &shell, OnShutdown::Keep).await;
                    }
                });
            }
        });
}

/// Quits as the person chose: sessions go on under an engine without a window, or are stopped.
#[tauri::command]
pub async fn quit(app: AppHandle, shell: State<'_, Shell>, sessions: OnShutdown) -> Result<(), ApiError> {
    if sessions == OnShutdown::Keep {
        window::remember(&app);
        // The program ends by itself once its engine let go: see `start`.
        return go_on_headless(&shell).await;
    }
    end(&app, &shell, sessions).await;
    Ok(())
}

async fn end(app: &AppHandle, shell: &Shell, sessions: OnShutdown) {
    window::remember(app);
    let arguments = json!({ "sessions": sessions });
    match timeout(ENDING, shell.call("shutdown_engine".into(), arguments, None)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the engine did not end as asked"),
        Err(_) => tracing::warn!("the engine took too long to end"),
    }
    app.exit(0);
}

/// Starts `downbeat serve`, which takes this engine over, and waits until it has.
async fn go_on_headless(shell: &Shell) -> Result<(), ApiError> {
    let environment = tauri::async_runtime::spawn_blocking(start::environment).await;
    let environment = environment.map_err(|error| ApiError::failed("the environment was not read", error))?;
    let mut serve = Command::new(&shell.cli);
    serve
        .args(["serve", "--take-over", "--detached"])
        .env_clear()
        .envs(environment)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    detach(&mut serve);
    let mut serve = serve.spawn().map_err(|error| {
        ApiError::failed("the engine without a window could not be started", error).hint(format!(
            "Is {} there? Stopping all sessions works without it.",
            shell.cli.display()
        ))
    })?;
    let taken_over = async {
        while !shell.closed.is_cancelled() {
            if let Ok(Some(status)) = serve.try_wait() {
                return Err(ApiError::failed("the engine without a window ended", status));
            }
            sleep(Duration::from_millis(25)).await;
        }
        Ok(())
    };
    let late = || {
        ApiError::failed(
            "the engine without a window did not take over",
            format!("{TAKE_OVER:?}"),
        )
    };
    timeout(TAKE_OVER, taken_over).await.map_err(|_| late())?
}

/// Without our console. Elsewhere `--detached` is enough.
#[cfg(windows)]
fn detach(command: &mut Command) {
    const NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, NO_WINDOW);
}

#[cfg(not(windows))]
fn detach(_command: &mut Command) {}

/// Tells why Downbeat cannot start, and ends when that was read.
pub fn refuse(app: &AppHandle, message: &str) {
    eprintln!("downbeat: {message}");
    let after = app.clone();
    app.dialog()
        .message(message)
        .title("Downbeat cannot start")
        .kind(MessageDialogKind::Error)
        .buttons(MessageDialogButtons::OkCustom("Quit".into()))
        .show(move |_| after.exit(1));
}
