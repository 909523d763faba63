//! The desktop shell: one window, a tray and the system's own manners over an engine that lives
//! in this process. It holds no logic: what an operation does is behind `wire::Host`.
//!
//! Module map, along the flow:
//! * [`start`]: the environment, the engine, its loopback server; what is shown when that fails
//! * [`shell`]: what the parts below share
//! * [`command`], [`terminal`], [`follow`]: what the page calls, and the two streams to it
//! * [`page`]: what the shell asks of the page
//! * [`window`], [`tray`], [`notice`]: the window, the tray, desktop notifications
//! * [`quit`]: the ways out; [`instance`]: a second start
//!
//! Known limitations: taskbar badges exist where the system has them (macOS, Linux docks that
//! follow the launcher protocol, Windows as an overlay); notifications on macOS need a bundle.
#![forbid(unsafe_code)]

mod command;
mod follow;
mod instance;
mod notice;
mod page;
mod quit;
mod shell;
mod start;
mod terminal;
mod tray;
mod window;

use std::process::ExitCode;
use tauri::{AppHandle, RunEvent};
use tracing_subscriber::EnvFilter;

/// Runs the desktop application until it quits.
pub fn run() -> ExitCode {
    log();
    let built = tauri::Builder::default()
        .plugin(instance::plugin())
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(tauri::generate_handler![
            command::call,
            command::follow,
            command::open_url,
            command::page_ready,
            command::page_took,
            command::viewing,
            terminal::terminal_open,
            terminal::terminal_send,
            terminal::terminal_close,
            quit::quit_wanted,
            quit::quit,
        ])
        .on_menu_event(tray::chosen)
        .on_window_event(window::changed)
        .setup(|app| {
            start::start(app.handle());
            Ok(())
        })
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            app.run(event);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!(
                "downbeat: the window system cannot be used: {error}\nWithout a display, run: downbeat serve"
            );
            ExitCode::FAILURE
        }
    }
}

fn event(app: &AppHandle, event: RunEvent) {
    match event {
        // Without a code nobody decided yet: the system's own Quit. With one, we did.
        RunEvent::ExitRequested { code: None, api, .. } => {
            api.prevent_exit();
            quit::ask(app);
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => window::show(app),
        _ => {}
    }
}

fn log() {
    let filter = EnvFilter::try_from_env("DOWNBEAT_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
