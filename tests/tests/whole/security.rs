//! Who gets in: tokens, `Host` and `Origin` on HTTP and both WebSockets, what a session's token
//! reaches, and that no secret shows in files, arguments or logs that others may read.

use crate::family::as_session;
use crate::processes::{all, of_session};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, program, until, within};
use downbeat_wire::OPERATIONS;
use downbeat_wire::caller::Scope;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// One way to knock.
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

/// 101 where the door opens, else the status of the refusal.
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

/// The token in the environment of a session's processes.
pub async fn token_of(id: &str) -> String {
    until("a process of the session", async || {
        of_session(id)
            .iter()
            .find_map(|process| process.variable("DOWNBEAT_TOKEN"))
    })
    .await
}

#[tokio::test]
async fn only_the_right_token_host_and_origin_get_in() {
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
        // What another program that had the port could have left in a browser.
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
        let path = row.path.replace("{id}", &other);
        // What is asked does not fit everywhere (an empty message): still nothing is done.
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
async fn files_and_sockets_are_the_persons_alone() {
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
    // Another user of this machine, where the test may become one.
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

/// Every file below a folder that holds `secret`.
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
async fn no_secret_shows_in_arguments_logs_or_other_files() {
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
    // No person reads it there.
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
async fn an_engine_that_left_its_terminal_writes_its_log_wherever_its_outputs_go() {
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

/// Commits what is new in a checkout, without its hooks.
fn commit(place: &Path, files: &[(&str, String)]) {
    for (name, text) in files {
        let file = place.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let quiet = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let hookless = ["-c", "core.hooksPath=/dev/null"];
    git(place, &[], &[&hookless[..], &["add", "-A"]].concat());
    let message = ["commit", "-qm", "change"];
    git(place, &[], &[&quiet[..], &hookless[..], &message[..]].concat());
}

/// A trusted project whose approved set-up and whose hooks are files of its commits.
async fn running_its_files(sandbox: &Sandbox) -> (String, std::path::PathBuf) {
    let repository = sandbox.repository("crew");
    std::fs::write(repository.join("downbeat.yaml"), "setup:\n  - [sh, ./setup.sh]\n").unwrap();
    commit(&repository, &[("setup.sh", "true".into())]);
    git(&repository, &[], &["config", "core.hooksPath", ".husky"]);
    let ask = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", ask).await.unwrap();
    let project = added["id"].as_str().unwrap().to_owned();
    let approve = json!({ "approveSetup": added["setup"]["hash"] });
    let path = format!("/api/projects/{project}");
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    (project, repository)
}

/// A conductor that committed what leaves `mark-setup` and `mark-hook` behind where it runs.
async fn planted(sandbox: &Sandbox, project: &str, mode: &str, mark: &Path) -> (String, String) {
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true,
        "permissionMode": mode });
    let lead = sandbox.session(ask).await;
    let session = sandbox.status(&lead, &["idle"]).await;
    let touch = |what: &str| format!("touch {}-{what}", mark.display());
    commit(
        Path::new(session["workspacePath"].as_str().unwrap()),
        &[
            ("setup.sh", touch("setup")),
            (".husky/post-checkout", touch("hook")),
        ],
    );
    let branch = session["branch"].as_str().unwrap().to_owned();
    (token_of(&lead).await, branch)
}

#[tokio::test]
async fn what_an_agent_committed_runs_only_once_the_person_allowed_it() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let ran = |what: &str| sandbox.path().join(format!("mark-{what}")).exists();
    let (token, branch) = planted(&sandbox, &project, "ask", &mark).await;
    let spawn = async |base: Option<&str>| {
        let ask = json!({ "title": "Helper", "prompt": "say hello", "base": base });
        let (status, worker) = as_session(&sandbox, &token, "POST", "/api/sessions", ask).await;
        assert_eq!(status, 200, "{worker:#}");
        worker
    };
    let settled = async |worker: &serde_json::Value| {
        let id = worker["id"].as_str().unwrap();
        sandbox.status(id, &["idle", "setup_failed"]).await
    };

    let first = spawn(Some(&branch)).await;
    assert!(
        first["steps"].to_string().contains("has not allowed"),
        "{first:#}"
    );
    let held = settled(&first).await;
    assert!(!ran("setup") && !ran("hook"), "{held:#}");
    let why = held["error"].as_str().unwrap();
    assert!(
        why.contains("sh ./setup.sh") && why.contains("an agent chose"),
        "{why}"
    );
    let known = settled(&spawn(None).await).await;
    assert_eq!(known["status"], "idle", "{known:#}");
    // A branch that an agent moved since says nothing.
    git(&repository, &[], &["update-ref", "refs/heads/main", &branch]);
    let moved = settled(&spawn(None).await).await;
    assert_eq!(moved["status"], "setup_failed", "{moved:#}");
    assert!(!ran("setup") && !ran("hook"));

    let id = held["id"].as_str().unwrap();
    let again = format!("/api/sessions/{id}/setup");
    sandbox.post(&again, json!({})).await.unwrap();
    sandbox.status(id, &["idle"]).await;
    assert!(ran("setup") && !ran("hook"));
    // That was a yes to the commit.
    let next = settled(&spawn(Some(&branch)).await).await;
    assert_eq!(next["status"], "idle", "{next:#}");
    assert!(ran("hook"));
}

#[tokio::test]
async fn a_fork_runs_nothing_of_what_an_agent_that_has_to_ask_wrote() {
    let sandbox = Sandbox::started().await;
    let (project, _) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let ran = |what: &str| sandbox.path().join(format!("mark-{what}")).exists();
    let forked = async |id: &str, bring: bool| {
        let path = format!("/api/sessions/{id}/fork");
        let fork = sandbox.post(&path, json!({ "bring": bring })).await.unwrap();
        let fork = fork["id"].as_str().unwrap().to_owned();
        sandbox.status(&fork, &["idle", "setup_failed"]).await
    };
    let ask = json!({ "projectId": project, "title": "Own", "prompt": "say hello", "permissionMode": "ask" });
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["idle"]).await;
    let place = Path::new(session["workspacePath"].as_str().unwrap());

    // As it was checked out, with nothing to bring: as any other session.
    assert_eq!(forked(&id, true).await["status"], "idle");
    // Files that no commit holds.
    let planted = format!("touch {}-setup", mark.display());
    std::fs::write(place.join("setup.sh"), &planted).unwrap();
    let held = forked(&id, true).await;
    let why = held["error"].as_str().unwrap();
    assert!(
        why.contains("an agent may have written") && !ran("setup"),
        "{why}"
    );
    assert_eq!(forked(&id, false).await["status"], "idle");
    // Its commit.
    let hook = format!("touch {}-hook", mark.display());
    commit(place, &[("setup.sh", planted), (".husky/post-checkout", hook)]);
    let held = forked(&id, false).await;
    let why = held["error"].as_str().unwrap();
    assert!(why.contains("an agent chose"), "{why}");
    assert!(!ran("setup") && !ran("hook"), "{held:#}");
    let told = sandbox.get("/api/notices").await.unwrap().to_string();
    assert!(told.contains("hooks of core.hooksPath"), "{told}");
    // A yes to that fork is a yes to its commit.
    let again = format!("/api/sessions/{}/setup", held["id"].as_str().unwrap());
    sandbox.post(&again, json!({})).await.unwrap();
    sandbox.status(held["id"].as_str().unwrap(), &["idle"]).await;
    assert!(ran("setup") && !ran("hook"));
    assert_eq!(forked(&id, false).await["status"], "idle");
    assert!(ran("hook"));
}

#[tokio::test]
async fn a_fork_of_a_session_that_may_run_anything_does_as_that_may() {
    let sandbox = Sandbox::started().await;
    let (project, _) = running_its_files(&sandbox).await;
    let ask =
        json!({ "projectId": project, "title": "Own", "prompt": "say hello", "permissionMode": "bypass" });
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["idle"]).await;
    let place = Path::new(session["workspacePath"].as_str().unwrap());
    let mark = sandbox.path().join("mark-setup");
    std::fs::write(place.join("setup.sh"), format!("touch {}", mark.display())).unwrap();
    let path = format!("/api/sessions/{id}/fork");
    let fork = sandbox.post(&path, json!({ "bring": true })).await.unwrap();
    sandbox.status(fork["id"].as_str().unwrap(), &["idle"]).await;
    assert!(mark.exists());
}

