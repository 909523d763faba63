//! Collisions of two worktrees: which files and places both changed, committed or not, how a merge would end, and that
//! nothing is written for it and nothing runs.

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use crate::queue::scene;
use downbeat_git::{Colliding, Error, OwnSide};
use std::path::{Path, PathBuf};

/// A file of forty lines in a repository with two worktrees.
fn pair() -> (Fixture, PathBuf, PathBuf) {
    let f = Fixture::small();
    write(&f.repo, "poem.txt", &poem(&[]));
    git(&f.repo, &["add", "-A"]);
    git(&f.repo, &["commit", "-qm", "poem"]);
    let (one, two) = (f.worktree("one").path, f.worktree("two").path);
    (f, one, two)
}

/// The poem with other words in these lines.
fn poem(changed: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let other = changed.iter().find(|(of, _)| *of == number);
        other.map_or_else(|| format!("line {number}\n"), |(_, text)| format!("{text}\n"))
    };
    (1..=40).map(line).collect()
}

fn look(f: &Fixture, one: &Path, two: &Path, paths: &[&str]) -> Colliding {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    OwnSide::read(&f.repo, one).unwrap().collide(two, &paths).unwrap()
}

/// The files as `path place conflict`.
fn told(found: &Colliding) -> Vec<String> {
    let word = |is: bool, word: &str| if is { format!(" {word}") } else { String::new() };
    let line = |file: &downbeat_git::CollidingFile| {
        let (place, conflict) = (word(file.same_place, "place"), word(file.conflicts, "conflict"));
        format!("{}{place}{conflict}", file.path)
    };
    found.files.iter().map(line).collect()
}

