//! Ends this program: together with its engine, after an engine without a window took over, or because it
//! cannot start. The person's choice to quit, and what happens to the sessions, is in `quit`.

use crate::agents_environment::environment;
use crate::shell::Shell;
use crate::window;
use downbeat_wire::engine::{OnShutdown, Shutdown};
use downbeat_wire::{ApiError, Client};
use std::process::{Command, Stdio};
use std::time::Duration;
use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};
use tokio::time::{sleep, timeout};

/// The time limit for the engine without a window to take over; it usually takes much less.
const TAKE_OVER: Duration = Duration::from_secs(15);

/// The time limit for ending; what the engine has not finished by then is done by the next one.
const ENDING: Duration = Duration::from_secs(20);

/// Ends the engine, then this program.
pub async fn end(app: &AppHandle, shell: &Shell, sessions: OnShutdown) {
    window::remember(app);
    match timeout(ENDING, shell.shutdown_engine(Shutdown { sessions })).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the engine did not end as asked"),
        Err(_) => tracing::warn!("the engine took too long to end"),
    }
    app.exit(0);
}

/// Starts `downbeat serve`, which takes over from this engine, and waits until it has done so.
pub async fn go_on_headless(shell: &Shell) -> Result<(), ApiError> {
    let environment = tauri::async_runtime::spawn_blocking(environment).await;
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
            "Does {} exist? Stopping all sessions works without it.",
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

/// Starts the process without our console. On other systems `--detached` is enough.
#[cfg(windows)]
fn detach(command: &mut Command) {
    const NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, NO_WINDOW);
}

#[cfg(not(windows))]
fn detach(_command: &mut Command) {}

/// Shows why Downbeat cannot start, and exits once the person has closed the message.
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

/// Asks by the system's own dialog, since the page does not answer; it offers only the safe choice.
pub fn ask_by_system(app: &AppHandle) {
    let on_answer = app.clone();
    app.dialog()
        .message("Sessions or shells are still running. They keep running without a window if you quit.")
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
