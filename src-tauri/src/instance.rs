//! A second start hands its arguments to the first and ends. A folder among them is offered as a
//! project. With another `DOWNBEAT_HOME` it is another Downbeat, and both run.

use crate::page::{self, Ask};
use crate::window;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Wry};

const IDENTIFIER: &str = "dev.downbeat.desktop";

/// The plugin that finds the first instance.
pub fn plugin() -> TauriPlugin<Wry> {
    let home = std::env::var_os("DOWNBEAT_HOME").filter(|home| !home.is_empty());
    match home {
        // Only D-Bus names can differ per data directory; the engine's lock covers the rest.
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
            offer_folder(app, &arguments, Path::new(&directory));
        })
        .build()
}

/// Offers the folder among `arguments` (the first is the program) as a project.
pub fn offer_folder(app: &AppHandle, arguments: &[String], directory: &Path) {
    let folder = arguments
        .iter()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    if let Some(folder) = folder {
        let path: PathBuf = directory.join(folder);
        page::ask(
            app,
            Ask::AddFolder {
                path: path.to_string_lossy().into_owned(),
            },
        );
    }
}

fn hash(home: &std::ffi::OsStr) -> u64 {
    let mut hasher = DefaultHasher::new();
    home.hash(&mut hasher);
    hasher.finish()
}
