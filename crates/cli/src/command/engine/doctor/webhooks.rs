//! Whether the webhooks that are configured can be taken, and come.

use super::finding::Finding;
use crate::client::Client;
use crate::paint::plain;
use crate::show::ago;
use downbeat_wire::Client as _;
use downbeat_wire::pull::ForgeState;
use downbeat_wire::request::Nothing;
use jiff::Timestamp;

const WHAT: &str = "webhooks";

/// Reports each forge whose webhooks are configured.
pub(super) async fn all(client: Option<&Client>) -> Vec<Finding> {
    let Some(client) = client else { return Vec::new() };
    let forges = client.list_forges(Nothing {}).await.unwrap_or_default();
    let now = Timestamp::now();
    forges.iter().filter_map(|forge| one(forge, now)).collect()
}

fn one(forge: &ForgeState, now: Timestamp) -> Option<Finding> {
    let (webhook, host) = (&forge.webhook, plain(&forge.host));
    let steps = format!("downbeat pr webhook {host}");
    if !webhook.is_on {
        return None;
    }
    if let Some(problem) = &webhook.problem {
        return Some(Finding::warn(WHAT, plain(problem), steps));
    }
    let is_refused = webhook.refused_at > webhook.last_at;
    Some(match (&webhook.refused, webhook.last_at) {
        (Some(why), _) if is_refused => Finding::warn(
            WHAT,
            format!("{host}: the last one was refused: {}", plain(why)),
            steps,
        ),
        (_, Some(at)) => Finding::ok(WHAT, format!("{host}: the last one came {} ago", ago(at, now))),
        (_, None) => Finding::warn(
            WHAT,
            format!("{host}: none has come yet; the forge is asked on a schedule"),
            steps,
        ),
    })
}
