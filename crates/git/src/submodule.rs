//! The submodules of a worktree: those that the person uses are checked out there, too. Work inside of them
//! is detected in [`crate::inside`].

use crate::command::{Git, Programs};
use crate::convert;
use crate::fresh::FreshIndex;
use crate::index::{self, Listed, listed};
use crate::inspect::clean;
use crate::shadow::Shadow;
use crate::{Error, below, ordinary, path, settings, split};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Clones the submodules that are initialised in the repository from the clones of the primary checkout, so
/// it needs no network. A submodule whose commit is not there yet stays empty, as in `git worktree add`, and
/// is logged. Submodules in and below `there` were restored already and are skipped. So is one whose git
/// directory is complete: git would run the programs that this directory names, whoever wrote it.
pub(crate) fn populate(
    inner: &git2::Repository,
    common: &Path,
    place: &Path,
    there: &[PathBuf],
    programs: Programs,
    lock: &File,
) -> Result<(), Error> {
    if !place.join(".gitmodules").exists() {
        return Ok(());
    }
    split::check(inner.path())?;
    let modules = listed_modules(inner, place);
    if modules.is_empty() {
        return Ok(());
    }
    let config = inner.config().map_err(Error::read(place))?;
    let notes = clean(inner.path());
    for module in modules {
        let Ok(name) = module.name() else { continue };
        if there.iter().any(|there| module.path().starts_with(there)) {
            continue;
        }
        let source = common.join("modules").join(name);
        let url = config.get_string(&format!("submodule.{name}.url"));
        let (Some(name), Ok(url), true) = (name_of(name), url, source.is_dir()) else {
            continue;
        };
        let new = New {
            place,
            notes: &notes,
            name,
            path: module.path(),
            source: &source,
        };
        if let Err(error) = new.check() {
            tracing::warn!("submodule {name} stays empty: {error}");
            continue;
        }
        if !new.is_wanted() {
            continue;
        }
        let made = match (programs, module.index_id()) {
            (Programs::Run, _) if !path::exists(&new.home()) => new.update(lock)?,
            (_, Some(commit)) => new.fill(commit, lock),
            _ => continue,
        };
        if let Err(error) = made.and_then(|()| new.set("remote.origin.url", OsStr::new(&url))) {
            tracing::warn!("submodule {name} stays empty: {error}");
        }
    }
    Ok(())
}

/// Returns the submodules that the index names; none, with a line in the log, if libgit2 does not read its format
/// (sparse, split).
fn listed_modules<'a>(inner: &'a git2::Repository, place: &Path) -> Vec<git2::Submodule<'a>> {
    inner.submodules().unwrap_or_else(|error| {
        let (place, why) = (place.display(), error.message());
        tracing::warn!("submodules of {place} stay empty: {why}");
        Vec::new()
    })
}

/// A submodule to create.
struct New<'a> {
    /// The worktree.
    place: &'a Path,
    /// Git's directory for the worktree.
    notes: &'a Path,
    name: &'a str,
    /// The path of the submodule in the worktree.
    path: &'a Path,
    /// The git directory from which it is cloned.
    source: &'a Path,
}

