//! Processes that keep writing into a worktree while it is saved and removed: their writes
//! are saved, or the worktree stays.

use crate::fixture::{CrashPlan, Fixture, out, read, session, write};
use crate::hermetic;
use downbeat_git::{CopyRecord, Error, Programs, Seen, backups, checkout, remove_unchanged, restore, save};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Saves and removes a worktree once, as the engine does.
fn end(repo: &Path, place: &Path) -> Result<(), Error> {
    let seen = Seen::of(repo, place)?;
    save(repo, place, &session(), &CopyRecord::default())?;
    remove_unchanged(repo, place, &seen)
}

/// Restores the newest backup.
fn back(f: &Fixture, place: &Path) {
    let saved = backups(&f.repo, &session()).unwrap();
    restore(&f.repo, place, "feature/one", &saved[0], Programs::Run).unwrap();
}

/// Runs a removal in a process of its own, in which something writes at a step.
#[test]
#[ignore = "a part of the other tests"]
fn player() {
    if let Ok(repo) = std::env::var("PLAY_REPO") {
        let repo = Path::new(&repo);
        let done = end(repo, &repo.parent().unwrap().join("trees/one"));
        println!(
            "ended with {}",
            done.err().map(|error| error.to_string()).unwrap_or_default()
        );
    }
}

