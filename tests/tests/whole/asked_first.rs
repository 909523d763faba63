//! Tests of who gets a worker's question first: its conductor, if the person allows that, and then the person
//! if the question stays open.

use crate::family::{as_session, token_of};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

struct Fleet {
    sandbox: Sandbox,
    project: String,
    lead: String,
    token: String,
}

impl Fleet {
    /// Starts an idle conductor. The engine waits `seconds` before it notifies the person of a question.
    async fn with(seconds: u32) -> Self {
        let mut sandbox = Sandbox::new();
        sandbox.configure(&format!("watchdog: {{ answerWithin: {seconds} }}\n"));
        sandbox.start().await;
        let project = sandbox.project("shop").await;
        let lead = json!({
            "projectId": project, "title": "Lead", "prompt": "env DOWNBEAT_TOKEN", "conductor": true,
        });
        let lead = sandbox.session(lead).await;
        let token = token_of(&sandbox, &lead).await;
        sandbox.status(&lead, &["idle"]).await;
        Self {
            sandbox,
            project,
            lead,
            token,
        }
    }

    async fn allow(&self, yes: bool) {
        let path = format!("/api/projects/{}", self.project);
        let body = json!({"conductorsAnswer": yes});
        let project = self.sandbox.call("PATCH", &path, Some(body)).await.unwrap();
        assert_eq!(project["conductorsAnswer"], yes);
    }

    /// Starts a worker and waits until it has a question.
    async fn asking(&self, name: &str, prompt: &str) -> String {
        let worker = json!({"projectId": self.project, "title": name, "prompt": prompt, "parent": self.lead});
        let id = self.sandbox.session(worker).await;
        self.sandbox.status(&id, &["waiting"]).await;
        id
    }

    async fn answers(&self, id: &str, body: Value) -> (u16, Value) {
        let path = format!("/api/sessions/{id}/answer");
        as_session(&self.sandbox, &self.token, "POST", &path, body).await
    }

    /// Returns the texts of the person's notices that a session needs an answer.
    async fn told(&self, id: &str) -> Vec<String> {
        let notices = self.sandbox.get("/api/notices").await.unwrap();
        let all = notices.as_array().unwrap().iter();
        let own = all.filter(|notice| notice["sessionId"] == id && notice["kind"] == "needsInput");
        own.map(|notice| notice["text"].as_str().unwrap().to_owned())
            .collect()
    }
}

#[tokio::test]
async fn a_conductor_may_give_answers_that_do_not_last_if_the_person_allows_it() {
    let fleet = Fleet::with(600).await;
    let worker = fleet.asking("Helper", "offer npm run first\nsay done").await;
    assert_eq!(fleet.told(&worker).await.len(), 1, "the person is asked");
    let first = |choice: &str| json!({"choice": choice, "question": "Bash: npm run first"});
    let (status, refused) = fleet.answers(&worker, first("1")).await;
    assert_eq!(
        (status, &refused["code"]),
        (403, &json!("forbidden")),
        "{refused}"
    );
    assert!(
        refused["hint"]
            .as_str()
            .unwrap()
            .contains("project edit shop --conductors-answer yes"),
        "{refused}"
    );
    let edited = fleet
        .sandbox
        .cli(&["project", "edit", "shop", "--conductors-answer", "yes"]);
    assert!(edited.status.success(), "{edited:?}");
    for lasting in ["2", "Yes, and"] {
        let (status, refused) = fleet.answers(&worker, first(lasting)).await;
        assert_eq!(status, 403, "{refused}");
        assert!(
            refused["message"].as_str().unwrap().contains("lasts"),
            "{refused}"
        );
    }
    let (status, unsaid) = fleet.answers(&worker, json!({"choice": "1"})).await;
    assert_eq!(status, 400, "{unsaid}");
    let other = json!({"choice": "1", "question": "Bash: rm -rf /"});
    let (status, refused) = fleet.answers(&worker, other).await;
    assert_eq!(status, 409, "another question is meant: {refused}");
    let (status, given) = fleet.answers(&worker, first("1")).await;
    assert_eq!((status, &given["answer"]), (200, &json!("Yes")), "{given}");
    fleet.sandbox.status(&worker, &["idle"]).await;

    let second = fleet.asking("Second", "offer npm run second").await;
    assert_eq!(fleet.told(&second).await, [""; 0], "its conductor is asked first");
    let (status, refused) = fleet.answers(&fleet.lead, json!({"choice": "1"})).await;
    assert_eq!(status, 403, "not its own: {refused}");
}

#[tokio::test]
async fn a_question_that_stays_open_causes_one_notice() {
    let fleet = Fleet::with(2).await;
    fleet.allow(true).await;
    let worker = fleet.asking("Helper", "offer npm run first").await;
    let told = until("the person is told", async || {
        Some(fleet.told(&worker).await).filter(|told| !told.is_empty())
    })
    .await;
    assert_eq!(told, ["Bash: npm run first"]);
    // Later changes cause no second notice.
    let other = fleet
        .sandbox
        .session(json!({"projectId": fleet.project, "title": "Other", "prompt": "say hello"}))
        .await;
    fleet.sandbox.status(&other, &["idle"]).await;
    assert_eq!(fleet.told(&worker).await.len(), 1);
}

#[tokio::test]
async fn the_person_is_notified_immediately_if_the_conductor_ends_even_by_a_later_engine() {
    let mut fleet = Fleet::with(600).await;
    fleet.allow(true).await;
    let worker = fleet.asking("Helper", "offer npm run first").await;
    assert_eq!(fleet.told(&worker).await, [""; 0]);
    fleet.sandbox.kill_engine();
    fleet.sandbox.start().await;
    fleet.sandbox.status(&worker, &["waiting"]).await;
    assert_eq!(fleet.told(&worker).await, [""; 0]);
    let stop = json!({"id": fleet.lead});
    fleet.sandbox.post("/api/sessions/stop", stop).await.unwrap();
    until("the person is told", async || {
        (fleet.told(&worker).await == ["Bash: npm run first"]).then_some(())
    })
    .await;
}
