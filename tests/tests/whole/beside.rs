//! Tests of side shells: a side shell has its session's worktree and environment, and only the person can use
//! it. It outlives the engine, and ends when its session is killed, archived, forgotten or removed.

use crate::crashes::{held, reached};
use crate::family::{as_session, token_of};
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Starts a session, waits until the fake agent has done what `prompt` says, and returns the session's id.
pub async fn worked(sandbox: &Sandbox, project: &str, title: &str, prompt: &str) -> String {
    let ask = json!({ "projectId": project, "title": title, "prompt": prompt });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    id
}

/// Opens a side shell and waits for its prompt.
pub async fn open(sandbox: &Sandbox, session: &str) -> Value {
    let path = format!("/api/sessions/{session}/shells");
    let shell = sandbox.post(&path, json!({})).await.expect("a shell");
    let id = shell["id"].as_str().unwrap();
    sandbox.status(id, &["idle"]).await;
    shell
}

async fn send(sandbox: &Sandbox, shell: &Value, text: &str) {
    let id = shell["id"].as_str().unwrap();
    let message = format!("/api/sessions/{id}/message");
    let sent = sandbox.post(&message, json!({ "content": text })).await.unwrap();
    assert_eq!(sent["state"], "delivered", "{sent}");
}

/// Waits until a session has `count` side shells, and returns their names.
pub async fn names(sandbox: &Sandbox, session: &str, count: usize) -> Vec<String> {
    let path = format!("/api/sessions/{session}");
    until("so many shells", async || {
        let session = sandbox.get(&path).await.unwrap();
        let shells = session["shells"].as_array().unwrap();
        let name = |shell: &Value| shell["name"].as_str().unwrap().to_owned();
        (shells.len() == count).then(|| shells.iter().map(name).collect())
    })
    .await
}

/// Lets a side shell write its process id to `file`, and returns the id.
async fn pid(sandbox: &Sandbox, shell: &Value, file: &Path) -> String {
    send(sandbox, shell, &format!("echo $$ > {}", file.display())).await;
    let read = async || {
        std::fs::read_to_string(file)
            .ok()
            .filter(|text| text.ends_with('\n'))
    };
    until("its process id", read).await.trim().to_owned()
}

async fn is_gone(pid: &str) {
    let gone = async || (!Path::new("/proc").join(pid).exists()).then_some(());
    within(PATIENCE, gone).await.expect("its processes ended");
}

#[tokio::test]
async fn a_side_shell_has_its_sessions_worktree_and_environment_and_is_not_a_session() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth module", "say done").await;
    let first = open(&sandbox, &id).await;
    let second = open(&sandbox, "auth-module").await;
    assert_eq!(
        (&first["name"], &second["name"]),
        (&json!("auth-module/shell-1"), &json!("auth-module/shell-2"))
    );
    let doctor = sandbox.cli(&["doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        said.contains("none forgotten"),
        "a shell's keeper is not a stray: {said}"
    );
    send(&sandbox, &second, "echo at=$PWD port=$PORT=$DOWNBEAT_PORT=").await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    let (path, port) = (session["workspacePath"].as_str().unwrap(), &session["port"]);
    let wanted = format!("at={path} port={port}={port}=");
    // The shell is also found by its name. A long path wraps on the screen, but not in the text.
    sandbox.shows("auth-module%2Fshell-2", &wanted).await;
    // The `downbeat` command in a side shell acts as the session.
    send(&sandbox, &first, "downbeat list --json | grep '\"name\"'").await;
    sandbox
        .shows(first["id"].as_str().unwrap(), "\"name\": \"auth-module\"")
        .await;

    let all = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(all.as_array().unwrap().len(), 1, "{all:#}");
    assert_eq!(all[0]["shells"].as_array().unwrap().len(), 2);
    let engine = sandbox.get("/api/engine").await.unwrap();
    assert_eq!((&engine["live"], &engine["working"]), (&json!(1), &json!(0)));
    let listed = sandbox.cli(&["list", "--shells"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("auth-module/shell-2"), "{listed}");
    let plain = sandbox.cli(&["list"]);
    assert!(!String::from_utf8_lossy(&plain.stdout).contains("shell-"));
}

#[tokio::test]
async fn requests_for_sessions_are_refused_for_a_side_shell() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    let shell = open(&sandbox, &id).await;
    let shell = shell["id"].as_str().unwrap();
    for (method, path) in [
        ("DELETE", "workspace?force=true"),
        ("POST", "resume"),
        ("POST", "archive"),
        ("POST", "fork"),
        ("POST", "forget"),
        ("POST", "pause"),
        ("POST", "shells"),
    ] {
        let body = (method == "POST").then(|| json!({}));
        let asked = sandbox
            .call(method, &format!("/api/sessions/{shell}/{path}"), body)
            .await;
        let refused = asked.expect_err(path);
        assert_eq!(refused.status, 409, "{path}: {refused:?}");
        let said = refused.body["message"].as_str().unwrap();
        assert!(said.contains("auth/shell-1 is a side shell"), "{said}");
    }
    let unknown = sandbox.get("/api/sessions/auth%2Fshell-7").await.unwrap_err();
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.body["hint"], "there are: auth/shell-1");
}

