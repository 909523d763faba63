//! The effect of typed keys on the program's prompt: whether it holds text that no Enter or interrupt
//! followed. This is a guess from the keys alone; only the screen shows what the prompt really holds.
//! The keys that may close a question are in `requests`.

use crate::report::Typed;
use std::time::Instant;

/// The longest escape sequence that is parsed; the rest of a longer one counts as text.
const MAX_SEQUENCE: usize = 64;

/// The state of the parser.
#[derive(Default)]
enum At {
    /// Between two keys.
    #[default]
    Key,
    /// After an escape.
    Escape,
    /// Inside a sequence, with its bytes so far.
    Sequence(Vec<u8>),
}

/// The keys since the program started, or since text was entered on behalf of somebody.
#[derive(Default)]
pub struct Keys {
    at: At,
    pasting: bool,
    stands: bool,
    /// The number of keys of the text in the prompt.
    texts: u32,
    last: Option<Instant>,
}

impl Keys {
    /// Records typed bytes.
    pub fn typed(&mut self, bytes: &[u8], now: Instant) {
        for &byte in bytes {
            match std::mem::take(&mut self.at) {
                At::Key => self.key(byte, now),
                At::Escape => self.escaped(byte, now),
                At::Sequence(so_far) => self.sequence(so_far, byte, now),
            }
        }
        // A sequence arrives in one piece, so bytes that end in an escape end with the Escape key.
        if matches!(self.at, At::Escape) {
            self.at = At::Key;
            self.last = Some(now);
        }
    }

    /// Records keys that another program in the foreground reads one by one: they leave no text in the prompt
    /// when that program ends.
    pub fn lent(&mut self, now: Instant) {
        self.last = Some(now);
    }

    /// Forgets all keys: text was entered on behalf of somebody, which empties the prompt.
    pub fn entered(&mut self) {
        *self = Self::default();
    }

    /// Returns the state for a report.
    pub fn report(&self, now: Instant) -> Option<Typed> {
        let last = self.last?;
        let ago = now.saturating_duration_since(last).as_millis();
        Some(Typed {
            stands: self.stands,
            keys: self.texts,
            ago: u64::try_from(ago).unwrap_or(u64::MAX),
        })
    }

    fn text(&mut self, now: Instant) {
        (self.stands, self.last) = (true, Some(now));
        self.texts = self.texts.saturating_add(1);
    }

    fn cleared(&mut self, now: Instant) {
        (self.stands, self.texts, self.last) = (false, 0, Some(now));
    }

    fn key(&mut self, byte: u8, now: Instant) {
        match byte {
            0x1b => self.at = At::Escape,
            _ if self.pasting => self.text(now),
            // Enter, Ctrl+C, Ctrl+U.
            b'\r' | 0x03 | 0x15 => self.cleared(now),
            // Line feed and tab are text; backspace and other control keys are not.
            b'\n' | b'\t' => self.text(now),
            0x7f | 0..0x20 => self.last = Some(now),
            _ => self.text(now),
        }
    }

    fn escaped(&mut self, byte: u8, now: Instant) {
        match byte {
            b'[' | b'O' => self.at = At::Sequence(vec![byte]),
            0x1b => self.at = At::Escape,
            // With Alt: a line break, a letter.
            _ => self.text(now),
        }
    }

    fn sequence(&mut self, mut so_far: Vec<u8>, byte: u8, now: Instant) {
        so_far.push(byte);
        let is_over = so_far.len() > 1 && matches!(byte, 0x40..=0x7e);
        if !is_over && so_far.len() < MAX_SEQUENCE {
            self.at = At::Sequence(so_far);
            return;
        }
        match so_far.as_slice() {
            b"[200~" => self.pasting = true,
            b"[201~" => self.pasting = false,
            // Focus and mouse reports and answers of the terminal are not keys.
            b"[I" | b"[O" | [b'[', .., b'M' | b'm' | b'R' | b'c' | b't' | b'y' | b'n'] => {}
            // Keys of the kitty protocol.
            b"[13u" | b"[99;5u" | b"[117;5u" => self.cleared(now),
            b"[27u" => self.last = Some(now),
            [b'[', .., b'u'] => self.text(now),
            // Arrows and others move the cursor, or recall earlier text.
            _ => self.last = Some(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports whether text is in the prompt after these keys; `None` if no key was pressed.
    fn after(keys: &[&str]) -> Option<bool> {
        let (mut all, now) = (Keys::default(), Instant::now());
        for bytes in keys {
            all.typed(bytes.as_bytes(), now);
        }
        all.report(now).map(|typed| typed.stands)
    }

    #[test]
    fn typed_text_stays_until_enter_or_an_interrupt() {
        assert_eq!(after(&[]), None);
        for keys in [
            "a",
            "é",
            "a\rb",
            "\x1b[200~a\rb\x1b[201~",
            "a\x1b\r",
            "a\n",
            "\x1b[97u",
            "a\x7f",
            "a\x1b",
        ] {
            assert_eq!(after(&[keys]), Some(true), "{keys:?}");
        }
        for keys in [
            "a\r",
            "a\x03",
            "a\x15",
            "a\x1b[13u",
            "\x1b[A",
            "\x1b",
            "\x7f",
            "\x1bOB",
        ] {
            assert_eq!(after(&[keys]), Some(false), "{keys:?}");
        }
        assert_eq!(
            after(&["a", "\x1b", "\r"]),
            Some(false),
            "Escape and Enter are two keys"
        );
        assert_eq!(after(&["\x1b[200~a\r", "b\x1b[201~", "\r"]), Some(false));
    }

    #[test]
    fn keys_of_text_are_counted_and_those_for_a_pager_are_not() {
        let (mut keys, now) = (Keys::default(), Instant::now());
        keys.typed(b"a\ry", now);
        keys.lent(now);
        let one = keys.report(now).unwrap();
        assert_eq!((one.stands, one.keys), (true, 1));
        keys.typed(b"es\x03", now);
        let none = keys.report(now).unwrap();
        assert_eq!((none.stands, none.keys), (false, 0));
    }

    #[test]
    fn reports_of_the_terminal_are_not_keys() {
        for report in [
            "\x1b[I",
            "\x1b[O",
            "\x1b[<0;3;4M",
            "\x1b[<0;3;4m",
            "\x1b[5;1R",
            "\x1b[?1;2c",
        ] {
            assert_eq!(after(&[report]), None, "{report:?}");
        }
    }

    #[test]
    fn text_entered_for_somebody_empties_the_prompt() {
        let (mut keys, now) = (Keys::default(), Instant::now());
        keys.typed(b"\x1b[200~text", now);
        assert!(keys.report(now).is_some_and(|typed| typed.stands));
        keys.entered();
        assert_eq!(keys.report(now), None);
    }
}
