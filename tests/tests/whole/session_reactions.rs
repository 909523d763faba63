//! Tests of what is done by itself about sessions: an agent that ends, rests or asks, by the rules of its project.

use crate::crashes::{doomed, successor};
use crate::queue::{becomes, send};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// A session of a project with these reactions, whose agent has ended its first turn.
pub async fn idle_with(reactions: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    rules(&sandbox, reactions).await;
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": "say ready" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "paused"]).await;
    (sandbox, id)
}

/// Writes the reactions of the project.
pub async fn rules(sandbox: &Sandbox, reactions: &str) {
    let projects = sandbox.get("/api/projects").await.unwrap();
    let root = std::path::PathBuf::from(projects[0]["path"].as_str().unwrap());
    std::fs::write(root.join("downbeat.yaml"), format!("reactions:\n{reactions}")).unwrap();
}

pub async fn history(sandbox: &Sandbox, id: &str) -> Vec<Value> {
    let done = sandbox
        .get(&format!("/api/sessions/{id}/reactions"))
        .await
        .unwrap();
    done.as_array().unwrap().clone()
}

/// Waits until this number of reactions was carried out, and returns them.
pub async fn carried_out(sandbox: &Sandbox, id: &str, number: usize) -> Vec<Value> {
    until("the reaction was carried out", async || {
        let done = history(sandbox, id).await;
        assert!(done.len() <= number, "{done:#?}");
        (done.len() == number).then_some(done)
    })
    .await
}