impl New<'_> {
    /// Returns the path of its git directory, relative to that of the worktree.
    fn own(&self) -> PathBuf {
        Path::new("modules").join(self.name)
    }

    fn home(&self) -> PathBuf {
        self.notes.join(self.own())
    }

    /// Refuses links on the paths to its checkout and to its git directory: the first path comes from the
    /// repository, and the second may lead through links from a backup.
    fn check(&self) -> Result<(), Error> {
        below::check(self.place, self.path)?;
        below::check(self.notes, &self.own())
    }

    /// Whether nobody's files are in its place, and it has not been created yet.
    fn is_wanted(&self) -> bool {
        let at = self.place.join(self.path);
        let is_begun = path::exists(&self.home());
        let is_free = match at.symlink_metadata() {
            Ok(meta) if meta.is_dir() => {
                let is_filled = at.read_dir().is_ok_and(|mut entries| entries.next().is_some());
                !is_filled || (is_begun && path::exists(&at.join(".git")))
            }
            found => found.is_err(),
        };
        // Git writes its index last.
        let is_empty = !path::exists(&at.join(".git"));
        is_free && (is_empty || !path::exists(&self.home().join("index")))
    }

    /// Makes git create the submodule, with the filters that the person configured for all repositories.
    fn update(&self, lock: &File) -> Result<Result<(), Error>, Error> {
        // Cloning from files is allowed only for this command, and only from our own clone.
        let mut local = OsString::from(format!("submodule.{}.url=", self.name));
        local.push(self.source);
        let settings = [local, OsString::from("protocol.file.allow=always")];
        let update = Git::configured(self.place, "submodule", &settings).args([
            "update",
            "--quiet",
            // The repository may configure a command of its own as the update strategy.
            "--checkout",
            "--",
        ]);
        Ok(update.arg(self.path).holding(lock)?.run().map(drop))
    }

    /// Creates the submodule, or resumes an interrupted creation, without anything that its git directory
    /// names: whoever may write there could have added a program, or any path to its index. A submodule whose
    /// git directory was restored with an index keeps its HEAD.
    fn fill(&self, commit: git2::Oid, lock: &File) -> Result<(), Error> {
        let (own, home, at) = (self.own(), self.home(), self.place.join(self.path));
        if !path::exists(&home) {
            self.copy(lock)?;
        }
        let index = own.join("index");
        let has_come_back = path::exists(&self.notes.join(&index));
        let mut line = b"gitdir: ".to_vec();
        line.extend(path::to_bytes(&home));
        line.push(b'\n');
        below::Root::new(self.place).write(&self.path.join(".git"), &line)?;
        self.set("core.worktree", at.as_os_str())?;
        if !has_come_back {
            below::replace(self.notes, &own.join("HEAD"), format!("{commit}\n").as_bytes())?;
        }
        let inner = ordinary::open(&home)?;
        // It is deleted on drop.
        let shadow = Shadow::new(&inner, &at)?;
        if has_come_back && shadow.check_index().is_ok() {
            return Self::as_indexed(&inner, &at, &shadow, lock);
        }
        let head = inner.head().and_then(|head| head.peel_to_commit());
        head.map_err(Error::read(&home))?;
        let fresh = FreshIndex::new()?;
        let fill = fresh.of(shadow.git("read-tree")).args(["--reset", "-u", "HEAD"]);
        fill.holding(lock)?.run()?;
        fresh.keep(self.notes, &index)
    }

    /// Writes the files that the index of `inner` names to `at`, through another index.
    fn as_indexed(inner: &git2::Repository, at: &Path, shadow: &Shadow, lock: &File) -> Result<(), Error> {
        let listing = shadow.git("ls-files").args(["-v", "-s", "-z"]).run()?;
        let index: Vec<Listed> = path::fields(&listing).filter_map(listed).collect();
        let files: Vec<_> = index::files(&index, inner)?.into_iter().collect();
        convert::write_by_git(inner, at, &files, Programs::Skip)?;
        // This writes only the index. Its exit code only says that some files differ.
        let refresh = shadow.git("update-index").args(["-q", "--refresh"]);
        refresh.holding(lock)?.output().map(drop)
    }

    /// Clones its git directory.
    fn copy(&self, lock: &File) -> Result<(), Error> {
        let own = self.own();
        below::folder(self.notes, own.parent().unwrap_or(&own))?;
        let local = [OsString::from("protocol.file.allow=always")];
        let clone = Git::configured(self.place, "clone", &local)
            .args(["--quiet", "--no-checkout", "--separate-git-dir"])
            .arg(self.home())
            .arg("--")
            .args([self.source, &self.place.join(self.path)]);
        clone.holding(lock)?.run().map(drop)
    }

    /// Sets a value in its configuration, without following links: it may have been restored with one.
    fn set(&self, key: &str, value: &OsStr) -> Result<(), Error> {
        settings::set(self.notes, &self.own().join("config"), key, value)
    }
}

/// Returns a message for each submodule that the person uses but that is empty in a worktree, because its
/// commit was missing or cloning failed. The message says how to fill it.
///
/// # Errors
/// Fails if the worktree cannot be opened.
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

/// Returns the name if it is safe as a part of a setting and of a path.
fn name_of(name: &str) -> Option<&str> {
    let safe = path::is_inside(Path::new(name)) && !name.contains(['\n', '=']);
    safe.then_some(name)
}
