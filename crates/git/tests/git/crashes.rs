//! SIGKILL and write errors at every named step: nothing half-made remains, nothing is lost, and repeating
//! the call finishes the work.

use crate::fixture::{CrashPlan, Fixture, git, out, read, session, status, write};
use crate::hermetic;
use downbeat_git::{
    CopyRecord, Error, POINTS, Programs, Seen, WorktreeSpec, checkout, copy, plan_copies, register,
    remove_unchanged, restore, roll_back, save,
};
use std::path::Path;

/// Runs one part of a worktree's life, selected by `step`. Each part can be repeated.
fn play(step: &str, repo: &Path) -> Result<(), Error> {
    let place = repo.parent().unwrap().join("trees/one");
    let base = downbeat_git::Repository::open(repo)?.base("main")?.commit;
    match step {
        "make" => {
            let spec = WorktreeSpec {
                repo,
                path: &place,
                branch: "feature/one",
                base_commit: &base,
                reason: "test",
                programs: Programs::Run,
            };
            let made = register(&spec)?;
            checkout(&made.path, Programs::Run)?;
            copy(repo, &made.path, &plan_copies(repo, &[], &[])?).map(drop)
        }
        "undo" => roll_back(repo, &place, None),
        "end" => {
            let seen = Seen::of(repo, &place)?;
            save(repo, &place, &session(), &CopyRecord::default())?;
            remove_unchanged(repo, &place, &seen)
        }
        "back" => {
            let found = downbeat_git::backups(repo, &session())?;
            restore(repo, &place, "feature/one", &found[0], Programs::Run).map(drop)
        }
        other => panic!("{other}"),
    }
}

/// Runs a step in a process of its own, which the step may kill.
#[test]
#[ignore = "a part of the other tests"]
fn player() {
    if let (Ok(step), Ok(repo)) = (std::env::var("PLAY"), std::env::var("PLAY_REPO")) {
        play(&step, Path::new(&repo)).unwrap();
    }
}

fn killed(step: &str, point: &str, repo: &Path) -> bool {
    let plan = CrashPlan {
        test: concat!(module_path!(), "::player"),
        step,
        repo,
        variable: "DOWNBEAT_CRASH_AT",
        point,
    };
    plan.run()
}

/// Returns every file below the objects of a repository.
fn objects(repo: &Path) -> Vec<std::path::PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![repo.join(".git/objects")]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap().flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    found.sort();
    found
}

fn begins(prefixes: &[&str]) -> Vec<&'static str> {
    POINTS
        .iter()
        .copied()
        .filter(|point| prefixes.iter().any(|prefix| point.starts_with(prefix)))
        .collect()
}

