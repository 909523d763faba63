//! The keys that put text into a terminal. Which text is allowed is up to [`crate::text`].

/// The start of a bracketed paste.
const PASTE_START: &str = "\x1b[200~";
/// The end of a bracketed paste.
const PASTE_END: &str = "\x1b[201~";
/// The Enter key, which ends a typed message.
pub const ENTER: &str = "\r";

/// Wraps `text` as one bracketed paste. It must not contain control characters, which could end the paste.
pub(crate) fn paste(text: &str) -> String {
    format!("{PASTE_START}{text}{PASTE_END}")
}
