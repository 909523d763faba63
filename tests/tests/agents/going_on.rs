//! Tests of resume and fork with the real agents. A resume continues the newest conversation, also after
//! the agent's own commands for a new conversation and for its exit. A fork starts with a copy of the
//! conversation in a worktree of its own. A lost conversation is reported, and a new one starts only on
//! request. Each step also checks the status and its evidence.

use crate::tells;
use crate::typing::{commands, types};
use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The commands of one agent, and the evidence of its states.
struct Ways {
    agent: &'static str,
    /// The command that begins another conversation, typed into the prompt.
    anew: &'static str,
    /// The evidence that the agent is idle after [`Self::anew`].
    anew_tells: &'static str,
    /// The command that ends the agent, typed into the prompt.
    exit: &'static str,
    /// The evidence that the agent is idle after a turn.
    rests: &'static str,
    /// The start of the evidence that the agent is idle after a resume.
    back: &'static str,
    /// The tool call that creates `forked.txt`. The path is relative, so that it shows where the fork works.
    makes: Call,
    /// Deletes everything that the agent recorded of its conversations.
    forget: fn(&Sandbox, &Path),
}

/// Reports whether the last request with `now` also contained `before`; `None` if there is no request with
/// `now`. Only requests that offer tools belong to the conversation: Codex also requests a title, with only
/// the words that were typed last.
fn held(model: &ModelServer, now: &str, before: &str) -> Option<bool> {
    let asked = model.requests();
    let offers_tools = |body: &&Value| body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let bodies = asked.iter().rev().map(|asked| &asked.body).filter(offers_tools);
    let mut texts = bodies.map(Value::to_string);
    Some(texts.find(|text| text.contains(now))?.contains(before))
}

async fn act(sandbox: &Sandbox, id: &str, what: &str, body: Value) -> Value {
    let done = sandbox.post(&format!("/api/sessions/{id}/{what}"), body).await;
    done.unwrap_or_else(|refused| panic!("{what}: {refused:?}"))
}

/// Sends words and waits for the end of their turn; by then the agent has recorded them. Returns the session.
async fn say(sandbox: &Sandbox, model: &ModelServer, id: &str, words: &str) -> Value {
    let path = format!("/api/sessions/{id}");
    let before = sandbox.get(&path).await.unwrap()["statusEvidence"].clone();
    act(sandbox, id, "message", json!({ "content": words })).await;
    until(words, async || held(model, words, words)).await;
    until("the end of the turn", async || {
        let session = sandbox.get(&path).await.ok()?;
        (session["status"] == "idle" && session["statusEvidence"] != before).then_some(session)
    })
    .await
}

