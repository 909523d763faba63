//! Whole-program tests: the real command, real keepers, real git, a scripted agent where the real
//! one cannot be made to misbehave on demand.

mod crashes;
mod ends;
mod family;
mod messages;
mod processes;
mod projects;
mod spawns;
mod survival;
mod workspaces;
