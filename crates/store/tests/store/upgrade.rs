//! A database of an older Downbeat opens with all of its contents.

use downbeat_model::effect::Work;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::session::{Intent, PinnedBackup, RemovalChoices, ReportStatus, Then};
use downbeat_model::{EventKind, NewNotice, NoticeKind, PermissionMode, ProjectId, Session, Status, Subject};
use downbeat_store::{Store, has_unfinished};
use jiff::Timestamp;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use std::collections::BTreeMap;
use std::path::Path;

async fn old(file: &Path, dump: &'static str) {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .foreign_keys(false);
    let mut connection = options.connect().await.unwrap();
    sqlx::raw_sql(dump).execute(&mut connection).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
}

async fn by_name(store: &Store) -> BTreeMap<String, Session> {
    let all = store.sessions().await.unwrap();
    all.into_iter().map(|row| (row.name.clone(), row)).collect()
}

#[tokio::test]
async fn columns_become_one_document() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("downbeat.db");
    old(&file, include_str!("old/0016.sql")).await;
    assert!(has_unfinished(&file).await, "asked before it is opened");
    let notices = SqliteConnectOptions::new().filename(&file);
    let mut old = notices.connect().await.unwrap();
    let rows = "INSERT INTO notices SELECT 7, 'failed', id, project_id, 't', 'x', '2026-11-22T20:38:40Z', 1 \
                FROM sessions LIMIT 1; UPDATE sqlite_sequence SET seq = 9 WHERE name = 'notices'";
    sqlx::raw_sql(rows).execute(&mut old).await.unwrap();
    sqlx::Connection::close(old).await.unwrap();
    let store = Store::open(&file).await.unwrap();
    assert!(has_unfinished(&file).await);
    let all = by_name(&store).await;
    assert_eq!(all.len(), 7);
    let notice = store.notices(9).await.unwrap().remove(0);
    assert_eq!(
        (notice.id, notice.kind.as_str(), notice.priority, notice.read),
        (7, "failed", NoticePriority::Action, true)
    );
    let mut write = store.begin().await.unwrap();
    let next = NewNotice {
        kind: NoticeKind::Raised,
        priority: NoticePriority::Info,
        session_id: None,
        plan_id: None,
        project_id: None,
        title: notice.title,
        text: notice.text,
        at: notice.at,
    };
    assert_eq!(
        write.insert_notice(&next).await.unwrap(),
        10,
        "no number comes twice"
    );
    write.commit().await.unwrap();

    let one = &all["one"];
    assert_eq!(
        (one.status, one.has_backup, one.intent.clone()),
        (Status::Exited, false, None)
    );
    assert_eq!(one.base.as_ref().unwrap().name, "master");
    assert_eq!(one.steps.len(), 4);
    assert!(one.was_up() && one.had_turn() && one.run.is_unspoken());
    assert_eq!(one.run.commands, Some(vec![vec!["true".to_owned()]]));
    assert!(one.copies.is_some() && one.run.made.is_some());

    let removed = all["two"].removed.clone().unwrap();
    assert!(all["two"].has_backup && all["two"].workspace_path.is_none());
    assert!(removed.backup.is_some() && removed.backup_commit.is_some() && !removed.clean);
    assert_eq!(all["three"].hold.pause.as_ref().unwrap().why, "paused by you");
    assert!(all["four"].archived_at.is_some());

    let lineage = &all["five"].lineage;
    assert_eq!(lineage.forked.as_ref().unwrap().id, one.id);
    assert_eq!((lineage.earlier.len(), lineage.forgotten.len()), (1, 1));
    assert_eq!(lineage.first.as_deref(), Some("go on"));
    assert!(lineage.by_agent);
    let then = Then::Resume {
        model: Some("opus".into()),
        permission: Some(PermissionMode::Ask),
    };
    let effects = store.waiting_effects().await.unwrap();
    let about: Vec<_> = effects
        .iter()
        .map(|one| (one.subject.clone(), one.work.clone()))
        .collect();
    assert_eq!(
        about,
        [(Subject::Session(all["five"].id.clone()), Work::GoOn(then))]
    );
    let backup = PinnedBackup {
        name: "refs/downbeat/backup/s000000000005/1".into(),
        commit: Some("1f8d62f1cefac1ce322b5eabd294920d7947ac33".into()),
    };
    assert_eq!(all["five"].intent, Some(Intent::Restore { backup: Some(backup) }));

    let six = &all["six"];
    let choices = RemovalChoices {
        delete_branch: true,
        forget: false,
        force: true,
    };
    assert_eq!(six.intent, Some(Intent::Remove(choices)));
    assert_eq!(
        (six.parent.as_ref(), six.task.as_str()),
        (Some(&one.id), "Do six")
    );
    assert!(six.one_shot && six.conducts);
    assert_eq!(
        (six.notified_through, six.base.clone(), six.copies.clone()),
        (7, None, None)
    );
    assert!(!six.run.was_shown && six.run.had_turn.is_none());
    let report = six.result.clone().unwrap();
    assert_eq!((report.report.status, report.fresh), (ReportStatus::Done, true));

    let shell = &all["one/shell-1"];
    assert_eq!(
        (shell.side_shell_of.as_ref(), shell.intent.clone()),
        (Some(&one.id), Some(Intent::Stop))
    );
}

