//! Measures many idle sessions: their cost, and how soon a new engine has adopted all of them.

use crate::done::Done;
use crate::engine::{self, PROMPT};
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::sample;
use crate::scale::Scale;
use crate::tmux::Tmux;
use crate::usage::{self, Ran};
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// The number of lines that fill a keeper's history.
const LINES: usize = 10_100;

/// The size of a session's terminal.
const SIZE: (u16, u16) = (120, 36);

/// The time after the last output in which an engine looks once more; then nothing is due.
const SETTLE: Duration = Duration::from_secs(8);

/// The allowed cost for the largest fleet.
const CORE: f64 = 0.5;
const KEEPER_KB: f64 = 2.0 * 1024.0;
const FULL_KEEPER_KB: f64 = 12.0 * 1024.0;
const ENGINE_KB: f64 = 60.0 * 1024.0;
const RESTART_MS: f64 = 1000.0;

/// Measures each number of sessions.
pub async fn measure(scale: &Scale, report: &mut Report, idle: bool, restart: bool) -> Done<()> {
    for &count in scale.fleets {
        let largest = scale.fleets.last() == Some(&count);
        let mut fleet = Fleet::new(count, largest).await?;
        if idle {
            fleet.at_rest(scale, report).await?;
            fleet.full(report).await?;
        }
        if restart {
            fleet.restarts(scale, report).await?;
        }
    }
    Ok(())
}

struct Fleet {
    world: Sandbox,
    ids: Vec<String>,
    /// Whether the goals apply to this fleet.
    largest: bool,
}

impl Fleet {
    async fn new(count: usize, largest: bool) -> Done<Self> {
        let (world, _, project) = engine::started_with(1).await?;
        let mut ids = Vec::new();
        for n in 0..count {
            let body = json!({ "projectId": project, "title": format!("Idle {n}"), "agent": "shell" });
            ids.push(engine::session(&world, body).await?);
        }
        for id in &ids {
            engine::keeper_shows(&world, id, PROMPT).await?;
        }
        Ok(Self { world, ids, largest })
    }

    fn at_most(&self, most: f64) -> Goal {
        match self.largest {
            true => Goal::Most(most),
            false => Goal::Open,
        }
    }

    fn name(&self) -> String {
        match self.ids.len() {
            1 => "1 idle session".to_owned(),
            count => format!("{count} idle sessions"),
        }
    }

    fn engine(&self) -> Done<u32> {
        let manifest = self.world.manifest().ok_or("no engine runs")?;
        let pid = manifest["pid"].as_u64().ok_or("the engine has no process")?;
        Ok(u32::try_from(pid)?)
    }

    fn keepers(&self) -> Done<Vec<u32>> {
        let keepers = usage::keepers(&self.world.data());
        match keepers.len() == self.ids.len() {
            true => Ok(keepers),
            false => Err(format!("{} keepers for {} sessions", keepers.len(), self.ids.len()).into()),
        }
    }