pub fn said(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.cli(words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that is refused, and returns its error.
pub fn refused(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.cli(words);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn an_agent_that_ends_by_itself_is_restarted_within_its_budget() {
    let reaction = "  agent-exited: { action: restart, retries: 2 }\n";
    let (sandbox, id) = idle_with(reaction).await;
    for attempt in 1..=2 {
        sandbox.press(&id, "die 3\r").await;
        let done = carried_out(&sandbox, &id, attempt).await;
        let last = &done[attempt - 1];
        assert_eq!(
            (&last["rule"], &last["outcome"], &last["attempt"]),
            (&json!("agent-exited"), &json!("done"), &json!(attempt)),
            "{done:#?}"
        );
        sandbox.status(&id, &["idle"]).await;
    }
    let explained = said(&sandbox, &["reactions", "explain", &id]);
    assert!(
        explained.contains("agent-exited: over; the agent was restarted 2 times"),
        "{explained}"
    );
    sandbox.press(&id, "die 3\r").await;
    let done = carried_out(&sandbox, &id, 3).await;
    let told = done[2]["detail"].as_str().unwrap();
    assert!(
        told.starts_with("its agent ended: ") && told.contains("the agent was restarted 2 times"),
        "{told}"
    );
    sandbox.status(&id, &["exited"]).await;
    // A stop is no end by itself.
    said(&sandbox, &["resume", &id]);
    sandbox.status(&id, &["idle"]).await;
    said(&sandbox, &["stop", &id]);
    sandbox.status(&id, &["exited"]).await;
    assert_eq!(history(&sandbox, &id).await.len(), 3);
}

/// A session with a commit of its agent, whose turn ends under these reactions. The engine is killed at this point of what
/// follows, and started again.
async fn idle_after_a_crash(point: &str, reaction: &str) -> (Sandbox, String) {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": "work go" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["running"]).await;
    doomed(&mut sandbox, point).await;
    rules(&sandbox, reaction).await;
    let place = crate::deliveries::workspace(&sandbox, &id).await;
    crate::pulls::commit(&place, "cart.txt");
    std::fs::write(place.join("go"), "").unwrap();
    successor(&mut sandbox, point).await;
    (sandbox, id)
}

#[tokio::test]
async fn an_idle_agent_gets_a_message_with_its_values_once_through_a_crash() {
    let reaction = "  agent-idle:\n    action: send-to-agent\n    message: \"say next for {{ session.name }}\"\n    retries: 2\n    \
                    condition: \"session.agent == 'claude' and not issue.number\"\n";
    for point in ["reaction-noted", "reaction-composed", "reaction-written"] {
        let (sandbox, id) = idle_after_a_crash(point, reaction).await;
        let text = "say next for cart\n\nAutomatic, from Downbeat: its agent has nothing to do.";
        becomes(&sandbox, &id, text, "delivered").await;
        // The answer to it ends a turn, which is the second and last attempt.
        let done = carried_out(&sandbox, &id, 3).await;
        let outcomes: Vec<_> = done.iter().map(|one| one["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, ["done"; 3], "{point}: {done:#?}");
        assert!(
            done[2]["detail"].as_str().unwrap().contains("notified 2 times"),
            "{point}: {done:#?}"
        );
    }
}

#[tokio::test]
async fn rules_that_come_later_pass_over_the_past_and_a_pause_holds_them() {
    let (sandbox, id) = idle_with("  agent-idle: { action: pause }\n").await;
    carried_out(&sandbox, &id, 1).await;
    sandbox.status(&id, &["paused"]).await;
    said(&sandbox, &["go-on", &id]);
    sandbox.status(&id, &["idle"]).await;
    said(&sandbox, &["reactions", "pause", &id]);
    send(&sandbox, &id, "say again", json!({ "waitSeconds": 20 })).await;
    sandbox.status(&id, &["idle"]).await;
    let explained = said(&sandbox, &["reactions", "explain", &id]);
    assert!(
        explained.contains("agent-idle: ") && explained.contains("paused"),
        "{explained}"
    );
    assert_eq!(history(&sandbox, &id).await.len(), 1);
    said(&sandbox, &["reactions", "resume", &id]);
    carried_out(&sandbox, &id, 2).await;
    sandbox.status(&id, &["paused"]).await;
}

#[tokio::test]
async fn a_person_runs_skips_and_switches_off_what_happens_by_itself() {
    let reaction = "  agent-idle: { action: send-to-agent, auto: false, message: 'say again' }\n";
    let (sandbox, id) = idle_with(reaction).await;
    let explained = said(&sandbox, &["reactions", "explain", &id]);
    assert!(explained.contains("(not automatic)"), "{explained}");
    said(&sandbox, &["reactions", "skip", &id, "agent-idle"]);
    let run = ["reactions", "run", id.as_str(), "agent-idle"];
    let error = refused(&sandbox, &run);
    assert!(error.contains("agent-idle has nothing new to act on"), "{error}");
    send(&sandbox, &id, "say ready", json!({ "waitSeconds": 20 })).await;
    sandbox.status(&id, &["idle"]).await;
    until("the end of the turn is new", async || {
        let all = sandbox
            .get(&format!("/api/sessions/{id}/reactions/explain"))
            .await
            .unwrap();
        (all[0]["reactions"][0]["fresh"] == 1).then_some(())
    })
    .await;
    said(&sandbox, &run);
    let done = carried_out(&sandbox, &id, 1).await;
    assert_eq!(done[0]["outcome"], "done", "{done:#?}");
    let off = said(&sandbox, &["reactions", "off", &id, "agent-idle"]);
    assert!(off.contains("switched off"), "{off}");
    rules(&sandbox, "  agent-idle: { action: notify }\n").await;
    send(&sandbox, &id, "say ready", json!({ "waitSeconds": 20 })).await;
    sandbox.status(&id, &["idle"]).await;
    assert_eq!(history(&sandbox, &id).await.len(), 1);
    said(&sandbox, &["reactions", "on", &id, "agent-idle"]);
    carried_out(&sandbox, &id, 2).await;
    let error = refused(&sandbox, &["reactions", "run", &id, "agent-idel"]);
    assert!(
        error.contains("no reaction to \"agent-idel\"") && error.contains("it has: "),
        "{error}"
    );
}

#[tokio::test]
async fn what_would_happen_is_said_and_not_done() {
    let (sandbox, id) = idle_with("  agent-exited: { action: restart, retries: 3 }\n").await;
    let simulated = said(&sandbox, &["reactions", "simulate", "shop"]);
    for line in [
        "ci-failed\n  at once: its agent gets a message\n    | Checks of your pull request #12 failed",
        "agent-exited\n  at once: its agent is restarted\n  when it happens again: the same, 3 times in all\n",
        "if it still stands after 30 min: you are notified\n    | pull request #12 conflicts with main",
    ] {
        assert!(simulated.contains(line), "{line}\n{simulated}");
    }
    let one = ["reactions", "simulate", "shop", "--session", &id, "--event"];
    let only = said(&sandbox, &[&one[..], &["agent-exited"]].concat());
    assert!(
        only.starts_with("agent-exited\n") && !only.contains("ci-failed"),
        "{only}"
    );
    let error = refused(&sandbox, &[&one[..], &["agent-stuck"]].concat());
    assert!(error.contains("shop has no reaction to this event"), "{error}");
    let error = refused(&sandbox, &[&one[..], &["agent-stuk"]].concat());
    assert!(error.contains("no event; known are ci-failed"), "{error}");
    assert!(history(&sandbox, &id).await.is_empty());
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn a_mistake_in_a_reaction_is_named_where_the_rules_are_asked_for() {
    let (sandbox, _) = idle_with("  agent-idle: { action: notify }\n").await;
    rules(
        &sandbox,
        "  label-added: { condition: \"lable == 'x'\", action: notify }\n",
    )
    .await;
    let error = refused(&sandbox, &["reactions", "list", "shop"]);
    let problem = "\"lable\" is not known here; known are label, pr.number";
    assert!(
        error.contains("downbeat.yaml:2:") && error.contains(problem),
        "{error}"
    );
}

/// Waits until this number of sessions is there, and returns them, the oldest first.
async fn sessions(sandbox: &Sandbox, number: usize) -> Vec<Value> {
    until("the session is there", async || {
        let all = sandbox.get("/api/sessions").await.unwrap();
        let mut all = all.as_array().unwrap().clone();
        all.sort_by_key(|one| one["createdAt"].to_string());
        assert!(all.len() <= number, "{all:#?}");
        (all.len() == number).then_some(all)
    })
    .await
}

#[tokio::test]
async fn a_rule_starts_another_session_once_through_a_crash() {
    let reaction = "  agent-idle:\n    action: spawn\n    agent: claude\n    retries: 1\n    \
                    message: \"say review of {{ session.branch }}\"\n";
    for point in [
        "reaction-noted",
        "spawn-created",
        "reaction-composed",
        "reaction-written",
    ] {
        let (sandbox, id) = idle_after_a_crash(point, reaction).await;
        let done = carried_out(&sandbox, &id, 1).await;
        assert_eq!(done[0]["outcome"], "done", "{point}: {done:#?}");
        let all = sessions(&sandbox, 2).await;
        let new = all[1]["id"].as_str().unwrap();
        let shown = sandbox.status(new, &["idle"]).await;
        assert_eq!(
            done[0]["detail"],
            json!(format!("{} was started", shown["name"].as_str().unwrap())),
            "{point}"
        );
        let whole = sandbox.get(&format!("/api/sessions/{new}")).await.unwrap();
        assert_eq!(whole["base"]["name"], "feature/cart", "{point}: {whole:#}");
        let task = whole["task"].as_str().unwrap();
        assert!(
            task.starts_with(
                "say review of feature/cart\n\nAutomatic, from Downbeat: about the session cart on the branch feature/cart.\n    > \
                 its agent has nothing to do\n"
            ),
            "{point}: {task}"
        );
    }
}

#[tokio::test]
async fn set_up_of_a_commit_that_an_agent_made_waits_in_a_session_that_a_rule_starts() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": "work go" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["running"]).await;
    let reaction = "  agent-idle: { action: spawn, message: say review }\nsetup: [touch set-up-ran]\n";
    rules(&sandbox, reaction).await;
    said(&sandbox, &["project", "approve", "shop", "--yes"]);
    let place = crate::deliveries::workspace(&sandbox, &id).await;
    crate::pulls::commit(&place, "cart.txt");
    std::fs::write(place.join("go"), "").unwrap();
    let all = sessions(&sandbox, 2).await;
    let new = all[1]["id"].as_str().unwrap();
    sandbox.status(new, &["setup_failed"]).await;
    let place = crate::deliveries::workspace(&sandbox, new).await;
    assert!(place.join("cart.txt").exists() && !place.join("set-up-ran").exists());
}

#[tokio::test]
async fn a_conductor_is_told_when_all_of_its_workers_are_done() {
    let reaction = "  all-complete: { action: send-to-agent, message: 'say integrate' }\n";
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    rules(&sandbox, reaction).await;
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say ready", "conductor": true });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let mut workers = Vec::new();
    for title in ["One", "Two"] {
        let ask = json!({ "projectId": project, "title": title, "prompt": "say ready", "parent": lead });
        workers.push(sandbox.session(ask).await);
    }
    for worker in &workers {
        sandbox.status(worker, &["idle"]).await;
    }
    said(&sandbox, &["kill", &workers[0]]);
    let report = json!({ "status": "done", "summary": "rounded" });
    assert!(history(&sandbox, &lead).await.is_empty());
    let path = format!("/api/sessions/{}/report", workers[1]);
    sandbox.post(&path, report).await.unwrap();
    let text = "say integrate\n\nAutomatic, from Downbeat: all of its workers are done (2): one killed, two said done.";
    becomes(&sandbox, &lead, text, "delivered").await;
    let done = carried_out(&sandbox, &lead, 1).await;
    assert_eq!(
        (&done[0]["rule"], &done[0]["outcome"]),
        (&json!("all-complete"), &json!("done"))
    );
}

#[tokio::test]
async fn the_person_is_told_once_each_time_that_all_sessions_are_done() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    rules(
        &sandbox,
        "  all-complete: { action: notify, includeSummary: true }\n",
    )
    .await;
    let new = async |title: &str| {
        let ask = json!({ "projectId": project, "title": title, "prompt": "say ready" });
        let id = sandbox.session(ask).await;
        sandbox.status(&id, &["idle"]).await;
        id
    };
    let told = async || {
        let notices = sandbox.get("/api/notices").await.unwrap();
        let texts = notices.as_array().unwrap().iter();
        let texts = texts.filter_map(|notice| notice["text"].as_str().map(str::to_owned));
        texts
            .filter(|text| text.starts_with("all sessions of shop are done"))
            .collect::<Vec<_>>()
    };
    let (one, two) = (new("One").await, new("Two").await);
    said(&sandbox, &["kill", &one]);
    assert_eq!(told().await, [""; 0], "one is not done");
    said(&sandbox, &["kill", &two]);
    carried_out(&sandbox, &two, 1).await;
    let first = "all sessions of shop are done (2): one killed, two killed";
    assert_eq!(told().await, [first]);
    // What changes about sessions that are done already completes nothing.
    said(&sandbox, &["archive", &one]);
    let three = new("Three").await;
    said(&sandbox, &["kill", &three]);
    carried_out(&sandbox, &three, 1).await;
    let texts = told().await;
    assert_eq!(texts.len(), 2, "{texts:#?}");
    assert!(
        texts
            .iter()
            .any(|text| text.contains("(2): two") && text.contains("three killed")),
        "{texts:#?}"
    );
}

#[tokio::test]
async fn a_repository_that_is_not_trusted_does_not_decide_what_happens_by_itself() {
    let (sandbox, id) = idle_with("  agent-idle: { action: notify }\n").await;
    carried_out(&sandbox, &id, 1).await;
    said(&sandbox, &["project", "edit", "shop", "--trust", "no"]);
    let listed = said(&sandbox, &["reactions", "list", "shop"]);
    assert!(
        !listed.contains("agent-idle") && listed.contains("ci-failed"),
        "{listed}"
    );
    send(&sandbox, &id, "say ready", json!({ "waitSeconds": 20 })).await;
    sandbox.status(&id, &["idle"]).await;
    let run = refused(&sandbox, &["reactions", "run", &id, "agent-idle"]);
    assert!(run.contains("no reaction to \"agent-idle\""), "{run}");
    assert_eq!(history(&sandbox, &id).await.len(), 1);
}

#[tokio::test]
async fn failed_checks_go_to_the_agent_by_a_rule_within_its_budget() {
    let sandbox = Sandbox::started().await;
    let checks = crate::checks::one_check();
    let project = crate::checks::project(&sandbox, &checks, true).await;
    let reaction = "  checks-failed: { action: send-to-agent, retries: 1, message: Look closely. }\n";
    rules(&sandbox, &format!("{reaction}checks:\n{checks}\n")).await;
    let id = crate::checks::worker(&sandbox, &project, "work go").await;
    sandbox.status(&id, &["running"]).await;
    let place = crate::deliveries::workspace(&sandbox, &id).await;
    let first = crate::checks::commit(&place, "first.txt");
    crate::checks::done(&sandbox, &id).await;
    let done = carried_out(&sandbox, &id, 1).await;
    assert_eq!(done[0]["rule"], "checks-failed", "{done:#?}");
    let explained = said(&sandbox, &["reactions", "explain", &id]);
    assert!(
        explained.contains("checks-failed: the agent was notified 1 time"),
        "{explained}"
    );
    let simulated = said(
        &sandbox,
        &["reactions", "simulate", "shop", "--event", "checks-failed"],
    );
    assert!(
        simulated.contains("at once: its agent gets a message\n    | Look closely.")
            && simulated.contains("when it happens once more: you are notified"),
        "{simulated}"
    );

    // Its next commit is red, too: that is for the person.
    crate::checks::commit(&place, "second.txt");
    std::fs::write(place.join("go"), "").unwrap();
    let done = carried_out(&sandbox, &id, 2).await;
    assert_eq!(
        done[1]["detail"], "checks of its work failed: test; the agent was notified 1 time",
        "{done:#?}"
    );
    let texts = sandbox.sent_to(&id).await;
    let opening = format!(
        "Look closely.\n\nThe project's checks failed on your commit {}",
        &first[..8]
    );
    assert!(
        texts.len() == 1 && texts[0].starts_with(&opening) && texts[0].contains("\n    > boom 41\n"),
        "{texts:?}"
    );
    let notices = sandbox.notices().await;
    let about = |notice: &&Value| notice["text"].as_str().unwrap().contains("failed");
    assert_eq!(notices.iter().filter(about).count(), 1, "{notices:#?}");
}
