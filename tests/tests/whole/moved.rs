//! Tests folders that moved: a worktree that vanishes below a live session, and a repository that was moved.
//! Both are reported, nothing claims otherwise, and work continues when the folder is found again.

use crate::deliveries::workspace;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

async fn session(sandbox: &Sandbox, project: &str, title: &str) -> String {
    let ask = json!({ "projectId": project, "title": title, "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "running"]).await;
    id
}

async fn reason(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()["reason"].clone()
}

#[tokio::test]
async fn a_vanished_worktree_is_reported_and_its_session_continues_when_it_returns() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("watchdog: { foldersEvery: 1 }\n");
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let id = session(&sandbox, &project, "Fix").await;
    let place = workspace(&sandbox, &id).await;
    assert_eq!(reason(&sandbox, &id).await, Value::Null);
    let aside = place.with_file_name("aside");
    std::fs::rename(&place, &aside).unwrap();
    let why = until("the reason", async || {
        Some(reason(&sandbox, &id).await).filter(|why| !why.is_null())
    })
    .await;
    assert_eq!(why["kind"], "no_folder");
    assert!(
        why["text"].as_str().unwrap().contains(&*place.to_string_lossy()),
        "{why}"
    );
    let listed = String::from_utf8(sandbox.cli(&["list"]).stdout).unwrap();
    assert!(listed.contains("its folder is missing"), "{listed}");
    let notices = sandbox.notices().await;
    assert!(
        notices
            .iter()
            .any(|notice| notice["text"].to_string().contains("is missing")),
        "{notices:#?}"
    );

    std::fs::rename(&aside, &place).unwrap();
    until("it is back", async || {
        reason(&sandbox, &id).await.is_null().then_some(())
    })
    .await;
    sandbox.press(&id, "echo still $((40+2)); touch here\r").await;
    sandbox.shows(&id, "still 42").await;
    until("a file", async || place.join("here").exists().then_some(())).await;
    let told = sandbox.notices().await;
    assert_eq!(told.len(), notices.len(), "once: {told:#?}");
}

/// Returns the refusal of a change of the project's path.
async fn refused(sandbox: &Sandbox, project: &str, place: &Path) -> String {
    let edit = json!({ "path": place });
    let path = format!("/api/projects/{project}");
    let refused = sandbox.call("PATCH", &path, Some(edit)).await.unwrap_err();
    format!("{} {}", refused.body["message"], refused.body["hint"])
}

#[tokio::test]
async fn a_project_path_can_only_be_changed_to_its_moved_repository() {
    let sandbox = Sandbox::started().await;
    let shop = sandbox.repository("shop");
    std::fs::write(shop.join("downbeat.yaml"), "worktrees:\n  location: project\n").unwrap();
    let added = sandbox
        .post("/api/projects", json!({ "path": shop, "trust": true }))
        .await
        .unwrap();
    let project = added["id"].as_str().unwrap().to_owned();
    let fresh = sandbox.path().join("elsewhere/shop");
    assert!(
        refused(&sandbox, &project, &sandbox.repository("other"))
            .await
            .contains("never had a session")
    );
    let inside = session(&sandbox, &project, "Inside").await;
    std::fs::write(shop.join("downbeat.yaml"), "").unwrap();
    let (live, saved) = (
        session(&sandbox, &project, "Live").await,
        session(&sandbox, &project, "Saved").await,
    );
    for id in [&inside, &live, &saved] {
        std::fs::write(workspace(&sandbox, id).await.join("work.txt"), "work\n").unwrap();
    }
    sandbox.delete(&format!("/api/sessions/{saved}")).await.unwrap();
    sandbox
        .delete(&format!("/api/sessions/{saved}/workspace?force=true"))
        .await
        .unwrap();

    let copied = sandbox.path().join("copied");
    assert!(
        Command::new("cp")
            .arg("-a")
            .args([&shop, &copied])
            .status()
            .unwrap()
            .success()
    );
    assert!(refused(&sandbox, &project, &copied).await.contains("is still at"));
    std::fs::create_dir_all(fresh.parent().unwrap()).unwrap();
    std::fs::rename(&shop, &fresh).unwrap();
    let diff = |id: &str| format!("/api/sessions/{id}/output?what=diff");
    let gone = sandbox.get(&diff(&live)).await.unwrap_err().body["message"].to_string();
    assert!(gone.contains("project edit") && gone.contains("--path"), "{gone}");
    let problem = sandbox.get(&format!("/api/projects/{project}")).await.unwrap()["problem"].to_string();
    assert!(problem.contains("project edit shop"), "{problem}");
    // Another repository does not know the worktrees of this one.
    let clone = sandbox.path().join("clone");
    git(&fresh, &[], &["clone", "-q", ".", clone.to_str().unwrap()]);
    assert!(
        refused(&sandbox, &project, &clone)
            .await
            .contains("does not know the worktree")
    );
    // Not another one of the sandbox: made within the same second, it begins with the same commit.
    let other = sandbox.path().join("unlike");
    std::fs::create_dir(&other).unwrap();
    git(&other, &[], &["init", "-q"]);
    let person = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let commit = ["commit", "-q", "--allow-empty", "-m", "unlike"];
    git(&other, &[], &[&person[..], &commit].concat());
    assert!(
        refused(&sandbox, &project, &other)
            .await
            .contains("does not have the commit")
    );
    assert!(refused(&sandbox, &project, &shop).await.contains("is missing"));
    assert_eq!(
        sandbox.get(&format!("/api/projects/{project}")).await.unwrap()["path"],
        json!(shop)
    );

    let edited = sandbox.cli(&[
        "project",
        "edit",
        "shop",
        "--path",
        fresh.join("src").to_str().unwrap(),
    ]);
    assert!(
        edited.status.success(),
        "{}",
        String::from_utf8_lossy(&edited.stderr)
    );
    let now = sandbox.get(&format!("/api/projects/{project}")).await.unwrap();
    assert_eq!(
        (&now["path"], &now["problem"], &now["trusted"]),
        (&json!(fresh), &Value::Null, &json!(true))
    );
    assert!(workspace(&sandbox, &inside).await.starts_with(&fresh));
    for id in [&inside, &live] {
        assert_eq!(sandbox.get(&diff(id)).await.unwrap()["changes"]["count"], 1);
        let place = workspace(&sandbox, id).await;
        assert_eq!(git(&place, &[], &["status", "--porcelain"]).trim(), "?? work.txt");
    }
    sandbox
        .press(&live, "git status --short; echo done $((1+1))\r")
        .await;
    sandbox.shows(&live, "done 2").await;
    sandbox
        .post(&format!("/api/sessions/{saved}/restore-work"), json!({}))
        .await
        .unwrap();
    assert!(workspace(&sandbox, &saved).await.join("work.txt").exists());
    let more = session(&sandbox, &project, "More").await;
    assert!(workspace(&sandbox, &more).await.join("README.md").exists());
    // Repeating the request changes nothing.
    let again = sandbox.cli(&["project", "edit", "shop", "--path", fresh.to_str().unwrap()]);
    assert!(
        again.status.success(),
        "{}",
        String::from_utf8_lossy(&again.stderr)
    );
}
