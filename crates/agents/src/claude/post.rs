//! What Claude Code posts to its hooks, and what each post means.

use crate::Error;
use downbeat_model::Fact;
use jiff::Timestamp;

/// The facts of one post.
pub(crate) fn facts(body: &str, at: Timestamp) -> Result<Vec<Fact>, Error> {
    let _ = (body, at);
    Ok(Vec::new())
}
