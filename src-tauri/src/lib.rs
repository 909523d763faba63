//! The desktop shell: one window, a tray and the integration with the desktop, for an engine that runs in
//! this process. Contains no logic of operations; these are behind `wire::Host`.
//!
//! Known limitations: taskbar badges exist only if the system supports them (macOS, Linux docks that follow
//! the launcher protocol, Windows as an overlay); notifications on macOS need a bundle.
//!
//! The modules. Each imports only modules that this list names before it; `scripts/checks/rooms.test.js`
//! checks that.
//!
//! * `lock`: locks a mutex
//! * `viewers`: the viewers of terminals that the page has open
//! * `shell`: the state that the modules below share
//! * `agents_environment`: the environment in which agents start
//! * `window`: the only window
//! * `ending`: ends this program
//! * `page`: the requests of the shell to the page
//! * `quit`: the ways in which a person quits
//! * `tray`: the tray
//! * `opened`: opens the window and handles its events
//! * `notice`: desktop notifications
//! * `follow`: follows changes of the engine, for tray and notifications
//! * `instance`: handles a second start
//! * `command`: the commands that the page calls
//! * `terminal`: the commands that the page calls for terminals
//! * `sidecar`: finds the command line program that is installed next to this one
//! * `start`: starts the engine, its loopback server and the window, and shows why that failed
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
        // Used from Rust only: no capability names it, so the page cannot run anything through it.
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
        // The first instance was found, and ended before it took the arguments.
        Err(tauri::Error::PluginInitialization(plugin, why)) if plugin == instance::PLUGIN => {
            let why = instance::start_again().unwrap_or(why);
            eprintln!("downbeat: another instance is running and does not answer: {why}");
            ExitCode::FAILURE
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
        // Without a code nobody has decided yet: it is the system's own Quit. With a code, we have decided.
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
