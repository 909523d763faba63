//! Tests of what a person does to the target's checkout at the instant of a landing: commits and edits, also those that are not
//! committed, stay, and what was to land lands on top; and of a target that never comes to rest.

use crate::crashes::{held, reached};
use crate::merging::{commit, last, project, read, said, session};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use std::path::Path;
use std::process::Command;

/// Commits one new file, as a person does, and leaves everything else as it is. Returns whether git let it happen.
fn commits(repository: &Path, name: &str) -> bool {
    std::fs::write(repository.join(name), "by hand\n").unwrap();
    let run = |arguments: &[&str]| {
        let me = ["-c", "user.name=P", "-c", "user.email=p@example.com"];
        let mut command = Command::new("git");
        command.current_dir(repository).args(me).args(arguments);
        command.output().unwrap().status.success()
    };
    run(&["add", "--", name]) && run(&["commit", "-qm", name, "--", name])
}

/// Edits a committed file, adds one, and stages one.
fn edit(repository: &Path) -> String {
    std::fs::write(repository.join("src/main.txt"), "edited by hand\n").unwrap();
    std::fs::write(repository.join("untracked.txt"), "mine\n").unwrap();
    std::fs::write(repository.join("staged.txt"), "mine\n").unwrap();
    git(repository, &[], &["add", "--", "staged.txt"]);
    git(repository, &[], &["status", "--porcelain"])
}

/// Returns the files of the commit with this subject.
fn files_of(repository: &Path, subject: &str) -> String {
    let found = git(
        repository,
        &[],
        &["log", "--format=%H", &format!("--grep=^{subject}$")],
    );
    assert_eq!(found.lines().count(), 1, "{subject}: {found}");
    git(
        repository,
        &[],
        &["show", "--format=", "--name-only", found.trim()],
    )
}

#[tokio::test]
async fn a_person_who_commits_at_the_instant_of_a_landing_loses_nothing() {
    let mut sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, None).await;
    let points = [
        "merge-checked",
        "land-recorded",
        "land-locked",
        "land-indexed",
        "land-moved",
    ];
    for (number, point) in points.into_iter().enumerate() {
        for is_dirty in [false, true] {
            let name = format!("w{number}{}", u8::from(is_dirty));
            let (id, place) = session(&sandbox, &project, &name).await;
            let (file, mine) = (format!("{name}.txt"), format!("by-hand-{name}.txt"));
            commit(&place, &[(&file, "landed\n")]);
            let edited = is_dirty.then(|| edit(&repository));
            let waits = held(&mut sandbox, point).await;
            said(&sandbox.cli(&["merge", &id, "--no-wait"]), 0);
            reached(&waits).await;
            let first = commits(&repository, &mine);
            std::fs::remove_file(&waits).unwrap();
            let ended = last(&sandbox, &id).await;
            assert_eq!(ended["outcome"], "landed", "{point}: {ended:#}");
            assert!(
                first || commits(&repository, &mine),
                "{point}: git refuses a commit afterwards"
            );
            let is_locked = matches!(point, "land-locked" | "land-indexed" | "land-moved");
            assert_eq!(first, !is_locked, "{point}");
            assert_eq!(
                files_of(&repository, &mine).trim(),
                mine,
                "{point}: it reverts nothing"
            );
            for (file, text) in [(&file, "landed\n"), (&mine, "by hand\n")] {
                assert_eq!(read(&repository, file), text, "{point}");
                let committed = git(&repository, &[], &["show", &format!("main:{file}")]);
                assert_eq!(committed, text, "{point}");
            }
            let status = git(&repository, &[], &["status", "--porcelain"]);
            assert_eq!(status, edited.clone().unwrap_or_default(), "{point}");
            if edited.is_some() {
                assert_eq!(read(&repository, "src/main.txt"), "edited by hand\n", "{point}");
                assert_eq!(read(&repository, "untracked.txt"), "mine\n", "{point}");
                git(&repository, &[], &["reset", "-q", "--hard"]);
                std::fs::remove_file(repository.join("untracked.txt")).unwrap();
            }
        }
    }
}

/// The check itself commits to the target while it runs, until there is a file `rest` in the home folder.
const MOVING: &str = "checks:\n  - name: test\n    run: { sh: 'test -e $HOME/rest && exit 0; cd $HOME/../shop && \
    echo $$ >> moving.txt && git add moving.txt && git -c user.name=P -c user.email=p@example.com commit -qm moved' }\n";

#[tokio::test]
async fn a_target_that_never_rests_stops_the_queue_with_its_reason_and_nothing_is_lost() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, Some(MOVING)).await;
    let (id, place) = session(&sandbox, &project, "One").await;
    commit(&place, &[("one.txt", "1")]);
    said(&sandbox.cli(&["check", &id]), 0);
    said(&sandbox.cli(&["merge", &id, "--no-wait"]), 0);
    let why = until("the queue pauses itself", async || {
        let queues = sandbox.get("/api/queues?project=shop").await.ok()?;
        let why = queues[0]["entries"][0]["why"].as_str()?.to_owned();
        why.contains("paused itself").then_some(why)
    })
    .await;
    assert!(why.contains("main moved 5 times in a row"), "{why}");
    let moved = || {
        git(&repository, &[], &["log", "--format=%s", "--grep=^moved$"])
            .lines()
            .count()
    };
    // One by the check of the session, five by those of the queue.
    assert_eq!(moved(), 6);
    let notices = sandbox.notices().await;
    let told = notices.iter().filter_map(|notice| notice["text"].as_str());
    let told: Vec<_> = told.filter(|text| text.contains("moved 5 times")).collect();
    assert!(
        told.len() == 1 && told[0].contains("`downbeat queue resume shop`"),
        "{told:?}"
    );
    std::fs::write(sandbox.path().join("home/rest"), "").unwrap();
    said(&sandbox.cli(&["queue", "resume", "shop"]), 0);
    let ended = last(&sandbox, &id).await;
    assert_eq!(ended["outcome"], "landed", "{ended:#}");
    assert_eq!((read(&repository, "one.txt").as_str(), moved()), ("1", 6));
    assert_eq!(git(&repository, &[], &["status", "--porcelain"]), "");
}
