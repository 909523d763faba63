//! Files that git converts between the worktree and its objects (line endings, `$Id$`, filters), and whether
//! a file in the worktree is what git would write again. Only then it need not be saved.

use crate::blobs::{self, Entries};
use crate::command::Programs;
use crate::fresh::FreshIndex;
use crate::path::{from_bytes, from_text, to_bytes, to_text};
use crate::shadow::{Shadow, Way};
use crate::{Error, below, split, tips, tree};
use git2::{Oid, Repository};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// The list of the files that git wrote into the worktree, next to git's index. Its own time is the time at
/// which git wrote them.
const FILLED: &str = "downbeat-filled";

/// The prefix of our own indexes next to git's.
pub(crate) const SCRATCH: &str = "downbeat-index";

/// The size limit of the list.
const LARGEST: u64 = 64 << 20;

/// The attributes that make git convert a file.
const ATTRIBUTES: &[&str] = &["text", "crlf", "eol", "ident", "working-tree-encoding", "filter"];

/// The maximum size of a pointer to a large file (Git LFS).
const POINTER: u64 = 1024;

/// The conversion that git applies to a file.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Conversion {
    /// Whether it applies when git writes the file, and not only when git reads it.
    pub(crate) outward: bool,
    /// Whether a program converts the file.
    pub(crate) by_program: bool,
}

/// Returns the conversions of the files in a worktree, without the files that git does not convert.
pub(crate) fn conversions<'a>(
    shadow: &Shadow,
    repository: &Repository,
    paths: impl Iterator<Item = &'a Vec<u8>>,
) -> Result<HashMap<Vec<u8>, Conversion>, Error> {
    let mut names = Vec::new();
    for path in paths {
        names.extend_from_slice(path);
        names.push(0);
    }
    let config = repository.config().map_err(Error::read(repository.path()))?;
    let automatic = config
        .get_string("core.autocrlf")
        .unwrap_or_default()
        .to_lowercase();
    let ending = config.get_string("core.eol").unwrap_or_default().to_lowercase();
    let (always_out, always) = (is_true(&automatic), is_true(&automatic) || automatic == "input");
    let native = ending == "crlf" || (cfg!(windows) && ending != "lf");
    let said = shadow
        .git("check-attr")
        .args(["-z", "--stdin"])
        .args(ATTRIBUTES)
        .input(names)
        .run()?;
    let mut found: HashMap<Vec<u8>, Conversion> = HashMap::new();
    let fields: Vec<&[u8]> = said.split(|byte| *byte == 0).collect();
    for file in fields.chunks_exact(3 * ATTRIBUTES.len()) {
        let value = |index: usize| file[3 * index + 2];
        let given = |index: usize| !matches!(value(index), b"unspecified" | b"unset");
        let is_binary = value(0) == b"unset" || (value(1) == b"unset" && !given(0));
        let is_text = !is_binary && (given(0) || given(1) || given(2) || always);
        let outward = is_text && (value(2) == b"crlf" || (value(2) != b"lf" && (always_out || native)));
        let special = given(3) || given(4) || given(5);
        if is_text || special {
            let conversion = Conversion {
                outward: outward || special,
                by_program: given(5),
            };
            found.insert(file[0].to_vec(), conversion);
        }
    }
    Ok(found)
}

fn is_true(value: &str) -> bool {
    matches!(value, "true" | "yes" | "on" | "1")
}

/// The files that git wrote into a worktree: all files of a commit, or a list.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Written {
    commit: Option<String>,
    files: Vec<(String, String)>,
}

/// Records that git has just written every file of a commit into a worktree.
pub(crate) fn filled(notes: &Path, commit: &str) -> Result<(), Error> {
    let commit = Some(commit.to_owned());
    note(
        notes,
        &Written {
            commit,
            files: Vec::new(),
        },
    )
}

/// Records that git has just written these files into a worktree, and no others.
pub(crate) fn filled_with(notes: &Path, files: &Entries) -> Result<(), Error> {
    let files = files
        .iter()
        .map(|(path, (_, id))| (to_text(&from_bytes(path)), id.to_string()));
    note(
        notes,
        &Written {
            commit: None,
            files: files.collect(),
        },
    )
}

fn note(notes: &Path, written: &Written) -> Result<(), Error> {
    let text = serde_json::to_vec(written)
        .map_err(std::io::Error::from)
        .map_err(Error::io("write", &notes.join(FILLED)))?;
    below::replace(notes, Path::new(FILLED), &text)
}

/// The files as git wrote them when the worktree was filled.
pub(crate) struct Filled {
    entries: Entries,
    /// Git's index, with the state of each file when git last wrote or read it.
    index: Option<git2::Index>,
    at: i64,
}

impl Filled {
    /// Reads the record; `None` if there is none.
    pub(crate) fn read(notes: &Path, repository: &Repository) -> Option<Self> {
        let file = notes.join(FILLED);
        let written: Written = serde_json::from_slice(&tips::contents(&file, LARGEST)?).ok()?;
        let entries = match written.commit {
            Some(commit) => {
                let commit = Oid::from_str(&commit).ok()?;
                blobs::entries(repository, repository.find_commit(commit).ok()?.tree_id()).ok()?
            }
            None => {
                let files = written.files.into_iter();
                let entry = |(path, id): (String, String)| {
                    Some((
                        to_bytes(&from_text(&path)),
                        (blobs::FILE, Oid::from_str(&id).ok()?),
                    ))
                };
                files.filter_map(entry).collect()
            }
        };
        Some(Self {
            entries,
            index: split::check(notes)
                .ok()
                .and_then(|()| git2::Index::open(&notes.join("index")).ok()),
            at: changed(&file)?,
        })
    }

