//! The engine: projects, sessions, observation, notices and power, over one data directory.
//!
//! Known limits: agents without hooks show only output and exit.
//!
//! Map, along the flow of data. A face calls an operation ([`engine`], `operations`), which plans
//! (`plan`, `preview`) and changes the state through the `ledger`, which takes a `draft` of it. `spawn` makes workspaces (with `making`), `setup`
//! and `launch` (with `program`) hand them to a keeper, `watch` follows it (through `reports`), `places` sees that its folder is there, and `entry` turns its reports into facts
//! (`transition`, `screen`, `prompt`, `unheard`); `reason` says why a session is not at work. `ending` and `ended`, `resume` (with `begun`), `removal` (with `clearing`) and `bring_back` end, take up, clear away and make again;
//! `transcripts` reads what agents write down, `cost` sums up what they used by `prices`; `messages` and `wait` let agents talk, `tools` says when an agent has the means to, `limits` waits for the end of usage limits, `budgets` (with `budget_watch`) says when `pause` holds a session back, `scope` says what they may ask for, `vouched` which commits may run programs unasked; `idempotency` answers repeats of requests; `queue` starts what a cap held back; `shells` opens more terminals beside an agent's; `relocation` points a project to where its repository was moved, `leave` takes one off the list. `wishes` are what an engine finishes for another, or takes back. `adopt` and `handover`
//! let one engine follow another, `listening` keeps its port, `reserve` room on the disk for its start; `callers` knows tokens, `proven` is how clients make an engine prove itself; `host` and `stream` are the engine as faces reach and watch it; `preferences` is what a page keeps.
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
mod callers;
mod care;
mod clearing;
pub mod config;
mod cost;
mod draft;
mod ended;
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
mod host;
mod idempotency;
mod launch;
mod leave;
mod ledger;
mod limits;
mod lineage;
mod listening;
mod live;
pub mod login_env;
mod lookup;
mod mail;
mod making;
pub mod manifest;
mod messages;
mod once;
mod operations;
mod ordinary;
mod orphans;
mod output;
pub mod paths;
mod pause;
mod places;
mod plan;
pub mod point;
pub mod ports;
pub mod power;
mod preferences;
mod preview;
mod prices;
mod program;
mod projects;
mod prompt;
pub mod proven;
mod queue;
mod reason;
mod relocation;
mod removal;
mod report;
mod reports;
mod reserve;
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
mod tools;
mod transcripts;
mod transition;
mod unheard;
mod view;
mod vouched;
mod wait;
mod watch;
mod wishes;

pub use ending::left_unfinished;
pub use engine::{Engine, Options};
pub use error::OpenError;
