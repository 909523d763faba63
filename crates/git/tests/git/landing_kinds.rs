//! Landings of all kinds of files and settings: submodules, line endings, filters, links, modes, names that differ
//! in case, sparse checkouts and split indexes.

use crate::fixture::{Fixture, git, out, read, status, write};
use crate::hermetic;
use crate::queue::{branch, commit, lands, lands_with, made, main_of, nothing_left, picture, scene};
use downbeat_git::{Cause, Error, Landing, Programs, Strategy};

fn landed() -> Landing {
    Landing::Landed {
        submodules: Vec::new(),
        left: Vec::new(),
    }
}

/// Lands what the last commit of the checkout changed, and returns the commits before and after.
fn lands_last(f: &Fixture, programs: Programs) -> (String, String) {
    let new = f.head();
    let old = out(&f.repo, &["rev-parse", "HEAD~1"]);
    git(&f.repo, &["reset", "-q", "--hard", &old]);
    assert_eq!(lands_with(&f.repo, &old, &new, programs).unwrap(), landed());
    (old, new)
}

hermetic! {
    #[cfg(unix)]
    fn links_modes_and_folders_that_become_files() {
        use std::os::unix::fs::symlink;
        let f = Fixture::small();
        write(&f.repo, "file-to-link", "text\n");
        write(&f.repo, "file-to-folder", "text\n");
        write(&f.repo, "folder-to-file/a/b", "text\n");
        write(&f.repo, "folder-to-link/a", "text\n");
        write(&f.repo, "run.sh", "#!/bin/sh\n");
        symlink("README.md", f.repo.join("link-to-file")).unwrap();
        symlink("src", f.repo.join("link-to-folder")).unwrap();
        symlink("README.md", f.repo.join("link")).unwrap();
        commit(&f.repo, "base");
        for name in ["file-to-link", "file-to-folder", "link-to-file", "link-to-folder", "link"] { std::fs::remove_file(f.repo.join(name)).unwrap(); }
        for name in ["folder-to-file", "folder-to-link"] { std::fs::remove_dir_all(f.repo.join(name)).unwrap(); }
        symlink("src", f.repo.join("file-to-link")).unwrap();
        symlink("src", f.repo.join("folder-to-link")).unwrap();
        symlink("/nowhere", f.repo.join("link")).unwrap();
        write(&f.repo, "file-to-folder/in", "text\n");
        write(&f.repo, "link-to-folder/in", "text\n");
        write(&f.repo, "folder-to-file", "text\n");
        write(&f.repo, "link-to-file", "text\n");
        crate::queue::runs(&f.repo.join("run.sh"));
        commit(&f.repo, "turned");
        let expected = picture(&f.repo);
        for programs in [Programs::Skip, Programs::Run] {
            let (old, new) = lands_last(&f, programs);
            assert_eq!(picture(&f.repo), expected);
            assert_eq!(status(&f.repo), "");
            // And back again, on top.
            let tree = format!("{old}^{{tree}}");
            let back = out(&f.repo, &["commit-tree", "-p", &new, "-m", "back", &tree]);
            assert_eq!(lands_with(&f.repo, &new, &back, programs).unwrap(), landed());
            assert_eq!(status(&f.repo), "");
            git(&f.repo, &["reset", "-q", "--hard", &new]);
        }
        nothing_left(&f.repo);
    }

    fn names_that_differ_in_case_only() {
        let f = Fixture::small();
        git(&f.repo, &["mv", "README.md", "readme.md"]);
        commit(&f.repo, "renamed");
        let (_, new) = lands_last(&f, Programs::Skip);
        assert_eq!((main_of(&f.repo), status(&f.repo)), (new, String::new()));
        assert_eq!(read(&f.repo, "readme.md"), "hello\n");
        // On a file system that tells them apart, a file of the person's with that name is in the way.
        let f = Fixture::small();
        let old = f.head();
        git(&f.repo, &["mv", "README.md", "readme.md"]);
        let new = commit(&f.repo, "renamed");
        git(&f.repo, &["reset", "-q", "--hard", &old]);
        if !f.repo.join("readme.md").exists() {
            write(&f.repo, "readme.md", "mine\n");
            let Landing::Refused(refusal) = lands(&f.repo, &old, &new).unwrap() else { panic!() };
            assert_eq!((refusal.cause, refusal.paths), (Cause::InTheWay, vec!["readme.md".to_owned()]));
            assert_eq!(read(&f.repo, "readme.md"), "mine\n");
        }
    }

    fn line_endings_are_written_as_configured() {
        for (key, value) in [("core.autocrlf", "true"), ("core.eol", "crlf"), ("core.autocrlf", "input")] {
            let f = Fixture::small();
            write(&f.repo, ".gitattributes", "*.md text\n*.bin binary\n");
            write(&f.repo, "raw.bin", "a\nb\n");
            commit(&f.repo, "attributes");
            git(&f.repo, &["config", key, value]);
            git(&f.repo, &["rm", "-q", "--cached", "-r", "."]);
            git(&f.repo, &["reset", "-q", "--hard"]);
            let old = f.head();
            let head = branch(&f, "work", &old, &[("README.md", Some("one\ntwo\n")), ("raw.bin", Some("c\nd\n"))]);
            let new = made(&f, &old, &head, Strategy::Squash).commit;
            assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
            let expected = if value == "input" { "one\ntwo\n" } else { "one\r\ntwo\r\n" };
            assert_eq!((read(&f.repo, "README.md").as_str(), read(&f.repo, "raw.bin").as_str()), (expected, "c\nd\n"), "{key}={value}");
            assert_eq!(status(&f.repo), "", "{key}={value}");
            assert_eq!(out(&f.repo, &["show", "HEAD:README.md"]), "one\ntwo", "objects keep their line ends");
        }
    }

    fn filters_of_the_repository_run_only_with_trust_and_those_of_the_person_always() {
        for (programs, scope, expected) in [(Programs::Run, "--local", "SECRET\n"), (Programs::Skip, "--local", "secret\n"), (Programs::Skip, "--global", "SECRET\n")] {
            let f = Fixture::small();
            write(&f.repo, ".gitattributes", "*.up filter=up\n");
            let old = commit(&f.repo, "attributes");
            let head = branch(&f, "work", &old, &[("a.up", Some("secret\n"))]);
            let new = made(&f, &old, &head, Strategy::Squash).commit;
            git(&f.repo, &["config", scope, "filter.up.smudge", "tr a-z A-Z"]);
            git(&f.repo, &["config", scope, "filter.up.clean", "tr A-Z a-z"]);
            assert_eq!(lands_with(&f.repo, &old, &new, programs).unwrap(), landed());
            assert_eq!(read(&f.repo, "a.up"), expected, "{programs:?} {scope}");
            assert_eq!(status(&f.repo), "");
        }
    }

    /// Git fails in the middle: some files are written, others not.
    fn a_filter_that_fails_undoes_the_landing() {
        let f = Fixture::small();
        for n in 0..6 { write(&f.repo, format!("f{n}.txt"), "old\n"); }
        write(&f.repo, ".gitattributes", "m*.txt filter=bad\n");
        let old = commit(&f.repo, "base");
        let head = branch(&f, "work", &old, &[
            ("a-new.txt", Some("new\n")), ("f0.txt", Some("landed\n")), ("f1.txt", None), ("m-new.txt", Some("new\n")), ("README.md", None), ("README.md/in", Some("x\n")), ("z-new/x", Some("z\n")),
        ]);
        let new = made(&f, &old, &head, Strategy::Squash).commit;
        git(&f.repo, &["config", "--global", "filter.bad.smudge", "false"]);
        git(&f.repo, &["config", "--global", "filter.bad.clean", "cat"]);
        git(&f.repo, &["config", "--global", "filter.bad.required", "true"]);
        write(&f.repo, "f5.txt", "mine\n");
        write(&f.repo, "untracked", "mine\n");
        let before = scene(&f.repo, &f.repo);
        let Landing::Refused(refusal) = lands(&f.repo, &old, &new).unwrap() else { panic!() };
        assert!(matches!(&refusal.cause, Cause::Git(said) if said.contains("bad")), "{refusal}");
        assert_eq!(scene(&f.repo, &f.repo), before);
        assert_eq!(status(&f.repo), " M f5.txt\n?? untracked");
        nothing_left(&f.repo);
        let log = out(&f.repo, &["reflog", "--format=%gs", "main"]);
        assert!(!log.contains("downbeat"), "the branch was not moved: {log}");
        git(&f.repo, &["config", "--global", "filter.bad.smudge", "cat"]);
        assert_eq!(lands(&f.repo, &old, &new).unwrap(), landed());
        assert_eq!(status(&f.repo), " M f5.txt\n?? untracked");
    }

    fn submodules_that_the_landing_moves_are_named() {
        let f = Fixture::small();
        let module = Fixture::named("module");
        let first = module.head();
        git(&f.repo, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.repo.to_str().unwrap(), "module"]);
        let old = commit(&f.repo, "submodule");
        write(&module.repo, "more.txt", "more\n");
        let second = commit(&module.repo, "more");
        let tree = out(&f.repo, &["ls-tree", "HEAD"]).replace(&first, &second);
        let new = {
            let blob = crate::queue::feed(&f.repo, &["mktree"], tree.as_bytes());
            out(&f.repo, &["commit-tree", "-p", &old, "-m", "newer", &blob])
        };
        git(&f.repo, &["config", "submodule.recurse", "true"]);
        for programs in [Programs::Skip, Programs::Run] {
            // Work inside of it is not looked at, and stays.
            write(&f.repo.join("module"), "README.md", "mine\n");
            let moved = Landing::Landed { submodules: vec!["module".to_owned()], left: Vec::new() };
            assert_eq!(lands_with(&f.repo, &old, &new, programs).unwrap(), moved);
            assert_eq!(out(&f.repo.join("module"), &["rev-parse", "HEAD"]), first);
            assert_eq!(read(&f.repo, "module/README.md"), "mine\n");
            assert_eq!(out(&f.repo, &["ls-files", "-s", "module"]).split(' ').nth(1), Some(second.as_str()));
            git(&f.repo, &["-c", "submodule.recurse=false", "reset", "-q", "--hard", &old]);
        }
        // The person checked out another commit there: an edit that overlaps.
        git(&f.repo.join("module"), &["checkout", "-q", "README.md"]);
        git(&f.repo.join("module"), &["commit", "-q", "--allow-empty", "-m", "mine"]);
        let Landing::Refused(refusal) = lands(&f.repo, &old, &new).unwrap() else { panic!() };
        assert_eq!((refusal.cause, refusal.paths), (Cause::Edits, vec!["module".to_owned()]));
        assert_eq!(main_of(&f.repo), old);
    }

    fn a_sparse_checkout_stays_sparse() {
        let f = Fixture::small();
        write(&f.repo, "out/a.txt", "a\n");
        write(&f.repo, "in/a.txt", "a\n");
        let old = commit(&f.repo, "base");
        let head = branch(&f, "work", &old, &[("out/a.txt", Some("A\n")), ("out/b.txt", Some("b\n")), ("in/a.txt", Some("A\n"))]);
        let new = made(&f, &old, &head, Strategy::Squash).commit;
        for index in ["--no-sparse-index", "--sparse-index"] {
            for programs in [Programs::Skip, Programs::Run] {
                git(&f.repo, &["sparse-checkout", "set", "--cone", index, "in"]);
                assert_eq!(lands_with(&f.repo, &old, &new, programs).unwrap(), landed());
                assert_eq!((status(&f.repo).as_str(), read(&f.repo, "in/a.txt").as_str()), ("", "A\n"));
                assert!(!f.repo.join("out").exists(), "{index} {programs:?}");
                git(&f.repo, &["reset", "-q", "--hard", &old]);
                git(&f.repo, &["sparse-checkout", "disable"]);
            }
        }
    }

    fn a_split_index_is_read() {
        let f = Fixture::small();
        let old = f.head();
        let head = branch(&f, "work", &old, &[("README.md", Some("landed\n")), ("b.txt", Some("b\n"))]);
        let new = made(&f, &old, &head, Strategy::Squash).commit;
        for programs in [Programs::Skip, Programs::Run] {
            git(&f.repo, &["config", "core.splitIndex", "true"]);
            git(&f.repo, &["update-index", "--split-index"]);
            write(&f.repo, "src/lib.rs", "staged\n");
            git(&f.repo, &["add", "src/lib.rs"]);
            assert_eq!(lands_with(&f.repo, &old, &new, programs).unwrap(), landed());
            assert_eq!(status(&f.repo), "M  src/lib.rs");
            git(&f.repo, &["reset", "-q", "--hard", &old]);
        }
    }

    fn an_index_and_a_tree_that_lead_outside_are_refused() {
        let f = Fixture::small();
        let old = f.head();
        let blob = out(&f.repo, &["rev-parse", "HEAD:README.md"]);
        for name in ["..", ".git", ".GIT"] {
            let mut raw = format!("100644 {name}\0").into_bytes();
            raw.extend(blob.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()));
            let tree = crate::queue::feed(&f.repo, &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &raw);
            let new = out(&f.repo, &["commit-tree", "-p", &old, "-m", "bad", &tree]);
            let before = scene(&f.repo, &f.repo);
            let error = lands(&f.repo, &old, &new).unwrap_err();
            assert!(matches!(error, Error::OutsidePath { .. }), "{name}: {error}");
            assert_eq!(scene(&f.repo, &f.repo), before);
            nothing_left(&f.repo);
        }
        // An index of the same length, with another name in it.
        let outside = f.repo.with_file_name("outside.txt");
        std::fs::write(&outside, "mine\n").unwrap();
        write(&f.repo, "xx/outside.txt", "x\n");
        git(&f.repo, &["add", "xx"]);
        let index = f.repo.join(".git/index");
        let mut bytes = std::fs::read(&index).unwrap();
        let at = bytes.windows(14).position(|word| word == b"xx/outside.txt").unwrap();
        bytes[at..at + 2].copy_from_slice(b"..");
        let bytes = crate::queue::summed(bytes);
        std::fs::write(&index, bytes).unwrap();
        let head = branch(&f, "work", &old, &[("README.md", Some("landed\n"))]);
        let error = lands(&f.repo, &old, &head).unwrap_err();
        assert!(matches!(error, Error::OutsidePath { .. }), "{error}");
        assert_eq!(std::fs::read(&outside).unwrap(), b"mine\n");
        nothing_left(&f.repo);
    }

    #[cfg(unix)]
    fn a_linked_git_directory_is_not_written_through() {
        let f = Fixture::small();
        let old = f.head();
        let head = branch(&f, "work", &old, &[("README.md", Some("landed\n"))]);
        let outside = f.repo.with_file_name("outside");
        std::fs::create_dir_all(&outside).unwrap();
        let _ = std::fs::remove_dir_all(f.repo.join(".git/downbeat"));
        std::os::unix::fs::symlink(&outside, f.repo.join(".git/downbeat")).unwrap();
        let error = lands(&f.repo, &old, &head).unwrap_err();
        assert!(matches!(error, Error::Leads { .. }), "{error}");
        assert_eq!(outside.read_dir().unwrap().count(), 0);
        std::fs::remove_file(f.repo.join(".git/downbeat")).unwrap();
        let heads = f.repo.join(".git/refs/heads");
        std::fs::rename(heads.join("main"), outside.join("main")).unwrap();
        std::os::unix::fs::symlink(outside.join("main"), heads.join("main")).unwrap();
        lands(&f.repo, &old, &head).unwrap_err();
        assert_eq!(std::fs::read_to_string(outside.join("main")).unwrap().trim(), old);
        assert!(!f.repo.join(".git/index.lock").exists());
    }

    fn a_checkout_on_another_place_is_found_by_its_git_directory() {
        let f = Fixture::small();
        let place = f.repo.with_file_name("apart");
        let notes = f.repo.with_file_name("notes");
        git(&f.repo, &["clone", "-q", "--separate-git-dir", notes.to_str().unwrap(), f.repo.to_str().unwrap(), place.to_str().unwrap()]);
        write(&place, "README.md", "landed\n");
        let new = commit(&place, "new");
        let old = out(&place, &["rev-parse", "HEAD~1"]);
        git(&place, &["reset", "-q", "--hard", &old]);
        for programs in [Programs::Skip, Programs::Run] {
            assert_eq!(lands_with(&place, &old, &new, programs).unwrap(), landed());
            assert_eq!(status(&place), "");
            git(&place, &["reset", "-q", "--hard", &old]);
        }
    }
}
