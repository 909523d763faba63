//! Tests of archived sessions, which the engine does not keep in memory: every request still finds them.

use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Replaces the engine with a new one, which has read no archived session yet.
async fn restart(sandbox: &mut Sandbox) {
    sandbox.kill_engine();
    sandbox.start().await;
}

async fn get(sandbox: &Sandbox, path: &str) -> Value {
    sandbox.get(path).await.unwrap()
}

async fn act(sandbox: &Sandbox, id: &str, what: &str) -> Value {
    let path = format!("/api/sessions/{id}/{what}");
    sandbox.post(&path, json!({})).await.unwrap()
}

/// Starts a conductor and its worker, whose models cost $2.0 and $0.5; kills and archives the worker. Returns
/// both ids.
async fn family(sandbox: &Sandbox, project: &str) -> (String, String) {
    let prices = "models:\n  - {model: house, input: 1, output: 10}\n";
    std::fs::write(sandbox.data().join("prices.yaml"), prices).unwrap();
    let ask = json!({
        "projectId": project, "title": "Lead", "conductor": true, "prompt": "use house 1000000 100000",
    });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let ask =
        json!({ "projectId": project, "title": "Worker", "parent": lead, "prompt": "use house 500000 0" });
    let worker = sandbox.session(ask).await;
    sandbox.status(&worker, &["idle"]).await;
    for (id, cost) in [(&lead, 2.0), (&worker, 0.5)] {
        until(&format!("{id} used {cost}"), async || {
            let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
            (session["usage"]["cost"].as_f64() == Some(cost)).then_some(())
        })
        .await;
    }
    sandbox.delete(&format!("/api/sessions/{worker}")).await.unwrap();
    sandbox.status(&worker, &["killed"]).await;
    act(sandbox, &worker, "archive").await;
    (lead, worker)
}

#[tokio::test]
async fn every_request_finds_an_archived_session() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (lead, worker) = family(&sandbox, &project).await;
    restart(&mut sandbox).await;
    let of_lead = format!("/api/sessions/{lead}");
    let shown = get(&sandbox, &of_lead).await;
    assert_eq!(
        (&shown["workers"], &shown["subtreeUsage"]["cost"]),
        (&json!(1), &json!(2.5)),
        "{shown:#}"
    );
    let listed = get(&sandbox, "/api/sessions").await;
    assert_eq!(
        (listed.as_array().unwrap().len(), &listed[0]["workers"]),
        (1, &json!(1))
    );
    for name in ["worker", &worker] {
        let shown = get(&sandbox, &format!("/api/sessions/{name}")).await;
        assert_eq!(
            (&shown["name"], &shown["usage"]["cost"]),
            (&json!("worker"), &json!(0.5))
        );
        assert!(shown["archivedAt"].is_string(), "{shown:#}");
    }
    for filter in [
        "archived=true",
        "archived=true&parent=lead",
        "archived=true&project=shop",
    ] {
        let listed = get(&sandbox, &format!("/api/sessions?{filter}")).await;
        assert_eq!(listed.as_array().unwrap().len(), 1, "{filter}");
        assert_eq!(
            (&listed[0]["name"], &listed[0]["usage"]["cost"]),
            (&json!("worker"), &json!(0.5))
        );
    }
    let workers = get(&sandbox, &format!("{of_lead}/workers")).await;
    assert_eq!(workers[0]["name"], "worker");
    let found = get(&sandbox, "/api/search?query=house").await;
    assert!(
        found
            .as_array()
            .unwrap()
            .iter()
            .any(|hit| hit["name"] == "worker"),
        "{found:#}"
    );
    let report = get(&sandbox, "/api/usage").await;
    assert_eq!(
        (&report["total"]["cost"], &report["removed"]),
        (&json!(2.5), &Value::Null)
    );
    assert_eq!(report["sessions"][1]["usage"]["cost"], 0.5);
    assert_eq!(report["agents"][0]["usage"]["cost"], 2.5, "{report:#}");
    let wait = json!({ "timeoutSeconds": 0, "workers": ["worker"] });
    let told = sandbox
        .post(&format!("{of_lead}/workers/wait"), wait)
        .await
        .unwrap();
    assert_eq!(told["workers"][0]["name"], "worker", "{told:#}");

    // Its name stays taken, it gets no workers, and its project cannot be removed.
    let ask = json!({ "projectId": project, "title": "Worker", "agent": "shell" });
    let preview = sandbox.post("/api/sessions/preview", ask).await.unwrap();
    assert_eq!(preview["name"], "worker-2", "{preview:#}");
    let under = json!({ "title": "Below", "prompt": "say hi", "parent": worker });
    let refused = sandbox.post("/api/sessions", under).await.unwrap_err();
    let said = refused.body["message"].as_str().unwrap().to_owned();
    assert!(said.starts_with("worker is archived"), "{said}");
    let refused = sandbox
        .delete(&format!("/api/projects/{project}"))
        .await
        .unwrap_err();
    let said = refused.body["message"].as_str().unwrap().to_owned();
    assert!(said.contains("worker"), "{said}");
}

