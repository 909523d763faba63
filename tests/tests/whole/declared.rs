//! Tests agents that a person declared: their status follows from title and screen by the rules of their
//! manifests, and wrong manifests are reported.

use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

/// An agent that works, asks and rests, and shows it by title and screen alone.
const AGENT: &str = r#"
title() { printf '\033]2;%s\007' "$1"; }
title 'rests'
while IFS= read -r line; do
  title 'works on it'
  until [ -e go ]; do sleep 0.05; done
  rm go
  printf '\nMay I go on?\n\n > 1. Yes\n   2. No\n\n(enter to choose)\n'
  title 'asks'
  read -r answer
  printf '\033[2J\033[Hanswered [%s]\n' "$answer"
  title 'rests'
done
"#;

const MANIFEST: &str = "
name: Scripted
command: [sh, AGENT]
prompt: type
title: { works: [works], rests: [rests, asks] }
questions:
  - kind: permission
    marks: [enter to choose, 'May I go on?']
";

fn evidence(session: &Value) -> (&str, &str) {
    let evidence = &session["statusEvidence"];
    let word = |name: &str| evidence[name].as_str().unwrap();
    (word("source"), word("detail"))
}

fn declare(sandbox: &Sandbox, name: &str, text: &str) {
    let script = sandbox.path().join("agent.sh");
    std::fs::write(&script, AGENT).unwrap();
    let folder = sandbox.data().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    let text = text.replace("AGENT", &script.to_string_lossy());
    std::fs::write(folder.join(name), text).unwrap();
}

#[tokio::test]
async fn title_and_screen_give_the_status_of_an_agent_without_hooks() {
    let sandbox = Sandbox::started().await;
    declare(&sandbox, "mine.yaml", MANIFEST);
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Mine", "agent": "mine", "prompt": "begin"});
    let id = sandbox.session(ask).await;
    let works = sandbox.status(&id, &["running"]).await;
    until("the title is the evidence", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        (evidence(&session) == ("title", "the title: works on it")).then_some(())
    })
    .await;
    let workspace = std::path::PathBuf::from(works["workspacePath"].as_str().unwrap());
    std::fs::write(workspace.join("go"), "").unwrap();
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&asks), ("screen", "a question on the screen"));
    assert_eq!(asks["question"]["text"], "May I go on?");
    sandbox.press(&id, "\r").await;
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&rests), ("title", "the title: rests"));
}

/// An agent whose title says that it works while it asks, with a footer right below the question.
const SPINS: &str = r#"
title() { printf '\033]2;%s\007' "$1"; }
title 'rests'
read -r line
title 'works on it'
printf '\nMay I go on?\n\n \342\235\257 1. Yes\n   2. No\n enter to choose\n'
n=0
until [ -e go ]; do n=$((n+1)); title "works $n"; sleep 0.1; done
printf '\033[2J\033[Hgone on\n'
until [ -e done ]; do n=$((n+1)); title "works $n"; sleep 0.1; done
title 'rests'
read -r line
"#;

#[tokio::test]
async fn an_open_question_outranks_a_working_title() {
    let sandbox = Sandbox::started().await;
    declare(&sandbox, "mine.yaml", MANIFEST);
    std::fs::write(sandbox.path().join("agent.sh"), SPINS).unwrap();
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Mine", "agent": "mine", "prompt": "begin"});
    let id = sandbox.session(ask).await;
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&asks), ("screen", "a question on the screen"));
    assert_eq!(asks["question"]["options"], json!(["Yes", "No"]));
    let message = json!({"content": "hi", "when": "when-ready", "waitSeconds": 1});
    let held = sandbox
        .post(&format!("/api/sessions/{id}/message"), message)
        .await;
    assert_eq!(
        held.unwrap()["state"],
        "queued",
        "nothing is typed into an open question"
    );
    let workspace = std::path::PathBuf::from(asks["workspacePath"].as_str().unwrap());
    std::fs::write(workspace.join("go"), "").unwrap();
    let works = sandbox.status(&id, &["running"]).await;
    assert_eq!(evidence(&works).0, "title");
    std::fs::write(workspace.join("done"), "").unwrap();
    sandbox.status(&id, &["idle"]).await;
}

