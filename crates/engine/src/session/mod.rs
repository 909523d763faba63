//! What the row of a session says. Pure; the lowest room.

pub mod hold;
pub mod lineage;
pub mod lines;
pub mod progress;
pub mod removal;
pub mod removed;
pub mod report;
pub mod restore;
pub mod resume;
pub mod retry;
pub mod row;
pub mod status;
pub mod steps;
pub mod wish;
