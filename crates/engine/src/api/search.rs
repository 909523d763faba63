//! Searches the conversations and screens of sessions, and indexes the screens of sessions that are idle.
//! Conversations are indexed by [`crate::facts::transcripts`].

use crate::state::context::Engine;
use crate::state::{error, find};
use downbeat_model::SessionId;
use downbeat_store::chronicle::{Found, Query};
use downbeat_wire::search::{Hit, Piece, Search};
use downbeat_wire::{ApiError, Caller};
use std::collections::BTreeSet;

/// Number of hits returned by default.
const HITS: u32 = 50;

/// Upper limit for hits.
const MOST_HITS: u32 = 200;

/// Searches the sessions that `caller` may see.
pub async fn find(engine: &Engine, caller: &Caller, request: &Search) -> Result<Vec<Hit>, ApiError> {
    let state = engine.ledger.state();
    let project = request
        .project
        .as_deref()
        .map(|name| find::project(&state, name))
        .transpose()?;
    let own = match caller {
        Caller::Owner => None,
        Caller::Session(root) => {
            let below = engine.ledger.store().below(std::slice::from_ref(root)).await;
            let below = below.map_err(error::store)?.into_iter().map(|kin| kin.id);
            Some(below.chain([root.clone()]).collect::<Vec<SessionId>>())
        }
    };
    let query = Query {
        words: &request.query,
        project: project.as_ref().map(|project| &project.id),
        sessions: own.as_deref(),
        limit: request.limit.unwrap_or(HITS).clamp(1, MOST_HITS),
    };
    let found = engine
        .transcripts
        .chronicle
        .search(&query)
        .await
        .map_err(error::store)?;
    let ids: BTreeSet<_> = found.iter().map(|found| found.session.clone()).collect();
    let _held = engine.recall(&ids.into_iter().collect::<Vec<_>>()).await?;
    let state = engine.ledger.state();
    let hit = |found: Found| {
        let row = state.sessions.get(&found.session)?;
        Some(Hit {
            session_id: row.id.clone(),
            name: row.name.clone(),
            title: row.title.clone(),
            project_id: row.project_id.clone(),
            kind: found.kind,
            at: found.at,
            snippet: found
                .snippet
                .into_iter()
                .map(|(text, is_match)| Piece { text, is_match })
                .collect(),
        })
    };
    Ok(found.into_iter().filter_map(hit).collect())
}
