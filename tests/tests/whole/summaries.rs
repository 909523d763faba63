//! Lists answer summaries, in which nothing grows, and can be asked for the sessions that changed.

use crate::beside::{names, open};
use downbeat_tests::sandbox::{PATIENCE, Sandbox, Socket};
use downbeat_wire::event::StreamItem;
use downbeat_wire::roster::Roster;
use downbeat_wire::session::{SessionFilter, SessionSummary};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

/// The maximum number of bytes that a window reads about one session that changed.
const MOST: usize = 4096;

#[tokio::test]
async fn a_list_says_nothing_that_grows_and_answers_for_those_that_are_asked_for() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let task = format!("say ready {}", "word ".repeat(4_000));
    let mut ids = Vec::new();
    for title in ["One", "Two", "Three"] {
        let ask = json!({ "projectId": project, "title": title, "prompt": task });
        ids.push(sandbox.session(ask).await);
    }
    let whole = sandbox.status(&ids[1], &["idle"]).await;
    assert!(whole["task"].as_str().unwrap().len() > 10_000, "{whole:#}");
    assert!(!whole["steps"].as_array().unwrap().is_empty(), "{whole:#}");
    let all = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(all.as_array().unwrap().len(), 3);
    let path = format!("/api/sessions?ids={}&ids=gone", ids[1]);
    let changed = sandbox.get(&path).await.unwrap();
    let [one] = changed.as_array().unwrap().as_slice() else {
        panic!("{changed:#}");
    };
    let bytes = changed.to_string().len();
    assert!(bytes <= MOST, "{bytes} bytes: {one:#}");
    assert_eq!((&one["id"], &one["status"]), (&whole["id"], &whole["status"]));
    for field in [
        "task",
        "steps",
        "base",
        "report",
        "budgets",
        "subtreeUsage",
        "earlierAgents",
    ] {
        assert!(one.get(field).is_none(), "{field}");
        assert!(whole.get(field).is_some(), "{field}");
    }
    assert_eq!(all[0]["taskKey"], one["taskKey"], "they were asked the same");
    assert_eq!(one["taskStart"].as_str().unwrap().chars().count(), 160);
    let (before, after) = (whole.to_string().len() * 3, bytes);
    println!("one change: {after} bytes; all three sessions, whole: about {before}");
    assert_eq!(sandbox.get("/api/sessions?ids=gone").await.unwrap(), json!([]));
}

#[tokio::test]
async fn who_reads_only_what_a_change_names_knows_the_whole_list() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = |title: &str| json!({ "projectId": project, "title": title, "prompt": "say ready" });
    let (first, _other) = (
        sandbox.session(ask("First")).await,
        sandbox.session(ask("Other")).await,
    );
    let changes = sandbox.socket("/api/events").await;
    let acts = async {
        sandbox.status(&first, &["idle"]).await;
        let mut below = ask("Below");
        below["parent"] = json!(first);
        let worker = sandbox.session(below).await;
        open(&sandbox, &first).await;
        sandbox.status(&worker, &["idle"]).await;
        let path = |rest: &str| format!("/api/sessions/{first}{rest}");
        sandbox.delete(&path("/shells/1")).await.unwrap();
        names(&sandbox, &first, 0).await;
        sandbox.delete(&path("")).await.unwrap();
        sandbox.delete(&format!("/api/sessions/{worker}")).await.unwrap();
        sandbox.post(&path("/archive"), json!({})).await.unwrap();
        sandbox.post(&path("/unarchive"), json!({})).await.unwrap();
        sandbox.delete(&path("/workspace?force=true")).await.unwrap();
        sandbox.post(&path("/forget"), json!({})).await.unwrap();
        let edit = json!({ "title": "The end" });
        sandbox
            .call("PATCH", &format!("/api/sessions/{worker}"), Some(edit))
            .await
            .unwrap();
        let whole = sandbox.get(&format!("/api/sessions/{worker}")).await.unwrap();
        assert_eq!(
            whole["parent"],
            Value::Null,
            "its conductor was taken off the list"
        );
    };
    let (lists, ()) = tokio::join!(followed(&sandbox, changes), acts);
    assert_eq!(lists, 1, "the whole list is read once, to begin with");
}

/// Reads the list, and then only what changes name, until a session is called `The end` and what is known is the
/// whole list. How often that was read.
async fn followed(sandbox: &Sandbox, mut changes: Socket) -> usize {
    let (mut roster, mut lists) = (Roster::default(), 0);
    loop {
        let asked = roster.request(SessionFilter::default());
        let ids = asked.ids.iter().flatten().map(|id| format!("ids={id}"));
        let query = ids.collect::<Vec<_>>().join("&");
        lists += usize::from(asked.ids.is_none());
        let fresh = sandbox.get(&format!("/api/sessions?{query}")).await.unwrap();
        roster.take_up(&asked, serde_json::from_value(fresh).unwrap());
        if roster.sessions().iter().any(|session| session.title == "The end") {
            let all: Vec<SessionSummary> =
                serde_json::from_value(sandbox.get("/api/sessions").await.unwrap()).unwrap();
            if roster.sessions() == all {
                return lists;
            }
        }
        while roster.is_current() {
            let item = tokio::time::timeout(PATIENCE, changes.next()).await;
            let item = item.unwrap_or_else(|_| panic!("no change told what {:#?} became", roster.sessions()));
            roster.note(
                &serde_json::from_str::<StreamItem>(item.unwrap().unwrap().to_text().unwrap()).unwrap(),
            );
        }
    }
}
