//! What agents write down: last answers, what they changed, what is found.

use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

#[tokio::test]
async fn the_last_answer_and_what_changed_are_told_everywhere() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let prompt = "say The first.\nsay And its end.\nwrite made.txt x";
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Maker", "prompt": prompt }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let answer = sandbox
        .get(&format!("/api/sessions/{id}/output?what=answer"))
        .await
        .unwrap();
    assert_eq!(answer["text"], "The first.\nAnd its end.", "{answer}");
    assert!(answer["at"].is_string() && answer["title"] == "", "{answer}");
    let diff = sandbox
        .get(&format!("/api/sessions/{id}/output?what=diff"))
        .await
        .unwrap();
    let text = diff["text"].as_str().unwrap();
    assert!(text.starts_with("1 file changed since main, +1 -0"), "{text}");
    assert!(text.ends_with("+1 -0 made.txt (not added to git)"), "{text}");
    let printed = sandbox.cli(&["output", "maker", "--answer"]);
    assert_eq!(
        String::from_utf8_lossy(&printed.stdout),
        "The first.\nAnd its end.\n"
    );

    // A new turn, and a new engine.
    let message = json!({ "content": "say Twice." });
    sandbox
        .post(&format!("/api/sessions/{id}/message"), message)
        .await
        .unwrap();
    let mut sandbox = sandbox;
    sandbox.kill_engine();
    sandbox.start().await;
    until("the second answer", async || {
        let answer: Value = sandbox.get("/api/sessions/maker/output?what=answer").await.ok()?;
        (answer["text"] == "Twice.").then_some(())
    })
    .await;

    let shell = json!({ "projectId": project, "title": "Shell", "agent": "shell" });
    let shell = sandbox.session(shell).await;
    let refused = sandbox
        .get(&format!("/api/sessions/{shell}/output?what=answer"))
        .await
        .unwrap_err();
    assert_eq!(
        refused.body["message"],
        "Shell writes no transcript that can be read"
    );
    let silent = sandbox
        .session(json!({ "projectId": project, "title": "Silent" }))
        .await;
    sandbox.status(&silent, &["idle"]).await;
    let refused = sandbox
        .get(&format!("/api/sessions/{silent}/output?what=answer"))
        .await
        .unwrap_err();
    assert_eq!(refused.body["message"], "silent has not answered anything yet");
}
