//! Gathers the facts from which [`downbeat_model::attention`] decides whether a session needs the person.

use crate::decide::limits;
use crate::host::config::UsageLimits;
use crate::state::known::State;
use downbeat_model::Attention;
use downbeat_model::attention::{Ends, Known, Troubled, attention, is_troubled};
use downbeat_model::session::Snooze;
use downbeat_store::SessionRow;
use jiff::Timestamp;

/// Returns why a session needs the person, if it does and the person has not snoozed that. `config` is the setting for usage limits,
/// `reason` why the session is not working, if that is known.
pub fn of(state: &State, row: &SessionRow, config: &UsageLimits, reason: Option<&str>) -> Option<Attention> {
    let found = even_if_snoozed(state, row, config, reason)?;
    snoozed(row, &found).is_none().then_some(found)
}

/// Returns until when the person snoozed what a session needs them for, if they did.
pub fn snoozed_until(state: &State, row: &SessionRow, config: &UsageLimits) -> Option<Timestamp> {
    row.hold.snooze.as_ref()?;
    let found = even_if_snoozed(state, row, config, None)?;
    snoozed(row, &found).map(|snooze| snooze.until)
}

fn snoozed<'a>(row: &'a SessionRow, found: &Attention) -> Option<&'a Snooze> {
    row.hold
        .snooze
        .as_ref()
        .filter(|snooze| snooze.since == found.since)
}

/// Returns why a session needs the person, even if they snoozed that.
pub(crate) fn even_if_snoozed(
    state: &State,
    row: &SessionRow,
    config: &UsageLimits,
    reason: Option<&str>,
) -> Option<Attention> {
    let limit = limits::of(row).map(|limited| {
        let ends = limited.over_at(config.margin()).is_some();
        match ends && limits::by_itself(row, config.go_on) {
            true => Ends::ByItself,
            false => Ends::BySomeone,
        }
    });
    let queue = state.queues.get(&row.id);
    let messages = queue.into_iter().flat_map(|queue| queue.iter());
    let message = messages
        .filter(|message| is_troubled(message.state))
        .min_by_key(|message| message.changed_at);
    attention(&Known {
        status: row.status,
        since: row.status_since,
        is_archived: row.archived_at.is_some(),
        is_over_budget: row.is_paused_by_budget(),
        question: row.observed.as_ref().and_then(|seen| seen.question()),
        limit,
        reason,
        message: message.map(|message| Troubled {
            state: message.state,
            text: &message.text,
            since: message.changed_at,
        }),
        exchanges: Some(&row.exchanges),
    })
}

#[cfg(test)]
#[path = "attention_tests.rs"]
mod tests;
