//! Removes the queries from a session's output that the outer terminal would answer: the keeper has answered
//! already, and a second answer would be typed into the agent's prompt. Also removes sequences that would
//! make that terminal print on paper, run a macro, change its window, write a log or show a notice, modes
//! that no program needs, and links to anything but web pages and mail. The clipboard is never queried. Works
//! on any cut of the stream; a sequence is held until it is complete. The window's terminal has the same
//! queries (`ui/src/terminal/queries.ts`) and acts on none of the others.
//!
//! Device control and application strings are removed as a whole: none of our viewers shows one, and many are
//! queries.

use memchr::memchr3;

/// The maximum length of a CSI or ESC sequence that is passed on, in bytes.
const SHORT: usize = 1 << 10;

/// The allowed beginnings of a link's address. A click on any other link could run something, even a file.
const LINKS: [&str; 3] = ["http:", "https:", "mailto:"];

/// The modes of a terminal that may be set and reset: cursor, wrapping, screens, mouse, focus, pasting,
/// synchronized drawing. Others open windows, write logs, or change the size of the window.
const MODES: &[u32] = &[
    1, 5, 6, 7, 8, 9, 12, 25, 45, 47, 66, 67, 69, 80, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015,
    1016, 1034, 1035, 1036, 1039, 1045, 1047, 1048, 1049, 2004, 2026, 2027, 2031, 2048, 9001,
];

/// The allowed modes of the older kind: inserting, no echo, new lines.
const OLD_MODES: &[u32] = &[4, 12, 20];

/// The sequence that ends a link.
const NO_LINK: &[u8] = b"\x1b]8;;\x1b\\";

/// The maximum length of an OSC that is passed on, in bytes: text for the clipboard.
const LONG: usize = 1 << 20;

/// ENQ, which a terminal may answer with its name.
const ENQ: u8 = 0x05;
const ESC: u8 = 0x1b;
/// The first byte of a C1 control character (U+0080 to U+009F) in UTF-8.
const C1: u8 = 0xc2;

/// The position of the stream in a sequence.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum At {
    #[default]
    Text,
    /// After the first byte of a possible C1 control character.
    C1,
    /// After ESC and its intermediate bytes.
    Escape,
    /// In a CSI sequence.
    Csi,
    /// In an OSC.
    Osc,
    /// In a string that is removed as a whole.
    String,
    /// After an ESC in an OSC, which ends it or cuts it off.
    OscEnd,
    /// After an ESC in a string that is removed as a whole.
    StringEnd,
}

/// The state between two pieces of output.
#[derive(Debug, Default)]
pub(super) struct Queries {
    at: At,
    /// The bytes of the sequence so far.
    held: Vec<u8>,
    /// Whether the output that passed changed colours of the terminal itself.
    pub(super) colours: bool,
}

impl Queries {
    /// Appends to `out` the part of `data` that is to be drawn.
    pub(super) fn take_out(&mut self, mut data: &[u8], out: &mut Vec<u8>) {
        while let Some(&byte) = data.first() {
            if self.at == At::Text {
                let next = memchr3(ESC, C1, ENQ, data).unwrap_or(data.len());
                out.extend_from_slice(&data[..next]);
                data = &data[next..];
                if let Some((&byte, rest)) = data.split_first() {
                    self.begin(byte);
                    data = rest;
                }
                continue;
            }
            if self.step(byte, out) {
                data = &data[1..];
            }
        }
    }

    fn begin(&mut self, byte: u8) {
        self.held.clear();
        self.held.push(byte);
        self.at = match byte {
            ESC => At::Escape,
            C1 => At::C1,
            _ => At::Text,
        };
    }

    /// Processes one byte of a sequence; returns false if that byte has to be processed again.
    fn step(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match self.at {
            At::Text => return false,
            At::C1 => {
                self.at = At::Text;
                // The keeper's screen does not treat any of these as a control character either.
                if matches!(byte, 0x80..=0x9f) {
                    return true;
                }
                out.push(C1);
                return false;
            }
            At::Escape => return self.escape(byte, out),
            At::Csi => return self.csi(byte, out),
            At::Osc => self.osc(byte, out),
            At::String => match byte {
                ESC => self.at = At::StringEnd,
                0x18 | 0x1a => self.at = At::Text,
                _ => {}
            },
            At::OscEnd if byte == b'\\' => {
                self.held.extend([ESC, byte]);
                self.finish_osc(2, out);
            }
            At::StringEnd if byte == b'\\' => self.at = At::Text,
            At::OscEnd | At::StringEnd => {
                self.begin(ESC);
                return false;
            }
        }
        true
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match byte {
            ESC => self.begin(ESC),
            0x18 | 0x1a | 0x80.. => {
                self.at = At::Text;
                return false;
            }
            // Other control characters take effect inside a sequence.
            0x00..=0x1f | 0x7f => out.extend((byte != ENQ).then_some(byte)),
            0x20..=0x2f if self.held.len() < SHORT => self.held.push(byte),
            0x20..=0x2f => self.at = At::Text,
            0x30..=0x7e if self.held.len() > 1 => {
                self.held.push(byte);
                self.finish(true, out);
            }
            b'[' => self.go(At::Csi, byte),
            b']' => self.go(At::Osc, byte),
            b'P' | b'X' | b'^' | b'_' => self.go(At::String, byte),
            _ => {
                self.held.push(byte);
                // `ESC Z` asks for the type of this terminal.
                self.finish(byte != b'Z', out);
            }
        }
        true
    }

