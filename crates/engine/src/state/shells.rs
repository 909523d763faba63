//! Counts of side shells.

use crate::session::row;
use crate::state::known::State;

/// The number of open shells per session: more tabs than anybody keeps apart; each has a keeper and its
/// memory.
pub(crate) const MOST: usize = 16;

/// Returns the number of shells in which a program runs.
pub fn busy(state: &State) -> u32 {
    let busy = state.shells.values().filter(|row| row::program(row).is_some());
    u32::try_from(busy.count()).unwrap_or(u32::MAX)
}
