//! The output for one viewer: everything while it keeps up, nothing while it does not, and a snapshot once it
//! has caught up. The latest state wins. A pure state machine.

use downbeat_model::terminal::WINDOW;
use std::time::{Duration, Instant};

/// The time between two snapshots to the same slow viewer, so that writing them does not become the work.
const BETWEEN: Duration = Duration::from_millis(200);

/// The maximum number of bytes that a viewer may still have to draw when it is sent a snapshot. Viewers
/// acknowledge when they like, some only every hundred kilobytes; waiting for all of them could take for ever.
const UNDRAWN: u64 = WINDOW / 2;

/// The progress of one viewer.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    sent: u64,
    drawn: u64,
    skipping: bool,
    last_snapshot: Instant,
}

impl Flow {
    /// Creates the state of a viewer that was just sent a snapshot of everything before `seq`.
    pub fn new(seq: u64, now: Instant) -> Self {
        Self {
            sent: seq,
            drawn: seq,
            skipping: false,
            last_snapshot: now,
        }
    }

    /// Reports whether the next `len` bytes go to this viewer. Once one piece is skipped, all are, until
    /// a snapshot.
    pub fn offer(&mut self, len: u64) -> bool {
        if !self.skipping && self.sent - self.drawn + len > WINDOW {
            self.skipping = true;
        }
        if !self.skipping {
            self.sent += len;
        }
        !self.skipping
    }

    /// Records that the viewer has drawn everything before `seq`.
    pub fn drew(&mut self, seq: u64) {
        self.drawn = self.drawn.max(seq.min(self.sent));
    }

    /// Reports whether the viewer missed output and has had no snapshot since.
    pub fn is_behind(&self) -> bool {
        self.skipping
    }

    /// Returns when a snapshot is due, if the viewer missed output and has drawn most of what it was sent.
    pub fn due(&self) -> Option<Instant> {
        (self.skipping && self.sent - self.drawn <= UNDRAWN).then(|| self.last_snapshot + BETWEEN)
    }

    /// Records that a snapshot of everything before `seq` was sent.
    pub fn resynced(&mut self, seq: u64, now: Instant) {
        *self = Self::new(seq, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_that_keeps_up_gets_everything() {
        let mut flow = Flow::new(100, Instant::now());
        for i in 1..100 {
            assert!(flow.offer(WINDOW / 2));
            flow.drew(100 + i * (WINDOW / 2));
            assert_eq!(flow.due(), None);
        }
    }

    #[test]
    fn a_slow_viewer_is_skipped_and_then_resynced() {
        let now = Instant::now();
        let mut flow = Flow::new(0, now);
        assert!(flow.offer(WINDOW));
        assert!(!flow.offer(1));
        flow.drew(WINDOW - UNDRAWN - 1);
        assert_eq!(flow.due(), None, "it has too much to draw yet");
        assert!(!flow.offer(1), "no output may follow a gap");
        flow.drew(WINDOW - UNDRAWN);
        assert_eq!(flow.due(), Some(now + BETWEEN));
        flow.resynced(5 * WINDOW, now);
        assert_eq!(flow.due(), None);
        assert!(flow.offer(10));
    }

    #[test]
    fn a_viewer_cannot_acknowledge_bytes_that_it_was_not_sent() {
        let mut flow = Flow::new(0, Instant::now());
        flow.drew(u64::MAX);
        assert!(flow.offer(WINDOW));
        assert!(!flow.offer(1));
    }
}
