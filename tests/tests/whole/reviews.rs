//! Tests of reviews here: what the person approves lands by a rule, what is requested reaches the agent in one message, and nothing
//! that was not looked at is reviewed.

use crate::checks::{checked, commit, worker};
use crate::crashes::{doomed, successor};
use crate::deliveries::{is_taken, workspace};
use crate::family::as_session;
use crate::queue::queue;
use crate::security::token_of;
use crate::session_reactions::{carried_out, history, refused, said};
use downbeat_tests::repository::git;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const MERGES: &str = "  approved-and-green: { action: auto-merge }\n";

/// A trusted project with these reactions, whose one check is approved and passes with the file `good`. Returns its id and its
/// repository.
async fn project(sandbox: &Sandbox, reactions: &str) -> (String, PathBuf) {
    let repository = sandbox.repository("shop");
    let config = format!("checks:\n  - test -e good\nreactions:\n{reactions}");
    std::fs::write(repository.join("downbeat.yaml"), config).unwrap();
    let ask = json!({ "path": repository, "trust": true });
    let added = sandbox.post("/api/projects", ask).await.unwrap();
    let id = added["id"].as_str().unwrap().to_owned();
    let approve = json!({ "approveChecks": added["checks"]["hash"] });
    let path = format!("/api/projects/{id}");
    sandbox.call("PATCH", &path, Some(approve)).await.unwrap();
    (id, repository)
}

