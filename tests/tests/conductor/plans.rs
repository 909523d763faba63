//! Tests of plans with real agents: a chain whose later tasks read what the earlier ones committed, four domains at once by Claude
//! Code, Codex and OpenCode, and a conductor that proposes and runs a plan itself.

use crate::commits::{codex, commit, committed, opencode, said};
use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The settings of Claude Code in the repository.
const ALLOWED: &str = r#"{"permissions":{"allow":["Bash"]}}"#;

/// The chain. Titles of other tasks are part of each worker's prompt, but only its own begin a line with a dash.
const CHAIN: &str =
    "Set up database (id: db), Create API (id: api) (depends_on: db), Build UI (id: ui) (depends_on: api)";

/// What each task of the chain runs: `api` and `ui` fail without the file of the task before them.
const WORK: [(&str, &str); 3] = [
    ("- Set up database", "echo 'users(id, name)' > schema.sql"),
    (
        "- Create API",
        "sed 's/^/GET /' schema.sql > api.txt && test -s api.txt",
    ),
    (
        "- Build UI",
        "sed 's/^/show /' api.txt > ui.txt && test -s ui.txt",
    ),
];

fn script(work: &[(&str, &str)]) -> Script {
    work.iter().fold(Script::new(), |script, (task, command)| {
        script.when(task, [commit(command), said()])
    })
}

/// Creates a trusted project in which Claude Code runs commands without asking.
pub async fn shop(sandbox: &Sandbox) -> (String, PathBuf) {
    let repository = sandbox.repository("shop");
    git(&repository, &[], &["config", "user.name", "Ada"]);
    git(&repository, &[], &["config", "user.email", "ada@example.com"]);
    std::fs::create_dir(repository.join(".claude")).unwrap();
    std::fs::write(repository.join(".claude/settings.json"), ALLOWED).unwrap();
    git(&repository, &[], &["add", "-A"]);
    git(&repository, &[], &["commit", "-qm", "settings"]);
    let ask = json!({ "path": repository, "trust": true });
    let project = sandbox.post("/api/projects", ask).await.unwrap();
    (project["id"].as_str().unwrap().to_owned(), repository)
}

/// Waits until a plan is complete, and returns it.
pub async fn completes(sandbox: &Sandbox, model: &ModelServer, id: &str) -> Value {
    let path = format!("/api/plans/{id}");
    let done = within(4 * PATIENCE, async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["state"] == "complete").then_some(plan)
    });
    match done.await {
        Some(plan) => plan,
        None => panic!("{:#}\n{:#?}", sandbox.get(&path).await.unwrap(), model.turns()),
    }
}

/// Gives the first answer to each question of a session, as a person who lets it work, until the plan is as wanted.
pub async fn allowed(
    sandbox: &Sandbox,
    model: &ModelServer,
    plan: &str,
    is_there: impl Fn(&Value) -> bool,
) -> Value {
    let path = format!("/api/plans/{plan}");
    let found = within(6 * PATIENCE, async || {
        let sessions = sandbox.get("/api/sessions").await.ok()?;
        for session in sessions
            .as_array()?
            .iter()
            .filter(|one| one["status"] == "waiting")
        {
            let answer = format!("/api/sessions/{}/answer", session["id"].as_str()?);
            // The answers are read from the screen a little later, so a try may fail.
            let _ = sandbox.post(&answer, json!({ "choice": "1" })).await;
        }
        sandbox.get(&path).await.ok().filter(&is_there)
    });
    match found.await {
        Some(found) => found,
        None => {
            let plan = sandbox.get(&path).await.unwrap();
            let mut told = String::new();
            for worker in plan["workers"].as_array().unwrap() {
                if let Some(session) = worker["sessionId"].as_str() {
                    told.push_str(&sandbox.told(session).await);
                }
            }
            panic!("{plan:#}\n{told}\n{:#?}", model.turns())
        }
    }
}

