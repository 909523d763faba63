//! Worktrees with damaged git state: they cannot be saved, but nothing is lost.

use crate::fixture::{Fixture, git, out, read, session, status, write};
use crate::hermetic;
use downbeat_git::{
    CopyRecord, Error, Programs, Seen, recreate, remove_unchanged, save, set_aside, work_state,
};
use std::path::Path;
use std::process::Command;

/// Makes a worktree unreadable.
type Spoil = fn(&Fixture, &Path);

const WAYS: &[(&str, Spoil)] = &[
    ("index", |f, _| {
        write(&f.repo, ".git/worktrees/one/index", "rubbish")
    }),
    ("HEAD", |f, _| {
        write(&f.repo, ".git/worktrees/one/HEAD", "rubbish")
    }),
    (".git is a repository", |_, w| {
        std::fs::remove_file(w.join(".git")).unwrap();
        git(w, &["init", "-q"]);
    }),
    (".git names another", |_, w| {
        write(w, ".git", "gitdir: /nowhere\n")
    }),
    (".git is gone", |_, w| {
        std::fs::remove_file(w.join(".git")).unwrap()
    }),
    ("names that libgit2 refuses", |_, w| {
        let blob = out(w, &["hash-object", "-w", "README.md"]);
        let entry = format!("100644,{blob},a/git~1/x");
        git(
            w,
            &[
                "-c",
                "core.protectNTFS=false",
                "update-index",
                "--add",
                "--cacheinfo",
                &entry,
            ],
        );
        write(w, "a/git~1/x", "hello\n");
    }),
];

/// Runs a removal and returns its first error.
fn end(f: &Fixture, w: &Path) -> Result<(), Error> {
    work_state(&f.repo, w, &f.head(), &CopyRecord::default())?;
    let seen = Seen::of(&f.repo, w)?;
    save(&f.repo, w, &session(), &CopyRecord::default())?;
    remove_unchanged(&f.repo, w, &seen)
}

hermetic! {
    fn a_worktree_that_git_cannot_read_is_moved_aside_whole() {
        for (what, spoil) in WAYS {
            let f = Fixture::small();
            let made = f.worktree("one");
            let w = &made.path;
            write(w, "precious.txt", "precious");
            git(w, &["checkout", "-q", "--detach"]);
            git(w, &["commit", "-q", "--allow-empty", "-m", "on no branch"]);
            let commit = out(w, &["rev-parse", "HEAD"]);
            spoil(&f, w);
            let refused = end(&f, w).expect_err(what);
            assert!(refused.is_unreadable(), "{what}: {refused:?}");
            assert_eq!(read(w, "precious.txt"), "precious", "{what}");
            let aside = set_aside(&f.repo, w).unwrap();
            assert!(!w.exists(), "{what}");
            assert_eq!(aside.path, f.place("one-kept-1"), "{what}");
            assert_eq!(read(&aside.path, "precious.txt"), "precious", "{what}");
            // A garbage collection keeps objects that only this worktree names.
            git(&f.repo, &["gc", "-q", "--prune=now"]);
            git(&f.repo, &["cat-file", "-e", &commit]);
            let again = recreate(&f.repo, w, &made.branch, None, |_| Ok(Programs::Run)).unwrap();
            assert_eq!((status(&again.path).as_str(), again.branch.as_str()), ("", "feature/one"), "{what}");
            let typed = Command::new("sh").args(["-c", &aside.delete]).output().unwrap();
            assert!(typed.status.success(), "{what}: {typed:?}");
            assert!(!aside.path.exists() && w.exists(), "{what}");
            let left = f.repo.join(".git/worktrees").read_dir().unwrap().count();
            assert_eq!(left, 1, "{what}: {}", aside.delete);
        }
    }

    fn only_our_own_worktrees_are_moved_aside() {
        let f = Fixture::small();
        let stranger = f.place("stranger");
        write(&stranger, "x", "x");
        for place in [&stranger, &f.repo, &f.repo.join("src"), &f.place("gone")] {
            let refused = set_aside(&f.repo, place);
            assert!(matches!(refused, Err(Error::NotAWorktree { .. })), "{place:?}: {refused:?}");
        }
        assert_eq!(read(&stranger, "x"), "x");
    }
}
