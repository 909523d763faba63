//! Measures the cost of a history: the same operations with few archived sessions and with very many, and
//! with many events. Both are copies of one archived session, written directly into the database.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use crate::usage;
use downbeat_model::EventKind;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use std::time::{Duration, Instant};

/// The number of changes that are made, and of lists that are fetched.
const ASKED: usize = 200;

/// The time after a start until nothing is due any more.
const SETTLE: Duration = Duration::from_secs(3);

/// The allowed values.
const TIMES: f64 = 1.3;
const START_MS: f64 = 200.0;
const ENGINE_KB: f64 = 40.0 * 1024.0;

/// A sandbox with a history, and the samples measured in it.
struct Told {
    world: Sandbox,
    /// The id of a session that is not archived.
    live: String,
    changes: Samples,
    lists: Samples,
    starts: Samples,
}

/// Measures everything, with little and much history in turns.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let [few, many] = scale.archived;
    let mut little = Told::new(few, 0).await?;
    let mut much = Told::new(many, scale.events).await?;
    for _ in 0..scale.turns {
        little.start().await?;
        much.start().await?;
    }
    tokio::time::sleep(SETTLE).await;
    for n in 0..ASKED {
        little.ask(n).await?;
        much.ask(n).await?;
    }
    let what = |thing: &str| format!("{thing}, {many} archived sessions and {} events", scale.events);
    let beside = format!("{few} archived sessions");
    let mut add = |thing: &str, unit, of: &dyn Fn(&Told) -> f64, goal| {
        let beside = [(beside.as_str(), of(&little))];
        report.add(Line::new(&what(thing), unit, of(&much), &beside, goal));
    };
    add(
        "a change of a session",
        Unit::Ms,
        &|told| told.changes.median(),
        Goal::Times(TIMES),
    );
    add(
        "the list of one session",
        Unit::Ms,
        &|told| told.lists.median(),
        Goal::Times(TIMES),
    );
    add(
        "a start of the engine",
        Unit::Ms,
        &|told| told.starts.median(),
        Goal::Most(START_MS),
    );
    add(
        "memory of the engine",
        Unit::Kb,
        &Told::kilobytes,
        Goal::Most(ENGINE_KB),
    );
    Ok(())
}

impl Told {
    async fn new(archived: u32, events: u32) -> Done<Self> {
        let (mut world, _, project) = engine::started_with(1).await?;
        let body = |title: &str| json!({ "projectId": project, "title": title, "agent": "shell" });
        let live = engine::session(&world, body("Lives")).await?;
        let old = engine::session(&world, body("Old")).await?;
        engine::keeper_shows(&world, &old, engine::PROMPT).await?;
        engine::ask(&world, "DELETE", &format!("/api/sessions/{old}"), None).await?;
        let archive = format!("/api/sessions/{old}/archive");
        engine::ask(&world, "POST", &archive, Some(json!({}))).await?;
        end(&mut world).await?;
        copied(&world, &old, archived, events).await?;
        world.start().await;
        Ok(Self {
            world,
            live,
            changes: Samples::new(),
            lists: Samples::new(),
            starts: Samples::new(),
        })
    }

    /// Starts another engine.
    async fn start(&mut self) -> Done<()> {
        end(&mut self.world).await?;
        let start = Instant::now();
        self.world.start().await;
        self.starts.add(ms(start));
        Ok(())
    }

    /// Makes a change, and fetches a list.
    async fn ask(&mut self, n: usize) -> Done<()> {
        let start = Instant::now();
        let body = json!({ "title": format!("Lives {n}") });
        engine::ask(
            &self.world,
            "PATCH",
            &format!("/api/sessions/{}", self.live),
            Some(body),
        )
        .await?;
        self.changes.add(ms(start));
        let start = Instant::now();
        engine::ask(&self.world, "GET", "/api/sessions", None).await?;
        self.lists.add(ms(start));
        Ok(())
    }

    fn kilobytes(&self) -> f64 {
        let manifest = self.world.manifest().unwrap_or_default();
        let pid = u32::try_from(manifest["pid"].as_u64().unwrap_or_default());
        pid.map_or(f64::NAN, usage::pss)
    }
}

/// Ends the engine normally: a killed one leaves a database that the next one has to check.
pub async fn end(world: &mut Sandbox) -> Done<()> {
    let pid = world.manifest().unwrap_or_default()["pid"].clone();
    let keep = json!({ "sessions": "keep" });
    engine::ask(world, "POST", "/api/engine/shutdown", Some(keep)).await?;
    let is_over = async || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        (status.is_empty() || status.contains("State:\tZ")).then_some(())
    };
    engine::soon("the end of the engine", is_over).await?;
    world.kill_engine();
    Ok(())
}

/// Copies an ended session this many times, and writes this many events about the copies.
pub async fn copied(world: &Sandbox, id: &str, copies: u32, events: u32) -> Done<()> {
    let options = SqliteConnectOptions::new().filename(world.data().join("downbeat.db"));
    let mut connection = options.connect().await?;
    sqlx::query(
        "INSERT INTO sessions (id, name, doc, project_id, task) \
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
         SELECT printf('s%012d', i), 'old-' || i, json_set(doc, '$.id', printf('s%012d', i), \
         '$.name', 'old-' || i, '$.token', printf('%064d', i)), project_id, task \
         FROM n JOIN sessions ON sessions.id = ?2",
    )
    .bind(copies)
    .bind(id)
    .execute(&mut connection)
    .await?;
    if events > 0 {
        sqlx::query(
            "INSERT INTO events (at, kind, subject, payload) \
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
             SELECT '2026-01-01T00:00:00Z', ?3, printf('session:s%012d', 1 + i % ?2), '{\"from\":\"running\",\"to\":\"idle\"}' FROM n",
        )
        .bind(events)
        .bind(copies)
        .bind(EventKind::SessionStatus.as_str())
        .execute(&mut connection)
        .await?;
    }
    connection.close().await?;
    Ok(())
}
