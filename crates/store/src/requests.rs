//! Requests made under idempotency keys, stored for a bounded time and in a bounded number. The meaning of an
//! effect, and when a request may run again, are up to the engine.

use crate::codec::{Columns, json, word};
use crate::{Error, Store, Write};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;

/// The time for which a request is stored. Clients repeat within seconds; scripts perhaps after a night.
pub const KEPT_FOR: SignedDuration = SignedDuration::from_hours(24);

/// The maximum number of stored requests of one caller: some hundred times as many as a client has in
/// progress.
pub const KEPT: i64 = 256;

/// A request that was made under a key.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestRow {
    /// The caller: `owner`, or a session's id.
    pub caller: String,
    /// The idempotency key.
    pub key: String,
    /// The operation.
    pub operation: String,
    /// The hash of its arguments.
    pub request: String,
    /// The effect of the request.
    pub effect: Value,
    /// The answer; `None` if the request was not answered yet.
    pub answer: Option<Value>,
    /// The time when the row was written.
    pub at: Timestamp,
}

impl RequestRow {
    fn from_row(row: &SqliteRow) -> Result<Self, Error> {
        let columns = Columns {
            row,
            table: "requests",
        };
        Ok(Self {
            caller: columns.plain("caller")?,
            key: columns.plain("key")?,
            operation: columns.plain("operation")?,
            request: columns.plain("request")?,
            effect: columns.json("effect")?,
            answer: columns.json_or_none("answer")?,
            at: columns.word("at")?,
        })
    }
}

impl Store {
    /// Returns the request that `caller` made under `key`, if it is still stored.
    pub async fn request(&self, caller: &str, key: &str) -> Result<Option<RequestRow>, Error> {
        let row = sqlx::query("SELECT * FROM requests WHERE caller = ?1 AND key = ?2")
            .bind(caller)
            .bind(key);
        let row = self.seen(row.fetch_optional(&self.readers).await)?;
        row.as_ref().map(RequestRow::from_row).transpose()
    }
}

impl Write {
    /// Stores a request or its new state, and deletes requests that are too old or too many.
    pub async fn put_request(&mut self, row: &RequestRow) -> Result<(), Error> {
        let put = sqlx::query(
            "INSERT INTO requests (caller, key, operation, request, effect, answer, at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (caller, key) DO UPDATE SET \
             operation = excluded.operation, request = excluded.request, effect = excluded.effect, \
             answer = excluded.answer, at = excluded.at",
        )
        .bind(&row.caller)
        .bind(&row.key)
        .bind(&row.operation)
        .bind(&row.request)
        .bind(json(&row.effect))
        .bind(row.answer.as_ref().map(json))
        .bind(word(&row.at));
        self.run(put).await?;
        let oldest = row.at.saturating_sub(KEPT_FOR).unwrap_or(Timestamp::MIN);
        let old = sqlx::query(
            "DELETE FROM requests WHERE at < ?1 OR (caller = ?2 AND id <= \
             (SELECT id FROM requests WHERE caller = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3))",
        );
        let old = old.bind(word(&oldest)).bind(&row.caller).bind(KEPT);
        self.run(old).await.map(drop)
    }

    /// Stores the answer of a request; `false` if the request is not stored.
    pub async fn answer_request(&mut self, caller: &str, key: &str, answer: &Value) -> Result<bool, Error> {
        let query = sqlx::query("UPDATE requests SET answer = ?3 WHERE caller = ?1 AND key = ?2");
        let done = self.run(query.bind(caller).bind(key).bind(json(answer))).await?;
        Ok(done.rows_affected() > 0)
    }

    /// Deletes a request, which may then run again.
    pub async fn forget_request(&mut self, caller: &str, key: &str) -> Result<(), Error> {
        let query = sqlx::query("DELETE FROM requests WHERE caller = ?1 AND key = ?2");
        self.run(query.bind(caller).bind(key)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(caller: &str, key: &str, at: Timestamp) -> RequestRow {
        RequestRow {
            caller: caller.into(),
            key: key.into(),
            operation: "an_operation".into(),
            request: "hash".into(),
            effect: serde_json::json!({ "session": "s1" }),
            answer: None,
            at,
        }
    }

    #[tokio::test]
    async fn requests_are_stored_per_caller_for_a_bounded_time_and_in_a_bounded_number() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("some.db")).await.unwrap();
        let now: Timestamp = "2026-01-02T12:00:00Z".parse().unwrap();
        let yesterday = now - KEPT_FOR - SignedDuration::from_secs(1);
        let mut write = store.begin().await.unwrap();
        write.put_request(&made("owner", "old", yesterday)).await.unwrap();
        write.put_request(&made("s2", "0", now)).await.unwrap();
        for key in 0..=KEPT {
            write
                .put_request(&made("owner", &key.to_string(), now))
                .await
                .unwrap();
        }
        let answer = serde_json::json!({ "id": "s1" });
        assert!(write.answer_request("owner", "7", &answer).await.unwrap());
        assert!(!write.answer_request("s2", "7", &answer).await.unwrap());
        write.forget_request("owner", "8").await.unwrap();
        drop(write.commit().await.unwrap());
        let found = async |caller: &str, key: &str| store.request(caller, key).await.unwrap();
        for gone in ["old", "0", "8"] {
            assert_eq!(found("owner", gone).await, None, "{gone}");
        }
        assert_eq!(found("owner", "1").await, Some(made("owner", "1", now)));
        assert_eq!(found("s2", "0").await, Some(made("s2", "0", now)));
        assert_eq!(found("owner", "7").await.unwrap().answer, Some(answer));
    }
}
