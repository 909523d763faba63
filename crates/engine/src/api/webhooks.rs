//! Takes webhooks of forges: checks that they are genuine and new, and lets the forge be asked about what they name.

use crate::facts::forges::hints;
use crate::facts::forges::place::places;
use crate::host::config::ForgeKind;
use crate::host::named;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_forge::webhook::{Named, Post, Proof, Sender, Unproven};
use downbeat_store::WebhookRow;
use downbeat_wire::pull::ForgeWebhook;
use downbeat_wire::webhook::{Webhook, WebhookFrom, WebhookOutcome, WebhookReceipt};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;

/// A host with its secret.
type Known = (String, downbeat_notifiers::secret::Named);

/// Takes a webhook.
///
/// # Errors
/// See [`downbeat_wire::Host::take_webhook`].
pub async fn take(engine: &Engine, webhook: Webhook) -> Result<WebhookReceipt, ApiError> {
    let now = Timestamp::now();
    let sender = sender(webhook.from);
    let hosts = configured(engine, sender);
    if hosts.is_empty() {
        return Err(ApiError::new(
            Code::NotFound,
            "no webhook of this forge is configured",
        ));
    }
    if engine.forges.arrivals.is_too_many(now) {
        return Err(ApiError::new(
            Code::LimitReached,
            "too many webhooks in this minute",
        ));
    }
    let post = Post {
        headers: &webhook.headers,
        body: &webhook.body,
    };
    let proven = proven(engine, sender, (&hosts, &post), now).await?;
    let hint = sender
        .read(&post)
        .map_err(|error| ApiError::invalid(error.to_string()))?;
    let receipt = |outcome| Ok(WebhookReceipt { outcome });
    let named_host = hint.named.as_ref().map(|named| named.repository.host.as_str());
    // A secret proves only what its own host sends. What names nothing is noted for the first.
    let of_host = |(host, _): &&(String, Proof)| named_host.is_none_or(|named| named == host);
    let Some((host, proof)) = proven.iter().find(of_host) else {
        return receipt(WebhookOutcome::Ignored);
    };
    let row = WebhookRow {
        host: host.clone(),
        marks: proof.marks.clone(),
        event: hint.event,
        at: now,
    };
    if !engine.ledger.take_webhook(&row).await? {
        return receipt(WebhookOutcome::Repeated);
    }
    engine.forges.host(host).show(|shown| shown.refused = None);
    match hint.named {
        Some(named) if is_followed(engine, &named).await => {
            tracing::debug!(host, event = row.event, "a webhook names {}", named.repository);
            if engine.forges.host(host).hints.add(named) {
                hints::follow(engine.arc()?, host.clone());
            }
            receipt(WebhookOutcome::Taken)
        }
        _ => receipt(WebhookOutcome::Ignored),
    }
}

/// Returns the hosts whose secret the sender knows. A refusal is noted at a host only if the webhook can be of no other.
async fn proven(
    engine: &Engine,
    sender: Sender,
    (hosts, post): (&[Known], &Post<'_>),
    now: Timestamp,
) -> Result<Vec<(String, Proof)>, ApiError> {
    let mut proven = Vec::new();
    let mut refusal = None;
    for (host, secret) in hosts {
        match named::find(secret, &engine.env).await {
            Ok(secret) => match sender.prove(post, secret.text(), now) {
                Ok(proof) => proven.push((host.clone(), proof)),
                // What is too old was signed with the secret.
                Err(why) if refusal != Some(Unproven::Old) => refusal = Some(why),
                Err(_) => {}
            },
            Err(missing) => tracing::warn!(host, "its webhooks cannot be checked: {missing}"),
        }
    }
    if !proven.is_empty() {
        return Ok(proven);
    }
    if let Some(why) = &refusal {
        tracing::debug!("a webhook is not genuine: {why}");
        if let [(host, _)] = hosts {
            let said = why.to_string();
            let host = engine.forges.host(host);
            host.show(|shown| shown.refused = Some((said, now)));
        }
    }
    // Whoever does not know the secret learns no more than that; the time is no secret.
    let message = match refusal {
        Some(Unproven::Old) => "the webhook is too old",
        _ => "the webhook is not signed with the secret",
    };
    Err(ApiError::new(Code::Forbidden, message))
}

/// Whether a repository is one of a trusted project with sessions.
async fn is_followed(engine: &Engine, named: &Named) -> bool {
    let places = places(engine).await;
    let remotes = places.iter().flat_map(|place| &place.remotes);
    remotes.into_iter().any(|remote| *remote == named.repository)
}

/// Returns the hosts of a kind whose webhooks are configured.
fn configured(engine: &Engine, sender: Sender) -> Vec<Known> {
    let forges = engine.config().forges.into_iter();
    let known = forges.filter_map(|(host, forge)| {
        let is_it = sender_of(forge.kind(&host)) == sender;
        let secret = forge.webhook_secret.filter(|_| is_it)?;
        Some((host, secret))
    });
    known.collect()
}

/// Returns what people see of the webhooks of a host.
///
/// # Errors
/// Fails if it cannot be read.
pub async fn shown(engine: &Engine, host: &str) -> Result<ForgeWebhook, ApiError> {
    let config = engine.config();
    let kind = config.forge_kind(host);
    let secret = config
        .forges
        .get(host)
        .and_then(|forge| forge.webhook_secret.as_ref());
    let problem = match secret {
        Some(secret) => named::find(secret, &engine.env)
            .await
            .err()
            .map(|absent| absent.why),
        None => None,
    };
    let last = engine
        .ledger
        .store()
        .last_webhook(host)
        .await
        .map_err(error::store)?;
    let (last_event, last_at) = last.unzip();
    let refused = engine.forges.host(host).shown().refused;
    let (refused, refused_at) = refused.filter(|(_, at)| Some(*at) > last_at).unzip();
    let from = match kind {
        ForgeKind::GitHub => WebhookFrom::GitHub,
        ForgeKind::GitLab => WebhookFrom::GitLab,
    };
    Ok(ForgeWebhook {
        is_on: secret.is_some(),
        problem: problem.map(|why| {
            format!("no webhook of {host} can be checked: {why}; Downbeat reads the environment at its start")
        }),
        address: format!("http://127.0.0.1:{}{}", engine.manifest().port, from.path()),
        events: sender_of(kind)
            .events()
            .iter()
            .map(|&event| event.to_owned())
            .collect(),
        forwards: kind == ForgeKind::GitHub,
        last_event,
        last_at,
        refused,
        refused_at,
    })
}

const fn sender(from: WebhookFrom) -> Sender {
    match from {
        WebhookFrom::GitHub => Sender::GitHub,
        WebhookFrom::GitLab => Sender::GitLab,
    }
}

const fn sender_of(kind: ForgeKind) -> Sender {
    match kind {
        ForgeKind::GitHub => Sender::GitHub,
        ForgeKind::GitLab => Sender::GitLab,
    }
}
