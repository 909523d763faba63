//! Programs that a repository or an agent names in git's configuration, hooks and attributes: none of
//! them runs while Downbeat reads, or while it creates a worktree of an untrusted project. Each
//! planted program creates a file when it runs. At the end, git itself runs them, so that a program
//! which could never run is detected.

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use downbeat_git::{
    CopyPlan, CopyRecord, Error, FolderKind, Programs, Repository, WorktreeSpec, backups, bring, changes,
    checkout, copy, delete_branch, head, inspect, lockfile_setup, plan_copies, recreate, register, remove,
    restore, save, summary, work_state,
};
use std::path::{Path, PathBuf};

const HOOKS: &[&str] = &[
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
];

/// Plants every program in a git directory, and returns the folder in which the programs create files.
fn plant(git_dir: &Path, work: &Path) -> PathBuf {
    let marks = work.parent().unwrap().join("marks");
    std::fs::create_dir_all(&marks).unwrap();
    let program = |name: &str| {
        let script = marks.parent().unwrap().join(format!("plant-{name}"));
        let mark = marks.join(name);
        // A filter must return its input.
        let pass = match name {
            "clean" | "smudge" => "cat",
            _ if HOOKS.iter().any(|hook| name.ends_with(hook)) => "cat >/dev/null",
            _ => "exit 0",
        };
        let text = format!("#!/bin/sh\ntouch '{}'\n{pass}\n", mark.display());
        std::fs::write(&script, text).unwrap();
        executable(&script);
        script.display().to_string()
    };
    let p = |name: &str| program(name);
    let included = format!("[core]\n\tfsmonitor = {}\n", p("included-fsmonitor"));
    std::fs::write(marks.parent().unwrap().join("included"), included).unwrap();
    let mut config = std::fs::read_to_string(git_dir.join("config")).unwrap();
    config.push_str(&format!(
        "[core]\n\tsshCommand = {}\n\tpager = {}\n\teditor = {}\n\taskPass = {}\n\tfsmonitor = {}\n",
        p("ssh"),
        p("pager"),
        p("editor"),
        p("askpass"),
        p("fsmonitor")
    ));
    config.push_str(&format!(
        "[filter \"loud\"]\n\tclean = {}\n\tsmudge = {}\n\trequired = true\n[filter \"long\"]\n\tprocess = {}\n",
        p("clean"),
        p("smudge"),
        p("process")
    ));
    config.push_str(&format!(
        "[diff]\n\texternal = {}\n[diff \"d\"]\n\ttextconv = {}\n\tcommand = {}\n",
        p("external"),
        p("textconv"),
        p("diff-command")
    ));
    config.push_str(&format!(
        "[credential]\n\thelper = {}\n[gpg]\n\tprogram = {}\n[log]\n\tshowSignature = true\n",
        p("credential"),
        p("gpg")
    ));
    config.push_str(&format!(
        "[alias]\n\tstatus = !{0}\n\tdiff = !{0}\n\thook = !{0}\n[include]\n\tpath = {1}\n",
        p("alias"),
        marks.parent().unwrap().join("included").display()
    ));
    // For git 2.54 and later; the second one enables its event again.
    for hook in HOOKS {
        config.push_str(&format!(
            "[hook \"a=b.{hook}\"]\n\tevent = {hook}\n\tcommand = {}\n\tenabled = true\n[hook \"{hook}\"]\n\tparallel = true\n",
            p(&format!("configured-{hook}"))
        ));
    }
    std::fs::write(git_dir.join("config"), config).unwrap();
    for hook in HOOKS {
        let at = git_dir.join("hooks").join(hook);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::copy(p(hook), &at).unwrap();
        executable(&at);
    }
    marks
}

#[cfg(not(unix))]
fn executable(_: &Path) {}

#[cfg(unix)]
fn executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns the programs that ran, and clears the list.
fn ran(marks: &Path) -> Vec<String> {
    let mut names: Vec<String> = marks
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in &names {
        std::fs::remove_file(marks.join(name)).unwrap();
    }
    names
}

