//! Tests of kills at each step of a reaction, for each action: the engine dies at the point, and the next one does it once.
//! Messages are in `reactions.rs` and `session_reactions.rs`, commands in `rule_commands.rs`, work that lands in the project's
//! own queue in `landed_by_rule.rs`.

use crate::crashes::{doomed, successor};
use crate::processes::of_session;
use crate::pulls::{cart, look, of, shop};
use crate::session_reactions::{carried_out, history, idle_with, rules, said};
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::{Sandbox, until};
use downbeat_tests::shapes::Kind;
use serde_json::{Value, json};

/// The steps of a reaction.
fn points() -> Vec<&'static str> {
    let all = downbeat_engine::failpoint::POINTS.iter().copied();
    let points: Vec<_> = all.filter(|point| point.starts_with("reaction-")).collect();
    assert_eq!(points.len(), 3);
    points
}

/// Checks that one reaction was carried out, and that no other follows.
async fn once(sandbox: &Sandbox, id: &str, (rule, point): (&str, &str)) {
    let done = carried_out(sandbox, id, 1).await;
    assert_eq!(
        (&done[0]["rule"], &done[0]["outcome"]),
        (&json!(rule), &json!("done")),
        "{point}: {done:#?}"
    );
}

/// The notices with these words.
async fn notices(sandbox: &Sandbox, words: &str) -> usize {
    let all = sandbox.notices().await;
    let is_it = |notice: &&Value| notice["text"].as_str().is_some_and(|text| text.contains(words));
    all.iter().filter(is_it).count()
}

#[tokio::test]
async fn an_agent_is_restarted_once() {
    for point in points() {
        let (mut sandbox, id) = idle_with("  agent-exited: { action: restart, retries: 1 }\n").await;
        doomed(&mut sandbox, point).await;
        sandbox.status(&id, &["idle"]).await;
        sandbox.press(&id, "die 3\r").await;
        successor(&mut sandbox, point).await;
        once(&sandbox, &id, ("agent-exited", point)).await;
        sandbox.status(&id, &["idle"]).await;
        let agents = of_session(&id);
        let agents = agents
            .iter()
            .filter(|one| one.line.contains("/bin/claude"))
            .count();
        assert_eq!(agents, 1, "{point}");
        assert_eq!(notices(&sandbox, "; it was restarted").await, 1, "{point}");
        assert_eq!(history(&sandbox, &id).await.len(), 1, "{point}");
    }
}

#[tokio::test]
async fn a_session_is_paused_once() {
    for point in points() {
        let mut sandbox = Sandbox::started().await;
        let project = sandbox.project("shop").await;
        let ask = json!({ "projectId": project, "title": "Cart", "prompt": "work go" });
        let id = sandbox.session(ask).await;
        sandbox.status(&id, &["running"]).await;
        rules(&sandbox, "  agent-idle: { action: pause }\n").await;
        let place = crate::deliveries::workspace(&sandbox, &id).await;
        doomed(&mut sandbox, point).await;
        std::fs::write(place.join("go"), "").unwrap();
        successor(&mut sandbox, point).await;
        sandbox.status(&id, &["paused"]).await;
        once(&sandbox, &id, ("agent-idle", point)).await;
        assert_eq!(notices(&sandbox, "; it was paused").await, 1, "{point}");
        // A person who continues it is not paused for the same once more.
        said(&sandbox, &["go-on", &id]);
        sandbox.status(&id, &["idle"]).await;
        assert_eq!(history(&sandbox, &id).await.len(), 1, "{point}");
    }
}

/// A session with an approved and green pull request, under these reactions: the forge, the session and the pull request.
async fn with_pull(kind: Kind, reactions: &str) -> (TestForge, Sandbox, String, String) {
    let forge = kind.start().await;
    let (sandbox, repository) = shop(&forge).await;
    rules(&sandbox, reactions).await;
    let (id, pull, _) = cart(&forge, &sandbox, &repository).await;
    forge.require_review(&pull).await;
    look(&sandbox).await;
    (forge, sandbox, id, pull)
}

