//! Tests of a planner: a program of the person's that makes a plan of a goal. A good answer is a plan that nobody has run; whatever
//! else it does is an error that names it, and leaves nothing.

use crate::merging::{project, said};
use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

const CONFIG: &str = "planner: { command: [my-planner, --plan], maxTasks: 30 }\n";

/// Puts the planner on the `PATH`.
fn planner(sandbox: &Sandbox, script: &str) {
    let path = sandbox.path().join("bin/my-planner");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Creates a sandbox with a planner and the project `shop`.
async fn sandbox(time_limit: Option<&str>) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.configure(CONFIG);
    if let Some(millis) = time_limit {
        sandbox.set_env("DOWNBEAT_TIME_LIMIT", millis);
    }
    sandbox.start().await;
    let _ = project(&sandbox, None).await;
    sandbox
}

/// Returns the processes with this number in their arguments.
fn running(number: &str) -> Vec<String> {
    let all = crate::processes::all().into_iter();
    all.filter(|process| process.line.contains(number))
        .map(|process| process.line)
        .collect()
}

/// Returns how many runs have files.
fn left(sandbox: &Sandbox) -> usize {
    fs::read_dir(sandbox.data().join("planners")).map_or(0, Iterator::count)
}

#[tokio::test]
async fn the_plan_of_a_planner_is_shown_and_runs_when_the_person_says_so() {
    let sandbox = sandbox(None).await;
    let asked = sandbox.path().join("asked");
    // It prints to people, too, has no token, and leaves something that holds its output.
    let script = format!(
        r#"echo "thinking" >&2
cat > {0}.json
printf '%s\n' "$1" "$PWD" "${{DOWNBEAT_TOKEN-none}}" > {0}.txt
sleep 75678 &
cat << 'END'
{{"tasks": [
  {{"id": "db", "title": "Make db", "description": "commit db.txt made", "domain": "database", "estimatedEffort": "1h"}},
  {{"title": "Make api", "description": "commit api.txt made", "dependencies": ["db"], "agent": "claude"}}
]}}
END"#,
        asked.display()
    );
    planner(&sandbox, &script);
    let goal = "Sell shoes\nonline, 'quickly' $HOME";
    let shown = said(
        &sandbox.cli(&["orchestrate", "--goal", goal, "--project", "shop", "--dry-run"]),
        0,
    );
    assert!(shown.starts_with("Not kept: Sell shoes\n"), "{shown}");
    assert_eq!(
        sandbox.get("/api/plans").await.unwrap(),
        json!([]),
        "nothing is kept"
    );
    let question: Value =
        serde_json::from_str(&fs::read_to_string(asked.with_extension("json")).unwrap()).unwrap();
    assert_eq!(
        (&question["goal"], &question["maxTasks"]),
        (&json!(goal), &json!(30))
    );
    assert_eq!(question["project"]["name"], "shop");
    let agents = question["agents"].as_array().unwrap();
    assert!(
        agents.contains(&json!("claude")) && !agents.contains(&json!("shell")),
        "{agents:?}"
    );
    assert!(
        question["domains"]
            .as_array()
            .unwrap()
            .contains(&json!("frontend"))
    );
    let noted = fs::read_to_string(asked.with_extension("txt")).unwrap();
    let noted: Vec<&str> = noted.lines().collect();
    assert_eq!((noted[0], noted[2]), ("--plan", "none"));
    let planners = fs::canonicalize(sandbox.data()).unwrap().join("planners");
    assert!(
        std::path::Path::new(noted[1]).starts_with(&planners),
        "not in a repository, whose files a relative path would name: {noted:?}"
    );

    let request = json!({ "goal": goal, "projectId": "shop", "atOnce": 2, "minutes": 90 });
    let planned = sandbox
        .post_keyed("/api/plans/goal", request.clone(), "once")
        .await
        .unwrap();
    let plan = &planned["plan"];
    assert_eq!(
        (&plan["state"], &plan["atOnce"], &plan["minutes"]),
        (&json!("proposed"), &json!(2), &json!(90))
    );
    assert_eq!(plan["tasks"][1]["needs"], json!(["db"]), "{plan:#}");
    let again = sandbox
        .post_keyed("/api/plans/goal", request, "once")
        .await
        .unwrap();
    assert_eq!(again, planned, "a repeat asks nobody");

    let printed = said(
        &sandbox.cli(&["plan", "new", "--goal", goal, "--project", "shop"]),
        0,
    );
    assert!(printed.contains("Run it: downbeat plan run pl"), "{printed}");
    let ran = said(
        &sandbox.cli(&[
            "orchestrate",
            "--goal",
            goal,
            "--project",
            "shop",
            "--yes",
            "--json",
        ]),
        0,
    );
    let ran: Value = serde_json::from_str(&ran).unwrap();
    let path = format!("/api/plans/{}", ran["id"].as_str().unwrap());
    until("the plan is complete", async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(())
    })
    .await;
    assert_eq!(
        sandbox.get("/api/plans").await.unwrap().as_array().unwrap().len(),
        3
    );
    assert_eq!((running("75678").len(), left(&sandbox)), (0, 0));
}

