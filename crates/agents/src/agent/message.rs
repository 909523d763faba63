//! Builds the bytes that type text into an agent's terminal, so that it arrives as text: nothing in it acts
//! as a key, ends a paste early, or is read as one of the agent's own commands.

use crate::adapters::adapter;
use crate::manifest::Manifest;
use crate::typing::ENTER;

/// Returns the bytes that type `text` as a message to `agent` and send it. They may be written all at once:
/// Claude Code accepts 100 KB and the Enter that follows in one write.
#[must_use]
pub fn message_bytes(agent: &Manifest, text: &str) -> Vec<u8> {
    (adapter(agent.adapter).keys_for(agent, text) + ENTER).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::Agents;

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
    fn a_message_that_looks_like_a_command_is_sent_as_text() {
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