/// A session of the project that has ended its first turn, and its worktree.
async fn rested(sandbox: &Sandbox, project: &str) -> (String, PathBuf) {
    let ask = json!({ "projectId": project, "title": "Cart", "prompt": "say ready" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    let place = workspace(sandbox, &id).await;
    (id, place)
}

async fn session(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()
}

async fn approve(sandbox: &Sandbox, id: &str, commit: &str) -> Value {
    let ask = json!({ "verdict": "approved", "commit": commit });
    let path = format!("/api/sessions/{id}/review");
    sandbox.post(&path, ask).await.unwrap()
}

/// Returns the error about a review.
async fn error(sandbox: &Sandbox, id: &str, review: Value) -> (u16, String) {
    let path = format!("/api/sessions/{id}/review");
    let refused = sandbox.post(&path, review).await.unwrap_err();
    (
        refused.status,
        refused.body["message"].as_str().unwrap().to_owned(),
    )
}

async fn landed(sandbox: &Sandbox, id: &str, repository: &Path) {
    let found = within(PATIENCE / 2, async || {
        let tree = git(repository, &[], &["ls-tree", "--name-only", "main"]);
        tree.lines().any(|name| name == "good").then_some(())
    });
    assert!(found.await.is_some(), "{:#?}", history(sandbox, id).await);
}

#[tokio::test]
async fn approved_work_lands_by_a_rule_once_it_is_verified_and_once_through_a_crash() {
    for point in ["reaction-noted", "reaction-composed", "reaction-written"] {
        let mut sandbox = Sandbox::started().await;
        let (project, repository) = project(&sandbox, MERGES).await;
        let (id, place) = rested(&sandbox, &project).await;
        let good = commit(&place, "good");
        let ask = json!({ "verdict": "approved", "commit": good, "message": "Good." });
        let path = format!("/api/sessions/{id}/review");
        for _ in 0..2 {
            let reviewed = sandbox.post_keyed(&path, ask.clone(), "a-review").await.unwrap();
            let review = &reviewed["review"];
            assert_eq!(
                (&review["number"], &review["text"], &review["isOutdated"]),
                (
                    &json!(1),
                    &json!(format!("approved by you at {}", &good[..8])),
                    &json!(false)
                ),
                "{point}"
            );
        }
        assert_eq!(
            session(&sandbox, &id).await["column"],
            "inReview",
            "its checks have not run"
        );
        assert_eq!(history(&sandbox, &id).await, [] as [Value; 0]);
        doomed(&mut sandbox, point).await;
        // The engine may end while it answers.
        let _ = sandbox
            .post(&format!("/api/sessions/{id}/checks"), json!({}))
            .await;
        successor(&mut sandbox, point).await;
        landed(&sandbox, &id, &repository).await;
        let done = carried_out(&sandbox, &id, 1).await;
        assert_eq!(
            (&done[0]["rule"], &done[0]["outcome"], &done[0]["detail"]),
            (
                &json!("approved-and-green"),
                &json!("done"),
                &json!("its work is in the merge queue of main")
            ),
            "{point}: {done:#?}"
        );
        until("its result", async || {
            (session(&sandbox, &id).await["merges"]["last"]["outcome"] == "landed").then_some(())
        })
        .await;
        let story = said(&sandbox, &["story", &id]);
        assert!(story.contains("You approved its work at"), "{story}");
    }
}

#[tokio::test]
async fn changes_are_requested_in_one_message_and_reach_the_rules() {
    let sandbox = Sandbox::started().await;
    let (project, _) = project(&sandbox, "  ci-failed: { retries: 1 }\n").await;
    let (id, place) = rested(&sandbox, &project).await;
    let head = commit(&place, "cart.ts");
    let ask = json!({
        "verdict": "changesRequested", "commit": head, "message": "Round half cents up.",
        "comments": [{ "path": "cart.ts", "line": 1, "quote": "cart.ts", "text": "Name it." }],
    });
    let path = format!("/api/sessions/{id}/review");
    for _ in 0..2 {
        let reviewed = sandbox.post_keyed(&path, ask.clone(), "a-review").await.unwrap();
        assert_eq!(reviewed["review"]["comments"], 1);
    }
    let text = format!(
        "Your work was reviewed at {}: changes are requested.\n\nRound half cents up.\n\ncart.ts:1\n> +cart.ts\nName it.\n\n\
         Make these changes, or say why not. Then commit and end your turn.",
        &head[..8]
    );
    is_taken(&sandbox, &text).await;
    // Downbeat's own rule sends nothing more, and says so.
    let done = carried_out(&sandbox, &id, 1).await;
    assert_eq!(
        (&done[0]["rule"], &done[0]["outcome"]),
        (&json!("changes-requested"), &json!("done")),
        "{done:#?}"
    );
    assert!(
        done[0]["detail"]
            .as_str()
            .unwrap()
            .contains("message of the review"),
        "{done:#?}"
    );
    let messages = queue(&sandbox, &id).await;
    let reviews = messages
        .iter()
        .filter(|message| message["text"].as_str().unwrap().contains("Name it."));
    assert_eq!(reviews.count(), 1, "{messages:#?}");
    let listed = said(&sandbox, &["reactions", "history", &id]);
    assert!(listed.contains("changes-requested"), "{listed}");
    let status = said(&sandbox, &["status", &id]);
    assert!(status.contains("changes requested by you at"), "{status}");
}

#[tokio::test]
async fn another_rule_gets_the_comments_of_a_review() {
    let sandbox = Sandbox::started().await;
    let rule = "  changes-requested: { action: spawn, message: 'say {{ comments }}' }\n";
    let (project, _) = project(&sandbox, rule).await;
    let (id, place) = rested(&sandbox, &project).await;
    let head = commit(&place, "cart.ts");
    let request = [
        "review",
        &id,
        "--request-changes",
        "--message",
        "Round it.",
        "--commit",
        &head[..10],
    ];
    let printed = said(&sandbox, &request);
    assert!(printed.contains("changes requested by you at"), "{printed}");
    carried_out(&sandbox, &id, 1).await;
    let sessions = sandbox.get("/api/sessions").await.unwrap();
    let other = sessions
        .as_array()
        .unwrap()
        .iter()
        .find(|other| other["id"] != json!(id));
    let other = other.unwrap()["id"].as_str().unwrap();
    let task = session(&sandbox, other).await["task"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        task.contains("- on the work as a whole\n    > Round it."),
        "{task}"
    );
}

#[tokio::test]
async fn only_what_was_looked_at_is_reviewed_and_nothing_is_lost() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, MERGES).await;
    let (id, place) = rested(&sandbox, &project).await;
    let list = sandbox.get(&format!("/api/sessions/{id}/changes")).await.unwrap();
    let base = list["head"].as_str().unwrap().to_owned();
    let asks =
        |verdict: &str, commit: &str| json!({ "verdict": verdict, "commit": commit, "message": "Mend it." });
    let (status, said) = error(&sandbox, &id, asks("approved", &base)).await;
    assert_eq!((status, &*said), (409, "cart has changed nothing"));

    std::fs::write(place.join("open"), "").unwrap();
    let (status, said) = error(&sandbox, &id, asks("approved", &base)).await;
    let wanted = "cart has no commit of its own to approve; 1 file is not committed";
    assert_eq!((status, &*said), (409, wanted));

    let first = commit(&place, "first");
    let second = commit(&place, "good");
    for verdict in ["approved", "changesRequested"] {
        let (status, said) = error(&sandbox, &id, asks(verdict, &first)).await;
        assert_eq!(status, 409);
        assert!(
            said.starts_with("the session committed since you looked: cart is at"),
            "{said}"
        );
    }
    let failed = refused(&sandbox, &["review", &id, "--approve", "--commit", &first[..8]]);
    assert!(
        failed.contains("the session committed since you looked"),
        "{failed}"
    );
    assert_eq!(error(&sandbox, &id, asks("approved", "HEAD")).await.0, 400);
    let empty = json!({ "verdict": "changesRequested", "commit": second });
    assert_eq!(error(&sandbox, &id, empty).await.0, 400);
    assert_eq!(session(&sandbox, &id).await["review"], json!(null));
    let sent = queue(&sandbox, &id).await;
    let is_review = |message: &Value| message["text"].as_str().unwrap().contains("Mend it.");
    assert!(!sent.iter().any(is_review), "{sent:#?}");

    let in_place =
        json!({ "projectId": project, "title": "Here", "prompt": "say ready", "workspace": "in-place" });
    let in_place = sandbox.session(in_place).await;
    sandbox.status(&in_place, &["idle"]).await;
    let main = git(&repository, &[], &["rev-parse", "HEAD"]);
    let (_, said) = error(&sandbox, &in_place, asks("approved", main.trim())).await;
    assert_eq!(said, "here works in the project's own checkout");

    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    sandbox.status(&id, &["killed"]).await;
    let (_, said) = error(&sandbox, &id, asks("changesRequested", &second)).await;
    assert_eq!(said, "cart has ended: killed");
    sandbox
        .post(&format!("/api/sessions/{id}/archive"), json!({}))
        .await
        .unwrap();
    let (status, said) = error(&sandbox, &id, asks("approved", &second)).await;
    assert_eq!((status, &*said), (409, "cart is archived"));
    assert_eq!(history(&sandbox, &id).await, [] as [Value; 0]);
}

