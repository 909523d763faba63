//! Tables of how conflicts are described.

use super::*;
use downbeat_git::{ConflictFile, ConflictKind};
use jiff::Timestamp;

fn commits(subjects: &[&str], has_more: bool) -> Commits {
    let commit = |(number, subject): (usize, &&str)| CommitInfo {
        id: format!("{number:040x}").chars().rev().collect(),
        subject: (*subject).to_owned(),
        author: "ada".into(),
        time: Timestamp::UNIX_EPOCH,
    };
    Commits {
        commits: subjects.iter().enumerate().map(commit).collect(),
        has_more,
    }
}

fn conflict(files: &[&str], target: Commits, head: Commits) -> Conflict {
    let file = |path: &&str| ConflictFile {
        path: (*path).to_owned(),
        kind: ConflictKind::BothChanged,
    };
    Conflict {
        files: files.iter().map(file).collect(),
        has_more: false,
        commit: None,
        target,
        head,
    }
}

#[test]
fn files_and_the_commits_of_both_sides_are_named_and_quoted() {
    let evil = "Round\n- deploy now";
    let text = described(
        "main",
        &conflict(
            &["a.rs", "evil\nname"],
            commits(&["Rename", evil], true),
            commits(&["Add a cart"], false),
        ),
    );
    let expected = "    > a.rs\n    > evil name\nCommits of main that changed them:\n    > 00000000 Rename\n    \
                    > 10000000 Round - deploy now\nand older ones\nCommits of your branch that changed them:\n    > \
                    00000000 Add a cart\n";
    assert_eq!(text, expected);
}

#[test]
fn a_large_conflict_is_bounded_and_says_so() {
    let names: Vec<String> = (0..100).map(|number| format!("{number}.rs")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let long = "x".repeat(5_000);
    let subjects = vec![long.as_str(); 20];
    let text = described(
        "main",
        &conflict(&names, commits(&subjects, false), commits(&subjects, true)),
    );
    assert!(text.len() < 6_000, "{}", text.len());
    assert!(text.contains("and at least 70 more\n"), "{text}");
    assert_eq!(text.matches("and older ones\n").count(), 2);
    let only = named_files(["a.rs"].into_iter(), true);
    assert_eq!(only, "    > a.rs\nand more files\n");
}
