//! A limit on the memory that libgit2 allocates at a time. An object that is small on disk may
//! unpack to gigabytes, and a field of an index may claim as much: libgit2 believes the length
//! before it has the bytes. libgit2 returns an error if an allocation fails; an engine that the
//! system kills for its memory use does not.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Once;

/// The largest single allocation, in bytes: the size of the largest index that is read.
const MOST: usize = 512 << 20;

/// The allocator that `git_libgit2_opts` takes (`git2/sys/alloc.h`).
#[repr(C)]
struct Allocator {
    allocate: extern "C" fn(usize, *const c_char, c_int) -> *mut c_void,
    resize: extern "C" fn(*mut c_void, usize, *const c_char, c_int) -> *mut c_void,
    free: extern "C" fn(*mut c_void),
}

#[expect(unsafe_code, reason = "passes its arguments on, or returns null")]
extern "C" fn allocate(size: usize, _file: *const c_char, _line: c_int) -> *mut c_void {
    match size > MOST {
        true => std::ptr::null_mut(),
        // SAFETY: `malloc` requires nothing of its caller.
        false => unsafe { libc::malloc(size) },
    }
}

#[expect(unsafe_code, reason = "passes its arguments on, or returns null")]
extern "C" fn resize(old: *mut c_void, size: usize, _file: *const c_char, _line: c_int) -> *mut c_void {
    match size > MOST {
        true => std::ptr::null_mut(),
        // SAFETY: libgit2 passes only pointers that it got from these functions, or from
        // their equivalents of the system.
        false => unsafe { libc::realloc(old, size) },
    }
}

#[expect(unsafe_code, reason = "passes its argument on")]
extern "C" fn free(old: *mut c_void) {
    // SAFETY: as in `resize`.
    unsafe { libc::free(old) }
}

static OURS: Allocator = Allocator {
    allocate,
    resize,
    free,
};

/// Limits single allocations of libgit2 to 512 MiB for the rest of this process.
pub fn bound_memory() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let option = libgit2_sys::GIT_OPT_SET_ALLOCATOR as c_int;
        #[expect(unsafe_code, reason = "sets an option of the library")]
        // SAFETY: the library copies the value behind the pointer, which has its layout and is static.
        let set = unsafe { libgit2_sys::git_libgit2_opts(option, &raw const OURS) };
        if set < 0 {
            tracing::warn!("could not limit libgit2's memory: {set}");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    /// Writes an object whose header claims `length` bytes, but that has few.
    fn claims(objects: &std::path::Path, id: &str, length: usize) {
        let folder = objects.join(&id[..2]);
        std::fs::create_dir_all(&folder).unwrap();
        let file = std::fs::File::create(folder.join(&id[2..])).unwrap();
        let mut packed = flate2::write::ZlibEncoder::new(file, flate2::Compression::fast());
        packed.write_all(format!("commit {length}\0").as_bytes()).unwrap();
        packed.write_all(&[0; 1000]).unwrap();
        packed.finish().unwrap();
    }

    #[test]
    fn an_object_that_claims_gigabytes_fails_without_an_allocation() {
        bound_memory();
        let dir = tempfile::tempdir().unwrap();
        let repository = git2::Repository::init(dir.path()).unwrap();
        let id = "aa".repeat(20);
        for (length, is_refused) in [(1 << 20, false), (600 << 20, true), (300 << 30, true)] {
            claims(&repository.path().join("objects"), &id, length);
            let error = repository.find_commit(id.parse().unwrap()).unwrap_err();
            let is_memory = error.class() == git2::ErrorClass::NoMemory;
            assert_eq!(is_memory, is_refused, "{length}: {error}");
        }
        let text = repository.blob(b"what is usual still works").unwrap();
        assert_eq!(repository.find_blob(text).unwrap().size(), 25);
    }
}