/// Returns the text of a file in the commit of a worker.
pub fn at(repository: &Path, plan: &Value, worker: usize, file: &str) -> String {
    let commit = plan["workers"][worker]["commit"].as_str().unwrap();
    git(repository, &[], &["show", &format!("{commit}:{file}")])
}

#[tokio::test(flavor = "multi_thread")]
async fn later_tasks_use_what_earlier_ones_committed() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script(&WORK)).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let (project, repository) = shop(&sandbox).await;
    let ask = json!({ "projectId": project, "text": CHAIN });
    let proposed = sandbox.post("/api/plans", ask).await.unwrap();
    let id = proposed["id"].as_str().unwrap();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let plan = completes(&sandbox, &model, id).await;
    assert_eq!(
        at(&repository, &plan, 2, "ui.txt").trim(),
        "show GET users(id, name)"
    );
    assert_eq!(at(&repository, &plan, 2, "schema.sql").trim(), "users(id, name)");
    let report = plan["report"].as_str().unwrap();
    assert!(
        report.starts_with("[COMPLETE] All 3 workers finished\n"),
        "{report}"
    );
    let asked = model.turns();
    let ui = asked
        .iter()
        .find(|turn| turn.prompt.contains("- Build UI"))
        .unwrap();
    assert!(
        ui.prompt.contains("Your branch has the work of backend already."),
        "{}",
        ui.prompt
    );
}

/// Returns what the model of each agent does in the plan of four domains.
fn by_three() -> Script {
    script(&[
        ("- Build login UI", "echo ui > login.html"),
        ("- Security audit", "echo audit > AUDIT.md"),
    ])
    .when("- Create JWT API", codex(&committed("echo jwt > api.txt")))
    .when("- Write tests", opencode(&committed("echo test > login.test")))
}

