//! Tests of what GitLab has too much of, or does not take: more discussions than are read, and an archived project.

use crate::gitlab::{Desk, said};
use crate::pulls::look;
use serde_json::{Value, json};

/// Begins threads with these numbers.
async fn remarks(desk: &Desk, numbers: impl Iterator<Item = u32>) {
    let one = |number: u32| {
        let body = format!("Remark {number} is here");
        json!({ "path": "cart.txt", "line": number, "notes": [{ "body": body }] })
    };
    let all: Vec<Value> = numbers.map(one).collect();
    let added = json!({ "op": "discussions", "pull": desk.pull, "all": all });
    desk.forge.control(added).await;
    look(&desk.sandbox).await;
}

/// Returns the numbers of the remarks in the message of this number.
async fn passed_on(desk: &Desk, number: usize) -> Vec<u32> {
    // What was written at once is passed on at once.
    let _ = desk
        .sandbox
        .cli(&["reactions", "run", "cart", "changes-requested"]);
    let text = desk.message(number).await;
    let words = text.split("> Remark ").skip(1);
    words
        .map(|rest| rest.split(' ').next().unwrap().parse().unwrap())
        .collect()
}

#[tokio::test]
async fn of_more_discussions_than_are_read_the_newest_are_passed_on_and_each_once() {
    let desk = Desk::of("").await;
    remarks(&desk, 1..=1150).await;
    assert_eq!(passed_on(&desk, 1).await, (851..=1150).collect::<Vec<_>>());
    let shown = said(&desk.sandbox, &["pr", "show", "cart"]);
    assert!(
        shown.contains("up to 850 older threads and comments are only on its page"),
        "{shown}"
    );
    remarks(&desk, 1151..=1151).await;
    assert_eq!(passed_on(&desk, 2).await, [1151]);
    // Where newer ones are resolved, older ones have room.
    let all = desk.at_forge().await["discussions"].as_array().unwrap().clone();
    for one in &all[1100..1150] {
        desk.forge
            .set(one["node"].as_str().unwrap(), json!({ "resolved": true }))
            .await;
    }
    remarks(&desk, 1152..=1152).await;
    let mut expected: Vec<u32> = (803..=850).collect();
    expected.push(1152);
    assert_eq!(passed_on(&desk, 3).await, expected);
    look(&desk.sandbox).await;
    desk.message(3).await;
}

#[tokio::test]
async fn an_archived_project_says_so_and_nothing_is_tried_there_until_it_is_not_any_more() {
    let desk = Desk::of("").await;
    desk.pipeline("success").await;
    look(&desk.sandbox).await;
    assert_eq!(desk.shown().await["lifecycle"]["stage"], "mergeable");
    desk.forge
        .set(&desk.repository, json!({ "archived": true }))
        .await;
    desk.forge.asked().await;
    for (arguments, words) in [
        (
            &["merge", "cart"][..],
            "#1 was not merged: group/sub/shop is archived and read-only; unarchive it in its settings",
        ),
        (
            &["pr", "comment", "cart", "Have a look"],
            "the repository is archived and read-only; unarchive it in its settings",
        ),
        (
            &["pr", "close", "cart"],
            "the repository is archived and read-only; unarchive it in its settings",
        ),
    ] {
        let output = desk.sandbox.cli(arguments);
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(
            !output.status.success() && text.contains(words),
            "{arguments:?}: {text}"
        );
    }
    let asked = desk.forge.asked().await;
    assert!(asked.iter().all(|one| one.starts_with("GET ")), "{asked:#?}");
    desk.forge.set(&desk.pull, json!({ "title": "A cart" })).await;
    look(&desk.sandbox).await;
    let shown = desk.shown().await;
    assert_eq!(
        shown["lifecycle"]["reason"],
        json!({ "kind": "checksPending", "names": ["a project that is not archived"] })
    );

    desk.forge
        .set(&desk.repository, json!({ "archived": false }))
        .await;
    let merged = said(&desk.sandbox, &["merge", "cart"]);
    assert!(merged.contains("pull request #1 landed on main"), "{merged}");
    assert_eq!(desk.at_forge().await["state"], "MERGED");
}
