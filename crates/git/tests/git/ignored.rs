//! Ignored files that an agent made: they are listed, saved, or left to the tool that generates them.

use crate::fixture::{Fixture, git, out, read, session, status, write};
use crate::hermetic;
use downbeat_git::{
    CopyRecord, Error, IgnoredWork, Programs, WorktreeMade, remove, restore, save, work_state,
};
use std::path::Path;

/// Creates a worktree of a repository with many ignore rules.
fn fixture() -> (Fixture, WorktreeMade) {
    let f = Fixture::small();
    let rules = "*.local\n*.o\n*.log\ndata/\nbuild/\ntarget/\nnode_modules/\nnamed/\n.env*\n";
    std::fs::write(f.repo.join(".gitignore"), rules).unwrap();
    git(&f.repo, &["commit", "-qam", "ignore"]);
    let made = f.worktree("one");
    (f, made)
}

fn ignored(f: &Fixture, worktree: &Path) -> Vec<IgnoredWork> {
    let state = work_state(&f.repo, worktree, &f.head(), &CopyRecord::default()).unwrap();
    assert_eq!((state.dirty_count, state.changed_copies), (0, vec![]));
    state.ignored
}

fn work(path: &str, files: usize, bytes: u64, is_saved: bool) -> IgnoredWork {
    IgnoredWork {
        path: path.to_owned(),
        files,
        bytes,
        is_saved,
    }
}

/// Writes a sparse file that is larger than a backup may be, and returns its size.
fn large(worktree: &Path, name: &str) -> u64 {
    write(worktree, name, "");
    let file = std::fs::File::options()
        .write(true)
        .open(worktree.join(name))
        .unwrap();
    let bytes = 33 * 1024 * 1024;
    file.set_len(bytes).unwrap();
    bytes
}

