//! Tests of plain shell sessions: the foreground process group of the terminal shows whether the shell waits
//! at its prompt.

use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};

async fn shell(sandbox: &Sandbox) -> String {
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Shell", "agent": "shell" });
    sandbox.session(ask).await
}

fn evidence(session: &Value) -> (&str, &str) {
    let evidence = &session["statusEvidence"];
    let word = |name: &str| evidence[name].as_str().unwrap();
    (word("source"), word("detail"))
}

#[tokio::test]
async fn a_shell_is_idle_at_its_prompt_and_names_what_it_runs() {
    let mut sandbox = Sandbox::started().await;
    let id = shell(&sandbox).await;
    let idle = ("process", "at its prompt (foreground process group)");
    assert_eq!(evidence(&sandbox.status(&id, &["idle"]).await), idle);
    let message = format!("/api/sessions/{id}/message");
    let send = async |text: &str| sandbox.post(&message, json!({ "content": text })).await.unwrap();
    send("sleep 600").await;
    let running = sandbox.status(&id, &["running"]).await;
    assert_eq!(
        evidence(&running),
        ("process", "runs sleep (foreground process group)")
    );
    sandbox.press(&id, "\x03").await;
    sandbox.status(&id, &["idle"]).await;
    let notices = sandbox.get("/api/notices").await.unwrap();
    assert_eq!(notices, json!([]), "nobody waited for that");
    // The next engine sees the running command, too, and its end.
    send("sleep 600").await;
    sandbox.status(&id, &["running"]).await;
    sandbox.kill_engine();
    sandbox.start().await;
    assert_eq!(sandbox.status(&id, &["running"]).await["agent"], "shell");
    sandbox.press(&id, "\x03").await;
    assert_eq!(evidence(&sandbox.status(&id, &["idle"]).await), idle);
}

#[tokio::test]
async fn output_while_a_shell_waits_at_its_prompt_does_not_count_as_work() {
    let sandbox = Sandbox::started().await;
    let id = shell(&sandbox).await;
    sandbox.status(&id, &["idle"]).await;
    let file = sandbox.path().join("go");
    let command = format!(
        "(until test -e {}; do sleep 0.1; done; echo a-late-$((6*7))) &",
        file.display()
    );
    let message = format!("/api/sessions/{id}/message");
    sandbox
        .post(&message, json!({ "content": command }))
        .await
        .unwrap();
    sandbox.shows(&id, "&").await;
    sandbox.status(&id, &["idle"]).await;
    std::fs::write(file, "").unwrap();
    sandbox.shows(&id, "a-late-42").await;
    // The status changes only with the next command, so that output did not change it.
    let before = jiff::Timestamp::now();
    let send = json!({ "content": "sleep 600" });
    sandbox.post(&message, send).await.unwrap();
    let running = sandbox.status(&id, &["running"]).await;
    let since: jiff::Timestamp = running["statusSince"].as_str().unwrap().parse().unwrap();
    assert!(since > before, "{running:#}");
}
