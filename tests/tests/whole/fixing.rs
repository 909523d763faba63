//! Tests of `downbeat fix` with a scripted agent: what is red becomes green on the default branch, a worker that nobody
//! needs any more is ended, a conductor only sees what is red, a budget ends a run, and a kill at any step repeats nothing.

use crate::crashes::{doomed, successor};
use crate::family::as_session;
use crate::merge_queue::merged;
use crate::merging::{commit, project, read, said};
use crate::security::token_of;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// One check names each file with the word "bad", as a compiler would; the other one wants `README.done`.
const CHECKS: &str = r#"checks:
  - name: lint
    run:
      sh: 'if grep -q bad *.txt; then grep -Hn bad *.txt | sed -E "s/^([^:]*):([0-9]+):.*/\1(\2,1): error TS1: bad/"; exit 1; fi'
  - name: docs
    run: { sh: 'test -e README.done || { echo "no README.done"; exit 1; }' }
"#;

/// Fixes what its task names, and commits that. Waits as long as there is a file `gate-FILE` in the home folder; with a
/// file `both`, whoever fixes `one.txt` fixes `two.txt`, too; with a file `lazy`, it does nothing.
const AGENT: &str = r#"
eval "task=\${$#}"
mkdir -p "$HOME/tasks"
printf '%s\n' "$task" > "$HOME/tasks/$$"
for name in one two three; do
  case "$task" in *" at $name.txt:"*)
    while [ -e "$HOME/gate-$name" ]; do sleep 0.05; done
    [ -e "$HOME/lazy" ] || echo good > $name.txt
    [ $name = one ] && [ -e "$HOME/both" ] && echo good > two.txt
  esac
done
case "$task" in *"no README.done"*) touch README.done;; esac
git add -A
git commit -qm fixed
exit 0
"#;

async fn red(sandbox: &Sandbox) -> PathBuf {
    let script = sandbox.path().join("fixer.sh");
    std::fs::write(&script, AGENT).unwrap();
    let folder = sandbox.data().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = format!(
        "name: Fixer\ncommand: [sh, {}]\nprompt: argument\n",
        script.display()
    );
    std::fs::write(folder.join("fixer.yaml"), manifest).unwrap();
    let (_, repository) = project(sandbox, Some(CHECKS)).await;
    commit(
        &repository,
        &[("one.txt", "bad\n"), ("two.txt", "bad\n"), ("three.txt", "bad\n")],
    );
    repository
}

fn home(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.path().join("home").join(name)
}

fn tasks(sandbox: &Sandbox) -> Vec<String> {
    let found = std::fs::read_dir(home(sandbox, "tasks"));
    let files = found.into_iter().flatten().flatten();
    files
        .map(|file| std::fs::read_to_string(file.path()).unwrap())
        .collect()
}

fn is_green(repository: &Path) -> bool {
    let is_good = |name: &str| read(repository, name) == "good\n";
    ["one.txt", "two.txt", "three.txt"].into_iter().all(is_good) && repository.join("README.done").exists()
}

async fn ended(sandbox: &Sandbox) -> Value {
    until("the run is over", async || {
        let all = sandbox.get("/api/fixes").await.ok()?;
        (all[0]["endedAt"].is_string()).then(|| all[0].clone())
    })
    .await
}

