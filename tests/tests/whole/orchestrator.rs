//! Tests that people who come from Agent Orchestrator find their way: each command, route, variable and configuration of
//! two texts about it, in their order, works with `downbeat` in place of `ao`, or is answered with one line that says what
//! to use instead. What no command of ours can do is listed with the reason.

mod rows;

use downbeat_tests::forge::TestForge;
use downbeat_tests::programs::program;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::Sandbox;
use rows::{FIRST, OTHERS, Row, SECOND};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// A sandbox with the project `my-app`, whose forge has the issues of the texts.
async fn sandbox(forge: &TestForge) -> Sandbox {
    let mut sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.data()).unwrap();
    // Not the real Codex, which this machine may lack.
    let codex = "agents: { codex: { command: [sh], prompt: type } }\n";
    sandbox.configure(&format!("{}{codex}", forge.as_github()));
    sandbox.set_env("GH_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345");
    let hosts = sandbox.path().join("hosts");
    let instead = format!(
        "[url \"{}/\"]\n\tinsteadOf = https://github.com/\n",
        hosts.display()
    );
    let config = sandbox.path().join("insteadof");
    std::fs::write(&config, instead).unwrap();
    for name in ["your-org/your-repo", "org/project-two"] {
        let origin = sandbox.repository("origin");
        let bare = hosts.join(name);
        git(
            &origin,
            &[],
            &["clone", "-q", "--bare", ".", bare.to_str().unwrap()],
        );
        std::fs::remove_dir_all(origin).unwrap();
    }
    sandbox.set_env("GIT_CONFIG_GLOBAL", config.to_str().unwrap());
    sandbox.start().await;
    sandbox.repository("project-one");
    sandbox.repository("path-to-repo");
    let path = sandbox.repository("my-app");
    let url = "https://github.com/acme/my-app.git";
    git(&path, &[], &["remote", "add", "origin", url]);
    sandbox
        .post("/api/projects", json!({ "path": path, "trust": true }))
        .await
        .unwrap();
    let repository = forge.repository("acme", "my-app").await;
    for number in [42, 43, 44, 123, 789] {
        let values = json!({ "number": number, "title": "Round", "body": "Twice." });
        forge
            .control(json!({ "op": "issue", "repository": repository, "values": values }))
            .await;
    }
    for title in ["fix-login", "fix-auth"] {
        let ask =
            json!({ "projectId": "my-app", "title": title, "prompt": "say hello", "agent": "claude-code" });
        let id = sandbox.session(ask).await;
        assert_eq!(sandbox.status(&id, &["idle"]).await["agent"], "claude");
    }
    sandbox
}

