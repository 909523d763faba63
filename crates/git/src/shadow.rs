//! A git directory that stands in for a repository's own while its files are read, or while files are written
//! for an untrusted project. It has the same commit, index and objects, but of the configuration only a few
//! settings with plain words as values. So no filter, monitor, hook, converter or remote that the repository
//! (or an agent that may write to it) names can be started, whichever git is installed. What the person
//! configured for all repositories, such as LFS, applies.
//!
//! It is outside of the repository, where agents cannot change it while git runs.

use crate::command::{Git, Programs};
use crate::inspect::clean;
use crate::outside::read_linked;
use crate::path::exists;
use crate::{Error, Repository, admin, ordinary, path, split};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

/// Settings of the repository for how its files are written and compared. They are copied if their value is a
/// plain word. The settings that protect git's directory from path names are not among them.
const TAKEN: &[&str] = &[
    "core.autocrlf",
    "core.checkstat",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.precomposeunicode",
    "core.safecrlf",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
];

/// Files below `info/` that are copied; attributes only name drivers, which are not configured there.
const INFO: &[&str] = &["attributes", "exclude", "sparse-checkout"];

/// Settings for which the repository's configuration may name a file, and the name of the file's copy.
const FILES: &[(&str, &str)] = &[
    ("core.attributesFile", "attributes"),
    ("core.excludesFile", "excludes"),
];

/// The size limit of each of these files.
const MOST: u64 = 1 << 20;

/// The time limit of a command whose result a person waits for.
const SHOWN: Duration = Duration::from_secs(60);

/// The time limit of other commands. Saving a very large worktree takes a while.
const LONGEST: Duration = Duration::from_secs(600);

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Sets the folder in which such directories are created; the default is the system's temporary
/// folder. Only the first call has an effect. The folder is emptied, because its content was
/// left by a process that was killed.
///
/// # Errors
/// Fails if the folder cannot be emptied or created.
pub fn use_private_folder(folder: &Path) -> Result<(), Error> {
    crate::tree::remove(folder)?;
    std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    // A second engine in the same process (in tests) keeps the folder of the first one.
    let _ = FOLDER.set(folder.to_owned());
    Ok(())
}

/// Creates a folder outside of every repository that only this user can access. It is deleted on drop.
pub(crate) fn private_folder() -> Result<TempDir, Error> {
    let folder = FOLDER.get().cloned().unwrap_or_else(std::env::temp_dir);
    // The folder may have been cleaned up.
    std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    let mut private = tempfile::Builder::new();
    let made = private.prefix("downbeat-git-").tempdir_in(&folder);
    made.map_err(Error::io("create a folder in", &folder))
}

/// A stand-in git directory; see the module. It is deleted on drop.
pub(crate) struct Shadow {
    home: TempDir,
    checkout: PathBuf,
    objects: PathBuf,
    index: PathBuf,
    shallow: Option<PathBuf>,
    limit: Duration,
}

impl Shadow {
    /// Creates the stand-in for the worktree `place` of the repository `repo`, or for its primary checkout.
    ///
    /// # Errors
    /// [`Error::Redirected`] if the `.git` file of the worktree does not name the directory that the
    /// repository keeps for it.
    pub(crate) fn of(repo: &Path, place: &Path) -> Result<Self, Error> {
        let repository = Repository::open(repo)?;
        if path::place(place)? == path::place(repository.root())? {
            return Self::within(repository.git2(), repository.root(), SHOWN);
        }
        admin::check(&repository.common(), place)?;
        Self::within(&ordinary::open(place)?, place, SHOWN)
    }

    /// Creates the stand-in for an opened repository with a checkout at `checkout`.
    pub(crate) fn new(inner: &git2::Repository, checkout: &Path) -> Result<Self, Error> {
        Self::within(inner, checkout, LONGEST)
    }

