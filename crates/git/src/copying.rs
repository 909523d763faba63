//! Carries out a copy plan: copy-on-write if the file system supports it, each file atomically, without
//! overwriting anything in the worktree. The planning is in [`crate::plan_copies`].

use crate::copies::{CopiedFile, CopyPlan, CopyRecord};
use crate::duplicate::duplicate;
use crate::inspect::clean;
use crate::path::{exists, is_inside, key, to_text};
use crate::point::point;
use crate::record::lock_worktree;
use crate::setup::is_dependency_directory;
use crate::shadow::Shadow;
use crate::{Error, below, exclude, interrupt, ordinary, tree};
use std::path::{Path, PathBuf};

/// The prefix of the name of an incomplete copy.
const UNFINISHED: &str = ".downbeat-copy-";

/// The number of hexadecimal digits after the prefix.
const KEY: usize = 16;

/// Whether a path is an incomplete copy.
pub(crate) fn is_unfinished(inside: &Path) -> bool {
    let name = inside.file_name().unwrap_or_default().to_string_lossy();
    let key = name.strip_prefix(UNFINISHED);
    key.is_some_and(|key| key.len() == KEY && key.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Copies and links the planned files. Existing files are kept, so the call can be repeated.
pub fn copy(repo: &Path, worktree: &Path, plan: &CopyPlan) -> Result<CopyRecord, Error> {
    let worktree = dunce::canonicalize(worktree).map_err(Error::io("read", worktree))?;
    let repo = dunce::canonicalize(repo).map_err(Error::io("read", repo))?;
    // Two concurrent copies of the same file would complete each other's partial file.
    let common = clean(ordinary::open(&worktree)?.commondir());
    let _mine = lock_worktree(&common, &worktree)?;
    let mut work = Copying {
        repo: &repo,
        worktree: &worktree,
        record: CopyRecord::default(),
        links: Vec::new(),
    };
    for inside in &plan.copies {
        work.check(inside)?;
        let is_tree = is_dependency_directory(inside) && repo.join(inside).is_dir();
        if is_tree {
            work.record.trees.push(to_text(inside));
        }
        work.entry(inside, !is_tree)?;
    }
    work.finish_links()?;
    for inside in &plan.links {
        work.check(inside)?;
        work.link(inside)?;
    }
    point("copy-done", &worktree)?;
    let record = work.record;
    keep_links_out_of_status(&repo, &worktree, &record.links)?;
    Ok(record)
}

struct Copying<'a> {
    repo: &'a Path,
    worktree: &'a Path,
    record: CopyRecord,
    /// Copied links, which become absolute if their target was not copied.
    links: Vec<PathBuf>,
}

impl Copying<'_> {
    fn check(&self, inside: &Path) -> Result<(), Error> {
        if is_inside(inside) {
            return Ok(());
        }
        Err(Error::OutsidePath {
            path: inside.display().to_string(),
        })
    }

    /// Copies a file, link or directory. Sockets, pipes and devices are skipped.
    fn entry(&mut self, inside: &Path, remember: bool) -> Result<(), Error> {
        if !exists(&self.repo.join(inside)) {
            return Ok(());
        }
        if !self.is_reachable(inside) {
            log_skipped(inside);
            return Ok(());
        }
        if let Some(parent) = inside.parent() {
            below::folder(self.worktree, parent)?;
        }
        let (mut pending, mut made) = (vec![inside.to_owned()], Vec::new());
        while let Some(inside) = pending.pop() {
            let from = self.repo.join(&inside);
            interrupt::check(&from)?;
            let meta = match from.symlink_metadata() {
                Ok(meta) => meta,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::io("read", &from)(error)),
            };
            if meta.is_dir() {
                if self.directory(&inside, remember, &mut pending)? {
                    made.push(inside);
                }
            } else if meta.is_symlink() {
                self.copied_link(&inside, remember)?;
            } else if meta.is_file() {
                self.file(&inside, remember)?;
            }
        }
        // Deepest first: nothing below a read-only directory could be changed.
        for inside in made.iter().rev() {
            let from = self.repo.join(inside);
            let permissions = from.metadata().map_err(Error::io("read", &from))?.permissions();
            std::fs::set_permissions(self.worktree.join(inside), permissions)
                .map_err(Error::io("copy the mode of", &from))?;
        }
        Ok(())
    }

    /// Creates a directory and queues its entries. Returns whether it was created or existed as a directory.
    fn directory(
        &mut self,
        inside: &Path,
        remember: bool,
        pending: &mut Vec<PathBuf>,
    ) -> Result<bool, Error> {
        let (from, to) = (self.repo.join(inside), self.worktree.join(inside));
        // Nested repositories are not copied, and neither is a directory that contains the worktree.
        if exists(&from.join(".git")) || self.worktree.starts_with(&from) {
            return Ok(false);
        }
        match to.symlink_metadata() {
            Ok(about) if about.is_dir() => {}
            Ok(_) => {
                log_skipped(inside);
                return Ok(false);
            }
            Err(_) => std::fs::create_dir(&to).map_err(Error::io("create", &to))?,
        }
        if remember {
            self.record.directories.insert(to_text(inside));
        }
        for entry in from.read_dir().map_err(Error::io("read", &from))? {
            let entry = entry.map_err(Error::io("read", &from))?;
            pending.push(inside.join(entry.file_name()));
        }
        Ok(true)
    }

    fn file(&mut self, inside: &Path, remember: bool) -> Result<(), Error> {
        let (from, to) = (self.repo.join(inside), self.worktree.join(inside));
        if !exists(&to) {
            let parent = to.parent().unwrap_or(self.worktree);
            std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
            let fresh = parent.join(format!("{UNFINISHED}{}", key(&to)));
            let copied = write_copy(&from, &fresh).and_then(|()| {
                point("copy-file", &to)?;
                std::fs::rename(&fresh, &to).map_err(Error::io("copy", &from))
            });
            if let Err(error) = copied {
                let _ = std::fs::remove_file(&fresh);
                return Err(error);
            }
        }
        if remember {
            // The state of the source, so that a file that existed before counts as changed if it differs.
            let meta = from.metadata().map_err(Error::io("read", &from))?;
            let hash = tree::hash_while(&from, || interrupt::check(&from).is_ok());
            interrupt::check(&from)?;
            let hash = hash.map_err(Error::io("read", &from))?;
            let file = CopiedFile {
                size: meta.len(),
                mtime: tree::mtime(&meta),
                hash,
            };
            self.record.files.insert(to_text(inside), file);
        }
        Ok(())
    }

    fn copied_link(&mut self, inside: &Path, remember: bool) -> Result<(), Error> {
        let (from, to) = (self.repo.join(inside), self.worktree.join(inside));
        let target = from.read_link().map_err(Error::io("read", &from))?;
        if !exists(&to) {
            let parent = to.parent().unwrap_or(self.worktree);
            std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
            make_link(&target, &to, from.is_dir()).map_err(Error::io("link", &to))?;
            self.links.push(inside.to_owned());
        }
        if remember {
            let file = CopiedFile {
                size: 0,
                mtime: 0,
                hash: to_text(&target),
            };
            self.record.files.insert(to_text(inside), file);
        }
        Ok(())
    }

    /// Makes relative links whose target was not copied point to the primary checkout.
    fn finish_links(&mut self) -> Result<(), Error> {
        for inside in std::mem::take(&mut self.links) {
            let (from, to) = (self.repo.join(&inside), self.worktree.join(&inside));
            let Ok(target) = dunce::canonicalize(&from) else {
                continue;
            };
            if to.exists() {
                continue;
            }
            tree::remove(&to)?;
            make_link(&target, &to, target.is_dir()).map_err(Error::io("link", &to))?;
            if let Some(file) = self.record.files.get_mut(&to_text(&inside)) {
                file.hash = to_text(&target);
            }
        }
        Ok(())
    }

    fn link(&mut self, inside: &Path) -> Result<(), Error> {
        let (from, to) = (self.repo.join(inside), self.worktree.join(inside));
        if !exists(&from) || !self.is_reachable(inside) {
            return Ok(());
        }
        if !exists(&to) {
            let parent = to.parent().unwrap_or(self.worktree);
            std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
            make_link(&from, &to, from.is_dir()).map_err(Error::io("link", &to))?;
        }
        self.record.links.push(to_text(inside));
        self.record.targets.insert(to_text(inside), to_text(&from));
        Ok(())
    }

    /// Whether the path to a file in the worktree consists of directories only, so that nothing is written
    /// through a link to somewhere else.
    fn is_reachable(&self, inside: &Path) -> bool {
        let parents = inside
            .ancestors()
            .skip(1)
            .filter(|part| !part.as_os_str().is_empty());
        let mut metas = parents.map(|part| self.worktree.join(part).symlink_metadata());
        metas.all(|meta| meta.map_or(true, |meta| meta.is_dir()))
    }
}

