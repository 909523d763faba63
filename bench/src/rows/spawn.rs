//! How long a worker takes to its first prompt, and twenty of them asked for at once.

use crate::engine::{self, PROMPT};
use crate::pty::Pty;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::{Done, Scale};
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Files of the repository.
const FILES: usize = 5000;

/// Asked for at once.
const MANY: usize = 20;

/// An engine with a conductor on a large repository.
struct Place {
    world: Sandbox,
    repository: PathBuf,
    project: String,
    conductor: String,
}

impl Place {
    async fn new() -> Done<Self> {
        let world = engine::started().await?;
        let repository = engine::repository(&world, FILES)?;
        let project = engine::project(&world, &repository).await?;
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

    async fn remove(&self, id: &str) -> Done<()> {
        engine::ask(&self.world, "DELETE", &format!("/api/sessions/{id}"), None).await?;
        self.world.status(id, &["killed"]).await;
        let all = json!({ "force": true, "deleteBranch": true, "forget": true });
        let path = format!("/api/sessions/{id}/workspace");
        engine::ask(&self.world, "DELETE", &path, Some(all)).await?;
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

    fn take_away(&self, name: &str) -> Done<()> {
        let path = self.worktree(name);
        let path = path.to_string_lossy();
        engine::git(
            &self.world,
            &self.repository,
            &["worktree", "remove", "--force", &path],
        )?;
        engine::git(&self.world, &self.repository, &["branch", "--quiet", "-D", name])
    }
}

/// One worker at a time, beside `git worktree add` and a shell in a bare PTY.
pub async fn one(scale: &Scale, report: &mut Report) -> Done<()> {
    let place = Place::new().await?;
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for turn in 0..scale.turns {
        let name = format!("floor-{turn}");
        let start = Instant::now();
        place.add(&name)?;
        let shell = prompt(&place.world, &place.worktree(&name))?;
        floor.add(ms(start));
        drop(shell);
        place.take_away(&name)?;

        let start = Instant::now();
        let id = place.worker(&format!("Worker {turn}")).await?;
        engine::keeper_shows(&place.world, &id, PROMPT).await?;
        ours.add(ms(start));
        place.remove(&id).await?;
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

/// A shell in a bare PTY, at its prompt.
fn prompt(world: &Sandbox, folder: &Path) -> Done<Pty> {
    let mut command = world.command("/bin/sh");
    command.current_dir(folder);
    let mut shell = Pty::start(&command)?;
    shell.until(PROMPT.as_bytes())?;
    Ok(shell)
}

/// Twenty workers at once, beside as many `git worktree add` one after another.
pub async fn many(scale: &Scale, report: &mut Report) -> Done<()> {
    let place = Place::new().await?;
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for turn in 0..scale.rounds {
        let names: Vec<String> = (0..MANY).map(|n| format!("floor-{turn}-{n}")).collect();
        let start = Instant::now();
        names.iter().try_for_each(|name| place.add(name))?;
        floor.add(ms(start));
        names.iter().try_for_each(|name| place.take_away(name))?;

        let titles: Vec<String> = (0..MANY).map(|n| format!("Worker {turn} {n}")).collect();
        let start = Instant::now();
        let ids = try_join_all(titles.iter().map(|title| place.worker(title))).await?;
        engine::soon("twenty running workers", async || {
            let all = place.world.get("/api/sessions").await.ok()?;
            let running = |id: &String| all.as_array()?.iter().find(|row| row["id"] == **id).map(runs);
            ids.iter().all(|id| running(id) == Some(true)).then_some(())
        })
        .await?;
        ours.add(ms(start));
        try_join_all(ids.iter().map(|id| place.remove(id))).await?;
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
