//! Tests of `downbeat attach` in a terminal of its own: a person looks at the worker of a plan, helps it on, and leaves.

use crate::merging::project;
use crate::plans::{completes, proposed, reaches, worker};
use downbeat_keeper::Screen;
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Sandbox, until};
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use serde_json::json;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

/// The size of the person's terminal.
const SIZE: PtySize = PtySize {
    rows: 40,
    cols: 120,
    pixel_width: 0,
    pixel_height: 0,
};

/// A terminal in which `downbeat attach` runs.
struct Terminal {
    screen: Arc<Mutex<Screen>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    /// Closed last: a terminal that is gone ends what runs in it.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    fn attach(sandbox: &Sandbox, name: &str) -> Self {
        let pair = native_pty_system().openpty(SIZE).unwrap();
        let asked = sandbox.command(program("downbeat"));
        let mut command = CommandBuilder::new(asked.get_program());
        command.env_clear();
        for (name, value) in asked.get_envs() {
            command.env(name, value.unwrap());
        }
        command.cwd(sandbox.path());
        command.args(["attach", name]);
        let child = pair.slave.spawn_command(command).unwrap();
        let screen = Arc::new(Mutex::new(Screen::new(SIZE.cols, SIZE.rows, 1000)));
        let mut shown = pair.master.try_clone_reader().unwrap();
        let drawn = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = shown.read(&mut bytes) {
                let _ = drawn.lock().unwrap().feed(&bytes[..count]);
            }
        });
        Self {
            screen,
            keys: pair.master.take_writer().unwrap(),
            child,
            _master: pair.master,
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().text(SIZE.rows.into())
    }

    /// Waits until the terminal shows a line, and returns what it shows.
    async fn shows(&self, line: &str) -> String {
        until(&format!("{line:?} in the person's terminal"), async || {
            let text = self.text();
            text.lines().any(|shown| shown.trim() == line).then_some(text)
        })
        .await
    }

    async fn ends(&mut self) -> ExitStatus {
        until("attach ends", async || self.child.try_wait().unwrap()).await
    }
}

#[tokio::test]
async fn a_person_attaches_to_a_stuck_worker_answers_it_and_leaves_it_at_work() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, None).await;
    let gate = sandbox.path().join("gate");
    let work = format!(
        "ask drop the tables\nwork {}\ncommit page.html made",
        gate.display()
    );
    let tasks =
        json!([{ "id": "page", "title": "Draw the page", "description": work, "domain": "frontend" }]);
    let plan = proposed(&sandbox, &project, tasks).await;
    sandbox
        .post(&format!("/api/plans/{plan}/run"), json!({}))
        .await
        .unwrap();
    let shown = reaches(&sandbox, &plan, "frontend", "running").await;
    let id = worker(&shown, "frontend")["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    let name = sandbox.status(&id, &["waiting"]).await["name"].clone();

    let mut terminal = Terminal::attach(&sandbox, name.as_str().unwrap());
    let text = terminal.shows("2. No").await;
    assert_eq!(
        text.lines().last().unwrap().trim(),
        "2. No",
        "its last line: {text}"
    );
    assert!(text.contains("drop the tables"), "{text}");
    // The agent says what it got, and nothing else echoes it.
    terminal.press("not these\r");
    terminal.shows("answered not these").await;
    sandbox.status(&id, &["running"]).await;

    // One Ctrl-\ is not enough, and it is the agent's with the next key.
    terminal.press("\x1c");
    terminal.press("x");
    terminal.shows("❯ x").await;
    assert!(
        terminal.child.try_wait().unwrap().is_none(),
        "{}",
        terminal.text()
    );
    terminal.press("\x1c\x1c");
    let end = terminal.ends().await;
    assert_eq!(end.exit_code(), 0, "{}", terminal.text());
    let left = format!("Left {}; it keeps running.", name.as_str().unwrap());
    terminal.shows(&left).await;

    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["status"], "running", "{session:#}");
    std::fs::write(gate, "").unwrap();
    let done = completes(&sandbox, &plan).await;
    assert_eq!(
        worker(&done, "frontend")["sessionId"],
        json!(id),
        "the same session did it"
    );
    sandbox.status(&id, &["idle"]).await;
}
