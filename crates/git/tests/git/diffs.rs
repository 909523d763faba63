//! What differs between two states of a worktree: every kind of change, in lists, hunks and pictures.

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use downbeat_git::{
    Change, Compared, Error, FileChange, RowKind, Unshown, compared_base, file_diff, find_commit,
    first_parent, list_files,
};
use std::path::Path;

fn between<'a>(f: &'a Fixture, tree: &'a Path, from: &'a str, to: Option<&'a str>) -> Compared<'a> {
    Compared {
        repo: &f.repo,
        checkout: tree,
        from: Some(from),
        to,
        ignores_space: false,
    }
}

fn list(compared: &Compared<'_>) -> Vec<FileChange> {
    list_files(compared).unwrap().files
}

/// The changes as `A path +1 -2`.
fn told(compared: &Compared<'_>) -> Vec<String> {
    let line = |file: FileChange| {
        let old = file.old_path.map(|old| format!("{old} > ")).unwrap_or_default();
        let number = |number: Option<u32>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
        let kind = match file.change {
            Change::Added => "A",
            Change::Modified => "M",
            Change::Deleted => "D",
            Change::Renamed => "R",
            Change::Copied => "C",
            Change::TypeChanged => "T",
            Change::Conflict => "U",
            Change::Untracked => "?",
        };
        let module = if file.is_submodule { " module" } else { "" };
        format!(
            "{kind} {old}{} +{} -{}{module}",
            file.path,
            number(file.added),
            number(file.removed)
        )
    };
    list(compared).into_iter().map(line).collect()
}

/// The hunks of a file as lines.
fn lines(compared: &Compared<'_>, path: &str) -> Vec<String> {
    let content = file_diff(compared, path, None, 3, false).unwrap();
    let rows = content.hunks.iter().flat_map(|hunk| &hunk.rows);
    let sign = |kind| match kind {
        RowKind::Same => ' ',
        RowKind::Added => '+',
        RowKind::Removed => '-',
    };
    rows.map(|row| format!("{}{}", sign(row.kind), row.text))
        .collect()
}

