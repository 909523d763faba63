//! The install commands of a new worktree, derived from its lockfiles: a table, and the rule that reads it.
//! The engine runs the commands.

use crate::{CopyPlan, search};
use std::ffi::OsStr;
use std::path::Path;

/// A command to run in a new worktree before its agent starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The lockfile that requires it.
    pub because: String,
}

/// A way to install dependencies.
struct Installer {
    /// The ecosystem of the installer; only the first match of a family is used.
    family: &'static str,
    /// The file whose presence requires it.
    lockfile: &'static str,
    /// Another file that must be present; empty for none.
    beside: &'static str,
    /// The command; its first word is the tool that must be on PATH.
    argv: &'static [&'static str],
    /// The target directory. If it was copied or linked, nothing needs to be installed.
    directory: &'static str,
}

const fn row(
    family: &'static str,
    lockfile: &'static str,
    beside: &'static str,
    argv: &'static [&'static str],
    directory: &'static str,
) -> Installer {
    Installer {
        family,
        lockfile,
        beside,
        argv,
        directory,
    }
}

/// The known installers, in order: within a family, the first lockfile that exists decides.
const TABLE: &[Installer] = &[
    row(
        "js",
        "pnpm-lock.yaml",
        "",
        &["pnpm", "install", "--frozen-lockfile"],
        "node_modules",
    ),
    row(
        "js",
        "bun.lock",
        "",
        &["bun", "install", "--frozen-lockfile"],
        "node_modules",
    ),
    row(
        "js",
        "bun.lockb",
        "",
        &["bun", "install", "--frozen-lockfile"],
        "node_modules",
    ),
    row(
        "js",
        "yarn.lock",
        ".yarnrc.yml",
        &["yarn", "install", "--immutable"],
        "node_modules",
    ),
    row(
        "js",
        "yarn.lock",
        "",
        &["yarn", "install", "--frozen-lockfile"],
        "node_modules",
    ),
    row("js", "package-lock.json", "", &["npm", "ci"], "node_modules"),
    row("js", "npm-shrinkwrap.json", "", &["npm", "ci"], "node_modules"),
    row("python", "uv.lock", "", &["uv", "sync", "--frozen"], ".venv"),
    row("python", "poetry.lock", "", &["poetry", "install"], ".venv"),
    row(
        "rust",
        "Cargo.lock",
        "",
        &["cargo", "fetch", "--locked"],
        "vendor",
    ),
    row("go", "go.sum", "", &["go", "mod", "download"], "vendor"),
    row(
        "ruby",
        "Gemfile.lock",
        "",
        &["bundle", "install"],
        "vendor/bundle",
    ),
    row("php", "composer.lock", "", &["composer", "install"], "vendor"),
    row("elixir", "mix.lock", "", &["mix", "deps.get"], "deps"),
];

/// Names of directories that hold dependencies or build output: they are copied
/// whole, without a record of files.
const DEPENDENCIES: &[&str] = &[
    "node_modules",
    ".venv",
    "venv",
    "vendor",
    "deps",
    "target",
    ".gradle",
    ".next",
    ".turbo",
    "Pods",
];

/// Whether a directory holds content that a tool can regenerate.
pub(crate) fn is_dependency_directory(inside: &Path) -> bool {
    inside
        .components()
        .any(|part| is_dependency_name(part.as_os_str()))
}

/// Whether a directory of this name holds content that a tool can regenerate.
pub(crate) fn is_dependency_name(name: &OsStr) -> bool {
    DEPENDENCIES.iter().any(|known| name == OsStr::new(known))
}

/// Returns the names of the known lockfiles, some more than once.
pub(crate) fn lockfiles() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|installer| installer.lockfile)
}

/// Returns the install commands for the lockfiles in a worktree. Omits dependencies that were
/// copied or linked, and tools that are not on PATH (see [`setup_warnings`]). `worktree` may be the
/// primary checkout, for a preview.
pub fn lockfile_setup(worktree: &Path, _repo: &Path, copied: &CopyPlan) -> Vec<SetupCommand> {
    wanted(worktree, copied)
        .into_iter()
        .filter(|installer| search::has(installer.argv[0]))
        .map(|installer| SetupCommand {
            argv: installer.argv.iter().map(|word| (*word).to_owned()).collect(),
            because: installer.lockfile.to_owned(),
        })
        .collect()
}

/// Returns a sentence for each lockfile whose tool is not on PATH.
pub fn setup_warnings(worktree: &Path, _repo: &Path, copied: &CopyPlan) -> Vec<String> {
    let missing = wanted(worktree, copied)
        .into_iter()
        .filter(|installer| !search::has(installer.argv[0]));
    missing
        .map(|installer| {
            let (lockfile, tool) = (installer.lockfile, installer.argv[0]);
            format!("{lockfile} asks for {tool}, which is not on PATH; install {tool}, or set `setup` in downbeat.yaml")
        })
        .collect()
}

fn wanted(worktree: &Path, copied: &CopyPlan) -> Vec<&'static Installer> {
    let mut chosen: Vec<&'static Installer> = Vec::new();
    for installer in TABLE {
        let asks = worktree.join(installer.lockfile).is_file()
            && (installer.beside.is_empty() || worktree.join(installer.beside).is_file());
        if asks && !chosen.iter().any(|other| other.family == installer.family) {
            chosen.push(installer);
        }
    }
    let has = |directory: &str| {
        copied
            .copies
            .iter()
            .chain(&copied.links)
            .any(|path| path == Path::new(directory))
    };
    chosen.retain(|installer| !has(installer.directory));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lockfiles(files: &[&str], copied: &CopyPlan) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        wanted(dir.path(), copied)
            .iter()
            .map(|installer| installer.argv.join(" "))
            .collect()
    }

    #[test]
    fn each_lockfile_names_its_command() {
        let none = CopyPlan::default();
        assert_eq!(
            lockfiles(&["package-lock.json", "Cargo.lock"], &none),
            ["npm ci", "cargo fetch --locked"]
        );
        assert_eq!(
            lockfiles(&["yarn.lock"], &none),
            ["yarn install --frozen-lockfile"]
        );
        assert_eq!(
            lockfiles(&["yarn.lock", ".yarnrc.yml"], &none),
            ["yarn install --immutable"]
        );
        assert_eq!(
            lockfiles(&["pnpm-lock.yaml", "package-lock.json"], &none),
            ["pnpm install --frozen-lockfile"]
        );
        assert_eq!(
            lockfiles(&["uv.lock", "poetry.lock"], &none),
            ["uv sync --frozen"]
        );
        assert!(
            lockfiles(&["requirements.txt", "package.json"], &none).is_empty(),
            "pip never"
        );
    }

    #[test]
    fn copied_or_linked_dependencies_need_no_install() {
        let linked = CopyPlan {
            links: vec!["node_modules".into()],
            ..CopyPlan::default()
        };
        assert_eq!(
            lockfiles(&["package-lock.json", "uv.lock"], &linked),
            ["uv sync --frozen"]
        );
        let copied = CopyPlan {
            copies: vec![".venv".into()],
            ..CopyPlan::default()
        };
        assert_eq!(lockfiles(&["package-lock.json", "uv.lock"], &copied), ["npm ci"]);
    }

    #[test]
    fn a_missing_tool_is_a_warning_not_a_command() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("mix.lock"), "").unwrap();
        let none = CopyPlan::default();
        let (commands, warnings) = (
            lockfile_setup(dir.path(), dir.path(), &none),
            setup_warnings(dir.path(), dir.path(), &none),
        );
        assert_eq!(commands.len() + warnings.len(), 1);
    }
}
