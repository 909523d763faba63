//! The person's trust in a folder, written where Claude Code looks for it: one entry for the project's
//! repository root. As tried with 2.1.329, that covers every linked worktree of the repository, wherever it
//! is; an entry for a folder above a worktree covers nothing, since Claude Code does not look above the
//! repository.
//!
//! The file belongs to the person. Everything else in it stays as it is written; a file that does not have
//! the expected form is left unchanged; a change is written completely or not at all. Claude Code writes the
//! same file without taking our lock, so that a change of either side in the same millisecond can still be
//! lost; the lock only keeps our own processes apart.

use super::verbatim::Verbatim;
use crate::error::Error;
use crate::files::AgentFiles;
use fs4::FileExt;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The map of folders in Claude Code's file.
const FOLDERS: &str = "projects";
/// The field in which Claude Code keeps the person's trust.
const ACCEPTED: &str = "hasTrustDialogAccepted";
/// Our mark next to it: the trust was given through Downbeat, so Downbeat may revoke it.
const OURS: &str = "trustedThroughDownbeat";

/// Returns the path of Claude Code's settings for the whole machine, with the folders that it trusts.
fn settings(files: &AgentFiles) -> PathBuf {
    files.claude.as_ref().unwrap_or(&files.home).join(".claude.json")
}

/// Lets agents start in `root`, and in every worktree of the repository there, without asking.
pub(super) fn grant(files: &AgentFiles, root: &Path) -> Result<(), Error> {
    edit(&settings(files), |settings, path| {
        let shape = not_objects(path);
        let name = key(root)?;
        let mut folders = settings.object(FOLDERS).map_err(&shape)?;
        let mut folder = folders.object(&name).map_err(&shape)?;
        if folder.get(ACCEPTED) == Some("true") {
            return Ok(false);
        }
        folder.set(ACCEPTED, "true");
        folder.set(OURS, "true");
        folders.set(&name, folder.text(2).map_err(&shape)?);
        settings.set(FOLDERS, folders.text(1).map_err(&shape)?);
        Ok(true)
    })
}

/// Reverts [`grant`]. Trust that the person gave to the agent directly stays, and so does what Claude Code
/// has noted about the folder.
pub(super) fn revoke(files: &AgentFiles, root: &Path) -> Result<(), Error> {
    let path = settings(files);
    if !path.exists() {
        return Ok(());
    }
    edit(&path, |settings, path| {
        let shape = not_objects(path);
        let name = key(root)?;
        let Ok(mut folders) = settings.object(FOLDERS) else {
            return Ok(false);
        };
        let Ok(mut folder) = folders.object(&name) else {
            return Ok(false);
        };
        if !folder.remove(OURS) {
            return Ok(false);
        }
        folder.remove(ACCEPTED);
        if folder.is_empty() {
            folders.remove(&name);
        } else {
            folders.set(&name, folder.text(2).map_err(&shape)?);
        }
        settings.set(FOLDERS, folders.text(1).map_err(&shape)?);
        Ok(true)
    })
}

/// Returns a folder as Claude Code writes it: the real path, with forward slashes.
fn key(root: &Path) -> Result<String, Error> {
    let real = dunce::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let text = real.to_str().ok_or_else(|| Error::Path {
        path: root.to_owned(),
        reason: "it is not UTF-8",
    })?;
    if cfg!(windows) {
        return Ok(text.replace('\\', "/"));
    }
    Ok(text.to_owned())
}

fn not_objects(path: &Path) -> impl Fn(serde_json::Error) -> Error {
    let path = path.to_owned();
    move |_| Error::SettingsShape {
        path: path.clone(),
        reason: format!("`{FOLDERS}` does not hold objects"),
    }
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Settings { action, path, source }
}

