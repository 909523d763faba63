//! A second start passes its arguments to the first one and exits. Folders among them are offered as
//! projects, and a `downbeat://session/ID` is shown. With another `DOWNBEAT_HOME` it is another Downbeat, and
//! both run.

use crate::page::{self, Ask};
use crate::window;
use downbeat_engine::paths;
use downbeat_model::SessionId;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Wry};

const IDENTIFIER: &str = "dev.downbeat.desktop";

/// The start of a link to a session.
const SESSION_LINK: &str = "downbeat://session/";

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
