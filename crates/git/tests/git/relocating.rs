//! Repositories that were moved, and copies of them.

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use downbeat_git::{Error, Recorded, recognise, repair};
use std::path::{Path, PathBuf};
use std::process::Command;

fn copy(from: &Path, name: &str) -> PathBuf {
    let to = from.with_file_name(name);
    let copied = Command::new("cp").arg("-a").args([from, &to]).status().unwrap();
    assert!(copied.success());
    // So that later writes are newer than anything that was copied.
    std::thread::sleep(std::time::Duration::from_millis(30));
    to
}

fn recorded(f: &Fixture, worktree: &Path) -> Recorded {
    Recorded {
        worktrees: vec![(worktree.to_owned(), worktree.to_owned())],
        commits: vec![f.head()],
        saved: vec![],
    }
}

hermetic! {
    fn a_copy_without_the_last_commits_is_refused() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        let recorded = recorded(&f, w);
        write(w, "early.txt", "early");
        let older = copy(&f.repo, "older");
        write(w, "late.txt", "late");
        git(w, &["add", "-A"]);
        git(w, &["commit", "-qm", "late"]);
        let commit = out(w, &["rev-parse", "HEAD"]);
        let moved = f.repo.with_file_name("moved");
        std::fs::rename(&f.repo, &moved).unwrap();
        let refused = recognise(&older, &recorded).unwrap_err();
        assert!(matches!(&refused, Error::AnotherRepository { reason, .. } if reason.contains("late.txt")), "{refused}");
        recognise(&moved, &recorded).unwrap();
        repair(&moved, std::slice::from_ref(w)).unwrap();
        assert_eq!(out(w, &["rev-parse", "HEAD"]), commit);

        // The person has nothing newer, and confirms that.
        std::fs::rename(&moved, f.repo.with_file_name("lost")).unwrap();
        git(&older, &["worktree", "repair", w.to_str().unwrap()]);
        recognise(&older, &recorded).unwrap();
    }

    fn a_complete_copy_is_accepted() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        let recorded = recorded(&f, w);
        write(w, "work.txt", "work");
        git(w, &["add", "-A"]);
        git(w, &["commit", "-qm", "work"]);
        write(w, "more.txt", "more");
        // As if it was copied to another disk.
        let copied = copy(&f.repo, "copied");
        std::fs::remove_dir_all(&f.repo).unwrap();
        write(w, "cache/made.log", "ignored");
        recognise(&copied, &recorded).unwrap();
        repair(&copied, std::slice::from_ref(w)).unwrap();
        assert_eq!(out(w, &["log", "-1", "--format=%s"]), "work");
        // The copy is the repository now.
        write(w, "later.txt", "later");
        recognise(&copied, &recorded).unwrap();
    }
}
