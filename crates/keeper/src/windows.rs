//! The Windows counterparts of modes, user ids and closed descriptors: access lists that name only the
//! person, the owner of a pipe, and handles that children do not inherit. The process tree is in `tree`.

use interprocess::os::windows::security_descriptor::{AsSecurityDescriptor as _, SecurityDescriptor};
use std::ffi::OsStr;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle, FromRawHandle as _, OwnedHandle};
use std::path::Path;
use std::sync::OnceLock;
use widestring::{U16CStr, U16CString};
use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, LocalFree, SetHandleInformation};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, GetSecurityInfo, SE_KERNEL_OBJECT,
};
use windows_sys::Win32::Security::{
    GetTokenInformation, OWNER_SECURITY_INFORMATION, PSID, SECURITY_ATTRIBUTES, TOKEN_QUERY, TOKEN_USER,
    TokenUser,
};
use windows_sys::Win32::Storage::FileSystem::CreateDirectoryW;
use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Words of a buffer that holds the SID of any account: at most 68 bytes, preceded by a pointer.
const USER: usize = 16;

/// Returns the SID of the account that this process runs as, as text.
fn person() -> io::Result<&'static str> {
    static PERSON: OnceLock<String> = OnceLock::new();
    if let Some(known) = PERSON.get() {
        return Ok(known);
    }
    let asked = ask_person()?;
    Ok(PERSON.get_or_init(|| asked))
}

fn ask_person() -> io::Result<String> {
    let mut token = std::ptr::null_mut();
    // An array of u64, so that it is aligned for the structure.
    let mut user = [0u64; USER];
    let size = size_of_val(&user) as u32;
    let mut filled = 0;
    #[expect(
        unsafe_code,
        reason = "no safe interface; the token is owned at once and the buffer is a local"
    )]
    unsafe {
        if OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token) == 0 {
            return Err(io::Error::last_os_error());
        }
        let token = OwnedHandle::from_raw_handle(token);
        let buffer = user.as_mut_ptr();
        if GetTokenInformation(token.as_raw_handle(), TokenUser, buffer.cast(), size, &mut filled) == 0 {
            return Err(io::Error::last_os_error());
        }
        text((*buffer.cast::<TOKEN_USER>()).User.Sid)
    }
}

/// Returns a SID as text.
#[expect(
    unsafe_code,
    reason = "no safe interface; the callers' number lives, and the text is copied before it is freed"
)]
unsafe fn text(sid: PSID) -> io::Result<String> {
    let mut wide = std::ptr::null_mut();
    unsafe {
        if ConvertSidToStringSidW(sid, &mut wide) == 0 {
            return Err(io::Error::last_os_error());
        }
        let text = U16CStr::from_ptr_str(wide).to_string_lossy();
        LocalFree(wide.cast());
        Ok(text)
    }
}

fn descriptor(text: &str) -> io::Result<SecurityDescriptor> {
    let text = U16CString::from_str(text).map_err(io::Error::other)?;
    SecurityDescriptor::deserialize(&text)
}

/// Returns the descriptor of a pipe that only the person can open, and not over the network.
pub fn for_pipe() -> io::Result<SecurityDescriptor> {
    let person = person()?;
    descriptor(&format!("O:{person}D:P(D;;GA;;;NU)(A;;GA;;;{person})"))
}

/// Reports whether the person created the object behind a handle: anybody may take the name of a pipe.
pub fn is_ours(handle: BorrowedHandle<'_>) -> io::Result<bool> {
    let (mut owner, mut whole) = (std::ptr::null_mut(), std::ptr::null_mut());
    #[expect(
        unsafe_code,
        reason = "no safe interface; the owner points into the descriptor, which is freed last"
    )]
    let owner = unsafe {
        let failed = GetSecurityInfo(
            handle.as_raw_handle(),
            SE_KERNEL_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &mut owner,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            &mut whole,
        );
        if failed != 0 {
            return Err(io::Error::from_raw_os_error(failed as i32));
        }
        let owner = text(owner);
        LocalFree(whole);
        owner
    };
    Ok(owner? == person()?)
}

/// Creates a directory that only the person, the system and administrators can enter; its contents
/// inherit that. An existing directory stays as it is.
pub fn create_dir(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let person = person()?;
    let access = descriptor(&format!(
        "D:P(A;OICI;FA;;;{person})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
    ))?;
    let attributes = SECURITY_ATTRIBUTES {
        nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
        lpSecurityDescriptor: access.as_sd().cast_mut(),
        bInheritHandle: 0,
    };
    let path = long(dir)?;
    #[expect(unsafe_code, reason = "the path and the descriptor live as long as the call")]
    let made = unsafe { CreateDirectoryW(path.as_ptr(), &attributes) };
    if made == 0 && !dir.is_dir() {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Returns a path in the form that the system accepts at any length, as the standard library does.
fn long(path: &Path) -> io::Result<U16CString> {
    let path = std::path::absolute(path)?;
    let text = path.as_os_str();
    let is_local = matches!(text.as_encoded_bytes(), [_, b':', ..]);
    let prefix = if is_local {
        OsStr::new(r"\\?\")
    } else {
        OsStr::new("")
    };
    let wide: Vec<u16> = prefix.encode_wide().chain(text.encode_wide()).collect();
    U16CString::from_vec(wide).map_err(io::Error::other)
}

/// Enables Ctrl-C again. The launcher may ignore it, and programs on our consoles would inherit that.
pub fn heed_ctrl_c() {
    #[expect(unsafe_code, reason = "takes no handler and no pointer")]
    unsafe {
        SetConsoleCtrlHandler(None, 0);
    }
}

/// Prevents children from inheriting the standard handles of this process. A child that outlives us would
/// hold open the pipe of a reader that waits for the end of our output.
pub fn keep_standard_handles() {
    for which in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        #[expect(
            unsafe_code,
            reason = "takes numbers only; a handle that is not there is refused"
        )]
        unsafe {
            SetHandleInformation(GetStdHandle(which), HANDLE_FLAG_INHERIT, 0);
        }
    }
}
