//! Copies the content of one file, by sharing its blocks if the file system supports it. Otherwise the free
//! space is checked before the first byte, holes are preserved, and the copy can be cancelled.
//! [`crate::plan_copies`] decides which files are copied.

use crate::{Error, interrupt, room};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// The largest file that the system copies in one call: it finishes before anybody could cancel it.
const SMALL: u64 = 1 << 20;

/// The number of bytes that are read at a time.
const CHUNK: usize = 256 * 1024;

/// Copies the file `from` to `to`, which must not exist.
///
/// # Errors
/// Also fails if the disk has no room for the full length of a sparse file: its holes may be filled later.
pub(crate) fn duplicate(from: &Path, to: &Path) -> Result<(), Error> {
    if reflink_copy::reflink(from, to).is_ok() {
        return Ok(());
    }
    let failed = || Error::io("copy", from);
    let mut source = File::open(from).map_err(failed())?;
    let length = source.metadata().map_err(failed())?.len();
    if length <= SMALL {
        return std::fs::copy(from, to).map(drop).map_err(failed());
    }
    room::check_copy(from, to.parent().unwrap_or(to), length)?;
    let mut target = create(to).map_err(failed())?;
    let (mut buffer, mut end) = (vec![0; CHUNK], 0);
    while let Some((mut at, until)) = data(&source, end, length) {
        for file in [&mut source, &mut target] {
            file.seek(SeekFrom::Start(at)).map_err(failed())?;
        }
        while at < until {
            interrupt::check(from)?;
            let most = usize::try_from(until - at).map_or(CHUNK, |left| left.min(CHUNK));
            let read = source.read(&mut buffer[..most]).map_err(failed())?;
            if read == 0 {
                // The file became shorter meanwhile.
                return target.set_len(at).map_err(failed());
            }
            target.write_all(&buffer[..read]).map_err(failed())?;
            at += read as u64;
        }
        end = until;
    }
    target.set_len(length).map_err(failed())
}

/// Creates the copy. Only this user can read it until it gets the permissions of the original.
fn create(to: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(to)
}

/// Returns the next range of a file that is not a hole, from `at` up to `length`.
#[cfg(unix)]
fn data(file: &File, at: u64, length: u64) -> Option<(u64, u64)> {
    use rustix::fs::{SeekFrom, seek};
    let start = match seek(file, SeekFrom::Data(at)) {
        Ok(start) => start,
        Err(rustix::io::Errno::NXIO) => return None,
        // The file system does not report holes.
        Err(_) => at,
    };
    let end = seek(file, SeekFrom::Hole(start)).unwrap_or(length);
    (start < length).then_some((start, end.min(length)))
}

#[cfg(not(unix))]
fn data(_file: &File, at: u64, length: u64) -> Option<(u64, u64)> {
    (at < length).then_some((at, length))
}
