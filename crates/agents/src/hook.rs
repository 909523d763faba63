//! Turns an agent's hook posts into facts. Not what follows from them: that is
//! [`downbeat_model::observe`].

use crate::{Error, claude, codex, opencode};
use downbeat_model::Fact;
use jiff::Timestamp;

/// The facts of one hook post of the agent `id`. A post that we do not know gives none; one that
/// is not what the agent posts is an error, which the caller records and otherwise ignores.
pub fn facts(id: &str, hook_body: &str, at: Timestamp) -> Result<Vec<Fact>, Error> {
    match id {
        claude::CLAUDE => claude::facts(hook_body, at),
        codex::CODEX => codex::facts(hook_body, at),
        opencode::OPENCODE => opencode::facts(hook_body, at),
        _ => Ok(Vec::new()),
    }
}
