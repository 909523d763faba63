//! Tests of checks that start more than they end: daemons that leave their session, their environment and their terminal, and
//! processes without end. Nothing of it is left, and the engine goes on answering.

use crate::checks::{checked, commit, project};
use crate::deliveries::workspace;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Starts daemons in each way in which a process leaves what started it. None ends when it is asked to.
const ESCAPES: &str = r#"trap '' TERM HUP INT
stay="touch $PWD/up.\$\$; trap \"\" TERM HUP INT; while :; do sleep SECONDS; done"
(setsid sh -c "setsid sh -c '$stay' & $stay" > /dev/null 2>&1 &)
env -i PATH="$PATH" setsid sh -c "$stay" < /dev/null > /dev/null 2>&1 &
(cd / && env -i PATH="$PATH" setsid sh -c "(setsid sh -c '$stay' &)" &)
DOWNBEAT_SESSION=other DOWNBEAT_KEEPER=/nowhere setsid sh -c "$stay" &
nohup sleep SECONDS > /dev/null &
while [ "$(ls | grep -c '^up[.]')" -lt 5 ]; do sleep 0.05; done
echo escaped
"#;

/// Creates a session with a script `escape.sh`, whose processes have this number in their arguments.
async fn session(sandbox: &Sandbox, check: &str, script: &str, number: &str) -> String {
    let check = format!("  - {{ name: test, run: {{ sh: '{check}' }} }}");
    let project = project(sandbox, &check, true).await;
    let ask = json!({ "projectId": project, "title": "Fix", "prompt": "say hello" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let place = workspace(sandbox, &id).await;
    std::fs::write(place.join("escape.sh"), script.replace("SECONDS", number)).unwrap();
    commit(&place, "first.txt");
    id
}

/// Returns the processes with this number in their arguments.
fn running(number: &str) -> Vec<String> {
    let all = crate::processes::all().into_iter();
    all.filter(|process| process.line.contains(number))
        .map(|process| process.line)
        .collect()
}

fn outcome(checks: &Value) -> &Value {
    &checks["last"]["checks"][0]["outcome"]
}

#[tokio::test]
async fn daemons_that_a_check_starts_end_with_it() {
    let sandbox = Sandbox::started().await;
    let id = session(&sandbox, "sh escape.sh", ESCAPES, "71234").await;
    let passed = sandbox.cli(&["check", &id]);
    assert!(passed.status.success(), "{passed:?}");
    assert_eq!(running("71234"), Vec::<String>::new());
    let output = sandbox.cli(&["check", &id, "--output", "test"]);
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.contains("escaped"), "{output}");
}

#[tokio::test]
async fn daemons_of_a_check_end_at_its_time_limit_and_when_it_is_cancelled() {
    let mut sandbox = Sandbox::started().await;
    let id = session(&sandbox, "sh escape.sh; sleep 72345", ESCAPES, "72345").await;
    assert!(sandbox.cli(&["check", &id, "--no-wait"]).status.success());
    until("they run", async || (running("72345").len() >= 11).then_some(())).await;
    assert!(sandbox.cli(&["check", &id, "--cancel"]).status.success());
    until("a cancelled check leaves nothing", async || {
        running("72345").is_empty().then_some(())
    })
    .await;

    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_TIME_LIMIT", "4000");
    sandbox.start().await;
    assert!(sandbox.cli(&["check", &id, "--no-wait"]).status.success());
    let checks = checked(&sandbox, &id, "red").await;
    assert_eq!(outcome(&checks), "timedOut", "{checks:#}");
    assert_eq!(running("72345"), Vec::<String>::new());
}

/// The loop ends by itself long after it has to be ended, for the sake of the machine that the test runs on.
#[tokio::test]
async fn a_check_that_starts_processes_without_end_is_ended_and_the_engine_answers() {
    let mut sandbox = Sandbox::new();
    sandbox.set_env("DOWNBEAT_PROCESS_LIMIT", "120");
    sandbox.start().await;
    let most = std::env::var("DOWNBEAT_TEST_PROCESSES").unwrap_or_else(|_| "3000".to_owned());
    let bomb = format!("n=0; while [ $n -lt {most} ]; do sleep SECONDS & n=$((n + 1)); done; sleep SECONDS");
    let id = session(&sandbox, "sh escape.sh", &bomb, "73456").await;
    assert!(sandbox.cli(&["check", &id, "--no-wait"]).status.success());
    let checks = until("the check is ended", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        (session["checksState"] == "red").then(|| session["checks"].clone())
    })
    .await;
    assert_eq!(outcome(&checks), "tooManyProcesses", "{checks:#}");
    assert_eq!(running("73456"), Vec::<String>::new());
    let told = sandbox.cli(&["check", &id, "--last"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("it started more than 2000 processes"), "{told}");
    let asked = sandbox.cli(&["check", &id, "--send"]);
    assert!(asked.status.success(), "{asked:?}");
    let sent = until("the agent is told", async || sandbox.sent_to(&id).await.pop()).await;
    assert!(
        sent.contains("started more than 2000 processes and was ended"),
        "{sent}"
    );
}
