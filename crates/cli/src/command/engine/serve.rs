//! `downbeat serve`: runs the engine without a window, with the same interface in a browser.

use crate::failure::Failure;
use crate::home::Home;
use crate::log;
use crate::notify;
use crate::outcome::{DONE, Outcome, print};
use clap::Args;
use downbeat_engine::environment::{cached, complete};
use downbeat_engine::{Engine, OpenError, Options};
use downbeat_wire::engine::{OnShutdown, Shutdown};
use downbeat_wire::{Caller, Operations, proof};
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::MakeWriterExt;

/// The time limit for an engine that ends to release its data directory.
const LETS_GO: Duration = Duration::from_secs(5);

/// The time limit for work in the background once everything else has ended.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(after_help = "It listens on this machine only. Stop it with Ctrl-C; sessions keep running.")]
pub(in crate::command) struct Arguments {
    /// The port; default the port used last, else a free port
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Ask the engine of an open window to hand over first; an engine without a window always does
    #[arg(long)]
    take_over: bool,
    /// Print the link with its token wherever the output goes
    #[arg(long, hide = true)]
    link: bool,
    /// Detach from the terminal that started it
    #[arg(long, hide = true)]
    detached: bool,
}

pub(in crate::command) fn run(arguments: Arguments, home: Home) -> Outcome {
    // It would end with that session, and act as the person.
    home.refuse_inside("run the engine that it belongs to")?;
    if arguments.detached {
        leave_terminal();
    }
    write_log(&home, arguments.detached)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(downbeat_engine::STACK)
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(arguments, home));
    // A thread may be waiting for a disk or a pipe indefinitely.
    runtime.shutdown_timeout(GRACE);
    served
}

/// Sets up the log on this terminal, and in the file that `downbeat logs` reads. A detached engine writes to
/// the file only, wherever its starter redirects its outputs.
fn write_log(home: &Home, detached: bool) -> Result<(), Failure> {
    let filter = EnvFilter::try_from_env("DOWNBEAT_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
    let file = Mutex::new(log::open(home)?);
    if detached {
        subscriber.with_writer(file).init();
    } else {
        subscriber.with_writer(std::io::stderr.and(file)).init();
    }
    Ok(())
}

/// Returns whether this engine replaces the running one. An engine that a command started in the background
/// makes way for an engine that was requested. The window's engine does not, since that would end the window.
fn takes_over(arguments: &Arguments, home: &Home) -> bool {
    let windowless = || home.manifest().is_some_and(|manifest| manifest.headless);
    arguments.take_over || (!arguments.detached && windowless())
}

async fn serve(arguments: Arguments, home: Home) -> Outcome {
    let take_over = takes_over(&arguments, &home);
    let options = Options {
        data_dir: home.root().to_owned(),
        headless: true,
        cli: std::env::current_exe()?,
        env: environment(),
        take_over,
    };
    let engine = Engine::open(options)
        .await
        .map_err(|error| Failure::new(error.to_string()))?;
    let listener = engine.listen(arguments.port).map_err(|error| match &error {
        OpenError::Port { port: 1.., .. } => {
            Failure::new(error.to_string()).hint("leave --port out for a free one")
        }
        _ => Failure::new(error.to_string()),
    })?;
    let port = listener.local_addr()?.port();
    tracing::info!(port, pid = std::process::id(), "the engine listens");
    if !arguments.detached {
        let whole = arguments.link || std::io::stdout().is_terminal();
        print(&address(port, &engine.token(), &std::env::current_exe()?, whole))?;
    }
    let (ends, gone) = (engine.closed(), engine.gone());
    tokio::spawn(end_on_signal(engine.clone()));
    let notifies = tokio::spawn(notify::follow(engine.clone()));
    let page = proof::page_name(&engine.token());
    let served = downbeat_server::serve(engine, listener, &page, ends).await;
    notifies.abort();
    served.map_err(|error| Failure::new(error.to_string()))?;
    // Work in progress finishes, or the next engine continues it.
    let _ = tokio::time::timeout(LETS_GO, gone.cancelled()).await;
    DONE
}

/// Formats the program for the command line, then the address of the interface. The address contains the
/// person's token only if a person reads it, since a journal or a file would keep it.
fn address(port: u16, token: &str, program: &Path, whole: bool) -> String {
    let program = program.display();
    match whole {
        true => format!(
            "Command line: {program}\nOpen this link in a browser on this machine:\n{}\n",
            proof::link(token, port)
        ),
        false => format!(
            "Downbeat listens on http://127.0.0.1:{port}/\nFor the link with its token run: {program} start --link\n"
        ),
    }
}

/// Returns the environment in which sessions start: this terminal's, without variables that belong to others,
/// plus those that only the login shell sets. Values that are not Unicode are dropped, since no agent's JSON
/// could contain them.
fn environment() -> Vec<(String, String)> {
    let unicode =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    complete(std::env::vars_os().filter_map(unicode).collect(), cached())
}

/// Ends the engine on Ctrl-C or a termination signal; sessions continue.
async fn end_on_signal(engine: Arc<Engine>) {
    signalled().await;
    let request = Shutdown {
        sessions: OnShutdown::Keep,
    };
    if let Err(error) = engine.shutdown_engine(&Caller::Owner, request).await {
        tracing::warn!(%error, "the engine did not end as asked");
        engine.closed().cancel();
    }
}

/// Returns whether this process ends when its terminal closes: not under `nohup`, where it ignores that.
#[cfg(target_os = "linux")]
fn ends_with_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit belongs to the first signal, SIGHUP.
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_some_and(|bits| bits & 1 == 0)
}

