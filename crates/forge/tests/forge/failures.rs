//! Why a check failed: its step, its annotations, the tail of its log; and the confirmation before a merge.

use crate::loopback::{TOKEN, TestForge, observe, quick, shop};
use downbeat_forge::Options;
use downbeat_forge::{FailureDetail, Forge, Protection, Required, Verdict};
use serde_json::{Value, json};

fn steps() -> Value {
    json!([
        { "number": 1, "name": "checkout", "status": "COMPLETED", "conclusion": "SUCCESS",
          "startedAt": "2026-01-01T12:00:00Z", "completedAt": "2026-01-01T12:00:09Z" },
        { "number": 2, "name": "cargo test", "status": "COMPLETED", "conclusion": "FAILURE",
          "startedAt": "2026-01-01T12:00:10Z", "completedAt": "2026-01-01T12:00:20Z" },
        { "number": 3, "name": "clean up", "status": "COMPLETED", "conclusion": "SUCCESS",
          "startedAt": "2026-01-01T12:00:30Z", "completedAt": "2026-01-01T12:00:31Z" },
    ])
}

#[tokio::test]
async fn a_failing_job_is_told_with_its_step_its_annotations_and_the_tail_of_that_step() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let notes = json!([
        { "path": "src/a.rs", "line": 3, "message": "unused", "annotationLevel": "WARNING" },
        { "path": "src/b.rs", "line": 7, "message": "assertion failed\u{1b}[0m", "annotationLevel": "FAILURE" },
    ]);
    let values = json!({ "name": "test", "conclusion": "FAILURE", "steps": steps(), "annotations": notes, "summary": "2 failed" });
    let made = forge.add("check", &pull, values).await;
    let log = format!(
        "2026-01-01T12:00:01.0000000Z fetching\n2026-01-01T12:00:11.0000000Z running 2 tests\n\
         2026-01-01T12:00:12.0000000Z \u{1b}[31mleft: 1\u{1b}[0m\n2026-01-01T12:00:12.5000000Z token {TOKEN} own-secret-value\n\
         2026-01-01T12:00:20.5000000Z ##[error]exit code 101\n2026-01-01T12:00:30.0000000Z cleaning\n"
    );
    forge
        .control(json!({ "op": "log", "job": made["job"], "text": log }))
        .await;
    let github = forge.client(Options {
        secrets: vec!["own-secret-value".to_owned()],
        ..quick()
    });
    let found = observe(&github, &pull).await;
    forge.seen().await;
    let failure = github
        .failure(&shop(), &found.checks.runs[0], FailureDetail::Log)
        .await
        .expect("an answer");
    assert_eq!(failure.step.expect("a step").name, "cargo test");
    let log = failure.log.expect("a log");
    assert_eq!(
        log.text,
        "running 2 tests\nleft: 1\ntoken *** ***\n##[error]exit code 101"
    );
    assert!(log.of_step && !log.cut && failure.no_log.is_none());
    let notes: Vec<_> = failure
        .annotations
        .iter()
        .map(|one| (one.path.as_str(), one.line, one.message.text.as_str()))
        .collect();
    assert_eq!(
        notes,
        [("src/b.rs", 7, "assertion failed"), ("src/a.rs", 3, "unused")]
    );
    assert_eq!(failure.summary.expect("a summary").text, "2 failed");

    let seen = forge.seen().await;
    let of = |start: &str| {
        seen.iter()
            .find(|one| one["what"].as_str().is_some_and(|what| what.starts_with(start)))
    };
    assert_eq!(of("GET ").expect("to GitHub")["token"], format!("Bearer {TOKEN}"));
    assert!(
        of("LOG ").expect("to where the log is")["token"].is_null(),
        "the token stays with its host"
    );
}

