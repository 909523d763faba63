//! Measures how long green work takes through the merge queue in batches of four, against `git merge` of the same branches in
//! a clone, and the checks' own time, once for each batch.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The number of files in the repository.
const FILES: usize = 500;

/// The number of sessions that land together.
const BATCH: usize = 4;

/// The project's check: a program with an argument.
const CHECK: [&str; 2] = ["sleep", "1"];

/// The interval between checks whether the queue is empty.
const LOOK: Duration = Duration::from_millis(5);

/// A project with checks.
struct Place {
    world: Sandbox,
    repository: PathBuf,
    project: String,
}

impl Place {
    async fn new() -> Done<Self> {
        let world = engine::started().await?;
        let repository = engine::repository(&world, FILES)?;
        let config = json!({ "checks": [CHECK], "mergeQueue": { "batch": BATCH } });
        // JSON is YAML.
        std::fs::write(repository.join("downbeat.yaml"), config.to_string())?;
        engine::git(&world, &repository, &["add", "."])?;
        engine::git(&world, &repository, &["commit", "--quiet", "--message=checks"])?;
        let project = engine::project(&world, &repository).await?;
        let path = format!("/api/projects/{project}");
        let shown = engine::ask(&world, "GET", "/api/projects", None).await?;
        let approve = json!({ "approveChecks": shown[0]["checks"]["hash"] });
        engine::ask(&world, "PATCH", &path, Some(approve)).await?;
        Ok(Self {
            world,
            repository,
            project,
        })
    }

    /// Creates a session with a commit that its checks found good, and returns its id and its branch.
    async fn green(&self, title: &str) -> Done<(String, String)> {
        let body = json!({ "projectId": self.project, "title": title, "agent": "task", "prompt": "0" });
        let id = engine::session(&self.world, body).await?;
        let path = format!("/api/sessions/{id}");
        engine::soon("the end of a session", async || {
            let session = self.world.get(&path).await.ok()?;
            (session["status"] == "exited").then_some(())
        })
        .await?;
        engine::ask(&self.world, "POST", &format!("{path}/checks"), Some(json!({}))).await?;
        let branch = engine::soon("green checks", async || {
            let session = self.world.get(&path).await.ok()?;
            let is_green = session["checks"]["state"] == "green";
            let branch = session["branch"].as_str().filter(|_| is_green).map(str::to_owned);
            tokio::time::sleep(LOOK).await;
            branch
        });
        Ok((id, branch.await?))
    }

    async fn pause(&self, paused: bool) -> Done<()> {
        let path = format!("/api/projects/{}/queue", self.project);
        let body = Some(json!({ "paused": paused }));
        engine::ask(&self.world, "POST", &path, body).await.map(drop)
    }

    /// Waits until nothing waits in the queue.
    async fn emptied(&self) -> Done<()> {
        let path = format!("/api/queues?project={}", self.project);
        engine::soon("an empty queue", async || {
            let queues = self.world.get(&path).await.ok()?;
            let is_empty = queues[0]["entries"].as_array()?.is_empty();
            tokio::time::sleep(LOOK).await;
            is_empty.then_some(())
        })
        .await
    }

    fn has_landed(&self, sessions: &[(String, String)]) -> Done<()> {
        let missing = sessions
            .iter()
            .find(|(id, _)| !self.repository.join(format!("{id}.txt")).exists());
        match missing {
            None => Ok(()),
            Some((id, _)) => Err(format!("the work of {id} did not land").into()),
        }
    }

    /// Merges branches in a clone, and runs the check once for each batch.
    fn by_hand(&self, clone: &Path, sessions: &[(String, String)]) -> Done<()> {
        for batch in sessions.chunks(BATCH) {
            for (_, branch) in batch {
                let branch = format!("origin/{branch}");
                engine::git(
                    &self.world,
                    clone,
                    &["merge", "--quiet", "--no-ff", "--no-edit", &branch],
                )?;
            }
            let [program, argument] = CHECK;
            if !self.world.command(program).arg(argument).status()?.success() {
                return Err("the check failed".into());
            }
        }
        Ok(())
    }
}

/// Measures both, alternately.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let place = Place::new().await?;
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for turn in 0..scale.rounds {
        let titles: Vec<_> = (0..scale.landed).map(|n| format!("Green {turn} {n}")).collect();
        let mut sessions = Vec::new();
        for title in &titles {
            sessions.push(place.green(title).await?);
        }
        let clone = place.world.path().join(format!("clone-{turn}"));
        let (from, to) = (place.repository.to_string_lossy(), clone.to_string_lossy());
        engine::git(
            &place.world,
            place.world.path(),
            &["clone", "--quiet", &from, &to],
        )?;

        place.pause(true).await?;
        let paths = sessions.iter().map(|(id, _)| format!("/api/sessions/{id}/merge"));
        let paths: Vec<_> = paths.collect();
        let queued = paths
            .iter()
            .map(|path| engine::ask(&place.world, "POST", path, Some(json!({}))));
        try_join_all(queued).await?;
        let start = Instant::now();
        place.pause(false).await?;
        place.emptied().await?;
        ours.add(ms(start));
        place.has_landed(&sessions)?;

        let start = Instant::now();
        place.by_hand(&clone, &sessions)?;
        floor.add(ms(start));
    }
    let what = format!(
        "{} green sessions through the merge queue, batches of {BATCH}",
        scale.landed
    );
    let beside = [("`git merge` of each, and the checks' own time", floor.median())];
    report.add(Line::new(
        &what,
        Unit::Ms,
        ours.median(),
        &beside,
        Goal::Times(1.2),
    ));
    Ok(())
}