hermetic! {
    fn the_same_lines_conflict_and_lines_far_apart_do_not() {
        let (f, one, two) = pair();
        write(&one, "poem.txt", &poem(&[(20, "mine")]));
        for (line, wanted) in [
            (20, "poem.txt place conflict"),
            (23, "poem.txt place"),
            (24, "poem.txt"),
            (35, "poem.txt"),
        ] {
            write(&two, "poem.txt", &poem(&[(line, "yours")]));
            assert_eq!(told(&look(&f, &one, &two, &["poem.txt"])), [wanted], "{line}");
            assert_eq!(told(&look(&f, &two, &one, &["poem.txt"])), [wanted], "{line}");
        }
        // Committed or not makes no difference.
        git(&two, &["commit", "-qam", "yours"]);
        git(&one, &["commit", "-qam", "mine"]);
        write(&two, "poem.txt", &poem(&[(20, "yours")]));
        assert_eq!(told(&look(&f, &one, &two, &["poem.txt"])), ["poem.txt place conflict"]);
    }

    fn what_both_did_in_the_same_way_or_only_one_did_is_no_collision() {
        let (f, one, two) = pair();
        for tree in [&one, &two] {
            write(tree, "poem.txt", &poem(&[(20, "ours")]));
            write(tree, "new.txt", "the same\n");
        }
        write(&one, "README.md", "mine\n");
        assert_eq!(look(&f, &one, &two, &["poem.txt", "new.txt", "README.md"]), Colliding::default());
        write(&two, "new.txt", "other\n");
        assert_eq!(told(&look(&f, &one, &two, &["poem.txt", "new.txt"])), ["new.txt place conflict"]);
        assert_eq!(look(&f, &one, &one, &["poem.txt"]), Colliding::default());
    }

    fn deleted_renamed_and_binary_files_are_compared_whole() {
        let (f, one, two) = pair();
        write(&f.repo, "logo.png", "a\0b");
        git(&one, &["rm", "-q", "README.md"]);
        write(&two, "README.md", "hello\nmore\n");
        git(&one, &["mv", "poem.txt", "verse.txt"]);
        write(&two, "poem.txt", &poem(&[(3, "yours")]));
        write(&one, "logo.png", "a\0mine");
        write(&two, "logo.png", "a\0yours");
        let found = look(&f, &one, &two, &["README.md", "poem.txt", "logo.png"]);
        // A merge follows the renamed file.
        assert_eq!(told(&found), ["README.md place conflict", "logo.png place conflict", "poem.txt place"]);
        assert!(!found.is_partial && !found.has_more);
    }

    fn commits_that_one_took_over_from_the_other_are_not_its_own() {
        let (f, one, two) = pair();
        write(&one, "poem.txt", &poem(&[(20, "mine")]));
        git(&one, &["commit", "-qam", "mine"]);
        git(&two, &["merge", "-q", "feature/one"]);
        write(&two, "poem.txt", &poem(&[(20, "mine, and yours")]));
        assert_eq!(look(&f, &one, &two, &["poem.txt"]), Colliding::default());
        write(&one, "poem.txt", &poem(&[(20, "mine again")]));
        assert_eq!(told(&look(&f, &one, &two, &["poem.txt"])), ["poem.txt place conflict"]);
    }

    fn neither_worktree_nor_the_repository_changes_and_nothing_runs() {
        let (f, one, two) = pair();
        write(&one, "poem.txt", &poem(&[(20, "mine")]));
        git(&one, &["add", "poem.txt"]);
        write(&one, "poem.txt", &poem(&[(20, "mine, later")]));
        write(&two, "poem.txt", &poem(&[(20, "yours")]));
        let mark = f.repo.with_file_name("ran");
        let run = format!("touch {}; cat", mark.display());
        write(&f.repo, ".git/info/attributes", "*.txt filter=evil diff=evil merge=evil\n");
        for key in ["filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "merge.evil.driver", "core.fsmonitor"] {
            git(&f.repo, &["config", key, &run]);
        }
        let objects = || out(&f.repo, &["count-objects", "-v"]);
        let before = (scene(&f.repo, &one), scene(&f.repo, &two), objects());
        let _ = std::fs::remove_file(&mark);
        assert_eq!(told(&look(&f, &one, &two, &["poem.txt"])), ["poem.txt place conflict"]);
        assert!(!mark.exists(), "a program of the repository ran");
        assert_eq!((scene(&f.repo, &one), scene(&f.repo, &two), objects()), before);
    }

    fn too_much_is_left_out_and_said() {
        let (f, one, two) = pair();
        write(&one, "poem.txt", &poem(&[(20, "mine")]));
        write(&two, "poem.txt", &poem(&[(20, "yours")]));
        write(&two, "large.bin", &"x".repeat(5 << 20));
        let found = look(&f, &one, &two, &["poem.txt", "large.bin"]);
        assert_eq!((told(&found), found.is_partial), (vec!["poem.txt place conflict".to_owned()], true));
        let own = OwnSide::read(&f.repo, &one).unwrap();
        std::fs::remove_dir_all(&two).unwrap();
        assert!(own.collide(&two, &["poem.txt".to_owned()]).is_err());
        git(&f.repo, &["worktree", "prune"]);
    }

    /// What is written to it afterwards is not seen, and one that cannot be compared does not spoil the next.
    fn a_worktree_is_read_once_for_all_that_it_is_compared_with() {
        let (f, one, two) = pair();
        let three = f.worktree("three").path;
        write(&one, "poem.txt", &poem(&[(20, "mine")]));
        write(&two, "poem.txt", &poem(&[(21, "yours")]));
        write(&three, "poem.txt", &poem(&[(3, "theirs")]));
        let own = OwnSide::read(&f.repo, &one).unwrap();
        write(&one, "poem.txt", &poem(&[(3, "mine, later")]));
        let paths = ["poem.txt".to_owned()];
        let found = |other: &Path| told(&own.collide(other, &paths).unwrap());
        assert_eq!(found(&two), ["poem.txt place conflict"]);
        assert!(own.collide(Path::new("/nowhere"), &paths).is_err());
        assert_eq!(found(&three), ["poem.txt"]);
        assert_eq!(told(&look(&f, &one, &three, &["poem.txt"])), ["poem.txt place conflict"]);
    }

    fn branches_without_a_common_commit_are_refused() {
        let (f, one, two) = pair();
        git(&two, &["checkout", "-q", "--orphan", "other"]);
        git(&two, &["commit", "-qm", "other"]);
        let refused = OwnSide::read(&f.repo, &one).unwrap().collide(&two, &[]);
        assert!(matches!(refused, Err(Error::Unrelated { .. })), "{refused:?}");
    }
}
