//! Packed scrollback: each line as VT bytes (see [`super::row`]) in blocks. Ten thousand full lines take a
//! few megabytes, a snapshot copies them whole, and dropping old ones costs nothing.

use super::row::End;
use std::collections::VecDeque;

/// The bytes of a block: large enough that there are few blocks, small enough that dropping one late
/// matters little.
const BLOCK_BYTES: usize = 64 << 10;

/// The maximum number of bytes of all lines. Lines of many colours are longer; over this bound the oldest are
/// dropped, so that no program can make a keeper large.
const HISTORY_BYTES: usize = 8 << 20;

/// The bits of a packed end that say how the line ends; the rest is its position.
const WRAPPED: u32 = 1 << 31;
const GAP: u32 = 1 << 30;
const FULL: u32 = 1 << 29;
const PLACE: u32 = FULL - 1;

fn pack(place: usize, end: End) -> u32 {
    let bit = |on, bit| if on { bit } else { 0 };
    place as u32 | bit(end.wrapped, WRAPPED) | bit(end.gap, GAP) | bit(end.full, FULL)
}

#[derive(Debug, Default)]
struct Block {
    bytes: Vec<u8>,
    /// The packed end of each line in `bytes`.
    ends: Vec<u32>,
}

impl Block {
    fn line(&self, i: usize) -> (&[u8], End) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] & PLACE };
        let end = self.ends[i];
        let how = End {
            wrapped: end & WRAPPED != 0,
            gap: end & GAP != 0,
            full: end & FULL != 0,
        };
        (&self.bytes[start as usize..(end & PLACE) as usize], how)
    }
}

/// The lines that left the screen, oldest first, within bounds.
#[derive(Debug)]
pub struct History {
    blocks: VecDeque<Block>,
    lines: usize,
    bytes: usize,
    limit: usize,
}

impl History {
    /// Creates a history of at most `limit` lines.
    pub fn new(limit: usize) -> Self {
        Self {
            blocks: VecDeque::new(),
            lines: 0,
            bytes: 0,
            limit,
        }
    }

    /// Returns the number of stored lines.
    pub fn len(&self) -> usize {
        self.lines.min(self.limit)
    }

    /// Returns the largest number of lines.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Drops all lines.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.lines = 0;
        self.bytes = 0;
    }

    /// Appends a line that `write` writes into the buffer; `write` returns how the line ends.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>) -> End) {
        if self
            .blocks
            .back()
            .is_none_or(|block| block.bytes.len() >= BLOCK_BYTES || block.ends.len() >= BLOCK_BYTES)
        {
            let fresh = self.shed().unwrap_or_default();
            self.blocks.push_back(fresh);
        }
        let Some(block) = self.blocks.back_mut() else {
            return;
        };
        let before = block.bytes.len();
        let end = write(&mut block.bytes);
        block.ends.push(pack(block.bytes.len(), end));
        self.lines += 1;
        self.bytes += block.bytes.len() - before;
    }

    /// Drops whole blocks that are no longer needed; returns one of them, emptied, for reuse.
    fn shed(&mut self) -> Option<Block> {
        let mut spare = None;
        while let Some(front) = self.blocks.front() {
            if self.lines - front.ends.len() < self.limit && self.bytes <= HISTORY_BYTES {
                break;
            }
            let mut block = self.blocks.pop_front()?;
            self.lines -= block.ends.len();
            self.bytes -= block.bytes.len();
            block.bytes.clear();
            block.ends.clear();
            spare = Some(block);
        }
        spare
    }

    /// Returns the last `count` lines, oldest first, and how each ends.
    pub fn tail(&self, count: usize) -> impl Iterator<Item = (&[u8], End)> {
        let skip = self.lines - count.min(self.len());
        let mut before = 0;
        let blocks = self.blocks.iter().map(move |block| {
            let start = before;
            before += block.ends.len();
            (start, block)
        });
        blocks.flat_map(move |(start, block)| {
            let first = skip.saturating_sub(start).min(block.ends.len());
            (first..block.ends.len()).map(|i| block.line(i))
        })
    }

    /// Removes the last `count` lines and returns them.
    pub fn take_tail(&mut self, count: usize) -> Vec<(Vec<u8>, End)> {
        let taken: Vec<_> = self
            .tail(count)
            .map(|(bytes, end)| (bytes.to_vec(), end))
            .collect();
        let mut left = taken.len();
        while let Some(block) = self.blocks.back_mut().filter(|_| left > 0) {
            let cut = left.min(block.ends.len());
            let keep = block.ends.len() - cut;
            block.ends.truncate(keep);
            let end = block.ends.last().map_or(0, |end| end & PLACE) as usize;
            self.bytes -= block.bytes.len() - end;
            block.bytes.truncate(end);
            self.lines -= cut;
            left -= cut;
            if keep == 0 {
                self.blocks.pop_back();
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(history: &mut History, n: usize) {
        history.push(|out| {
            out.extend(format!("line {n}").bytes());
            End {
                wrapped: n.is_multiple_of(3),
                ..End::default()
            }
        });
    }

    #[test]
    fn the_last_lines_are_kept_in_order() {
        let mut history = History::new(1000);
        for n in 0..50_000 {
            put(&mut history, n);
        }
        assert_eq!(history.len(), 1000);
        let tail: Vec<_> = history
            .tail(usize::MAX)
            .map(|(b, end)| (b.to_vec(), end.wrapped))
            .collect();
        assert_eq!(tail.len(), 1000);
        for (i, (bytes, wrapped)) in tail.iter().enumerate() {
            let n = 49_000 + i;
            assert_eq!(
                (bytes.as_slice(), *wrapped),
                (format!("line {n}").as_bytes(), n % 3 == 0)
            );
        }
        assert!(history.bytes < 3 * BLOCK_BYTES);
    }

    #[test]
    fn the_tail_can_be_removed() {
        let mut history = History::new(100_000);
        for n in 0..20_000 {
            put(&mut history, n);
        }
        let taken = history.take_tail(9_000);
        assert_eq!((taken.len(), history.len()), (9_000, 11_000));
        assert_eq!(taken[0].0, b"line 11000");
        assert_eq!(
            history.tail(1).next().map(|(b, _)| b.to_vec()),
            Some(b"line 10999".to_vec())
        );
    }
}
