//! Tests of the order in which the work of plans over several repositories lands: after what it needs in the others, here and at a
//! forge, whatever step the engine is killed at.

use crate::crashes::{doomed, successor};
use crate::merging::{project, said};
use crate::plan_projects::{added, api, chain, made, session, session_of, task};
use crate::pull_writes::{at_forge, cli, pushing};
use downbeat_tests::forge::TestForge;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::Path;

/// Returns the files of a repository's default branch.
fn files(repository: &Path) -> Vec<String> {
    let tree = git(repository, &[], &["ls-tree", "--name-only", "main"]);
    tree.lines().map(str::to_owned).collect()
}

fn has(repository: &Path, file: &str) -> bool {
    files(repository).iter().any(|name| name == file)
}

/// Requests the merge of a session's work.
async fn merge(sandbox: &Sandbox, id: &str, ask: Value) {
    let path = format!("/api/sessions/{id}/merge");
    sandbox.post(&path, ask).await.unwrap();
}

async fn lands(sandbox: &Sandbox, repository: &Path, file: &str) {
    let landed = within(2 * PATIENCE, async || has(repository, file).then_some(()));
    assert!(
        landed.await.is_some(),
        "{file}: {:#}",
        sandbox.get("/api/sessions").await.unwrap()
    );
}

async fn waits(sandbox: &Sandbox, id: &str, words: &str) {
    let found = within(PATIENCE, async || {
        let session = session(sandbox, id).await;
        let waits = session["merges"]["waits"].as_str()?.to_owned();
        waits.contains(words).then_some(())
    });
    assert!(
        found.await.is_some(),
        "{:#}",
        session(sandbox, id).await["merges"]
    );
}

#[tokio::test]
async fn work_lands_after_what_it_needs_in_the_other_repository() {
    let sandbox = Sandbox::started().await;
    let (_, shop) = project(&sandbox, None).await;
    let (_, api) = api(&sandbox, None).await;
    let plan = made(&sandbox, &chain()).await;
    let (tables, routes, page) = (
        session_of(&plan, "tables"),
        session_of(&plan, "routes"),
        session_of(&plan, "page"),
    );
    merge(&sandbox, &page, json!({ "priority": "high" })).await;
    merge(&sandbox, &routes, json!({})).await;
    let held = "held by its plan: waits until the work of backend-api in api has landed";
    waits(&sandbox, &page, held).await;
    let merges = session(&sandbox, &page).await["merges"].clone();
    assert_eq!(merges["heldByPlan"], json!(true), "{merges:#}");
    waits(&sandbox, &routes, "the work of backend in shop has landed").await;
    // Asking again changes nothing, and what nobody waits for is not held.
    merge(&sandbox, &page, json!({ "priority": "high" })).await;
    merge(&sandbox, &session_of(&plan, "documents"), json!({})).await;
    lands(&sandbox, &api, "documents.txt").await;
    assert!(!has(&shop, "page.txt") && !has(&api, "routes.txt"));
    let status = said(&sandbox.cli(&["status", &page]), 0);
    assert!(status.contains(held), "{status}");
    // A cancelled merge does not come back.
    said(&sandbox.cli(&["merge", &page, "--cancel"]), 0);
    assert_eq!(session(&sandbox, &page).await["merges"], Value::Null);
    merge(&sandbox, &page, json!({})).await;

    merge(&sandbox, &tables, json!({})).await;
    lands(&sandbox, &shop, "page.txt").await;
    assert!(has(&api, "routes.txt") && has(&shop, "tables.txt"));
    for one in [&tables, &routes, &page] {
        until("its result", async || {
            let merges = session(&sandbox, one).await["merges"].clone();
            (merges["last"]["outcome"] == "landed").then_some(())
        })
        .await;
    }
    let id = plan["id"].as_str().unwrap();
    let report = said(&sandbox.cli(&["plan", "report", id]), 0);
    assert!(report.contains("\nLanded on main as "), "{report}");
    assert!(!report.contains("Not landed yet"), "{report}");
}

/// What was asked for, or approved, was another commit: nobody has looked at the newer one.
#[tokio::test]
async fn commits_after_the_request_do_not_land_with_it() {
    let sandbox = Sandbox::started().await;
    let (_, shop) = project(&sandbox, None).await;
    let (_, api) = api(&sandbox, None).await;
    let plan = made(&sandbox, &chain()).await;
    let (routes, page) = (session_of(&plan, "routes"), session_of(&plan, "page"));
    merge(&sandbox, &page, json!({})).await;
    waits(&sandbox, &page, "backend-api in api").await;
    let worktree = session(&sandbox, &page).await["workspacePath"].clone();
    let worktree = Path::new(worktree.as_str().unwrap());
    std::fs::write(worktree.join("later.txt"), "nobody looked at it\n").unwrap();
    git(worktree, &[], &["add", "later.txt"]);
    git(worktree, &[], &["commit", "-qm", "later"]);
    merge(&sandbox, &session_of(&plan, "tables"), json!({})).await;
    merge(&sandbox, &routes, json!({})).await;
    lands(&sandbox, &api, "routes.txt").await;
    let refused = within(PATIENCE, async || {
        let last = session(&sandbox, &page).await["merges"]["last"].clone();
        let detail = last["detail"].as_str()?.to_owned();
        detail
            .contains("has other commits than when its merge was requested")
            .then_some(())
    });
    assert!(
        refused.await.is_some(),
        "{:#}",
        session(&sandbox, &page).await["merges"]
    );
    assert!(!has(&shop, "page.txt") && !has(&shop, "later.txt"));
    // Once it is asked for, it lands.
    merge(&sandbox, &page, json!({})).await;
    lands(&sandbox, &shop, "later.txt").await;
}

