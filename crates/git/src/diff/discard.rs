//! Discards a change of one file in a worktree, or one of its hunks, and undoes that. What the file contains is kept first, as
//! a commit under `refs/downbeat/discarded/<session>/<n>`. The index and other files stay as they are.

#[cfg(unix)]
use crate::blobs::PROGRAM;
use crate::blobs::{self, Entries, FILE, GITLINK, LINK};
use crate::diff::compared::Compared;
use crate::diff::file::file_diff;
use crate::diff::list::{Change, FileChange, differing, is_binary, read};
use crate::diff::patch::Hunk;
use crate::path::{from_text, is_inside, to_bytes};
use crate::{Error, Repository, below};
use downbeat_model::SessionId;
use git2::{ObjectType, Oid};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The prefix of the references.
const DISCARDED: &str = "refs/downbeat/discarded/";

/// The largest file that is discarded.
const LARGEST: u64 = 16 << 20;

/// What to discard.
#[derive(Debug, Clone, Copy)]
pub struct Discard<'a> {
    /// The states; the later one is the worktree.
    pub compared: Compared<'a>,
    /// The session, which names the reference.
    pub session: &'a SessionId,
    /// The file.
    pub path: &'a str,
    /// The path that it had, if it was renamed.
    pub old_path: Option<&'a str>,
    /// The id of its change in the list of files; nothing is discarded if it is another one by now.
    pub id: &'a str,
    /// Only this hunk; `None` for the whole file.
    pub hunk: Option<HunkAt>,
}

/// A hunk of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkAt {
    /// Its first line in the earlier file.
    pub old_start: u32,
    /// Its first line in the later file.
    pub new_start: u32,
    /// The lines around a change with which it was shown.
    pub context: u32,
}

/// What was kept of a discarded change; the message of its commit.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    steps: Vec<Step>,
}

/// What became of one path.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Step {
    path: String,
    /// The mode and the object before; `None` if there was no file.
    before: Option<(u32, String)>,
    /// The same after.
    after: Option<(u32, String)>,
}

/// A file: its mode and what it contains.
type File = Option<(u32, Vec<u8>)>;

/// Discards a change, and returns its number, by which it can be undone.
///
/// # Errors
/// * [`Error::ChangedMeanwhile`]: the file or the hunk is not as it was shown.
/// * [`Error::NotDiscarded`]: its kind cannot be discarded.
pub fn discard(asked: &Discard<'_>) -> Result<u32, Error> {
    let compared = &asked.compared;
    let file = shown(asked)?;
    let refuse = |reason: &'static str| Error::NotDiscarded {
        path: asked.path.to_owned(),
        reason,
    };
    let modes = [file.old_mode, file.new_mode];
    if file.is_submodule || modes.contains(&GITLINK) {
        return Err(refuse("it is a repository of its own"));
    }
    if modes.contains(&LINK) {
        return Err(refuse("it is a link"));
    }
    if file.change == Change::Conflict {
        return Err(refuse("a merge left conflicts in it"));
    }
    let now = |path: &str| here(compared.checkout, path);
    let mut steps: Vec<(String, File, File)> = Vec::new();
    match asked.hunk {
        Some(at) => {
            let before = now(asked.path)?;
            let after = without(asked, &file, at, before.as_ref())?;
            steps.push((asked.path.to_owned(), before, after));
        }
        None => {
            let old_path = match file.change {
                Change::Renamed => file.old_path.as_deref().unwrap_or(asked.path),
                _ => asked.path,
            };
            let base = match file.change {
                Change::Copied | Change::Added => None,
                _ => base(compared, &file, old_path)?,
            };
            // The earlier file is there before the later one goes.
            steps.push((old_path.to_owned(), now(old_path)?, base));
            if old_path != asked.path {
                steps.push((asked.path.to_owned(), now(asked.path)?, None));
            }
        }
    }
    let number = keep(asked, &steps)?;
    for (path, _, after) in &steps {
        put(compared.checkout, path, after.as_ref())?;
    }
    Ok(number)
}

