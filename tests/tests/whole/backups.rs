//! Tests saved work whose reference is missing, damaged or moved.

use crate::workspaces::ended;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;

#[tokio::test]
async fn a_moved_backup_reference_is_not_mistaken_for_the_saved_work() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    let removal = format!("/api/sessions/{id}/workspace");
    let force = Some(json!({ "force": true }));
    let done = sandbox.call("DELETE", &removal, force).await.unwrap();
    let (name, saved) = (
        done["backup"]["name"].as_str().unwrap(),
        done["backup"]["commit"].as_str().unwrap(),
    );
    let repo = sandbox.path().join("shop");
    git(&repo, &[], &["update-ref", name, "HEAD"]);
    let back = format!("/api/sessions/{id}/restore-work");
    for ask in [&back, &format!("/api/sessions/{id}/resume")] {
        let refused = sandbox.post(ask, json!({})).await.unwrap_err();
        assert_eq!(refused.body["code"], "conflict");
        assert!(
            refused.body["message"].as_str().unwrap().contains(saved),
            "{:#}",
            refused.body
        );
        assert!(!path.exists(), "{ask}");
    }
    git(&repo, &[], &["update-ref", name, saved]);
    sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(std::fs::read_to_string(path.join("new.txt")).unwrap(), "precious");
}

#[tokio::test]
async fn missing_saved_work_is_reported_and_not_replaced_by_the_bare_branch() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (id, path) = ended(&sandbox, &project, "write new.txt precious").await;
    let removal = format!("/api/sessions/{id}/workspace?force=true");
    let removed = sandbox.delete(&removal).await.unwrap();
    let (name, commit) = (&removed["backup"]["name"], &removed["backup"]["commit"]);
    let (name, commit) = (name.as_str().unwrap(), commit.as_str().unwrap());
    let shop = sandbox.path().join("shop");
    git(&shop, &[], &["update-ref", "-d", name]);
    let back = format!("/api/sessions/{id}/restore-work");
    let refused = sandbox.post(&back, json!({})).await.unwrap_err().body;
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains(name) && message.contains(commit), "{refused:#}");
    let resumed = sandbox.cli(&["resume", "work"]);
    assert!(!resumed.status.success() && !path.exists(), "{resumed:?}");
    let listed = sandbox.cli(&["restore-work", "work", "--list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        listed.contains(name) && listed.contains("missing or damaged"),
        "{listed}"
    );
    // The bare branch is restored on request, and the saved work once its ref is back.
    sandbox.post(&back, json!({ "backup": "none" })).await.unwrap();
    assert!(path.is_dir() && !path.join("new.txt").exists());
    std::fs::write(path.join("new.txt"), "precious").unwrap();
    let removed = sandbox.delete(&removal).await.unwrap();
    let (name, commit) = (&removed["backup"]["name"], &removed["backup"]["commit"]);
    let (name, commit) = (name.as_str().unwrap(), commit.as_str().unwrap());
    git(&shop, &[], &["update-ref", "-d", name]);
    sandbox.post(&back, json!({})).await.unwrap_err();
    git(&shop, &[], &["update-ref", name, commit]);
    sandbox.post(&back, json!({})).await.unwrap();
    assert_eq!(std::fs::read_to_string(path.join("new.txt")).unwrap(), "precious");
}
