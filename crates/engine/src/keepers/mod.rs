//! Reads and sweeps through keepers: screens, usage, what an agent left behind.

pub mod screen;
pub mod sweep;
pub mod usage;