/// Logs a path that is not copied.
fn log_skipped(inside: &Path) {
    tracing::warn!(
        "{} is not copied: a link or a file in the worktree is in the way",
        inside.display()
    );
}

/// Copies the content, mode and time of one file.
fn write_copy(from: &Path, fresh: &Path) -> Result<(), Error> {
    if exists(fresh) {
        std::fs::remove_file(fresh).map_err(Error::io("replace", fresh))?;
    }
    duplicate(from, fresh)?;
    copy_attributes(from, fresh).map_err(Error::io("copy", from))
}

/// Gives a copy the time and the mode of the original.
fn copy_attributes(from: &Path, fresh: &Path) -> std::io::Result<()> {
    let meta = from.metadata()?;
    // The time first: a read-only file could not be opened afterwards.
    let mut permissions = meta.permissions();
    let file = std::fs::File::options().append(true).open(fresh).or_else(|_| {
        make_writable(fresh)?;
        std::fs::File::options().append(true).open(fresh)
    })?;
    file.set_modified(meta.modified()?)?;
    without_special_bits(&mut permissions);
    std::fs::set_permissions(fresh, permissions)
}

#[cfg(unix)]
fn make_writable(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_writable(file: &Path) -> std::io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(false);
    std::fs::set_permissions(file, permissions)
}

