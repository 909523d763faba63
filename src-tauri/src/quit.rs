//! The ways out that a person has. With no session alive and nothing running in a shell, quitting just ends;
//! otherwise the person chooses: go on without a window, stop all sessions, or stay.

use crate::ending::{end, go_on_headless};
use crate::page::{self, Ask};
use crate::shell::Shell;
use crate::window;
use downbeat_wire::engine::OnShutdown;
use downbeat_wire::request::Nothing;
use downbeat_wire::{ApiError, Client};
use tauri::{AppHandle, Manager, State};

/// The person wants to quit.
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

/// The person wants to quit, and says so in the page.
#[tauri::command]
pub fn quit_wanted(app: AppHandle) {
    ask(&app);
}

/// The page asks; where it does not answer, the system does ([`crate::ending::ask_by_system`]).
fn choose(app: &AppHandle) {
    window::show(app);
    page::ask(app, Ask::Quit);
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
