//! Helpers of the tests of a real keeper: a home for one, functions that wait for it, and a viewer that
//! checks that no output is missing or doubled.

use downbeat_keeper::{
    Entry, EntryKind, Limits, Link, Report, Screen, Spec, StepSpec, attach, end_tree, launch,
};
use downbeat_model::id::SessionId;
use downbeat_model::terminal::{Frame, Input};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

pub const DEADLINE: Duration = Duration::from_secs(30);

pub fn binary() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let path = exe.parent().unwrap().parent().unwrap().join("examples/keeper");
    assert!(path.exists(), "build the example first: {}", path.display());
    path
}

pub struct Home {
    pub dir: tempfile::TempDir,
    pub id: SessionId,
}

impl Home {
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            id: SessionId::random().unwrap(),
        }
    }

    pub fn keeper(&self) -> PathBuf {
        self.dir.path().join("keepers").join(self.id.as_str())
    }

    pub fn step(&self, name: &str, script: &str) -> StepSpec {
        StepSpec {
            name: name.into(),
            argv: vec!["/bin/sh".into(), "-c".into(), script.into()],
            env: vec![
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("TERM".into(), "xterm-256color".into()),
                ("DOWNBEAT_SESSION".into(), self.id.to_string()),
            ],
            cwd: self.dir.path().to_owned(),
        }
    }

    pub fn spec(&self, scripts: &[&str]) -> Spec {
        let steps = scripts
            .iter()
            .enumerate()
            .map(|(i, script)| self.step(&format!("step{i}"), script))
            .collect();
        Spec {
            id: self.id.clone(),
            cols: 80,
            rows: 24,
            steps,
            limits: Limits::default(),
        }
    }

    pub async fn launch(&self, scripts: &[&str]) -> (Link, Receiver<Report>) {
        launch(&binary(), &self.keeper(), &self.spec(scripts))
            .await
            .unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // No test leaves a process behind, whatever happened in it.
        end_tree(&self.keeper(), &self.id, Duration::ZERO);
        // The process that started the keeper may have the keeper's folder in its command line, too.
        while let Some(pid) = keeper_pid(&self.keeper()) {
            kill9(pid);
        }
    }
}

pub fn keeper_pid(dir: &Path) -> Option<u32> {
    let wanted = dir.as_os_str().as_encoded_bytes();
    std::fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        line.split(|b| *b == 0).any(|arg| arg == wanted).then_some(pid)
    })
}

pub fn kill9(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

pub fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.trim_start().starts_with('Z'))
}

pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub async fn screen_shows(link: &Link, wanted: &str) -> String {
    until(wanted, async || {
        let text = link.text(10_000).await.unwrap().text;
        text.contains(wanted).then_some(text)
    })
    .await
}

pub async fn entry(reports: &mut Receiver<Report>, wanted: impl Fn(&EntryKind) -> bool) -> Entry {
    let look = async {
        loop {
            match reports.recv().await.expect("the connection ended") {
                Report::Entry(entry) if wanted(&entry.what) => return entry,
                _ => {}
            }
        }
    };
    tokio::time::timeout(DEADLINE, look).await.expect("no such entry")
}

pub async fn ended(reports: &mut Receiver<Report>) -> (Option<i32>, Option<i32>) {
    let entry = entry(reports, |what| matches!(what, EntryKind::Ended { .. })).await;
    let EntryKind::Ended { code, signal } = entry.what else {
        unreachable!()
    };
    (code, signal)
}

/// A viewer with its own terminal, which checks that no output is missing or doubled.
pub struct Viewer {
    pub inputs: tokio::sync::mpsc::Sender<Input>,
    pub frames: Receiver<Frame>,
    pub screen: Screen,
    pub seq: u64,
    pub snapshots: usize,
    pub sizes: Vec<(u16, u16)>,
    pub exit: Option<i32>,
    pub ack: bool,
}

impl Viewer {
    pub async fn new(dir: &Path, size: Option<(u16, u16)>) -> Self {
        let (inputs, frames) = attach(dir, size).await.unwrap();
        let screen = Screen::new(80, 24, 10_000);
        let mut viewer = Self {
            inputs,
            frames,
            screen,
            seq: 0,
            snapshots: 0,
            sizes: Vec::new(),
            exit: None,
            ack: true,
        };
        viewer.until("a snapshot", |viewer| viewer.snapshots > 0).await;
        viewer
    }

    pub async fn take(&mut self, frame: Frame) {
        match frame {
            Frame::Snapshot {
                seq,
                cols,
                rows,
                data,
            } => {
                self.screen = Screen::new(cols, rows, 10_000);
                drop(self.screen.feed(&data));
                self.snapshots += 1;
                self.seq = seq;
            }
            Frame::Output { seq, data } => {
                assert_eq!(seq, self.seq, "output is missing or doubled");
                drop(self.screen.feed(&data));
                self.seq += data.len() as u64;
            }
            Frame::Resize { seq, cols, rows } => {
                assert_eq!(seq, self.seq, "a resize out of order");
                self.screen.resize(cols, rows);
                self.sizes.push((cols, rows));
            }
            Frame::Exit { code, .. } => self.exit = Some(code),
            Frame::Closed { reason } => panic!("{reason}"),
            Frame::Screen { .. } => {}
        }
        if self.ack {
            self.inputs.send(Input::Ack { seq: self.seq }).await.unwrap();
        }
    }

    pub async fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let deadline = tokio::time::Instant::now() + DEADLINE;
        while !done(self) {
            let frame = tokio::time::timeout_at(deadline, self.frames.recv()).await;
            let frame = frame.unwrap_or_else(|_| panic!("never: {what}: {}", self.screen.text(50)));
            self.take(frame.expect("the keeper is gone")).await;
        }
    }

    pub async fn shows(&mut self, wanted: &str) {
        self.until(wanted, |viewer| viewer.screen.text(10_000).contains(wanted))
            .await;
    }

    pub async fn types(&self, text: &str) {
        self.inputs.send(Input::Data(text.into())).await.unwrap();
    }
}
