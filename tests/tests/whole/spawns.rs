//! Tests spawns: worktree, branch, copies, set-up, port, and what is shown when a step fails.

use downbeat_tests::repository::{git, isolation};
use downbeat_tests::sandbox::{Refused, Sandbox};
use serde_json::json;
use std::path::Path;

#[tokio::test]
async fn a_session_gets_its_own_worktree_branch_copies_and_port() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Fix the cart", "prompt": "env PORT\nsay done" }))
        .await;
    let session = sandbox.status(&id, &["idle"]).await;
    assert_eq!(session["name"], "fix-the-cart");
    assert_eq!(session["branch"], "feature/fix-the-cart");
    let path = Path::new(session["workspacePath"].as_str().unwrap());
    assert_eq!(
        std::fs::read_to_string(path.join(".env")).unwrap(),
        "SECRET=of-the-project\n"
    );
    assert_eq!(
        git(path, &[], &["rev-parse", "--abbrev-ref", "HEAD"]).trim(),
        "feature/fix-the-cart"
    );
    let port = session["port"].as_u64().unwrap();
    sandbox.shows(&id, &format!("PORT={port}")).await;
    assert_eq!(session["statusEvidence"]["source"], "hook");
    let steps: Vec<_> = session["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["state"].as_str().unwrap())
        .collect();
    assert_eq!(steps, ["done", "done", "skipped", "done"]);
}

#[tokio::test]
async fn colliding_names_and_branches_are_made_unique() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Same", "agent": "shell" });
    let (a, b) = (sandbox.session(ask.clone()).await, sandbox.session(ask).await);
    let (a, b) = (
        sandbox.status(&a, &["unknown", "running", "idle"]).await,
        sandbox.status(&b, &["unknown", "running", "idle"]).await,
    );
    assert_eq!((&a["name"], &b["name"]), (&json!("same"), &json!("same-2")));
    assert_eq!(
        (&a["branch"], &b["branch"]),
        (&json!("feature/same"), &json!("feature/same-2"))
    );
    assert_ne!(a["port"], b["port"]);
}

#[tokio::test]
async fn untrusted_text_never_reaches_a_shell_or_escapes_a_path() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let marker = sandbox.path().join("pwned");
    let nasty = format!(
        "say $(touch {0}) `touch {0}` \"; touch {0}; ' ../../x 🎉",
        marker.display()
    );
    let id = sandbox
        .session(json!({ "projectId": project, "title": nasty, "prompt": nasty }))
        .await;
    let session = sandbox.status(&id, &["idle"]).await;
    sandbox.shows(&id, "$(touch").await;
    assert!(!marker.exists());
    let path = session["workspacePath"].as_str().unwrap();
    assert!(
        Path::new(path).starts_with(sandbox.data()) && !path.contains(".."),
        "{path}"
    );
    for branch in [
        "--upload-pack=x",
        "a..b",
        "../x",
        "a b",
        "x\ny",
        "",
        "🎉.lock",
        "refs/heads/x\u{0}",
    ] {
        let asked = json!({ "projectId": project, "title": "b", "branch": branch, "agent": "shell" });
        match sandbox.post("/api/sessions", asked).await {
            Ok(session) => assert!(
                !session["branch"].as_str().unwrap().starts_with('-'),
                "{branch:?} became {session}"
            ),
            Err(Refused { status, body }) => {
                assert!(status < 500 || body["message"].is_string(), "{branch:?}: {body}")
            }
        }
    }
}

