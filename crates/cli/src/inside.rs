//! The session that a command was typed in, if it was typed in one. There every command acts as
//! that session, with its token, whoever types: what an agent calls by mistake or was talked into
//! must not act as the person. Ways that need no token (a terminal straight from its keeper, an
//! engine that takes over) are closed there (`Home::refuse_inside`). It decides nothing else: what a
//! session may do is the engine's to say.

use std::ffi::OsString;
use std::path::PathBuf;

/// The way out of every refusal in here.
pub(crate) const WAY_OUT: &str = "inside a session, commands act as that session and reach its own workers; run it in a \
     terminal of your own, outside of Downbeat";

/// A session's names for itself, out of its environment.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    /// Its id.
    pub(crate) session: String,
    /// What it shows to get in; empty where something took it away.
    pub(crate) token: String,
    /// Which kinds of tools its bridge offers: `conductor`, `worker`, or both with a comma.
    pub(crate) tools: String,
    /// The `engine.json` of its engine.
    pub(crate) manifest: Option<PathBuf>,
}

impl Inside {
    /// The session around this process.
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
