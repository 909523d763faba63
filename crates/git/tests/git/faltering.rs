//! A git that is killed, or that gets no memory, while a worktree is inspected and saved. The worktree is not
//! at fault, and stays as it is until git works again.

use crate::fixture::{Fixture, read, session, write};
use crate::hermetic;
use downbeat_git::{CopyRecord, Error, save, use_search_path, work_state};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The ways in which git fails, as shell commands that run in its place.
const ENDS: &[(&str, &str)] = &[
    ("killed at once", "kill -9 $$"),
    ("killed at its end", "\"$real\" \"$@\"; kill -9 $$"),
    (
        "without memory",
        "echo 'fatal: cannot allocate memory' >&2; exit 128",
    ),
];

/// The git commands that a removal runs.
const COMMANDS: &[&str] = &["status", "ls-files", "check-attr", "pack-objects", "update-ref"];

/// Installs a script in place of git that first runs the commands in the file `rule`.
fn stand_in(home: &Path) {
    let path = std::env::var("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let real = real.into_iter().find(|git| git.is_file()).unwrap();
    let rule = home.join("rule");
    let script = format!(
        "#!/bin/sh\nreal={}\n[ -f {rule} ] && . {rule}\nexec \"$real\" \"$@\"\n",
        real.display(),
        rule = rule.display()
    );
    write(home, "bin/git", &script);
    std::fs::set_permissions(home.join("bin/git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    use_search_path(format!("{}:{path}", home.join("bin").display()).as_ref());
}

/// Makes every git with this subcommand end with the given commands.
fn rule(home: &Path, command: &str, end: &str) {
    let text = format!("for word in \"$@\"; do if [ \"$word\" = {command} ]; then {end}; fi; done\n");
    write(home, "rule", &text);
}

/// Runs the steps of a removal that precede any deletion.
fn end(f: &Fixture, w: &Path) -> Result<(), Error> {
    let none = CopyRecord::default();
    work_state(&f.repo, w, &f.head(), &none)?;
    save(&f.repo, w, &session(), &none).map(drop)
}

hermetic! {
    fn a_killed_git_is_not_blamed_on_the_worktree() {
        let f = Fixture::small();
        let home = f.repo.parent().unwrap();
        stand_in(home);
        for command in COMMANDS {
            for (how, script) in ENDS {
                let made = f.worktree(&format!("{command}-{}", how.replace(' ', "-")));
                let w = &made.path;
                write(w, "precious.txt", "precious");
                rule(home, command, script);
                let Err(refused) = end(&f, w) else {
                    assert_eq!((*command, *how), ("update-ref", "killed at its end"), "it was saved by then");
                    continue;
                };
                assert!(!refused.is_unreadable(), "{command} {how}: {refused:?}");
                assert!(refused.to_string().contains("try again"), "{command} {how}: {refused}");
                // The error for a damaged worktree does not blame git.
                let index = f.repo.join(".git/worktrees").join(w.file_name().unwrap()).join("index");
                let whole = std::fs::read(&index).unwrap();
                std::fs::write(&index, "rubbish").unwrap();
                let refused = end(&f, w).expect_err(command);
                assert!(refused.is_unreadable(), "{command} {how}: {refused:?}");
                std::fs::write(&index, whole).unwrap();
                std::fs::remove_file(home.join("rule")).unwrap();
                end(&f, w).unwrap();
                assert_eq!(read(w, "precious.txt"), "precious");
            }
        }
    }
}