/// Whether the installed git runs hooks that a configuration names.
fn knows_configured_hooks() -> bool {
    let version = out(Path::new("."), &["version"]);
    let numbers = version.trim_start_matches("git version ").split('.');
    let numbers: Vec<u32> = numbers.take(2).map(|number| number.parse().unwrap()).collect();
    numbers >= vec![2, 54]
}

/// Creates a repository whose files have attributes, with a commit that claims to be signed.
fn attributed() -> Fixture {
    let f = Fixture::small();
    write(
        &f.repo,
        ".gitattributes",
        "*.txt filter=loud\n*.md filter=long\n*.rs diff=d\n",
    );
    write(&f.repo, "a.txt", "hello\n");
    git(&f.repo, &["add", "-A"]);
    git(&f.repo, &["commit", "-qm", "filtered"]);
    let text = out(&f.repo, &["cat-file", "commit", "HEAD"]);
    let signed = text.replacen(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n",
        1,
    );
    write(f.repo.parent().unwrap(), "commit", &format!("{signed}\n"));
    let id = out(&f.repo, &["hash-object", "-t", "commit", "-w", "../commit"]);
    git(&f.repo, &["reset", "-q", "--hard", &id]);
    f
}

/// Makes changes that git must inspect.
fn touch(place: &Path) {
    write(place, "a.txt", "hella\n");
    write(place, "README.md", "bye bye\n");
    write(place, "src/lib.rs", "fn main() { 1 }\n");
    write(place, "new.txt", "new\n");
    git(place, &["update-index", "--assume-unchanged", "README.md"]);
}

fn spec<'a>(f: &'a Fixture, place: &'a Path, base: &'a str, programs: Programs) -> WorktreeSpec<'a> {
    WorktreeSpec {
        repo: &f.repo,
        path: place,
        branch: "feature/planted",
        base_commit: base,
        reason: "test",
        programs,
    }
}