hermetic! {
    fn a_killed_creation_can_be_finished_or_undone() {
        for point in begins(&["register-", "checkout-", "copy-"]) {
            for finish in [true, false] {
                let f = Fixture::small();
                write(&f.repo, ".env", "S=1\n");
                let before = f.census();
                assert!(killed("make", point, &f.repo), "{point} was not reached");
                if finish {
                    play("make", &f.repo).unwrap();
                    let place = f.place("one");
                    assert_eq!((status(&place).as_str(), read(&place, ".env").as_str()), ("", "S=1\n"), "{point}");
                    assert_eq!(crate::fixture::out(&place, &["branch", "--show-current"]), "feature/one", "{point}");
                    assert!(!place.join(".env").symlink_metadata().unwrap().is_symlink());
                    let left: Vec<_> = place.read_dir().unwrap().flatten().map(|e| e.file_name()).filter(|n| n.to_string_lossy().starts_with(".downbeat")).collect();
                    assert!(left.is_empty(), "{point}: {left:?}");
                } else {
                    play("undo", &f.repo).unwrap();
                    assert_eq!(f.census(), before, "{point}");
                }
            }
        }
    }

    fn a_killed_undo_can_be_finished() {
        for point in begins(&["undo-"]) {
            for make_first in [true, false] {
                let f = Fixture::small();
                let before = f.census();
                if make_first {
                    play("make", &f.repo).unwrap();
                } else {
                    assert!(killed("make", "register-added", &f.repo));
                }
                assert!(killed("undo", point, &f.repo), "{point} was not reached");
                play("undo", &f.repo).unwrap();
                assert_eq!(f.census(), before, "{point}");
            }
        }
    }

    fn a_killed_removal_loses_nothing() {
        for point in begins(&["save-", "remove-"]) {
            let f = Fixture::small();
            play("make", &f.repo).unwrap();
            write(&f.place("one"), "work.txt", "precious");
            assert!(killed("end", point, &f.repo), "{point} was not reached");
            play("end", &f.repo).unwrap();
            assert!(!f.place("one").exists(), "{point}");
            assert_eq!(f.repo.parent().unwrap().join("trees").read_dir().unwrap().count(), 0, "{point}");
            assert!(!f.repo.join(".git/worktrees").exists(), "{point}");
            play("back", &f.repo).unwrap();
            assert_eq!(read(&f.place("one"), "work.txt"), "precious", "{point}");
        }
    }

    /// The objects exist, but no reference names them yet.
    fn a_backup_without_its_reference_survives_a_garbage_collection() {
        let f = Fixture::small();
        play("make", &f.repo).unwrap();
        write(&f.place("one"), "work.txt", "precious");
        assert!(killed("end", "save-packed", &f.repo));
        git(&f.repo, &["gc", "-q", "--prune=now"]);
        let objects = out(&f.repo, &["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"]);
        let commits = objects.lines().filter_map(|line| line.strip_prefix("commit "));
        let is_backup = |commit: &&str| out(&f.repo, &["cat-file", "-p", commit]).contains("Downbeat backup of");
        let backup = commits.into_iter().find(is_backup).expect("it was collected").to_owned();
        assert_eq!(out(&f.repo, &["show", &format!("{backup}:work.txt")]), "precious");
        play("end", &f.repo).unwrap();
        let packs = f.repo.join(".git/objects/pack").read_dir().unwrap().flatten();
        let kept: Vec<_> = packs.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "keep")).collect();
        assert_eq!(kept, [""; 0].map(std::path::PathBuf::from), "collections have it again");
        play("back", &f.repo).unwrap();
        assert_eq!(read(&f.place("one"), "work.txt"), "precious");
    }

    fn a_failed_or_killed_save_leaves_no_objects() {
        let f = Fixture::small();
        play("make", &f.repo).unwrap();
        write(&f.place("one"), "work.txt", &"precious".repeat(40_000));
        let before = objects(&f.repo);
        for (variable, is_killed) in [("DOWNBEAT_FAIL_AT", false), ("DOWNBEAT_CRASH_AT", true)] {
            let test = concat!(module_path!(), "::player");
            let plan = CrashPlan { test, step: "end", repo: &f.repo, variable, point: "save-written" };
            assert_eq!(plan.run(), is_killed, "{variable}");
            assert_eq!(objects(&f.repo), before, "{variable}");
        }
        let made = save(&f.repo, &f.place("one"), &session(), &CopyRecord::default()).unwrap();
        assert!(made.is_some());
        let left = f.repo.join(".git/downbeat").read_dir().unwrap().flatten();
        let left = left.filter_map(|home| home.path().read_dir().ok()).flat_map(Iterator::flatten);
        let left: Vec<_> = left.map(|entry| entry.file_name()).filter(|name| name != "lock").collect();
        assert_eq!(left, ["record.json"], "nor beside them once it is saved");
    }

    fn a_killed_restore_can_be_finished() {
        for point in begins(&["restore-", "register-"]) {
            let f = Fixture::small();
            play("make", &f.repo).unwrap();
            write(&f.place("one"), "work.txt", "precious");
            write(&f.place("one"), "README.md", "changed\n");
            play("end", &f.repo).unwrap();
            assert!(killed("back", point, &f.repo), "{point} was not reached");
            play("back", &f.repo).unwrap();
            assert_eq!(read(&f.place("one"), "work.txt"), "precious", "{point}");
            assert_eq!(status(&f.place("one")), " M README.md\n?? work.txt", "{point}");
        }
    }

    fn a_full_disk_is_an_error_and_leaves_no_files() {
        for point in begins(&["register-"]) {
            let f = Fixture::small();
            let before = f.census();
            let output = CrashPlan { test: concat!(module_path!(), "::player"), step: "make", repo: &f.repo, variable: "DOWNBEAT_FAIL_AT", point }.output();
            let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
            assert!(text.contains("StorageFull"), "{point}: {text}");
            assert_eq!(f.census(), before, "{point}");
        }
    }

    #[cfg(target_os = "linux")]
    fn half_made_registrations_of_a_killed_git_are_cleared() {
        let f = Fixture::small();
        assert!(killed("make", "register-recorded", &f.repo));
        // The leftovers of a `git worktree add` that is killed between its first steps.
        let notes = f.repo.join(".git/worktrees/one");
        std::fs::create_dir_all(&notes).unwrap();
        std::fs::write(notes.join("locked"), "initializing").unwrap();
        crate::fixture::git(&f.repo, &["branch", "feature/one"]);
        write(&f.repo, ".git/refs/heads/feature/one.lock", "");
        play("make", &f.repo).unwrap();
        assert_eq!(crate::fixture::out(&f.place("one"), &["branch", "--show-current"]), "feature/one");
        assert!(!f.repo.join(".git/worktrees/one1").exists());
    }
}
