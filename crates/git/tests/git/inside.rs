//! Repositories inside a worktree: detecting which of them hold something that exists nowhere else. They are
//! inspected without running any program that they name.

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use downbeat_git::{CopyRecord, empty_submodules, work_state};
use std::path::Path;

/// Creates a repository with the submodule `sub`, which the primary checkout
/// uses, and an ignored folder `data`.
pub fn with_submodule() -> Fixture {
    let f = Fixture::small();
    let library = f.repo.parent().unwrap().join("library");
    std::fs::create_dir_all(&library).unwrap();
    git(&library, &["init", "-q", "-b", "main"]);
    write(&library, "lib.c", "int x;\n");
    write(&library, ".gitignore", ".env\nbuild/\n");
    git(&library, &["add", "-A"]);
    git(&library, &["commit", "-qm", "library"]);
    git(&library, &["tag", "v1"]);
    write(&f.repo, ".gitignore", "data/\n");
    let url = library.to_str().unwrap();
    git(
        &f.repo,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            url,
            "sub",
        ],
    );
    git(&f.repo, &["add", "-A"]);
    git(&f.repo, &["commit", "-qm", "with a submodule"]);
    f
}

fn blocking(f: &Fixture, worktree: &Path) -> Vec<String> {
    let state = work_state(&f.repo, worktree, &f.head(), &CopyRecord::default()).unwrap();
    let is_inside = |text: &String| text.ends_with('/') || text.starts_with("commits of");
    state.dirty.into_iter().filter(is_inside).collect()
}

