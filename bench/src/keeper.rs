//! A keeper without an engine, and `downbeat attach` to it.

use crate::done::Done;
use crate::pty::{Pty, SIZE};
use downbeat_keeper::{EntryKind, Limits, Link, Report, Spec, StepSpec, launch};
use downbeat_model::SessionId;
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::Sandbox;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;

/// The keeper. It ends with [`Keeper::end`], at the latest with its sandbox.
pub struct Keeper<'a> {
    world: &'a Sandbox,
    id: SessionId,
    /// The directory in which the keeper listens.
    pub dir: PathBuf,
    link: Link,
    reports: Receiver<Report>,
}

impl<'a> Keeper<'a> {
    /// Starts a keeper of `argv` in the place where `downbeat` looks for it.
    pub async fn start(world: &'a Sandbox, argv: &[&str]) -> Done<Self> {
        let id = SessionId::random().map_err(|error| error.to_string())?;
        let dir = world.data().join("keepers").join(id.as_str());
        let env = ["PATH=/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8"]
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .chain([("DOWNBEAT_SESSION", id.as_str())])
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let agent = StepSpec {
            name: "agent".into(),
            argv: argv.iter().map(|&argument| argument.to_owned()).collect(),
            env,
            cwd: "/".into(),
        };
        let (cols, rows) = SIZE;
        let spec = Spec {
            id: id.clone(),
            cols,
            rows,
            steps: vec![agent],
            limits: Limits::default(),
        };
        let (link, reports) = launch(&program("downbeat"), &dir, &spec).await?;
        Ok(Self {
            world,
            id,
            dir,
            link,
            reports,
        })
    }

    /// Runs `downbeat attach` in a PTY.
    pub fn attach(&self) -> Done<Pty> {
        let mut command = self.world.command(program("downbeat"));
        command.args(["attach", self.id.as_str()]);
        Pty::start(&command)
    }

    /// Waits until the program has ended and all its output was read.
    pub async fn ended(&mut self) -> Done<()> {
        while let Some(report) = self.reports.recv().await {
            if matches!(&report, Report::Entry(entry) if matches!(entry.what, EntryKind::Ended { .. })) {
                return Ok(());
            }
        }
        Err("a keeper is gone".into())
    }

    /// Waits until the last lines contain this text.
    pub async fn shows(&self, wanted: &str) -> Done<()> {
        while !self.link.text(3).await?.text.contains(wanted) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Ends the keeper.
    pub async fn end(self) -> Done<()> {
        self.link.kill(Duration::ZERO).await?;
        self.link.close().await?;
        Ok(std::fs::remove_dir_all(self.dir)?)
    }
}
