//! Tests of the message queue with the real agents: a message that waits for the end of a turn, one that
//! interrupts it, some of several lines, a long one, and one that is sent while a person has a draft. Each
//! reaches the model exactly once.

use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Waits until the message that begins with `start` has this state, and returns it.
pub async fn becomes(sandbox: &Sandbox, id: &str, start: &str, state: &str) -> Value {
    let what = format!("{start:?} is {state}");
    let look = async || {
        let all = sandbox.get(&format!("/api/sessions/{id}/messages")).await.ok()?;
        let mut all = all.as_array()?.clone().into_iter();
        all.find(|message| message["text"].as_str().unwrap().starts_with(start) && message["state"] == state)
    };
    until(&what, look).await
}

/// Short texts of several lines, one of them with the tags in which Claude Code wraps a paste.
const SHORT: [&str; 4] = [
    "one\ntwo\nthree",
    "first\n\n\n\nlast",
    "- a list\n- of work\n  - with parts\n- and an end\n",
    "see <pasted_content id=\"1\">\nthis\n</pasted_content>\nand that",
];

async fn delivers(agent: &str) {
    if real_agents::skipped() {
        return;
    }
    let script = Script::new().when("think long", [Step::say("I thought.").held("thought")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Busy", "agent": agent, "prompt": "begin"});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let path = format!("/api/sessions/{id}/message");
    let send = async |content: &str, when: &str, wait: u32| {
        let request = json!({"content": content, "when": when, "waitSeconds": wait});
        sandbox.post(&path, request).await.unwrap()
    };
    let works = send("think long\nabout it", "when-ready", 60).await;
    assert_eq!(works["state"], "delivered", "{works}");
    until("the model is asked", async || {
        let turns = model.turns();
        turns
            .iter()
            .any(|turn| turn.prompt.contains("think long"))
            .then_some(())
    })
    .await;
    let held = send("after that", "when-ready", 1).await;
    assert_eq!(
        (&held["state"], &held["detail"]),
        (&json!("queued"), &json!("the agent is working"))
    );
    let now = send("drop that", "now", 60).await;
    assert_eq!(now["state"], "delivered", "{now}");
    // Claude Code gives an interrupted prompt back; it is sent again before the new one.
    model.release("thought");
    becomes(&sandbox, &id, "after that", "delivered").await;
    sandbox.status(&id, &["idle"]).await;

    // Claude Code sends a text of four or more lines to the model as a paste.
    for (lines, text) in SHORT.iter().enumerate() {
        let sent = send(text, "when-ready", 60).await;
        assert_eq!(sent["state"], "delivered", "{lines}: {sent}");
        sandbox.status(&id, &["idle"]).await;
    }

    let long = format!(
        "many lines\n{}the end 🎉",
        "filler filler filler filler\n".repeat(3_800)
    );
    send(&long, "when-ready", 0).await;
    becomes(&sandbox, &id, "many lines", "delivered").await;
    sandbox.status(&id, &["idle"]).await;

    sandbox.press(&id, "my own draft").await;
    sandbox.shows(&id, "my own draft").await;
    let held = send("beside it", "when-ready", 3).await;
    assert_eq!(
        (&held["state"], &held["detail"]),
        (&json!("queued"), &json!("its prompt contains a draft"))
    );
    sandbox.press(&id, "\r").await;
    becomes(&sandbox, &id, "beside it", "delivered").await;
    sandbox.status(&id, &["idle"]).await;

    let turns = model.turns();
    let asked: Vec<&str> = turns.iter().map(|turn| turn.prompt.as_str()).collect();
    for prompt in [
        "think long\nabout it",
        "drop that",
        "after that",
        "my own draft",
        "beside it",
    ] {
        let is_it =
            |asked: &&&str| asked.trim() == prompt || (prompt == "drop that" && asked.contains(prompt));
        let times = asked.iter().filter(is_it).count();
        assert_eq!(times, 1, "{prompt:?} in {:?}", short(&asked));
    }
    for text in SHORT {
        // Claude Code adds a backslash to tags that look like its own.
        let has = |asked: &&&str| asked.replace('\\', "").contains(text.trim());
        let times = asked.iter().filter(has).count();
        assert_eq!(times, 1, "{text:?} in {:?}", short(&asked));
    }
    let whole = |asked: &&&str| asked.contains("many lines\nfiller") && asked.contains("filler\nthe end 🎉");
    assert_eq!(asked.iter().filter(whole).count(), 1, "{:?}", short(&asked));
}

fn short<'a>(asked: &[&'a str]) -> Vec<&'a str> {
    asked.iter().map(|text| text.get(..60).unwrap_or(text)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_gets_every_message_once() {
    delivers("claude").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_gets_every_message_once() {
    delivers("codex").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_gets_every_message_once() {
    delivers("opencode").await;
}

/// Claude Code puts a prompt back if its turn is interrupted without output. After an interrupting message,
/// the prompt is sent again before that message; after a person's Esc, it is reported as interrupted.
#[tokio::test(flavor = "multi_thread")]
async fn messages_that_claude_code_gives_back_are_not_lost() {
    if real_agents::skipped() {
        return;
    }
    let script = Script::new()
        .when("beta", [Step::say("Both.")])
        .when("alpha", [Step::say("I thought.").held("alpha")])
        .when("gamma", [Step::say("I thought.").held("gamma")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["claude"]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Busy", "agent": "claude", "prompt": "begin"});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let path = format!("/api/sessions/{id}/message");
    let send = async |content: &str, when: &str| {
        let request = json!({"content": content, "when": when, "waitSeconds": 60});
        sandbox.post(&path, request).await.unwrap()
    };
    let asked = async |words: &str| {
        until(words, async || {
            model.turns().into_iter().find(|turn| turn.prompt.contains(words))
        })
        .await
    };
    assert_eq!(
        send(
            "the alpha words, which are known by their first letters",
            "when-ready"
        )
        .await["state"],
        "delivered"
    );
    asked("alpha").await;
    assert_eq!(send("the beta words", "now").await["state"], "delivered");
    let beta = asked("beta").await;
    assert_eq!(
        beta.prompt.trim(),
        "the alpha words, which are known by their first letters\n\nthe beta words"
    );
    becomes(
        &sandbox,
        &id,
        "the alpha words, which are known by their first letters",
        "delivered",
    )
    .await;
    sandbox.status(&id, &["idle"]).await;

    assert_eq!(send("the gamma words", "when-ready").await["state"], "delivered");
    asked("gamma").await;
    sandbox.press(&id, "\x1b").await;
    let gamma = becomes(&sandbox, &id, "the gamma words", "interrupted").await;
    let detail = gamma["detail"].as_str().unwrap();
    assert!(detail.contains("put it back into its prompt"), "{detail}");
    // Sent again, the message replaces the text in the prompt, so the model gets it once.
    model.release("gamma");
    let number = gamma["id"].to_string();
    let again = sandbox.cli(&["messages", &id, "again", &number]);
    assert!(again.status.success(), "{again:?}");
    becomes(&sandbox, &id, "the gamma words", "delivered").await;
    sandbox.status(&id, &["idle"]).await;
    let last = model
        .requests()
        .into_iter()
        .rfind(|asked| asked.body.to_string().contains("gamma"));
    let last = last.unwrap().body.to_string();
    assert_eq!(last.matches("the gamma words").count(), 1, "{last}");
    assert_eq!(
        last.matches("the alpha words, which are known by their first letters")
            .count(),
        1,
        "{last}"
    );
}
