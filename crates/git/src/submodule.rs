//! Submodules of a worktree: the ones that the person uses are there too. Work inside of them is
//! found in [`crate::inside`].

use crate::command::Git;
use crate::{Error, ordinary, path, split};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Clones the submodules that are initialised in the repository, from the copies that the primary
/// checkout has; so it needs no network. One whose commit is not there yet stays empty, as in
/// `git worktree add`, and is logged. Those in `there` have come back already.
pub(crate) fn populate(
    inner: &git2::Repository,
    common: &Path,
    place: &Path,
    there: &[PathBuf],
    lock: &File,
) -> Result<(), Error> {
    if !place.join(".gitmodules").exists() {
        return Ok(());
    }
    split::check(inner.path())?;
    let modules = match inner.submodules() {
        Ok(modules) => modules,
        Err(error) => {
            // An index of a form that libgit2 does not read (sparse, split).
            tracing::warn!(
                "submodules of {} stay empty: {}",
                place.display(),
                error.message()
            );
            return Ok(());
        }
    };
    let config = inner.config().map_err(Error::read(place))?;
    for module in modules {
        let Ok(name) = module.name() else { continue };
        if there.iter().any(|there| there == module.path()) || is_taken(&place.join(module.path())) {
            continue;
        }
        let source = common.join("modules").join(name);
        let url = config.get_string(&format!("submodule.{name}.url"));
        let (Some(name), Ok(url), true) = (name_of(name), url, source.is_dir()) else {
            continue;
        };
        // Only for this command, and only for our own copy, files may be cloned from.
        let mut local = OsString::from(format!("submodule.{name}.url="));
        local.push(&source);
        let settings = [local, OsString::from("protocol.file.allow=always")];
        let update = Git::configured(place, "submodule", &settings).args([
            "update",
            "--quiet",
            // The repository may name a command of its own for it.
            "--checkout",
            "--",
        ]);
        let output = update.arg(module.path()).holding(lock)?.output()?;
        let inside = place.join(module.path());
        if !output.status.success() {
            tracing::warn!(
                "submodule {name} stays empty: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
            continue;
        }
        Git::new(&inside, "remote")
            .args(["set-url", "origin", "--", &url])
            .run()?;
    }
    Ok(())
}

/// The submodules that the person uses and that are empty in a worktree, each with the way to fill it in
/// words: its commit was not there, or cloning it failed.
///
/// # Errors
/// Where the worktree cannot be opened.
pub fn empty_submodules(worktree: &Path) -> Result<Vec<String>, Error> {
    if !worktree.join(".gitmodules").exists() {
        return Ok(Vec::new());
    }
    let inner = ordinary::open(worktree)?;
    split::check(inner.path())?;
    let Ok(modules) = inner.submodules() else {
        let words = "its submodules are empty, as its index is split or sparse: `git submodule update --init` fills them";
        return Ok(vec![words.to_owned()]);
    };
    let config = inner.config().map_err(Error::read(worktree))?;
    let is_used = |name: &str| config.get_string(&format!("submodule.{name}.url")).is_ok();
    let used = modules.iter().filter(|module| module.name().is_ok_and(is_used));
    let is_filled = |at: PathBuf| {
        let entries = at.read_dir().into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name() != ".git")
    };
    let empty = used.filter(|module| !is_filled(worktree.join(module.path())));
    let words = empty.map(|module| {
        let at = module.path().display();
        format!("the submodule {at} is empty: `git submodule update --init -- {at}` in the worktree fills it")
    });
    Ok(words.collect())
}

/// Whether somebody's files are where a submodule goes, or no folder is.
fn is_taken(at: &Path) -> bool {
    match at.symlink_metadata() {
        Ok(meta) if meta.is_dir() => {
            let is_filled = at.read_dir().is_ok_and(|mut entries| entries.next().is_some());
            is_filled && !path::exists(&at.join(".git"))
        }
        found => found.is_ok(),
    }
}

/// A name that is safe as a part of a setting and of a path.
fn name_of(name: &str) -> Option<&str> {
    let safe = path::is_inside(Path::new(name)) && !name.contains(['\n', '=']);
    safe.then_some(name)
}
