//! Candidates are made without touching anybody's checkout, and land without losing anybody's work.

use crate::fixture::{Fixture, enter, git, out, read, rerun, write};
use crate::hermetic;
use downbeat_git::{
    Candidate, Error, Landing, MergeOrder, Programs, Refusal, Strategy, candidate, drop_candidate, land,
};
use std::path::Path;

/// Commits a file in a checkout and returns the commit.
fn commit(at: &Path, name: &str, text: &str) -> String {
    write(at, name, text);
    git(at, &["add", "-A"]);
    git(at, &["commit", "-qm", name]);
    out(at, &["rev-parse", "HEAD"])
}

fn order<'a>(f: &'a Fixture, target: &'a str, head: &'a str, strategy: Strategy) -> MergeOrder<'a> {
    MergeOrder {
        repo: &f.repo,
        target,
        head,
        strategy,
        message: "Merge one",
        name: "q1",
    }
}

/// Makes a candidate that has to succeed; returns its commit.
fn made(f: &Fixture, target: &str, head: &str, strategy: Strategy) -> String {
    match candidate(&order(f, target, head, strategy)).unwrap() {
        Candidate::Made { commit, tree } => {
            assert_eq!(out(&f.repo, &["rev-parse", &format!("{commit}^{{tree}}")]), tree);
            commit
        }
        other => panic!("{other:?}"),
    }
}

/// Returns a fixture whose `main` and whose worktree `one` each went on by one commit, and both commits.
fn apart() -> (Fixture, downbeat_git::WorktreeMade, String, String) {
    let f = Fixture::small();
    let one = f.worktree("one");
    let head = commit(&one.path, "one.txt", "1\n");
    let target = commit(&f.repo, "main.txt", "m\n");
    (f, one, target, head)
}

fn landed(f: &Fixture, old: &str, new: &str) -> Landing {
    land(&f.repo, "main", old, new, Programs::Skip).unwrap()
}

