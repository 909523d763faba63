//! The process tree, read from `/proc`.
#![expect(clippy::disallowed_methods, reason = "`/proc` is the kernel's")]

use super::process::{Known, MARK, Process, below};
use downbeat_model::id::SessionId;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashSet;
use std::path::PathBuf;

/// Makes this process the parent of every orphan below it.
pub fn adopt_orphans() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Reads a live process; `None` for a zombie.
fn process(pid: u32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain any character.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // Field 22 of the file: ticks since the machine started.
    let started = fields.nth(17)?.parse().ok()?;
    let this = Known { pid, started };
    (!matches!(state, "Z" | "X")).then_some(Process { this, parent })
}

/// Returns every live process.
pub fn processes() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| process(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

/// Returns the identity of a live process.
pub fn known(pid: u32) -> Option<Known> {
    process(pid).map(|process| process.this)
}

/// Returns the name of a process.
pub fn name(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}

/// Returns the working directory of a process, if that can be read.
pub fn folder(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// Returns the resident memory of a process, in bytes.
pub fn memory(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let held = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = held.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Returns a variable of a process's environment, if that can be read.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let env = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut entries = env
        .split(|b| *b == 0)
        .filter_map(|one| std::str::from_utf8(one).ok());
    let value = entries.find_map(|one| one.strip_prefix(name)?.strip_prefix('='));
    value.map(str::to_owned)
}

fn has_mark(pid: u32, mark: &[u8]) -> bool {
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|env| env.split(|b| *b == 0).any(|one| one == mark))
}

/// Returns the children of a process, if the kernel lists them.
fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    let lists = tasks.into_iter().flatten().flatten();
    let lists = lists.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let mut all = Vec::new();
    for list in lists {
        all.extend(list.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    all
}

/// The maximum number of processes below a keeper that one search visits.
const LOOKED_AT: usize = 512;

/// Returns the processes below the calling keeper that do not have its session's mark.
pub fn unmarked(session: &SessionId) -> Vec<Known> {
    let mark = format!("{MARK}={session}").into_bytes();
    let mut below = children(std::process::id());
    let mut i = 0;
    while i < below.len().min(LOOKED_AT) {
        below.extend(children(below[i]));
        i += 1;
    }
    below.truncate(LOOKED_AT);
    below
        .into_iter()
        .filter(|pid| !has_mark(*pid, &mark))
        .filter_map(known)
        .collect()
}

fn select(
    session: &SessionId,
    known: &HashSet<Known>,
    root: Option<Known>,
    is_ours: &dyn Fn(u32) -> bool,
) -> Vec<Known> {
    let own = std::process::id();
    let mark = format!("{MARK}={session}").into_bytes();
    let all = processes();
    let marked = all.iter().map(|p| p.this);
    let marked = marked.filter(|one| one.pid != own && has_mark(one.pid, &mark) && is_ours(one.pid));
    below(&all, root.into_iter().chain(known.iter().copied()).chain(marked))
}

/// Returns everything below the calling keeper, the processes with its session's mark, and those of `known`,
/// each with everything below it.
pub fn own(session: &SessionId, known: &HashSet<Known>) -> Vec<Known> {
    select(session, known, self::known(std::process::id()), &|_| true)
}

/// Returns the processes with the session's mark for which `is_ours` holds, those of `known`, and everything
/// below them.
pub fn left(session: &SessionId, known: &HashSet<Known>, is_ours: &dyn Fn(u32) -> bool) -> Vec<Known> {
    select(session, known, None, is_ours)
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Asks a process to end, as a closing terminal does; wakes it if it is stopped.
pub fn ask(pid: u32) {
    for one in [Signal::TERM, Signal::HUP, Signal::CONT] {
        signal(pid, one);
    }
}

/// Stops a process, so that it starts no other one.
pub fn stop(pid: u32) {
    signal(pid, Signal::STOP);
}

/// Kills a process.
pub fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}
