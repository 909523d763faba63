//! Tests bad input and bad surroundings, one by one: each gets an error that names the cause and a way out,
//! and a running session is never harmed. Other modules test words (`bad_words`), kinds of folders
//! (`projects`), a locked or stale data directory (`survival`) and a set-up that fails (`spawns`).

use crate::processes::{keepers, lives};
use downbeat_tests::programs::program;
use downbeat_tests::repository::{git, isolation, small};
use downbeat_tests::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A session that runs while others fail.
struct Bystander {
    id: String,
    keeper: u32,
    asked: u32,
}

impl Bystander {
    async fn start(sandbox: &Sandbox, project: &str) -> Self {
        let ask = json!({ "projectId": project, "title": "Bystander", "prompt": "say begins" });
        let id = sandbox.session(ask).await;
        sandbox.status(&id, &["idle"]).await;
        let keeper = keepers(&sandbox.data(), &id).pop().expect("a keeper").pid;
        Self { id, keeper, asked: 0 }
    }

    /// Asserts that the session is the same process and that its agent still answers.
    async fn streams(&mut self, sandbox: &Sandbox) {
        assert!(lives(self.keeper));
        self.asked += 1;
        let content = format!("say unharmed-{}", self.asked);
        sandbox.status(&self.id, &["idle"]).await;
        let path = format!("/api/sessions/{}/message", self.id);
        sandbox
            .post(&path, json!({ "content": content }))
            .await
            .expect("a message");
        sandbox.shows(&self.id, &format!("unharmed-{}", self.asked)).await;
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that a text contains all of `things`.
pub fn names(text: &str, things: &[&str]) {
    for thing in things {
        assert!(text.contains(thing), "{thing:?} is not in: {text}");
    }
}

/// Returns the message and the hint of a refusal as one text.
fn refusal(answer: Result<Value, downbeat_tests::sandbox::Refused>) -> String {
    let refused = answer.expect_err("a refusal");
    assert!(
        refused.status >= 400 && refused.body["code"].is_string(),
        "{refused:?}"
    );
    format!("{} {}", refused.body["message"], refused.body["hint"])
}

#[tokio::test]
async fn shell_and_path_syntax_is_treated_as_plain_text() {
    let sandbox = Sandbox::started().await;
    let marker = sandbox.path().join("pwned");
    let project = sandbox.project("shop").await;
    let mut bystander = Bystander::start(&sandbox, &project).await;
    let touch = format!("touch {}", marker.display());
    let nasty = [
        format!("say \"; {touch}; '"),
        format!("say `{touch}`"),
        format!("say $({touch})"),
        "say one\n\nsay two\r\n../../etc/passwd".to_owned(),
        "../../../../etc/passwd".to_owned(),
        "--dangerously-skip-permissions".to_owned(),
        "-rf".to_owned(),
        "say 🎉👩‍👩‍👧 <script>alert(1)</script> \u{202e}reversed".to_owned(),
    ];
    for (number, text) in nasty.iter().enumerate() {
        let session = if number % 2 == 0 {
            let project = format!("--project={project}");
            let (prompt, branch) = (format!("--prompt={text}"), format!("--branch={text}"));
            let output = sandbox.cli(&["new", &project, &prompt, &branch, "--json", "--", text]);
            // A branch name that git rejects is refused by name; then the session is started without it.
            let output = match output.status.success() {
                true => output,
                false => sandbox.cli(&["new", &project, &prompt, "--json", "--", text]),
            };
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{text:?}: {}", said(&output)))
        } else {
            let ask = json!({ "projectId": project, "title": text, "prompt": text });
            sandbox.post("/api/sessions", ask).await.expect("a session")
        };
        let session: Value = session;
        let id = session["id"].as_str().unwrap();
        let session = sandbox.status(id, &["idle"]).await;
        assert_eq!(session["task"], text.as_str());
        let path = session["workspacePath"].as_str().unwrap();
        assert!(
            Path::new(path).starts_with(sandbox.data()) && !path.contains(".."),
            "{path}"
        );
        let branch = session["branch"].as_str().unwrap();
        assert!(
            !branch.starts_with('-') && !branch.contains("..") && !branch.contains(['\n', ' ']),
            "{branch:?}"
        );
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
    for name in ["../up", "-dash", "a\nb", "🎉", "`x`", &"long ".repeat(20_000)] {
        let ask = json!({ "projectId": project, "title": "t", "name": name, "agent": "shell" });
        match sandbox.post("/api/sessions", ask).await {
            Ok(session) => {
                let given = session["name"].as_str().unwrap();
                assert!(
                    given
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                    "{given:?}"
                );
            }
            refused => names(&refusal(refused), &["name"]),
        }
    }
    assert!(!marker.exists(), "a shell saw it");
    bystander.streams(&sandbox).await;
}

#[tokio::test]
async fn a_repository_may_have_any_name() {
    let sandbox = Sandbox::started().await;
    let marker = sandbox.path().join("pwned");
    for name in [
        "-x $(touch pwned) \"q\" 'r'",
        "two\nlines",
        "🎉 `touch pwned`",
        "..hidden",
    ] {
        let path = sandbox.repository(name);
        let path = path.to_string_lossy();
        let added = sandbox.cli(&["project", "add", "--trust", "--json", "--", &path]);
        let added: Value =
            serde_json::from_slice(&added.stdout).unwrap_or_else(|_| panic!("{name:?}: {}", said(&added)));
        let id = sandbox
            .session(json!({ "projectId": added["id"], "title": "Works", "prompt": "say in-there" }))
            .await;
        sandbox.status(&id, &["idle"]).await;
        sandbox.shows(&id, "in-there").await;
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
        let removal = format!("/api/sessions/{id}/workspace");
        let all = json!({ "force": true, "deleteBranch": true });
        sandbox.call("DELETE", &removal, Some(all)).await.unwrap();
        assert_eq!(
            git(Path::new(&*path), &[], &["worktree", "list"]).lines().count(),
            if name.contains('\n') { 2 } else { 1 },
            "{name:?}"
        );
    }
    assert!(!marker.exists() && !sandbox.data().join("pwned").exists());
}

#[tokio::test]
async fn git_that_is_missing_or_too_old_is_named() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let mut bystander = Bystander::start(&sandbox, &project).await;
    let bin = sandbox.path().join("bin");
    for program in ["sh", "sleep", "setsid"] {
        let at = std::env::split_paths(&std::env::var("PATH").unwrap())
            .map(|folder| folder.join(program))
            .find(|path| path.exists());
        sandbox.set_program(program, &at.expect("a program"));
    }
    sandbox.kill_engine();
    sandbox.set_env("PATH", &bin.to_string_lossy());
    // A login shell would find the real git.
    sandbox.set_env("SHELL", "/bin/true");
    sandbox.start().await;
    let ask = json!({ "projectId": project, "title": "New", "prompt": "say hi" });
    let refused = refusal(sandbox.post("/api/sessions", ask.clone()).await);
    names(&refused, &["git was not found", "install"]);
    bystander.streams(&sandbox).await;

    let fake = bin.join("git");
    std::fs::write(&fake, "#!/bin/sh\necho git version 2.20.1\n").unwrap();
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let refused = refusal(sandbox.post("/api/sessions", ask.clone()).await);
    names(&refused, &["2.20.1", "2.34", "update"]);
    bystander.streams(&sandbox).await;
    let all = sandbox.get("/api/sessions").await.unwrap();
    assert_eq!(all.as_array().unwrap().len(), 1, "nothing half-made: {all:#}");
}

#[tokio::test]
async fn files_that_an_engine_cannot_start_with_are_named_and_kept() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let mut bystander = Bystander::start(&sandbox, &project).await;
    sandbox.kill_engine();
    let database = sandbox.data().join("downbeat.db");
    let parts = ["", "-wal", "-shm"].map(|end| PathBuf::from(format!("{}{end}", database.display())));
    let saved = parts.clone().map(|part| std::fs::read(part).ok());
    for part in &parts {
        let _ = std::fs::remove_file(part);
    }
    let garbage = b"this is no database, it is a text of some length".repeat(100);
    std::fs::write(&database, &garbage).unwrap();
    let refused = said(&sandbox.cli(&["serve"]));
    let wanted = ["downbeat.db", "damaged", "move it aside"];
    names(&refused, &wanted);
    let doctor = sandbox.cli(&["doctor"]);
    names(&String::from_utf8_lossy(&doctor.stdout), &wanted);
    assert_eq!(std::fs::read(&database).unwrap(), garbage, "left as it was");

    for (part, bytes) in parts.iter().zip(&saved) {
        match bytes {
            Some(bytes) => std::fs::write(part, bytes).unwrap(),
            None => drop(std::fs::remove_file(part)),
        }
    }
    let migration = |statement: &str| {
        let script =
            "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1])\ndb.execute(sys.argv[2])\ndb.commit()";
        let status = Command::new("python3")
            .args(["-c", script])
            .arg(&database)
            .arg(statement)
            .status();
        assert!(status.expect("python runs").success());
    };
    migration(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
         values (99999999999999, 'later', 1, x'00', 0)",
    );
    let refused = said(&sandbox.cli(&["serve"]));
    names(
        &refused,
        &[
            "downbeat.db",
            "newer Downbeat",
            "99999999999999",
            "start the newer version",
        ],
    );
    migration("delete from _sqlx_migrations where version = 99999999999999");
    sandbox.start().await;
    bystander.streams(&sandbox).await;
}

#[tokio::test]
async fn an_agent_or_a_folder_that_vanished_is_named_and_can_return() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let mut bystander = Bystander::start(&sandbox, &project).await;
    let ask = json!({ "projectId": project, "title": "Sleeps", "prompt": "say hello" });
    let id = sandbox.session(ask.clone()).await;
    sandbox.status(&id, &["idle"]).await;
    sandbox
        .post("/api/sessions/stop", json!({ "id": id }))
        .await
        .unwrap();
    let (program, away) = (
        sandbox.path().join("bin/claude"),
        sandbox.path().join("claude-away"),
    );
    std::fs::rename(&program, &away).unwrap();
    let resume = format!("/api/sessions/{id}/resume");
    let path = std::env::var("PATH").unwrap();
    let elsewhere = std::env::split_paths(&path).any(|folder| folder.join("claude").exists());
    if elsewhere {
        println!("skipped: this machine has a claude of its own");
    } else {
        let refused = sandbox.post(&resume, json!({})).await;
        assert_eq!(refused.as_ref().unwrap_err().body["code"], "agent_missing");
        names(&refusal(refused), &["Claude Code", "claude", "PATH", "install"]);
        let stopped = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        assert_eq!(
            (&stopped["status"], &stopped["canResume"]),
            (&json!("exited"), &json!(true))
        );
    }
    std::fs::rename(&away, &program).unwrap();
    sandbox.post(&resume, json!({})).await.unwrap();
    sandbox.status(&id, &["idle"]).await;

