//! Token usage: each answer of a model counted once, and sums over them. Costs are not computed here.

use super::file::{Chronicle, Open, Owner};
use crate::Error;
use downbeat_model::{ProjectId, SessionId};
use jiff::civil::Date;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// The tokens of one answer of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// The identity of this answer among all others.
    pub key: String,
    /// The day of the answer.
    pub day: Date,
    /// The model.
    pub model: String,
    /// The number of tokens by kind.
    pub tokens: Tokens,
}

/// Numbers of tokens. No token is counted in two of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Tokens that the model read and that were not in its cache.
    pub input: u64,
    /// Tokens that the model read from its cache.
    pub cached: u64,
    /// Tokens that the model wrote into its cache.
    pub written: u64,
    /// Tokens that the model generated.
    pub output: u64,
}

/// A range of days, both inclusive; absent for an open end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

/// The usage of one model for one session on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// The session, which may be gone.
    pub session: SessionId,
    /// The session's project, which may be gone.
    pub project: ProjectId,
    /// The day.
    pub day: Date,
    /// The model.
    pub model: String,
    /// The number of tokens by kind.
    pub tokens: Tokens,
}

impl Chronicle {
    /// Returns sums by session, day and model.
    pub async fn sums(&self, session: Option<&SessionId>, period: Period) -> Result<Vec<Sum>, Error> {
        let query = sqlx::query(
            "SELECT session_id, project_id, day, model, sum(input) AS input, sum(cached) AS cached, \
             sum(written) AS written, sum(output) AS output FROM usage \
             WHERE (?1 IS NULL OR session_id = ?1) AND (?2 IS NULL OR day >= ?2) AND (?3 IS NULL OR day <= ?3) \
             GROUP BY session_id, project_id, day, model ORDER BY day, session_id, model",
        );
        let day = |date: Option<Date>| date.map(|date| date.to_string());
        let query = query.bind(session.map(SessionId::as_str));
        let query = query.bind(day(period.from)).bind(day(period.to));
        let rows = self.seen(query.fetch_all(&self.readers).await)?;
        // A row with an invalid id or day was not written by us.
        Ok(rows.iter().filter_map(sum).collect())
    }
}

impl Chronicle {
    /// Returns sums like [`Self::sums`], of these sessions alone.
    pub async fn sums_of(&self, sessions: &[SessionId]) -> Result<Vec<Sum>, Error> {
        let query = sqlx::query(
            "SELECT session_id, project_id, day, model, sum(input) AS input, sum(cached) AS cached, \
             sum(written) AS written, sum(output) AS output FROM usage \
             WHERE session_id IN (SELECT value FROM json_each(?1)) \
             GROUP BY session_id, project_id, day, model ORDER BY day, session_id, model",
        );
        let ids: Vec<&str> = sessions.iter().map(SessionId::as_str).collect();
        let query = query.bind(serde_json::Value::from(ids).to_string());
        let rows = self.seen(query.fetch_all(&self.readers).await)?;
        Ok(rows.iter().filter_map(sum).collect())
    }
}

fn sum(row: &SqliteRow) -> Option<Sum> {
    let text = |column| row.try_get::<String, _>(column).ok();
    let number = |column| u64::try_from(row.try_get::<i64, _>(column).ok()?).ok();
    Some(Sum {
        session: SessionId::parse(&text("session_id")?)?,
        project: ProjectId::parse(&text("project_id")?)?,
        day: text("day")?.parse().ok()?,
        model: text("model")?,
        tokens: Tokens {
            input: number("input")?,
            cached: number("cached")?,
            written: number("written")?,
            output: number("output")?,
        },
    })
}

/// The maximum number of tokens counted for one answer: a larger number is not a count, and this keeps sums in
/// range.
const MOST: u64 = 1_000_000_000_000;

/// Counts an answer of a model. A second report can only raise the numbers: its first lines may be older than
/// its end.
pub(super) async fn add(to: &mut Open, owner: Owner<'_>, used: &Used) -> Result<(), sqlx::Error> {
    let number = |tokens: u64| i64::try_from(tokens.min(MOST)).unwrap_or(i64::MAX);
    let query = sqlx::query(
        "INSERT INTO usage (key, session_id, project_id, day, model, input, cached, written, output) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (key) DO UPDATE SET \
         input = max(usage.input, excluded.input), cached = max(usage.cached, excluded.cached), \
         written = max(usage.written, excluded.written), output = max(usage.output, excluded.output)",
    );
    let query = query.bind(&used.key).bind(owner.session.as_str());
    let query = query.bind(owner.project.as_str()).bind(used.day.to_string());
    let query = query.bind(&used.model).bind(number(used.tokens.input));
    let query = query
        .bind(number(used.tokens.cached))
        .bind(number(used.tokens.written));
    query
        .bind(number(used.tokens.output))
        .execute(&mut **to)
        .await
        .map(drop)
}
