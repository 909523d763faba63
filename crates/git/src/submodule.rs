//! Submodules of a worktree: the ones that the person uses are there too. Work inside of them is
//! found in [`crate::inside`].

use crate::command::{Git, Programs};
use crate::convert::{self, SCRATCH};
use crate::index::{self, Listed, listed};
use crate::inspect::clean;
use crate::shadow::Shadow;
use crate::{Error, below, ordinary, path, split};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Clones the submodules that are initialised in the repository, from the copies that the primary
/// checkout has; so it needs no network. One whose commit is not there yet stays empty, as in
/// `git worktree add`, and is logged. Those in and below `there` have come back already, and so has one
/// whose git directory is whole: git would run what that names, whoever wrote it.
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
        if !new.is_wanted() {
            continue;
        }
        let is_begun = path::exists(&new.home());
        let made = match (programs, module.index_id()) {
            (Programs::Run, _) if !is_begun => new.update(lock)?,
            (_, Some(commit)) => new.fill(commit, lock),
            _ => continue,
        };
        if let Err(error) = made {
            tracing::warn!("submodule {name} stays empty: {error}");
            continue;
        }
        new.set("remote.origin.url", OsStr::new(&url))?;
    }
    Ok(())
}

/// A submodule that is to come.
struct New<'a> {
    /// The worktree.
    place: &'a Path,
    /// Git's directory for the worktree.
    notes: &'a Path,
    name: &'a str,
    /// Where it goes in the worktree.
    path: &'a Path,
    /// The git directory that it is cloned from.
    source: &'a Path,
}

impl New<'_> {
    /// Where its git directory is, in that of the worktree.
    fn own(&self) -> PathBuf {
        Path::new("modules").join(self.name)
    }

    fn home(&self) -> PathBuf {
        self.notes.join(self.own())
    }

    /// Whether nobody's files are in its place, and it was not made before.
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

    /// Lets git make it, with the filters that the person set up for all repositories.
    fn update(&self, lock: &File) -> Result<Result<(), Error>, Error> {
        // Only for this command, and only for our own copy, files may be cloned from.
        let mut local = OsString::from(format!("submodule.{}.url=", self.name));
        local.push(self.source);
        let settings = [local, OsString::from("protocol.file.allow=always")];
        let update = Git::configured(self.place, "submodule", &settings).args([
            "update",
            "--quiet",
            // The repository may name a command of its own for it.
            "--checkout",
            "--",
        ]);
        Ok(update.arg(self.path).holding(lock)?.run().map(drop))
    }

    /// Makes it, or goes on where that was cut short, with nothing that its git directory names: who may
    /// write there could have named a program meanwhile.
    fn fill(&self, commit: git2::Oid, lock: &File) -> Result<(), Error> {
        let (home, at) = (self.home(), self.place.join(self.path));
        // A file of the repository says where it goes.
        below::check(self.place, self.path)?;
        if !path::exists(&home) {
            let own = self.own();
            below::folder(self.notes, own.parent().unwrap_or(&own))?;
            Git::configured(
                self.place,
                "clone",
                &[OsString::from("protocol.file.allow=always")],
            )
            .args(["--quiet", "--no-checkout", "--separate-git-dir"])
            .arg(&home)
            .arg("--")
            .args([self.source, &at])
            .holding(lock)?
            .run()?;
        }
        if path::exists(&home.join("index")) {
            return self.come_back(lock);
        }
        self.set("core.worktree", at.as_os_str())?;
        below::replace(
            self.notes,
            &self.own().join("HEAD"),
            format!("{commit}\n").as_bytes(),
        )?;
        let own = ordinary::open(&home)?;
        own.find_commit(commit).map_err(Error::read(&home))?;
        let shadow = Shadow::new(&own, &at)?;
        let fill = shadow.git("read-tree").args(["--reset", "-u", "HEAD"]);
        fill.holding(lock)?.run().map(drop)
    }

    /// Writes the files of one whose git directory has come back and whose folder was gone, as its own index
    /// has them. That may name any place: git is given an index of ours.
    fn come_back(&self, lock: &File) -> Result<(), Error> {
        let (home, at) = (self.home(), self.place.join(self.path));
        let mut line = b"gitdir: ".to_vec();
        line.extend(path::to_bytes(&home));
        line.push(b'\n');
        below::Root::new(self.place).write(&self.path.join(".git"), &line)?;
        self.set("core.worktree", at.as_os_str())?;
        // It is gone when dropped.
        let own = ordinary::open(&home)?;
        let shadow = Shadow::new(&own, &at)?;
        let listing = shadow.git("ls-files").args(["-v", "-s", "-z"]).run()?;
        let index: Vec<Listed> = path::fields(&listing).filter_map(listed).collect();
        let files: Vec<_> = index::files(&index, &own)?.into_iter().collect();
        convert::write_by_git(&own, &at, &home.join(SCRATCH), &files, Programs::Skip)?;
        // It writes nothing but the index. Its exit code only says that some files differ.
        let refresh = shadow.git("update-index").args(["-q", "--refresh"]);
        refresh.holding(lock)?.output().map(drop)
    }

    /// Sets what git keeps for it, not through a link: it may have come back with one.
    fn set(&self, key: &str, value: &OsStr) -> Result<(), Error> {
        below::check(self.notes, &self.own().join("config"))?;
        let set = Git::new(self.notes, "config").env("GIT_DIR", self.notes);
        let set = set.arg("--file").arg(self.home().join("config"));
        set.arg(key).arg(value).run().map(drop)
    }
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

/// A name that is safe as a part of a setting and of a path.
fn name_of(name: &str) -> Option<&str> {
    let safe = path::is_inside(Path::new(name)) && !name.contains(['\n', '=']);
    safe.then_some(name)
}
