//! Tests of a conductor that is the user of its worker: what kind of stop each event is, and what happens if the two exchange
//! messages and the code stays as it is.

use crate::family::{as_session, token_of};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// A session and its worker, with the token with which the former sends messages.
struct Pair {
    sandbox: Sandbox,
    lead: String,
    token: String,
    worker: String,
}

impl Pair {
    /// Starts a worker on `prompt`, under this configuration.
    async fn with(config: &str, prompt: &str) -> Self {
        let mut sandbox = Sandbox::new();
        sandbox.configure(config);
        sandbox.start().await;
        let project = sandbox.project("shop").await;
        // Without the tools it gets no messages automatically, so that each event comes from a wait.
        let lead = json!({ "projectId": project, "title": "Lead", "prompt": "env DOWNBEAT_TOKEN" });
        let lead = sandbox.session(lead).await;
        let token = token_of(&sandbox, &lead).await;
        let worker = json!({ "projectId": project, "title": "Login", "prompt": prompt, "parent": lead });
        let worker = sandbox.session(worker).await;
        let allow = json!({ "conductorsAnswer": true });
        let path = format!("/api/projects/{project}");
        sandbox.call("PATCH", &path, Some(allow)).await.unwrap();
        Self {
            sandbox,
            lead,
            token,
            worker,
        }
    }

    /// Returns the next event of the worker.
    async fn event(&self) -> Value {
        let path = format!("/api/sessions/{}/workers/wait", self.lead);
        let report = self
            .sandbox
            .post(&path, json!({ "timeoutSeconds": 30 }))
            .await
            .unwrap();
        assert_eq!(report["events"].as_array().unwrap().len(), 1, "{report:#}");
        report["events"][0].clone()
    }

    /// Sends the worker a message of its conductor, and waits until that turn is over.
    async fn says(&self, content: &str) {
        self.sends(content).await;
        self.sandbox.status(&self.worker, &["idle"]).await;
    }

    async fn sends(&self, content: &str) {
        let path = format!("/api/sessions/{}/message", self.worker);
        let body = json!({ "content": content, "waitSeconds": 30 });
        let (status, sent) = as_session(&self.sandbox, &self.token, "POST", &path, body).await;
        assert_eq!((status, &sent["state"]), (200, &json!("delivered")), "{sent}");
    }

    /// Returns the kind of thing for which the worker needs the person.
    async fn needs(&self) -> Value {
        let path = format!("/api/sessions/{}", self.worker);
        self.sandbox.get(&path).await.unwrap()["attention"]["kind"].clone()
    }

    async fn needs_person(&self) {
        until("the exchanges are raised", async || {
            (self.needs().await == "no_progress").then_some(())
        })
        .await;
    }

    /// Returns how often the person was told.
    async fn told(&self) -> usize {
        let text = "login and its conductor have exchanged 3 messages without a change to the code";
        let notices = self.sandbox.notices().await;
        let own = notices.iter().filter(|notice| notice["kind"] == "needsLook");
        own.filter(|notice| notice["text"] == text).count()
    }
}

#[tokio::test]
async fn each_stop_of_a_worker_says_what_kind_it_is() {
    let pair = Pair::with("", "end Which port should it use?").await;
    let said = |event: &Value| ["type", "stop", "answer"].map(|field| event[field].clone());
    let asks = |stop: &str, answer: &str| ["waiting", stop, answer].map(|word| json!(word));
    let event = pair.event().await;
    assert_eq!(said(&event), asks("question", "Which port should it use?"));
    assert!(
        event["terminalContent"].as_str().unwrap().contains("Which port"),
        "{event:#}"
    );
    let ways = "There are two ways.\n\n1. SQLite\n2. Postgres\n\nWhich do you prefer?";
    let plan = "# Plan\n\n1. The store\n2. The page\n\nShall I start?";
    for (answer, stop) in [
        (ways, "choice"),
        ("I read the code. Should I proceed?", "confirmation"),
        (plan, "plan"),
    ] {
        pair.sends(&format!("end {}", answer.replace('\n', "\\n"))).await;
        assert_eq!(said(&pair.event().await), asks(stop, answer));
    }

    // A dialog on the screen is known by its hook, whatever was said before.
    pair.sends("offer npm run first\nend Implementation complete: 3 tests pass.")
        .await;
    let event = pair.event().await;
    assert_eq!(
        said(&event),
        [json!("waiting"), json!("confirmation"), Value::Null]
    );
    let path = format!("/api/sessions/{}/answer", pair.worker);
    let choice = json!({ "choice": "1", "question": event["detail"] });
    let (status, given) = as_session(&pair.sandbox, &pair.token, "POST", &path, choice).await;
    assert_eq!((status, &given["answer"]), (200, &json!("Yes")), "{given}");
    let event = pair.event().await;
    let complete = ["finished", "complete", "Implementation complete: 3 tests pass."];
    assert_eq!(said(&event), complete.map(|word| json!(word)));
    pair.sends("die 3").await;
    let event = pair.event().await;
    assert_eq!(said(&event), [json!("exited"), json!("ended"), Value::Null]);
}

#[tokio::test]
async fn messages_that_change_nothing_are_raised_once_until_the_code_changes_or_the_person_looks() {
    let mut pair = Pair::with("watchdog: { exchanges: 3 }\n", "say hello").await;
    pair.event().await;
    for word in ["one", "two"] {
        pair.says(&format!("say {word}")).await;
        assert_eq!(pair.event().await["warning"], Value::Null);
    }
    assert_eq!(pair.needs().await, Value::Null);
    pair.says("say three").await;
    pair.needs_person().await;
    pair.event().await;
    // A later engine knows it, and tells nobody again.
    pair.sandbox.kill_engine();
    pair.sandbox.start().await;
    pair.says("say four").await;
    let warned = pair.event().await["warning"].as_str().unwrap().to_owned();
    assert!(
        warned.starts_with("You and login have exchanged 4 messages"),
        "{warned}"
    );
    assert_eq!((pair.needs().await, pair.told().await), (json!("no_progress"), 1));

    // The person lets it go on.
    let continued = pair.sandbox.cli(&["go-on", "login"]);
    assert!(continued.status.success(), "{continued:?}");
    assert_eq!(pair.needs().await, Value::Null);
    let again = pair.sandbox.cli(&["go-on", "login"]);
    assert!(!again.status.success(), "there is nothing to continue: {again:?}");

    // A change begins the count anew: the two messages before it do not count.
    pair.says("say five").await;
    pair.says("write made.txt by-hand").await;
    for word in ["six", "seven"] {
        pair.says(&format!("say {word}")).await;
        assert_eq!(pair.needs().await, Value::Null, "{word}");
    }
    // Messages that were taken before the change was seen may count as before it.
    for word in ["eight", "nine", "ten", "eleven"] {
        pair.says(&format!("say {word}")).await;
    }
    pair.needs_person().await;
    let path = format!("/api/sessions/{}/message", pair.worker);
    let body = json!({ "content": "say the person was here" });
    pair.sandbox.post(&path, body).await.unwrap();
    until("the person has looked after it", async || {
        pair.needs().await.is_null().then_some(())
    })
    .await;
}
