//! `downbeat start`: opens the window. Folders, and repositories that are cloned first, are offered as projects, one after the other; a
//! `downbeat://session/ID` shows that session. If there is no window to open, it starts an engine and prints
//! the address of the same interface.

use crate::client::Client;
use crate::command::engine::clone;
use crate::command::session::new::around;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print};
use clap::{Args, ValueHint};
use downbeat_model::SessionId;
use downbeat_wire::Client as _;
use downbeat_wire::project::AddProject;
use downbeat_wire::proof;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program with the window, which is next to this one.
const WINDOW: &str = if cfg!(windows) {
    "downbeat-desktop.exe"
} else {
    "downbeat-desktop"
};

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Folders to add as projects, addresses of repositories to clone here and add, and downbeat://session/ID to show a
    /// session
    #[arg(value_name = "PATH|URL", value_hint = ValueHint::DirPath)]
    targets: Vec<String>,
    /// Print the address of the same interface for a browser instead of opening the window
    #[arg(long)]
    link: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    home.refuse_inside("open the window or tell the person's link")?;
    let mut targets = arguments.targets;
    for target in targets.iter_mut().filter(|target| clone::is_address(target)) {
        *target = clone::clone(target)?.to_string_lossy().into_owned();
    }
    let (links, folders): (Vec<_>, Vec<_>) = targets.into_iter().partition(|target| target.contains("://"));
    if let Some(link) = links.iter().find(|link| session_of(link).is_none()) {
        let failure = Failure::usage(format!("{link} does not lead to a session"));
        return Err(failure.hint("a link to a session is downbeat://session/ID"));
    }
    if !arguments.link
        && has_display()
        && let Some(window) = window()
    {
        // The window adds folders by itself, so that it can ask whether they are trusted.
        let folders = folders
            .iter()
            .map(|folder| absolute(folder))
            .collect::<Result<Vec<_>, _>>()?;
        let mut command = Command::new(&window);
        // The window finds its Downbeat in the same way as this command: if the person named none, nothing is
        // passed, or an open window would be taken for that of another Downbeat.
        command.args(folders).args(links);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
            .spawn()
            .map_err(|error| Failure::new(format!("{}: {error}", window.display())))?;
        return DONE;
    }
    if let Some(id) = links.iter().find_map(|link| session_of(link)) {
        let failure = Failure::new("there is no window to open a session in");
        return Err(failure.hint(format!("downbeat attach {id}")));
    }
    let client = Client::ready(&home).await?;
    if folders.is_empty() && Path::new(".git").exists() && around(&client).await.is_err() {
        eprintln!("this folder is not in a project yet; `downbeat start .` adds it");
    }
    for folder in folders {
        let request = AddProject {
            path: absolute(&folder)?.to_string_lossy().into_owned(),
            trust: None,
            name: None,
            initialize: None,
        };
        let project = client.add_project(request).await?;
        print(&format!("added {} ({})\n", project.name, project.path))?;
    }
    print(&format!("{}\n", proof::link(client.token(), client.port())))
}

/// Returns the session that a link names: `downbeat://session/ID`.
fn session_of(link: &str) -> Option<SessionId> {
    SessionId::parse(link.strip_prefix("downbeat://session/")?)
}

/// Makes a typed path independent of the current directory.
pub(in crate::command) fn absolute(path: &str) -> Result<PathBuf, Failure> {
    std::path::absolute(Path::new(path)).map_err(|error| Failure::usage(format!("{path:?}: {error}")))
}

fn window() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok()?.with_file_name(WINDOW);
    beside.is_file().then_some(beside)
}

#[cfg(any(windows, target_os = "macos"))]
fn has_display() -> bool {
    true
}

#[cfg(not(any(windows, target_os = "macos")))]
fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
