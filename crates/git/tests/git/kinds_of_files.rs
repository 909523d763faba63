//! Kinds of work in files: the changes that somebody can make to the files of a worktree. Used by `kinds`.

use crate::fixture::{git, out, write};
use crate::kinds::{Kind, No, Yes, commit, kind, loses, mode};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// The kinds of work in files.
pub const FILES: &[Kind] = &[
    kind("nothing", No, |_| {}),
    kind("changed", Yes, |w| write(w, "README.md", "changed\n")),
    kind("changed, and the clock set back", Yes, |w| {
        let since = |seconds| std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let set = |file: &Path, seconds| {
            let file = std::fs::File::options().write(true).open(file).unwrap();
            file.set_modified(since(seconds)).unwrap();
        };
        for (file, text) in [
            ("README.md", "HELLO\n"),
            ("a.loud", "OTHER\n"),
            ("a.nb", "cell\nOUTPUT\n"),
        ] {
            write(w, file, text);
            set(&w.join(file), 1_000_000_000);
        }
        let note = out(w, &["rev-parse", "--git-path", "downbeat-filled"]);
        set(Path::new(&note), 4_000_000_000);
    }),
    kind("names like those of half a copy", Yes, |w| {
        write(w, ".downbeat-copy-mine", "precious");
        write(w, "data/.downbeat-copy-0123456789abcdef0", "precious");
    }),
    kind("deleted", Yes, |w| {
        std::fs::remove_file(w.join("README.md")).unwrap()
    }),
    kind("untracked", Yes, |w| write(w, "deep/new.txt", "n")),
    kind("staged", Yes, |w| {
        write(w, "README.md", "s\n");
        git(w, &["add", "-A"]);
    }),
    kind("staged only", Yes, |w| {
        write(w, "README.md", "s\n");
        git(w, &["add", "-A"]);
        write(w, "README.md", "hello\n");
    }),
    kind("staged, then deleted", Yes, |w| {
        write(w, "x", "x");
        git(w, &["add", "x"]);
        std::fs::remove_file(w.join("x")).unwrap();
    }),
    kind("intent to add", Yes, |w| {
        write(w, "x", "x");
        git(w, &["add", "-N", "x"]);
    }),
    kind("unpushed", Yes, |w| commit(w, "own.txt", "own")),
    kind("stash", No, |w| {
        write(w, "README.md", "stashed");
        git(w, &["stash", "-q"]);
    }),
    kind("file to folder", Yes, |w| {
        std::fs::remove_file(w.join("README.md")).unwrap();
        write(w, "README.md/inside", "i");
    }),
    kind("folder to file", Yes, |w| {
        std::fs::remove_dir_all(w.join("src")).unwrap();
        write(w, "src", "a file");
    }),
    kind("folder to link", Yes, |w| {
        std::fs::rename(w.join("src"), w.join("real")).unwrap();
        symlink("real", w.join("src")).unwrap();
    }),
    kind("links", Yes, |w| {
        for (name, to) in [
            ("broken", "nowhere"),
            ("absolute", "/etc/passwd"),
            ("up", "../../x"),
            ("loop", "loop"),
        ] {
            symlink(to, w.join(name)).unwrap();
        }
        std::fs::remove_file(w.join("README.md")).unwrap();
        symlink("src/lib.rs", w.join("README.md")).unwrap();
    }),
    kind("odd names", Yes, |w| {
        use std::os::unix::ffi::OsStrExt;
        for name in [
            &b"new\nline"[..],
            b"tab\t",
            b"\"quotes'",
            b"-dash",
            b":colon",
            b"\xff\xfe",
            b"a\\b",
            b"*",
            b"hex:41",
        ] {
            write(w, std::ffi::OsStr::from_bytes(name), "odd");
            write(
                w,
                Path::new("data").join(std::ffi::OsStr::from_bytes(name)),
                "odd, ignored",
            );
        }
    }),
    kind("ignored notes", No, |w| write(w, "data/notes.local", "precious")),
    kind("new environment file", Yes, |w| {
        write(w, ".env", "S=1");
        mode(w, ".env", 0o600);
    }),
    loses(
        "build output beside work",
        Yes,
        |w| {
            write(w, "new", "n");
            write(w, "build/x", "x");
        },
        &["build"],
    ),
    loses(
        "build output",
        No,
        |w| {
            write(w, "build/report", "r");
            write(w, "a.o", "o");
        },
        &["build", "a.o"],
    ),
    loses(
        "large ignored file",
        Yes,
        |w| {
            write(w, "data/big", "");
            let file = std::fs::File::options()
                .write(true)
                .open(w.join("data/big"))
                .unwrap();
            file.set_len(41 << 20).unwrap();
        },
        &["data"],
    ),
    kind("large file", Yes, |w| {
        std::fs::write(w.join("large"), vec![7; 17 << 20]).unwrap()
    }),
    kind("permissions", Yes, |w| {
        for (name, bits) in [
            ("secret", 0o600),
            ("readable", 0o444),
            ("tool", 0o700),
            ("open", 0o666),
            ("odd", 0o751),
        ] {
            write(w, name, name);
            mode(w, name, bits);
        }
        write(w, "closed/x", "x");
        mode(w, "closed", 0o500);
        write(w, "data/key", "k");
        mode(w, "data/key", 0o400);
        mode(w, "data", 0o710);
    }),
    kind("permissions of a tracked file", No, |w| {
        mode(w, "src/lib.rs", 0o600)
    }),
    kind("program", Yes, |w| mode(w, "src/lib.rs", 0o755)),
    kind("empty folders", No, |w| {
        std::fs::create_dir_all(w.join("empty/deeper")).unwrap();
        std::fs::create_dir_all(w.join("data/empty")).unwrap();
        write(w, "data/kept", "k");
    }),
    kind("pipes", No, |w| {
        for pipe in ["pipe", "data/pipe"] {
            write(w, "data/kept", "k");
            assert!(
                Command::new("mkfifo")
                    .arg(w.join(pipe))
                    .status()
                    .unwrap()
                    .success()
            );
        }
    }),
    kind("hidden from git", Yes, |w| {
        git(w, &["update-index", "--assume-unchanged", "README.md"]);
        git(w, &["update-index", "--skip-worktree", "src/lib.rs"]);
        write(w, "README.md", "hidden");
        write(w, "src/lib.rs", "hidden");
    }),
    kind("hidden and unchanged", No, |w| {
        git(w, &["update-index", "--assume-unchanged", "README.md"])
    }),
    kind("sparse", Yes, |w| {
        git(
            w,
            &[
                "sparse-checkout",
                "set",
                "--no-cone",
                "/README.md",
                "/.gitignore",
                "/.gitattributes",
            ],
        )
    }),
    kind("sparse index", Yes, |w| {
        git(w, &["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
        write(w, "src/new", "n");
    }),
    kind("split index", Yes, |w| {
        git(w, &["update-index", "--split-index"]);
        write(w, "x", "x");
        git(w, &["add", "x"]);
    }),
    kind("excluded here", No, |w| {
        let exclude = out(w, &["rev-parse", "--git-path", "info/exclude"]);
        write(Path::new("/"), exclude, "*.mine\n");
        write(w, "x.mine", "m");
    }),
    kind("lock left behind", Yes, |w| {
        write(w, "x", "x");
        let lock = out(w, &["rev-parse", "--git-path", "index.lock"]);
        std::fs::write(lock, "").unwrap();
    }),
    // Files that git converts.
    kind("filter that strips", Yes, |w| {
        write(w, "a.nb", "cell\nOUTPUT of an hour\n")
    }),
    kind("filter that strips, staged", Yes, |w| {
        write(w, "b.nb", "cell\nOUTPUT\n");
        git(w, &["add", "b.nb"]);
    }),
    kind("line ends", Yes, |w| {
        write(w, "new.lf", "one\r\ntwo\n");
        write(w, "new.crlf", "one\ntwo\r\n");
        write(w, "new.auto", "one\r\ntwo\r\n");
    }),
    kind("line ends, staged", Yes, |w| {
        write(w, "new.lf", "one\r\n");
        write(w, "new.crlf", "one\n");
        git(w, &["add", "-A"]);
    }),
    kind("line ends of a tracked file", Yes, |w| {
        write(w, "a.auto", "one\r\ntwo\r\n")
    }),
    kind("encoding", Yes, |w| {
        std::fs::write(w.join("new.utf16"), b"\xff\xfea\0\n\0").unwrap()
    }),
    kind("ident", Yes, |w| write(w, "new.id", "$Id: mine$\n")),
    kind("filter that is missing", Yes, |w| {
        write(w, "x.missing", "as it is\n")
    }),
    kind("stand-in of a large file", Yes, |w| write(w, "new", "beside it")),
];
