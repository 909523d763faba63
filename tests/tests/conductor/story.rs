//! What the stories of a pull request share: a project with a remote at a forge, and waiting for what the agent did.

use downbeat_tests::forge::TestForge;
use downbeat_tests::model_server::ModelServer;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The reactions of the project.
pub const CONFIG: &str = "reactions:\n  approved-and-green: { action: merge, deleteAfter: true }\n  pr-merged: { action: archive }\n";

/// Adds the repository `shop`, with these files, a remote at this address, and its default branch pushed there. Returns the
/// project's id.
pub async fn shop(sandbox: &Sandbox, forge: &TestForge, remote: &str, files: &[(&str, &str)]) -> String {
    let repository = sandbox.repository("shop");
    for (name, text) in files {
        let at = repository.join(name);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    }
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(&repository, &[], &["add", "-A"]);
    git(
        &repository,
        &[],
        &[&me[..], &["commit", "-qm", "settings"]].concat(),
    );
    git(&repository, &[], &["remote", "add", "origin", remote]);
    forge.take_pushes(&repository);
    git(&repository, &[], &["push", "-q", "origin", "main"]);
    let added = sandbox
        .post("/api/projects", json!({"path": repository, "trust": true}))
        .await;
    added.unwrap()["id"].as_str().unwrap().to_owned()
}

/// Waits until the agent has committed this text and ended its turn, and returns the commit.
pub async fn committed(sandbox: &Sandbox, id: &str, text: &str) -> String {
    let place = within(4 * PATIENCE, async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        let place = PathBuf::from(session["workspacePath"].as_str()?);
        let is_idle = session["status"] == "idle";
        let subject = is_idle.then(|| git(&place, &[], &["log", "-1", "--format=%s"]))?;
        (subject.trim() == text).then_some(place)
    });
    let Some(place) = place.await else {
        panic!("{text}: {:#?}", sandbox.get(&format!("/api/sessions/{id}")).await);
    };
    head(&place)
}

fn head(place: &Path) -> String {
    git(place, &[], &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Lets the engine ask the forge now.
pub async fn look(sandbox: &Sandbox) {
    sandbox.post("/api/forges/look", json!({})).await.unwrap();
}

/// Waits until the person is told these words about a session.
pub async fn told(sandbox: &Sandbox, id: &str, words: &str) {
    let found = within(PATIENCE, async || {
        let notices = sandbox.notices().await;
        let is_it = |notice: &Value| notice["text"].as_str().is_some_and(|text| text.contains(words));
        notices.iter().any(is_it).then_some(())
    });
    if found.await.is_none() {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await;
        let done = sandbox.get(&format!("/api/sessions/{id}/reactions")).await;
        panic!("nobody was told {words:?}: {session:#?} {done:#?}");
    }
}

/// Waits until the forge has this commit of the session.
pub async fn pushed(forge: &TestForge, pull: &str, commit: &str) {
    let branches = json!({"op": "pushed", "pull": pull});
    until("the agent pushed", async || {
        let at = forge.control(branches.clone()).await;
        (at["head"] == commit).then_some(())
    })
    .await;
}

/// Waits until a pull request of a session is known, and returns the session.
pub async fn opened(sandbox: &Sandbox, id: &str) -> Value {
    until("its pull request is known", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        session["pulls"][0].is_object().then_some(session)
    })
    .await
}

/// Returns the id at the forge of the first pull request of a session.
pub fn pull_id(session: &Value) -> String {
    let id = session["pulls"][0]["id"].as_str().unwrap();
    id.rsplit('/').next().unwrap().to_owned()
}

/// Whether the agent got a prompt with these words that also has this part.
pub fn got(model: &ModelServer, words: &str, part: &str) -> bool {
    let turns = model.turns();
    let mut prompts = turns.iter().map(|turn| &turn.prompt);
    prompts.any(|prompt| prompt.contains(words) && prompt.contains(part))
}

/// Checks that a session is archived as merged, without its worktree.
pub async fn is_put_away(sandbox: &Sandbox, id: &str) {
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert!(
        session["workspacePath"].is_null() && session["archivedAt"].is_string(),
        "{session:#}"
    );
    assert_eq!(session["lifecycle"]["stage"], "merged", "{session:#}");
}
