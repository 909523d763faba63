//! Tests of the whole program: the real command, real keepers and real git. The agent is scripted if a real
//! one cannot be made to misbehave on demand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the whole crate serves tests: a failure here is a failed test"
)]

mod allowed_commits;
mod archived;
mod asked_first;
mod backups;
mod bad_input;
mod bad_words;
mod beside;
mod beside_crash;
mod board;
mod budgets;
mod changes;
mod check_processes;
mod checks;
mod collisions;
mod commands;
mod completion;
mod configuration;
mod copied;
mod crashes;
mod declared;
mod deliveries;
mod editors;
mod ends;
mod environment;
mod evidence;
mod family;
mod first_prompts;
mod fixing;
mod forge_delays;
mod full_disk;
mod gitlab;
mod gitlab_bounds;
mod going_on;
mod hooks;
mod hostile;
mod issue_progress;
mod issues;
#[cfg(target_os = "linux")]
mod keychain;
mod landed_by_rule;
mod landings;
mod large_input;
mod limits;
mod linear;
mod merge_queue;
mod merge_trains;
mod merging;
mod messages;
mod moved;
mod notifying;
mod once;
mod orchestrator;
mod plan_by_hand;
mod plan_conductors;
mod plan_goals;
mod plan_kills;
mod plan_templates;
mod planner_runs;
mod plans;
mod processes;
mod projects;
mod prompt_files;
mod proof;
mod pull_conflicts;
mod pull_merges;
mod pull_orders;
mod pull_queue;
mod pull_writes;
mod pulls;
mod pulls_gone;
mod queue;
mod queue_crashes;
mod reaction_crashes;
mod reaction_events;
mod reactions;
mod reasons;
mod removals;
mod repeats;
mod rule_commands;
mod security;
mod session_reactions;
mod shells;
mod spawns;
mod story;
mod stuck;
mod summaries;
mod survival;
mod talk;
mod timeline;
mod tokens;
mod transcripts;
mod verified;
mod watchdog;
mod webhooks;
mod workspaces;
