//! Budgets in dollars that cannot count, because a model has no price. Reported once for each model of a
//! project, immediately, so that nobody relies on a budget that holds nothing.

use crate::decide::budgets::Line;
use crate::decide::notices;
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use std::sync::Arc;

/// Returns the key by which a notice about an uncounted model is recorded.
fn key(project: &ProjectId, model: &str) -> String {
    format!("no price {project} {model}")
}

/// Returns the models that budgets in dollars do not count, without those that the person was notified of.
pub fn news(state: &State, row: &SessionRow, lines: &[Line]) -> Vec<String> {
    let blind = lines.iter().filter(|line| line.budget.usd.is_some());
    let mut models: Vec<&String> = blind.flat_map(|line| &line.used.unpriced).collect();
    models.sort();
    models.dedup();
    let told = |model: &str| {
        let key = key(&row.project_id, model);
        let by = |row: &Arc<SessionRow>| row.hold.warned.contains(&key);
        state.warned.contains(&key) || state.sessions.values().any(by)
    };
    models.into_iter().filter(|model| !told(model)).cloned().collect()
}

/// Notifies the person of uncounted models.
pub fn notify(draft: &mut Draft, id: &SessionId, models: &[String]) -> Result<(), ApiError> {
    if models.is_empty() {
        return Ok(());
    }
    let project = draft.session(id)?.project_id.clone();
    let hold = &mut draft.session(id)?.hold;
    hold.warned
        .extend(models.iter().map(|model| key(&project, model)));
    let text = format!(
        "the dollar budget does not count {}: no price is known; add one to prices.yaml, or set a token budget",
        models.join(", ")
    );
    notices::notify(draft, id, NoticeKind::NeedsLook, text)
}

#[cfg(test)]
#[path = "unpriced_tests.rs"]
mod tests;
