//! The ways in which a person quits. If no session is alive and nothing runs in a shell, the program just
//! ends; otherwise the person chooses: continue without a window, stop all sessions, or stay.

use crate::ending::{end, go_on_headless};
use crate::page::{self, Ask};
use crate::shell::Shell;
use crate::window;
use downbeat_wire::engine::OnShutdown;
use downbeat_wire::request::Nothing;
use downbeat_wire::{ApiError, Client};
use tauri::{AppHandle, Manager, State};

/// Handles a person's intent to quit.
pub fn ask(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Some(shell) = app.try_state::<Shell>() else {
            return app.exit(0);
        };
        match shell.get_engine(Nothing {}).await {
            Ok(info) if info.holds_any() => choose(&app),
            Ok(_) => end(&app, &shell, OnShutdown::Keep).await,
            Err(_) => app.exit(0),
        }
    });
}

/// Handles a person's intent to quit from the page.
#[tauri::command]
pub fn quit_wanted(app: AppHandle) {
    ask(&app);
}

/// Asks in the page; if it does not answer, the system asks ([`crate::ending::ask_by_system`]).
fn choose(app: &AppHandle) {
    window::show(app);
    page::ask(app, Ask::Quit);
}

/// Quits as the person chose: sessions continue under an engine without a window, or are stopped.
#[tauri::command]
pub async fn quit(app: AppHandle, shell: State<'_, Shell>, sessions: OnShutdown) -> Result<(), ApiError> {
    if sessions == OnShutdown::Keep {
        window::remember(&app);
        // The program exits by itself once its engine has released its data directory: see `start`.
        return go_on_headless(&shell).await;
    }
    end(&app, &shell, sessions).await;
    Ok(())
}
