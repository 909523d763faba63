//! SIGKILL at every named step of a candidate and of a landing, and what a killed git leaves behind: the next
//! call finishes or undoes it, and nobody's bytes are lost.

use crate::fixture::{CrashPlan, Fixture, git, out, read, status, write};
use crate::hermetic;
use crate::queue::{Picture, branch, commit, lands, made, main_of, noon, nothing_left, picture, scene};
use downbeat_git::{
    CandidateSpec, Combination, Finished, Landing, POINTS, Programs, Strategy, candidate, finish_landing,
    pins,
};
use std::path::Path;

/// The branches that a step in another process uses.
fn play(step: &str, repo: &Path) {
    let id = |name: &str| out(repo, &["rev-parse", name]);
    match step {
        "make" => {
            let (target, head, time) = (id("main"), id("work"), noon());
            let spec = CandidateSpec {
                repo,
                id: "one",
                target: &target,
                head: &head,
                strategy: Strategy::Merge,
                message: "m",
                time: &time,
            };
            assert!(matches!(candidate(&spec).unwrap(), Combination::Candidate(_)));
        }
        "land" => drop(lands(repo, &id("refs/test/old"), &id("refs/test/new")).unwrap()),
        "finish" => drop(finish_landing(repo, Programs::Skip).unwrap()),
        other => panic!("{other}"),
    }
}

/// Runs a step in a process of its own, which the step may kill.
#[test]
#[ignore = "a part of the other tests"]
fn player() {
    if let (Ok(step), Ok(repo)) = (std::env::var("PLAY"), std::env::var("PLAY_REPO")) {
        play(&step, Path::new(&repo));
    }
}

fn plan<'a>(step: &'a str, point: &'a str, repo: &'a Path) -> CrashPlan<'a> {
    CrashPlan {
        test: concat!(module_path!(), "::player"),
        step,
        repo,
        variable: "DOWNBEAT_CRASH_AT",
        point,
    }
}

fn killed(step: &str, point: &str, repo: &Path) -> bool {
    plan(step, point, repo).run()
}

fn begins(prefix: &'static str) -> impl Iterator<Item = &'static str> {
    POINTS
        .iter()
        .copied()
        .filter(move |point| point.starts_with(prefix))
}

/// The steps of a landing that nothing disturbs.
fn steps() -> impl Iterator<Item = &'static str> {
    begins("land-").filter(|point| !["land-restored", "land-returned"].contains(point))
}

/// A landing with all kinds of changes, in a checkout with edits beside them.
struct Stage {
    f: Fixture,
    old: String,
    new: String,
    before: Picture,
    after: Picture,
}

const EDITED: &str = " M other.txt\n?? untracked.txt";

impl Stage {
    fn new() -> Self {
        let f = Fixture::small();
        write(&f.repo, "other.txt", "other\n");
        write(&f.repo, "turns", "a file\n");
        write(&f.repo, "back/to/file", "in a folder\n");
        write(&f.repo, "long.txt", &"old line\n".repeat(500));
        let old = commit(&f.repo, "base");
        let head = branch(
            &f,
            "work",
            &old,
            &[
                ("README.md", Some("hello\nlanded\n")),
                ("src/lib.rs", None),
                ("new/file.txt", Some("new\n")),
                ("turns", None),
                ("turns/in", Some("in\n")),
                ("back/to/file", None),
                ("back", Some("a file\n")),
                ("long.txt", Some(&"new line\n".repeat(500))),
            ],
        );
        let new = made(&f, &old, &head, Strategy::Merge).commit;
        git(&f.repo, &["update-ref", "refs/test/old", &old]);
        git(&f.repo, &["update-ref", "refs/test/new", &new]);
        let edit = || {
            write(&f.repo, "other.txt", "mine\n");
            write(&f.repo, "untracked.txt", "mine\n");
        };
        git(&f.repo, &["checkout", "-q", "--detach", &new]);
        edit();
        let after = picture(&f.repo);
        git(&f.repo, &["reset", "-q", "--hard", &old]);
        git(&f.repo, &["checkout", "-q", "main"]);
        edit();
        let before = picture(&f.repo);
        Self {
            f,
            old,
            new,
            before,
            after,
        }
    }

    fn lands(&self) -> Landing {
        lands(&self.f.repo, &self.old, &self.new).unwrap()
    }

