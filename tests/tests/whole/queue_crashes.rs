//! Tests of kills while a round of the merge queue fails: a batch with a culprit, and one with a conflict. The culprit's agent is told
//! once, and everybody else's work lands once.

use crate::crashes::{doomed, successor};
use crate::merge_queue::{merged, queue, sessions};
use crate::merging::last;
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;

/// Kills the engine at a step of the round of these sessions. The work of the one at `culprit` cannot land.
async fn killed(point: &str, work: &[(&str, &str, &str)], (culprit, outcome, words): (usize, &str, &str)) {
    let mut sandbox = Sandbox::started().await;
    let (repository, ids) = sessions(&sandbox, 3, work).await;
    queue(&sandbox, &ids);
    doomed(&mut sandbox, point).await;
    // The engine may die before it answers.
    let _ = sandbox
        .post("/api/projects/shop/queue", json!({ "paused": false }))
        .await;
    successor(&mut sandbox, point).await;
    for (at, id) in ids.iter().enumerate() {
        let ended = last(&sandbox, id).await;
        let expected = if at == culprit { outcome } else { "landed" };
        assert_eq!(ended["outcome"], expected, "{point}: {ended:#}");
        let told = sandbox.sent_to(id).await;
        assert_eq!(told.len(), usize::from(at == culprit), "{point}: {told:?}");
        assert!(told.iter().all(|text| text.contains(words)), "{point}: {told:?}");
    }
    let names: Vec<String> = work.iter().map(|(name, ..)| name.to_lowercase()).collect();
    let others = names.iter().enumerate().filter(|(at, _)| *at != culprit);
    let mut others: Vec<_> = others.map(|(_, name)| name.clone()).collect();
    let mut landed = merged(&repository);
    landed.sort();
    others.sort();
    assert_eq!(landed, others, "{point}");
}

#[tokio::test]
async fn a_kill_while_a_red_batch_is_divided_tells_its_culprit_once() {
    let work = [
        ("One", "README.md", "new\n"),
        ("Two", "notes.txt", "new\n"),
        ("Three", "3.txt", "3"),
    ];
    for point in ["merge-candidate", "checks-begun", "round-checked", "merge-made"] {
        killed(point, &work, (1, "checksFailed", "fails the project's checks")).await;
    }
}

#[tokio::test]
async fn a_kill_on_the_way_of_a_conflict_tells_its_agent_once() {
    let work = [
        ("One", "README.md", "one\n"),
        ("Two", "README.md", "two\n"),
        ("Three", "3.txt", "3"),
    ];
    for point in ["merge-noted", "merge-candidate", "merge-checked", "merge-made"] {
        killed(
            point,
            &work,
            (1, "conflict", "Commits of main that changed them:\n    > "),
        )
        .await;
    }
}