    fn csi(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match byte {
            ESC => self.begin(ESC),
            0x18 | 0x1a | 0x80.. => {
                self.at = At::Text;
                return false;
            }
            0x00..=0x1f | 0x7f => out.extend((byte != ENQ).then_some(byte)),
            0x20..=0x3f if self.held.len() < SHORT => self.held.push(byte),
            0x20..=0x3f => {}
            0x40..=0x7e => {
                let whole = self.held.len() < SHORT;
                self.held.push(byte);
                let passes = whole && !asks_by_csi(&self.held[2..]) && keep_modes(&mut self.held);
                self.finish(passes, out);
            }
        }
        true
    }

    fn osc(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            ESC => self.at = At::OscEnd,
            0x18 | 0x1a => self.at = At::Text,
            0x07 => {
                self.held.push(byte);
                self.finish_osc(1, out);
            }
            _ if self.held.len() < LONG => self.held.push(byte),
            // Too long: it is removed as a whole.
            _ => {
                self.held.clear();
                self.at = At::String;
            }
        }
    }

    fn go(&mut self, at: At, byte: u8) {
        self.held.push(byte);
        self.at = at;
    }

    /// Handles a complete OSC; `end` is the length of its terminator.
    fn finish_osc(&mut self, end: usize, out: &mut Vec<u8>) {
        let content = &self.held[2..self.held.len() - end];
        let passes = !asks_by_osc(content);
        self.colours |= passes && matches!(number(content), Some(4 | 5 | 10..=19));
        if leads_elsewhere(content) {
            self.held = NO_LINK.to_vec();
        }
        self.finish(passes, out);
    }

    fn finish(&mut self, passes: bool, out: &mut Vec<u8>) {
        if passes {
            out.extend_from_slice(&self.held);
        }
        self.held.clear();
        self.at = At::Text;
    }
}

/// Returns whether a CSI sequence, without its introducer, asks for an answer, or for something that only the
/// person may make a terminal do.
fn asks_by_csi(sequence: &[u8]) -> bool {
    let Some((last, body)) = sequence.split_last() else {
        return false;
    };
    let (prefix, body) = match body.split_first() {
        Some((first @ b'<'..=b'?', rest)) => (Some(*first), rest),
        _ => (None, body),
    };
    let parameters = body.iter().take_while(|byte| matches!(byte, 0x30..=0x3f)).count();
    let (parameters, intermediates) = body.split_at(parameters);
    match (prefix, intermediates, last) {
        // Asks for the type, the status, the cursor position or the colour scheme.
        (None | Some(b'>' | b'='), b"", b'c') | (None | Some(b'?'), b"", b'n') => true,
        // Asks for the name, modes, keyboard flags, key formats or graphics.
        (Some(b'>'), b"", b'q')
        | (None | Some(b'?'), b"$", b'p')
        | (Some(b'?'), b"", b'u' | b'm' | b'g' | b'S') => true,
        // Asks for checksums, tab stops and the cursor's state, preferred sets, terminal state or keys.
        (None, b"*", b'y') | (None, b"$", b'w' | b'u') | (None, b"&", b'u') | (None, b"", b'x') => true,
        (None, b"+", b'x') | (None, b"\"", b'v') | (None, b"'", b'|') | (None, b"#", b'R' | b'|') => true,
        // Media copy sends the screen, or all following output, to a printer; a macro is invoked.
        (None | Some(b'?'), b"", b'i') | (None, b"*", b'z') => true,
        // Changes the type of terminal.
        (None, b"\"", b'p') => true,
        // Changes the number of lines or columns of the window, as does the next.
        (None, b"$" | b"*", b'|') => true,
        // Window operations: all except saving and restoring a title.
        (None, b"", b't') => {
            let first = parameters.split(|byte| matches!(byte, b';' | b':')).next();
            let what = first.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u32>().ok());
            !matches!(what, Some(22 | 23))
        }
        _ => false,
    }
}

