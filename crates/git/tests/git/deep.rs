//! Extremely deep folders and trees: they are inspected, copied, saved and removed without recursion. Each
//! step runs on a stack that is too small for one call per level.

use crate::fixture::{Fixture, git, out, session, write};
use crate::hermetic;
use downbeat_git::{
    CopyRecord, Programs, backups, changes, copy, plan_copies, remove, restore, save, summary, work_state,
};
use std::path::{Path, PathBuf};

/// The depth of nested folders; a much longer path would be refused by the system.
const FOLDERS: usize = 600;

/// The depth of nested trees, which no path limits.
const TREES: usize = 3_000;

/// A stack that is too small for one call per level.
const STACK: usize = 256 << 10;

/// Runs a function on a small stack.
fn small<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        thread.unwrap().join().unwrap()
    })
}

/// Creates nested folders with a file in the innermost one, and returns its path.
fn deep(below: &Path) -> PathBuf {
    nested(below, FOLDERS)
}

fn nested(below: &Path, folders: usize) -> PathBuf {
    let mut way = below.to_owned();
    std::fs::create_dir_all(&way).unwrap();
    for _ in 0..folders {
        way.push("a");
        std::fs::create_dir(&way).unwrap();
    }
    write(&way, "file", "deep");
    way.strip_prefix(below).unwrap().join("file")
}

/// Limits the open files of this process to fewer than folders are nested. This system has no such limit.
#[cfg(not(unix))]
fn few_open_files() {}

/// Limits the open files of this process to fewer than folders are nested.
#[cfg(unix)]
fn few_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut few = getrlimit(Resource::Nofile);
    few.current = Some(256);
    setrlimit(Resource::Nofile, few).unwrap();
}

/// Returns the Rust files below a folder, without those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap().flatten() {
            let is_test = matches!(
                entry.file_name().to_str(),
                Some("tests" | "target" | "node_modules")
            );
            match entry.file_type().unwrap().is_dir() {
                true if !is_test => folders.push(entry.path()),
                false if entry.path().extension().is_some_and(|end| end == "rs") => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}

#[test]
fn no_crate_removes_trees_by_recursion() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let calls = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        text.split("\nmod tests")
            .next()
            .is_some_and(|code| code.contains("remove_dir_all"))
    };
    let all = [sources(crates), sources(&crates.with_file_name("src-tauri"))].concat();
    let found: Vec<_> = all.into_iter().filter(calls).collect();
    assert_eq!(
        found,
        [crates.join("git/src/tree.rs")],
        "use downbeat_git::remove_tree"
    );
}

