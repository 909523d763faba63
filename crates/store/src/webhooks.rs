//! Webhooks of forges that were taken, so that none is taken twice. What is stored is what makes them recognised, for a bounded
//! time and in a bounded number; not their content.

use crate::codec::{Columns, word};
use crate::{Error, Store, Write};
use jiff::{SignedDuration, Timestamp};

/// The time for which a webhook is recognised. GitHub sends one again on request for three days.
pub const KEPT_FOR: SignedDuration = SignedDuration::from_hours(72);

/// The maximum number of stored marks of one forge.
pub const KEPT: i64 = 10_000;

/// A webhook that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRow {
    /// The forge's host.
    pub host: String,
    /// What makes it recognised: each of these alone.
    pub marks: Vec<String>,
    /// The event, as the forge calls it.
    pub event: String,
    /// When it arrived.
    pub at: Timestamp,
}

impl Store {
    /// Returns the event and the time of the webhook of a forge that was taken last.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub async fn last_webhook(&self, host: &str) -> Result<Option<(String, Timestamp)>, Error> {
        let query = sqlx::query("SELECT event, at FROM webhooks WHERE host = ?1 ORDER BY id DESC LIMIT 1");
        let row = self.seen(query.bind(host).fetch_optional(&self.readers).await)?;
        let read = |row: &_| {
            let columns = Columns {
                row,
                table: "webhooks",
            };
            Ok((columns.plain("event")?, columns.word("at")?))
        };
        row.as_ref().map(read).transpose()
    }
}

impl Write {
    /// Records a webhook. Returns `false`, and records nothing more, if one with any of its marks was taken before. Deletes
    /// marks that are too old or too many.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub async fn take_webhook(&mut self, row: &WebhookRow) -> Result<bool, Error> {
        let oldest = row.at.saturating_sub(KEPT_FOR).unwrap_or(Timestamp::MIN);
        let old = sqlx::query(
            "DELETE FROM webhooks WHERE host = ?1 AND (at < ?2 OR id <= \
             (SELECT id FROM webhooks WHERE host = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?3))",
        );
        self.run(old.bind(&row.host).bind(word(&oldest)).bind(KEPT))
            .await?;
        let mut is_new = !row.marks.is_empty();
        for mark in &row.marks {
            let put = sqlx::query(
                "INSERT INTO webhooks (host, mark, event, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (host, mark) DO NOTHING",
            );
            let put = put
                .bind(&row.host)
                .bind(mark)
                .bind(&row.event)
                .bind(word(&row.at));
            is_new &= self.run(put).await?.rows_affected() > 0;
        }
        Ok(is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_webhook_is_taken_once_by_any_of_its_marks_for_a_bounded_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("some.db");
        let mut store = Store::open(&path).await.unwrap();
        let now: Timestamp = "2026-01-05T12:00:00Z".parse().unwrap();
        let row = |host: &str, marks: &[&str], at| WebhookRow {
            host: host.into(),
            marks: marks.iter().map(|&mark| mark.into()).collect(),
            event: "check_run".into(),
            at,
        };
        let later = now + KEPT_FOR;
        for (host, marks, at, is_new) in [
            ("github.com", &["body:1", "id:1"][..], now, true),
            ("github.com", &["body:1", "id:1"], now, false),
            ("github.com", &["body:1", "id:2"], now, false),
            ("github.com", &["body:3", "id:1"], now, false),
            ("gitlab.com", &["id:1"], now, true),
            ("gitlab.com", &[], now, false),
            ("github.com", &["body:4", "id:4"], later, true),
            ("github.com", &["body:1", "id:1"], later, false),
            (
                "github.com",
                &["body:1", "id:1"],
                later + SignedDuration::from_secs(1),
                true,
            ),
        ] {
            let mut write = store.begin().await.unwrap();
            let taken = write.take_webhook(&row(host, marks, at)).await.unwrap();
            drop(write.commit().await.unwrap());
            assert_eq!(taken, is_new, "{host} {marks:?} {at}");
            // Also by the next engine.
            store.close().await;
            store = Store::open(&path).await.unwrap();
        }
        let last = store.last_webhook("gitlab.com").await.unwrap();
        assert_eq!(last, Some(("check_run".to_owned(), now)));
        assert_eq!(store.last_webhook("elsewhere").await.unwrap(), None);
    }

    #[tokio::test]
    async fn the_number_of_marks_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("some.db")).await.unwrap();
        let at: Timestamp = "2026-01-05T12:00:00Z".parse().unwrap();
        let mut write = store.begin().await.unwrap();
        let many = sqlx::query(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
             INSERT INTO webhooks (host, mark, event, at) SELECT 'h', i, 'e', ?2 FROM n",
        );
        write.run(many.bind(KEPT + 100).bind(word(&at))).await.unwrap();
        let row = WebhookRow {
            host: "h".into(),
            marks: vec!["new".into()],
            event: "e".into(),
            at,
        };
        assert!(write.take_webhook(&row).await.unwrap());
        drop(write.commit().await.unwrap());
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM webhooks")
            .fetch_one(&store.readers)
            .await
            .unwrap();
        assert_eq!(count, KEPT + 1);
    }
}
