//! Tests of who works on the tasks of a domain, as the project's configuration says.

use crate::merging::{project, said};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

const DOMAINS: &str = "\
domains:
  testing: [vitest]
  security: { keywords: [pen test], agent: claude, model: claude-opus-4-5, permissionMode: plan, skills: [owasp] }
";

const GOAL: &str = "Pen test the login, Run vitest, Write the security headers (agent: codex)";

async fn plan(sandbox: &Sandbox, more: &[&str]) -> Value {
    let asked = ["orchestrate", GOAL, "--project", "shop", "--json"];
    let output = sandbox.cli(&[&asked[..], more].concat());
    said(&output, 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn who(plan: &Value) -> Vec<[Value; 4]> {
    let tasks = plan["tasks"].as_array().unwrap().iter();
    let who = ["agent", "model", "permissionMode", "skills"];
    tasks.map(|task| who.map(|key| task[key].clone())).collect()
}

#[tokio::test]
async fn a_request_adds_keywords_for_one_plan() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, Some(DOMAINS)).await;
    let goal = "Draw the water shader, Bake each texture, Run vitest";
    let asked = ["orchestrate", goal, "--project", "shop", "--dry-run"];
    let more = [
        "--domain",
        "graphics=shader, texture",
        "--domain",
        "backend=vitest,vitest",
        "--json",
    ];
    let output = sandbox.cli(&[&asked[..], &more[..]].concat());
    said(&output, 0);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found: Vec<&Value> = (plan["tasks"].as_array().unwrap().iter())
        .map(|task| &task["domain"])
        .collect();
    assert_eq!(found[..2], ["graphics", "graphics"]);
    for (words, wrong) in [
        (
            json!({ "graphics": [""] }),
            "domains.graphics: a keyword has between 1 and 60 characters",
        ),
        (json!({ " ": ["shader"] }), "domains: a domain has no name"),
        (json!({ "graphics": vec!["w"; 200] }), "at most 200 are possible"),
    ] {
        let ask = json!({ "projectId": "shop", "text": goal, "domains": words });
        let refused = sandbox.post("/api/plans", ask).await.unwrap_err();
        let message = refused.body["message"].as_str().unwrap();
        assert!(message.contains(wrong), "{message}");
    }
    let wrong = sandbox.cli(&[&asked[..], &["--domain", "graphics"]].concat());
    assert!(said(&wrong, 2).contains("NAME=WORD,WORD"), "{wrong:?}");
    let other = plan_of(&sandbox, goal).await;
    assert_eq!(
        other["tasks"][0]["domain"], "general",
        "it was for that plan alone"
    );
}

async fn plan_of(sandbox: &Sandbox, goal: &str) -> Value {
    let ask = json!({ "projectId": "shop", "text": goal, "dryRun": true });
    sandbox.post("/api/plans", ask).await.unwrap()
}

#[tokio::test]
async fn the_workers_of_a_domain_are_started_as_its_settings_say() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, Some(DOMAINS)).await;
    let none = Value::Null;
    let of_security = [
        json!("claude"),
        json!("claude-opus-4-5"),
        json!("plan"),
        json!(["owasp"]),
    ];
    let by_hand = [json!("codex"), none.clone(), json!("plan"), json!(["owasp"])];
    let shown = plan(&sandbox, &["--dry-run"]).await;
    assert_eq!(
        who(&shown),
        [
            of_security,
            [none.clone(), none.clone(), none.clone(), none.clone()],
            by_hand
        ],
        "{shown:#}"
    );
    let chosen = plan(&sandbox, &["--dry-run", "--agent", "codex"]).await;
    assert_eq!(
        who(&chosen)[0][..2],
        [none.clone(), none],
        "the person chose the agent"
    );

    let printed = said(
        &sandbox.cli(&["orchestrate", GOAL, "--project", "shop", "--dry-run"]),
        0,
    );
    for words in [
        "Its agent is claude.",
        "Its model is claude-opus-4-5.",
        "Its permission mode is plan.",
        "It uses the skill owasp.",
    ] {
        assert!(printed.contains(words), "{printed}");
    }
    let made = plan(&sandbox, &["--yes"]).await;
    let id = made["id"].as_str().unwrap();
    let session = until("the worker is started", async || {
        let plan = sandbox.get(&format!("/api/plans/{id}")).await.ok()?;
        let workers = plan["workers"].as_array()?.clone();
        let first = workers.iter().find(|worker| worker["domain"] == "security")?;
        Some(first["sessionId"].as_str()?.to_owned())
    })
    .await;
    let session = sandbox.get(&format!("/api/sessions/{session}")).await.unwrap();
    let found = ["agent", "model", "permissionMode"].map(|key| session[key].clone());
    assert_eq!(found, [json!("claude"), json!("claude-opus-4-5"), json!("plan")]);
}

#[tokio::test]
async fn a_mistake_in_a_domain_is_named_before_anything_is_planned() {
    let sandbox = Sandbox::started().await;
    let (_, repository) = project(&sandbox, None).await;
    let asked = ["orchestrate", "Audit the login", "--project", "shop", "--dry-run"];
    for (domain, words, code) in [
        ("{ agent: kodex }", "domains.security.agent in downbeat.yaml", 3),
        ("{ model: gpt-5 }", "name the `agent` whose model it is", 2),
        (
            "{ permissionMode: bypass }",
            "`bypass` is chosen for one session",
            2,
        ),
        ("{ agnet: codex }", "domains.security", 2),
        ("12", "domains.security", 2),
    ] {
        let text = format!("domains:\n  security: {domain}\n");
        std::fs::write(repository.join("downbeat.yaml"), text).unwrap();
        let refused = said(&sandbox.cli(&asked), code);
        assert!(refused.contains(words), "{domain}: {refused}");
    }
}

#[tokio::test]
async fn the_persons_own_domains_count_in_all_projects_behind_those_of_the_project() {
    let sandbox = Sandbox::started().await;
    let _ = project(&sandbox, Some("domains:\n  chain: [ledger]\n")).await;
    let goal = "Solidity contract, Ledger of payments, Gas report";
    let domains = async || {
        let ask = json!({ "projectId": "shop", "text": goal, "dryRun": true });
        let plan = sandbox.post("/api/plans", ask).await.ok()?;
        let tasks = plan["tasks"].as_array()?.iter();
        Some(
            tasks
                .filter_map(|task| task["domain"].as_str().map(str::to_owned))
                .collect::<Vec<_>>(),
        )
    };
    sandbox.configure("domains:\n  chain: [solidity]\n  fees: [gas]\n");
    let found = until("the person's domains count", async || {
        let found = domains().await?;
        found.contains(&"fees".to_owned()).then_some(found)
    })
    .await;
    assert_eq!(
        found,
        ["general", "chain", "fees"],
        "the project has other words for a chain"
    );
}