/// An action in a checkout, and whether it creates something that exists nowhere else.
type Case = (&'static str, fn(&Path), bool);

const CASES: &[Case] = &[
    ("untouched", |_| {}, false),
    (
        "a fetched tag checked out",
        |c| git(c, &["checkout", "-q", "v1"]),
        false,
    ),
    ("build output", |c| write(c, "build/x.o", "made"), false),
    (
        "what only looks like build output",
        |c| write(c, "out/report.md", "r"),
        true,
    ),
    (
        "a file that only looks made",
        |c| write(c, "chair.obj", "3d"),
        true,
    ),
    (
        "a repository in build output",
        |c| {
            git(c, &["init", "-q", "build/_deps/foo"]);
            write(c, "build/_deps/foo/x", "x");
        },
        true,
    ),
    ("a touched file", |c| write(c, "lib.c", "int x;\n"), false),
    ("a changed file", |c| write(c, "lib.c", "int y;\n"), true),
    (
        "an edit that keeps the size and the time",
        |c| edit_unseen(c),
        true,
    ),
    ("an untracked file", |c| write(c, "new", "n"), true),
    ("an ignored file", |c| write(c, ".env", "S=1"), true),
    (
        "a deleted file",
        |c| std::fs::remove_file(c.join("lib.c")).unwrap(),
        true,
    ),
    ("a commit", |c| commit(c), true),
    (
        "a commit that a tag names",
        |c| {
            commit(c);
            git(c, &["tag", "mine"]);
            git(c, &["reset", "-q", "--hard", "HEAD~"]);
        },
        true,
    ),
    (
        "a commit that the reflog names",
        |c| {
            git(c, &["checkout", "-q", "--detach"]);
            commit(c);
            git(c, &["reset", "-q", "--hard", "HEAD~"]);
        },
        true,
    ),
    (
        "a stash",
        |c| {
            write(c, "lib.c", "stashed");
            git(c, &["stash", "-q"]);
        },
        true,
    ),
    ("a bisection", |c| git(c, &["bisect", "start"]), true),
    (
        "a tracked file in a folder that a build makes",
        |c| {
            write(c, "build/kept", "k");
            git(c, &["add", "-f", "build/kept"]);
        },
        true,
    ),
    (
        "a bare repository in build output that was pushed to",
        |c| {
            git(c, &["init", "-q", "--bare", "build/r.git"]);
            git(c, &["push", "-q", "build/r.git", "HEAD:refs/heads/pushed"]);
        },
        true,
    ),
    (
        "a bare repository in build output that a tool fetched into",
        |c| {
            git(c, &["init", "-q", "--bare", "build/r.git"]);
            git(c, &["push", "-q", "build/r.git", "HEAD:refs/remotes/origin/main"]);
        },
        false,
    ),
    (
        "a repository without a commit",
        |c| git(c, &["init", "-q", "deeper"]),
        false,
    ),
    (
        "a repository with one",
        |c| {
            git(c, &["init", "-q", "deeper"]);
            write(c, "deeper/x", "x");
        },
        true,
    ),
];

/// Changes a file as `cp -p` and `rsync -a` do: its size and its time match the index.
fn edit_unseen(checkout: &Path) {
    let file = checkout.join("lib.c");
    let open = || std::fs::File::options().write(true).open(&file).unwrap();
    let at = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    open().set_modified(at).unwrap();
    git(checkout, &["update-index", "--refresh"]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(&file, "int z;\n").unwrap();
    open().set_modified(at).unwrap();
}

fn commit(checkout: &Path) {
    git(checkout, &["commit", "-q", "--allow-empty", "-m", "mine"]);
}

hermetic! {
    fn a_submodule_that_could_not_be_filled_is_reported() {
        let f = with_submodule();
        let made = f.worktree("whole");
        assert_eq!(empty_submodules(&made.path).unwrap(), [""; 0]);
        // Its commit is in no clone of it.
        let gone = "1".repeat(40);
        git(&f.repo, &["update-index", "--cacheinfo", &format!("160000,{gone},sub")]);
        git(&f.repo, &["commit", "-qm", "ahead"]);
        let made = f.worktree("one");
        let said = empty_submodules(&made.path).unwrap();
        assert!(said.len() == 1 && said[0].contains("the submodule sub is empty"), "{said:?}");
        // A submodule that the person does not use is supposed to be empty.
        git(&f.repo, &["config", "--remove-section", "submodule.sub"]);
        assert_eq!(empty_submodules(&made.path).unwrap(), [""; 0]);
    }

    fn work_in_a_submodule_or_an_ignored_clone_is_found() {
        let f = with_submodule();
        let library = f.repo.parent().unwrap().join("library");
        for (number, (what, act, is_work)) in CASES.iter().enumerate() {
            let made = f.worktree(&format!("w{number}"));
            std::fs::create_dir_all(made.path.join("data")).unwrap();
            git(&made.path.join("data"), &["clone", "-q", library.to_str().unwrap(), "clone"]);
            assert_eq!(blocking(&f, &made.path), [""; 0], "{what}: nothing was done");
            act(&made.path.join("sub"));
            let wanted: &[&str] = if *is_work { &["sub/"] } else { &[] };
            assert_eq!(blocking(&f, &made.path), wanted, "{what} in a submodule");
            act(&made.path.join("data/clone"));
            let wanted: &[&str] = if *is_work { &["data/clone/", "sub/"] } else { &[] };
            assert_eq!(blocking(&f, &made.path), wanted, "{what} in a clone");
        }
    }

    fn commits_of_a_submodule_without_a_checkout_are_found() {
        let f = with_submodule();
        for (name, leave) in [("deinit", &["submodule", "-q", "deinit", "-f", "sub"][..]), ("rm", &["rm", "-q", "sub"])] {
            for is_work in [false, true] {
                let made = f.worktree(&format!("{name}-{is_work}"));
                if is_work {
                    commit(&made.path.join("sub"));
                    git(&made.path.join("sub"), &["checkout", "-q", "HEAD~"]);
                }
                git(&made.path, leave);
                let wanted: &[&str] = if is_work { &["commits of the submodule sub"] } else { &[] };
                assert_eq!(blocking(&f, &made.path), wanted, "{name}");
                // This deinitializes the submodule for the whole repository.
                git(&f.repo, &["submodule", "-q", "init"]);
            }
        }
    }

    fn a_repository_with_reftables_is_work() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let source = f.repo.with_file_name("source");
        let (from, to) = (f.repo.to_str().unwrap(), source.to_str().unwrap());
        git(&made.path, &["clone", "-q", "--ref-format=reftable", from, to]);
        let cache = made.path.join("node_modules");
        for (name, is_bare) in [("clone", false), ("bare", true)] {
            let at = cache.join(name);
            let mut arguments = vec!["clone", "-q", "--no-checkout", "--ref-format=reftable"];
            arguments.extend(is_bare.then_some("--bare"));
            arguments.extend([to, at.to_str().unwrap()]);
            git(&made.path, &arguments);
            let tree = out(&at, &["rev-parse", "HEAD^{tree}"]);
            let commit = out(&at, &["commit-tree", "-m", "own", &tree]);
            git(&at, &["update-ref", "refs/heads/own", &commit]);
        }
        assert_eq!(blocking(&f, &made.path), ["node_modules/bare/", "node_modules/clone/"]);
    }

    #[cfg(unix)]
    fn programs_of_a_nested_repository_do_not_run() {
        let f = with_submodule();
        let made = f.worktree("one");
        let inner = made.path.join("data/inner");
        std::fs::create_dir_all(&inner).unwrap();
        git(&inner, &["init", "-q"]);
        write(&inner, "a.txt", "a");
        write(&inner, ".gitattributes", "* filter=evil\n");
        git(&inner, &["add", "-A"]);
        git(&inner, &["commit", "-qm", "a"]);
        let ran = f.repo.parent().unwrap().join("ran");
        let program = made.path.join("program");
        write(&made.path, "program", &format!("#!/bin/sh\necho $0 >> {}\ncat\n", ran.display()));
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        for checkout in [&inner, &made.path.join("sub")] {
            for key in ["core.fsmonitor", "filter.evil.clean", "filter.evil.process", "core.pager"] {
                git(checkout, &["config", key, program.to_str().unwrap()]);
            }
            git(checkout, &["config", "core.worktree", "/"]);
            write(checkout, "a.txt", "changed");
        }
        assert_eq!(blocking(&f, &made.path), ["data/inner/", "sub/"]);
        assert!(!ran.exists(), "{}", out(&f.repo, &["--version"]));
    }
}
