//! The hooks that Codex gets at each launch, and how it comes to trust them.
//!
//! Codex runs a hook only once it is trusted, by a hash of its definition; otherwise it asks the person at
//! every start. The flag that turns this question off would also run the hooks of a repository that nobody
//! has reviewed. So Codex itself is asked (`codex app-server`, `hooks/list`) for the hashes of exactly our
//! hooks, and these are passed at the launch: Codex still asks about all other hooks.

use crate::error::Error;
use crate::launch::hook_command::hook_command;
use crate::program::find::Program;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The hooks that we ask for.
pub(super) const HOOKS: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
    "SessionEnd",
];

/// Seconds that Codex waits for one hook: see Claude Code's.
const HOOK_SECONDS: i64 = 10;

/// The time limit for Codex to list the hashes; a start takes half a second.
const DEADLINE: Duration = Duration::from_secs(10);

/// The number of bytes of the answers that are read.
const ANSWERS: u64 = 1 << 20;

/// The name of the client, for the log of Codex.
const CLIENT: &str = "downbeat";

/// Returns the settings of the hooks, each as the value of one `-c`.
pub(super) fn settings(cli: &Path) -> Result<Vec<String>, Error> {
    let command = hook_command(cli)?;
    let mut hook = toml::Table::new();
    hook.insert("type".into(), "command".into());
    hook.insert("command".into(), command.into());
    hook.insert("timeout".into(), HOOK_SECONDS.into());
    let mut group = toml::Table::new();
    group.insert("hooks".into(), toml::Value::Array(vec![hook.into()]));
    let groups = toml::Value::Array(vec![group.into()]);
    Ok(HOOKS
        .iter()
        .map(|name| format!("hooks.{name}={groups}"))
        .collect())
}

/// Returns the hashes by which `program` knows the hooks of [`settings`], by its own keys. Blocks for half a
/// second, at most for ten. The result is empty if Codex does not answer; it then asks the person. Codex runs
/// in an empty folder below `own`, since it reads settings from its current folder, and elsewhere anybody may
/// have written them.
pub(super) fn hook_hashes(
    program: &Program,
    cli: &Path,
    path_env: &OsStr,
    own: &Path,
) -> BTreeMap<String, String> {
    let place = tempfile::Builder::new().prefix("codex-").tempdir_in(own);
    let (Ok(settings), Ok(place)) = (settings(cli), place) else {
        return BTreeMap::new();
    };
    let mut command = Command::new(&program.path);
    command.args(&program.arguments);
    for setting in &settings {
        command.args(["-c", setting]);
    }
    let child = command
        .arg("app-server")
        .env("PATH", path_env)
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return BTreeMap::new();
    };
    let hashes = ask(&mut child, &command_text(cli), place.path()).unwrap_or_default();
    // The child may have exited by itself; then there is nothing to kill.
    let _ = child.kill();
    let _ = child.wait();
    hashes
}

fn command_text(cli: &Path) -> String {
    hook_command(cli).unwrap_or_default()
}

/// A hook in the list that Codex returns.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    key: String,
    current_hash: String,
    source: String,
    command: Option<String>,
}

/// Asks the server behind `child`; `None` if it does not answer in time, or not in the expected form.
fn ask(child: &mut Child, command: &str, place: &Path) -> Option<BTreeMap<String, String>> {
    let mut input = child.stdin.take()?;
    let output = child.stdout.take()?;
    let (sender, answers) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let lines = BufReader::new(output.take(ANSWERS)).lines().map_while(Result::ok);
        let answers = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let list = answers.into_iter().find(|answer| answer["id"] == 2);
        // Once the deadline has passed, nobody waits any more.
        let _ = sender.send(list);
    });
    let about = json!({"clientInfo": {"name": CLIENT, "version": env!("CARGO_PKG_VERSION")}});
    let here = place.to_string_lossy().into_owned();
    for request in [
        json!({"id": 1, "method": "initialize", "params": about}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [here]}}),
    ] {
        writeln!(input, "{request}").ok()?;
    }
    input.flush().ok()?;
    let until = Instant::now() + DEADLINE;
    let mut answer = answers.recv_timeout(until - Instant::now()).ok()??;
    let hooks = answer["result"]["data"][0]["hooks"].take();
    let hooks: Vec<Listed> = serde_json::from_value(hooks).ok()?;
    // Only hooks that this launch itself passed, and only our own command.
    let ours = |hook: &Listed| hook.source == "sessionFlags" && hook.command.as_deref() == Some(command);
    let ours = hooks.into_iter().filter(ours);
    Some(ours.map(|hook| (hook.key, hook.current_hash)).collect())
}

/// Returns the trust of the hooks, as the value of one `-c`.
pub(super) fn trust(hashes: &BTreeMap<String, String>) -> Option<String> {
    if hashes.is_empty() {
        return None;
    }
    let entry = |(key, hash): (&String, &String)| {
        let mut trusted = toml::Table::new();
        trusted.insert("trusted_hash".into(), hash.clone().into());
        (key.clone(), toml::Value::Table(trusted))
    };
    let state: toml::Table = hashes.iter().map(entry).collect();
    Some(format!("hooks.state={}", toml::Value::Table(state)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn codex_is_asked_in_an_empty_folder_of_our_own() {
        let own = tempfile::tempdir().unwrap();
        let (path, said) = (own.path().join("codex"), own.path().join("said"));
        let text = format!("#!/bin/sh\n(pwd; ls -A) > '{}'\n", said.display());
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let search = std::env::var_os("PATH").unwrap();
        let program = Program::plain(path);
        let hashes = hook_hashes(&program, Path::new("/bin/downbeat"), &search, own.path());
        assert!(hashes.is_empty());
        let said = std::fs::read_to_string(said).unwrap();
        let mut lines = said.lines();
        let place = Path::new(lines.next().unwrap());
        assert_eq!(place.parent(), Some(&*own.path().canonicalize().unwrap()));
        assert_eq!(lines.next(), None, "it is empty");
        assert!(!place.exists());
    }
}
