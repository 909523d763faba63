//! How text has to start so that Claude Code takes it as text.

use crate::message::harmless;

/// What goes before text that starts with a slash. Claude Code trims what it is given before it
/// looks for a command, so that no blank, visible or not, keeps `/clear` from clearing.
const BEFORE_SLASH: &str = "> ";

/// `text` as Claude Code is to be given it, typed or as an argument.
pub(crate) fn typed(text: &str) -> String {
    let text = harmless(text);
    if text.trim_start().starts_with('/') {
        format!("{BEFORE_SLASH}{}", text.trim_start())
    } else {
        text
    }
}