#[tokio::test]
async fn an_agent_cannot_reach_a_side_shell() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Lead", "env DOWNBEAT_TOKEN").await;
    let token = token_of(&sandbox, &id).await;
    let shell = open(&sandbox, &id).await;
    let shell = shell["id"].as_str().unwrap();
    let open = format!("/api/sessions/{id}/shells");
    assert_eq!(
        as_session(&sandbox, &token, "POST", &open, json!({})).await.0,
        403
    );
    let close = format!("/api/sessions/{id}/shells/1");
    assert_eq!(
        as_session(&sandbox, &token, "DELETE", &close, json!({})).await.0,
        403
    );
    let get = async |path: &str| as_session(&sandbox, &token, "GET", path, Value::Null).await;
    let by_name = get("/api/sessions/lead%2Fshell-1/output").await;
    assert_eq!(by_name.0, 404, "{by_name:?}");
    // A shell's id stands for the session itself, because it is the id in the shell's environment.
    let by_id = get(&format!("/api/sessions/{shell}/output")).await;
    assert_eq!((by_id.0, &by_id.1["id"]), (200, &json!(id)));
}

#[tokio::test]
async fn a_side_shell_outlives_the_engine_with_its_screen() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Stays", "say done").await;
    let shell = open(&sandbox, &id).await;
    let own = shell["id"].as_str().unwrap();
    let before = pid(&sandbox, &shell, &sandbox.path().join("pid")).await;
    send(&sandbox, &shell, "echo still-$((6*7)); sleep 600").await;
    sandbox.shows(own, "still-42").await;
    sandbox.kill_engine();
    sandbox.start().await;
    sandbox.status(own, &["running"]).await;
    sandbox.shows(own, "still-42").await;
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["shells"][0]["runs"], "sleep");
    sandbox.press(own, "\x03").await;
    sandbox.status(own, &["idle"]).await;
    assert_eq!(pid(&sandbox, &shell, &sandbox.path().join("again")).await, before);
}

