//! Tests that set-up, hooks and filters run code that an agent wrote only if the person allowed it: in
//! workers, in forks, and when a worktree is recreated.

use crate::family::as_session;
use crate::security::token_of;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Commits the new files of a checkout without running its hooks.
fn commit(place: &Path, files: &[(&str, String)]) {
    for (name, text) in files {
        let file = place.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let quiet = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let hookless = ["-c", "core.hooksPath=/dev/null"];
    git(place, &[], &[&hookless[..], &["add", "-A"]].concat());
    let message = ["commit", "-qm", "change"];
    git(place, &[], &[&quiet[..], &hookless[..], &message[..]].concat());
}

/// Creates a trusted project whose approved set-up and hooks run files of its commits.
async fn running_its_files(sandbox: &Sandbox) -> (String, std::path::PathBuf) {
    let repository = sandbox.repository("crew");
    std::fs::write(repository.join("downbeat.yaml"), "setup:\n  - [sh, ./setup.sh]\n").unwrap();
    commit(&repository, &[("setup.sh", "true".into())]);
    git(&repository, &[], &["config", "core.hooksPath", ".husky"]);
    let ask = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", ask).await.unwrap();
    let project = added["id"].as_str().unwrap().to_owned();
    let approve = json!({ "approveSetup": added["setup"]["hash"] });
    let path = format!("/api/projects/{project}");
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    (project, repository)
}

/// Starts a conductor that committed files which create `mark-setup` and `mark-hook` when they run.
async fn planted(sandbox: &Sandbox, project: &str, mode: &str, mark: &Path) -> (String, String) {
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true,
        "permissionMode": mode });
    let lead = sandbox.session(ask).await;
    let session = sandbox.status(&lead, &["idle"]).await;
    let touch = |what: &str| format!("touch {}-{what}", mark.display());
    commit(
        Path::new(session["workspacePath"].as_str().unwrap()),
        &[
            ("setup.sh", touch("setup")),
            (".husky/post-checkout", touch("hook")),
        ],
    );
    let branch = session["branch"].as_str().unwrap().to_owned();
    (token_of(&lead).await, branch)
}

#[tokio::test]
async fn code_that_an_agent_committed_runs_only_after_the_person_allowed_it() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let ran = |what: &str| sandbox.path().join(format!("mark-{what}")).exists();
    let (token, branch) = planted(&sandbox, &project, "ask", &mark).await;
    let spawn = async |base: Option<&str>| {
        let ask = json!({ "title": "Helper", "prompt": "say hello", "base": base });
        let (status, worker) = as_session(&sandbox, &token, "POST", "/api/sessions", ask).await;
        assert_eq!(status, 200, "{worker:#}");
        worker
    };
    let settled = async |worker: &serde_json::Value| {
        let id = worker["id"].as_str().unwrap();
        sandbox.status(id, &["idle", "setup_failed"]).await
    };

    let first = spawn(Some(&branch)).await;
    assert!(
        first["steps"].to_string().contains("has not allowed"),
        "{first:#}"
    );
    let held = settled(&first).await;
    assert!(!ran("setup") && !ran("hook"), "{held:#}");
    let why = held["error"].as_str().unwrap();
    assert!(
        why.contains("sh ./setup.sh") && why.contains("an agent chose"),
        "{why}"
    );
    let known = settled(&spawn(None).await).await;
    assert_eq!(known["status"], "idle", "{known:#}");
    // A branch that an agent moved since then does not count as approval.
    git(&repository, &[], &["update-ref", "refs/heads/main", &branch]);
    let moved = settled(&spawn(None).await).await;
    assert_eq!(moved["status"], "setup_failed", "{moved:#}");
    assert!(!ran("setup") && !ran("hook"));

    let id = held["id"].as_str().unwrap();
    let again = format!("/api/sessions/{id}/setup");
    sandbox.post(&again, json!({})).await.unwrap();
    sandbox.status(id, &["idle"]).await;
    assert!(ran("setup") && !ran("hook"));
    // That approved the commit.
    let next = settled(&spawn(Some(&branch)).await).await;
    assert_eq!(next["status"], "idle", "{next:#}");
    assert!(ran("hook"));
}

