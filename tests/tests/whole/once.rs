//! Tests of one-shot sessions: they are done if they exit with code 0, fail if they end otherwise, take no
//! messages, ask no questions, and can be resumed as a conversation. The agent is scripted; `tests/agents`
//! runs one-shots of the real agents.

use crate::processes::{keepers, kill};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::Path;

async fn session(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()
}

/// Returns kind and text of the notices about a session, the newest first.
async fn notices(sandbox: &Sandbox, id: &str) -> Vec<String> {
    let all = sandbox.notices().await;
    all.iter()
        .filter(|notice| notice["sessionId"] == id)
        .map(|notice| {
            let word = |name: &str| notice[name].as_str().unwrap();
            format!("{}: {}", word("kind"), word("text"))
        })
        .collect()
}

/// Returns type and detail of the events of a conductor's workers of which it was not notified yet.
async fn news(sandbox: &Sandbox, lead: &str) -> Vec<(String, String)> {
    let path = format!("/api/sessions/{lead}/workers/wait");
    let report = sandbox.post(&path, json!({"timeoutSeconds": 1})).await.unwrap();
    let events = report["events"].as_array().unwrap().iter();
    let word = |event: &Value, name: &str| event[name].as_str().unwrap().to_owned();
    events
        .map(|event| (word(event, "type"), word(event, "detail")))
        .collect()
}

fn finished(answer: &str) -> Vec<(String, String)> {
    vec![("finished".to_owned(), answer.to_owned())]
}

/// Starts an idle session to spawn from, a conductor if wanted; returns the ids of its project and of itself.
async fn lead(sandbox: &Sandbox, conductor: bool) -> (String, String) {
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Lead", "prompt": "say hello", "conductor": conductor});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    (project, id)
}

/// Starts a one-shot that works until the file `gate` exists and then does `then`; returns its id once the
/// agent took the task.
async fn held(sandbox: &Sandbox, project: &str, then: &str) -> String {
    let gate = sandbox.path().join("gate");
    let prompt = format!("work {}\n{then}", gate.display());
    let run = json!({"projectId": project, "title": "Sum", "once": true, "prompt": prompt});
    let id = sandbox.session(run).await;
    until("it took its task", async || {
        let seen = session(sandbox, &id).await["statusEvidence"]["detail"].clone();
        (seen == "UserPromptSubmit hook").then_some(())
    })
    .await;
    id
}

fn open_gate(sandbox: &Sandbox) {
    std::fs::write(sandbox.path().join("gate"), "").unwrap();
}

#[tokio::test]
async fn a_one_shot_that_exits_with_zero_is_done_and_can_be_resumed() {
    let sandbox = Sandbox::started().await;
    let (project, lead) = lead(&sandbox, false).await;
    let run = json!({
        "projectId": project, "title": "Sum", "parent": lead, "once": true,
        "prompt": "end The sum is right.\\nShall I commit it?",
    });
    let id = sandbox.session(run).await;
    let done = sandbox.status(&id, &["exited", "waiting", "errored"]).await;
    assert_eq!((&done["once"], &done["exitCode"]), (&json!(true), &json!(0)));
    assert_eq!(done["statusEvidence"]["detail"], "done: exit code 0");
    assert_eq!(done["error"], Value::Null);
    // The question in the answer and the end of the turn cause no notices of their own.
    assert_eq!(
        notices(&sandbox, &id).await,
        ["finished: is done: The sum is right."]
    );
    assert_eq!(
        news(&sandbox, &lead).await,
        finished("The sum is right.\nShall I commit it?")
    );
    assert_eq!(news(&sandbox, &lead).await, []);

    let resume = format!("/api/sessions/{id}/resume");
    sandbox.post(&resume, json!({})).await.unwrap();
    let back = sandbox.status(&id, &["idle"]).await;
    assert_eq!(back["once"], false, "a session like any other");
    let path = format!("/api/sessions/{id}/message");
    let taken = sandbox.post(&path, json!({"content": "say more"})).await.unwrap();
    assert_eq!(taken["state"], "delivered", "{taken}");
    assert!(sandbox.shows(&id, "more").await.contains("resumed"));
}