#[tokio::test]
async fn an_ended_side_shell_disappears_without_a_notice_and_frees_its_number() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    let first = open(&sandbox, &id).await;
    let second = open(&sandbox, &id).await;
    let keeper = |shell: &Value| sandbox.data().join("keepers").join(shell["id"].as_str().unwrap());
    assert!(keeper(&first).is_dir());
    // An exit code other than 0 causes no notice either.
    sandbox.press(first["id"].as_str().unwrap(), "exit 3\r").await;
    assert_eq!(names(&sandbox, &id, 1).await, ["auth/shell-2"]);
    let cleared = async || (!keeper(&first).exists()).then_some(());
    until("its files are gone", cleared).await;
    // The death of a keeper ends its shell.
    let own = pid(&sandbox, &second, &sandbox.path().join("pid")).await;
    let keeper = crate::survival::keeper_of(&sandbox, second["id"].as_str().unwrap());
    let kill = std::process::Command::new("kill")
        .args(["-KILL", &keeper.to_string()])
        .status();
    assert!(kill.unwrap().success());
    names(&sandbox, &id, 0).await;
    is_gone(&own).await;
    assert_eq!(open(&sandbox, &id).await["name"], "auth/shell-1");
    let notices = sandbox.notices().await;
    let kinds: Vec<_> = notices.iter().map(|notice| &notice["kind"]).collect();
    assert_eq!(
        kinds,
        ["finished"],
        "what the agent did is all that was told: {notices:#?}"
    );
}

#[tokio::test]
async fn closing_a_busy_side_shell_needs_confirmation_and_ends_only_that_shell() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    let first = open(&sandbox, &id).await;
    let second = open(&sandbox, &id).await;
    let own = pid(&sandbox, &first, &sandbox.path().join("pid")).await;
    send(&sandbox, &first, "sleep 600").await;
    sandbox.status(first["id"].as_str().unwrap(), &["running"]).await;
    let close = format!("/api/sessions/{id}/shells/1");
    let refused = sandbox.delete(&close).await.unwrap_err();
    assert_eq!(
        (refused.status, &refused.body["message"]),
        (409, &json!("auth/shell-1 runs sleep"))
    );
    sandbox.delete(&format!("{close}?force=true")).await.unwrap();
    is_gone(&own).await;
    assert_eq!(names(&sandbox, &id, 1).await, ["auth/shell-2"]);
    sandbox.status(&id, &["idle"]).await;
    // A shell at its prompt is closed without confirmation.
    let name = second["name"].as_str().unwrap();
    let said = sandbox.cli(&["kill", name]);
    assert!(
        String::from_utf8_lossy(&said.stdout).starts_with("killed auth/shell-2"),
        "{said:?}"
    );
    names(&sandbox, &id, 0).await;
}

#[tokio::test]
async fn a_kill_ends_the_side_shells_and_one_can_be_opened_for_an_ended_session() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    let shell = open(&sandbox, &id).await;
    let own = pid(&sandbox, &shell, &sandbox.path().join("pid")).await;
    // A stop ends only the agent, which can be resumed; the shell continues.
    sandbox
        .post("/api/sessions/stop", json!({ "id": id }))
        .await
        .unwrap();
    sandbox.status(&id, &["exited"]).await;
    names(&sandbox, &id, 1).await;
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    is_gone(&own).await;
    names(&sandbox, &id, 0).await;
    let again = open(&sandbox, &id).await;
    send(
        &sandbox,
        &again,
        "git rev-parse --show-prefix --is-inside-work-tree",
    )
    .await;
    sandbox.shows(again["id"].as_str().unwrap(), "true").await;
    let own = pid(&sandbox, &again, &sandbox.path().join("again")).await;
    let again = again["id"].as_str().unwrap();
    sandbox.press(again, "sleep 600\r").await;
    sandbox.status(again, &["running"]).await;
    let refused = sandbox
        .post(&format!("/api/sessions/{id}/archive"), json!({}))
        .await
        .unwrap_err();
    assert_eq!(refused.body["message"], "auth has a shell that runs sleep");
    let said = sandbox.cli(&["archive", "auth"]);
    assert_eq!(said.status.code(), Some(4), "{said:?}");
    sandbox.cli(&["archive", "auth", "--force"]);
    is_gone(&own).await;
    let refused = sandbox
        .post(&format!("/api/sessions/{id}/shells"), json!({}))
        .await
        .unwrap_err();
    assert_eq!(refused.body["message"], "auth is archived");
}

