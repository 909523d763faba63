//! Tests of commands that run inside a session: they act as that session, never as the person.

use crate::rig::{Rig, Said, command, run, session};
use crate::scripted::{SESSION, SESSION_ID, Scripted};
use downbeat_model::SessionId;
use downbeat_wire::{Caller, names};
use serde_json::json;
use std::path::Path;

/// Runs the command as a program of a session does.
async fn inside(home: &Path, token: &str, words: &[&str]) -> Said {
    let mut command = command(home);
    command
        .env_remove("DOWNBEAT_HOME")
        .env("DOWNBEAT_SESSION", SESSION_ID)
        .env("DOWNBEAT_TOKEN", token)
        .env("DOWNBEAT_ENGINE", home.join("engine.json"));
    run(command.args(words)).await
}

/// Creates a second path to the same folder.
fn link_to_folder(folder: &Path, link: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder, link).unwrap();
    // Unlike a symbolic link, a junction needs no Developer Mode.
    #[cfg(windows)]
    junction::create(folder, link).unwrap();
}

async fn rig() -> Rig {
    Rig::start(Scripted::new(|call| {
        Ok(match call.name {
            names::get_status => json!({
                "id": SESSION_ID, "name": "w", "status": "running", "activity": "active",
                "statusEvidence": {"source": "hook", "detail": "x", "at": "2026-01-01T00:00:00Z"},
                "statusSince": "2026-01-01T00:00:00Z", "question": null
            }),
            names::list_sessions | names::list_agents => json!([]),
            _ => session("w", "spawning"),
        })
    }))
    .await
}

#[tokio::test]
async fn commands_act_as_their_session_even_if_downbeat_home_is_set() {
    let rig = rig().await;
    let home = rig.home.path();
    let said = inside(home, SESSION, &["list", "--json"]).await;
    assert_eq!((said.code, said.out.as_str()), (0, "[]\n"), "{said:?}");
    // The session spawns a worker without naming a project.
    let said = inside(home, SESSION, &["spawn", "do it"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    let mut named = command(home);
    let link = home.join("link");
    link_to_folder(home, &link);
    named
        .env("DOWNBEAT_HOME", link)
        .env("DOWNBEAT_SESSION", SESSION_ID)
        .env("DOWNBEAT_TOKEN", SESSION)
        .env("DOWNBEAT_ENGINE", home.join("engine.json"));
    assert_eq!(run(named.args(["list"])).await.code, 0);
    let calls = rig.host.calls();
    assert!(calls.len() >= 3, "{calls:?}");
    let own = Caller::Session(SessionId::parse(SESSION_ID).unwrap());
    assert!(calls.iter().all(|call| call.caller == own), "{calls:?}");
}

#[tokio::test]
async fn commands_of_the_person_are_refused_with_a_hint() {
    let rig = rig().await;
    let home = rig.home.path();
    for words in [
        &["api", "PATCH", "/api/projects/app", "-d", "{\"trust\":true}"][..],
        &["stop", "--all"],
        &["project", "approve", "app"],
        &["restore", "w"],
        &["attach", SESSION_ID],
        &["serve", "--take-over"],
        &["start"],
    ] {
        let said = inside(home, SESSION, words).await;
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{words:?}: {said:?}");
        assert!(
            said.err.contains("a terminal outside of Downbeat"),
            "{words:?}: {said:?}"
        );
    }
    for token in ["", "of-an-ended-session"] {
        let said = inside(home, token, &["list"]).await;
        assert!(
            said.code == 1 && said.err.contains("token of this session"),
            "{said:?}"
        );
    }
    let calls = rig.host.calls();
    assert!(calls.is_empty(), "nothing is asked: {calls:?}");
    let said = inside(home, SESSION, &["doctor"]).await;
    assert!(!said.out.contains("remove them"), "{said:?}");
}
