//! Submodules of a worktree: the ones that the person uses are there too, and work inside them
//! is noticed. Work inside them is not saved here; see the crate's known limitations.

use crate::command::Git;
use crate::path::{from_bytes, to_text};
use crate::{Error, path};
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

/// The mode of a submodule in git's index.
const GITLINK: u32 = 0o160_000;

/// Clones the submodules that are initialised in the repository, from the copies that the primary
/// checkout has; so it needs no network. One whose commit is not there yet stays empty, as in
/// `git worktree add`, and is logged.
pub(crate) fn populate(
    inner: &git2::Repository,
    common: &Path,
    place: &Path,
    lock: &File,
) -> Result<(), Error> {
    if !place.join(".gitmodules").exists() {
        return Ok(());
    }
    let modules = inner.submodules().map_err(Error::read(place))?;
    let config = inner.config().map_err(Error::read(place))?;
    for module in modules {
        let Ok(name) = module.name() else { continue };
        let source = common.join("modules").join(name);
        let url = config.get_string(&format!("submodule.{name}.url"));
        let (Some(name), Ok(url), true) = (name_of(name), url, source.is_dir()) else {
            continue;
        };
        // Only for this command, and only for our own copy, files may be cloned from.
        let mut local = OsString::from(format!("submodule.{name}.url="));
        local.push(&source);
        let settings = [local, OsString::from("protocol.file.allow=always")];
        let update = Git::configured(place, "submodule", &settings).args(["update", "--quiet", "--"]);
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

/// A name that is safe as a part of a setting and of a path.
fn name_of(name: &str) -> Option<&str> {
    let safe = path::is_inside(Path::new(name)) && !name.contains(['\n', '=']);
    safe.then_some(name)
}

/// The submodules of a checkout that hold work: changed or untracked files, or commits that no
/// remote of theirs has.
pub(crate) fn with_work(worktree: &Path) -> Result<Vec<String>, Error> {
    let inner = git2::Repository::open(worktree).map_err(Error::read(worktree))?;
    let index = inner.index().map_err(Error::read(worktree))?;
    let links = index
        .iter()
        .filter(|entry| entry.mode == GITLINK)
        .map(|entry| from_bytes(&entry.path));
    let used = links.filter(|link| path::exists(&worktree.join(link).join(".git")));
    Ok(used
        .filter(|link| has_work(&worktree.join(link)))
        .map(|link| to_text(&link))
        .collect())
}

/// Whether a repository inside a worktree holds work. What cannot be read counts as work.
pub(crate) fn has_work(checkout: &Path) -> bool {
    let Ok(inner) = git2::Repository::open(checkout) else {
        return true;
    };
    let changed = Git::new(checkout, "--no-optional-locks")
        .args(["status", "--porcelain", "-z"])
        .run();
    !matches!(changed, Ok(out) if out.is_empty()) || !matches!(unpushed(&inner), Ok(0))
}

fn unpushed(inner: &git2::Repository) -> Result<usize, git2::Error> {
    let mut walk = inner.revwalk()?;
    walk.push_head()?;
    // The branches of a linked worktree live on in the repository that it belongs to.
    match inner.is_worktree() {
        true => walk.hide_glob("refs/heads/*")?,
        false => {
            walk.push_glob("refs/heads/*")?;
            // What was stashed: one is enough to say so.
            if inner.refname_to_id("refs/stash").is_ok() {
                walk.push_ref("refs/stash")?;
            }
        }
    }
    walk.hide_glob("refs/remotes/*")?;
    // A submodule starts at the commit that its parent names, which a remote has or had.
    walk.hide_glob("refs/tags/*")?;
    Ok(walk.count())
}
