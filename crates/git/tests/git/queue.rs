//! What the tests of the merge queue share: branches with edits, candidates, landings, and a picture of a
//! checkout that shows every byte.

use crate::fixture::{Fixture, git, out, write};
use downbeat_git::{
    Candidate, CandidateSpec, Combination, Error, LandSpec, Landing, Programs, Strategy, candidate, land,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file of a checkout, except git's own directory: its mode or target, and its content.
pub type Picture = BTreeMap<PathBuf, (String, Vec<u8>)>;

pub fn picture(dir: &Path) -> Picture {
    let (mut all, mut folders) = (Picture::new(), vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap().flatten() {
            let (at, about) = (entry.path(), entry.path().symlink_metadata().unwrap());
            if entry.file_name() == ".git" {
                continue;
            }
            let inside = at.strip_prefix(dir).unwrap().to_owned();
            if about.is_symlink() {
                let to = at.read_link().unwrap();
                all.insert(inside, ("link".to_owned(), to.to_str().unwrap().into()));
            } else if about.is_dir() {
                folders.push(at);
                all.insert(inside, ("folder".to_owned(), Vec::new()));
            } else {
                all.insert(inside, (mode(&about), std::fs::read(&at).unwrap()));
            }
        }
    }
    all
}

#[cfg(unix)]
fn mode(about: &std::fs::Metadata) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    format!("{:o}", about.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> String {
    String::new()
}

/// Everything that a refused landing must not change.
#[derive(Debug, PartialEq, Eq)]
pub struct Scene {
    files: Picture,
    index: String,
    flags: String,
    refs: String,
    head: String,
    left: Vec<String>,
}

pub fn scene(repo: &Path, place: &Path) -> Scene {
    let dir = out(place, &["rev-parse", "--absolute-git-dir"]);
    let left = ["index.lock", "MERGE_HEAD", "ORIG_HEAD"];
    let left = left.iter().filter(|name| Path::new(&dir).join(name).exists());
    Scene {
        files: picture(place),
        index: out(place, &["ls-files", "-s", "-v"]),
        flags: out(place, &["diff", "--cached", "--name-status"]),
        refs: out(repo, &["for-each-ref"]),
        head: std::fs::read_to_string(Path::new(&dir).join("HEAD")).unwrap(),
        left: left.map(|name| (*name).to_owned()).collect(),
    }
}

/// Commits changes on a branch from `base`, without touching any checkout that exists: each change is a path
/// with its content, or `None` to delete it.
pub fn branch(f: &Fixture, name: &str, base: &str, changes: &[(&str, Option<&str>)]) -> String {
    let place = f.place(&format!("make-{name}"));
    let at = place.to_str().unwrap();
    git(&f.repo, &["worktree", "add", "-q", "-B", name, at, base]);
    for (path, text) in changes {
        match text {
            Some(text) => write(&place, path, text),
            None => git(&place, &["rm", "-q", "-f", path]),
        }
    }
    let head = commit(&place, name);
    git(&f.repo, &["worktree", "remove", "--force", at]);
    head
}

/// Commits everything in a checkout.
pub fn commit(place: &Path, message: &str) -> String {
    git(place, &["add", "-A", "-f"]);
    git(place, &["commit", "-q", "--allow-empty", "-m", message]);
    out(place, &["rev-parse", "HEAD"])
}

pub fn spec<'a>(
    f: &'a Fixture,
    target: &'a str,
    head: &'a str,
    strategy: Strategy,
    time: &'a jiff::Zoned,
) -> CandidateSpec<'a> {
    CandidateSpec {
        repo: &f.repo,
        id: "one",
        target,
        head,
        strategy,
        message: "Merge the work\n\nof a session",
        time,
    }
}

/// Returns the time of all candidates.
pub fn noon() -> jiff::Zoned {
    "2031-05-01T12:00:00+02:00[+02:00]".parse().unwrap()
}

pub fn combine(f: &Fixture, target: &str, head: &str, strategy: Strategy) -> Result<Combination, Error> {
    candidate(&spec(f, target, head, strategy, &noon()))
}

pub fn made(f: &Fixture, target: &str, head: &str, strategy: Strategy) -> Candidate {
    match combine(f, target, head, strategy).unwrap() {
        Combination::Candidate(made) => made,
        other => panic!("{other:?}"),
    }
}

pub fn lands(repo: &Path, old: &str, new: &str) -> Result<Landing, Error> {
    lands_with(repo, old, new, Programs::Skip)
}

pub fn lands_with(repo: &Path, old: &str, new: &str, programs: Programs) -> Result<Landing, Error> {
    land(&LandSpec {
        repo,
        branch: "main",
        old,
        candidate: new,
        message: "downbeat: landed",
        programs,
    })
}

pub fn main_of(repo: &Path) -> String {
    out(repo, &["rev-parse", "refs/heads/main"])
}

/// Checks that nothing of a landing is left in a repository.
pub fn nothing_left(repo: &Path) {
    let dir = PathBuf::from(out(repo, &["rev-parse", "--absolute-git-dir"]));
    assert!(
        !dir.join("downbeat/land/record.json").exists(),
        "a record is left"
    );
    assert!(!dir.join("index.lock").exists(), "a lock is left");
    for notes in dir.join("worktrees").read_dir().into_iter().flatten().flatten() {
        assert!(
            !notes.path().join("index.lock").exists(),
            "a lock is left in {notes:?}"
        );
    }
}

/// Installs a hook that runs a command.
pub fn hook(repo: &Path, name: &str, command: &str) {
    let at = repo.join(".git/hooks").join(name);
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::fs::write(&at, format!("#!/bin/sh\n{command}\n")).unwrap();
    runs(&at);
}

#[cfg(unix)]
pub fn runs(at: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
pub fn runs(_: &Path) {}

/// Runs git with text as its input.
pub fn feed(dir: &Path, args: &[&str], text: &[u8]) -> String {
    use std::io::Write as _;
    let mut git = std::process::Command::new("git");
    let git = git.current_dir(dir).args(args);
    let git = git
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut git = git.spawn().unwrap();
    git.stdin.take().unwrap().write_all(text).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Replaces the checksum at the end of an index by none, which git accepts (`index.skipHash`).
pub fn summed(mut index: Vec<u8>) -> Vec<u8> {
    let end = index.len() - 20;
    index[end..].fill(0);
    index
}
