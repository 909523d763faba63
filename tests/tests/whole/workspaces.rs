//! Tests of workspaces: a removal names and saves work that is not safe elsewhere; a restore returns it.

use crate::crashes::doomed;
use downbeat_tests::programs::program;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Starts a session, kills it once it has done what `prompt` says, and returns its id and its worktree.
pub async fn ended(sandbox: &Sandbox, project: &str, prompt: &str) -> (String, PathBuf) {
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Work", "prompt": prompt }))
        .await;
    let session = sandbox.status(&id, &["idle"]).await;
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    (id, PathBuf::from(session["workspacePath"].as_str().unwrap()))
}

#[tokio::test]
async fn uncommitted_work_is_counted_saved_and_restored() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(
        &sandbox,
        &project,
        "write new.txt precious\nwrite .env CHANGED=1\nwrite README.md edited",
    )
    .await;
    let state = sandbox
        .get(&format!("/api/sessions/{id}/workspace"))
        .await
        .unwrap();
    assert_eq!(state["dirtyCount"], 2, "{state:#}");
    assert_eq!(state["changedCopies"], json!([".env"]));
    let refused = sandbox
        .delete(&format!("/api/sessions/{id}/workspace"))
        .await
        .unwrap_err();
    assert_eq!(refused.body["code"], "unsaved_work");
    assert!(path.is_dir());
    let done = sandbox
        .call(
            "DELETE",
            &format!("/api/sessions/{id}/workspace"),
            Some(json!({ "force": true, "deleteBranch": true })),
        )
        .await
        .unwrap();
    assert!(
        done["backup"]["name"]
            .as_str()
            .unwrap()
            .starts_with(&format!("refs/downbeat/backup/{id}/")),
        "{done:#}"
    );
    assert!(!path.exists());
    let session = sandbox
        .post(&format!("/api/sessions/{id}/restore-work"), json!({}))
        .await
        .unwrap();
    let path = Path::new(session["workspacePath"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(path.join("new.txt")).unwrap(), "precious");
    assert_eq!(std::fs::read_to_string(path.join(".env")).unwrap(), "CHANGED=1");
    assert_eq!(std::fs::read_to_string(path.join("README.md")).unwrap(), "edited");
}

#[tokio::test]
async fn a_restore_includes_unchanged_copies_and_is_finished_after_a_crash() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    sandbox
        .call(
            "DELETE",
            &format!("/api/sessions/{id}/workspace"),
            Some(json!({ "force": true })),
        )
        .await
        .unwrap();
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_CRASH_AT", "restore-filled");
    sandbox.start().await;
    let back = format!("/api/sessions/{id}/restore-work");
    sandbox.post(&back, json!({})).await.unwrap_err();
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_CRASH_AT", "");
    sandbox.start().await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(
        session["workspacePath"],
        path.to_string_lossy().as_ref(),
        "{session:#}"
    );
    assert_eq!(std::fs::read_to_string(path.join("new.txt")).unwrap(), "precious");
    assert_eq!(
        std::fs::read_to_string(path.join(".env")).unwrap(),
        "SECRET=of-the-project\n"
    );
}

#[tokio::test]
async fn a_worktree_on_an_unmounted_disk_is_not_removed() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    let (root, away) = (path.parent().unwrap(), sandbox.path().join("away"));
    std::fs::rename(root, &away).unwrap();
    let removal = format!("/api/sessions/{id}/workspace");
    let ask = Some(json!({ "force": true }));
    let refused = sandbox.call("DELETE", &removal, ask.clone()).await.unwrap_err();
    assert_eq!(refused.body["code"], "conflict", "{refused:?}");
    std::fs::rename(&away, root).unwrap();
    let done = sandbox.call("DELETE", &removal, ask).await.unwrap();
    assert_eq!(done["backup"]["files"], 1, "{done:#}");
}

