//! The desktop shell: one window, a tray and the system's own manners over an engine that lives
//! in this process. It holds no logic: what an operation does is behind `wire::Host`.
//!
//! Known limitations: taskbar badges exist where the system has them (macOS, Linux docks that
//! follow the launcher protocol, Windows as an overlay); notifications on macOS need a bundle.
//!
//! The modules. Each imports only what this list names before it, which `scripts/checks/rooms.test.js` holds.
//!
//! * `lock`: taking a lock
//! * `viewers`: the viewers of terminals that the page has open
//! * `shell`: what the parts below share
//! * `agents_environment`: the environment that agents start from
//! * `window`: the one window
//! * `ending`: how this program ends
//! * `page`: what the shell asks of the page
//! * `quit`: the ways out that a person has
//! * `tray`: the tray
//! * `opened`: what happens to the window
//! * `notice`: desktop notifications
//! * `follow`: changes of the engine, for tray and notifications
//! * `instance`: a second start
//! * `command`: what the page calls
//! * `terminal`: what the page calls of terminals
//! * `sidecar`: the command line program that is installed beside this one
//! * `start`: the engine, its loopback server, then the window; what is shown when that fails
#![forbid(unsafe_code)]

mod agents_environment;
mod command;
mod ending;
mod follow;
mod instance;
mod lock;
mod notice;
mod opened;
mod page;
mod quit;
mod shell;
mod sidecar;
mod start;
mod terminal;
mod tray;
mod viewers;
mod window;

use std::process::ExitCode;
use tauri::{AppHandle, RunEvent};
use tracing_subscriber::EnvFilter;

/// Runs the desktop application until it quits.
pub fn run() -> ExitCode {
    log();
    let threads = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(downbeat_engine::STACK)
        .enable_all()
        .build();
    let threads = match threads {
        Ok(threads) => threads,
        Err(error) => {
            eprintln!("downbeat: no threads could be started: {error}");
            return ExitCode::FAILURE;
        }
    };
    tauri::async_runtime::set(threads.handle().clone());
    let built = tauri::Builder::default()
        .plugin(instance::plugin())
        .plugin(tauri_plugin_dialog::init())
        // Used from Rust alone: no capability names it, so that the page can run nothing by it.
        .plugin(tauri_plugin_shell::init())
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
        .on_window_event(opened::changed)
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