#[cfg(unix)]
fn without_special_bits(permissions: &mut std::fs::Permissions) {
    use std::os::unix::fs::PermissionsExt;
    permissions.set_mode(permissions.mode() & 0o777);
}

#[cfg(not(unix))]
fn without_special_bits(_permissions: &mut std::fs::Permissions) {}

#[cfg(unix)]
fn make_link(target: &Path, at: &Path, _is_dir: bool) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

/// Creates a link. Links need a privilege that people have only in Developer Mode; for a directory a
/// junction, which leads to the same place, needs none.
#[cfg(windows)]
fn make_link(target: &Path, at: &Path, is_dir: bool) -> std::io::Result<()> {
    use std::os::windows::fs::{symlink_dir, symlink_file};
    /// `ERROR_PRIVILEGE_NOT_HELD`.
    const NOT_ALLOWED: i32 = 1314;
    let made = match is_dir {
        true => symlink_dir(target, at),
        false => symlink_file(target, at),
    };
    match made {
        Err(error) if error.raw_os_error() == Some(NOT_ALLOWED) && is_dir => {
            let from = at.parent().unwrap_or(Path::new("."));
            junction::create(from.join(target), at)
        }
        Err(error) if error.raw_os_error() == Some(NOT_ALLOWED) => Err(std::io::Error::new(
            error.kind(),
            format!("{error} (turn on Developer Mode in the settings of Windows, or copy the file instead)"),
        )),
        other => other,
    }
}

/// Excludes links from `git status`: `node_modules/` in a `.gitignore` does not match a link of that name.
fn keep_links_out_of_status(repo: &Path, worktree: &Path, links: &[String]) -> Result<(), Error> {
    if links.is_empty() {
        return Ok(());
    }
    let shadow = Shadow::of(repo, worktree)?;
    for text in links {
        let inside = crate::path::from_text(text);
        // Git is asked, because libgit2 treats a link to a directory as a directory.
        let ignored = shadow
            .git("check-ignore")
            .args(["--quiet", "--"])
            .arg(&inside)
            .output()?;
        if !ignored.status.success()
            && let Some(plain) = inside
                .to_str()
                .filter(|plain| !plain.contains(['\n', '*', '?', '[', '\\']))
        {
            exclude(repo, &format!("/{plain}"))?;
        }
    }
    Ok(())
}