#[tokio::test]
async fn an_agent_that_may_run_anything_starts_workers_as_it_likes() {
    let sandbox = Sandbox::started().await;
    let (project, _) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let (token, branch) = planted(&sandbox, &project, "bypass", &mark).await;
    let ask = json!({ "title": "Helper", "prompt": "say hello", "base": branch });
    let (_, worker) = as_session(&sandbox, &token, "POST", "/api/sessions", ask).await;
    let id = worker["id"].as_str().unwrap();
    sandbox.status(id, &["idle"]).await;
    assert!(sandbox.path().join("mark-setup").exists());
}

#[tokio::test]
async fn what_a_moved_branch_holds_does_not_run_where_its_worktree_is_made_again() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = running_its_files(&sandbox).await;
    let mark = sandbox.path().join("mark");
    let (token, branch) = planted(&sandbox, &project, "ask", &mark).await;
    let ask = json!({ "title": "Helper", "prompt": "say hello" });
    let (_, worker) = as_session(&sandbox, &token, "POST", "/api/sessions", ask).await;
    let ask = json!({ "projectId": project, "title": "Own", "prompt": "say hello", "permissionMode": "ask" });
    let own = sandbox.session(ask).await;
    for id in [worker["id"].as_str().unwrap(), &own] {
        let session = sandbox.status(id, &["idle"]).await;
        let stop = sandbox.post("/api/sessions/stop", json!({ "id": id }));
        stop.await.unwrap();
        sandbox.status(id, &["exited", "killed"]).await;
        let removal = format!("/api/sessions/{id}/workspace");
        sandbox.delete(&removal).await.unwrap();
        let of = session["branch"].as_str().unwrap();
        git(&repository, &[], &["branch", "-f", of, &branch]);
        let resume = format!("/api/sessions/{id}/resume");
        sandbox.post(&resume, json!({})).await.unwrap();
        let again = sandbox.status(id, &["idle"]).await;
        let place = Path::new(again["workspacePath"].as_str().unwrap());
        assert!(
            place.join(".husky/post-checkout").is_file(),
            "it stands where its branch is"
        );
        assert!(!sandbox.path().join("mark-hook").exists(), "{again:#}");
        assert!(!sandbox.path().join("mark-setup").exists(), "{again:#}");
    }
    let told = sandbox.get("/api/notices").await.unwrap().to_string();
    assert!(told.contains("hooks of core.hooksPath"), "{told}");
}