/// Undoes a discarded change: the files are as they were before. Returns their paths.
///
/// # Errors
/// * [`Error::UnknownRef`]: there is no such change any more.
/// * [`Error::ChangedMeanwhile`]: a file was changed since.
pub fn undo_discard(
    repo: &Path,
    worktree: &Path,
    session: &SessionId,
    number: u32,
) -> Result<Vec<String>, Error> {
    let repository = Repository::open(repo)?;
    let name = format!("{DISCARDED}{session}/{number}");
    below::check_reference(&repository.common(), &name)?;
    let inner = repository.git2();
    let unknown = |_| Error::UnknownRef {
        name: name.clone(),
        near: Vec::new(),
    };
    let mut found = inner.find_reference(&name).map_err(unknown)?;
    let commit = found.peel_to_commit().map_err(unknown)?;
    let note: Note =
        serde_json::from_str(commit.message().unwrap_or_default()).map_err(|_| Error::UnknownRef {
            name: name.clone(),
            near: Vec::new(),
        })?;
    for step in &note.steps {
        // Whatever can write references can write a note, too.
        if !is_inside(&from_text(&step.path)) {
            return Err(Error::OutsidePath {
                path: step.path.clone(),
            });
        }
        let now = here(worktree, &step.path)?;
        let now = now.map(|(mode, bytes)| Ok((mode, hash(&bytes)?))).transpose()?;
        // A kill may have left it as it was, or gone.
        let is_known = now.is_none() || now == step.before || now == step.after;
        if !is_known {
            return Err(Error::ChangedMeanwhile {
                path: step.path.clone(),
            });
        }
    }
    for step in note.steps.iter().rev() {
        let before = step.before.as_ref().map(|(mode, id)| {
            let blob = Oid::from_str(id).and_then(|id| inner.find_blob(id));
            let blob = blob.map_err(Error::read(repository.root()))?;
            Ok::<_, Error>((*mode, blob.content().to_vec()))
        });
        put(worktree, &step.path, before.transpose()?.as_ref())?;
    }
    found.delete().map_err(Error::read(repository.root()))?;
    Ok(note.steps.into_iter().map(|step| step.path).collect())
}

/// Finds the file, as the list shows it now.
fn shown(asked: &Discard<'_>) -> Result<FileChange, Error> {
    let compared = &asked.compared;
    let named = [Some(asked.path), asked.old_path].into_iter().flatten();
    let paths: Vec<_> = named.map(from_text).collect();
    if let Some(outside) = paths.iter().find(|path| !is_inside(path)) {
        return Err(Error::OutsidePath {
            path: outside.display().to_string(),
        });
    }
    let paths: Vec<&Path> = paths.iter().map(std::path::PathBuf::as_path).collect();
    let found = differing(compared, &paths)?;
    let found = found.into_iter().find(|file| file.path == asked.path);
    let changed = || Error::ChangedMeanwhile {
        path: asked.path.to_owned(),
    };
    let mut file = found.ok_or_else(changed)?;
    let mut left = LARGEST;
    file.look(compared, &mut left);
    match file.id.as_deref() == Some(asked.id) {
        true => Ok(file),
        false => Err(changed()),
    }
}

