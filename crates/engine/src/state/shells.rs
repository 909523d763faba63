//! How many extra shells are busy.

use crate::session::row;
use crate::state::known::State;

/// Open shells beside one session: more tabs than anybody keeps apart; each has a keeper and its memory.
pub(crate) const MOST: usize = 16;

/// How many shells a program runs in.
pub fn busy(state: &State) -> u32 {
    let busy = state.shells.values().filter(|row| row::program(row).is_some());
    u32::try_from(busy.count()).unwrap_or(u32::MAX)
}
