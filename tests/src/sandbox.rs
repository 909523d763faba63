//! A hermetic Downbeat: its own home, data directory, git configuration and `PATH`, with the real command as
//! its engine. Dropping it ends everything it started.

use crate::model_server::ModelServer;
use crate::programs::{self, program};
use crate::{real_agents, repository};
use downbeat_model::terminal::Input;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::sync::SemaphorePermit;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// A WebSocket connection to an engine.
pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// The time that a test waits for anything before it fails.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The interval between checks of a predicate.
const LOOK: Duration = Duration::from_millis(20);

/// A hermetic Downbeat: see the module.
pub struct Sandbox {
    dir: TempDir,
    engine: Option<Child>,
    client: reqwest::Client,
    env: Vec<(String, String)>,
    /// Held while the sandbox may run an agent of which only a few run at a time.
    _turn: Option<SemaphorePermit<'static>>,
}

/// An answer that is not a success: status and body.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// The error: `{code, message, hint}`.
    pub body: Value,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// Creates a sandbox with the fake Claude on its `PATH` and no engine yet.
    pub fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("downbeat-")
            .tempdir()
            .expect("a temporary directory");
        for name in ["home", "data", "bin"] {
            std::fs::create_dir(dir.path().join(name)).expect("a directory");
        }
        let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        std::fs::copy(program("fake-claude"), dir.path().join("bin/claude"))
            .expect("the fake agent is built");
        programs::link_into(&dir.path().join("data"));
        let path = format!("{}:{}", at("bin"), std::env::var("PATH").expect("a PATH"));
        let env = [
            ("HOME", at("home")),
            ("DOWNBEAT_HOME", at("data")),
            ("PATH", path),
            ("SHELL", "/bin/sh".into()),
            ("LANG", "C.UTF-8".into()),
            ("USER", "tester".into()),
            ("TERM", "xterm-256color".into()),
        ];
        let mut env: Vec<_> = env
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        env.extend(repository::isolation(dir.path()));
        // No connection is kept: a test that runs commands for half a minute does not see that the engine closed it.
        let client = reqwest::Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(0)
            .build()
            .expect("an HTTP client");
        Self {
            dir,
            engine: None,
            client,
            env,
            _turn: None,
        }
    }

    /// Creates a sandbox with an engine.
    pub async fn started() -> Self {
        let mut sandbox = Self::new();
        sandbox.start().await;
        sandbox
    }

    /// Creates a sandbox with an engine and the real Claude Code, which asks `model` and nobody else.
    pub async fn with_claude(model: &ModelServer) -> Self {
        Self::with_agents(model, &["claude"]).await
    }

    /// Creates a sandbox with an engine and these real agents, which ask `model` and nobody else.
    pub async fn with_agents(model: &ModelServer, agents: &[&str]) -> Self {
        let mut sandbox = Self::new();
        if agents.contains(&"opencode") {
            sandbox._turn = Some(real_agents::opencode_turn().await);
        }
        let home = sandbox.dir.path().join("home");
        for agent in agents {
            let env = match *agent {
                "claude" => model.claude_home(&home),
                "codex" => model.codex_home(&home),
                "opencode" => model.opencode_home(&home),
                other => panic!("no home for {other}"),
            };
            for (name, value) in env.expect("a home") {
                sandbox.set_env(&name, &value);
            }
            sandbox.set_program(agent, &real_agents::program(agent));
        }
        sandbox.start().await;
        sandbox
    }

    /// Returns the folder of the sandbox.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the data directory.
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Sets a variable for everything that is started from now on.
    pub fn set_env(&mut self, name: &str, value: &str) {
        self.env.retain(|(other, _)| other != name);
        self.env.push((name.into(), value.into()));
    }

    /// Writes the person's configuration, and replaces the previous one.
    pub fn configure(&self, text: &str) {
        std::fs::write(self.data().join("downbeat.yaml"), text).expect("a configuration");
    }

    /// Replaces a program on the `PATH` by another one, such as the real agent.
    pub fn set_program(&self, name: &str, target: &Path) {
        let link = self.dir.path().join("bin").join(name);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(target, link).expect("a link");
    }

    /// Builds a command in this sandbox.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.env.iter().cloned())
            .current_dir(self.dir.path());
        command
    }

    /// Runs the `downbeat` command.
    pub fn cli(&self, arguments: &[&str]) -> Output {
        self.command(program("downbeat"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("the command runs")
    }

    /// Starts an engine and waits until it answers.
    pub async fn start(&mut self) {
        let log = std::fs::File::create(self.dir.path().join("engine.log")).expect("a log");
        let mut command = self.command(program("downbeat"));
        command
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log);
        let mut engine = command.spawn().expect("the engine starts");
        let pid = engine.id();
        // An engine that is to crash may reach that point before it answers.
        let is_doomed =
            (self.env.iter()).any(|(name, value)| name == "DOWNBEAT_CRASH_AT" && !value.is_empty());
        let up = async || {
            if let Ok(Some(status)) = engine.try_wait() {
                // What it crashes with is a signal. An engine that ends by itself did not reach the point.
                if is_doomed && status.code().is_none() {
                    return Some(());
                }
                panic!("the engine ended at its start: {status}");
            }
            let manifest = self.manifest()?;
            let own = manifest["pid"].as_u64() == Some(u64::from(pid));
            (own && self.get("/api/engine").await.is_ok()).then_some(())
        };
        until("the engine answers", up).await;
        self.engine = Some(engine);
        programs::keep(&self.data());
    }

    /// Kills the engine as a crash would.
    pub fn kill_engine(&mut self) {
        if let Some(mut engine) = self.engine.take() {
            let _ = engine.kill();
            let _ = engine.wait();
        }
    }

    /// Reads `engine.json`, if it is readable.
    pub fn manifest(&self) -> Option<Value> {
        let text = std::fs::read_to_string(self.data().join("engine.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Returns the output of the engine.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("engine.log")).unwrap_or_default()
    }

    /// Sends a request to the engine.
    pub async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, Refused> {
        self.ask(method, path, body, None).await
    }

    /// Sends a `POST` with an idempotency key.
    pub async fn post_keyed(&self, path: &str, body: Value, key: &str) -> Result<Value, Refused> {
        self.ask("POST", path, Some(body), Some(key)).await
    }

    async fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
        key: Option<&str>,
    ) -> Result<Value, Refused> {
        let manifest = self.manifest().unwrap_or_default();
        let url = format!("http://127.0.0.1:{}{path}", manifest["port"]);
        let method = method.parse().expect("a method");
        let mut request = self
            .client
            .request(method, url)
            .bearer_auth(manifest["token"].as_str().unwrap_or_default());
        if let Some(body) = body {
            request = request.json(&body);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let gone = |error: reqwest::Error| Refused {
            status: 0,
            body: json!({ "message": error.to_string() }),
        };
        let response = request.send().await.map_err(gone)?;
        let status = response.status();
        let body: Value = response.json().await.map_err(gone)?;
        if status.is_success() {
            Ok(body)
        } else {
            Err(Refused {
                status: status.as_u16(),
                body,
            })
        }
    }

    /// Sends a `GET`.
    pub async fn get(&self, path: &str) -> Result<Value, Refused> {
        self.call("GET", path, None).await
    }

    /// Returns all notices, the newest first.
    pub async fn notices(&self) -> Vec<Value> {
        let all = self.get("/api/notices").await.expect("the notices");
        all.as_array().expect("a list").clone()
    }

    /// Returns the texts of Downbeat's messages to a session, in their order.
    pub async fn sent_to(&self, id: &str) -> Vec<String> {
        let path = format!("/api/sessions/{id}/messages");
        let all = self.get(&path).await.expect("the messages");
        let all = all.as_array().expect("a list").iter();
        let ours = all.filter(|message| message["from"] == "downbeat");
        let text = |message: &Value| message["text"].as_str().unwrap_or_default().to_owned();
        ours.map(text).collect()
    }

    /// Sends a `POST`.
    pub async fn post(&self, path: &str, body: Value) -> Result<Value, Refused> {
        self.call("POST", path, Some(body)).await
    }

    /// Sends a `DELETE`.
    pub async fn delete(&self, path: &str) -> Result<Value, Refused> {
        self.call("DELETE", path, None).await
    }

    /// Opens a WebSocket to the engine, as the window does.
    pub async fn socket(&self, path: &str) -> Socket {
        let manifest = self.manifest().expect("an engine");
        let url = format!("ws://127.0.0.1:{}{path}", manifest["port"]);
        let mut request = url.into_client_request().expect("an address");
        let protocols = format!(
            "downbeat, bearer.{}",
            manifest["token"].as_str().unwrap_or_default()
        );
        request.headers_mut().insert(
            "sec-websocket-protocol",
            protocols.parse().expect("a token is a header's value"),
        );
        let opened = tokio_tungstenite::connect_async(request).await;
        opened.expect("the socket opens").0
    }

    /// Presses keys in a session's terminal, as the window does.
    pub async fn press(&self, id: &str, keys: &str) {
        let mut socket = self.socket(&format!("/api/sessions/{id}/terminal")).await;
        let keys = Input::Data(keys.as_bytes().to_vec()).encode();
        socket
            .send(Message::binary(keys))
            .await
            .expect("the keys are taken");
        // Ends once the other side has read everything before it.
        socket.close(None).await.expect("the terminal closes");
        while let Some(Ok(_)) = socket.next().await {}
    }

    /// Creates a repository with a commit, with the script `small`.
    pub fn repository(&self, name: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        repository::small(&path, &self.env);
        path
    }

    /// Adds a repository as a trusted project and returns its id.
    pub async fn project(&self, name: &str) -> String {
        let path = self.repository(name);
        let added = self
            .post("/api/projects", json!({ "path": path, "trust": true }))
            .await
            .expect("a project");
        added["id"].as_str().expect("an id").to_owned()
    }

    /// Starts a session and returns its id.
    pub async fn session(&self, body: Value) -> String {
        let made = self.post("/api/sessions", body).await.expect("a session");
        made["id"].as_str().expect("an id").to_owned()
    }

    /// Waits until a session has one of these statuses and returns the session.
    pub async fn status(&self, id: &str, wanted: &[&str]) -> Value {
        let look = async || {
            let session = self.get(&format!("/api/sessions/{id}")).await.ok()?;
            let status = session["status"].as_str()?.to_owned();
            wanted.contains(&status.as_str()).then_some(session)
        };
        let name = format!("{id} is {wanted:?}");
        match within(PATIENCE, look).await {
            Some(session) => session,
            None => panic!("{name} never came: {}", self.told(id).await),
        }
    }

    /// Describes a session, its status and its screen, for the message of a failed test.
    pub async fn told(&self, id: &str) -> String {
        let explained = self.cli(&["explain", id, "--facts", "30"]);
        let screen = self.get(&format!("/api/sessions/{id}/output?lines=60")).await;
        format!(
            "{}\n{}",
            String::from_utf8_lossy(&explained.stdout),
            screen.map_or_else(|refused| refused.body, |screen| screen["text"].clone())
        )
    }

    /// Waits until a session's terminal shows a text and returns all of its text.
    pub async fn shows(&self, id: &str, wanted: &str) -> String {
        let look = async || {
            let output = self
                .get(&format!("/api/sessions/{id}/output?lines=10000"))
                .await
                .ok()?;
            let text = output["text"].as_str()?.to_owned();
            text.contains(wanted).then_some(text)
        };
        match within(PATIENCE, look).await {
            Some(text) => text,
            None => panic!(
                "{id} never showed {wanted:?}; it shows {:#?}\n{}",
                self.get(&format!("/api/sessions/{id}/output?lines=100")).await,
                self.log()
            ),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the engine said:\n{}", self.log());
        }
        self.kill_engine();
        // Keepers outlive engines on purpose: end the ones of this sandbox.
        let keepers = std::fs::read_dir(self.data().join("keepers"))
            .into_iter()
            .flatten()
            .flatten();
        for keeper in keepers {
            if let Some(id) = keeper
                .file_name()
                .to_str()
                .and_then(downbeat_model::SessionId::parse)
            {
                downbeat_keeper::end_tree(&keeper.path(), &id, Duration::ZERO);
            }
        }
        end_processes_naming(&format!("{}/", self.dir.path().display()));
    }
}

/// Kills processes that have `marker` in their command line or environment, until a check finds none: keepers
/// of a sandbox, engines that a command started, agents.
fn end_processes_naming(marker: &str) {
    let deadline = Instant::now() + PATIENCE;
    while kill_processes_naming(marker) && Instant::now() < deadline {
        std::thread::sleep(LOOK);
    }
}

/// Kills these processes once, and returns whether there were any.
fn kill_processes_naming(marker: &str) -> bool {
    let names = |process: &Path| {
        ["cmdline", "environ"].iter().any(|file| {
            let text = std::fs::read(process.join(file)).unwrap_or_default();
            String::from_utf8_lossy(&text).contains(marker)
        })
    };
    let own = std::process::id();
    let mut found = false;
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = process.file_name().to_string_lossy().parse::<u32>().ok();
        if let Some(pid) = pid.filter(|pid| *pid > 1 && *pid != own && names(&process.path())) {
            found = true;
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
    }
    found
}

/// Waits until `look` returns a value; fails the test, naming `what`, if it never does.
pub async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    within(PATIENCE, look)
        .await
        .unwrap_or_else(|| panic!("this never came: {what}"))
}

/// Waits at most `patience` until `look` returns a value.
pub async fn within<T>(patience: Duration, mut look: impl AsyncFnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(found) = look().await {
            return Some(found);
        }
        if Instant::now() > deadline {
            return None;
        }
        tokio::time::sleep(LOOK).await;
    }
}
