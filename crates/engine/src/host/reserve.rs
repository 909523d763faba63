//! Reserves space for the data directory: a file that is deleted if the disk is full when an engine starts,
//! so that the engine can start, and end the sessions that fill the disk.

use crate::host::paths::Paths;
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The size of the reserve in bytes.
const BYTES: usize = 1 << 20;

/// The free space in bytes that must be available before the reserve is created.
const PLENTY: u64 = 32 << 20;

/// Deletes the reserve if the disk has almost no space left.
pub fn give_up_if_full(paths: &Paths) {
    let is_full = fs4::available_space(paths.root()).is_ok_and(|free| free < BYTES as u64);
    let file = file_of(paths);
    if is_full && std::fs::remove_file(&file).is_ok() {
        tracing::warn!("the disk of the data directory is full: the reserve is released");
    }
}

/// Returns the path of the reserve.
fn file_of(paths: &Paths) -> PathBuf {
    paths.root().join("reserve")
}

pub(crate) fn take(paths: &Paths) -> io::Result<()> {
    let file = file_of(paths);
    let has = file.metadata().is_ok_and(|meta| meta.len() == BYTES as u64);
    if has || fs4::available_space(paths.root())? < PLENTY {
        return Ok(());
    }
    write(&file).inspect_err(|_| {
        let _ = std::fs::remove_file(&file);
    })
}

/// Writes the file with random bytes: zeros take no space on a disk that compresses.
fn write(file: &Path) -> io::Result<()> {
    let mut noise = vec![0; BYTES];
    getrandom::fill(&mut noise).map_err(io::Error::other)?;
    let _ = std::fs::remove_file(file);
    let (mut open, _) = downbeat_files::append(file)?;
    open.write_all(&noise)?;
    open.sync_all()
}

#[cfg(test)]
mod tests {
    use super::{BYTES, file_of, give_up_if_full, take};
    use crate::host::paths::Paths;

    #[test]
    fn the_reserve_is_written_once_and_stays_while_the_disk_has_room() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::new(dir.path().join("data"));
        paths.create().unwrap();
        take(&paths).unwrap();
        let first = std::fs::read(file_of(&paths)).unwrap();
        assert_eq!(first.len(), BYTES);
        give_up_if_full(&paths);
        take(&paths).unwrap();
        assert_eq!(std::fs::read(file_of(&paths)).unwrap(), first);
        std::fs::write(file_of(&paths), "cut short").unwrap();
        take(&paths).unwrap();
        assert_eq!(file_of(&paths).metadata().unwrap().len(), BYTES as u64);
    }
}