hermetic! {
    fn each_strategy_makes_its_own_history_of_the_same_content() {
        let (f, one, target, first) = apart();
        let head = commit(&one.path, "two.txt", "2\n");
        let before = out(&f.repo, &["status", "--porcelain"]);
        let merge = made(&f, &target, &head, Strategy::Merge);
        assert_eq!(out(&f.repo, &["rev-parse", &format!("{merge}^@")]), format!("{target}\n{head}"));
        let squash = made(&f, &target, &head, Strategy::Squash);
        assert_eq!(out(&f.repo, &["rev-parse", &format!("{squash}^@")]), target);
        assert_eq!(out(&f.repo, &["log", "-1", "--format=%s", &squash]), "Merge one");
        let rebase = made(&f, &target, &head, Strategy::Rebase);
        assert_eq!(out(&f.repo, &["log", "--format=%s", &format!("{target}..{rebase}")]), "two.txt\none.txt");
        let trees = [&merge, &squash, &rebase].map(|id| out(&f.repo, &["rev-parse", &format!("{id}^{{tree}}")]));
        assert!(trees.iter().all(|tree| *tree == trees[0]));
        assert_eq!(out(&f.repo, &["rev-parse", "refs/downbeat/queue/q1"]), rebase);
        drop_candidate(&f.repo, "q1").unwrap();
        drop_candidate(&f.repo, "q1").unwrap();
        assert_eq!(out(&f.repo, &["for-each-ref", "refs/downbeat/queue"]), "");
        assert_eq!(out(&f.repo, &["status", "--porcelain"]), before);
        assert_eq!((out(&f.repo, &["rev-parse", "main"]), out(&one.path, &["rev-parse", "HEAD"])), (target.clone(), head));
        assert_eq!(candidate(&order(&f, &first, &first, Strategy::Merge)).unwrap(), Candidate::Contained);
        assert_eq!(candidate(&order(&f, &merge, &first, Strategy::Rebase)).unwrap(), Candidate::Contained);
    }

    fn a_conflict_names_its_files_and_makes_nothing() {
        let (f, one, _, _) = apart();
        let head = commit(&one.path, "README.md", "theirs\n");
        let target = commit(&f.repo, "README.md", "ours\n");
        for strategy in [Strategy::Merge, Strategy::Squash, Strategy::Rebase] {
            let files = vec!["README.md".to_owned()];
            let made = candidate(&order(&f, &target, &head, strategy)).unwrap();
            assert_eq!(made, Candidate::Conflict { files, count: 1 }, "{strategy:?}");
        }
        assert_eq!(out(&f.repo, &["for-each-ref", "refs/downbeat/queue"]), "");
    }

    fn what_cannot_be_merged_says_why() {
        let (f, one, target, _) = apart();
        git(&one.path, &["merge", "-q", "--no-edit", "main"]);
        let head = out(&one.path, &["rev-parse", "HEAD"]);
        let newer = commit(&f.repo, "newer.txt", "n\n");
        let error = candidate(&order(&f, &newer, &head, Strategy::Rebase)).unwrap_err();
        assert!(error.to_string().contains("choose merge or squash"), "{error}");
        let unknown = "1".repeat(40);
        let error = candidate(&order(&f, &target, &unknown, Strategy::Merge)).unwrap_err();
        assert!(matches!(error, Error::UnknownRef { .. }), "{error}");
        git(&f.repo, &["config", "--global", "--unset", "user.email"]);
        let error = candidate(&order(&f, &newer, &head, Strategy::Merge)).unwrap_err();
        assert!(error.to_string().contains("user.name"), "{error}");
    }

    fn candidates_stack_on_one_another() {
        let (f, _, target, head) = apart();
        let two = f.worktree("two");
        let other = commit(&two.path, "two.txt", "2\n");
        let first = made(&f, &target, &head, Strategy::Merge);
        let both = made(&f, &first, &other, Strategy::Squash);
        assert_eq!(landed(&f, &target, &both), Landing::Landed);
        assert_eq!((read(&f.repo, "one.txt"), read(&f.repo, "two.txt")), ("1\n".into(), "2\n".into()));
    }

    fn a_landing_moves_the_checkout_and_keeps_what_the_person_changed() {
        let (f, _, target, head) = apart();
        let new = made(&f, &target, &head, Strategy::Merge);
        write(&f.repo, "README.md", "mine, unsaved\n");
        write(&f.repo, "src/lib.rs", "mine, staged\n");
        git(&f.repo, &["add", "src/lib.rs"]);
        write(&f.repo, "mine.txt", "untracked");
        let before = out(&f.repo, &["status", "--porcelain"]);
        assert_eq!(landed(&f, &target, &new), Landing::Landed);
        assert_eq!(landed(&f, &target, &new), Landing::Contained);
        assert_eq!(out(&f.repo, &["rev-parse", "HEAD"]), new);
        assert_eq!(out(&f.repo, &["status", "--porcelain"]), before);
        assert_eq!(read(&f.repo, "one.txt"), "1\n");
        assert!(out(&f.repo, &["reflog", "-1", "--format=%gs", "main"]).starts_with("downbeat: land "));
    }

    fn an_overlap_is_refused_by_its_files_and_changes_nothing() {
        let (f, one, target, _) = apart();
        commit(&one.path, "README.md", "theirs\n");
        let head = commit(&one.path, "new.txt", "new\n");
        let new = made(&f, &target, &head, Strategy::Merge);
        for (name, text) in [("README.md", "mine\n"), ("new.txt", "mine\n"), ("one.txt/inside", "mine\n")] {
            write(&f.repo, name, text);
            let before = out(&f.repo, &["status", "--porcelain", "-uall"]);
            match landed(&f, &target, &new) {
                Landing::Refused(Refusal::Overlap { files, .. }) => assert_eq!(files, [name], "{name}"),
                other => panic!("{name}: {other:?}"),
            }
            assert_eq!(out(&f.repo, &["status", "--porcelain", "-uall"]), before, "{name}");
            assert_eq!(read(&f.repo, name), text);
            assert_eq!(out(&f.repo, &["rev-parse", "main"]), target);
            git(&f.repo, &["checkout", "-q", "--", "."]);
            git(&f.repo, &["clean", "-fdq"]);
        }
        // An ignored file is the person's, too.
        write(&f.repo, ".git/info/exclude", "new.txt\n");
        write(&f.repo, "new.txt", "ignored\n");
        assert!(matches!(landed(&f, &target, &new), Landing::Refused(Refusal::Overlap { .. })));
        assert_eq!(read(&f.repo, "new.txt"), "ignored\n");
    }

    fn a_branch_that_moved_or_would_lose_commits_stays() {
        let (f, _, target, head) = apart();
        let new = made(&f, &target, &head, Strategy::Merge);
        assert_eq!(landed(&f, &target, &head), Landing::Refused(Refusal::NotForward));
        let now = commit(&f.repo, "later.txt", "l\n");
        assert_eq!(landed(&f, &target, &new), Landing::Moved { now: Some(now.clone()) });
        assert_eq!((out(&f.repo, &["rev-parse", "main"]), out(&f.repo, &["status", "--porcelain"])), (now, String::new()));
        let gone = land(&f.repo, "none", &target, &new, Programs::Skip).unwrap();
        assert_eq!(gone, Landing::Moved { now: None });
    }

    fn an_operation_in_progress_is_left_alone() {
        let (f, one, _, _) = apart();
        let head = commit(&one.path, "README.md", "theirs\n");
        let target = commit(&f.repo, "README.md", "ours\n");
        let two = f.worktree("two");
        let other = commit(&two.path, "two.txt", "2\n");
        let new = made(&f, &target, &other, Strategy::Merge);
        assert!(!std::process::Command::new("git").arg("-C").arg(&f.repo).args(["merge", "-q", &head]).status().unwrap().success());
        let before = out(&f.repo, &["status", "--porcelain"]);
        match landed(&f, &target, &new) {
            Landing::Refused(Refusal::Operation { place }) => assert_eq!(place, f.repo),
            other => panic!("{other:?}"),
        }
        assert_eq!(out(&f.repo, &["status", "--porcelain"]), before);
    }

    fn a_branch_that_nobody_has_checked_out_only_moves() {
        let (f, _, target, head) = apart();
        let new = made(&f, &target, &head, Strategy::Squash);
        git(&f.repo, &["checkout", "-q", "--detach"]);
        assert_eq!(landed(&f, &target, &new), Landing::Landed);
        assert_eq!((out(&f.repo, &["rev-parse", "HEAD"]), out(&f.repo, &["rev-parse", "main"])), (target, new));
        assert_eq!(out(&f.repo, &["status", "--porcelain"]), "");
    }

    fn no_hook_of_the_repository_runs() {
        let (f, _, target, head) = apart();
        let ran = f.repo.parent().unwrap().join("ran");
        for hook in ["post-checkout", "post-index-change", "reference-transaction", "post-merge", "commit-msg"] {
            let file = format!(".git/hooks/{hook}");
            write(&f.repo, &file, &format!("#!/bin/sh\ntouch {}\n", ran.display()));
            #[cfg(unix)]
            std::fs::set_permissions(f.repo.join(file), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let new = made(&f, &target, &head, Strategy::Merge);
        assert_eq!(landed(&f, &target, &new), Landing::Landed);
        assert!(!ran.exists());
    }
}

/// Lands in the fixture at `DOWNBEAT_TEST_REPO`, in a process that a point kills.
#[test]
#[ignore = "run by another test"]
fn lands_until_it_is_killed() {
    let repo = std::env::var_os("DOWNBEAT_TEST_REPO").unwrap();
    let variable = |name: &str| std::env::var(name).unwrap();
    let _ = land(
        Path::new(&repo),
        "main",
        &variable("DOWNBEAT_TEST_OLD"),
        &variable("DOWNBEAT_TEST_NEW"),
        Programs::Skip,
    );
}

#[test]
fn a_landing_that_was_killed_is_finished_by_the_next_one() {
    let full = concat!(
        module_path!(),
        "::a_landing_that_was_killed_is_finished_by_the_next_one"
    );
    if enter(full, &[]).is_some() {
        return;
    }
    let points: Vec<_> = downbeat_git::POINTS
        .iter()
        .filter(|point| point.starts_with("land-"))
        .collect();
    assert_eq!(points.len(), 3);
    for point in points {
        let (f, one, target, _) = apart();
        commit(&one.path, "README.md", "theirs\n");
        git(&one.path, &["rm", "-q", "src/lib.rs"]);
        let head = commit(&one.path, "more.txt", "more\n");
        let new = made(&f, &target, &head, Strategy::Merge);
        write(&f.repo, "mine.txt", "untracked");
        let (repo, name) = (f.repo.to_str().unwrap(), "git::merging::lands_until_it_is_killed");
        let more = [
            ("DOWNBEAT_TEST_REPO", repo),
            ("DOWNBEAT_TEST_OLD", &target),
            ("DOWNBEAT_TEST_NEW", &new),
            ("DOWNBEAT_CRASH_AT", point),
        ];
        let killed = rerun(name, &more);
        assert!(!killed.status.success(), "{point}: {killed:?}");
        let again = landed(&f, &target, &new);
        let wanted = if *point == "land-done" {
            Landing::Contained
        } else {
            Landing::Landed
        };
        assert_eq!(again, wanted, "{point}");
        assert_eq!(out(&f.repo, &["status", "--porcelain"]), "?? mine.txt", "{point}");
        assert_eq!(out(&f.repo, &["rev-parse", "HEAD"]), new, "{point}");
        // Killed while git wrote files: they are there, and the index knows nothing of them.
        let next = commit(&one.path, "README.md", "again\n");
        let newer = made(&f, &new, &next, Strategy::Merge);
        write(&f.repo, "README.md", "again\n");
        assert_eq!(landed(&f, &new, &newer), Landing::Landed, "{point}");
        assert_eq!(out(&f.repo, &["status", "--porcelain"]), "?? mine.txt", "{point}");
    }
}
