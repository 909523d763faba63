//! Sessions at rest: which ones are, that opening a database does not read them, and that every query still
//! finds them.

use crate::sample::{about, at, project, sandbox, session};
use downbeat_model::session::{BudgetScope, Hold, Intent, Lineage, Pause, SessionPull};
use downbeat_model::{EventKind, Session, SessionId, Status};
use downbeat_store::{ProjectRow, Store};
use serde_json::json;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use std::path::Path;

/// The number of archived sessions besides those in use.
const MANY: i64 = 20_000;

/// Returns a session that is archived and has ended.
fn archived(owner: &ProjectRow, name: &str, parent: Option<&SessionId>) -> Session {
    Session {
        status: Status::Exited,
        intent: None,
        lineage: Lineage::default(),
        hold: Hold::default(),
        archived_at: Some(at(9)),
        task: "short".into(),
        notified_through: 0,
        ..session(&owner.id, name, parent)
    }
}

async fn insert(store: &Store, owner: Option<&ProjectRow>, rows: &[&Session]) {
    let mut write = store.begin().await.unwrap();
    if let Some(owner) = owner {
        write.insert_project(owner).await.unwrap();
    }
    for row in rows {
        write.insert_session(row).await.unwrap();
    }
    write.commit().await.unwrap();
}

/// Creates many copies of the session `id`, named `old-1` and so on, with the same parent.
async fn many(file: &Path, id: &SessionId) {
    let mut connection = SqliteConnectOptions::new()
        .filename(file)
        .connect()
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO sessions (id, name, doc, project_id, parent, task) \
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
         SELECT printf('s%012d', i), 'old-' || i, \
         json_set(doc, '$.id', printf('s%012d', i), '$.name', 'old-' || i), project_id, parent, task \
         FROM n JOIN sessions ON sessions.id = ?2",
    )
    .bind(MANY)
    .bind(id.as_str())
    .execute(&mut connection)
    .await
    .unwrap();
    sqlx::Connection::close(connection).await.unwrap();
}

/// Returns a pull request in this state.
fn pull(state: &str, title: &str) -> SessionPull {
    serde_json::from_value(json!({
        "id": "pull:github.com/PR_1", "number": 1, "url": "https://github.com/acme/shop/pull/1", "title": title,
        "state": state, "isDraft": false, "head": "a".repeat(40), "baseBranch": "main", "verdict": "green",
        "passed": 1, "failed": 0, "pending": 0, "decision": "approved", "unresolved": 0, "mergeable": "yes",
        "stage": "merged", "reason": { "kind": "merged" }, "place": 1,
    }))
    .unwrap()
}

/// A change that turns a session at rest into a different one.
type Change = Box<dyn Fn(&mut Session)>;

