//! Every kind of work that a worktree can hold is removed and restored: each byte, each permission, each
//! link, git's index and state, and every commit that something named. Kinds share a repository and run in
//! parallel; their tables are in `kinds_of_files`, `kinds_of_state` and `kinds_of_copies`.

use crate::fixture::{Fixture, git, write};
use crate::hermetic;
use crate::kinds_of_copies::{self, COPIES};
use crate::kinds_of_files::FILES;
use crate::kinds_of_state::STATES;
use downbeat_git::{
    BackupInfo, CopyPlan, Programs, WorktreeMade, copy, delete_branch, head, recreate, remove, restore, save,
    work_state,
};
use downbeat_model::SessionId;
use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

/// The number of kinds that run at a time.
const THREADS: usize = 4;

/// Whether the person is asked before the removal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    Yes,
    No,
}
pub use Asks::{No, Yes};

/// A kind of work: the action that creates it, whether a removal asks, the documented losses, and a check of
/// the restored worktree.
pub struct Kind {
    pub name: &'static str,
    pub act: fn(&Path),
    pub asks: Asks,
    pub lost: &'static [&'static str],
    pub then: fn(&Path),
}

pub const fn kind(name: &'static str, asks: Asks, act: fn(&Path)) -> Kind {
    Kind {
        name,
        act,
        asks,
        lost: &[],
        then: |_| {},
    }
}

pub const fn goes_on(name: &'static str, asks: Asks, act: fn(&Path), then: fn(&Path)) -> Kind {
    Kind {
        name,
        act,
        asks,
        lost: &[],
        then,
    }
}

