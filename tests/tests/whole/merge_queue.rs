//! Tests of the merge queue: order, batches and their culprits, pauses, cancels, and a kill at each step.

use crate::crashes::{doomed, successor};
use crate::merging::{commit, last, project, read, runs, said, session};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Passes if `README.md` and `notes.txt` do not both say "new"; waits while there is a file `gate` in the home folder.
fn config(batch: u8) -> String {
    format!(
        "mergeQueue: {{ batch: {batch} }}\nchecks:\n  - name: test\n    run: {{ sh: 'echo run >> $HOME/runs; \
         while [ -e $HOME/gate ]; do sleep 0.05; done; \
         ! {{ grep -q new README.md && grep -q new notes.txt; }} 2> /dev/null' }}\n"
    )
}

/// Creates sessions with these files as their checked work, in a project whose queue is paused.
pub async fn sessions(sandbox: &Sandbox, batch: u8, work: &[(&str, &str, &str)]) -> (PathBuf, Vec<String>) {
    let (project, repository) = project(sandbox, Some(&config(batch))).await;
    said(&sandbox.cli(&["queue", "pause", "shop"]), 0);
    let mut ids = Vec::new();
    for (name, file, text) in work {
        let (id, place) = session(sandbox, &project, name).await;
        commit(&place, &[(file, text)]);
        said(&sandbox.cli(&["check", &id]), 0);
        ids.push(id);
    }
    (repository, ids)
}

pub fn queue(sandbox: &Sandbox, ids: &[String]) {
    for id in ids {
        said(&sandbox.cli(&["merge", id, "--no-wait"]), 0);
    }
}

fn resume(sandbox: &Sandbox) {
    said(&sandbox.cli(&["queue", "resume", "shop"]), 0);
}

fn gate(sandbox: &Sandbox) -> PathBuf {
    sandbox.path().join("home/gate")
}

/// Returns the names and reasons of what waits, in order.
async fn waiting(sandbox: &Sandbox) -> Vec<(String, String)> {
    let queues = sandbox.get("/api/queues?project=shop").await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = queues[0]["entries"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| (text(&entry["name"]), text(&entry["why"])))
        .collect()
}

/// Returns the branches that were merged, the first one first.
pub fn merged(repository: &Path) -> Vec<String> {
    let log = git(
        repository,
        &[],
        &["log", "--first-parent", "--merges", "--reverse", "--format=%s"],
    );
    let name = |line: &str| line.rsplit('/').next().unwrap().trim_end_matches('\'').to_owned();
    log.lines().map(name).collect()
}

/// Returns the number of notices of a landing.
async fn landings(sandbox: &Sandbox) -> usize {
    let notices = sandbox.notices().await;
    let is_landing = |notice: &&Value| notice["text"].as_str().unwrap().contains("landed on main");
    notices.iter().filter(is_landing).count()
}

