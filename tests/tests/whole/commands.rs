//! Tests commands that act on several sessions, and commands that run without an engine.

use crate::crashes::doomed;
use downbeat_tests::repository::{git, isolation};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::process::Output;

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

async fn shell(sandbox: &Sandbox, project: &str, name: &str, ended: bool) -> String {
    let ask = json!({ "projectId": project, "title": name, "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "unknown", "running"]).await;
    if ended {
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
    id
}

fn names(sessions: &Value) -> Vec<&str> {
    let names = sessions.as_array().unwrap().iter();
    names.map(|session| session["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn removing_many_sessions_keeps_those_with_work() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    for name in ["one", "two"] {
        shell(&sandbox, &project, name, true).await;
    }
    let dirty = shell(&sandbox, &project, "dirty", true).await;
    let session = sandbox.get(&format!("/api/sessions/{dirty}")).await.unwrap();
    let path = session["workspacePath"].as_str().unwrap().to_owned();
    std::fs::write(format!("{path}/new.txt"), "precious").unwrap();
    shell(&sandbox, &project, "alive", false).await;

    // By name, each session is handled as if alone; kept ones are printed and set the exit code.
    let done = sandbox.cli(&["remove", "one", "dirty", "nobody"]);
    let text = said(&done);
    assert!(text.contains("removed the worktree of one"), "{text}");
    assert!(
        text.contains("kept dirty: ") && text.contains("1 uncommitted file"),
        "{text}"
    );
    assert!(text.contains("kept nobody: "), "{text}");
    assert_eq!(done.status.code(), Some(3), "{text}");
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(names(&listed), ["one", "two", "dirty", "alive"]);

    // The refusal names the way out, and it works.
    let refused = said(&sandbox.cli(&["project", "remove", "shop"]));
    assert!(refused.contains("`downbeat remove --ended -p shop`"), "{refused}");
    let done = sandbox.cli(&["remove", "--ended", "-p", "shop", "--json"]);
    assert_eq!(done.status.code(), Some(4), "{}", said(&done));
    let outcome: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(outcome["removed"].as_array().unwrap().len(), 2, "{outcome:#}");
    assert_eq!(outcome["kept"][0]["name"], "dirty", "{outcome:#}");
    assert!(std::fs::exists(format!("{path}/new.txt")).unwrap());
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(names(&listed), ["dirty", "alive"]);
    let done = sandbox.cli(&["remove", "--ended", "--force"]);
    assert!(done.status.success(), "{}", said(&done));
    assert!(sandbox.cli(&["stop", "-p", "shop"]).status.success());
    assert!(sandbox.cli(&["remove", "--ended"]).status.success());
    assert!(sandbox.cli(&["project", "remove", "shop"]).status.success());
}

#[tokio::test]
async fn an_ended_session_with_saved_work_stays_listed_until_forced() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    for name in ["saved", "clean"] {
        let id = shell(&sandbox, &project, name, true).await;
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        if name == "saved" {
            let path = session["workspacePath"].as_str().unwrap();
            std::fs::write(format!("{path}/new.txt"), "precious").unwrap();
        }
        assert!(sandbox.cli(&["remove", name, "--force"]).status.success());
    }
    let done = sandbox.cli(&["remove", "--ended"]);
    let text = said(&done);
    assert!(
        text.contains("kept saved: its saved work can still be restored"),
        "{text}"
    );
    assert!(text.contains("removed clean from the list"), "{text}");
    assert!(!text.contains("removed the worktree"), "{text}");
    assert_eq!(done.status.code(), Some(4), "{text}");
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(names(&listed), ["saved"]);
    assert!(sandbox.cli(&["restore-work", "saved"]).status.success());
    assert!(sandbox.cli(&["remove", "saved", "--force"]).status.success());
    let forced = said(&sandbox.cli(&["remove", "--ended", "--force"]));
    assert!(forced.contains("removed saved from the list"), "{forced}");
}

#[tokio::test]
async fn an_ended_session_whose_removal_saves_work_stays_listed() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let env = isolation(sandbox.path());
    for name in ["noted", "clean"] {
        let id = shell(&sandbox, &project, name, true).await;
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        if name == "noted" {
            // An ignored file is saved without a confirmation.
            let path = session["workspacePath"].as_str().unwrap();
            let exclude = git(path.as_ref(), &env, &["rev-parse", "--git-path", "info/exclude"]);
            std::fs::write(exclude.trim(), "notes/\n").unwrap();
            std::fs::create_dir(format!("{path}/notes")).unwrap();
            std::fs::write(format!("{path}/notes/one"), "precious").unwrap();
        }
    }
    let done = sandbox.cli(&["remove", "--ended"]);
    assert!(done.status.success(), "{}", said(&done));
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(names(&listed), ["noted"]);
    assert!(sandbox.cli(&["restore-work", "noted"]).status.success());
    let session = sandbox.get("/api/sessions").await.unwrap()[0].clone();
    let path = session["workspacePath"].as_str().unwrap();
    assert_eq!(
        std::fs::read_to_string(format!("{path}/notes/one")).unwrap(),
        "precious"
    );
}

#[tokio::test]
async fn the_ended_workers_of_a_conductor_are_removed_at_every_level() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let top = shell(&sandbox, &project, "top", false).await;
    let mut parent = top.clone();
    for name in ["below", "deeper"] {
        let ask = json!({ "parent": parent, "title": name, "agent": "shell" });
        parent = sandbox.session(ask).await;
        sandbox.status(&parent, &["idle", "unknown", "running"]).await;
    }
    shell(&sandbox, &project, "other", true).await;
    sandbox
        .post(&format!("/api/sessions/{top}/workers/kill"), json!({}))
        .await
        .unwrap();
    let done = sandbox.cli(&["remove", "--workers", "top", "--forget"]);
    assert!(done.status.success(), "{}", said(&done));
    let listed = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(names(&listed), ["top", "other"]);
}

#[tokio::test]
async fn several_names_are_each_handled_and_a_title_leaves_the_name() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    for name in ["one", "two", "three"] {
        shell(&sandbox, &project, name, false).await;
    }
    let has = async |name: &str, wanted: &[&str]| {
        sandbox.status(name, wanted).await;
    };
    let renamed = said(&sandbox.cli(&["rename", "one", "The first"]));
    assert_eq!(
        renamed,
        "one is now titled \"The first\"; its name stays the same\n"
    );
    let title = sandbox.get("/api/sessions/one").await.unwrap()["title"].clone();
    assert_eq!(title, "The first");

    for (command, ended) in [("stop", "exited"), ("kill", "killed")] {
        let done = sandbox.cli(&[command, "one", "nobody", "two"]);
        let text = said(&done);
        assert!(
            !done.status.success() && text.contains("nobody"),
            "{command}: {text}"
        );
        has("one", &[ended]).await;
        has("two", &[ended]).await;
        let resumed = sandbox.cli(&["resume", "one", "two"]);
        assert!(resumed.status.success(), "{}", said(&resumed));
        has("one", &["idle", "running", "unknown"]).await;
        has("two", &["idle", "running", "unknown"]).await;
    }
    has("three", &["idle", "running", "unknown"]).await;
}

