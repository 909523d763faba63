//! A second start hands its arguments to the first and ends. Folders among them are offered as
//! projects, a `downbeat://session/ID` is shown. With another `DOWNBEAT_HOME` it is another
//! Downbeat, and both run.

use crate::page::{self, Ask};
use crate::window;
use downbeat_engine::paths;
use downbeat_model::SessionId;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Wry};

const IDENTIFIER: &str = "dev.downbeat.desktop";

/// How a link to a session begins.
const SESSION_LINK: &str = "downbeat://session/";

/// The plugin that finds the first instance.
pub fn plugin() -> TauriPlugin<Wry> {
    match other(paths::data_dir(), paths::platform_dir()) {
        // Only D-Bus names can differ per data directory; the engine's lock covers the rest.
        Some(_) if !cfg!(target_os = "linux") => tauri::plugin::Builder::new("one-of-several").build(),
        Some(home) => named(&format!("{IDENTIFIER}.home{:x}", hash(&home))),
        None => named(IDENTIFIER),
    }
}

/// The data directory, where it is not the usual one, whichever way it was named.
fn other(chosen: Option<PathBuf>, usual: Option<PathBuf>) -> Option<PathBuf> {
    let chosen = real(&chosen?);
    (usual.map(|usual| real(&usual)).as_ref() != Some(&chosen)).then_some(chosen)
}

/// A path without links, also where its last parts are not there yet.
fn real(path: &Path) -> PathBuf {
    let there = path
        .ancestors()
        .find_map(|above| Some((above, std::fs::canonicalize(above).ok()?)));
    match there {
        Some((above, real)) => match path.strip_prefix(above) {
            Ok(rest) if rest.as_os_str().is_empty() => real,
            Ok(rest) => real.join(rest),
            Err(_) => path.to_owned(),
        },
        None => path.to_owned(),
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

/// Does what `arguments` (the first is the program) ask for, typed in `directory`.
pub fn take(app: &AppHandle, arguments: &[String], directory: &Path) {
    wishes(arguments, directory)
        .into_iter()
        .for_each(|wish| page::ask(app, wish));
}

fn wishes(arguments: &[String], directory: &Path) -> Vec<Ask> {
    let targets = arguments
        .iter()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'));
    let wish = |target: &String| {
        if let Some(id) = target.strip_prefix(SESSION_LINK).and_then(SessionId::parse) {
            return Some(Ask::OpenSession { id: id.to_string() });
        }
        if target.contains("://") {
            tracing::warn!(%target, "this link names nothing that can be opened");
            return None;
        }
        Some(Ask::AddFolder {
            path: directory.join(target).to_string_lossy().into_owned(),
        })
    };
    targets.filter_map(wish).collect()
}

fn hash(home: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    home.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_taken_and_links_are_no_folders() {
        let id = "s000000000001";
        let link = format!("{SESSION_LINK}{id}");
        let typed = [
            "downbeat-desktop",
            "a",
            "--flag",
            "/b",
            &link,
            "downbeat://x",
            "https://x",
        ];
        let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
        let folder = |path: &str| Ask::AddFolder { path: path.into() };
        assert_eq!(
            wishes(&typed, Path::new("/here")),
            [
                folder("/here/a"),
                folder("/b"),
                Ask::OpenSession { id: id.into() }
            ]
        );
    }

    #[test]
    fn the_usual_folder_is_the_usual_one_however_it_is_named() {
        let root = std::env::temp_dir();
        let usual = Some(root.join("not-there-yet/downbeat"));
        assert_eq!(other(usual.clone(), usual.clone()), None);
        let long = root
            .join("..")
            .join(root.file_name().unwrap_or_default())
            .join("not-there-yet/downbeat");
        assert_eq!(other(Some(long), usual.clone()), None);
        let elsewhere = root.join("elsewhere");
        assert!(other(Some(elsewhere), usual).is_some());
    }
}
