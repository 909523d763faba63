//! Removing worktrees and branches: only our own, and only if nothing is lost.

use crate::fixture::{Fixture, git, out, read, write};
use crate::hermetic;
use downbeat_git::{CopyRecord, Error, Seen, delete_branch, remove, remove_unchanged, set_aside, work_state};
#[cfg(target_os = "linux")]
use std::process::Command;

hermetic! {
    fn a_removal_keeps_only_the_branch() {
        let f = Fixture::small();
        let other = f.worktree("other");
        let gone = f.place("foreign");
        git(&f.repo, &["worktree", "add", "-q", "-b", "foreign", gone.to_str().unwrap()]);
        std::fs::remove_dir_all(&gone).unwrap();
        let before = f.census();
        let made = f.worktree("one");
        write(&made.path, "ro/x", "x");
        let mut permissions = made.path.join("ro").metadata().unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(made.path.join("ro"), permissions).unwrap();
        remove(&f.repo, &made.path).unwrap();
        remove(&f.repo, &made.path).unwrap();
        assert_eq!(out(&f.repo, &["branch", "--list", &made.branch]).trim(), made.branch);
        delete_branch(&f.repo, &made.branch).unwrap();
        delete_branch(&f.repo, &made.branch).unwrap();
        assert_eq!(f.census(), before, "the stale registration of another is not ours to prune");
        assert!(other.path.exists());
    }

    fn concurrent_removals_of_a_worktree_both_succeed() {
        let f = Fixture::small();
        let before = f.census();
        for round in 0..12 {
            let made = f.worktree(&format!("w{round}"));
            for number in 0..200 {
                write(&made.path, format!("more/{number}"), "x");
            }
            std::thread::scope(|scope| {
                let both: Vec<_> = (0..2).map(|_| scope.spawn(|| remove(&f.repo, &made.path))).collect();
                for one in both {
                    one.join().unwrap().unwrap();
                }
            });
            assert!(!made.path.exists());
            delete_branch(&f.repo, &made.branch).unwrap();
        }
        assert_eq!(f.census(), before, "nothing of it is noted any more");
    }

    fn other_paths_are_refused() {
        let f = Fixture::small();
        let stranger = Fixture::small();
        let theirs = stranger.worktree("theirs");
        let plain = f.place("plain");
        write(&plain, "x", "x");
        let src = f.repo.join("src");
        let top = f.repo.parent().unwrap().to_owned();
        for path in [&f.repo, &stranger.repo, &theirs.path, &plain, &src, &top, &f.repo.join(".git")] {
            let error = remove(&f.repo, path).unwrap_err();
            assert!(matches!(error, Error::NotAWorktree { .. }), "{path:?}: {error}");
        }
        let made = f.worktree("one");
        assert!(remove(&made.path, &f.repo).is_err());
        assert_eq!(read(&plain, "x"), "x");
        assert!(theirs.path.join("README.md").exists() && f.repo.join("README.md").exists());
    }

    fn a_worktree_that_somebody_locked_stays() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let at = made.path.to_str().unwrap();
        let look = || work_state(&f.repo, &made.path, &f.head(), &CopyRecord::default()).unwrap().blocked;
        assert_eq!(look(), None, "Downbeat's own lock");
        let unlock = || git(&f.repo, &["worktree", "unlock", at]);
        unlock();
        git(&f.repo, &["worktree", "lock", "--reason", "on a stick\u{1b}[2J\nsecond line", at]);
        let why = look().unwrap();
        assert!(why.contains("is locked (on a stick[2J); `git -C ") && why.contains("worktree unlock"), "{why}");
        let seen = Seen::of(&f.repo, &made.path).unwrap();
        let before = f.census();
        for error in [
            remove_unchanged(&f.repo, &made.path, &seen).unwrap_err(),
            set_aside(&f.repo, &made.path).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Locked { .. }), "{error}");
        }
        // Its disk is away, which is what such a lock is for.
        let away = f.place("away");
        std::fs::rename(&made.path, &away).unwrap();
        assert!(look().unwrap().contains("is locked"));
        assert!(remove_unchanged(&f.repo, &made.path, &seen).is_err());
        std::fs::rename(&away, &made.path).unwrap();
        assert_eq!(f.census(), before);
        unlock();
        assert_eq!(look(), None);
        // Git leaves this one behind if it is killed while it creates a worktree.
        git(&f.repo, &["worktree", "lock", "--reason", "initializing", at]);
        let seen = Seen::of(&f.repo, &made.path).unwrap();
        remove_unchanged(&f.repo, &made.path, &seen).unwrap();
        assert!(!made.path.exists());
    }

    fn branches_that_are_still_needed_are_not_deleted() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let reason = |branch: &str| match delete_branch(&f.repo, branch) {
            Err(Error::BranchKept { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        assert!(reason("main").contains("default"));
        assert!(reason(&made.branch).contains("checked out"));
        git(&made.path, &["commit", "-q", "--allow-empty", "-m", "only here"]);
        remove(&f.repo, &made.path).unwrap();
        assert!(reason(&made.branch).contains("no other reference contains"));
        for bad in ["-D", "--all", "a..b", "\0", ""] {
            assert!(reason(bad).contains("not a branch name"), "{bad}");
        }
        git(&f.repo, &["update-ref", "refs/remotes/origin/x", &format!("refs/heads/{}", made.branch)]);
        delete_branch(&f.repo, &made.branch).unwrap();
    }

    fn a_linked_worktree_made_by_hand_can_be_removed() {
        let f = Fixture::small();
        let path = f.place("by hand");
        git(&f.repo, &["worktree", "add", "-q", "--lock", "-b", "hand", path.to_str().unwrap()]);
        remove(&f.repo, &path).unwrap();
        assert!(!path.exists() && !f.census().contains("by hand"));
    }

    /// Skipped if this user may not mount file systems.
    #[cfg(target_os = "linux")]
    fn a_mounted_file_system_in_a_worktree_is_not_emptied() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let out = f.place("out");
        write(&out, "f", "precious");
        let inside = made.path.join("node_modules");
        std::fs::create_dir(&inside).unwrap();
        let mount = Command::new("mount").arg("--bind").args([&out, &inside]).output();
        if !mount.is_ok_and(|done| done.status.success()) {
            return;
        }
        let base = f.head();
        let state = work_state(&f.repo, &made.path, &base, &CopyRecord::default());
        let refused = remove(&f.repo, &made.path);
        let kept = std::fs::read_to_string(out.join("f"));
        let unmounted = Command::new("umount").arg(&inside).status().unwrap();
        assert!(unmounted.success());
        assert!(matches!(&refused, Err(Error::Mounted { path }) if *path == inside), "{refused:?}");
        assert_eq!(kept.unwrap(), "precious");
        let blocked = state.unwrap().blocked.unwrap();
        assert!(blocked.contains("umount") && blocked.contains("node_modules"), "{blocked}");
        remove(&f.repo, &made.path).unwrap();
        assert!(!made.path.exists() && out.join("f").exists());
    }
}
