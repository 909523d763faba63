//! The domains of a project's plans: those that every project has, and those of its configuration.

use crate::state::context::Engine;
use downbeat_plans::Domains;
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;

/// The most domains and keywords of a project: each is looked for in each of thousands of tasks.
const MOST_WORDS: usize = 200;

/// Returns the domains of a project's plans.
///
/// # Errors
/// Fails if the project's configuration cannot be read, or has too many keywords.
pub(crate) async fn of(engine: &Engine, project: &ProjectRow) -> Result<Domains, ApiError> {
    let own = engine.project_config(project).await?.domains;
    let words: usize = own.values().map(|words| words.len() + 1).sum();
    if words > MOST_WORDS {
        let what = format!(
            "domains: {words} names and keywords in downbeat.yaml; at most {MOST_WORDS} are possible"
        );
        return Err(ApiError::invalid(what));
    }
    let all = own.into_iter();
    Ok(all.fold(Domains::default(), |all, (name, words)| all.with(&name, words)))
}