    fn windows(&self) -> Done<Tmux<'_>> {
        let tmux = Tmux::start(&self.world, SIZE, &["/bin/sh"])?;
        for _ in 1..self.ids.len() {
            tmux.run(&["new-window", "-d", "/bin/sh"])?;
        }
        Ok(tmux)
    }

    async fn at_rest(&self, scale: &Scale, report: &mut Report) -> Done<()> {
        let tmux = self.windows()?;
        let (server, engine) = (tmux.pid()?, self.engine()?);
        tokio::time::sleep(SETTLE).await;
        let keepers = self.keepers()?;
        let ours: Vec<u32> = keepers.iter().copied().chain([engine]).collect();
        let (start, before) = (Instant::now(), [Ran::until_now(&ours), Ran::until_now(&[server])]);
        tokio::time::sleep(Duration::from_secs(scale.idle)).await;
        let wall = start.elapsed().as_nanos() as f64;
        let share = |now: Ran, then: &Ran| now.since(then) as f64 / wall * 100.0;
        let used = share(Ran::until_now(&ours), &before[0]);
        let theirs = share(Ran::until_now(&[server]), &before[1]);
        let (name, memory) = (self.name(), per_keeper(&keepers));
        let line = |what: &str, unit, ours, beside: &[(&str, f64)], most| {
            Line::new(&format!("{name}: {what}"), unit, ours, beside, self.at_most(most))
        };
        let beside = [("tmux", theirs)];
        report.add(line("engine and keepers", Unit::Core, used, &beside, CORE));
        let each = usage::pss(server) / self.ids.len() as f64;
        let beside = [("tmux for each window", each)];
        report.add(line(
            "memory of a keeper",
            Unit::Kb,
            memory.median(),
            &beside,
            KEEPER_KB,
        ));
        let of_engine = usage::pss(engine);
        report.add(line("memory of the engine", Unit::Kb, of_engine, &[], ENGINE_KB));
        Ok(())
    }

    /// Measures memory once each history is full.
    async fn full(&self, report: &mut Report) -> Done<()> {
        let file = sample::full_lines(self.world.path(), LINES, SIZE.0.into())?;
        let last = format!("[{:05}]", LINES - 1);
        for id in &self.ids {
            self.world.press(id, &format!("cat {}\r", file.display())).await;
        }
        for id in &self.ids {
            engine::keeper_shows(&self.world, id, &last).await?;
        }
        let theirs = self.full_windows(&file, &last).await?;
        tokio::time::sleep(SETTLE).await;
        let memory = per_keeper(&self.keepers()?).median();
        let what = format!("{}: memory of a keeper with 10,000 full lines", self.name());
        let beside = [("tmux for each window", theirs)];
        report.add(Line::new(
            &what,
            Unit::Kb,
            memory,
            &beside,
            self.at_most(FULL_KEEPER_KB),
        ));
        Ok(())
    }

    async fn full_windows(&self, file: &Path, last: &str) -> Done<f64> {
        let tmux = self.windows()?;
        let command = format!("cat {}", file.display());
        for n in 0..self.ids.len() {
            tmux.run(&["send-keys", "-t", &format!("bench:{n}"), &command, "Enter"])?;
        }
        for n in 0..self.ids.len() {
            let target = format!("bench:{n}");
            engine::soon("a full window of tmux", async || {
                let shown = tmux.run(&["capture-pane", "-p", "-t", &target]).ok()?;
                shown.contains(last).then_some(())
            })
            .await?;
        }
        Ok(usage::pss(tmux.pid()?) / self.ids.len() as f64)
    }

    /// Measures the time from killing the engine until every session answers through the next one.
    async fn restarts(&mut self, scale: &Scale, report: &mut Report) -> Done<()> {
        let mut samples = Samples::default();
        for _ in 0..scale.turns {
            let start = Instant::now();
            self.world.kill_engine();
            self.world.start().await;
            try_join_all(self.ids.iter().map(|id| self.answers(id))).await?;
            samples.add(ms(start));
        }
        let count = self.ids.len();
        let what = format!("the engine killed and started with {count} live, to all adopted");
        report.add(Line::new(
            &what,
            Unit::Ms,
            samples.median(),
            &[],
            self.at_most(RESTART_MS),
        ));
        Ok(())
    }

    /// Checks that a live session answers through the engine, from its keeper.
    async fn answers(&self, id: &str) -> Done<()> {
        let path = format!("/api/sessions/{id}/output?lines=1");
        let output = engine::ask(&self.world, "GET", &path, None).await?;
        match output["isCheckpoint"].as_bool() {
            Some(false) => Ok(()),
            _ => Err(format!("{id} was not adopted: {output}").into()),
        }
    }
}

fn per_keeper(keepers: &[u32]) -> Samples {
    let mut samples = Samples::default();
    for &keeper in keepers {
        samples.add(usage::pss(keeper));
    }
    samples
}