#[tokio::test]
async fn an_idle_conductor_gets_the_answer_in_a_message() {
    let sandbox = Sandbox::started().await;
    let (project, lead) = lead(&sandbox, true).await;
    for (title, prompt) in [("Sum", "end The sum is right."), ("Tax", "say half of it\ndie 3")] {
        let run = json!({
            "projectId": project, "title": title, "parent": lead, "once": true, "prompt": prompt,
        });
        sandbox.session(run).await;
    }
    until("both told", async || {
        let path = format!("/api/sessions/{lead}/messages");
        let all = sandbox.get(&path).await.unwrap();
        let all = all.as_array().unwrap().iter();
        let texts: Vec<_> = all.filter_map(|message| message["text"].as_str()).collect();
        let told = texts.concat();
        let failed = told.contains("- tax errored: its run failed: exit code 3");
        (failed && told.contains("- sum ran its task and ended: The sum is right.")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_failed_one_shot_reports_its_exit_code_and_a_running_one_takes_no_input() {
    let sandbox = Sandbox::started().await;
    let (project, lead) = lead(&sandbox, false).await;
    let gate = sandbox.path().join("gate");
    let prompt = format!("work {}\nsay half of it\ndie 3", gate.display());
    let run = json!({
        "projectId": project, "title": "Sum", "parent": lead, "once": true, "prompt": prompt,
    });
    let id = sandbox.session(run).await;
    sandbox.status(&id, &["running"]).await;
    for (what, body, says, hint) in [
        (
            "message",
            json!({"content": "hurry"}),
            "sum is a one-shot run and takes no messages",
            "resume it once it has ended, to continue as a conversation",
        ),
        (
            "pause",
            json!({}),
            "sum is a one-shot run, which cannot be interrupted",
            "`downbeat stop sum` ends it; a resume continues from there",
        ),
        (
            "ask",
            json!({"question": "Cents?"}),
            "sum is a one-shot run: nobody can answer it",
            "decide it yourself, and say so in your report",
        ),
    ] {
        let path = format!("/api/sessions/{id}/{what}");
        let refused = sandbox.post(&path, body).await.unwrap_err();
        assert_eq!(refused.status, 409);
        assert_eq!(refused.body["message"], says);
        assert_eq!(refused.body["hint"], hint);
    }
    open_gate(&sandbox);
    let failed = sandbox.status(&id, &["exited", "errored"]).await;
    assert_eq!(
        (&failed["status"], &failed["exitCode"]),
        (&json!("errored"), &json!(3))
    );
    let error = failed["error"].as_str().unwrap();
    assert!(error.starts_with("its run failed: exit code 3\n"), "{error}");
    assert!(error.contains("half of it"), "{error}");
    assert_eq!(
        notices(&sandbox, &id).await,
        ["failed: its run failed: exit code 3"]
    );
    let told = ("errored".to_owned(), "its run failed: exit code 3".to_owned());
    assert_eq!(news(&sandbox, &lead).await, [told]);
    let path = format!("/api/sessions/{id}/message");
    let refused = sandbox.post(&path, json!({"content": "again"})).await;
    assert_eq!(
        refused.unwrap_err().body["hint"],
        "resume it to continue as a conversation"
    );
}

#[tokio::test]
async fn a_stopped_one_shot_is_not_done_and_a_report_is_delivered_once() {
    let sandbox = Sandbox::started().await;
    let (project, lead) = lead(&sandbox, false).await;
    // The agent exits with code 0 on SIGTERM and SIGHUP.
    declare(
        &sandbox,
        "trap 'exit 0' TERM HUP\necho begun\nuntil [ -e go ]; do sleep 0.05; done\n",
    );
    let run = |title: &str| {
        json!({
            "projectId": project, "title": title, "parent": lead, "agent": "mine", "once": true, "prompt": "add",
        })
    };
    let id = sandbox.session(run("Sum")).await;
    sandbox.shows(&id, "begun").await;
    sandbox
        .post("/api/sessions/stop", json!({"id": id}))
        .await
        .unwrap();
    let stopped = sandbox.status(&id, &["exited"]).await;
    assert_eq!(stopped["statusEvidence"]["source"], "engine", "{stopped:#}");
    let told: Vec<_> = news(&sandbox, &lead).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, "exited");

    let id = sandbox.session(run("Tax")).await;
    sandbox.shows(&id, "begun").await;
    let report = json!({"status": "done", "summary": "It is 19 %."});
    sandbox
        .post(&format!("/api/sessions/{id}/report"), report)
        .await
        .unwrap();
    let workspace = session(&sandbox, &id).await["workspacePath"].clone();
    std::fs::write(Path::new(workspace.as_str().unwrap()).join("go"), "").unwrap();
    sandbox.status(&id, &["exited"]).await;
    let told: Vec<_> = news(&sandbox, &lead).await;
    let said = "said done: the project has no checks; it says: It is 19 %.";
    assert_eq!(told, [("reported".to_owned(), said.to_owned())]);
    assert_eq!(news(&sandbox, &lead).await, []);
}

/// Declares the agent `mine`, which runs this shell script with the prompt as an argument.
fn declare(sandbox: &Sandbox, script: &str) {
    let path = sandbox.path().join("agent.sh");
    std::fs::write(&path, script).unwrap();
    let folder = sandbox.data().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    let path = path.to_string_lossy();
    let manifest = format!(
        "command: [sh, '{path}']\nprompt: none\npermission: {{plan: [], ask: [], acceptEdits: [], bypass: []}}\nonce: [sh, '{path}', --run, 'task: {{prompt}}']\n"
    );
    std::fs::write(folder.join("mine.yaml"), manifest).unwrap();
}

#[tokio::test]
async fn a_declared_agent_runs_once_as_its_manifest_says() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    declare(
        &sandbox,
        "echo \"[$1] [$2]\"\nuntil [ -e go ]; do sleep 0.05; done\necho \"added up\"\n",
    );
    let run = json!({
        "projectId": project, "title": "Sum", "agent": "mine", "once": true, "prompt": "add\n$(touch x); up",
    });
    let id = sandbox.session(run).await;
    let runs = sandbox.status(&id, &["running", "unknown"]).await;
    assert_eq!(
        (&runs["status"], &runs["activity"]),
        (&json!("running"), &json!("active"))
    );
    assert_eq!(runs["statusEvidence"]["detail"], "process started");
    sandbox.shows(&id, "$(touch x); up]").await;
    let message = json!({"content": "hurry"});
    let refused = sandbox
        .post(&format!("/api/sessions/{id}/message"), message)
        .await;
    assert_eq!(
        refused.unwrap_err().body["hint"],
        "its agent cannot resume a conversation: start another session"
    );
    let workspace = runs["workspacePath"].as_str().unwrap();
    std::fs::write(Path::new(workspace).join("go"), "").unwrap();
    sandbox.status(&id, &["exited"]).await;
    let shown = sandbox.get(&format!("/api/sessions/{id}/output")).await.unwrap();
    let shown = shown["text"].as_str().unwrap();
    assert!(shown.contains("[--run] [task: add"), "{shown}");
    let told = notices(&sandbox, &id).await;
    assert_eq!(told, ["finished: is done: [--run] [task: add"], "{shown}");
}

#[tokio::test]
async fn a_one_shot_does_not_run_in_an_untrusted_project() {
    let sandbox = Sandbox::started().await;
    let path = sandbox.repository("shop");
    let added = sandbox
        .post("/api/projects", json!({ "path": path }))
        .await
        .unwrap();
    let run = json!({ "projectId": added["id"], "title": "Sum", "once": true, "prompt": "add" });
    let refused = sandbox.post("/api/sessions", run).await.unwrap_err();
    assert_eq!(
        refused.body["message"],
        "a one-shot run cannot ask whether you trust shop"
    );
    assert_eq!(sandbox.get("/api/sessions").await.unwrap(), json!([]));
}

#[tokio::test]
async fn a_one_shot_that_ended_without_an_engine_is_reported_by_the_next_one() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = held(&sandbox, &project, "end The sum is right.").await;
    sandbox.kill_engine();
    open_gate(&sandbox);
    sandbox.start().await;
    let done = sandbox.status(&id, &["exited", "errored", "idle"]).await;
    assert_eq!(done["statusEvidence"]["detail"], "done: exit code 0", "{done:#}");
    assert_eq!(
        notices(&sandbox, &id).await,
        ["finished: is done: The sum is right."]
    );
}

#[tokio::test]
async fn a_one_shot_whose_keeper_was_killed_resumes_as_a_conversation_or_runs_again() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = held(&sandbox, &project, "end The sum is right.").await;
    let resume = format!("/api/sessions/{id}/resume");
    kill(keepers(&sandbox.data(), &id)[0].pid);
    sandbox.status(&id, &["errored"]).await;
    sandbox.post(&resume, json!({})).await.unwrap();
    let back = sandbox.status(&id, &["idle", "exited"]).await;
    assert_eq!((&back["status"], &back["once"]), (&json!("idle"), &json!(false)));

    // If the agent had not taken the task before the kill, a resume runs the task.
    sandbox.kill_engine();
    sandbox.set_env("FAKE_CLAUDE_SLOW", "2000");
    sandbox.start().await;
    let run = json!({"projectId": project, "title": "Tax", "once": true, "prompt": "end It is 19 %."});
    let id = sandbox.session(run).await;
    sandbox.shows(&id, "Fake Claude in").await;
    kill(keepers(&sandbox.data(), &id)[0].pid);
    sandbox.status(&id, &["errored"]).await;
    let resume = format!("/api/sessions/{id}/resume");
    sandbox.post(&resume, json!({})).await.unwrap();
    let done = sandbox.status(&id, &["exited", "idle"]).await;
    assert_eq!(done["statusEvidence"]["detail"], "done: exit code 0", "{done:#}");
}

