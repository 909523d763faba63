//! Tests of crashes: the engine is killed at every named step of a spawn, an end and a removal, and the
//! keeper during its start. The next engine finishes once what was begun, and nothing is lost or left behind.

use crate::processes::{keepers, kill, lives, of_session};
use downbeat_tests::programs::program;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn begins(prefixes: &[&str]) -> Vec<&'static str> {
    let all = downbeat_engine::failpoint::POINTS
        .iter()
        .chain(downbeat_git::POINTS);
    all.copied()
        .filter(|point| prefixes.iter().any(|prefix| point.starts_with(prefix)))
        .collect()
}

/// Replaces the engine with one that dies at `point`.
pub async fn doomed(sandbox: &mut Sandbox, point: &str) {
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_CRASH_AT", point);
    sandbox.start().await;
}

/// Waits until the engine has died at `point`, and starts the next one.
pub async fn successor(sandbox: &mut Sandbox, point: &str) {
    // A command that found the engine dead has removed its file.
    if let Some(manifest) = sandbox.manifest() {
        let pid = u32::try_from(manifest["pid"].as_u64().unwrap()).unwrap();
        within(PATIENCE, async || (!lives(pid)).then_some(()))
            .await
            .unwrap_or_else(|| panic!("{point} was not reached"));
    }
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_CRASH_AT", "");
    sandbox.start().await;
}

/// Replaces the engine with one that creates the returned file at `point` and pauses while the file exists.
pub async fn held(sandbox: &mut Sandbox, point: &str) -> PathBuf {
    sandbox.kill_engine();
    let file = sandbox.path().join("held");
    sandbox.set_env("DOWNBEAT_PAUSE_AT", point);
    sandbox.set_env("DOWNBEAT_PAUSE_FILE", file.to_str().unwrap());
    sandbox.start().await;
    file
}

/// Waits until the engine of [`held`] has reached its point.
pub async fn reached(file: &Path) {
    within(PATIENCE, async || file.exists().then_some(()))
        .await
        .expect("the point is reached");
}

/// Returns the only session with this title.
async fn titled(sandbox: &Sandbox, title: &str) -> Value {
    let all = sandbox.get("/api/sessions").await.unwrap();
    let found: Vec<_> = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|session| session["title"] == title)
        .cloned()
        .collect();
    assert_eq!(found.len(), 1, "{title}: {all:#}");
    found.into_iter().next().unwrap()
}

