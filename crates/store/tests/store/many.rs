//! Concurrent readers and writers, and long histories.

use crate::sample::{about, at, project, sandbox, session};
use downbeat_model::{EventKind, Subject};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_see_only_complete_writes_while_writers_queue() {
    const WRITERS: usize = 4;
    const EACH: usize = 25;
    let sandbox = sandbox().await;
    let store = sandbox.store.clone();
    let owner = project("one");
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.commit().await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let (store, owner) = (store.clone(), owner.id.clone());
        tasks.spawn(async move {
            for number in 0..EACH {
                let row = session(&owner, &format!("w{writer}-{number}"), None);
                let mut write = store.begin().await.unwrap();
                write.insert_session(&row).await.unwrap();
                write
                    .append(EventKind::SessionCreated, &about(&row.id), None, json!({}), at(0))
                    .await
                    .unwrap();
                write.commit().await.unwrap();
            }
        });
    }
    for _ in 0..8 {
        let store = store.clone();
        tasks.spawn(async move {
            let mut seen = 0;
            while seen < (WRITERS * EACH) as i64 {
                let before = store.last_seq().await.unwrap();
                let sessions = store.sessions().await.unwrap().len() as i64;
                let after = store.last_seq().await.unwrap();
                assert!(
                    before <= sessions && sessions <= after,
                    "{before} {sessions} {after}"
                );
                assert!(before >= seen);
                seen = before;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let events = store.events_since(0, 1000).await.unwrap();
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    assert_eq!(events.len(), WRITERS * EACH);
}

#[tokio::test]
async fn ten_thousand_events_are_paged_in_order() {
    let sandbox = sandbox().await;
    let mut write = sandbox.store.begin().await.unwrap();
    for number in 1..=10_000 {
        write
            .append(
                EventKind::SessionFact,
                &Subject::Engine,
                None,
                json!(number),
                at(number),
            )
            .await
            .unwrap();
    }
    assert_eq!(write.commit().await.unwrap().len(), 10_000);
    let (mut after, mut pages) = (0, 0);
    loop {
        let page = sandbox.store.events_since(after, 999).await.unwrap();
        let Some(last) = page.last() else {
            break;
        };
        assert!(
            page.iter()
                .zip(after + 1..)
                .all(|(event, seq)| event.seq == seq && event.payload == json!(seq))
        );
        (after, pages) = (last.seq, pages + 1);
    }
    assert_eq!((after, pages), (10_000, 11));
}
