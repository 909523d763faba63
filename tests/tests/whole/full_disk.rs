//! Requests that a full disk refuses leave nothing behind: the next engine carries none of them out, and
//! each works as soon as there is room.

use crate::bad_input::{Tiny, names};
use crate::crashes::{held, reached};
use crate::deliveries::workspace;
use crate::queue::idle;
use downbeat_tests::sandbox::{Refused, Sandbox, program};
use serde_json::{Value, json};
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Room in the data directory beside the copies of the programs.
const ROOM: u64 = 8 << 20;

/// Fills the disk of `folder` up; gives the file to delete.
fn fill(folder: &Path) -> PathBuf {
    let filler = folder.join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    for size in [1 << 20, 1 << 12, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
    filler
}

/// Makes a request, fills the disk when the engine reached the point it is held at, and gives how the
/// request was refused.
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
async fn a_removal_and_a_restore_that_a_full_disk_refuses_are_not_carried_out_later() {
    let mut sandbox = Sandbox::new();
    let programs = ["downbeat", "downbeat-hook"];
    let programs = programs.map(|name| std::fs::metadata(program(name)).unwrap().len());
    let data = sandbox.data();
    let Some(_tiny) = Tiny::mount(data.clone(), programs.iter().sum::<u64>() + ROOM) else {
        println!("skipped: this user may not mount a file system");
        return;
    };
    sandbox.start().await;
    let id = idle(&sandbox, "Holds work").await;
    let worktree = workspace(&sandbox, &id).await;
    std::fs::write(worktree.join("work.txt"), "work").unwrap();
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    let remove = format!("/api/sessions/{id}/workspace?force=true");
    let restore = format!("/api/sessions/{id}/restore-work");

    let point = held(&mut sandbox, "remove-wished").await;
    let (refused, filler) = refused_when_full(sandbox.delete(&remove), (&point, &data)).await;
    names(&refused.to_string(), &["full", "make room"]);
    assert!(worktree.join("work.txt").exists());
    // The next engine has room, and finds no wish that it could carry out.
    std::fs::remove_file(&filler).unwrap();
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_PAUSE_AT", "restore-wished");
    sandbox.start().await;
    assert!(worktree.join("work.txt").exists(), "the removal was refused");
    let removed = sandbox.delete(&remove).await.unwrap();
    assert!(removed["backup"].is_object() && !worktree.exists(), "{removed}");

    let asked = sandbox.post(&restore, json!({}));
    let (refused, filler) = refused_when_full(asked, (&point, &data)).await;
    // Also where it is git that says it, which writes the worktree.
    names(
        &refused.to_string(),
        &["the disk that holds", "full", "make room"],
    );
    assert!(!worktree.exists(), "nothing is left that nobody sees");
    std::fs::remove_file(&filler).unwrap();
    // By the same engine.
    sandbox.post(&restore, json!({})).await.unwrap();
    assert_eq!(
        std::fs::read_to_string(worktree.join("work.txt")).unwrap(),
        "work"
    );
    sandbox.kill_engine();
}
