//! Saving and restoring work.

use crate::fixture::{Fixture, git, out, read, session, status, write};
use crate::hermetic;
use downbeat_git::{
    BackupInfo, CopyRecord, Error, Programs, WorktreeMade, WorktreeSpec, backups, bring, checkout, copy,
    delete_branch, drop_backup, plan_copies, register, remove, restore, save, work_state,
};
use downbeat_model::SessionId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn saved(f: &Fixture, made: &WorktreeMade, copies: &CopyRecord) -> Option<BackupInfo> {
    save(&f.repo, &made.path, &session(), copies).unwrap()
}

/// Leaves a conflict with `main` in `README.md` during a merge.
fn conflict(f: &Fixture, w: &Path) {
    write(w, "README.md", "mine\n");
    git(w, &["commit", "-qam", "mine"]);
    write(&f.repo, "README.md", "theirs\n");
    git(&f.repo, &["commit", "-qam", "theirs"]);
    let mut merge = Command::new("git");
    let merge = merge
        .current_dir(w)
        .args(["merge", "-q", "main"])
        .output()
        .unwrap();
    assert!(!merge.status.success());
}

/// Returns the loose objects.
fn single(f: &Fixture) -> BTreeSet<PathBuf> {
    let folders = f.repo.join(".git/objects").read_dir().unwrap().flatten();
    let folders = folders.filter(|folder| folder.file_name().len() == 2);
    let files = folders.flat_map(|folder| folder.path().read_dir().unwrap().flatten());
    files.map(|file| file.path()).collect()
}

