//! Worktrees of a shallow clone, whose history ends at commits without their parents.

use crate::fixture::{Fixture, git, out, read, session, write};
use crate::hermetic;
use downbeat_git::{
    CopyRecord, Programs, WorktreeSpec, checkout, delete_branch, is_reached, register, remove, restore, save,
    work_state,
};

hermetic! {
    fn a_worktree_of_a_shallow_clone_is_saved_removed_and_restored() {
        let f = Fixture::small();
        git(&f.repo, &["commit", "-q", "--allow-empty", "-m", "second"]);
        let none = CopyRecord::default();
        for depth in ["1", "2"] {
            git(&f.repo, &["commit", "-q", "--allow-empty", "-m", "more"]);
            let home = f.repo.parent().unwrap().to_owned();
            let (name, url) = (format!("shallow-{depth}"), format!("file://{}", f.repo.display()));
            git(&home, &["clone", "-q", "--depth", depth, &url, &name]);
            let clone = home.join(&name);
            let base = out(&clone, &["rev-parse", "HEAD"]);
            let made = register(&WorktreeSpec {
                repo: &clone,
                path: &home.join("trees").join(&name),
                branch: "work",
                base_commit: &base,
                reason: "test",
                programs: Programs::Run,
            })
            .unwrap();
            let w = &made.path;
            checkout(w, Programs::Run).unwrap();
            let state = || work_state(&clone, w, &base, &none).unwrap();
            assert_eq!((state().dirty_count, state().unpushed), (0, 0));
            assert_eq!(save(&clone, w, &session(), &none).unwrap(), None);
            git(w, &["commit", "-q", "--allow-empty", "-m", "mine"]);
            write(w, "new", "n");
            assert_eq!((state().dirty_count, state().unpushed), (1, 1));
            let tip = out(w, &["rev-parse", "HEAD"]);
            assert!(is_reached(&clone, &base, std::slice::from_ref(&tip)).unwrap());
            assert!(!is_reached(&clone, &tip, std::slice::from_ref(&base)).unwrap());
            let backup = save(&clone, w, &session(), &none).unwrap().unwrap();
            remove(&clone, w).unwrap();
            delete_branch(&clone, "work").unwrap();
            git(&clone, &["gc", "-q", "--prune=now"]);
            restore(&clone, w, "work", &backup, Programs::Run).unwrap();
            assert_eq!((read(w, "new"), out(w, &["rev-parse", "HEAD"])), ("n".into(), tip));
        }
    }
}