#[tokio::test]
async fn each_event_says_what_it_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("downbeat.db");
    old(&file, include_str!("old/0016.sql")).await;
    let appended = "INSERT INTO events (at, kind, project_id, session_id, parent_id, payload) VALUES \
        ('2026-11-22T20:00:00Z', 'session-fact', 'p000000000001', 's000000000002', 's000000000001', '{\"a\":1}'), \
        ('2026-11-22T20:00:01Z', 'session-status', NULL, 's000000000002', NULL, '{}'), \
        ('2026-11-22T20:00:02Z', 'project-added', 'p000000000001', NULL, NULL, 'null'), \
        ('2026-11-22T20:00:03Z', 'engine-started', NULL, NULL, NULL, '{}'), \
        ('2026-11-22T20:00:04Z', 'not-yet-known', NULL, 's000000000002', NULL, '{}'); \
        DELETE FROM events WHERE kind = 'not-yet-known'";
    old(&file, appended).await;

    let store = Store::open(&file).await.unwrap();
    let events = store.events_since(0, 1000).await.unwrap();
    let (owner, worker) = ("p000000000001", "s000000000002");
    let about: Vec<_> = (events.iter())
        .map(|event| {
            let project = event.project_id.as_ref().map(ProjectId::as_str);
            (event.seq, event.kind, event.subject.word(), project)
        })
        .collect();
    let expected = [
        (
            77,
            EventKind::SessionFact,
            format!("session:{worker}"),
            Some(owner),
        ),
        (78, EventKind::SessionStatus, format!("session:{worker}"), None),
        (
            79,
            EventKind::ProjectAdded,
            format!("project:{owner}"),
            Some(owner),
        ),
        (80, EventKind::EngineStarted, "engine".to_owned(), None),
    ];
    assert_eq!(about, expected);
    assert_eq!(events[0].payload, serde_json::json!({ "a": 1 }));
    assert_eq!(events[0].at, "2026-11-22T20:00:00Z".parse().unwrap());

    let worker = Subject::of_word(&format!("session:{worker}"));
    let kinds = [EventKind::SessionFact, EventKind::SessionStatus];
    let of_worker = store.events_about(&worker, &kinds, 100).await.unwrap();
    assert_eq!(of_worker, events[..2]);
    let mut write = store.begin().await.unwrap();
    let payload = serde_json::Value::Null;
    let next = write.append(
        EventKind::EngineStarted,
        &Subject::Engine,
        None,
        payload,
        Timestamp::now(),
    );
    assert_eq!(next.await.unwrap(), 82, "no number is given twice");
}

#[tokio::test]
async fn an_upgraded_session_can_be_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("downbeat.db");
    old(&file, include_str!("old/0016.sql")).await;
    let store = Store::open(&file).await.unwrap();
    let before = by_name(&store).await;
    let mut write = store.begin().await.unwrap();
    for row in before.values() {
        write.update_session(row).await.unwrap();
    }
    write.commit().await.unwrap();
    assert_eq!(by_name(&store).await, before);
}
