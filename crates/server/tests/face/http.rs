//! Tests of routing, access, errors, headers, the OpenAPI description and the page.

use crate::rig::{PAGE, Rig, told};
use crate::scripted::{Call, OWNER, SESSION, SESSION_ID, Scripted};
use downbeat_model::SessionId;
use downbeat_wire::{ApiError, Caller, Code, OPERATIONS, names, proof};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub fn unlucky() -> std::sync::Arc<Scripted> {
    Scripted::new(|_| Err(ApiError::new(Code::Conflict, "as told").hint("do as told")))
}

#[tokio::test]
async fn every_row_is_reachable_and_returns_its_error() {
    let rig = Rig::start(unlucky()).await;
    for row in OPERATIONS {
        let path = row
            .path
            .replace("{id}", "a%2Fb")
            .replace("{message}", "7")
            .replace("{shell}", "1");
        let path = match row.name {
            names::search => format!("{path}?query=x"),
            names::get_check_output => format!("{path}?check=test"),
            names::get_change => format!("{path}?path=src/lib.rs"),
            _ => path,
        };
        let body = match row.name {
            names::shutdown_engine => json!({"sessions": "keep"}),
            names::add_project | names::inspect_folder => json!({"path": "/x"}),
            names::keep_preferences => json!({"values": {"sidebar": "300"}}),
            names::send_message => json!({"content": "hi"}),
            names::answer_question => json!({"choice": "1"}),
            names::report_result => json!({"status": "done", "summary": "all of it"}),
            names::ask_conductor => json!({"question": "which?"}),
            names::hand_over_session => json!({"agent": "codex"}),
            names::edit_session => json!({"title": "t"}),
            names::pause_reactions | names::change_merge_queue => json!({"paused": true}),
            names::prioritize_merge => json!({"priority": "high"}),
            names::control_reaction => json!({"rule": "ci-failed", "what": "run"}),
            names::add_attention => json!({"text": "look"}),
            names::report_view => json!({"viewer": "page", "session": null}),
            names::propose_plan => json!({"text": "a, b", "projectId": "p"}),
            names::plan_goal => json!({"goal": "a", "projectId": "p"}),
            names::change_plan => json!({"change": "pause"}),
            names::start_issues => json!({"issues": ["42"]}),
            names::attach_file => json!({"name": "a.png", "data": "aGk="}),
            names::start_fix => json!({"project": "shop"}),
            names::discard_change => json!({"path": "a", "contentId": "1"}),
            names::undo_discard => json!({"number": 1}),
            names::review_session => json!({"verdict": "approved", "commit": "1"}),
            names::change_pull => json!({"change": {"kind": "close"}}),
            _ => json!({}),
        };
        let answer = told(rig.owner(row.method, &path).json(&body).send().await).await;
        let want = json!({"code": "conflict", "message": "as told", "hint": "do as told"});
        assert_eq!(answer, (409, want), "{}", row.name);
        let call = rig.host.calls().pop().unwrap();
        assert_eq!((call.name, &call.caller), (row.name, &Caller::Owner));
        if row.path.contains("{id}") {
            assert_eq!(call.arguments["id"], "a/b", "{}", row.name);
        }
    }
}

/// Opens a connection and sends the beginning of a request on it.
async fn half_sent(port: u16) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream
        .write_all(b"GET /api/engine HTTP/1.1\r\nHost: 127")
        .await
        .unwrap();
    stream
}

/// Returns whether the other side has closed a connection.
async fn is_closed(stream: &mut TcpStream) -> bool {
    let mut byte = [0];
    let read = tokio::time::timeout(Duration::from_millis(20), stream.read(&mut byte));
    matches!(read.await, Ok(Ok(0) | Err(_)))
}

