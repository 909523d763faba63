//! Turns an agent's hook posts into facts. Not what follows from them: that is
//! [`downbeat_model::observe`].

use crate::manifest::{Adapter, Manifest};
use crate::{Error, claude, codex, opencode};
use downbeat_model::Fact;
use jiff::Timestamp;

/// The facts of one hook post of `agent`. A post that we do not know gives none; one that is not
/// what the agent posts is an error, which the caller records and otherwise ignores.
pub fn facts(agent: &Manifest, hook_body: &str, at: Timestamp) -> Result<Vec<Fact>, Error> {
    match agent.adapter {
        Adapter::Claude => claude::facts(hook_body, at),
        Adapter::Codex => codex::facts(hook_body, at),
        Adapter::Opencode => opencode::facts(hook_body, at),
        Adapter::None => Ok(Vec::new()),
    }
}
