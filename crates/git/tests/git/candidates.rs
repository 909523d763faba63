//! Candidates of the merge queue: what each strategy makes, what conflicts, and that nothing but objects and
//! one reference changes.

use crate::fixture::{Fixture, git, out, read, write};
use crate::hermetic;
use crate::queue::{branch, combine, commit, made, noon, scene, spec};
use downbeat_git::{
    Combination, Conflict, ConflictKind, Error, Strategy, candidate, commits_between, delete_branch, pins,
    unpin,
};

fn conflict(result: Combination) -> Conflict {
    match result {
        Combination::Conflict(conflict) => *conflict,
        other => panic!("{other:?}"),
    }
}

fn field(f: &Fixture, commit: &str, format: &str) -> String {
    out(&f.repo, &["show", "-s", &format!("--format={format}"), commit])
}

/// A target and a head that changed different files.
fn apart() -> (Fixture, String, String) {
    let f = Fixture::small();
    let base = f.head();
    let head = branch(
        &f,
        "work",
        &base,
        &[
            ("src/new.rs", Some("new\n")),
            ("README.md", Some("hello\nwork\n")),
        ],
    );
    write(&f.repo, "main.txt", "main\n");
    let target = commit(&f.repo, "on main");
    (f, target, head)
}

hermetic! {
    fn a_merge_has_both_parents_and_the_person_as_author() {
        let (f, target, head) = apart();
        let one = made(&f, &target, &head, Strategy::Merge);
        assert_eq!(one.parents, [target.clone(), head.clone()]);
        assert_eq!(field(&f, &one.commit, "%an <%ae> %aI %cn %cI"), "Tester <t@example.com> 2031-05-01T12:00:00+02:00 Tester 2031-05-01T12:00:00+02:00");
        assert_eq!(field(&f, &one.commit, "%B"), "Merge the work\n\nof a session\n".trim_end());
        git(&f.repo, &["merge", "-q", "--no-edit", &head]);
        assert_eq!(out(&f.repo, &["rev-parse", "HEAD^{tree}"]), one.tree, "as git merges");
        git(&f.repo, &["fsck", "--strict", "--no-dangling"]);
    }

    fn a_squash_is_one_commit() {
        let (f, target, head) = apart();
        let one = made(&f, &target, &head, Strategy::Squash);
        assert_eq!(one.parents, std::slice::from_ref(&target));
        assert_eq!(one.tree, made(&f, &target, &head, Strategy::Merge).tree);
    }

    fn a_rebase_keeps_authors_dates_and_the_bytes_of_messages() {
        let (f, target, _) = apart();
        git(&f.repo, &["worktree", "add", "-q", "-b", "old", f.place("old").to_str().unwrap(), &format!("{target}~1")]);
        let place = f.place("old");
        for n in 0..3 {
            write(&place, format!("old{n}.txt"), &format!("{n}\n"));
            git(&place, &["add", "-A"]);
            // Latin-1, with a date before that of the target.
            std::fs::write(place.with_file_name("message"), b"caf\xe9\n\n  indented \n\n\n# not a comment\n").unwrap();
            git(&place, &["-c", "i18n.commitEncoding=ISO-8859-1", "-c", "user.name=Ada", "commit", "-q", "--cleanup=verbatim", "-F", place.with_file_name("message").to_str().unwrap(), "--date=2001-02-03T04:05:06-0330"]);
        }
        let head = out(&place, &["rev-parse", "HEAD"]);
        let one = made(&f, &target, &head, Strategy::Rebase);
        assert_eq!(out(&f.repo, &["rev-parse", &format!("{}~3", one.commit)]), target);
        assert_eq!(field(&f, &one.commit, "%an %aI %cn %cI"), "Ada 2001-02-03T04:05:06-03:30 Tester 2031-05-01T12:00:00+02:00");
        let raw = |id: &str| {
            let output = std::process::Command::new("git").current_dir(&f.repo).args(["cat-file", "commit", id]).output().unwrap().stdout;
            let text = output.iter().position(|byte| *byte == b'e').unwrap();
            let from = output.windows(8).position(|word| word == b"encoding").unwrap_or(text);
            output[from..].to_vec()
        };
        assert_eq!(raw(&one.commit), raw(&head));
        let again = made(&f, &target, &head, Strategy::Rebase);
        assert_eq!(again.commit, one.commit, "the same time makes the same commits");
    }

    fn a_head_that_stands_on_the_target_is_its_own_rebase() {
        let (f, target, _) = apart();
        let head = branch(&f, "ahead", &target, &[("a.txt", Some("a\n"))]);
        assert_eq!(made(&f, &target, &head, Strategy::Rebase).commit, head);
        assert_eq!(made(&f, &target, &head, Strategy::Merge).parents, [target, head]);
    }

    fn what_the_target_has_is_already_merged() {
        let (f, target, head) = apart();
        for strategy in [Strategy::Merge, Strategy::Squash, Strategy::Rebase] {
            let one = made(&f, &target, &head, strategy);
            let again = combine(&f, &one.commit, &head, strategy).unwrap();
            assert_eq!(again, Combination::AlreadyMerged, "{strategy:?}");
            assert_eq!(combine(&f, &target, &target, strategy).unwrap(), Combination::AlreadyMerged);
        }
    }

    fn a_branch_that_goes_on_after_its_rebase_landed_adds_only_what_is_new() {
        let f = Fixture::small();
        let base = f.head();
        git(&f.repo, &["worktree", "add", "-q", "-b", "work", f.place("work").to_str().unwrap(), &base]);
        let place = f.place("work");
        write(&place, "README.md", "first\n");
        commit(&place, "one");
        write(&place, "README.md", "second\n");
        let two = commit(&place, "two");
        write(&f.repo, "main.txt", "main\n");
        let target = commit(&f.repo, "on main");
        let landed = made(&f, &target, &two, Strategy::Rebase).commit;
        write(&place, "README.md", "third\n");
        let three = commit(&place, "three");
        let one = made(&f, &landed, &three, Strategy::Rebase);
        assert_eq!(one.parents, [landed]);
        let skipped: Vec<_> = one.skipped.iter().map(|commit| commit.subject.as_str()).collect();
        assert_eq!(skipped, ["one", "two"]);
        assert_eq!(out(&f.repo, &["show", &format!("{}:README.md", one.commit)]), "third");
    }

    fn a_rebase_does_not_lose_what_a_merge_resolved() {
        let f = Fixture::small();
        let base = f.head();
        git(&f.repo, &["worktree", "add", "-q", "-b", "work", f.place("work").to_str().unwrap(), &base]);
        let place = f.place("work");
        write(&place, "work.txt", "work\n");
        commit(&place, "work");
        write(&f.repo, "main.txt", "main\n");
        let target = commit(&f.repo, "on main");
        git(&place, &["merge", "-q", "--no-edit", "main"]);
        let plain = out(&place, &["rev-parse", "HEAD"]);
        let one = made(&f, &target, &plain, Strategy::Rebase);
        assert_eq!(one.parents, std::slice::from_ref(&target), "a merge without changes of its own is left out");
        write(&place, "main.txt", "main, resolved\n");
        git(&place, &["commit", "-q", "-a", "--amend", "--no-edit"]);
        let resolved = out(&place, &["rev-parse", "HEAD"]);
        let error = combine(&f, &target, &resolved, Strategy::Rebase).unwrap_err();
        assert!(matches!(&error, Error::MergeInRebase { commit } if *commit == resolved), "{error}");
        assert!(error.to_string().contains("squash"));
        assert_eq!(made(&f, &target, &resolved, Strategy::Squash).parents, [target]);
    }

    fn a_batch_stands_one_on_the_other() {
        let f = Fixture::small();
        let base = f.head();
        let mut top = base.clone();
        for n in 0..4 {
            let head = branch(&f, &format!("w{n}"), &base, &[(&format!("f{n}.txt"), Some("x\n"))]);
            let strategy = [Strategy::Merge, Strategy::Squash, Strategy::Rebase][n % 3];
            let (id, time) = (format!("batch-{n}"), noon());
            let mut spec = spec(&f, &top, &head, strategy, &time);
            spec.id = &id;
            let Combination::Candidate(one) = candidate(&spec).unwrap() else { panic!() };
            assert_eq!(one.parents[0], top);
            top = one.commit;
        }
        let files = out(&f.repo, &["ls-tree", "--name-only", &top]);
        assert!((0..4).all(|n| files.contains(&format!("f{n}.txt"))), "{files}");
        assert_eq!(pins(&f.repo).unwrap().len(), 4);
        assert_eq!(f.head(), base);
    }

    fn conflicts_name_files_and_the_commits_of_both_sides() {
        let f = Fixture::small();
        let base = f.head();
        let long = (0..40).map(|n| format!("line {n}\n")).collect::<String>();
        write(&f.repo, "gone.txt", &long);
        write(&f.repo, "kept.txt", &long);
        let base = { let _ = base; commit(&f.repo, "base") };
        let head = branch(&f, "work", &base, &[
            ("README.md", Some("theirs\n")), ("gone.txt", Some("changed\n")), ("kept.txt", None), ("added.txt", Some("theirs\n")), ("fine.txt", Some("x")),
        ]);
        write(&f.repo, "other.txt", "x");
        commit(&f.repo, "not about it");
        write(&f.repo, "README.md", "ours\n");
        write(&f.repo, "added.txt", "ours\n");
        write(&f.repo, "kept.txt", "ours\n");
        std::fs::remove_file(f.repo.join("gone.txt")).unwrap();
        let target = commit(&f.repo, "\u{e9}dits\n\nbody");
        for strategy in [Strategy::Merge, Strategy::Squash, Strategy::Rebase] {
            let found = conflict(combine(&f, &target, &head, strategy).unwrap());
            let files: Vec<_> = found.files.iter().map(|file| (file.path.as_str(), file.kind)).collect();
            assert_eq!(files, [
                ("README.md", ConflictKind::BothChanged),
                ("added.txt", ConflictKind::BothAdded),
                ("gone.txt", ConflictKind::DeletedInTarget),
                ("kept.txt", ConflictKind::DeletedInHead),
            ], "{strategy:?}");
            let shown = |list: &downbeat_git::Commits| list.commits.iter().map(|one| (one.id.clone(), one.subject.clone(), one.author.clone())).collect::<Vec<_>>();
            assert_eq!(shown(&found.target), [(target.clone(), "\u{e9}dits".to_owned(), "Tester".to_owned())]);
            assert_eq!(shown(&found.head), [(head.clone(), "work".to_owned(), "Tester".to_owned())]);
            assert_eq!(found.commit.is_some(), strategy == Strategy::Rebase);
        }
        assert!(pins(&f.repo).unwrap().is_empty(), "a conflict keeps nothing");
    }

    fn conflicts_are_bounded() {
        let f = Fixture::small();
        let names: Vec<String> = (0..150).map(|n| format!("many/f{n:03}.txt")).collect();
        let all = |text: &'static str| names.iter().map(|name| (name.as_str(), Some(text))).collect::<Vec<_>>();
        let base = branch(&f, "base", &f.head(), &all("base\n"));
        let head = branch(&f, "work", &base, &all("theirs\n"));
        git(&f.repo, &["reset", "-q", "--hard", &base]);
        for n in 0..30 {
            write(&f.repo, "many/f000.txt", &format!("ours {n}\n"));
            for name in &names[1..] { write(&f.repo, name, "ours\n"); }
            commit(&f.repo, &"s".repeat(900));
        }
        let found = conflict(combine(&f, &f.head(), &head, Strategy::Merge).unwrap());
        assert_eq!((found.files.len(), found.has_more), (100, true));
        assert_eq!((found.target.commits.len(), found.target.has_more), (20, true));
        assert_eq!(found.target.commits[0].subject.len(), 200);
    }

    fn no_checkout_is_touched_and_no_program_runs() {
        let f = Fixture::small();
        let mark = f.repo.with_file_name("ran");
        let ran = format!("touch {}", mark.display());
        write(&f.repo, ".gitattributes", "*.txt merge=theirs filter=odd\nCHANGES merge=union\n");
        write(&f.repo, "a.txt", "a\nb\nc\nd\ne\n");
        write(&f.repo, "CHANGES", "first\n");
        let base = commit(&f.repo, "base");
        for (key, value) in [
            ("merge.theirs.driver", format!("{ran}; cp %B %A")),
            ("filter.odd.clean", format!("{ran}; cat")),
            ("filter.odd.smudge", format!("{ran}; cat")),
            ("core.fsmonitor", ran.clone()),
            ("gpg.program", ran.clone()),
            ("commit.gpgSign", "true".to_owned()),
            ("merge.renames", "false".to_owned()),
        ] {
            git(&f.repo, &["config", key, &value]);
        }
        for hook in ["pre-commit", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "reference-transaction", "post-index-change"] {
            crate::queue::hook(&f.repo, hook, &ran);
        }
        let quiet = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false", "-c", "filter.odd.clean=cat", "-c", "filter.odd.smudge=cat"];
        let run = |args: &[&str]| out(&f.repo, &[&quiet[..], args].concat());
        let tree = |changes: &[(&str, &str)], message: &str, from: &str| {
            run(&["checkout", "-q", "--detach", from]);
            for (name, text) in changes { write(&f.repo, name, text); }
            run(&["commit", "-qam", message]);
            run(&["rev-parse", "HEAD"])
        };
        let head = tree(&[("a.txt", "a\nb\nc\nd\nE\n"), ("CHANGES", "first\nhead\n")], "head", &base);
        let target = tree(&[("a.txt", "A\nb\nc\nd\ne\n"), ("CHANGES", "first\ntarget\n")], "target", &base);
        run(&["checkout", "-q", "main"]);
        // What is edited in the checkout does not count.
        write(&f.repo, ".gitattributes", "* -merge\n");
        write(&f.repo, "untracked", "mine");
        let _ = std::fs::remove_file(&mark);
        let index = std::fs::read(f.repo.join(".git/index")).unwrap();
        let before = (crate::queue::picture(&f.repo), run(&["for-each-ref"]), std::fs::read(f.repo.join(".git/HEAD")).unwrap());
        let one = made(&f, &target, &head, Strategy::Merge);
        assert!(!mark.exists(), "something ran");
        unpin(&f.repo, "one").unwrap();
        assert!(!mark.exists(), "something ran");
        let after = (crate::queue::picture(&f.repo), run(&["for-each-ref"]), std::fs::read(f.repo.join(".git/HEAD")).unwrap());
        assert_eq!(before, after);
        assert_eq!(std::fs::read(f.repo.join(".git/index")).unwrap(), index);
        assert_eq!(run(&["show", &format!("{}:a.txt", one.commit)]), "A\nb\nc\nd\nE");
        assert_eq!(run(&["show", &format!("{}:CHANGES", one.commit)]), "first\ntarget\nhead");
    }

    fn a_candidate_survives_garbage_collection_until_it_is_unpinned() {
        let (f, target, head) = apart();
        let one = made(&f, &target, &head, Strategy::Squash).commit;
        let collect = || git(&f.repo, &["-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now"]);
        let exists = || std::process::Command::new("git").current_dir(&f.repo).args(["cat-file", "-e", &one]).status().unwrap().success();
        collect();
        assert!(exists());
        assert_eq!(pins(&f.repo).unwrap()[0].commit, one, "from the packed references, too");
        unpin(&f.repo, "one").unwrap();
        unpin(&f.repo, "one").unwrap();
        assert_eq!(pins(&f.repo).unwrap(), []);
        collect();
        assert!(!exists());
    }

    /// A pin goes soon, so what only it reaches is still to be lost.
    fn a_pin_is_no_reason_to_delete_a_branch() {
        let (f, target, head) = apart();
        made(&f, &target, &head, Strategy::Merge);
        let error = delete_branch(&f.repo, "work").unwrap_err();
        assert!(matches!(error, Error::BranchKept { .. }), "{error}");
    }

    fn without_an_identity_the_error_says_how_to_set_one() {
        let (f, target, head) = apart();
        git(&f.repo, &["config", "user.email", ""]);
        for strategy in [Strategy::Merge, Strategy::Squash] {
            let error = combine(&f, &target, &head, strategy).unwrap_err();
            assert!(matches!(error, Error::NoIdentity { .. }), "{error}");
            assert!(error.to_string().contains("git config --global user.email"), "{error}");
        }
        let one = made(&f, &target, &head, Strategy::Rebase);
        assert_eq!(field(&f, &one.commit, "%cn %ce %cI"), "Tester t@example.com 2031-05-01T12:00:00+02:00");
    }

    fn bad_input_is_an_error_that_names_it() {
        let (f, target, head) = apart();
        let missing = "1".repeat(40);
        for (target, head) in [(&missing, &head), (&target, &missing), (&target, &"main".to_owned()), (&target, &head[..12].to_owned()), (&target, &String::new())] {
            let error = combine(&f, target, head, Strategy::Merge).unwrap_err();
            assert!(matches!(error, Error::UnknownRef { .. }), "{error}");
        }
        let time = noon();
        for id in ["", "a/b", "..", "a b", "-x.lock", &"a".repeat(65)] {
            let mut spec = spec(&f, &target, &head, Strategy::Merge, &time);
            spec.id = id;
            let found = candidate(&spec);
            assert!(matches!(found, Err(Error::BadId { .. })), "{id}: {found:?}");
            assert!(unpin(&f.repo, id).is_err());
        }
        git(&f.repo, &["checkout", "-q", "--orphan", "alone"]);
        let alone = commit(&f.repo, "alone");
        let error = combine(&f, &target, &alone, Strategy::Merge).unwrap_err();
        assert!(matches!(error, Error::Unrelated { .. }), "{error}");
    }

    #[cfg(unix)]
    fn a_pin_is_not_written_through_a_link() {
        let (f, target, head) = apart();
        let outside = f.repo.with_file_name("outside");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::create_dir_all(f.repo.join(".git/refs/downbeat")).unwrap();
        std::os::unix::fs::symlink(&outside, f.repo.join(".git/refs/downbeat/queue")).unwrap();
        let error = combine(&f, &target, &head, Strategy::Merge).unwrap_err();
        assert!(matches!(error, Error::Leads { .. }), "{error}");
        assert_eq!(outside.read_dir().unwrap().count(), 0);
    }

    fn lists_of_commits_are_bounded() {
        let f = Fixture::small();
        let base = f.head();
        for n in 0..5 { write(&f.repo, "n.txt", &format!("{n}")); commit(&f.repo, &format!("n{n}")); }
        let all = commits_between(&f.repo, &base, &f.head(), 10).unwrap();
        let subjects: Vec<_> = all.commits.iter().map(|one| one.subject.as_str()).collect();
        assert_eq!((subjects, all.has_more), (vec!["n4", "n3", "n2", "n1", "n0"], false));
        let some = commits_between(&f.repo, &base, &f.head(), 2).unwrap();
        assert_eq!((some.commits.len(), some.has_more), (2, true));
        assert_eq!(commits_between(&f.repo, &f.head(), &base, 2).unwrap().commits, []);
    }

    fn a_shallow_clone_and_a_criss_cross_history_are_merged() {
        let (f, target, head) = apart();
        // Each side merges the other, so there are two merge bases.
        git(&f.repo, &["checkout", "-q", "-B", "left", &target]);
        git(&f.repo, &["merge", "-q", "--no-edit", &head]);
        write(&f.repo, "left.txt", "left\n");
        let left = commit(&f.repo, "left");
        git(&f.repo, &["checkout", "-q", "-B", "right", &head]);
        git(&f.repo, &["merge", "-q", "--no-edit", &target]);
        write(&f.repo, "right.txt", "right\n");
        let right = commit(&f.repo, "right");
        let one = made(&f, &left, &right, Strategy::Merge);
        let files = out(&f.repo, &["ls-tree", "-r", "--name-only", &one.commit]);
        assert!(files.contains("left.txt") && files.contains("right.txt"), "{files}");
        let clone = f.repo.with_file_name("clone");
        git(&f.repo, &["clone", "-q", "--depth=1", "--branch=left", &format!("file://{}", f.repo.display()), clone.to_str().unwrap()]);
        write(&clone, "more.txt", "more\n");
        let more = commit(&clone, "more");
        let before = out(&clone, &["rev-parse", "HEAD~1"]);
        let time = noon();
        let mut spec = spec(&f, &before, &more, Strategy::Squash, &time);
        spec.repo = &clone;
        let made = candidate(&spec).unwrap();
        assert!(matches!(made, Combination::Candidate(_)), "{made:?}");
        assert_eq!(read(&clone, "more.txt"), "more\n");
    }

    fn renames_modes_links_and_submodules_are_merged() {
        let f = Fixture::small();
        let text = (0..30).map(|n| format!("line {n}\n")).collect::<String>();
        write(&f.repo, "old.txt", &text);
        write(&f.repo, "Case.txt", &text);
        write(&f.repo, "run.sh", "#!/bin/sh\n");
        let base = commit(&f.repo, "base");
        let submodule = "2".repeat(40);
        git(&f.repo, &["mv", "old.txt", "new.txt"]);
        git(&f.repo, &["mv", "Case.txt", "case.txt"]);
        git(&f.repo, &["update-index", "--chmod=+x", "run.sh"]);
        git(&f.repo, &["update-index", "--add", "--cacheinfo", &format!("160000,{submodule},module")]);
        git(&f.repo, &["commit", "-qm", "head"]);
        let head = f.head();
        git(&f.repo, &["reset", "-q", "--hard", &base]);
        write(&f.repo, "old.txt", &text.replace("line 3\n", "line three\n"));
        write(&f.repo, "run.sh", "#!/bin/sh\ntrue\n");
        let target = commit(&f.repo, "target");
        let one = made(&f, &target, &head, Strategy::Merge);
        let tree = out(&f.repo, &["ls-tree", "-r", &one.commit]);
        assert!(tree.contains(&format!("160000 commit {submodule}\tmodule")), "{tree}");
        assert!(tree.contains("\tcase.txt") && !tree.contains("\tCase.txt") && !tree.contains("\told.txt"), "{tree}");
        assert!(tree.lines().any(|line| line.starts_with("100755") && line.ends_with("run.sh")), "{tree}");
        assert!(out(&f.repo, &["show", &format!("{}:new.txt", one.commit)]).contains("line three"));
    }

    fn the_scene_is_the_same_afterwards() {
        let (f, target, head) = apart();
        write(&f.repo, "README.md", "edited\n");
        write(&f.repo, "new", "new\n");
        git(&f.repo, &["add", "new"]);
        let before = scene(&f.repo, &f.repo);
        made(&f, &target, &head, Strategy::Merge);
        unpin(&f.repo, "one").unwrap();
        assert_eq!(scene(&f.repo, &f.repo), before);
    }
}