fn states(run: &Value) -> Vec<(&str, &str)> {
    let groups = run["groups"].as_array().unwrap();
    let groups = groups.iter();
    groups
        .map(|group| (group["title"].as_str().unwrap(), group["state"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn what_is_red_is_fixed_verified_and_landed() {
    let sandbox = Sandbox::started().await;
    let repository = red(&sandbox).await;
    let shown = said(&sandbox.cli(&["fix", "--project", "shop", "--dry-run"]), 0);
    assert!(
        shown.contains("4 groups are red on main; nothing was started"),
        "{shown}"
    );
    assert!(shown.contains("red: one.txt:1: TS1: bad"), "{shown}");
    assert_eq!(tasks(&sandbox), [""; 0]);

    let report = said(&sandbox.cli(&["fix", "--project", "shop", "--agent", "fixer"]), 0);
    assert!(
        report.contains("all checks are green on main: 4 groups fixed"),
        "{report}"
    );
    assert!(
        report.contains("one.txt") && report.contains("fixed by fix-one-txt"),
        "{report}"
    );
    assert!(is_green(&repository));
    assert_eq!(tasks(&sandbox).len(), 4, "one worker for each group");
    let task = tasks(&sandbox)
        .into_iter()
        .find(|task| task.contains(" at one.txt:1"))
        .unwrap();
    assert!(!task.contains("two.txt"), "exactly its failure: {task}");
    let listed = said(&sandbox.cli(&["fix", "--list"]), 0);
    assert!(listed.contains("all checks are green on main"), "{listed}");
    let again = said(&sandbox.cli(&["fix", "--project", "shop"]), 0);
    assert!(again.contains("nothing to fix"), "{again}");
}

#[tokio::test]
async fn a_worker_whose_failure_vanished_is_ended() {
    let sandbox = Sandbox::started().await;
    let repository = red(&sandbox).await;
    std::fs::write(home(&sandbox, "gate-two"), "").unwrap();
    std::fs::write(home(&sandbox, "both"), "").unwrap();
    let report = said(
        &sandbox.cli(&["fix", "--project", "shop", "--agent", "fixer", "--workers", "4"]),
        0,
    );
    assert!(is_green(&repository), "{report}");
    let run = ended(&sandbox).await;
    assert!(states(&run).contains(&("two.txt", "vanished")), "{run:#}");
    let worker = run["groups"]
        .as_array()
        .unwrap()
        .iter()
        .find(|group| group["title"] == "two.txt");
    let worker = worker.unwrap()["session"].as_str().unwrap().to_owned();
    sandbox.status(&worker, &["exited"]).await;
}

#[tokio::test]
async fn a_group_that_nobody_fixes_stays_red_and_is_reported() {
    let sandbox = Sandbox::started().await;
    red(&sandbox).await;
    std::fs::write(home(&sandbox, "lazy"), "").unwrap();
    let report = said(
        &sandbox.cli(&[
            "fix",
            "--project",
            "shop",
            "--agent",
            "fixer",
            "--attempts",
            "1",
            "--workers",
            "4",
        ]),
        1,
    );
    assert!(
        report.contains("1 of 4 groups green; the others need you"),
        "{report}"
    );
    assert!(report.contains("still red: it committed nothing"), "{report}");
}

#[tokio::test]
async fn a_conductor_sees_what_is_red_and_lets_nothing_land() {
    let sandbox = Sandbox::started().await;
    let repository = red(&sandbox).await;
    let projects = sandbox.get("/api/projects").await.unwrap();
    let ask =
        json!({ "projectId": projects[0]["id"], "title": "Lead", "prompt": "say hello", "conductor": true });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let token = token_of(&lead).await;
    let (status, refused) = as_session(&sandbox, &token, "POST", "/api/fixes", json!({})).await;
    assert_eq!(status, 403, "{refused:#}");
    assert!(refused.to_string().contains("downbeat fix"), "{refused:#}");
    let look = json!({ "dryRun": true });
    let (status, run) = as_session(&sandbox, &token, "POST", "/api/fixes", look).await;
    assert_eq!(status, 200, "{run:#}");
    let run = ended(&sandbox).await;
    assert_eq!(run["outcome"], "shown", "{run:#}");
    assert!(!run["groups"].as_array().unwrap().is_empty(), "{run:#}");
    assert!(tasks(&sandbox).is_empty() && !is_green(&repository));
}

#[tokio::test]
async fn a_cancelled_run_ends_its_workers() {
    let sandbox = Sandbox::started().await;
    red(&sandbox).await;
    for name in ["one", "two", "three"] {
        std::fs::write(home(&sandbox, &format!("gate-{name}")), "").unwrap();
    }
    let ask = json!({ "project": "shop", "agent": "fixer" });
    let run = sandbox.post("/api/fixes", ask.clone()).await.unwrap();
    let refused = sandbox.post("/api/fixes", ask).await.unwrap_err();
    assert!(
        format!("{refused:?}").contains("a run of fix is under way in shop"),
        "{refused:?}"
    );
    until("workers are at work", async || {
        (tasks(&sandbox).len() >= 3).then_some(())
    })
    .await;
    let id = run["id"].as_str().unwrap();
    let text = said(&sandbox.cli(&["fix", "--cancel", id]), 0);
    assert!(text.starts_with("shop: cancelled: "), "{text}");
    let run = ended(&sandbox).await;
    let sessions = run["groups"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|group| group["session"].as_str());
    for session in sessions {
        sandbox.status(session, &["exited"]).await;
    }
}

/// A Claude Code that uses 600 tokens for each task of a run, and commits nothing.
const SPENDER: &str = r#"#!/bin/sh
for word; do
  shift
  case "$word" in *"Fix these failures"*) word='use claude-opus-4-5 500 100';; esac
  set -- "$@" "$word"
done
exec "$(dirname "$0")/fake" "$@"
"#;

#[tokio::test]
async fn a_run_stops_when_its_workers_have_used_up_its_budget() {
    let sandbox = Sandbox::started().await;
    let repository = red(&sandbox).await;
    let program = |name: &str| sandbox.path().join("bin").join(name);
    std::fs::rename(program("claude"), program("fake")).unwrap();
    std::fs::write(program("claude"), SPENDER).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(program("claude"), mode).unwrap();
    let ask = [
        "fix",
        "--project",
        "shop",
        "--workers",
        "2",
        "--budget-tokens",
        "1000",
    ];
    let report = said(&sandbox.cli(&ask), 1);
    assert!(
        report.contains("stopped, because 1200 of 1000 tokens are used: 0 of 4 groups green"),
        "{report}"
    );
    let run = ended(&sandbox).await;
    assert_eq!(run["outcome"], "budget", "{run:#}");
    let groups = run["groups"].as_array().unwrap().iter();
    let workers: Vec<&str> = groups.filter_map(|group| group["session"].as_str()).collect();
    assert_eq!(workers.len(), 2, "no further worker was started: {run:#}");
    for worker in workers {
        sandbox.status(worker, &["exited"]).await;
    }
    assert!(!is_green(&repository) && merged(&repository).is_empty());
}

#[tokio::test]
async fn a_kill_at_any_step_repeats_nothing() {
    let points = [
        "fix-noted",
        "checks-begun",
        "fix-looked",
        "fix-written",
        "fix-next",
        "spawn-created",
        "fix-verified",
        "fix-queued",
    ];
    for point in points {
        let mut sandbox = Sandbox::started().await;
        let repository = red(&sandbox).await;
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        let _ = sandbox
            .post("/api/fixes", json!({ "project": "shop", "agent": "fixer" }))
            .await;
        successor(&mut sandbox, point).await;
        let run = ended(&sandbox).await;
        assert_eq!(run["outcome"], "green", "{point}: {run:#}");
        assert!(is_green(&repository), "{point}");
        assert_eq!(
            tasks(&sandbox).len(),
            4,
            "{point}: one worker for each group: {run:#}"
        );
        assert_eq!(merged(&repository).len(), 4, "{point}: each landed once");
    }
}
