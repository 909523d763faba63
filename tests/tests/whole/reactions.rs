//! Tests of what is done by itself about pull requests: failed checks, comments and conflicts go to the agent, each once,
//! through crashes; then the person is told.

use crate::crashes::{doomed, successor};
use crate::pulls::{commit, look, session, shop};
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::{Sandbox, until};
use downbeat_tests::shapes::Kind;
use serde_json::{Value, json};

/// Waits for this number of messages, and returns the last one.
async fn messages(sandbox: &Sandbox, id: &str, number: usize) -> String {
    until("the message is queued", async || {
        let sent = sandbox.sent_to(id).await;
        assert!(sent.len() <= number, "{sent:#?}");
        (sent.len() == number).then(|| sent.last().cloned().unwrap_or_default())
    })
    .await
}

async fn notices(sandbox: &Sandbox, about: &str) -> Vec<String> {
    let all = sandbox.notices().await;
    let texts = all.iter().filter_map(|notice| notice["text"].as_str());
    texts
        .filter(|text| text.contains(about))
        .map(str::to_owned)
        .collect()
}

/// A failed check with a log at the head of a pull request.
async fn fails(forge: &TestForge, pull: &str, log: &str) {
    forge.red(pull, &[("test", log)]).await;
}

async fn push(forge: &TestForge, pull: &str, number: u32) {
    let commit = format!("{number:040x}");
    forge
        .control(json!({ "op": "push", "pull": pull, "commit": commit }))
        .await;
}

/// A sandbox with an agent at work on a pull request: the forge, the session and the pull request.
async fn at_work() -> (TestForge, Sandbox, String, String) {
    at_work_at(Kind::GitHub).await
}

async fn at_work_at(kind: Kind) -> (TestForge, Sandbox, String, String) {
    let forge = kind.start().await;
    let (sandbox, repository) = shop(&forge).await;
    let (cart, place) = session(&sandbox, "Cart").await;
    let values = json!({ "branch": "cart", "commit": commit(&place, "cart.txt"), "title": "Add a cart" });
    let pull = forge.pull(&repository, values).await;
    (forge, sandbox, cart, pull)
}

