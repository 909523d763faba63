//! Finds the key for leaving, Ctrl-\ twice in a row, in typed bytes. Pure.
//!
//! A single Ctrl-\ is passed on with the next key. If a program asked the terminal for exact key reports, it
//! sends Ctrl-\ as a sequence, which counts as well.

/// The byte sequences by which a terminal may send Ctrl-\: plain, and by the two protocols for exact keys.
const KEYS: [&[u8]; 3] = [b"\x1c", b"\x1b[92;5u", b"\x1b[27;5;92~"];

/// The result for typed bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Pass these bytes on.
    Pass(Vec<u8>),
    /// The person wants to leave.
    Leave,
}

/// Remembers a first Ctrl-\.
#[derive(Debug, Default)]
pub(super) struct Detach {
    held: Vec<u8>,
}

impl Detach {
    pub(super) fn typed(&mut self, mut bytes: &[u8]) -> Typed {
        let mut out = Vec::with_capacity(bytes.len() + self.held.len());
        while !bytes.is_empty() {
            match KEYS.iter().find(|key| bytes.starts_with(key)) {
                Some(_) if !self.held.is_empty() => return Typed::Leave,
                Some(key) => {
                    self.held = key.to_vec();
                    bytes = &bytes[key.len()..];
                }
                None => {
                    out.append(&mut self.held);
                    let next = bytes[1..].iter().position(|b| matches!(b, 0x1c | 0x1b));
                    let (head, tail) = bytes.split_at(next.map_or(bytes.len(), |at| at + 1));
                    out.extend_from_slice(head);
                    bytes = tail;
                }
            }
        }
        Typed::Pass(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(parts: &[&[u8]]) -> Option<Vec<u8>> {
        let mut detach = Detach::default();
        let mut out = Vec::new();
        for part in parts {
            match detach.typed(part) {
                Typed::Pass(bytes) => out.extend(bytes),
                Typed::Leave => return None,
            }
        }
        Some(out)
    }

    #[test]
    fn pressing_it_twice_leaves_however_the_bytes_arrive() {
        for parts in [
            &[&b"\x1c\x1c"[..]][..],
            &[b"\x1c", b"\x1c"],
            &[b"ls\r\x1c", b"\x1cmore"],
            &[b"\x1b[92;5u", b"\x1b[92;5u"],
            &[b"\x1b[27;5;92~\x1b[27;5;92~"],
            &[b"\x1b[A\x1c\x1b[92;5u"],
        ] {
            assert_eq!(all(parts), None, "{parts:?}");
        }
    }

    #[test]
    fn everything_else_passes_unchanged() {
        assert_eq!(all(&[b"\x1c", b"x\x1c", b"y"]), Some(b"\x1cx\x1cy".to_vec()));
        assert_eq!(
            all(&[b"\x1b[A\x1b[B", b"\x1b", b"[92;1u"]),
            Some(b"\x1b[A\x1b[B\x1b[92;1u".to_vec())
        );
        assert_eq!(all(&["ü日".as_bytes()]), Some("ü日".as_bytes().to_vec()));
    }
}
