//! The adapters: a folder for each agent that needs code of its own, and a single one for all others.

mod claude;
mod codex;
pub(crate) mod declared;
mod opencode;

use crate::adapter::Adapter;
use crate::manifest::AdapterKind;

/// Returns the adapter of this kind.
#[must_use]
pub fn adapter(kind: AdapterKind) -> &'static dyn Adapter {
    match kind {
        AdapterKind::None => &declared::Declared,
        AdapterKind::Claude => &claude::ClaudeCode,
        AdapterKind::Codex => &codex::Codex,
        AdapterKind::Opencode => &opencode::OpenCode,
    }
}