#[tokio::test]
async fn an_archived_session_can_be_changed_unarchived_and_forgotten() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let (lead, worker) = family(&sandbox, &project).await;
    restart(&mut sandbox).await;
    let of_worker = format!("/api/sessions/{worker}");
    let title = json!({ "title": "Renamed" });
    sandbox.call("PATCH", &of_worker, Some(title)).await.unwrap();
    let folder = get(&sandbox, &of_worker).await["workspacePath"]
        .as_str()
        .unwrap()
        .to_owned();
    std::fs::write(format!("{folder}/kept.txt"), "kept").unwrap();
    sandbox
        .call(
            "DELETE",
            &format!("{of_worker}/workspace"),
            Some(json!({ "force": true })),
        )
        .await
        .unwrap();
    assert!(!std::path::Path::new(&folder).exists());
    restart(&mut sandbox).await;
    assert_eq!(
        get(&sandbox, &format!("{of_worker}/backups"))
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
    act(&sandbox, &worker, "restore-work").await;
    assert_eq!(
        std::fs::read_to_string(format!("{folder}/kept.txt")).unwrap(),
        "kept"
    );

    // An unarchive restores the sessions that were archived together, and no others.
    sandbox.delete(&format!("/api/sessions/{lead}")).await.unwrap();
    sandbox.status(&lead, &["killed"]).await;
    act(&sandbox, &worker, "unarchive").await;
    act(&sandbox, &lead, "archive").await;
    restart(&mut sandbox).await;
    assert_eq!(get(&sandbox, "/api/sessions").await, json!([]));
    act(&sandbox, "lead", "unarchive").await;
    let listed = get(&sandbox, "/api/sessions").await;
    let names: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["title"])
        .collect();
    assert_eq!(names, ["Lead", "Renamed"]);
    let lead = get(
        &sandbox,
        &format!("/api/sessions/{}", listed[0]["id"].as_str().unwrap()),
    )
    .await;
    assert_eq!(lead["subtreeUsage"]["cost"], 2.5);

    // A forgotten session's usage still counts.
    act(&sandbox, &worker, "archive").await;
    restart(&mut sandbox).await;
    sandbox
        .call(
            "DELETE",
            &format!("{of_worker}/workspace"),
            Some(json!({ "force": true })),
        )
        .await
        .unwrap();
    act(&sandbox, &worker, "forget").await;
    for _ in 0..2 {
        let shown = get(&sandbox, "/api/sessions/lead").await;
        assert_eq!(
            (&shown["workers"], &shown["subtreeUsage"]["cost"]),
            (&json!(0), &json!(2.5))
        );
        restart(&mut sandbox).await;
    }
    assert_eq!(sandbox.get(&of_worker).await.unwrap_err().status, 404);
}
