//! The rows, one file per table, each with its reading and binding. The queries are elsewhere.

pub(crate) mod event;
mod message;
mod notice;
pub(crate) mod project;
pub(crate) mod session;

pub use downbeat_model::Session as SessionRow;
pub use event::{EventRow, StatusChange};
pub use message::MessageRow;
pub use notice::{NewNotice, NoticeRow};
pub use project::ProjectRow;
