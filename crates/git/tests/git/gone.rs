//! Worktrees whose folder was deleted or moved by hand: the content that remains in git's directory for them
//! is listed, saved and restored.

use crate::fixture::{Fixture, git, out, read, session, status, write};
use crate::hermetic;
use downbeat_git::{
    BackupInfo, CopyRecord, Programs, WorktreeMade, delete_branch, remove, restore, save, work_state,
};

/// Inspects, saves and removes a worktree as a removal does, deletes all unreachable objects, and restores
/// it. Returns the content that was listed before the removal.
fn there_and_back(f: &Fixture, made: &WorktreeMade) -> (Vec<String>, u32, BackupInfo) {
    let none = CopyRecord::default();
    let state = work_state(&f.repo, &made.path, &f.head(), &none).unwrap();
    let backup = save(&f.repo, &made.path, &session(), &none).unwrap().unwrap();
    let again = save(&f.repo, &made.path, &session(), &none).unwrap();
    assert!(
        again.is_none_or(|again| again == backup),
        "the same is saved once"
    );
    assert!(!made.path.exists(), "looking and saving make no folder");
    remove(&f.repo, &made.path).unwrap();
    git(&f.repo, &["reflog", "expire", "--expire=now", "--all"]);
    git(&f.repo, &["gc", "-q", "--prune=now"]);
    restore(&f.repo, &made.path, &made.branch, &backup, Programs::Run).unwrap();
    (state.dirty, state.unpushed, backup)
}

hermetic! {
    fn commits_and_staged_files_of_a_deleted_folder_are_restored() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        git(w, &["checkout", "-q", "--detach"]);
        write(w, "d", "d");
        git(w, &["add", "d"]);
        git(w, &["commit", "-qm", "precious"]);
        let tip = out(w, &["rev-parse", "HEAD"]);
        write(w, "staged", "s");
        git(w, &["add", "staged"]);
        std::fs::remove_dir_all(w).unwrap();
        let (dirty, unpushed, backup) = there_and_back(&f, &made);
        assert_eq!((dirty, unpushed, backup.files), (vec!["staged".to_owned()], 1, 1));
        assert_eq!(out(w, &["rev-parse", "HEAD"]), tip);
        assert_eq!(status(w), "A  staged", "all else is as it was committed");
        assert_eq!(read(w, "d") + &read(w, "README.md"), "dhello\n");
    }

    fn commits_of_a_worktree_that_was_moved_by_hand_are_restored() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        git(w, &["checkout", "-q", "--detach"]);
        git(w, &["commit", "-q", "--allow-empty", "-m", "precious"]);
        let tip = out(w, &["rev-parse", "HEAD"]);
        std::fs::rename(w, w.with_file_name("away")).unwrap();
        let (dirty, unpushed, _) = there_and_back(&f, &made);
        assert_eq!((dirty, unpushed), (vec![], 1));
        assert_eq!((out(w, &["rev-parse", "HEAD"]), status(w)), (tip, String::new()));
    }

    fn a_rebase_of_a_deleted_folder_is_restored_with_its_autostash() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        write(w, "f", "one\n");
        git(w, &["add", "f"]);
        git(w, &["commit", "-qm", "f"]);
        write(w, "f", "two\n");
        git(w, &["commit", "-qam", "two"]);
        git(w, &["checkout", "-q", "-b", "other", "HEAD~"]);
        write(w, "f", "zwei\n");
        git(w, &["commit", "-qam", "zwei"]);
        write(w, "README.md", "not committed\n");
        let mut rebase = std::process::Command::new("git");
        let rebase = rebase.current_dir(w).args(["rebase", "-q", "--autostash", &made.branch]);
        assert!(!rebase.output().unwrap().status.success());
        std::fs::remove_dir_all(w).unwrap();
        there_and_back(&f, &made);
        let aside = out(w, &["rev-parse", "--git-path", "rebase-merge/autostash"]);
        let aside = read(w, &aside).trim().to_owned();
        assert_eq!(out(w, &["show", &format!("{aside}:README.md")]), "not committed");
    }

    fn commits_of_a_submodule_survive_the_deletion_of_the_folder() {
        let f = crate::inside::with_submodule();
        let made = f.worktree("one");
        let sub = made.path.join("sub");
        write(&sub, "lib.c", "int mine;\n");
        git(&sub, &["commit", "-qam", "mine"]);
        let tip = out(&sub, &["rev-parse", "HEAD"]);
        std::fs::remove_dir_all(&made.path).unwrap();
        let (dirty, ..) = there_and_back(&f, &made);
        assert_eq!(dirty, ["commits of the submodule sub"]);
        assert_eq!(out(&sub, &["show", &format!("{tip}:lib.c")]), "int mine;");
    }

    fn a_deleted_folder_without_work_is_not_saved() {
        let f = Fixture::small();
        let made = f.worktree("one");
        std::fs::remove_dir_all(&made.path).unwrap();
        let none = CopyRecord::default();
        let state = work_state(&f.repo, &made.path, &f.head(), &none).unwrap();
        assert_eq!((state.dirty_count, state.unpushed, state.blocked), (0, 0, None));
        assert_eq!(save(&f.repo, &made.path, &session(), &none).unwrap(), None);
        remove(&f.repo, &made.path).unwrap();
        delete_branch(&f.repo, &made.branch).unwrap();
        assert_eq!(save(&f.repo, &made.path, &session(), &none).unwrap(), None, "nor once it is removed");
    }
}