/// Only Linux reports whether a signal is ignored.
#[cfg(all(unix, not(target_os = "linux")))]
fn ends_with_terminal() -> bool {
    false
}

#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    // Listening for SIGHUP ends this process on it, even if its starter had it ignored.
    let hang_up = ends_with_terminal()
        .then(|| signal(SignalKind::hangup()).ok())
        .flatten();
    let hung_up = async {
        match hang_up {
            Some(mut hang_up) => drop(hang_up.recv().await),
            None => std::future::pending().await,
        }
    };
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                () = hung_up => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

/// Waits for Ctrl-C, Ctrl-Break, the console window closing, a sign-out or a shutdown.
#[cfg(windows)]
async fn signalled() {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
    match (
        ctrl_c(),
        ctrl_break(),
        ctrl_close(),
        ctrl_logoff(),
        ctrl_shutdown(),
    ) {
        (Ok(mut c), Ok(mut pause), Ok(mut close), Ok(mut logoff), Ok(mut shutdown)) => {
            tokio::select! {
                _ = c.recv() => {}
                _ = pause.recv() => {}
                _ = close.recv() => {}
                _ = logoff.recv() => {}
                _ = shutdown.recv() => {}
            }
        }
        _ => drop(tokio::signal::ctrl_c().await),
    }
}

/// Starts a new session, so that closing the terminal, or Ctrl-C in it, does not affect the engine.
#[cfg(unix)]
fn leave_terminal() {
    // Fails only if the process already leads a session, which is the desired state.
    let _ = rustix::process::setsid();
}

#[cfg(not(unix))]
fn leave_terminal() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_comes_last_and_the_program_is_named_in_full() {
        let program = Path::new("/opt/downbeat/downbeat");
        let whole = address(4100, "secret", program, true);
        assert_eq!(whole.lines().last(), Some(proof::link("secret", 4100).as_str()));
        assert!(whole.contains("/opt/downbeat/downbeat"), "{whole}");
        let kept = address(4100, "secret", program, false);
        assert!(!kept.contains("secret"), "{kept}");
        assert!(kept.contains("/opt/downbeat/downbeat start --link"), "{kept}");
    }
}
