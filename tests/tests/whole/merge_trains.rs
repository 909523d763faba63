//! Tests of merge trains: a merge request gets on once, is followed until it landed or was taken off, and is never merged
//! around its train.

use crate::crashes::{doomed, successor};
use crate::gitlab::{Desk, said};
use crate::pulls::look;
use downbeat_tests::sandbox::until;
use serde_json::{Value, json};

/// The requests that put something on a train.
const GETS_ON: &str = "POST /projects/";

/// A desk whose project merges by trains, with a green merge request.
async fn with_train() -> Desk {
    let desk = Desk::of("").await;
    let settings = json!({ "settings": { "merge_trains_enabled": true } });
    desk.forge.set(&desk.repository, settings).await;
    desk.pipeline("success").await;
    look(&desk.sandbox).await;
    desk.forge.asked().await;
    desk
}

/// Returns how often something was put on a train; nothing was merged around it.
async fn got_on(desk: &Desk) -> usize {
    let asked = desk.forge.asked().await;
    assert!(!asked.iter().any(|one| one.ends_with("/merge")), "{asked:#?}");
    let is_it = |one: &&String| one.starts_with(GETS_ON) && one.contains("/merge_trains/");
    asked.iter().filter(is_it).count()
}

async fn last(desk: &Desk) -> Value {
    desk.shown().await["merges"]["last"].clone()
}

async fn taken_off(desk: &Desk, reason: &str) {
    let drop = json!({ "op": "drop", "id": desk.pull, "reason": reason });
    desk.forge.control(drop).await;
    look(&desk.sandbox).await;
}

async fn notices(desk: &Desk, words: &str) -> usize {
    let all = desk.sandbox.notices().await;
    let has = |one: &&Value| one["text"].as_str().is_some_and(|text| text.contains(words));
    all.iter().filter(has).count()
}

#[tokio::test]
async fn a_merge_request_gets_on_its_train_once_and_is_followed_until_it_landed() {
    let desk = with_train().await;
    for _ in 0..2 {
        let queued = said(&desk.sandbox, &["merge", "cart"]);
        assert!(
            queued.contains("pull request #1 is in the merge queue of group/sub/shop"),
            "{queued}"
        );
    }
    assert_eq!(got_on(&desk).await, 1);
    assert_eq!(last(&desk).await["outcome"], "queued");
    look(&desk.sandbox).await;
    assert_eq!(last(&desk).await["outcome"], "queued");
    let card = desk.shown().await["pulls"][0].clone();
    assert_eq!(
        (&card["isQueued"], &card["queuePlace"]),
        (&json!(true), &json!(1)),
        "{card:#}"
    );
    let shown = said(&desk.sandbox, &["pr", "show", "cart"]);
    assert!(
        shown.contains("in the merge queue of the forge, place 1"),
        "{shown}"
    );
    desk.forge
        .control(json!({ "op": "arrive", "id": desk.pull }))
        .await;
    look(&desk.sandbox).await;
    let last = last(&desk).await;
    assert_eq!(
        (&last["outcome"], &last["detail"]),
        (&json!("landed"), &json!("pull request #1 landed on main")),
        "{last:#}"
    );
    until("the person is told once", async || {
        (notices(&desk, "#1 was merged into main").await == 1).then_some(())
    })
    .await;
    assert_eq!(got_on(&desk).await, 0);
}

#[tokio::test]
async fn what_is_taken_off_a_train_is_told_with_the_reason_and_can_get_on_again() {
    let desk = with_train().await;
    said(&desk.sandbox, &["merge", "cart"]);
    taken_off(&desk, "the pipeline did not succeed").await;
    let words =
        "pull request #1 left the merge queue of the forge and was not merged: the pipeline did not succeed";
    let refused = last(&desk).await;
    assert_eq!(
        (&refused["outcome"], &refused["detail"]),
        (&json!("refused"), &json!(words)),
        "{refused:#}"
    );
    look(&desk.sandbox).await;
    assert_eq!(notices(&desk, words).await, 1);
    let shown = said(&desk.sandbox, &["status", "cart"]);
    assert!(shown.contains("the pipeline did not succeed"), "{shown}");
    said(&desk.sandbox, &["merge", "cart"]);
    assert_eq!(got_on(&desk).await, 2);
    assert_eq!(desk.at_forge().await["train"]["status"], "idle");

    // The person takes it off from here.
    let said = said(&desk.sandbox, &["merge", "cart", "--cancel"]);
    assert!(said.contains("was cancelled"), "{said}");
    look(&desk.sandbox).await;
    assert_eq!(desk.at_forge().await["train"], json!(null));
    assert_eq!(last(&desk).await, json!(null));
    assert_eq!(notices(&desk, "left the merge queue").await, 1);
}

#[tokio::test]
async fn what_is_not_ready_gets_on_once_it_is() {
    let desk = with_train().await;
    desk.forge.set(&desk.pull, json!({ "required": 1 })).await;
    let queued = said(&desk.sandbox, &["merge", "cart", "--when-ready"]);
    assert!(queued.contains("as soon as nothing is missing"), "{queued}");
    let there = desk.at_forge().await;
    assert_eq!(
        (&there["state"], &there["auto"], &there["train"]),
        (&json!("OPEN"), &json!(true), &json!(null)),
        "{there:#}"
    );
    assert_eq!(got_on(&desk).await, 1);
}

#[tokio::test]
async fn an_engine_killed_at_any_step_puts_it_on_its_train_once() {
    let points = downbeat_engine::failpoint::POINTS.iter();
    let points = points.filter(|point| point.starts_with("pull-merge-"));
    let mut desk = with_train().await;
    for point in points {
        doomed(&mut desk.sandbox, point).await;
        let path = format!("/api/sessions/{}/merge", desk.session);
        // The engine may die before it answers.
        let _ = desk.sandbox.post(&path, json!({})).await;
        successor(&mut desk.sandbox, point).await;
        until("it is on its train", async || {
            let merges = desk.shown().await["merges"].clone();
            (merges["last"]["outcome"] == "queued" && merges["underWay"] == json!(false)).then_some(())
        })
        .await;
        assert_eq!(got_on(&desk).await, 1, "{point}");
        taken_off(&desk, "the source branch was updated").await;
        assert_eq!(last(&desk).await["outcome"], "refused", "{point}");
    }
    assert_eq!(notices(&desk, "left the merge queue").await, 4);
}
