//! Tests maliciously prepared repositories: they run nothing, write nothing outside, do not block anybody,
//! and their commands are shown verbatim before they are allowed.

use crate::security::{port, token_of};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// How long a request may wait for a disk that does not answer, with room for a busy machine.
const SOON: Duration = Duration::from_secs(30);

fn said(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    both.join("\n")
}

fn program(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

async fn added(sandbox: &Sandbox, path: &Path, trust: bool) -> Value {
    let ask = json!({ "path": path, "trust": trust });
    sandbox.post("/api/projects", ask).await.expect("a project")
}

#[tokio::test]
async fn nothing_that_an_untrusted_repository_names_runs() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("trap");
    std::fs::write(repository.join(".gitattributes"), "*.txt filter=loud\n").unwrap();
    std::fs::write(repository.join("a.txt"), "text\n").unwrap();
    git(&repository, &[], &["add", "-A"]);
    let person = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(
        &repository,
        &[],
        &[&person[..], &["commit", "-qm", "attributes"]].concat(),
    );
    let marks = sandbox.path().join("marks");
    std::fs::create_dir(&marks).unwrap();
    let touch = |name: &str| format!("touch {}", marks.join(name).display());
    for (key, name) in [
        ("core.fsmonitor", "fsmonitor"),
        ("filter.loud.clean", "clean"),
        ("filter.loud.smudge", "smudge"),
        ("diff.external", "diff"),
    ] {
        let at = sandbox.path().join(format!("plant-{name}"));
        program(&at, &touch(name));
        git(&repository, &[], &["config", key, &at.to_string_lossy()]);
    }
    for hook in ["post-checkout", "reference-transaction"] {
        program(&repository.join(".git/hooks").join(hook), &touch(hook));
    }
    let project = added(&sandbox, &repository, false).await["id"].clone();
    let ask = json!({ "projectId": project, "title": "Look", "agent": "shell" });
    let preview = sandbox.post("/api/sessions/preview", ask.clone()).await.unwrap();
    let warnings = preview["warnings"].to_string();
    assert!(
        warnings.contains("filter loud") && warnings.contains("hook post-checkout"),
        "{warnings}"
    );
    sandbox
        .get(&format!("/api/projects/{}/branches", project.as_str().unwrap()))
        .await
        .unwrap();
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["idle", "running"]).await;
    let worktree = Path::new(session["workspacePath"].as_str().unwrap()).to_owned();
    assert_eq!(std::fs::read_to_string(worktree.join("a.txt")).unwrap(), "text\n");
    std::fs::write(worktree.join("a.txt"), "more\n").unwrap();
    let diff = format!("/api/sessions/{id}/output?what=diff");
    let changes = sandbox.get(&diff).await.unwrap();
    assert_eq!(changes["changes"]["count"], 1, "{changes:#}");

    // The agent points the worktree to a configuration of its own.
    let own = std::fs::read_to_string(worktree.join(".git")).unwrap();
    std::fs::write(
        worktree.join(".git"),
        format!("gitdir: {}/.git\n", repository.display()),
    )
    .unwrap();
    let refused = sandbox.get(&diff).await.unwrap_err();
    assert!(
        refused.body["message"]
            .as_str()
            .unwrap()
            .contains("worktree repair"),
        "{refused:?}"
    );
    std::fs::write(worktree.join(".git"), own).unwrap();
    sandbox.get(&diff).await.unwrap();
    assert_eq!(marks.read_dir().unwrap().count(), 0, "something ran");
}

