//! Workers' events, deletion, and journal entries that arrive twice.

use crate::sample::{about, at, project, sandbox, session};
use downbeat_model::EventKind;
use serde_json::json;

#[tokio::test]
async fn a_parent_gets_events_of_its_direct_workers_even_after_they_are_gone() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let parent = session(&owner.id, "parent", None);
    let child = session(&owner.id, "child", Some(&parent.id));
    let grandchild = session(&owner.id, "grandchild", Some(&child.id));
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    for row in [&parent, &child, &grandchild] {
        write.insert_session(row).await.unwrap();
        write
            .append(
                EventKind::SessionStatus,
                &about(&row.id),
                Some(&owner.id),
                json!({}),
                at(0),
            )
            .await
            .unwrap();
    }
    write.commit().await.unwrap();
    let mut write = store.begin().await.unwrap();
    write.delete_session(&child.id).await.unwrap();
    write.delete_session(&child.id).await.unwrap();
    write
        .append(
            EventKind::SessionStatus,
            &about(&child.id),
            None,
            json!({}),
            at(1),
        )
        .await
        .unwrap();
    let fact = EventKind::SessionFact;
    write
        .append(fact, &about(&child.id), None, json!({}), at(2))
        .await
        .unwrap();
    write.commit().await.unwrap();

    let heard = store.worker_events(&parent.id, 0, 9).await.unwrap();
    let kinds: Vec<_> = heard.iter().map(|event| (event.seq, event.kind)).collect();
    assert_eq!(
        kinds,
        [(2, EventKind::SessionStatus), (4, EventKind::SessionStatus)]
    );
    assert_eq!(store.worker_events(&parent.id, 2, 9).await.unwrap().len(), 1);
    assert_eq!(store.worker_events(&child.id, 0, 9).await.unwrap().len(), 1);
    let first = store.worker_events(&parent.id, 0, 1).await.unwrap();
    assert_eq!(first.iter().map(|event| event.seq).collect::<Vec<_>>(), [2]);
    let kinds = [EventKind::SessionStatus, EventKind::SessionFact];
    let count = async |after| store.count_events(&child.id, &kinds, after).await.unwrap();
    assert_eq!((count(0).await, count(4).await, count(5).await), (3, 1, 0));

    // The grandchild becomes top-level, and an engine that still names its parent may store it.
    assert_eq!(store.session(&grandchild.id).await.unwrap().unwrap().parent, None);
    let mut write = store.begin().await.unwrap();
    write.update_session(&grandchild).await.unwrap();
    write.commit().await.unwrap();
}

#[tokio::test]
async fn a_shell_is_deleted_with_its_session() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let around = session(&owner.id, "a", None);
    let mut shell = session(&owner.id, "a/shell-1", None);
    shell.side_shell_of = Some(around.id.clone());
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.insert_session(&around).await.unwrap();
    write.insert_session(&shell).await.unwrap();
    write.commit().await.unwrap();
    let stored = store.session(&shell.id).await.unwrap();
    assert_eq!(stored.unwrap(), shell);
    let mut write = store.begin().await.unwrap();
    write.delete_session(&around.id).await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(store.session(&shell.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_journal_entry_is_stored_once() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let about = session(&owner.id, "a", None);
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.insert_session(&about).await.unwrap();
    write.commit().await.unwrap();

    let mut lost = store.begin().await.unwrap();
    assert!(lost.journal(&about.id, "1 a", 5).await.unwrap());
    drop(lost);
    let mut write = store.begin().await.unwrap();
    for (keeper, seq, fresh) in [
        ("1 a", 5, true),
        ("1 a", 5, false),
        ("1 a", 4, false),
        ("1 a", 9, true),
        ("2 b", 1, true),
        ("1 a", 9, false),
        ("2 b", 0, false),
    ] {
        assert_eq!(
            write.journal(&about.id, keeper, seq).await.unwrap(),
            fresh,
            "{keeper} {seq}"
        );
    }
    assert!(write.journal(&about.id, "1 a", u64::MAX).await.is_err());
    write.commit().await.unwrap();
    let mut write = store.begin().await.unwrap();
    assert!(!write.journal(&about.id, "1 a", 9).await.unwrap());
    write.delete_session(&about.id).await.unwrap();
    write.commit().await.unwrap();
}