#[tokio::test]
async fn an_agent_that_cannot_enforce_a_mode_runs_once_only_with_bypass() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let folder = sandbox.data().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    let reads =
        |yes: bool| format!("command: [sh]\nonce: [sh, -c, 'true', '{{prompt}}']\nonceReads: {yes}\n");
    for (id, yes) in [("free", false), ("reads", true)] {
        std::fs::write(folder.join(format!("{id}.yaml")), reads(yes)).unwrap();
    }
    let agents = sandbox.get("/api/agents").await.unwrap();
    let told = |id: &str| {
        let all = agents.as_array().unwrap().iter();
        let agent = all.clone().find(|agent| agent["id"] == id);
        agent.unwrap_or_else(|| panic!("{agents:#}"))["onceReads"].clone()
    };
    assert_eq!(
        (told("claude"), told("gemini"), told("free"), told("reads")),
        (json!(true), json!(false), json!(false), json!(true))
    );
    let ask = |agent: &str, mode: &str| {
        json!({
            "projectId": project, "title": "Sum", "agent": agent, "once": true, "prompt": "add",
            "permissionMode": mode,
        })
    };
    for mode in ["plan", "ask", "acceptEdits"] {
        let refused = sandbox
            .post("/api/sessions", ask("free", mode))
            .await
            .unwrap_err();
        let wanted = format!("free cannot ask in a one-shot run, so `{mode}` cannot be enforced");
        assert_eq!(refused.body["message"], wanted);
    }
    for (agent, mode) in [("free", "bypass"), ("reads", "ask")] {
        let id = sandbox.session(ask(agent, mode)).await;
        sandbox.status(&id, &["exited"]).await;
    }
}