    let (folder, away) = (sandbox.path().join("shop"), sandbox.path().join("moved"));
    std::fs::rename(&folder, &away).unwrap();
    let refused = refusal(sandbox.post("/api/sessions", ask.clone()).await);
    names(&refused, &[&folder.to_string_lossy()]);
    let shown = sandbox.get(&format!("/api/projects/{project}")).await.unwrap();
    names(shown["problem"].as_str().unwrap(), &["is missing"]);
    bystander.streams(&sandbox).await;
    std::fs::rename(&away, &folder).unwrap();
    let back = sandbox.session(ask).await;
    sandbox.status(&back, &["idle"]).await;

    std::fs::write(folder.join("downbeat.yaml"), "\nsetpu: []\n").unwrap();
    let ask = json!({ "projectId": project, "title": "Misread", "prompt": "say hi" });
    let refused = refusal(sandbox.post("/api/sessions", ask).await);
    names(
        &refused,
        &["downbeat.yaml:2", "setpu", "`setup`", "config validate"],
    );
    bystander.streams(&sandbox).await;
}

#[tokio::test]
async fn a_taken_port_is_skipped_and_an_exhausted_range_is_reported() {
    let mut sandbox = Sandbox::new();
    // Two ports in a row, one of them held by a foreign program.
    let (foreign, taken) = loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            break (listener, port);
        }
    };
    let config = format!("ports:\n  from: {taken}\n  to: {}\n", taken + 1);
    std::fs::write(sandbox.data().join("downbeat.yaml"), config).unwrap();
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Serves", "prompt": "env PORT" });
    let first = sandbox.session(ask.clone()).await;
    let session = sandbox.status(&first, &["idle"]).await;
    assert_eq!(session["port"], taken + 1);
    let preview = sandbox.post("/api/sessions/preview", ask.clone()).await.unwrap();
    names(&preview["warnings"].to_string(), &["port", "widen"]);
    let second = sandbox.session(ask).await;
    let session = sandbox.status(&second, &["idle"]).await;
    assert_eq!(session["port"], Value::Null, "none, rather than a taken one");
    names(
        &session["steps"][3].to_string(),
        &["no dev-server port", "widen `ports`"],
    );
    names(&sandbox.log(), &["widen `ports`", "other programs"]);
    drop(foreign);
}