#[tokio::test]
async fn half_sent_requests_do_not_slow_others_and_the_oldest_are_dropped() {
    let rig = Rig::start(unlucky()).await;
    let mut open = Vec::new();
    for _ in 0..400 {
        open.push(half_sent(rig.port).await);
    }
    // Far below the time after which they would be dropped anyway.
    let request = rig.owner("GET", "/api/engine").send();
    let answered = tokio::time::timeout(Duration::from_secs(5), request).await;
    let (status, _) = told(answered.expect("at once")).await;
    assert_eq!(status, 409);
    assert!(is_closed(&mut open[0]).await);
    assert!(!is_closed(&mut open[399]).await);
}

#[tokio::test]
async fn one_session_in_a_loop_does_not_lock_the_person_out() {
    let host = Scripted::slow(|call| {
        Box::pin(async move {
            match call.caller {
                Caller::Owner => Ok(json!([])),
                Caller::Session(_) => std::future::pending().await,
            }
        })
    });
    let rig = Rig::start(host).await;
    let mut under_way = tokio::task::JoinSet::new();
    for index in 0..300 {
        let request = match index % 2 {
            0 => rig
                .bare("POST", "/api/sessions/w/workers/wait")
                .json(&json!({"timeoutSeconds": 3600})),
            _ => rig.bare("GET", "/api/sessions"),
        };
        under_way.spawn(request.bearer_auth(SESSION).send());
    }
    let (mut ended, mut refused) = (0, 0);
    while ended < 292 {
        let answer = tokio::time::timeout(Duration::from_secs(30), under_way.join_next()).await;
        // Of 300 simultaneous connections some are dropped before they have sent anything.
        if let Ok(answer) = answer.expect("in time").unwrap().unwrap() {
            let (status, body) = told(Ok(answer)).await;
            assert_eq!((status, &body["code"]), (422, &json!("limit_reached")), "{body}");
            refused += 1;
        }
        ended += 1;
    }
    assert!(refused > 0, "nothing was refused by its limit");
    let waits = rig
        .host
        .calls()
        .iter()
        .filter(|call| call.name == names::wait_for_workers)
        .count();
    assert!((1..=4).contains(&waits), "{waits} waits");
    let request = rig.owner("GET", "/api/sessions").send();
    let answered = tokio::time::timeout(Duration::from_secs(5), request).await;
    assert_eq!(told(answered.expect("at once")).await.0, 200);
}

#[tokio::test]
async fn path_query_and_body_become_one_request() {
    let rig = Rig::start(Scripted::new(|call: &Call| match call.name {
        names::get_output => Ok(json!({"id": SESSION_ID, "text": "x", "title": "", "isCheckpoint": false})),
        _ => Ok(json!([])),
    }))
    .await;
    let (status, body) = told(rig.owner("GET", "/api/sessions/w1/output?lines=3").send().await).await;
    assert_eq!((status, &body["text"]), (200, &json!("x")));
    assert_eq!(
        rig.host.calls()[0].arguments,
        json!({"id": "w1", "lines": 3, "what": null})
    );
    let (status, body) = told(
        rig.owner("GET", "/api/sessions?project=a%20b&nope=1")
            .send()
            .await,
    )
    .await;
    assert_eq!((status, &body["code"]), (400, &json!("invalid")));
    assert!(body["message"].as_str().unwrap().contains("nope"), "{body}");
}

#[tokio::test]
async fn nobody_gets_in_without_a_valid_token() {
    let rig = Rig::start(unlucky()).await;
    for path in [
        "/api/sessions",
        "/api/openapi.json",
        "/api/nothing",
        "/api/events",
    ] {
        for request in [
            rig.bare("GET", path),
            rig.bare("GET", path).bearer_auth("wrong"),
            rig.bare("GET", path)
                .header("authorization", format!("Basic {OWNER}")),
            rig.bare("GET", &format!("{path}?token={OWNER}")),
        ] {
            let (status, body) = told(request.send().await).await;
            assert_eq!((status, &body["code"]), (401, &json!("forbidden")), "{path}");
        }
    }
    let (status, _) = told(rig.bare("POST", "/api/engine/handover").send().await).await;
    assert_eq!(status, 401);
    assert!(rig.host.calls().is_empty());
}

