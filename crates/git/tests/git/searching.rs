//! The search path for git: never the folder in which git runs, whatever the `PATH` has.

use crate::fixture::{Fixture, enter, git, session, write};
use downbeat_git::{
    CopyRecord, Programs, WorktreeSpec, checkout, plan_copies, register, remove, restore, save, work_state,
};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Entries that refer to the current folder.
const ODD: &str = ".::bin:./node_modules/.bin";

fn plant(checkout: &Path, ran: &Path) {
    for at in ["git", "bin/git", "node_modules/.bin/git", "mkfifo"] {
        write(
            checkout,
            at,
            &format!("#!/bin/sh\necho $0 $* >> '{}'\n", ran.display()),
        );
        let program = checkout.join(at);
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_program_in_a_repository_is_not_taken_for_git() {
    let full = concat!(module_path!(), "::a_program_in_a_repository_is_not_taken_for_git");
    let path = format!("{ODD}:{}", std::env::var("PATH").unwrap());
    if enter(full, &[("PATH", &path)]).is_some() {
        return;
    }
    let f = Fixture::small();
    let ran = f.repo.with_file_name("ran");
    plant(&f.repo, &ran);
    git(Path::new("/"), &["-C", f.repo.to_str().unwrap(), "add", "-Af"]);
    git(
        Path::new("/"),
        &["-C", f.repo.to_str().unwrap(), "commit", "-qm", "programs"],
    );
    let repository = downbeat_git::Repository::open(&f.repo).unwrap();
    let base = repository.base("main").unwrap().commit;
    let made = register(&WorktreeSpec {
        repo: &f.repo,
        path: &f.place("one"),
        branch: "feature/one",
        base_commit: &base,
        reason: "test",
        programs: Programs::Skip,
    });
    let made = made.unwrap();
    checkout(&made.path, Programs::Skip).unwrap();
    assert!(made.path.join("git").is_file());
    write(&made.path, "new.txt", "work");
    let none = CopyRecord::default();
    plan_copies(&f.repo, &[], &[]).unwrap();
    assert_eq!(
        work_state(&f.repo, &made.path, &base, &none).unwrap().dirty,
        ["new.txt"]
    );
    let backup = save(&f.repo, &made.path, &session(), &none).unwrap().unwrap();
    remove(&f.repo, &made.path).unwrap();
    restore(&f.repo, &made.path, &made.branch, &backup, Programs::Skip).unwrap();
    let ran = std::fs::read_to_string(ran).unwrap_or_default();
    assert_eq!(ran, "", "what ran");
}
