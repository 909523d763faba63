//! The untracked files that worktrees receive.

use crate::fixture::{Fixture, git, read, status, write};
use crate::hermetic;
use downbeat_git::{CopyPlan, CopyRecord, Error, Programs, copy, plan_copies, restore, save, work_state};
use downbeat_model::SessionId;
use std::path::{Path, PathBuf};

fn texts(paths: &[PathBuf]) -> Vec<&str> {
    paths.iter().map(|path| path.to_str().unwrap()).collect()
}

fn list(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

hermetic! {
    fn concurrent_copies_do_not_use_each_others_partial_files() {
        let f = Fixture::small();
        for n in 0..300 {
            write(&f.repo, format!("cache/{n}"), &"x".repeat(20_000));
        }
        let made = f.worktree("one");
        let plan = CopyPlan { copies: vec!["cache".into()], links: vec![] };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| copy(&f.repo, &made.path, &plan).unwrap());
            }
        });
    }

    #[cfg(unix)]
    fn a_sparse_file_stays_sparse_and_is_refused_if_its_length_does_not_fit() {
        use std::io::{Seek as _, SeekFrom, Write as _};
        use std::os::unix::fs::MetadataExt as _;
        let f = Fixture::small();
        let holes = |name: &str, length: u64| {
            let mut file = std::fs::File::create(f.repo.join(name)).unwrap();
            file.write_all(b"begin").unwrap();
            file.seek(SeekFrom::Start(16 << 20)).unwrap();
            file.write_all(b"end").unwrap();
            file.set_len(length).unwrap();
        };
        holes(".env.holes", 24 << 20);
        let made = f.worktree("one").path;
        let record = copy(&f.repo, &made, &plan_copies(&f.repo, &[], &[]).unwrap()).unwrap();
        assert!(record.holds(&made, ".env.holes"));
        let [before, after] = [&f.repo, &made].map(|root| std::fs::read(root.join(".env.holes")).unwrap());
        assert!(before == after, "its content");
        let room = made.join(".env.holes").metadata().unwrap().blocks() * 512;
        assert!(room < 1 << 20, "{room} bytes on the disk");

        // A length that exceeds the disk, without content.
        holes(".env.huge", 8 << 40);
        let begun = std::time::Instant::now();
        let error = copy(&f.repo, &made, &plan_copies(&f.repo, &[], &[]).unwrap()).unwrap_err();
        assert!(error.full().is_some() && error.to_string().contains(".env.huge has"), "{error}");
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        assert_eq!(status(&made), "");
        assert!(!made.join(".env.huge").exists());
    }

    fn the_plan_of_a_record_names_copied_dependencies_and_links() {
        let f = Fixture::small();
        write(&f.repo, "node_modules/x/index.js", "x\n");
        write(&f.repo, "vendor/y", "y\n");
        write(&f.repo, ".gitignore", "node_modules/\nvendor/\n");
        let made = f.worktree("one");
        let plan = CopyPlan { copies: vec!["node_modules".into()], links: vec!["vendor".into()] };
        let record = copy(&f.repo, &made.path, &plan).unwrap();
        assert_eq!(record.plan(), plan);
    }

    fn env_files_are_copied_but_examples_are_not() {
        let f = Fixture::small();
        for name in [".env", ".env.local", ".env.example", "apps/web/.env", "node_modules/x/.env", ".environment", "src/a.log"] {
            write(&f.repo, name, "S=1\n");
        }
        write(&f.repo, "fresh/deep/.env", "S=2\n");
        git(&f.repo, &["add", ".env.example"]);
        let plan = plan_copies(&f.repo, &[], &[]).unwrap();
        assert_eq!(texts(&plan.copies), [".env", ".env.local", "apps/web/.env", "fresh/deep/.env"]);
        write(&f.repo, ".worktreeinclude", "# more\n!.env.local\ncache/\n");
        write(&f.repo, "cache/a", "a");
        write(&f.repo, "config/dev.local", "x");
        let plan = plan_copies(&f.repo, &list(&["config/*.local", "README.md", "node_modules/x/.env"]), &[]).unwrap();
        let want = [".env", "apps/web/.env", "cache", "config/dev.local", "fresh/deep/.env", "node_modules/x/.env"];
        assert_eq!(texts(&plan.copies), want, "tracked files never");
        let plan = plan_copies(&f.repo, &list(&["node_modules"]), &list(&["node_modules", "cache"])).unwrap();
        assert_eq!(texts(&plan.links), ["cache", "node_modules"]);
    }

    #[cfg(unix)]
    fn nothing_outside_the_repository_is_planned_or_written() {
        let f = Fixture::small();
        for bad in ["../secret", "a/../../b"] {
            assert!(matches!(plan_copies(&f.repo, &list(&[bad]), &[]), Err(Error::OutsidePath { .. })), "{bad}");
        }
        let git_dir = plan_copies(&f.repo, &list(&["*", ".git/**", "/etc/passwd"]), &[]).unwrap();
        assert!(git_dir.copies.iter().all(|path| !path.starts_with(".git") && path.is_relative()));
        let made = f.worktree("one");
        for bad in ["/etc/passwd", "../x", ".git/config", "a/../../x"] {
            let plan = CopyPlan { copies: vec![bad.into()], links: vec![] };
            assert!(matches!(copy(&f.repo, &made.path, &plan), Err(Error::OutsidePath { .. })), "{bad}");
        }
        // A branch that has a link where the primary checkout has a directory.
        let outside = f.repo.parent().unwrap().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, made.path.join("conf")).unwrap();
        write(&f.repo, "conf/.env", "S=1");
        let plan = plan_copies(&f.repo, &[], &[]).unwrap();
        copy(&f.repo, &made.path, &plan).unwrap();
        assert_eq!(outside.read_dir().unwrap().count(), 0);
    }

    #[cfg(unix)]
    fn copies_keep_modes_and_links_and_overwrite_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let f = Fixture::small();
        write(&f.repo, ".env", "S=1\n");
        std::fs::set_permissions(f.repo.join(".env"), std::fs::Permissions::from_mode(0o400)).unwrap();
        write(&f.repo, ".env.shared", "T=1\n");
        std::os::unix::fs::symlink(".env.shared", f.repo.join(".env.local")).unwrap();
        write(&f.repo, "node_modules/pkg/cli.js", "x");
        std::fs::create_dir_all(f.repo.join("node_modules/.bin")).unwrap();
        std::os::unix::fs::symlink("../pkg/cli.js", f.repo.join("node_modules/.bin/cli")).unwrap();
        let made = f.worktree("one");
        write(&made.path, ".env.shared", "mine\n");
        let plan = plan_copies(&f.repo, &list(&["node_modules"]), &[]).unwrap();
        let record = copy(&f.repo, &made.path, &plan).unwrap();
        assert_eq!(copy(&f.repo, &made.path, &plan).unwrap(), record, "repeatable");
        assert_eq!(read(&made.path, ".env"), "S=1\n");
        assert_eq!(made.path.join(".env").metadata().unwrap().permissions().mode() & 0o777, 0o400);
        assert_eq!(read(&made.path, ".env.shared"), "mine\n");
        assert_eq!(std::fs::read_link(made.path.join("node_modules/.bin/cli")).unwrap(), Path::new("../pkg/cli.js"));
        assert_eq!(std::fs::read_link(made.path.join(".env.local")).unwrap(), Path::new(".env.shared"));
        assert_eq!(record.trees, ["node_modules"]);
        let json = serde_json_round_trip(&record);
        let state = work_state(&f.repo, &made.path, &f.head(), &json).unwrap();
        assert_eq!(state.changed_copies, [".env.shared"]);
        assert_eq!(status(&made.path), "");
    }

    fn links_are_excluded_from_status() {
        let f = Fixture::small();
        write(&f.repo, "node_modules/pkg/a", "x");
        let made = f.worktree("one");
        let plan = plan_copies(&f.repo, &[], &list(&["node_modules"])).unwrap();
        let record = copy(&f.repo, &made.path, &plan).unwrap();
        assert_eq!(std::fs::read_link(made.path.join("node_modules")).unwrap(), f.repo.join("node_modules"));
        assert_eq!(status(&made.path), "");
        assert_eq!(work_state(&f.repo, &made.path, &f.head(), &record).unwrap().dirty_count, 0);
        downbeat_git::remove(&f.repo, &made.path).unwrap();
        assert_eq!(read(&f.repo, "node_modules/pkg/a"), "x", "a link is removed, not followed");
    }

    fn an_unchanged_untracked_copy_is_not_work() {
        let f = Fixture::small();
        std::fs::write(f.repo.join(".gitignore"), "").unwrap();
        git(&f.repo, &["commit", "-qam", "ignore nothing"]);
        write(&f.repo, ".env", "S=1\n");
        let made = f.worktree("one");
        let plan = plan_copies(&f.repo, &[], &[]).unwrap();
        let record = copy(&f.repo, &made.path, &plan).unwrap();
        let state = || work_state(&f.repo, &made.path, &f.head(), &record).unwrap();
        assert_eq!((state().dirty_count, state().changed_copies), (0, vec![]));
        write(&made.path, ".env", "S=2\n");
        assert_eq!(state().dirty, [".env"]);
    }

    fn a_changed_copy_of_the_same_size_and_time_is_work() {
        let f = Fixture::small();
        write(&f.repo, ".env", "KEY=1\n");
        let made = f.worktree("one");
        let record = copy(&f.repo, &made.path, &plan_copies(&f.repo, &[], &[]).unwrap()).unwrap();
        let state = || work_state(&f.repo, &made.path, &f.head(), &record).unwrap();
        assert_eq!(state().changed_copies, [""; 0]);
        let file = made.path.join(".env");
        let then = file.metadata().unwrap().modified().unwrap();
        write(&made.path, ".env", "KEY=2\n");
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
        assert_eq!(state().changed_copies, [".env"]);
        let session = SessionId::parse("s0123456789ab").unwrap();
        let backup = save(&f.repo, &made.path, &session, &record).unwrap().unwrap();
        assert_eq!(crate::fixture::out(&f.repo, &["show", &format!("{}:.env", backup.commit)]), "KEY=2");
    }

    fn files_added_to_a_copied_directory_are_listed_saved_and_restored() {
        let f = Fixture::small();
        std::fs::write(f.repo.join(".gitignore"), "data/\n").unwrap();
        git(&f.repo, &["commit", "-qam", "ignore data"]);
        write(&f.repo, "data/old.txt", "old");
        write(&f.repo, "data/build/kept.txt", "on purpose");
        write(&f.repo, "data/node_modules/x/a.js", "x");
        let made = f.worktree("one");
        let w = &made.path;
        let record = copy(&f.repo, w, &plan_copies(&f.repo, &list(&["data/"]), &[]).unwrap()).unwrap();
        let record = serde_json_round_trip(&record);
        let state = || work_state(&f.repo, w, &f.head(), &record).unwrap();
        assert_eq!((state().changed_copies, state().ignored), (vec![], vec![]), "a fresh copy is no work");
        write(w, "data/new.txt", "precious");
        write(w, "data/deep/er/new.txt", "too");
        write(w, "data/build/added.txt", "looked into, since it was copied");
        write(w, "data/__pycache__/a.bin", "made again");
        write(w, "data/old.txt", "older");
        assert_eq!(state().changed_copies, ["data/old.txt", "data/build/added.txt", "data/deep/er/new.txt", "data/new.txt"]);
        assert_eq!(state().ignored, []);
        let session = SessionId::parse("s0123456789ab").unwrap();
        let backup = save(&f.repo, w, &session, &record).unwrap().unwrap();
        assert_eq!(backup.files, 4);
        downbeat_git::remove(&f.repo, w).unwrap();
        restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap();
        assert_eq!(read(w, "data/new.txt"), "precious");
        assert_eq!(read(w, "data/deep/er/new.txt"), "too");
        assert_eq!(read(w, "data/old.txt"), "older");
        assert_eq!(status(w), "");
        let mut old = serde_json::to_value(&record).unwrap();
        old.as_object_mut().unwrap().remove("directories");
        serde_json::from_value::<CopyRecord>(old).unwrap();
    }

    fn a_copy_whose_original_is_gone_or_changed_is_saved_silently() {
        let f = Fixture::small();
        std::fs::write(f.repo.join(".gitignore"), ".env\ndata/\n").unwrap();
        git(&f.repo, &["commit", "-qam", "ignore"]);
        for name in [".env", "data/gone", "data/other", "data/kept"] {
            write(&f.repo, name, "bytes");
        }
        let made = f.worktree("one");
        let w = &made.path;
        let record = copy(&f.repo, w, &plan_copies(&f.repo, &list(&["data"]), &[]).unwrap()).unwrap();
        let session = SessionId::parse("s0123456789ab").unwrap();
        assert_eq!(save(&f.repo, w, &session, &record).unwrap(), None);
        std::fs::remove_file(f.repo.join(".env")).unwrap();
        std::fs::remove_file(f.repo.join("data/gone")).unwrap();
        write(&f.repo, "data/other", "newer");
        let state = work_state(&f.repo, w, &f.head(), &record).unwrap();
        assert_eq!((state.dirty_count, state.changed_copies, state.ignored), (0, vec![], vec![]));
        let backup = save(&f.repo, w, &session, &record).unwrap().unwrap();
        assert_eq!(backup.files, 3);
        downbeat_git::remove(&f.repo, w).unwrap();
        restore(&f.repo, w, &made.branch, &backup, Programs::Run).unwrap();
        for name in [".env", "data/gone", "data/other"] {
            assert_eq!(read(w, name), "bytes", "{name}");
        }
    }

    fn a_plan_of_missing_files_and_pipes_is_harmless() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let pipe = f.repo.join(".env.pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let plan = CopyPlan { copies: vec![".env.gone".into(), ".env.pipe".into()], links: vec!["gone".into()] };
        assert_eq!(copy(&f.repo, &made.path, &plan).unwrap(), CopyRecord::default());
    }
}

fn serde_json_round_trip(record: &CopyRecord) -> CopyRecord {
    serde_json::from_value(serde_json::to_value(record).unwrap()).unwrap()
}
