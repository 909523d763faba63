//! Tests of a token that the person replaces by one that may do more: it is used without a restart, for what is read and
//! for what is changed.

use crate::pull_writes::cli;
use crate::pulls::{cart, look, of, shop_in};
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::Sandbox;
use downbeat_tests::shapes::Kind;
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;

/// Lets the forge's own program name this token.
fn names(sandbox: &Sandbox, kind: Kind, token: &str) {
    let name = match kind {
        Kind::GitHub => "gh",
        Kind::GitLab => "glab",
    };
    let program = sandbox.path().join("bin").join(name);
    std::fs::write(&program, format!("#!/bin/sh\necho {token}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Lets a token lack the scope of these requests.
async fn narrow(forge: &TestForge, token: &str, requests: &str) {
    let fault = json!({ "op": "fault", "match": requests, "kind": "scopes", "token": token });
    forge.control(fault).await;
}

async fn replaced(kind: Kind) {
    let forge = kind.start().await;
    let (writes, way_out) = match kind {
        Kind::GitHub => ("graphql Comment$", "gh auth refresh --hostname github.com"),
        Kind::GitLab => ("^POST .*/notes$", "glab auth login --hostname gitlab.com"),
    };
    narrow(&forge, "reads-nothing", "").await;
    narrow(&forge, "only-reads", writes).await;
    let sandbox = Sandbox::new();
    names(&sandbox, kind, "reads-nothing");
    let (sandbox, repository) = shop_in(sandbox, &forge).await;
    let engine = sandbox.manifest().unwrap()["pid"].clone();
    let (id, ..) = cart(&forge, &sandbox, &repository).await;
    let forges = look(&sandbox).await;
    let error = forges[0]["error"].as_str().unwrap_or_default();
    assert!(error.contains(way_out), "{forges:#}");

    names(&sandbox, kind, "only-reads");
    let forges = look(&sandbox).await;
    assert_eq!(forges[0]["error"], json!(null), "{forges:#}");
    assert_eq!(of(&sandbox, &id).await["pulls"][0]["number"], 1);
    let comment = ["pr", "comment", "cart", "Have a look"];
    let error = cli(&sandbox, &comment).unwrap_err();
    assert!(error.contains(way_out), "{error}");

    names(&sandbox, kind, "does-all");
    let said = cli(&sandbox, &comment).unwrap();
    assert!(said.contains("#1 commented"), "{said}");
    assert_eq!(sandbox.manifest().unwrap()["pid"], engine);
}

#[tokio::test]
async fn a_token_of_github_that_may_do_more_is_used_without_a_restart() {
    replaced(Kind::GitHub).await;
}

#[tokio::test]
async fn a_token_of_gitlab_that_may_do_more_is_used_without_a_restart() {
    replaced(Kind::GitLab).await;
}
