//! Types messages, answers and keys into terminals.

pub mod accepted;
pub mod answer;
pub mod deliver;
pub mod given_back;
pub mod interrupt;
pub mod messages;
pub mod signals;
pub mod typing;
