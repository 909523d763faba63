//! Letting go of whoever started the keeper, so that its end is not ours; and starting a process
//! so that it can.

use std::io;
use std::process::{Child, Command};

/// Starts a process that is to outlive this one. On Unix it leaves by itself.
#[cfg(unix)]
pub fn spawn_detached(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

/// Starts a process that is to outlive this one.
#[cfg(windows)]
pub fn spawn_detached(command: &mut Command) -> io::Result<Child> {
    use std::os::windows::process::CommandExt as _;
    apart(|flags| command.creation_flags(flags).spawn())
}

/// Gives `spawn` the flags of a process without our console, and so without our Ctrl-C, and out of
/// our job where that lets go; none of the handles that others gave us go along. Not a process
/// group of its own: everything below it would ignore Ctrl-C for ever.
#[cfg(windows)]
pub fn apart<T>(mut spawn: impl FnMut(u32) -> io::Result<T>) -> io::Result<T> {
    use windows_sys::Win32::System::Threading::{CREATE_BREAKAWAY_FROM_JOB, CREATE_NO_WINDOW};
    crate::windows::keep_standard_handles();
    spawn(CREATE_NO_WINDOW | CREATE_BREAKAWAY_FROM_JOB).or_else(|_| spawn(CREATE_NO_WINDOW))
}

/// Leaves the launcher's session and process group.
pub fn leave_session() {
    #[cfg(unix)]
    {
        use rustix::process;
        // Fails only for a group leader, which already has a session of its own.
        let _ = process::setsid();
    }
}

/// Points standard input, output and error to nothing.
#[cfg(unix)]
pub fn let_go() -> io::Result<()> {
    let null = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    drop(std::env::set_current_dir("/"));
    Ok(())
}

/// The launcher closes its ends of the pipes; nothing is written to them again. The directory of
/// the program holds up nobody: it cannot be removed while this runs anyway.
#[cfg(windows)]
pub fn let_go() -> io::Result<()> {
    crate::windows::heed_ctrl_c();
    if let Some(own) = std::env::current_exe()?.parent() {
        std::env::set_current_dir(own)?;
    }
    Ok(())
}

/// The person's login shell: `SHELL`, else what the system's list of users says.
#[cfg(unix)]
#[must_use]
pub fn login_shell() -> std::path::PathBuf {
    portable_pty::CommandBuilder::new_default_prog()
        .get_shell()
        .into()
}
