//! Landing a candidate: the branch, the checkouts that have it, and what a person has in them.

use crate::fixture::{Fixture, git, out, read, status, write};
use crate::hermetic;
use crate::queue::{
    branch, combine, commit, hook, lands, lands_with, made, main_of, nothing_left, picture, scene,
};
use downbeat_git::{Cause, Combination, Error, Landing, Programs, Refusal, Strategy};
use std::path::Path;

/// A candidate that changes `README.md`, deletes `src/lib.rs` and adds `new/file.txt`.
fn ready() -> (Fixture, String, String) {
    let f = Fixture::small();
    write(&f.repo, "other.txt", "other\n");
    write(&f.repo, "old/file.txt", "old\n");
    let old = commit(&f.repo, "base");
    let head = branch(
        &f,
        "work",
        &old,
        &[
            ("README.md", Some("hello\nlanded\n")),
            ("src/lib.rs", None),
            ("new/file.txt", Some("new\n")),
        ],
    );
    let new = made(&f, &old, &head, Strategy::Merge).commit;
    (f, old, new)
}

fn landed() -> Landing {
    Landing::Landed {
        submodules: Vec::new(),
        left: Vec::new(),
    }
}

fn refusal(result: Result<Landing, Error>) -> Refusal {
    match result.unwrap() {
        Landing::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

/// Checks that a landing is refused for this cause and these paths, and changes nothing.
fn refuses(f: &Fixture, place: &Path, old: &str, new: &str, cause: &Cause, paths: &[&str]) -> Refusal {
    let before = scene(&f.repo, place);
    let refusal = refusal(lands(&f.repo, old, new));
    assert_eq!(
        (
            &refusal.cause,
            refusal.paths.iter().map(String::as_str).collect::<Vec<_>>()
        ),
        (cause, paths.to_vec()),
        "{refusal}"
    );
    assert_eq!(scene(&f.repo, place), before, "{refusal}");
    assert!(!f.repo.join(".git/downbeat/land/record.json").exists());
    refusal
}

hermetic! {
    fn a_clean_checkout_follows() {
        let (f, old, new) = ready();
        let mark = f.repo.with_file_name("ran");
        for name in ["post-checkout", "post-merge", "reference-transaction", "post-index-change", "update", "post-update"] {
            hook(&f.repo, name, &format!("touch {}", mark.display()));
        }
        for programs in [Programs::Skip, Programs::Run] {
            git(&f.repo, &["-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", &old]);
            assert_eq!(lands_with(&f.repo, &old, &new, programs).unwrap(), landed());
            assert!(!mark.exists(), "a hook ran");
            assert_eq!((main_of(&f.repo), f.head()), (new.clone(), new.clone()));
            assert_eq!(std::fs::read_to_string(f.repo.join(".git/HEAD")).unwrap(), "ref: refs/heads/main\n");
            assert_eq!(read(&f.repo, "README.md"), "hello\nlanded\n");
            assert!(!f.repo.join("src").exists(), "an empty folder goes, as with git");
            let dirty = out(&f.repo, &["-c", "core.hooksPath=/dev/null", "status", "--porcelain", "-uall"]);
            assert_eq!(dirty, "");
            for log in ["HEAD", "main"] {
                assert!(out(&f.repo, &["reflog", "-1", log]).contains("downbeat: landed"), "{log}");
            }
            nothing_left(&f.repo);
            assert_eq!(lands(&f.repo, &old, &new).unwrap(), Landing::AlreadyLanded);
        }
    }

    fn unrelated_edits_stay_as_they_are() {
        let (f, old, new) = ready();
        write(&f.repo, "other.txt", "edited\n");
        write(&f.repo, "old/file.txt", "staged\n");
        write(&f.repo, "added.txt", "staged\n");
        git(&f.repo, &["add", "old/file.txt", "added.txt"]);
        write(&f.repo, "old/file.txt", "staged, then edited\n");
        write(&f.repo, "untracked.txt", "mine\n");
        write(&f.repo, ".env", "ignored\n");
        std::fs::remove_file(f.repo.join(".gitignore")).unwrap();
        write(&f.repo, "src/notes", "beside what goes\n");
        git(&f.repo, &["add", "-N", "untracked.txt"]);
        let (staged, edited) = (["diff", "--cached"], ["diff"]);
        let before = (picture(&f.repo), out(&f.repo, &staged), out(&f.repo, &edited));
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
        assert_eq!((out(&f.repo, &staged), out(&f.repo, &edited)), (before.1, before.2));
        let mut after = picture(&f.repo);
        let mut expected = before.0;
        for path in ["README.md", "new", "new/file.txt", "src/lib.rs"] {
            after.remove(Path::new(path));
            expected.remove(Path::new(path));
        }
        assert_eq!(after, expected);
        nothing_left(&f.repo);
    }

    fn edits_of_what_lands_are_a_refusal() {
        type Edit<'a> = (&'a str, &'a [&'a str], &'a dyn Fn(&Fixture));
        let edits: &[Edit] = &[
            ("edited", &["README.md"], &|f| write(&f.repo, "README.md", "mine\n")),
            ("staged", &["README.md"], &|f| { write(&f.repo, "README.md", "mine\n"); git(&f.repo, &["add", "."]) }),
            ("staged, then as before", &["README.md"], &|f| {
                write(&f.repo, "README.md", "mine\n"); git(&f.repo, &["add", "."]); write(&f.repo, "README.md", "hello\n");
            }),
            ("deleted", &["README.md"], &|f| std::fs::remove_file(f.repo.join("README.md")).unwrap()),
            ("deleted there, edited here", &["src/lib.rs"], &|f| write(&f.repo, "src/lib.rs", "mine\n")),
            ("the same edit", &["README.md"], &|f| write(&f.repo, "README.md", "hello\nlanded\n")),
            ("the same edit, staged", &["README.md"], &|f| { write(&f.repo, "README.md", "hello\nlanded\n"); git(&f.repo, &["add", "."]) }),
            ("added here, too", &["new/file.txt"], &|f| { write(&f.repo, "new/file.txt", "mine\n"); git(&f.repo, &["add", "."]) }),
            ("to be added", &["new/file.txt"], &|f| { write(&f.repo, "new/file.txt", "mine\n"); git(&f.repo, &["add", "-N", "."]) }),
            ("staged below a file that lands, then deleted", &["new/file.txt/mine"], &|f| {
                write(&f.repo, "new/file.txt/mine", "mine\n"); git(&f.repo, &["add", "."]); std::fs::remove_dir_all(f.repo.join("new")).unwrap();
            }),
            ("staged in place of a folder that lands, then deleted", &["new"], &|f| {
                write(&f.repo, "new", "mine\n"); git(&f.repo, &["add", "."]); std::fs::remove_file(f.repo.join("new")).unwrap();
            }),
            ("two", &["README.md", "src/lib.rs"], &|f| { write(&f.repo, "README.md", "mine\n"); write(&f.repo, "src/lib.rs", "mine\n") }),
        ];
        for (what, paths, edit) in edits {
            let (f, old, new) = ready();
            edit(&f);
            let refusal = refuses(&f, &f.repo, &old, &new, &Cause::Edits, paths);
            assert_eq!(refusal.place.as_deref(), Some(&*f.repo), "{what}");
            assert!(refusal.to_string().contains("commit, stash or undo"), "{refusal}");
        }
    }

    #[cfg(unix)]
    fn a_changed_mode_or_kind_is_an_edit() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let (f, old, new) = ready();
        let readme = f.repo.join("README.md");
        std::fs::set_permissions(&readme, std::fs::Permissions::from_mode(0o755)).unwrap();
        refuses(&f, &f.repo, &old, &new, &Cause::Edits, &["README.md"]);
        std::fs::rename(&readme, f.repo.join("elsewhere")).unwrap();
        symlink("elsewhere", &readme).unwrap();
        refuses(&f, &f.repo, &old, &new, &Cause::Edits, &["README.md"]);
        // A folder that became a link leads out of the checkout.
        git(&f.repo, &["checkout", "-q", "README.md"]);
        let outside = f.repo.with_file_name("outside");
        std::fs::rename(f.repo.join("src"), &outside).unwrap();
        symlink(&outside, f.repo.join("src")).unwrap();
        refuses(&f, &f.repo, &old, &new, &Cause::Edits, &["src/lib.rs"]);
        assert_eq!(read(&outside, "lib.rs"), "fn main() {}\n");
    }

    /// Git's own `read-tree` overwrites ignored files.
    fn untracked_and_ignored_files_in_the_way_are_a_refusal() {
        let f = Fixture::small();
        write(&f.repo, "flat", "flat\n");
        let old = commit(&f.repo, "base");
        let head = branch(&f, "work", &old, &[
            (".env", Some("landed\n")), ("cache/a", Some("landed\n")), ("name", Some("landed\n")), ("deep/in/it", Some("landed\n")), ("flat", None), ("flat/now", Some("landed\n")),
        ]);
        let new = made(&f, &old, &head, Strategy::Squash).commit;
        let cases: &[(&str, &str)] = &[
            (".env", ".env"), ("cache/a", "cache/a"), ("name", "name"), ("name/.env", "name/.env"), ("name/x", "name/x"), ("deep", "deep"), ("deep/in", "deep/in"),
        ];
        for (file, named) in cases {
            write(&f.repo, file, "mine\n");
            let refusal = refuses(&f, &f.repo, &old, &new, &Cause::InTheWay, &[named]);
            assert!(refusal.to_string().contains("move these files away"), "{refusal}");
            let top = f.repo.join(Path::new(file).iter().next().unwrap());
            if top.is_dir() { std::fs::remove_dir_all(top).unwrap() } else { std::fs::remove_file(top).unwrap() }
        }
        write(&f.repo, "cache/b", "mine\n");
        std::fs::create_dir_all(f.repo.join("name")).unwrap();
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
        assert_eq!((read(&f.repo, "name"), read(&f.repo, "cache/b"), read(&f.repo, "flat/now")), ("landed\n".into(), "mine\n".into(), "landed\n".into()));
        assert_eq!(status(&f.repo), "");
    }

    fn edits_that_were_hidden_from_git_are_found() {
        for flag in ["--assume-unchanged", "--skip-worktree"] {
            let (f, old, new) = ready();
            git(&f.repo, &["update-index", flag, "README.md", "other.txt"]);
            write(&f.repo, "other.txt", "mine\n");
            write(&f.repo, "README.md", "mine\n");
            let before = scene(&f.repo, &f.repo);
            let refusal = refusal(lands(&f.repo, &old, &new));
            assert!(matches!(&refusal.cause, Cause::Git(said) if said.contains("README.md")), "{flag}: {refusal}");
            assert_eq!(scene(&f.repo, &f.repo), before, "{flag}");
            write(&f.repo, "README.md", "hello\n");
            // Git compares the times of a hidden file, not its content.
            git(&f.repo, &["update-index", &flag.replace("--", "--no-"), "README.md"]);
            git(&f.repo, &["update-index", "-q", "--refresh"]);
            git(&f.repo, &["update-index", flag, "README.md"]);
            assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed(), "{flag}");
            assert_eq!((read(&f.repo, "README.md"), read(&f.repo, "other.txt")), ("hello\nlanded\n".into(), "mine\n".into()));
            let kept = out(&f.repo, &["ls-files", "-v", "other.txt"]);
            assert_eq!(kept, if flag == "--skip-worktree" { "S other.txt" } else { "h other.txt" });
        }
    }

    fn an_operation_in_progress_is_a_refusal() {
        let begun = |what: &str| {
            let (f, old, new) = ready();
            branch(&f, "theirs", &format!("{old}~1"), &[("other.txt", Some("theirs\n"))]);
            let command: &[&str] = match what {
                "a merge" => &["merge", "theirs"],
                "a rebase" => &["rebase", "theirs"],
                "a cherry-pick" => &["cherry-pick", "theirs"],
                _ => &["bisect", "start"],
            };
            let _ = std::process::Command::new("git").current_dir(&f.repo).args(command).output().unwrap();
            (f, old, new)
        };
        for what in ["a merge", "a cherry-pick", "a bisection", "a rebase"] {
            let (f, old, new) = begun(what);
            let refusal = refuses(&f, &f.repo, &old, &new, &Cause::Operation(what), &[]);
            assert!(refusal.to_string().contains("finish or abort it"), "{refusal}");
        }
        let (f, old, new) = begun("a merge");
        std::fs::remove_file(f.repo.join(".git/MERGE_HEAD")).unwrap();
        refuses(&f, &f.repo, &old, &new, &Cause::Conflicts, &["other.txt"]);
    }

    fn a_locked_index_is_waited_for_and_then_a_refusal() {
        let (f, old, new) = ready();
        let lock = f.repo.join(".git/index.lock");
        std::fs::write(&lock, "").unwrap();
        let refusal = refusal(lands(&f.repo, &old, &new));
        assert_eq!(refusal.cause, Cause::IndexLocked);
        assert!(lock.exists(), "it is somebody else's");
        assert_eq!(main_of(&f.repo), old);
        let soon = std::thread::spawn({
            let lock = lock.clone();
            move || { std::thread::sleep(std::time::Duration::from_millis(300)); std::fs::remove_file(lock).unwrap() }
        });
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
        soon.join().unwrap();
        nothing_left(&f.repo);
    }

    fn every_checkout_of_the_branch_follows_or_none() {
        let (f, old, new) = ready();
        let second = f.place("second");
        git(&f.repo, &["worktree", "add", "-q", "-f", second.to_str().unwrap(), "main"]);
        let third = f.place("third");
        git(&f.repo, &["worktree", "add", "-q", "--detach", third.to_str().unwrap(), "main"]);
        // Another name for the branch.
        let fourth = f.place("fourth");
        git(&f.repo, &["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
        git(&f.repo, &["worktree", "add", "-q", "-f", fourth.to_str().unwrap(), "alias"]);
        write(&fourth, "README.md", "mine\n");
        let before: Vec<_> = [&f.repo, &second, &third, &fourth].iter().map(|place| scene(&f.repo, place)).collect();
        assert_eq!(refusal(lands(&f.repo, &old, &new)).place.as_ref(), Some(&fourth));
        let after: Vec<_> = [&f.repo, &second, &third, &fourth].iter().map(|place| scene(&f.repo, place)).collect();
        assert_eq!(before, after);
        git(&fourth, &["checkout", "-q", "README.md"]);
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
        for place in [&f.repo, &second, &fourth] {
            assert_eq!((status(place), out(place, &["rev-parse", "HEAD"])), (String::new(), new.clone()));
        }
        assert_eq!(out(&third, &["rev-parse", "HEAD"]), old, "a detached HEAD stays");
        assert_eq!((status(&third), read(&third, "README.md")), (String::new(), "hello\n".into()));
        let error = downbeat_git::land(&downbeat_git::LandSpec { repo: &f.repo, branch: "alias", old: &new, candidate: &new, message: "", programs: Programs::Skip }).unwrap_err();
        assert!(matches!(error, Error::Alias { .. }), "{error}");
        nothing_left(&f.repo);
    }

    fn a_rebase_of_the_branch_in_another_worktree_is_a_refusal() {
        let (f, old, new) = ready();
        git(&f.repo, &["checkout", "-q", "--detach"]);
        branch(&f, "theirs", &format!("{old}~1"), &[("other.txt", Some("theirs\n"))]);
        let place = f.place("rebasing");
        git(&f.repo, &["worktree", "add", "-q", place.to_str().unwrap(), "main"]);
        let _ = std::process::Command::new("git").current_dir(&place).args(["rebase", "theirs"]).output().unwrap();
        let refusal = refuses(&f, &place, &old, &new, &Cause::Operation("a rebase"), &[]);
        assert_eq!(refusal.place, Some(place));
    }

    fn a_checkout_whose_folder_is_gone_counts_only_if_it_is_locked() {
        let (f, old, new) = ready();
        git(&f.repo, &["checkout", "-q", "--detach"]);
        let place = f.place("gone");
        git(&f.repo, &["worktree", "add", "-q", "--lock", place.to_str().unwrap(), "main"]);
        std::fs::remove_dir_all(&place).unwrap();
        let refused = refusal(lands(&f.repo, &old, &new));
        assert_eq!((refused.cause, refused.place.as_deref()), (Cause::Missing, Some(&*place)));
        git(&f.repo, &["worktree", "unlock", place.to_str().unwrap()]);
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
    }

    fn a_branch_that_no_checkout_has_is_moved() {
        let (f, old, new) = ready();
        git(&f.repo, &["checkout", "-q", "-b", "mine"]);
        write(&f.repo, "README.md", "mine\n");
        let before = picture(&f.repo);
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
        assert_eq!((main_of(&f.repo), f.head(), picture(&f.repo)), (new, old, before));
        nothing_left(&f.repo);
    }

    fn a_bare_repository_and_its_worktrees() {
        let (f, old, new) = ready();
        let bare = f.repo.with_file_name("bare.git");
        git(&f.repo, &["clone", "-q", "--bare", f.repo.to_str().unwrap(), bare.to_str().unwrap()]);
        git(&f.repo, &["push", "-q", bare.to_str().unwrap(), &format!("{new}:refs/keep/one")]);
        assert_eq!(lands(&bare, &old, &new).unwrap(), landed());
        assert_eq!(main_of(&bare), new);
        git(&bare, &["update-ref", "refs/heads/main", &old]);
        let place = f.place("linked");
        git(&bare, &["worktree", "add", "-q", place.to_str().unwrap(), "main"]);
        write(&place, "other.txt", "mine\n");
        assert_eq!(lands(&bare, &old, &new).unwrap(), landed());
        assert_eq!((main_of(&bare), status(&place)), (new, " M other.txt".to_owned()));
    }

    fn a_branch_that_moved_is_not_touched() {
        let (f, old, new) = ready();
        write(&f.repo, "other.txt", "person\n");
        let now = commit(&f.repo, "by the person");
        let before = scene(&f.repo, &f.repo);
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), Landing::Moved { now: Some(now.clone()) });
        assert_eq!(scene(&f.repo, &f.repo), before);
        let refused = refusal(lands(&f.repo, &now, &new));
        assert_eq!(refused.cause, Cause::NotFastForward);
        assert_eq!(scene(&f.repo, &f.repo), before);
        git(&f.repo, &["checkout", "-q", "--detach"]);
        git(&f.repo, &["branch", "-q", "-D", "main"]);
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), Landing::Moved { now: None });
        // The clock of a commit does not decide what comes before what.
        git(&f.repo, &["branch", "main", &old]);
        let dated = |date: &str, parent: &str| {
            let tree = format!("{parent}^{{tree}}");
            let date = format!("{date}T00:00:00Z");
            let output = std::process::Command::new("git").current_dir(&f.repo).args(["commit-tree", "-p", parent, "-m", "x", &tree]).env("GIT_COMMITTER_DATE", date).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let future = dated("2090-01-01", &old);
        let past = dated("1999-01-01", &future);
        assert_eq!(lands(&f.repo, &old, &future).unwrap(), landed());
        assert_eq!(lands(&f.repo, &future, &past).unwrap(), landed());
    }

    fn a_batch_lands_at_once_and_later_work_on_top() {
        let f = Fixture::small();
        let base = f.head();
        let mut top = base.clone();
        for n in 0..3 {
            let head = branch(&f, &format!("w{n}"), &base, &[(&format!("f{n}.txt"), Some("x\n"))]);
            top = made(&f, &top, &head, Strategy::Squash).commit;
        }
        assert_eq!(lands(&f.repo, &base, &top).unwrap(), landed());
        assert!((0..3).all(|n| f.repo.join(format!("f{n}.txt")).exists()));
        write(&f.repo, "mine.txt", "mine\n");
        let mine = commit(&f.repo, "on top");
        assert_eq!(lands(&f.repo, &base, &top).unwrap(), Landing::AlreadyLanded);
        assert_eq!(f.head(), mine);
    }

    fn landings_at_the_same_time_come_one_after_the_other() {
        let f = Fixture::small();
        let base = f.head();
        let heads: Vec<_> = (0..4).map(|n| branch(&f, &format!("w{n}"), &base, &[(&format!("f{n}.txt"), Some("x\n"))])).collect();
        let ids: Vec<String> = (0..4).map(|n| format!("id{n}")).collect();
        std::thread::scope(|scope| {
            for (head, id) in heads.iter().zip(&ids) {
                let repo = &f.repo;
                scope.spawn(move || {
                    for _ in 0..50 {
                        let old = main_of(repo);
                        let time = crate::queue::noon();
                        let mut spec = downbeat_git::CandidateSpec { repo, id, target: &old, head, strategy: Strategy::Merge, message: "", time: &time };
                        spec.id = id;
                        let Combination::Candidate(made) = downbeat_git::candidate(&spec).unwrap() else { panic!() };
                        match lands(repo, &old, &made.commit).unwrap() {
                            Landing::Landed { .. } => return,
                            Landing::Moved { .. } => {}
                            other => panic!("{other:?}"),
                        }
                    }
                    panic!("never landed");
                });
            }
        });
        assert_eq!(status(&f.repo), "");
        assert!((0..4).all(|n| f.repo.join(format!("f{n}.txt")).exists()));
        assert_eq!(out(&f.repo, &["rev-list", "--count", "--first-parent", "main"]), "5");
        nothing_left(&f.repo);
    }

    fn a_commit_by_the_person_during_a_landing_waits_or_fails() {
        let (f, old, new) = ready();
        // The person's program commits again and again while the landing runs, with a pause now and then:
        // without one, the branch would have moved whenever a candidate is complete.
        let repo = f.repo.clone();
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let person = std::thread::spawn({
            let stop = stop.clone();
            move || {
                let mut made = 0;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    write(&repo, "other.txt", &format!("{made}\n"));
                    let output = std::process::Command::new("git").current_dir(&repo).args(["commit", "-qam", "mine"]).output().unwrap();
                    made += usize::from(output.status.success());
                    if made % 4 == 3 {
                        std::thread::sleep(std::time::Duration::from_millis(40 * (made as u64 % 16)));
                    }
                }
                made
            }
        });
        let mut landing = Landing::AlreadyLanded;
        for _ in 0..1000 {
            let now = main_of(&f.repo);
            let Combination::Candidate(one) = combine(&f, &now, &new, Strategy::Merge).unwrap() else { panic!() };
            landing = lands(&f.repo, &now, &one.commit).unwrap();
            if matches!(landing, Landing::Landed { .. }) { break }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let made = person.join().unwrap();
        let _ = old;
        assert!(matches!(landing, Landing::Landed { .. }), "{landing:?} after {made} commits");
        git(&f.repo, &["checkout", "-q", "--", "other.txt"]);
        assert_eq!(status(&f.repo), "");
        assert_eq!(read(&f.repo, "README.md"), "hello\nlanded\n");
        let undone = out(&f.repo, &["log", "--format=%h", "--diff-filter=D", "--", "new/file.txt"]);
        assert_eq!(undone, "", "no commit undid what landed");
        assert_eq!(out(&f.repo, &["log", "--format=%s", "--", "other.txt"]).lines().filter(|line| *line == "mine").count(), made);
    }
}
