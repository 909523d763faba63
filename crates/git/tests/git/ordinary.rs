//! Cases that an ordinary user encounters and root does not: unreadable folders, folders of other users.
//! Under root, these tests run their steps as `nobody`, so that permissions apply.

use crate::fixture::{Fixture, out, read, session, status, write};
use downbeat_git::{CopyRecord, Error, Programs, backups, remove, restore, save, work_state};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The user id of `nobody`.
const NOBODY: u32 = 65_534;

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A user with a home directory, and a copy of this test program that the user can run.
struct User {
    home: tempfile::TempDir,
    is_root: bool,
}

impl User {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let is_root = home.path().metadata().unwrap().uid() == 0;
        std::fs::copy(std::env::current_exe().unwrap(), home.path().join("tests")).unwrap();
        let config = "[user]\nname = Tester\nemail = t@example.com\n[init]\ndefaultBranch = main\n";
        write(home.path(), ".gitconfig", config);
        if is_root {
            chown(home.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        Self { home, is_root }
    }

    fn plays(&self, part: &str) {
        let tests = self.home.path().join("tests");
        let mut command = Command::new(if self.is_root {
            Path::new("setpriv")
        } else {
            &tests
        });
        if self.is_root {
            let user = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
            command.args(user).arg("--clear-groups").arg(&tests);
        }
        command
            .args(["ordinary::part", "--exact", "--nocapture", "--include-ignored"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["HOME", "XDG_CONFIG_HOME", "TMPDIR"].map(|name| (name, self.home.path())))
            .env("PART", part);
        let output = command.current_dir(self.home.path()).output().unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{part}: {text}"
        );
    }

    fn repo(&self) -> PathBuf {
        PathBuf::from(read(self.home.path(), "where"))
    }
}

#[test]
#[ignore = "a part of the other tests"]
fn part() {
    let Ok(part) = std::env::var("PART") else { return };
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    if part == "make" {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&made.path, "work", "w");
        write(&home, "where", f.repo.to_str().unwrap());
        std::mem::forget(f);
        return;
    }
    let repo = PathBuf::from(read(&home, "where"));
    let place = repo.parent().unwrap().join("trees/one");
    let none = CopyRecord::default();
    let base = out(&repo, &["rev-parse", "HEAD"]);
    let state = || work_state(&repo, &place, &base, &none).unwrap();
    let saved = || save(&repo, &place, &session(), &none);
    match &*part {
        "an unreadable folder" => {
            for hidden in ["hidden/x", "node_modules/.cache/x"] {
                write(&place, hidden, "x");
            }
            mode(&place.join("hidden"), 0o000);
            let why = state().blocked.unwrap();
            assert!(why.contains("trees/one/hidden cannot be read"), "{why}");
            assert!(matches!(saved(), Err(Error::Unreadable { .. })));
            mode(&place.join("hidden"), 0o700);
            // An unreadable folder may hold a repository, which belongs to somebody wherever it is.
            for bits in [0o000, 0o311, 0o644] {
                mode(&place.join("node_modules/.cache"), bits);
                let why = state().blocked.unwrap();
                assert!(
                    why.contains("node_modules/.cache cannot be read"),
                    "{bits:o}: {why}"
                );
                assert!(matches!(saved(), Err(Error::Unreadable { .. })));
            }
            mode(&place.join("node_modules/.cache"), 0o755);
            assert_eq!(state().blocked, None, "what a tool makes again is nobody's work");
            write(&place, "secret", "s");
            mode(&place.join("secret"), 0o000);
            let refused = saved().unwrap_err().to_string();
            assert!(refused.contains("secret"), "{refused}");
            mode(&place.join("secret"), 0o600);
        }
        "a folder without the right to enter it" => {
            write(&place, "cache/x", "x");
            mode(&place.join("cache"), 0o644);
            let why = state().blocked.unwrap();
            assert!(why.contains("trees/one/cache cannot be read"), "{why}");
            assert!(matches!(saved(), Err(Error::Unreadable { .. })));
            mode(&place.join("cache"), 0o755);
        }
        "a folder of another" => {
            let why = state().blocked.unwrap();
            assert!(
                why.contains("sudo rm -rf") && why.contains("trees/one/cache"),
                "{why}"
            );
            let backup = saved().unwrap().expect("it holds work");
            let before = status(&place);
            let refused = remove(&repo, &place).unwrap_err();
            assert!(matches!(refused, Error::Foreign { owner: 0, .. }), "{refused}");
            assert_eq!(
                (status(&place), read(&place, "work")),
                (before, "w".into()),
                "nothing was changed"
            );
            assert_eq!(backups(&repo, &session()).unwrap(), [backup]);
        }
        "the end" => {
            assert_eq!(state().blocked, None);
            let backup = saved().unwrap().expect("it holds work");
            remove(&repo, &place).unwrap();
            assert_eq!(place.parent().unwrap().read_dir().unwrap().count(), 0);
            restore(&repo, &place, "feature/one", &backup, Programs::Run).unwrap();
            assert_eq!(read(&place, "work"), "w");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn an_unreadable_folder_is_refused_by_name() {
    let user = User::new();
    user.plays("make");
    user.plays("an unreadable folder");
    user.plays("the end");
}

#[test]
fn an_ignored_folder_that_cannot_be_entered_is_refused_by_name() {
    let user = User::new();
    user.plays("make");
    user.plays("a folder without the right to enter it");
    user.plays("the end");
}

#[test]
fn a_folder_of_another_user_is_refused_by_name_without_changes() {
    let user = User::new();
    if !user.is_root {
        // Only root can create a file of another user.
        return;
    }
    user.plays("make");
    let place = user.repo().parent().unwrap().join("trees/one");
    write(&place, "cache/theirs/x", "made in a container");
    user.plays("a folder of another");
    std::fs::remove_dir_all(place.join("cache")).unwrap();
    write(
        &place,
        "file-of-root",
        "in a folder of one's own it can be deleted",
    );
    user.plays("the end");
}