#[tokio::test]
async fn ignored_files_are_named_and_saved_and_too_large_ones_need_confirmation() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(
        &sandbox,
        &project,
        "write notes.local precious\nwrite big.local x",
    )
    .await;
    let exclude = sandbox.path().join("shop/.git/info/exclude");
    std::fs::write(exclude, "*.local\n").unwrap();
    let file = std::fs::File::options()
        .write(true)
        .open(path.join("big.local"))
        .unwrap();
    file.set_len(40_000_000).unwrap();
    let worktree = format!("/api/sessions/{id}/workspace");
    let state = sandbox.get(&worktree).await.unwrap();
    let named = json!([
        { "path": "big.local", "files": 1, "bytes": 40_000_000, "saved": false },
        { "path": "notes.local", "files": 1, "bytes": 8, "saved": true },
    ]);
    assert_eq!((&state["dirtyCount"], &state["ignored"]), (&json!(0), &named));
    let refused = sandbox.delete(&worktree).await.unwrap_err();
    let message = refused.body["message"].as_str().unwrap();
    assert!(
        message.contains("big.local (40 MB") && !message.contains("notes.local"),
        "{message}"
    );
    std::fs::remove_file(path.join("big.local")).unwrap();
    let done = sandbox.delete(&worktree).await.unwrap();
    assert_eq!(done["backup"]["files"], 1, "{done:#}");
    sandbox
        .post(&format!("/api/sessions/{id}/restore-work"), json!({}))
        .await
        .unwrap();
    assert_eq!(
        std::fs::read_to_string(path.join("notes.local")).unwrap(),
        "precious"
    );
}

#[tokio::test]
async fn a_clean_workspace_is_removed_without_confirmation_and_its_session_can_be_forgotten() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "say nothing to keep").await;
    let early = sandbox
        .post(&format!("/api/sessions/{id}/forget"), json!({}))
        .await
        .unwrap_err();
    assert_eq!(early.body["code"], "conflict");
    sandbox
        .call(
            "DELETE",
            &format!("/api/sessions/{id}/workspace"),
            Some(json!({ "deleteBranch": true })),
        )
        .await
        .unwrap();
    assert!(!path.exists());
    sandbox
        .post(&format!("/api/sessions/{id}/forget"), json!({}))
        .await
        .unwrap();
    assert_eq!(
        sandbox
            .get(&format!("/api/sessions/{id}"))
            .await
            .unwrap_err()
            .status,
        404
    );
}

#[tokio::test]
async fn a_running_session_keeps_its_workspace() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Busy", "prompt": "say hello" }))
        .await;
    let session = sandbox.status(&id, &["idle"]).await;
    let refused = sandbox
        .call(
            "DELETE",
            &format!("/api/sessions/{id}/workspace"),
            Some(json!({ "force": true })),
        )
        .await
        .unwrap_err();
    assert_eq!(refused.body["code"], "conflict");
    assert!(Path::new(session["workspacePath"].as_str().unwrap()).is_dir());
}

#[tokio::test]
async fn a_clean_worktree_that_was_removed_is_restored_from_its_branch_or_its_commit() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "say nothing to keep").await;
    let (worktree, back) = (
        format!("/api/sessions/{id}/workspace"),
        format!("/api/sessions/{id}/restore-work"),
    );
    let env = path.join(".env");
    for with_branch in [false, true] {
        let removal = Some(json!({ "deleteBranch": with_branch }));
        let done = sandbox.call("DELETE", &worktree, removal).await.unwrap();
        assert_eq!(done["backup"], json!(null), "{done:#}");
        assert!(!path.exists());
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        assert_eq!(session["canResume"], true, "{session:#}");
        let session = sandbox.post(&back, json!({})).await.unwrap();
        assert_eq!(session["workspacePath"], path.to_string_lossy().as_ref());
        assert_eq!(session["branch"], "feature/work");
        assert_eq!(
            std::fs::read_to_string(&env).unwrap(),
            "SECRET=of-the-project\n",
            "copies come with it"
        );
        std::fs::remove_file(&env).unwrap();
    }
    // If the last removal saved nothing, a restore does not return older saved work.
    std::fs::write(path.join("new.txt"), "precious").unwrap();
    let force = Some(json!({ "force": true }));
    sandbox.call("DELETE", &worktree, force).await.unwrap();
    sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(std::fs::read_to_string(path.join("new.txt")).unwrap(), "precious");
    std::fs::remove_file(path.join("new.txt")).unwrap();
    sandbox.delete(&worktree).await.unwrap();
    sandbox.post(&back, json!({})).await.unwrap();
    assert!(!path.join("new.txt").exists());
}

