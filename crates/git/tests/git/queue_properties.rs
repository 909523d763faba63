//! Random trees and edits: a candidate has the tree that git's own merge has, and a landing, killed or not, changes
//! only what lands.

use crate::fixture::{Fixture, git, out, rerun, write};
use crate::hermetic;
use crate::queue::{Picture, combine, commit, lands, main_of, nothing_left, picture};
use downbeat_git::{Combination, Landing, POINTS, Strategy};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Paths that are in each other's way.
const PATHS: &[&str] = &[
    "a", "a/b", "a/b/c", "d/x", "d/y", "d/y/z", "e", "f g", "\u{e4}", "cache/i", ".env",
];

/// The lines of a file: edits of different lines merge.
type Lines = [u8; 4];

/// The files of a tree; those that are in the way of others come to nothing.
type Tree = BTreeMap<&'static str, Lines>;

/// An edit: a path, and its lines or its deletion.
type Edits = Vec<(&'static str, Option<Lines>)>;

fn path() -> impl proptest::strategy::Strategy<Value = &'static str> {
    select(PATHS)
}

fn tree() -> impl proptest::strategy::Strategy<Value = Tree> {
    prop::collection::btree_map(path(), any::<Lines>(), 0..7)
}

fn edits() -> impl proptest::strategy::Strategy<Value = Edits> {
    prop::collection::vec(
        (path(), prop::option::weighted(0.75, [0..3_u8, 0..3, 0..3, 0..3])),
        0..5,
    )
}

/// Formats lines so that no two files look alike, with room between those that may be edited.
fn text(path: &str, lines: Lines) -> String {
    let line = |(number, line): (usize, u8)| {
        let room = (0..6)
            .map(|n| format!("{path} {number} {n}\n"))
            .collect::<String>();
        format!("{path} {number} is {line}\n{room}")
    };
    lines.into_iter().enumerate().map(line).collect()
}

/// Writes a file if nothing is in its way, or removes it with the folders that are empty then.
fn put(place: &Path, path: &str, lines: Option<Lines>) {
    let at = place.join(path);
    let blocked = at
        .ancestors()
        .skip(1)
        .any(|folder| folder.starts_with(place) && folder.is_file())
        || at.is_dir();
    match lines {
        _ if blocked => {}
        Some(lines) => write(place, path, &text(path, lines)),
        None => {
            let _ = std::fs::remove_file(&at);
            let folders = Path::new(path)
                .ancestors()
                .skip(1)
                .filter(|folder| *folder != Path::new(""));
            for folder in folders {
                let _ = std::fs::remove_dir(place.join(folder));
            }
        }
    }
}

/// Tries a property with this many values, or with `PROPTEST_CASES`.
fn check<S: proptest::strategy::Strategy>(cases: u32, values: S, test: impl Fn(S::Value)) {
    let config = Config {
        cases: match std::env::var("PROPTEST_CASES") {
            Ok(_) => Config::default().cases,
            Err(_) => cases,
        },
        failure_persistence: None,
        max_shrink_iters: 60,
        ..Config::default()
    };
    let run = |value| {
        test(value);
        Ok(())
    };
    if let Err(error) = TestRunner::new(config).run(&values, run) {
        panic!("{error}");
    }
}

/// A commit with these edits of another one, made in a worktree.
fn edited(f: &Fixture, place: &Path, base: &str, edits: &Edits) -> String {
    git(place, &["checkout", "-q", "--detach", base]);
    for (path, lines) in edits {
        put(place, path, *lines);
    }
    let _ = f;
    commit(place, "edited")
}

fn started(files: &Tree) -> (Fixture, PathBuf, String) {
    let f = Fixture::small();
    for (path, lines) in files {
        put(&f.repo, path, Some(*lines));
    }
    let base = commit(&f.repo, "base");
    let place = f.place("maker");
    git(
        &f.repo,
        &["worktree", "add", "-q", "--detach", place.to_str().unwrap()],
    );
    (f, place, base)
}

/// The files that differ between two commits.
fn changed(f: &Fixture, old: &str, new: &str) -> BTreeSet<PathBuf> {
    let names = out(&f.repo, &["diff", "--name-only", "--no-renames", "-z", old, new]);
    names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .collect()
}

/// The files that a landing must not change. A folder is there if one of them is in it.
fn others(all: &Picture, landed: &BTreeSet<PathBuf>) -> Picture {
    let is_file = |kind: &str| kind != "folder";
    let kept = all
        .iter()
        .filter(|(path, (kind, _))| is_file(kind) && !landed.contains(*path));
    kept.map(|(path, about)| (path.clone(), about.clone())).collect()
}

/// The index entries of these files.
fn staged(f: &Fixture, landed: &BTreeSet<PathBuf>) -> Vec<String> {
    let entries = out(&f.repo, &["ls-files", "-s", "-z"]);
    let entries = entries.split('\0').map(str::to_owned);
    entries
        .filter(|line| {
            !line
                .split('\t')
                .nth(1)
                .is_some_and(|path| landed.contains(Path::new(path)))
        })
        .collect()
}

/// Lands in a process of its own, which the step may kill.
#[test]
#[ignore = "a part of the other tests"]
fn player() {
    if let (Ok(repo), Ok(ids)) = (std::env::var("PLAY_REPO"), std::env::var("PLAY")) {
        let (old, new) = ids.split_once(' ').unwrap();
        drop(lands(Path::new(&repo), old, new).unwrap());
    }
}