#[tokio::test]
async fn worktrees_are_not_created_through_links() {
    let sandbox = Sandbox::started().await;
    let outside = sandbox.path().join("skills");
    std::fs::create_dir(&outside).unwrap();
    let repository = sandbox.repository("links");
    symlink(&outside, repository.join(".worktrees")).unwrap();
    std::fs::write(
        repository.join("downbeat.yaml"),
        "worktrees:\n  location: project\nsessionPrefix: helper\n",
    )
    .unwrap();
    let project = added(&sandbox, &repository, true).await["id"].clone();
    let ask = json!({ "projectId": project, "title": "fix bug", "agent": "shell" });
    for path in ["/api/sessions/preview", "/api/sessions"] {
        let refused = sandbox.post(path, ask.clone()).await.unwrap_err();
        let message = refused.body["message"].as_str().unwrap();
        assert!(
            message.contains(".worktrees") && message.contains("link"),
            "{refused:?}"
        );
    }
    assert_eq!(outside.read_dir().unwrap().count(), 0);
    std::fs::remove_file(repository.join(".worktrees")).unwrap();
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["idle", "running"]).await;
    let path = session["workspacePath"].as_str().unwrap();
    assert!(
        Path::new(path).starts_with(repository.join(".worktrees")),
        "{path}"
    );
}

