//! The pull requests of sessions, and the forges that they are on.

use crate::api::webhooks;
use crate::decide::pulls;
use crate::decide::reactions;
use crate::decide::reactions::matter::Matter;
use crate::facts::forges::{look, record};
use crate::state::context::Engine;
use crate::state::error;
use crate::state::known::State;
use downbeat_model::pull::SeenPull;
use downbeat_model::session::SessionPull;
use downbeat_model::{EventKind, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::pull::{ForgeState, PullDetail};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Returns the pull requests of a session, as they were last seen.
pub async fn of_session(engine: &Engine, row: &SessionRow) -> Result<Vec<PullDetail>, ApiError> {
    let mut list = Vec::new();
    let state = engine.ledger.state();
    let rules = engine.rules(&row.project_id).await.unwrap_or_default();
    for card in &row.pulls {
        let store = engine.ledger.store();
        let events = store.events_about(&card.id, &[EventKind::Fact], 1).await;
        let last = events.map_err(error::store)?.pop();
        let Some((event, seen)) = last.and_then(|event| {
            let seen = serde_json::from_value::<SeenPull>(event.payload.clone()).ok()?;
            Some((event, seen))
        }) else {
            continue;
        };
        let pull = record::known(engine, &card.id).await?;
        list.push(PullDetail {
            card: card.clone(),
            head_branch: seen.head_branch,
            head_repository: seen.head_repository,
            checks: seen.checks.all,
            reviews: seen.reviews,
            threads: seen.threads,
            beyond: seen.beyond,
            comments: seen.comments,
            labels: seen.labels,
            reactions: reactions::explained(
                &state,
                row,
                (&card.id, Matter::Pull(&pull)),
                &rules,
                Timestamp::now(),
            ),
            updated_at: seen.updated_at,
            seen_at: event.at,
        });
    }
    Ok(list)
}

/// Returns the forges that projects have remotes on, or whose webhooks are configured.
///
/// # Errors
/// Fails if their webhooks cannot be read.
pub async fn forges(engine: &Engine) -> Result<Vec<ForgeState>, ApiError> {
    let with_webhooks = engine.config().forges.into_iter();
    let with_webhooks = with_webhooks.filter(|(_, forge)| forge.webhook_secret.is_some());
    let known = engine.forges.all().into_iter();
    let known = known.filter(|(_, forge)| !forge.shown().repositories.is_empty());
    let hosts: BTreeSet<String> = (known.map(|(host, _)| host))
        .chain(with_webhooks.map(|(host, _)| host))
        .collect();
    let mut states = Vec::new();
    for host in hosts {
        let shown = engine.forges.host(&host).shown();
        let (error, error_since) = shown.error().unzip();
        let repositories: Vec<String> = shown.repositories.into_iter().collect();
        states.push(ForgeState {
            troubles: troubles(&engine.ledger.state(), &host, &repositories),
            webhook: webhooks::shown(engine, &host).await?,
            host,
            repositories,
            pulls: u32::try_from(shown.pulls).unwrap_or(u32::MAX),
            error,
            error_since,
            answered_at: shown.answered_at,
            points_left: shown.points.map(|(left, _)| left),
            points_of: shown.points.map(|(_, of)| of),
        });
    }
    Ok(states)
}

/// Says what is the matter with open pull requests at a forge.
fn troubles(state: &State, host: &str, repositories: &[String]) -> Vec<String> {
    let is_there = |card: &&SessionPull| matches!(&card.id, Subject::Pull(id) if id.forge() == host);
    let sessions = state.sessions.values();
    let all = sessions.flat_map(|row| {
        let open = row.pulls.iter().filter(|card| card.is_open()).filter(is_there);
        open.filter_map(|card| pulls::trouble(row, card, repositories))
    });
    all.collect()
}

/// Looks at all forges now.
///
/// # Errors
/// See [`forges`].
pub async fn look(engine: &Engine) -> Result<Vec<ForgeState>, ApiError> {
    look::look_now(engine).await;
    forges(engine).await
}