hermetic! {
    fn pruning_that_began_before_a_backup_deletes_none_of_its_objects() {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&made.path, "new", "n");
        write(&made.path, "README.md", "staged");
        git(&made.path, &["add", "README.md"]);
        write(&made.path, "README.md", "changed");
        let before = single(&f);
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        for object in single(&f).difference(&before) {
            std::fs::remove_file(object).unwrap();
        }
        git(&f.repo, &["rev-list", "--objects", "--quiet", &backup.name]);
        git(&f.repo, &["fsck", "--strict", "--no-dangling"]);
        remove(&f.repo, &made.path).unwrap();
        restore(&f.repo, &made.path, &made.branch, &backup, Programs::Run).unwrap();
        assert_eq!(read(&made.path, "new") + &read(&made.path, "README.md"), "nchanged");
    }

    #[cfg(unix)]
    fn a_save_without_room_fails_and_frees_its_space() {
        let f = Fixture::small();
        let disk = f.repo.parent().unwrap().join("disk");
        std::fs::create_dir_all(&disk).unwrap();
        let mut mount = Command::new("mount");
        let mount = mount.args(["-t", "tmpfs", "-o", "size=40m", "tmpfs"]).arg(&disk).output();
        if !mount.is_ok_and(|output| output.status.success()) {
            println!("skipped: this user may not mount a file system");
            return;
        }
        let clone = disk.join("repo");
        git(&disk, &["clone", "-q", f.repo.to_str().unwrap(), "repo"]);
        let place = f.place("elsewhere");
        let base = f.head();
        let spec = WorktreeSpec {
            repo: &clone,
            path: &place,
            branch: "work",
            base_commit: &base,
            reason: "test",
            programs: Programs::Run,
        };
        let made = register(&spec).unwrap();
        checkout(&made.path, Programs::Run).unwrap();
        let free = || rustix::fs::statvfs(&disk).map(|disk| disk.f_bavail * disk.f_frsize).unwrap();
        let before = free();
        let mut noise = vec![0; 25 << 20];
        std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom").unwrap(), &mut noise).unwrap();
        std::fs::write(place.join("big"), &noise).unwrap();
        let refused = save(&clone, &place, &session(), &CopyRecord::default()).unwrap_err();
        let after = free();
        std::fs::write(place.join("big"), &noise[..1 << 20]).unwrap();
        let saved = save(&clone, &place, &session(), &CopyRecord::default());
        Command::new("umount").arg("--lazy").arg(&disk).output().unwrap();
        assert!(refused.full().is_some(), "{refused}");
        assert!(before.abs_diff(after) < 1 << 20, "{before} bytes were free, {after} are");
        assert!(saved.unwrap().is_some(), "what fits is saved");
    }

    fn a_file_that_is_too_large_to_save_is_refused_by_name() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let file = std::fs::File::create(made.path.join("disk.img")).unwrap();
        file.set_len(300_000_000_000).unwrap();
        let none = CopyRecord::default();
        let why = work_state(&f.repo, &made.path, &f.head(), &none).unwrap().blocked.unwrap();
        assert!(why.contains("disk.img has 300 GB"), "{why}");
        let refused = save(&f.repo, &made.path, &session(), &none).unwrap_err();
        assert!(matches!(refused, Error::TooLarge { .. }), "{refused}");
    }

    fn a_restored_worktree_is_as_it_was_saved() {
        let f = Fixture::small();
        write(&f.repo, ".env", "S=1\n");
        write(&f.repo, ".env.other", "O=1\n");
        let made = f.worktree("one");
        let copies = copy(&f.repo, &made.path, &plan_copies(&f.repo, &[], &[]).unwrap()).unwrap();
        let w = &made.path;
        write(w, "committed.txt", "c");
        git(w, &["add", "-A"]);
        git(w, &["commit", "-qm", "own commit"]);
        write(w, "README.md", "staged\n");
        git(w, &["add", "README.md"]);
        write(w, "README.md", "staged, then more\n");
        std::fs::remove_file(w.join("src/lib.rs")).unwrap();
        write(w, "deep/untracked \"file\".txt", "u");
        write(w, "new\nline", "n");
        write(w, ".env", "S=changed\n");
        write(w, ".env.fresh", "F=1\n");
        let (before, index) = (status(w), std::fs::read(f.repo.join(".git/worktrees/one/index")).unwrap());
        let state = work_state(&f.repo, w, &f.head(), &copies).unwrap();
        assert_eq!((state.dirty_count, state.unpushed), (4, 1));
        assert_eq!(state.changed_copies, [".env", ".env.fresh"]);
        assert!(state.bytes > 0);

        let backup = saved(&f, &made, &copies).unwrap();
        assert_eq!(backup.name, "refs/downbeat/backup/s0123456789ab/1");
        assert_eq!((backup.files, backup.branch.as_deref()), (6, Some("feature/one")));
        assert_eq!(saved(&f, &made, &copies).unwrap(), backup, "the same is saved once");
        assert_eq!((status(w), std::fs::read(f.repo.join(".git/worktrees/one/index")).unwrap()), (before.clone(), index));
        let tip = out(w, &["rev-parse", "HEAD"]);

        remove(&f.repo, w).unwrap();
        delete_branch(&f.repo, &made.branch).unwrap();
        git(&f.repo, &["gc", "-q", "--prune=now"]);
        let back = restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap();
        assert_eq!(back, made);
        assert_eq!(restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap(), made, "repeatable");
        assert_eq!(status(w), before);
        assert_eq!(out(w, &["rev-parse", "HEAD"]), tip);
        assert_eq!(out(w, &["show", ":README.md"]), "staged");
        assert_eq!(read(w, "README.md"), "staged, then more\n");
        assert_eq!(read(w, ".env"), "S=changed\n");
        assert_eq!(read(w, ".env.fresh"), "F=1\n");
        assert_eq!(read(w, "deep/untracked \"file\".txt"), "u");
        assert_eq!(read(w, "new\nline"), "n");
        assert!(!w.join("src/lib.rs").exists());
    }

    fn a_worktree_without_work_is_not_saved() {
        let f = Fixture::small();
        write(&f.repo, ".env", "S=1\n");
        let made = f.worktree("one");
        let copies = copy(&f.repo, &made.path, &plan_copies(&f.repo, &[], &[]).unwrap()).unwrap();
        assert_eq!(saved(&f, &made, &copies), None);
        write(&made.path, "cache/ignored.o", "made by a build");
        assert_eq!(saved(&f, &made, &copies), None);
        assert_eq!(backups(&f.repo, &session()).unwrap(), []);
        remove(&f.repo, &made.path).unwrap();
        assert_eq!(saved(&f, &made, &copies), None);
    }

    fn commits_alone_are_saved_and_backups_are_numbered() {
        let f = Fixture::small();
        let made = f.worktree("one");
        git(&made.path, &["commit", "-q", "--allow-empty", "-m", "only here"]);
        let first = saved(&f, &made, &CopyRecord::default()).unwrap();
        assert_eq!(first.files, 0);
        assert_eq!(saved(&f, &made, &CopyRecord::default()), None, "the backup reaches them");
        write(&made.path, "x", "1");
        let second = saved(&f, &made, &CopyRecord::default()).unwrap();
        assert!(second.name.ends_with("/2"));
        assert_eq!(backups(&f.repo, &session()).unwrap(), [second, first]);
    }

    fn a_commit_that_only_another_sessions_backup_reaches_is_saved() {
        let f = Fixture::small();
        let (one, two) = (f.worktree("one"), f.worktree("two"));
        let none = CopyRecord::default();
        git(&one.path, &["checkout", "-q", "--detach"]);
        write(&one.path, "x", "only here\n");
        git(&one.path, &["add", "x"]);
        git(&one.path, &["commit", "-qm", "x"]);
        // The same commit is in the reflog of another worktree, as if somebody looked at it there.
        git(&two.path, &["checkout", "-q", "--detach", &out(&one.path, &["rev-parse", "HEAD"])]);
        git(&two.path, &["checkout", "-q", "-"]);
        let other = SessionId::parse("sfedcba987654").unwrap();
        let theirs = save(&f.repo, &two.path, &other, &none).unwrap().unwrap();
        let backup = saved(&f, &one, &none).expect("it holds a commit");
        remove(&f.repo, &one.path).unwrap();
        remove(&f.repo, &two.path).unwrap();
        drop_backup(&f.repo, &theirs.name).unwrap();
        git(&f.repo, &["gc", "-q", "--prune=now"]);
        restore(&f.repo, &one.path, &one.branch, &backup, Programs::Run).unwrap();
        assert_eq!(read(&one.path, "x"), "only here\n");
    }

    fn an_edit_in_the_same_second_is_saved() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        // One second of an hour ago; the ctime cannot be set.
        git(&f.repo, &["config", "core.trustctime", "false"]);
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        let date = |path: &std::path::Path| {
            std::fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
        };
        write(w, "v", "aaaa");
        date(&w.join("v"));
        git(w, &["add", "v"]);
        git(w, &["commit", "-qm", "v"]);
        write(w, "v", "bbbb");
        date(&w.join("v"));
        date(&f.repo.join(".git/worktrees/one/index"));
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        assert_eq!(out(&f.repo, &["show", &format!("{}:v", backup.commit)]), "bbbb");
    }

    fn work_in_a_worktree_that_was_never_filled_is_saved() {
        let f = Fixture::small();
        let made = f.register("one").unwrap();
        let w = &made.path;
        write(w, "README.md", "hello\n");
        let state = || work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap().dirty;
        assert_eq!((state(), saved(&f, &made, &CopyRecord::default())), (vec![], None));
        write(w, "new.txt", "work");
        write(w, "src/lib.rs", "edited");
        assert_eq!(state(), ["new.txt", "src/lib.rs"]);
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        assert_eq!(backup.files, 2);
        remove(&f.repo, w).unwrap();
        restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap();
        assert_eq!(status(w), " M src/lib.rs\n?? new.txt");
        assert_eq!((read(w, "README.md"), read(w, "new.txt")), ("hello\n".into(), "work".into()));
    }

    #[cfg(unix)]
    fn work_in_a_worktree_whose_hook_failed_is_saved() {
        let f = Fixture::small();
        let hook = f.repo.join(".git/hooks/post-checkout");
        write(&f.repo, ".git/hooks/post-checkout", "#!/bin/sh\nexit 1\n");
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let made = f.register("one").unwrap();
        checkout(&made.path, Programs::Run).unwrap_err();
        write(&made.path, "work.txt", "work");
        let backup = saved(&f, &made, &CopyRecord::default()).expect("it holds work");
        assert_eq!(out(&f.repo, &["show", &format!("{}:work.txt", backup.commit)]), "work");
    }

    fn files_hidden_from_git_and_conflicts_are_saved() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        git(w, &["update-index", "--assume-unchanged", "README.md"]);
        git(w, &["update-index", "--skip-worktree", "src/lib.rs"]);
        write(w, "README.md", "hidden change\n");
        write(w, "src/lib.rs", "hidden too\n");
        assert_eq!(work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap().dirty_count, 2);
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        assert_eq!(out(&f.repo, &["show", &format!("{}:README.md", backup.commit)]), "hidden change");
        assert_eq!(out(&f.repo, &["show", &format!("{}:src/lib.rs", backup.commit)]), "hidden too");

        let made = f.worktree("two");
        let w = &made.path;
        conflict(&f, w);
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        assert!(out(&f.repo, &["show", &format!("{}:README.md", backup.commit)]).contains("<<<<<<<"));
    }

    #[cfg(unix)]
    fn links_that_are_hidden_from_git_or_replace_hidden_files_are_saved() {
        use std::os::unix::fs::symlink;
        let f = Fixture::small();
        for name in ["link", "turned"] {
            symlink("old", f.repo.join(name)).unwrap();
        }
        write(&f.repo, "to-folder", "file");
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "links"]);
        let made = f.worktree("one");
        let w = &made.path;
        assert_eq!(saved(&f, &made, &CopyRecord::default()), None);
        git(w, &["update-index", "--skip-worktree", "link", "turned"]);
        git(w, &["update-index", "--assume-unchanged", "README.md", "to-folder"]);
        assert_eq!(work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap().dirty_count, 0);
        for name in ["link", "turned", "README.md", "to-folder"] {
            std::fs::remove_file(w.join(name)).unwrap();
        }
        symlink("new", w.join("link")).unwrap();
        write(w, "turned", "a file");
        symlink("/precious/target", w.join("README.md")).unwrap();
        write(w, "to-folder/inside", "i");
        let mut dirty = work_state(&f.repo, w, &f.head(), &CopyRecord::default()).unwrap().dirty;
        dirty.sort();
        assert_eq!(dirty, ["README.md", "link", "to-folder/inside", "turned"]);
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        remove(&f.repo, w).unwrap();
        restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap();
        let leads = |name: &str| std::fs::read_link(w.join(name)).unwrap();
        assert_eq!(leads("link"), std::path::Path::new("new"));
        assert_eq!(leads("README.md"), std::path::Path::new("/precious/target"));
        assert_eq!((read(w, "turned"), read(w, "to-folder/inside")), ("a file".into(), "i".into()));
    }

    fn a_damaged_backup_is_listed_as_damaged() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let mut names = Vec::new();
        for text in ["a", "b", "c", "d"] {
            write(&made.path, "new", text);
            names.push(saved(&f, &made, &CopyRecord::default()).unwrap());
        }
        let at = |number: usize| f.repo.join(".git").join(&names[number].name);
        let said = || -> Vec<bool> { backups(&f.repo, &session()).unwrap().iter().map(|one| one.is_damaged).collect() };
        assert_eq!(said(), [false; 4]);
        // Garbage, a commit that is missing, and a commit whose tree is missing.
        std::fs::write(at(0), "rubbish\n").unwrap();
        std::fs::write(at(1), format!("{}\n", "1".repeat(40))).unwrap();
        let commit = format!("tree {}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nDownbeat backup\n", "2".repeat(40));
        write(&f.repo, "../commit", &commit);
        let id = out(&f.repo, &["hash-object", "-w", "-t", "commit", "--literally", "../commit"]);
        std::fs::write(at(2), format!("{id}\n")).unwrap();
        let found = backups(&f.repo, &session()).unwrap();
        assert_eq!(said(), [false, true, true, true], "{found:?}");
        let listed: Vec<_> = found.iter().rev().map(|one| one.name.clone()).collect();
        assert_eq!(listed, names.iter().map(|one| one.name.clone()).collect::<Vec<_>>());
    }

    fn a_backup_of_the_first_format_is_restored() {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&made.path, "manifest.json", "the project's own");
        git(&made.path, &["add", "-A"]);
        git(&made.path, &["commit", "-qm", "a manifest"]);
        let head = out(&made.path, &["rev-parse", "HEAD"]);
        write(&made.path, "README.md", "staged\n");
        git(&made.path, &["add", "README.md"]);
        let tree = out(&made.path, &["write-tree"]);
        let staged = out(&made.path, &["commit-tree", &tree, "-p", &head, "-m", "staged"]);
        write(&made.path, "README.md", "work\n");
        write(&made.path, "new", "n");
        git(&made.path, &["add", "-A"]);
        let tree = out(&made.path, &["write-tree"]);
        let message = r#"Downbeat backup of s0123456789ab

