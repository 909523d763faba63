//! Tests that requests that fail because the disk is full leave nothing behind: the next engine carries
//! none of them out, and each works as soon as there is room. Requests that end or pause sessions are not
//! refused, and ended sessions are shown as ended.

use crate::bad_input::{Tiny, names};
use crate::crashes::{held, reached};
use crate::deliveries::workspace;
use crate::processes::{kill, of_session};
use crate::queue::idle;
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Refused, Sandbox, until};
use serde_json::{Value, json};
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Room in the data directory beside the copies of the programs.
const ROOM: u64 = 8 << 20;

/// Moves the data directory to a disk with little room.
fn small(sandbox: &Sandbox) -> Option<Tiny> {
    let programs = ["downbeat", "downbeat-hook"];
    let programs = programs.map(|name| std::fs::metadata(program(name)).unwrap().len());
    let tiny = Tiny::mount(sandbox.data(), programs.iter().sum::<u64>() + ROOM);
    if tiny.is_none() {
        println!("skipped: this user may not mount a file system");
    }
    tiny
}

/// Fills the disk of `folder` and returns the file to delete.
fn fill(folder: &Path) -> PathBuf {
    let filler = folder.join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    for size in [1 << 20, 1 << 12, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
    filler
}

/// Sends a request, fills the disk when the engine reached the point it is held at, and returns the
/// refusal.
async fn refused_when_full(
    request: impl Future<Output = Result<Value, Refused>>,
    (held, data): (&Path, &Path),
) -> (Value, PathBuf) {
    let (answer, filler) = tokio::join!(request, async {
        reached(held).await;
        let filler = fill(data);
        std::fs::remove_file(held).unwrap();
        filler
    });
    (answer.expect_err("it is refused").body, filler)
}

#[tokio::test]
async fn a_removal_and_a_restore_refused_on_a_full_disk_are_not_carried_out_later() {
    let mut sandbox = Sandbox::new();
    let Some(_tiny) = small(&sandbox) else {
        return;
    };
    let data = sandbox.data();
    sandbox.start().await;
    let id = idle(&sandbox, "Holds work").await;
    let worktree = workspace(&sandbox, &id).await;
    std::fs::write(worktree.join("work.txt"), "work").unwrap();
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    let remove = format!("/api/sessions/{id}/workspace?force=true");
    let restore = format!("/api/sessions/{id}/restore-work");

    let point = held(&mut sandbox, "remove-noted").await;
    let (refused, filler) = refused_when_full(sandbox.delete(&remove), (&point, &data)).await;
    names(&refused.to_string(), &["full", "make room"]);
    assert!(worktree.join("work.txt").exists());
    // The next engine has room and finds no stored request to carry out.
    std::fs::remove_file(&filler).unwrap();
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_PAUSE_AT", "restore-noted");
    sandbox.start().await;
    assert!(worktree.join("work.txt").exists(), "the removal was refused");
    let removed = sandbox.delete(&remove).await.unwrap();
    assert!(removed["backup"].is_object() && !worktree.exists(), "{removed}");

    let asked = sandbox.post(&restore, json!({}));
    let (refused, filler) = refused_when_full(asked, (&point, &data)).await;
    // The same holds if the error comes from git, which writes the worktree.
    names(
        &refused.to_string(),
        &["the disk that holds", "full", "make room"],
    );
    assert!(!worktree.exists(), "nothing is left that nobody sees");
    std::fs::remove_file(&filler).unwrap();
    // The same engine carries it out now.
    sandbox.post(&restore, json!({})).await.unwrap();
    assert_eq!(
        std::fs::read_to_string(worktree.join("work.txt")).unwrap(),
        "work"
    );
    sandbox.kill_engine();
}

#[tokio::test]
async fn sessions_are_ended_and_paused_on_a_full_disk_and_stay_so() {
    let mut sandbox = Sandbox::new();
    let Some(_tiny) = small(&sandbox) else {
        return;
    };
    sandbox.start().await;
    let mut ids = Vec::new();
    for title in ["Killed", "Stopped", "Ends"] {
        ids.push(idle(&sandbox, title).await);
    }
    let project = sandbox.get("/api/projects").await.unwrap()[0]["id"].clone();
    let works = json!({ "projectId": project, "title": "Works", "prompt": "work /nowhere" });
    ids.push(sandbox.session(works).await);
    sandbox.status(&ids[3], &["running"]).await;
    let agents = |id: &str| {
        let processes = of_session(id);
        processes
            .iter()
            .filter(|process| process.line.contains("/bin/claude"))
            .map(|process| process.pid)
            .collect::<Vec<_>>()
    };
    let filler = fill(&sandbox.data());

    let killed = sandbox
        .delete(&format!("/api/sessions/{}", ids[0]))
        .await
        .unwrap();
    assert_eq!(killed["status"], "killed", "{killed:#}");
    let stop = json!({ "id": ids[1] });
    sandbox.post("/api/sessions/stop", stop).await.unwrap();
    for pid in agents(&ids[2]) {
        kill(pid);
    }
    // The end is shown as soon as it is known, not only once there is room.
    let ended = sandbox.status(&ids[2], &["exited"]).await;
    names(&ended["statusEvidence"].to_string(), &["signal 9"]);
    let pause = format!("/api/sessions/{}/pause", ids[3]);
    let paused = sandbox.post(&pause, json!({})).await.unwrap();
    assert_eq!(paused["paused"]["why"], "paused by you", "{paused:#}");
    sandbox.shows(&ids[3], "interrupted").await;
    for id in &ids[..3] {
        assert_eq!(agents(id), Vec::<u32>::new());
    }
    // A request that can wait is still refused, with the reason.
    let edit = json!({ "name": "other" });
    let path = format!("/api/projects/{}", project.as_str().unwrap());
    let refused = sandbox.call("PATCH", &path, Some(edit.clone())).await;
    names(&refused.unwrap_err().body.to_string(), &["full", "make room"]);

    std::fs::remove_file(&filler).unwrap();
    until("there is room", async || {
        sandbox.call("PATCH", &path, Some(edit.clone())).await.ok()
    })
    .await;
    sandbox.status(&ids[3], &["paused"]).await;
    sandbox.kill_engine();
    sandbox.start().await;
    for (id, status) in ids.iter().zip(["killed", "exited", "exited", "paused"]) {
        sandbox.status(id, &[status]).await;
    }
    // The end is reported once, and the ended session is resumed like any other.
    sandbox
        .post(&format!("/api/sessions/{}/resume", ids[2]), json!({}))
        .await
        .unwrap();
    sandbox.status(&ids[2], &["idle"]).await;
    sandbox.kill_engine();
}

#[tokio::test]
async fn an_engine_starts_on_a_full_disk_and_ends_sessions() {
    let mut sandbox = Sandbox::new();
    // Not even the copies of the programs fit.
    let Some(_tiny) = Tiny::mount(sandbox.data(), 64 << 20) else {
        println!("skipped: this user may not mount a file system");
        return;
    };
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Fills", "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "unknown", "running"]).await;
    sandbox.kill_engine();
    fill(&sandbox.data());
    sandbox.start().await;
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    sandbox.status(&id, &["killed"]).await;
}
