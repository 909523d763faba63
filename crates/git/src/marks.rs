//! The properties of files that a git tree cannot store: exact permissions, empty folders and named pipes.
//! They are collected before a worktree is removed, and applied when it is restored.

use crate::Error;
use crate::below::Root;
use crate::path::{from_text, to_text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The permissions of a file if nothing else is known.
const USUAL: u32 = 0o644;

/// Permissions that result from a common umask, so nobody chose them.
const EXPLAINED: [u32; 2] = [0o644, 0o664];

/// The properties of the files below one folder.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Marks {
    /// The permissions of a plain file, from which those of folders and programs are derived.
    base: u32,
    /// Files and folders with other permissions.
    modes: BTreeMap<String, u32>,
    /// Empty folders.
    empty: Vec<String>,
    /// Named pipes.
    pipes: Vec<String>,
}

/// Files and folders below a root.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) marks: Marks,
    /// Files and links, relative to the root.
    pub(crate) files: Vec<PathBuf>,
    /// Their size in bytes.
    pub(crate) bytes: u64,
}

impl Found {
    /// Creates an empty result; `like` is a file whose permissions nobody chose.
    pub(crate) fn new(like: &Path) -> Self {
        let base = like.symlink_metadata().ok().filter(|meta| meta.is_file());
        let mut found = Self::default();
        found.marks.base = base.and_then(|meta| permissions(&meta)).unwrap_or(USUAL) & 0o666;
        found
    }

    /// Collects everything at and below `inside`, except for what `skip` selects.
    pub(crate) fn look(
        &mut self,
        root: &Path,
        inside: &Path,
        skip: &mut dyn FnMut(&Path, &Metadata) -> bool,
    ) -> Result<(), Error> {
        let at = root.join(inside);
        let meta = at.symlink_metadata().map_err(Error::io("read", &at))?;
        let mut pending = vec![(inside.to_owned(), meta)];
        while let Some((inside, meta)) = pending.pop() {
            let at = root.join(&inside);
            let is_root = inside.components().next().is_none();
            if !is_root {
                self.marks.note(&inside, &meta);
            }
            if is_pipe(&meta) {
                self.marks.pipes.push(to_text(&inside));
            } else if meta.is_file() || meta.is_symlink() {
                self.bytes += meta.len();
                self.files.push(inside.clone());
            }
            if !meta.is_dir() {
                continue;
            }
            let unreadable = |_| Error::Unreadable { path: at.clone() };
            let mut names: Vec<_> = at.read_dir().map_err(unreadable)?.flatten().collect();
            if names.is_empty() && !is_root {
                self.marks.empty.push(to_text(&inside));
            }
            // The last one is visited first.
            names.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
            for entry in names {
                let below = inside.join(entry.file_name());
                let meta = entry.metadata().map_err(Error::io("read", &entry.path()))?;
                if !skip(&below, &meta) {
                    pending.push((below, meta));
                }
            }
        }
        Ok(())
    }
}

impl Marks {
    /// Records the permissions of a file or folder if they differ from the usual ones.
    pub(crate) fn note(&mut self, inside: &Path, meta: &Metadata) {
        let Some(mode) = permissions(meta).filter(|_| !meta.is_symlink()) else {
            return;
        };
        if mode != usual(self.base, meta.is_dir() || mode & 0o100 != 0) {
            self.modes.insert(to_text(inside), mode);
        }
    }

    /// Records the permissions of a file or folder and of the folders above it.
    pub(crate) fn note_way(&mut self, root: &Path, inside: &Path) {
        for way in inside
            .ancestors()
            .take_while(|way| way.components().next().is_some())
        {
            if let Ok(meta) = root.join(way).symlink_metadata() {
                self.note(way, &meta);
            }
        }
    }

    /// Whether any of the properties was chosen by somebody.
    pub(crate) fn is_chosen(&self) -> bool {
        let explained = |mode: &u32| {
            let mut all = EXPLAINED.iter();
            all.any(|base| *mode == usual(*base, false) || *mode == usual(*base, true))
        };
        !self.empty.is_empty() || !self.pipes.is_empty() || !self.modes.values().all(explained)
    }

