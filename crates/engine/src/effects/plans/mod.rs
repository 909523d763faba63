//! Carries out plans: starts their workers, sees what became of them, stops those that nobody needs any more, and ticks what is
//! done. What follows is decided in [`crate::decide::plans`] and in the crate `plans`.
//!
//! * `base`: the commit that a share begins at
//! * `elsewhere`: where the work is that a share needs in other repositories
//! * `folders`: whether the folders of a plan's projects can be used
//! * `landing`: lets work land after what it needs in other projects
//! * `settle`: records what became of a worker
//! * `leave`: stops workers that nobody needs any more
//! * `reading`: reads plans off the async threads
//! * `program`: runs a program of the person's that answers at once
//! * `beads`: reads the issues of beads, and closes those that are done
//! * `file`: a plan's file in the project's own checkout
//! * `ticked`: takes as done what the person ticked in it meanwhile
//! * `start`: starts the worker of a share
//! * `tick`: ticks in a plan's file what is done
//! * `cost`: records what workers used
//! * `tell`: has trackers told what is done without a session
//! * `pins`: removes what kept the commits at which workers began
//! * `by_hand`: looks at a branch with work that no worker did
//! * `results`: reads the result files of tasks that are done elsewhere
//! * `planner`: asks the person's planner for a plan
//! * `advance`: brings a plan forward, with all of these

pub mod advance;
mod base;
pub mod beads;
pub mod by_hand;
mod cost;
mod elsewhere;
pub mod file;
pub(crate) mod folders;
pub mod landing;
mod leave;
mod pins;
pub mod planner;
pub mod program;
pub mod reading;
pub mod results;
mod settle;
mod start;
mod tell;
mod tick;
mod ticked;
