//! Tests unusual removals: something keeps writing into the worktree, or git cannot read it. Also tests
//! worktrees that could not be created completely.

use crate::crashes::{doomed, held, reached};
use crate::workspaces::ended;
use downbeat_tests::repository::{git, isolation};
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Reads the text of a file.
fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

#[tokio::test]
async fn a_worktree_that_is_still_written_to_is_kept_with_its_files() {
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
        said.contains("a program still writes into") && said.contains("late.txt"),
        "{said}"
    );
    assert_eq!(text(&late), "late\nlate\nlate\n");
    assert_eq!(text(&path.join("new.txt")), "precious");
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["workspacePath"], path.to_string_lossy().as_ref());
    // Once nothing writes there any more, the worktree is removed and restored completely.
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
async fn repeating_a_removal_that_a_new_engine_finishes_keeps_the_saved_work() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    let worktree = format!("/api/sessions/{id}/workspace?force=true");
    doomed(&mut sandbox, "remove-noted").await;
    sandbox.delete(&worktree).await.unwrap_err();
    sandbox.set_env("DOWNBEAT_CRASH_AT", "");
    // The next engine continues the removal after its start, and is held when the folder is gone.
    let held = held(&mut sandbox, "remove-removed").await;
    reached(&held).await;
    assert!(!path.exists());
    let mut asked = std::pin::pin!(sandbox.delete(&worktree));
    let early = tokio::time::timeout(Duration::from_secs(1), &mut asked).await;
    assert!(
        early.is_err(),
        "answered while the first one is under way: {early:?}"
    );
    std::fs::remove_file(&held).unwrap();
    asked.await.unwrap();
    let back = format!("/api/sessions/{id}/restore-work");
    sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(text(&path.join("new.txt")), "precious");
}

#[tokio::test]
async fn other_requests_during_a_removal_change_nothing() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    let held = held(&mut sandbox, "remove-noted").await;
    let before = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    let remove = format!("/api/sessions/{id}/workspace?force=true");
    let meanwhile = async {
        reached(&held).await;
        for way in ["restart", "resume"] {
            let asked = sandbox
                .post(&format!("/api/sessions/{id}/{way}"), json!({}))
                .await;
            let refused = asked.expect_err(way).body;
            assert_eq!(refused["code"], "conflict", "{way}: {refused}");
            let said = refused["message"].as_str().unwrap();
            assert!(said.contains("being removed"), "{way}: {said}");
        }
        let now = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        assert_eq!(now["status"], before["status"]);
        std::fs::remove_file(&held).unwrap();
    };
    let (removed, ()) = tokio::join!(sandbox.delete(&remove), meanwhile);
    assert!(removed.unwrap()["backup"].is_object() && !path.exists());
}

#[tokio::test]
async fn a_session_whose_worktree_holds_another_repository_continues_from_its_branch() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let env = isolation(sandbox.path());
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    git(&path, &env, &["add", "-A"]);
    git(&path, &env, &["commit", "-qm", "precious"]);
    std::fs::remove_file(path.join(".git")).unwrap();
    git(&path, &env, &["init", "-q", "-b", "main"]);
    git(&path, &env, &["add", "-A"]);
    git(&path, &env, &["commit", "-qm", "another beginning"]);
    let worktree = format!("/api/sessions/{id}/workspace");
    let refused = sandbox.delete(&worktree).await.unwrap_err();
    assert_eq!(refused.body["code"], "unsaved_work", "{refused:?}");
    let removal = sandbox.delete(&format!("{worktree}?force=true")).await.unwrap();
    let left = removal["left"].as_str().unwrap();
    assert!(left.contains("all of its files are in"), "{left}");
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    let session = sandbox.status(&id, &["idle"]).await;
    assert_eq!(git(&path, &env, &["log", "-1", "--format=%s"]).trim(), "precious");
    let branch = git(&path, &env, &["branch", "--show-current"]);
    assert_eq!(session["branch"], branch.trim());
}

#[tokio::test]
async fn commits_of_a_worktree_whose_folder_was_deleted_are_restored() {
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

#[tokio::test]
async fn a_worktree_that_git_cannot_read_is_moved_aside_and_recreated() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    let notes = git(&path, &[], &["rev-parse", "--absolute-git-dir"]);
    std::fs::write(Path::new(notes.trim()).join("index"), "rubbish").unwrap();
    let worktree = format!("/api/sessions/{id}/workspace");
    let state = sandbox.get(&worktree).await.unwrap();
    assert!(state["unreadable"].is_string(), "{state:#}");
    let refused = sandbox.delete(&worktree).await.unwrap_err();
    assert_eq!(refused.body["code"], "unsaved_work", "{refused:?}");
    let hint = refused.body["hint"].as_str().unwrap();
    assert!(hint.contains("move its folder aside"), "{hint}");
    let removed = sandbox.cli(&["remove", "work", "--force"]);
    let said = String::from_utf8_lossy(&removed.stdout).into_owned();
    let kept = path.with_file_name(format!("{}-kept-1", path.file_name().unwrap().to_string_lossy()));
    assert!(removed.status.success(), "{removed:?}");
    assert!(
        said.contains(kept.to_str().unwrap()) && said.contains("rm -rf"),
        "{said}"
    );
    assert!(!path.exists());
    assert_eq!(text(&kept.join("new.txt")), "precious");
    let notices = sandbox.notices().await;
    let is_told = |notice: &serde_json::Value| notice["text"].as_str().unwrap().contains("-kept-1");
    assert!(notices.iter().any(is_told), "{notices:#?}");
    let back = format!("/api/sessions/{id}/restore-work");
    sandbox.post(&back, json!({})).await.unwrap();
    assert!(path.join("README.md").is_file() && !path.join("new.txt").exists());
    sandbox.cli(&["remove", "work", "--force"]);
    let again = sandbox.cli(&["restore-work", "work"]);
    let said = String::from_utf8_lossy(&again.stdout);
    let names = |text: &str| text.contains(kept.to_str().unwrap());
    assert!(names(&said) && said.contains("could not be saved"), "{said}");
    let told = sandbox.notices().await;
    let is_told = |notice: &&serde_json::Value| names(notice["text"].as_str().unwrap());
    assert_eq!(told.iter().filter(is_told).count(), 3, "{told:#?}");
}

#[tokio::test]
async fn a_submodule_that_could_not_be_checked_out_is_reported() {
    let sandbox = Sandbox::started().await;
    let (shop, library) = (sandbox.repository("shop"), sandbox.repository("library"));
    let url = library.to_str().unwrap();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        url,
        "sub",
    ];
    git(&shop, &[], &add);
    let gone = format!("160000,{},sub", "1".repeat(40));
    git(&shop, &[], &["update-index", "--cacheinfo", &gone]);
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(
        &shop,
        &[],
        &[&me[..], &["commit", "-qm", "a commit that nobody has"]].concat(),
    );
    let added = json!({ "path": shop, "trust": true });
    let added = sandbox.post("/api/projects", added).await.unwrap();
    let (_, path) = ended(&sandbox, added["id"].as_str().unwrap(), "say hello").await;
    assert!(!path.join("sub/README.md").exists());
    let notices = sandbox.notices().await;
    let is_told = |notice: &serde_json::Value| {
        notice["text"]
            .as_str()
            .unwrap()
            .contains("the submodule sub is empty")
    };
    assert!(notices.iter().any(is_told), "{notices:#?}");
}
