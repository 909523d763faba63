//! Words, states and the pure rules of Downbeat.
//!
//! Nothing here does I/O, reads a clock or is async: time is passed in, so every rule is a
//! table test. The words are those of the glossary in `docs/ARCHITECTURE.md`; every other crate
//! and the user interface use them unchanged.
//!
//! Map, along the flow of data:
//! [`id`] and [`name`] say what things are called; [`fact`] is what was seen; [`observe`] folds
//! facts into the [`status`] that people see and the [`tasks`] that the agent tells, with [`sub_agents`] that work on after it; [`usage_limit`] says when one
//! that ran into a limit goes on, [`retry`] that it asks again by itself, [`reason`] why it is not at work; [`limit`] decides whether one more session may start, [`budget`] how it stands
//! with what may be used; [`message`] says how far a message is; [`event`] names what is written down; [`terminal`]
//! is how a terminal travels; [`lines`] sets text of others into ours; [`tools`] says whether an agent has
//! the tools that it was given.
#![forbid(unsafe_code)]

pub mod budget;
pub mod event;
pub mod fact;
pub mod id;
pub mod limit;
pub mod lines;
pub mod message;
pub mod name;
pub mod observe;
pub mod permission;
pub mod reason;
pub mod retry;
pub mod session;
pub mod shown;
pub mod status;
pub mod sub_agents;
pub mod tasks;
pub mod terminal;
pub mod tools;
pub mod usage_limit;

pub use event::EventKind;
pub use fact::{About, Fact, FactKind, Task};
pub use id::{ProjectId, SessionId};
pub use message::{MessageState, Sender, When};
pub use observe::{Observed, OpenQuestion};
pub use permission::PermissionMode;
pub use reason::{Reason, ReasonKind};
pub use retry::Retry;
pub use session::{Role, Workspace};
pub use status::{Activity, Evidence, EvidenceSource, Question, QuestionKind, Status};
pub use tasks::Tasks;
pub use tools::ToolsState;
pub use usage_limit::{Limited, UsageLimit};
