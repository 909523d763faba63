//! Discarded changes: of a whole file of every kind, of one hunk, and undone; what changed meanwhile or cannot be discarded is
//! refused, and nothing else of the worktree changes.

use crate::fixture::{Fixture, git, out, read, session, write};
use crate::hermetic;
use downbeat_git::{
    Compared, Discard, Error, FileChange, HunkAt, discard, file_diff, list_files, undo_discard,
};
use std::path::{Path, PathBuf};

fn compared<'a>(f: &'a Fixture, tree: &'a Path, from: &'a str) -> Compared<'a> {
    Compared {
        repo: &f.repo,
        checkout: tree,
        from: Some(from),
        to: None,
        ignores_space: false,
    }
}

fn file(f: &Fixture, tree: &Path, from: &str, path: &str) -> FileChange {
    let files = list_files(&compared(f, tree, from)).unwrap().files;
    files.into_iter().find(|file| file.path == path).unwrap()
}

/// Discards the change of a file as it is now.
fn drop_file(f: &Fixture, tree: &Path, from: &str, path: &str, hunk: Option<HunkAt>) -> Result<u32, Error> {
    let file = file(f, tree, from, path);
    discard(&Discard {
        compared: compared(f, tree, from),
        session: &session(),
        path,
        old_path: file.old_path.as_deref(),
        id: file.id.as_deref().unwrap(),
        hunk,
    })
}

fn undo(f: &Fixture, tree: &Path, number: u32) -> Vec<String> {
    undo_discard(&f.repo, tree, &session(), number).unwrap()
}

/// A worktree with a commit, and changes of every kind since `base`.
fn changed() -> (Fixture, PathBuf, String) {
    let f = Fixture::small();
    write(&f.repo, "gone.txt", "gone\n");
    write(&f.repo, "long name.txt", &"line\n".repeat(30));
    git(&f.repo, &["add", "-A"]);
    git(&f.repo, &["commit", "-qm", "more"]);
    let base = f.head();
    let tree = f.worktree("work").path;
    write(&tree, "README.md", "committed\n");
    git(&tree, &["commit", "-qam", "work"]);
    write(&tree, "README.md", "committed\nand not\n");
    write(&tree, "new.txt", "new\n");
    git(&tree, &["rm", "-q", "gone.txt"]);
    git(&tree, &["mv", "long name.txt", "other.txt"]);
    (f, tree, base)
}

