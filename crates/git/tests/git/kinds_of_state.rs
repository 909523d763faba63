//! Kinds of work in git: operations in progress, commits that only git's own files name, nested
//! repositories. Used by `kinds`.

use crate::fixture::{git, out, write};
use crate::kinds::{Kind, No, Yes, clone, commit, diverge, goes_on, kind, loses, mode, resolve, stops};

/// The kinds of work in git.
pub const STATES: &[Kind] = &[
    // Operations in progress.
    goes_on(
        "merge",
        Yes,
        |w| {
            diverge(w);
            stops(w, &["merge", "-q", "other"]);
        },
        |w| {
            resolve(w);
            git(w, &["-c", "core.editor=true", "merge", "--continue"]);
            assert_eq!(out(w, &["rev-list", "--count", "--merges", "-1", "HEAD"]), "1");
        },
    ),
    goes_on(
        "rebase",
        Yes,
        |w| {
            commit(w, "first", "1");
            diverge(w);
            commit(w, "last", "3");
            stops(w, &["rebase", "-q", "other"]);
        },
        |w| {
            resolve(w);
            git(w, &["-c", "core.editor=true", "rebase", "--continue"]);
            assert_eq!(out(w, &["log", "--format=%s", "-4"]), "3\nmine\n1\nother");
            assert!(out(w, &["branch", "--show-current"]).starts_with("feature/"));
        },
    ),
    goes_on(
        "rebase with autostash",
        Yes,
        |w| {
            diverge(w);
            write(w, "src/lib.rs", "in the stash\n");
            stops(w, &["rebase", "-q", "--autostash", "other"]);
        },
        |w| {
            resolve(w);
            git(w, &["-c", "core.editor=true", "rebase", "--continue"]);
            assert_eq!(
                std::fs::read_to_string(w.join("src/lib.rs")).unwrap(),
                "in the stash\n"
            );
        },
    ),
    goes_on(
        "rebase by patches",
        Yes,
        |w| {
            diverge(w);
            stops(w, &["rebase", "-q", "--apply", "other"]);
        },
        |w| {
            resolve(w);
            git(w, &["-c", "core.editor=true", "rebase", "--continue"]);
        },
    ),
    goes_on(
        "cherry-pick",
        Yes,
        |w| {
            diverge(w);
            stops(w, &["cherry-pick", "other"]);
        },
        |w| {
            resolve(w);
            git(w, &["-c", "core.editor=true", "cherry-pick", "--continue"]);
        },
    ),
    goes_on(
        "revert",
        Yes,
        |w| {
            commit(w, "README.md", "two\n");
            commit(w, "README.md", "three\n");
            stops(w, &["revert", "--no-edit", "HEAD~"]);
        },
        |w| git(w, &["revert", "--abort"]),
    ),
    goes_on(
        "bisection",
        Yes,
        |w| {
            for text in ["1", "2", "3", "4"] {
                commit(w, "n", text);
            }
            git(w, &["bisect", "start", "-q", "HEAD", "HEAD~4"]);
        },
        |w| {
            git(w, &["bisect", "good"]);
            git(w, &["bisect", "reset"]);
            assert!(out(w, &["branch", "--show-current"]).starts_with("feature/"));
        },
    ),
    kind("detached", Yes, |w| {
        git(w, &["checkout", "-q", "--detach"]);
        commit(w, "x", "x");
    }),
    kind("detached, then left", No, |w| {
        git(w, &["checkout", "-q", "--detach"]);
        commit(w, "x", "x");
        git(w, &["checkout", "-q", "-"]);
    }),
    kind("amended", Yes, |w| {
        commit(w, "x", "before");
        git(w, &["commit", "-q", "--amend", "-m", "after"]);
    }),
    kind("branch without a commit", Yes, |w| {
        git(w, &["checkout", "-q", "--orphan", "fresh"])
    }),
    kind("own references", No, |w| {
        git(w, &["update-ref", "refs/worktree/mark", "HEAD"])
    }),
    // Nested repositories.
    kind("repository", Yes, |w| {
        clone(w, "inner");
        commit(&w.join("inner"), "x", "x");
    }),
    kind("repository without commits", Yes, |w| {
        git(w, &["init", "-q", "inner"]);
        write(w, "inner/x", "x");
    }),
    kind("bare repository", Yes, |w| {
        git(w, &["init", "-q", "--bare", "inner.git"])
    }),
    kind("ignored and tagged", Yes, |w| {
        clone(w, "data/inner");
        commit(&w.join("data/inner"), "x", "x");
        git(&w.join("data/inner"), &["tag", "-m", "mine", "mine"]);
        git(&w.join("data/inner"), &["reset", "-q", "--hard", "HEAD~"]);
    }),
    kind("ignored clone with an environment file", Yes, |w| {
        clone(w, "data/inner");
        write(w, "data/inner/.env", "S=1");
        mode(w, "data/inner/.env", 0o600);
    }),
    kind("ignored clone with a stash", Yes, |w| {
        clone(w, "data/inner");
        write(w, "data/inner/lib.c", "stashed");
        git(&w.join("data/inner"), &["stash", "-q"]);
    }),
    loses(
        "ignored clone with nothing of its own",
        No,
        |w| clone(w, "data/inner"),
        &["data"],
    ),
    goes_on(
        "submodule with a commit",
        Yes,
        |w| commit(&w.join("sub"), "x", "x"),
        |w| git(&w.join("sub"), &["fsck"]),
    ),
    goes_on(
        "submodule with a merge",
        Yes,
        |w| {
            let sub = w.join("sub");
            git(&sub, &["checkout", "-q", "-b", "side"]);
            commit(&sub, "lib.c", "side");
            git(&sub, &["checkout", "-q", "--detach", "HEAD~"]);
            commit(&sub, "lib.c", "here");
            stops(&sub, &["merge", "-q", "side"]);
        },
        |w| {
            write(w, "sub/lib.c", "both");
            git(&w.join("sub"), &["commit", "-qam", "merged"]);
        },
    ),
    kind("submodule with an ignored file", Yes, |w| {
        write(w, "sub/.env", "S=1")
    }),
    kind("submodule with a stash", Yes, |w| {
        write(w, "sub/lib.c", "s");
        git(&w.join("sub"), &["stash", "-q"]);
    }),
    kind("submodule with a tagged commit", Yes, |w| {
        commit(&w.join("sub"), "x", "x");
        git(&w.join("sub"), &["tag", "mine"]);
        git(&w.join("sub"), &["checkout", "-q", "HEAD~"]);
    }),
    kind("submodule whose reflog has a commit", Yes, |w| {
        commit(&w.join("sub"), "x", "x");
        git(&w.join("sub"), &["reset", "-q", "--hard", "HEAD~"]);
    }),
    kind("submodule that git removed", Yes, |w| {
        commit(&w.join("sub"), "x", "x");
        git(&w.join("sub"), &["checkout", "-q", "HEAD~"]);
        git(w, &["rm", "-q", "sub"]);
    }),
    kind("submodule with output that it does not ignore", Yes, |w| {
        write(w, "sub/out/report.md", "r");
        write(w, "sub/vendor/x.c", "x");
        write(w, "sub/chair.obj", "3d");
    }),
    kind("submodule with a repository in build output", Yes, |w| {
        clone(w, "sub/build/_deps/foo");
        commit(&w.join("sub/build/_deps/foo"), "x", "x");
    }),
    kind("repository in build output", Yes, |w| {
        clone(w, "build/_deps/foo");
        commit(&w.join("build/_deps/foo"), "x", "x");
    }),
    kind("files where a submodule was", Yes, |w| {
        std::fs::remove_dir_all(w.join("sub")).unwrap();
        write(w, "sub/precious", "hours");
        write(w, "sub/deep/y", "y");
        mode(w, "sub/precious", 0o600);
    }),
    kind("submodule without its git directory", Yes, |w| {
        std::fs::remove_file(w.join("sub/.git")).unwrap();
        write(w, "sub/new", "n");
    }),
    kind("file in place of a submodule", Yes, |w| {
        std::fs::remove_dir_all(w.join("sub")).unwrap();
        write(w, "sub", "f");
    }),
    kind("link in place of a submodule", Yes, |w| {
        std::fs::remove_dir_all(w.join("sub")).unwrap();
        std::os::unix::fs::symlink("src", w.join("sub")).unwrap();
    }),
    kind("repository in a tracked folder", Yes, |w| {
        git(w, &["init", "-q", "src"]);
        commit(&w.join("src"), "lib.rs", "mine");
        git(&w.join("src"), &["reset", "-q", "--soft", "HEAD"]);
        git(w, &["checkout", "-q", "--", "."]);
    }),
    kind("damaged repository", Yes, |w| {
        clone(w, "inner");
        commit(&w.join("inner"), "x", "x");
        write(w, "inner/.git/HEAD", "");
    }),
    kind("submodule as it came", Yes, |w| write(w, "beside", "b")),
];
