//! A repository that was moved: checks that it is the expected one, and repairs the absolute paths between it
//! and its worktrees. Moves nothing itself.

use crate::backup::BACKUPS;
use crate::record::Record;
use crate::rules::Rules;
use crate::{Error, Repository, admin, below, path, tree};
use downbeat_model::SessionId;
use std::path::{Path, PathBuf};

/// Facts about a repository that do not depend on its location.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// The old and the current location of each of its worktrees.
    pub worktrees: Vec<(PathBuf, PathBuf)>,
    /// Commits that it had.
    pub commits: Vec<String>,
    /// Sessions whose work it keeps.
    pub saved: Vec<SessionId>,
}

/// Refuses a repository that is not the recorded one, such as a clone of it.
///
/// # Errors
/// [`Error::AnotherRepository`] names what it lacks.
pub fn recognise(repo: &Path, recorded: &Recorded) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    let lacks = |reason: String| {
        Err(Error::AnotherRepository {
            path: repository.root().to_owned(),
            reason,
        })
    };
    let has = |commit: &String| {
        let id = git2::Oid::from_str(commit);
        id.is_ok_and(|id| repository.git2().find_commit(id).is_ok())
    };
    if recorded.commits.is_empty() {
        return lacks("the project never had a session, so nothing shows that it is the same".into());
    }
    if let Some(missing) = recorded.commits.iter().find(|commit| !has(commit)) {
        return lacks(format!(
            "it does not have the commit {missing}, which a session started from"
        ));
    }
    let known = named(&repository.common());
    let stands = |(_, now): &&(PathBuf, PathBuf)| now.join(".git").is_file();
    for (was, now) in recorded.worktrees.iter().filter(stands) {
        let is_known = [was, now]
            .iter()
            .any(|place| known.contains(&path::place(place).unwrap_or_default()));
        if !is_known {
            return lacks(format!("it does not know the worktree {}", was.display()));
        }
    }
    for (was, now) in recorded.worktrees.iter().filter(stands) {
        if let Some(file) = written_since(&repository.common(), was, now) {
            let (root, worktree) = (repository.root().display(), now.display());
            return lacks(format!(
                "it is a copy from before {} was written, so commits made in {worktree} since then are missing from it; if no \
                 newer copy exists, confirm with `git -C {root} worktree repair {worktree}`, then try again",
                file.display()
            ));
        }
    }
    for session in &recorded.saved {
        let names = format!("{BACKUPS}{session}/*");
        let found = repository.git2().references_glob(&names);
        if found.map_err(Error::read(repository.root()))?.next().is_none() {
            return lacks(format!(
                "it does not have the saved work of the session {session}"
            ));
        }
    }
    Ok(())
}

/// Returns a file of a worktree that is newer than this copy of its repository. `None` if this is the
/// repository itself, or if the person made the worktree point to it.
fn written_since(common: &Path, was: &Path, now: &Path) -> Option<PathBuf> {
    let place = path::place(was).ok()?;
    let origin = Record::load(common, &place)?.origin?;
    if tree::number(common) == Some(origin) || admin::check(common, now).is_ok() {
        return None;
    }
    // Git writes this file once, so its last change is the time of the copy.
    let copied = tree::changed(&admin::find(common, &place)?.join("commondir"))?;
    let rules = Rules::of(now, Some(common));
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in now.join(&folder).read_dir().into_iter().flatten().flatten() {
            let below = folder.join(entry.file_name());
            let Ok(meta) = entry.metadata() else { continue };
            if entry.file_name() == ".git" || rules.ignore(&below, meta.is_dir()) {
                continue;
            }
            match meta.is_dir() {
                true => folders.push(below),
                false if meta.modified().is_ok_and(|written| written > copied) => return Some(below),
                false => {}
            }
        }
    }
    None
}

/// Returns the locations that a repository names for its worktrees, whether or not they exist.
fn named(common: &Path) -> Vec<PathBuf> {
    let all = admin::all(common).into_iter();
    all.filter_map(|notes| admin::worktree_of(&notes)).collect()
}

/// Makes the repository and the worktrees at these locations point to each other again. Can be repeated.
///
/// # Errors
/// [`Error::Redirected`] if one of them still points elsewhere.
pub fn repair(repo: &Path, worktrees: &[PathBuf]) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    let common = repository.common();
    let is_there = |place: &&PathBuf| {
        let pointer = place.join(".git").symlink_metadata();
        pointer.is_ok_and(|pointer| pointer.is_file())
    };
    for place in worktrees.iter().filter(is_there) {
        let place = path::place(place)?;
        // Without `git worktree repair`, which also writes into every folder that
        // the administrative files name.
        if let Some(notes) = notes_of(&common, &place) {
            lead(&common, &notes, &place)?;
        }
        admin::check(&common, &place)?;
        if let Some(record) = Record::load(&common, &place) {
            let origin = tree::number(&common);
            Record { origin, ..record }.store(&common)?;
        }
    }
    Ok(())
}

/// Returns the administrative directory of a worktree, relative to the git directory: its `.git` has the
/// name, wherever the repository was then. `None` if the directory belongs to a worktree in another location.
fn notes_of(common: &Path, place: &Path) -> Option<PathBuf> {
    let inside = Path::new("worktrees").join(admin::noted(place)?.file_name()?);
    let is_folder = below::there(common, &inside).is_some_and(|notes| notes.is_dir());
    let at = admin::worktree_of(&common.join(&inside));
    let is_its = at.is_none_or(|at| at == place || !path::exists(&at));
    (is_folder && is_its).then_some(inside)
}

/// Makes a worktree and its administrative directory point to each other.
fn lead(common: &Path, notes: &Path, place: &Path) -> Result<(), Error> {
    let line = |start: &[u8], to: &Path| [start, &path::to_bytes(to), b"\n"].concat();
    let back = line(b"", &place.join(".git"));
    below::replace(common, &notes.join("gitdir"), &back)?;
    below::replace(place, Path::new(".git"), &line(b"gitdir: ", &common.join(notes)))
}
