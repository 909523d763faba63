//! Reads and writes files as objects, byte for byte, without filters, line ending conversion and attributes.

use crate::below::{self, Root};
use crate::command::Git;
use crate::path::{from_bytes, to_bytes};
use crate::trees::{DEEPEST, Trees, too_deep};
use crate::{Error, interrupt, room};
use git2::{IndexEntry, IndexTime, ObjectType, Oid, Repository};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// The number of bytes that are read at a time.
const CHUNK: usize = 128 * 1024;

/// The number of bytes of a file after which the free space on the disk is checked again.
const STRETCH: usize = 16 * CHUNK;

/// The largest object that is held in memory; git streams larger ones to their file.
const IN_MEMORY: usize = 16 << 20;

/// The mode of a link in a tree.
pub(crate) const LINK: u32 = 0o120_000;

/// The mode of a file in a tree.
pub(crate) const FILE: u32 = 0o100_644;

/// The mode of an executable file in a tree.
pub(crate) const PROGRAM: u32 = 0o100_755;

/// The mode of a submodule in a tree and in git's index.
pub(crate) const GITLINK: u32 = 0o160_000;

/// The content of a tree: path as git writes it, to mode and object.
pub(crate) type Entries = BTreeMap<Vec<u8>, (u32, Oid)>;

/// Writes a file, or the target of a link, as an object.
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
        // Fails if the file became shorter in the meantime: a part of it is not the file.
        open.read_exact(&mut buffer[..chunk])
            .map_err(Error::io("read", file))?;
        writer
            .write_all(&buffer[..chunk])
            .map_err(Error::io("save", file))?;
        left -= chunk;
    }
    writer.finalize().map_err(failed)
}

/// Writes a tree with the given entries. The paths must be valid in a git tree.
///
/// # Errors
/// Also fails if a path is deeper than git allows: an index may contain paths that no disk could hold.
pub(crate) fn tree(repository: &Repository, entries: &Entries) -> Result<Oid, Error> {
    // The objects were written here, or are in git's index already; a partial clone may lack some.
    git2::opts::strict_object_creation(false);
    let build = || -> Result<Oid, git2::Error> {
        let depth = |path: &Vec<u8>| path.iter().filter(|byte| **byte == b'/').count();
        // libgit2 recurses for each level.
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

/// Returns the files of a tree, including links and submodules.
///
/// # Errors
/// Also fails if trees are nested deeper than git allows, or hold more than two million files and folders.
pub(crate) fn entries(repository: &Repository, tree: Oid) -> Result<Entries, Error> {
    listed(repository, tree).map_err(Error::read(repository.path()))
}

/// Like [`entries`], but with libgit2's error: a repository that was not opened has no path.
pub(crate) fn listed(repository: &Repository, tree: Oid) -> Result<Entries, git2::Error> {
    Trees::default().check(repository, tree)?;
    let mut found = Entries::new();
    // An explicit stack instead of recursion, because nothing limits the depth of trees.
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

/// Writes an object as a file or a link at `inside` of `root`, replacing what is there.
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

/// Creates a link, or a file with its target if links are not permitted, as git does.
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
