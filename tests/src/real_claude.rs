//! The pinned Claude Code for tests. Installs it into `tests/agents` where it is missing. Its
//! tests are left out only where `DOWNBEAT_SKIP_REAL_AGENTS` is set.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

static CLAUDE: LazyLock<PathBuf> = LazyLock::new(|| {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents");
    let program = agents.join("node_modules/.bin/claude");
    if !program.exists() {
        let npm = ["ci", "--no-audit", "--no-fund"];
        let status = Command::new("npm").args(npm).current_dir(&agents).status();
        assert!(
            status.expect("npm starts").success() && program.exists(),
            "Claude Code could not be installed into {}; set DOWNBEAT_SKIP_REAL_AGENTS to leave its tests out",
            agents.display()
        );
    }
    program
});

/// The pinned program.
#[must_use]
pub fn program() -> &'static Path {
    &CLAUDE
}

/// Whether tests with the real program are left out here; says so.
#[must_use]
pub fn skipped() -> bool {
    let skip = std::env::var_os("DOWNBEAT_SKIP_REAL_AGENTS").is_some();
    if skip {
        eprintln!("skipped: DOWNBEAT_SKIP_REAL_AGENTS is set");
    }
    skip
}
