//! The process tree by parent: macOS has no `/proc`, and does not reveal environments.

use super::process::{Known, Process, below};
use downbeat_model::id::SessionId;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

/// Does nothing: macOS does not let a process adopt orphans.
pub fn adopt_orphans() {}

/// Returns the live processes among `which`, without zombies.
fn chosen(which: ProcessesToUpdate<'_>) -> Vec<Process> {
    let mut system = System::new();
    system.refresh_processes_specifics(which, true, ProcessRefreshKind::nothing());
    let live = system.processes().values();
    live.filter(|process| process.status() != ProcessStatus::Zombie)
        .map(|process| Process {
            this: Known {
                pid: process.pid().as_u32(),
                started: process.start_time(),
            },
            parent: process.parent().map_or(0, sysinfo::Pid::as_u32),
        })
        .collect()
}

/// Returns every live process.
pub fn processes() -> Vec<Process> {
    chosen(ProcessesToUpdate::All)
}

/// Returns the memory of a process, in bytes.
pub fn memory(pid: u32) -> Option<u64> {
    let wanted = sysinfo::Pid::from_u32(pid);
    let mut system = System::new();
    let memory = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[wanted]), true, memory);
    system.process(wanted).map(sysinfo::Process::memory)
}

/// Returns the working directory of a process, if that can be read.
pub fn folder(pid: u32) -> Option<PathBuf> {
    let wanted = sysinfo::Pid::from_u32(pid);
    let mut system = System::new();
    let folder = ProcessRefreshKind::nothing().with_cwd(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[wanted]), true, folder);
    system.process(wanted)?.cwd().map(Path::to_owned)
}

/// Returns `None`: macOS does not reveal the environment of other processes.
pub fn variable(_pid: u32, _name: &str) -> Option<String> {
    None
}

/// Returns the identity of a live process.
pub fn known(pid: u32) -> Option<Known> {
    let wanted = [sysinfo::Pid::from_u32(pid)];
    let found = chosen(ProcessesToUpdate::Some(&wanted));
    found.first().map(|process| process.this)
}

/// Returns the name of a process.
pub fn name(pid: u32) -> Option<String> {
    let wanted = sysinfo::Pid::from_u32(pid);
    let mut system = System::new();
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[wanted]),
        true,
        ProcessRefreshKind::nothing(),
    );
    let name = system.process(wanted)?.name().to_string_lossy().into_owned();
    Some(name).filter(|name| !name.is_empty())
}

/// Returns everything below the calling keeper, and those of `known` with everything below them.
pub fn own(_session: &SessionId, known: &HashSet<Known>) -> Vec<Known> {
    let all = processes();
    let own = std::process::id();
    let own = all.iter().map(|p| p.this).find(|one| one.pid == own);
    below(&all, own.into_iter().chain(known.iter().copied()))
}

/// Returns those of `known` that are alive, and everything below them.
pub fn left(_session: &SessionId, known: &HashSet<Known>, _is_ours: &dyn Fn(u32) -> bool) -> Vec<Known> {
    below(&processes(), known.iter().copied())
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

/// Returns nothing: the head of the module says how a tree is found on macOS.
pub fn unmarked(_: &SessionId) -> Vec<Known> {
    Vec::new()
}
