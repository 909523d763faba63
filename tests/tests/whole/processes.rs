//! Looks at live processes through `/proc`: which belong to a session, what they were called with.

use std::path::Path;

/// A live process.
pub struct Process {
    pub pid: u32,
    /// Its arguments, joined by spaces.
    pub line: String,
    env: Vec<u8>,
}

impl Process {
    /// A variable of its environment.
    pub fn variable(&self, name: &str) -> Option<String> {
        let start = format!("{name}=");
        let entries = self.env.split(|b| *b == 0);
        let mut texts = entries.map(String::from_utf8_lossy);
        texts.find_map(|entry| entry.strip_prefix(&start).map(str::to_owned))
    }

    /// Whether its environment has exactly `NAME=value`.
    pub fn has(&self, entry: &str) -> bool {
        self.env.split(|b| *b == 0).any(|one| one == entry.as_bytes())
    }
}

/// Whether a process runs (and is no zombie).
pub fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.trim().chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// Every process of this machine that can be read.
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

/// The processes of a session: what bears its mark.
pub fn of_session(id: &str) -> Vec<Process> {
    let mark = format!("DOWNBEAT_SESSION={id}");
    all().into_iter().filter(|process| process.has(&mark)).collect()
}

/// The keeper processes of a session, by the directory that they were started with.
pub fn keepers(data: &Path, id: &str) -> Vec<Process> {
    let wanted = format!(" keeper {}/keepers/{id}", data.display());
    all()
        .into_iter()
        .filter(|process| process.line.contains(&wanted))
        .collect()
}

/// Kills as a crash would.
pub fn kill(pid: u32) {
    signal(pid, rustix::process::Signal::KILL);
}

/// Sends a signal.
pub fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let _ = rustix::process::kill_process(pid.expect("a pid"), signal);
}
