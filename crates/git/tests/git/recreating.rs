//! A worktree that had nothing to save is recreated.

use crate::fixture::{Fixture, git, out, read, write};
use crate::hermetic;
use downbeat_git::{Error, Head, Programs, delete_branch, head, recreate, recreate_detached, remove};

hermetic! {
    fn a_recreated_worktree_has_the_current_state_of_its_branch() {
        let f = Fixture::small();
        let made = f.worktree("one");
        assert_eq!(head(&made.path), Some(Head { branch: Some(made.branch.clone()), commit: f.head() }));
        remove(&f.repo, &made.path).unwrap();
        assert_eq!(head(&made.path), None);
        git(&f.repo, &["checkout", "-q", &made.branch]);
        write(&f.repo, "later.txt", "l");
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "later"]);
        git(&f.repo, &["checkout", "-q", "-"]);
        assert_eq!(recreate(&f.repo, &made.path, &made.branch, None, |_| Ok(Programs::Run)).unwrap(), made);
        assert_eq!(recreate(&f.repo, &made.path, &made.branch, None, |_| Ok(Programs::Run)).unwrap(), made, "repeatable");
        assert_eq!(read(&made.path, "later.txt"), "l");
        assert_eq!(out(&made.path, &["status", "--porcelain"]), "");
    }

    fn a_missing_branch_is_recreated_at_its_commit() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let commit = f.head();
        remove(&f.repo, &made.path).unwrap();
        delete_branch(&f.repo, &made.branch).unwrap();
        write(&f.repo, "README.md", "went on\n");
        git(&f.repo, &["commit", "-qam", "went on"]);
        let nothing = recreate(&f.repo, &made.path, &made.branch, None, |_| Ok(Programs::Run)).unwrap_err();
        assert!(matches!(nothing, Error::UnknownRef { .. }), "{nothing}");
        assert!(!made.path.exists());
        assert_eq!(recreate(&f.repo, &made.path, &made.branch, Some(&commit), |_| Ok(Programs::Run)).unwrap(), made);
        assert_eq!(out(&made.path, &["rev-parse", "HEAD"]), commit);
    }

    fn a_detached_worktree_is_recreated_at_its_commit() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let commit = f.head();
        git(&made.path, &["checkout", "-q", "--detach"]);
        assert_eq!(head(&made.path), Some(Head { branch: None, commit: commit.clone() }));
        remove(&f.repo, &made.path).unwrap();
        git(&f.repo, &["commit", "-q", "--allow-empty", "-m", "went on"]);
        let branches = out(&f.repo, &["branch"]);
        for _ in 0..2 {
            let again = recreate_detached(&f.repo, &made.path, &made.branch, &commit, Programs::Run).unwrap();
            assert_eq!(again, made);
            assert_eq!(head(&made.path), Some(Head { branch: None, commit: commit.clone() }));
        }
        assert_eq!(out(&made.path, &["status", "--porcelain"]), "");
        assert_eq!(out(&f.repo, &["branch"]), branches, "no branch was made");
        remove(&f.repo, &made.path).unwrap();
        let gone = recreate_detached(&f.repo, &made.path, &made.branch, &"1".repeat(40), Programs::Run).unwrap_err();
        assert!(matches!(gone, Error::UnknownRef { .. }), "{gone}");
    }

    fn a_branch_that_another_checkout_has_is_not_used() {
        let f = Fixture::small();
        let made = f.worktree("one");
        remove(&f.repo, &made.path).unwrap();
        git(&f.repo, &["checkout", "-q", &made.branch]);
        let again = recreate(&f.repo, &made.path, &made.branch, Some(&f.head()), |_| Ok(Programs::Run)).unwrap();
        assert_ne!(again.branch, made.branch);
        assert_eq!(out(&again.path, &["rev-parse", "HEAD"]), f.head());
    }

    #[cfg(unix)]
    fn programs_are_decided_for_the_commit_that_is_checked_out() {
        let f = Fixture::small();
        let made = f.worktree("one");
        remove(&f.repo, &made.path).unwrap();
        git(&f.repo, &["config", "core.hooksPath", ".hooks"]);
        let mark = f.repo.with_file_name("mark");
        git(&f.repo, &["checkout", "-q", "-b", "planted"]);
        write(&f.repo, ".hooks/post-checkout", &format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
        let hook = f.repo.join(".hooks/post-checkout");
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["-c", "core.hooksPath=/dev/null", "commit", "-qm", "planted"]);
        let (planted, known) = (f.head(), out(&f.repo, &["rev-parse", "HEAD~1"]));
        git(&f.repo, &["-c", "core.hooksPath=/dev/null", "checkout", "-q", "main"]);
        // The branch moves right after it was read.
        let moves = |commit: &str| {
            assert_eq!(commit, known);
            git(&f.repo, &["branch", "-f", &made.branch, &planted]);
            Ok(Programs::Run)
        };
        let again = recreate(&f.repo, &made.path, &made.branch, None, moves).unwrap();
        assert!(!mark.exists(), "a hook ran that nobody decided on");
        remove(&f.repo, &again.path).unwrap();
        let decided = |commit: &str| {
            assert_eq!(commit, planted);
            Ok(Programs::Run)
        };
        recreate(&f.repo, &made.path, &made.branch, None, decided).unwrap();
        assert!(mark.exists(), "the hook can run at all");
    }
}