#[tokio::test]
async fn a_session_reaches_only_what_its_scope_allows() {
    let rig = Rig::start(unlucky()).await;
    let agent = |method, path| rig.bare(method, path).bearer_auth(SESSION);
    assert_eq!(told(agent("GET", "/api/sessions").send().await).await.0, 409);
    let session = Caller::Session(SessionId::parse(SESSION_ID).unwrap());
    assert_eq!(rig.host.calls()[0].caller, session);
    for (method, path) in [("GET", "/api/projects"), ("POST", "/api/engine/handover")] {
        let (status, body) = told(agent(method, path).send().await).await;
        assert_eq!((status, &body["code"]), (403, &json!("forbidden")), "{path}");
    }
    assert_eq!(rig.host.calls().len(), 1);
    assert!(!rig.host.handed_over.is_cancelled());
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_refused() {
    let rig = Rig::start(unlucky()).await;
    let (port, page) = (rig.port, format!("{PAGE}:{}", rig.port));
    for (name, value) in [
        ("host", "evil.example".to_owned()),
        ("host", format!("evil.example:{port}")),
        // These names may lead to another program first.
        ("host", format!("localhost:{port}")),
        ("host", format!("[::1]:{port}")),
        ("host", format!("127.0.0.1.evil.example:{port}")),
        ("host", format!("other.localhost:{port}")),
        ("host", PAGE.to_owned()),
        ("host", format!("{PAGE}:1")),
        ("origin", "http://evil.example".to_owned()),
        ("origin", "null".to_owned()),
        ("origin", "http://localhost:1".to_owned()),
        ("origin", format!("https://{page}")),
        // Origins that another program that had the port could have left in a browser.
        ("origin", format!("http://127.0.0.1:{port}")),
        ("origin", format!("http://localhost:{port}")),
    ] {
        for path in ["/api/sessions", "/api/events"] {
            let (status, body) = told(rig.owner("GET", path).header(name, &value).send().await).await;
            let refused = (403, &json!("forbidden"));
            assert_eq!((status, &body["code"]), refused, "{path} {name} {value}");
        }
        let request = rig.bare("GET", "/").header(name, &value).send().await.unwrap();
        assert_eq!(request.status(), 403, "/ {name} {value}");
        assert!(request.text().await.unwrap().contains("downbeat start --link"));
    }
    let two = rig.owner("GET", "/api/sessions").header("host", "evil.example");
    let two = two.header("host", format!("127.0.0.1:{port}"));
    assert!(two.send().await.unwrap().status().is_client_error());
    let own = rig.page("GET", "/api/sessions").bearer_auth(OWNER);
    let own = own.header("origin", format!("http://{page}")).send().await;
    assert_eq!(told(own).await.0, 409);
    // Programs reach the API, but not the interface.
    assert_eq!(told(rig.owner("GET", "/api/sessions").send().await).await.0, 409);
    assert_eq!(rig.bare("GET", "/").send().await.unwrap().status(), 403);
}

#[tokio::test]
async fn malformed_requests_get_an_answer_in_json() {
    let rig = Rig::start(unlucky()).await;
    let cases = [
        (rig.owner("POST", "/api/sessions").body("{"), 400),
        (rig.owner("POST", "/api/sessions").body("[]"), 400),
        (rig.owner("POST", "/api/sessions").body(r#"{"title": 7}"#), 400),
        (rig.owner("GET", "/api/sessions/%FF"), 404),
        (rig.owner("GET", "/api/sessions/%FF/terminal"), 400),
        (rig.owner("GET", "/api/nothing"), 404),
        (rig.owner("GET", "/api"), 404),
        (rig.owner("PUT", "/api/sessions"), 405),
        (rig.owner("POST", "/api/events"), 405),
        (rig.owner("GET", "/api/events"), 400),
        (rig.owner("POST", "/api/sessions").body(vec![b' '; 6 << 20]), 413),
    ];
    for (request, want) in cases {
        let (status, body) = told(request.send().await).await;
        assert_eq!(status, want, "{body}");
        assert!(body["message"].is_string() && body["code"].is_string(), "{body}");
    }
    assert!(rig.host.calls().is_empty());
}

#[tokio::test]
async fn a_large_message_is_accepted() {
    let rig = Rig::start(Scripted::new(|_| {
        Ok(json!({"message": 7, "state": "delivered", "detail": "hook"}))
    }))
    .await;
    // A control character takes six bytes in JSON: the worst case for a message of this size.
    let content = "\u{1}".repeat(256 << 10);
    let request = rig
        .owner("POST", "/api/sessions/w/message")
        .json(&json!({"content": content}));
    assert_eq!(told(request.send().await).await.0, 200);
    assert_eq!(rig.host.calls()[0].arguments["content"], content);
}

#[tokio::test]
async fn a_panic_is_an_error_with_its_place() {
    let rig = Rig::start(Scripted::new(|call| match call.name {
        names::list_projects => Ok(json!([])),
        _ => panic!("as told"),
    }))
    .await;
    let (status, body) = told(rig.owner("GET", "/api/sessions").send().await).await;
    assert_eq!((status, &body["code"]), (500, &json!("failed")));
    assert!(body["message"].as_str().unwrap().contains("http.rs:"), "{body}");
    assert_eq!(told(rig.owner("GET", "/api/projects").send().await).await.0, 200);
}

#[tokio::test]
async fn a_handover_answers_when_the_port_is_free() {
    let rig = Rig::start(Scripted::slow(|_| Box::pin(std::future::pending()))).await;
    let wait = || rig.owner("POST", "/api/sessions/c/workers/wait").json(&json!({}));
    let waiting = tokio::spawn(wait().header("Idempotency-Key", "k1").send());
    let keyless = tokio::spawn(wait().send());
    while rig.host.calls().len() < 2 {
        tokio::task::yield_now().await;
    }
    let (status, _) = told(rig.owner("POST", "/api/engine/handover").send().await).await;
    assert_eq!(status, 200);
    assert!(rig.host.handed_over.is_cancelled());
    tokio::net::TcpListener::bind(("127.0.0.1", rig.port))
        .await
        .expect("the port is free");
    let (status, body) = told(waiting.await.unwrap()).await;
    assert_eq!((status, &body["code"]), (503, &json!("unavailable")));
    // It is unknown whether it was done, so nothing may suggest that it can just be repeated.
    let (status, body) = told(keyless.await.unwrap()).await;
    assert_eq!((status, &body["code"]), (503, &json!("failed")));
    assert!(
        body["hint"].as_str().unwrap().contains("Idempotency-Key"),
        "{body}"
    );
    tokio::time::timeout(Duration::from_secs(5), rig.serving)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}

/// Every `$ref` resolves, every parameter in a path is described, and every row is there.
#[tokio::test]
async fn the_openapi_description_is_complete_and_consistent() {
    let rig = Rig::start(unlucky()).await;
    let (status, document) = told(rig.owner("GET", "/api/openapi.json").send().await).await;
    assert_eq!((status, &document["openapi"]), (200, &json!("3.1.0")));
    assert_eq!(document, downbeat_server::openapi());
    check_references(&document, &document);
    let mut ids = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            ids.push(operation["operationId"].as_str().unwrap().to_owned());
            let none = Vec::new();
            let parameters = operation["parameters"].as_array().unwrap_or(&none);
            let described = parameters.iter().filter(|p| p["in"] == "path").count();
            assert_eq!(described, path.matches('{').count(), "{method} {path}");
            assert!(parameters.iter().all(|p| p["schema"].is_object()));
            assert!(operation["responses"]["default"].is_object(), "{path}");
        }
    }
    for row in OPERATIONS {
        assert_eq!(ids.iter().filter(|id| *id == row.name).count(), 1, "{}", row.name);
    }
    assert_eq!(ids.len(), OPERATIONS.len() + 4);
    let output = &document["paths"]["/api/sessions/{id}/output"]["get"]["parameters"];
    assert_eq!(output.as_array().unwrap().len(), 3);
}

fn check_references(document: &Value, part: &Value) {
    match part {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
            fields
                .values()
                .for_each(|value| check_references(document, value));
        }
        Value::Array(items) => items.iter().for_each(|value| check_references(document, value)),
        _ => {}
    }
}

