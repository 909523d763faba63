//! The tools of the fake agent: it starts the server of its `--mcp-config` and requests their list, like the
//! real agent. It never calls a tool.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// Requests the tools in parallel with the agent's work. The server ends with the agent, which holds its
/// input.
pub fn list(config: Option<&str>) {
    let config: Option<Value> = config.and_then(|text| serde_json::from_str(text).ok());
    let Some(server) = config.map(|config| config["mcpServers"]["downbeat"].clone()) else {
        return;
    };
    std::thread::spawn(move || ask(&server));
}

fn ask(server: &Value) -> Option<()> {
    let arguments = server["args"].as_array()?.iter().filter_map(Value::as_str);
    let mut bridge = Command::new(server["command"].as_str()?)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut to = bridge.stdin.take()?;
    let mut from = BufReader::new(bridge.stdout.take()?).lines();
    let me = json!({"name": "fake-claude", "version": "2.0.0"});
    let begin = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me});
    let mut say = |message: Value| writeln!(to, "{message}").ok();
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}))?;
    from.next()?.ok()?;
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}))?;
    from.next()?.ok()?;
    bridge.wait().ok()?;
    drop(to);
    Some(())
}
