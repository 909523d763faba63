//! Tests that one plan has workers of different agents: a feature of spec-kit whose phases Codex, OpenCode and Claude Code do one after
//! the other, each with the work of the one before. The agent of the last task is not installed, and a person does that one.

use crate::commits::{codex, commit, committed, opencode, said};
use crate::plans::{allowed, at, shop};
use downbeat_tests::model_server::{ModelServer, Script};
use downbeat_tests::real_agents;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The tasks, in the form in which spec-kit writes them.
const TASKS: &str = include_str!("tasks.md");

/// Where they are in the repository.
const PLACE: &str = "specs/001-shop/tasks.md";

/// Returns what the model of each agent does. The later ones fail without the file of the one before.
fn script() -> Script {
    let api = "sed 's/^/GET /' schema.sql > api.txt && test -s api.txt";
    let page = "sed 's/^/show /' api.txt > ui.txt && test -s ui.txt";
    Script::new()
        .when(
            "- Set up the database",
            codex(&committed("echo 'shoes(id, name)' > schema.sql")),
        )
        .when("- Create the API", opencode(&committed(api)))
        .when("- Build the page", [commit(page), said()])
}

/// Returns the place of the worker that has this task.
fn of(plan: &Value, task: &str) -> usize {
    let workers = plan["workers"].as_array().unwrap();
    let has = |worker: &Value| worker["tasks"] == json!([task]);
    workers.iter().position(has).unwrap()
}

fn state<'a>(plan: &'a Value, task: &str) -> &'a str {
    plan["workers"][of(plan, task)]["state"].as_str().unwrap()
}

/// Writes the guide on a branch that begins with the work before it, as its prompt asks.
fn write_by_hand(sandbox: &Sandbox, repository: &Path, begins: &str) {
    let place = sandbox.path().join("by-hand");
    let to = place.to_str().unwrap();
    git(
        repository,
        &[],
        &["worktree", "add", "-q", "-b", "mine", to, begins],
    );
    fs::write(place.join("guide.md"), "# Guide\n").unwrap();
    git(&place, &[], &["add", "-A"]);
    git(&place, &[], &["commit", "-qm", "guide"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn three_agents_and_a_person_do_the_phases_of_a_feature_of_spec_kit() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["claude", "codex", "opencode"]).await;
    let (project, repository) = shop(&sandbox).await;
    let file = repository.join(PLACE);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, TASKS).unwrap();
    git(&repository, &[], &["add", "-A"]);
    git(&repository, &[], &["commit", "-qm", "specify"]);
    let words = ["orchestrate", "execute", file.to_str().unwrap()];
    let options = ["--project", &project, "--split", "task", "--yes", "--json"];
    let output = sandbox.cli(&[&words[..], &options[..]].concat());
    assert!(output.status.success(), "{output:?}");
    let proposed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = proposed["id"].as_str().unwrap();

    let plan = allowed(&sandbox, &model, id, |plan| {
        state(plan, "T004") == "done" && state(plan, "T005") == "failed"
    })
    .await;
    let (api, page) = (of(&plan, "T003"), of(&plan, "T004"));
    let shown = at(&repository, &plan, page, "ui.txt");
    assert_eq!(shown.trim(), "show GET shoes(id, name)");
    for (task, agent) in [("T002", "codex"), ("T003", "opencode"), ("T004", "claude")] {
        let session = plan["workers"][of(&plan, task)]["sessionId"].as_str().unwrap();
        let session = sandbox.get(&format!("/api/sessions/{session}")).await.unwrap();
        assert_eq!(session["agent"], agent, "{task}");
    }

    // The agent of the last task is not here: its prompt is written for whoever does it.
    let guide = &plan["workers"][of(&plan, "T005")];
    let (name, why) = (guide["name"].as_str().unwrap(), guide["why"].as_str().unwrap());
    assert!(why.contains("ider"), "it names the agent: {why}");
    let folder = sandbox.path().join("prompts");
    let written = sandbox.cli(&["plan", "prompts", id, folder.to_str().unwrap()]);
    assert!(written.status.success(), "{written:?}");
    let prompt = fs::read_to_string(folder.join(format!("worker-{name}_prompt.md"))).unwrap();
    assert!(prompt.contains("Write the guide"), "{prompt}");
    write_by_hand(
        &sandbox,
        &repository,
        plan["workers"][api]["commit"].as_str().unwrap(),
    );
    let counted = sandbox.cli(&["plan", "done", id, name, "--branch", "mine"]);
    assert!(counted.status.success(), "{counted:?}");
    let plan = allowed(&sandbox, &model, id, |plan| plan["state"] == "complete").await;
    assert_eq!(at(&repository, &plan, of(&plan, "T005"), "guide.md"), "# Guide\n");
    let ticked = within(PATIENCE, async || {
        let text = fs::read_to_string(&file).ok()?;
        (!text.contains("- [ ]")).then_some(text)
    });
    let ticked = ticked.await.expect("all boxes are ticked");
    assert_eq!(
        ticked.to_lowercase(),
        TASKS.replace("- [ ]", "- [x]").to_lowercase(),
        "nothing else changed"
    );
}
