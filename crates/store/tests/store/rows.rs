//! Every field is read back as written; duplicates and missing rows are rejected.

use crate::sample::{at, project, sandbox, session};
use downbeat_model::reactions::NoticePriority;
use downbeat_model::{EventKind, NoticeKind, Status, Subject};
use downbeat_store::{Error, EventRow, NewNotice, NoticeRow};
use serde_json::json;

#[tokio::test]
async fn every_field_is_read_back_as_written() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let mut owner = project("one");
    let mut parent = session(&owner.id, "parent", None);
    parent.depth = 0;
    let mut child = session(&owner.id, "child", Some(&parent.id));
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    // The child first: the order inside one write does not matter.
    write.insert_session(&child).await.unwrap();
    write.insert_session(&parent).await.unwrap();
    assert_eq!(
        store.sessions().await.unwrap(),
        [],
        "not visible before the commit"
    );
    write.commit().await.unwrap();
    assert_eq!(store.projects().await.unwrap(), [owner.clone()]);
    assert_eq!(store.sessions().await.unwrap(), [child.clone(), parent.clone()]);

    owner.name = "two".into();
    owner.trusted = false;
    owner.approved_setup = None;
    child.observed = None;
    child.model = None;
    child.base = None;
    child.status = Status::Killed;
    (child.port, child.exit_code, child.keeper, child.intent) = (None, None, None, None);
    (
        child.error,
        child.branch,
        child.workspace_path,
        child.conversation,
    ) = (None, None, None, None);
    (child.notified_through, child.has_backup, child.steps) = (-1, false, Vec::new());
    child.removed = None;
    let mut write = store.begin().await.unwrap();
    write.update_project(&owner).await.unwrap();
    write.update_session(&child).await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(store.project(&owner.id).await.unwrap(), Some(owner.clone()));
    assert_eq!(store.session(&child.id).await.unwrap(), Some(child.clone()));

    let mut write = store.begin().await.unwrap();
    owner.approved_setup = Some("new".into());
    owner.conductors_answer = true;
    write.update_project(&owner).await.unwrap();
    write.commit().await.unwrap();
    store.close().await;
    let again = downbeat_store::Store::open(&sandbox.file).await.unwrap();
    assert_eq!(again.projects().await.unwrap(), [owner]);
    assert_eq!(again.sessions().await.unwrap(), [child, parent]);
}

#[tokio::test]
async fn duplicates_and_missing_rows_are_rejected_and_rolled_back() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let first = session(&owner.id, "a", None);
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.insert_session(&first).await.unwrap();
    write.commit().await.unwrap();

    let mut write = store.begin().await.unwrap();
    let twin = project("one");
    assert!(matches!(write.insert_project(&twin).await, Err(Error::Exists(_))));
    let twin = session(&owner.id, "a", None);
    assert!(matches!(write.insert_session(&twin).await, Err(Error::Exists(_))));
    assert!(matches!(
        write.update_session(&twin).await,
        Err(Error::Missing(_))
    ));
    let stray = session(&project("none").id, "b", None);
    assert!(matches!(
        write.insert_session(&stray).await,
        Err(Error::Missing(_))
    ));
    assert!(matches!(
        write.update_project(&project("x")).await,
        Err(Error::Missing(_))
    ));
    drop(write);

    let mut write = store.begin().await.unwrap();
    let orphan = session(&owner.id, "c", Some(&twin.id));
    write.insert_session(&orphan).await.unwrap();
    assert!(matches!(write.commit().await, Err(Error::Missing(_))));
    assert_eq!(store.sessions().await.unwrap(), [first]);
}

#[tokio::test]
async fn notices_are_counted_read_and_bounded() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let about = session(&owner.id, "a", None);
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.insert_session(&about).await.unwrap();
    let new = NewNotice {
        kind: NoticeKind::NeedsInput,
        priority: NoticePriority::Urgent,
        session_id: Some(about.id.clone()),
        plan_id: None,
        project_id: Some(owner.id.clone()),
        title: "t".into(),
        text: "?".into(),
        at: at(7),
    };
    for number in 1..=1005 {
        assert_eq!(write.insert_notice(&new).await.unwrap(), number);
    }
    write.read_notices(Some(&[1005, 77, -1])).await.unwrap();
    write.commit().await.unwrap();
    let kept = store.notices(5000).await.unwrap();
    assert_eq!((kept.len(), kept[0].id, kept[999].id), (1000, 1005, 6));
    let raised = NewNotice {
        kind: NoticeKind::Raised,
        ..new.clone()
    };
    let first = NoticeRow {
        id: 1005,
        kind: "needsInput".into(),
        priority: new.priority,
        session_id: new.session_id,
        plan_id: None,
        project_id: new.project_id,
        title: new.title,
        text: new.text,
        at: new.at,
        read: true,
    };
    assert_eq!(kept[0], first);
    assert_eq!(kept.iter().filter(|notice| notice.read).count(), 2);
    let mut write = store.begin().await.unwrap();
    write.read_notices(None).await.unwrap();
    write.commit().await.unwrap();
    assert!(store.notices(2).await.unwrap().iter().all(|notice| notice.read));
    let mut write = store.begin().await.unwrap();
    let of_nobody = NewNotice {
        session_id: None,
        plan_id: None,
        project_id: None,
        ..raised
    };
    assert_eq!(write.insert_notice(&of_nobody).await.unwrap(), 1006);
    write.delete_project(&owner.id).await.unwrap();
    write.commit().await.unwrap();
    let left = store.notices(9).await.unwrap();
    assert_eq!(left.iter().map(|notice| notice.id).collect::<Vec<_>>(), [1006]);
    assert_eq!(store.sessions().await.unwrap(), []);
}

#[tokio::test]
async fn events_have_one_sequence_without_gaps() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    assert_eq!(store.last_seq().await.unwrap(), 0);
    for round in 0..3 {
        let mut lost = store.begin().await.unwrap();
        let seq = lost
            .append(EventKind::Notice, &Subject::Engine, None, json!(null), at(0))
            .await
            .unwrap();
        assert_eq!(seq, round + 1);
        drop(lost);
        let mut write = store.begin().await.unwrap();
        let payload = json!({"round": round});
        write
            .append(
                EventKind::ProjectAdded,
                &Subject::Project(owner.id.clone()),
                Some(&owner.id),
                payload.clone(),
                at(8),
            )
            .await
            .unwrap();
        let want = EventRow {
            seq: round + 1,
            at: at(8),
            kind: EventKind::ProjectAdded,
            subject: Subject::Project(owner.id.clone()),
            project_id: Some(owner.id.clone()),
            payload,
        };
        assert_eq!(write.commit().await.unwrap(), std::slice::from_ref(&want));
        assert_eq!(store.events_since(round, 10).await.unwrap(), [want]);
    }
    assert_eq!(store.last_seq().await.unwrap(), 3);
    assert_eq!(store.events_since(1, 1).await.unwrap()[0].seq, 2);
    assert_eq!(store.events_since(3, 10).await.unwrap(), []);
}
