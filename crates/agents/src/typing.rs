//! The keys with which text gets into a terminal. What the text may hold is [`crate::text`]'s.

/// Starts a bracketed paste.
const PASTE_START: &str = "\x1b[200~";
/// Ends it.
const PASTE_END: &str = "\x1b[201~";
/// The Enter key, with which a typed message ends.
pub const ENTER: &str = "\r";

/// `text` as one bracketed paste. It must hold no control characters, or it could end the paste.
pub(crate) fn paste(text: &str) -> String {
    format!("{PASTE_START}{text}{PASTE_END}")
}
