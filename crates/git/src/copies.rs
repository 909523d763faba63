//! Chooses the untracked files that a worktree receives: `.env*`, and those that `.worktreeinclude` and the
//! configuration name. This module only plans and records; [`crate::copy()`] copies, and
//! [`crate::work_state`] detects changes to the copies.

use crate::outside::{check_readable, read_inside};
use crate::path::{fields, from_bytes, from_text, is_inside, to_text};
use crate::shadow::Shadow;
use crate::{Error, ordinary, patterns, tree};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file in a repository that lists the files for worktrees, in the syntax of `.gitignore`.
const INCLUDE: &str = ".worktreeinclude";

/// The size limit of that file in bytes; people do not write more by hand.
const MOST_INCLUDE: u64 = 64 * 1024;

/// The size limit of a `.gitignore` in a searched folder.
const RULES: u64 = 16 << 20;

/// The largest copied file that is always compared by content, in bytes.
pub(crate) const READ: u64 = 256 * 1024;

/// Suffixes of `.env*` files that are examples, and tracked if they matter.
const EXAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist"];

/// The files that a worktree receives from the primary checkout, relative to its root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyPlan {
    /// Files and directories to copy.
    pub copies: Vec<PathBuf>,
    /// Files and directories to link to.
    pub links: Vec<PathBuf>,
}

/// The copied files, recorded to detect later changes. The engine stores it as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyRecord {
    /// Every copied file.
    #[serde(default)]
    pub files: BTreeMap<String, CopiedFile>,
    /// Every copied directory whose files are recorded.
    #[serde(default)]
    pub directories: BTreeSet<String>,
    /// Copied dependency directories, and directories in them: their files are not recorded.
    #[serde(default)]
    pub trees: Vec<String>,
    /// Links to the primary checkout.
    #[serde(default)]
    pub links: Vec<String>,
    /// The target of each link; missing in older records.
    #[serde(default)]
    pub targets: BTreeMap<String, String>,
}

/// The state of a file when it was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopiedFile {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last write, in nanoseconds since 1970.
    pub mtime: i64,
    /// The SHA-256 of its content, or the target if it is a link.
    pub hash: String,
}

impl CopyRecord {
    /// Returns the plan behind this record, as far as set-up needs it: whole
    /// dependency directories, and links.
    #[must_use]
    pub fn plan(&self) -> CopyPlan {
        CopyPlan {
            copies: self.trees.iter().map(|text| from_text(text)).collect(),
            links: self.links.iter().map(|text| from_text(text)).collect(),
        }
    }

    /// Records the current state of the named files in a worktree.
    pub fn of(worktree: &Path, names: &[String]) -> Result<Self, Error> {
        let mut record = Self::default();
        for name in names {
            let at = worktree.join(from_text(name));
            let meta = at.symlink_metadata().map_err(Error::io("read", &at))?;
            if !meta.is_file() {
                continue;
            }
            let file = CopiedFile {
                size: meta.len(),
                mtime: tree::mtime(&meta),
                hash: tree::hash(&at).map_err(Error::io("read", &at))?,
            };
            record.files.insert(name.clone(), file);
        }
        Ok(record)
    }

    /// Whether the named file is unchanged since it was recorded.
    #[must_use]
    pub fn holds(&self, worktree: &Path, name: &str) -> bool {
        let file = self.files.get(name);
        file.is_some_and(|file| file.is(&worktree.join(from_text(name))))
    }
}

impl CopiedFile {
    /// Whether the file at a path is unchanged. Compares the size first, then the content if the time
    /// differs. The content of a small file is always compared, because a program can restore the time.
    pub(crate) fn is(&self, at: &Path) -> bool {
        let Ok(meta) = at.symlink_metadata() else {
            return false;
        };
        if meta.is_symlink() {
            return at.read_link().is_ok_and(|target| to_text(&target) == self.hash);
        }
        meta.is_file()
            && meta.len() == self.size
            && (self.size > READ && tree::mtime(&meta) == self.mtime
                || tree::hash(at).is_ok_and(|hash| hash == self.hash))
    }
}

