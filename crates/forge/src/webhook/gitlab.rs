//! Webhooks of GitLab. With a signing token (`whsec_…`) they are signed as Standard Webhooks describes, with an id and a time
//! (<https://docs.gitlab.com/user/project/integrations/webhooks/>); otherwise they carry the secret token itself.

use crate::webhook::post::{AGE, Hint, Named, Post, Proof, Unproven, Unreadable};
use crate::webhook::sign;
use jiff::Timestamp;
use serde_json::Value;

/// What to choose at GitLab.
pub(super) const EVENTS: [&str; 3] = ["Comments", "Merge request events", "Pipeline events"];

/// What a signing token begins with.
const SIGNING: &str = "whsec_";

/// The most signatures of one webhook that are compared: while a token is replaced, there are two.
const MOST: usize = 4;

pub(super) fn prove(post: &Post<'_>, secret: &str, now: Timestamp) -> Result<Proof, Unproven> {
    // Whoever configured a signing token does not accept less.
    match secret.strip_prefix(SIGNING) {
        Some(key) => signed(post, key, now),
        None => with_token(post, secret),
    }
}

fn signed(post: &Post<'_>, key: &str, now: Timestamp) -> Result<Proof, Unproven> {
    let header = |name| post.header(name).ok_or(Unproven::Unsigned("webhook-signature"));
    let (id, time, signatures) = (
        header("webhook-id")?,
        header("webhook-timestamp")?,
        header("webhook-signature")?,
    );
    // Anybody can sign with an empty key.
    let key = sign::base64(key).filter(|key| !key.is_empty());
    let key = key.ok_or(Unproven::Wrong("webhook-signature"))?;
    let parts: [&[u8]; 5] = [id.as_bytes(), b".", time.as_bytes(), b".", post.body];
    let is_it = |signature: &str| {
        let tag = signature.strip_prefix("v1,").and_then(sign::base64);
        tag.is_some_and(|tag| sign::is_signed(&key, &parts, &tag))
    };
    if !signatures.split(' ').take(MOST).any(is_it) {
        return Err(Unproven::Wrong("webhook-signature"));
    }
    let at = time
        .parse()
        .ok()
        .and_then(|second| Timestamp::from_second(second).ok());
    match at.is_some_and(|at| now.duration_since(at).abs() <= AGE) {
        true => Ok(Proof {
            marks: vec![format!("id:{id}")],
        }),
        false => Err(Unproven::Old),
    }
}

fn with_token(post: &Post<'_>, secret: &str) -> Result<Proof, Unproven> {
    let token = post
        .header("x-gitlab-token")
        .ok_or(Unproven::Unsigned("X-Gitlab-Token"))?;
    if secret.trim().is_empty() || !sign::is_same(token, secret) {
        return Err(Unproven::Wrong("X-Gitlab-Token"));
    }
    let ids = ["idempotency-key", "x-gitlab-event-uuid"];
    let id = ids
        .iter()
        .find_map(|name| post.header(name))
        .map(|id| format!("id:{id}"));
    Ok(Proof {
        marks: std::iter::once(post.digest()).chain(id).collect(),
    })
}

pub(super) fn read(post: &Post<'_>) -> Result<Hint, Unreadable> {
    let event = post.event("x-gitlab-event")?;
    let body = post.json()?;
    let (url, of) = (body["project"]["web_url"].as_str(), &body["object_attributes"]);
    let named = match body["object_kind"].as_str().unwrap_or_default() {
        "merge_request" => Some(Named::new(
            url,
            of["iid"].as_u64(),
            head(&of["last_commit"]["id"]),
        )?),
        "note" if of["noteable_type"] == "MergeRequest" => {
            Some(Named::new(url, body["merge_request"]["iid"].as_u64(), None)?)
        }
        "pipeline" if is_over(&of["status"]) => Some(Named::new(
            url,
            body["merge_request"]["iid"].as_u64(),
            head(&of["sha"]),
        )?),
        _ => None,
    };
    Ok(Hint { event, named })
}

/// Whether a pipeline does nothing more by itself.
fn is_over(status: &Value) -> bool {
    matches!(
        status.as_str(),
        Some("success" | "failed" | "canceled" | "skipped" | "manual")
    )
}

fn head(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
