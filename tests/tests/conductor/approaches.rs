//! Tests of ways to divide work with the real Claude Code: one task by two approaches, a goal whose parts conflict, and a session at the
//! deepest level, which does all tasks itself.

use crate::commits::commit;
use crate::plans::{at, completes, shop};
use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn one_task_is_done_by_two_approaches_that_can_be_compared() {
    if real_agents::skipped() {
        return;
    }
    let work = [
        ("- Draw the page (the smallest change)", "echo small > page.html"),
        ("- Draw the page (the best design)", "echo design > page.html"),
    ];
    let script = work.iter().fold(Script::new(), |script, (task, command)| {
        script.when(task, [commit(command), Step::say("It is committed.")])
    });
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let (project, repository) = shop(&sandbox).await;
    let words = ["orchestrate", "Draw the page", "--template", "compare"];
    let output = sandbox.cli(&[&words[..], &["--project", &project, "--yes", "--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    let proposed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let plan = completes(&sandbox, &model, proposed["id"].as_str().unwrap()).await;
    for (place, wanted) in [(0, "small"), (1, "design")] {
        assert_eq!(at(&repository, &plan, place, "page.html").trim(), wanted);
        let worker = plan["workers"][place]["sessionId"].as_str().unwrap();
        let changes = sandbox
            .get(&format!("/api/sessions/{worker}/changes"))
            .await
            .unwrap();
        assert_eq!(changes["files"][0]["path"], "page.html", "{changes:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_parts_of_a_goal_conflict_and_one_of_their_workers_resolves_that() {
    if real_agents::skipped() {
        return;
    }
    const GOAL: &str = "Sell shoes on the page";
    const TASKS: &str = "Draw the header (id: header), Draw the footer (id: footer)";
    let propose = json!({ "tasks": TASKS, "template": "divide", "split": "task" });
    let resolve = "git merge -q OTHER || (printf 'header\\nfooter\\n' > page.html && git add -A && git commit -qm merged)";
    let script = Script::new()
        .when(
            "- Put the parts together",
            [commit("cat page.html > whole.html"), Step::say("It is one.")],
        )
        .when(
            "- Draw the header",
            [commit("echo header > page.html"), Step::say("Drawn.")],
        )
        .when(
            "- Draw the footer",
            [commit("echo footer > page.html"), Step::say("Drawn.")],
        )
        .when(
            "Merge the branch ",
            [
                Step::call_with("Bash", move |turn| {
                    let other = turn.prompt.rsplit(' ').next().unwrap_or_default().trim();
                    json!({ "command": resolve.replace("OTHER", other), "description": "merge" })
                }),
                Step::say("They are merged."),
            ],
        )
        .when(
            GOAL,
            [
                Step::call("mcp__downbeat__propose_plan", propose),
                Step::say("This is the plan."),
            ],
        );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    let (project, repository) = shop(&sandbox).await;
    let asked = sandbox.cli(&["plan", "new", "--goal", GOAL, "--project", &project]);
    assert!(asked.status.success(), "{asked:?}");
    let proposed = within(4 * PATIENCE, async || {
        let plans = sandbox.get("/api/plans").await.ok()?;
        plans.as_array()?.first().cloned()
    });
    let Some(proposed) = proposed.await else {
        panic!("{:#?}", model.turns());
    };
    assert_eq!(
        (&proposed["state"], &proposed["personRuns"], &proposed["title"]),
        (&json!("proposed"), &json!(true), &json!(GOAL))
    );
    let id = proposed["id"].as_str().unwrap().to_owned();
    sandbox
        .post(&format!("/api/plans/{id}/run"), json!({}))
        .await
        .unwrap();

    // The last worker cannot begin with both parts.
    let path = format!("/api/plans/{id}");
    let held = within(4 * PATIENCE, async || {
        let plan = sandbox.get(&path).await.ok()?;
        (plan["workers"][2]["state"] == "failed").then_some(plan)
    });
    let Some(held) = held.await else {
        panic!("{:#}\n{:#?}", sandbox.get(&path).await.unwrap(), model.turns());
    };
    let why = held["workers"][2]["why"].as_str().unwrap();
    assert!(
        why.contains("conflicts with that of"),
        "it says who has to merge: {why}"
    );
    let session = |place: usize| held["workers"][place]["sessionId"].as_str().unwrap().to_owned();
    let footer = sandbox
        .get(&format!("/api/sessions/{}", session(1)))
        .await
        .unwrap();
    let ask = format!("Merge the branch {}", footer["branch"].as_str().unwrap());
    let message = format!("/api/sessions/{}/message", session(0));
    sandbox.post(&message, json!({ "content": ask })).await.unwrap();
    let header = session(0);
    let merged = within(2 * PATIENCE, async || {
        let session = sandbox.get(&format!("/api/sessions/{header}")).await.ok()?;
        let place = std::path::PathBuf::from(session["workspacePath"].as_str()?);
        let subject = git(&place, &[], &["log", "-1", "--format=%s"]);
        (session["status"] == "idle" && subject.trim() == "merged").then_some(())
    });
    assert!(merged.await.is_some(), "{}", sandbox.told(&header).await);
    let last = held["workers"][2]["name"].as_str().unwrap();
    let again = sandbox.cli(&["plan", "retry", &id, last]);
    assert!(again.status.success(), "{again:?}");
    let plan = completes(&sandbox, &model, &id).await;
    assert_eq!(at(&repository, &plan, 2, "whole.html"), "header\nfooter\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_at_the_deepest_level_does_the_tasks_itself_in_their_order() {
    if real_agents::skipped() {
        return;
    }
    const ORDER: &str = "Sell shoes by a plan";
    let tasks = "Create API (id: api) (depends_on: db), Set up database (id: db)";
    let work = Call::with("Bash", |turn| {
        // What it read decides: without the order of the tasks, nothing is made.
        let told = turn.results.first().cloned().unwrap_or_default();
        let order = (told.find("Set up database"), told.find("Create API"));
        let is_in_order = matches!(order, (Some(first), Some(second)) if first < second);
        let command = match told.contains("mode: sequential") && is_in_order {
            true => "echo db > all.txt && echo api >> all.txt && git add -A && git commit -qm work",
            false => "false",
        };
        json!({ "command": command, "description": "work" })
    });
    let script = Script::new().when(
        ORDER,
        [
            Step::call("mcp__downbeat__propose_plan", json!({ "tasks": tasks })),
            Step::calls([work]),
            Step::say("Both are done."),
        ],
    );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    sandbox.configure("limits: { maxDepth: 0 }\n");
    let (project, _) = shop(&sandbox).await;
    let ask = json!({ "projectId": project, "title": "Lead", "conductor": true, "prompt": ORDER });
    let lead = sandbox.session(ask).await;
    let done = within(3 * PATIENCE, async || {
        let session = sandbox.get(&format!("/api/sessions/{lead}")).await.ok()?;
        (session["status"] == "idle").then_some(session)
    });
    let Some(done) = done.await else {
        panic!("{}\n{:#?}", sandbox.told(&lead).await, model.turns());
    };
    let place = std::path::PathBuf::from(done["workspacePath"].as_str().unwrap());
    let turns = model.turns();
    let text = std::fs::read_to_string(place.join("all.txt"));
    assert_eq!(text.unwrap_or_else(|_| panic!("{turns:#?}")), "db\napi\n");
    assert_eq!(git(&place, &[], &["status", "--porcelain"]), "");
    let workers = sandbox
        .get(&format!("/api/sessions/{lead}/workers"))
        .await
        .unwrap();
    assert_eq!(workers, json!([]), "it started nobody");
}