hermetic! {
    fn every_kind_of_change_is_listed_and_shown() {
        let f = Fixture::small();
        let poem: String = (0..40).map(|line| format!("line {line}\n")).collect();
        write(&f.repo, "poem.txt", &poem);
        write(&f.repo, "gone.txt", "gone\n");
        write(&f.repo, "tool.sh", "#!/bin/sh\n");
        write(&f.repo, "plain", "text\n");
        write(&f.repo, "logo.png", "a\0b");
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "more"]);
        let base = f.head();
        let tree = f.worktree("work").path;
        git(&tree, &["mv", "poem.txt", "verse.txt"]);
        write(&tree, "verse.txt", &poem.replace("line 20\n", "another line\n"));
        git(&tree, &["rm", "-q", "gone.txt"]);
        let run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(tree.join("tool.sh"), run).unwrap();
        std::fs::remove_file(tree.join("plain")).unwrap();
        std::os::unix::fs::symlink("README.md", tree.join("plain")).unwrap();
        write(&tree, "logo.png", "a\0c");
        git(&tree, &["add", "-A"]);
        git(&tree, &["commit", "-qm", "all"]);
        let head = out(&tree, &["rev-parse", "HEAD"]);
        write(&tree, "README.md", "hello\nthere\n");
        write(&tree, "new/ä ö.txt", "x\ny");
        std::os::unix::fs::symlink("/etc/passwd", tree.join("way out")).unwrap();
        write(&tree, ".env", "SECRET=1\n");
        let all = between(&f, &tree, &base, None);
        assert_eq!(told(&all), [
            "M README.md +1 -0",
            "D gone.txt +0 -1",
            "M logo.png +? -?",
            "? new/ä ö.txt +2 -0",
            "T plain +1 -1",
            "M tool.sh +0 -0",
            "R poem.txt > verse.txt +1 -1",
            "? way out +1 -0",
        ]);
        let committed = between(&f, &tree, &base, Some(&head));
        assert_eq!(told(&committed), [
            "D gone.txt +0 -1", "M logo.png +? -?", "T plain +1 -1", "M tool.sh +0 -0", "R poem.txt > verse.txt +1 -1",
        ]);
        let open = between(&f, &tree, &head, None);
        assert_eq!(told(&open), ["M README.md +1 -0", "? new/ä ö.txt +2 -0", "? way out +1 -0"]);
        assert_eq!(lines(&open, "README.md"), [" hello", "+there"]);
        assert_eq!(lines(&open, "new/ä ö.txt"), ["+x", "+y"]);
        assert_eq!(lines(&open, "way out"), ["+/etc/passwd"], "a link is shown, not followed");
        assert_eq!(lines(&all, "gone.txt"), ["-gone"]);
        let moved = file_diff(&all, "verse.txt", Some("poem.txt"), 1, false).unwrap();
        assert_eq!((moved.file.unwrap().change, moved.hunks.len()), (Change::Renamed, 1));
        assert_eq!(moved.hunks[0].rows.len(), 4);
        let picture = file_diff(&all, "logo.png", None, 3, true).unwrap();
        assert_eq!(picture.unshown, Some(Unshown::Binary));
        assert_eq!((picture.before, picture.after), (Some(b"a\0b".to_vec()), Some(b"a\0c".to_vec())));
        let tool = list(&all).into_iter().find(|file| file.path == "tool.sh").unwrap();
        assert_eq!((tool.old_mode, tool.new_mode), (0o100_644, 0o100_755));
        assert!(file_diff(&all, ".env", None, 3, false).unwrap().file.is_none(), "it is ignored");
        assert!(file_diff(&all, "new", None, 3, false).unwrap().file.is_none(), "it is a folder");
    }

    fn a_change_is_known_again_until_its_content_is_another() {
        let f = Fixture::small();
        let base = f.head();
        let tree = f.worktree("work").path;
        write(&tree, "README.md", "one\n");
        write(&tree, "new.txt", "one\n");
        let ids = || list(&between(&f, &tree, &base, None)).into_iter().map(|file| file.id.unwrap()).collect::<Vec<_>>();
        let first = ids();
        assert_eq!(ids(), first);
        write(&tree, "new.txt", "two\n");
        let second = ids();
        assert_eq!(second[0], first[0]);
        assert_ne!(second[1], first[1]);
    }

    fn a_conflict_is_marked_and_shows_its_markers() {
        let f = Fixture::small();
        let tree = f.worktree("work").path;
        write(&tree, "README.md", "ours\n");
        git(&tree, &["commit", "-qam", "ours"]);
        write(&f.repo, "README.md", "theirs\n");
        git(&f.repo, &["commit", "-qam", "theirs"]);
        let merged = std::process::Command::new("git").args(["merge", "main"]).current_dir(&tree).output().unwrap();
        assert!(!merged.status.success());
        let head = out(&tree, &["rev-parse", "HEAD"]);
        let open = between(&f, &tree, &head, None);
        let found = list(&open);
        assert_eq!((found.len(), found[0].change), (1, Change::Conflict));
        let shown = lines(&open, "README.md");
        assert!(shown.iter().any(|line| line.starts_with("+<<<<<<<")), "{shown:?}");
    }

    fn submodules_and_repositories_inside_are_named_and_not_entered() {
        let f = Fixture::small();
        let other = Fixture::named("other");
        git(&f.repo, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &other.repo.display().to_string(), "lib"]);
        git(&f.repo, &["commit", "-qm", "lib"]);
        let base = f.head();
        let tree = f.worktree("work").path;
        git(&tree, &["update-index", "--cacheinfo", &format!("160000,{base},lib")]);
        git(&tree, &["commit", "-qm", "newer"]);
        let head = out(&tree, &["rev-parse", "HEAD"]);
        let committed = between(&f, &tree, &base, Some(&head));
        assert_eq!(told(&committed), ["M lib +1 -1 module"]);
        assert_eq!(lines(&committed, "lib").len(), 2);
        std::fs::create_dir(tree.join("inner")).unwrap();
        git(&tree.join("inner"), &["init", "-q"]);
        write(&tree, "inner/x", "x");
        git(&tree.join("inner"), &["add", "x"]);
        git(&tree.join("inner"), &["commit", "-qm", "x"]);
        let open = between(&f, &tree, &head, None);
        let inner = list(&open).into_iter().find(|file| file.path.starts_with("inner")).unwrap();
        assert!(inner.is_submodule);
        let shown = file_diff(&open, &inner.path, None, 3, false).unwrap();
        assert_eq!(shown.unshown, Some(Unshown::Submodule));
    }

    fn white_space_counts_only_if_it_is_wanted() {
        let f = Fixture::small();
        let base = f.head();
        let tree = f.worktree("work").path;
        write(&tree, "src/lib.rs", "  fn main()   {}\nfn b() {}\n");
        let all = between(&f, &tree, &base, None);
        assert_eq!(told(&all), ["M src/lib.rs +2 -1"]);
        let blind = Compared { ignores_space: true, ..all };
        assert_eq!(told(&blind), ["M src/lib.rs +1 -0"]);
        assert_eq!(lines(&blind, "src/lib.rs"), ["   fn main()   {}", "+fn b() {}"]);
    }

    fn a_copy_shows_its_lines_whatever_its_name() {
        let f = Fixture::small();
        let poem: String = (0..40).map(|line| format!("line {line}\n")).collect();
        write(&f.repo, "poem.txt", &poem);
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "poem"]);
        let base = f.head();
        let tree = f.worktree("work").path;
        let names = ["b/poem.txt", "quo\"te", "back\\slash", "tab\tname", "ä ö.txt", "bell\u{7}\u{1b}"];
        for (number, name) in names.iter().enumerate() {
            write(&tree, name, &poem.replace("line 20\n", &format!("copy {number}\n")));
        }
        write(&tree, "poem.txt", &format!("{poem}more\n"));
        git(&tree, &["add", "-A"]);
        git(&tree, &["commit", "-qm", "copies"]);
        let head = out(&tree, &["rev-parse", "HEAD"]);
        for quotes in ["true", "false"] {
            git(&tree, &["config", "core.quotePath", quotes]);
            let all = between(&f, &tree, &base, Some(&head));
            for (number, name) in names.iter().enumerate() {
                let content = file_diff(&all, name, Some("poem.txt"), 0, false).unwrap();
                assert_eq!(content.file.unwrap().change, Change::Copied, "{name:?}");
                let rows: Vec<_> = content.hunks.iter().flat_map(|hunk| &hunk.rows).map(|row| row.text.clone()).collect();
                assert_eq!(rows, ["line 20".to_owned(), format!("copy {number}")], "{name:?}");
            }
        }
    }

    fn what_cannot_be_shown_says_why() {
        let f = Fixture::small();
        let base = f.head();
        let tree = f.worktree("work").path;
        std::fs::write(tree.join("latin.txt"), b"caf\xe9\n").unwrap();
        std::fs::File::create(tree.join("large.txt")).unwrap().set_len(17 << 20).unwrap();
        let all = between(&f, &tree, &base, None);
        let latin = file_diff(&all, "latin.txt", None, 3, false).unwrap();
        assert!(latin.is_lossy && latin.unshown.is_none());
        let large = file_diff(&all, "large.txt", None, 3, true).unwrap();
        assert_eq!((large.unshown, large.after), (Some(Unshown::TooLarge), None));
        for path in ["../x", "/etc/passwd", ".git/config", "a/../../x"] {
            let refused = file_diff(&all, path, None, 3, false);
            assert!(matches!(refused, Err(Error::OutsidePath { .. })), "{path}");
        }
    }

    fn the_first_commit_differs_from_nothing() {
        let f = Fixture::small();
        let head = f.head();
        let first = first_parent(&f.repo, &head).unwrap();
        assert_eq!(first, None);
        let all = Compared { repo: &f.repo, checkout: &f.repo, from: None, to: Some(&head), ignores_space: false };
        assert_eq!(told(&all), ["A .gitignore +4 -0", "A README.md +1 -0", "A src/lib.rs +1 -0"]);
        assert_eq!(find_commit(&f.repo, &head[..7]).unwrap(), head);
        for text in ["", "abc", "HEAD", "--help", "zzzzzzz", "0000000"] {
            assert!(matches!(find_commit(&f.repo, text), Err(Error::UnknownRef { .. })), "{text}");
        }
    }

    fn what_was_taken_over_from_the_base_is_not_the_sessions_work() {
        let f = Fixture::small();
        let base = f.head();
        let tree = f.worktree("work").path;
        write(&tree, "mine.txt", "mine\n");
        git(&tree, &["add", "-A"]);
        git(&tree, &["commit", "-qm", "mine"]);
        let head = || out(&tree, &["rev-parse", "HEAD"]);
        assert_eq!(compared_base(&f.repo, &base, "main", &head()).unwrap(), base);
        write(&f.repo, "theirs.txt", "theirs\n");
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "theirs"]);
        assert_eq!(compared_base(&f.repo, &base, "main", &head()).unwrap(), base);
        git(&tree, &["merge", "-q", "--no-edit", "main"]);
        assert_eq!(compared_base(&f.repo, &base, "main", &head()).unwrap(), f.head());
        // It landed: what it changed stays its work.
        git(&f.repo, &["merge", "-q", "--ff-only", "feature/work"]);
        assert_eq!(compared_base(&f.repo, &base, "main", &head()).unwrap(), base);
    }

    fn a_long_file_is_compared_in_time() {
        let f = Fixture::small();
        let text = |word: &str| (0..20_000).map(|line| format!("{word} {line}\n")).collect::<String>();
        write(&f.repo, "long.txt", &text("old"));
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "long"]);
        let base = f.head();
        let tree = f.worktree("work").path;
        write(&tree, "long.txt", &text("new"));
        let all = between(&f, &tree, &base, None);
        let content = file_diff(&all, "long.txt", None, 3, false).unwrap();
        assert_eq!(content.hunks.iter().map(|hunk| hunk.rows.len()).sum::<usize>(), 40_000);
        assert_eq!(told(&all), ["M long.txt +20000 -20000"]);
    }
}