/// Removes the modes that may not be set from a sequence that sets some; returns whether any is left.
fn keep_modes(sequence: &mut Vec<u8>) -> bool {
    let Some((last @ (b'h' | b'l'), body)) = sequence.split_last() else {
        return true;
    };
    let (begin, known) = match body {
        [_, _, b'?', ..] => (3, MODES),
        _ => (2, OLD_MODES),
    };
    let is_kept = |mode: &&[u8]| {
        let number = std::str::from_utf8(mode)
            .ok()
            .and_then(|digits| digits.parse().ok());
        number.is_some_and(|number| known.contains(&number))
    };
    let kept: Vec<&[u8]> = body[begin..]
        .split(|byte| *byte == b';')
        .filter(is_kept)
        .collect();
    let text = [&body[..begin], &kept.join(&b';'), &[*last]].concat();
    let any = !kept.is_empty();
    *sequence = text;
    any
}

/// Returns whether an OSC, without its ends, asks for an answer, or is not known to be harmless.
fn asks_by_osc(content: &[u8]) -> bool {
    // A terminal may read a C1 control character as the end of the OSC.
    let c1 = |pair: &[u8]| matches!(pair, [C1, 0x80..=0x9f]);
    if content.windows(2).any(c1) {
        return true;
    }
    match number(content) {
        // Titles, folder, links, resets of colours, marks of a shell.
        Some(0..=2 | 7 | 8 | 104 | 105 | 110..=119 | 133) => false,
        // The progress of a task. Otherwise it is a notice, or makes some terminals wait, ask or type.
        Some(9) => !content.starts_with(b"9;4;"),
        // Colours and the clipboard: `?` asks, anything else sets.
        Some(4 | 5 | 10..=19 | 52) => {
            let mut parts = content.split(|byte| *byte == b';').skip(1);
            parts.any(|part| part.trim_ascii().starts_with(b"?"))
        }
        _ => true,
    }
}

