//! Names steps at which a test can kill this process with `DOWNBEAT_CRASH_AT=<step>`, as in the git crate; or
//! hold it with `DOWNBEAT_PAUSE_AT=<step>`, to act on other processes meanwhile, for as long as the file
//! `DOWNBEAT_PAUSE_FILE` exists. Only debug builds read these variables; a release build has no such switch.
//! It is not a Cargo feature, since whole-program tests would then build every crate twice.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The interval between two checks for the file of a pause.
const LOOK: Duration = Duration::from_millis(5);

/// All named steps, in the order of a session's life.
pub const POINTS: &[&str] = &[
    "spawn-created",
    "spawn-registered",
    "spawn-checked-out",
    "spawn-noted",
    "spawn-copied",
    "spawn-handed-over",
    "spawn-keeper-started",
    "message-queued",
    "message-interrupted",
    "message-given-back",
    "message-noted",
    "message-typed",
    "message-entered",
    "message-delivered",
    "pull-ordered",
    "pull-pushed",
    "pull-sending",
    "pull-opened",
    "pull-changed",
    "pull-recorded",
    "pull-merge-noted",
    "pull-merge-checked",
    "pull-merge-sent",
    "pull-merge-made",
    "reaction-noted",
    "reaction-composed",
    "reaction-written",
    "command-noted",
    "command-begun",
    "command-ran",
    "command-written",
    "plan-due",
    "plan-landed",
    "plan-lands",
    "plan-leaves",
    "plan-left",
    "plan-started",
    "plan-ticked",
    "result-read",
    "result-counted",
    "bead-closed",
    "task-told",
    "notice-due",
    "notice-sent",
    "notice-recorded",
    "issue-noted",
    "issue-commented",
    "issue-told",
    "limit-over",
    "exit-written",
    "retry-noted",
    "end-noted",
    "end-carried-out",
    "restart-noted",
    "restart-ended",
    "restart-changed",
    "restart-resumed",
    "fork-saved",
    "remove-noted",
    "remove-saved",
    "remove-removed",
    "remove-branch-deleted",
    "remove-written",
    "restore-noted",
    "forget-cleared",
    "checks-noted",
    "checks-begun",
    "checks-ran",
    "checks-written",
    "fix-noted",
    "fix-looked",
    "fix-written",
    "fix-next",
    "fix-verified",
    "fix-queued",
    "merge-noted",
    "merge-candidate",
    "round-checked",
    "merge-checked",
    "merge-made",
    "shell-asked",
    "shell-planned",
    "shell-started",
    "shell-cleared",
];

/// Passes the step `name`, or dies or waits there as requested.
pub(crate) fn point(name: &'static str) {
    debug_assert!(POINTS.contains(&name), "{name} is not listed");
    let is_asked = |what: &str| std::env::var_os(what).is_some_and(|at| at == name);
    if cfg!(debug_assertions) && is_asked("DOWNBEAT_PAUSE_AT") {
        pause();
    }
    if cfg!(debug_assertions) && is_asked("DOWNBEAT_CRASH_AT") {
        #[cfg(unix)]
        {
            let me = rustix::process::getpid();
            let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
        }
        std::process::abort();
    }
}

/// Returns a time limit, or a shorter one for tests: `DOWNBEAT_TIME_LIMIT` in milliseconds. Only debug builds read it.
pub(crate) fn limit(limit: Duration) -> Duration {
    let asked = std::env::var("DOWNBEAT_TIME_LIMIT")
        .ok()
        .filter(|_| cfg!(debug_assertions));
    let millis = asked.and_then(|millis| millis.parse().ok());
    millis.map_or(limit, |millis| limit.min(Duration::from_millis(millis)))
}

/// Returns the number of processes that a command may have, or a smaller one for tests: `DOWNBEAT_PROCESS_LIMIT`. Only debug builds
/// read it.
pub(crate) fn processes(most: usize) -> usize {
    let asked = std::env::var("DOWNBEAT_PROCESS_LIMIT")
        .ok()
        .filter(|_| cfg!(debug_assertions));
    let asked = asked.and_then(|asked| asked.parse().ok());
    asked.map_or(most, |asked: usize| most.min(asked))
}

/// Creates the file that signals the step, and waits until a test deletes it. Only once.
fn pause() {
    static DONE: AtomicBool = AtomicBool::new(false);
    let Some(file) = std::env::var_os("DOWNBEAT_PAUSE_FILE").map(PathBuf::from) else {
        return;
    };
    if DONE.swap(true, Ordering::Relaxed) || std::fs::write(&file, "").is_err() {
        return;
    }
    let wait = || {
        while file.exists() {
            std::thread::sleep(LOOK);
        }
    };
    // Other tasks of this thread continue on another one.
    match tokio::runtime::Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(tokio::runtime::RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
        _ => wait(),
    }
}