#[tokio::test]
async fn a_failed_set_up_is_shown_and_can_be_retried_or_skipped() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("shop");
    let config = "setup:\n  - [\"sh\", \"-c\", \"test -e allowed && echo set-up-went-well\"]\n";
    std::fs::write(repository.join("downbeat.yaml"), config).unwrap();
    let added = sandbox
        .post("/api/projects", json!({ "path": repository, "trust": true }))
        .await
        .unwrap();
    let project = added["id"].as_str().unwrap();
    let ask = json!({ "projectId": project, "title": "One", "prompt": "say hello" });
    let refused = sandbox.post("/api/sessions", ask.clone()).await.unwrap_err();
    assert_eq!(refused.body["code"], "approval_needed");
    let hash = &added["setup"]["hash"];
    sandbox
        .call(
            "PATCH",
            &format!("/api/projects/{project}"),
            Some(json!({ "approveSetup": hash })),
        )
        .await
        .unwrap();
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["setup_failed"]).await;
    assert!(
        session["error"].as_str().unwrap().contains("exit code 1"),
        "{session:#}"
    );
    let path = Path::new(session["workspacePath"].as_str().unwrap());
    std::fs::write(path.join("allowed"), "").unwrap();
    sandbox
        .post(&format!("/api/sessions/{id}/setup"), json!({}))
        .await
        .unwrap();
    sandbox.status(&id, &["idle"]).await;
    let text = sandbox.shows(&id, "hello").await;
    assert!(text.contains("set-up-went-well"), "{text}");

    let other = sandbox
        .session(json!({ "projectId": project, "title": "Two", "prompt": "say hello" }))
        .await;
    sandbox.status(&other, &["setup_failed"]).await;
    sandbox
        .post(
            &format!("/api/sessions/{other}/setup"),
            json!({ "startAnyway": true }),
        )
        .await
        .unwrap();
    sandbox.status(&other, &["idle"]).await;

    // The file is corrected, and a retry runs its current commands.
    let third = sandbox
        .session(json!({ "projectId": project, "title": "Three", "prompt": "say hello" }))
        .await;
    sandbox.status(&third, &["setup_failed"]).await;
    let mended = config.replace("test -e allowed", "true");
    std::fs::write(repository.join("downbeat.yaml"), mended).unwrap();
    let path = format!("/api/projects/{project}");
    let now = sandbox.get(&path).await.unwrap();
    let approve = json!({ "approveSetup": now["setup"]["hash"] });
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    sandbox
        .post(&format!("/api/sessions/{third}/setup"), json!({}))
        .await
        .unwrap();
    sandbox.status(&third, &["idle"]).await;
    let text = sandbox.shows(&third, "hello").await;
    assert!(text.contains("set-up-went-well"), "{text}");
}

#[tokio::test]
async fn a_base_that_does_not_exist_is_named_as_the_callers_mistake() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "One", "prompt": "say hello", "base": "no/such" });
    let refused = sandbox.post("/api/sessions", ask).await.unwrap_err();
    assert_eq!((refused.status, &refused.body["code"]), (400, &json!("invalid")));
    let message = refused.body["message"].as_str().unwrap();
    assert!(message.contains("no/such"), "{message}");
    // A base that the project chose is not.
    std::fs::write(sandbox.path().join("shop/downbeat.yaml"), "base: gone\n").unwrap();
    let ask = json!({ "projectId": project, "title": "One", "prompt": "say hello" });
    let refused = sandbox.post("/api/sessions", ask).await.unwrap_err();
    assert_eq!((refused.status, &refused.body["code"]), (409, &json!("conflict")));
    let hint = refused.body["hint"].as_str().unwrap();
    assert!(hint.contains("the base of the project"), "{hint}");
    assert_eq!(sandbox.get("/api/sessions").await.unwrap(), json!([]));
}

#[tokio::test]
async fn the_list_says_why_set_up_was_skipped() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("shop");
    std::fs::write(repository.join("package.json"), "{}").unwrap();
    std::fs::write(repository.join("pnpm-lock.yaml"), "").unwrap();
    let env = isolation(sandbox.path());
    git(&repository, &env, &["add", "."]);
    git(&repository, &env, &["commit", "--quiet", "--message=packages"]);
    let add = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", add).await.unwrap();
    if added["setup"]["commands"] != json!([]) {
        println!("skipped: this machine has a pnpm of its own");
        return;
    }
    let ask = json!({ "projectId": added["id"], "title": "Bare", "prompt": "say hello" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let list = String::from_utf8(sandbox.cli(&["list"]).stdout).unwrap();
    assert!(
        list.contains("set-up skipped: ") && list.contains("pnpm"),
        "{list}"
    );
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let missing = sandbox
        .post(
            "/api/sessions",
            json!({ "projectId": project, "title": "x", "agent": "nobody" }),
        )
        .await;
    assert_eq!(missing.unwrap_err().body["code"], "not_found");
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Dies", "prompt": "say last words\ndie 7" }))
        .await;
    let session = sandbox.status(&id, &["exited", "errored"]).await;
    assert_eq!(session["exitCode"], 7);
    assert!(
        session["error"].as_str().unwrap().contains("last words"),
        "{session:#}"
    );
    assert_eq!(session["canResume"], true);
}

#[tokio::test]
async fn a_task_of_one_hundred_kilobytes_is_delivered() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let task = format!(
        "say begin\n{}\nsay the-end-of-it",
        "say filler filler filler filler filler\n".repeat(2600)
    );
    assert!(task.len() > 100_000);
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Long", "prompt": task }))
        .await;
    sandbox.shows(&id, "the-end-of-it").await;
}