hermetic! {
    fn reading_runs_no_planted_program() {
        let f = attributed();
        let base = out(&f.repo, &["rev-parse", "HEAD~1"]);
        let made = f.worktree("one").path;
        touch(&f.repo);
        touch(&made);
        let marks = plant(&f.repo.join(".git"), &f.repo);
        let id = downbeat_model::SessionId::random().unwrap();
        let none = CopyRecord::default();
        for place in [&f.repo, &made] {
            type Reading<'a> = (&'a str, Box<dyn Fn() + 'a>);
            let table: [Reading<'_>; 11] = [
                ("inspect", Box::new(|| drop(inspect(place)))),
                ("branches", Box::new(|| drop(Repository::open(place).unwrap().branches().unwrap()))),
                ("default branch", Box::new(|| drop(Repository::open(place).unwrap().default_branch().unwrap()))),
                ("free branch", Box::new(|| drop(Repository::open(place).unwrap().free_branch("x").unwrap()))),
                ("head", Box::new(|| drop(head(place).unwrap()))),
                ("changes", Box::new(|| {
                    let all = changes(&f.repo, place, &base).unwrap();
                    assert!(all.iter().any(|file| file.path == "new.txt"), "{all:?}");
                })),
                ("summary", Box::new(|| {
                    let summary = summary(&f.repo, place, Some(&base)).unwrap();
                    assert!(summary.files > 1 && summary.commits.len() == 1, "{summary:?}");
                })),
                ("copies", Box::new(|| drop(plan_copies(&f.repo, &["*.local".into()], &[]).unwrap()))),
                ("set-up", Box::new(|| drop(lockfile_setup(place, &f.repo, &CopyPlan::default())))),
                ("backups", Box::new(|| drop(backups(&f.repo, &id).unwrap()))),
                ("work", Box::new(|| {
                    if *place == made {
                        let work = work_state(&f.repo, place, &base, &none).unwrap();
                        assert!(work.dirty.contains(&"README.md".to_owned()), "{work:?}");
                    }
                })),
            ];
            for (what, read) in table {
                read();
                assert_eq!(ran(&marks), Vec::<String>::new(), "{what} in {}", place.display());
            }
        }
        let log = ["log", "-1"];
        for asked in [&["status"][..], &["hash-object", "README.md"], &["diff"], &log, &["update-ref", "refs/heads/x", "HEAD"]] {
            // The planted programs return no usable output to git.
            let _ = std::process::Command::new("git").current_dir(&made).args(asked).output().unwrap();
        }
        let really = ran(&marks);
        for plant in ["clean", "external", "gpg", "included-fsmonitor", "process", "reference-transaction"] {
            assert!(really.iter().any(|name| name == plant), "{plant} cannot run at all: {really:?}");
        }
        let configured = really.iter().any(|name| name == "configured-reference-transaction");
        assert_eq!(configured, knows_configured_hooks(), "{really:?}");
    }

    fn a_worktree_of_an_untrusted_project_runs_no_planted_program() {
        let f = attributed();
        let base = f.head();
        let marks = plant(&f.repo.join(".git"), &f.repo);
        let place = f.place("planted");
        let own = downbeat_git::own_programs(&f.repo).unwrap();
        for named in [
            "filter long",
            "filter loud",
            "hook post-checkout",
            "hook post-checkout (a=b.post-checkout)",
            "hook reference-transaction",
        ] {
            assert!(own.iter().any(|name| name == named), "{own:?}");
        }
        let made = register(&spec(&f, &place, &base, Programs::Skip)).unwrap();
        checkout(&made.path, Programs::Skip).unwrap();
        let plan = plan_copies(&f.repo, &[], &[]).unwrap();
        copy(&f.repo, &made.path, &plan).unwrap();
        assert_eq!(crate::fixture::read(&made.path, "a.txt"), "hello\n");
        let work = work_state(&f.repo, &made.path, &base, &CopyRecord::default()).unwrap();
        assert_eq!(work.dirty, Vec::<String>::new());
        remove(&f.repo, &made.path).unwrap();
        recreate(&f.repo, &made.path, &made.branch, None, |_| Ok(Programs::Skip)).unwrap();
        remove(&f.repo, &made.path).unwrap();
        delete_branch(&f.repo, &made.branch).unwrap();
        assert_eq!(ran(&marks), Vec::<String>::new());

        let made = register(&spec(&f, &place, &base, Programs::Run)).unwrap();
        // The planted process does not speak the protocol. Git fails or continues without it, depending on
        // whether the process exits before git writes to it.
        let _ = checkout(&made.path, Programs::Run);
        let really = ran(&marks);
        for plant in ["reference-transaction", "process"] {
            assert!(really.iter().any(|name| name == plant), "a trusted project's {plant} runs: {really:?}");
        }
        assert!(!really.iter().any(|name| name.contains("fsmonitor")), "{really:?}");
    }

    fn saving_and_restoring_an_untrusted_project_runs_no_planted_program() {
        let f = attributed();
        let base = f.head();
        // An index that is written through our own git directory must not name a shared file in it.
        git(&f.repo, &["config", "--global", "core.splitIndex", "true"]);
        let marks = plant(&f.repo.join(".git"), &f.repo);
        let (place, id) = (f.place("planted"), downbeat_model::SessionId::random().unwrap());
        let made = register(&spec(&f, &place, &base, Programs::Skip)).unwrap();
        checkout(&made.path, Programs::Skip).unwrap();
        touch(&made.path);
        ran(&marks);
        let none = CopyRecord::default();
        let backup = save(&f.repo, &made.path, &id, &none).unwrap().unwrap();
        remove(&f.repo, &made.path).unwrap();
        restore(&f.repo, &made.path, &made.branch, &backup, Programs::Skip).unwrap();
        assert_eq!(save(&f.repo, &made.path, &id, &none).unwrap(), Some(backup.clone()), "the same is saved once");
        let there = bring(&f.repo, &f.place("two"), "feature/two", &backup, Programs::Skip).unwrap();
        assert_eq!(ran(&marks), Vec::<String>::new());
        for tree in [&made.path, &there.path] {
            assert_eq!(crate::fixture::read(tree, "a.txt"), "hella\n");
            assert_eq!(crate::fixture::read(tree, "new.txt"), "new\n");
            // The index can be read without our git directory.
            assert_eq!(out(tree, &["-c", "core.fsmonitor=false", "ls-files"]).lines().count(), 5);
        }
        remove(&f.repo, &made.path).unwrap();
        ran(&marks);
        // The programs of a trusted project run or fail, because the planted
        // process does not speak the protocol.
        let _ = restore(&f.repo, &made.path, &made.branch, &backup, Programs::Run);
        assert!(ran(&marks).contains(&"clean".to_owned()), "a trusted project's filters run");
    }

    fn reading_a_partial_clone_fetches_no_missing_objects() {
        let f = Fixture::small();
        let base = f.head();
        let made = f.worktree("one").path;
        write(&made, "README.md", "bye\n");
        let blob = out(&f.repo, &["rev-parse", "HEAD:README.md"]);
        std::fs::remove_file(f.repo.join(".git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
        let marks = plant(&f.repo.join(".git"), &f.repo);
        let fetching = f.repo.parent().unwrap().join("plant-ssh");
        for (name, value) in [
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", f.repo.to_str().unwrap()),
            ("remote.origin.uploadpack", fetching.to_str().unwrap()),
        ] {
            git(&f.repo, &["config", name, value]);
        }
        ran(&marks);
        assert!(changes(&f.repo, &made, &base).is_err());
        assert_eq!(ran(&marks), Vec::<String>::new());
        std::process::Command::new("git").arg("diff").current_dir(&made).output().unwrap();
        assert!(ran(&marks).contains(&"ssh".to_owned()), "git itself fetches");
    }

    fn a_worktree_whose_git_file_was_changed_is_refused() {
        let f = Fixture::small();
        let base = f.head();
        let (one, two) = (f.worktree("one").path, f.worktree("two").path);
        let own = crate::fixture::read(&one, ".git");
        let fake = one.join("fake");
        git(&one, &["init", "-q", "fake"]);
        let elsewhere = format!("gitdir: {}/.git\n", fake.display());
        for other in [elsewhere.as_str(), &crate::fixture::read(&two, ".git"), "gitdir: /nowhere\n", "rubbish"] {
            std::fs::write(one.join(".git"), other).unwrap();
            let none = CopyRecord::default();
            let refusals = [
                changes(&f.repo, &one, &base).map(drop),
                summary(&f.repo, &one, None).map(drop),
                work_state(&f.repo, &one, &base, &none).map(drop),
                downbeat_git::save(&f.repo, &one, &downbeat_model::SessionId::random().unwrap(), &none).map(drop),
            ];
            for refusal in refusals {
                let error = refusal.unwrap_err();
                assert!(matches!(error, Error::Redirected { .. }), "{other:?}: {error}");
                assert!(error.to_string().contains("worktree repair"), "{error}");
            }
        }
        // The remedy in the message works.
        git(&f.repo, &["--git-dir=.git", "worktree", "repair"]);
        assert_eq!(crate::fixture::read(&one, ".git"), own);
        assert!(changes(&f.repo, &one, &base).is_ok());
    }

    fn a_git_directory_that_was_committed_as_files_is_not_a_repository() {
        let f = Fixture::small();
        git(&f.repo, &["clone", "-q", "--bare", ".", "sub"]);
        assert_eq!(inspect(&f.repo.join("sub")), FolderKind::Embedded);
        git(&f.repo.join("sub"), &["config", "core.bare", "false"]);
        git(&f.repo.join("sub"), &["config", "core.worktree", "../sub"]);
        assert_eq!(inspect(&f.repo.join("sub")), FolderKind::Embedded);
        let alone = f.repo.parent().unwrap().join("alone.git");
        git(&f.repo, &["clone", "-q", "--bare", ".", alone.to_str().unwrap()]);
        assert_eq!(inspect(&alone), FolderKind::Bare);
        let root = f.repo.clone();
        for inside in ["src", "."] {
            assert_eq!(inspect(&f.repo.join(inside)), FolderKind::Repository { root: root.clone() });
        }
        let apart = f.repo.parent().unwrap().join("apart");
        let gitdir = format!("--separate-git-dir={}", f.repo.parent().unwrap().join("gitdir").display());
        git(f.repo.parent().unwrap(), &["clone", "-q", &gitdir, "repo", "apart"]);
        assert_eq!(inspect(&apart), FolderKind::Repository { root: apart.clone() });
        // A configuration that claims a folder which does not name this repository.
        git(&apart, &["config", "core.worktree", f.repo.join("src").to_str().unwrap()]);
        assert_eq!(inspect(&apart), FolderKind::Embedded);
    }
}
