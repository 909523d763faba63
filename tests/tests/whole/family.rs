//! Tests of conductors and workers: depth, limits, the scope of a session's token, and waiting for workers.

use downbeat_tests::sandbox::Sandbox;
use serde_json::json;

/// Returns the token of a session, which its agent has to print from its environment (`env DOWNBEAT_TOKEN`).
pub async fn token_of(sandbox: &Sandbox, id: &str) -> String {
    let text = sandbox.shows(id, "DOWNBEAT_TOKEN=").await;
    let joined: String = text.lines().collect();
    joined
        .split("DOWNBEAT_TOKEN=")
        .nth(1)
        .unwrap()
        .chars()
        .take(64)
        .collect()
}

/// Calls the API with a session's token; returns the status and the body of the answer.
pub async fn as_session(
    sandbox: &Sandbox,
    token: &str,
    method: &str,
    path: &str,
    body: serde_json::Value,
) -> (u16, serde_json::Value) {
    let manifest = sandbox.manifest().unwrap();
    let url = format!("http://127.0.0.1:{}{path}", manifest["port"]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.request(method.parse().unwrap(), url).bearer_auth(token);
    if method != "GET" {
        request = request.json(&body);
    }
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test]
async fn a_conductor_sees_and_touches_only_its_own_subtree() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask =
        json!({ "projectId": project, "title": "Lead", "prompt": "env DOWNBEAT_TOKEN", "conductor": true });
    let conductor = sandbox.session(ask).await;
    let stranger = sandbox
        .session(json!({ "projectId": project, "title": "Stranger", "agent": "shell" }))
        .await;
    let token = token_of(&sandbox, &conductor).await;
    let (status, worker) = as_session(
        &sandbox,
        &token,
        "POST",
        "/api/sessions",
        json!({ "prompt": "say I work", "title": "Helper" }),
    )
    .await;
    assert_eq!(status, 200, "{worker}");
    assert_eq!(
        (&worker["role"], &worker["depth"], &worker["parent"]),
        (&json!("worker"), &json!(1), &json!(conductor))
    );
    // Waits immediately: an idle conductor that does not wait gets its workers' events in a message.
    let wait = json!({ "timeoutSeconds": 30, "workers": ["helper"] });
    let (_, report) = as_session(
        &sandbox,
        &token,
        "POST",
        &format!("/api/sessions/{conductor}/workers/wait"),
        wait,
    )
    .await;
    assert_eq!(report["events"][0]["workerName"], "helper", "{report:#}");
    assert_eq!(report["events"][0]["type"], "finished");
    let none = json!({ "timeoutSeconds": 0, "workers": ["helper"] });
    let (_, again) = as_session(
        &sandbox,
        &token,
        "POST",
        &format!("/api/sessions/{conductor}/workers/wait"),
        none,
    )
    .await;
    assert_eq!(
        (&again["events"], &again["timedOut"]),
        (&json!([]), &json!(true)),
        "each event arrives once"
    );
    let (_, all) = as_session(&sandbox, &token, "GET", "/api/sessions", json!({})).await;
    assert_eq!(all.as_array().unwrap().len(), 2, "itself and its worker");
    let (status, _) = as_session(
        &sandbox,
        &token,
        "GET",
        &format!("/api/sessions/{stranger}"),
        json!({}),
    )
    .await;
    assert_eq!(status, 403);
    let (status, _) = as_session(
        &sandbox,
        &token,
        "DELETE",
        &format!("/api/sessions/{stranger}"),
        json!({}),
    )
    .await;
    assert_eq!(status, 403);
    let (status, _) = as_session(&sandbox, &token, "GET", "/api/settings", json!({})).await;
    assert_eq!(status, 403);
    for (body, why) in [
        (json!({ "prompt": "touch pwned", "agent": "shell" }), "shell"),
        (
            json!({ "prompt": "say hi", "workspace": "in-place" }),
            "own checkout",
        ),
    ] {
        let (status, refused) = as_session(&sandbox, &token, "POST", "/api/sessions", body).await;
        assert_eq!(status, 403, "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(why), "{refused}");
    }
    let own = json!({ "content": "say I am the person" });
    let (status, refused) = as_session(
        &sandbox,
        &token,
        "POST",
        &format!("/api/sessions/{conductor}/message"),
        own,
    )
    .await;
    assert_eq!(status, 403, "{refused}");
    let mut free =
        json!({ "prompt": "say hi", "title": "Free", "permissionMode": "bypass", "conductor": true });
    let (_, capped) = as_session(&sandbox, &token, "POST", "/api/sessions", free.clone()).await;
    assert_eq!(
        (&capped["permissionMode"], &capped["conducts"]),
        (&json!("ask"), &json!(true)),
        "a child never exceeds its parent, and may conduct above the deepest level: {capped}"
    );
    let limits = json!({ "maxDepth": 1 });
    sandbox
        .call("PATCH", "/api/settings", Some(limits))
        .await
        .unwrap();
    free["title"] = json!("Low");
    let (status, refused) = as_session(&sandbox, &token, "POST", "/api/sessions", free).await;
    assert_eq!(
        (status, &refused["code"]),
        (422, &json!("too_deep")),
        "the deepest level conducts nobody: {refused}"
    );
    let (status, _) = as_session(&sandbox, &token, "DELETE", "/api/sessions/free", json!({})).await;
    assert_eq!(status, 200);
    let (_, ended) = as_session(
        &sandbox,
        &token,
        "POST",
        &format!("/api/sessions/{conductor}/workers/kill"),
        json!({}),
    )
    .await;
    assert_eq!(ended["sessions"], json!(["helper"]));
}

#[tokio::test]
async fn the_limits_on_depth_and_workers_are_enforced() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let limits = json!({ "maxDepth": 1, "workersPerConductor": 1 });
    sandbox
        .call("PATCH", "/api/settings", Some(limits))
        .await
        .unwrap();
    let top = sandbox
        .session(json!({ "projectId": project, "title": "Top", "prompt": "say hi", "conductor": true }))
        .await;
    sandbox.status(&top, &["idle"]).await;
    let one = sandbox
        .session(json!({ "projectId": project, "title": "One", "parent": top, "prompt": "say hi" }))
        .await;
    sandbox.status(&one, &["idle"]).await;
    let deep = json!({ "projectId": project, "title": "Deep", "parent": one });
    let refused = sandbox.post("/api/sessions", deep).await.unwrap_err();
    assert_eq!(refused.body["code"], "too_deep");
    assert!(
        refused.body["message"]
            .as_str()
            .unwrap()
            .contains("Max depth reached, no worker spawning allowed")
    );
    let two = sandbox
        .session(json!({ "projectId": project, "title": "Two", "parent": top, "prompt": "say hi" }))
        .await;
    let queued = sandbox.status(&two, &["queued"]).await;
    assert!(
        queued["statusEvidence"]["detail"]
            .as_str()
            .unwrap()
            .contains("limit of"),
        "{queued:#}"
    );
    sandbox.delete(&format!("/api/sessions/{one}")).await.unwrap();
    sandbox.status(&two, &["idle"]).await;
}

#[tokio::test]
async fn a_worker_cannot_exceed_its_conductors_permissions_and_an_archived_session_spawns_none() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let top = json!({ "projectId": project, "title": "Top", "prompt": "say hi", "conductor": true });
    let top = sandbox.session(top).await;
    sandbox.status(&top, &["idle"]).await;
    let under = json!({ "parent": top, "title": "One", "prompt": "say hi" });
    let one = sandbox.session(under.clone()).await;
    sandbox.status(&one, &["idle"]).await;
    let freer = json!({ "permissionMode": "bypass" });
    let refused = sandbox
        .post(&format!("/api/sessions/{one}/restart"), freer)
        .await
        .unwrap_err();
    let said = refused.body["message"].as_str().unwrap();
    assert!(said.contains("exceeds the permissions of top"), "{said}");
    sandbox.status(&one, &["idle"]).await;
    for id in [&one, &top] {
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
        sandbox.status(id, &["killed"]).await;
    }
    let archive = format!("/api/sessions/{top}/archive");
    sandbox.post(&archive, json!({})).await.unwrap();
    let refused = sandbox.post("/api/sessions", under).await.unwrap_err();
    let said = refused.body["message"].as_str().unwrap();
    assert!(said.starts_with("top is archived"), "{said}");
}