pub const fn loses(name: &'static str, asks: Asks, act: fn(&Path), lost: &'static [&'static str]) -> Kind {
    Kind {
        name,
        act,
        asks,
        lost,
        then: |_| {},
    }
}

pub fn mode(at: &Path, name: &str, mode: u32) {
    std::fs::set_permissions(at.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Runs a git command that must stop at a conflict.
pub fn stops(at: &Path, args: &[&str]) {
    let output = Command::new("git").current_dir(at).args(args).output().unwrap();
    assert!(!output.status.success(), "git {args:?} did not stop");
}

pub fn commit(at: &Path, file: &str, text: &str) {
    write(at, file, text);
    git(at, &["add", "--", file]);
    let done = Command::new("git")
        .current_dir(at)
        .args(["commit", "-qm", text])
        // A fixed date, so that kinds with the same changes create the same commit.
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .status()
        .unwrap();
    assert!(done.success(), "commit of {file}");
}

pub fn clone(at: &Path, to: &str) {
    let library = at.ancestors().nth(2).unwrap().join("library");
    git(at, &["clone", "-q", library.to_str().unwrap(), to]);
}

/// Creates a commit on the worktree's branch that conflicts with the branch `other`.
pub fn diverge(at: &Path) {
    commit(at, "README.md", "mine\n");
}

pub fn resolve(at: &Path) {
    write(at, "README.md", "both\n");
    git(at, &["add", "README.md"]);
}

/// Collects the kind, permissions and content of everything below a folder, except for paths in `lost` and a
/// `.git` at the top.
fn census(root: &Path, inside: &Path, lost: &[&str], found: &mut BTreeMap<String, String>) {
    for entry in root.join(inside).read_dir().unwrap().flatten() {
        let below = inside.join(entry.file_name());
        if below == Path::new(".git") || lost.iter().any(|lost| below.starts_with(lost)) {
            continue;
        }
        let meta = entry.metadata().unwrap();
        let kind = meta.file_type();
        let content = if kind.is_symlink() {
            format!("-> {:?}", entry.path().read_link().unwrap())
        } else if kind.is_dir() {
            census(root, &below, lost, found);
            "folder".to_owned()
        } else if kind.is_fifo() {
            "pipe".to_owned()
        } else {
            let bytes = std::fs::read(entry.path()).unwrap();
            let cut = &bytes[..bytes.len().min(300)];
            format!(
                "{} {:?} {:?}",
                bytes.len(),
                digest(&bytes),
                String::from_utf8_lossy(cut)
            )
        };
        found.insert(
            format!("{below:?}"),
            format!("{:o} {content}", meta.permissions().mode() & 0o777),
        );
    }
}

fn digest(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Collects the complete state of a worktree.
fn all(worktree: &Path, lost: &[&str]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    census(worktree, Path::new(""), lost, &mut found);
    let optional = |args: &[&str]| {
        let output = Command::new("git")
            .current_dir(worktree)
            .args(args)
            .output()
            .unwrap();
        format!("{} {}", output.status, String::from_utf8_lossy(&output.stdout))
    };
    let asked: [&[&str]; 8] = [
        &["ls-files", "-s", "-v"],
        &["ls-files", "--deleted", "--modified", "--unmerged"],
        &["--no-optional-locks", "status", "--porcelain"],
        &["rev-parse", "HEAD"],
        &["symbolic-ref", "HEAD"],
        &["reflog", "--format=%H %gs"],
        &["sparse-checkout", "list"],
        &["for-each-ref", "refs/bisect", "refs/worktree", "refs/rewritten"],
    ];
    for args in asked {
        found.insert(format!("git {args:?}"), optional(args));
    }
    found
}

/// Creates a repository with files that git converts, a branch `other`, and the submodule `sub`.
fn repository() -> Fixture {
    let f = Fixture::small();
    let top = f.repo.parent().unwrap();
    let library = top.join("library");
    std::fs::create_dir_all(&library).unwrap();
    git(&library, &["init", "-q", "-b", "main"]);
    write(&library, ".gitignore", ".env\nbuild/\n");
    commit(&library, "lib.c", "int x;\n");
    write(&f.repo, ".gitignore", "data/\nbuild/\n*.o\n.env*\n");
    let attributes = "*.nb filter=strip\n*.crlf text eol=crlf\n*.lf text eol=lf\n*.auto text=auto\n*.id ident\n\
        *.utf16 text working-tree-encoding=UTF-16LE-BOM\n*.missing filter=missing\n*.bin filter=lfs\n";
    let config = [
        ("filter.strip.clean", "sed /OUTPUT/d"),
        ("filter.strip.smudge", "cat"),
        ("filter.missing.clean", "no-such-program-anywhere"),
        ("filter.loud.clean", "tr A-Z a-z"),
        ("filter.loud.smudge", "tr a-z A-Z"),
        ("protocol.file.allow", "always"),
        // Otherwise, several kinds that set sparse patterns at the same time would all write it.
        ("extensions.worktreeConfig", "true"),
    ];
    for (key, value) in config {
        git(&f.repo, &["config", key, value]);
    }
    // Attributes that only the repository's configuration names.
    let more = f.repo.join(".git/more-attributes");
    std::fs::write(&more, "*.loud filter=loud\n").unwrap();
    git(
        &f.repo,
        &["config", "core.attributesFile", more.to_str().unwrap()],
    );
    let large = "0123456789".repeat(1000);
    let hash = "4c207598af7a20db0e3334dd044399a40e467cb81b37f7ba05a4f76dcbd8fd59";
    let store = f.repo.join(".git/lfs/objects").join(&hash[..2]).join(&hash[2..4]);
    std::fs::create_dir_all(&store).unwrap();
    std::fs::write(store.join(hash), &large).unwrap();
    let smudge = format!("cat >/dev/null; cat {}", store.join(hash).display());
    write(&f.repo, ".git/smudge.sh", &smudge);
    git(
        &f.repo,
        &[
            "config",
            "filter.lfs.smudge",
            &format!("sh {}", f.repo.join(".git/smudge.sh").display()),
        ],
    );
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{hash}\nsize {}\n",
        large.len()
    );
    write(
        &f.repo,
        ".git/clean.sh",
        &format!("cat >/dev/null; printf '{}'", pointer.replace('\n', "\\n")),
    );
    git(
        &f.repo,
        &[
            "config",
            "filter.lfs.clean",
            &format!("sh {}", f.repo.join(".git/clean.sh").display()),
        ],
    );
    for (name, text) in [
        (".gitattributes", attributes),
        ("a.nb", "cell\n"),
        ("a.auto", "one\ntwo\n"),
        ("a.crlf", "one\n"),
        ("a.id", "$Id$\n"),
        ("a.loud", "quiet\n"),
        ("a.bin", large.as_str()),
    ] {
        write(&f.repo, name, text);
    }
    git(
        &f.repo,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            library.to_str().unwrap(),
            "sub",
        ],
    );
    git(&f.repo, &["add", "-A"]);
    git(&f.repo, &["commit", "-qm", "converted files"]);
    git(&f.repo, &["checkout", "-q", "-b", "other"]);
    commit(&f.repo, "README.md", "other");
    git(&f.repo, &["checkout", "-q", "main"]);
    f
}

fn session(number: usize) -> SessionId {
    SessionId::parse(&format!("s{number:012}")).unwrap()
}

/// A kind whose worktree was removed.
struct Gone {
    number: usize,
    kind: &'static Kind,
    made: WorktreeMade,
    was: BTreeMap<String, String>,
    backup: Option<BackupInfo>,
}

fn go(f: &Fixture, plan: &CopyPlan, number: usize, kind: &'static Kind) -> Gone {
    let name = kind.name;
    let made = f.worktree(&format!("k{number}"));
    let copies = copy(&f.repo, &made.path, plan).unwrap();
    (kind.act)(&made.path);
    let was = all(&made.path, kind.lost);
    let held = work_state(&f.repo, &made.path, &f.head(), &copies).unwrap();
    assert_eq!(held.blocked, None, "{name}");
    let is_lost = held.ignored.iter().any(|work| !work.is_saved);
    let asks = held.dirty_count > 0 || held.unpushed > 0 || !held.changed_copies.is_empty() || is_lost;
    assert_eq!(asks, kind.asks == Yes, "{name}: {held:?}");
    let backup = save(&f.repo, &made.path, &session(number), &copies)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut after = BTreeMap::new();
    census(&made.path, Path::new(""), kind.lost, &mut after);
    assert!(
        after.iter().all(|(what, now)| was.get(what) == Some(now)),
        "{name}: saving changed it"
    );
    remove(&f.repo, &made.path).unwrap();
    let _ = delete_branch(&f.repo, &made.branch);
    Gone {
        number,
        kind,
        made,
        was,
        backup,
    }
}

fn come_back(f: &Fixture, plan: &CopyPlan, gone: &Gone) {
    let (name, path) = (gone.kind.name, &gone.made.path);
    match &gone.backup {
        Some(backup) => drop(
            restore(&f.repo, path, &gone.made.branch, backup, Programs::Run)
                .unwrap_or_else(|error| panic!("{name}: {error}")),
        ),
        None => drop(
            recreate(&f.repo, path, &gone.made.branch, Some(&f.head()), |_| {
                Ok(Programs::Run)
            })
            .unwrap(),
        ),
    }
    let copies = copy(&f.repo, path, plan).unwrap();
    let now = all(path, gone.kind.lost);
    for (what, before) in &gone.was {
        // Without a backup, the reflog of HEAD is not kept.
        if gone.backup.is_some() || !what.contains("reflog") {
            assert_eq!(now.get(what), Some(before), "{name}: {what}");
        }
    }
    let more: Vec<_> = now.keys().filter(|what| !gone.was.contains_key(*what)).collect();
    assert!(more.is_empty(), "{name}: {more:?}");
    let named = Command::new("git")
        .current_dir(path)
        .args(["reflog", "--format=%H"])
        .output()
        .unwrap();
    for id in String::from_utf8_lossy(&named.stdout).lines() {
        git(path, &["cat-file", "-e", id]);
    }
    let again = save(&f.repo, path, &session(gone.number), &copies).unwrap();
    if let (Some(again), Some(backup)) = (again, &gone.backup) {
        assert_eq!(again.name, backup.name, "{name}: the same is saved once");
    }
    (gone.kind.then)(path);
    assert!(
        head(path).is_some() || name == "branch without a commit",
        "{name}"
    );
}

/// Runs a step for each of the kinds, several at a time, and reports all that failed.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    name: impl Fn(&T) -> &str + Sync,
    step: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = std::sync::Mutex::new(Vec::new());
    let failed = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(number) else { return };
                    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| step(number, item))) {
                        Ok(result) => done.lock().unwrap().push(result),
                        Err(_) => failed.lock().unwrap().push(name(item).to_owned()),
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "failed: {failed:?}");
    done.into_inner().unwrap()
}

/// Removes and restores a worktree of each kind.
fn there_and_back(f: &Fixture, plan: &CopyPlan, kinds: &[&'static Kind]) {
    let gone = side_by_side(kinds, |kind| kind.name, |number, kind| go(f, plan, number, kind));
    git(
        &f.repo,
        &[
            "reflog",
            "expire",
            "--expire=now",
            "--expire-unreachable=now",
            "--all",
        ],
    );
    git(&f.repo, &["gc", "-q", "--prune=now"]);
    side_by_side(&gone, |gone| gone.kind.name, |_, gone| come_back(f, plan, gone));
    git(&f.repo, &["fsck", "--strict", "--no-dangling"]);
}

hermetic! {
    fn every_kind_of_work_is_restored() {
        let kinds: Vec<&'static Kind> = FILES.iter().chain(STATES).collect();
        there_and_back(&repository(), &CopyPlan::default(), &kinds);
    }

    fn every_kind_of_work_in_copies_is_restored() {
        let (f, plan) = kinds_of_copies::repository();
        there_and_back(&f, &plan, &COPIES.iter().collect::<Vec<_>>());
    }
}
