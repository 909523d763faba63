//! Works through keepers: reads screens and usage, and ends what an agent left behind.

pub mod screen;
pub mod sweep;
pub mod usage;
