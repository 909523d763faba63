//! The worktree of checks holds exactly a commit, whatever earlier commands did to it.

use crate::fixture::{Fixture, git, out, read, write};
use crate::hermetic;
use downbeat_git::{Error, check_tree, remove_check_tree, restore_tracked};
use std::path::PathBuf;

fn place(f: &Fixture) -> PathBuf {
    f.repo.parent().unwrap().join("checks/tree")
}

#[cfg(unix)]
fn path_exists(path: &std::path::Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Writes a tree as it is given, as git's own commands would not, and returns its id.
#[cfg(unix)]
fn forged_tree(f: &Fixture, entries: &[(&str, &str, String)]) -> git2::Oid {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        bytes.extend_from_slice(git2::Oid::from_str(id).unwrap().as_bytes());
    }
    let repository = git2::Repository::open(&f.repo).unwrap();
    repository
        .odb()
        .unwrap()
        .write(git2::ObjectType::Tree, &bytes)
        .unwrap()
}

/// Commits a file and returns the commit.
fn commit(f: &Fixture, name: &str, text: &str) -> String {
    write(&f.repo, name, text);
    git(&f.repo, &["add", "-A"]);
    git(&f.repo, &["commit", "-qm", name]);
    f.head()
}

hermetic! {
    fn the_tree_follows_commits_and_keeps_only_ignored_files() {
        let f = Fixture::small();
        let first = f.head();
        let tree = check_tree(&f.repo, &place(&f), &first).unwrap();
        assert_eq!(tree.tree, out(&f.repo, &["rev-parse", "HEAD^{tree}"]));
        assert_eq!(tree.lockfiles, "");
        write(&tree.path, "node_modules/a.js", "built");
        write(&tree.path, "left.txt", "untracked");
        write(&tree.path, "README.md", "changed by a check\n");
        std::fs::remove_file(tree.path.join("src/lib.rs")).unwrap();
        let second = commit(&f, "package-lock.json", "{}");
        let written = std::fs::metadata(tree.path.join("node_modules/a.js")).unwrap().modified().unwrap();
        let again = check_tree(&f.repo, &place(&f), &second).unwrap();
        assert_eq!(again.path, tree.path);
        assert!(again.lockfiles.starts_with("package-lock.json "), "{}", again.lockfiles);
        assert_eq!(out(&again.path, &["rev-parse", "HEAD"]), second);
        assert_eq!(out(&again.path, &["status", "--porcelain"]), "");
        assert_eq!(read(&again.path, "node_modules/a.js"), "built");
        let kept = std::fs::metadata(tree.path.join("node_modules/a.js")).unwrap().modified().unwrap();
        assert_eq!(kept, written);
        assert!(!again.path.join("left.txt").exists());
        check_tree(&f.repo, &place(&f), &first).unwrap();
        assert!(!again.path.join("package-lock.json").exists(), "back at the first commit");
        assert_eq!(out(&f.repo, &["branch", "--list"]), "* main", "no branch was made");
        remove_check_tree(&f.repo, &place(&f)).unwrap();
        remove_check_tree(&f.repo, &place(&f)).unwrap();
        assert_eq!(out(&f.repo, &["worktree", "list"]).lines().count(), 1);
    }

    fn what_only_the_earlier_commit_has_is_removed_though_it_is_ignored() {
        let f = Fixture::small();
        let first = f.head();
        write(&f.repo, "node_modules/kept/mine.js", "committed");
        git(&f.repo, &["add", "-f", "node_modules/kept/mine.js"]);
        let second = commit(&f, "more/deep/file.txt", "text");
        let tree = check_tree(&f.repo, &place(&f), &second).unwrap().path;
        write(&tree, "node_modules/built.js", "built");
        write(&tree, "more/deep/left.txt", "untracked");
        check_tree(&f.repo, &place(&f), &first).unwrap();
        assert!(!tree.join("node_modules/kept").exists());
        assert_eq!(read(&tree, "node_modules/built.js"), "built");
        assert!(!tree.join("more").exists());
        // A folder of the earlier commit in whose place a command put a file, and the other way round.
        check_tree(&f.repo, &place(&f), &second).unwrap();
        std::fs::remove_dir_all(tree.join("more")).unwrap();
        write(&tree, "more", "a file");
        std::fs::remove_file(tree.join("node_modules/kept/mine.js")).unwrap();
        write(&tree, "node_modules/kept/mine.js/inside", "a folder");
        check_tree(&f.repo, &place(&f), &second).unwrap();
        assert_eq!(read(&tree, "node_modules/kept/mine.js"), "committed");
        assert_eq!(read(&tree, "more/deep/file.txt"), "text");
        assert_eq!(out(&tree, &["status", "--porcelain"]), "");
    }

    fn what_a_command_hid_from_the_index_does_not_stay() {
        let f = Fixture::small();
        let tree = check_tree(&f.repo, &place(&f), &f.head()).unwrap();
        let (file, text) = (tree.path.join("src/lib.rs"), read(&tree.path, "src/lib.rs"));
        let stamp = std::fs::metadata(&file).unwrap().modified().unwrap();
        // Of the same size and time, as the index knows it.
        std::fs::write(&file, "x".repeat(text.len())).unwrap();
        std::fs::File::options().append(true).open(&file).unwrap().set_modified(stamp).unwrap();
        std::fs::create_dir(tree.path.join("nested")).unwrap();
        git(&tree.path.join("nested"), &["init", "-q"]);
        write(&tree.path, "nested/stub.rs", "fn main() {}");
        check_tree(&f.repo, &place(&f), &f.head()).unwrap();
        assert_eq!(read(&tree.path, "src/lib.rs"), text);
        assert!(!tree.path.join("nested").exists());
        // An index that vouches for the changed file.
        write(&tree.path, "src/lib.rs", "forged");
        git(&tree.path, &["add", "-A"]);
        git(&tree.path, &["update-index", "--skip-worktree", "src/lib.rs"]);
        check_tree(&f.repo, &place(&f), &f.head()).unwrap();
        assert_eq!(read(&tree.path, "src/lib.rs"), text);
    }

    fn between_checks_tracked_files_come_back_and_others_stay() {
        let f = Fixture::small();
        let head = f.head();
        let tree = check_tree(&f.repo, &place(&f), &head).unwrap();
        let text = read(&tree.path, "src/lib.rs");
        write(&tree.path, "src/lib.rs", "changed by a check");
        write(&tree.path, "built/for-the-next.txt", "kept");
        restore_tracked(&f.repo, &tree.path, &head).unwrap();
        assert_eq!(read(&tree.path, "src/lib.rs"), text);
        assert_eq!(read(&tree.path, "built/for-the-next.txt"), "kept");
        std::fs::remove_dir_all(tree.path.join("src")).unwrap();
        restore_tracked(&f.repo, &tree.path, &head).unwrap();
        assert_eq!(read(&tree.path, "src/lib.rs"), text);
        assert!(restore_tracked(&f.repo, &tree.path, "no commit").is_err());
    }

    fn a_file_that_git_knows_as_filtered_stays_between_checks() {
        let f = Fixture::small();
        write(&f.repo, ".gitattributes", "*.bin filter=large");
        let head = commit(&f, "data.bin", "pointer");
        let tree = check_tree(&f.repo, &place(&f), &head).unwrap();
        // As `git lfs pull` does it: writes the content, and has git note that it stands for the pointer.
        write(&tree.path, "data.bin", "the whole content");
        let clean = "filter.large.clean=printf pointer #";
        git(&tree.path, &["-c", clean, "update-index", "-q", "--really-refresh"]);
        restore_tracked(&f.repo, &tree.path, &head).unwrap();
        assert_eq!(read(&tree.path, "data.bin"), "the whole content");
    }

    fn unchanged_files_are_not_written_again() {
        let f = Fixture::small();
        let tree = check_tree(&f.repo, &place(&f), &f.head()).unwrap();
        let stamp = || std::fs::metadata(tree.path.join("src/lib.rs")).unwrap().modified().unwrap();
        let before = stamp();
        let next = commit(&f, "other.txt", "o");
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert_eq!(stamp(), before);
    }

    fn a_damaged_tree_is_created_anew() {
        let f = Fixture::small();
        let tree = check_tree(&f.repo, &place(&f), &f.head()).unwrap();
        let next = commit(&f, "next.txt", "n");
        std::fs::remove_file(tree.path.join(".git")).unwrap();
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert_eq!(out(&tree.path, &["status", "--porcelain"]), "");
        std::fs::write(tree.path.join(".git"), "gitdir: /nowhere\n").unwrap();
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert_eq!(out(&tree.path, &["rev-parse", "HEAD"]), next);
        std::fs::remove_dir_all(&tree.path).unwrap();
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert_eq!(read(&tree.path, "next.txt"), "n");
        let index = out(&tree.path, &["rev-parse", "--git-path", "index"]);
        std::fs::write(&index, "not an index").unwrap();
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert_eq!(out(&tree.path, &["status", "--porcelain"]), "");
    }

    fn no_program_of_the_repository_runs() {
        let f = Fixture::small();
        let ran = f.repo.parent().unwrap().join("ran");
        git(&f.repo, &["config", "filter.spy.smudge", &format!("touch {}", ran.display())]);
        git(&f.repo, &["config", "core.fsmonitor", &format!("touch {}", ran.display())]);
        let hook = f.repo.join(".git/hooks/post-checkout");
        write(&f.repo, ".git/hooks/post-checkout", &format!("#!/bin/sh\ntouch {}\n", ran.display()));
        #[cfg(unix)]
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let first = commit(&f, ".gitattributes", "*.md filter=spy\n");
        let _ = std::fs::remove_file(&ran);
        let tree = check_tree(&f.repo, &place(&f), &first).unwrap();
        write(&tree.path, "README.md", "changed\n");
        let next = commit(&f, "next.txt", "n");
        let _ = std::fs::remove_file(&ran);
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert!(hook.exists() && !ran.exists());
    }

    fn a_commit_that_the_repository_lacks_is_refused_by_its_name() {
        let f = Fixture::small();
        for commit in ["1".repeat(40), "main".into(), String::new()] {
            let error = check_tree(&f.repo, &place(&f), &commit).unwrap_err();
            assert!(matches!(error, Error::UnknownRef { .. }), "{error}");
        }
        assert!(!place(&f).exists());
    }
}