/// A tiny file system, unmounted when dropped; `None` where this user may not mount.
pub struct Tiny(PathBuf);

impl Tiny {
    pub fn mount(path: PathBuf, bytes: u64) -> Option<Self> {
        std::fs::create_dir_all(&path).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes},mode=700"), "tmpfs"])
            .arg(&path)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(Self(path))
    }
}

impl Drop for Tiny {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).output();
    }
}

#[tokio::test]
async fn a_spawn_that_fails_on_a_full_disk_is_shown_and_can_be_retried() {
    let mut sandbox = Sandbox::new();
    let Some(tiny) = Tiny::mount(sandbox.path().join("tiny"), 1 << 20) else {
        println!("skipped: this user may not mount a file system");
        return;
    };
    let config = format!("worktrees:\n  location: {}\n", tiny.0.display());
    std::fs::write(sandbox.data().join("downbeat.yaml"), config).unwrap();
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let mut bystander = Bystander::start(&sandbox, &project).await;
    let big = sandbox.path().join("big");
    let identity = isolation(sandbox.path());
    small(&big, &identity);
    let noise: Vec<u8> = (0..3_000_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    std::fs::write(big.join("noise.bin"), noise).unwrap();
    git(&big, &identity, &["add", "."]);
    git(&big, &identity, &["commit", "--quiet", "--message=big"]);
    let added = sandbox
        .post("/api/projects", json!({ "path": big, "trust": true }))
        .await
        .unwrap();
    let id = sandbox
        .session(json!({ "projectId": added["id"], "title": "Too big", "prompt": "say fits" }))
        .await;
    let failed = sandbox.status(&id, &["setup_failed"]).await;
    names(
        failed["error"].as_str().unwrap(),
        &["noise.bin", "free on the disk", "make room", "retry"],
    );
    assert_eq!(failed["steps"][0]["state"], "failed", "{failed:#}");
    bystander.streams(&sandbox).await;
    let larger = Command::new("mount")
        .args(["-o", "remount,size=32m"])
        .arg(&tiny.0)
        .status();
    assert!(larger.unwrap().success());
    sandbox
        .post(&format!("/api/sessions/{id}/setup"), json!({}))
        .await
        .unwrap();
    sandbox.status(&id, &["idle"]).await;
    sandbox.shows(&id, "fits").await;
    bystander.streams(&sandbox).await;
    for id in [&id, &bystander.id] {
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
}

#[tokio::test]
async fn a_full_data_directory_harms_no_session_and_loses_no_fact() {
    let mut sandbox = Sandbox::new();
    // The copies of the programs are in that directory.
    let programs = ["downbeat", "downbeat-hook"];
    let programs = programs.map(|name| std::fs::metadata(program(name)).unwrap().len());
    let room = programs.iter().sum::<u64>() + (8 << 20);
    let Some(tiny) = Tiny::mount(sandbox.data(), room) else {
        println!("skipped: this user may not mount a file system");
        return;
    };
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let mut bystander = Bystander::start(&sandbox, &project).await;
    let prompt = "ask go on\nlines 300\nsay all-lines-are-out";
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Goes on", "prompt": prompt }))
        .await;
    sandbox.status(&id, &["waiting"]).await;
    sandbox.shows(&id, "proceed?").await;
    let filler = sandbox.data().join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    for size in [1 << 20, 1 << 12, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
    let ask = json!({ "projectId": project, "title": "No room", "prompt": "say hi" });
    let refused = refusal(sandbox.post("/api/sessions", ask.clone()).await);
    names(&refused, &["full", "make room"]);
    let keeper = sandbox.data().join("keepers").join(&id);
    let (link, _reports) = downbeat_keeper::connect(&keeper).await.unwrap();
    link.input(b"\r".to_vec()).await.unwrap();
    let text = sandbox.shows(&id, "all-lines-are-out").await;
    assert!(text.contains("line 300"));
    drop(file);
    std::fs::remove_file(&filler).unwrap();
    sandbox.status(&id, &["idle"]).await;
    let hooks = crate::survival::facts(&sandbox, &id).await;
    let worked = hooks
        .iter()
        .filter(|fact| fact["detail"].as_str().is_some_and(|d| d.contains("PostToolUse")));
    assert_eq!(worked.count(), 31, "every hook once");
    bystander.streams(&sandbox).await;
    let later = sandbox.session(ask).await;
    sandbox.status(&later, &["idle"]).await;
    for id in [&id, &later, &bystander.id] {
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
    sandbox.kill_engine();
    drop(tiny);
}

#[tokio::test]
async fn a_repository_that_cannot_be_read_is_named() {
    let sandbox = Sandbox::started().await;
    let path = sandbox.repository("closed");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let answer = sandbox.post("/api/projects", json!({ "path": path })).await;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    if rustix::process::geteuid().is_root() {
        println!("skipped: root reads everything");
        return;
    }
    names(&refusal(answer), &["closed", "permissions"]);
}