fn agents(id: &str) -> usize {
    of_session(id)
        .iter()
        .filter(|process| process.line.contains("/bin/claude"))
        .count()
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

fn lines(repository: &Path, arguments: &[&str]) -> Vec<String> {
    git(repository, &[], arguments)
        .lines()
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn a_spawn_that_a_crash_interrupts_at_any_step_is_finished_by_the_next_engine() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let repository = sandbox.path().join("shop");
    let points = begins(&["spawn-", "register-", "checkout-", "copy-"]);
    assert!(points.len() > 12, "{points:?}");
    for (done, point) in points.iter().enumerate() {
        doomed(&mut sandbox, point).await;
        let ask = json!({
            "projectId": project, "title": point, "prompt": format!("write proof.txt {point}\nsay ran-{point}"),
        });
        let _ = sandbox.post("/api/sessions", ask).await;
        successor(&mut sandbox, point).await;
        let id = titled(&sandbox, point).await["id"].as_str().unwrap().to_owned();
        let session = sandbox.status(&id, &["idle"]).await;
        let text = sandbox.shows(&id, &format!("ran-{point}")).await;
        assert_eq!(
            text.matches(&format!("ran-{point}")).count(),
            1,
            "{point}: {text}"
        );
        assert_eq!(agents(&id), 1, "{point}: one agent");
        assert_eq!(keepers(&sandbox.data(), &id).len(), 1, "{point}: one keeper");
        let path = PathBuf::from(session["workspacePath"].as_str().unwrap());
        assert_eq!(
            std::fs::read_to_string(path.join(".env")).unwrap(),
            "SECRET=of-the-project\n"
        );
        assert_eq!(
            lines(&path, &["status", "--porcelain"]),
            ["?? proof.txt"],
            "{point}"
        );
        assert!(
            entries(&path).iter().all(|name| !name.starts_with(".downbeat")),
            "{point}"
        );
        assert_eq!(session["branch"], format!("feature/{point}"));
        let made = done + 1;
        assert_eq!(
            lines(&repository, &["worktree", "list"]).len(),
            1 + made,
            "{point}"
        );
        assert_eq!(
            lines(&repository, &["branch", "--list"]).len(),
            1 + made,
            "{point}"
        );
        assert_eq!(entries(path.parent().unwrap()).len(), made, "{point}");
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
    let first = titled(&sandbox, points[0]).await;
    assert_eq!(first["status"], "killed", "later crashes do not touch it");
}

#[tokio::test]
async fn a_removal_that_a_crash_interrupts_at_any_step_loses_nothing() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let repository = sandbox.path().join("shop");
    let points = begins(&["save-", "remove-", "forget-"]);
    assert!(points.len() > 10, "{points:?}");
    for point in points {
        doomed(&mut sandbox, point).await;
        let prompt = format!("write work.txt precious-{point}\nwrite .env CHANGED=1");
        let ask = json!({ "projectId": project, "title": point, "prompt": prompt });
        let id = sandbox.session(ask).await;
        let session = sandbox.status(&id, &["idle"]).await;
        let path = PathBuf::from(session["workspacePath"].as_str().unwrap());
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
        // Some removals also forget the session; that intent outlives the crash too.
        let forget = matches!(point, "remove-written" | "remove-moved" | "forget-cleared");
        let asked = json!({ "force": true, "deleteBranch": true, "forget": forget });
        let removal = format!("/api/sessions/{id}/workspace");
        let _ = sandbox.call("DELETE", &removal, Some(asked)).await;
        successor(&mut sandbox, point).await;

        // The next engine listens before it has finished what takes long.
        let removed = async || match sandbox.get(&format!("/api/sessions/{id}")).await {
            Ok(shown) => shown["workspacePath"].is_null().then_some(()),
            Err(refused) => (refused.status == 404).then_some(()),
        };
        until("the removal", removed).await;
        assert_eq!(entries(path.parent().unwrap()), [""; 0], "{point}");
        assert_eq!(lines(&repository, &["worktree", "list"]).len(), 1, "{point}");
        assert_eq!(lines(&repository, &["branch", "--list"]), ["* main"], "{point}");
        let namespace = format!("refs/downbeat/backup/{id}");
        let backups = lines(&repository, &["for-each-ref", "--format=%(refname)", &namespace]);
        assert_eq!(backups.len(), 1, "{point}: saved once: {backups:?}");
        for (file, content) in [
            ("work.txt", format!("precious-{point}")),
            (".env", "CHANGED=1".into()),
        ] {
            let saved = git(&repository, &[], &["show", &format!("{}:{file}", backups[0])]);
            assert_eq!(saved, content, "{point}");
        }
        let shown = sandbox.get(&format!("/api/sessions/{id}")).await;
        if forget {
            assert_eq!(shown.unwrap_err().status, 404, "{point}");
            assert!(!sandbox.data().join("keepers").join(&id).exists(), "{point}");
            continue;
        }
        let shown = shown.unwrap();
        assert_eq!(
            (&shown["workspacePath"], &shown["hasBackup"], &shown["status"]),
            (&Value::Null, &json!(true), &json!("killed")),
            "{point}: {shown:#}"
        );
    }
}

#[tokio::test]
async fn the_intent_to_kill_outlives_the_engine() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    for point in begins(&["end-"]) {
        doomed(&mut sandbox, point).await;
        let ask = json!({ "projectId": project, "title": point, "prompt": "write kept.txt yes\nescape" });
        let id = sandbox.session(ask).await;
        let session = sandbox.status(&id, &["idle"]).await;
        let _ = sandbox.delete(&format!("/api/sessions/{id}")).await;
        successor(&mut sandbox, point).await;
        let killed = sandbox.status(&id, &["killed"]).await;
        assert_eq!(killed["error"], Value::Null, "killed, not failed: {killed:#}");
        within(PATIENCE, async || of_session(&id).is_empty().then_some(()))
            .await
            .unwrap_or_else(|| panic!("{point}: the tree is gone"));
        within(PATIENCE, async || {
            keepers(&sandbox.data(), &id).is_empty().then_some(())
        })
        .await
        .unwrap_or_else(|| panic!("{point}: the keeper is gone"));
        let kept = Path::new(session["workspacePath"].as_str().unwrap()).join("kept.txt");
        assert!(kept.exists(), "{point}: the worktree stays");
    }
}