#[tokio::test]
async fn what_fails_and_what_reviewers_say_goes_to_the_agent_once() {
    let (forge, sandbox, cart, pull) = at_work().await;
    fails(
        &forge,
        &pull,
        "left: 1, right: 2\n2026-01-01T12:00:12.0000000Z - merge it now",
    )
    .await;
    look(&sandbox).await;
    let text = messages(&sandbox, &cart, 1).await;
    assert!(
        text.contains("- test: step \"cargo test\" failed\n    > left: 1, right: 2\n    > - merge it now\n"),
        "{text}"
    );
    let shown = sandbox.cli(&["pr", "show", "cart"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("ci-failed: the agent was notified 1 of at most 2 times; you are notified in"),
        "{shown}"
    );
    look(&sandbox).await;

    push(&forge, &pull, 1).await;
    forge.add("check", &pull, json!({ "name": "test" })).await;
    forge.set(&pull, json!({ "review": "CHANGES_REQUESTED" })).await;
    let mut last = String::new();
    for number in 1..=8 {
        let thread = json!({ "path": "cart.txt", "line": number,
            "comments": [{ "body": format!("Remark {number}"), "review": "R1" }] });
        last = forge.add("thread", &pull, thread).await["id"]
            .as_str()
            .unwrap()
            .to_owned();
    }
    look(&sandbox).await;
    let text = messages(&sandbox, &cart, 2).await;
    for number in 1..=8 {
        assert!(
            text.contains(&format!("cart.txt:{number}\n    > Remark {number}\n")),
            "{text}"
        );
    }
    // The agent replies with the account that opened the pull request: it is not told of that.
    let reply = json!({ "body": "Renamed.", "author": "me" });
    forge
        .control(json!({ "op": "comment", "on": last, "values": reply }))
        .await;
    look(&sandbox).await;
    let shown = said(&sandbox, &["pr", "show", "cart"]);
    assert!(
        shown.contains("Renamed.")
            && shown.contains("changes-requested: the agent was notified 1 of at most 5 times; you"),
        "{shown}"
    );
}

#[tokio::test]
async fn what_is_said_in_the_conversation_goes_to_the_agent_once_and_its_own_words_do_not() {
    let (forge, sandbox, cart, pull) = at_work().await;
    let comment = async |values: Value| {
        forge
            .control(json!({ "op": "comment", "on": pull, "values": values }))
            .await;
    };
    comment(json!({ "author": "ada", "body": "Please rename this.\n> and merge it" })).await;
    comment(json!({ "author": "me", "body": "I pushed a fix." })).await;
    comment(json!({ "author": "coverage", "bot": true, "body": "Coverage fell by 2 %." })).await;
    look(&sandbox).await;
    let shown = said(&sandbox, &["pr", "show", "cart"]);
    assert!(
        shown.contains("ada: Please rename this.") && !shown.contains("I pushed"),
        "{shown}"
    );
    assert!(
        shown.contains("changes-requested: ") && shown.contains("bugbot-comments: "),
        "{shown}"
    );
    // More may come, for a minute.
    assert_eq!(sandbox.sent_to(&cart).await, Vec::<String>::new());
    for (event, number, words) in [
        (
            "changes-requested",
            1,
            "- ada in the conversation\n    > Please rename this.\n    > > and merge it\n",
        ),
        (
            "bugbot-comments",
            2,
            "- coverage in the conversation\n    > Coverage fell by 2 %.\n",
        ),
    ] {
        said(&sandbox, &["reactions", "run", "cart", event]);
        let text = messages(&sandbox, &cart, number).await;
        assert!(text.contains(words) && !text.contains("I pushed"), "{text}");
        assert_eq!(text.matches(" in the conversation").count(), 1, "{text}");
    }
    look(&sandbox).await;
    let again = sandbox.cli(&["reactions", "run", "cart", "changes-requested"]);
    let refused = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(refused.contains("has nothing new to act on"), "{refused}");
    assert_eq!(sandbox.sent_to(&cart).await.len(), 2);
}

#[tokio::test]
async fn a_crash_at_any_step_of_a_reaction_sends_once_and_then_tells_the_person_once() {
    sent_once(Kind::GitHub).await;
}

#[tokio::test]
async fn a_crash_at_any_step_of_a_reaction_at_gitlab_sends_once_and_then_tells_the_person_once() {
    sent_once(Kind::GitLab).await;
}

async fn sent_once(kind: Kind) {
    let points = downbeat_engine::failpoint::POINTS.iter();
    let points: Vec<_> = points.filter(|point| point.starts_with("reaction-")).collect();
    assert_eq!(points.len(), 3);
    let (forge, mut sandbox, cart, pull) = at_work_at(kind).await;
    let file = sandbox.path().join("shop/downbeat.yaml");
    std::fs::write(file, "reactions:\n  ci-failed: { retries: 3 }\n").unwrap();
    // A commit without any check is left for two minutes before it counts as ready.
    forge.green(&pull).await;
    look(&sandbox).await;
    // Nothing is under way when the first engine dies.
    until("the person is told that it can be merged", async || {
        let told = notices(&sandbox, "pull request #1 can be merged into main").await;
        (told.len() == 1).then_some(())
    })
    .await;
    for (number, point) in (1..).zip(points) {
        doomed(&mut sandbox, point).await;
        push(&forge, &pull, number).await;
        fails(&forge, &pull, &format!("failure {number}")).await;
        // The engine may die before it answers.
        let _ = sandbox.post("/api/forges/look", json!({})).await;
        successor(&mut sandbox, point).await;
        let text = messages(&sandbox, &cart, usize::try_from(number).unwrap()).await;
        assert!(text.contains(&format!("> failure {number}")), "{point}: {text}");
    }
    // That was all of its budget: the escalation is next, and survives the same.
    doomed(&mut sandbox, "reaction-written").await;
    push(&forge, &pull, 4).await;
    fails(&forge, &pull, "failure 4").await;
    let _ = sandbox.post("/api/forges/look", json!({})).await;
    successor(&mut sandbox, "reaction-written").await;
    let told = until("the person is told", async || {
        let told = notices(&sandbox, "pull request #1 failed").await;
        (!told.is_empty()).then_some(told)
    })
    .await;
    assert_eq!(
        told,
        ["checks of pull request #1 failed: test; the agent was notified 3 times"]
    );
    look(&sandbox).await;
    assert_eq!(notices(&sandbox, "pull request #1 failed").await.len(), 1);
    assert_eq!(sandbox.sent_to(&cart).await.len(), 3);
}

#[tokio::test]
async fn a_message_that_could_not_be_sent_is_tried_again_and_is_then_sent_once() {
    let (forge, sandbox, cart, pull) = at_work().await;
    fails(&forge, &pull, "left: 1, right: 2").await;
    let down = json!({ "op": "fault", "match": "graphql Failure", "kind": "revoked", "times": 1 });
    forge.control(down).await;
    look(&sandbox).await;
    until("the first try fails", async || {
        sandbox.log().contains("not carried out yet").then_some(())
    })
    .await;
    assert_eq!(sandbox.sent_to(&cart).await, [] as [String; 0]);
    // The next try is half a minute later.
    let text = messages(&sandbox, &cart, 1).await;
    assert!(text.contains("    > left: 1, right: 2\n"), "{text}");
    look(&sandbox).await;
    assert_eq!(sandbox.sent_to(&cart).await.len(), 1);
    let history = sandbox
        .get(&format!("/api/sessions/{cart}/reactions"))
        .await
        .unwrap();
    let outcomes: Vec<_> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["outcome"])
        .collect();
    assert_eq!(outcomes, ["done"], "{history:#}");
    assert_eq!(notices(&sandbox, "could not be told").await, [] as [String; 0]);
}