#[tokio::test]
async fn a_fork_runs_no_code_of_an_agent_that_must_ask() {
    let sandbox = Sandbox::started().await;
    let (project, _) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let ran = |what: &str| sandbox.path().join(format!("mark-{what}")).exists();
    let forked = async |id: &str, bring: bool| {
        let path = format!("/api/sessions/{id}/fork");
        let fork = sandbox.post(&path, json!({ "bring": bring })).await.unwrap();
        let fork = fork["id"].as_str().unwrap().to_owned();
        sandbox.status(&fork, &["idle", "setup_failed"]).await
    };
    let ask = json!({ "projectId": project, "title": "Own", "prompt": "say hello", "permissionMode": "ask" });
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["idle"]).await;
    let place = Path::new(session["workspacePath"].as_str().unwrap());

    // Unchanged since its checkout, it is forked like any other session.
    assert_eq!(forked(&id, true).await["status"], "idle");
    // Uncommitted files.
    let planted = format!("touch {}-setup", mark.display());
    std::fs::write(place.join("setup.sh"), &planted).unwrap();
    let held = forked(&id, true).await;
    let why = held["error"].as_str().unwrap();
    assert!(
        why.contains("an agent may have written") && !ran("setup"),
        "{why}"
    );
    assert_eq!(forked(&id, false).await["status"], "idle");
    // The agent's commit.
    let hook = format!("touch {}-hook", mark.display());
    commit(place, &[("setup.sh", planted), (".husky/post-checkout", hook)]);
    let held = forked(&id, false).await;
    let why = held["error"].as_str().unwrap();
    assert!(why.contains("an agent chose"), "{why}");
    assert!(!ran("setup") && !ran("hook"), "{held:#}");
    let told = sandbox.get("/api/notices").await.unwrap().to_string();
    assert!(told.contains("hooks of core.hooksPath"), "{told}");
    // Approving that fork approves its commit.
    let again = format!("/api/sessions/{}/setup", held["id"].as_str().unwrap());
    sandbox.post(&again, json!({})).await.unwrap();
    sandbox.status(held["id"].as_str().unwrap(), &["idle"]).await;
    assert!(ran("setup") && !ran("hook"));
    assert_eq!(forked(&id, false).await["status"], "idle");
    assert!(ran("hook"));
}

#[tokio::test]
async fn a_fork_of_an_unrestricted_session_is_unrestricted() {
    let sandbox = Sandbox::started().await;
    let (project, _) = running_its_files(&sandbox).await;
    let ask =
        json!({ "projectId": project, "title": "Own", "prompt": "say hello", "permissionMode": "bypass" });
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["idle"]).await;
    let place = Path::new(session["workspacePath"].as_str().unwrap());
    let mark = sandbox.path().join("mark-setup");
    std::fs::write(place.join("setup.sh"), format!("touch {}", mark.display())).unwrap();
    let path = format!("/api/sessions/{id}/fork");
    let fork = sandbox.post(&path, json!({ "bring": true })).await.unwrap();
    sandbox.status(fork["id"].as_str().unwrap(), &["idle"]).await;
    assert!(mark.exists());
}

#[tokio::test]
async fn an_unrestricted_agent_starts_workers_without_approval() {
    let sandbox = Sandbox::started().await;
    let (project, _) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let (token, branch) = planted(&sandbox, &project, "bypass", &mark).await;
    let ask = json!({ "title": "Helper", "prompt": "say hello", "base": branch });
    let (_, worker) = as_session(&sandbox, &token, "POST", "/api/sessions", ask).await;
    let id = worker["id"].as_str().unwrap();
    sandbox.status(id, &["idle"]).await;
    assert!(sandbox.path().join("mark-setup").exists());
}

#[tokio::test]
async fn code_of_a_moved_branch_does_not_run_when_its_worktree_is_recreated() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let (token, branch) = planted(&sandbox, &project, "ask", &mark).await;
    let ask = json!({ "title": "Helper", "prompt": "say hello" });
    let (_, worker) = as_session(&sandbox, &token, "POST", "/api/sessions", ask).await;
    let ask = json!({ "projectId": project, "title": "Own", "prompt": "say hello", "permissionMode": "ask" });
    let own = sandbox.session(ask).await;
    for id in [worker["id"].as_str().unwrap(), &own] {
        let session = sandbox.status(id, &["idle"]).await;
        let stop = sandbox.post("/api/sessions/stop", json!({ "id": id }));
        stop.await.unwrap();
        sandbox.status(id, &["exited", "killed"]).await;
        let removal = format!("/api/sessions/{id}/workspace");
        sandbox.delete(&removal).await.unwrap();
        let of = session["branch"].as_str().unwrap();
        git(&repository, &[], &["branch", "-f", of, &branch]);
        let resume = format!("/api/sessions/{id}/resume");
        sandbox.post(&resume, json!({})).await.unwrap();
        let again = sandbox.status(id, &["idle"]).await;
        let place = Path::new(again["workspacePath"].as_str().unwrap());
        assert!(
            place.join(".husky/post-checkout").is_file(),
            "it stands where its branch is"
        );
        assert!(!sandbox.path().join("mark-hook").exists(), "{again:#}");
        assert!(!sandbox.path().join("mark-setup").exists(), "{again:#}");
    }
    let told = sandbox.get("/api/notices").await.unwrap().to_string();
    assert!(told.contains("hooks of core.hooksPath"), "{told}");
}