hermetic! {
    fn a_write_after_saving_prevents_the_removal() {
        let f = Fixture::small();
        let place = f.worktree("one").path;
        write(&place, "kept.txt", "old");
        write(&place, ".gitignore", "notes.local\nnode_modules/\n");
        write(&place, "notes.local", "ignored");
        write(&place, "node_modules/x/y", "made");
        let ways: &[(&str, &dyn Fn())] = &[
            ("new.txt", &|| write(&place, "new.txt", "late")),
            ("README.md", &|| write(&place, "README.md", "HELLO\n")),
            ("notes.local", &|| write(&place, "notes.local", "IGNORED")),
            ("moved", &|| {
                write(f.repo.parent().unwrap(), "moved/x", "x");
                std::fs::rename(f.repo.parent().unwrap().join("moved"), place.join("moved")).unwrap();
            }),
            ("index", &|| crate::fixture::git(&place, &["add", "kept.txt"])),
        ];
        for (name, change) in ways {
            let seen = Seen::of(&f.repo, &place).unwrap();
            save(&f.repo, &place, &session(), &CopyRecord::default()).unwrap();
            change();
            let before = f.census();
            let refused = remove_unchanged(&f.repo, &place, &seen);
            assert!(matches!(&refused, Err(Error::Written { path, .. }) if path == Path::new(name)), "{name}: {refused:?}");
            assert_eq!(f.census(), before, "{name}");
            checkout(&place, Programs::Run).unwrap();
        }
        assert_eq!(out(&place, &["status", "--porcelain", "README.md"]), " M README.md");
        // Generated files may change, and deleted files were saved.
        let seen = Seen::of(&f.repo, &place).unwrap();
        save(&f.repo, &place, &session(), &CopyRecord::default()).unwrap();
        write(&place, "node_modules/x/y", "made again");
        std::fs::remove_file(place.join("kept.txt")).unwrap();
        remove_unchanged(&f.repo, &place, &seen).unwrap();
        assert!(!place.exists());
        back(&f, &place);
        assert_eq!(read(&place, "kept.txt"), "old");
        assert_eq!(read(&place, "notes.local"), "IGNORED");
    }

    /// The killed removal had moved the worktree aside, but had not compared it.
    #[cfg(unix)]
    fn a_worktree_that_stays_after_a_crash_can_be_used() {
        let f = Fixture::small();
        let place = f.worktree("one").path;
        write(&place, "kept.txt", "old");
        let plan = CrashPlan { test: concat!(module_path!(), "::player"), step: "", repo: &f.repo, variable: "DOWNBEAT_CRASH_AT", point: "remove-moved" };
        assert!(plan.run() && !place.exists());
        let seen = Seen::of(&f.repo, &place).unwrap();
        assert_eq!(read(&place, "kept.txt"), "old");
        write(&place, "kept.txt", "newer");
        let refused = remove_unchanged(&f.repo, &place, &seen);
        assert!(matches!(refused, Err(Error::Written { .. })), "{refused:?}");
        checkout(&place, Programs::Run).unwrap();
        end(&f.repo, &place).unwrap();
        back(&f, &place);
        assert_eq!(read(&place, "kept.txt"), "newer");
    }

    /// The size stays the same, and the time that a program can set is restored.
    #[cfg(unix)]
    fn a_write_that_restores_the_old_time_is_detected() {
        let f = Fixture::small();
        let place = f.worktree("one").path;
        write(&place, "kept.txt", "old");
        let file = place.join("kept.txt");
        let then: SystemTime = file.metadata().unwrap().modified().unwrap();
        let seen = Seen::of(&f.repo, &place).unwrap();
        save(&f.repo, &place, &session(), &CopyRecord::default()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        write(&place, "kept.txt", "new");
        File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
        let refused = remove_unchanged(&f.repo, &place, &seen);
        assert!(matches!(refused, Err(Error::Written { .. })), "{refused:?}");
        assert_eq!(read(&place, "kept.txt"), "new");
    }

    /// A process that holds a file open writes into the tree that was moved aside.
    #[cfg(unix)]
    fn a_write_at_any_step_of_a_removal_is_kept() {
        for step in ["save-written", "save-done", "remove-recorded", "remove-moved", "remove-unregistered"] {
            let f = Fixture::small();
            let place = f.worktree("one").path;
            write(&place, "open.log", "early\n");
            // The same file under another name, like an open file.
            let to = f.repo.parent().unwrap().join("open");
            std::fs::hard_link(place.join("open.log"), &to).unwrap();
            let plan = CrashPlan { test: concat!(module_path!(), "::player"), step: "", repo: &f.repo, variable: "DOWNBEAT_WRITE_AT", point: step };
            let said = plan.output_with("DOWNBEAT_WRITE_TO", to.to_str().unwrap());
            let trees = place.parent().unwrap();
            if step == "remove-unregistered" {
                assert!(said.contains("until the end (open.log)"), "{step}: {said}");
                let left: Vec<_> = trees.read_dir().unwrap().flatten().map(|entry| entry.path()).collect();
                assert_eq!(left.len(), 1, "{left:?}");
                assert!(said.contains(left[0].to_str().unwrap()), "{said}");
                assert_eq!(read(&left[0], "open.log"), "early\nlate\n");
                continue;
            }
            assert!(said.contains("a program still writes into"), "{step}: {said}");
            assert_eq!(read(&place, "open.log"), "early\nlate\n", "{step}");
            end(&f.repo, &place).unwrap();
            assert!(!place.exists());
            back(&f, &place);
            assert_eq!(read(&place, "open.log"), "early\nlate\n", "{step}");
        }
    }

    /// The process writes numbered files as fast as it can for a while. All that
    /// it could write exist at the end.
    #[cfg(unix)]
    fn no_file_of_a_continuous_writer_is_lost() {
        let f = Fixture::small();
        let place = f.worktree("one").path;
        let script = "n=0; while [ $n -lt 400 ]; do n=$((n+1)); echo $n > n$n 2>/dev/null && echo $n; done";
        let mut writer = Command::new("sh");
        let writer = writer.args(["-c", script]).current_dir(&place).stdout(Stdio::piped());
        let mut writer = writer.stderr(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let mut refusals = 0;
        let mut kept = place.clone();
        while let Err(error) = end(&f.repo, &place) {
            if let Error::LeftWritten { at, .. } = error {
                kept = at;
                break;
            }
            assert!(matches!(error, Error::Written { .. }), "{error}");
            assert!(Instant::now() < until, "{refusals} refusals");
            refusals += 1;
        }
        let _ = writer.kill();
        let mut told = String::new();
        std::io::Read::read_to_string(writer.stdout.as_mut().unwrap(), &mut told).unwrap();
        writer.wait().unwrap();
        if kept == place {
            back(&f, &place);
        }
        let numbers: Vec<&str> = told.lines().collect();
        assert!(!numbers.is_empty());
        let lost: Vec<_> = numbers.iter().filter(|n| !kept.join(format!("n{n}")).exists()).collect();
        assert!(lost.is_empty(), "{lost:?} of {}, after {refusals} refusals", numbers.len());
    }
}
