//! Tests of opening files in an editor, with programs in the place of editors that write down how they were started.

use crate::deliveries::workspace;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Puts a program on the `PATH` of a sandbox.
fn program(sandbox: &Sandbox, name: &str, script: &str) {
    let path = sandbox.path().join("bin").join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A program that writes its folder and its arguments to the file `NAME.txt`, and then does something.
fn noting(sandbox: &Sandbox, name: &str, then: &str) {
    let file = sandbox.path().join(format!("{name}.txt"));
    let script = format!(
        "printf '%s\\n' \"$PWD\" \"$@\" > {0}.new && mv {0}.new {0}\n{then}",
        file.display()
    );
    program(sandbox, name, &script);
}

async fn noted(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let file = sandbox.path().join(format!("{name}.txt"));
    let text = until("what the editor noted", async || fs::read_to_string(&file).ok()).await;
    fs::remove_file(&file).unwrap();
    text.lines().map(str::to_owned).collect()
}

async fn session(sandbox: &Sandbox) -> (String, String) {
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Fix", "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "running"]).await;
    let place = workspace(sandbox, &id).await;
    fs::write(Path::new(&place).join("a b; touch x.txt"), "one\ntwo\n").unwrap();
    (id, place.to_string_lossy().into_owned())
}

#[tokio::test]
async fn a_file_opens_at_its_line_in_the_chosen_editor() {
    let sandbox = Sandbox::started().await;
    let (id, place) = session(&sandbox).await;
    let open = async |request| sandbox.post(&format!("/api/sessions/{id}/open"), request).await;
    let at_two = json!({ "path": "a b; touch x.txt", "line": 2 });

    let refused = open(at_two.clone()).await.unwrap_err();
    assert_eq!(refused.body["message"], "no editor was found on PATH");
    assert!(
        refused.body["hint"].as_str().unwrap().contains("--here"),
        "{refused:?}"
    );

    // It stays, as an editor does that is not a hand-over to a running one.
    noting(&sandbox, "zed", "exec sleep 20");
    let opened = open(at_two.clone()).await.unwrap();
    assert_eq!(opened["editor"], "Zed", "{opened}");
    let file = format!("{place}/a b; touch x.txt");
    assert_eq!(
        noted(&sandbox, "zed").await,
        [place.clone(), place.clone(), format!("{file}:2")]
    );

    // An earlier one in the list is preferred; a choice is preferred to all.
    noting(&sandbox, "code", "");
    open(json!({})).await.unwrap();
    assert_eq!(noted(&sandbox, "code").await, [place.clone(), place.clone()]);
    noting(&sandbox, "mine", "");
    sandbox.configure("editor: [mine, '+{line}', '{path}']\n");
    let opened = until("the new configuration", async || {
        let opened = open(at_two.clone()).await.unwrap();
        (opened["editor"] == "mine").then_some(opened)
    })
    .await;
    assert_eq!(opened["path"], file);
    assert_eq!(noted(&sandbox, "mine").await, [&*place, "+2", &*file]);

    let printed = sandbox.cli(&["edit", &id, "a b; touch x.txt:2"]);
    assert!(printed.status.success(), "{printed:?}");
    assert_eq!(noted(&sandbox, "mine").await, [&*place, "+2", &*file]);
}

#[tokio::test]
async fn what_cannot_be_opened_is_said() {
    let sandbox = Sandbox::started().await;
    let (id, place) = session(&sandbox).await;
    noting(&sandbox, "code", "");
    symlink("/etc/passwd", Path::new(&place).join("link")).unwrap();
    for (request, code, words) in [
        (
            json!({ "path": "../x" }),
            "invalid",
            "not a file below the workspace",
        ),
        (
            json!({ "path": "/etc/passwd" }),
            "invalid",
            "not a file below the workspace",
        ),
        (json!({ "path": "missing.rs" }), "not_found", "missing.rs"),
        (json!({ "path": "link" }), "forbidden", "/etc/passwd"),
        (json!({ "line": 0 }), "invalid", "counted from 1"),
    ] {
        let refused = sandbox
            .post(&format!("/api/sessions/{id}/open"), request.clone())
            .await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.body["code"], code, "{request}: {refused:?}");
        let message = refused.body["message"].as_str().unwrap();
        assert!(message.contains(words), "{request}: {message}");
    }
    assert!(!sandbox.path().join("code.txt").exists(), "nothing was started");

    program(&sandbox, "code", "exit 3");
    let refused = sandbox.post(&format!("/api/sessions/{id}/open"), json!({})).await;
    let refused = refused.unwrap_err();
    let message = refused.body["message"].as_str().unwrap();
    assert!(
        message.contains("Visual Studio Code could not be started"),
        "{message}"
    );
    assert!(message.contains('3'), "{message}");
}

#[tokio::test]
async fn the_editor_of_a_terminal_runs_there() {
    let mut sandbox = Sandbox::started().await;
    let (id, place) = session(&sandbox).await;
    noting(&sandbox, "vim", "");
    sandbox.set_env("EDITOR", "vim -n");
    let printed = sandbox.cli(&["edit", &id, "a b; touch x.txt:2", "--here"]);
    assert!(printed.status.success(), "{printed:?}");
    let file = format!("{place}/a b; touch x.txt");
    assert_eq!(noted(&sandbox, "vim").await, [&*place, "-n", "+2", &*file]);
}