/// Also that a merge by hand is seen, and that the person may change the order.
#[tokio::test]
async fn what_others_merged_has_landed_and_the_person_may_change_the_order() {
    let sandbox = Sandbox::started().await;
    let (_, shop) = project(&sandbox, None).await;
    let (_, api) = api(&sandbox, None).await;
    let plan = made(&sandbox, &chain()).await;
    let (routes, page) = (session_of(&plan, "routes"), session_of(&plan, "page"));
    merge(&sandbox, &page, json!({})).await;
    waits(&sandbox, &page, "backend-api in api").await;
    let said = said(&sandbox.cli(&["merge", &page, "--any-order"]), 0);
    assert!(said.contains("main"), "{said}");
    assert!(has(&shop, "page.txt") && !has(&api, "routes.txt"));
    // The work of the tables came with the page; the routes see that at the next look.
    merge(&sandbox, &routes, json!({})).await;
    lands(&sandbox, &api, "routes.txt").await;
}

#[tokio::test]
async fn an_engine_that_is_killed_while_work_may_land_lands_it_once() {
    let mut sandbox = Sandbox::started().await;
    let (_, shop) = project(&sandbox, None).await;
    let (_, api) = api(&sandbox, None).await;
    for point in ["plan-landed", "plan-lands"] {
        let named = |task: &str| format!("{task}-{point}");
        let (first, second, third) = (named("tables"), named("routes"), named("page"));
        let tasks = json!([
            task(&first, None, &[]),
            task(&second, Some("api"), &[&first]),
            task(&third, None, &[&second])
        ]);
        let plan = made(&sandbox, &tasks).await;
        let (tables, routes, page) = (
            session_of(&plan, &first),
            session_of(&plan, &second),
            session_of(&plan, &third),
        );
        merge(&sandbox, &page, json!({})).await;
        merge(&sandbox, &routes, json!({})).await;
        doomed(&mut sandbox, point).await;
        // The engine may die before it answers.
        let path = format!("/api/sessions/{tables}/merge");
        let _ = sandbox.post(&path, json!({})).await;
        successor(&mut sandbox, point).await;
        lands(&sandbox, &shop, &format!("{third}.txt")).await;
        assert!(has(&api, &format!("{second}.txt")), "{point}");
        for (repository, work) in [(&shop, &first), (&api, &second), (&shop, &third)] {
            let file = format!("{work}.txt");
            let merges = git(
                repository,
                &[],
                &["log", "--first-parent", "--format=%H", "main", "--", &file],
            );
            assert_eq!(merges.lines().count(), 1, "{point}: {work} landed once");
        }
    }
}

#[tokio::test]
async fn pull_requests_name_those_that_they_need_and_are_merged_after_them() {
    let forge = TestForge::start().await;
    let (sandbox, _) = pushing(&forge).await;
    let api = sandbox.repository("api");
    let url = "https://github.com/acme/api.git";
    git(&api, &[], &["remote", "add", "origin", url]);
    forge.repository("acme", "api").await;
    forge.take_pushes(&api);
    git(&api, &[], &["push", "-q", "origin", "main"]);
    added(&sandbox, api, None).await;
    let tasks = json!([
        task("tables", None, &[]),
        task("routes", Some("api"), &["tables"])
    ]);
    let plan = made(&sandbox, &tasks).await;
    let (tables, routes) = (session_of(&plan, "tables"), session_of(&plan, "routes"));
    for one in [&tables, &routes] {
        cli(&sandbox, &["pr", "create", one]).unwrap();
    }
    let (of_tables, of_routes) = (
        session(&sandbox, &tables).await["pulls"][0].clone(),
        session(&sandbox, &routes).await["pulls"][0].clone(),
    );
    let body = at_forge(&forge, &of_tables).await["body"].clone();
    assert!(
        body.as_str().unwrap().contains("Part of the plan `") && !body.as_str().unwrap().contains("It needs"),
        "{body}"
    );
    let body = at_forge(&forge, &of_routes).await["body"].clone();
    let line = format!(
        "\n\nIt needs:\n\n- {} (`backend`)\n",
        of_tables["url"].as_str().unwrap()
    );
    assert!(body.as_str().unwrap().contains(&line), "{body}");

    for card in [&of_tables, &of_routes] {
        let id = card["id"].as_str().unwrap().rsplit('/').next().unwrap();
        forge.green(id).await;
    }
    sandbox.post("/api/forges/look", json!({})).await.unwrap();
    merge(&sandbox, &routes, json!({})).await;
    waits(
        &sandbox,
        &routes,
        "1st in the queue of main at github.com/acme/api: waits until the work of backend in shop has landed",
    )
    .await;
    let outcome = async |id: &str| session(&sandbox, id).await["merges"]["last"]["outcome"].clone();
    assert_eq!(outcome(&routes).await, Value::Null);
    merge(&sandbox, &tables, json!({})).await;
    until("both are merged", async || {
        let both = (outcome(&tables).await, outcome(&routes).await);
        (both == (json!("landed"), json!("landed"))).then_some(())
    })
    .await;
}
