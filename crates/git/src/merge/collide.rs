//! Whether the work in two worktrees, committed or not, touches the same lines, and how a merge of both would end. Neither
//! worktree is written, nor the repository: new objects are in a folder of our own, and nothing that the repository names runs.

use crate::command::Git;
use crate::fresh::FreshIndex;
use crate::merge::combine::{Combined, merge_trees};
use crate::merge::objects::Objects;
use crate::path::{fields, from_bytes, is_inside, to_bytes, to_text};
use crate::recreate::head;
use crate::shadow::Shadow;
use crate::{Error, Repository};
use git2::{Delta, DiffOptions, Oid, Patch, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time limit of each command of git.
const LIMIT: Duration = Duration::from_secs(10);

/// The maximum number of files of a worktree that are not committed and are merged.
const FILES: usize = 500;

/// The largest of them, and the bytes of all of them.
const BYTES: (u64, u64) = (4 << 20, 32 << 20);

/// The maximum number of files that are named.
const NAMED: usize = 50;

/// How many lines may be between two changes that are at the same place.
const NEAR: u32 = 3;

/// What two worktrees both changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colliding {
    /// The files that differ in both, and from each other: conflicts first, then those with changes at the same place; at most 50.
    pub files: Vec<CollidingFile>,
    /// Whether there are more.
    pub has_more: bool,
    /// Whether files were left out because they are too many or too large.
    pub is_partial: bool,
}

/// A file that two worktrees changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollidingFile {
    /// The path relative to the repository's root.
    pub path: String,
    /// Whether both changed the same place: the same lines, or lines with at most three between them.
    pub same_place: bool,
    /// Whether a merge of both conflicts here.
    pub conflicts: bool,
}

/// A worktree as it was read once, to be compared with others.
pub struct OwnSide {
    repo: PathBuf,
    // What was read of it, and of each other one, is deleted on drop.
    objects: Objects,
    side: Side,
}

impl OwnSide {
    /// Reads the worktree `place` of a repository as it is now.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub fn read(repo: &Path, place: &Path) -> Result<Self, Error> {
        let objects = Objects::apart(&Repository::open(repo)?)?;
        let side = Side::read(repo, place, &objects)?;
        let repo = repo.to_owned();
        Ok(Self { repo, objects, side })
    }

    /// Compares what it and the worktree `other`, as that is now, changed in `paths` since their branches parted.
    ///
    /// # Errors
    /// Fails if the other worktree cannot be read, or has no commit in common with this one.
    pub fn collide(&self, other: &Path, paths: &[String]) -> Result<Colliding, Error> {
        let theirs = Side::read(&self.repo, other, &self.objects)?;
        compare(&self.objects, (&self.side, &theirs), paths)
    }
}

fn compare(objects: &Objects, (ours, theirs): (&Side, &Side), paths: &[String]) -> Result<Colliding, Error> {
    let inner = objects.git2();
    let failed = |error| objects.failed()(error);
    let base = match inner.merge_base(ours.head, theirs.head) {
        Err(error) if error.code() == git2::ErrorCode::NotFound => {
            return Err(Error::Unrelated {
                target: ours.head.to_string(),
                head: theirs.head.to_string(),
            });
        }
        found => found.map_err(failed)?,
    };
    let tree = |oid| inner.find_tree(oid).map_err(failed);
    let base = inner
        .find_commit(base)
        .and_then(|base| base.tree())
        .map_err(failed)?;
    let (our_tree, their_tree) = (tree(ours.tree)?, tree(theirs.tree)?);
    let touched = |of: &Tree<'_>| touched(objects, &base, of, paths).map_err(failed);
    let (our, their) = (touched(&our_tree)?, touched(&their_tree)?);
    let both = our
        .iter()
        .filter_map(|(path, one)| Some((path, one, their.get(path)?)));
    let mut same: BTreeMap<String, bool> = both
        .filter(|(_, one, other)| one.now != other.now)
        .map(|(path, one, other)| (path.clone(), one.is_near(other)))
        .collect();
    objects.use_attributes(&our_tree).map_err(failed)?;
    let merged = merge_trees(objects, &base, &our_tree, &their_tree).map_err(failed)?;
    let conflicts = conflicting(&merged).map_err(failed)?;
    for path in &conflicts {
        same.entry(path.clone()).or_default();
    }
    let mut files: Vec<CollidingFile> = same
        .into_iter()
        .map(|(path, same_place)| CollidingFile {
            conflicts: conflicts.contains(&path),
            path,
            same_place,
        })
        .collect();
    files.sort_by_key(|file| (!file.conflicts, !file.same_place));
    let has_more = files.len() > NAMED;
    files.truncate(NAMED);
    Ok(Colliding {
        files,
        has_more,
        is_partial: ours.is_partial || theirs.is_partial,
    })
}

/// What a worktree contains.
struct Side {
    head: Oid,
    /// Its files as they are, committed or not.
    tree: Oid,
    is_partial: bool,
}