fn run(sandbox: &Sandbox, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = sandbox.command(program("downbeat"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// Checks a row; returns what is wrong with it.
async fn check(sandbox: &mut Sandbox, row: &Row, folder: &Path) -> Result<(), String> {
    let expect = |is: bool, what: String| if is { Ok(()) } else { Err(what) };
    match row {
        Row::Works(words, text) => {
            let output = run(sandbox, folder, words);
            let said = said(&output);
            expect(
                output.status.success() && said.contains(text),
                format!("{words:?}: {said}"),
            )
        }
        Row::Given(words) => {
            let output = run(sandbox, folder, words);
            expect(output.status.success(), format!("{words:?}: {}", said(&output)))
        }
        Row::Line(words, text) => {
            let output = run(sandbox, folder, words);
            let said = said(&output);
            let lines = said.lines().filter(|line| line.starts_with("error: ")).count();
            let is_one = output.status.code() == Some(2) && lines == 1 && output.stdout.is_empty();
            expect(is_one && said.contains(text), format!("{words:?}: {said}"))
        }
        Row::Watch(words, text) => {
            let mut command = sandbox.command(program("downbeat"));
            let command = command.args(*words).stdin(Stdio::null()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap())
                .lines()
                .map_while(Result::ok);
            let found = lines.any(|line| line.contains(text));
            child.kill().unwrap();
            child.wait().unwrap();
            expect(found, format!("{words:?}"))
        }
        Row::Yaml(text) => {
            let file = sandbox.path().join("theirs/agent-orchestrator.yaml");
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            let output = run(
                sandbox,
                folder,
                &["config", "import", "--dry-run", file.to_str().unwrap()],
            );
            let said = said(&output);
            let has = |title: &str| said.lines().any(|line| line == title);
            let is_known = output.status.success() && !has("unknown") && !has("not taken");
            expect(
                is_known && (has("nothing has to change") || has("nothing was changed: --dry-run")),
                said,
            )
        }
        Row::Variable(name, text) => {
            sandbox.set_env(name, "value-of-the-variable");
            let said = said(&run(sandbox, folder, &["doctor"]));
            let is_told = said.lines().any(|line| line.contains(text)) && said.contains(&format!("{name}: "));
            expect(
                is_told && !said.contains("value-of-the-variable"),
                format!("{name}: {said}"),
            )
        }
        Row::Route(method, path, body, text) => {
            let body: Option<Value> = (!body.is_empty()).then(|| serde_json::from_str(body).unwrap());
            match sandbox.call(method, path, body).await {
                Ok(answer) => expect(
                    answer.to_string().contains(text),
                    format!("{method} {path}: {answer}"),
                ),
                Err(refused) => Err(format!("{method} {path}: {refused:?}")),
            }
        }
        Row::Elsewhere(what, why) => expect(!what.is_empty() && !why.is_empty(), "a reason".into()),
    }
}

#[tokio::test]
async fn every_line_about_agent_orchestrator_works_or_says_what_to_use_instead() {
    let forge = TestForge::start().await;
    let mut sandbox = sandbox(&forge).await;
    let (top, project) = (sandbox.path().to_owned(), sandbox.path().join("my-app"));
    let mut wrong = Vec::new();
    for (rows, folder) in [(FIRST, &top), (OTHERS, &top), (SECOND, &project)] {
        for row in rows {
            if let Err(what) = check(&mut sandbox, row, folder).await {
                wrong.push(what);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n---\n"));
}

#[tokio::test]
async fn without_a_token_the_answer_says_how_to_get_one() {
    let sandbox = Sandbox::started().await;
    let port = sandbox.manifest().unwrap()["port"].clone();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client
        .get(format!("http://127.0.0.1:{port}/api/sessions"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status().as_u16(), 401);
    let error: Value = answer.json().await.unwrap();
    let hint = error["hint"].as_str().unwrap();
    assert!(
        hint.contains("engine.json") && hint.contains("downbeat api"),
        "{hint}"
    );
    let request = client.get(format!("http://127.0.0.1:{port}/api/sessions"));
    let answer = request
        .header("host", format!("localhost:{port}"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status().as_u16(), 403);
    let error: Value = answer.json().await.unwrap();
    assert!(
        error["hint"].as_str().unwrap().contains("http://127.0.0.1:"),
        "{error}"
    );
}

/// Writes a configuration of Agent Orchestrator for two projects beside the sandbox's repositories.
fn theirs(sandbox: &Sandbox) -> PathBuf {
    let file = sandbox.path().join("agent-orchestrator.yaml");
    let text = "# theirs\ndefaults: { agent: codex, runtime: tmux }\npower: { preventIdleSleep: false }\nprot: 1\nprojects:\n  \
                my-app: { path: my-app, sessionPrefix: app, defaultBranch: main, postCreate: [make ready], reactions: { \
                ci-failed: { retries: 4 } } }\n  web: { path: web, repo: acme/web, agent: claude-code }\n  far: { path: far, \
                repo: acme/far }\nreactions:\n  changes-requested: { auto: false }\n";
    std::fs::write(&file, text).unwrap();
    file
}

#[tokio::test]
async fn a_configuration_is_imported_once_and_what_was_written_stays() {
    let sandbox = Sandbox::started().await;
    let (my_app, web) = (sandbox.repository("my-app"), sandbox.repository("web"));
    let file = theirs(&sandbox);
    let before = std::fs::read_to_string(&file).unwrap();
    std::fs::write(web.join("downbeat.yaml"), "# ours\nagent: shell\n").unwrap();
    sandbox.configure("# mine\npower:\n  preventIdleSleep: true # stay awake\n");
    let import = |options: &[&str]| {
        let output = sandbox.cli(&[&["config", "import"], options].concat());
        (output.status.code(), said(&output))
    };
    let (code, shown) = import(&["--dry-run"]);
    assert_eq!(code, Some(0), "{shown}");
    for text in [
        "+ defaults.agent: \"codex\" (from defaults.agent)",
        "= power.preventIdleSleep stays true, as you wrote it",
        "which will be added",
        "+ sessionPrefix: \"app\"",
        "+ reactions.ci-failed: {\"retries\":4} (from projects.my-app.reactions.ci-failed)",
        "+ reactions.changes-requested: {\"auto\":false} (from reactions.changes-requested)",
        "= agent stays \"shell\", as you wrote it",
        "which is not there; `downbeat start https://github.com/acme/far` clones it",
        "defaults.runtime: sessions outlive the engine without tmux",
        "prot: Agent Orchestrator has no such key; did you mean `port`?",
        "nothing was changed: --dry-run",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert_eq!(sandbox.get("/api/projects").await.unwrap(), json!([]));
    // Without a terminal nobody can be asked.
    let (code, shown) = import(&[]);
    assert_eq!(code, Some(4), "{shown}");
    assert!(
        !my_app.join("downbeat.yaml").exists() && shown.contains("--yes"),
        "{shown}"
    );
    let (code, shown) = import(&["--yes"]);
    assert_eq!(code, Some(0), "{shown}");
    let projects = sandbox.get("/api/projects").await.unwrap();
    let names: Vec<_> = projects
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(names, [json!("my-app"), json!("web")], "{shown}");
    assert!(
        projects
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["trusted"] == false)
    );
    let own = std::fs::read_to_string(sandbox.data().join("downbeat.yaml")).unwrap();
    assert!(
        own.starts_with("# mine\npower:\n  preventIdleSleep: true # stay awake\n")
            && own.contains("agent: codex"),
        "{own}"
    );
    let text = std::fs::read_to_string(my_app.join("downbeat.yaml")).unwrap();
    assert!(
        text.contains("setup: [\"make ready\"]") && !text.contains("base:"),
        "{text}"
    );
    let text = std::fs::read_to_string(web.join("downbeat.yaml")).unwrap();
    assert!(
        text.starts_with("# ours\nagent: shell\n") && text.contains("changes-requested"),
        "{text}"
    );
    // The second time there is nothing to do, and their file is as it was.
    let files =
        || [my_app.join("downbeat.yaml"), web.join("downbeat.yaml")].map(|file| std::fs::read(file).unwrap());
    let once = files();
    let (code, shown) = import(&["--yes"]);
    assert!(
        code == Some(0) && shown.contains("nothing has to change"),
        "{shown}"
    );
    assert_eq!((files(), std::fs::read_to_string(&file).unwrap()), (once, before));
}

#[tokio::test]
async fn a_folder_that_cannot_be_added_stops_no_other_project() {
    let sandbox = Sandbox::started().await;
    let my_app = sandbox.repository("my-app");
    std::fs::create_dir_all(my_app.join("packages/web")).unwrap();
    std::fs::create_dir(sandbox.path().join("plain")).unwrap();
    let file = sandbox.path().join("theirs.yaml");
    let text = "projects:\n  plain: { path: plain, sessionPrefix: p }\n  web: { path: my-app/packages/web, sessionPrefix: w }\n";
    std::fs::write(&file, text).unwrap();
    let import = || {
        let output = sandbox.cli(&["config", "import", "--yes", file.to_str().unwrap()]);
        (output.status.code(), said(&output))
    };
    let (code, shown) = import();
    assert!(
        code == Some(0) && shown.contains("plain, which stays out: "),
        "{shown}"
    );
    // The project is the whole repository, and so is its file.
    let projects = sandbox.get("/api/projects").await.unwrap();
    assert_eq!(projects[0]["path"].as_str(), my_app.to_str(), "{projects}");
    let written = std::fs::read_to_string(my_app.join("downbeat.yaml")).unwrap();
    assert_eq!(written, "sessionPrefix: w\n");
    assert!(!sandbox.path().join("plain/downbeat.yaml").exists());
    let (code, shown) = import();
    assert!(
        code == Some(0) && shown.contains("nothing has to change"),
        "{shown}"
    );
}

#[tokio::test]
async fn what_does_not_fit_into_a_file_is_written_beside_it() {
    let sandbox = Sandbox::started().await;
    let path = sandbox.repository("my-app");
    // Nothing can follow the end of a document.
    let ours = "agent: shell\n...\n";
    std::fs::write(path.join("downbeat.yaml"), ours).unwrap();
    let file = sandbox.path().join("theirs.yaml");
    std::fs::write(
        &file,
        "projects: { my-app: { path: my-app, symlinks: [.env] } }\n",
    )
    .unwrap();
    let import = || said(&sandbox.cli(&["config", "import", "--yes", file.to_str().unwrap()]));
    let shown = import();
    assert!(
        shown.contains("downbeat.imported.yaml: its keys do not fit into"),
        "{shown}"
    );
    assert_eq!(std::fs::read_to_string(path.join("downbeat.yaml")).unwrap(), ours);
    let beside = std::fs::read_to_string(path.join("downbeat.imported.yaml")).unwrap();
    assert_eq!(beside, "symlink: [\".env\"]\n");
    assert!(import().contains("nothing has to change"));
}

#[tokio::test]
async fn the_reactions_of_a_projects_folder_apply_and_their_file_is_named() {
    let sandbox = Sandbox::started().await;
    let path = sandbox.repository("my-app");
    std::fs::write(
        path.join("agent-orchestrator.yaml"),
        "reactions: { ci-failed: { retries: 7 } }\n",
    )
    .unwrap();
    let added = said(&sandbox.cli(&["project", "add", "my-app"]));
    assert!(
        added.contains("agent-orchestrator.yaml is there") && added.contains("downbeat config import"),
        "{added}"
    );
    let list = || said(&sandbox.cli(&["reactions", "list", "my-app"]));
    let rule = |list: &str| {
        list.lines()
            .find(|line| line.starts_with("ci-failed"))
            .unwrap()
            .to_owned()
    };
    assert!(
        !list().contains("changed by"),
        "it is not trusted yet: {}",
        list()
    );
    said(&sandbox.cli(&["project", "edit", "my-app", "--trust", "yes"]));
    let listed = list();
    assert!(
        listed.contains("* changed by the project's agent-orchestrator.yaml") && rule(&listed).contains('7'),
        "{listed}"
    );
    // A change of their file takes effect, and ours comes first.
    std::fs::write(
        path.join("agent-orchestrator.yaml"),
        "reactions: { ci-failed: { retries: 98 } }\n",
    )
    .unwrap();
    assert!(rule(&list()).contains("98"), "{}", list());
    std::fs::write(
        path.join("downbeat.yaml"),
        "reactions: { ci-failed: { retries: 1 } }\n",
    )
    .unwrap();
    let listed = list();
    assert!(
        listed.contains("* changed by the project's downbeat.yaml") && !rule(&listed).contains("98"),
        "{listed}"
    );
}
