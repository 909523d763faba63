//! The last bytes of output, by sequence number, for a viewer that was away for a moment.

use std::collections::VecDeque;

/// The bytes kept. A viewer that missed more gets a snapshot, which is about as long.
pub const RING_BYTES: usize = 256 << 10;

/// The latest output; older bytes are dropped.
#[derive(Debug, Default)]
pub struct Ring {
    bytes: VecDeque<u8>,
    end: u64,
}

impl Ring {
    /// Returns the number of bytes of output so far.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Adds output.
    pub fn push(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        let bytes = &bytes[bytes.len().saturating_sub(RING_BYTES)..];
        let over = (self.bytes.len() + bytes.len()).saturating_sub(RING_BYTES);
        self.bytes.drain(..over);
        self.bytes.extend(bytes);
    }

    /// Returns everything since `seq`; `None` if some of it was dropped (the range from `seq` to the
    /// oldest byte kept) or `seq` was never reached.
    pub fn since(&self, seq: u64) -> Option<Vec<u8>> {
        let start = self.end - self.bytes.len() as u64;
        (start..=self.end)
            .contains(&seq)
            .then(|| self.bytes.range((seq - start) as usize..).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_bytes_are_not_returned() {
        let mut ring = Ring::default();
        ring.push(b"hello");
        assert_eq!(ring.since(2).as_deref(), Some(&b"llo"[..]));
        assert_eq!(ring.since(6), None);
        ring.push(&vec![b'x'; RING_BYTES]);
        assert_eq!(ring.since(4), None);
        assert_eq!(ring.since(5).map(|b| b.len()), Some(RING_BYTES));
        assert_eq!(ring.end(), 5 + RING_BYTES as u64);
    }
}