#[tokio::test]
async fn a_one_shot_that_gets_another_agent_before_its_task_becomes_an_ordinary_session() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let folder = sandbox.data().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    let taker = "command: [sh, -c, 'echo \"got: $1\"; cat', taker]\nprompt: argument\n";
    std::fs::write(folder.join("taker.yaml"), taker).unwrap();
    sandbox.kill_engine();
    sandbox.set_env("FAKE_CLAUDE_SLOW", "2000");
    sandbox.start().await;
    let run = json!({"projectId": project, "title": "Tax", "once": true, "prompt": "end It is 19 %."});
    let id = sandbox.session(run).await;
    sandbox.shows(&id, "Fake Claude in").await;
    kill(keepers(&sandbox.data(), &id)[0].pid);
    sandbox.status(&id, &["errored"]).await;
    let over = json!({"agent": "taker"});
    sandbox
        .post(&format!("/api/sessions/{id}/hand-over"), over)
        .await
        .unwrap();
    sandbox.shows(&id, "got: You take over").await;
    let now = session(&sandbox, &id).await;
    assert_eq!((&now["once"], &now["error"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn an_invalid_one_shot_is_refused() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let long = "x".repeat(100 * 1024);
    for (body, word) in [
        (json!({"prompt": "say it", "conductor": true}), "conductor"),
        (json!({"prompt": " "}), "it is empty"),
        (json!({"prompt": long}), "98304"),
        (
            json!({"prompt": "ls", "agent": "shell"}),
            "claude, codex, opencode",
        ),
    ] {
        let mut body = body;
        body["projectId"] = json!(project);
        body["once"] = json!(true);
        let refused = sandbox.post("/api/sessions", body).await.unwrap_err();
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.body.to_string().contains(word), "{refused:?}");
    }
}

#[tokio::test]
async fn the_command_starts_a_one_shot_and_shows_its_end() {
    let sandbox = Sandbox::started().await;
    sandbox.project("shop").await;
    let run = ["spawn", "end The sum is right.", "-p", "shop", "--once", "--json"];
    let asked = sandbox.cli(&run);
    assert!(asked.status.success(), "{asked:?}");
    let asked: Value = serde_json::from_slice(&asked.stdout).unwrap();
    let id = asked["id"].as_str().unwrap();
    assert_eq!(asked["once"], true);
    sandbox.status(id, &["exited"]).await;
    let shown = sandbox.cli(&["status", id]);
    let shown = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.contains("done: exit code 0"), "{shown}");
    let refused = sandbox.cli(&["new", "Nothing", "-p", "shop", "--once"]);
    let refused = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.contains("a one-shot run needs a prompt"), "{refused}");
}