#[tokio::test]
async fn a_worktree_is_restored_at_the_last_checkout() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "say nothing to keep").await;
    let (worktree, back) = (
        format!("/api/sessions/{id}/workspace"),
        format!("/api/sessions/{id}/restore-work"),
    );
    let at = |what: &str| git(&path, &[], &["rev-parse", what]);
    // A clean worktree with a detached HEAD is restored there, although its branch has moved meanwhile.
    git(&path, &[], &["checkout", "-q", "--detach"]);
    let commit = at("HEAD");
    sandbox.delete(&worktree).await.unwrap();
    let shop = sandbox.path().join("shop");
    let tree = git(&shop, &[], &["rev-parse", "HEAD^{tree}"]);
    let later = git(
        &shop,
        &[],
        &[
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@localhost",
            "commit-tree",
            tree.trim(),
            "-p",
            commit.trim(),
            "-m",
            "later",
        ],
    );
    git(&shop, &[], &["branch", "-f", "feature/work", later.trim()]);
    let session = sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(session["branch"], "feature/work");
    assert_eq!(at("HEAD"), commit);
    assert_eq!(git(&path, &[], &["branch", "--show-current"]).trim(), "");
    // So is one on another branch, with and without work to save.
    git(&path, &[], &["checkout", "-q", "-b", "other"]);
    let new = path.join("new.txt");
    for dirty in [true, false] {
        if dirty {
            std::fs::write(&new, "precious").unwrap();
        }
        let force = Some(json!({ "force": true }));
        let removal = sandbox.call("DELETE", &worktree, force).await.unwrap();
        assert_eq!(removal["backup"].is_null(), !dirty, "{removal:#}");
        let session = sandbox.post(&back, json!({})).await.unwrap();
        assert_eq!(session["branch"], "other");
        assert_eq!(git(&path, &[], &["branch", "--show-current"]).trim(), "other");
        assert_eq!(new.exists(), dirty);
        let _ = std::fs::remove_file(&new);
    }
}

#[tokio::test]
async fn work_written_after_a_removal_was_requested_is_saved_despite_crashes() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "say nothing to keep").await;
    doomed(&mut sandbox, "remove-noted").await;
    let worktree = format!("/api/sessions/{id}/workspace");
    sandbox.delete(&worktree).await.unwrap_err();
    std::fs::write(path.join("new.txt"), "precious").unwrap();
    // The next engine saves the file, removes the worktree and dies.
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_CRASH_AT", "remove-removed");
    let next = sandbox
        .command(program("downbeat"))
        .arg("serve")
        .output()
        .unwrap();
    assert!(!next.status.success(), "{next:?}");
    sandbox.set_env("DOWNBEAT_CRASH_AT", "");
    sandbox.start().await;
    assert!(!path.exists());
    let back = format!("/api/sessions/{id}/restore-work");
    sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(std::fs::read_to_string(path.join("new.txt")).unwrap(), "precious");
}

#[tokio::test]
async fn a_resume_recreates_a_removed_worktree_and_continues_in_it() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "say nothing to keep").await;
    let worktree = format!("/api/sessions/{id}/workspace");
    sandbox.delete(&worktree).await.unwrap();
    let resumed = sandbox.cli(&["restore", "work"]);
    assert!(resumed.status.success(), "{resumed:?}");
    let session = sandbox.status(&id, &["idle"]).await;
    assert_eq!(session["workspacePath"], path.to_string_lossy().as_ref());
    assert!(path.join("README.md").is_file());
    // If the folder was deleted by hand, the hint names the command that recreates it.
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    std::fs::remove_dir_all(&path).unwrap();
    let refused = sandbox.cli(&["restore", "work"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("`downbeat resume work --remake`"), "{said}");
    let resumed = sandbox.cli(&["restore", "work", "--remake"]);
    assert!(resumed.status.success(), "{resumed:?}");
    sandbox.status(&id, &["idle"]).await;
    assert!(path.join("README.md").is_file());
}

