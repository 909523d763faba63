//! The steps of restoring a saved worktree, each of which can be repeated.
//! [`crate::restore()`] runs them in order.
//!
//! Whoever can commit can forge a backup, so its paths are used only through [`crate::below`].

use crate::below::{self, Root};
use crate::blobs::{self, Entries, GITLINK, LINK, PROGRAM};
use crate::command::{Git, Programs};
use crate::convert::SCRATCH;
use crate::path::{folded, from_bytes, from_text, is_inside, to_bytes};
use crate::saved::{Manifest, Saved};
use crate::shadow::{Shadow, Way};
use crate::{Error, Repository, settings, tips};
use std::path::{Path, PathBuf};

/// Writes the files of the worktree.
pub(crate) fn files(inner: &git2::Repository, place: &Path, files: &Entries) -> Result<(), Error> {
    let mut root = Root::new(place);
    for (path, (mode, id)) in files {
        let inside = from_bytes(path);
        // A valid git tree has no `.git` entry, but a forged one may have.
        if !is_inside(&inside) {
            let path = inside.display().to_string();
            return Err(Error::OutsidePath { path });
        }
        match *mode == GITLINK {
            true => drop(root.folder(&inside)?),
            false => blobs::write_out(inner, *id, *mode, &mut root, &inside)?,
        }
    }
    Ok(())
}

/// Writes the nested repositories.
pub(crate) fn inner(inner: &git2::Repository, place: &Path, saved: &Saved) -> Result<(), Error> {
    let mut root = Root::new(place);
    for (path, mode, id) in &saved.inner {
        // A `.git` at the top belongs to the worktree itself.
        match path.components().next() {
            Some(first) if is_inside(Path::new(first.as_os_str())) => {
                blobs::write_out(inner, *id, *mode, &mut root, path)?;
            }
            _ => {
                let path = path.display().to_string();
                return Err(Error::OutsidePath { path });
            }
        }
    }
    saved.manifest.inner.make(place)
}

/// Writes the files that git kept for the worktree. In a different worktree, only the files that the index
/// needs and the repositories of submodules are written.
pub(crate) fn state(
    inner: &git2::Repository,
    notes: &Path,
    saved: &Saved,
    is_own: bool,
) -> Result<(), Error> {
    let mut root = Root::new(notes);
    for (path, mode, id) in saved.notes.iter().filter(|file| is_taken(file, is_own)) {
        match is_settings(path) {
            true => {
                let text = inner.find_blob(*id).map_err(Error::read(notes))?;
                root.write(Path::new(SETTINGS), sparse(text.content()).as_bytes())?;
            }
            false => blobs::write_out(inner, *id, *mode, &mut root, path)?,
        }
    }
    saved.manifest.state.make(notes)
}

/// Git's settings for one worktree. They may name programs that git would run.
const SETTINGS: &str = "config.worktree";

/// The settings that are restored: whether the checkout is sparse.
const SPARSE: &[(&str, &str)] = &[
    ("core", "sparseCheckout"),
    ("core", "sparseCheckoutCone"),
    ("index", "sparse"),
];

/// Whether a file system may treat a name as that of the settings file.
fn is_settings(path: &Path) -> bool {
    path.to_str().is_some_and(|name| folded(name) == SETTINGS)
}

/// Returns the lines of a settings file that are restored.
fn sparse(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let (mut section, mut kept) = ("", String::new());
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let is_kept = match words.strip_prefix('[') {
            Some(rest) => {
                section = rest.strip_suffix(']').unwrap_or_default();
                SPARSE.iter().any(|(of, _)| section == *of)
            }
            None => words.split_once('=').is_some_and(|(key, value)| {
                let key = (section, key.trim());
                let is_one = SPARSE
                    .iter()
                    .any(|(of, name)| key.0 == *of && key.1.eq_ignore_ascii_case(name));
                is_one && matches!(value.trim(), "true" | "false")
            }),
        };
        if is_kept {
            kept.push_str(line);
        }
    }
    kept
}

/// Whether a file is restored. Links are not: git creates none in these directories, and would write
/// elsewhere through them.
fn is_taken((path, mode, _): &(PathBuf, u32, git2::Oid), is_own: bool) -> bool {
    let shared = path.to_string_lossy().starts_with("sharedindex.");
    *mode != LINK && (is_own || shared || path.starts_with("modules"))
}

/// Sets the permissions of everything that was written.
pub(crate) fn permissions(
    place: &Path,
    notes: &Path,
    files: &Entries,
    by_git: &Entries,
    saved: &Saved,
    is_own: bool,
) -> Result<(), Error> {
    let manifest = &saved.manifest;
    let written: Vec<(PathBuf, bool)> = files
        .iter()
        .chain(by_git)
        .filter(|(_, (mode, _))| *mode != GITLINK)
        .map(|(path, (mode, _))| (from_bytes(path), *mode == PROGRAM))
        .collect();
    // Nested repositories first: a folder around them may be restricted.
    let plain = |(path, mode, _): &'_ (PathBuf, u32, git2::Oid)| (path.clone(), *mode == PROGRAM);
    let inner: Vec<_> = saved.inner.iter().map(plain).collect();
    let state: Vec<_> = saved
        .notes
        .iter()
        .filter(|file| is_taken(file, is_own))
        .map(plain)
        .collect();
    for (root, marks, all) in [
        (place, &manifest.inner, inner.clone()),
        (place, &manifest.files, written.clone()),
        (notes, &manifest.state, state.clone()),
    ] {
        marks.apply(root, all.iter().map(|(path, runs)| (path.as_path(), *runs)))?;
    }
    Ok(())
}