    fn within(inner: &git2::Repository, checkout: &Path, limit: Duration) -> Result<Self, Error> {
        let home = private_folder()?;
        let (own, common) = (clean(inner.path()), clean(inner.commondir()));
        let index = own.join("index");
        if exists(&index) && !index.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            return Err(Error::NotARepository {
                path: checkout.to_owned(),
                reason: format!("{} is not a file", index.display()),
            });
        }
        let shadow = Self {
            checkout: checkout.to_owned(),
            objects: common.join("objects"),
            index,
            shallow: Some(common.join("shallow")).filter(|file| file.is_file()),
            home,
            limit,
        };
        shadow.fill(inner, &own, &common)?;
        Ok(shadow)
    }

    fn fill(&self, inner: &git2::Repository, own: &Path, common: &Path) -> Result<(), Error> {
        let home = self.home.path();
        let write = |name: &str, text: String| {
            let file = home.join(name);
            std::fs::write(&file, text).map_err(Error::io("write", &file))
        };
        for folder in ["refs", "info"] {
            let folder = home.join(folder);
            std::fs::create_dir(&folder).map_err(Error::io("create", &folder))?;
        }
        let head = inner.head().ok().and_then(|head| head.target());
        let head = head.map_or_else(|| "ref: refs/heads/unborn".to_owned(), |id| id.to_string());
        write("HEAD", format!("{head}\n"))?;
        write("config", configuration(inner, head.len()))?;
        for (setting, name) in FILES {
            if let Some(text) = own_file(inner, &self.checkout, setting)? {
                let file = home.join(name);
                std::fs::write(&file, text).map_err(Error::io("write", &file))?;
            }
        }
        for name in INFO {
            // Sparse patterns belong to a worktree, the other files to the repository.
            let found = [own, common]
                .into_iter()
                .find_map(|dir| read_linked(&dir.join("info").join(name), MOST).ok());
            if let Some(text) = found {
                let file = home.join("info").join(name);
                std::fs::write(&file, text).map_err(Error::io("write", &file))?;
            }
        }
        // Git looks for the shared file of a split index next to HEAD.
        if let Some(shared) = split::shared(own)?
            && let Some(name) = shared.file_name()
        {
            std::fs::copy(&shared, home.join(name)).map_err(Error::io("copy", &shared))?;
        }
        Ok(())
    }

    /// Refuses the checkout's index if it names anything but files inside the checkout. Git trusts its index:
    /// it would write, replace and delete `../x`.
    ///
    /// # Errors
    /// [`Error::OutsidePath`] with the first such name.
    pub(crate) fn check_index(&self) -> Result<(), Error> {
        let listed = self.git("ls-files").args(["--cached", "-z"]).run()?;
        let mut names = path::fields(&listed).map(path::from_bytes);
        match names.find(|name| !path::is_inside(name)) {
            Some(name) => Err(Error::OutsidePath {
                path: name.display().to_string(),
            }),
            None => Ok(()),
        }
    }

    /// Creates the command `git <name>` in the checkout, with this directory as its git directory.
    pub(crate) fn git(&self, name: &'static str) -> Git {
        let copied = FILES.iter().filter_map(|(setting, name)| {
            let file = self.home.path().join(name);
            let mut words = OsString::from(format!("{setting}="));
            words.push(&file);
            file.is_file().then_some(words)
        });
        let settings: Vec<OsString> = copied.collect();
        let git = Git::configured(&self.checkout, name, &settings)
            .with(Programs::Skip)
            .standing_in()
            .within(self.limit)
            .env("GIT_DIR", self.home.path())
            .env("GIT_WORK_TREE", &self.checkout)
            .env("GIT_INDEX_FILE", &self.index)
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .env("GIT_OPTIONAL_LOCKS", "0")
            // LFS must not download missing content, because there is no remote.
            .env("GIT_LFS_SKIP_SMUDGE", "1");
        match &self.shallow {
            Some(file) => git.env("GIT_SHALLOW_FILE", file),
            None => git,
        }
    }
}

/// The git directory with which git writes files of a worktree: the repository's own, or a stand-in.
pub(crate) struct Way {
    checkout: PathBuf,
    programs: Programs,
    shadow: Option<Shadow>,
}

impl Way {
    /// Chooses the git directory for a worktree at `checkout`.
    pub(crate) fn new(inner: &git2::Repository, checkout: &Path, programs: Programs) -> Result<Self, Error> {
        let shadow = match programs {
            Programs::Run => None,
            Programs::Skip => Some(Shadow::new(inner, checkout)?),
        };
        Ok(Self {
            checkout: checkout.to_owned(),
            programs,
            shadow,
        })
    }

    /// Creates the command `git <name>` in the worktree.
    pub(crate) fn git(&self, name: &'static str) -> Git {
        match &self.shadow {
            Some(shadow) => shadow.git(name),
            None => Git::new(&self.checkout, name).with(self.programs),
        }
    }
}

/// Returns the content of a file that the repository's configuration names. Git itself finds the file that
/// the person configured for all repositories.
fn own_file(inner: &git2::Repository, checkout: &Path, setting: &str) -> Result<Option<Vec<u8>>, Error> {
    let config = inner.config().map_err(Error::read(checkout))?;
    let entry = config.get_entry(setting);
    let is_own = entry.is_ok_and(|entry| {
        matches!(
            entry.level(),
            git2::ConfigLevel::Local | git2::ConfigLevel::Worktree
        )
    });
    let Ok(named) = config.get_path(setting) else {
        return Ok(None);
    };
    // Git resolves a relative path from its working directory.
    let file = checkout.join(named);
    if !is_own || !file.exists() {
        return Ok(None);
    }
    let refuse = |error: std::io::Error| Error::NotOrdinary {
        path: file.clone(),
        reason: error.to_string(),
    };
    read_linked(&file, MOST).map(Some).map_err(refuse)
}

/// Returns the configuration of the stand-in.
fn configuration(inner: &git2::Repository, head: usize) -> String {
    let sha256 = head == 64;
    let mut text = format!(
        // An index that is written through the stand-in must not refer to a shared file in it.
        "[core]\n\trepositoryformatversion = {}\n\tbare = false\n\tlogallrefupdates = false\n\tsplitIndex = false\n",
        u8::from(sha256)
    );
    let config = inner.config().and_then(|mut config| config.snapshot());
    for name in TAKEN {
        let value = config.as_ref().ok().and_then(|config| config.get_str(name).ok());
        let is_word = |value: &&str| !value.is_empty() && value.bytes().all(|b| b.is_ascii_alphanumeric());
        if let Some(value) = value.filter(is_word) {
            text.push_str(&format!("\t{} = {value}\n", name.trim_start_matches("core.")));
        }
    }
    if sha256 {
        text.push_str("[extensions]\n\tobjectFormat = sha256\n");
    }
    text
}