#[tokio::test]
async fn work_lands_in_the_order_of_the_queue_and_every_wait_is_explained() {
    let sandbox = Sandbox::started().await;
    let work = [
        ("One", "1.txt", "1"),
        ("Two", "2.txt", "2"),
        ("Three", "3.txt", "3"),
    ];
    let (repository, ids) = sessions(&sandbox, 1, &work).await;
    queue(&sandbox, &ids[..2]);
    said(
        &sandbox.cli(&["merge", &ids[2], "--no-wait", "--priority", "high"]),
        0,
    );
    let paused = |place: &str| format!("{place} in the queue of main: the queue is paused");
    let order = [("three", "1st"), ("one", "2nd"), ("two", "3rd")];
    let shown = order.map(|(name, place)| (name.to_owned(), paused(place)));
    assert_eq!(waiting(&sandbox).await, shown);
    let raised = said(&sandbox.cli(&["queue", "priority", "two", "urgent"]), 0);
    assert!(raised.starts_with("two: 1st in the queue of main"), "{raised}");
    let listed = said(&sandbox.cli(&["queue", "shop"]), 0);
    assert!(
        listed.contains("`downbeat queue resume shop`") && listed.contains("urgent"),
        "{listed}"
    );
    let none = said(&sandbox.cli(&["queue", "priority", "three", "sometimes"]), 2);
    assert!(none.contains("sometimes"), "{none}");

    std::fs::write(gate(&sandbox), "").unwrap();
    resume(&sandbox);
    // The first one has the files that were checked, so it lands at once.
    until("the second one is checked", async || {
        let all = waiting(&sandbox).await;
        let is_checked = all
            .first()
            .is_some_and(|(_, why)| why.ends_with("its checks run"));
        (is_checked && all.len() == 2).then_some(())
    })
    .await;
    let one = sandbox.get(&format!("/api/sessions/{}", ids[0])).await.unwrap();
    assert_eq!(
        (&one["merges"]["place"], one["merges"]["waits"].as_str()),
        (
            &Value::from(2),
            Some("2nd in the queue of main: waits for the checks of three")
        ),
        "{one:#}"
    );
    std::fs::remove_file(gate(&sandbox)).unwrap();
    for id in &ids {
        assert_eq!(last(&sandbox, id).await["outcome"], "landed");
    }
    assert_eq!(merged(&repository), ["two", "three", "one"]);
    assert_eq!(said(&sandbox.cli(&["queue"]), 0), "Nothing waits to land.\n");
    let gone = said(&sandbox.cli(&["queue", "priority", "two", "low"]), 1);
    assert!(gone.contains("the work of two is in no merge queue"), "{gone}");
    let pins = git(&repository, &[], &["for-each-ref", "refs/downbeat/queue"]);
    assert_eq!(pins, "");
}

#[tokio::test]
async fn a_red_batch_is_divided_and_only_its_culprit_is_told() {
    let sandbox = Sandbox::started().await;
    let work = [
        ("One", "README.md", "new\n"),
        ("Two", "notes.txt", "new\n"),
        ("Three", "3.txt", "3"),
        ("Four", "4.txt", "4"),
    ];
    let (repository, ids) = sessions(&sandbox, 4, &work).await;
    queue(&sandbox, &ids);
    resume(&sandbox);
    let mut outcomes = Vec::new();
    for id in &ids {
        outcomes.push(last(&sandbox, id).await["outcome"].as_str().unwrap().to_owned());
    }
    assert_eq!(outcomes, ["landed", "checksFailed", "landed", "landed"]);
    assert_eq!(merged(&repository), ["one", "three", "four"]);
    assert_eq!(
        read(&repository, "notes.txt"),
        "",
        "nothing of the culprit is there"
    );
    assert_eq!(
        runs(&sandbox),
        4 + 2 + 2 + 1,
        "each alone; all twice; the first half twice; the second half once"
    );
    for (at, id) in ids.iter().enumerate() {
        let sent = sandbox.sent_to(id).await;
        assert_eq!(sent.len(), usize::from(at == 1), "{sent:?}");
        assert!(
            sent.iter()
                .all(|text| text.contains("fails the project's checks") && text.contains("- test (")),
            "{sent:?}"
        );
    }
}

#[tokio::test]
async fn one_that_conflicts_with_another_of_its_batch_is_tried_after_it() {
    let sandbox = Sandbox::started().await;
    let work = [
        ("One", "README.md", "one\n"),
        ("Two", "README.md", "two\n"),
        ("Three", "3.txt", "3"),
    ];
    let (repository, ids) = sessions(&sandbox, 3, &work).await;
    queue(&sandbox, &ids);
    resume(&sandbox);
    let conflict = last(&sandbox, &ids[1]).await;
    assert_eq!(conflict["outcome"], "conflict", "{conflict:#}");
    assert_eq!(
        conflict["detail"],
        "two is in conflict with main: both changed README.md"
    );
    for at in [0, 2] {
        assert_eq!(last(&sandbox, &ids[at]).await["outcome"], "landed");
        assert_eq!(sandbox.sent_to(&ids[at]).await, [""; 0]);
    }
    assert_eq!(merged(&repository), ["one", "three"]);
    let sent = sandbox.sent_to(&ids[1]).await;
    assert!(
        sent.len() == 1 && sent[0].contains("    > README.md\n"),
        "{sent:?}"
    );
}