    /// Whether a file is as git wrote it, from the object that the index still names. Times alone prove
    /// nothing: a copy may keep an old time, and a clock may be set back.
    pub(crate) fn is_as_written(&self, at: &Path, path: &[u8], id: Oid) -> bool {
        let same = self.entries.get(path).is_some_and(|(_, written)| *written == id);
        let index = self.index.as_ref();
        let entry = index.and_then(|index| index.get_path(&from_bytes(path), 0));
        let is_known = entry.is_some_and(|entry| entry.id == id && is_file_of(at, &entry));
        same && is_known && changed(at).is_some_and(|at| at <= self.at)
    }
}

/// Whether a file is the one that an index entry describes.
pub(crate) fn is_file_of(at: &Path, entry: &git2::IndexEntry) -> bool {
    let Ok(meta) = at.symlink_metadata() else {
        return false;
    };
    // The index has the low 32 bits of a size.
    meta.is_file()
        && meta.len() & u64::from(u32::MAX) == u64::from(entry.file_size)
        && is_time(tree::mtime(&meta), entry.mtime)
        && is_same_file(&meta, entry)
}

/// Whether a time matches that of an index entry; some versions of git store no fraction of a second.
fn is_time(nanoseconds: i64, time: git2::IndexTime) -> bool {
    let part = nanoseconds.rem_euclid(1_000_000_000);
    nanoseconds.div_euclid(1_000_000_000) == i64::from(time.seconds())
        && (time.nanoseconds() == 0 || part == i64::from(time.nanoseconds()))
}

#[cfg(unix)]
fn is_same_file(meta: &std::fs::Metadata, entry: &git2::IndexEntry) -> bool {
    use std::os::unix::fs::MetadataExt;
    let changed = meta.ctime() * 1_000_000_000 + meta.ctime_nsec();
    // The index has the low 32 bits of the inode number.
    is_time(changed, entry.ctime) && meta.ino() & u64::from(u32::MAX) == u64::from(entry.ino)
}

#[cfg(not(unix))]
fn is_same_file(_meta: &std::fs::Metadata, _entry: &git2::IndexEntry) -> bool {
    true
}

/// Returns the time of the last change of a file's content or metadata, in nanoseconds since 1970.
#[cfg(unix)]
fn changed(at: &Path) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    let meta = at.symlink_metadata().ok()?;
    let changed = meta.ctime() * 1_000_000_000 + meta.ctime_nsec();
    Some(changed.max(tree::mtime(&meta)))
}

#[cfg(not(unix))]
fn changed(at: &Path) -> Option<i64> {
    at.symlink_metadata().ok().map(|meta| tree::mtime(&meta))
}

/// Whether a file is the large file that its object points to (Git LFS), and the repository has a copy of it.
pub(crate) fn is_large_file(repository: &Repository, id: Oid, at: &Path) -> bool {
    let check = || -> Option<bool> {
        let objects = repository.odb().ok()?;
        let (size, _) = objects.read_header(id).ok()?;
        if size as u64 > POINTER {
            return Some(false);
        }
        let object = objects.read(id).ok()?;
        let text = std::str::from_utf8(object.data()).ok()?;
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        value("version https://git-lfs.github.com/spec/")?;
        let (hash, size) = (value("oid sha256:")?, value("size ")?.parse::<u64>().ok()?);
        if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(false);
        }
        let store = repository.commondir().join("lfs/objects");
        let kept = store.join(&hash[..2]).join(&hash[2..4]).join(hash);
        let same = |file: &Path| {
            file.symlink_metadata()
                .is_ok_and(|meta| meta.is_file() && meta.len() == size)
        };
        Some(same(&kept) && same(at) && tree::hash(at).ok()? == hash)
    };
    check().unwrap_or(false)
}

/// Makes git write files from objects, with its conversions. It uses a fresh index: git trusts the paths in
/// an existing index, including `../x`, but checks those that are passed to it here.
pub(crate) fn write_by_git(
    repository: &Repository,
    worktree: &Path,
    files: &[(Vec<u8>, (u32, Oid))],
    programs: Programs,
) -> Result<(), Error> {
    if files.is_empty() {
        return Ok(());
    }
    let mut lines = Vec::new();
    for (path, (mode, id)) in files {
        lines.extend_from_slice(format!("{mode:o} {id}\t").as_bytes());
        lines.extend_from_slice(path);
        lines.push(0);
    }
    let way = Way::new(repository, worktree, programs)?;
    let index = FreshIndex::new()?;
    let name = index.of(way.git("update-index")).args(["-z", "--index-info"]);
    name.input(lines).run()?;
    let write = index.of(way.git("checkout-index"));
    write.args(["--all", "--force", "--quiet"]).run().map(drop)
}
