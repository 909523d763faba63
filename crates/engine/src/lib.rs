//! The engine: projects, sessions, observation, notices and power, over one data directory.
//!
//! Known limits: agents without hooks show only output and exit.
//!
//! Map, along the flow of data. A face calls an operation ([`engine`], `operations`), which plans
//! (`plan`, `preview`) and changes the state through the `ledger`. `spawn` makes workspaces (with `making`), `setup`
//! and `launch` (with `program`) hand them to a keeper, `watch` follows it and `entry` turns its reports into facts
//! (`transition`, `screen`, `prompt`). `ending`, `resume` (with `begun`), `removal` and `bring_back` end, take up, clear away and make again;
//! `transcripts` reads what agents write down, `cost` sums up what they used by `prices`; `messages` and `wait` let agents talk, `limits` waits for the end of usage limits, `budgets` (with `budget_watch`) says when `pause` holds a session back, `scope` says what they may ask for; `queue` starts what a cap held back; `shells` opens more terminals beside an agent's. `adopt` and `handover`
//! let one engine follow another; `stream` is what faces watch.
#![forbid(unsafe_code)]

mod adopt;
mod agents;
mod answer;
mod archive;
mod asked_first;
mod begun;
mod bring_back;
mod budget_watch;
mod budgets;
mod care;
pub mod config;
mod cost;
mod ending;
pub mod engine;
mod entry;
pub mod error;
mod explain;
mod forget;
mod fork;
mod handover;
mod hold;
mod hookless;
mod launch;
mod ledger;
mod limits;
mod lineage;
mod live;
pub mod login_env;
mod lookup;
mod mail;
mod making;
pub mod manifest;
mod messages;
mod once;
mod operations;
mod orphans;
mod output;
pub mod paths;
mod pause;
mod plan;
pub mod point;
pub mod ports;
mod power;
mod preview;
mod prices;
mod program;
mod projects;
mod prompt;
mod queue;
mod removal;
mod report;
mod restart;
mod restorable;
mod results;
mod resume;
mod scope;
mod screen;
mod search;
mod settings;
mod setup;
mod shells;
mod spawn;
mod stream;
mod successor;
mod transcripts;
mod transition;
mod view;
mod wait;
mod watch;

pub use ending::left_unfinished;
pub use engine::{Engine, Options};
pub use error::OpenError;