/// Plans the files that a worktree receives: `.env*` files (no examples), files that `.worktreeinclude` and
/// the globs in `copy` match, and links to files that `symlink` matches. Only untracked files inside the
/// repository are included, and never git's own directory and nested repositories. A pattern applies inside
/// an untracked directory only if it names that directory: `node_modules` copies all of it,
/// `node_modules/.cache/**` a part of it, `*.local` nothing.
pub fn plan_copies(repo: &Path, copy: &[String], symlink: &[String]) -> Result<CopyPlan, Error> {
    let include = repo.join(INCLUDE);
    let text = read_inside(repo, INCLUDE, MOST_INCLUDE).map_err(Error::io("read", &include))?;
    let text = text.unwrap_or_default();
    let lines: Vec<String> = String::from_utf8_lossy(&text)
        .lines()
        .map(str::to_owned)
        .collect();
    let copying = Patterns::new(repo, &[(INCLUDE, &lines), ("copy", copy)])?;
    let linking = Patterns::new(repo, &[("symlink", symlink)])?;
    let inner = ordinary::open(repo)?;
    let mut plan = CopyPlan::default();
    let mut pending = untracked(repo)?;
    while let Some((path, is_dir)) = pending.pop() {
        if sort_in(&path, is_dir, repo, &copying, &linking, &inner, &mut plan) {
            for entry in repo.join(&path).read_dir().into_iter().flatten().flatten() {
                let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
                pending.push((path.join(entry.file_name()), is_dir));
            }
        }
    }
    plan.copies.sort();
    plan.links.sort();
    Ok(plan)
}

/// Adds a path to the plan if it matches. Returns whether it is a directory that must be searched.
fn sort_in(
    path: &Path,
    is_dir: bool,
    repo: &Path,
    copying: &Patterns,
    linking: &Patterns,
    inner: &git2::Repository,
    plan: &mut CopyPlan,
) -> bool {
    let full = repo.join(path);
    if !is_inside(path) || (is_dir && full.join(".git").symlink_metadata().is_ok()) {
        return false;
    }
    if linking.say(path, is_dir) == Some(true) {
        plan.links.push(path.to_owned());
        return false;
    }
    let said = copying.say(path, is_dir);
    if said == Some(true) || (said.is_none() && !is_dir && is_environment(path)) {
        plan.copies.push(path.to_owned());
        return false;
    }
    // libgit2 reads the ignore rules in it, and would block on a pipe.
    if !is_dir || check_readable(&full.join(".gitignore"), RULES).is_err() {
        return false;
    }
    // A directory that is neither tracked nor ignored is new work of the person, and is searched.
    let is_fresh = !inner.is_path_ignored(path).unwrap_or(true);
    is_fresh || copying.reaches_into(path) || linking.reaches_into(path)
}

/// Returns the untracked `.env*` files of a checkout, ignored or not.
pub(crate) fn environment_files(checkout: &Path) -> Result<Vec<PathBuf>, Error> {
    let all = untracked(checkout)?.into_iter();
    Ok(all
        .filter(|(path, is_dir)| !is_dir && is_environment(path))
        .map(|(path, _)| path)
        .collect())
}

fn is_environment(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let starts = name == ".env" || name.starts_with(".env.") || name.starts_with(".env-") || name == ".envrc";
    starts && !EXAMPLES.iter().any(|end| name.ends_with(end))
}

/// Returns the untracked files, ignored or not. A directory without tracked
/// files is returned as a single path.
fn untracked(checkout: &Path) -> Result<Vec<(PathBuf, bool)>, Error> {
    let inner = ordinary::open(checkout)?;
    let out = Shadow::new(&inner, checkout)?
        .git("ls-files")
        .args(["-z", "--others", "--directory"])
        .run()?;
    let entries = fields(&out).map(|field| match field.strip_suffix(b"/") {
        Some(dir) => (from_bytes(dir), true),
        None => (from_bytes(field), false),
    });
    Ok(entries.collect())
}

/// A list of patterns in the syntax of `.gitignore`.
struct Patterns {
    matcher: Gitignore,
    texts: Vec<String>,
}

impl Patterns {
    fn new(repo: &Path, sources: &[(&str, &[String])]) -> Result<Self, Error> {
        let mut builder = GitignoreBuilder::new(repo);
        let mut texts = Vec::new();
        let bad = |place: &str, reason: String| Error::BadPattern {
            place: place.to_owned(),
            reason,
        };
        for (place, lines) in sources {
            for line in *lines {
                if line.split(['/', '\\']).any(|part| part == "..") {
                    return Err(Error::OutsidePath { path: line.clone() });
                }
                patterns::add(&mut builder, line).map_err(|reason| bad(place, reason))?;
                texts.push(line.trim_start_matches(['!', '/']).to_owned());
            }
        }
        let matcher = builder.build().map_err(|error| bad("copy", error.to_string()))?;
        Ok(Self { matcher, texts })
    }

    /// Returns `Some(true)` if a path matches, `Some(false)` if it matches a pattern with `!`, else `None`.
    fn say(&self, path: &Path, is_dir: bool) -> Option<bool> {
        match self.matcher.matched_path_or_any_parents(path, is_dir) {
            ignore::Match::None => None,
            ignore::Match::Ignore(_) => Some(true),
            ignore::Match::Whitelist(_) => Some(false),
        }
    }

    fn reaches_into(&self, dir: &Path) -> bool {
        let prefix = format!("{}/", to_text(dir));
        self.texts.iter().any(|text| {
            text.starts_with(&prefix) && text.len() > prefix.len() || prefix.starts_with(&format!("{text}/"))
        })
    }
}