#[tokio::test]
async fn stopping_starts_no_engine_and_reading_leaves_none_running() {
    let mut sandbox = Sandbox::new();
    let stopped = sandbox.cli(&["stop", "--all"]);
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(said(&stopped), "no sessions were stopped\n");
    assert!(sandbox.manifest().is_none(), "none was started");
    let looks = [
        &["list"][..],
        &["status"],
        &["list", "--json"],
        &["orphans"],
        &["search", "word"],
        &["cost"],
        &["project", "list"],
    ];
    for look in looks {
        assert!(sandbox.cli(look).status.success());
        assert!(sandbox.get("/api/engine").await.is_err(), "{look:?} left one");
    }
    // While a session lives, an engine that a read-only command started keeps running.
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    shell(&sandbox, &project, "alive", false).await;
    sandbox.kill_engine();
    let listed = said(&sandbox.cli(&["list"]));
    assert!(listed.contains("alive"), "{listed}");
    // The first try may go to the connection of the engine that died.
    until("it watches", async || sandbox.get("/api/engine").await.ok()).await;
    let stopped = said(&sandbox.cli(&["stop", "--all"]));
    assert!(stopped.contains("stopped alive"), "{stopped}");
    let again = said(&sandbox.cli(&["stop", "--all"]));
    assert_eq!(again, "no sessions were stopped\n");
    assert!(sandbox.get("/api/engine").await.is_err());
}

#[tokio::test]
async fn a_read_only_command_does_not_end_an_engine_in_use() {
    let sandbox = Sandbox::started().await;
    let unused = json!({ "sessions": "ifUnused" });
    let project = sandbox.project("shop").await;
    shell(&sandbox, &project, "alive", false).await;
    let refused = sandbox
        .post("/api/engine/shutdown", unused.clone())
        .await
        .unwrap_err();
    assert_eq!(refused.body["code"], "conflict");
    assert!(sandbox.get("/api/engine").await.is_ok());
    assert!(sandbox.cli(&["stop", "alive"]).status.success());
    sandbox.post("/api/engine/shutdown", unused).await.unwrap();
    until("it ends", async || {
        sandbox.get("/api/engine").await.is_err().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_session_that_a_killed_engine_was_about_to_start_is_stopped() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    doomed(&mut sandbox, "spawn-created").await;
    let ask = json!({ "projectId": project, "title": "begun", "agent": "shell" });
    sandbox.post("/api/sessions", ask).await.unwrap_err();
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_CRASH_AT", "");
    let stopped = said(&sandbox.cli(&["stop", "--all"]));
    assert_eq!(stopped, "stopped begun\n");
    assert_eq!(
        said(&sandbox.cli(&["stop", "--all"])),
        "no sessions were stopped\n"
    );
}
