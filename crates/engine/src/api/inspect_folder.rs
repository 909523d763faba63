//! Describes a folder before it is added as a project. Read-only.

use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_git::FolderKind as Kind;
use downbeat_wire::project::{FolderKind, FolderReport};
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};

/// Describes a folder: repository, branch, configuration, trust.
pub async fn inspect(engine: &Engine, path: &str) -> Result<FolderReport, ApiError> {
    let home = engine.variable("HOME").or_else(|| engine.variable("USERPROFILE"));
    let folder = absolute(path, home)?;
    let asked = folder.clone();
    let shown = folder.to_string_lossy();
    let kind = blocking::in_time(&shown, move || downbeat_git::inspect(&asked)).await?;
    let root = match &kind {
        Kind::Repository { root } | Kind::NoCommits { root } => root.clone(),
        _ => folder,
    };
    let shown = root.to_string_lossy().into_owned();
    let name = root
        .file_name()
        .map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let state = engine.ledger.state();
    let known = state
        .projects
        .values()
        .find(|project| Path::new(&project.path) == root);
    let (kind, message) = match known {
        Some(project) => (
            FolderKind::AlreadyAdded,
            format!("{shown} is already the project {:?}", project.name),
        ),
        None => described(&kind, &shown),
    };
    Ok(FolderReport {
        kind,
        path: shown,
        name,
        message,
        project_id: known.map(|project| project.id.clone()),
    })
}

/// Says what a folder that is no project is, and what the person can do about it.
fn described(kind: &Kind, shown: &str) -> (FolderKind, String) {
    match kind {
        Kind::Repository { .. } => (FolderKind::Repository, format!("{shown} is a git repository")),
        Kind::NoCommits { .. } => (
            FolderKind::NoCommits,
            format!(
                "{shown} has no commit yet; worktrees need one. Commit something, or let Downbeat make an empty first commit"
            ),
        ),
        Kind::PlainFolder => (
            FolderKind::PlainFolder,
            format!(
                "{shown} is not a git repository. Downbeat can make it one (git init and an empty first commit)"
            ),
        ),
        Kind::Bare => (
            FolderKind::Bare,
            format!("{shown} is a bare repository, without files to work in; clone it and add the clone"),
        ),
        Kind::Embedded => (
            FolderKind::Bare,
            format!(
                "{shown} is not a checkout: its git directory is not its own `.git` but a folder that somebody may have \
                 committed or copied there, with a configuration that could run anything; add the repository around it, or clone it"
            ),
        ),
        Kind::Missing => (FolderKind::Missing, format!("{shown} does not exist")),
        Kind::NotAFolder => (
            FolderKind::NotAFolder,
            format!("{shown} is a file; add the folder it is in"),
        ),
        Kind::NotOrdinary { reason } => (FolderKind::Unreadable, reason.clone()),
        Kind::Refused { reason } => (
            FolderKind::Unreadable,
            format!(
                "{shown} cannot be opened as a repository ({reason}); Downbeat reads repositories with SHA-1 objects and references \
                 as files, and every git configuration file has to be readable"
            ),
        ),
        Kind::Unreadable => (
            FolderKind::Unreadable,
            format!("{shown} cannot be read; check its permissions and its owner"),
        ),
    }
}

/// Returns the root of the repository at `path`. Fails if it is not a repository.
pub async fn root_at(engine: &Engine, path: &str) -> Result<PathBuf, ApiError> {
    let report = inspect(engine, path).await?;
    match report.kind {
        FolderKind::Repository | FolderKind::AlreadyAdded => Ok(PathBuf::from(report.path)),
        FolderKind::Missing => Err(ApiError::new(Code::NotFound, report.message)),
        _ => Err(ApiError::invalid(report.message)),
    }
}

/// Resolves a typed path; a leading `~/` stands for the home directory.
fn absolute(path: &str, home: Option<&str>) -> Result<PathBuf, ApiError> {
    if path.is_empty() || path.contains('\0') {
        return Err(ApiError::invalid("path is empty or contains a NUL character"));
    }
    let below_home = if path == "~" {
        Some("")
    } else {
        path.strip_prefix("~/")
    };
    let path = match below_home.zip(home) {
        Some((rest, home)) => Path::new(home).join(rest.trim_start_matches('/')),
        None => PathBuf::from(path),
    };
    if !path.is_absolute() {
        return Err(
            ApiError::invalid(format!("{} is not an absolute path", path.display()))
                .hint("give the whole path of the folder"),
        );
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::absolute;

    #[test]
    #[cfg(unix)]
    fn a_path_is_absolute_or_begins_at_home() {
        let read = |path| absolute(path, Some("/home/ada")).map(|path| path.display().to_string());
        assert_eq!(read("/srv/app").unwrap(), "/srv/app");
        assert_eq!(read("~/code/app").unwrap(), "/home/ada/code/app");
        assert_eq!(read("~//etc").unwrap(), "/home/ada/etc");
        for bad in ["", "code", "./~/code", "~other/code"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(absolute("~/code", None).is_err());
    }
}