hermetic! {
    #[cfg(unix)]
    fn ignored_files_of_an_agent_are_listed_saved_and_restored() {
        let (f, made) = fixture();
        let w = &made.path;
        write(w, "notes.local", "precious");
        write(w, "data/a", "12");
        write(w, "data/deep/b", "345");
        std::os::unix::fs::symlink("a", w.join("data/link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(w.join("data/pipe")).status().unwrap().success());
        assert_eq!(ignored(&f, w), [work("data", 3, 6, true), work("notes.local", 1, 8, true)]);
        let backup = save(&f.repo, w, &session(), &CopyRecord::default()).unwrap().unwrap();
        assert_eq!(backup.files, 4);
        let again = save(&f.repo, w, &session(), &CopyRecord::default()).unwrap();
        assert_eq!(again.as_ref(), Some(&backup), "the same is saved once");
        remove(&f.repo, w).unwrap();
        restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap();
        assert_eq!((read(w, "notes.local"), read(w, "data/deep/b")), ("precious".into(), "345".into()));
        assert_eq!(std::fs::read_link(w.join("data/link")).unwrap(), Path::new("a"));
        assert_eq!(status(w), "", "ignored again");
    }

    fn generated_files_are_not_work() {
        let (f, made) = fixture();
        let w = &made.path;
        for name in [
            "target/debug/x", "node_modules/a/index.js", "build/out.js", "src/a.o", "data/node_modules/x",
            "data/__pycache__/a.pyc", "data/lib.pyc", "named/CACHEDIR.TAG", "named/blob", "packages/a/build/x",
        ] {
            write(w, name, "made");
        }
        std::fs::create_dir_all(w.join("data/empty")).unwrap();
        assert_eq!(ignored(&f, w), []);
        assert_eq!(save(&f.repo, w, &session(), &CopyRecord::default()).unwrap(), None);
    }

    fn tracked_files_in_an_ignored_directory_are_not_ignored_work() {
        let (f, made) = fixture();
        let w = &made.path;
        write(w, "data/tracked", "t");
        git(w, &["add", "-f", "data/tracked"]);
        git(w, &["commit", "-qm", "tracked"]);
        write(w, "data/other", "o");
        assert_eq!(ignored(&f, w), [work("data/other", 1, 1, true)]);
    }

    fn ignored_files_that_are_too_large_are_listed_but_not_saved() {
        let (f, made) = fixture();
        let w = &made.path;
        let bytes = large(w, "data/big.bin");
        write(w, "data/small", "lost with its place");
        write(w, "notes.local", "saved");
        let want = [work("data", 2, bytes + 19, false), work("notes.local", 1, 5, true)];
        assert_eq!(ignored(&f, w), want, "what is lost comes first");
        let backup = save(&f.repo, w, &session(), &CopyRecord::default()).unwrap().unwrap();
        let tree = out(&f.repo, &["ls-tree", "-r", "--name-only", &backup.commit]);
        assert!(tree.contains("notes.local") && !tree.contains("data/"), "{tree}");
    }

    fn a_nested_worktree_with_work_is_saved_and_restored() {
        let (f, made) = fixture();
        let w = &made.path;
        let inner = w.join("data/inner");
        git(&f.repo, &["worktree", "add", "-q", "-b", "linked", inner.to_str().unwrap()]);
        let state = || work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap();
        assert_eq!(state().dirty, [""; 0], "its branch lives on without it");
        write(&inner, "new", "n");
        git(&inner, &["checkout", "-q", "--detach"]);
        git(&inner, &["commit", "-q", "--allow-empty", "-m", "on no branch"]);
        assert_eq!(state().dirty, ["data/inner/"]);
        let commit = out(&inner, &["rev-parse", "HEAD"]);
        let backup = save(&f.repo, w, &session(), &CopyRecord::default()).unwrap().unwrap();
        remove(&f.repo, w).unwrap();
        restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap();
        assert_eq!((read(&inner, "new").as_str(), out(&inner, &["rev-parse", "HEAD"])), ("n", commit.clone()));
        assert!(out(&f.repo, &["branch", "-q", "--contains", &commit]).is_empty());
        let heads = out(&f.repo, &["for-each-ref", "--contains", &commit, "--format=%(refname)"]);
        assert_eq!(heads, backup.name);
    }

    fn a_repository_deep_in_a_generated_directory_is_work() {
        let (f, made) = fixture();
        let w = &made.path;
        let far = "node_modules/a/b/c/d/e/f/g/h/own";
        git(w, &["init", "-q", far]);
        write(w, format!("{far}/x"), "precious");
        let state = work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap();
        assert_eq!(state.dirty, [format!("{far}/")]);
    }

    /// The repository's own configuration may name a file with ignore rules; a pipe in
    /// its place is refused and named.
    fn the_configured_excludes_file_of_a_repository_applies() {
        let (f, made) = fixture();
        let w = &made.path;
        let list = f.repo.join(".git/more-excludes");
        std::fs::write(&list, "*.data\n").unwrap();
        git(&f.repo, &["config", "core.excludesFile", list.to_str().unwrap()]);
        let bytes = large(w, "huge.data");
        write(w, "small.data", "kept");
        let want = [work("huge.data", 1, bytes, false), work("small.data", 1, 4, true)];
        assert_eq!(ignored(&f, w), want);
        let backup = save(&f.repo, w, &session(), &CopyRecord::default()).unwrap().unwrap();
        let tree = out(&f.repo, &["ls-tree", "-r", "--name-only", &backup.commit]);
        assert!(tree.contains("small.data") && !tree.contains("huge.data"), "{tree}");
        std::fs::remove_file(&list).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&list).status().unwrap().success());
        let state = work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap();
        assert!(state.blocked.as_ref().is_some_and(|why| why.contains("more-excludes")), "{state:?}");
    }

    fn a_repository_that_is_too_large_to_save_blocks_the_removal() {
        let (f, made) = fixture();
        let w = &made.path;
        git(w, &["init", "-q", "data/own"]);
        for part in 0..4 {
            large(w, &format!("data/own/{part}.bin"));
        }
        let state = work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap();
        let why = state.blocked.unwrap();
        assert!(why.contains("data/own/") && why.contains("too large"), "{why}");
        let refused = save(&f.repo, w, &session(), &CopyRecord::default());
        assert!(matches!(refused, Err(Error::NestedWork { .. })), "{refused:?}");
    }
}
