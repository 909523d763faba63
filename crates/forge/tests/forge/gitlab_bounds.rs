//! What GitLab has too much of, or does not take: discussions beyond those that are read, and archived projects.

use crate::gitlab_observing::shop;
use downbeat_forge::{Detail, Forge, Observed};
use serde_json::{Value, json};

#[tokio::test]
async fn of_more_discussions_than_are_read_the_newest_are() {
    let (forge, _, pull) = shop(json!({})).await;
    let client = forge.gitlab();
    let one = |number: u32| json!({ "path": "a.rs", "notes": [{ "body": format!("Remark {number}") }] });
    for (from, to, first, beyond) in [(1, 1000, 1, 0), (1001, 1001, 101, 100), (1002, 1150, 201, 200)] {
        let all: Vec<Value> = (from..=to).map(one).collect();
        let added = json!({ "op": "discussions", "pull": pull.id, "all": all });
        forge.control(added).await;
        forge.asked().await;
        let talk = client.conversations(std::slice::from_ref(&pull.id)).await;
        let talk = talk.expect("an answer").remove(0).expect("it is there");
        let said = |place: usize| talk.threads[place].comments[0].body.text.clone();
        assert_eq!(
            (said(0), said(talk.threads.len() - 1), talk.beyond, talk.complete),
            (format!("Remark {first}"), format!("Remark {to}"), beyond, true)
        );
        let asked = forge.asked().await;
        let pages = asked.iter().filter(|one| one.contains("/discussions"));
        assert!(pages.count() <= 12, "{asked:#?}");
    }
}

#[tokio::test]
async fn a_project_that_is_archived_is_expected_not_to_be() {
    let (forge, repository, pull) = shop(json!({})).await;
    forge.set(&repository, json!({ "archived": true })).await;
    let client = forge.gitlab();
    let seen = client
        .observe(std::slice::from_ref(&pull.id), Detail::Checks)
        .await
        .expect("an answer");
    let Some(Observed::Pull(seen)) = seen.into_iter().next() else {
        panic!("it is there");
    };
    assert_eq!(seen.checks.expected, ["a project that is not archived"]);
}
