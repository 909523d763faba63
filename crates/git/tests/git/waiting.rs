//! Files on which git would block, such as a named pipe as `.gitignore`: every command soon reports the name
//! of the file, and nothing is lost once it is gone.

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use downbeat_git::{
    CopyRecord, Error, FolderKind, Repository, WorkState, changes, head, inspect, plan_copies, save, summary,
    work_state,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Git is ended two seconds after it starts to wait; the rest is for a busy machine.
const SOON: Duration = Duration::from_secs(20);

fn pipe(at: &Path) {
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(at);
    assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
}

/// Checks that a call fails with the name of the file, and in time.
fn refused<T>(what: &str, file: &Path, ask: impl FnOnce() -> Result<T, Error>) {
    let begun = Instant::now();
    let answer = ask().map(drop);
    assert!(
        begun.elapsed() < SOON,
        "{what} of {} took {:?}",
        file.display(),
        begun.elapsed()
    );
    match answer {
        Err(Error::NotOrdinary { path, .. }) => assert_eq!(path.file_name(), file.file_name(), "{what}"),
        other => panic!("{what} of {}: {other:?}", file.display()),
    }
}

hermetic! {
    fn a_pipe_that_git_would_read_is_reported_soon() {
        let f = Fixture::small();
        let base = f.head();
        let made = f.worktree("one").path;
        write(&made, "new.txt", "work\n");
        git(&f.repo, &["config", "include.path", "more-config"]);
        write(&f.repo, ".git/more-config", "[core]\n");
        let elsewhere = f.place("elsewhere");
        write(&f.repo, ".git/objects/info/alternates", &format!("{}\n", elsewhere.display()));
        std::fs::create_dir_all(elsewhere.join("info")).unwrap();
        let id = downbeat_model::SessionId::random().unwrap();
        let none = CopyRecord::default();
        let before = out(&made, &["status", "--porcelain"]);
        let (shared, own) = (f.repo.join(".git"), f.repo.join(".git/worktrees/one"));
        git(&made, &["worktree", "add", "-q", "--detach", f.place("two").to_str().unwrap()]);
        let (first, rest) = base.split_at(2);
        let places: [PathBuf; 18] = [
            made.join(".gitignore"),
            made.join(".gitattributes"),
            made.join(".gitmodules"),
            made.join("deep/er/.gitignore"),
            made.join("src/.gitattributes"),
            shared.join("info/exclude"),
            shared.join("info/attributes"),
            shared.join("config"),
            shared.join("more-config"),
            shared.join("packed-refs"),
            elsewhere.join("info/alternates"),
            shared.join("objects/info/commit-graph"),
            shared.join("objects/pack/multi-pack-index"),
            elsewhere.join("pack/pack-1.idx"),
            shared.join("objects").join(first).join(rest),
            shared.join("worktrees/two/gitdir"),
            own.join("HEAD"),
            own.join("index"),
        ];
        for file in places {
            let kept = std::fs::read(&file).ok();
            pipe(&file);
            let deep = file.starts_with(made.join("deep")) || file.starts_with(made.join("src"));
            refused("work", &file, || match work_state(&f.repo, &made, &base, &none) {
                // The reason that it cannot be removed is reported together with the other details.
                Ok(WorkState { blocked: Some(why), .. }) if why.contains(&*file.to_string_lossy()) => {
                    Err(Error::NotOrdinary { path: file.clone(), reason: why })
                }
                other => other,
            });
            refused("save", &file, || save(&f.repo, &made, &id, &none));
            // Git searches deep folders only when it lists files.
            if !deep || file.ends_with(".gitignore") {
                refused("summary", &file, || summary(&f.repo, &made, None));
                refused("changes", &file, || changes(&f.repo, &made, &base));
            }
            if file.starts_with(&shared) && !file.starts_with(&own) {
                refused("repository", &file, || Repository::open(&f.repo));
                refused("copies", &file, || plan_copies(&f.repo, &[], &[]));
                assert!(matches!(inspect(&f.repo.join("src")), FolderKind::NotOrdinary { .. }));
                assert_eq!(head(&made), None);
            }
            std::fs::remove_file(&file).unwrap();
            if let Some(kept) = kept {
                std::fs::write(&file, kept).unwrap();
            }
        }
        let _ = std::fs::remove_dir_all(made.join("deep"));
        assert_eq!(out(&made, &["status", "--porcelain"]), before);
        assert!(save(&f.repo, &made, &id, &none).unwrap().is_some());
    }

    fn a_pipe_in_the_objects_of_a_nested_repository_does_not_block() {
        let f = Fixture::small();
        let made = f.worktree("one").path;
        git(&made, &["init", "-q", "new/x"]);
        git(&made.join("new/x"), &["commit", "-q", "--allow-empty", "-m", "own"]);
        pipe(&made.join("new/x/.git/objects/info/alternates"));
        let begun = Instant::now();
        let state = work_state(&f.repo, &made, &f.head(), &CopyRecord::default()).unwrap();
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        assert_eq!(state.dirty, ["new/x/"]);
    }

    fn files_that_name_each_other_in_circles_are_checked_once() {
        let f = Fixture::small();
        let config = f.repo.join(".git/config");
        let own = std::fs::read_to_string(&config).unwrap();
        let circle = "[include]\npath = circle\n".repeat(50);
        std::fs::write(&config, format!("{own}{circle}")).unwrap();
        write(&f.repo, ".git/circle", &circle);
        write(&f.repo, ".git/objects/info/alternates", &"../objects\n".repeat(50));
        let begun = Instant::now();
        // libgit2 may refuse it.
        let _ = Repository::open(&f.repo);
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }

    fn an_extremely_large_file_that_git_would_read_is_reported() {
        let f = Fixture::small();
        let made = f.worktree("one").path;
        let (shared, head) = (f.repo.join(".git"), f.head());
        let (first, rest) = head.split_at(2);
        write(&f.repo, ".git/objects/info/alternates", "");
        let places = [
            shared.join("HEAD"),
            shared.join("config"),
            shared.join("packed-refs"),
            shared.join("refs/heads/deep/er"),
            shared.join("info/exclude"),
            shared.join("objects/info/alternates"),
            shared.join("objects").join(first).join(rest),
            shared.join("worktrees/one/HEAD"),
            shared.join("worktrees/one/index"),
            made.join(".gitattributes"),
        ];
        for file in places {
            let kept = std::fs::read(&file).ok();
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let _ = std::fs::remove_file(&file);
            // A sparse file, so that no disk has to hold it.
            std::fs::File::create(&file).unwrap().set_len(2 << 30).unwrap();
            let place = if file.starts_with(&made) || file.ends_with("one/index") { &made } else { &f.repo };
            refused("opening", &file, || plan_copies(place, &[], &[]));
            std::fs::remove_file(&file).unwrap();
            if let Some(kept) = kept {
                std::fs::write(&file, kept).unwrap();
            }
        }
        Repository::open(&f.repo).unwrap();
        write(&f.repo, ".git/objects/pack/tmp_pack_1", "");
        let pack = std::fs::File::options().write(true).open(shared.join("objects/pack/tmp_pack_1"));
        pack.unwrap().set_len(8 << 30).unwrap();
        Repository::open(&f.repo).unwrap();
    }

    fn an_extremely_large_file_in_a_nested_repository_is_work() {
        let f = Fixture::small();
        let made = f.worktree("one").path;
        let inner = made.join("cache/x");
        git(&made, &["init", "-q", "cache/x"]);
        write(&inner, "big", "hi\n");
        git(&inner, &["add", "-A"]);
        git(&inner, &["commit", "-qm", "own"]);
        git(&inner, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
        let dirty = || work_state(&f.repo, &made, &f.head(), &CopyRecord::default()).unwrap().dirty;
        assert_eq!(dirty(), Vec::<String>::new());
        // Written again with the same content.
        write(&inner, "big", "hi\n");
        assert_eq!(dirty(), Vec::<String>::new());
        std::fs::File::options().write(true).open(inner.join("big")).unwrap().set_len(8 << 40).unwrap();
        let begun = Instant::now();
        assert_eq!(dirty(), ["cache/x/"]);
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
}