#[tokio::test]
async fn a_copy_that_only_set_up_changed_needs_no_confirmation() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("shop");
    let config = "setup:\n  - sh: echo PORT=1 >> .env\n";
    std::fs::write(repository.join("downbeat.yaml"), config).unwrap();
    let add = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", add).await.unwrap();
    let project = added["id"].as_str().unwrap();
    let approve = json!({ "approveSetup": added["setup"]["hash"] });
    let path = format!("/api/projects/{project}");
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    let state = async |id: &str| {
        sandbox
            .get(&format!("/api/sessions/{id}/workspace"))
            .await
            .unwrap()
    };

    let (id, place) = ended(&sandbox, project, "say hello").await;
    let made = std::fs::read_to_string(place.join(".env")).unwrap();
    assert!(made.ends_with("PORT=1\n"), "{made}");
    assert_eq!(state(&id).await["changedCopies"], json!([]));
    let removed = sandbox.delete(&format!("/api/sessions/{id}/workspace")).await;
    removed.unwrap();
    // A copy that the agent changed is listed.
    let (id, _) = ended(&sandbox, project, "write .env CHANGED=1").await;
    assert_eq!(state(&id).await["changedCopies"], json!([".env"]));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_removal_that_cannot_delete_a_file_keeps_the_saved_work() {
    let attribute = |flag: &str, path: &Path| {
        let changed = std::process::Command::new("chattr").arg(flag).arg(path).status();
        changed.is_ok_and(|status| status.success())
    };
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write mine precious\nwrite im fixed").await;
    if !attribute("+i", &path.join("im")) {
        println!("skipped: this user or file system has no immutable files");
        return;
    }
    let removal = format!("/api/sessions/{id}/workspace?force=true");
    let removed = sandbox.delete(&removal).await;
    let rest = path.parent().unwrap().read_dir().unwrap().flatten();
    for folder in rest.filter(|entry| entry.file_name().to_string_lossy().contains("-left-")) {
        attribute("-i", &folder.path().join("im"));
    }
    assert!(removed.unwrap()["backup"].is_object() && !path.exists());
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert!(session["workspacePath"].is_null(), "{session:#}");
    let notices = json!(sandbox.notices().await).to_string();
    assert!(notices.contains("cannot be deleted"), "{notices}");
    let back = format!("/api/sessions/{id}/restore-work");
    sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(std::fs::read_to_string(path.join("mine")).unwrap(), "precious");
}

#[tokio::test]
async fn a_queued_session_has_no_worktree_to_remove() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let limit = Some(json!({ "totalSessions": 1 }));
    sandbox.call("PATCH", "/api/settings", limit).await.unwrap();
    let session = |title| json!({ "projectId": project, "title": title, "prompt": "say hello" });
    let first = sandbox.session(session("First")).await;
    sandbox.status(&first, &["idle"]).await;
    let second = sandbox.session(session("Second")).await;
    sandbox.status(&second, &["queued"]).await;
    let removal = format!("/api/sessions/{second}/workspace");
    let refused = sandbox.delete(&removal).await.unwrap_err();
    assert_eq!(refused.body["code"], "conflict", "{refused:?}");
    assert!(
        refused.body["message"].as_str().unwrap().contains("queued"),
        "{refused:?}"
    );
    // The refusal changed nothing: the session starts once there is room.
    sandbox.delete(&format!("/api/sessions/{first}")).await.unwrap();
    sandbox.status(&second, &["idle"]).await;
}
