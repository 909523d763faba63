//! A sandboxed engine for measuring: limits so high that nothing waits, a program that echoes, and the
//! terminals of its sessions as a face opens them.

use crate::done::Done;
use downbeat_model::terminal::{Frame, Input};
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket, client};

/// The prompt of a waiting shell; it does not end with a blank, since a snapshot drops blanks at the end.
pub const PROMPT: &str = "bench>";

/// A program that answers each key with the same key.
pub const ECHOING: [&str; 3] = ["sh", "-c", "stty raw -echo; printf ready; exec cat"];

/// A program that works for as many seconds as its prompt says, and commits what it did.
const TASK: [&str; 4] = [
    "sh",
    "-c",
    "sleep \"$1\" && echo done > \"$DOWNBEAT_SESSION.txt\" && git add . && git commit --quiet --message=done",
    "task",
];

/// A program that works for as many seconds as its task says, and commits what it did.
const PLANNED: [&str; 4] = [
    "sh",
    "-c",
    "sleep \"$(printf '%s' \"$1\" | sed -n 's/.*sleep \\([0-9]*\\) seconds.*/\\1/p')\" && echo done > \"$DOWNBEAT_SESSION.txt\" && git add . && git commit --quiet --message=done",
    "planned",
];

/// The time limit for anything that an engine does.
const LONGEST: Duration = Duration::from_secs(120);

/// The interval between checks: far below the measured times.
const LOOK: Duration = Duration::from_millis(1);

/// Creates a sandbox without an engine.
pub fn world() -> Done<Sandbox> {
    world_with_forges(&json!({}))
}

/// Creates a sandbox without an engine that reaches forges at these addresses.
pub fn world_with_forges(forges: &Value) -> Done<Sandbox> {
    let mut world = Sandbox::new();
    world.set_env("PS1", PROMPT);
    let config = json!({
        "limits": { "workersPerConductor": 100, "totalSessions": 500 },
        "agents": {
            "echoing": { "command": ECHOING, "prompt": "none" },
            "task": { "command": TASK, "prompt": "argument" },
            "planned": { "command": PLANNED, "prompt": "argument" },
        },
        "forges": forges,
    });
    // JSON is YAML.
    std::fs::write(world.data().join("downbeat.yaml"), config.to_string())?;
    Ok(world)
}

/// Creates a sandbox with an engine.
pub async fn started() -> Done<Sandbox> {
    let mut world = world()?;
    world.start().await;
    Ok(world)
}

/// Sends a request to the engine; a refusal ends the run.
pub async fn ask(world: &Sandbox, method: &str, path: &str, body: Option<Value>) -> Done<Value> {
    let answer = world.call(method, path, body).await;
    answer.map_err(|refused| format!("{method} {path}: {} {}", refused.status, refused.body).into())
}

/// Creates a session and returns its id.
pub async fn session(world: &Sandbox, body: Value) -> Done<String> {
    let made = ask(world, "POST", "/api/sessions", Some(body)).await?;
    Ok(made["id"].as_str().unwrap_or_default().to_owned())
}

