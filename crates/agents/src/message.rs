//! How text is typed into an agent's terminal, so that it arrives as text: nothing in it acts as
//! a key, ends the paste early, or is read as one of the agent's own commands.

/// Starts a bracketed paste.
const PASTE_START: &[u8] = b"\x1b[200~";
/// Ends it.
const PASTE_END: &[u8] = b"\x1b[201~";
/// The Enter key.
const ENTER: &[u8] = b"\r";

/// `text` as harmless input: line ends are line feeds, other control characters are gone, and
/// text that an agent would read as a command or an option starts with a space.
pub(crate) fn harmless(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let clean: String = text
        .chars()
        .filter(|&c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect();
    let command = clean.trim_start().starts_with(['/', '!', '#']) || clean.starts_with('-');
    if command { format!(" {clean}") } else { clean }
}

/// The parts in which a message is typed: the agent must have read one before the next comes.
#[must_use]
pub fn message_steps(id: &str, text: &str) -> Vec<Vec<u8>> {
    let _ = id;
    let paste = [PASTE_START, harmless(text).as_bytes(), PASTE_END].concat();
    vec![paste, ENTER.to_vec()]
}

/// The bytes of a message, all parts of [`message_steps`] in one.
#[must_use]
pub fn message_bytes(id: &str, text: &str) -> Vec<u8> {
    message_steps(id, text).concat()
}