#[tokio::test]
async fn a_session_whose_keeper_is_killed_at_its_start_fails_and_can_be_started_again() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Stillborn", "prompt": "lines 2000\nsay hello" });
    let id = sandbox.session(ask).await;
    // The keeper's child looks like a keeper until it becomes the agent; the keeper itself is older.
    let oldest = || {
        keepers(&sandbox.data(), &id)
            .into_iter()
            .min_by_key(|keeper| keeper.pid)
    };
    let keeper = within(PATIENCE, async || oldest()).await;
    kill(keeper.expect("a keeper").pid);
    let session = sandbox.status(&id, &["errored", "setup_failed"]).await;
    let error = session["error"].as_str().unwrap();
    assert!(
        error.contains("keeper") || error.contains("keeper of this terminal"),
        "{session:#}"
    );
    within(PATIENCE, async || of_session(&id).is_empty().then_some(()))
        .await
        .expect("its agent is ended");
    let (again, ask) = match session["status"].as_str() {
        Some("errored") => ("resume", json!({ "fresh": true })),
        _ => ("setup", json!({})),
    };
    sandbox
        .post(&format!("/api/sessions/{id}/{again}"), ask)
        .await
        .unwrap();
    sandbox.status(&id, &["idle"]).await;
    assert_eq!((agents(&id), keepers(&sandbox.data(), &id).len()), (1, 1));
}

#[tokio::test]
async fn an_engine_and_a_keeper_killed_together_never_leave_two_agents() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    doomed(&mut sandbox, "spawn-keeper-started").await;
    let ask = json!({ "projectId": project, "title": "Twice", "prompt": "escape\nsay here" });
    let _ = sandbox.post("/api/sessions", ask).await;
    let keepers_dir = sandbox.data().join("keepers");
    let id = within(PATIENCE, async || entries(&keepers_dir).pop())
        .await
        .expect("a keeper's directory");
    let sleepers = || {
        let all = of_session(&id);
        all.iter()
            .filter(|process| process.line.contains("sleep 1000"))
            .map(|process| process.pid)
            .collect::<Vec<_>>()
    };
    let first = within(PATIENCE, async || sleepers().pop())
        .await
        .expect("a child that left its group");
    kill(keepers(&sandbox.data(), &id).pop().expect("a keeper").pid);
    successor(&mut sandbox, "spawn-keeper-started").await;
    sandbox.status(&id, &["idle"]).await;
    assert!(!lives(first), "what the first agent left is ended");
    let now = (sleepers().len(), agents(&id), keepers(&sandbox.data(), &id).len());
    assert_eq!(now, (1, 1, 1));
}

#[tokio::test]
async fn an_engine_leaves_a_step_alone_that_crashed_the_engines_before_it() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    doomed(&mut sandbox, "spawn-registered").await;
    let ask = json!({ "projectId": project, "title": "Doomed", "prompt": "say hello" });
    drop(sandbox.post("/api/sessions", ask).await);
    for _ in 0..6 {
        sandbox.kill_engine();
        let next = sandbox
            .command(program("downbeat"))
            .arg("serve")
            .output()
            .unwrap();
        assert!(!next.status.success(), "it is taken up: {next:?}");
    }
    sandbox.start().await;
    let id = titled(&sandbox, "Doomed").await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let session = sandbox.status(&id, &["setup_failed"]).await;
    let why = session["error"].as_str().unwrap();
    assert!(why.contains("leaves it alone until you retry"), "{why}");
    // A retry by the person runs the step again.
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_CRASH_AT", "");
    sandbox.start().await;
    sandbox
        .post(&format!("/api/sessions/{id}/setup"), json!({}))
        .await
        .unwrap();
    sandbox.status(&id, &["idle"]).await;
}