    /// Forgets empty folders that something else creates.
    pub(crate) fn without(&mut self, made: impl Fn(&Path) -> bool) {
        self.empty.retain(|text| !made(&from_text(text)));
    }

    /// Makes restricted folders accessible again, so that writing can be repeated.
    pub(crate) fn open_up(&self, root: &Path) {
        let mut root = Root::new(root);
        for text in self.modes.keys() {
            let at = root.way(&from_text(text)).ok();
            if let Some(at) = at.filter(|at| at.symlink_metadata().is_ok_and(|meta| meta.is_dir())) {
                let _ = set(&at, 0o700);
            }
        }
    }

    /// Creates the empty folders and the pipes below `root`.
    pub(crate) fn make(&self, root: &Path) -> Result<(), Error> {
        let mut root = Root::new(root);
        for text in &self.empty {
            root.folder(&from_text(text))?;
        }
        for text in &self.pipes {
            let inside = from_text(text);
            if let Some(parent) = inside.parent() {
                root.folder(parent)?;
            }
            pipe(&root.way(&inside)?)?;
        }
        Ok(())
    }

    /// Sets the permissions of the written paths below `root` and of the folders above them.
    pub(crate) fn apply<'a>(
        &self,
        root: &Path,
        written: impl Iterator<Item = (&'a Path, bool)>,
    ) -> Result<(), Error> {
        let mut root = Root::new(root);
        let mut folders = std::collections::BTreeSet::new();
        let mut all: Vec<(PathBuf, bool)> = written
            .map(|(path, program)| (path.to_owned(), program))
            .collect();
        all.extend(self.pipes.iter().map(|text| (from_text(text), false)));
        for (path, program) in &all {
            folders.extend(path.ancestors().skip(1).map(Path::to_owned));
            let mode = self.modes.get(&to_text(path)).copied();
            set(
                &root.way(path)?,
                mode.unwrap_or_else(|| usual(self.base, *program)),
            )?;
        }
        for text in &self.empty {
            folders.extend(from_text(text).ancestors().map(Path::to_owned));
        }
        // Deepest first: a restricted folder hides its content.
        for folder in folders
            .iter()
            .rev()
            .filter(|way| way.components().next().is_some())
        {
            let mode = self.modes.get(&to_text(folder)).copied();
            set(&root.way(folder)?, mode.unwrap_or_else(|| usual(self.base, true)))?;
        }
        Ok(())
    }
}

/// Returns the permissions of a file, or of a folder or program, where plain files have `base`.
fn usual(base: u32, runs: bool) -> u32 {
    match runs {
        true => base | (base & 0o444) >> 2,
        false => base,
    }
}

#[cfg(unix)]
fn permissions(meta: &Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(meta.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn permissions(_meta: &Metadata) -> Option<u32> {
    None
}

#[cfg(unix)]
fn set(at: &Path, mode: u32) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    match at.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => Ok(()),
        _ => std::fs::set_permissions(at, std::fs::Permissions::from_mode(mode & 0o777))
            .map_err(Error::io("set the permissions of", at)),
    }
}

#[cfg(not(unix))]
fn set(_at: &Path, _mode: u32) -> Result<(), Error> {
    Ok(())
}

#[cfg(unix)]
fn is_pipe(meta: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&meta.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_meta: &Metadata) -> bool {
    false
}

/// Creates a pipe with the program `mkfifo`: the system call is not available everywhere.
#[cfg(unix)]
fn pipe(at: &Path) -> Result<(), Error> {
    if crate::path::exists(at) {
        return Ok(());
    }
    let missing = || std::io::Error::other("mkfifo was not found");
    let program = crate::search::find("mkfifo").ok_or_else(missing);
    let made = program.and_then(|mkfifo| std::process::Command::new(mkfifo).arg("--").arg(at).output());
    let made = made.map_err(Error::io("create the pipe", at))?;
    match made.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&made.stderr).into_owned();
            Err(Error::io("create the pipe", at)(std::io::Error::other(said)))
        }
    }
}

#[cfg(not(unix))]
fn pipe(_at: &Path) -> Result<(), Error> {
    Ok(())
}
