//! A real keeper on Windows: its pipe, its pseudo console and its job. The details are in
//! the tests for Linux, which stop and kill processes as only Unix can.
#![cfg(windows)]

use downbeat_keeper::{Entry, EntryKind, Error, Limits, Link, Report, Spec, StepSpec, connect, launch};
use downbeat_model::id::SessionId;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

const DEADLINE: Duration = Duration::from_secs(60);

fn binary() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let path = exe
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/keeper.exe");
    assert!(path.exists(), "build the example first: {}", path.display());
    path
}

struct Home {
    dir: tempfile::TempDir,
    id: SessionId,
}

impl Home {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            id: SessionId::random().unwrap(),
        }
    }

    fn keeper(&self) -> PathBuf {
        self.dir.path().join("keepers").join(self.id.as_str())
    }

    fn spec(&self, commands: &[&[&str]]) -> Spec {
        let step = |(i, words): (usize, &&[&str])| StepSpec {
            name: format!("step{i}"),
            argv: words.iter().map(|word| (*word).to_owned()).collect(),
            env: std::env::vars().collect(),
            cwd: self.dir.path().to_owned(),
        };
        Spec {
            id: self.id.clone(),
            cols: 80,
            rows: 24,
            steps: commands.iter().enumerate().map(step).collect(),
            limits: Limits::default(),
        }
    }

    async fn launch(&self, commands: &[&[&str]]) -> (Link, Receiver<Report>) {
        launch(&binary(), &self.keeper(), &self.spec(commands))
            .await
            .unwrap()
    }
}

async fn shows(link: &Link, wanted: &str) {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let text = link.text(1000).await.unwrap().text;
        if text.contains(wanted) {
            return;
        }
        assert!(Instant::now() < deadline, "never {wanted:?} in {text:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn ended(reports: &mut Receiver<Report>) -> Option<i32> {
    let look = async {
        loop {
            let report = reports.recv().await.expect("the connection ended");
            if let Report::Entry(Entry {
                what: EntryKind::Ended { code, .. },
                ..
            }) = report
            {
                return code;
            }
        }
    };
    tokio::time::timeout(DEADLINE, look)
        .await
        .expect("no end in time")
}

#[tokio::test]
async fn steps_run_on_one_screen_and_a_closed_keeper_is_gone() {
    let home = Home::new();
    let (link, mut reports) = home
        .launch(&[
            &["cmd", "/C", "echo first one"],
            &["cmd", "/C", "echo second & exit 3"],
        ])
        .await;
    assert_eq!(ended(&mut reports).await, Some(3));
    shows(&link, "first one").await;
    shows(&link, "second").await;
    let again = launch(&binary(), &home.keeper(), &home.spec(&[&["cmd"]])).await;
    assert!(matches!(again, Err(Error::Start(_))), "{again:?}");
    link.close().await.unwrap();
    let deadline = Instant::now() + DEADLINE;
    while !matches!(connect(&home.keeper()).await, Err(Error::Gone)) {
        assert!(Instant::now() < deadline, "the keeper stays");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn typed_input_arrives_and_a_kill_ends_everything() {
    let home = Home::new();
    let (link, mut reports) = home.launch(&[&["cmd"]]).await;
    link.input(b"echo typed-%OS%\r".to_vec()).await.unwrap();
    shows(&link, "typed-Windows_NT").await;
    // A second engine finds the same keeper.
    let (other, _reports) = connect(&home.keeper()).await.unwrap();
    assert_eq!(other.hello().incarnation, link.hello().incarnation);
    link.input(b"start /B ping -n 600 127.0.0.1\r".to_vec())
        .await
        .unwrap();
    link.kill(Duration::from_millis(500)).await.unwrap();
    ended(&mut reports).await;
    link.close().await.unwrap();
}

#[tokio::test]
async fn a_missing_program_is_reported() {
    let home = Home::new();
    let (link, _reports) = home.launch(&[&["no-such-program-here"]]).await;
    shows(&link, "cannot start no-such-program-here").await;
    link.close().await.unwrap();
}