#[tokio::test]
async fn the_database_and_the_model_agree_on_which_sessions_are_at_rest() {
    let sandbox = sandbox().await;
    let owner = project("one");
    let base = archived(&owner, "base", None);
    insert(&sandbox.store, Some(&owner), &[&base]).await;
    let pause = |budget| {
        Some(Pause {
            at: at(1),
            why: "why".into(),
            budget,
            interrupts: false,
        })
    };
    let changes: Vec<Change> = vec![
        Box::new(|row| row.archived_at = None),
        Box::new(|row| row.intent = Some(Intent::Resume)),
        Box::new(move |row| row.hold.pause = pause(None)),
        Box::new(move |row| row.hold.pause = pause(Some(BudgetScope::ProjectDay))),
        Box::new(|row| row.status = Status::Killed),
        Box::new(|row| row.status = Status::Errored),
        Box::new(|row| row.status = Status::Idle),
        Box::new(|row| row.status = Status::SetupFailed),
        Box::new(|row| row.status = Status::Queued),
        Box::new(|row| row.pulls = vec![pull("open", "Round half cents")]),
        Box::new(|row| row.pulls = vec![pull("merged", r#"It says "state":"open""#)]),
        Box::new(|row| row.pulls = vec![pull("closed", "a"), pull("open", "b")]),
    ];
    assert!(base.is_at_rest());
    let mut rows = Vec::new();
    for (number, change) in changes.iter().enumerate() {
        let mut row = archived(&owner, &format!("row-{number}"), None);
        change(&mut row);
        insert(&sandbox.store, None, &[&row]).await;
        rows.push(row);
    }
    let mut beside = archived(&owner, "base/shell-1", None);
    beside.side_shell_of = Some(base.id.clone());
    insert(&sandbox.store, None, &[&beside]).await;
    rows.push(beside);
    let in_use: Vec<_> = sandbox.store.sessions_in_use().await.unwrap();
    let in_use: Vec<_> = in_use
        .iter()
        .map(|row| &row.name)
        .filter(|name| *name != "base")
        .collect();
    let expected: Vec<_> = rows
        .iter()
        .filter(|row| !row.is_at_rest())
        .map(|row| &row.name)
        .collect();
    assert_eq!(in_use, expected);
    assert_eq!(expected.len(), 9);
}

#[tokio::test]
async fn sessions_in_use_are_read_and_sessions_at_rest_are_found() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let lead = archived(&owner, "lead", None);
    let mut worker = archived(&owner, "worker", Some(&lead.id));
    (worker.archived_at, worker.status) = (None, Status::Idle);
    let mut model = archived(&owner, "model", Some(&worker.id));
    model.lineage.forgotten = vec![SessionId::random().unwrap()];
    model.hold.warned = vec!["ProjectDay a".into(), "Session b".into(), "no price c".into()];
    insert(store, Some(&owner), &[&lead, &worker, &model]).await;
    many(&sandbox.file, &model.id).await;

    let in_use = store.sessions_in_use().await.unwrap();
    let names: Vec<_> = in_use.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["lead", "worker"], "what is above it comes along");
    let all = usize::try_from(MANY).unwrap() + 3;
    let unknown = SessionId::random().unwrap();
    let missing = store.missing(&[lead.id.clone(), unknown.clone()]).await.unwrap();
    assert_eq!(missing, [unknown]);
    assert_eq!(store.ids_of_project(&owner.id).await.unwrap().len(), all);
    assert_eq!(store.direct_workers(&worker.id).await.unwrap().len(), all - 2);
    assert_eq!(
        store.below(std::slice::from_ref(&lead.id)).await.unwrap().len(),
        all - 1
    );

    let named = store.at_rest_named("old-777").await.unwrap();
    assert_eq!(named.len(), 1);
    let found = store.sessions_of(&named).await.unwrap();
    let names: Vec<_> = found.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["lead", "worker", "old-777"]);
    assert_eq!(store.at_rest_named("worker").await.unwrap(), []);
    let count = store
        .workers_at_rest(&[lead.id.clone(), worker.id.clone()])
        .await
        .unwrap();
    assert_eq!(
        count.into_iter().collect::<Vec<_>>(),
        [(worker.id.clone(), u32::try_from(all - 2).unwrap())]
    );
    let taken = store.names_beginning(&owner.id, "old-1999").await.unwrap();
    assert_eq!(taken.len(), 11, "{taken:?}");
    let places = store.places_at_rest(&owner.id).await.unwrap();
    assert_eq!((places.len(), places[0].path.as_str()), (all - 1, "/w"));
    let folders = store.folders_at_rest().await.unwrap();
    assert_eq!(folders, [(owner.id.clone(), "/".to_owned())]);
    let warned = store.warned_at_rest().await.unwrap();
    assert_eq!(
        warned.into_iter().collect::<Vec<_>>(),
        ["ProjectDay a", "no price c"]
    );

    assert_eq!(store.untold_at_rest(&worker.id).await.unwrap(), []);
    let mut write = store.begin().await.unwrap();
    for kind in [EventKind::SessionStatus, EventKind::SessionChanged] {
        let id = if kind == EventKind::SessionStatus {
            &named[0]
        } else {
            &model.id
        };
        write
            .append(kind, &about(id), None, json!({}), at(0))
            .await
            .unwrap();
    }
    write.commit().await.unwrap();
    assert_eq!(store.untold_at_rest(&worker.id).await.unwrap(), named);
}

#[tokio::test]
async fn queries_about_few_sessions_use_an_index() {
    let sandbox = sandbox().await;
    let mut connection = SqliteConnectOptions::new()
        .filename(&sandbox.file)
        .connect()
        .await
        .unwrap();
    for (sql, index) in [
        (
            "SELECT id FROM sessions WHERE NOT at_rest AND ?1 IS NOT NULL",
            "sessions_in_use",
        ),
        (
            "SELECT id FROM sessions WHERE at_rest AND name = ?1",
            "sessions_at_rest_by_name",
        ),
        (
            "SELECT parent, count(*) FROM sessions WHERE at_rest AND parent IS NOT NULL \
             AND parent IN (SELECT value FROM json_each(?1)) GROUP BY parent",
            "sessions_at_rest_by_parent",
        ),
        (
            "SELECT project_id FROM sessions WHERE at_rest AND doc ->> '$.workspacePath' IS NOT NULL",
            "sessions_at_rest_with_place",
        ),
        (
            "SELECT DISTINCT value FROM sessions, json_each(doc, '$.hold.warned') \
             WHERE at_rest AND json_array_length(doc, '$.hold.warned') > 0",
            "sessions_at_rest_warned",
        ),
    ] {
        let plan = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"));
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(plan)
            .bind("x")
            .fetch_all(&mut connection)
            .await
            .unwrap();
        assert!(
            plan.iter().any(|(.., step)| step.contains(index)),
            "{sql}: {plan:?}"
        );
    }
}
