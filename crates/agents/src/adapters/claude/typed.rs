//! Makes text start so that Claude Code reads it as text, and restores the original of such text from what
//! its hooks and transcripts report.

use crate::text::harmless;

/// The prefix of text that starts with a slash. Claude Code trims its input before it looks for a command, so
/// that no blank, visible or not, keeps `/clear` from clearing.
const BEFORE_SLASH: &str = "> ";

/// The beginnings of the two tags that Claude Code 2.1 puts around a paste of four lines or more. Both have
/// the same id after that, and end with a `>`.
const PASTED: [&str; 2] = ["<pasted_content", "</pasted_content"];

/// Returns `text` in the form that Claude Code must be given, typed or as an argument.
pub(super) fn as_text(text: &str) -> String {
    let text = harmless(text);
    if text.trim_start().starts_with('/') {
        format!("{BEFORE_SLASH}{}", text.trim_start())
    } else {
        text
    }
}

/// Returns `told` without the tags that Claude Code puts around pasted text.
pub(super) fn unpasted(told: &str) -> String {
    let [begin, end] = PASTED;
    let inside = told.trim().strip_prefix(begin);
    let Some((_, text)) = inside.and_then(|rest| rest.split_once('>')) else {
        return told.to_owned();
    };
    let behind = text
        .rfind(end)
        .filter(|&at| text[at..].find('>') == Some(text.len() - at - 1));
    let text = &text[..behind.unwrap_or(text.len())];
    // Text that looks like one of the tags gets a backslash.
    text.replace(r"<\pasted", "<pasted")
        .replace(r"<\/pasted", "</pasted")
}