/// Checks at short intervals until there is a result.
pub async fn soon<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> Done<T> {
    let deadline = Instant::now() + LONGEST;
    loop {
        if let Some(found) = look().await {
            return Ok(found);
        }
        if Instant::now() > deadline {
            return Err(format!("this never came: {what}").into());
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Waits until a session's own screen shows a text, as seen at its keeper.
pub async fn keeper_shows(world: &Sandbox, id: &str, wanted: &str) -> Done<()> {
    let dir = world.data().join("keepers").join(id);
    let attached = async || downbeat_keeper::attach(&dir, None).await.ok();
    let (inputs, mut frames) = soon("a keeper", attached).await?;
    let mut seen = Vec::new();
    loop {
        let end = match tokio::time::timeout(LONGEST, frames.recv()).await {
            Ok(Some(Frame::Snapshot { seq, data, .. })) => {
                seen = data;
                seq
            }
            Ok(Some(Frame::Output { seq, data })) => {
                seen.extend_from_slice(&data);
                seq + data.len() as u64
            }
            Ok(Some(Frame::Resize { .. })) => continue,
            other => return Err(format!("{wanted:?} was not shown: {other:?}").into()),
        };
        if memchr::memmem::find(&seen, wanted.as_bytes()).is_some() {
            return Ok(());
        }
        inputs.send(Input::Ack { seq: end }).await?;
    }
}

/// Runs git in a folder.
pub fn git(world: &Sandbox, folder: &Path, arguments: &[&str]) -> Done<()> {
    let mut command = world.command("git");
    command.arg("-C").arg(folder).args(arguments);
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("git {arguments:?}: {said}").into())
}

/// Creates a repository with `files` files in one commit.
pub fn repository(world: &Sandbox, files: usize) -> Done<PathBuf> {
    let path = world.path().join("repository");
    crate::sample::source_tree(&path, files)?;
    git(world, &path, &["init", "--quiet", "--initial-branch=main"])?;
    git(world, &path, &["add", "."])?;
    git(world, &path, &["commit", "--quiet", "--message=begin"])?;
    // Like any cloned repository.
    git(world, &path, &["gc", "--quiet"])?;
    Ok(path)
}

/// Adds a repository as a trusted project and returns its id.
pub async fn project(world: &Sandbox, path: &Path) -> Done<String> {
    let body = json!({ "path": path, "trust": true });
    let added = ask(world, "POST", "/api/projects", Some(body)).await?;
    Ok(added["id"].as_str().unwrap_or_default().to_owned())
}

/// Creates a sandbox with an engine, and there a repository with `files` files, as a trusted project. Returns the repository and the
/// id of the project, too.
pub async fn started_with(files: usize) -> Done<(Sandbox, PathBuf, String)> {
    let world = started().await?;
    let repository = repository(&world, files)?;
    let project = project(&world, &repository).await?;
    Ok((world, repository, project))
}

/// A WebSocket without a runtime in between.
pub type Socket = WebSocket<TcpStream>;

/// Opens a WebSocket to this machine.
pub fn socket(port: u16, path: &str, token: Option<&str>) -> Done<Socket> {
    let mut request = format!("ws://127.0.0.1:{port}/{path}").into_client_request()?;
    if let Some(token) = token {
        let protocols = format!("downbeat, bearer.{token}").parse()?;
        request.headers_mut().insert("sec-websocket-protocol", protocols);
    }
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(LONGEST))?;
    let (socket, _) = client(request, stream).map_err(|error| error.to_string())?;
    Ok(socket)
}

/// Reads the next message. A child process that ends interrupts a read that has a time limit: it is then repeated.
pub fn next(socket: &mut Socket) -> Done<Message> {
    loop {
        match socket.read() {
            Err(Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
            other => return Ok(other?),
        }
    }
}

/// Opens a WebSocket to the engine.
fn engines(world: &Sandbox, path: &str) -> Done<Socket> {
    let manifest = world.manifest().ok_or("no engine runs")?;
    let port = u16::try_from(manifest["port"].as_u64().unwrap_or_default())?;
    socket(port, path, manifest["token"].as_str())
}

/// Opens the stream of changes.
pub fn changes(world: &Sandbox) -> Done<Socket> {
    engines(world, "api/events")
}

/// A session's terminal through the API.
pub struct Terminal(Socket);

impl Terminal {
    /// Opens the terminal.
    pub fn open(world: &Sandbox, id: &str) -> Done<Self> {
        engines(world, &format!("api/sessions/{id}/terminal")).map(Self)
    }

    /// Types keys.
    pub fn press(&mut self, keys: &[u8]) -> Done<()> {
        self.send(&Input::Data(keys.to_vec()))
    }

    /// Reads until these bytes arrive in one frame.
    pub fn until(&mut self, wanted: &[u8]) -> Done<()> {
        loop {
            let Message::Binary(bytes) = next(&mut self.0)? else {
                continue;
            };
            let (end, data) = match Frame::decode(&bytes) {
                Some(Frame::Output { seq, data }) => (seq + data.len() as u64, data),
                Some(Frame::Snapshot { seq, data, .. }) => (seq, data),
                _ => continue,
            };
            let found = memchr::memmem::find(&data, wanted).is_some();
            if found {
                return self.send(&Input::Ack { seq: end });
            }
        }
    }

    fn send(&mut self, input: &Input) -> Done<()> {
        Ok(self.0.send(Message::binary(input.encode()))?)
    }
}
