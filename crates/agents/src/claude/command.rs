//! The command line of Claude Code.

use crate::Error;
use crate::launch::{Launch, LaunchRequest, text};

/// The command line for `request`.
pub(crate) fn launch(request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let _ = crate::quote::hook_command(request.cli)?;
    Err(Error::UnknownAgent(text(request.program)?))
}