    fn has_landed(&self, what: &str) {
        let repo = &self.f.repo;
        assert_eq!(main_of(repo), self.new, "{what}");
        assert_eq!(status(repo), EDITED, "{what}");
        assert_eq!(picture(repo), self.after, "{what}");
        nothing_left(repo);
    }

    fn is_undone(&self, what: &str) {
        let repo = &self.f.repo;
        assert_eq!(main_of(repo), self.old, "{what}");
        assert_eq!(picture(repo), self.before, "{what}");
        assert_eq!(status(repo), EDITED, "{what}");
        nothing_left(repo);
    }

    /// Takes files of the picture after the landing, others cut off, as a killed git leaves them.
    fn tear(&self, choose: impl Fn(usize) -> usize) {
        let repo = &self.f.repo;
        let paths = ["README.md", "src/lib.rs", "new/file.txt", "long.txt"];
        for (number, path) in paths.iter().enumerate() {
            let at = repo.join(path);
            let side = |picture: &Picture| picture.get(Path::new(path)).map(|(_, bytes)| bytes.clone());
            let (old, new) = (side(&self.before), side(&self.after));
            let put = |bytes: Option<Vec<u8>>| match bytes {
                Some(bytes) => write(repo, path, &String::from_utf8(bytes).unwrap()),
                None => drop(std::fs::remove_file(&at)),
            };
            match choose(number) {
                0 => put(old),
                1 => put(new),
                2 => put(new.map(|bytes| bytes[..bytes.len() / 2].to_vec())),
                _ => put(None),
            }
        }
    }
}

