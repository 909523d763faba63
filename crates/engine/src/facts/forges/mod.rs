//! Observes forges: which pull requests belong to sessions, and how they are. What to ask next is computed by
//! [`downbeat_forge::schedule`]; nothing is changed at a forge.
//!
//! * [`place`]: the repositories of projects, and the branches of their sessions
//! * [`client`]: the client of a host
//! * [`seen`]: a pull request in the words of the model
//! * [`record`]: records what was seen
//! * [`follow`]: which pull requests are followed, and for which session
//! * [`queued`]: follows merges in a forge's own queue
//! * [`ask`]: asks a forge what is due
//! * [`look`]: looks at all forges
//! * [`hints`]: follows what webhooks name

pub mod ask;
pub mod client;
pub mod follow;
pub mod hints;
pub mod look;
pub mod place;
pub mod queued;
pub mod record;
pub mod seen;
