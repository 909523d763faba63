//! Tests of the files that a prompt names: those of a worktree or a repository are found by a few letters, and those that a
//! person pastes or drops are kept where only that person can read them.

use crate::deliveries::workspace;
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

fn names(found: &Value) -> Vec<&str> {
    let files = found["files"].as_array().unwrap();
    files.iter().map(|file| file.as_str().unwrap()).collect()
}

#[tokio::test]
async fn files_of_a_worktree_and_of_a_repository_are_found_by_a_few_letters() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Fix", "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "running"]).await;
    let place = workspace(&sandbox, &id).await;
    fs::create_dir_all(place.join("src/cart")).unwrap();
    fs::write(place.join("src/cart/total sum.rs"), "").unwrap();
    fs::write(place.join(".gitignore"), "*.log\n").unwrap();
    fs::write(place.join("cart.log"), "").unwrap();

    let found = sandbox
        .get(&format!("/api/files?session={id}&query=carts"))
        .await
        .unwrap();
    assert_eq!(
        names(&found),
        ["src/cart/total sum.rs"],
        "new files, and none that is ignored"
    );
    let in_project = sandbox.get("/api/files?project=shop&query=cart").await.unwrap();
    assert_eq!(
        names(&in_project),
        Vec::<&str>::new(),
        "it is in the worktree alone"
    );
    let few = sandbox
        .get(&format!("/api/files?session={id}&limit=1"))
        .await
        .unwrap();
    assert_eq!((names(&few).len(), &few["hasMore"]), (1, &json!(true)));

    for path in [
        "/api/files".to_owned(),
        format!("/api/files?session={id}&project=shop"),
    ] {
        let error = sandbox.get(&path).await.unwrap_err();
        assert_eq!(error.body["code"], "invalid", "{path}: {error:?}");
    }
    // A worktree that an agent points elsewhere is not read through its configuration.
    fs::write(place.join(".git"), "gitdir: /tmp\n").unwrap();
    sandbox
        .get(&format!("/api/files?session={id}&query=cart"))
        .await
        .unwrap_err();
}

#[tokio::test]
async fn an_attached_file_is_kept_for_the_person_alone() {
    let sandbox = Sandbox::started().await;
    let attach = async |name: &str, data: &str| {
        let ask = json!({ "name": name, "data": data });
        sandbox.post("/api/attachments", ask).await
    };
    let path = |kept: &Value| PathBuf::from(kept["path"].as_str().unwrap());
    // "hello" in base64.
    let kept = path(&attach("../../my shot.png", "aGVsbG8=").await.unwrap());
    assert_eq!(fs::read_to_string(&kept).unwrap(), "hello");
    assert!(kept.to_str().unwrap().ends_with("-my-shot.png"), "{kept:?}");
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let folder = kept.parent().unwrap();
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(
        path(&attach("my shot.png", "aGVsbG8=").await.unwrap()),
        kept,
        "once"
    );
    for (data, why) in [
        ("", "empty"),
        ("%%", "base64"),
        (&*"A".repeat(1_500_000), "larger"),
    ] {
        let error = attach("a.png", data).await.unwrap_err();
        let message = error.body["message"].as_str().unwrap();
        assert!(message.contains(why), "{message}");
    }
    assert_eq!(
        Path::new(folder).read_dir().unwrap().count(),
        1,
        "refusals leave nothing"
    );
}
