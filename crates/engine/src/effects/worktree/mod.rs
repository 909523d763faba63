//! Plans, makes, sets up, removes and restores worktrees.

pub mod allowed_commits;
pub mod approval;
pub mod build_output;
pub mod checkout;
pub mod clear;
pub mod committed;
pub mod forget;
pub mod in_use;
pub mod interruptible;
pub mod leave_project;
pub mod orphans;
pub mod plan_place;
pub mod record;
pub mod remove;
pub mod restore;
pub mod setup;
pub mod trust;
