//! Makes text start so that Claude Code takes it as text, and reads such text back from what its hooks and
//! transcripts say.

use crate::text::harmless;

/// The prefix of text that starts with a slash. Claude Code trims what it is given before it
/// looks for a command, so that no blank, visible or not, keeps `/clear` from clearing.
const BEFORE_SLASH: &str = "> ";

/// The beginnings of the two tags that Claude Code 2.1 puts around a paste of four lines or more. Both have
/// the same id behind that, and end with a `>`.
const PASTED: [&str; 2] = ["<pasted_content", "</pasted_content"];

/// `text` as Claude Code has to be given it, typed or as an argument.
pub(super) fn as_text(text: &str) -> String {
    let text = harmless(text);
    if text.trim_start().starts_with('/') {
        format!("{BEFORE_SLASH}{}", text.trim_start())
    } else {
        text
    }
}

/// `told` without what Claude Code puts around a text that was pasted.
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
    // What looks like one of the tags gets a backslash.
    text.replace(r"<\pasted", "<pasted")
        .replace(r"<\/pasted", "</pasted")
}
