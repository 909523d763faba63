//! Tests first prompts that are too long to be arguments: they are typed once, never retyped without a
//! request, and waited for.

use crate::crashes::{doomed, successor};
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until};
use serde_json::{Value, json};

/// Returns a prompt of 6 KB that leaves a mark.
fn long(mark: &str) -> String {
    format!(
        "{}say {mark}",
        "say filler filler filler filler filler\n".repeat(160)
    )
}

async fn notices(sandbox: &Sandbox) -> Vec<String> {
    let text = |notice: &Value| notice["text"].as_str().unwrap().to_owned();
    sandbox.notices().await.iter().map(text).collect()
}

#[tokio::test]
async fn a_crash_while_a_prompt_is_typed_is_reported_and_nothing_is_retyped() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    for (point, arrives) in [("message-noted", false), ("message-entered", true)] {
        doomed(&mut sandbox, point).await;
        let id = sandbox
            .session(json!({ "projectId": project, "title": point, "prompt": long("once-only") }))
            .await;
        successor(&mut sandbox, point).await;
        if arrives {
            sandbox.shows(&id, "once-only").await;
            sandbox.status(&id, &["idle"]).await;
        } else {
            let told = async || {
                let all = notices(&sandbox).await;
                all.iter()
                    .any(|text| text.contains("may not have arrived"))
                    .then_some(())
            };
            until("the uncertain prompt is told", told).await;
        }
        // The next engine finds nothing more to type.
        sandbox.kill_engine();
        sandbox.start().await;
        sandbox
            .post(
                &format!("/api/sessions/{id}/message"),
                json!({ "content": "say after-it" }),
            )
            .await
            .unwrap();
        let shown = sandbox.shows(&id, "after-it").await;
        let times = shown.lines().filter(|line| line.trim() == "once-only").count();
        assert_eq!(times, usize::from(arrives), "{point}:\n{shown}");
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
    let told = notices(&sandbox).await;
    let uncertain = told.iter().filter(|text| text.contains("may not have arrived"));
    assert_eq!(uncertain.count(), 1, "{told:?}");
}

#[tokio::test]
async fn waiting_includes_workers_that_have_not_accepted_their_task_yet() {
    let mut sandbox = Sandbox::new();
    // The agent runs for a while before its prompt accepts keys.
    sandbox.set_env("FAKE_CLAUDE_SLOW", "2000");
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let conductor = sandbox
        .session(json!({ "projectId": project, "title": "Lead", "prompt": "say hello", "conductor": true }))
        .await;
    sandbox.status(&conductor, &["idle"]).await;
    let worker = sandbox
        .session(
            json!({ "projectId": project, "title": "Slow", "prompt": long("done-it"), "parent": conductor }),
        )
        .await;
    let ask = json!({ "until": "all", "timeoutSeconds": PATIENCE.as_secs() });
    let path = format!("/api/sessions/{conductor}/workers/wait");
    let report = sandbox.post(&path, ask).await.unwrap();
    assert_eq!(report["timedOut"], false, "{report:#}");
    let kinds: Vec<&str> = report["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert_eq!(kinds, ["finished"], "{report:#}");
    let shown = sandbox.shows(&worker, "done-it").await;
    assert!(shown.contains("done-it"));
}

#[tokio::test]
async fn a_session_is_never_idle_before_its_first_prompt() {
    let mut sandbox = Sandbox::new();
    sandbox.set_env("FAKE_CLAUDE_SLOW", "2000");
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Typed", "prompt": long("begun") + "\nwork never" });
    let id = sandbox.session(ask).await;
    let path = format!("/api/sessions/{id}");
    let (mut seen, mut reasons) = (Vec::new(), Vec::new());
    until("its turn", async || {
        let session = sandbox.get(&path).await.unwrap();
        seen.push(session["status"].as_str().unwrap().to_owned());
        reasons.extend(session["reason"]["text"].as_str().map(str::to_owned));
        (session["status"] == "running").then_some(())
    })
    .await;
    seen.dedup();
    assert_eq!(seen.last().unwrap(), "running");
    assert!(!seen.contains(&"idle".to_owned()), "{seen:?}");
    reasons.dedup();
    let last = reasons.last().unwrap();
    assert_eq!(last, "its first prompt is about to be sent", "{reasons:?}");
}