hermetic! {
    fn deep_folders_are_copied() {
        let f = Fixture::small();
        let file = deep(&f.repo.join("node_modules"));
        let made = f.worktree("one");
        let plan = small(|| plan_copies(&f.repo, &["node_modules".to_owned()], &[])).unwrap();
        small(|| copy(&f.repo, &made.path, &plan)).unwrap();
        assert!(made.path.join("node_modules").join(file).is_file());
        small(|| remove(&f.repo, &made.path)).unwrap();
        assert!(!made.path.exists());
    }

    fn deep_folders_that_are_not_ignored_are_searched() {
        let f = Fixture::small();
        // Fewer folders, because libgit2 checks all parents of each.
        let file = nested(&f.repo.join("new"), 400).with_file_name(".env.local");
        write(&f.repo.join("new"), &file, "S=1");
        let plan = small(|| plan_copies(&f.repo, &[], &[])).unwrap();
        assert_eq!(plan.copies, [Path::new("new").join(file)]);
    }

    fn deep_folders_are_inspected_saved_and_restored() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let none = CopyRecord::default();
        write(&f.repo.join(".git"), "info/exclude", "data/\n");
        let untracked = Path::new("new").join(deep(&made.path.join("new")));
        let ignored = Path::new("data").join(deep(&made.path.join("data")));
        let tracked = Path::new("kept").join(deep(&made.path.join("kept")));
        git(&made.path, &["add", "kept"]);
        git(&made.path, &["commit", "-qm", "deep"]);
        let state = small(|| work_state(&f.repo, &made.path, &f.head(), &none)).unwrap();
        assert_eq!(state.dirty_count, 1);
        small(|| changes(&f.repo, &made.path, &f.head())).unwrap();
        small(|| summary(&f.repo, &made.path, Some(&f.head()))).unwrap();
        let saved = save(&f.repo, &made.path, &session(), &none).unwrap().unwrap();
        small(|| remove(&f.repo, &made.path)).unwrap();
        restore(&f.repo, &made.path, &made.branch, &saved, Programs::Run).unwrap();
        for file in [untracked, ignored, tracked] {
            assert_eq!(std::fs::read_to_string(made.path.join(&file)).unwrap(), "deep");
        }
    }

    fn a_worktree_deeper_than_the_open_file_limit_is_removed() {
        let f = Fixture::small();
        let made = f.worktree("one");
        deep(&made.path.join("new"));
        few_open_files();
        small(|| remove(&f.repo, &made.path)).unwrap();
        assert!(!made.path.exists());
        assert_eq!(made.path.parent().unwrap().read_dir().unwrap().count(), 0);
    }

    fn deep_folders_in_the_records_of_a_worktree_are_removed() {
        let f = Fixture::small();
        let made = f.register("one").unwrap();
        deep(&f.repo.join(".git/worktrees/one/logs/refs"));
        let ours = f.repo.join(".git/downbeat").read_dir().unwrap().flatten();
        let home = ours.map(|entry| entry.path()).find(|at| at.is_dir()).unwrap();
        deep(&home.join("n"));
        downbeat_git::checkout(&made.path, Programs::Run).unwrap();
        few_open_files();
        small(|| remove(&f.repo, &made.path)).unwrap();
        assert!(!home.exists() && !f.repo.join(".git/worktrees/one").exists());
    }

    fn deep_folders_in_the_index_of_a_nested_repository_are_not_followed() {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&f.repo.join(".git"), "info/exclude", "data/\n");
        let inner = git2::Repository::init(made.path.join("data/x")).unwrap();
        let folders = [b"\0-1 1\n".to_vec(), b"a\0-1 1\n".repeat(30_000)].concat();
        let length = u32::try_from(folders.len()).unwrap().to_be_bytes();
        let head = b"DIRC\0\0\0\x02\0\0\0\0TREE";
        let index = [&head[..], &length, &folders, &[0; 20]].concat();
        std::fs::write(inner.path().join("index"), index).unwrap();
        let state = small(|| work_state(&f.repo, &made.path, &f.head(), &CopyRecord::default())).unwrap();
        assert!(format!("{state:?}").contains("data/x"), "{state:?}");
    }

    fn an_index_path_that_is_too_deep_is_refused() {
        let f = Fixture::small();
        for (levels, is_saved) in [(1_000, true), (30_000, false)] {
            let made = f.worktree(&levels.to_string());
            let blob = out(&made.path, &["hash-object", "-w", "README.md"]);
            let path = format!("100644 {blob}\t{}f\n", "a/".repeat(levels));
            write(f.repo.parent().unwrap(), "list", &path);
            let list = std::fs::File::open(f.repo.with_file_name("list")).unwrap();
            let mut git = std::process::Command::new("git");
            git.current_dir(&made.path).args(["update-index", "--index-info"]);
            assert!(git.stdin(list).status().unwrap().success());
            let none = CopyRecord::default();
            work_state(&f.repo, &made.path, &f.head(), &none).unwrap();
            let saved = save(&f.repo, &made.path, &session(), &none);
            assert_eq!(saved.is_ok(), is_saved, "{saved:?}");
            if let Err(error) = saved {
                assert!(error.to_string().contains("levels deep"), "{error}");
            }
        }
    }

    fn deep_trees_of_a_nested_repository_are_inspected() {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&f.repo.join(".git"), "info/exclude", "data/\n");
        let inner = git2::Repository::init(made.path.join("data/x")).unwrap();
        let mut tree = inner.treebuilder(None).unwrap().write().unwrap();
        for _ in 0..TREES {
            let mut around = inner.treebuilder(None).unwrap();
            around.insert("a", tree, 0o040_000).unwrap();
            tree = around.write().unwrap();
        }
        let who = git2::Signature::now("t", "t@example.com").unwrap();
        let tree = inner.find_tree(tree).unwrap();
        let commit = inner.commit(Some("HEAD"), &who, &who, "deep", &tree, &[]).unwrap();
        // A remote has the commit, so the files are compared.
        inner.reference("refs/remotes/origin/main", commit, false, "").unwrap();
        let state = small(|| work_state(&f.repo, &made.path, &f.head(), &CopyRecord::default())).unwrap();
        assert!(format!("{state:?}").contains("data/x"), "{state:?}");
    }

    fn a_forged_backup_with_deep_trees_is_refused() {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&made.path, "new", "n");
        let saved = save(&f.repo, &made.path, &session(), &CopyRecord::default()).unwrap().unwrap();
        remove(&f.repo, &made.path).unwrap();
        let repository = git2::Repository::open(&f.repo).unwrap();
        let mut tree = repository.treebuilder(None).unwrap().write().unwrap();
        for _ in 0..TREES {
            let mut around = repository.treebuilder(None).unwrap();
            around.insert("a", tree, 0o040_000).unwrap();
            tree = around.write().unwrap();
        }
        let second = out(&f.repo, &["rev-parse", &format!("{}^2", saved.commit)]);
        let head = f.head();
        let commit = out(&f.repo, &["commit-tree", &tree.to_string(), "-p", &head, "-p", &second, "-m", "x"]);
        git(&f.repo, &["update-ref", &saved.name, &commit]);
        let forged = backups(&f.repo, &session()).unwrap().remove(0);
        let error = small(|| restore(&f.repo, &made.path, &made.branch, &forged, Programs::Skip)).unwrap_err();
        assert!(error.to_string().contains("deep"), "{error}");
    }
}
