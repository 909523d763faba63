//! Files as objects, byte for byte: no filter, no line ending and no attribute has a say, on the way
//! in and on the way out.

use crate::below::{self, Root};
use crate::command::Git;
use crate::path::{from_bytes, to_bytes};
use crate::{Error, interrupt, room};
use git2::{IndexEntry, IndexTime, ObjectType, Oid, Repository};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Bytes read at a time.
const CHUNK: usize = 128 * 1024;

/// After how many bytes of a file the room on the disk is looked at again.
const STRETCH: usize = 16 * CHUNK;

/// The largest object that is held in memory; a larger one is written by git as it reads it.
const IN_MEMORY: usize = 16 << 20;

/// How deep trees are followed: as deep as git does (`core.maxTreeDepth`).
pub(crate) const DEEPEST: usize = 2048;

/// The mode of a link in a tree.
pub(crate) const LINK: u32 = 0o120_000;

/// The mode of a file in a tree.
pub(crate) const FILE: u32 = 0o100_644;

/// The mode of an executable file in a tree.
pub(crate) const PROGRAM: u32 = 0o100_755;

/// The mode of a submodule in a tree and in git's index.
pub(crate) const GITLINK: u32 = 0o160_000;

/// What a tree will hold: by path as git writes it, mode and object.
pub(crate) type Entries = BTreeMap<Vec<u8>, (u32, Oid)>;

/// Writes a file, or where a link leads, as an object.
pub(crate) fn store(repository: &Repository, file: &Path) -> Result<Oid, Error> {
    let failed = Error::read(file);
    let objects = repository.odb().map_err(Error::read(file))?;
    let meta = file.symlink_metadata().map_err(Error::io("read", file))?;
    if meta.is_symlink() {
        let target = file.read_link().map_err(Error::io("read", file))?;
        return objects
            .write(ObjectType::Blob, &to_bytes(&target))
            .map_err(failed);
    }
    room::check(repository.commondir(), 0)?;
    let (mut open, _) = downbeat_files::open(file).map_err(Error::io("read", file))?;
    let size = usize::try_from(meta.len()).unwrap_or(usize::MAX);
    if size <= CHUNK {
        let mut bytes = Vec::with_capacity(size);
        open.read_to_end(&mut bytes).map_err(Error::io("read", file))?;
        return objects.write(ObjectType::Blob, &bytes).map_err(failed);
    }
    let mut writer = objects
        .writer(size, ObjectType::Blob)
        .map_err(Error::read(file))?;
    let mut buffer = vec![0; CHUNK];
    let mut left = size;
    while left > 0 {
        if left % STRETCH < CHUNK {
            room::check(repository.commondir(), 0)?;
        }
        let chunk = buffer.len().min(left);
        // Where the file became shorter meanwhile, this fails: half of it is not the file.
        open.read_exact(&mut buffer[..chunk])
            .map_err(Error::io("read", file))?;
        writer
            .write_all(&buffer[..chunk])
            .map_err(Error::io("save", file))?;
        left -= chunk;
    }
    writer.finalize().map_err(failed)
}

/// Writes a tree of entries; paths must be fit for a tree of git's.
///
/// # Errors
/// Also where a path is deeper than git itself takes trees: an index may name what no disk could hold.
pub(crate) fn tree(repository: &Repository, entries: &Entries) -> Result<Oid, Error> {
    // The objects were written here, or are in git's index already; a partial clone lacks some.
    git2::opts::strict_object_creation(false);
    let build = || -> Result<Oid, git2::Error> {
        let depth = |path: &Vec<u8>| path.iter().filter(|byte| **byte == b'/').count();
        // libgit2 calls itself for each level.
        if let Some(path) = entries.keys().find(|path| depth(path) > DEEPEST) {
            return Err(too_deep(&String::from_utf8_lossy(path)));
        }
        let mut index = git2::Index::new()?;
        for (path, (mode, id)) in entries {
            index.add(&entry(path, *mode, *id))?;
        }
        index.write_tree_to(repository)
    };
    build().map_err(Error::read(repository.path()))
}

fn too_deep(path: &str) -> git2::Error {
    let begin: String = path.chars().take(80).collect();
    git2::Error::from_str(&format!("{begin:?}… is nested more than {DEEPEST} levels deep"))
}

fn entry(path: &[u8], mode: u32, id: Oid) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

/// The files of a tree, links and submodules too.
///
/// # Errors
/// Also where trees are nested deeper than git itself takes them.
pub(crate) fn entries(repository: &Repository, tree: Oid) -> Result<Entries, Error> {
    listed(repository, tree).map_err(Error::read(repository.path()))
}

/// The same with libgit2's error: a repository that was not opened has no path.
pub(crate) fn listed(repository: &Repository, tree: Oid) -> Result<Entries, git2::Error> {
    let mut found = Entries::new();
    // A list and no function that calls itself: no path bounds how deep trees are nested.
    let mut pending = vec![(Vec::new(), tree, 0)];
    while let Some((way, tree, depth)) = pending.pop() {
        if depth > DEEPEST {
            return Err(too_deep(&String::from_utf8_lossy(&way)));
        }
        for entry in &repository.find_tree(tree)? {
            let mut path = way.clone();
            path.extend_from_slice(entry.name_bytes());
            if entry.kind() == Some(ObjectType::Tree) {
                path.push(b'/');
                pending.push((path, entry.id(), depth + 1));
            } else {
                let mode = u32::try_from(entry.filemode()).unwrap_or(FILE);
                found.insert(path, (mode, entry.id()));
            }
        }
    }
    Ok(found)
}

/// Writes a file or a link at `inside` of `root` as an object has it, in place of what is there.
pub(crate) fn write_out(
    repository: &Repository,
    id: Oid,
    mode: u32,
    root: &mut Root<'_>,
    inside: &Path,
) -> Result<(), Error> {
    let to = &root.cleared(inside)?;
    interrupt::check(to)?;
    let objects = repository.odb().map_err(Error::read(repository.path()))?;
    let (size, _) = objects.read_header(id).map_err(Error::read(repository.path()))?;
    if size > IN_MEMORY {
        let file = below::create(to)?;
        let git = Git::new(repository.path(), "cat-file")
            .env("GIT_DIR", repository.path())
            .args(["blob", &id.to_string()]);
        return git.write_to(file);
    }
    let object = objects.read(id).map_err(Error::read(repository.path()))?;
    match mode == LINK {
        true => link(&from_bytes(object.data()), to),
        false => below::create(to)?
            .write_all(object.data())
            .map_err(Error::io("write", to)),
    }
}

#[cfg(unix)]
fn link(target: &Path, to: &Path) -> Result<(), Error> {
    std::os::unix::fs::symlink(target, to).map_err(Error::io("write", to))
}

/// Without the right to make links, git writes them as files, too.
#[cfg(windows)]
fn link(target: &Path, to: &Path) -> Result<(), Error> {
    let is_directory = to.parent().is_some_and(|parent| parent.join(target).is_dir());
    let made = match is_directory {
        true => std::os::windows::fs::symlink_dir(target, to),
        false => std::os::windows::fs::symlink_file(target, to),
    };
    made.or_else(|_| std::fs::write(to, to_bytes(target)))
        .map_err(Error::io("write", to))
}
