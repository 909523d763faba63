//! Carries out plans: starts their workers, sees what became of them, stops those that nobody needs any more, and ticks what is
//! done. What follows is decided in [`crate::decide::plans`] and in the crate `plans`.
//!
//! * `base`: the commit that a share begins at
//! * `start`: starts the worker of a share
//! * `settle`: records what became of a worker
//! * `leave`: stops workers that nobody needs any more
//! * `file`: a plan's file in the project's own checkout
//! * `tick`: ticks in it what is done
//! * `cost`: records what workers used
//! * `reading`: reads plans off the async threads
//! * `planner`: asks the person's planner for a plan
//! * `advance`: brings a plan forward, with all of these

pub mod advance;
mod base;
mod cost;
pub mod file;
mod leave;
pub mod planner;
pub mod reading;
mod settle;
mod start;
mod tick;
