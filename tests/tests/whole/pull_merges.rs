//! Tests of merges at the forge: only what is green there at the commit that was asked for, once, and what follows.

use crate::crashes::{doomed, successor};
use crate::pulls::{cart, commit, look, of, shop};
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::{Sandbox, until};
use downbeat_tests::shapes::Kind;
use serde_json::{Value, json};

/// A sandbox with a session and its pull request, with one green check: the forge's repository, the session, the pull
/// request and its commit.
struct Desk {
    forge: TestForge,
    sandbox: Sandbox,
    repository: String,
    session: String,
    pull: String,
    head: String,
}

async fn desk(config: &str) -> Desk {
    desk_at(Kind::GitHub, config).await
}

async fn desk_at(kind: Kind, config: &str) -> Desk {
    let forge = kind.start().await;
    let (sandbox, repository) = shop(&forge).await;
    if !config.is_empty() {
        let projects = sandbox.get("/api/projects").await.unwrap();
        let place = std::path::Path::new(projects[0]["path"].as_str().unwrap()).join("downbeat.yaml");
        std::fs::write(place, config).unwrap();
    }
    let (session, pull, head) = cart(&forge, &sandbox, &repository).await;
    Desk {
        forge,
        sandbox,
        repository,
        session,
        pull,
        head,
    }
}

impl Desk {
    fn cli(&self, arguments: &[&str]) -> Result<String, String> {
        let output = self.sandbox.cli(arguments);
        let text = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned();
        if output.status.success() {
            Ok(text)
        } else {
            Err(text)
        }
    }

    async fn at_forge(&self) -> Value {
        self.forge.control(json!({ "op": "show", "id": self.pull })).await
    }

    async fn branches(&self) -> Vec<String> {
        let asked = json!({ "op": "branches", "repository": self.repository });
        serde_json::from_value(self.forge.control(asked).await).unwrap()
    }

    async fn notices(&self, about: &str) -> usize {
        let all = self.sandbox.notices().await;
        let is_it = |notice: &&Value| notice["text"].as_str().is_some_and(|text| text.contains(about));
        all.iter().filter(is_it).count()
    }

    /// How often the forge was asked to merge.
    async fn merges(&self) -> usize {
        self.forge.merges().await
    }
}

#[tokio::test]
async fn a_green_pull_request_is_merged_at_its_commit_and_its_branch_deleted() {
    let desk = desk("").await;
    look(&desk.sandbox).await;
    let said = desk.cli(&["merge", "cart", "--delete-branch"]).unwrap();
    assert!(said.contains("pull request #1 landed on main as"), "{said}");
    let there = desk.at_forge().await;
    assert_eq!(
        (&there["state"], &there["mergedBy"]),
        (&json!("MERGED"), &json!("SQUASH")),
        "{there:#}"
    );
    assert_eq!(desk.branches().await, ["main"]);
    let shown = of(&desk.sandbox, &desk.session).await;
    assert_eq!(shown["pulls"][0]["state"], "merged", "{shown:#}");
    assert_eq!(shown["merges"]["last"]["head"], json!(desk.head));
    until("the person is told once", async || {
        (desk.notices("was merged into main").await == 1).then_some(())
    })
    .await;
    // It is not merged here once more by mistake.
    let error = desk.cli(&["merge", "cart"]).unwrap_err();
    assert!(
        error.contains("#1 of cart was merged already") && error.contains("--local"),
        "{error}"
    );
    let error = desk.cli(&["merge", "cart", "--when-ready"]).unwrap_err();
    assert!(error.contains("has none that is open"), "{error}");
}

#[tokio::test]
async fn a_base_that_moves_in_the_moment_of_a_merge_is_tried_again_for_a_bounded_number_of_times() {
    let mut desk = desk("").await;
    desk.sandbox.kill_engine();
    desk.sandbox.set_env("DOWNBEAT_TIME_LIMIT", "100");
    desk.sandbox.start().await;
    look(&desk.sandbox).await;
    desk.forge.set(&desk.pull, json!({ "baseMoves": 100 })).await;
    desk.forge.asked().await;
    let refused = desk.cli(&["merge", "cart"]).unwrap_err();
    assert!(
        refused.contains("its base moved in the same moment; merge it again once")
            && refused.contains("tried 6 times"),
        "{refused}"
    );
    assert_eq!(desk.merges().await, 6);
    desk.forge.set(&desk.pull, json!({ "baseMoves": 2 })).await;
    let said = desk.cli(&["merge", "cart"]).unwrap();
    assert!(said.contains("pull request #1 landed on main as"), "{said}");
    assert_eq!(desk.merges().await, 3);
}