#[tokio::test]
async fn a_wrong_manifest_is_reported_and_removes_no_agent() {
    let sandbox = Sandbox::started().await;
    declare(&sandbox, "mine.yaml", "command: [sh]\npromt: type\n");
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Mine", "agent": "mine"});
    let refused = sandbox.post("/api/sessions", ask).await.unwrap_err();
    let message = refused.body["message"].as_str().unwrap();
    assert!(
        message.contains("mine.yaml:2:1") && message.contains("`prompt`"),
        "{message}"
    );
    let check = sandbox.cli(&["agents", "check"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&check.stderr).contains("did you mean `prompt`?"),
        "{check:?}"
    );
    let list = sandbox.cli(&["agents", "list"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(
        list.contains("Claude Code") && list.contains("not verified"),
        "{list}"
    );
    assert!(list.contains("mine: its manifest is ignored: "), "{list}");
    let settings = sandbox.get("/api/settings").await.unwrap();
    assert!(
        settings["problem"].as_str().unwrap().contains("mine.yaml:2:1"),
        "{settings}"
    );
    let doctor = sandbox.cli(&["doctor"]);
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.contains("mine.yaml:2:1"), "{doctor}");
    let show = sandbox.cli(&["agents", "show", "codex"]);
    let show: Value = serde_json::from_slice(&show.stdout).unwrap();
    assert_eq!(show["manifest"]["adapter"], "codex");
    assert_eq!(sandbox.cli(&["agents", "show", "nobody"]).status.code(), Some(3));
}

#[tokio::test]
async fn a_version_that_downbeat_was_not_tried_with_is_marked() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::started().await;
    let program = sandbox.path().join("bin/mine");
    declare(
        &sandbox,
        "mine.yaml",
        "command: [mine]\nprompt: type\ntried: \"1.0.0, 1.1.0\"\n",
    );
    for (version, untried) in [("1.1.0", false), ("11.0.0", true)] {
        let _ = std::fs::remove_file(&program);
        std::fs::write(&program, format!("#!/bin/sh\necho mine {version}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let found = until("the version", async || {
            let agents = sandbox.get("/api/agents").await.ok()?;
            let mut agents = agents.as_array()?.iter();
            agents
                .find(|agent| agent["id"] == "mine" && agent["version"] == version)
                .cloned()
        })
        .await;
        assert_eq!(
            found["untried"].as_bool().unwrap_or_default(),
            untried,
            "{found:#}"
        );
        let list = sandbox.cli(&["agents", "list"]);
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        assert_eq!(list.contains(&format!("{version} (untested)")), untried, "{list}");
    }
}

#[tokio::test]
async fn an_agent_declared_while_the_engine_runs_is_listed_immediately() {
    let sandbox = Sandbox::started().await;
    let listed = async || {
        let agents = sandbox.get("/api/agents").await.unwrap();
        let mut agents = agents.as_array().unwrap().iter();
        agents.any(|agent| agent["id"] == "mine")
    };
    assert!(!listed().await);
    declare(&sandbox, "mine.yaml", MANIFEST);
    assert!(listed().await);
    std::fs::remove_file(sandbox.data().join("agents/mine.yaml")).unwrap();
    assert!(!listed().await);
    let config = "agents: { mine: { name: Mine, command: [sh] } }\n";
    std::fs::write(sandbox.data().join("downbeat.yaml"), config).unwrap();
    assert!(listed().await);
}

#[tokio::test]
async fn whoever_read_the_agents_earlier_is_notified_when_somebody_else_reads_a_change() {
    let sandbox = Sandbox::started().await;
    sandbox.get("/api/agents").await.unwrap();
    let mut changes = sandbox.socket("/api/events").await;
    declare(&sandbox, "mine.yaml", MANIFEST);
    sandbox.get("/api/agents").await.unwrap();
    let told = within(PATIENCE, async || {
        let change = changes.next().await?.ok()?;
        change.into_text().ok()?.contains("agents-changed").then_some(())
    });
    told.await.expect("the event of the change");
}
