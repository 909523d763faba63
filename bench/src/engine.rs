//! A sandboxed engine for measuring: caps that hold nothing back, a program that echoes, and the
//! terminals of its sessions as a face opens them.

use crate::done::Done;
use downbeat_model::terminal::{Frame, Input};
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

/// What a shell shows when it waits; it ends with no blank, since a snapshot keeps none at an end.
pub const PROMPT: &str = "bench>";

/// A program that answers each key with the same one.
pub const ECHOING: [&str; 3] = ["sh", "-c", "stty raw -echo; printf ready; exec cat"];

/// The longest that anything of an engine may take.
const LONGEST: Duration = Duration::from_secs(120);

/// Between two looks: well below what is measured.
const LOOK: Duration = Duration::from_millis(1);

/// A sandbox without an engine.
pub fn world() -> Done<Sandbox> {
    let mut world = Sandbox::new();
    world.set_env("PS1", PROMPT);
    let config = json!({
        "limits": { "workersPerConductor": 100, "totalSessions": 500 },
        "agents": { "echoing": { "command": ECHOING, "prompt": "none" } },
    });
    // JSON is YAML.
    std::fs::write(world.data().join("downbeat.yaml"), config.to_string())?;
    Ok(world)
}

/// A sandbox with an engine.
pub async fn started() -> Done<Sandbox> {
    let mut world = world()?;
    world.start().await;
    Ok(world)
}

/// Asks the engine; what it refuses ends the run.
pub async fn ask(world: &Sandbox, method: &str, path: &str, body: Option<Value>) -> Done<Value> {
    let answer = world.call(method, path, body).await;
    answer.map_err(|refused| format!("{method} {path}: {} {}", refused.status, refused.body).into())
}

/// Asks for a session and gives its id.
pub async fn session(world: &Sandbox, body: Value) -> Done<String> {
    let made = ask(world, "POST", "/api/sessions", Some(body)).await?;
    Ok(made["id"].as_str().unwrap_or_default().to_owned())
}

/// Looks until there is something, at short intervals.
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

/// Waits until a session's own screen shows a text, seen at its keeper.
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

/// A repository of `files` files in one commit.
pub fn repository(world: &Sandbox, files: usize) -> Done<PathBuf> {
    let path = world.path().join("repository");
    crate::sample::source_tree(&path, files)?;
    git(world, &path, &["init", "--quiet", "--initial-branch=main"])?;
    git(world, &path, &["add", "."])?;
    git(world, &path, &["commit", "--quiet", "--message=begin"])?;
    // As any repository that was cloned.
    git(world, &path, &["gc", "--quiet"])?;
    Ok(path)
}

/// Adds a repository as a trusted project, and gives its id.
pub async fn project(world: &Sandbox, path: &Path) -> Done<String> {
    let body = json!({ "path": path, "trust": true });
    let added = ask(world, "POST", "/api/projects", Some(body)).await?;
    Ok(added["id"].as_str().unwrap_or_default().to_owned())
}

/// A WebSocket without a runtime in between.
pub type Socket = WebSocket<TcpStream>;

/// Opens a WebSocket of this machine.
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

/// Opens one of the engine's.
fn engines(world: &Sandbox, path: &str) -> Done<Socket> {
    let manifest = world.manifest().ok_or("no engine runs")?;
    let port = u16::try_from(manifest["port"].as_u64().unwrap_or_default())?;
    socket(port, path, manifest["token"].as_str())
}

/// The stream of changes.
pub fn changes(world: &Sandbox) -> Done<Socket> {
    engines(world, "api/events")
}

/// A session's terminal through the API.
pub struct Terminal(Socket);

impl Terminal {
    /// Opens it.
    pub fn open(world: &Sandbox, id: &str) -> Done<Self> {
        engines(world, &format!("api/sessions/{id}/terminal")).map(Self)
    }

    /// Types.
    pub fn press(&mut self, keys: &[u8]) -> Done<()> {
        self.send(&Input::Data(keys.to_vec()))
    }

    /// Reads until these bytes came in one frame.
    pub fn until(&mut self, wanted: &[u8]) -> Done<()> {
        loop {
            let Message::Binary(bytes) = self.0.read()? else {
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
