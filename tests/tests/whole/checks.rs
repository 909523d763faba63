//! Tests of a project's checks: on a worker's commit, in a clean tree, with failures sent to the agent, across crashes.

use crate::crashes::{doomed, successor};
use crate::deliveries::workspace;
use crate::family::as_session;
use crate::processes::of_session;
use crate::security::token_of;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::Path;

/// A check that a commit passes once it has the file `good`. Notes each run, and what it gets of the environment.
const CHECK: &str = "echo run >> $HOME/runs; env > $HOME/environment; pwd > $HOME/place; echo left > left-by-check; \
    test -e good || { echo 'boom 41'; exit 3; }";

/// Creates a trusted project with these checks, in YAML, which are approved if `approved`.
pub async fn project(sandbox: &Sandbox, checks: &str, approved: bool) -> String {
    let repository = sandbox.repository("shop");
    std::fs::write(repository.join("downbeat.yaml"), format!("checks:\n{checks}\n")).unwrap();
    let ask = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", ask).await.unwrap();
    let id = added["id"].as_str().unwrap().to_owned();
    if approved {
        let approve = json!({ "approveChecks": added["checks"]["hash"] });
        sandbox
            .call("PATCH", &format!("/api/projects/{id}"), Some(approve))
            .await
            .unwrap();
    }
    id
}

pub fn one_check() -> String {
    format!(
        "  - name: test\n    run: {{ sh: {CHECK:?} }}\n  - {{ name: lint, run: 'false', required: false }}"
    )
}

/// Starts a conductor and a worker with this prompt; returns the worker's id.
pub async fn worker(sandbox: &Sandbox, project: &str, prompt: &str) -> String {
    let ask = json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let token = token_of(&lead).await;
    let ask = json!({ "title": "Helper", "prompt": prompt });
    let (status, worker) = as_session(sandbox, &token, "POST", "/api/sessions", ask).await;
    assert_eq!(status, 200, "{worker:#}");
    worker["id"].as_str().unwrap().to_owned()
}

/// Reports the worker's task as done, with its own token. Returns the status of the answer, if there is one.
async fn report(sandbox: &Sandbox, worker: &str) -> Option<u16> {
    let manifest = sandbox.manifest().unwrap();
    let url = format!(
        "http://127.0.0.1:{}/api/sessions/{worker}/report",
        manifest["port"]
    );
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(url).bearer_auth(token_of(worker).await);
    let report = json!({ "status": "done", "summary": "all of it" });
    let answer = request.json(&report).send().await.ok()?;
    Some(answer.status().as_u16())
}

pub async fn done(sandbox: &Sandbox, worker: &str) {
    assert_eq!(report(sandbox, worker).await, Some(200));
}