#[tokio::test]
async fn a_session_is_put_away_once() {
    for point in points() {
        let (forge, mut sandbox, id, pull) =
            with_pull(Kind::GitHub, "  pr-merged: { action: archive }\n").await;
        doomed(&mut sandbox, point).await;
        let merged = json!({ "state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z" });
        forge.set(&pull, merged).await;
        // The engine may die before it answers.
        let _ = sandbox.post("/api/forges/look", json!({})).await;
        successor(&mut sandbox, point).await;
        until("it is archived", async || {
            of(&sandbox, &id).await["archivedAt"].is_string().then_some(())
        })
        .await;
        once(&sandbox, &id, ("pr-merged", point)).await;
        assert_eq!(of(&sandbox, &id).await["workspacePath"], json!(null), "{point}");
        assert_eq!(notices(&sandbox, "its session is archived").await, 1, "{point}");
        said(&sandbox, &["restore-work", &id]);
    }
}

#[tokio::test]
async fn a_pull_request_is_merged_by_its_rule_once() {
    merged_by_rule(Kind::GitHub).await;
}

#[tokio::test]
async fn a_merge_request_is_merged_by_its_rule_once() {
    merged_by_rule(Kind::GitLab).await;
}

async fn merged_by_rule(kind: Kind) {
    for point in points() {
        let reaction = "  approved-and-green: { action: merge, strategy: squash }\n";
        let (forge, mut sandbox, id, pull) = with_pull(kind, reaction).await;
        forge.asked().await;
        doomed(&mut sandbox, point).await;
        forge.approve(&pull).await;
        let _ = sandbox.post("/api/forges/look", json!({})).await;
        successor(&mut sandbox, point).await;
        until("it is merged", async || {
            let last = of(&sandbox, &id).await["merges"]["last"].clone();
            (last["outcome"] == "landed").then_some(())
        })
        .await;
        let done = history(&sandbox, &id).await;
        let ordered = done.iter().filter(|one| one["rule"] == "approved-and-green");
        assert_eq!(ordered.count(), 1, "{point}: {done:#?}");
        assert_eq!(forge.merges().await, 1, "{point}");
        until("the person is told once", async || {
            (notices(&sandbox, "#1 was merged").await == 1).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_forge_is_asked_once_to_merge_as_soon_as_it_can() {
    let order_points = [
        "pull-merge-noted",
        "pull-merge-checked",
        "pull-merge-sent",
        "pull-merge-made",
    ];
    for point in points().into_iter().chain(order_points) {
        let reaction =
            "  label-added: { action: auto-merge, strategy: squash, condition: \"label == 'go'\" }\n";
        let (forge, mut sandbox, id, pull) = with_pull(Kind::GitHub, reaction).await;
        forge.asked().await;
        doomed(&mut sandbox, point).await;
        forge.set(&pull, json!({ "labels": ["go"] })).await;
        let _ = sandbox.post("/api/forges/look", json!({})).await;
        successor(&mut sandbox, point).await;
        until(&format!("{point}: the forge waits"), async || {
            let there = forge.control(json!({ "op": "show", "id": pull })).await;
            there["autoMerge"].is_string().then_some(())
        })
        .await;
        until(&format!("{point}: it is known"), async || {
            let last = of(&sandbox, &id).await["merges"]["last"].clone();
            (last["outcome"] == "queued").then_some(())
        })
        .await;
        let done = history(&sandbox, &id).await;
        let ordered = done.iter().filter(|one| one["rule"] == "label-added");
        assert_eq!(ordered.count(), 1, "{point}: {done:#?}");
        let asked = forge.asked().await;
        let orders = asked.iter().filter(|one| *one == "graphql AutoMerge").count();
        // A forge takes the same order twice as one, so it is sent again if its answer was lost.
        let most = if point.starts_with("pull-merge-") { 2 } else { 1 };
        assert!((1..=most).contains(&orders), "{point}: {asked:?}");
        // What it waited for came.
        forge.approve(&pull).await;
        look(&sandbox).await;
        assert_eq!(
            forge.merges().await,
            0,
            "{point}: the forge merges it, nobody else"
        );
    }
}

#[tokio::test]
async fn a_notice_of_a_rule_is_given_once() {
    for point in points() {
        let reaction = "  agent-exited: { action: notify, priority: action, message: 'look at it' }\n";
        let (mut sandbox, id) = idle_with(reaction).await;
        doomed(&mut sandbox, point).await;
        sandbox.status(&id, &["idle"]).await;
        sandbox.press(&id, "die 3\r").await;
        successor(&mut sandbox, point).await;
        once(&sandbox, &id, ("agent-exited", point)).await;
        assert_eq!(notices(&sandbox, ": look at it").await, 1, "{point}");
        assert_eq!(history(&sandbox, &id).await.len(), 1, "{point}");
    }
}
