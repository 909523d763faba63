//! Tests access control: tokens, `Host` and `Origin` on HTTP and both WebSockets, the reach of a session's
//! token, and that no secret appears in files, arguments or logs that others may read.

use crate::processes::{all, of_session};
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use downbeat_wire::caller::Scope;
use downbeat_wire::{OPERATIONS, names};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// The credentials and headers of one access attempt.
#[derive(Debug, Clone, Default)]
struct Knock {
    token: Option<String>,
    host: Option<&'static str>,
    origin: Option<String>,
}

pub fn port(sandbox: &Sandbox) -> u64 {
    sandbox.manifest().unwrap()["port"].as_u64().unwrap()
}

pub fn owner(sandbox: &Sandbox) -> String {
    sandbox.manifest().unwrap()["token"].as_str().unwrap().to_owned()
}

async fn http(sandbox: &Sandbox, method: &str, path: &str, knock: &Knock) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://127.0.0.1:{}{path}", port(sandbox));
    let mut request = client.request(method.parse().unwrap(), url);
    if let Some(token) = &knock.token {
        request = request.bearer_auth(token);
    }
    if let Some(host) = knock.host {
        request = request.header("host", host);
    }
    if let Some(origin) = &knock.origin {
        request = request.header("origin", origin);
    }
    if matches!(method, "POST" | "PATCH") {
        request = request.json(&json!({}));
    }
    request.send().await.unwrap().status().as_u16()
}

/// Returns 101 if the WebSocket opens, otherwise the status of the refusal.
async fn socket(sandbox: &Sandbox, path: &str, knock: &Knock) -> u16 {
    let port = port(sandbox);
    let mut request = format!("ws://127.0.0.1:{port}{path}")
        .into_client_request()
        .unwrap();
    let headers = request.headers_mut();
    if let Some(host) = knock.host {
        headers.insert("host", host.parse().unwrap());
    }
    if let Some(origin) = &knock.origin {
        headers.insert("origin", origin.parse().unwrap());
    }
    let protocols = match &knock.token {
        Some(token) => format!("downbeat, bearer.{token}"),
        None => "downbeat".to_owned(),
    };
    headers.insert("sec-websocket-protocol", protocols.parse().unwrap());
    match tokio_tungstenite::connect_async(request).await {
        Ok((_, response)) => response.status().as_u16(),
        Err(WsError::Http(response)) => response.status().as_u16(),
        Err(error) => panic!("{path}: {error}"),
    }
}

/// Returns the token in the environment of a session's processes.
pub async fn token_of(id: &str) -> String {
    until("a process of the session", async || {
        of_session(id)
            .iter()
            .find_map(|process| process.variable("DOWNBEAT_TOKEN"))
    })
    .await
}

