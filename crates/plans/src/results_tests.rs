//! Tests of result files and of what follows from them.

use super::{Told, read_result};
use crate::domain::Domains;
use crate::forms::read_goal;
use crate::record::{PlanRecord, PlanState};
use crate::schedule::ShareState;
use crate::share::Split;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;
use proptest::prelude::*;
use std::collections::BTreeMap;

const PLAN: &str = "pl000000000001";
const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn plan() -> PlanRecord {
    let text = "\"Create API (id: api)\" \"Build UI (id: ui) (depends_on: api)\"";
    let plan = read_goal(text, &Domains::default()).unwrap();
    let (id, project) = (
        PlanId::parse(PLAN).unwrap(),
        ProjectId::parse("p000000000001").unwrap(),
    );
    let mut plan = PlanRecord::new(id, project, plan, Split::Task, NOW);
    plan.count_results("/results", BTreeMap::new());
    plan
}

#[test]
fn a_result_names_a_branch_or_a_reason() {
    let done = |branch: &str| {
        Ok(Told::Done {
            branch: branch.to_owned(),
        })
    };
    let failed = |why: &str| Ok(Told::Failed { why: why.to_owned() });
    for (text, expected) in [
        (
            r#"{"status": "done", "branch": " feature/api "}"#,
            done("feature/api"),
        ),
        (
            r#"{"plan": "pl000000000001", "status": "done", "branch": "a", "summary": "x", "more": [1]}"#,
            done("a"),
        ),
        (
            r#"{"status": "failed", "summary": "no\n\u001b[2Jaccess"}"#,
            failed("no [2Jaccess"),
        ),
        (r#"{"status": "failed"}"#, failed("")),
        (
            r#"{"status": "running", "plan": "pl000000000001"}"#,
            Ok(Told::Nothing),
        ),
    ] {
        assert_eq!(read_result(text.as_bytes(), PLAN), expected, "{text}");
    }
    for (text, expected) in [
        ("", "not the JSON of a result"),
        ("[]", "not the JSON of a result"),
        (r#"{"status": 1}"#, "not the JSON of a result"),
        (r#"{"branch": "a"}"#, "missing field `status`"),
        (
            r#"{"status": "DONE", "branch": "a"}"#,
            "\"DONE\" is neither done nor failed",
        ),
        (r#"{"status": "done"}"#, "branch: name the branch"),
        (
            r#"{"status": "done", "branch": "a\nb"}"#,
            "branch: name the branch",
        ),
        (
            r#"{"status": "done", "branch": "--force"}"#,
            "branch: name the branch",
        ),
        (
            r#"{"plan": "pl000000000002", "status": "done", "branch": "a"}"#,
            "it is a result of the plan pl000000000002",
        ),
    ] {
        let said = read_result(text.as_bytes(), PLAN).unwrap_err();
        assert!(said.contains(expected), "{text}: {said}");
    }
}

#[test]
fn a_file_counts_once_and_a_note_goes_when_it_does() {
    let mut plan = plan();
    let file = plan.result_files()[0].clone();
    assert_eq!(file, "worker-backend_result.json");
    let first = plan.refuse_result(&file, "there is no branch x");
    assert_eq!(
        first.as_deref(),
        Some("worker-backend_result.json does not count: there is no branch x")
    );
    assert_eq!(
        plan.refuse_result(&file, "there is no branch x"),
        None,
        "it is noted once"
    );
    assert!(plan.refuse_result(&file, "it is a link").is_some() && plan.notes.len() == 1);
    assert!(plan.done_by_file(0, (&file, "v1"), "c".into(), NOW));
    assert!(plan.notes.is_empty() && plan.shares[0].by_file);
    assert_eq!(plan.results.as_ref().unwrap().settled.get(&file).unwrap(), "v1");
    assert!(
        !plan.done_by_file(0, (&file, "v2"), "d".into(), NOW),
        "it is done"
    );
    assert_eq!(plan.shares[0].tip.as_deref(), Some("c"));
    let stored = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<PlanRecord>(&stored).unwrap(), plan);
}

#[test]
fn a_failure_elsewhere_leaves_a_worker_here_alone() {
    let mut plan = plan();
    let file = plan.result_files()[0].clone();
    plan.state = PlanState::Running;
    assert!(plan.claim(0, SessionId::parse("s000000000001").unwrap(), NOW));
    plan.failed_by_file(0, (&file, "v1"), "no access", NOW);
    assert_eq!(plan.shares[0].state, ShareState::Running);
    assert!(
        plan.notes[0]
            .text
            .contains("it says that it failed (no access), but backend has a worker here")
    );
    plan.failed(0, "killed".into(), NOW);
    plan.retry(0, NOW);
    plan.failed_by_file(0, (&file, "v2"), "", NOW);
    assert_eq!(plan.shares[0].state, ShareState::Failed);
    assert_eq!(
        plan.shares[0].why.as_deref(),
        Some("its result file says that it failed: it does not say why")
    );
    plan.skip(0, NOW);
    assert!(!plan.awaits_result(0) && plan.awaits_result(1));
    plan.cancel(NOW);
    assert!(!plan.awaits_results());
}

#[test]
fn the_same_folder_again_forgets_nothing() {
    let mut plan = plan();
    let there = BTreeMap::from([("worker-ui_result.json".to_owned(), "v".to_owned())]);
    plan.count_results("/results", there.clone());
    assert!(plan.results.as_ref().unwrap().settled.is_empty());
    plan.count_results("/others", there.clone());
    assert_eq!(plan.results.as_ref().unwrap().settled, there);
}

proptest! {
    /// Nothing that a program writes can do more than name a branch of one line or a short reason.
    #[test]
    fn what_is_read_is_bounded(bytes in prop::collection::vec(any::<u8>(), 0..400), text in ".{0,3000}") {
        let quoted = serde_json::to_string(&text).unwrap();
        let written = format!(r#"{{"status": "done", "branch": {quoted}, "summary": {quoted}}}"#);
        let failed = format!(r#"{{"status": "failed", "summary": {quoted}}}"#);
        for bytes in [&bytes[..], written.as_bytes(), failed.as_bytes()] {
            match read_result(bytes, PLAN) {
                Ok(Told::Done { branch }) => {
                    prop_assert!(branch.chars().count() <= 1_000 && !branch.contains('\n') && !branch.starts_with('-'));
                }
                Ok(Told::Failed { why }) => prop_assert!(why.chars().count() <= 120 && !why.contains('\n')),
                Ok(Told::Nothing) => {}
                Err(why) => prop_assert!(why.chars().count() < 400, "{}", why),
            }
        }
    }
}
