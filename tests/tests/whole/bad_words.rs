//! Tests of unusual or wrong arguments on the command line, one by one: the command names the mistake and a
//! way out, or does what it can and reports that.

use crate::bad_input::names;
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::process::Output;

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

async fn shell(sandbox: &Sandbox, project: &str, name: &str) -> String {
    let ask = json!({ "projectId": project, "title": name, "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "unknown", "running"]).await;
    id
}

#[tokio::test]
async fn each_wrong_argument_gets_a_clear_answer() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    shell(&sandbox, &project, "one").await;
    let over = shell(&sandbox, &project, "over").await;
    sandbox.delete(&format!("/api/sessions/{over}")).await.unwrap();
    let table: [(&[&str], i32, &[&str]); 14] = [
        (
            &["project", "edit", "shop", "--name", ""],
            2,
            &["name cannot be empty"],
        ),
        (
            &[
                "new",
                "t",
                "-p",
                "shop",
                "-a",
                "shell",
                "--workspace",
                "in-place",
                "--branch",
                "b",
            ],
            2,
            &["in-place", "cannot have a branch", "leave the branch out"],
        ),
        (
            &[
                "new",
                "t",
                "-p",
                "shop",
                "-a",
                "shell",
                "--workspace",
                "in-place",
                "--base",
                "b",
            ],
            2,
            &["cannot have a base"],
        ),
        (
            &["new", "t", "-p", "shop", "-a", "shell", "--name", "Bad Name!!"],
            0,
            &["its name is bad-name, since Bad Name!! is not allowed"],
        ),
        (
            &["new", "t", "-p", "shop", "-a", "shell", "--name", "one"],
            0,
            &["its name is one-2, since one is taken"],
        ),
        (
            &["cost", "--day", "foo"],
            2,
            &["--day: foo is not a date", "today"],
        ),
        (
            &["cost", "--since", "1 May"],
            2,
            &["--since: 1 May is not a date"],
        ),
        (
            &["send", "one", "--wait", "ls"],
            2,
            &["one is a shell", "downbeat output one"],
        ),
        (
            &["wait", "over", "--until", "idle"],
            1,
            &["over has ended", "downbeat resume over"],
        ),
        (&["list", "--parent", "one"], 0, &["one has no workers"]),
        (&["messages", "one", "list", "--json"], 0, &["[]"]),
        (&["orphans", "one"], 0, &["no orphaned processes of one"]),
        (&["help", "wait"], 0, &["downbeat wait"]),
        (&["explain", "one"], 0, &["one has been ", " for "]),
    ];
    for (words, code, things) in table {
        let output = sandbox.cli(words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", said(&output));
        names(&said(&output), things);
    }
    let all = sandbox.get("/api/projects").await.unwrap();
    assert_eq!(all[0]["name"], "shop");
}

#[tokio::test]
async fn an_unknown_agent_in_the_configuration_is_reported() {
    let sandbox = Sandbox::new();
    let file = sandbox.data().join("downbeat.yaml");
    std::fs::write(&file, "defaults:\n  agent: claud\n").unwrap();
    let wrong = sandbox.cli(&["config", "validate"]);
    assert_eq!(wrong.status.code(), Some(1), "{}", said(&wrong));
    names(
        &said(&wrong),
        &["downbeat.yaml:2", "no agent `claud`", "`claude`"],
    );
    // An agent that the person declares is as valid as a built-in one.
    std::fs::create_dir_all(sandbox.data().join("agents")).unwrap();
    std::fs::write(sandbox.data().join("agents/claud.yaml"), "command: [cat]\n").unwrap();
    let right = sandbox.cli(&["config", "validate"]);
    assert!(right.status.success(), "{}", said(&right));
}

#[tokio::test]
async fn forgetting_a_session_names_its_saved_work() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = shell(&sandbox, &project, "one").await;
    let session: Value = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    let path = session["workspacePath"].as_str().unwrap();
    std::fs::write(format!("{path}/work.txt"), "precious").unwrap();
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    assert!(sandbox.cli(&["remove", "one", "-f"]).status.success());
    let forgotten = sandbox.cli(&["remove", "one", "--forget"]);
    assert!(forgotten.status.success(), "{}", said(&forgotten));
    names(
        &said(&forgotten),
        &[
            "removed one from the list",
            "refs/downbeat/backup",
            "can no longer restore it",
        ],
    );
}
