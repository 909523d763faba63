//! Tests of the page itself: its headers, its name and the theme with which it is served.

use crate::http::unlucky;
use crate::rig::{PAGE, Rig};
use crate::scripted::{Call, OWNER, Scripted};
use downbeat_wire::{ApiError, Code, names};
use serde_json::json;

#[tokio::test]
async fn answers_carry_their_headers() {
    let rig = Rig::start(Scripted::new(|_| Ok(json!([])))).await;
    for path in ["/api/sessions", "/", "/some/view", "/api/nothing"] {
        let response = rig.page("GET", path).bearer_auth(OWNER).send().await.unwrap();
        let headers = response.headers();
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"));
        assert!(!headers.contains_key("access-control-allow-origin"));
        let no_store = headers.get("cache-control").is_some_and(|v| v == "no-store");
        assert!(no_store || !path.starts_with("/api"), "{path}");
    }
}

#[tokio::test]
async fn only_the_page_itself_reveals_its_name() {
    let rig = Rig::start(Scripted::new(|_| Ok(json!([])))).await;
    for path in ["/", "/api/hello", "/api/sessions", "/api/nothing"] {
        for (request, knows) in [(rig.bare("GET", path), false), (rig.page("GET", path), true)] {
            let response = request.send().await.unwrap();
            let told = format!("{:?}", response.headers()) + &response.text().await.unwrap();
            assert_eq!(told.contains(PAGE), knows, "{path}: {told}");
        }
    }
}

#[tokio::test]
async fn every_view_answers_with_the_page() {
    let rig = Rig::start(unlucky()).await;
    for path in ["/", "/sessions/x", "/../../etc/passwd", "/%2e%2e/Cargo.toml"] {
        let response = rig.page("GET", path).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
        assert!(
            response
                .text()
                .await
                .unwrap()
                .to_lowercase()
                .contains("<!doctype html>")
        );
    }
    assert_eq!(
        rig.page("GET", "/assets/none.js").send().await.unwrap().status(),
        404
    );
    assert_eq!(rig.page("POST", "/").send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn the_page_of_a_new_address_has_the_theme_that_was_chosen() {
    let theme = std::sync::Arc::new(std::sync::Mutex::new("light"));
    let chosen = theme.clone();
    let settings = move |call: &Call| match call.name {
        names::get_settings => Ok(json!({
            "preventIdleSleep": true, "desktopNotifications": true, "defaultAgent": "claude",
            "defaultPermissionMode": "ask", "theme": *chosen.lock().unwrap(), "terminalFontSize": 13,
            "maxDepth": 2, "workersPerConductor": 8, "totalSessions": 60, "goOnAfterLimit": false,
            "keys": {}, "configPath": "/x", "problem": null,
        })),
        _ => Err(ApiError::new(Code::Conflict, "as told")),
    };
    let rig = Rig::start(Scripted::new(settings)).await;
    let mut tags = Vec::new();
    for wanted in ["light", "dark"] {
        *theme.lock().unwrap() = wanted;
        let response = rig.page("GET", "/").send().await.unwrap();
        // If the interface was not built, the page says so and has no theme.
        let Some(tag) = response.headers().get("etag").cloned() else {
            return;
        };
        let page = response.text().await.unwrap();
        assert!(
            page.contains(&format!("<html data-theme=\"{wanted}\" ")),
            "{page}"
        );
        tags.push(tag);
    }
    assert_ne!(
        tags[0], tags[1],
        "a browser that has the page takes the other theme"
    );
}
