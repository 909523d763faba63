//! How text is typed into an agent's terminal, so that it arrives as text: nothing in it acts as
//! a key, ends a paste early, or is read as one of the agent's own commands.

use crate::manifest::{Adapter, Manifest};
use crate::{claude, custom};

/// Starts a bracketed paste.
const PASTE_START: &str = "\x1b[200~";
/// Ends it.
const PASTE_END: &str = "\x1b[201~";
/// The Enter key, with which [`message_bytes`] end.
pub const ENTER: &str = "\r";

/// `text` without what acts: line ends are line feeds, other control characters are gone.
pub(crate) fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars()
        .filter(|&c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect()
}

/// `text` without what acts, and with a space before what an agent reads as a command or option.
pub(crate) fn harmless(text: &str) -> String {
    let clean = clean(text);
    if clean.starts_with(['/', '!', '#', '-']) {
        format!(" {clean}")
    } else {
        clean
    }
}

/// The bytes that type `text` as a message to `agent` and send it. They may be written at
/// once: Claude Code takes 100 KB and the Enter behind it in one write.
#[must_use]
pub fn message_bytes(agent: &Manifest, text: &str) -> Vec<u8> {
    let bytes = match agent.adapter {
        // A shell gets what a person would type there: to it, text is commands.
        Adapter::None if agent.id == custom::SHELL => clean(text).trim_end_matches('\n').replace('\n', ENTER),
        Adapter::Claude => paste(&claude::typed(text)),
        Adapter::Codex | Adapter::Opencode => paste(&harmless(text)),
        // Not every command knows a paste; a single line needs none.
        _ if text.trim_end().contains(['\n', '\r']) => paste(&harmless(text)),
        _ => harmless(text).trim_end().to_owned(),
    };
    (bytes + ENTER).into_bytes()
}

fn paste(text: &str) -> String {
    format!("{PASTE_START}{text}{PASTE_END}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Agents;

    fn typed(id: &str, text: &str) -> String {
        let mine = Manifest {
            command: vec!["mine".into()],
            ..Manifest::default()
        };
        let agents = Agents::new("/bin/sh", [("mine".into(), mine)]);
        String::from_utf8(message_bytes(agents.get(id).unwrap(), text)).unwrap()
    }

    #[test]
    fn nothing_in_a_message_ends_the_paste_or_acts_as_a_key() {
        let nasty = "a\x1b[201~\x03\x04b\r\nc\u{9b}d\0\u{1f389}";
        assert_eq!(typed("claude", nasty), "\x1b[200~a[201~b\ncd\u{1f389}\x1b[201~\r");
    }

    #[test]
    fn what_looks_like_a_command_is_made_text() {
        for (text, want) in [
            ("/clear", "> /clear"),
            (" \n/clear", "> /clear"),
            ("!rm -rf /", " !rm -rf /"),
            ("#note", " #note"),
            ("--help", " --help"),
            ("\x1b/clear", "> /clear"),
            ("plain / text", "plain / text"),
        ] {
            assert_eq!(typed("claude", text), format!("\x1b[200~{want}\x1b[201~\r"));
        }
    }

    #[test]
    fn a_shell_gets_commands_and_another_command_gets_a_line() {
        assert_eq!(typed("shell", "ls\n# done\n"), "ls\r# done\r");
        assert_eq!(typed("mine", "/help\n"), " /help\r");
        assert_eq!(typed("mine", "a\nb"), "\x1b[200~a\nb\x1b[201~\r");
    }
}