#[tokio::test]
async fn an_outdated_approval_never_merges() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, MERGES).await;
    let (id, place) = rested(&sandbox, &project).await;
    let first = commit(&place, "first");
    approve(&sandbox, &id, &first).await;
    commit(&place, "good");
    sandbox
        .post(&format!("/api/sessions/{id}/checks"), json!({}))
        .await
        .unwrap();
    checked(&sandbox, &id, "green").await;
    let text = format!("approved by you at {}; outdated: 1 newer commit", &first[..8]);
    until("the newer commit is counted", async || {
        (session(&sandbox, &id).await["review"]["text"] == json!(text)).then_some(())
    })
    .await;
    let status = said(&sandbox, &["status", &id]);
    assert!(status.contains(&text), "{status}");
    assert_eq!(history(&sandbox, &id).await, [] as [Value; 0]);
    let tree = git(&repository, &[], &["ls-tree", "--name-only", "main"]);
    assert!(!tree.contains("first"), "{tree}");
    assert_eq!(session(&sandbox, &id).await["mergeState"], json!(null));

    // Reviewed again, it lands.
    let head = git(&place, &[], &["rev-parse", "HEAD"]);
    approve(&sandbox, &id, head.trim()).await;
    landed(&sandbox, &id, &repository).await;
}

#[tokio::test]
async fn an_agent_requests_changes_of_its_workers_and_approves_nothing() {
    let sandbox = Sandbox::started().await;
    let (project, repository) = project(&sandbox, MERGES).await;
    let id = worker(&sandbox, &project, "say ready").await;
    sandbox.status(&id, &["idle"]).await;
    let place = workspace(&sandbox, &id).await;
    let good = commit(&place, "good");
    sandbox
        .post(&format!("/api/sessions/{id}/checks"), json!({}))
        .await
        .unwrap();
    checked(&sandbox, &id, "green").await;
    let lead = session(&sandbox, &id).await["parent"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/api/sessions/{id}/review");
    let ask = json!({ "verdict": "approved", "commit": good });
    for token in [token_of(&lead).await, token_of(&id).await] {
        let (status, answer) = as_session(&sandbox, &token, "POST", &path, ask.clone()).await;
        assert_eq!(
            (status, &answer["message"]),
            (403, &json!("an agent may not approve work: only the person does")),
            "{answer:#}"
        );
    }
    let ask = json!({ "verdict": "changesRequested", "commit": good, "message": "Test it." });
    let own = token_of(&id).await;
    let (status, _) = as_session(&sandbox, &own, "POST", &path, ask.clone()).await;
    assert_eq!(status, 403, "of itself");
    let (status, answer) = as_session(&sandbox, &token_of(&lead).await, "POST", &path, ask).await;
    assert_eq!(
        (status, &answer["review"]["text"]),
        (
            200,
            &json!(format!("changes requested by lead at {}", &good[..8]))
        ),
        "{answer:#}"
    );
    // It commits nothing: its verified work waits for whoever asked.
    until("the message is delivered", async || {
        let all = queue(&sandbox, &id).await;
        all.iter()
            .any(|message| message["state"] == "delivered" && message["from"] == json!(lead))
            .then_some(())
    })
    .await;
    sandbox.status(&id, &["idle"]).await;
    assert_eq!(session(&sandbox, &id).await["column"], "inReview");
    let tree = git(&repository, &[], &["ls-tree", "--name-only", "main"]);
    assert!(!tree.contains("good"), "{tree}");
}
