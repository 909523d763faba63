//! Registering, filling and undoing worktrees.

use crate::fixture::{Fixture, git, out, read, status, write};
use crate::hermetic;
use downbeat_git::{Error, Programs, WorktreeSpec, checkout, register, roll_back};
use std::path::{Path, PathBuf};

fn hook(f: &Fixture, body: &str) {
    let path = f.repo.join(".git/hooks/post-checkout");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn make(f: &Fixture, branch: &str, path: &Path) -> Result<downbeat_git::WorktreeMade, Error> {
    let base = f.head();
    register(&WorktreeSpec {
        repo: &f.repo,
        path,
        branch,
        base_commit: &base,
        reason: "it's \"mine\"\n--x",
        programs: Programs::Run,
    })
}

hermetic! {
    fn a_new_worktree_is_complete_locked_and_on_its_branch() {
        let f = Fixture::small();
        let made = f.worktree("one");
        assert_eq!(made.branch, "feature/one");
        assert_eq!(read(&made.path, "src/lib.rs"), "fn main() {}\n");
        assert_eq!(status(&made.path), "");
        assert_eq!(out(&made.path, &["branch", "--show-current"]), "feature/one");
        assert!(out(&f.repo, &["worktree", "list", "--porcelain"]).contains("locked Downbeat test"));
        let before = f.census();
        assert_eq!(f.register("one").unwrap(), made);
        checkout(&made.path, Programs::Run).unwrap();
        assert_eq!(f.census(), before);
        assert_eq!(status(&f.repo), "");
    }

    fn the_actual_name_of_a_branch_selects_the_same_worktree() {
        let f = Fixture::small();
        git(&f.repo, &["branch", "x"]);
        let made = make(&f, "x", &f.place("a")).unwrap();
        assert_eq!(made.branch, "x-2");
        assert_eq!(make(&f, "x-2", &f.place("a")).unwrap(), made);
        checkout(&made.path, Programs::Run).unwrap();
        assert_eq!(make(&f, "x-2", &f.place("a")).unwrap(), made);
        assert_eq!(make(&f, "x", &f.place("a")).unwrap(), made);
        assert!(matches!(make(&f, "y", &f.place("a")), Err(Error::Occupied { .. })));
    }

    fn the_hook_runs_once_with_the_arguments_of_worktree_add() {
        let f = Fixture::small();
        hook(&f, "echo \"$@ $PWD\" >> ../../log-$(basename \"$PWD\")");
        let plain = f.place("plain");
        git(&f.repo, &["worktree", "add", "-q", "-b", "plain", plain.to_str().unwrap()]);
        let made = f.worktree("ours");
        checkout(&made.path, Programs::Run).unwrap();
        let top = f.repo.parent().unwrap();
        let (theirs, ours) = (read(top, "log-plain"), read(top, "log-ours"));
        assert_eq!(ours.lines().count(), 1);
        assert_eq!(theirs.replace("plain", "ours"), ours);
    }

    fn a_failing_hook_is_an_error_and_can_be_retried() {
        let f = Fixture::small();
        hook(&f, "echo broken hook >&2; exit 3");
        let made = f.register("one").unwrap();
        let error = checkout(&made.path, Programs::Run).unwrap_err();
        assert!(matches!(error, Error::Hook { .. }) && error.to_string().contains("broken hook"), "{error}");
        hook(&f, "exit 0");
        checkout(&made.path, Programs::Run).unwrap();
        assert_eq!(status(&made.path), "");
    }

    fn a_retry_writes_no_file_twice() {
        let f = Fixture::small();
        hook(&f, "exit 3");
        let made = f.register("one").unwrap();
        checkout(&made.path, Programs::Run).unwrap_err();
        write(&made.path, "README.md", "edited meanwhile\n");
        checkout(&made.path, Programs::Run).unwrap_err();
        hook(&f, "exit 0");
        checkout(&made.path, Programs::Run).unwrap();
        assert_eq!(read(&made.path, "README.md"), "edited meanwhile\n");
    }

    fn a_colliding_or_blocked_branch_gets_another_name() {
        let f = Fixture::small();
        git(&f.repo, &["branch", "feature"]);
        assert_eq!(make(&f, "feature/x", &f.place("a")).unwrap().branch, "feature-x");
        assert_eq!(make(&f, "feature/x", &f.place("b")).unwrap().branch, "feature-x-2");
        git(&f.repo, &["config", "core.ignorecase", "true"]);
        assert_eq!(make(&f, "FEATURE-X", &f.place("c")).unwrap().branch, "FEATURE-X-3");
        assert_eq!(make(&f, "main", &f.place("d")).unwrap().branch, "main-2");
        git(&f.repo, &["pack-refs", "--all"]);
        assert_eq!(make(&f, "main", &f.place("e")).unwrap().branch, "main-3");
    }

    fn external_text_is_never_interpreted() {
        let f = Fixture::small();
        let long = "🎉x".repeat(25_000);
        let bad = ["--force", "-D main", "\"; touch pwned; \"", "`touch pwned`", "$(touch pwned)", "a\nb", "../../x", "🎉", "\0", "", &long];
        for (n, text) in bad.iter().enumerate() {
            let path = f.place(&format!("t{n}"));
            let base = f.head();
            let spec = WorktreeSpec { repo: &f.repo, path: &path, branch: text, base_commit: &base, reason: text, programs: Programs::Run };
            let made = register(&spec).unwrap_or_else(|error| panic!("{text:.20?}: {error}"));
            checkout(&made.path, Programs::Run).unwrap();
            assert_eq!(out(&made.path, &["branch", "--show-current"]), made.branch);
        }
        assert!(!f.repo.join("pwned").exists() && !f.repo.parent().unwrap().join("pwned").exists());
        for base in ["main", "--help", "HEAD", "", "$(x)"] {
            let spec = WorktreeSpec { repo: &f.repo, path: &f.place("z"), branch: "z", base_commit: base, reason: "", programs: Programs::Run };
            assert!(matches!(register(&spec), Err(Error::UnknownRef { .. })), "{base}");
        }
        for path in ["/tmp/a/../b", "/"] {
            assert!(make(&f, "z", Path::new(path)).is_err(), "{path}");
        }
        assert!(!f.census().contains("/z"));
    }

    fn odd_repository_paths_work() {
        for name in ["with space", "new\nline", "quote'\"s", "-dash", "ünï🎉"] {
            let f = Fixture::named(name);
            let made = make(&f, "feature/x", &f.place(name)).unwrap();
            checkout(&made.path, Programs::Run).unwrap();
            assert_eq!(status(&made.path), "", "{name}");
            assert_eq!(make(&f, "feature/x", &f.place(name)).unwrap(), made);
            downbeat_git::remove(&f.repo, &made.path).unwrap();
            assert!(!made.path.exists());
        }
    }

    #[cfg(target_os = "linux")]
    fn paths_that_are_not_utf8_work() {
        use std::os::unix::ffi::OsStrExt;
        let odd = std::ffi::OsStr::from_bytes(b"r\xff\xfe");
        let f = Fixture::named(odd);
        let place = f.repo.parent().unwrap().join("trees").join(odd);
        let made = make(&f, "feature/x", &place).unwrap();
        checkout(&made.path, Programs::Run).unwrap();
        write(&made.path, std::ffi::OsStr::from_bytes(b"n\xf0"), "work");
        let session = downbeat_model::SessionId::random().unwrap();
        let saved = downbeat_git::save(&f.repo, &made.path, &session, &Default::default()).unwrap().unwrap();
        downbeat_git::remove(&f.repo, &made.path).unwrap();
        downbeat_git::restore(&f.repo, &made.path, &made.branch, &saved, Programs::Run).unwrap();
        assert_eq!(std::fs::read(made.path.join(std::ffi::OsStr::from_bytes(b"n\xf0"))).unwrap(), b"work");
    }

    fn foreign_content_is_never_changed() {
        let f = Fixture::small();
        let place = f.place("taken");
        write(&place, "theirs.txt", "precious");
        let before = f.census();
        let error = f.register("taken").unwrap_err();
        assert!(matches!(error, Error::Occupied { .. }) && error.to_string().contains("taken"), "{error}");
        roll_back(&f.repo, &place, Some("feature/taken")).unwrap();
        assert_eq!(read(&place, "theirs.txt"), "precious");
        assert_eq!(f.census(), before);
        let file = f.place("file");
        std::fs::write(&file, "x").unwrap();
        assert!(matches!(f.register("file"), Err(Error::Occupied { .. })));
        std::fs::create_dir(f.place("empty")).unwrap();
        f.register("empty").unwrap();
    }

    fn a_stale_registration_is_replaced_but_a_locked_one_is_not() {
        let f = Fixture::small();
        let stale = f.place("stale");
        git(&f.repo, &["worktree", "add", "-q", "-b", "old", stale.to_str().unwrap()]);
        std::fs::remove_dir_all(&stale).unwrap();
        let made = f.worktree("stale");
        assert_eq!(status(&made.path), "");
        let locked = f.place("locked");
        git(&f.repo, &["worktree", "add", "-q", "--lock", "-b", "kept", locked.to_str().unwrap()]);
        std::fs::remove_dir_all(&locked).unwrap();
        let error = f.register("locked").unwrap_err();
        assert!(error.to_string().contains("unlock"), "{error}");
        // A worktree of ours whose directory somebody deleted is created again.
        let gone = f.worktree("gone");
        std::fs::remove_dir_all(&gone.path).unwrap();
        let again = f.worktree("gone");
        assert_eq!((again.branch.as_str(), status(&again.path).as_str()), ("feature/gone", ""));
    }

    fn rolling_back_removes_everything_except_work() {
        let f = Fixture::small();
        let before = f.census();
        for fill in [false, true] {
            let made = f.register("x").unwrap();
            if fill {
                checkout(&made.path, Programs::Run).unwrap();
            }
            roll_back(&f.repo, &made.path, Some(&made.branch)).unwrap();
            roll_back(&f.repo, &made.path, Some(&made.branch)).unwrap();
            assert_eq!(f.census(), before);
        }
        let half = f.register("half").unwrap();
        write(&half.path, "new.txt", "work");
        assert!(matches!(roll_back(&f.repo, &half.path, None), Err(Error::HasWork { .. })));
        assert!(matches!(make(&f, "another", &half.path), Err(Error::HasWork { .. })));
        assert_eq!(read(&half.path, "new.txt"), "work");
        let made = f.worktree("worked");
        write(&made.path, "new.txt", "work");
        assert!(matches!(roll_back(&f.repo, &made.path, None), Err(Error::HasWork { .. })));
        assert_eq!(read(&made.path, "new.txt"), "work");
        git(&made.path, &["add", "-A"]);
        git(&made.path, &["commit", "-qm", "work"]);
        assert!(matches!(roll_back(&f.repo, &made.path, None), Err(Error::HasWork { .. })));
    }

    fn twenty_concurrent_registrations_create_twenty_worktrees() {
        let f = Fixture::small();
        let made: Vec<PathBuf> = std::thread::scope(|scope| {
            let work = |n: usize| {
                let f = &f;
                move || {
                    let made = make(f, "feature/same", &f.place(&format!("w{n}"))).unwrap();
                    checkout(&made.path, Programs::Run).unwrap();
                    made.path
                }
            };
            let all: Vec<_> = (0..20).map(|n| scope.spawn(work(n))).collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut branches: Vec<_> = made.iter().map(|path| out(path, &["branch", "--show-current"])).collect();
        branches.sort();
        branches.dedup();
        assert_eq!(branches.len(), 20);
        assert!(made.iter().all(|path| status(path).is_empty()));
    }

    fn submodules_that_are_in_use_are_checked_out() {
        let f = Fixture::small();
        let library = Fixture::small();
        let url = library.repo.to_str().unwrap();
        git(&f.repo, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", "lib", url, "libs/lib"]);
        git(&f.repo, &["commit", "-qm", "library"]);
        let made = f.worktree("one");
        assert_eq!(read(&made.path, "libs/lib/README.md"), "hello\n");
        assert_eq!(out(&made.path.join("libs/lib"), &["remote", "get-url", "origin"]), url);
        assert_eq!(status(&made.path), "");
        let state = |path: &Path| downbeat_git::work_state(&f.repo, path, &f.head(), &Default::default()).unwrap();
        assert_eq!(state(&made.path).dirty, [""; 0]);
        write(&made.path, "libs/lib/new.txt", "work");
        assert_eq!(state(&made.path).dirty, ["libs/lib/"]);
        git(&made.path.join("libs/lib"), &["stash", "push", "--quiet", "--include-untracked"]);
        assert_eq!(state(&made.path).dirty, ["libs/lib/"], "a stash is work");
        git(&made.path.join("libs/lib"), &["stash", "drop", "--quiet"]);
        assert_eq!(state(&made.path).dirty, [""; 0]);
        git(&made.path.join("libs/lib"), &["commit", "-q", "--allow-empty", "-m", "mine"]);
        assert_eq!(state(&made.path).dirty, ["libs/lib", "libs/lib/"], "it moved on, and it has work");
    }

    fn submodules_of_an_untrusted_project_are_checked_out_and_resumed_after_a_kill() {
        let (f, library) = (Fixture::small(), Fixture::small());
        let url = library.repo.to_str().unwrap();
        git(&f.repo, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", "lib", url, "libs/lib"]);
        git(&f.repo, &["commit", "-qm", "library"]);
        let made = f.register("one").unwrap();
        checkout(&made.path, Programs::Skip).unwrap();
        let (sub, home) = (made.path.join("libs/lib"), f.repo.join(".git/worktrees/one/modules/lib"));
        let is_whole = || {
            assert_eq!(read(&sub, "README.md"), "hello\n");
            assert_eq!(out(&sub, &["remote", "get-url", "origin"]), url);
            assert_eq!(out(&sub, &["rev-parse", "--show-toplevel"]), sub.to_str().unwrap());
            assert_eq!((status(&made.path), status(&sub)), (String::new(), String::new()));
            git(&made.path, &["submodule", "--quiet", "update"]);
        };
        is_whole();
        // As if the creation was interrupted before all files were there, and a
        // program was planted meanwhile.
        let noted = f.repo.join(".git/downbeat").read_dir().unwrap().flatten();
        let record = noted.map(|entry| entry.path().join("record.json")).find(|file| file.is_file()).unwrap();
        let text = std::fs::read_to_string(&record).unwrap();
        std::fs::write(&record, text.replace("\"ready\"", "\"filled\"")).unwrap();
        std::fs::remove_file(home.join("index")).unwrap();
        std::fs::remove_file(sub.join("README.md")).unwrap();
        write(&home, "info/attributes", "* filter=e\n");
        git(&sub, &["config", "filter.e.smudge", "echo planted"]);
        checkout(&made.path, Programs::Skip).unwrap();
        std::fs::remove_file(home.join("info/attributes")).unwrap();
        is_whole();
    }

    fn filters_run_as_in_a_normal_checkout() {
        let f = Fixture::small();
        git(&f.repo, &["config", "filter.loud.smudge", "tr a-z A-Z"]);
        git(&f.repo, &["config", "filter.loud.clean", "tr A-Z a-z"]);
        write(&f.repo, ".gitattributes", "*.txt filter=loud\n");
        write(&f.repo, "a.txt", "hello\n");
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "filtered"]);
        let made = f.worktree("one");
        assert_eq!(read(&made.path, "a.txt"), "HELLO\n");
        assert_eq!(status(&made.path), "");
    }
}
