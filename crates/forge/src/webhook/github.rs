//! Webhooks of GitHub: signed with HMAC-SHA256 over the body
//! (<https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries>). They carry no time, and their id is
//! not signed.

use crate::webhook::post::{Hint, Named, Post, Proof, Unproven, Unreadable};
use crate::webhook::sign;
use serde_json::Value;

/// What to choose at GitHub.
pub(super) const EVENTS: [&str; 8] = [
    "check_run",
    "check_suite",
    "issue_comment",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "status",
];

const SIGNATURE: &str = "X-Hub-Signature-256";

pub(super) fn prove(post: &Post<'_>, secret: &str) -> Result<Proof, Unproven> {
    let signature = post
        .header("x-hub-signature-256")
        .ok_or(Unproven::Unsigned(SIGNATURE))?;
    let tag = signature.strip_prefix("sha256=").and_then(sign::hex);
    // Anybody can sign with an empty key.
    let tag = tag.filter(|_| !secret.trim().is_empty());
    match tag.is_some_and(|tag| sign::is_signed(secret.as_bytes(), &[post.body], &tag)) {
        true => {
            let id = post.header("x-github-delivery").map(|id| format!("id:{id}"));
            Ok(Proof {
                marks: std::iter::once(post.digest()).chain(id).collect(),
            })
        }
        false => Err(Unproven::Wrong(SIGNATURE)),
    }
}

pub(super) fn read(post: &Post<'_>) -> Result<Hint, Unreadable> {
    let event = post.event("x-github-event")?;
    let body = post.json()?;
    let url = body["repository"]["html_url"].as_str();
    let named = match event.as_str() {
        "pull_request"
        | "pull_request_review"
        | "pull_request_review_comment"
        | "pull_request_review_thread" => Some(Named::new(
            url,
            body["pull_request"]["number"].as_u64(),
            head(&body["pull_request"]["head"]["sha"]),
        )?),
        // Comments on issues have the same event.
        "issue_comment" if body["issue"]["pull_request"].is_object() => {
            Some(Named::new(url, body["issue"]["number"].as_u64(), None)?)
        }
        "check_run" if is_news(&body["check_run"]) => Some(checked(url, &body["check_run"])?),
        "check_suite" if body["action"] == "completed" => Some(checked(url, &body["check_suite"])?),
        "status" if body["state"] != "pending" => Some(Named::new(url, None, head(&body["sha"]))?),
        _ => None,
    };
    Ok(Hint { event, named })
}

/// Whether the forge is asked because of one run. That it passed is seen when all of its suite did.
fn is_news(run: &Value) -> bool {
    let passes = [Value::Null, "success".into(), "neutral".into(), "skipped".into()];
    !passes.contains(&run["conclusion"])
}

/// Returns what a run or a suite names: its commit, and the pull requests that GitHub knows for it. Those of forks it does
/// not know.
fn checked(url: Option<&str>, of: &Value) -> Result<Named, Unreadable> {
    let pulls = of["pull_requests"].as_array().into_iter().flatten();
    let numbers = pulls.filter_map(|pull| pull["number"].as_u64());
    Named::new(url, numbers, head(&of["head_sha"]))
}

fn head(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
