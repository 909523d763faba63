//! A home directory with a scripted engine, and the binary that runs in it.

use crate::scripted::{OWNER, SESSION_ID, Scripted};
use downbeat_engine::instance::DataLock;
use downbeat_engine::paths::Paths;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// The maximum time for anything in these tests.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct Rig {
    pub host: Arc<Scripted>,
    pub home: TempDir,
    pub shutdown: CancellationToken,
}

/// The exit code and the output of a command.
#[derive(Debug, PartialEq)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }
}

impl Rig {
    pub async fn start(host: Arc<Scripted>) -> Self {
        let home = TempDir::new().unwrap();
        let shutdown = engine(host.clone(), home.path()).await;
        Self { host, home, shutdown }
    }

    pub async fn run(&self, words: &[&str]) -> Said {
        run(command(self.home.path()).args(words)).await
    }
}

/// Serves `host` as the engine of `home`, on a new port, as a new engine would.
pub async fn engine(host: Arc<Scripted>, home: &Path) -> CancellationToken {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let shutdown = CancellationToken::new();
    let ends = shutdown.clone();
    tokio::spawn(async { downbeat_server::serve(host, listener, "page.localhost", ends).await });
    // The lock is held until the test ends, as an engine holds it while it runs.
    std::mem::forget(DataLock::acquire(&Paths::new(home.to_owned())).unwrap());
    let manifest = json!({
        "pid": std::process::id(), "port": port, "token": OWNER,
        "version": "0.1.0", "headless": true, "startedAt": "2026-01-01T00:00:00Z"
    });
    let written = home.join("engine.json.new");
    std::fs::write(&written, manifest.to_string()).unwrap();
    std::fs::rename(written, home.join("engine.json")).unwrap();
    shutdown
}

/// Builds a command of the binary with an empty environment, except for the home and `PATH`.
pub fn command(home: &Path) -> Command {
    let mut command = Command::new(PathBuf::from(env!("CARGO_BIN_EXE_downbeat")));
    command.env_clear().env("DOWNBEAT_HOME", home).env("HOME", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::null()).current_dir(home).kill_on_drop(true);
    command
}

/// Builds the commands of the small program for hooks and of `downbeat hook`, which does the same, without
/// the environment of this machine.
pub fn hooks(home: &Path) -> [Command; 2] {
    let mut small = Command::new(env!("CARGO_BIN_EXE_downbeat-hook"));
    small.env_clear().kill_on_drop(true);
    let mut large = command(home);
    large.arg("hook");
    [small, large]
}

pub async fn run(command: &mut Command) -> Said {
    let output: Output = tokio::time::timeout(PATIENCE, command.output())
        .await
        .expect("in time")
        .unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Returns a session in the engine's format.
pub fn session(name: &str, status: &str) -> Value {
    let mut session = json!({
        "id": SESSION_ID, "name": name, "title": "T", "projectId": "p000000000001", "role": "worker",
        "parent": "s000000000002", "depth": 1, "workers": 0, "agent": "claude", "model": null,
        "permissionMode": "ask", "task": "do it", "workspace": "worktree", "workspacePath": "/w",
        "branch": "feature/x", "base": null, "port": 4000, "steps": [], "exitCode": null,
        "createdAt": "2026-01-01T00:00:00Z", "lastActivityAt": "2026-01-01T00:00:00Z",
        "canResume": false, "hasBackup": false, "report": null, "queued": 0, "stuck": null,
        "once": false, "forkedFrom": null, "earlierAgents": [], "archivedAt": null, "attention": null, "checks": null, "merges": null, "reactionsPaused": false, "budgets": [],
        "shells": []
    });
    let state = json!({
        "status": status, "activity": "active", "statusSince": "2026-01-01T00:00:00Z",
        "statusEvidence": {"source": "hook", "detail": "PreToolUse hook", "at": "2026-01-01T00:00:00Z"},
        "currentTask": null, "question": null, "limit": null, "reason": null, "conducts": false,
        "paused": null, "error": null, "tools": null, "taskStart": "do it", "taskKey": "1", "setupSkipped": null, "snoozedUntil": null, "checksState": null, "changes": null, "collisions": [], "done": null, "review": null, "issue": null, "pulls": [], "column": "working", "mergeState": null, "lifecycle": null
    });
    for (key, value) in state.as_object().unwrap() {
        session[key] = value.clone();
    }
    session["usage"] = json!({"input": 0, "cached": 0, "written": 0, "output": 0, "cost": null, "unpriced": [], "byFamily": []});
    session["subtreeUsage"] = Value::Null;
    session
}

/// Returns a session in the format of lists, with fewer fields.
pub fn summary(name: &str, status: &str) -> Value {
    let mut session = session(name, status);
    let fields = session.as_object_mut().unwrap();
    let whole = [
        "task",
        "base",
        "steps",
        "report",
        "checks",
        "merges",
        "forkedFrom",
        "earlierAgents",
        "subtreeUsage",
        "budgets",
        "reactionsPaused",
    ];
    for field in whole {
        fields.remove(field).unwrap();
    }
    session
}
