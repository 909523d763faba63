//! Files that cannot be used: newer, damaged, locked, on a full disk. Each is reported and left alone.

use crate::sample::{at, project, sandbox, session};
use downbeat_model::{EventKind, Subject};
use downbeat_store::{Error, Store, refuse_newer};
use serde_json::json;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use std::fs;
use std::path::Path;

async fn raw(file: &Path) -> SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    options.connect().await.unwrap()
}

async fn filled() -> crate::sample::Sandbox {
    let sandbox = sandbox().await;
    let mut write = sandbox.store.begin().await.unwrap();
    write.insert_project(&project("one")).await.unwrap();
    for _ in 0..500 {
        let payload = json!({"text": "x".repeat(300)});
        write
            .append(EventKind::Notice, &Subject::Engine, None, payload, at(0))
            .await
            .unwrap();
    }
    write.commit().await.unwrap();
    sandbox.store.close().await;
    sandbox
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_alone() {
    let sandbox = filled().await;
    let mut connection = raw(&sandbox.file).await;
    sqlx::query("INSERT INTO _sqlx_migrations SELECT 4711, 'later', installed_on, 1, checksum, 1 FROM _sqlx_migrations LIMIT 1")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let before = fs::read(&sandbox.file).unwrap();
    let error = Store::open(&sandbox.file).await.unwrap_err();
    assert!(matches!(error, Error::Newer { found: 4711, .. }), "{error}");
    assert!(
        error.to_string().contains("4711") && error.to_string().contains("newer version"),
        "{error}"
    );
    assert_eq!(fs::read(&sandbox.file).unwrap(), before);
}

#[tokio::test]
async fn a_newer_database_is_refused_while_another_engine_has_it_open() {
    let sandbox = sandbox().await;
    refuse_newer(&sandbox.file).await.unwrap();
    refuse_newer(&sandbox.folder.path().join("none.db"))
        .await
        .unwrap();
    let mut connection = raw(&sandbox.file).await;
    sqlx::query("INSERT INTO _sqlx_migrations SELECT 4711, 'later', installed_on, 1, checksum, 1 FROM _sqlx_migrations LIMIT 1")
        .execute(&mut connection)
        .await
        .unwrap();
    let error = refuse_newer(&sandbox.file).await.unwrap_err();
    assert!(matches!(error, Error::Newer { found: 4711, .. }), "{error}");
    connection.close().await.unwrap();
    sandbox.store.close().await;
    let error = refuse_newer(&sandbox.file).await.unwrap_err();
    assert!(matches!(error, Error::Newer { .. }), "{error}");
    fs::write(&sandbox.file, "damage").unwrap();
    refuse_newer(&sandbox.file).await.unwrap();
}

#[tokio::test]
async fn damage_is_reported_with_a_way_out_and_the_file_is_left_alone() {
    let whole = filled().await;
    let bytes = fs::read(&whole.file).unwrap();
    let mut scratched = bytes.clone();
    scratched[20_000..60_000].fill(0xa5);
    let foreign = whole.folder.path().join("foreign.db");
    let mut connection = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(&foreign)
        .create_if_missing(true)
        .connect()
        .await
        .unwrap();
    sqlx::query("CREATE TABLE notes (x)")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    for (what, content) in [
        ("empty", Vec::new()),
        (
            "garbage",
            b"not a database at all, but long enough to be one. ".repeat(90),
        ),
        ("cut", bytes[..bytes.len() / 2].to_vec()),
        ("cut in the first page", bytes[..100].to_vec()),
        ("scratched", scratched),
        ("foreign", fs::read(&foreign).unwrap()),
    ] {
        let file = whole.folder.path().join("damaged.db");
        fs::write(&file, &content).unwrap();
        let error = Store::open(&file)
            .await
            .err()
            .unwrap_or_else(|| panic!("{what} was opened"));
        assert!(matches!(error, Error::Corrupt { .. }), "{what}: {error}");
        let text = error.to_string();
        assert!(
            text.contains("damaged.db") && text.contains("move it aside"),
            "{what}: {text}"
        );
        assert_eq!(fs::read(&file).unwrap(), content, "{what}");
        fs::remove_file(&file).unwrap();
    }
    assert!(matches!(
        Store::open(whole.folder.path()).await,
        Err(Error::Access { .. })
    ));
}

#[tokio::test]
async fn an_unreadable_value_is_reported_with_its_session() {
    let sandbox = sandbox().await;
    let owner = project("one");
    let row = session(&owner.id, "wrong", None);
    let mut write = sandbox.store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.insert_session(&row).await.unwrap();
    write.commit().await.unwrap();
    let mut other = raw(&sandbox.file).await;
    sqlx::query("UPDATE sessions SET doc = json_set(doc, '$.hold', 'paused')")
        .execute(&mut other)
        .await
        .unwrap();
    let said = sandbox.store.sessions().await.unwrap_err().to_string();
    assert!(
        said.contains("sessions.doc") && said.contains(row.id.as_str()),
        "{said}"
    );
}

#[tokio::test]
async fn an_unreadable_plan_or_merge_queue_is_named() {
    let sandbox = sandbox().await;
    let owner = project("one");
    let mut write = sandbox.store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    write.commit().await.unwrap();
    let mut other = raw(&sandbox.file).await;
    for insert in [
        "INSERT INTO plans (id, project_id, doc) VALUES ('pl000000000001', ?1, '{}')",
        "INSERT INTO fix_runs (id, project_id, doc) VALUES ('fx000000000001', ?1, '{}')",
        "INSERT INTO merge_queues (project_id, target, doc) VALUES (?1, 'main', '{}')",
    ] {
        let insert = sqlx::query(insert).bind(owner.id.as_str());
        insert.execute(&mut other).await.unwrap();
    }
    let said = sandbox.store.plans().await.unwrap_err().to_string();
    assert!(
        said.contains("plans.doc") && said.contains("pl000000000001"),
        "{said}"
    );
    let said = sandbox.store.fix_runs().await.unwrap_err().to_string();
    assert!(said.contains("fx000000000001"), "{said}");
    let said = sandbox.store.merge_queues().await.unwrap_err().to_string();
    assert!(said.contains(&format!("{} main", owner.id)), "{said}");
}

#[tokio::test]
async fn a_full_disk_rolls_back_the_write_and_the_next_one_works() {
    let sandbox = filled().await;
    let store = Store::open(&sandbox.file).await.unwrap();
    let before = store.last_seq().await.unwrap();
    store.limit_pages(1).await.unwrap();
    let mut write = store.begin().await.unwrap();
    let mut full = None;
    for _ in 0..200 {
        let payload = json!({"text": "x".repeat(5000)});
        if let Err(error) = write
            .append(EventKind::Notice, &Subject::Engine, None, payload, at(0))
            .await
        {
            full = Some(error);
            break;
        }
    }
    assert!(matches!(full, Some(Error::Full { .. })), "{full:?}");
    drop(write);
    store.limit_pages(1 << 30).await.unwrap();
    assert_eq!(store.last_seq().await.unwrap(), before);
    let mut write = store.begin().await.unwrap();
    write
        .append(EventKind::Notice, &Subject::Engine, None, json!(null), at(0))
        .await
        .unwrap();
    assert_eq!(write.commit().await.unwrap()[0].seq, before + 1);
}

#[tokio::test]
async fn a_lock_by_another_program_is_reported() {
    let sandbox = sandbox().await;
    let mut other = raw(&sandbox.file).await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let error = sandbox.store.begin().await.err().unwrap();
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    assert_eq!(sandbox.store.last_seq().await.unwrap(), 0, "readers go on");
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    sandbox.store.begin().await.unwrap().commit().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_person_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox().await;
    let mut write = sandbox.store.begin().await.unwrap();
    write.insert_project(&project("one")).await.unwrap();
    write.commit().await.unwrap();
    let folder = sandbox.file.parent().unwrap();
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{:?}",
            entry.file_name()
        );
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["downbeat.db", "downbeat.db-shm", "downbeat.db-wal"]);
    sandbox.store.close().await;
    fs::set_permissions(&sandbox.file, fs::Permissions::from_mode(0o644)).unwrap();
    let _store = Store::open(&sandbox.file).await.unwrap();
    assert_eq!(
        fs::metadata(&sandbox.file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}
