//! Tests of side shells with an engine that dies between two steps of opening or ending one.
//! [`crate::beside`] contains the other tests of side shells.

use crate::beside::{names, open, worked};
use crate::crashes::{doomed, successor};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Starts a session, with a side shell if wanted, and then an engine that dies at `point`.
async fn about_to_die(point: &str, with_shell: bool) -> (Sandbox, String, Option<Value>) {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let id = worked(&sandbox, &project, "Auth", "say done").await;
    let shell = match with_shell {
        true => Some(open(&sandbox, &id).await),
        false => None,
    };
    doomed(&mut sandbox, point).await;
    (sandbox, id, shell)
}

#[tokio::test]
async fn an_engine_that_dies_while_a_side_shell_opens_leaves_none() {
    let (mut sandbox, id, _) = about_to_die("shell-planned", false).await;
    let asked = sandbox
        .post(&format!("/api/sessions/{id}/shells"), json!({}))
        .await;
    assert!(asked.is_err(), "{asked:?}");
    successor(&mut sandbox, "shell-planned").await;
    names(&sandbox, &id, 0).await;
    assert_eq!(open(&sandbox, &id).await["name"], "auth/shell-1");
}

#[tokio::test]
async fn an_end_that_a_crash_interrupts_at_any_step_is_finished_by_the_next_engine() {
    for point in ["end-noted", "end-carried-out", "shell-cleared"] {
        let (mut sandbox, id, shell) = about_to_die(point, true).await;
        let shell = shell.unwrap();
        let keeper = sandbox.data().join("keepers").join(shell["id"].as_str().unwrap());
        let _ = sandbox.delete(&format!("/api/sessions/{id}")).await;
        successor(&mut sandbox, point).await;
        sandbox.status(&id, &["killed"]).await;
        names(&sandbox, &id, 0).await;
        let cleared = async || (!keeper.exists()).then_some(());
        until("its files are gone", cleared).await;
        let orphans = sandbox.get("/api/orphans").await.unwrap();
        assert_eq!(orphans, json!([]), "{point}");
    }
}