#[tokio::test]
async fn forgetting_a_session_or_project_with_a_busy_side_shell_needs_confirmation() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let mut ended = Vec::new();
    for title in ["First", "Second"] {
        let ask = json!({
            "projectId": project, "title": title, "prompt": "say done", "workspace": "in-place"
        });
        let id = sandbox.session(ask).await;
        sandbox.status(&id, &["idle"]).await;
        sandbox
            .post("/api/sessions/stop", json!({ "id": id }))
            .await
            .unwrap();
        sandbox.status(&id, &["exited"]).await;
        let shell = open(&sandbox, &id).await;
        let own = pid(&sandbox, &shell, &sandbox.path().join(title)).await;
        send(&sandbox, &shell, "sleep 600").await;
        sandbox.status(shell["id"].as_str().unwrap(), &["running"]).await;
        ended.push((id, own));
    }
    let engine = sandbox.get("/api/engine").await.unwrap();
    assert_eq!((&engine["live"], &engine["busyShells"]), (&json!(0), &json!(2)));
    let (first, second) = (&ended[0], &ended[1]);
    let forget = format!("/api/sessions/{}/forget", first.0);
    let refused = sandbox.post(&forget, json!({})).await.unwrap_err();
    assert_eq!(
        (refused.status, &refused.body["message"], &refused.body["hint"]),
        (
            409,
            &json!("first has a shell that runs sleep"),
            &json!("end that first, or confirm (force), which ends it too")
        )
    );
    sandbox.post(&forget, json!({ "force": true })).await.unwrap();
    is_gone(&first.1).await;
    let said = sandbox.cli(&["project", "remove", "shop"]);
    let why = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(why.contains("second has a shell that runs sleep"), "{why}");
    assert_eq!(said.status.code(), Some(4), "{why}");
    names(&sandbox, &second.0, 1).await;
    let removed = sandbox.cli(&["project", "remove", "shop", "--force"]);
    assert!(removed.status.success(), "{removed:?}");
    is_gone(&second.1).await;
    assert_eq!(sandbox.get("/api/projects").await.unwrap(), json!([]));
}

#[tokio::test]
async fn a_side_shell_does_not_open_if_its_session_is_archived_meanwhile() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    sandbox
        .post("/api/sessions/stop", json!({ "id": id }))
        .await
        .unwrap();
    sandbox.status(&id, &["exited"]).await;
    let file = held(&mut sandbox, "shell-asked").await;
    let (shells, archive) = (
        format!("/api/sessions/{id}/shells"),
        format!("/api/sessions/{id}/archive"),
    );
    let (opened, ()) = tokio::join!(sandbox.post(&shells, json!({})), async {
        reached(&file).await;
        sandbox.post(&archive, json!({})).await.unwrap();
        std::fs::remove_file(&file).unwrap();
    });
    assert_eq!(opened.unwrap_err().body["message"], "auth is archived");
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(session["shells"], json!([]));
}

