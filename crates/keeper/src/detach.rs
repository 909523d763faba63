//! Detaches the keeper from the process that started it, so that the end of that process does not
//! end the keeper. Also starts processes that can detach themselves.

use std::io;
use std::process::{Child, Command};

/// Starts a process that is to outlive this one. On Unix, the process detaches itself.
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

/// Calls `spawn` with the flags of a process without our console (and so without our Ctrl-C), and
/// outside our job if the job allows that. The process inherits none of our standard handles. It does
/// not get its own process group, because everything below it would then ignore Ctrl-C for ever.
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
        // Fails only for a group leader, which already has its own session.
        let _ = process::setsid();
    }
}

/// Redirects standard input, output and error to `/dev/null`, and changes the directory to `/`.
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

/// Leaves the directory of the launcher. The standard handles stay: the launcher closes its ends of the
/// pipes, and nothing is written to them again. The directory of the program is a safe place, because it
/// cannot be removed while the program runs anyway.
#[cfg(windows)]
pub fn let_go() -> io::Result<()> {
    crate::windows::heed_ctrl_c();
    if let Some(own) = std::env::current_exe()?.parent() {
        std::env::set_current_dir(own)?;
    }
    Ok(())
}

/// Returns the person's login shell: `SHELL`, else the one in the system's user database.
#[cfg(unix)]
#[must_use]
pub fn login_shell() -> std::path::PathBuf {
    portable_pty::CommandBuilder::new_default_prog()
        .get_shell()
        .into()
}
