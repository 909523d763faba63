//! Tests that events make their reactions happen, in the whole program with a scripted agent or at the test forge, and that the
//! keys `threshold`, `priority` and `escalateAfter` have their effect.

use crate::pulls::{commit, look, of, session, shop};
use crate::session_reactions::{carried_out, history, rules};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// A session whose agent gets this prompt under these reactions, with this in the person's own configuration.
async fn with(config: &str, reactions: &str, prompt: &str) -> (Sandbox, String) {
    let mut sandbox = Sandbox::new();
    sandbox.configure(config);
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    rules(&sandbox, reactions).await;
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": prompt });
    let id = sandbox.session(ask).await;
    (sandbox, id)
}

/// Waits for the notice with these words, and returns its priority.
async fn told(sandbox: &Sandbox, words: &str) -> Value {
    until(words, async || {
        let all = sandbox.notices().await;
        let mut found = all
            .iter()
            .filter(|notice| notice["text"].as_str().unwrap().contains(words));
        let first = found.next()?;
        assert!(found.next().is_none(), "{words}: {all:#?}");
        Some(first["priority"].clone())
    })
    .await
}

/// Checks that one reaction to an event was carried out, and returns what it said.
async fn once(sandbox: &Sandbox, id: &str, event: &str) -> String {
    let done = carried_out(sandbox, id, 1).await;
    assert_eq!(
        (&done[0]["rule"], &done[0]["outcome"]),
        (&json!(event), &json!("done")),
        "{done:#?}"
    );
    done[0]["detail"].as_str().unwrap().to_owned()
}

/// Every row: an event of a session, the configuration and the prompt that bring it about, and the words that say so.
const OF_SESSIONS: [(&str, &str, &str, &str); 3] = [
    ("agent-needs-input", "", "ask Go on?", "its agent asks: "),
    (
        "usage-limit",
        "",
        "limit You've hit your limit · resets in 900 seconds",
        "its agent hit a usage limit: You've hit your limit",
    ),
    (
        "budget-reached",
        "budgets: { session: { tokens: 1000 } }\n",
        "use claude-opus-4-5 900 200",
        "a budget is used up: ",
    ),
];

#[tokio::test]
async fn each_event_of_a_session_notifies_with_the_priority_of_its_rule() {
    for (event, config, prompt, words) in OF_SESSIONS {
        let reaction = format!(
            "  {event}: {{ action: notify, priority: action, message: 'look at {{{{ session.name }}}}' }}\n"
        );
        let (sandbox, id) = with(config, &reaction, prompt).await;
        let said = once(&sandbox, &id, event).await;
        assert!(
            said.starts_with(words) && said.ends_with(": look at cart"),
            "{event}: {said}"
        );
        assert_eq!(told(&sandbox, ": look at cart").await, "action", "{event}");
    }
}

#[tokio::test]
async fn each_event_of_a_session_starts_another_one() {
    for (event, config, prompt, words) in OF_SESSIONS {
        let reaction =
            format!("  {event}: {{ action: spawn, message: 'say instead of {{{{ session.name }}}}' }}\n");
        let (sandbox, id) = with(config, &reaction, prompt).await;
        let said = once(&sandbox, &id, event).await;
        let name = said.strip_suffix(" was started").unwrap();
        let all = sandbox.get("/api/sessions").await.unwrap();
        let new = all
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == name)
            .unwrap();
        let task = of(&sandbox, new["id"].as_str().unwrap()).await["task"].clone();
        let task = task.as_str().unwrap();
        assert!(
            task.starts_with("say instead of cart\n") && task.contains(&format!("    > {words}")),
            "{event}: {task}"
        );
        assert_eq!(all.as_array().unwrap().len(), 2, "{event}: {all:#}");
    }
}

#[tokio::test]
async fn an_agent_that_asks_or_hit_a_limit_is_paused_by_its_rule() {
    for (event, config, prompt, words) in &OF_SESSIONS[..2] {
        let (sandbox, id) = with(config, &format!("  {event}: {{ action: pause }}\n"), prompt).await;
        let said = once(&sandbox, &id, event).await;
        assert!(
            said.starts_with(words) && said.ends_with("; it was paused"),
            "{event}: {said}"
        );
        let why = format!("paused by the reaction {event}");
        assert_eq!(of(&sandbox, &id).await["paused"]["why"], json!(why), "{event}");
    }
}

