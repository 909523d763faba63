//! Forges behind one trait: pull requests with their checks, reviews and conversations, and issues; trackers behind another. They are observed at
//! low cost and changed with guards against acting on something that moved.
//!
//! Nothing here keeps facts, decides what follows from them, or repeats a write: the engine stores what is observed, asks
//! [`schedule::plan`] what to ask next, and passes one [`Write`] at a time. Text that strangers wrote arrives bounded and
//! without control characters ([`Excerpt`]); whoever passes it on quotes it and names its source.
//!
//! Known limitations: GitHub and GitLab only, with a token of a person (no GitHub App). A log is read for GitHub Actions and
//! for jobs of GitLab only; other checks have their summary, annotations and link. A retired check of which a branch still
//! requires the name is shown as expected, as GitHub does.
//!
//! The modules, along the flow of data. Each imports only modules that this list names before it;
//! `scripts/checks/rooms.test.js` checks that.
//!
//! * `text`: bounds text from outside and removes its control characters
//! * `mask`: replaces secrets in logs
//! * `error`: what can go wrong, and the way out of each
//! * `types`: pull requests, checks, conversations, issues, limits, writes
//! * `remote`: which repository of which host a remote's URL names
//! * `webhook`: whether what a forge sends is genuine, and which pull requests it names
//! * `forge`: the trait
//! * `tracker`: the trait of trackers, whose issues belong to no repository
//! * `schedule`: what to ask next, computed from facts, limits and the time
//! * `http`: what all forges share of HTTP: addresses, tokens, limits, bounded requests, the ends of logs
//! * `github`: GitHub and GitHub Enterprise
//! * `gitlab`: GitLab, on gitlab.com and on hosts of one's own
//! * `linear`: Linear, a tracker
#![forbid(unsafe_code)]

mod error;
mod forge;
pub mod github;
pub mod gitlab;
mod http;
pub mod linear;
mod mask;
mod remote;
pub mod schedule;
mod text;
mod tracker;
mod types;
pub mod webhook;

pub use error::{ForgeError, Login, Retry};
pub use forge::Forge;
pub use http::{Options, Token};
pub use mask::Mask;
pub use remote::{RemoteAddress, RemoteError};
pub use text::{Excerpt, line};
pub use tracker::{IssueKey, Progress, States, TrackedIssue, Tracker};
pub use types::changes::{Changes, PullStub, RunStub, Seen, Validator};
pub use types::checks::{Check, CheckKind, CheckState, Checks, Confirmation, Protection, Required, Verdict};
pub use types::conversation::{Comment, Conversation, ReviewBody, Thread};
pub use types::failure::{Annotation, CheckFailure, FailureDetail, LogTail, Step};
pub use types::identity::{NodeId, Oid, RepositoryName, RepositoryRef};
pub use types::issue::{Issue, IssueLinks, LinkedIssue, MOST_LINKS};
pub use types::limit::{Limit, Limits, Viewer};
pub use types::pull::{
    Base, Detail, Head, MergeState, Mergeable, Observed, PullRequest, PullState, QueueEntry, Review, Talk,
};
pub use types::repository::Repository;
pub use types::review::ReviewDecision;
pub use types::write::{MergeStrategy, Subject, Write, Written};