#[tokio::test]
async fn whatever_else_a_planner_does_is_an_error_that_names_it() {
    let sandbox = sandbox(None).await;
    let ask = json!({ "goal": "Sell shoes", "projectId": "shop" });
    let refused = async || {
        let refused = sandbox.post("/api/plans/goal", ask.clone()).await.unwrap_err();
        (
            refused.body["message"].as_str().unwrap().to_owned(),
            refused.body["hint"].as_str().unwrap().to_owned(),
        )
    };
    let (message, hint) = refused().await;
    assert_eq!(message, "the planner my-planner is not on PATH");
    assert!(hint.contains("planner:"), "{hint}");
    let hundred = "seq 100 | sed 's/.*/{\"title\": \"Task &\"}/' | paste -sd, | sed 's/.*/[&]/'";
    for (script, wanted) in [
        (
            "echo 'Sure! Here it is:'; echo '[]'",
            "is no plan that can be done: its JSON cannot be read",
        ),
        ("exit 0", "its JSON cannot be read"),
        ("echo '{\"plan\": 1}'", "it needs a list of tasks"),
        ("echo '[]'", "there is no task in it"),
        ("printf '\\377\\376'", "it is not text"),
        (hundred, "it has 100 tasks; at most 30 were asked for"),
        (
            "echo '[{\"title\": \"a\", \"agent\": \"shell\"}]'",
            "task 1 names the agent shell; those for workers are claude",
        ),
        (
            "echo '[{\"id\": \"a\", \"title\": \"a\"}, {\"id\": \"a\", \"title\": \"b\"}]'",
            "two tasks have the id a",
        ),
        (
            "echo '[{\"id\": \"a\", \"title\": \"a\", \"needs\": [\"b\"]}, {\"id\": \"b\", \"title\": \"b\", \"needs\": [\"a\"]}]'",
            "these tasks wait for each other: a → b → a",
        ),
        (
            "cat > /dev/null; echo '[{\"title\": \"a\"}]'; echo 'no key for the model' >&2; exit 3",
            "ended with exit code 3:\nno key for the model",
        ),
        ("kill -9 $$", "ended with exit code 137"),
        ("exec yes", "printed more than 2097152 bytes, and was ended"),
    ] {
        planner(&sandbox, script);
        let (message, hint) = refused().await;
        assert!(
            message.contains("the planner my-planner") && message.contains(wanted),
            "{script}: {message}"
        );
        assert!(!hint.is_empty(), "{script}");
    }
    // Something that cannot be started although it is there.
    fs::write(sandbox.path().join("bin/my-planner"), "#!/none/sh\n").unwrap();
    let (message, _) = refused().await;
    assert!(message.contains("could not be started"), "{message}");
    assert_eq!(
        sandbox.get("/api/plans").await.unwrap(),
        json!([]),
        "nothing is stored"
    );
    assert_eq!(left(&sandbox), 0);
    for goal in ["", " \n"] {
        let empty = json!({ "goal": goal, "projectId": "shop" });
        let refused = sandbox.post("/api/plans/goal", empty).await.unwrap_err();
        assert_eq!(refused.body["code"], "invalid");
    }
}

/// Starts processes that leave their parent, their session and their environment; none ends when it is asked to.
const STAYS: &str = r#"trap '' TERM HUP INT
setsid sh -c "trap '' TERM HUP INT; while :; do sleep SECONDS; done" &
env -i PATH="$PATH" setsid sh -c "trap '' TERM HUP INT; while :; do sleep SECONDS; done" < /dev/null > /dev/null 2>&1 &
while :; do sleep SECONDS; done"#;

#[tokio::test]
async fn a_planner_that_hangs_ends_at_its_time_limit_with_all_that_it_started() {
    let sandbox = sandbox(Some("4000")).await;
    planner(&sandbox, &STAYS.replace("SECONDS", "73456"));
    let refused = said(
        &sandbox.cli(&["plan", "new", "--goal", "Sell shoes", "--project", "shop"]),
        1,
    );
    assert!(
        refused.contains("the planner my-planner did not answer within 2 min, and was ended"),
        "{refused}"
    );
    assert!(refused.contains("planner.timeoutMinutes"), "{refused}");
    assert_eq!(running("73456"), Vec::<String>::new());
    assert_eq!(
        sandbox.get("/api/plans").await.unwrap(),
        json!([]),
        "nothing is stored"
    );
    assert_eq!(left(&sandbox), 0);
}

#[tokio::test]
async fn the_next_engine_ends_a_planner_that_a_killed_one_left() {
    let mut sandbox = sandbox(None).await;
    planner(&sandbox, &STAYS.replace("SECONDS", "74567"));
    let mut asking = sandbox
        .command(program("downbeat"))
        .args(["plan", "new", "--goal", "Sell shoes", "--project", "shop"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("it runs", async || (running("74567").len() >= 3).then_some(())).await;
    asking.kill().unwrap();
    asking.wait().unwrap();
    sandbox.kill_engine();
    assert!(!running("74567").is_empty(), "its keeper outlives the engine");
    sandbox.start().await;
    until("nothing is left of it", async || {
        (running("74567").is_empty() && left(&sandbox) == 0).then_some(())
    })
    .await;
    assert_eq!(
        sandbox.get("/api/plans").await.unwrap(),
        json!([]),
        "nothing is stored"
    );
}