impl Side {
    fn read(repo: &Path, place: &Path, objects: &Objects) -> Result<Self, Error> {
        let shadow = Shadow::of(repo, place)?;
        let head = head(place).ok_or_else(|| Error::UnknownRef {
            name: "HEAD".to_owned(),
            near: Vec::new(),
        })?;
        let (names, is_partial) = uncommitted(&shadow, place, &head.commit)?;
        let index = FreshIndex::new()?;
        let git = |name| -> Git {
            let git = index.of(shadow.git(name)).within(LIMIT);
            git.env("GIT_OBJECT_DIRECTORY", objects.folder())
        };
        git("read-tree").arg(&head.commit).run()?;
        if !names.is_empty() {
            let input = names.iter().flat_map(|name| [&**name, b"\0"].concat()).collect();
            git("update-index")
                .args(["--add", "--remove", "--replace", "-z", "--stdin"])
                .input(input)
                .run()?;
        }
        let tree = git("write-tree").arg("--missing-ok").line()?;
        let id = |text: &str| Oid::from_str(text).map_err(objects.failed());
        Ok(Self {
            head: id(&head.commit)?,
            tree: id(&tree)?,
            is_partial,
        })
    }
}

/// Returns the files of a worktree that differ from the commit `head`, or are new, and whether others were left out.
fn uncommitted(shadow: &Shadow, place: &Path, head: &str) -> Result<(Vec<Vec<u8>>, bool), Error> {
    let changed = shadow
        .git("diff")
        .within(LIMIT)
        .args([
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
        ])
        .args(["--ignore-submodules=all", head, "--"])
        .run()?;
    let new = shadow
        .git("ls-files")
        .within(LIMIT)
        .args(["--others", "--exclude-standard", "-z"])
        .run()?;
    let (mut names, mut is_partial, mut left) = (Vec::new(), false, BYTES.1);
    for name in fields(&changed).chain(fields(&new)) {
        let inside = from_bytes(name);
        let about = place.join(&inside).symlink_metadata();
        // A repository of its own, say, or something that git refuses.
        if !is_inside(&inside) || about.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            continue;
        }
        let size = about.map_or(0, |about| about.len());
        if names.len() == FILES || size > BYTES.0.min(left) {
            is_partial = true;
            continue;
        }
        left -= size;
        names.push(name.to_vec());
    }
    Ok((names, is_partial))
}

/// What became of a file since the base.
struct Touched {
    now: (Oid, i32),
    /// The first and the last line of each change, in the file as it was; `None` if the file counts as a whole.
    lines: Option<Vec<(u32, u32)>>,
}

impl Touched {
    fn is_near(&self, other: &Self) -> bool {
        let (Some(ours), Some(theirs)) = (&self.lines, &other.lines) else {
            return true;
        };
        let mut theirs = theirs.iter().peekable();
        ours.iter().any(|(from, to)| {
            while theirs.next_if(|(_, end)| end + NEAR < *from).is_some() {}
            theirs.peek().is_some_and(|(start, _)| *start <= to + NEAR)
        })
    }
}

/// Returns what a tree changed in `paths` since the base.
fn touched(
    objects: &Objects,
    base: &Tree<'_>,
    tree: &Tree<'_>,
    paths: &[String],
) -> Result<BTreeMap<String, Touched>, git2::Error> {
    let mut options = DiffOptions::new();
    let largest = i64::try_from(BYTES.0).unwrap_or(i64::MAX);
    options
        .context_lines(0)
        .interhunk_lines(0)
        .disable_pathspec_match(true)
        .max_size(largest);
    for path in paths {
        options.pathspec(&*to_bytes(&crate::path::from_text(path)));
    }
    let diff = objects
        .git2()
        .diff_tree_to_tree(Some(base), Some(tree), Some(&mut options))?;
    let mut all = BTreeMap::new();
    for (number, delta) in diff.deltas().enumerate() {
        let path = [delta.new_file(), delta.old_file()]
            .iter()
            .find_map(|file| file.path_bytes().map(from_bytes));
        let Some(path) = path else { continue };
        let lines = match delta.status() {
            Delta::Modified => lines(Patch::from_diff(&diff, number)?)?,
            _ => None,
        };
        let new = delta.new_file();
        let now = (new.id(), i32::from(new.mode()));
        all.insert(to_text(&path), Touched { now, lines });
    }
    Ok(all)
}

/// Returns the changed lines of a file; `None` if it is not text.
fn lines(patch: Option<Patch<'_>>) -> Result<Option<Vec<(u32, u32)>>, git2::Error> {
    let Some(patch) = patch.filter(|patch| patch.num_hunks() > 0) else {
        return Ok(None);
    };
    let range = |number| {
        let (hunk, _) = patch.hunk(number)?;
        // Lines that are added are between the line before and the one after.
        let (start, lines) = (hunk.old_start(), hunk.old_lines());
        Ok((start, start + if lines == 0 { 1 } else { lines - 1 }))
    };
    (0..patch.num_hunks())
        .map(range)
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Returns the files that conflict.
fn conflicting(merged: &Combined) -> Result<BTreeSet<String>, git2::Error> {
    let Combined::Conflicts(index) = merged else {
        return Ok(BTreeSet::new());
    };
    let mut paths = BTreeSet::new();
    for found in index.conflicts()? {
        let found = found?;
        let sides = [found.our, found.their, found.ancestor];
        let path: Option<PathBuf> = sides.iter().flatten().map(|one| from_bytes(&one.path)).next();
        paths.extend(path.map(|path| to_text(&path)));
    }
    Ok(paths)
}