hermetic! {
    fn a_file_is_as_it_was_and_undo_brings_the_change_back() {
        let (f, tree, base) = changed();
        let status = out(&tree, &["status", "--porcelain", "-uall"]);
        let staged = out(&tree, &["diff", "--cached", "--raw"]);
        for (path, check) in [
            ("README.md", (|tree| read(tree, "README.md") == "hello\n") as fn(&Path) -> bool),
            ("new.txt", |tree| !tree.join("new.txt").exists()),
            ("gone.txt", |tree| read(tree, "gone.txt") == "gone\n"),
            ("other.txt", |tree| !tree.join("other.txt").exists() && tree.join("long name.txt").exists()),
        ] {
            let number = drop_file(&f, &tree, &base, path, None).unwrap();
            assert!(check(&tree), "{path}");
            assert_eq!(out(&tree, &["diff", "--cached", "--raw"]), staged, "{path}: nothing is staged");
            let kept = format!("refs/downbeat/discarded/{}/{number}", session());
            assert!(out(&f.repo, &["for-each-ref", "--format=%(refname)"]).contains(&kept));
            undo(&f, &tree, number);
            assert_eq!(out(&tree, &["status", "--porcelain", "-uall"]), status, "{path}");
            assert!(!out(&f.repo, &["for-each-ref", "--format=%(refname)"]).contains(&kept));
        }
        // Only what is not committed.
        let head = out(&tree, &["rev-parse", "HEAD"]);
        drop_file(&f, &tree, &head, "README.md", None).unwrap();
        assert_eq!(read(&tree, "README.md"), "committed\n");
    }

    fn a_hunk_goes_and_the_others_stay_byte_for_byte() {
        let f = Fixture::small();
        let text: String = (1..=40).map(|line| format!("line {line}\r\n")).collect();
        write(&f.repo, "a.txt", &text);
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "more"]);
        let base = f.head();
        let tree = f.worktree("work").path;
        let edited = text.replace("line 3\r\n", "three\r\n").replace("line 20\r\n", "") + "end without a line end";
        write(&tree, "a.txt", &edited);
        let hunks = file_diff(&compared(&f, &tree, &base), "a.txt", None, 3, false).unwrap().hunks;
        assert_eq!(hunks.len(), 3);
        let at = |number: usize| HunkAt { old_start: hunks[number].old_start, new_start: hunks[number].new_start, context: 3 };
        let wanted = [
            edited.replace("three\r\n", "line 3\r\n"),
            edited.replace("line 19\r\n", "line 19\r\nline 20\r\n"),
            edited.replace("end without a line end", ""),
        ];
        for (number, wanted) in wanted.iter().enumerate() {
            let kept = drop_file(&f, &tree, &base, "a.txt", Some(at(number))).unwrap();
            assert_eq!(&read(&tree, "a.txt"), wanted, "{number}");
            undo(&f, &tree, kept);
            assert_eq!(read(&tree, "a.txt"), edited);
        }
        let other = HunkAt { old_start: 1, new_start: 2, context: 3 };
        let refused = drop_file(&f, &tree, &base, "a.txt", Some(other));
        assert!(matches!(refused, Err(Error::ChangedMeanwhile { .. })), "{refused:?}");
        assert_eq!(read(&tree, "a.txt"), edited);
    }

    fn what_changed_meanwhile_is_not_overwritten() {
        let (f, tree, base) = changed();
        let before = file(&f, &tree, &base, "README.md");
        write(&tree, "README.md", "the agent was faster\n");
        let refused = discard(&Discard {
            compared: compared(&f, &tree, &base),
            session: &session(),
            path: "README.md",
            old_path: None,
            id: before.id.as_deref().unwrap(),
            hunk: None,
        });
        assert!(matches!(refused, Err(Error::ChangedMeanwhile { .. })), "{refused:?}");
        let number = drop_file(&f, &tree, &base, "README.md", None).unwrap();
        write(&tree, "README.md", "written again\n");
        let refused = undo_discard(&f.repo, &tree, &session(), number);
        assert!(matches!(refused, Err(Error::ChangedMeanwhile { .. })), "{refused:?}");
        assert_eq!(read(&tree, "README.md"), "written again\n");
        // A kill can leave the file gone, or as it was.
        std::fs::remove_file(tree.join("README.md")).unwrap();
        assert_eq!(undo(&f, &tree, number), ["README.md"]);
        assert_eq!(read(&tree, "README.md"), "the agent was faster\n");
        let refused = undo_discard(&f.repo, &tree, &session(), number);
        assert!(matches!(refused, Err(Error::UnknownRef { .. })), "{refused:?}");
    }

    fn a_forged_note_changes_nothing_of_the_repository_itself() {
        let f = Fixture::small();
        let forged = f.repo.join("forged");
        std::fs::write(&forged, "[core]\n\tfsmonitor = /tmp/planted\n").unwrap();
        let blob = out(&f.repo, &["hash-object", "-w", "forged"]);
        let config = read(&f.repo, ".git/config");
        let known = out(&f.repo, &["hash-object", ".git/config"]);
        for (number, path) in [".git/config", "../elsewhere", ".GIT/config"].into_iter().enumerate() {
            let note = format!(
                r#"{{"steps": [{{"path": "{path}", "before": [33188, "{blob}"], "after": [33188, "{known}"]}}]}}"#
            );
            let commit = out(&f.repo, &["commit-tree", "-m", &note, "HEAD^{tree}"]);
            let name = format!("refs/downbeat/discarded/{}/{number}", session());
            git(&f.repo, &["update-ref", &name, &commit]);
            let refused = undo_discard(&f.repo, &f.repo, &session(), u32::try_from(number).unwrap());
            assert!(matches!(refused, Err(Error::OutsidePath { .. })), "{path}: {refused:?}");
        }
        assert_eq!(read(&f.repo, ".git/config"), config);
        assert!(!f.repo.with_file_name("elsewhere").exists());
        // The highest number is taken.
        let name = format!("refs/downbeat/discarded/{}/{}", session(), u32::MAX);
        git(&f.repo, &["update-ref", &name, "HEAD"]);
        write(&f.repo, "README.md", "other\n");
        assert!(drop_file(&f, &f.repo, "HEAD", "README.md", None).is_err());
        assert_eq!(read(&f.repo, "README.md"), "other\n");
    }

    fn modes_come_back_and_links_are_not_written_through() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let (f, tree, base) = changed();
        std::fs::set_permissions(tree.join("src/lib.rs"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let number = drop_file(&f, &tree, &base, "src/lib.rs", None).unwrap();
        let mode = || tree.join("src/lib.rs").metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode() & 0o111, 0);
        undo(&f, &tree, number);
        assert_ne!(mode() & 0o100, 0);
        // A folder on the way became a link.
        let outside = f.repo.with_file_name("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("lib.rs"), "mine\n").unwrap();
        let number = drop_file(&f, &tree, &base, "src/lib.rs", None).unwrap();
        std::fs::remove_dir_all(tree.join("src")).unwrap();
        symlink(&outside, tree.join("src")).unwrap();
        assert!(undo_discard(&f.repo, &tree, &session(), number).is_err());
        assert_eq!(read(&outside, "lib.rs"), "mine\n");
        symlink("README.md", tree.join("link")).unwrap();
        let refused = drop_file(&f, &tree, &base, "link", None);
        assert!(matches!(refused, Err(Error::NotDiscarded { .. })), "{refused:?}");
    }
}
