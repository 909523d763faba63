//! Letting go of whoever started the keeper, so that its end is not ours.

use std::io;

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

/// The launcher closes its ends of the pipes; nothing is written to them again.
#[cfg(windows)]
pub fn let_go() -> io::Result<()> {
    Ok(())
}
