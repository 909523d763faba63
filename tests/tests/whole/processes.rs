//! Inspects live processes through `/proc`: which belong to a session, and their arguments.

use std::path::Path;

/// A live process.
pub struct Process {
    pub pid: u32,
    /// Its arguments, joined by spaces.
    pub line: String,
    env: Vec<u8>,
}

impl Process {
    /// Returns a variable of the process's environment.
    pub fn variable(&self, name: &str) -> Option<String> {
        let start = format!("{name}=");
        let entries = self.env.split(|b| *b == 0);
        let mut texts = entries.map(String::from_utf8_lossy);
        texts.find_map(|entry| entry.strip_prefix(&start).map(str::to_owned))
    }

    /// Returns whether the environment contains exactly `NAME=value`.
    pub fn has(&self, entry: &str) -> bool {
        self.env.split(|b| *b == 0).any(|one| one == entry.as_bytes())
    }
}

/// Returns whether a process runs and is not a zombie.
pub fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.trim().chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// Returns every readable process of this machine.
pub fn all() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let env = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            lives(pid).then(|| Process {
                pid,
                line: String::from_utf8_lossy(&line).replace('\0', " "),
                env,
            })
        })
        .collect()
}

/// Returns the processes that bear the mark of a session.
pub fn of_session(id: &str) -> Vec<Process> {
    let mark = format!("DOWNBEAT_SESSION={id}");
    all().into_iter().filter(|process| process.has(&mark)).collect()
}

/// Returns the keeper processes of a session, by the directory that they were started with.
pub fn keepers(data: &Path, id: &str) -> Vec<Process> {
    let wanted = format!(" keeper {}/keepers/{id}", data.display());
    all()
        .into_iter()
        .filter(|process| process.line.contains(&wanted))
        .collect()
}

/// Kills a process as a crash would.
pub fn kill(pid: u32) {
    signal(pid, rustix::process::Signal::KILL);
}

/// Sends a signal.
pub fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let _ = rustix::process::kill_process(pid.expect("a pid"), signal);
}
