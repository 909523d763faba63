//! Decisions over the state: what may happen, what follows from it and what people are told. Touches no
//! process, worktree or terminal.

pub mod access;
pub mod admission;
pub mod attention;
pub mod beads;
pub mod board;
pub mod budgets;
pub mod checks;
pub mod cleanup;
pub mod collisions;
pub mod complete;
pub mod conflict;
pub mod delivery;
pub mod ending;
pub mod entered;
pub mod epic;
#[cfg(test)]
mod example;
pub mod exchanges;
pub mod fix;
pub mod forge_merge;
pub mod forge_queue;
pub mod go_on;
pub mod issue;
pub mod issue_batch;
pub mod landing_order;
pub mod limits;
pub mod line;
pub mod mailbox;
pub mod merge;
pub mod merge_queue;
pub mod message_state;
pub mod message_turns;
pub mod new_session;
pub mod news;
pub mod notices;
pub mod notifying;
pub mod observe;
pub mod one_shot;
pub mod pause;
pub mod plan_access;
pub mod plan_domains;
pub mod plan_links;
pub mod plan_places;
pub mod plan_projects;
pub mod plan_results;
pub mod planner;
pub mod plans;
#[cfg(test)]
mod properties;
pub mod pull_orders;
pub mod pulls;
pub mod reactions;
pub mod reason;
pub mod report;
pub mod reviews;
pub mod shells;
pub mod snooze;
pub mod start;
pub mod status;
pub mod stop;
pub mod story;
#[cfg(test)]
mod tables;
pub mod timeline;
pub mod tracking;
pub mod unpriced;
