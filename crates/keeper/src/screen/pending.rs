//! The bytes of a sequence that started and has not ended. A snapshot ends with them, so that the
//! output after it completes them. Follows the states of vte 0.15.

/// The maximum number of bytes stored of one unfinished sequence. A longer one (an image, a clipboard text)
/// keeps its start, so that the rest is still swallowed as a string; its payload is then incomplete.
pub const PENDING_BYTES: usize = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    EscapeIntermediate,
    Csi,
    Osc,
    DcsHeader,
    DcsBody,
    /// A string that ends only with ESC, CAN or SUB: SOS, PM, APC and an ignored DCS.
    Ignored,
}

/// Follows the stream cheaply: looks only at the bytes after the last ESC.
#[derive(Debug, Default)]
pub struct Pending {
    state: State,
    bytes: Vec<u8>,
    /// The start of a character whose remaining bytes have not arrived.
    utf8: Vec<u8>,
}

impl Pending {
    /// Processes the next bytes of the stream.
    pub fn feed(&mut self, chunk: &[u8]) {
        let rest = match memchr::memrchr(0x1b, chunk) {
            Some(at) => {
                self.begin();
                &chunk[at + 1..]
            }
            None => chunk,
        };
        let mut ground = rest;
        if self.state != State::Ground {
            self.utf8.clear();
            ground = &[];
            for (i, &byte) in rest.iter().enumerate() {
                self.step(byte);
                if self.state == State::Ground {
                    ground = &rest[i + 1..];
                    break;
                }
            }
        }
        if self.state == State::Ground {
            self.bytes.clear();
            self.follow_utf8(ground);
        }
    }

    /// Returns the bytes so far of the unfinished sequence or character.
    pub fn bytes(&self) -> &[u8] {
        if self.state == State::Ground {
            &self.utf8
        } else {
            &self.bytes
        }
    }

    /// Returns the start of a character whose remaining bytes have not arrived.
    pub fn character(&self) -> &[u8] {
        if self.state == State::Ground {
            &self.utf8
        } else {
            &[]
        }
    }

    fn begin(&mut self) {
        self.state = State::Escape;
        self.bytes.clear();
        self.bytes.push(0x1b);
    }

    fn step(&mut self, byte: u8) {
        let next = next(self.state, byte);
        // Control characters inside a sequence take effect immediately and are not repeated.
        let done =
            byte < 0x20 && matches!(self.state, State::Escape | State::EscapeIntermediate | State::Csi);
        if !done && self.bytes.len() < PENDING_BYTES {
            self.bytes.push(byte);
        }
        self.state = next;
    }

    /// Tracks an unfinished character; only the last three bytes can be the start of one.
    fn follow_utf8(&mut self, text: &[u8]) {
        let mut tail = std::mem::take(&mut self.utf8);
        if text.len() >= 4 {
            tail.clear();
        }
        tail.extend_from_slice(&text[text.len().saturating_sub(4)..]);
        self.utf8.extend_from_slice(unfinished_character(&tail));
    }
}

/// Returns the start of an unfinished character at the end of `text`.
fn unfinished_character(text: &[u8]) -> &[u8] {
    let tail = &text[text.len().saturating_sub(4)..];
    let start = tail.iter().rposition(|b| *b >= 0xc0).unwrap_or(tail.len());
    let last = &tail[start..];
    match std::str::from_utf8(last) {
        Err(e) if e.error_len().is_none() && e.valid_up_to() == 0 => last,
        _ => &[],
    }
}

/// Reports whether `text` ends with the start of a character.
pub fn is_begun(text: &[u8]) -> bool {
    !unfinished_character(text).is_empty()
}

/// Returns the first `most` bytes, or slightly fewer so that no character is cut.
pub fn whole_characters(bytes: &[u8], most: usize) -> &[u8] {
    match bytes.get(..most) {
        None => bytes,
        Some(slice) => &slice[..most - unfinished_character(slice).len()],
    }
}

fn next(state: State, byte: u8) -> State {
    if matches!(byte, 0x18 | 0x1a) {
        return State::Ground;
    }
    match state {
        State::Ground => State::Ground,
        State::Escape => match byte {
            0x20..=0x2f => State::EscapeIntermediate,
            0x50 => State::DcsHeader,
            0x58 | 0x5e | 0x5f => State::Ignored,
            0x5b => State::Csi,
            0x5d => State::Osc,
            0x30..=0x7e => State::Ground,
            _ => State::Escape,
        },
        State::EscapeIntermediate if (0x30..=0x7e).contains(&byte) => State::Ground,
        State::Csi if (0x40..=0x7e).contains(&byte) => State::Ground,
        State::Osc if byte == 0x07 => State::Ground,
        State::DcsHeader if (0x40..=0x7e).contains(&byte) => State::DcsBody,
        State::DcsBody if byte == 0x9c => State::Ground,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &[u8], left: &[u8]) {
        for cut in 0..=stream.len() {
            let mut pending = Pending::default();
            pending.feed(&stream[..cut]);
            pending.feed(&stream[cut..]);
            assert_eq!(pending.bytes(), left, "cut at {cut}");
        }
    }

    #[test]
    fn returns_the_bytes_of_an_unfinished_sequence() {
        check(b"text", b"");
        check(b"a\x1b[1;2", b"\x1b[1;2");
        check(b"a\x1b[1;2m", b"");
        check(b"\x1b[3\n1", b"\x1b[31");
        check(b"\x1b]0;title", b"\x1b]0;title");
        check(b"\x1b]0;title\x07x", b"");
        check(b"\x1b]0;title\x1b", b"\x1b");
        check(b"\x1b]0;title\x1b\\", b"");
        check(b"\x1bPq#0\x1b\\x", b"");
        check(b"\x1bP1$q", b"\x1bP1$q");
        check(b"\x1b(", b"\x1b(");
        check(b"\x1b_Gx\x07", b"\x1b_Gx\x07");
        check("aé€".as_bytes(), b"");
        check(&"aé€".as_bytes()[..5], &"€".as_bytes()[..2]);
        check(&[b'a', 0xf0, 0x9f, 0x98], &[0xf0, 0x9f, 0x98]);
        check(&[0xe2, 0x82, 0x1b, b'[', b'm'], b"");
        check(&[0x1b, b'[', b'm', 0xe2], &[0xe2]);
    }
}
