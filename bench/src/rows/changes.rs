//! Measures what one changed session among many costs a window: the bytes that reach it, and the time until it has read
//! the session. Compared with reading the whole list, and with the same change among two sessions.

use crate::done::Done;
use crate::engine::{self, Socket};
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::rows::history;
use crate::scale::Scale;
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::time::Instant;

/// The number of listed sessions.
const LISTED: u32 = 300;

/// The length of each session's task in characters.
const TASK: usize = 2_000;

/// The target in bytes.
const BYTES: f64 = 4096.0;

/// Measures among two and among many sessions alternately.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let mut few = Window::new(2).await?;
    let mut among = Window::new(LISTED).await?;
    for n in 0..scale.keys / 2 {
        few.change(n).await?;
        among.change(n).await?;
    }
    let what = format!("one changed session among {LISTED}");
    let beside = |of: &dyn Fn(&Window) -> f64, list: f64| [("among two", of(&few)), ("the whole list", list)];
    report.add(Line::new(
        &format!("{what}: what reaches the window"),
        Unit::Bytes,
        among.bytes.median(),
        &beside(&|window| window.bytes.median(), among.list_bytes.median()),
        Goal::Most(BYTES),
    ));
    for percent in [50, 95] {
        report.add(Line::new(
            &format!("{what}: until the window has read it, p{percent}"),
            Unit::Ms,
            among.read.percentile(percent),
            &beside(
                &|window| window.read.percentile(percent),
                among.list.percentile(percent),
            ),
            Goal::Open,
        ));
    }
    Ok(())
}

/// A window, and what was measured in it.
struct Window {
    world: Sandbox,
    changes: Socket,
    /// The session that changes.
    id: String,
    bytes: Samples,
    read: Samples,
    list_bytes: Samples,
    list: Samples,
}

impl Window {
    /// Creates a window with this many sessions: one that changes, the others ended.
    async fn new(listed: u32) -> Done<Self> {
        let (mut world, _, project) = engine::started_with(1).await?;
        let task = format!("say ready {}", "x".repeat(TASK));
        let body =
            |title: &str| json!({ "projectId": project, "title": title, "agent": "claude", "prompt": task });
        let id = engine::session(&world, body("Changes")).await?;
        let other = engine::session(&world, body("Rests")).await?;
        for id in [&id, &other] {
            world.status(id, &["idle"]).await;
        }
        engine::ask(&world, "DELETE", &format!("/api/sessions/{other}"), None).await?;
        history::end(&mut world).await?;
        history::copied(&world, &other, listed.saturating_sub(2), 0).await?;
        world.start().await;
        Ok(Self {
            changes: engine::changes(&world)?,
            world,
            id,
            bytes: Samples::new(),
            read: Samples::new(),
            list_bytes: Samples::new(),
            list: Samples::new(),
        })
    }

    /// Changes the session, reads it as the window does, and then reads the whole list.
    async fn change(&mut self, n: usize) -> Done<()> {
        let (path, body) = (
            format!("/api/sessions/{}", self.id),
            json!({ "title": format!("Changes {n}") }),
        );
        let start = Instant::now();
        engine::ask(&self.world, "PATCH", &path, Some(body)).await?;
        let mut bytes = 0;
        loop {
            let item = engine::next(&mut self.changes)?;
            let text = item.to_text()?;
            bytes += text.len();
            let item: Value = serde_json::from_str(text)?;
            if item["kind"] == "session-changed" && item["sessionId"] == self.id.as_str() {
                break;
            }
        }
        let told = ms(start);
        for path in [format!("/api/sessions?ids={}", self.id), "/api/engine".to_owned()] {
            let answer = engine::ask(&self.world, "GET", &path, None).await?;
            bytes += answer.to_string().len();
            if path.contains("ids") {
                self.read.add(ms(start));
                let title = &answer[0]["title"];
                if *title != format!("Changes {n}") {
                    return Err(format!("a change was read too early: {title}").into());
                }
            }
        }
        self.bytes.add(bytes as f64);
        let start = Instant::now();
        let all = engine::ask(&self.world, "GET", "/api/sessions", None).await?;
        self.list.add(told + ms(start));
        self.list_bytes.add(all.to_string().len() as f64);
        Ok(())
    }
}