#[tokio::test(flavor = "multi_thread")]
async fn four_domains_are_worked_on_at_once_by_three_agents() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(by_three()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["claude", "codex", "opencode"]).await;
    let (project, repository) = shop(&sandbox).await;
    let tasks = "Build login UI, Create JWT API, Write tests, Security audit";
    let output = sandbox.cli(&["plan", "new", tasks, "--project", &project, "--json"]);
    let proposed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = proposed["id"].as_str().unwrap();
    for (task, agent) in [("Create JWT API", "codex"), ("Write tests", "opencode")] {
        let edited = sandbox.cli(&["plan", "edit", id, task, "--agent", agent]);
        assert!(edited.status.success(), "{edited:?}");
    }
    let run = sandbox.cli(&["plan", "run", id]);
    assert!(run.status.success(), "{run:?}");
    let plan = allowed(&sandbox, &model, id, |plan| plan["state"] == "complete").await;
    let files = ["login.html", "api.txt", "login.test", "AUDIT.md"];
    for (worker, file) in files.into_iter().enumerate() {
        assert!(!at(&repository, &plan, worker, file).is_empty(), "{file}");
    }
    let starts = plan["workers"].as_array().unwrap().iter();
    let starts: Vec<&str> = starts
        .map(|worker| worker["startedAt"].as_str().unwrap())
        .collect();
    let ends = plan["workers"].as_array().unwrap().iter();
    let first = ends
        .map(|worker| worker["endedAt"].as_str().unwrap())
        .min()
        .unwrap();
    assert!(
        starts.iter().all(|start| *start < first),
        "all began before one ended: {plan:#}"
    );
    let report = plan["report"].as_str().unwrap();
    for line in [
        "- frontend: 1/1",
        "- backend: 1/1",
        "- testing: 1/1",
        "- security: 1/1",
        "Cost: ",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conductor_runs_a_plan_whose_workers_are_its_own() {
    if real_agents::skipped() {
        return;
    }
    const ORDER: &str = "Build the shop by a plan";
    let tool = |name: &str| format!("mcp__downbeat__{name}");
    let run = Call::with(&tool("run_plan"), |turn| {
        let shown = turn.results.last().cloned().unwrap_or_default();
        let id = shown.split_whitespace().nth(1).unwrap_or_default().to_owned();
        json!({ "plan": id })
    });
    let script = script(&WORK).when(
        ORDER,
        [
            Step::call(&tool("propose_plan"), json!({ "tasks": CHAIN })),
            Step::calls([run]),
            Step::call(&tool("plan_status"), json!({})),
            Step::say("It is under way."),
        ],
    );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let (project, repository) = shop(&sandbox).await;
    let ask = json!({ "projectId": project, "title": "Lead", "conductor": true, "prompt": ORDER });
    let lead = sandbox.session(ask).await;
    let id = within(2 * PATIENCE, async || {
        let all = sandbox.get("/api/plans").await.ok()?;
        all[0]["id"].as_str().map(str::to_owned)
    });
    let id = id.await.unwrap_or_else(|| panic!("{:#?}", model.turns()));
    let plan = completes(&sandbox, &model, &id).await;
    assert_eq!(plan["conductor"], json!(lead));
    assert_eq!(
        at(&repository, &plan, 2, "ui.txt").trim(),
        "show GET users(id, name)"
    );
    let workers = sandbox
        .get(&format!("/api/sessions/{lead}/workers"))
        .await
        .unwrap();
    let workers = workers.as_array().unwrap();
    assert_eq!(workers.len(), 3);
    assert!(workers.iter().all(|worker| worker["parent"] == json!(lead)));
}

/// A skill of the repository, where Claude Code looks for it.
const SKILL: &str =
    "---\nname: rest\ndescription: How this shop makes an API\n---\n\nEach route is a noun in the plural.\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_uses_the_skill_of_its_task() {
    if real_agents::skipped() {
        return;
    }
    // Claude Code gives the skill to the model as a message, so the rest follows from its words.
    let script = Script::new()
        .when(
            "- Create the API",
            [Step::call("Skill", json!({ "skill": "rest" }))],
        )
        .when(
            "Each route is a noun in the plural.",
            [commit("echo GET /shoes > api.txt"), Step::say("It is committed.")],
        )
        .when(
            "- Draw the page",
            [commit("echo page > page.html"), Step::say("It is committed.")],
        );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let (project, repository) = shop(&sandbox).await;
    let skill = repository.join(".claude/skills/rest/SKILL.md");
    std::fs::create_dir_all(skill.parent().unwrap()).unwrap();
    std::fs::write(skill, SKILL).unwrap();
    git(&repository, &[], &["add", "-A"]);
    git(&repository, &[], &["commit", "-qm", "skill"]);
    let tasks = "backend: Create the API [Skill: rest] | frontend: Draw the page";
    let ask = json!({ "projectId": project, "text": tasks });
    let proposed = sandbox.post("/api/plans", ask).await.unwrap();
    let id = proposed["id"].as_str().unwrap();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();
    let plan = completes(&sandbox, &model, id).await;
    assert_eq!(at(&repository, &plan, 0, "api.txt"), "GET /shoes\n");
    let turns = model.turns();
    let asked = |task: &str| {
        let mut turns = turns.iter();
        let turn = turns.find(|turn| turn.prompt.contains(task));
        turn.unwrap_or_else(|| panic!("nobody was asked {task:?}"))
            .prompt
            .clone()
    };
    let (api, page) = (asked("- Create the API"), asked("- Draw the page"));
    assert!(
        api.contains("\n- Create the API\n  Use the skill rest.\n"),
        "{api}"
    );
    assert!(!page.contains("Use the skill"), "{page}");
    // Its words reached only the model of that worker.
    let requests = model.requests();
    let with = |words: &str| {
        let bodies = requests.iter().map(|asked| asked.body.to_string());
        bodies.filter(|body| body.contains(words)).collect::<Vec<_>>()
    };
    let told = with("Each route is a noun in the plural.");
    assert!(!told.is_empty(), "the skill was read");
    assert!(
        !told.iter().any(|body| body.contains("- Draw the page")),
        "only where it was asked for"
    );
}
