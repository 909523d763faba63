//! Tests that a client sends its token only to the real engine. An impostor listens on the port of the
//! last engine, answers like an engine and relays challenges to the real one, while commands, a bridge
//! and an engine that takes over continue. Also tests which tokens and ports are kept.

use crate::security::{owner, port, token_of};
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A program that listens on the port of an engine that ended.
struct Impostor {
    heard: Arc<Mutex<String>>,
}

impl Impostor {
    /// Listens on `port` and relays requests to the engine that `manifest` names.
    fn on(port: u16, manifest: PathBuf) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
        let heard = Arc::new(Mutex::new(String::new()));
        let kept = heard.clone();
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, manifest) = (kept.clone(), manifest.clone());
                std::thread::spawn(move || talk(stream, port, &kept, &manifest));
            }
        });
        Self { heard }
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }
}

fn talk(mut stream: TcpStream, port: u16, kept: &Mutex<String>, manifest: &std::path::Path) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
        kept.lock().unwrap().push_str(&text);
        let answer = relayed(&text, port, manifest).unwrap_or_else(|| {
            let body = r#"{"proof":"00","version":"0.1.0"}"#;
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        });
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Returns the real engine's answer to the same request.
fn relayed(text: &str, port: u16, manifest: &std::path::Path) -> Option<String> {
    let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).ok()?).ok()?;
    // If the manifest is stale, the port of the real engine is in its `real` field.
    let real = manifest["real"].as_u64().or(manifest["port"].as_u64())?;
    if real == u64::from(port) {
        return None;
    }
    let mut engine = TcpStream::connect(("127.0.0.1", u16::try_from(real).ok()?)).ok()?;
    engine.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let text = text.replace(&format!("127.0.0.1:{port}"), &format!("127.0.0.1:{real}"));
    engine.write_all(text.as_bytes()).ok()?;
    let mut buffer = vec![0; 1 << 16];
    let read = engine.read(&mut buffer).ok()?;
    Some(String::from_utf8_lossy(&buffer[..read]).into_owned())
}

/// The MCP bridge of a session, driven as its agent would drive it.
struct Bridge {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Bridge {
    fn start(sandbox: &Sandbox, id: &str, token: &str) -> Self {
        let mut command = sandbox.command(program("downbeat"));
        command
            .arg("mcp")
            .env("DOWNBEAT_SESSION", id)
            .env("DOWNBEAT_TOKEN", token)
            .env("DOWNBEAT_TOOLS", "conductor")
            .env("DOWNBEAT_ENGINE", sandbox.data().join("engine.json"));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut bridge = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        let about = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
        });
        bridge.say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}));
        bridge.hear(1);
        bridge.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        bridge
    }

    fn say(&mut self, message: Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn hear(&mut self, id: u64) -> Value {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message["result"].clone();
            }
            line.clear();
        }
        panic!("the bridge ended");
    }

    /// Calls a tool and reports whether the call succeeded.
    fn works(&mut self, id: u64) -> bool {
        let call = json!({"name": "list_workers", "arguments": {}});
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}));
        self.hear(id)["isError"] != json!(true)
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn is_good(sandbox: &Sandbox, token: &str) -> bool {
    let url = format!("http://127.0.0.1:{}/api/sessions", port(sandbox));
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.get(url).bearer_auth(token).send().await.unwrap();
    answer.status() == 200
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_on_the_last_engines_port_receives_no_token() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let session = token_of(&lead).await;
    let mut bridge = Bridge::start(&sandbox, &lead, &session);
    assert!(bridge.works(2));
    let (old_port, old_token) = (u16::try_from(port(&sandbox)).unwrap(), owner(&sandbox));
    let file = sandbox.data().join("engine.json");
    sandbox.kill_engine();
    assert!(file.exists(), "as a crash leaves it");
    let impostor = Impostor::on(old_port, file.clone());

    // A command starts the next engine while the impostor has the port.
    let listed = sandbox.cli(&["list"]);
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    let (new_port, new_token) = (port(&sandbox), owner(&sandbox));
    assert_ne!((new_port, &new_token), (u64::from(old_port), &old_token));
    assert!(!is_good(&sandbox, &old_token).await && is_good(&sandbox, &new_token).await);
    assert!(bridge.works(3), "it finds the new engine");

    // The worst manifest: it names the live process but the impostor's port, and the impostor knows
    // where the real engine is.
    let right = sandbox.manifest().unwrap();
    let mut stale = right.clone();
    stale["port"] = json!(old_port);
    stale["real"] = json!(new_port);
    std::fs::write(&file, stale.to_string()).unwrap();
    let refused = sandbox.cli(&["list"]);
    assert!(!refused.status.success());
    let refused = sandbox.cli(&["serve", "--detached", "--take-over"]);
    assert!(!refused.status.success());
    let mut second = Bridge::start(&sandbox, &lead, &session);
    second.say(json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
        "params": {"name": "list_workers", "arguments": {}}}));
    let before = impostor.heard().len();
    until("the bridge asks the impostor", async || {
        (impostor.heard().len() > before).then_some(())
    })
    .await;
    std::fs::write(&file, right.to_string()).unwrap();
    assert!(
        second.hear(4)["isError"] != json!(true),
        "it goes on once it finds the engine"
    );

    let heard = impostor.heard();
    assert!(heard.matches("/api/hello").count() >= 3, "{heard}");
    for secret in [&old_token, &new_token, &session] {
        assert!(!heard.contains(secret.as_str()), "{heard}");
    }
    assert!(!heard.to_lowercase().contains("authorization"), "{heard}");
    let end = json!({ "sessions": "keep" });
    sandbox.post("/api/engine/shutdown", end).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_kept_only_across_a_handover_which_also_keeps_the_port() {
    let mut sandbox = Sandbox::started().await;
    let first = (port(&sandbox), owner(&sandbox));
    sandbox.kill_engine();
    sandbox.start().await;
    let second = (port(&sandbox), owner(&sandbox));
    assert_eq!(first.0, second.0, "the port was free");
    assert_ne!(first.1, second.1);
    assert!(!is_good(&sandbox, &first.1).await);

    // Another program waits for the port while engines hand over.
    let wanted = u16::try_from(second.0).unwrap();
    let (over, won, tries) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU32::new(0)),
        Arc::new(AtomicU32::new(0)),
    );
    let thread = std::thread::spawn({
        let (over, won, tries) = (over.clone(), won.clone(), tries.clone());
        move || {
            let until = Instant::now() + PATIENCE;
            while !over.load(Ordering::Relaxed) && Instant::now() < until {
                tries.fetch_add(1, Ordering::Relaxed);
                if TcpListener::bind(("127.0.0.1", wanted)).is_ok() {
                    won.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::yield_now();
            }
        }
    });
    for _ in 0..3 {
        let before = sandbox.manifest().unwrap();
        sandbox.start().await;
        assert_ne!(before["pid"], sandbox.manifest().unwrap()["pid"]);
        assert_eq!((port(&sandbox), owner(&sandbox)), second);
    }
    over.store(true, Ordering::Relaxed);
    thread.join().unwrap();
    assert_eq!(
        won.load(Ordering::Relaxed),
        0,
        "of {} tries",
        tries.load(Ordering::Relaxed)
    );

    // Another program has the port, so the token is new, too.
    sandbox.kill_engine();
    let taken = TcpListener::bind(("127.0.0.1", wanted)).unwrap();
    sandbox.start().await;
    assert_ne!(port(&sandbox), second.0);
    assert_ne!(owner(&sandbox), second.1);
    drop(taken);
}