#[tokio::test]
async fn what_is_not_green_at_the_forge_is_not_merged_and_says_why() {
    let desk = desk("").await;
    look(&desk.sandbox).await;
    let refused = async |change: Value, words: &str| {
        desk.forge.set(&desk.pull, change).await;
        let error = desk.cli(&["merge", "cart"]).unwrap_err();
        assert!(error.contains(words), "{words}: {error}");
    };
    refused(json!({ "draft": true }), "is a draft").await;
    refused(
        json!({ "draft": false, "review": "REVIEW_REQUIRED" }),
        "a review is required",
    )
    .await;
    refused(
        json!({ "review": "APPROVED", "mergeable": "CONFLICTING" }),
        "conflicts with main",
    )
    .await;
    // A run that GitHub's rollup leaves out.
    desk.forge
        .add(
            "check",
            &desk.pull,
            json!({ "name": "hidden", "conclusion": "FAILURE" }),
        )
        .await;
    refused(
        json!({ "mergeable": "MERGEABLE", "omits": ["hidden"] }),
        "have not passed: hidden",
    )
    .await;
    let error = desk
        .cli(&["merge", "cart", "--rebase", "--number", "9"])
        .unwrap_err();
    assert!(error.contains("no open pull request #9"), "{error}");
    // Somebody pushed what nobody here has seen.
    let push = json!({ "op": "push", "pull": desk.pull, "commit": "d".repeat(40) });
    desk.forge.control(push).await;
    refused(json!({ "omits": [] }), "has newer commits").await;
    look(&desk.sandbox).await;
    desk.forge
        .add(
            "check",
            &desk.pull,
            json!({ "name": "test", "conclusion": "FAILURE" }),
        )
        .await;
    refused(json!({}), "failed: test").await;
    assert_eq!(desk.at_forge().await["state"], "OPEN");
    assert_eq!(desk.merges().await, 0);
    // The person may leave the judgement to the forge.
    let error = desk
        .cli(&["merge", "cart", "--merge", "--unchecked"])
        .unwrap_err();
    assert!(error.contains("unexpected argument '--merge'"), "{error}");
    let said = desk.cli(&["merge", "cart", "--rebase", "--unchecked"]).unwrap();
    assert!(said.contains("landed on main"), "{said}");
    assert_eq!(desk.at_forge().await["mergedBy"], "REBASE");
}

#[tokio::test]
async fn a_merge_commit_is_made_where_the_person_chose_one() {
    let desk = desk("").await;
    let allowed = json!({ "mergeCommitAllowed": true });
    desk.forge.set(&desk.repository, allowed).await;
    look(&desk.sandbox).await;
    let error = desk
        .cli(&["merge", "cart", "--merge-commit", "--squash"])
        .unwrap_err();
    assert!(error.contains("cannot be used with"), "{error}");
    let said = desk
        .cli(&["merge", "cart", "--merge-commit", "--unchecked"])
        .unwrap();
    assert!(said.contains("landed on main"), "{said}");
    assert_eq!(desk.at_forge().await["mergedBy"], "MERGE");
}