/// Returns whether an OSC, without its ends, begins a link that is not passed on.
fn leads_elsewhere(content: &[u8]) -> bool {
    let mut parts = content.splitn(3, |byte| *byte == b';');
    let (Some(b"8"), Some(_), Some(address)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let begins = |scheme: &str| {
        let first = address.get(..scheme.len());
        first.is_some_and(|first| first.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    !address.is_empty() && !LINKS.iter().any(|scheme| begins(scheme))
}

/// Returns the number at the start of an OSC.
fn number(content: &[u8]) -> Option<u32> {
    let digits = content.split(|byte| *byte == b';').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is left of `text`, and checks that it does not depend on how the text is cut.
    fn left(text: &[u8]) -> Vec<u8> {
        let whole = {
            let (mut queries, mut out) = (Queries::default(), Vec::new());
            queries.take_out(text, &mut out);
            out
        };
        for cut in 0..=text.len() {
            let (mut queries, mut out) = (Queries::default(), Vec::new());
            queries.take_out(&text[..cut], &mut out);
            queries.take_out(&text[cut..], &mut out);
            assert_eq!(out, whole, "cut at {cut} of {text:?}");
        }
        whole
    }

    #[test]
    fn queries_are_removed() {
        for query in [
            "\x1b[c",
            "\x1b[0c",
            "\x1b[>c",
            "\x1b[=c",
            "\x1bZ",
            "\x1b[5n",
            "\x1b[6n",
            "\x1b[?6n",
            "\x1b[?996n",
            "\x1b[>0q",
            "\x1b[4$p",
            "\x1b[?2026$p",
            "\x1b[?u",
            "\x1b[?4m",
            "\x1b[?1;1;0S",
            "\x1b[1;1;1;1;9;9*y",
            "\x1b[1$w",
            "\x1b[&u",
            "\x1b[x",
            "\x1b[14t",
            "\x1b[18t",
            "\x1b[21t",
            "\x1bP$qm\x1b\\",
            "\x1bP+q544e\x1b\\",
            "\x1b_Gi=1,a=q;AAAA\x1b\\",
            "\x1b]4;1;?\x07",
            "\x1b]10;?\x1b\\",
            "\x1b]11;?\x07",
            "\x1b]10;?;?\x07",
            "\x1b]52;c;?\x07",
            "\x1b]52;;?\x1b\\",
            "\x1b]21;foreground=?\x1b\\",
            "\x1b]60\x07",
            "\x1b]1337;ReportCellSize\x07",
            "\x05",
            "\x1b]0;a\u{9c}\x1b\\",
            "\x1b[i",
            "\x1b[4i",
            "\x1b[5i",
            "\x1b[?5i",
            "\x1b[7*z",
            "\x1bP1;0;0!z1B5B6E\x1b\\",
            "\x1b[8;24;80t",
            "\x1b[1t",
            "\x1b[48t",
            "\x1b[t",
            "\x1b[132$|",
            "\x1b[48*|",
            "\x1b]9;you have won\x07",
            "\x1b]9;6;clear\x07",
            "\x1b]777;notify;a;b\x1b\\",
            "\x1b[?38h",
            "\x1b[?46h",
            "\x1b[?3l",
            "\x1b[2h",
            "\x1b[61\"p",
        ] {
            let kept = left(format!("a{query}b").as_bytes());
            assert_eq!(String::from_utf8_lossy(&kept), "ab", "{query:?}");
        }
        assert_eq!(left(b"\x1b[?1049;46;25h"), b"\x1b[?1049;25h");
        // Without its control characters, the rest of a sequence is plain text.
        assert_eq!(left("a\u{9b}cb".as_bytes()), b"acb");
        assert_eq!(left(b"a\x1bPtmux;\x1b\x1b[c\x1b\\b"), b"a\x1b\\b");
    }

    #[test]
    fn everything_else_passes_unchanged() {
        for text in [
            "plain é 日本 · \u{a0} 🎉\r\n\t\x07",
            "\x1b[1;38;5;196mred\x1b[0m\x1b[2J\x1b[H\x1b[10;20H\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1003;1006h",
            "\x1b[>4;1m\x1b[>1u\x1b[<u\x1b[=1u\x1b[22;0t\x1b[23t\x1b]9;4;1;50\x07\x1b[!p\x1b[2 q\x1b[1;5r\x1b[0;1$x",
            "\x1b7\x1b8\x1b=\x1b>\x1b(B\x1b#8\x1bM\x1bc",
            "\x1b]0;what?\x07\x1b]2;?\x1b\\\x1b]8;;http://a/?b\x1b\\link\x1b]8;;\x1b\\\x1b]10;#fff\x07\x1b]52;c;aGk=\x07\x1b]104\x07\x1b]112\x07",
        ] {
            assert_eq!(left(text.as_bytes()), text.as_bytes());
        }
        assert_eq!(left(b"\xff\xfe\xc2"), b"\xff\xfe");
        for (text, colours) in [("\x1b]11;#000\x07", true), ("\x1b]11;?\x07\x1b]0;11\x07", false)] {
            let mut queries = Queries::default();
            queries.take_out(text.as_bytes(), &mut Vec::new());
            assert_eq!(queries.colours, colours, "{text:?}");
        }
    }

    #[test]
    fn a_link_leads_to_pages_and_mail_only() {
        for address in ["http://a/", "HTTPS://a/;b", "mailto:a@example.com"] {
            let text = format!("\x1b]8;id=1;{address}\x07x\x1b]8;;\x07");
            assert_eq!(left(text.as_bytes()), text.as_bytes());
        }
        for address in [
            "javascript:alert(1)",
            " javascript:x",
            "vscode://run",
            "file:///a.desktop",
            "a",
        ] {
            let text = format!("\x1b]8;;{address}\x1b\\x\x1b]8;;\x1b\\");
            let kept = left(text.as_bytes());
            assert_eq!(kept, b"\x1b]8;;\x1b\\x\x1b]8;;\x1b\\", "{address}");
        }
    }

    #[test]
    fn broken_sequences_do_not_hide_the_text_after_them() {
        for (text, want) in [
            (&b"\x1b[1\x1b[6n."[..], &b"."[..]),
            (b"\x1b]0;x\x1b[6n.", b"."),
            (b"\x1b]0;x\x18\x1b[6n.", b"."),
            (b"\x1bPq\x1b[6n.", b"."),
            (b"\x1b[6\x05n.", b"."),
            (b"\x1b[6\nn.", b"\n."),
            (b"\x1b\x1b[6n.", b"."),
            (b"\x1b[6\xc3\xa9n.", "én.".as_bytes()),
        ] {
            let kept = left(text);
            assert_eq!(kept, want, "{text:?}");
        }
    }

    #[test]
    fn an_endless_sequence_does_not_grow_memory() {
        let (mut queries, mut out) = (Queries::default(), Vec::new());
        for start in [&b"\x1b]52;c;"[..], b"\x1b[", b"\x1b(", b"\x1bP"] {
            queries.take_out(start, &mut out);
            for _ in 0..40 {
                queries.take_out(&[b'1'; 64 << 10], &mut out);
                assert!(queries.held.capacity() <= 2 * LONG);
            }
            queries.take_out(b"\x18", &mut out);
            out.clear();
            queries.take_out(b"\x1b[?25h.", &mut out);
            assert!(out.ends_with(b"\x1b[?25h."), "{start:?}");
            out.clear();
        }
    }
}