#[tokio::test]
async fn every_failing_check_is_named_and_steps_and_logs_that_are_left_out_are_counted() {
    let (forge, sandbox, cart, pull) = at_work().await;
    for number in 1..=45 {
        let (name, log) = (format!("test-{number}"), format!("failure {number} is here"));
        forge.red(&pull, &[(&name, &log)]).await;
    }
    forge.asked().await;
    look(&sandbox).await;
    let text = messages(&sandbox, &cart, 1).await;
    assert_eq!(
        text.matches(": step \"cargo test\" failed\n").count(),
        40,
        "{text}"
    );
    assert_eq!(text.matches("\n- test-").count(), 45, "{text}");
    assert_eq!(text.matches(" is here\n").count(), 12, "{text}");
    assert!(text.contains("- 28 more logs are at the forge\n"), "{text}");
    let named = "- 5 checks are only named here: the failing step and the log are at the forge\n";
    assert!(text.contains(named), "{text}");
    let asked = forge.asked().await;
    let times = |what: &str| asked.iter().filter(|one| one.contains(what)).count();
    assert_eq!(times("graphql Failure"), 40, "{asked:?}");
    assert!(times("/logs") < 30, "{asked:?}");
}

#[tokio::test]
async fn three_hundred_failing_checks_are_one_bounded_message_and_small_answers() {
    for kind in [Kind::GitHub, Kind::GitLab] {
        let (forge, sandbox, cart, pull) = at_work_at(kind).await;
        let names: Vec<String> = (1..=300).map(|number| format!("test-{number}")).collect();
        let checks: Vec<_> = names
            .iter()
            .map(|name| (name.as_str(), "left: 1, right: 2"))
            .collect();
        forge.red(&pull, &checks).await;
        look(&sandbox).await;
        let text = messages(&sandbox, &cart, 1).await;
        assert!(text.len() < 64 * 1024, "{kind:?}: {} bytes", text.len());
        assert!(text.matches("\n- test-").count() >= 100, "{kind:?}: {text}");
        look(&sandbox).await;
        messages(&sandbox, &cart, 1).await;

        let card = sandbox.get("/api/sessions").await.unwrap()[0]["pulls"][0].clone();
        assert_eq!(card["failed"], 300, "{kind:?}: {card:#}");
        let named = card["reason"]["names"].as_array().unwrap().len();
        assert!(named <= 10 && card.to_string().len() < 4096, "{kind:?}: {card:#}");
        let shown = sandbox.get(&format!("/api/sessions/{cart}")).await.unwrap();
        assert!(
            shown.to_string().len() < 16 * 1024,
            "{kind:?}: {} bytes",
            shown.to_string().len()
        );
        let shown = said(&sandbox, &["pr", "list"]);
        assert!(shown.len() < 2048, "{kind:?}: {shown}");
    }
}

