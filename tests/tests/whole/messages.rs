//! Tests messages and questions: a message is delivered once and never typed into an open question.

use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

#[tokio::test]
async fn a_message_is_delivered_and_an_open_question_holds_back_the_next() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Talks", "prompt": "say ready" }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let receipt = sandbox
        .post(
            &format!("/api/sessions/{id}/message"),
            json!({ "content": "say got it" }),
        )
        .await
        .unwrap();
    assert_eq!(receipt["state"], "delivered", "{receipt}");
    sandbox.shows(&id, "got it").await;
    sandbox.status(&id, &["idle"]).await;
    sandbox
        .post(
            &format!("/api/sessions/{id}/message"),
            json!({ "content": "ask npm run migrate" }),
        )
        .await
        .unwrap();
    let waiting = sandbox.status(&id, &["waiting"]).await;
    assert!(
        waiting["question"]["text"]
            .as_str()
            .unwrap()
            .contains("npm run migrate"),
        "{waiting:#}"
    );
    assert_eq!(waiting["statusEvidence"]["source"], "hook");
    let held = sandbox
        .post(
            &format!("/api/sessions/{id}/message"),
            json!({ "content": "say afterwards", "waitSeconds": 1 }),
        )
        .await
        .unwrap();
    assert_eq!(held["state"], "queued", "{held}");
    assert!(
        held["detail"].as_str().unwrap().contains("a question is open"),
        "{held}"
    );
    let notices = sandbox.get("/api/notices").await.unwrap();
    assert!(
        notices
            .as_array()
            .unwrap()
            .iter()
            .any(|notice| notice["kind"] == "needsInput"),
        "{notices}"
    );
    for empty in ["", "  \n "] {
        let refused = sandbox
            .post(
                &format!("/api/sessions/{id}/message"),
                json!({ "content": empty }),
            )
            .await
            .unwrap_err();
        assert_eq!(refused.body["code"], "invalid");
    }
    let shown = sandbox.shows(&id, "Do you want to proceed?").await;
    assert!(!shown.contains("answered"), "{shown}");
    sandbox.press(&id, "\r").await;
    let shown = sandbox.shows(&id, "afterwards").await;
    assert!(shown.contains("answered"), "{shown}");
}

#[tokio::test]
async fn a_question_that_opens_under_a_message_is_not_answered_by_it() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Busy", "prompt": "say begun\ntrap rm -rf x" }))
        .await;
    sandbox.shows(&id, "begun").await;
    sandbox.status(&id, &["running"]).await;
    let now = json!({ "content": "say hello", "when": "now", "waitSeconds": 60 });
    let message = format!("/api/sessions/{id}/message");
    let (receipt, ()) = tokio::join!(sandbox.post(&message, now), async {
        let beside = async || {
            let all = sandbox.get(&format!("/api/sessions/{id}/messages")).await.ok()?;
            let detail = all[0]["detail"].as_str()?;
            detail.contains("a question opened").then_some(())
        };
        until("the message waits beside the question", beside).await;
        let shown = sandbox.shows(&id, "Do you want to proceed?").await;
        assert!(!shown.contains("fell for"), "{shown}");
        // The person's answer is accepted, and the message that the question swallowed is typed again.
        sandbox.press(&id, "\r").await;
    });
    assert_eq!(receipt.unwrap()["state"], "delivered");
    let shown = sandbox.shows(&id, "hello").await;
    assert!(shown.contains("fell for"), "{shown}");
    assert_eq!(
        shown.lines().filter(|line| line.trim() == "hello").count(),
        1,
        "{shown}"
    );
}

#[tokio::test]
async fn an_answer_reaches_only_its_question() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let prompt = "offer npm run first\noffer npm run second";
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Asks", "prompt": prompt }))
        .await;
    let open = async |text: &str| {
        until("the question with its answers", async || {
            let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
            let question = &session["question"];
            (question["text"] == text && question["options"][2] == "No").then_some(())
        })
        .await;
    };
    let answer = async |choice: &str, question: &str| {
        let request = json!({ "choice": choice, "question": question });
        sandbox.post(&format!("/api/sessions/{id}/answer"), request).await
    };
    let (first, second) = ("Bash: npm run first", "Bash: npm run second");
    open(first).await;
    let early = answer("Yes", second).await.unwrap_err();
    assert_eq!(early.body["code"], "conflict");
    let given = answer("Yes, and don't ask again for this command", first).await;
    assert_eq!(given.unwrap()["delivery"], "taken");
    open(second).await;
    let late = answer("Yes", first).await.unwrap_err();
    assert_eq!(late.body["code"], "conflict");
    assert!(
        late.body["message"].as_str().unwrap().contains(second),
        "{late:?}"
    );
    sandbox.shows(&id, "Do you want to proceed?").await;
    let given = answer("3", second).await.unwrap();
    assert_eq!(
        (&given["answer"], &given["delivery"]),
        (&json!("No"), &json!("taken"))
    );
    sandbox.status(&id, &["idle"]).await;
    let shown = sandbox.shows(&id, "answered No").await;
    assert!(shown.contains("answered Yes, and don't ask again"), "{shown}");
}

#[tokio::test]
async fn a_question_in_prose_waits_and_is_answered_by_a_message() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let prompt = "end Two ways.\\n\\n1. say lock\\n2. say queue\\n\\nWhich do you prefer?";
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Asks", "prompt": prompt }))
        .await;
    let waiting = sandbox.status(&id, &["waiting"]).await;
    let question = &waiting["question"];
    assert_eq!(
        *question,
        json!({ "kind": "asks", "text": "Which do you prefer?", "options": ["say lock", "say queue"] })
    );
    assert_eq!(waiting["statusEvidence"]["source"], "hook");
    let notices = sandbox.get("/api/notices").await.unwrap();
    assert_eq!(notices[0]["kind"], "needsInput");
    assert_eq!(notices[0]["text"], "Which do you prefer?");
    let answer = async |choice: &str| {
        let request = json!({ "choice": choice });
        sandbox.post(&format!("/api/sessions/{id}/answer"), request).await
    };
    let given = answer("2").await.unwrap();
    assert_eq!(
        (&given["answer"], &given["delivery"]),
        (&json!("say queue"), &json!("taken"))
    );
    sandbox.status(&id, &["idle"]).await;
    let none = answer("2").await.unwrap_err();
    assert_eq!(none.body["code"], "conflict");
    // Any text answers, and so does an ordinary message.
    let message = format!("/api/sessions/{id}/message");
    let ask = json!({ "content": "end Should I go on?" });
    sandbox.post(&message, ask.clone()).await.unwrap();
    sandbox.status(&id, &["waiting"]).await;
    let free = answer("say only on Mondays").await.unwrap();
    assert_eq!(free["delivery"], "taken");
    sandbox.shows(&id, "only on Mondays").await;
    sandbox.status(&id, &["idle"]).await;
    sandbox.post(&message, ask).await.unwrap();
    sandbox.status(&id, &["waiting"]).await;
    let sent = sandbox.post(&message, json!({ "content": "say fine" })).await;
    assert_eq!(sent.unwrap()["state"], "delivered");
    sandbox.status(&id, &["idle"]).await;
}
