//! Words, states and the pure rules of Downbeat.
//!
//! Nothing here does I/O, reads a clock or is async: time is passed in, so every rule is a
//! table test. The words are those of the glossary in `docs/ARCHITECTURE.md`; every other crate
//! and the user interface use them unchanged.
//!
//! The files along the flow of data, each of which imports only files above it:
//!
//! | file | |
//! |---|---|
//! | [`id`], [`name`], [`session`], [`permission`] | names and identifiers, roles, permission modes |
//! | [`oid`] | the names of commits and trees |
//! | [`subject`] | the subject of a fact, an event or an effect, as one word |
//! | [`verification`] | the result of a project's checks on a commit |
//! | [`lines`], [`shown`], [`mod@count`] | text from outside, embedded in text of Downbeat and shown to people; numbers with their nouns |
//! | [`status`] | the status that people see, and its evidence |
//! | [`retry`], [`usage_limit`] | why an agent cannot continue, and when it does |
//! | [`fact`] | what was seen of a session |
//! | [`fold`] | what is known of any subject: its facts, folded |
//! | [`tasks`], [`tools`], [`sub_agents`], [`questions`] | what follows from a fact, part by part |
//! | [`observe`] | all facts of a session, folded into what is known of it |
//! | [`reason`] | why a session is not working |
//! | [`notice`], [`delivery`] | what the person is told, and which notifiers get it, when |
//! | [`effect`] | work that follows from a recorded change |
//! | [`limit`], [`budget`] | whether one more session may start, and how much it may spend |
//! | [`message`], [`event`], [`terminal`], [`text_kind`] | messages to sessions, kinds of events, the terminal stream, kinds of texts |
//! | [`pull`], [`lifecycle`] | what is known of a pull request; how far a session with its pull requests is |
//! | [`queue`] | the merge queue of a branch: what lands on it, in which order, and why each entry waits |
//! | [`reactions`] | what is done by itself when checks fail, a reviewer comments or an agent stops |
//! | [`mod@attention`], [`board`] | whether a session needs the person, and why; who must act next on it |
#![forbid(unsafe_code)]

pub mod attention;
pub mod board;
pub mod budget;
pub mod count;
pub mod delivery;
pub mod effect;
pub mod event;
pub mod fact;
pub mod fix;
#[cfg(test)]
mod fixture;
pub mod fold;
pub mod id;
pub mod lifecycle;
pub mod limit;
pub mod lines;
pub mod message;
pub mod name;
pub mod notice;
pub mod observe;
pub mod oid;
pub mod permission;
pub mod pull;
pub mod questions;
pub mod queue;
pub mod reactions;
pub mod reason;
pub mod retry;
pub mod session;
pub mod shown;
pub mod status;
pub mod sub_agents;
pub mod subject;
pub mod tasks;
pub mod terminal;
pub mod text_kind;
pub mod tools;
pub mod usage_limit;
pub mod verification;

pub use attention::{Attention, AttentionKind};
pub use board::Column;
pub use count::count;
pub use event::EventKind;
pub use fact::{About, Fact, FactKind, Task};
pub use fold::Fold;
pub use id::{DeliveryId, PlanId, ProjectId, SessionId};
pub use message::{MessageState, Sender, When};
pub use notice::{NewNotice, NoticeKind};
pub use observe::Observed;
pub use oid::Oid;
pub use permission::PermissionMode;
pub use questions::OpenQuestion;
pub use reason::{Reason, ReasonKind};
pub use retry::Retry;
pub use session::{Role, Session, Workspace};
pub use status::{Activity, Evidence, EvidenceSource, Question, QuestionKind, Status};
pub use subject::{Branch, NotifierName, PullId, Subject};
pub use tasks::Tasks;
pub use text_kind::TextKind;
pub use tools::ToolsState;
pub use usage_limit::{Limited, UsageLimit};
pub use verification::{CheckOutcome, CheckResult, MOST_PROCESSES, Verification};