#[tokio::test]
async fn special_files_are_named_and_block_nobody() {
    let mut sandbox = Sandbox::started().await;
    let good = sandbox.project("good").await;
    let keys: String = (0..100_000).map(|n| format!("k{n}: 1\n")).collect();
    let few: String = (0..5_000).map(|n| format!("k{n}: 1\n")).collect();
    let secret = sandbox.path().join("secret.yaml");
    std::fs::write(&secret, "agent: secret-agent\n").unwrap();
    type Plant<'a> = Box<dyn Fn(&Path) + 'a>;
    let table: [(&str, Plant<'_>, &str); 7] = [
        ("pipe", Box::new(|file: &Path| pipe(file)), "a pipe"),
        (
            "zero",
            Box::new(|file: &Path| symlink("/dev/zero", file).unwrap()),
            "outside of the project",
        ),
        (
            "out",
            Box::new(|file: &Path| symlink(&secret, file).unwrap()),
            "outside of the project",
        ),
        (
            "folder",
            Box::new(|file: &Path| std::fs::create_dir(file).unwrap()),
            "a directory",
        ),
        (
            "long",
            Box::new(|file: &Path| std::fs::write(file, &keys).unwrap()),
            "longer than the 64 KB",
        ),
        (
            "keys",
            Box::new(|file: &Path| std::fs::write(file, &few).unwrap()),
            "unknown key `k0`",
        ),
        (
            "escapes",
            Box::new(|file: &Path| std::fs::write(file, "\"\\e]52;c;eA==\\a\\e[2K\\nerror\": 1\n").unwrap()),
            "unknown key `\\u{1b}]52",
        ),
    ];
    let begun = Instant::now();
    for (name, plant, why) in &table {
        let repository = sandbox.repository(name);
        plant(&repository.join("downbeat.yaml"));
        let project = added(&sandbox, &repository, true).await;
        let problem = project["problem"].as_str().unwrap_or_default();
        assert!(
            problem.contains(why) && problem.len() < 20_000,
            "{name}: {problem}"
        );
        assert!(problem.lines().count() <= 20, "{name}: {problem}");
        let ask = json!({ "projectId": project["id"], "title": "t", "agent": "shell" });
        let refused = sandbox.post("/api/sessions", ask).await.unwrap_err();
        assert!(
            refused.body["message"].as_str().unwrap().contains(why),
            "{name}: {refused:?}"
        );
        let told = sandbox.cli(&["new", "t", "-a", "shell", "-p", name]);
        assert!(
            !told.status.success() && !said(&told).contains(['\u{1b}', '\u{7}']),
            "{}",
            said(&told)
        );
    }
    for (name, plant) in [("include-pipe", &table[0].1), ("include-zero", &table[1].1)] {
        let repository = sandbox.repository(name);
        plant(&repository.join(".worktreeinclude"));
        let project = added(&sandbox, &repository, true).await;
        let ask = json!({ "projectId": project["id"], "title": "t", "agent": "shell" });
        let refused = sandbox.post("/api/sessions/preview", ask).await.unwrap_err();
        assert!(
            refused.body["message"]
                .as_str()
                .unwrap()
                .contains(".worktreeinclude"),
            "{refused:?}"
        );
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    sandbox.kill_engine();
    let begun = Instant::now();
    sandbox.start().await;
    sandbox.get("/api/projects").await.unwrap();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    let id = sandbox
        .session(json!({ "projectId": good, "title": "Works", "agent": "shell" }))
        .await;
    sandbox.status(&id, &["idle", "running"]).await;
}

fn pipe(file: &Path) {
    let made = std::process::Command::new("mkfifo").arg(file).status().unwrap();
    assert!(made.success());
}

#[tokio::test]
async fn a_pipe_that_git_would_wait_for_is_named_and_blocks_nobody() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("pipes");
    let project = added(&sandbox, &repository, true).await["id"].clone();
    let mut sessions = Vec::new();
    for title in ["Trapped", "Beside"] {
        let ask = json!({ "projectId": project, "title": title, "agent": "shell" });
        let id = sandbox.session(ask).await;
        let session = sandbox.status(&id, &["idle", "running"]).await;
        sessions.push((id, session["workspacePath"].as_str().unwrap().to_owned()));
    }
    let [(trapped, worktree), (beside, _)] = &sessions[..] else {
        unreachable!()
    };
    let deep = Path::new(worktree).join("deep");
    std::fs::create_dir(&deep).unwrap();
    let diff = |id: &str| format!("/api/sessions/{id}/output?what=diff");
    let exclude = repository.join(".git/info/exclude");
    for place in [deep.join(".gitignore"), exclude.clone()] {
        let kept = std::fs::read(&place).ok();
        let _ = std::fs::remove_file(&place);
        pipe(&place);
        let names = |said: &str| said.contains(&*place.to_string_lossy()) && said.contains("pipe");
        let begun = Instant::now();
        let looks = async || {
            let path = diff(trapped);
            for refused in join_all((0..8).map(|_| sandbox.get(&path))).await {
                let refused = refused.unwrap_err();
                assert!(names(refused.body["message"].as_str().unwrap()), "{refused:?}");
            }
        };
        let others = async || {
            let begun = Instant::now();
            sandbox.get("/api/sessions").await.unwrap();
            // A file that all worktrees share blocks the other worktree, too.
            assert_eq!(sandbox.get(&diff(beside)).await.is_ok(), place != exclude);
            assert!(begun.elapsed() < SOON / 3, "others waited {:?}", begun.elapsed());
        };
        join(looks(), others()).await;
        let said = match sandbox.get(&format!("/api/sessions/{trapped}/workspace")).await {
            Ok(work) => work["blocked"].to_string(),
            Err(refused) => refused.body["message"].to_string(),
        };
        assert!(names(&said), "{said}");
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        std::fs::remove_file(&place).unwrap();
        if let Some(kept) = kept {
            std::fs::write(&place, kept).unwrap();
        }
        sandbox.get(&diff(trapped)).await.unwrap();
    }
}

#[tokio::test]
async fn trusting_a_project_allows_only_the_configuration_that_was_read() {
    let sandbox = Sandbox::started().await;
    let repository = sandbox.repository("spoof");
    let yaml = repository.join("downbeat.yaml");
    std::fs::write(
        &yaml,
        "setup:\n  - sh: \"npm ci \\e[8m; evil\\e[0m # x\\ntouch y\"\n  - [echo, \"a b\", \"\\u202ex\"]\n",
    )
    .unwrap();
    added(&sandbox, &repository, true).await;
    let shown = "sh -c $'npm ci \\e[8m; evil\\e[0m # x\\ntouch y'";
    let told = sandbox.cli(&["new", "t", "-a", "shell", "-p", "spoof"]);
    assert_eq!(told.status.code(), Some(4), "{}", said(&told));
    assert!(
        said(&told).contains(shown) && !said(&told).contains('\u{1b}'),
        "{}",
        said(&told)
    );

    let approve = |more: &[&str]| sandbox.cli(&[&["project", "approve", "spoof"][..], more].concat());
    let is_allowed = async || {
        let all = sandbox.get("/api/projects").await.unwrap();
        all[0]["setup"]["approved"] == true
    };
    let asked = approve(&[]);
    assert_eq!(asked.status.code(), Some(4), "{}", said(&asked));
    let text = said(&asked);
    assert!(
        text.contains(shown) && text.contains("echo 'a b' $'\\u202ex'"),
        "{text}"
    );
    assert!(!is_allowed().await, "nobody said yes");
    let all = sandbox.get("/api/projects").await.unwrap();
    let hash = all[0]["setup"]["hash"].as_str().unwrap().to_owned();
    assert!(text.contains(&hash), "{text}");

    // The file changed since it was read.
    std::fs::write(&yaml, "setup:\n  - sh: evil\n").unwrap();
    let other = approve(&["--hash", &hash]);
    assert!(
        !other.status.success() && said(&other).contains("sh -c evil"),
        "{}",
        said(&other)
    );
    assert!(!is_allowed().await);
    let yes = approve(&["--yes"]);
    assert!(yes.status.success() && is_allowed().await, "{}", said(&yes));
}

#[tokio::test]
async fn a_session_occupies_its_request_slots_until_its_requests_end() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("busy").await;
    let ask = json!({ "projectId": project, "title": "Loop", "agent": "shell" });
    let id = sandbox.session(ask).await;
    let session = sandbox.status(&id, &["idle", "running"]).await;
    let deep = Path::new(session["workspacePath"].as_str().unwrap()).join("deep");
    std::fs::create_dir(&deep).unwrap();
    pipe(&deep.join(".gitignore"));
    let token = token_of(&id).await;
    let url = format!(
        "http://127.0.0.1:{}/api/sessions/{id}/output?what=diff",
        port(&sandbox)
    );
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ask = async |patience: u64| {
        let request = client.get(&url).bearer_auth(&token);
        let request = request.timeout(Duration::from_millis(patience));
        Some(request.send().await.ok()?.status().as_u16())
    };
    let hung_up = join_all((0..8).map(|_| ask(400))).await;
    assert_eq!(hung_up, vec![None; 8]);
    assert_eq!(ask(10_000).await, Some(422), "its threads are at work still");
    // Those requests end, which frees a place.
    until("a free place", async || (ask(60_000).await? != 422).then_some(())).await;
}

