//! What goes on by itself: each looks after every change, or after a time, and has done what is due.

pub mod adopt;
pub mod catch_up;
pub mod deliver_messages;
pub mod escalate_questions;
pub mod follow;
pub mod hold_to_budgets;
pub mod keep_reserve;
pub mod keep_results;
pub mod resume_after_limits;
pub mod start_queued;
pub mod tell_conductors;
