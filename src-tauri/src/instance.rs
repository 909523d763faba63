//! A second start passes its arguments to the first one and exits. Folders among them are offered as
//! projects, and a `downbeat://session/ID` is shown. With another `DOWNBEAT_HOME` it is another Downbeat, and
//! both run.

use crate::page::{self, Ask};
use crate::window;
use downbeat_engine::paths;
use downbeat_model::SessionId;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::time::Duration;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Wry};

const IDENTIFIER: &str = "dev.downbeat.desktop";

/// The start of a link to a session.
const SESSION_LINK: &str = "downbeat://session/";

/// The name of the plugin that finds the first instance.
pub const PLUGIN: &str = "single-instance";

/// The argument that counts the starts of one process.
const STARTS: &str = "--starts=";

/// The number of further starts while an earlier instance ends.
const MOST_STARTS: u32 = 20;

/// The wait before each of them.
const WAIT: Duration = Duration::from_millis(250);

/// Starts this program anew in its own process, after a wait. Returns only if that fails, or after too many starts.
pub fn start_again() -> Option<String> {
    let arguments = next_start(
        std::env::args_os()
            .skip(1)
            .map(|one| one.to_string_lossy().into_owned())
            .collect(),
    )?;
    std::thread::sleep(WAIT);
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return Some(error.to_string()),
    };
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        Some(Command::new(program).args(arguments).exec().to_string())
    }
    #[cfg(not(unix))]
    {
        // Elsewhere the plugin does not fail in this way.
        let _ = (program, arguments);
        None
    }
}

/// Returns the arguments of the next start; `None` after too many.
fn next_start(arguments: Vec<String>) -> Option<Vec<String>> {
    let counted = arguments
        .iter()
        .find_map(|one| one.strip_prefix(STARTS)?.parse::<u32>().ok());
    let count = counted.unwrap_or(0) + 1;
    let mut next: Vec<String> = arguments
        .into_iter()
        .filter(|one| !one.starts_with(STARTS))
        .collect();
    next.insert(0, format!("{STARTS}{count}"));
    (count <= MOST_STARTS).then_some(next)
}

/// Returns the plugin that finds the first instance.
pub fn plugin() -> TauriPlugin<Wry> {
    match paths::other_dir() {
        // Only D-Bus names can differ per data directory; for the other systems the engine's lock is enough.
        Some(_) if !cfg!(target_os = "linux") => tauri::plugin::Builder::new("one-of-several").build(),
        Some(home) => named(&format!("{IDENTIFIER}.home{:x}", hash(&home))),
        None => named(IDENTIFIER),
    }
}

fn named(id: &str) -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(id)
        .callback(|app, arguments, directory| {
            window::show(app);
            take(app, &arguments, Path::new(&directory));
        })
        .build()
}

/// Does what `arguments` (the first one is the program) ask for. Relative paths start at `directory`.
pub fn take(app: &AppHandle, arguments: &[String], directory: &Path) {
    requests(arguments, directory)
        .into_iter()
        .for_each(|request| page::ask(app, request));
}

fn requests(arguments: &[String], directory: &Path) -> Vec<Ask> {
    let targets = arguments
        .iter()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'));
    let request = |target: &String| {
        if let Some(id) = target.strip_prefix(SESSION_LINK).and_then(SessionId::parse) {
            return Some(Ask::OpenSession { id: id.to_string() });
        }
        if target.contains("://") {
            tracing::warn!(%target, "this link does not lead to a session");
            return None;
        }
        Some(Ask::AddFolder {
            path: directory.join(target).to_string_lossy().into_owned(),
        })
    };
    targets.filter_map(request).collect()
}

fn hash(home: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    home.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{MOST_STARTS, next_start};

    #[test]
    fn starts_are_counted_and_the_other_arguments_stay() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let next = |arguments: &[&str]| next_start(words(arguments));
        assert_eq!(next(&["shop"]), Some(words(&["--starts=1", "shop"])));
        assert_eq!(
            next(&["--starts=1", "shop"]),
            Some(words(&["--starts=2", "shop"]))
        );
        assert_eq!(next(&["--starts=x"]), Some(words(&["--starts=1"])));
        assert_eq!(next(&[&format!("--starts={MOST_STARTS}")]), None);
    }
}