#[tokio::test]
async fn a_pipe_among_the_packs_is_named_and_the_engine_ends() {
    let sandbox = Sandbox::new();
    let mut serve = sandbox.command(downbeat_tests::programs::program("downbeat"));
    let serve = serve.args(["serve", "--port", "0"]).stdin(Stdio::null());
    let mut serve = serve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("the engine answers", async || {
        sandbox.get("/api/engine").await.ok()
    })
    .await;
    let repository = sandbox.repository("silent");
    let project = added(&sandbox, &repository, false).await["id"].clone();
    // libgit2 opens the index of a pack, whatever it is.
    let pack = repository
        .join(".git/objects/pack")
        .join(format!("pack-{}", "1".repeat(40)));
    std::fs::write(pack.with_extension("pack"), "PACK").unwrap();
    pipe(&pack.with_extension("idx"));
    let branches = format!("/api/projects/{}/branches", project.as_str().unwrap());
    let refused = sandbox.get(&branches).await.unwrap_err();
    assert!(
        refused.body["message"].as_str().unwrap().contains(".idx"),
        "{refused:?}"
    );
    let begun = Instant::now();
    sandbox
        .post("/api/engine/shutdown", json!({ "sessions": "keep" }))
        .await
        .unwrap();
    until("its end", async || serve.try_wait().unwrap()).await;
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}
