//! Records what is observed: journals, screens, titles, transcripts, resources. Takes no action on it.

pub mod changes;
pub mod collisions;
pub mod commits;
pub mod ended;
pub mod evidence;
pub mod foreground;
pub mod forges;
pub mod journal;
pub mod limits;
pub mod lost;
pub mod places;
pub mod reports;
pub mod resources;
pub mod rules;
pub mod screen;
pub mod screen_rules;
pub mod since;
pub mod tools;
pub mod trackers;
pub mod transcripts;
pub mod unheard;
pub mod usage;
