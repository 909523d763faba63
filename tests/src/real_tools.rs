//! The tools that check projects in Rust, TypeScript and Python, for tests that run them: of this machine, of the packages of
//! this repository, and pinned ones for Python, which are installed into `tests/python` if they are missing.

use crate::sandbox::Sandbox;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The programs of Rust's toolchain.
const RUST: [&str; 5] = ["cargo", "rustc", "rustdoc", "cargo-clippy", "clippy-driver"];

/// The programs of this repository's packages.
const NODE: [&str; 3] = ["tsc", "vitest", "eslint"];

static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let packages = home.join("packages");
    let whole = || packages.join("pytest").is_dir() && packages.join("bin/ruff").is_file();
    if !whole() {
        let pip = Command::new("python3")
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--root-user-action=ignore",
                "--disable-pip-version-check",
                "--target",
            ])
            .arg(&packages)
            .arg("--requirement")
            .arg(home.join("requirements.txt"))
            .status();
        assert!(
            pip.is_ok_and(|status| status.success()) && whole(),
            "pytest and ruff could not be installed into {}: python3 with pip is missing, or its registry",
            packages.display()
        );
    }
    packages
});

/// Puts the tools on the `PATH` of a sandbox: `cargo` with clippy, `tsc`, `vitest`, `eslint`, `pytest` and `ruff`.
pub fn put(sandbox: &Sandbox) {
    let rust = PathBuf::from(line("rustc", &["--print", "sysroot"])).join("bin");
    let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/.bin");
    let rust = RUST.map(|name| (name, rust.join(name)));
    let node = NODE.map(|name| (name, node.join(name)));
    let ruff = ("ruff", PYTHON.join("bin/ruff"));
    for (name, program) in rust.into_iter().chain(node).chain([ruff]) {
        assert!(
            program.exists(),
            "{name} is missing: there is no {}",
            program.display()
        );
        sandbox.set_program(name, &program);
    }
    let python = line("python3", &["-c", "import sys; print(sys.executable)"]);
    let pytest = sandbox.path().join("bin/pytest");
    let run = format!(
        "#!/bin/sh\nPYTHONPATH='{}' exec '{python}' -m pytest \"$@\"\n",
        PYTHON.display()
    );
    std::fs::write(&pytest, run).expect("a program");
    std::fs::set_permissions(&pytest, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

/// Returns the first line that a program prints.
fn line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is missing: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}