/// Checks a session's conversation after a command for another one, an exit, a resume, a fork, and the loss
/// of the agent's records.
async fn goes_on(ways: Ways) {
    if real_agents::skipped() {
        return;
    }
    let makes = Step::calls([ways.makes.clone()]);
    let script = Script::new().when("fourth words", [makes, Step::say("It is there.")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[ways.agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "First", "agent": ways.agent, "prompt": "first words",
        // Codex's sandbox does not start in a temporary directory.
        "permissionMode": if ways.agent == "codex" { "bypass" } else { "acceptEdits" },
    });
    let id = sandbox.session(ask).await;
    until("the first words", async || {
        held(&model, "first words", "first words")
    })
    .await;
    let first = sandbox.status(&id, &["idle"]).await;
    assert_eq!(tells(&first), ways.rests, "{}", ways.agent);

    let is_anew =
        |session: &Value, text: &str| !text.contains("first words") && tells(session) == ways.anew_tells;
    commands(&sandbox, &id, ways.anew, is_anew).await;
    let second = say(&sandbox, &model, &id, "second words").await;
    assert_eq!(held(&model, "second words", "first words"), Some(false));
    assert_eq!(tells(&second), ways.rests);

    types(&sandbox, &id, ways.exit).await;
    let ended = sandbox.status(&id, &["exited"]).await;
    assert_eq!(tells(&ended), "exited: process, exit code 0");
    let facts = sandbox.told(&id).await;
    act(&sandbox, &id, "resume", json!({})).await;
    let back = sandbox.status(&id, &["idle"]).await;
    assert!(tells(&back).starts_with(ways.back), "{}", sandbox.told(&id).await);
    say(&sandbox, &model, &id, "third words").await;
    let went_on = held(&model, "third words", "second words");
    assert_eq!(went_on, Some(true), "went on with another conversation:\n{facts}");
    assert_eq!(held(&model, "third words", "first words"), Some(false));

    is_told(&sandbox, &id).await;
    forks(&sandbox, &model, &id, &ways).await;
    loses(&sandbox, &model, &id, &ways).await;
}

/// Checks that the session's story holds the prompts and answers of both conversations in their order.
async fn is_told(sandbox: &Sandbox, id: &str) {
    until("the story tells both conversations", async || {
        let story = sandbox.get(&format!("/api/sessions/{id}/story")).await.ok()?;
        let entries = story["entries"].as_array()?;
        let of = |kind: &'static str| entries.iter().filter(move |entry| entry["kind"] == kind);
        let said: Vec<_> = of("prompt")
            .filter_map(|entry| entry["detail"].as_str())
            .collect();
        let words = ["first words", "second words", "third words"];
        let places = words.map(|words| said.iter().position(|text| text.contains(words)));
        let in_order = places.iter().all(Option::is_some) && places.is_sorted();
        (in_order && of("answer").count() >= words.len()).then_some(())
    })
    .await;
}

async fn forks(sandbox: &Sandbox, model: &ModelServer, id: &str, ways: &Ways) {
    let fork = act(sandbox, id, "fork", json!({ "prompt": "fourth words" })).await;
    let (other, place) = (
        fork["id"].as_str().unwrap(),
        PathBuf::from(fork["workspacePath"].as_str().unwrap()),
    );
    let asked = within(PATIENCE, async || held(model, "fourth words", "fourth words"));
    assert!(asked.await.is_some(), "{}", sandbox.told(other).await);
    assert_eq!(held(model, "fourth words", "third words"), Some(true), "forked");
    until("the fork works in its own folder", async || {
        place.join("forked.txt").exists().then_some(())
    })
    .await;
    let fork = sandbox.status(other, &["idle"]).await;
    assert_eq!(tells(&fork), ways.rests);
    sandbox
        .post("/api/sessions/stop", json!({ "id": other }))
        .await
        .unwrap();
    let stopped = sandbox.status(other, &["exited"]).await;
    assert_eq!(tells(&stopped), "exited: engine, stopped on request");
    // The first session continues without the fork's words.
    say(sandbox, model, id, "fifth words").await;
    assert_eq!(held(model, "fifth words", "fourth words"), Some(false));
}

/// Checks that resume and fork report a lost conversation, and that `fresh` starts a new one.
async fn loses(sandbox: &Sandbox, model: &ModelServer, id: &str, ways: &Ways) {
    sandbox
        .post("/api/sessions/stop", json!({ "id": id }))
        .await
        .unwrap();
    let session = sandbox.status(id, &["exited"]).await;
    let restore = format!("/api/sessions/{id}/restore");
    let kept = sandbox.get(&restore).await.unwrap();
    assert_eq!(kept["conversation"], "kept", "{kept}");
    (ways.forget)(sandbox, Path::new(session["workspacePath"].as_str().unwrap()));
    let gone = sandbox.get(&restore).await.unwrap();
    assert_eq!(gone["conversation"], "gone", "{gone}");
    for what in ["resume", "fork"] {
        let no = sandbox
            .post(&format!("/api/sessions/{id}/{what}"), json!({}))
            .await
            .unwrap_err();
        let text = no.body.to_string();
        let named = text.contains("--fresh") || text.contains("it is empty or lost");
        assert!(named, "{what}: {text}");
    }
    act(sandbox, id, "resume", json!({ "fresh": true })).await;
    sandbox.status(id, &["idle"]).await;
    say(sandbox, model, id, "sixth words").await;
    assert_eq!(held(model, "sixth words", "fifth words"), Some(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_resumes_and_forks_its_newest_conversation() {
    let touch = json!({ "command": "touch forked.txt", "description": "Make a file" });
    goes_on(Ways {
        agent: "claude",
        anew: "/clear",
        anew_tells: "idle: hook, SessionStart hook: clear",
        exit: "/exit",
        rests: "idle: hook, Stop hook",
        back: "idle: hook, SessionStart hook: resume",
        makes: Call::new("Bash", touch),
        forget: |sandbox, _| std::fs::remove_dir_all(sandbox.path().join("home/.claude/projects")).unwrap(),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_resumes_and_forks_its_newest_conversation() {
    goes_on(Ways {
        agent: "codex",
        anew: "/clear",
        // The hook of the new conversation comes with the next prompt.
        anew_tells: "idle: hook, Stop hook",
        exit: "/quit",
        rests: "idle: hook, Stop hook",
        back: "idle: title, the title: ",
        makes: Call::new("exec_command", json!({ "cmd": "touch forked.txt" })),
        forget: |sandbox, _| std::fs::remove_dir_all(sandbox.path().join("home/.codex/sessions")).unwrap(),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_resumes_and_forks_its_newest_conversation() {
    goes_on(Ways {
        agent: "opencode",
        anew: "/new",
        anew_tells: "idle: hook, session.status event: idle",
        exit: "/exit",
        rests: "idle: hook, session.status event: idle",
        back: "idle: title, the title: ",
        makes: Call::new("write", json!({ "filePath": "forked.txt", "content": "here" })),
        forget: forget_opencode,
    })
    .await;
}

/// Deletes the sessions of OpenCode in `place` with its own command.
fn forget_opencode(sandbox: &Sandbox, place: &Path) {
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(sandbox.path().join("bin/opencode"));
        let out = command.current_dir(place).args(arguments).output().unwrap();
        assert!(out.status.success(), "{out:?}");
        out.stdout
    };
    let listed: Value = serde_json::from_slice(&run(&["session", "list", "--format", "json"])).unwrap();
    for session in listed.as_array().unwrap() {
        run(&["session", "delete", session["id"].as_str().unwrap()]);
    }
}
