//! Measures the time of a worker to its first prompt, and that of twenty requested at the same time.
//!
//! No worktree is removed before everything is measured, and each measurement starts with nothing to be
//! written back: ext4 does not reuse an inode for minutes after it was freed and checks each such one again,
//! so that after a hundred thousand of them a new file takes ten times as long. All worktrees together take
//! about 3 GB.

use crate::done::Done;
use crate::engine::{self, PROMPT};
use crate::pty::Pty;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The number of files in the repository.
const FILES: usize = 5000;

/// The number of workers requested at the same time.
const MANY: usize = 20;

/// The interval between checks of the twenty: requests must not be what keeps the engine busy.
const LOOK: Duration = Duration::from_millis(20);

/// An engine with a conductor on a large repository.
struct Place {
    world: Sandbox,
    repository: PathBuf,
    project: String,
    conductor: String,
}

impl Place {
    async fn new() -> Done<Self> {
        let (world, repository, project) = engine::started_with(FILES).await?;
        let body = json!({
            "projectId": project, "title": "Conductor", "agent": "claude", "conductor": true,
            "workspace": "in-place", "prompt": "say hello",
        });
        let conductor = engine::session(&world, body).await?;
        world.status(&conductor, &["idle"]).await;
        Ok(Self {
            world,
            repository,
            project,
            conductor,
        })
    }

    async fn worker(&self, title: &str) -> Done<String> {
        let body = json!({
            "projectId": self.project, "parent": self.conductor, "title": title, "agent": "shell",
        });
        engine::session(&self.world, body).await
    }

    /// Ends a session; its worktree stays.
    async fn end(&self, id: &str) -> Done<()> {
        engine::ask(&self.world, "DELETE", &format!("/api/sessions/{id}"), None).await?;
        self.world.status(id, &["killed"]).await;
        Ok(())
    }

    fn worktree(&self, name: &str) -> PathBuf {
        self.world.path().join("worktrees").join(name)
    }

    fn add(&self, name: &str) -> Done<()> {
        let path = self.worktree(name);
        let path = path.to_string_lossy();
        engine::git(
            &self.world,
            &self.repository,
            &["worktree", "add", "--quiet", "-b", name, &path, "main"],
        )
    }
}

/// Flushes everything that was written so far to the disk.
fn settle(place: &Place) -> Done<()> {
    match place.world.command("sync").status()?.success() {
        true => Ok(()),
        false => Err("sync failed".into()),
    }
}

/// Measures the requested rows, in one place.
pub async fn measure(scale: &Scale, report: &mut Report, one: bool, many: bool) -> Done<()> {
    let place = Place::new().await?;
    if one {
        report.begin("spawning a worker");
        single(&place, scale, report).await?;
    }
    if many {
        report.begin("spawning twenty at once");
        at_once(&place, scale, report).await?;
    }
    Ok(())
}

/// Measures one worker at a time, against `git worktree add` and a shell in a bare PTY.
async fn single(place: &Place, scale: &Scale, report: &mut Report) -> Done<()> {
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for turn in 0..scale.turns {
        let name = format!("floor-{turn}");
        settle(place)?;
        let start = Instant::now();
        place.add(&name)?;
        let shell = prompt(&place.world, &place.worktree(&name))?;
        floor.add(ms(start));
        drop(shell);

        settle(place)?;
        let start = Instant::now();
        let id = place.worker(&format!("Worker {turn}")).await?;
        engine::keeper_shows(&place.world, &id, PROMPT).await?;
        ours.add(ms(start));
        place.end(&id).await?;
    }
    report.add(Line::new(
        "spawning a worker to its first prompt, 5,000 files",
        Unit::Ms,
        ours.median(),
        &[("`git worktree add` and a shell", floor.median())],
        Goal::Over(150.0),
    ));
    Ok(())
}

/// Starts a shell in a bare PTY and waits for its prompt.
fn prompt(world: &Sandbox, folder: &Path) -> Done<Pty> {
    let mut command = world.command("/bin/sh");
    command.current_dir(folder);
    let mut shell = Pty::start(&command)?;
    shell.until(PROMPT.as_bytes())?;
    Ok(shell)
}

/// Measures twenty workers at the same time, against as many `git worktree add` one after another.
async fn at_once(place: &Place, scale: &Scale, report: &mut Report) -> Done<()> {
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for turn in 0..scale.rounds {
        let names: Vec<String> = (0..MANY).map(|n| format!("floor-{turn}-{n}")).collect();
        settle(place)?;
        let start = Instant::now();
        names.iter().try_for_each(|name| place.add(name))?;
        floor.add(ms(start));

        let titles: Vec<String> = (0..MANY).map(|n| format!("Worker {turn} {n}")).collect();
        settle(place)?;
        let start = Instant::now();
        let ids = try_join_all(titles.iter().map(|title| place.worker(title))).await?;
        engine::soon("twenty running workers", async || {
            let all = place.world.get("/api/sessions").await.ok()?;
            let running = |id: &String| all.as_array()?.iter().find(|row| row["id"] == **id).map(runs);
            if ids.iter().all(|id| running(id) == Some(true)) {
                return Some(());
            }
            tokio::time::sleep(LOOK).await;
            None
        })
        .await?;
        ours.add(ms(start));
        try_join_all(ids.iter().map(|id| place.end(id))).await?;
    }
    report.add(Line::new(
        "20 workers asked for at once, to all running",
        Unit::Ms,
        ours.median(),
        &[("20 × `git worktree add` in sequence", floor.median())],
        Goal::Times(1.0),
    ));
    Ok(())
}

fn runs(session: &Value) -> bool {
    matches!(session["status"].as_str(), Some("running" | "idle" | "unknown"))
}