#[tokio::test]
async fn only_the_right_token_host_and_origin_are_accepted() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Shell", "agent": "shell" }))
        .await;
    sandbox.status(&id, &["unknown", "running", "idle"]).await;
    let page = downbeat_wire::proof::page_name(&owner(&sandbox));
    let own = format!("http://{page}:{}", port(&sandbox));
    let address = format!("http://127.0.0.1:{}", port(&sandbox));
    let token = Some(owner(&sandbox));
    let with = |host: Option<&'static str>, origin: Option<&str>| Knock {
        token: token.clone(),
        host,
        origin: origin.map(str::to_owned),
    };
    let mut wrong = owner(&sandbox);
    let last = if wrong.ends_with('0') { "1" } else { "0" };
    wrong.replace_range(wrong.len() - 1.., last);
    let bare = |token: &str| Knock {
        token: Some(token.to_owned()),
        ..Knock::default()
    };
    let knocks = [
        (with(None, None), true),
        (with(None, Some(&own)), true),
        (Knock::default(), false),
        (bare(&wrong), false),
        (bare(&owner(&sandbox)[..63]), false),
        (bare(&format!("{}0", owner(&sandbox))), false),
        (with(Some("evil.example"), None), false),
        (with(Some("127.0.0.1.evil.example"), None), false),
        (with(None, Some("http://evil.example")), false),
        (with(None, Some("null")), false),
        (with(None, Some("http://127.0.0.1:1")), false),
        // A page that another program could have left in a browser when it had this port.
        (with(None, Some(&address)), false),
    ];
    for (knock, welcome) in knocks {
        let plain = http(&sandbox, "GET", "/api/sessions", &knock).await;
        assert_eq!(plain == 200, welcome, "{knock:?}: {plain}");
        assert!(welcome || matches!(plain, 401 | 403), "{knock:?}: {plain}");
        for path in ["/api/events", &format!("/api/sessions/{id}/terminal")] {
            let opened = socket(&sandbox, path, &knock).await;
            assert_eq!(opened == 101, welcome, "{path} {knock:?}: {opened}");
            assert!(
                welcome || matches!(opened, 401 | 403),
                "{path} {knock:?}: {opened}"
            );
        }
    }
    // A token in an address would end up in histories and logs.
    let address = format!("/api/sessions?token={}", owner(&sandbox));
    assert_eq!(http(&sandbox, "GET", &address, &Knock::default()).await, 401);
    let handover = http(&sandbox, "POST", "/api/engine/handover", &Knock::default()).await;
    assert_eq!(handover, 401);
}

#[tokio::test]
async fn a_sessions_token_reaches_its_own_subtree_and_nothing_else() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = |title: &str| json!({ "projectId": project, "title": title, "prompt": "say hello" });
    let (one, other) = (
        sandbox.session(ask("One")).await,
        sandbox.session(ask("Other")).await,
    );
    sandbox.status(&one, &["idle"]).await;
    sandbox.status(&other, &["idle"]).await;
    let token = token_of(&one).await;
    assert_ne!(token, token_of(&other).await);
    let knock = Knock {
        token: Some(token),
        ..Knock::default()
    };
    let owners: Vec<_> = OPERATIONS
        .iter()
        .filter(|row| row.scope == Scope::Owner)
        .collect();
    assert!(owners.len() > 10);
    for row in owners {
        let path = row.path.replace("{id}", &one);
        let status = http(&sandbox, row.method, &path, &knock).await;
        assert_eq!(status, 403, "{} {path}", row.method);
    }
    for row in OPERATIONS
        .iter()
        .filter(|row| row.path.contains("/sessions/{id}"))
    {
        let query = match row.name {
            names::get_check_output => "?check=test",
            names::get_change => "?path=a",
            _ => "",
        };
        let path = row.path.replace("{id}", &other) + query;
        // The request is not valid for every operation (an empty message); still nothing is done.
        let status = http(&sandbox, row.method, &path, &knock).await;
        assert!(
            matches!(status, 403 | 400 | 422),
            "{} {path}: {status}",
            row.method
        );
        if row.method != "POST" {
            assert_eq!(status, 403, "{} {path}", row.method);
        }
    }
    let terminal = |id: &str| format!("/api/sessions/{id}/terminal");
    assert_eq!(socket(&sandbox, &terminal(&other), &knock).await, 403);
    let own = format!("/api/sessions/{one}");
    assert_eq!(http(&sandbox, "GET", &own, &knock).await, 200);
    assert_eq!(
        http(&sandbox, "DELETE", &own, &knock).await,
        403,
        "kill of itself"
    );
    assert_eq!(http(&sandbox, "POST", "/api/engine/handover", &knock).await, 403);
    for id in [&one, &other] {
        sandbox.status(id, &["idle"]).await;
    }
    sandbox.delete(&own).await.unwrap();
    assert_eq!(
        http(&sandbox, "GET", &own, &knock).await,
        401,
        "it ends with its session"
    );
}

fn mode(path: &Path) -> u32 {
    let data = std::fs::symlink_metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    data.permissions().mode() & 0o777
}