#[tokio::test]
async fn a_huge_log_is_read_in_passing() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    let made = forge
        .add("check", &pull, json!({ "conclusion": "FAILURE" }))
        .await;
    let line = "2026-01-01T12:00:00.0000000Z a line that says nothing, as most of them do ".repeat(2);
    let log = json!({ "op": "log", "job": made["job"], "repeat": 450_000, "line": line, "text": "##[error]the end\n" });
    forge.control(log).await;
    let github = forge.github();
    let found = observe(&github, &pull).await;
    let tail = github
        .failure(&shop(), &found.checks.runs[0], FailureDetail::Log)
        .await
        .expect("an answer")
        .log
        .expect("a log");
    assert!(
        tail.text.ends_with("##[error]the end") && tail.cut && tail.lines == 150,
        "{} lines",
        tail.lines
    );

    let few = forge.client(Options {
        log_bytes: 1 << 20,
        ..quick()
    });
    let tail = few
        .failure(&shop(), &found.checks.runs[0], FailureDetail::Log)
        .await
        .expect("an answer")
        .log
        .expect("a log");
    assert!(tail.cut && !tail.text.contains("the end"));
}

#[tokio::test]
async fn without_a_log_the_rest_is_there_and_says_why() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({})).await;
    forge
        .add(
            "check",
            &pull,
            json!({ "name": "expired", "conclusion": "FAILURE", "steps": steps() }),
        )
        .await;
    forge.add("check", &pull, json!({ "name": "scan", "app": "scanner", "workflow": null, "conclusion": "FAILURE", "title": "3 alerts" })).await;
    let status = json!({ "kind": "status", "name": "ci/old", "conclusion": "FAILURE", "description": "2 of 9 failed", "url": null });
    forge.add("check", &pull, status).await;
    let github = forge.github();
    let checks = observe(&github, &pull).await.checks.runs;
    for (check, summary, why) in [
        (&checks[0], None, "GitHub has no log of this job"),
        (&checks[1], Some("3 alerts"), "only jobs of GitHub Actions"),
        (&checks[2], Some("2 of 9 failed"), "only jobs of GitHub Actions"),
    ] {
        let failure = github
            .failure(&shop(), check, FailureDetail::Log)
            .await
            .expect("an answer");
        assert_eq!(
            failure.summary.map(|one| one.text).as_deref(),
            summary,
            "{}",
            check.name
        );
        assert!(
            failure.log.is_none() && failure.no_log.expect("why").contains(why),
            "{}",
            check.name
        );
    }
}

#[tokio::test]
async fn a_failing_run_that_the_rollup_omits_is_found_before_a_merge() {
    let forge = TestForge::start().await;
    let repository = forge.repository("acme/shop").await;
    let pull = forge.pull(&repository, json!({ "omits": ["security"] })).await;
    forge.add("check", &pull, json!({ "name": "build" })).await;
    forge
        .add(
            "check",
            &pull,
            json!({ "name": "security", "app": "github-advanced-security", "conclusion": "FAILURE" }),
        )
        .await;
    forge
        .add(
            "check",
            &pull,
            json!({ "kind": "status", "name": "ci/old", "conclusion": "SUCCESS", "url": null }),
        )
        .await;
    let github = forge.github();
    let found = observe(&github, &pull).await;
    assert_eq!(found.checks.verdict(), Verdict::Green, "the rollup says so");
    let protection = Protection {
        required: vec![Required {
            name: "build".to_owned(),
            app: None,
        }],
        ..Protection::default()
    };
    let confirmed = github.confirm(&found, &protection).await.expect("an answer");
    assert_eq!(
        (confirmed.overlooked.as_slice(), confirmed.is_clear()),
        (&["security".to_owned()][..], false)
    );
    assert_eq!(
        (confirmed.checks.runs.len(), confirmed.checks.required_verdict()),
        (3, Verdict::Green)
    );

    let fine = forge.pull(&repository, json!({})).await;
    forge.add("check", &fine, json!({ "name": "build" })).await;
    let found = observe(&github, &fine).await;
    assert!(
        github
            .confirm(&found, &protection)
            .await
            .expect("an answer")
            .is_clear()
    );
    let more = Protection {
        required: vec![Required {
            name: "absent".to_owned(),
            app: None,
        }],
        ..protection
    };
    assert!(
        !github.confirm(&found, &more).await.expect("an answer").is_clear(),
        "expected is not green"
    );
}
