//! What a status and its body mean. GitLab says what is wrong in a field `message` of several shapes, or in `error`.

use crate::error::{ForgeError, Login};
use crate::http::asked::{Asked, Dialect, Refusal, listed};
use crate::http::meter::{Headers, retry_after};
use crate::text::line;
use serde::Deserialize;
use serde_json::Value;

/// How GitLab differs from other forges. Personal, project and group access tokens are accepted as bearer tokens, like those
/// of OAuth (<https://docs.gitlab.com/api/rest/authentication/>).
pub(super) static DIALECT: Dialect = Dialect {
    login: Login::Glab,
    limits: Headers::GitLab,
    requests: "requests",
    headers: &[("accept", "application/json")],
    scheme: "Bearer ",
    refused,
};

/// How many parts of a message are kept.
const PARTS: usize = 5;

#[derive(Deserialize, Default)]
struct Body {
    #[serde(default)]
    message: Value,
    error: Option<String>,
    error_description: Option<String>,
    scope: Option<String>,
}

/// Returns the error for a status other than 2xx and 3xx, and notes limits in the meter.
fn refused(asked: &Asked<'_>, refusal: &Refusal<'_>) -> ForgeError {
    let body: Body = serde_json::from_slice(refusal.body).unwrap_or_default();
    let why = words(&body);
    match refusal.status.as_u16() {
        401 => asked.rejected(),
        403 if body.error.as_deref() == Some("insufficient_scope") => {
            let needs = listed(body.scope.as_deref().unwrap_or("api"), ' ');
            asked.scopes(needs, Vec::new())
        }
        403 => asked.forbidden(why),
        404 | 410 => asked.gone(),
        429 => {
            let named = retry_after(refusal.headers, refusal.now);
            if named.is_none() && refusal.headers.contains_key("ratelimit-reset") {
                return asked.exhausted(refusal.meter, refusal.now);
            }
            asked.slower(named, refusal.meter, refusal.now)
        }
        500.. => asked.failed_with(refusal.status, &why),
        status if why.is_empty() => asked.will_not(format!("status {status}")),
        _ => asked.will_not(why),
    }
}

/// What the body says, in one line.
fn words(body: &Body) -> String {
    let mut parts = Vec::new();
    collect(&body.message, &mut parts);
    parts.extend(body.error_description.clone().or_else(|| body.error.clone()));
    parts.truncate(PARTS);
    line(&parts.join(": "))
}

fn collect(value: &Value, parts: &mut Vec<String>) {
    match value {
        Value::String(text) => parts.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|one| collect(one, parts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                // The errors of the thing itself are below "base".
                if name != "base" {
                    parts.push(name.clone());
                }
                collect(value, parts);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_several_shapes() {
        for (body, expected) in [
            (r#"{"message":"403 Forbidden"}"#, "403 Forbidden"),
            (r#"{"message":["One","two"]}"#, "One: two"),
            (r#"{"message":{"base":["No."]}}"#, "No."),
            (r#"{"message":{"title":["is too long"]}}"#, "title: is too long"),
            (
                r#"{"error":"invalid_token","error_description":"Token was revoked."}"#,
                "Token was revoked.",
            ),
            (
                r#"{"error":"state_event does not have a valid value"}"#,
                "state_event does not have a valid value",
            ),
            ("{}", ""),
        ] {
            let body: Body = serde_json::from_str(body).expect("JSON");
            assert_eq!(words(&body), expected);
        }
    }
}
