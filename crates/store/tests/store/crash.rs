//! A process that is killed while it writes: every write is either complete or missing.

use crate::sample::{about, at, project, session};
use downbeat_model::EventKind;
use downbeat_store::Store;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CHILD: &str = "DOWNBEAT_TEST_WRITER";

/// Not a test of its own, but the process that the test below kills. Each write changes the project, records
/// a journal entry and appends an event; committed numbers are printed.
#[tokio::test]
async fn writer() {
    let Some(file) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::open(Path::new(&file)).await.unwrap();
    let mut owner = store.projects().await.unwrap().remove(0);
    let session = store.sessions().await.unwrap().remove(0);
    loop {
        let mut write = store.begin().await.unwrap();
        let next = store.last_seq().await.unwrap() + 1;
        owner.default_branch = next.to_string();
        write.update_project(&owner).await.unwrap();
        assert!(
            write
                .journal(&session.id, "k", next.unsigned_abs())
                .await
                .unwrap()
        );
        write
            .append(
                EventKind::SessionFact,
                &about(&session.id),
                None,
                json!(next),
                at(0),
            )
            .await
            .unwrap();
        write.commit().await.unwrap();
        println!("committed {next}");
    }
}

fn write_until_killed(file: &PathBuf, after: usize) -> i64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::writer", "--nocapture"])
        .env(CHILD, file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut told = lines.filter_map(|line| line.strip_prefix("committed ")?.parse().ok());
    let last = told.by_ref().nth(after);
    child.kill().unwrap();
    child.wait().unwrap();
    told.last().or(last).unwrap()
}

#[tokio::test]
async fn a_killed_writer_leaves_only_complete_writes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("downbeat.db");
    let store = Store::open(&file).await.unwrap();
    let owner = project("one");
    let about = session(&owner.id, "a", None);
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.insert_session(&about).await.unwrap();
    write.commit().await.unwrap();
    store.close().await;
    for round in 0..5 {
        let told = write_until_killed(&file, round * 17);
        let store = Store::open(&file).await.unwrap();
        let last = store.last_seq().await.unwrap();
        assert!(last == told || last == told + 1, "told {told}, there {last}");
        let events = store.events_since(0, u32::MAX).await.unwrap();
        assert!(
            events
                .iter()
                .zip(1..)
                .all(|(event, seq)| event.seq == seq && event.payload == json!(seq))
        );
        assert_eq!(
            store.projects().await.unwrap()[0].default_branch,
            last.to_string()
        );
        let mut write = store.begin().await.unwrap();
        assert!(!write.journal(&about.id, "k", last.unsigned_abs()).await.unwrap());
        assert!(
            write
                .journal(&about.id, "k", last.unsigned_abs() + 1)
                .await
                .unwrap()
        );
        drop(write);
        store.close().await;
    }
}
