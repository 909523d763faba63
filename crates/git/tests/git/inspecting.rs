//! The kinds of folders; default branches, bases and branch lists.

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use downbeat_git::{
    ChangeCount, Error, FolderKind, Repository, changes, check_git, count_changes, exclude, initialize,
    inspect,
};
use std::path::Path;

hermetic! {
    fn a_long_branch_list_has_the_newest_and_the_used_branches() {
        let f = Fixture::small();
        let old = f.head();
        git(&f.repo, &["branch", "-m", "main", "trunk"]);
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        let newer = [&who[..], &["commit-tree", "HEAD^{tree}", "-p", &old, "-m", "newer"]].concat();
        let newer = std::process::Command::new("git").current_dir(&f.repo).args(newer)
            .env("GIT_COMMITTER_DATE", "2040-01-01T00:00:00Z").output().unwrap();
        let newer = String::from_utf8(newer.stdout).unwrap();
        let mut packed = String::new();
        for number in 0..20_000 {
            packed.push_str(&format!("{} refs/heads/b{number:05}\n", if number == 9_000 { newer.trim() } else { &old }));
        }
        // After all others.
        packed.push_str(&format!("{old} refs/heads/trunk\n"));
        write(&f.repo, ".git/packed-refs", &packed);
        std::fs::remove_file(f.repo.join(".git/refs/heads/trunk")).unwrap();
        let all = downbeat_git::Repository::open(&f.repo).unwrap().branches().unwrap();
        assert!((1_000..1_010).contains(&all.len()), "{}", all.len());
        assert_eq!(all[0].name, "b09000");
        assert!(all.iter().any(|branch| branch.name == "trunk"));
    }

    fn inspect_recognizes_every_kind_of_folder() {
        let f = Fixture::small();
        let root = f.repo.clone();
        assert_eq!(inspect(&f.repo), FolderKind::Repository { root: root.clone() });
        assert_eq!(inspect(&f.repo.join("src")), FolderKind::Repository { root: root.clone() });
        let made = f.worktree("linked");
        assert_eq!(inspect(&made.path.join("src")), FolderKind::Repository { root });
        let top = f.repo.parent().unwrap();
        assert_eq!(inspect(&top.join("nowhere")), FolderKind::Missing);
        assert_eq!(inspect(&f.repo.join("README.md")), FolderKind::NotAFolder);
        assert_eq!(inspect(&f.repo.join("README.md/x")), FolderKind::Missing);
        assert_eq!(inspect(top), FolderKind::PlainFolder);
        git(top, &["init", "-q", "--bare", "bare.git"]);
        assert_eq!(inspect(&top.join("bare.git")), FolderKind::Bare);
        git(top, &["init", "-q", "empty"]);
        assert_eq!(inspect(&top.join("empty")), FolderKind::NoCommits { root: top.join("empty") });
        std::fs::create_dir(top.join("notes")).unwrap();
        git(top, &["init", "-q", "--separate-git-dir", "notes/apart.git", "apart"]);
        assert_eq!(inspect(&top.join("apart")), FolderKind::NoCommits { root: top.join("apart") });
        initialize(&top.join("apart")).unwrap();
        assert_eq!(Repository::open(&top.join("apart")).unwrap().root(), top.join("apart"));
        write(top, "broken/.git/HEAD", "nonsense");
        assert!(matches!(inspect(&top.join("broken")), FolderKind::PlainFolder | FolderKind::Unreadable));
        check_git().unwrap();
    }

    fn a_repository_that_cannot_be_opened_is_refused_with_the_reason() {
        let f = Fixture::small();
        let top = f.repo.parent().unwrap();
        git(top, &["init", "-q", "--object-format=sha256", "other"]);
        let refused = inspect(&top.join("other"));
        assert!(matches!(&refused, FolderKind::Refused { reason } if reason.contains("object format")), "{refused:?}");
        write(&f.repo, ".git/config", "[broken\n");
        let refused = inspect(&f.repo);
        assert!(matches!(&refused, FolderKind::Refused { reason } if reason.contains("config")), "{refused:?}");
    }

    fn changes_since_the_base_are_counted_whether_committed_or_not() {
        let f = Fixture::small();
        let base = f.head();
        let tree = f.worktree("work").path;
        write(&tree, "src/lib.rs", "fn main() {}\nfn more() {}\n");
        git(&tree, &["commit", "-qam", "more"]);
        write(&tree, "README.md", "bye\n");
        write(&tree, "new one.txt", "a\nb\nc");
        write(&tree, "picture", "a\0b\n");
        write(&tree, ".env", "SECRET=1\n");
        git(&tree, &["config", "diff.external", "false"]);
        let told: Vec<_> = changes(&f.repo, &tree, &base).unwrap().into_iter().map(|file| {
            (file.path, file.added, file.removed, file.is_untracked)
        }).collect();
        let wanted = [
            ("README.md", Some(1), Some(1), false),
            ("new one.txt", Some(3), Some(0), true),
            ("picture", None, None, true),
            ("src/lib.rs", Some(1), Some(0), false),
        ];
        assert_eq!(told, wanted.map(|(path, added, removed, new)| (path.to_owned(), added, removed, new)));
        assert!(changes(&f.repo, &tree, "0000000000000000000000000000000000000000").is_err());
        let paths = ["README.md", "src/lib.rs", "new one.txt", "picture"].map(str::to_owned);
        let counted = ChangeCount { files: 4, added: 5, removed: 1, is_many: false, paths: paths.to_vec() };
        assert_eq!(count_changes(&f.repo, &tree, &base).unwrap(), counted);
        assert!(count_changes(&f.repo, &tree, "0000000000000000000000000000000000000000").is_err());
    }

    fn a_renamed_file_counts_once_and_has_both_names() {
        let f = Fixture::small();
        let base = f.head();
        let tree = f.worktree("work").path;
        git(&tree, &["mv", "src/lib.rs", "src/moved.rs"]);
        let told: Vec<_> = changes(&f.repo, &tree, &base).unwrap().into_iter().map(|file| {
            (file.path, file.from, file.added, file.removed)
        }).collect();
        assert_eq!(told, [("src/moved.rs".to_owned(), Some("src/lib.rs".to_owned()), Some(0), Some(0))]);
        let paths = vec!["src/lib.rs".to_owned(), "src/moved.rs".to_owned()];
        let counted = ChangeCount { files: 1, paths, ..ChangeCount::default() };
        assert_eq!(count_changes(&f.repo, &tree, &base).unwrap(), counted);
    }

    #[cfg(unix)]
    fn a_link_is_the_line_that_it_names() {
        let f = Fixture::small();
        let tree = f.worktree("work").path;
        std::os::unix::fs::symlink("README.md", tree.join("link")).unwrap();
        let counted = count_changes(&f.repo, &tree, &f.head()).unwrap();
        assert_eq!((counted.files, counted.added), (1, 1));
    }

    fn more_new_files_than_are_read_are_many() {
        let f = Fixture::small();
        let tree = f.worktree("work").path;
        for number in 0..510 {
            write(&tree, format!("made/{number}"), "a\n");
        }
        let counted = count_changes(&f.repo, &tree, &f.head()).unwrap();
        assert_eq!((counted.files, counted.added, counted.removed, counted.is_many), (510, 500, 0, true));
        assert_eq!(counted.paths.len(), 300);
    }

    fn initialize_creates_one_empty_commit_and_adds_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        write(&path, "mine.txt", "x");
        initialize(&path).unwrap();
        initialize(&path).unwrap();
        assert_eq!(inspect(&path), FolderKind::Repository { root: path.clone() });
        assert_eq!(out(&path, &["rev-list", "--count", "HEAD"]), "1");
        assert_eq!(out(&path, &["ls-tree", "-r", "HEAD"]), "");
        assert_eq!(crate::fixture::status(&path), "?? mine.txt");
        let staged = path.join("staged");
        std::fs::create_dir(&staged).unwrap();
        git(&staged, &["init", "-q"]);
        write(&staged, "a", "a");
        git(&staged, &["add", "a"]);
        initialize(&staged).unwrap();
        assert_eq!(crate::fixture::status(&staged), "A  a");
        assert!(initialize(&path.join("nope")).is_err());
    }

    fn the_default_branch_comes_from_origin_then_config_then_custom() {
        let f = Fixture::small();
        let open = || Repository::open(&f.repo).unwrap();
        assert_eq!(open().default_branch().unwrap(), "main");
        git(&f.repo, &["checkout", "-q", "-b", "work"]);
        assert_eq!(open().default_branch().unwrap(), "main");
        git(&f.repo, &["branch", "-m", "main", "trunk"]);
        assert_eq!(open().default_branch().unwrap(), "work");
        git(&f.repo, &["config", "init.defaultBranch", "trunk"]);
        assert_eq!(open().default_branch().unwrap(), "trunk");
        git(&f.repo, &["checkout", "-q", "--detach"]);
        git(&f.repo, &["update-ref", "refs/remotes/origin/next", "HEAD"]);
        git(&f.repo, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next"]);
        assert_eq!(open().default_branch().unwrap(), "next");
        assert_eq!(open().base("next").unwrap().commit, f.head());
        // HEAD is unborn, but another branch has commits.
        git(&f.repo, &["symbolic-ref", "HEAD", "refs/heads/unborn"]);
        assert!(matches!(inspect(&f.repo), FolderKind::Repository { .. }));
    }

    fn a_base_has_its_commit_and_the_count_it_is_behind() {
        let f = Fixture::small();
        let clone = f.repo.parent().unwrap().join("clone");
        git(f.repo.parent().unwrap(), &["clone", "-q", "repo", "clone"]);
        let mut later = std::process::Command::new("git");
        later.current_dir(&f.repo).env("GIT_COMMITTER_DATE", "2099-01-01T00:00:00Z");
        assert!(later.args(["commit", "-q", "--allow-empty", "-m", "two"]).status().unwrap().success());
        git(&clone, &["fetch", "-q"]);
        let repository = Repository::open(&clone).unwrap();
        assert_eq!(repository.base("main").unwrap().behind, 1);
        assert_eq!(repository.base("origin/main").unwrap().commit, f.head());
        assert_eq!(repository.base(&f.head()).unwrap().commit, f.head());
        git(&clone, &["branch", "feature/login"]);
        let error = repository.base("feature/logn").unwrap_err();
        assert!(error.to_string().contains("feature/login"), "{error}");
        for bad in ["", "--all", "$(x)", "a\nb", "\0", "main^{tree}", &"x".repeat(100_000)] {
            let error = repository.base(bad).unwrap_err();
            assert!(matches!(error, Error::UnknownRef { .. }) && error.to_string().len() < 2_000, "{bad}");
        }
        let branches = repository.branches().unwrap();
        let names: Vec<_> = branches.iter().map(|b| (b.name.as_str(), b.is_remote)).collect();
        assert_eq!(names, [("origin/main", true), ("feature/login", false), ("main", false)]);
        assert_eq!(branches[2].checked_out_at.as_deref(), Some(clone.as_path()));
        assert_eq!(branches[0].summary, "two");
    }

    fn exclude_adds_a_line_once() {
        let f = Fixture::small();
        let file = f.repo.join(".git/info/exclude");
        std::fs::write(&file, "a").unwrap();
        exclude(&f.repo, ".worktrees/").unwrap();
        exclude(&f.repo, ".worktrees/").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "a\n.worktrees/\n");
        assert!(exclude(&f.repo, "a\nb").is_err());
    }

    fn a_missing_repository_is_reported_with_a_remedy() {
        let error = Repository::open(Path::new("/nowhere/at all")).err().unwrap().to_string();
        assert!(error.contains("/nowhere/at all") && error.contains("project edit"), "{error}");
    }
}
