//! Tests of projects: inspecting and adding every kind of folder, a wrong configuration, and removal.

use crate::bad_input::names;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};

#[tokio::test]
async fn every_kind_of_folder_gets_a_clear_answer() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("shop");
    let plain = sandbox.path().join("plain");
    std::fs::create_dir(&plain).unwrap();
    let bare = sandbox.path().join("bare.git");
    assert!(
        Command::new("git")
            .args(["init", "--quiet", "--bare"])
            .arg(&bare)
            .status()
            .unwrap()
            .success()
    );
    let empty = sandbox.path().join("empty");
    assert!(
        Command::new("git")
            .args(["init", "--quiet"])
            .arg(&empty)
            .status()
            .unwrap()
            .success()
    );
    for (path, kind) in [
        (repository.clone(), "repository"),
        (repository.join("src"), "repository"),
        (plain.clone(), "plainFolder"),
        (bare, "bare"),
        (empty, "noCommits"),
        (sandbox.path().join("nowhere"), "missing"),
        (repository.join("README.md"), "notAFolder"),
    ] {
        let report = sandbox
            .post("/api/projects/inspect", json!({ "path": path }))
            .await
            .unwrap();
        assert_eq!(report["kind"], kind, "{report:#}");
    }
    let added = sandbox
        .post("/api/projects", json!({ "path": repository.join("src") }))
        .await
        .unwrap();
    assert_eq!(
        (&added["name"], &added["defaultBranch"], &added["trusted"]),
        (&json!("shop"), &json!("main"), &json!(false))
    );
    let twice = sandbox
        .post("/api/projects", json!({ "path": repository }))
        .await
        .unwrap_err();
    assert_eq!(twice.body["code"], "exists");
    let refused = sandbox
        .post("/api/projects", json!({ "path": plain }))
        .await
        .unwrap_err();
    assert_eq!(refused.body["code"], "not_a_repository");
    let made = sandbox
        .post("/api/projects", json!({ "path": plain, "initialize": true }))
        .await
        .unwrap();
    assert_eq!(made["name"], "plain");
}

#[tokio::test]
async fn a_folder_without_a_commit_gets_one_when_it_is_added_and_sessions_start_in_it() {
    let sandbox = Sandbox::started().await;
    let (plain, empty) = (sandbox.path().join("plain"), sandbox.path().join("empty"));
    for folder in [&plain, &empty] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("mine.txt"), "as it was").unwrap();
    }
    let git = |folder: &Path, arguments: &[&str]| {
        let output = sandbox
            .command("git")
            .arg("-C")
            .arg(folder)
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&empty, &["init", "--quiet"]);
    git(&empty, &["add", "mine.txt"]);
    for folder in [&plain, &empty] {
        let path = folder.to_str().unwrap();
        let refused = sandbox.cli(&["project", "add", path]);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(4), "{said}");
        assert!(said.contains("hint: add it again with --init"), "{said}");
        let added = sandbox.cli(&["project", "add", path, "--init", "--trust"]);
        let said = String::from_utf8(added.stdout).unwrap();
        assert!(
            added.status.success() && said.contains("commit your files"),
            "{said}"
        );
        assert_eq!(git(folder, &["rev-list", "--count", "HEAD"]), "1\n");
        assert_eq!(git(folder, &["ls-tree", "-r", "HEAD"]), "", "nothing was added");
    }
    assert_eq!(git(&plain, &["status", "--porcelain"]), "?? mine.txt\n");
    assert_eq!(git(&empty, &["status", "--porcelain"]), "A  mine.txt\n");
    let projects = sandbox.get("/api/projects").await.unwrap();
    for project in projects.as_array().unwrap() {
        let id = sandbox
            .session(json!({ "projectId": project["id"], "title": "Begin", "prompt": "say hello" }))
            .await;
        sandbox.status(&id, &["idle"]).await;
    }
    let again = sandbox.cli(&["project", "add", plain.to_str().unwrap(), "--init"]);
    assert!(String::from_utf8(again.stderr).unwrap().contains("already"));
    let repository = sandbox.repository("shop");
    let added = sandbox.cli(&["project", "add", repository.to_str().unwrap(), "--init"]);
    let said = String::from_utf8(added.stdout).unwrap();
    assert!(
        added.status.success() && !said.contains("commit your files"),
        "{said}"
    );
    assert_eq!(
        git(&repository, &["rev-list", "--count", "HEAD"]),
        "1\n",
        "left as it was"
    );
}

#[tokio::test]
async fn a_project_with_live_sessions_cannot_be_removed() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Busy", "agent": "shell" }))
        .await;
    sandbox.status(&id, &["unknown", "running", "idle"]).await;
    let refused = sandbox
        .delete(&format!("/api/projects/{project}"))
        .await
        .unwrap_err();
    assert!(
        refused.body["message"].as_str().unwrap().contains("busy"),
        "{refused:?}"
    );
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    sandbox
        .delete(&format!("/api/sessions/{id}/workspace"))
        .await
        .unwrap();
    sandbox.delete(&format!("/api/projects/{project}")).await.unwrap();
    assert_eq!(sandbox.get("/api/projects").await.unwrap(), json!([]));
}

#[tokio::test]
async fn a_wrong_key_in_a_configuration_is_reported_with_file_and_nearest_key() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("shop");
    std::fs::write(
        repository.join("downbeat.yaml"),
        "brunch: \"feature/{task-slug}\"\n",
    )
    .unwrap();
    let added = sandbox
        .post("/api/projects", json!({ "path": repository }))
        .await
        .unwrap();
    let problem = added["problem"].as_str().unwrap();
    assert!(
        problem.contains("downbeat.yaml") && problem.contains("brunch") && problem.contains("branch"),
        "{problem}"
    );
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn a_project_whose_folder_is_gone_can_be_removed() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "one", "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "unknown", "running"]).await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    let work = std::path::PathBuf::from(session["workspacePath"].as_str().unwrap()).join("work.txt");
    std::fs::write(&work, "precious").unwrap();
    let folder = sandbox.path().join("shop");
    std::fs::remove_dir_all(&folder).unwrap();
    let shown = folder.to_string_lossy();

    let doctor = said(&sandbox.cli(&["doctor"]));
    let ways = ["project edit shop --path NEW", "project remove shop --force"];
    names(&doctor, &["projects", "shop: ", &shown, ways[0], ways[1]]);
    // Running sessions have to be ended first.
    let refused = said(&sandbox.cli(&["project", "remove", "shop", "--force"]));
    names(&refused, &["is gone", "one", "downbeat stop -p shop"]);
    assert!(sandbox.cli(&["stop", "-p", "shop"]).status.success());
    // Each refusal names the commands that help.
    for words in [
        &["remove", "one"][..],
        &["remove", "one", "-f", "--forget"],
        &["project", "remove", "shop"],
    ] {
        let refused = sandbox.cli(words);
        assert!(!refused.status.success(), "{words:?}");
        names(&said(&refused), &["is gone", &shown, ways[0], ways[1]]);
    }
    let left = sandbox.cli(&["project", "remove", "shop", "--force"]);
    assert!(left.status.success(), "{}", said(&left));
    names(&said(&left), &["the files of one are left in"]);
    assert_eq!(std::fs::read_to_string(&work).unwrap(), "precious");
    assert_eq!(sandbox.get("/api/sessions").await.unwrap(), json!([]));
    assert_eq!(sandbox.get("/api/projects").await.unwrap(), json!([]));
}
