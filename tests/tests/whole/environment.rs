//! Tests the environment of sessions: agents are found where the login shell finds them, however the
//! engine was started and whenever the agents were installed.

use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Sandbox, until};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

/// Creates a sandbox whose `PATH` does not contain the agent.
fn without_agent() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.set_env("PATH", &std::env::var("PATH").unwrap());
    sandbox
}

/// Makes the login shell find the agent.
fn install(sandbox: &Sandbox) {
    let line = format!(
        "PATH=\"$PATH:{}\"; export PATH\n",
        sandbox.path().join("bin").display()
    );
    std::fs::write(sandbox.path().join("home/.profile"), line).unwrap();
}

fn path_of_claude(agents: &Value) -> Option<String> {
    let claude = agents.as_array()?.iter().find(|agent| agent["id"] == "claude")?;
    claude["path"].as_str().map(str::to_owned)
}

#[tokio::test]
async fn serve_asks_the_login_shell_and_keeps_the_variables_of_its_terminal() {
    let mut sandbox = without_agent();
    install(&sandbox);
    sandbox.set_env("ONLY_HERE", "1");
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "One", "prompt": "env ONLY_HERE" });
    let id = sandbox.session(ask).await;
    sandbox.shows(&id, "ONLY_HERE=1").await;
}

#[tokio::test]
async fn serve_in_a_terminal_asks_the_login_shell() {
    let sandbox = without_agent();
    install(&sandbox);
    let terminal = native_pty_system().openpty(PtySize::default()).unwrap();
    let served = sandbox.command(program("downbeat"));
    let mut command = CommandBuilder::new(served.get_program());
    command.env_clear();
    for (name, value) in served.get_envs() {
        command.env(name, value.unwrap());
    }
    command.env("SHELL", "/bin/bash");
    command.cwd(sandbox.path());
    command.arg("serve");
    let mut engine = terminal.slave.spawn_command(command).unwrap();
    let mut shown = terminal.master.try_clone_reader().unwrap();
    std::thread::spawn(move || std::io::copy(&mut shown, &mut std::io::sink()));
    let agents = until("the engine answers", async || {
        sandbox.get("/api/agents").await.ok()
    })
    .await;
    let log = std::fs::read_to_string(sandbox.data().join("logs/engine.log")).unwrap_or_default();
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(path_of_claude(&agents).is_some(), "{agents:#}\n{log}");
    assert!(!log.contains("took longer"), "{log}");
}

#[tokio::test]
async fn an_agent_that_is_installed_later_is_found_without_a_restart() {
    let mut sandbox = without_agent();
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "One", "prompt": "say hi" });
    let refused = sandbox.post("/api/sessions", ask.clone()).await.unwrap_err();
    assert_eq!(refused.body["code"], "agent_missing");
    install(&sandbox);
    let made = until("it is found", async || {
        sandbox.post("/api/sessions", ask.clone()).await.ok()
    })
    .await;
    sandbox.status(made["id"].as_str().unwrap(), &["idle"]).await;
}

#[tokio::test]
async fn an_engine_started_by_a_command_in_a_bare_environment_asks_the_login_shell() {
    let sandbox = without_agent();
    install(&sandbox);
    let (home, data) = (sandbox.path().join("home"), sandbox.data());
    let agents = std::process::Command::new(program("downbeat"))
        .env_clear()
        .env("HOME", home)
        .env("DOWNBEAT_HOME", data)
        .args(["api", "GET", "/api/agents"])
        .output()
        .unwrap();
    let agents: Value = serde_json::from_slice(&agents.stdout).unwrap();
    let claude = path_of_claude(&agents).unwrap_or_else(|| panic!("{agents:#}"));
    assert!(claude.starts_with(&*sandbox.path().to_string_lossy()), "{claude}");
    let stopped = sandbox.cli(&["stop", "--all"]);
    assert!(stopped.status.success(), "{stopped:?}");
}

#[tokio::test]
async fn the_list_of_agents_does_not_wait_for_versions() {
    let sandbox = Sandbox::new();
    let program = sandbox.path().join("slow");
    let released = sandbox.path().join("released");
    let write = |version: &str| {
        let wait = format!("until [ -e '{}' ]; do sleep 0.02; done", released.display());
        let script = format!("#!/bin/sh\n{wait}\nprintf '\\033[1mSlow\\033[0m {version}\\n'\n");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("4.2.0");
    let manifest = format!("command: ['{}']\n", program.display());
    std::fs::create_dir_all(sandbox.data().join("agents")).unwrap();
    std::fs::write(sandbox.data().join("agents/slow.yaml"), manifest).unwrap();
    let mut sandbox = sandbox;
    sandbox.start().await;
    let slow = async || {
        let agents = sandbox.get("/api/agents").await.unwrap();
        let agents = agents.as_array().unwrap();
        agents.iter().find(|agent| agent["id"] == "slow").unwrap().clone()
    };
    let listed = slow().await;
    assert_eq!(
        (&listed["installed"], &listed["asking"], &listed["version"]),
        (&json!(true), &json!(true), &json!(null)),
        "{listed:#}"
    );
    std::fs::write(&released, "").unwrap();
    until("the version is known", async || {
        (slow().await["version"] == "4.2.0").then_some(())
    })
    .await;
    // The version of the old file is not shown for the new one.
    std::fs::remove_file(&released).unwrap();
    write("10.0.0");
    assert_ne!(slow().await["version"], "4.2.0");
    std::fs::write(&released, "").unwrap();
    until("the new version is known", async || {
        (slow().await["version"] == "10.0.0").then_some(())
    })
    .await;
    let doctor = sandbox.cli(&["doctor"]);
    assert!(
        String::from_utf8_lossy(&doctor.stdout).contains("slow (10.0.0)"),
        "{doctor:?}"
    );
}

#[tokio::test]
async fn answers_contain_no_date_that_a_wrong_clock_could_not_produce() {
    let sandbox = Sandbox::started().await;
    let port = sandbox.manifest().unwrap()["port"].as_u64().unwrap();
    let answer = reqwest::get(format!("http://127.0.0.1:{port}/")).await.unwrap();
    assert!(answer.headers().get("date").is_none(), "{answer:?}");
}