#[tokio::test]
async fn a_cancel_within_a_batch_lets_the_others_land() {
    let sandbox = Sandbox::started().await;
    let work = [
        ("One", "1.txt", "1"),
        ("Two", "2.txt", "2"),
        ("Three", "3.txt", "3"),
    ];
    let (repository, ids) = sessions(&sandbox, 3, &work).await;
    queue(&sandbox, &ids);
    std::fs::write(gate(&sandbox), "").unwrap();
    resume(&sandbox);
    until("the batch is checked", async || {
        (runs(&sandbox) == 4).then_some(())
    })
    .await;
    let all = waiting(&sandbox).await;
    assert!(
        all[2].1.ends_with("its checks run, together with 2 others"),
        "{all:?}"
    );
    said(&sandbox.cli(&["merge", "two", "--cancel"]), 0);
    until("the others are checked", async || {
        (runs(&sandbox) == 5).then_some(())
    })
    .await;
    let (moved, place) = (&ids[2], crate::deliveries::workspace(&sandbox, &ids[2]).await);
    commit(&place, &[("late.txt", "l")]);
    std::fs::remove_file(gate(&sandbox)).unwrap();
    assert_eq!(last(&sandbox, &ids[0]).await["outcome"], "landed");
    let moved = last(&sandbox, moved).await;
    assert_eq!(
        moved["outcome"], "refused",
        "only what was verified lands: {moved:#}"
    );
    assert!(
        moved["detail"].as_str().unwrap().contains("newer commit"),
        "{moved:#}"
    );
    let two = sandbox.get(&format!("/api/sessions/{}", ids[1])).await.unwrap();
    assert_eq!(two["merges"], Value::Null, "it has no result");
    assert_eq!(merged(&repository), ["one"]);
}

#[tokio::test]
async fn a_kill_at_any_step_of_a_round_lands_each_of_its_entries_once() {
    let mut sandbox = Sandbox::started().await;
    let work = [("One", "1.txt", "1"), ("Two", "2.txt", "2")];
    let (repository, ids) = sessions(&sandbox, 2, &work).await;
    let count = || {
        let commits = git(&repository, &[], &["rev-list", "--count", "HEAD"]);
        commits.trim().parse::<usize>().unwrap()
    };
    for point in [
        "merge-noted",
        "candidate-pinned",
        "merge-candidate",
        "checks-begun",
        "round-checked",
        "merge-checked",
        "land-moved",
        "merge-made",
    ] {
        let before = count();
        for id in &ids {
            let place = crate::deliveries::workspace(&sandbox, id).await;
            commit(&place, &[(&format!("{point}-{id}.txt"), "x")]);
            said(&sandbox.cli(&["check", id]), 0);
            said(&sandbox.cli(&["merge", id, "--no-wait", "--rebase"]), 0);
        }
        let told = landings(&sandbox).await;
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        let _ = sandbox
            .post("/api/projects/shop/queue", json!({ "paused": false }))
            .await;
        successor(&mut sandbox, point).await;
        for id in &ids {
            let last = last(&sandbox, id).await;
            assert_eq!(last["outcome"], "landed", "{point}: {last:#}");
            assert_eq!(read(&repository, &format!("{point}-{id}.txt")), "x");
        }
        // The first round has the first commit of each session, too.
        let more = if point == "merge-noted" { 4 } else { 2 };
        assert_eq!(count(), before + more, "{point}");
        assert_eq!(
            landings(&sandbox).await,
            told + 2,
            "{point}: each landing is told once"
        );
        said(&sandbox.cli(&["queue", "pause", "shop"]), 0);
    }
    let pins = git(&repository, &[], &["for-each-ref", "refs/downbeat/queue"]);
    assert_eq!(pins, "");
}