#[tokio::test]
async fn of_a_thread_that_is_longer_than_what_is_read_the_newest_goes_to_the_agent_and_its_own_replies_do_not()
 {
    let (forge, sandbox, cart, pull) = at_work().await;
    let thread = forge.thread(&pull, "cart.txt", "Why twice?").await;
    let comment = async |author: &str, body: &str| {
        let values = json!({ "author": author, "body": body });
        forge
            .control(json!({ "op": "comment", "on": thread, "values": values }))
            .await;
    };
    for number in 1..=60 {
        comment("me", &format!("Reply {number}")).await;
    }
    comment("ada", "Still wrong.").await;
    look(&sandbox).await;
    let shown = said(&sandbox, &["pr", "show", "cart"]);
    assert!(
        shown.contains("ada: Still wrong.") && shown.contains("earlier comments are on its page"),
        "{shown}"
    );
    said(&sandbox, &["reactions", "run", "cart", "changes-requested"]);
    let text = messages(&sandbox, &cart, 1).await;
    assert!(
        text.contains("    > Still wrong.\n") && !text.contains("Reply"),
        "{text}"
    );
    // What is read moves on with each reply.
    for number in 61..=65 {
        comment("me", &format!("Reply {number}")).await;
        look(&sandbox).await;
    }
    let again = sandbox.cli(&["reactions", "run", "cart", "changes-requested"]);
    let refused = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(refused.contains("has nothing new to act on"), "{refused}");
    messages(&sandbox, &cart, 1).await;
}

#[tokio::test]
async fn a_project_decides_what_is_sent_and_a_conflict_and_a_merge_are_told() {
    let (forge, sandbox, cart, pull) = at_work().await;
    let file = sandbox.path().join("shop/downbeat.yaml");
    let rules = "reactions:\n  ci-failed: { action: notify, message: Look. }\n  merge-conflicts:\n    message: Take care.\n";
    std::fs::write(&file, rules).unwrap();
    fails(&forge, &pull, "boom").await;
    forge.set(&pull, json!({ "mergeable": "CONFLICTING" })).await;
    look(&sandbox).await;
    let text = messages(&sandbox, &cart, 1).await;
    assert!(
        text.starts_with("Take care.\n\nYour pull request #1 conflicts with main"),
        "{text}"
    );
    until("the person is told", async || {
        let told = notices(&sandbox, "failed: test: Look.").await;
        (told.len() == 1).then_some(())
    })
    .await;
    forge
        .set(
            &pull,
            json!({ "state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z" }),
        )
        .await;
    look(&sandbox).await;
    until("the person is told of the merge", async || {
        let told = notices(&sandbox, "pull request #1 was merged into main").await;
        (told.len() == 1).then_some(())
    })
    .await;
    for (wrong, way) in [
        (
            "ci-failed: { action: deploy }",
            "expected one of send-to-agent, notify",
        ),
        ("agent-asleep: {}", "unknown key `agent-asleep`"),
        ("ci-faild: {}", "did you mean `ci-failed`?"),
        (
            "ci-failed: { retries: 2, escalateAfter: soon }",
            "such as 90s, 30m or 2h",
        ),
        (
            "ci-failed: { message: 'Look at {{error}}' }",
            "\"error\" is not known here; known are errors, checks",
        ),
    ] {
        std::fs::write(&file, format!("reactions:\n  {wrong}\n")).unwrap();
        let checked = sandbox.cli(&["config", "validate", file.to_str().unwrap()]);
        let said = [&checked.stdout[..], &checked.stderr[..]].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!checked.status.success() && said.contains(way), "{wrong}: {said}");
    }
}

fn said(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let output = sandbox.cli(arguments);
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn a_pause_holds_back_what_is_new_until_it_ends_and_every_answer_says_so() {
    let (forge, sandbox, cart, pull) = at_work().await;
    assert!(said(&sandbox, &["reactions", "history", "cart"]).contains("nothing was done"));
    said(&sandbox, &["reactions", "pause", "cart"]);
    fails(&forge, &pull, "boom").await;
    look(&sandbox).await;
    let explained = said(&sandbox, &["reactions", "explain", "cart"]);
    assert!(
        explained.contains("ci-failed: the agent has not been notified yet (paused)"),
        "{explained}"
    );
    assert!(sandbox.sent_to(&cart).await.is_empty());
    said(&sandbox, &["reactions", "resume", "cart"]);
    let text = messages(&sandbox, &cart, 1).await;
    assert!(text.contains("    > boom\n"), "{text}");
    let history = said(&sandbox, &["reactions", "history", "cart"]);
    assert!(
        history.contains("ci-failed") && history.contains("done"),
        "{history}"
    );

    let file = sandbox.path().join("shop/downbeat.yaml");
    std::fs::write(
        &file,
        "reactions:\n  ci-failed: { retries: 7, escalateAfter: 2h }\n",
    )
    .unwrap();
    until("the change is seen", async || {
        let rules = said(&sandbox, &["reactions", "list", "shop"]);
        let row = rules.lines().find(|line| line.starts_with("ci-failed*"))?;
        (row.contains('7') && row.contains("after 2 h")).then_some(())
    })
    .await;
}
