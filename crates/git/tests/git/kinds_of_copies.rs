//! Kinds of work in files that a worktree received from the primary checkout: copied files, directories and
//! links. Used by `kinds`.

use crate::fixture::{Fixture, git, read, write};
use crate::kinds::{Kind, No, Yes, commit, kind, loses};
use downbeat_git::{CopyPlan, plan_copies};
use std::os::unix::fs::symlink;
use std::path::Path;

/// Creates a repository with each kind of path that is copied or linked: `deps` is not
/// ignored, `node_modules` is generated, and `conf` below `out` and `secrets` below
/// `lib/vendor` were chosen by somebody.
pub fn repository() -> (Fixture, CopyPlan) {
    let f = Fixture::small();
    let ignored = "conf/\nout/\nnode_modules/\nlib/vendor/\nfile\n.env\n";
    std::fs::write(f.repo.join(".gitignore"), ignored).unwrap();
    git(&f.repo, &["commit", "-qam", "ignore"]);
    for name in [
        ".env",
        "conf/a",
        "out/conf/a",
        "out/made",
        "node_modules/p/index.js",
        "lib/vendor/secrets/key",
        "lib/vendor/made",
        "deps/one/a.c",
        "deps/b.c",
        "store/a",
        "file",
    ] {
        write(&f.repo, name, name);
    }
    symlink("one/a.c", f.repo.join("deps/link")).unwrap();
    let library = f.repo.with_file_name("library");
    std::fs::create_dir(&library).unwrap();
    git(&library, &["init", "-q"]);
    commit(&library, "lib.c", "int x;\n");
    let bare = f.repo.join("node_modules/cache.git");
    git(&library, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    git(&bare, &["remote", "remove", "origin"]);
    let copies = ["conf", "out/conf", "node_modules", "lib/vendor/secrets", "deps"];
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let plan = plan_copies(&f.repo, &list(&copies), &list(&["store", "file"])).unwrap();
    assert_eq!((plan.copies.len(), plan.links.len()), (6, 2), "{plan:?}");
    (f, plan)
}

/// Creates a repository with a commit.
fn own(at: &Path, name: &str) {
    git(at, &["init", "-q", name]);
    commit(&at.join(name), "own.txt", "own");
}

/// Changes a file and restores its time.
fn secretly(at: &Path, name: &str) {
    let before = at.join(name).metadata().unwrap().modified().unwrap();
    let text = read(at, name).to_uppercase();
    write(at, name, &text);
    let file = std::fs::File::options().write(true).open(at.join(name)).unwrap();
    file.set_modified(before).unwrap();
}

fn replace(at: &Path, name: &str) {
    let gone = at.join(name);
    match gone.symlink_metadata().unwrap().is_dir() {
        true => std::fs::remove_dir_all(gone).unwrap(),
        false => std::fs::remove_file(gone).unwrap(),
    }
}

/// The kinds of work in copies.
pub const COPIES: &[Kind] = &[
    kind("copies as they came", No, |_| {}),
    // Dependencies that git does not ignore.
    kind("a new file in copied dependencies", Yes, |w| {
        write(w, "deps/new.c", "precious");
        write(w, "deps/new/deep.c", "precious");
    }),
    kind("a changed file in copied dependencies", Yes, |w| {
        write(w, "deps/one/a.c", "precious");
    }),
    kind("one of the same size and time", Yes, |w| secretly(w, "deps/b.c")),
    kind("another link in copied dependencies", Yes, |w| {
        replace(w, "deps/link");
        symlink("b.c", w.join("deps/link")).unwrap();
    }),
    kind("a file in the place of copied dependencies", Yes, |w| {
        replace(w, "deps");
        write(w, "deps", "precious");
    }),
    kind("a repository in dependencies that git names", Yes, |w| {
        own(w, "deps/own")
    }),
    kind("a repository without a checkout there", Yes, |w| {
        own(w, "deps/one/own");
        git(w, &["clone", "-q", "--bare", "deps/one/own", "deps/own.git"]);
        replace(w, "deps/one/own");
    }),
    // Dependencies that git ignores: everything in them except repositories is regenerated.
    loses(
        "changed dependencies",
        No,
        |w| {
            write(w, "node_modules/p/index.js", "patched");
            write(w, "node_modules/q/index.js", "installed");
        },
        &["node_modules"],
    ),
    kind("a repository in copied dependencies", Yes, |w| {
        own(w, "node_modules/own")
    }),
    kind("a copied package that became a repository", Yes, |w| {
        git(w, &["init", "-q", "node_modules/p"]);
        commit(&w.join("node_modules/p"), "index.js", "own");
    }),
    loses(
        "dependencies made anew with a repository",
        Yes,
        |w| {
            replace(w, "node_modules/p");
            own(w, "node_modules/deep/own");
        },
        &["node_modules/p"],
    ),
    kind("a repository without a checkout in dependencies", Yes, |w| {
        own(w, "node_modules/own");
        git(
            w,
            &[
                "clone",
                "-q",
                "--bare",
                "node_modules/own",
                "node_modules/own.git",
            ],
        );
        git(&w.join("node_modules/own.git"), &["remote", "remove", "origin"]);
        replace(w, "node_modules/own");
    }),
    kind("a commit in a copied repository without a checkout", Yes, |w| {
        let bare = w.join("node_modules/cache.git");
        let tree = crate::fixture::out(&bare, &["rev-parse", "HEAD^{tree}"]);
        let more = crate::fixture::out(&bare, &["commit-tree", &tree, "-p", "HEAD", "-m", "own"]);
        git(&bare, &["update-ref", "refs/heads/own", &more]);
    }),
    kind("a worktree in copied dependencies", Yes, |w| {
        git(w, &["worktree", "add", "-q", "--detach", "node_modules/wt"]);
        commit(&w.join("node_modules/wt"), "own.txt", "own in a worktree");
    }),
    // Directories that were chosen inside generated ones.
    kind("a changed file in a chosen part of dependencies", Yes, |w| {
        write(w, "lib/vendor/secrets/key", "precious");
    }),
    kind("a new file in a chosen part of dependencies", Yes, |w| {
        write(w, "lib/vendor/secrets/deep/new", "precious");
    }),
    kind("a file in the place of a chosen part of dependencies", Yes, |w| {
        replace(w, "lib/vendor/secrets");
        write(w, "lib/vendor/secrets", "precious");
    }),
    kind("a new file in a chosen part of what is built", Yes, |w| {
        write(w, "out/conf/new", "precious")
    }),
    loses(
        "what a tool made around it",
        No,
        |w| write(w, "out/more", "made"),
        &["out/more"],
    ),
    // Links.
    kind("a folder in the place of a link", No, |w| {
        replace(w, "store");
        write(w, "store/x", "precious");
        write(w, "store/deep/y", "precious");
    }),
    kind("a folder with a repository in the place of a link", Yes, |w| {
        replace(w, "store");
        own(w, "store/own");
    }),
    kind("a repository in the place of a link", Yes, |w| {
        replace(w, "store");
        own(w, "store");
    }),
    kind("a file in the place of a link", Yes, |w| {
        replace(w, "file");
        write(w, "file", "precious");
    }),
    kind("links to other places", Yes, |w| {
        for name in ["file", "store"] {
            replace(w, name);
            symlink("/elsewhere", w.join(name)).unwrap();
        }
    }),
    kind("a file that leads elsewhere in place of a copy", Yes, |w| {
        replace(w, ".env");
        symlink("/elsewhere", w.join(".env")).unwrap();
    }),
];
