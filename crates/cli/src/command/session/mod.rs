//! Commands that start, hold and end sessions.

pub(in crate::command) mod archive;
pub(in crate::command) mod batch_spawn;
pub(in crate::command) mod check;
pub(in crate::command) mod fix;
pub(in crate::command) mod fork;
pub(in crate::command) mod go_on;
pub(in crate::command) mod hand_over;
pub(in crate::command) mod kill;
pub(in crate::command) mod merge;
pub(in crate::command) mod new;
pub(in crate::command) mod pause;
pub(in crate::command) mod queue;
pub(in crate::command) mod rename;
pub(in crate::command) mod restart;
pub(in crate::command) mod resume;
pub(in crate::command) mod review;
pub(in crate::command) mod stop;
