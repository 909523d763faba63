//! The process tree by parent, as `ps` tells it: macOS has no `/proc`.

use downbeat_model::id::SessionId;
use rustix::process::{Pid, Signal, kill_process};

/// macOS has no adoption of orphans.
pub fn adopt_orphans() {}

fn below(roots: &[u32]) -> Vec<u32> {
    let output = std::process::Command::new("/bin/ps")
        .args(["-axo", "pid=,ppid=,stat="])
        .output();
    let text = output
        .map(|o| String::from_utf8_lossy(&o.stdout).into_owned())
        .unwrap_or_default();
    let all: Vec<(u32, u32)> = text
        .lines()
        .filter_map(|line| {
            let mut fields = line.split_whitespace();
            let (pid, parent) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
            (!fields.next()?.starts_with('Z')).then_some((pid, parent))
        })
        .collect();
    let mut chosen = roots.to_vec();
    let mut i = 0;
    while i < chosen.len() {
        let parent = chosen[i];
        chosen.extend(all.iter().filter(|(_, p)| *p == parent).map(|(pid, _)| *pid));
        i += 1;
    }
    chosen.retain(|pid| *pid != std::process::id() && all.iter().any(|(live, _)| live == pid));
    chosen
}

/// Everything below the calling keeper.
pub fn own(_session: &SessionId, child: Option<u32>) -> Vec<u32> {
    let mut roots = vec![std::process::id()];
    roots.extend(child);
    below(&roots)
}

/// Everything below the recorded processes.
pub fn marked(_session: &SessionId, recorded: &[u32]) -> Vec<u32> {
    below(recorded)
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Asks a process to end, as a terminal that closes does; wakes it if it is stopped.
pub fn ask(pid: u32) {
    for one in [Signal::TERM, Signal::HUP, Signal::CONT] {
        signal(pid, one);
    }
}

/// Kills a process.
pub fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}
