//! Tests of one session with a person at its terminal: questions, keys, stop and resume.

use crate::evidence;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_session_waits_with_the_question_on_its_screen() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let path = sandbox.repository("shop");
    let project = sandbox
        .post("/api/projects", json!({"path": path}))
        .await
        .unwrap();
    let ask = json!({"projectId": project["id"], "title": "Stranger", "prompt": "make it"});
    let id = sandbox.session(ask).await;
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&asks), ("screen", "a question on the screen"));
    assert_eq!(asks["question"]["kind"], "trust");
    let text = asks["question"]["text"].as_str().unwrap();
    assert!(text.contains(asks["workspacePath"].as_str().unwrap()), "{text}");
    let notices = sandbox.get("/api/notices").await.unwrap();
    assert_eq!(notices[0]["text"], text);
    assert!(model.turns().is_empty());

    // The person answers yes; from then on the agent's hooks report the status.
    let answer = format!("/api/sessions/{id}/answer");
    let said = sandbox
        .post(&answer, json!({"choice": "Yes, I trust"}))
        .await
        .unwrap();
    assert_eq!(said["delivery"], "taken", "{said}");
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&done), ("hook", "Stop hook"));
    assert_eq!(model.turns()[0].prompt, "make it");
}

#[tokio::test(flavor = "multi_thread")]
async fn esc_closes_a_question_and_resume_continues_the_conversation() {
    if real_agents::skipped() {
        return;
    }
    let touch = json!({"command": "touch made.txt", "description": "make it"});
    let script = Script::new()
        .when("make the file", [Step::call("Bash", touch)])
        .when("think long", [Step::say("I thought.").held("thought")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Maker", "prompt": "make the file"});
    let id = sandbox.session(ask).await;
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(asks["question"]["text"], "Bash: touch made.txt");
    sandbox.shows(&id, "Esc to cancel").await;
    sandbox.press(&id, "\x1b").await;
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(
        evidence(&rests),
        ("input", "dismissed by key; the question left the screen")
    );
    assert_eq!(rests["question"], Value::Null);

    // A message makes the agent ask again; the answer `no` denies it.
    let message = format!("/api/sessions/{id}/message");
    let again = json!({"content": "make the file"});
    sandbox.post(&message, again).await.unwrap();
    until("the answers on the screen", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        let options = session["question"]["options"].as_array()?;
        options.last()?.as_str()?.starts_with("No").then_some(())
    })
    .await;
    let denied = sandbox.cli(&["answer", &id, "no"]);
    assert!(denied.status.success(), "{denied:?}");
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(
        evidence(&rests),
        ("title", "after a key press, the title shows it idle")
    );

    let sent = sandbox
        .post(&message, json!({"content": "think long"}))
        .await
        .unwrap();
    assert_eq!(sent["state"], "delivered");
    until("the model is asked", async || {
        model
            .turns()
            .iter()
            .any(|turn| turn.prompt.contains("think long"))
            .then_some(())
    })
    .await;
    sandbox.press(&id, "\x1b").await;
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(
        evidence(&rests),
        ("title", "after a key press, the title shows it idle")
    );

    let before = json!({"id": id});
    sandbox.post("/api/sessions/stop", before).await.unwrap();
    let stopped = sandbox.status(&id, &["exited"]).await;
    assert_eq!(stopped["canResume"], true);
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    let back = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&back), ("hook", "SessionStart hook: resume"));
    assert_eq!(back["workspacePath"], stopped["workspacePath"]);
    let sent = sandbox
        .post(&message, json!({"content": "and now?"}))
        .await
        .unwrap();
    let shown = sandbox
        .get(&format!("/api/sessions/{id}/output?lines=40"))
        .await
        .unwrap();
    assert_eq!(sent["state"], "delivered", "{}", shown["text"].as_str().unwrap());
    sandbox.status(&id, &["idle"]).await;
    let requests = model.requests();
    let last = requests
        .iter()
        .rev()
        .find(|r| r.body.to_string().contains("and now?"))
        .unwrap();
    let text = last.body.to_string();
    assert!(
        text.contains("make the file") && text.contains("touch made.txt"),
        "{text}"
    );
    assert!(
        text.contains(stopped["workspacePath"].as_str().unwrap()),
        "another directory: {text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_answered_by_a_digit_closes_immediately() {
    if real_agents::skipped() {
        return;
    }
    let wait = json!({"command": "touch begun.txt; sleep 1000", "description": "wait"});
    let script = Script::new().when("wait long", [Step::call("Bash", wait)]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Waiter", "prompt": "wait long"});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["waiting"]).await;
    sandbox.shows(&id, "1. Yes").await;
    sandbox.press(&id, "1").await;
    // The allowed command does not end, so no hook reports the answer.
    let works = sandbox.status(&id, &["running"]).await;
    assert_eq!(
        evidence(&works),
        ("input", "answered by key; the question left the screen")
    );
    assert_eq!(works["question"], Value::Null);
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
}