/// Returns the file without a hunk.
fn without(
    asked: &Discard<'_>,
    file: &FileChange,
    at: HunkAt,
    now: Option<&(u32, Vec<u8>)>,
) -> Result<File, Error> {
    let compared = &asked.compared;
    let changed = || Error::ChangedMeanwhile {
        path: asked.path.to_owned(),
    };
    let (mode, bytes) = now.ok_or_else(changed)?;
    let content = file_diff(compared, asked.path, asked.old_path, at.context, false)?;
    let is_it = |hunk: &&Hunk| (hunk.old_start, hunk.new_start) == (at.old_start, at.new_start);
    let hunk = content.hunks.iter().find(is_it).ok_or_else(changed)?;
    let old_path = file.old_path.as_deref().unwrap_or(asked.path);
    let base = base(compared, file, old_path)?
        .map(|(_, bytes)| bytes)
        .unwrap_or_default();
    if is_binary(bytes) || is_binary(&base) {
        return Err(Error::NotDiscarded {
            path: asked.path.to_owned(),
            reason: "it is not text",
        });
    }
    let (new, old): (Vec<&[u8]>, Vec<&[u8]>) = (lines(bytes), lines(&base));
    let range = |start: u32, lines: u32| {
        // A hunk without lines on one side names the line before.
        let from = if lines == 0 {
            start
        } else {
            start.saturating_sub(1)
        } as usize;
        from..from + lines as usize
    };
    let there = range(hunk.new_start, hunk.new_lines);
    let back = old
        .get(range(hunk.old_start, hunk.old_lines))
        .ok_or_else(changed)?;
    let head = new.get(..there.start).ok_or_else(changed)?;
    let tail = new.get(there.end..).ok_or_else(changed)?;
    Ok(Some((*mode, [head, back, tail].concat().concat())))
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the file as git would check it out from the earlier state; `None` if there was none.
fn base(compared: &Compared<'_>, file: &FileChange, path: &str) -> Result<File, Error> {
    let (Some(from), true) = (compared.from, file.old_mode != 0) else {
        return Ok(None);
    };
    let mut name = std::ffi::OsString::from(format!("{from}:"));
    name.push(from_text(path));
    let shadow = compared.open()?;
    let bytes = shadow.git("cat-file").arg("--filters").arg(name).run()?;
    Ok(Some((file.old_mode, bytes)))
}

/// Reads a file of the worktree.
fn here(checkout: &Path, path: &str) -> Result<File, Error> {
    let inside = from_text(path);
    let at = below::way(checkout, &inside)?;
    let Ok(about) = at.symlink_metadata() else {
        return Ok(None);
    };
    let refuse = |reason| Error::NotDiscarded {
        path: path.to_owned(),
        reason,
    };
    if !about.is_file() {
        return Err(refuse("it is not a file"));
    }
    let bytes = read(checkout, path, LARGEST).ok_or_else(|| refuse("it has more than 16 MB"))?;
    Ok(Some((mode_of(&about), bytes)))
}

#[cfg(unix)]
fn mode_of(about: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    if about.permissions().mode() & 0o100 == 0 {
        FILE
    } else {
        PROGRAM
    }
}

#[cfg(not(unix))]
fn mode_of(_: &std::fs::Metadata) -> u32 {
    FILE
}

fn hash(bytes: &[u8]) -> Result<String, Error> {
    let id = Oid::hash_object(ObjectType::Blob, bytes).map_err(Error::read(Path::new("a file")))?;
    Ok(id.to_string())
}

/// Keeps what the files contain, and returns the number.
fn keep(asked: &Discard<'_>, steps: &[(String, File, File)]) -> Result<u32, Error> {
    let repository = Repository::open(asked.compared.repo)?;
    let inner = repository.git2();
    let failed = || Error::read(repository.root());
    let mut entries = Entries::new();
    let mut note = Note { steps: Vec::new() };
    for (path, before, after) in steps {
        if let Some((mode, bytes)) = before {
            let id = inner.blob(bytes).map_err(failed())?;
            entries.insert(to_bytes(&from_text(path)), (*mode, id));
        }
        let named = |file: &File| {
            let file = file.as_ref();
            file.map(|(mode, bytes)| Ok::<_, Error>((*mode, hash(bytes)?)))
                .transpose()
        };
        note.steps.push(Step {
            path: path.clone(),
            before: named(before)?,
            after: named(after)?,
        });
    }
    let tree = blobs::tree(inner, &entries)?;
    let prefix = format!("{DISCARDED}{}/", asked.session);
    let names = inner.references_glob(&format!("{prefix}*")).map_err(failed())?;
    let numbers = names.flatten().filter_map(|found| {
        let name = found.name().ok()?.to_owned();
        name.strip_prefix(&prefix)?.parse::<u32>().ok()
    });
    let number = numbers.max().unwrap_or(0).saturating_add(1);
    let name = format!("{prefix}{number}");
    below::check_reference(&repository.common(), &name)?;
    let text = serde_json::to_string(&note).map_err(|error| Error::NotDiscarded {
        path: error.to_string(),
        reason: "it could not be noted",
    })?;
    let write = || -> Result<(), git2::Error> {
        let who = git2::Signature::now("Downbeat", "downbeat@localhost")?;
        let tree = inner.find_tree(tree)?;
        let commit = inner.commit(None, &who, &who, &text, &tree, &[])?;
        inner.reference(&name, commit, false, "discarded").map(drop)
    };
    write().map_err(failed())?;
    Ok(number)
}

/// Writes a file of the worktree, or deletes it.
fn put(checkout: &Path, path: &str, file: Option<&(u32, Vec<u8>)>) -> Result<(), Error> {
    let inside = from_text(path);
    let Some((mode, bytes)) = file else {
        let at = below::way(checkout, &inside)?;
        return match std::fs::remove_file(&at) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("delete", &at)(error))
            }
            _ => Ok(()),
        };
    };
    below::replace(checkout, &inside, bytes)?;
    set_mode(&checkout.join(inside), *mode)
}

#[cfg(unix)]
fn set_mode(at: &Path, mode: u32) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt as _;
    // Of the file itself: a link may have taken its place since.
    let (file, _) = downbeat_files::open(at).map_err(Error::io("open", at))?;
    let about = file.metadata().map_err(Error::io("read", at))?;
    let known = about.permissions().mode();
    // Whoever may read a program may run it.
    let wanted = match mode == PROGRAM {
        true => known | ((known & 0o444) >> 2),
        false => known & !0o111,
    };
    let set = |mode| file.set_permissions(std::fs::Permissions::from_mode(mode));
    if wanted == known {
        Ok(())
    } else {
        set(wanted).map_err(Error::io("change the mode of", at))
    }
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<(), Error> {
    Ok(())
}