/// Changes the file at `link` under the lock; `change` returns whether there is anything to write.
fn edit(link: &Path, change: impl FnOnce(&mut Verbatim, &Path) -> Result<bool, Error>) -> Result<(), Error> {
    // The person may keep the file elsewhere, behind a link: then the target is changed, not the link.
    let path = dunce::canonicalize(link).unwrap_or_else(|_| link.to_owned());
    let directory = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory).map_err(failed("write", directory))?;
    let lock_path = directory.join(".claude.json.downbeat-lock");
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path);
    let lock = lock.map_err(failed("lock", &lock_path))?;
    FileExt::lock(&lock).map_err(failed("lock", &lock_path))?;
    let mut settings = read(&path)?;
    if change(&mut settings, &path)? {
        write(&path, directory, &settings)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Verbatim, Error> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Verbatim::default()),
        Err(error) => return Err(failed("read", path)(error)),
    };
    serde_json::from_str(&text).map_err(|error| Error::SettingsShape {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

fn write(path: &Path, directory: &Path, settings: &Verbatim) -> Result<(), Error> {
    let fail = || failed("write", path);
    let text = settings.text(0).map_err(|error| Error::SettingsShape {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    // Readable by the person alone, since the file may contain keys; an older, wider mode stays.
    let mut file = tempfile::NamedTempFile::new_in(directory).map_err(fail())?;
    file.write_all(text.as_bytes()).map_err(fail())?;
    if let Ok(metadata) = std::fs::metadata(path) {
        file.as_file()
            .set_permissions(metadata.permissions())
            .map_err(fail())?;
    }
    file.as_file().sync_all().map_err(fail())?;
    file.persist(path).map_err(|error| fail()(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn files(home: &Path) -> AgentFiles {
        AgentFiles {
            home: home.to_owned(),
            ..AgentFiles::default()
        }
    }

    fn content(home: &Path) -> Value {
        serde_json::from_str(&std::fs::read_to_string(home.join(".claude.json")).unwrap()).unwrap()
    }

    #[test]
    fn granting_adds_one_entry_and_revoking_removes_only_that() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("it's a \"root\"");
        std::fs::create_dir(&root).unwrap();
        let name = dunce::canonicalize(&root).unwrap().to_str().unwrap().to_owned();
        let before = json!({"zeta": 1, "alpha": {"k": [1]}, "projects": {"/other": {"x": 1}}});
        std::fs::write(home.path().join(".claude.json"), before.to_string()).unwrap();

        grant(&files(home.path()), &root).unwrap();
        grant(&files(home.path()), &root).unwrap();
        let mut with = before.clone();
        with["projects"][&name] = json!({"hasTrustDialogAccepted": true, "trustedThroughDownbeat": true});
        assert_eq!(content(home.path()), with);

        revoke(&files(home.path()), &root).unwrap();
        assert_eq!(content(home.path()), before);
        revoke(&files(home.path()), &root).unwrap();
    }

    #[test]
    fn the_order_numbers_and_indentation_of_the_file_stay() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".claude.json");
        let before = "{\n  \"zeta\": 123456789012345678901234567890,\n  \"alpha\": {\n    \"b\": 1.0e+2,\n    \"a\": [1,2]\n  },\n  \"projects\": {\n    \"/z\": {\n      \"y\": 1,\n      \"x\": \"\\ud800\"\n    },\n    \"/a\": {}\n  },\n  \"beta\": null\n}";
        std::fs::write(&file, before).unwrap();
        grant(&files(home.path()), Path::new("/nowhere/root")).unwrap();
        let with = std::fs::read_to_string(&file).unwrap();
        let entry = ",\n    \"/nowhere/root\": {\n      \"hasTrustDialogAccepted\": true,\n      \"trustedThroughDownbeat\": true\n    }\n  },\n  \"beta\"";
        assert_eq!(with, before.replace("\n  },\n  \"beta\"", entry));
        revoke(&files(home.path()), Path::new("/nowhere/root")).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    }

    #[test]
    fn notes_of_the_agent_about_the_folder_stay() {
        let home = tempfile::tempdir().unwrap();
        grant(&files(home.path()), Path::new("/nowhere/root")).unwrap();
        let mut noted = content(home.path());
        noted["projects"]["/nowhere/root"]["lastCost"] = json!(2);
        std::fs::write(home.path().join(".claude.json"), noted.to_string()).unwrap();
        revoke(&files(home.path()), Path::new("/nowhere/root")).unwrap();
        assert_eq!(
            content(home.path()),
            json!({"projects": {"/nowhere/root": {"lastCost": 2}}})
        );
    }

    #[test]
    fn a_broken_file_is_left_unchanged() {
        let home = tempfile::tempdir().unwrap();
        for broken in ["{\"a\": ", "[]", "{\"projects\": []}"] {
            std::fs::write(home.path().join(".claude.json"), broken).unwrap();
            let error = grant(&files(home.path()), Path::new("/r")).unwrap_err();
            assert!(matches!(error, Error::SettingsShape { .. }), "{error}");
            let after = std::fs::read_to_string(home.path().join(".claude.json")).unwrap();
            assert_eq!(after, broken);
        }
    }

    #[test]
    fn concurrent_grants_lose_nothing() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for n in 0..16 {
                let home = home.path();
                scope.spawn(move || grant(&files(home), &PathBuf::from(format!("/r/{n}"))).unwrap());
            }
        });
        assert_eq!(content(home.path())["projects"].as_object().unwrap().len(), 16);
    }
}