{"branch":"feature/one","files":2,"untracked":["new"],"copies":[],"conflicts":false}"#;
        let commit = out(&made.path, &["commit-tree", &tree, "-p", &head, "-p", &staged, "-m", message]);
        git(&f.repo, &["update-ref", "refs/downbeat/backup/s0123456789ab/1", &commit]);
        remove(&f.repo, &made.path).unwrap();
        let backup = &backups(&f.repo, &session()).unwrap()[0];
        assert_eq!((backup.branch.as_deref(), backup.files), (Some("feature/one"), 2));
        restore(&f.repo, &made.path, &made.branch, backup, Programs::Run).unwrap();
        assert_eq!(status(&made.path), "MM README.md\n?? new");
        assert_eq!((read(&made.path, "README.md"), read(&made.path, "new")), ("work\n".into(), "n".into()));
    }

    fn bringing_a_backup_to_another_branch_omits_operations_in_progress() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let w = &made.path;
        conflict(&f, w);
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        let there = bring(&f.repo, &f.place("two"), "feature/two", &backup, Programs::Run).unwrap();
        assert_eq!(there.branch, "feature/two");
        assert_eq!(read(&there.path, "README.md"), read(w, "README.md"));
        assert_eq!(status(&there.path), " M README.md");
        assert_eq!(status(w), "UU README.md", "where it comes from, all is as before");
    }

    fn a_branch_that_moved_on_is_not_changed_by_a_restore() {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&made.path, "x", "1");
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        remove(&f.repo, &made.path).unwrap();
        git(&f.repo, &["branch", "-f", &made.branch, "main"]);
        git(&f.repo, &["checkout", "-q", &made.branch]);
        let back = restore(&f.repo, &made.path, &made.branch, &backup, Programs::Run).unwrap();
        assert_eq!(back.branch, "feature/one-2");
        assert_eq!(read(&back.path, "x"), "1");
    }

    fn restoring_never_overwrites_files() {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&made.path, "x", "old");
        let backup = saved(&f, &made, &CopyRecord::default()).unwrap();
        write(&made.path, "x", "newer");
        assert!(matches!(restore(&f.repo, &made.path, &made.branch, &backup, Programs::Run), Err(Error::Occupied { .. })));
        assert_eq!(read(&made.path, "x"), "newer");
        let foreign = BackupInfo { name: "refs/heads/main".into(), ..backup };
        assert!(matches!(restore(&f.repo, &f.place("z"), "z", &foreign, Programs::Run), Err(Error::UnknownRef { .. })));
    }
}