#[tokio::test]
async fn the_forge_waits_for_what_is_missing_where_it_can() {
    let desk = desk("").await;
    look(&desk.sandbox).await;
    desk.forge
        .set(&desk.pull, json!({ "review": "REVIEW_REQUIRED" }))
        .await;
    let said = desk.cli(&["merge", "cart", "--when-ready"]).unwrap();
    assert!(
        said.contains("merges pull request #1 as soon as nothing is missing"),
        "{said}"
    );
    let there = desk.at_forge().await;
    assert!(
        there["state"] == "OPEN" && there["autoMerge"].is_string(),
        "{there:#}"
    );
    let said = desk.cli(&["merge", "cart", "--cancel"]).unwrap();
    assert!(said.contains("was cancelled"), "{said}");
    assert!(desk.at_forge().await["autoMerge"].is_null());
    let error = desk.cli(&["merge", "cart", "--cancel"]).unwrap_err();
    assert!(error.contains("no merge of cart is under way"), "{error}");
    // What the person saw is what is merged.
    let ask = json!({ "number": 1, "head": "e".repeat(40) });
    let path = format!("/api/sessions/{}/merge", desk.session);
    let error = desk.sandbox.post(&path, ask).await.unwrap_err();
    assert!(
        error.body["message"]
            .as_str()
            .unwrap()
            .contains("has newer commits"),
        "{error:?}"
    );

    desk.forge.set(&desk.pull, json!({ "review": "APPROVED" })).await;
    let rule = json!([{ "type": "MERGE_QUEUE", "parameters": null }]);
    let branch =
        json!({ "op": "branch", "repository": desk.repository, "name": "main", "values": { "rules": rule } });
    desk.forge.control(branch).await;
    for _ in 0..2 {
        let said = desk.cli(&["merge", "cart"]).unwrap();
        assert!(
            said.contains("is in the merge queue of acme/shop at place 1"),
            "{said}"
        );
    }
    let shown = of(&desk.sandbox, &desk.session).await;
    assert_eq!(shown["merges"]["last"]["outcome"], "queued", "{shown:#}");
    look(&desk.sandbox).await;
    let card = of(&desk.sandbox, &desk.session).await["pulls"][0].clone();
    assert_eq!(
        (&card["isQueued"], &card["queuePlace"]),
        (&json!(true), &json!(1)),
        "{card:#}"
    );
    let said = desk.cli(&["pr", "show", "cart"]).unwrap();
    assert!(
        said.contains("in the merge queue of the forge, place 1"),
        "{said}"
    );

    // GitHub takes it out again: that is told once, with the reason.
    let out = json!({ "op": "dequeue", "id": desk.pull, "reason": "FAILED_CHECKS" });
    desk.forge.control(out).await;
    let words = "pull request #1 left the merge queue of the forge and was not merged: failed checks";
    for _ in 0..2 {
        look(&desk.sandbox).await;
        let shown = of(&desk.sandbox, &desk.session).await;
        let last = &shown["merges"]["last"];
        assert_eq!(
            (&last["outcome"], &last["detail"]),
            (&json!("refused"), &json!(words)),
            "{shown:#}"
        );
        assert_eq!(shown["pulls"][0].get("isQueued"), None, "{shown:#}");
    }
    until("the person is told", async || {
        (desk.notices(words).await == 1).then_some(())
    })
    .await;
    // It can get in again.
    let said = desk.cli(&["merge", "cart"]).unwrap();
    assert!(said.contains("is in the merge queue of acme/shop"), "{said}");
}

#[tokio::test]
async fn a_lost_answer_and_a_crash_at_any_step_merge_once() {
    killed(Kind::GitHub).await;
}

#[tokio::test]
async fn a_lost_answer_and_a_crash_at_any_step_merge_once_at_gitlab() {
    killed(Kind::GitLab).await;
}

