//! Tests `downbeat fix` with the real Claude Code and the real tools of three languages: eight failing tests and lints become green
//! on the default branch, by a worker each, and the report says so.

mod shop;

use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::Sandbox;
use downbeat_tests::{real_agents, real_tools};
use serde_json::{Value, json};

/// The beginning of each worker's task.
const TASK: &str = "Fix these failures of the project's checks";

fn script() -> Script {
    let mend = |prompt: &str| json!({"command": shop::mend(prompt), "description": "mend it"});
    let mend = Step::call_with("Bash", move |turn| mend(&turn.prompt));
    Script::new().when(TASK, [mend, Step::say("It is mended.")])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_red_in_three_languages_becomes_green_on_main() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script()).await.unwrap();
    let sandbox = Sandbox::with_claude(&model).await;
    real_tools::put(&sandbox);
    let repository = sandbox.repository("shop");
    shop::write(&repository);
    git(&repository, &[], &["config", "user.name", "Ada"]);
    git(&repository, &[], &["config", "user.email", "ada@example.com"]);
    git(&repository, &[], &["add", "-A"]);
    git(&repository, &[], &["commit", "-qm", "a shop"]);
    let ask = json!({"path": repository, "trust": true});
    let project = sandbox.post("/api/projects", ask).await.unwrap();
    let approve = json!({"approveChecks": project["checks"]["hash"]});
    let path = format!("/api/projects/{}", project["id"].as_str().unwrap());
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();

    let begun = std::time::Instant::now();
    let output = sandbox.cli(&["fix", "--project", "shop", "--workers", "4"]);
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let runs = sandbox.get("/api/fixes").await.unwrap();
    let run = &runs[0];
    assert!(output.status.success(), "{report}\n{run:#}");
    println!("{report}after {:?}", begun.elapsed());
    assert!(
        report.contains("all checks are green on main: 8 groups fixed"),
        "{report}"
    );
    let groups = run["groups"].as_array().unwrap();
    let of = |file: &str| groups.iter().find(|group| group["title"] == file);
    for (file, _) in shop::MENDS {
        let group = of(file).unwrap_or_else(|| panic!("no group of {file}: {run:#}"));
        assert_eq!(group["state"], "fixed", "{group:#}");
        assert_eq!(group["failures"].as_array().map(Vec::len), Some(1), "{group:#}");
        assert!(report.contains(file), "{report}");
    }
    // No worker got in another one's way.
    let sessions = sandbox.get("/api/sessions").await.unwrap();
    let clash = |session: &Value| {
        session["collisions"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    };
    assert!(!sessions.as_array().unwrap().iter().any(clash), "{sessions:#}");
    let merges = git(&repository, &[], &["log", "--merges", "--format=%s", "main"]);
    assert_eq!(merges.lines().count(), 8, "{merges}");
    assert_eq!(
        git(&repository, &[], &["status", "--porcelain"]).trim(),
        "",
        "the checkout follows"
    );
}