/// Updates the paths with which submodules and git's directory for the worktree point to each other, if
/// either is in another location now.
pub(crate) fn repoint(place: &Path, notes: &Path, saved: &Saved) -> Result<(), Error> {
    let manifest = &saved.manifest;
    let same_name = notes.file_name().map(|name| to_bytes(Path::new(name)))
        == Some(to_bytes(&from_text(&manifest.notes)));
    if from_text(&manifest.place) == place && same_name {
        return Ok(());
    }
    for nested in &manifest.nested {
        let dot = from_text(nested).join(".git");
        let text = tips::contents(&below::way(place, &dot)?, 4096).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let old = format!("/worktrees/{}/modules/", manifest.notes);
        let Some((_, module)) = text.trim_end().split_once(&old) else {
            continue;
        };
        let module = Path::new("modules").join(module);
        let config = module.join("config");
        if !below::there(notes, &config).is_some_and(|config| config.is_file()) {
            continue;
        }
        let (checkout, module) = (place.join(from_text(nested)), notes.join(module));
        let mut line = b"gitdir: ".to_vec();
        line.extend(to_bytes(&module));
        line.push(b'\n');
        Root::new(place).write(&dot, &line)?;
        settings::set(notes, &config, "core.worktree", checkout.as_os_str())?;
    }
    Ok(())
}

/// Recreates branches to which an operation returns, and a HEAD on a branch without commits.
pub(crate) fn heads(repository: &Repository, place: &Path, manifest: &Manifest) -> Result<(), Error> {
    for (name, commit) in &manifest.branches {
        let is_named = name.starts_with("refs/heads/") && git2::Oid::from_str(commit).is_ok();
        if is_named && repository.git2().refname_to_id(name).is_err() {
            below::check_reference(&repository.common(), name)?;
            let absent = "0".repeat(commit.len());
            Git::new(repository.root(), "update-ref")
                .args(["-m", "restored", name, commit, &absent])
                .run()?;
        }
    }
    if let Some(branch) = manifest.branch.as_ref().filter(|_| manifest.unborn) {
        Git::new(place, "symbolic-ref")
            .args(["HEAD", &format!("refs/heads/{branch}")])
            .run()?;
    }
    Ok(())
}

/// Whether an index names only files in the worktree. A forged one may name any path.
fn is_fit(inner: &git2::Repository, place: &Path) -> bool {
    let checked = Shadow::new(inner, place).and_then(|shadow| shadow.check_index());
    if let Err(error) = &checked {
        tracing::warn!("could not restore the index of {}: {error}", place.display());
    }
    checked.is_ok()
}

/// Restores git's index. If conflicts cannot be resumed, they remain in the files, and the index is that of
/// HEAD; so it is if the index names paths outside of the worktree.
pub(crate) fn index(
    inner: &git2::Repository,
    place: &Path,
    saved: &Saved,
    programs: Programs,
    is_own: bool,
) -> Result<(), Error> {
    let id = saved.index.filter(|_| is_own || !saved.manifest.conflicts);
    let mut is_back = false;
    if let Some(id) = id {
        let mut root = Root::new(inner.path());
        if let Some((name, id)) = &saved.shared {
            blobs::write_out(inner, *id, blobs::FILE, &mut root, name)?;
        }
        let fresh = Path::new(SCRATCH);
        blobs::write_out(inner, id, blobs::FILE, &mut root, fresh)?;
        let index = inner.path().join("index");
        std::fs::rename(inner.path().join(fresh), &index).map_err(Error::io("write", &index))?;
        is_back = is_fit(inner, place);
        if !is_back {
            std::fs::remove_file(&index).map_err(Error::io("remove", &index))?;
        }
    }
    if !is_back && inner.head().is_ok() {
        let way = Way::new(inner, place, programs)?;
        way.git("read-tree").arg("HEAD").run()?;
    }
    // This reads the files, and so starts filters. Its exit code only says that some
    // files differ, which is expected.
    let way = Way::new(inner, place, programs)?;
    way.git("update-index").args(["-q", "--refresh"]).output()?;
    if let Some((name, _)) = &saved.shared {
        // A split index would make the result depend on the clock: git writes it as a single file if a file
        // is as recent as the index. Also, libgit2 cannot read a split index, but is used for the submodules.
        way.git("update-index").arg("--no-split-index").run()?;
        let _ = std::fs::remove_file(inner.path().join(name));
    }
    Ok(())
}
