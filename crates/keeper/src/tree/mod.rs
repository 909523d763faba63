//! Ending a whole process tree: TERM, wait, KILL; also children that left the terminal's session
//! with `setsid`. On Linux the keeper adopts orphans, so its tree stays connected, and what still
//! escapes is found by the session's mark in its environment. On macOS the tree is walked by
//! parent: a process whose parents all died is missed. On Windows a job holds everything.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod os;

#[cfg(unix)]
pub use os::adopt_orphans;
#[cfg(windows)]
pub use os::enter_job;

use downbeat_model::id::SessionId;
use std::time::{Duration, Instant};

/// The environment variable that marks every process of a session.
pub const MARK: &str = "DOWNBEAT_SESSION";

/// Time between two looks at what is left.
const LOOK: Duration = Duration::from_millis(10);

/// How long killed processes may take to vanish; one stuck in the kernel is given up.
const VANISH: Duration = Duration::from_secs(5);

/// Ends the tree of the calling keeper; returns when nothing is left of it.
pub fn end_own(session: &SessionId, child: Option<u32>, grace: Duration) {
    end(&|| os::own(session, child), grace);
}

/// Ends what is left of a dead keeper's tree.
pub fn end_marked(session: &SessionId, recorded: &[u32], grace: Duration) {
    end(&|| os::marked(session, recorded), grace);
}

fn end(left: &dyn Fn() -> Vec<u32>, grace: Duration) {
    let mut asked = Vec::new();
    let deadline = Instant::now() + grace;
    loop {
        let now = left();
        if now.is_empty() {
            return;
        }
        if Instant::now() >= deadline {
            break;
        }
        for pid in now {
            if !asked.contains(&pid) {
                os::ask(pid);
                asked.push(pid);
            }
        }
        std::thread::sleep(LOOK);
    }
    let deadline = Instant::now() + VANISH;
    while Instant::now() < deadline {
        let now = left();
        if now.is_empty() {
            return;
        }
        for pid in now {
            os::kill(pid);
        }
        std::thread::sleep(LOOK);
    }
}
