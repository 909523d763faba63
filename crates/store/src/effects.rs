//! Effects: stored with the change that they follow from, and kept for a while after they are closed, so that
//! their keys are known. Their meaning, and how they are carried out, is left to the engine.

use crate::codec::{Columns, json, word};
use crate::{Error, Store, Write};
use downbeat_model::effect::{Effect, Work};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteRow;

/// The number of closed effects that are kept. Their causes are written with them, and so never recur by
/// themselves; the keys are for repeats from outside, which come soon.
pub const KEPT: i64 = 10_000;

fn from_row(row: &SqliteRow) -> Result<Effect, Error> {
    let columns = Columns {
        row,
        table: "effects",
    };
    let (kind, payload) = (
        columns.plain::<String>("kind")?,
        columns.json::<Value>("payload")?,
    );
    let work: Result<Work, _> = serde_json::from_value(json!({ "kind": kind, "payload": payload }));
    Ok(Effect {
        key: columns.plain("key")?,
        subject: columns.word("subject")?,
        work: work.map_err(|error| Error::Value {
            table: "effects",
            column: "payload",
            detail: error.to_string(),
        })?,
        state: columns.word("state")?,
        attempts: columns.plain("attempts")?,
        not_before: columns.word("not_before")?,
        created_at: columns.word("created_at")?,
    })
}

impl Store {
    /// Returns the waiting effects, in the order in which they were recorded.
    pub async fn waiting_effects(&self) -> Result<Vec<Effect>, Error> {
        let rows = sqlx::query("SELECT * FROM effects WHERE state = 'waiting' ORDER BY id");
        let rows = rows.fetch_all(&self.readers).await;
        self.seen(rows)?.iter().map(from_row).collect()
    }

    /// Returns the effect with this key, closed or not.
    pub async fn effect(&self, key: &str) -> Result<Option<Effect>, Error> {
        let row = sqlx::query("SELECT * FROM effects WHERE key = ?1").bind(key);
        let row = self.seen(row.fetch_optional(&self.readers).await)?;
        row.as_ref().map(from_row).transpose()
    }
}

impl Write {
    /// Records a new effect.
    ///
    /// # Errors
    /// Fails if there is, or was, another effect with its key: then nothing of this transaction happens.
    pub async fn insert_effect(&mut self, effect: &Effect) -> Result<(), Error> {
        let (kind, payload) = parts(&effect.work);
        let put = sqlx::query(
            "INSERT INTO effects (kind, subject, payload, key, state, attempts, not_before, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        );
        let put = put.bind(kind).bind(effect.subject.word()).bind(payload);
        let put = put
            .bind(&effect.key)
            .bind(word(&effect.state))
            .bind(effect.attempts);
        let put = put.bind(word(&effect.not_before)).bind(word(&effect.created_at));
        self.run(put).await?;
        let old = sqlx::query(
            "DELETE FROM effects WHERE state <> 'waiting' AND id <= \
             (SELECT id FROM effects WHERE state <> 'waiting' ORDER BY id DESC LIMIT 1 OFFSET ?1)",
        );
        self.run(old.bind(KEPT)).await.map(drop)
    }

    /// Updates the progress and the remaining work of an effect.
    pub async fn update_effect(&mut self, effect: &Effect) -> Result<(), Error> {
        let (_, payload) = parts(&effect.work);
        let put = sqlx::query(
            "UPDATE effects SET payload = ?2, state = ?3, attempts = ?4, not_before = ?5 WHERE key = ?1",
        );
        let put = put.bind(&effect.key).bind(payload).bind(word(&effect.state));
        let put = put.bind(effect.attempts).bind(word(&effect.not_before));
        self.run(put).await.map(drop)
    }
}

/// Returns the kind and the payload.
fn parts(work: &Work) -> (String, String) {
    let value = serde_json::to_value(work).unwrap_or_default();
    let kind = value["kind"].as_str().unwrap_or_default().to_owned();
    (kind, json(&value["payload"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_model::effect::EffectState;
    use downbeat_model::session::Then;
    use downbeat_model::{PermissionMode, SessionId, Subject};
    use jiff::Timestamp;

    fn effect(key: &str) -> Effect {
        let subject = Subject::Session(SessionId::parse("s000000000001").unwrap());
        let work = Work::GoOn(Then::Resume {
            model: Some("opus".into()),
            permission: Some(PermissionMode::Ask),
        });
        Effect::new(key.into(), subject, work, Timestamp::UNIX_EPOCH)
    }

    #[tokio::test]
    async fn a_closed_effect_is_not_waiting_and_keeps_its_key() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("some.db")).await.unwrap();
        let mut write = store.begin().await.unwrap();
        for key in ["a", "b"] {
            write.insert_effect(&effect(key)).await.unwrap();
        }
        drop(write.commit().await.unwrap());
        assert_eq!(store.waiting_effects().await.unwrap(), [effect("a"), effect("b")]);

        let mut over = effect("a");
        (over.state, over.attempts) = (EffectState::Done, 2);
        over.work = Work::GoOn(Then::Resume {
            model: None,
            permission: None,
        });
        let mut write = store.begin().await.unwrap();
        write.update_effect(&over).await.unwrap();
        drop(write.commit().await.unwrap());
        assert_eq!(store.waiting_effects().await.unwrap(), [effect("b")]);
        assert_eq!(store.effect("a").await.unwrap(), Some(over));
        for known in ["a", "b"] {
            let mut write = store.begin().await.unwrap();
            assert!(write.insert_effect(&effect(known)).await.is_err(), "{known}");
        }
        assert_eq!(store.effect("c").await.unwrap(), None);
    }

    #[tokio::test]
    async fn an_unknown_effect_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("some.db")).await.unwrap();
        let mut write = store.begin().await.unwrap();
        let unknown = sqlx::query(
            "INSERT INTO effects (kind, subject, payload, key, state, attempts, not_before, created_at) VALUES \
             ('merge', 'session:s000000000001', '{}', 'x', 'waiting', 0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z')",
        );
        write.run(unknown).await.unwrap();
        drop(write.commit().await.unwrap());
        let error = store.waiting_effects().await.unwrap_err().to_string();
        assert!(error.contains("merge") || error.contains("payload"), "{error}");
    }

    #[tokio::test]
    async fn an_effect_about_what_this_build_does_not_know_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("some.db")).await.unwrap();
        let mut write = store.begin().await.unwrap();
        let unknown = sqlx::query(
            "INSERT INTO effects (kind, subject, payload, key, state, attempts, not_before, created_at) VALUES \
             ('go_on', 'release:v2', '{\"what\":\"resume\"}', 'x', 'waiting', 0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z')",
        );
        write.run(unknown).await.unwrap();
        drop(write.commit().await.unwrap());
        let mut effect = store.waiting_effects().await.unwrap().remove(0);
        assert_eq!(effect.subject, Subject::of_word("release:v2"));
        effect.failed(Timestamp::UNIX_EPOCH);
        let mut write = store.begin().await.unwrap();
        write.update_effect(&effect).await.unwrap();
        drop(write.commit().await.unwrap());
        assert_eq!(store.waiting_effects().await.unwrap(), [effect]);
    }
}