#[cfg(unix)]
hermetic! {
    fn links_that_a_check_left_lead_nowhere() {
        let f = Fixture::small();
        let tree = check_tree(&f.repo, &place(&f), &f.head()).unwrap();
        let outside = f.repo.parent().unwrap().join("outside");
        write(&outside, "lib.rs", "the person's");
        write(&outside, "more.txt", "the person's");
        std::fs::remove_dir_all(tree.path.join("src")).unwrap();
        std::os::unix::fs::symlink(&outside, tree.path.join("src")).unwrap();
        let next = commit(&f, "src/lib.rs", "changed\n");
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert!(!tree.path.join("src").is_symlink());
        assert_eq!(read(&tree.path, "src/lib.rs"), "changed\n");
        assert_eq!(read(&outside, "lib.rs"), "the person's");
        // Files that the next commit lacks are not deleted behind a link either.
        git(&f.repo, &["mv", "src", "source"]);
        git(&f.repo, &["commit", "-qm", "moved"]);
        std::fs::remove_dir_all(tree.path.join("src")).unwrap();
        std::os::unix::fs::symlink(&outside, tree.path.join("src")).unwrap();
        let next = f.head();
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert!(!path_exists(&tree.path.join("src")) && tree.path.join("source/lib.rs").exists());
        // An untracked link is removed, and not what it leads to.
        std::os::unix::fs::symlink(&outside, tree.path.join("more")).unwrap();
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert!(!path_exists(&tree.path.join("more")));
        std::fs::remove_dir_all(&tree.path).unwrap();
        std::os::unix::fs::symlink(&outside, &tree.path).unwrap();
        check_tree(&f.repo, &place(&f), &next).unwrap();
        assert!(!tree.path.is_symlink());
        assert_eq!(read(&outside, "lib.rs"), "the person's");
        assert_eq!(read(&outside, "more.txt"), "the person's");
    }

    fn a_forged_commit_writes_and_deletes_nothing_outside() {
        let f = Fixture::small();
        let outside = f.repo.parent().unwrap().join("home");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("profile"), "the person's own").unwrap();
        let blob = |text: &str| {
            let repository = git2::Repository::open(&f.repo).unwrap();
            repository.blob(text.as_bytes()).unwrap().to_string()
        };
        let file = forged_tree(&f, &[("100644", "profile", blob("written by a forged commit"))]).to_string();
        let link = ("120000", "d", blob(outside.to_str().unwrap()));
        let through_a_link = [
            forged_tree(&f, &[link.clone(), ("40000", "d", file.clone())]),
            forged_tree(&f, &[("40000", "d", file.clone()), link]),
        ];
        // checks/tree/../../home/profile/x: what is in place of the last folder would be deleted.
        let mut up = forged_tree(&f, &[("100644", "x", blob("x"))]).to_string();
        for name in ["profile", "home", "..", ".."] {
            up = forged_tree(&f, &[("40000", name, up)]).to_string();
        }
        let good = f.head();
        for tree in through_a_link.iter().map(ToString::to_string).chain([up]) {
            let forged = out(&f.repo, &["commit-tree", &tree, "-p", &good, "-m", "looks harmless"]);
            for is_first in [true, false] {
                if is_first {
                    remove_check_tree(&f.repo, &place(&f)).unwrap();
                } else {
                    check_tree(&f.repo, &place(&f), &good).unwrap();
                }
                let refused = check_tree(&f.repo, &place(&f), &forged).unwrap_err().to_string();
                assert!(refused.contains("forged"), "{refused}");
                if !is_first {
                    restore_tracked(&f.repo, &place(&f), &forged).unwrap_err();
                }
                assert_eq!(read(&outside, "profile"), "the person's own");
                assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
            }
            let tree = check_tree(&f.repo, &place(&f), &good).unwrap();
            assert_eq!(out(&tree.path, &["status", "--porcelain"]), "", "the next commit is as usual");
        }
    }
}
