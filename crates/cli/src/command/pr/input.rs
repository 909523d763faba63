//! Which session and which text are meant.

use crate::failure::Failure;
use crate::home::Home;
use std::path::PathBuf;

/// Returns the session that is named, or the one around this process.
pub(super) fn session(named: Option<String>, home: &Home) -> Result<String, Failure> {
    let around = || home.inside().map(|inside| inside.session.to_string());
    named
        .or_else(around)
        .ok_or_else(|| Failure::new("name a session").hint("inside a session its own pull request is meant"))
}

/// Returns a text, or the content of a file: `-` is standard input.
pub(super) fn text(given: Option<String>, file: Option<PathBuf>) -> Result<Option<String>, Failure> {
    let Some(file) = file else { return Ok(given) };
    let failed = |error: std::io::Error| Failure::new(format!("{} cannot be read: {error}", file.display()));
    if file.as_os_str() == "-" {
        return std::io::read_to_string(std::io::stdin())
            .map(Some)
            .map_err(failed);
    }
    std::fs::read_to_string(&file).map(Some).map_err(failed)
}