async fn killed(kind: Kind) {
    let points = downbeat_engine::failpoint::POINTS.iter();
    let points: Vec<_> = points.filter(|point| point.starts_with("pull-merge-")).collect();
    assert_eq!(points.len(), 4);
    let mut desk = desk_at(kind, "").await;
    look(&desk.sandbox).await;
    let lost = json!({ "op": "fault", "match": desk.forge.merging(), "kind": "after", "times": 1 });
    desk.forge.control(lost).await;
    let said = desk.cli(&["merge", "cart"]).unwrap();
    assert!(said.contains("pull request #1 landed on main"), "{said}");
    assert_eq!(desk.merges().await, 1);

    let place = desk
        .sandbox
        .get(&format!("/api/sessions/{}", desk.session))
        .await
        .unwrap();
    let place = std::path::PathBuf::from(place["workspacePath"].as_str().unwrap());
    for (number, point) in (2..).zip(points) {
        let head = commit(&place, &format!("{number}.txt"));
        let values = json!({ "branch": format!("cart-{number}"), "commit": head, "title": "More" });
        desk.pull = desk.forge.pull(&desk.repository, values).await;
        desk.forge.green(&desk.pull).await;
        look(&desk.sandbox).await;
        doomed(&mut desk.sandbox, point).await;
        // The engine may die before it answers.
        let path = format!("/api/sessions/{}/merge", desk.session);
        let _ = desk.sandbox.post(&path, json!({ "deleteBranch": true })).await;
        successor(&mut desk.sandbox, point).await;
        until("it is merged", async || {
            let shown = of(&desk.sandbox, &desk.session).await;
            let last = &shown["merges"]["last"];
            let is_done = last["head"] == json!(head) && shown["merges"]["underWay"] == json!(false);
            is_done.then(|| assert_eq!(last["outcome"], "landed", "{point}: {last:#}"))
        })
        .await;
        assert_eq!(desk.at_forge().await["state"], "MERGED", "{point}");
        assert_eq!(desk.merges().await, 1, "{point}");
        assert_eq!(desk.branches().await, ["main", "cart"], "{point}");
        until("the person is told once", async || {
            (desk.notices(&format!("#{number} was merged")).await == 1).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_rule_merges_what_is_approved_and_green_and_puts_its_session_away() {
    let config = "reactions:\n  approved-and-green: { action: merge, strategy: squash, deleteAfter: true }\n  pr-merged: \
                  { action: archive }\n";
    let desk = desk(config).await;
    desk.forge
        .set(&desk.pull, json!({ "review": "REVIEW_REQUIRED" }))
        .await;
    look(&desk.sandbox).await;
    let listed = desk.cli(&["reactions", "list", "shop"]).unwrap();
    assert!(listed.contains("merge") && listed.contains("archive"), "{listed}");
    assert_eq!(desk.merges().await, 0);
    desk.forge.set(&desk.pull, json!({ "review": "APPROVED" })).await;
    look(&desk.sandbox).await;
    until("the session is archived", async || {
        let shown = of(&desk.sandbox, &desk.session).await;
        shown["archivedAt"].is_string().then_some(())
    })
    .await;
    let shown = of(&desk.sandbox, &desk.session).await;
    assert_eq!(shown["workspacePath"], json!(null), "{shown:#}");
    assert_eq!(desk.at_forge().await["mergedBy"], "SQUASH");
    assert_eq!(
        (desk.merges().await, desk.branches().await),
        (1, vec!["main".to_owned()])
    );
    assert_eq!(
        desk.notices("#1 was merged into main; its session is archived")
            .await,
        1
    );
    assert_eq!(desk.notices("#1").await, 1);
    // Everything can be brought back.
    let restored = desk.cli(&["restore-work", "cart"]);
    assert!(restored.is_ok(), "{restored:?}");
}

#[tokio::test]
async fn a_session_with_unsaved_work_is_not_put_away_and_contradictory_rules_are_refused() {
    let desk = desk("reactions:\n  pr-merged: { action: archive }\n").await;
    let shown = of(&desk.sandbox, &desk.session).await;
    let place = std::path::PathBuf::from(shown["workspacePath"].as_str().unwrap());
    std::fs::write(place.join("notes.txt"), "not committed").unwrap();
    look(&desk.sandbox).await;
    desk.forge
        .set(
            &desk.pull,
            json!({ "state": "MERGED", "mergedAt": "2026-01-01T00:00:00Z" }),
        )
        .await;
    look(&desk.sandbox).await;
    until("it was tried", async || {
        let log = desk.sandbox.log();
        (log.contains("not carried out yet") && log.contains("notes.txt") || log.contains("uncommitted"))
            .then_some(())
    })
    .await;
    let shown = of(&desk.sandbox, &desk.session).await;
    assert!(
        shown["archivedAt"].is_null() && place.join("notes.txt").exists(),
        "{shown:#}"
    );

    let projects = desk.sandbox.get("/api/projects").await.unwrap();
    let file = std::path::Path::new(projects[0]["path"].as_str().unwrap()).join("downbeat.yaml");
    for (text, words) in [
        (
            "pr-merged: { action: merge }",
            "`reactions.pr-merged`: on this event no pull request is open",
        ),
        (
            "ci-failed: { action: archive }",
            "`reactions.ci-failed`: only what was merged or closed",
        ),
        ("approved-and-green: { action: merge, strategy: fast }", "fast"),
    ] {
        std::fs::write(&file, format!("reactions:\n  {text}\n")).unwrap();
        let error = desk.cli(&["reactions", "list", "shop"]).unwrap_err();
        assert!(error.contains(words), "{text}: {error}");
    }
}
