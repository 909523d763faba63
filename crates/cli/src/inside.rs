//! The session in which a command was typed, if it was typed in one. There every command acts as that
//! session, with its token, whoever types: a command that an agent runs by mistake, or was talked into, must
//! not act as the person. Actions that need no token (attaching to a keeper's terminal, an engine that takes
//! over) are refused there (`Home::refuse_inside`). Nothing else is decided here: the engine knows what a
//! session may do.

use std::ffi::OsString;
use std::path::PathBuf;

/// The hint of every refusal here.
pub(crate) const WAY_OUT: &str = "inside a session, commands act as that session and reach only its own workers; run this \
     in a terminal outside of Downbeat";

/// The data about a session in its environment.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    /// The session's id.
    pub(crate) session: String,
    /// The session's token; empty if something removed it.
    pub(crate) token: String,
    /// The kinds of tools that the session's bridge offers: `conductor`, `worker`, or both with a comma.
    pub(crate) tools: String,
    /// The `engine.json` of the session's engine.
    pub(crate) manifest: Option<PathBuf>,
}

impl Inside {
    /// Returns the session around this process.
    pub(crate) fn here() -> Option<Self> {
        let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |value: OsString| value.to_string_lossy().into_owned();
        Some(Self {
            session: text(of("DOWNBEAT_SESSION")?),
            token: of("DOWNBEAT_TOKEN").map(text).unwrap_or_default(),
            tools: of("DOWNBEAT_TOOLS").map(text).unwrap_or_default(),
            manifest: of("DOWNBEAT_ENGINE").map(PathBuf::from),
        })
    }
}