#[tokio::test]
async fn an_idempotency_key_reaches_the_engine_and_a_wrong_one_is_refused() {
    let rig = Rig::start(Scripted::new(|_| Ok(json!({})))).await;
    let send = |keys: &[&str]| {
        let request = rig.owner("DELETE", "/api/sessions/s/messages/1");
        let with_key = |request: reqwest::RequestBuilder, key: &&str| request.header("Idempotency-Key", *key);
        keys.iter().fold(request, with_key).send()
    };
    assert_eq!(told(send(&["a-key"]).await).await.0, 200);
    assert_eq!(told(send(&[]).await).await.0, 200);
    let expected = [Some("a-key".to_owned()), None].map(|key| (names::delete_message.to_owned(), key));
    assert_eq!(*rig.host.keys.lock().unwrap(), expected);
    let long = "k".repeat(129);
    for wrong in [&["two", "keys"][..], &[""], &["with space"], &[&long]] {
        let (status, body) = told(send(wrong).await).await;
        assert_eq!((status, &body["code"]), (400, &json!("invalid")), "{wrong:?}");
    }
    assert_eq!(rig.host.calls().len(), 2);
}

#[tokio::test]
async fn the_server_proves_that_it_knows_a_token_without_being_shown_it() {
    let rig = Rig::start(Scripted::new(|_| Ok(json!({})))).await;
    let nonce = "0123456789abcdef0123456789abcdef";
    let ask = async |key: &str, nonce: &str| {
        let path = format!("{}?nonce={nonce}&key={key}", proof::PATH);
        told(rig.bare("GET", &path).send().await).await
    };
    for token in [OWNER, SESSION] {
        let (status, answer) = ask(&proof::fingerprint(token), nonce).await;
        let proven = answer["proof"].as_str().unwrap();
        assert_eq!(status, 200);
        assert!(proof::is_right(token, nonce, rig.port, proven));
        assert!(
            !proof::is_right(token, nonce, rig.port ^ 1, proven),
            "for its own port"
        );
    }
    // An unknown key is answered in the same way, and proves nothing.
    for key in [proof::fingerprint("another"), String::new(), "x".into()] {
        let (status, answer) = ask(&key, nonce).await;
        let proven = answer["proof"].as_str().unwrap();
        assert_eq!((status, proven.len()), (200, 64), "{key}");
        assert!(!proof::is_right(OWNER, nonce, rig.port, proven), "{key}");
    }
    for (key, nonce) in [
        ("x", "short"),
        ("x", "not%20plain%20at%20all%20but%20long%20enough%21"),
        (&*"k".repeat(65), nonce),
    ] {
        assert_eq!(ask(key, nonce).await.0, 400, "{key} {nonce}");
    }
    assert_eq!(told(rig.bare("GET", proof::PATH).send().await).await.0, 400);
    let foreign = rig.bare("GET", &format!("{}?nonce={nonce}&key=x", proof::PATH));
    assert_eq!(
        told(foreign.header("origin", "http://evil.example").send().await)
            .await
            .0,
        403
    );
    assert!(rig.host.calls().is_empty());
}
