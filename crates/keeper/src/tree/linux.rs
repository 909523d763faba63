//! The process tree by `/proc`.

use super::MARK;
use downbeat_model::id::SessionId;
use rustix::process::{Pid, Signal, kill_process};

struct Process {
    pid: u32,
    parent: u32,
}

/// Makes this process the parent of every orphan below it.
pub fn adopt_orphans() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Live processes, without zombies.
fn processes() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some(Process { pid, parent })
    })
    .collect()
}

fn has_mark(pid: u32, mark: &[u8]) -> bool {
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|env| env.split(|b| *b == 0).any(|one| one == mark))
}

fn select(session: &SessionId, root: Option<u32>) -> Vec<u32> {
    let own = std::process::id();
    let mark = format!("{MARK}={session}").into_bytes();
    let all = processes();
    let mut chosen: Vec<u32> = root.into_iter().collect();
    let mut i = 0;
    while i < chosen.len() {
        let parent = chosen[i];
        chosen.extend(all.iter().filter(|p| p.parent == parent).map(|p| p.pid));
        i += 1;
    }
    let escaped = all
        .iter()
        .map(|p| p.pid)
        .filter(|pid| !chosen.contains(pid) && has_mark(*pid, &mark));
    let escaped: Vec<u32> = escaped.collect();
    chosen.extend(escaped);
    chosen.retain(|pid| *pid != own);
    chosen
}

/// Everything below the calling keeper, and what bears its session's mark.
pub fn own(session: &SessionId, _child: Option<u32>) -> Vec<u32> {
    select(session, Some(std::process::id()))
}

/// What bears the session's mark, and everything below it.
pub fn marked(session: &SessionId, _recorded: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    for pid in select(session, None) {
        for one in select(session, Some(pid)) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
    }
    all
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
