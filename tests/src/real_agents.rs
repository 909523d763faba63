//! The pinned agents for tests: Claude Code, Codex, OpenCode. Installs them into `tests/agents` if they are
//! missing. Their tests are skipped only if `DOWNBEAT_SKIP_REAL_AGENTS` is set.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tokio::sync::{Semaphore, SemaphorePermit};

static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents");
    let programs = agents.join("node_modules/.bin");
    let whole = || {
        ["claude", "codex", "opencode"]
            .iter()
            .all(|name| programs.join(name).exists())
    };
    if !whole() {
        // No lockfile: it would name the platforms of one registry. The versions are exact.
        let npm = ["install", "--no-package-lock", "--no-audit", "--no-fund"];
        let status = Command::new("npm").args(npm).current_dir(&agents).status();
        assert!(
            status.expect("npm starts").success() && whole(),
            "the agents could not be installed into {}; set DOWNBEAT_SKIP_REAL_AGENTS to leave their tests out",
            agents.display()
        );
    }
    programs
});

/// The variable for a folder with other versions of the programs. Missing ones are taken from the pinned
/// agents.
const OTHERS: &str = "DOWNBEAT_REAL_AGENTS";

/// Returns the pinned program of this name, or the one in the folder that `DOWNBEAT_REAL_AGENTS` names.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let other = std::env::var_os(OTHERS).map(|folder| PathBuf::from(folder).join(name));
    other
        .filter(|other| other.exists())
        .unwrap_or_else(|| PROGRAMS.join(name))
}

/// Returns whether tests with the real programs are skipped here, and prints it if so.
#[must_use]
pub fn skipped() -> bool {
    let skip = std::env::var_os("DOWNBEAT_SKIP_REAL_AGENTS").is_some();
    if skip {
        eprintln!("skipped: DOWNBEAT_SKIP_REAL_AGENTS is set");
    }
    skip
}

/// OpenCode needs more than one core and a gigabyte while it starts: with more of them at a time, tests of a
/// machine with two cores wait for minutes.
static OPENCODE_AT_A_TIME: Semaphore = Semaphore::const_new(2);

/// Waits until another OpenCode may run. It may until the permit is dropped.
pub async fn opencode_turn() -> SemaphorePermit<'static> {
    let turn = OPENCODE_AT_A_TIME.acquire().await;
    turn.expect("the semaphore is never closed")
}