#[tokio::test]
async fn a_side_shell_that_exits_immediately_is_refused_with_its_output() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    let script = sandbox.path().join("leaves.sh");
    std::fs::write(&script, "#!/bin/sh\necho no such luck\nexit 3\n").unwrap();
    std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    let settings = sandbox.get("/api/settings").await.unwrap();
    let config = settings["configPath"].as_str().unwrap();
    std::fs::write(config, format!("shell: {}\n", script.display())).unwrap();
    let file = held(&mut sandbox, "shell-started").await;
    let path = format!("/api/sessions/{id}/shells");
    let (opened, ()) = tokio::join!(sandbox.post(&path, json!({})), async {
        reached(&file).await;
        names(&sandbox, &id, 0).await;
        std::fs::remove_file(&file).unwrap();
    });
    let refused = opened.unwrap_err();
    let message = refused.body["message"].as_str().unwrap();
    assert!(
        message.starts_with("the shell exited immediately: exit code 3") && message.contains("no such luck"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_port_stays_with_a_session_that_has_a_side_shell() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ended = async |title: &str| {
        let id = worked(&sandbox, &project, title, "say done").await;
        sandbox
            .post("/api/sessions/stop", json!({ "id": id }))
            .await
            .unwrap();
        let row = sandbox.status(&id, &["exited"]).await;
        (id, row["port"].clone())
    };
    let (first, port) = ended("First").await;
    let (second, same) = ended("Second").await;
    assert_eq!(port, same, "it was free");
    open(&sandbox, &second).await;
    sandbox
        .post(&format!("/api/sessions/{first}/resume"), json!({}))
        .await
        .unwrap();
    let back = sandbox.status(&first, &["idle"]).await;
    assert_ne!(back["port"], port);
    // The session's own side shell does not take the port from it.
    sandbox
        .post(&format!("/api/sessions/{second}/resume"), json!({}))
        .await
        .unwrap();
    let back = sandbox.status(&second, &["idle"]).await;
    assert_eq!(back["port"], port);
}

#[tokio::test]
async fn a_removal_ends_the_side_shells_and_counts_them() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    let first = open(&sandbox, &id).await;
    let own = pid(&sandbox, &first, &sandbox.path().join("pid")).await;
    send(&sandbox, &first, "sleep 600").await;
    sandbox.status(first["id"].as_str().unwrap(), &["running"]).await;
    sandbox
        .post("/api/sessions/stop", json!({ "id": id }))
        .await
        .unwrap();
    sandbox.status(&id, &["exited"]).await;
    let remove = format!("/api/sessions/{id}/workspace");
    let refused = sandbox.delete(&remove).await.unwrap_err();
    assert_eq!(refused.body["message"], "auth contains a shell that runs sleep");
    let removed = sandbox
        .delete(&format!("{remove}?force=true&forget=true"))
        .await
        .unwrap();
    assert_eq!(removed["shells"], 1);
    is_gone(&own).await;
    assert_eq!(sandbox.get("/api/sessions").await.unwrap(), json!([]));
}

#[tokio::test]
async fn a_conductor_cannot_remove_a_worktree_in_which_the_person_has_a_shell() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask =
        json!({ "projectId": project, "title": "Lead", "prompt": "env DOWNBEAT_TOKEN", "conductor": true });
    let lead = sandbox.session(ask).await;
    let token = token_of(&sandbox, &lead).await;
    let ask = json!({ "projectId": project, "title": "Helper", "prompt": "say done", "parent": lead });
    let worker = sandbox.session(ask).await;
    sandbox.status(&worker, &["idle"]).await;
    open(&sandbox, &worker).await;
    // The conductor may end its worker, but not the person's shell in the worktree.
    let kill = format!("/api/sessions/{worker}");
    let killed = as_session(&sandbox, &token, "DELETE", &kill, json!({})).await;
    assert_eq!((killed.0, &killed.1["status"]), (200, &json!("killed")));
    let remove = format!("/api/sessions/{worker}/workspace");
    let refused = as_session(&sandbox, &token, "DELETE", &remove, json!({})).await;
    let wanted = "helper contains a shell that the person opened; only the person can remove it";
    assert_eq!((refused.0, &refused.1["message"]), (409, &json!(wanted)));
    let way = "the person was notified; leave the worktree: it can be removed once they have closed it";
    assert_eq!(refused.1["hint"], way);
    assert_eq!(names(&sandbox, &worker, 1).await, ["helper/shell-1"]);
    // Nor may it insist.
    let insists = format!("{remove}?force=true");
    let refused = as_session(&sandbox, &token, "DELETE", &insists, json!({})).await;
    assert_eq!((refused.0, &refused.1["message"]), (409, &json!(wanted)));
    assert_eq!(names(&sandbox, &worker, 1).await, ["helper/shell-1"]);
}