#[tokio::test]
async fn unchecked_work_lands_by_itself_also_while_the_checks_are_gone() {
    let sandbox = Sandbox::started().await;
    let work = [
        ("One", "README.md", "new\n"),
        ("Two", "notes.txt", "new\n"),
        ("Three", "3.txt", "3"),
    ];
    let (repository, ids) = sessions(&sandbox, 4, &work).await;
    queue(&sandbox, &ids[..1]);
    said(&sandbox.cli(&["merge", &ids[1], "--no-wait", "--unchecked"]), 0);
    let listed = said(&sandbox.cli(&["queue", "shop"]), 0);
    assert!(listed.contains("normal, unchecked"), "{listed}");
    resume(&sandbox);
    for id in &ids[..2] {
        assert_eq!(last(&sandbox, id).await["outcome"], "landed");
    }
    assert_eq!(runs(&sandbox), 3, "nothing was checked again");
    commit(&repository, &[("downbeat.yaml", "")]);
    until("the change is seen", async || {
        let all = sandbox.get("/api/projects").await.unwrap();
        (all[0]["checks"]["approved"] == false).then_some(())
    })
    .await;
    let refused = said(&sandbox.cli(&["merge", &ids[2]]), 4);
    assert!(refused.contains("names no checks of shop any more"), "{refused}");
    said(&sandbox.cli(&["merge", &ids[2], "--unchecked"]), 0);
    assert_eq!(merged(&repository), ["one", "two", "three"]);
}

#[tokio::test]
async fn checks_that_fail_once_are_named_as_flaky_and_blamed_on_nobody() {
    let sandbox = Sandbox::started().await;
    let once = "checks:\n  - name: test\n    run: { sh: '! rm $HOME/red 2> /dev/null' }\n";
    let (project, repository) = project(&sandbox, Some(once)).await;
    let (id, place) = session(&sandbox, &project, "One").await;
    commit(&place, &[("a.txt", "a")]);
    said(&sandbox.cli(&["check", &id]), 0);
    // What lands is not what was checked.
    commit(&repository, &[("b.txt", "b")]);
    std::fs::write(sandbox.path().join("home/red"), "").unwrap();
    said(&sandbox.cli(&["merge", &id]), 0);
    assert_eq!(merged(&repository), ["one"]);
    let queues = sandbox.get("/api/queues?project=shop").await.unwrap();
    let flaky = queues[0]["flaky"].as_array().unwrap();
    assert_eq!(
        (flaky.len(), &flaky[0]["checks"]),
        (1, &json!(["test"])),
        "{queues:#}"
    );
    let listed = said(&sandbox.cli(&["queue", "shop"]), 0);
    assert!(
        listed.contains("Flaky: test failed and then passed on the same files"),
        "{listed}"
    );
}

#[tokio::test]
async fn a_session_that_is_removed_leaves_the_queue() {
    let sandbox = Sandbox::started().await;
    let work = [("One", "1.txt", "1"), ("Two", "2.txt", "2")];
    let (repository, ids) = sessions(&sandbox, 2, &work).await;
    queue(&sandbox, &ids);
    said(&sandbox.cli(&["kill", "one"]), 0);
    sandbox.status(&ids[0], &["killed"]).await;
    said(&sandbox.cli(&["remove", "one", "-f", "--forget"]), 0);
    let all = waiting(&sandbox).await;
    assert_eq!(all.len(), 1, "{all:?}");
    resume(&sandbox);
    assert_eq!(last(&sandbox, &ids[1]).await["outcome"], "landed");
    assert_eq!(merged(&repository), ["two"]);
}

#[tokio::test]
async fn the_reactions_of_the_project_decide_how_often_work_is_returned() {
    let sandbox = Sandbox::started().await;
    let work = [
        ("One", "a.txt", "one\n"),
        ("Two", "a.txt", "two\n"),
        ("Three", "README.md", "new\n"),
        ("Four", "notes.txt", "new\n"),
    ];
    let (repository, ids) = sessions(&sandbox, 1, &work).await;
    let file = repository.join("downbeat.yaml");
    let config = std::fs::read_to_string(&file).unwrap();
    let reactions = "reactions:\n  merge-conflicts: { action: notify }\n  checks-failed: { action: send-to-agent, retries: 0 }\n";
    std::fs::write(&file, format!("{config}\n{reactions}")).unwrap();
    queue(&sandbox, &ids);
    resume(&sandbox);
    for (at, outcome) in [(1, "conflict"), (3, "checksFailed")] {
        let ended = last(&sandbox, &ids[at]).await;
        assert_eq!(ended["outcome"], outcome, "{ended:#}");
        let detail = ended["detail"].as_str().unwrap();
        assert!(
            detail.ends_with("the project's reactions do not notify its agent"),
            "{detail}"
        );
        assert_eq!(sandbox.sent_to(&ids[at]).await, [] as [String; 0]);
    }
    assert_eq!(merged(&repository), ["one", "three"]);
}
