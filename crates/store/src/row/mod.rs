//! The rows, one file per table, each with how it is read and bound. Not queries.

pub(crate) mod event;
mod message;
mod notice;
pub(crate) mod project;
pub(crate) mod session;

pub use downbeat_model::Session as SessionRow;
pub use event::EventRow;
pub use message::MessageRow;
pub use notice::{NewNotice, NoticeRow};
pub use project::ProjectRow;
