//! Tests that Claude Code and Codex, which change the same line, are known to collide before either of them lands; and that the one
//! whose work lands second gets the conflict from the merge queue, resolves it, and lands.

use crate::commits::codex;
use crate::plans::shop;
use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::{Value, json};

/// The person's prompt to the conductor.
const ORDER: &str = "Name the page";

/// What the conductor hears of two of its workers.
const COLLIDE: &str = "changed the same lines";

/// The end of what the merge queue tells an agent about a conflict.
const RESOLVE: &str = "resolve the conflicts, commit and end your turn";

fn spawn(agent: &str, name: &str, task: &str) -> Call {
    let arguments = json!({ "task": task, "name": name, "agent": agent });
    Call::new("mcp__downbeat__spawn_worker", arguments)
}

fn script() -> Script {
    let workers = [
        spawn("claude", "login", "Name it after the login"),
        spawn("codex", "cart", "Name it after the cart"),
    ];
    let login = json!({ "command": "echo login > name.txt && git add -A && git commit -qm login", "description": "work" });
    let resolve =
        "git merge -q main || (printf 'login and cart\\n' > name.txt && git add -A && git commit -qm both)";
    Script::new()
        .when(RESOLVE, codex(resolve))
        .when(
            "Name it after the login",
            [Step::call("Bash", login), Step::say("It is committed.")],
        )
        .when(
            "Name it after the cart",
            codex("echo cart > name.txt && git add -A && git commit -qm cart"),
        )
        .when(ORDER, [Step::calls(workers), Step::say("I wait to hear of it.")])
}

/// Gives the first answer to each question of a worker, as a person who lets it work, until there is what is wanted.
async fn allowed<T>(
    what: &str,
    sandbox: &Sandbox,
    model: &ModelServer,
    look: impl Fn(&[Value]) -> Option<T>,
) -> T {
    let found = within(4 * PATIENCE, async || {
        let sessions = sandbox.get("/api/sessions").await.ok()?;
        let sessions = sessions.as_array()?;
        for session in sessions.iter().filter(|one| one["status"] == "waiting") {
            let answer = format!("/api/sessions/{}/answer", session["id"].as_str()?);
            // The answers are read from the screen a little later, so a try may fail.
            let _ = sandbox.post(&answer, json!({ "choice": "1" })).await;
        }
        look(sessions)
    });
    match found.await {
        Some(found) => found,
        None => panic!(
            "this never came: {what}\n{:#}\n{:#?}",
            sandbox.get("/api/sessions").await.unwrap(),
            model.turns()
        ),
    }
}

fn named<'a>(sessions: &'a [Value], name: &str) -> Option<&'a Value> {
    sessions.iter().find(|session| session["name"] == name)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_agents_that_change_one_line_are_known_to_collide_and_both_land() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(script()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["claude", "codex"]).await;
    let (project, repository) = shop(&sandbox).await;
    std::fs::write(repository.join("name.txt"), "shop\n").unwrap();
    git(&repository, &[], &["add", "-A"]);
    git(&repository, &[], &["commit", "-qm", "a name"]);
    let ask = json!({ "projectId": project, "title": "Lead", "conductor": true, "prompt": ORDER, "agent": "claude" });
    sandbox.session(ask).await;

    // Within their turns, before anything lands.
    let collision = allowed("the collision", &sandbox, &model, |sessions| {
        let collides = |name| {
            let collision = &named(sessions, name)?["collisions"][0];
            (collision["conflicts"] == true).then(|| collision.clone())
        };
        collides("cart")?;
        collides("login")
    })
    .await;
    let file = json!({ "path": "name.txt", "samePlace": true, "conflicts": true });
    assert_eq!(collision["files"], json!([file]));
    allowed("the conductor hears of it", &sandbox, &model, |_| {
        let turns = model.turns();
        turns
            .iter()
            .any(|turn| turn.prompt.contains(COLLIDE))
            .then_some(())
    })
    .await;

    let merged = sandbox.cli(&["merge", "login", "--unchecked"]);
    assert!(merged.status.success(), "{merged:?}");
    let refused = sandbox.cli(&["merge", "cart", "--unchecked"]);
    let said = String::from_utf8_lossy(&refused.stderr) + String::from_utf8_lossy(&refused.stdout);
    assert!(
        said.contains("cart is in conflict with main: both changed name.txt"),
        "{said}"
    );
    allowed("Codex resolves the conflict", &sandbox, &model, |sessions| {
        let cart = named(sessions, "cart")?;
        let place = std::path::PathBuf::from(cart["workspacePath"].as_str()?);
        let subject = git(&place, &[], &["log", "-1", "--format=%s"]);
        (cart["status"] == "idle" && subject.trim() == "both").then_some(())
    })
    .await;
    let merged = sandbox.cli(&["merge", "cart", "--unchecked"]);
    assert!(merged.status.success(), "{merged:?}");
    assert_eq!(
        git(&repository, &[], &["show", "main:name.txt"]),
        "login and cart\n"
    );
    let authors = git(
        &repository,
        &[],
        &["log", "main", "--no-merges", "--format=%s", "--", "name.txt"],
    );
    assert!(
        authors.contains("login") && authors.contains("cart"),
        "both agents' commits: {authors}"
    );
    allowed("nothing collides any more", &sandbox, &model, |sessions| {
        let rests = |name| {
            named(sessions, name)?["collisions"]
                .as_array()
                .is_none_or(Vec::is_empty)
                .then_some(())
        };
        rests("login").and(rests("cart"))
    })
    .await;
}