hermetic! {
    fn a_candidate_has_the_tree_of_a_merge_by_git() {
        let counts = RefCell::new(BTreeMap::<&str, u32>::new());
        let count = |what| *counts.borrow_mut().entry(what).or_default() += 1;
        check(40, (tree(), edits(), edits()), |(files, ours, theirs)| {
            let (f, place, base) = started(&files);
            let (target, head) = (edited(&f, &place, &base, &ours), edited(&f, &place, &base, &theirs));
            let made = combine(&f, &target, &head, Strategy::Merge).unwrap();
            git(&place, &["checkout", "-q", "--detach", &target]);
            let merge = ["-c", "merge.directoryRenames=false", "merge", "-q", "--no-ff", "--no-edit", &head];
            let output = std::process::Command::new("git").current_dir(&place).args(merge).output().unwrap();
            match made {
                Combination::Candidate(one) => {
                    count("merged");
                    assert!(output.status.success(), "git conflicts: {}", String::from_utf8_lossy(&output.stdout));
                    let tree = |name: &str| out(&place, &["ls-tree", "-r", "-t", name]);
                    assert_eq!(tree(&one.tree), tree("HEAD^{tree}"), "{ours:?} {theirs:?}");
                }
                Combination::Conflict(_) => {
                    count("conflict");
                    assert!(!output.status.success(), "only libgit2 conflicts");
                }
                Combination::AlreadyMerged => git(&place, &["merge-base", "--is-ancestor", &head, &target]),
            }
        });
        println!("{counts:?}");
        let counts = counts.into_inner();
        assert!(["merged", "conflict"].iter().all(|what| counts[what] > 3), "{counts:?}");
    }

    fn a_killed_landing_keeps_what_is_staged_in_its_place() {
        let (f, place, old) = started(&Tree::new());
        let new = edited(&f, &place, &old, &vec![("a/b/c", Some([0; 4]))]);
        put(&f.repo, "a", Some([0; 4]));
        git(&f.repo, &["add", "a"]);
        let before = (picture(&f.repo), out(&f.repo, &["ls-files", "-s"]));
        let ids = format!("{old} {new}");
        let more = [("PLAY", ids.as_str()), ("PLAY_REPO", f.repo.to_str().unwrap()), ("DOWNBEAT_CRASH_AT", "land-recorded")];
        assert!(!rerun(concat!(module_path!(), "::player"), &more).status.success());
        assert!(matches!(lands(&f.repo, &old, &new).unwrap(), Landing::Refused(_)));
        assert_eq!((picture(&f.repo), out(&f.repo, &["ls-files", "-s"])), before);
    }

    fn a_landing_killed_or_not_changes_only_what_lands() {
        let counts = RefCell::new(BTreeMap::<&str, u32>::new());
        let count = |what| *counts.borrow_mut().entry(what).or_default() += 1;
        let points: Vec<&str> = POINTS.iter().copied().filter(|point| point.starts_with("land-")).chain([""]).collect();
        check(50, (tree(), edits(), edits(), any::<u8>(), select(points)), |(files, landing, person, how, point)| {
            let (f, place, old) = started(&files);
            let new = edited(&f, &place, &old, &landing);
            let repo = &f.repo;
            for (number, (path, lines)) in person.iter().enumerate() {
                put(repo, path, *lines);
                // Some edits are staged.
                if how >> (number % 8) & 1 == 1 {
                    git(repo, &["add", "-A"]);
                }
            }
            let landed = changed(&f, &old, &new);
            let before = (picture(repo), staged(&f, &landed), out(repo, &["ls-files", "-s"]));
            let ids = format!("{old} {new}");
            let more = [("PLAY", ids.as_str()), ("PLAY_REPO", repo.to_str().unwrap()), ("DOWNBEAT_CRASH_AT", point)];
            let output = rerun(concat!(module_path!(), "::player"), &more);
            count(if output.status.success() { "ended" } else { "killed" });
            // Whether it was killed or not.
            assert!([&old, &new].contains(&&main_of(repo)));
            assert_eq!(others(&picture(repo), &landed), others(&before.0, &landed), "after the kill");
            let result = lands(repo, &old, &new).unwrap();
            nothing_left(repo);
            match &result {
                Landing::Landed { .. } | Landing::AlreadyLanded => {
                    count("landed");
                    assert_eq!(main_of(repo), new);
                    assert_eq!(others(&picture(repo), &landed), others(&before.0, &landed));
                    assert_eq!(staged(&f, &landed), before.1);
                    let names: Vec<_> = landed.iter().map(|path| path.to_str().unwrap()).collect();
                    let of_landed = [&["diff", "--name-only", &new, "--"], &names[..]].concat();
                    if !names.is_empty() {
                        assert_eq!(out(repo, &of_landed), "", "what landed is there");
                    }
                }
                Landing::Refused(refusal) => {
                    count("refused");
                    assert_eq!((main_of(repo), picture(repo)), (old, before.0), "{refusal}");
                    assert_eq!(out(repo, &["ls-files", "-s"]), before.2, "{refusal}");
                }
                Landing::Moved { .. } => panic!("nobody moved it"),
            }
        });
        println!("{counts:?}");
        let counts = counts.into_inner();
        assert!(["ended", "killed", "landed", "refused"].iter().all(|what| counts[what] > 3), "{counts:?}");
    }
}
