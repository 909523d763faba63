//! Durations that other parts rely on. Ignored, since it measures and does not test; run it with
//! `cargo test --release -p downbeat-store --test store -- --ignored --nocapture`.

use crate::sample::{about, at, project, sandbox, session};
use downbeat_model::EventKind;
use downbeat_store::Store;
use serde_json::json;
use std::time::{Duration, Instant};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::test]
#[ignore = "measures"]
async fn writes_and_lists_are_fast() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let mut rows = Vec::new();
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    for number in 0..60 {
        let mut row = session(&owner.id, &format!("s{number}"), None);
        row.task.truncate(2000);
        write.insert_session(&row).await.unwrap();
        rows.push(row);
    }
    write.commit().await.unwrap();
    let mut writes = Vec::new();
    for (seq, row) in rows.iter().cycle().take(300).enumerate() {
        let begun = Instant::now();
        let mut write = store.begin().await.unwrap();
        write.journal(&row.id, "k", seq as u64 + 1).await.unwrap();
        write.update_session(row).await.unwrap();
        write
            .append(
                EventKind::SessionFact,
                &about(&row.id),
                Some(&owner.id),
                json!({}),
                at(0),
            )
            .await
            .unwrap();
        write.commit().await.unwrap();
        writes.push(begun.elapsed());
    }
    let mut lists = Vec::new();
    for _ in 0..100 {
        let begun = Instant::now();
        assert_eq!(store.sessions().await.unwrap().len(), 60);
        lists.push(begun.elapsed());
    }
    store.close().await;
    let begun = Instant::now();
    let _again = Store::open(&sandbox.file).await.unwrap();
    let (write, list, open) = (median(writes), median(lists), begun.elapsed());
    println!("median write {write:?}, list of 60 {list:?}; open {open:?}");
    assert!(
        write < Duration::from_millis(50) && list < Duration::from_millis(50),
        "{write:?} {list:?}"
    );
}
