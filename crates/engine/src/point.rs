//! Named steps at which a test can kill this process: `DOWNBEAT_CRASH_AT=<step>`, as in the git
//! crate. Read in debug builds only; a release build has no such switch. No Cargo feature: one
//! would make whole-program tests build every crate twice.

/// Every named step, in the order of a session's life.
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
    "message-noted",
    "message-typed",
    "message-entered",
    "message-delivered",
    "limit-over",
    "exit-written",
    "retry-noted",
    "end-wished",
    "end-carried-out",
    "restart-wished",
    "restart-ended",
    "fork-saved",
    "remove-wished",
    "remove-saved",
    "remove-removed",
    "remove-branch-deleted",
    "remove-written",
    "forget-cleared",
];

/// Passes the step `name`, or dies there as asked.
pub(crate) fn point(name: &'static str) {
    debug_assert!(POINTS.contains(&name), "{name} is not listed");
    if cfg!(debug_assertions) && std::env::var_os("DOWNBEAT_CRASH_AT").is_some_and(|at| at == name) {
        #[cfg(unix)]
        {
            let me = rustix::process::getpid();
            let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
        }
        std::process::abort();
    }
}