hermetic! {
    fn a_killed_candidate_is_made_again() {
        for point in begins("candidate-") {
            let stage = Stage::new();
            let repo = &stage.f.repo;
            git(repo, &["update-ref", "-d", "refs/downbeat/queue/one"]);
            let before = (picture(repo), main_of(repo));
            assert!(killed("make", point, repo), "{point} was not reached");
            assert_eq!((picture(repo), main_of(repo)), before, "{point}");
            play("make", repo);
            let first = pins(repo).unwrap();
            play("make", repo);
            assert_eq!((pins(repo).unwrap(), first.len()), (first, 1), "{point}");
            assert_eq!((picture(repo), main_of(repo)), before, "{point}");
        }
    }

    fn a_killed_landing_is_finished_by_the_next_call() {
        for point in steps() {
            for by_itself in [false, true] {
                let stage = Stage::new();
                let repo = &stage.f.repo;
                assert!(killed("land", point, repo), "{point} was not reached");
                let was_moved = main_of(repo) == stage.new;
                if was_moved {
                    // A commit that reads HEAD now would otherwise revert what landed.
                    assert_eq!(status(repo), EDITED, "{point}: the branch moves after the index");
                }
                if by_itself {
                    let ended = finish_landing(repo, Programs::Skip).unwrap();
                    let expected = match was_moved {
                        true => Finished::Landed { branch: "main".into(), candidate: stage.new.clone(), left: vec![] },
                        false => Finished::Undone { branch: "main".into(), left: vec![] },
                    };
                    assert_eq!(ended, Some(expected), "{point}");
                    match was_moved {
                        true => stage.has_landed(point),
                        false => stage.is_undone(point),
                    }
                    assert_eq!(finish_landing(repo, Programs::Skip).unwrap(), None, "{point}");
                }
                let expected = match by_itself && was_moved {
                    true => Landing::AlreadyLanded,
                    false => Landing::Landed { submodules: vec![], left: vec![] },
                };
                assert_eq!(stage.lands(), expected, "{point}");
                stage.has_landed(point);
            }
        }
    }

    /// Between the kill and the next call, HEAD and index may differ.
    fn nobody_can_commit_the_reverse_of_a_killed_landing() {
        for point in ["land-moved", "land-written", "land-indexed"] {
            let stage = Stage::new();
            let repo = &stage.f.repo;
            assert!(killed("land", point, repo));
            for command in [&["commit", "-qam", "mine"][..], &["add", "other.txt"], &["stash"], &["reset", "-q", "--hard"], &["checkout", "-q", "work"]] {
                let output = std::process::Command::new("git").current_dir(repo).args(command).output().unwrap();
                assert!(!output.status.success(), "{point}: {command:?}");
            }
            assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] }, "{point}");
            stage.has_landed(point);
        }
    }

    fn a_kill_while_a_killed_landing_is_finished() {
        for first in ["land-moved", "land-indexed", "land-written"] {
            let stage = Stage::new();
            let repo = &stage.f.repo;
            assert!(killed("land", first, repo));
            assert!(killed("finish", "land-unlocked", repo));
            assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] });
            stage.has_landed(first);
        }
    }

    /// The person saves a file in the moment between the checks and the update.
    fn an_edit_during_the_landing_undoes_it_also_after_a_kill() {
        for point in ["", "land-restored", "land-returned", "land-unlocked"] {
            let mut stage = Stage::new();
            let repo = stage.f.repo.clone();
            let readme = repo.join("README.md");
            let mut crash = plan("land", point, &repo);
            crash.variable = "DOWNBEAT_CRASH_AT";
            let more = [("DOWNBEAT_WRITE_AT", "land-locked"), ("DOWNBEAT_WRITE_TO", readme.to_str().unwrap())];
            let output = crash.output_and(&more);
            assert_eq!(output.status.success(), point.is_empty(), "{point}");
            let (kind, _) = stage.before[Path::new("README.md")].clone();
            stage.before.insert("README.md".into(), (kind, b"hello\nlate\n".to_vec()));
            if !point.is_empty() {
                let ended = finish_landing(&repo, Programs::Skip).unwrap().unwrap();
                assert!(matches!(ended, Finished::Undone { .. }), "{point}: {ended:?}");
            }
            assert_eq!((main_of(&repo), picture(&repo)), (stage.old.clone(), stage.before.clone()), "{point}");
            assert_eq!(status(&repo), format!(" M README.md\n{EDITED}"), "{point}");
            nothing_left(&repo);
            git(&repo, &["checkout", "-q", "README.md"]);
            assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] });
            stage.has_landed(point);
        }
    }

    fn files_that_a_killed_git_wrote_partly_are_written_again() {
        // Every pair of states of two files occurs.
        for mix in 0..16 {
            let (one, two) = (mix % 4, mix / 4);
            let states = [one, two, (one + two) % 4, (one + 2 * two) % 4];
            let stage = Stage::new();
            assert!(killed("land", "land-locked", &stage.f.repo));
            stage.tear(|number| states[number]);
            assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] }, "{states:?}");
            stage.has_landed(&format!("{states:?}"));
        }
    }

    fn an_edit_after_a_kill_undoes_the_landing_and_stays() {
        let mut stage = Stage::new();
        let repo = stage.f.repo.clone();
        assert!(killed("land", "land-locked", &repo));
        stage.tear(|number| number % 3 + 1);
        write(&repo, "new/file.txt", "new, and mine\n");
        let ended = finish_landing(&repo, Programs::Skip).unwrap().unwrap();
        assert_eq!(ended, Finished::Undone { branch: "main".into(), left: vec!["new/file.txt".into()] });
        let file = stage.before[Path::new("README.md")].0.clone();
        stage.before.insert("new".into(), ("folder".into(), Vec::new()));
        stage.before.insert("new/file.txt".into(), (file, b"new, and mine\n".to_vec()));
        assert_eq!((main_of(&repo), picture(&repo)), (stage.old.clone(), stage.before.clone()));
        nothing_left(&repo);
        // An edit in a checkout that is complete came later, and is no reason to undo anything.
        let stage = Stage::new();
        assert!(killed("land", "land-moved", &stage.f.repo));
        write(&stage.f.repo, "README.md", "later\n");
        assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] });
        assert_eq!((main_of(&stage.f.repo), read(&stage.f.repo, "README.md")), (stage.new.clone(), "later\n".into()));
        nothing_left(&stage.f.repo);
    }

    fn what_the_person_did_after_removing_the_lock_stays() {
        for point in ["land-locked", "land-written", "land-indexed", "land-moved"] {
            let ended = |repo: &Path| {
                let ended = finish_landing(repo, Programs::Skip).unwrap();
                match point {
                    "land-moved" => assert!(matches!(ended, Some(Finished::Landed { .. })), "{point}: {ended:?}"),
                    _ => assert!(matches!(ended, Some(Finished::Undone { .. })), "{point}: {ended:?}"),
                }
            };
            // Switched to another branch.
            let stage = Stage::new();
            let repo = &stage.f.repo;
            assert!(killed("land", point, repo));
            std::fs::remove_file(repo.join(".git/index.lock")).unwrap();
            git(repo, &["checkout", "-q", "--force", "--detach", "work~1"]);
            write(repo, "README.md", "elsewhere\n");
            let before = scene(repo, repo);
            ended(repo);
            assert_eq!(scene(repo, repo), before, "{point}");
            nothing_left(repo);
            // Staged other things.
            let stage = Stage::new();
            let repo = &stage.f.repo;
            assert!(killed("land", point, repo));
            std::fs::remove_file(repo.join(".git/index.lock")).unwrap();
            write(repo, "README.md", "mine\n");
            git(repo, &["add", "README.md"]);
            let before = scene(repo, repo);
            ended(repo);
            assert_eq!(scene(repo, repo), before, "{point}");
            // Did nothing else.
            let stage = Stage::new();
            assert!(killed("land", point, &stage.f.repo));
            std::fs::remove_file(stage.f.repo.join(".git/index.lock")).unwrap();
            assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] }, "{point}");
            stage.has_landed("without the lock");
        }
    }

    fn a_branch_that_moved_on_or_away_after_a_kill() {
        // Somebody pushed on top: it cannot be undone, and is completed.
        let stage = Stage::new();
        let repo = &stage.f.repo;
        assert!(killed("land", "land-locked", repo));
        let tree = format!("{}^{{tree}}", stage.new);
        let on_top = out(repo, &["commit-tree", "-p", &stage.new, "-m", "on top", &tree]);
        git(repo, &["update-ref", "refs/heads/main", &on_top]);
        write(repo, "README.md", "mine\n");
        let ended = finish_landing(repo, Programs::Skip).unwrap();
        assert_eq!(ended, Some(Finished::Landed { branch: "main".into(), candidate: stage.new.clone(), left: vec!["README.md".into()] }));
        assert_eq!((status(repo), main_of(repo)), (format!(" M README.md\n{EDITED}"), on_top));
        nothing_left(repo);
        // Somebody moved it back: so do the files.
        let stage = Stage::new();
        let repo = &stage.f.repo;
        assert!(killed("land", "land-moved", repo));
        git(repo, &["update-ref", "refs/heads/main", &stage.old]);
        assert!(matches!(finish_landing(repo, Programs::Skip).unwrap(), Some(Finished::Undone { .. })));
        stage.is_undone("moved back");
        // A landing of something else clears up first.
        let stage = Stage::new();
        let repo = &stage.f.repo;
        assert!(killed("land", "land-moved", repo));
        let next = out(repo, &["commit-tree", "-p", &stage.new, "-m", "next", &format!("{}^{{tree}}", stage.new)]);
        assert!(matches!(lands(repo, &stage.new, &next).unwrap(), Landing::Landed { .. }));
        assert_eq!((status(repo).as_str(), main_of(repo)), (EDITED, next));
        nothing_left(repo);
    }

    fn several_checkouts_are_finished_together() {
        for point in ["land-moved", "land-written", "land-indexed"] {
            let stage = Stage::new();
            let repo = &stage.f.repo;
            let second = stage.f.place("second");
            git(repo, &["worktree", "add", "-q", "-f", second.to_str().unwrap(), "main"]);
            write(&second, ".gitignore", "mine\n");
            assert!(killed("land", point, repo), "{point}");
            assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] });
            assert_eq!(status(&second), " M .gitignore", "{point}");
            stage.has_landed(point);
        }
    }

    fn a_record_or_lock_without_the_other_is_cleared() {
        let stage = Stage::new();
        let repo = &stage.f.repo;
        assert!(killed("land", "land-locked", repo));
        std::fs::remove_file(repo.join(".git/downbeat/land/record.json")).unwrap();
        assert_eq!(finish_landing(repo, Programs::Skip).unwrap(), None);
        stage.is_undone("a lock alone");
        for text in ["", "{}", "not json", r#"{"branch":"refs/heads/main","old":"x","candidate":"y","checkouts":[""]}"#] {
            write(repo, ".git/downbeat/land/record.json", text);
            assert_eq!(finish_landing(repo, Programs::Skip).unwrap(), None);
            assert_eq!(stage.before, picture(repo));
        }
        assert_eq!(stage.lands(), Landing::Landed { submodules: vec![], left: vec![] });
        stage.has_landed("with rubbish");
    }
}
