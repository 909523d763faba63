//! Removals that do not go as usual: something writes into the worktree all the while.

use crate::workspaces::ended;
use downbeat_tests::repository::{git, isolation};
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::path::Path;

/// A file's text.
fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

#[tokio::test]
async fn a_worktree_into_which_something_still_writes_stays_and_keeps_it() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    let late = path.join("late.txt");
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_WRITE_AT", "save-done");
    sandbox.set_env("DOWNBEAT_WRITE_TO", late.to_str().unwrap());
    sandbox.start().await;
    let worktree = format!("/api/sessions/{id}/workspace");
    let force = Some(json!({ "force": true }));
    let refused = sandbox
        .call("DELETE", &worktree, force.clone())
        .await
        .unwrap_err();
    let said = refused.body["message"].as_str().unwrap();
    assert_eq!(refused.body["code"], "conflict", "{refused:?}");
    assert!(
        said.contains("something still writes into") && said.contains("late.txt"),
        "{said}"
    );
    assert_eq!(text(&late), "late\nlate\nlate\n");
    assert_eq!(text(&path.join("new.txt")), "precious");
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["workspacePath"], path.to_string_lossy().as_ref());
    // Once nothing writes there any more, it goes and comes back with all of it.
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_WRITE_AT", "");
    sandbox.start().await;
    sandbox.call("DELETE", &worktree, force).await.unwrap();
    assert!(!path.exists());
    let back = format!("/api/sessions/{id}/restore-work");
    sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(text(&late), "late\nlate\nlate\n");
    assert_eq!(text(&path.join("new.txt")), "precious");
}

#[tokio::test]
async fn commits_of_a_worktree_whose_folder_was_deleted_come_back_with_it() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let env = isolation(sandbox.path());
    for way in ["restore-work", "resume"] {
        let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
        git(&path, &env, &["checkout", "-q", "--detach"]);
        git(&path, &env, &["add", "-A"]);
        git(&path, &env, &["commit", "-qm", "precious"]);
        let tip = git(&path, &env, &["rev-parse", "HEAD"]);
        std::fs::remove_dir_all(&path).unwrap();
        let worktree = format!("/api/sessions/{id}/workspace");
        let held = sandbox.get(&worktree).await.unwrap();
        assert_eq!(held["unpushed"], 1, "{held:#}");
        let mut body = json!({ "remake": true });
        if way == "restore-work" {
            body = json!({});
            let refused = sandbox.delete(&worktree).await.unwrap_err();
            assert_eq!(refused.body["code"], "unsaved_work", "{refused:?}");
            let force = Some(json!({ "force": true }));
            sandbox.call("DELETE", &worktree, force).await.unwrap();
        }
        let back = format!("/api/sessions/{id}/{way}");
        sandbox.post(&back, body).await.unwrap();
        assert_eq!(git(&path, &env, &["rev-parse", "HEAD"]), tip, "{way}");
        assert_eq!(text(&path.join("new.txt")), "precious", "{way}");
    }
}