pub fn commit(place: &Path, name: &str) -> String {
    std::fs::write(place.join(name), name).unwrap();
    let me = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    git(place, &[], &["add", "-A"]);
    git(place, &[], &[&me[..], &["commit", "-qm", name]].concat());
    git(place, &[], &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Waits until the checks of a session have this state, and returns its checks.
pub async fn checked(sandbox: &Sandbox, id: &str, state: &str) -> Value {
    until(state, async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        (session["checksState"] == state).then(|| session["checks"].clone())
    })
    .await
}

fn runs(sandbox: &Sandbox) -> usize {
    let runs = std::fs::read_to_string(sandbox.path().join("home/runs"));
    runs.map_or(0, |text| text.lines().count())
}

#[tokio::test]
async fn failures_go_to_the_agent_and_its_next_commit_is_checked_by_itself() {
    let sandbox = Sandbox::started().await;
    let project = project(&sandbox, &one_check(), true).await;
    let id = worker(&sandbox, &project, "work go").await;
    sandbox.status(&id, &["running"]).await;
    let place = workspace(&sandbox, &id).await;
    let first = commit(&place, "first.txt");
    std::fs::write(place.join("not-committed"), "").unwrap();
    done(&sandbox, &id).await;
    let checks = checked(&sandbox, &id, "red").await;
    let last = &checks["last"];
    assert_eq!(
        (&last["commit"], &last["uncommitted"]),
        (&json!(first), &json!(1)),
        "{checks:#}"
    );
    let outcomes: Vec<_> = last["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["failed", "failed"]);
    assert_eq!(last["checks"][0]["exitCode"], 3);
    let messages = sandbox.sent_to(&id).await;
    let text = &messages[0];
    assert!(
        messages.len() == 1 && text.contains("\n    > boom 41\n") && !text.contains("lint"),
        "{text}"
    );
    assert!(text.contains("not committed: 1 file"), "{text}");
    let second = commit(&place, "good");
    std::fs::write(place.join("go"), "").unwrap();
    let checks = checked(&sandbox, &id, "green").await;
    assert_eq!(checks["last"]["commit"], second, "{checks:#}");
    assert_eq!((runs(&sandbox), sandbox.sent_to(&id).await.len()), (2, 1));
    assert!(
        !place.join("left-by-check").exists(),
        "the agent's worktree is not touched"
    );
    let environment = std::fs::read_to_string(sandbox.path().join("home/environment")).unwrap();
    assert!(environment.lines().any(|line| line == "CI=true"), "{environment}");
    assert!(!environment.contains("DOWNBEAT_TOKEN"), "{environment}");
    let tree = std::fs::read_to_string(sandbox.path().join("home/place")).unwrap();
    assert!(
        Path::new(tree.trim()).starts_with(sandbox.data().join("checks")),
        "{tree}"
    );
    let output = sandbox.cli(&["check", &id, "--output", "test"]);
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn an_agent_that_commits_nothing_new_is_not_sent_the_same_again() {
    let sandbox = Sandbox::started().await;
    let project = project(&sandbox, &one_check(), true).await;
    let id = worker(&sandbox, &project, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    commit(&workspace(&sandbox, &id).await, "first.txt");
    done(&sandbox, &id).await;
    checked(&sandbox, &id, "red").await;
    until("the person is notified", async || {
        let notices = sandbox.notices().await;
        let told = |notice: &&Value| {
            notice["text"]
                .as_str()
                .is_some_and(|text| text.contains("1 check failed"))
        };
        (notices.iter().filter(told).count() == 1).then_some(())
    })
    .await;
    assert_eq!((runs(&sandbox), sandbox.sent_to(&id).await.len()), (1, 1));
    let refused = sandbox.cli(&["check", &id]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let shown = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(
        shown.contains("test: failed, exit code 3") && shown.contains("boom 41"),
        "{shown}"
    );
    assert_eq!(runs(&sandbox), 2, "a person's request runs the checks again");
    assert_eq!(sandbox.sent_to(&id).await.len(), 1, "and sends nothing by itself");
    commit(&workspace(&sandbox, &id).await, "good");
    let passed = sandbox.cli(&["check", &id]);
    assert!(passed.status.success(), "{passed:?}");
}

#[tokio::test]
async fn a_crash_at_any_step_of_a_run_repeats_no_result_and_no_message() {
    let points = downbeat_engine::failpoint::POINTS.iter();
    let points: Vec<_> = points.filter(|point| point.starts_with("checks-")).collect();
    assert_eq!(points.len(), 4);
    let mut sandbox = Sandbox::started().await;
    let project = project(&sandbox, &one_check(), true).await;
    let id = worker(&sandbox, &project, "work go").await;
    sandbox.status(&id, &["running"]).await;
    let place = workspace(&sandbox, &id).await;
    let mut results = 0;
    for (number, point) in points.into_iter().enumerate() {
        let wanted = commit(&place, &format!("{point}.txt"));
        let before = runs(&sandbox);
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        report(&sandbox, &id).await;
        successor(&mut sandbox, point).await;
        let checks = checked(&sandbox, &id, "red").await;
        assert_eq!(checks["last"]["commit"], wanted, "{point}: {checks:#}");
        let repeated = usize::from(*point == "checks-ran");
        assert_eq!(runs(&sandbox) - before, 1 + repeated, "{point}");
        results += 1;
        // The failures of two results are sent; then the person is notified once.
        assert_eq!(
            sandbox.sent_to(&id).await.len(),
            results.min(2),
            "{point} {number}"
        );
    }
    let notices = sandbox.notices().await;
    let told = |notice: &&Value| {
        notice["text"]
            .as_str()
            .is_some_and(|text| text.contains("1 check failed"))
    };
    assert_eq!(notices.iter().filter(told).count(), 1, "{notices:#?}");
}

#[tokio::test]
async fn a_run_that_is_cancelled_or_cut_off_leaves_no_process() {
    let mut sandbox = Sandbox::started().await;
    let hangs = "  - sh: 'setsid sleep 1000 & env | grep ^DOWNBEAT_SESSION > $HOME/mark; sleep 1000'";
    let project = project(&sandbox, hangs, true).await;
    let id = worker(&sandbox, &project, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    let mark = sandbox.path().join("home/mark");
    let run = async || {
        until("the check runs", async || {
            let text = std::fs::read_to_string(&mark).ok()?;
            let id = text.trim().strip_prefix("DOWNBEAT_SESSION=")?.to_owned();
            (of_session(&id).len() >= 3).then_some(id)
        })
        .await
    };
    let ended = async |run: &str| {
        until("its processes are ended", async || {
            of_session(run).is_empty().then_some(())
        })
        .await;
    };
    let asked = sandbox.cli(&["check", &id, "--no-wait"]);
    assert!(asked.status.success(), "{asked:?}");
    let first = run().await;
    let cancelled = sandbox.cli(&["check", &id, "--cancel"]);
    assert!(cancelled.status.success(), "{cancelled:?}");
    ended(&first).await;
    let again = sandbox.cli(&["check", &id, "--cancel"]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    std::fs::remove_file(&mark).unwrap();
    assert!(sandbox.cli(&["check", &id, "--no-wait"]).status.success());
    let second = run().await;
    sandbox.kill_engine();
    std::fs::remove_file(&mark).unwrap();
    sandbox.start().await;
    // The next engine ends what the first one left, and repeats the run under the same identifier.
    assert_eq!(run().await, second);
    assert!(of_session(&second).len() <= 5, "{:?}", of_session(&second).len());
    assert!(sandbox.cli(&["check", &id, "--cancel"]).status.success());
    ended(&second).await;
}

#[tokio::test]
async fn no_command_of_a_check_outlives_its_session_or_its_engine() {
    let mut sandbox = Sandbox::started().await;
    let hangs = "  - sh: 'env | grep ^DOWNBEAT_SESSION > $HOME/mark; sleep 1000'";
    let project = project(&sandbox, hangs, true).await;
    let mark = sandbox.path().join("home/mark");
    let run = async || {
        let found = until("the check runs", async || {
            let text = std::fs::read_to_string(&mark).ok()?;
            let id = text.trim().strip_prefix("DOWNBEAT_SESSION=")?.to_owned();
            (!of_session(&id).is_empty()).then_some(id)
        })
        .await;
        std::fs::remove_file(&mark).unwrap();
        found
    };
    let ended = async |run: &str, why: &str| {
        until(why, async || of_session(run).is_empty().then_some(())).await;
    };
    let id = worker(&sandbox, &project, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    let check = |sandbox: &Sandbox| {
        assert!(sandbox.cli(&["check", &id, "--no-wait"]).status.success());
    };

    check(&sandbox);
    let closed = run().await;
    let pid = sandbox.manifest().unwrap()["pid"].as_i64().unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    ended(&closed, "a closing engine ends it").await;
    sandbox.kill_engine();
    sandbox.start().await;
    assert_eq!(run().await, closed, "the next engine makes the run again");

    // The engine dies before it ends what was cancelled.
    assert!(sandbox.cli(&["check", &id, "--cancel"]).status.success());
    sandbox.kill_engine();
    sandbox.start().await;
    ended(&closed, "the next engine ends what was cancelled").await;

    let (status, _) = {
        check(&sandbox);
        let own = token_of(&id).await;
        let path = format!("/api/sessions/{id}/checks");
        as_session(&sandbox, &own, "DELETE", &path, json!({})).await
    };
    assert_eq!(status, 403, "a session cannot escape its own checks");
    let last = run().await;
    assert!(sandbox.cli(&["kill", &id]).status.success());
    let removed = sandbox.cli(&["remove", &id, "--forget", "--force"]);
    assert!(removed.status.success(), "{removed:?}");
    ended(&last, "nothing is left of the checks of a session that is gone").await;
}

#[tokio::test]
async fn checks_run_only_as_they_were_approved() {
    let sandbox = Sandbox::started().await;
    let project = project(&sandbox, &one_check(), false).await;
    let id = worker(&sandbox, &project, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    done(&sandbox, &id).await;
    let refused = sandbox.cli(&["check", &id]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    assert_eq!(
        (&session["checks"], &session["report"]["status"]),
        (&Value::Null, &json!("done"))
    );
    let approved = sandbox.cli(&["project", "approve", "shop", "--yes"]);
    assert!(approved.status.success(), "{approved:?}");
    assert_eq!(
        sandbox.cli(&["check", &id]).status.code(),
        Some(1),
        "it runs, and is red"
    );
    let file = sandbox.path().join("shop/downbeat.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("exit 3", "exit 4")).unwrap();
    let path = format!("/api/projects/{project}");
    let shown = until("the change is seen", async || {
        let shown = sandbox.get(&path).await.unwrap();
        (shown["checks"]["approved"] == false).then_some(shown)
    })
    .await;
    assert_eq!(sandbox.cli(&["check", &id]).status.code(), Some(4));
    let stale = json!({ "approveChecks": "0".repeat(64) });
    let refused = sandbox.call("PATCH", &path, Some(stale)).await.unwrap_err();
    assert_eq!(refused.status, 409, "{:#}", refused.body);
    let approve = json!({ "approveChecks": shown["checks"]["hash"] });
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    assert_eq!(sandbox.cli(&["check", &id]).status.code(), Some(1));
    assert_eq!(runs(&sandbox), 2);
}

#[tokio::test]
async fn a_project_without_checks_says_how_to_add_some_and_nothing_stays_of_a_removed_one() {
    let sandbox = Sandbox::started().await;
    let project = project(&sandbox, "  - 'true'", true).await;
    let ask = json!({ "projectId": project, "title": "Fix", "prompt": "say hello" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    assert!(sandbox.cli(&["check", &id]).status.success());
    let unknown = sandbox.cli(&["check", &id, "--output", "test"]);
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(
        unknown.status.code() == Some(3) && said.contains("the checks of fix are: true"),
        "{said}"
    );
    let folder = sandbox.data().join("checks").join(&project);
    assert!(folder.join("tree/.git").exists() && folder.join("output").join(&id).exists());
    std::fs::write(sandbox.path().join("shop/downbeat.yaml"), "").unwrap();
    let said = until("the change is seen", async || {
        let refused = sandbox.cli(&["check", &id]);
        (!refused.status.success()).then(|| String::from_utf8_lossy(&refused.stderr).into_owned())
    })
    .await;
    assert!(
        said.contains("shop has no checks") && said.contains("checks: [npm test]"),
        "{said}"
    );
    for command in [
        &["kill", &id][..],
        &["remove", "--forget", &id],
        &["project", "remove", "shop"],
    ] {
        let done = sandbox.cli(command);
        assert!(done.status.success(), "{command:?} {done:?}");
    }
    assert!(!folder.exists());
    let worktrees = git(&sandbox.path().join("shop"), &[], &["worktree", "list"]);
    assert_eq!(worktrees.lines().count(), 1, "{worktrees}");
}

#[tokio::test]
async fn a_check_that_hangs_is_ended_with_its_processes_at_its_time_limit() {
    let mut sandbox = Sandbox::new();
    sandbox.set_env("DOWNBEAT_TIME_LIMIT", "200");
    sandbox.start().await;
    let hangs = "  - { name: test, run: { sh: 'sleep 61234 & echo begun; sleep 61234' } }";
    let project = project(&sandbox, hangs, true).await;
    let id = worker(&sandbox, &project, "say hello").await;
    sandbox.status(&id, &["idle"]).await;
    commit(&workspace(&sandbox, &id).await, "first.txt");
    done(&sandbox, &id).await;
    let checks = checked(&sandbox, &id, "red").await;
    let test = &checks["last"]["checks"][0];
    assert_eq!(
        (&test["outcome"], &test["exitCode"]),
        (&json!("timedOut"), &Value::Null),
        "{test:#}"
    );
    assert!(test["millis"].as_u64().unwrap() >= 200, "{test:#}");
    let left = crate::processes::all();
    let left: Vec<_> = left
        .iter()
        .filter(|process| process.line.contains("sleep 61234"))
        .collect();
    assert!(
        left.is_empty(),
        "{:?}",
        left.iter().map(|process| &process.line).collect::<Vec<_>>()
    );
    let messages = sandbox.sent_to(&id).await;
    let text = &messages[0];
    assert!(
        text.contains("did not end within 0 s") && text.contains("begun"),
        "{text}"
    );
}

#[tokio::test]
async fn each_check_is_about_the_commit_and_not_about_what_the_one_before_it_changed() {
    let sandbox = Sandbox::started().await;
    let checks = "  - name: forge\n    run: { sh: 'echo fixed > README.md; echo built > artifact.txt' }\n  \
        - name: built\n    run: { sh: 'test -e artifact.txt' }\n  \
        - name: honest\n    run: { sh: 'grep -q fixed README.md' }";
    let shop = project(&sandbox, checks, true).await;
    let worker = worker(&sandbox, &shop, "say hello").await;
    sandbox.status(&worker, &["idle"]).await;
    commit(&workspace(&sandbox, &worker).await, "README.md");
    done(&sandbox, &worker).await;
    let shown = checked(&sandbox, &worker, "red").await;
    let outcomes: Vec<_> = shown["last"]["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| {
            (
                check["name"].as_str().unwrap(),
                check["outcome"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        outcomes,
        [("forge", "passed"), ("built", "passed"), ("honest", "failed")],
        "{shown:#}"
    );
}