#[tokio::test]
async fn files_and_sockets_are_private_to_their_user() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Shell", "agent": "shell" }))
        .await;
    sandbox.status(&id, &["unknown", "running", "idle"]).await;
    let data = sandbox.data();
    let keeper = data.join("keepers").join(&id);
    for folder in [
        &data,
        &data.join("keepers"),
        &keeper,
        &data.join("worktrees"),
        &data.join("bin"),
    ] {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    let near = keeper.join("sock");
    let socket = match std::fs::read_to_string(keeper.join("socket-path")) {
        Ok(elsewhere) => elsewhere.into(),
        Err(_) => near,
    };
    for file in [&data.join("engine.json"), &data.join("downbeat.db"), &socket] {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    // Another user of this machine, if the test may switch to one.
    std::fs::set_permissions(sandbox.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let as_other = |arguments: &[&str]| {
        std::process::Command::new("setpriv")
            .args(["--reuid=65534", "--clear-groups"])
            .args(arguments)
            .output()
    };
    let able = as_other(&["test", "-d", &data.to_string_lossy()]).is_ok_and(|output| output.status.success());
    if !able {
        println!("skipped: this user cannot become another one");
        return;
    }
    for file in [&data.join("engine.json"), &socket] {
        let reached = as_other(&["test", "-e", &file.to_string_lossy()]).unwrap();
        assert!(!reached.status.success(), "{} is reached", file.display());
    }
}

/// Collects every file below a folder that contains `secret`.
fn holding(folder: &Path, secret: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() && entry.file_name() != "bin" {
            holding(&path, secret, found);
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap_or_default();
            if bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes())
            {
                found.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
    }
}

#[tokio::test]
async fn no_secret_appears_in_arguments_logs_or_other_files() {
    let mut sandbox = Sandbox::new();
    sandbox.set_env("DOWNBEAT_LOG", "debug");
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let (own, session) = (owner(&sandbox), token_of(&id).await);
    for process in all() {
        for secret in [&own, &session] {
            assert!(!process.line.contains(secret.as_str()), "{}", process.line);
        }
    }
    let log = sandbox.log();
    assert!(log.contains("http://127.0.0.1:"), "{log}");
    // No person reads this log.
    assert!(!log.contains(&own) && !log.contains(&session), "{log}");
    let mut found = Vec::new();
    holding(&sandbox.data(), &own, &mut found);
    assert_eq!(found, ["engine.json"]);
    found.clear();
    holding(&sandbox.data(), &session, &mut found);
    assert!(
        found.iter().all(|name| name.starts_with("downbeat.db")),
        "{found:?}"
    );
}

#[tokio::test]
async fn an_engine_that_a_command_started_logs_no_token() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("shop");
    let added = sandbox.cli(&["project", "add", repository.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&added.stderr);
    assert!(added.status.success(), "{said}");
    let mut found = Vec::new();
    holding(&sandbox.data(), &owner(&sandbox), &mut found);
    assert_eq!(found, ["engine.json"]);
    let log = std::fs::read_to_string(sandbox.data().join("logs/engine.log")).unwrap();
    assert!(log.contains("listens"), "{log}");
    sandbox
        .post("/api/engine/shutdown", json!({ "sessions": "keep" }))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_detached_engine_writes_its_log_wherever_its_outputs_go() {
    let sandbox = Sandbox::new();
    let mut serve = sandbox.command(program("downbeat"));
    serve.args(["serve", "--detached"]).stdin(Stdio::null());
    let mut serve = serve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    within(PATIENCE, async || sandbox.get("/api/engine").await.ok())
        .await
        .expect("the engine answers");
    let log = std::fs::read_to_string(sandbox.data().join("logs/engine.log")).unwrap();
    assert!(log.contains("listens"), "{log}");
    sandbox
        .post("/api/engine/shutdown", json!({ "sessions": "keep" }))
        .await
        .unwrap();
    serve.wait().unwrap();
}