#[tokio::test]
async fn a_threshold_delays_and_a_number_of_attempts_escalates() {
    let threshold = SignedDuration::from_secs(4);
    let (sandbox, id) = with(
        "",
        "  agent-idle: { action: notify, threshold: 4s }\n",
        "say ready",
    )
    .await;
    let idle = sandbox.status(&id, &["idle"]).await;
    assert_eq!(history(&sandbox, &id).await, [] as [Value; 0]);
    once(&sandbox, &id, "agent-idle").await;
    let at = |value: &Value| value.as_str().unwrap().parse::<Timestamp>().unwrap();
    let done = history(&sandbox, &id).await;
    let waited = at(&done[0]["at"]).duration_since(at(&idle["statusSince"]));
    assert!(waited >= threshold, "{waited}");

    let (sandbox, id) = with(
        "",
        "  agent-exited: { action: restart, escalateAfter: 1, priority: urgent }\n",
        "say ready",
    )
    .await;
    sandbox.status(&id, &["idle"]).await;
    sandbox.press(&id, "die 3\r").await;
    carried_out(&sandbox, &id, 1).await;
    sandbox.status(&id, &["idle"]).await;
    sandbox.press(&id, "die 3\r").await;
    let done = carried_out(&sandbox, &id, 2).await;
    let told_of = done[1]["detail"].as_str().unwrap();
    assert!(told_of.ends_with("the agent was restarted 1 time"), "{done:#?}");
    assert_eq!(told(&sandbox, "the agent was restarted 1 time").await, "urgent");
    sandbox.status(&id, &["exited"]).await;
}

/// A session with a pull request at a forge, under these reactions: the forge, the session and the pull request.
async fn with_pull(reactions: &str) -> (TestForge, Sandbox, String, String) {
    let forge = TestForge::start().await;
    let (sandbox, repository) = shop(&forge).await;
    rules(&sandbox, reactions).await;
    forge.take_pushes(&sandbox.path().join("shop"));
    let (cart, place) = session(&sandbox, "Cart").await;
    let values = json!({ "branch": "cart", "commit": commit(&place, "cart.txt"), "title": "Add a cart" });
    let pull = forge.pull(&repository, values).await;
    // What is not pushed anywhere would keep its session from being put away.
    git(&place, &[], &["push", "-q", "origin", "HEAD:refs/heads/cart"]);
    forge.set(&pull, json!({ "review": "REVIEW_REQUIRED" })).await;
    forge.add("check", &pull, json!({ "name": "test" })).await;
    (forge, sandbox, cart, pull)
}

async fn remark_of_a_program(forge: &TestForge, pull: &str) {
    let comment = json!({ "body": "Unused import", "author": "lint", "bot": true });
    let thread = json!({ "path": "cart.txt", "line": 1, "comments": [comment] });
    forge.add("thread", pull, thread).await;
}

#[tokio::test]
async fn comments_of_programs_go_to_the_agent_or_to_the_person() {
    let (forge, sandbox, cart, pull) = with_pull("  bugbot-comments: { action: send-to-agent }\n").await;
    remark_of_a_program(&forge, &pull).await;
    look(&sandbox).await;
    // More may come within a minute.
    once(&sandbox, &cart, "bugbot-comments").await;
    let texts = sandbox.sent_to(&cart).await;
    assert!(
        texts.len() == 1 && texts[0].contains("- lint on cart.txt:1\n    > Unused import\n"),
        "{texts:?}"
    );

    let (forge, sandbox, cart, pull) =
        with_pull("  bugbot-comments: { action: notify, priority: info, message: Later. }\n").await;
    remark_of_a_program(&forge, &pull).await;
    look(&sandbox).await;
    once(&sandbox, &cart, "bugbot-comments").await;
    let words = "bots commented on pull request #1: Later.";
    assert_eq!(told(&sandbox, words).await, "info");
}

#[tokio::test]
async fn a_closed_pull_request_notifies_or_puts_its_session_away() {
    let closed = json!({ "state": "CLOSED", "closedAt": "2026-01-01T00:00:00Z" });
    let words = "pull request #1 was closed without being merged";
    for (reaction, suffix) in [
        ("action: notify, priority: warning", ""),
        ("action: archive", "; its session is archived"),
    ] {
        let (forge, sandbox, cart, pull) = with_pull(&format!("  pr-closed: {{ {reaction} }}\n")).await;
        look(&sandbox).await;
        forge.set(&pull, closed.clone()).await;
        look(&sandbox).await;
        let said = once(&sandbox, &cart, "pr-closed").await;
        assert_eq!(said, format!("{words}{suffix}"));
        told(&sandbox, &said).await;
        let shown = of(&sandbox, &cart).await;
        assert_eq!(shown["archivedAt"].is_string(), !suffix.is_empty(), "{shown:#}");
    }
}

#[tokio::test]
async fn a_rule_lets_the_forge_merge_as_soon_as_it_can() {
    let (forge, sandbox, cart, pull) =
        with_pull("  pr-opened: { action: auto-merge, strategy: squash }\n").await;
    look(&sandbox).await;
    let said = once(&sandbox, &cart, "pr-opened").await;
    assert_eq!(said, "the merge of pull request #1 was ordered");
    let there = until("the forge waits", async || {
        let there = forge.control(json!({ "op": "show", "id": pull })).await;
        there["autoMerge"].is_string().then_some(there)
    })
    .await;
    assert_eq!(
        (&there["state"], &there["autoMergeMethod"]),
        (&json!("OPEN"), &json!("SQUASH")),
        "{there:#}"
    );
    look(&sandbox).await;
    let asked = forge.asked().await;
    let orders = asked.iter().filter(|one| *one == "graphql AutoMerge").count();
    assert_eq!(orders, 1, "{asked:?}");
}
