//! Reads one keeper's reports in order, and ahead of them its session's end: an entry that cannot be written
//! holds back all later entries, but not the knowledge that the session ended.

use downbeat_keeper::{Entry, EntryKind, Report};
use std::collections::VecDeque;
use tokio::sync::mpsc::Receiver;

/// The maximum number of reports that are read ahead: a few hooks fire between the first entry that a full
/// disk refuses and the end. Further reports wait in the channel, and then in the keeper.
const AHEAD: usize = 256;

/// The reports of one keeper. See the module.
pub struct Reports {
    from: Receiver<Report>,
    ahead: VecDeque<Report>,
    /// The number of the end entry that is shown but not yet written.
    shown: Option<u64>,
}

impl Reports {
    /// Wraps the channel of a connected keeper.
    pub fn new(from: Receiver<Report>) -> Self {
        Self {
            from,
            ahead: VecDeque::new(),
            shown: None,
        }
    }

    /// Returns the next report, or `None` once the keeper is gone.
    pub async fn next(&mut self) -> Option<Report> {
        match self.ahead.pop_front() {
            Some(report) => Some(report),
            None => self.from.recv().await,
        }
    }

    /// Waits for the end of the session, reading ahead of the reports that [`Self::next`] has not returned.
    pub async fn end(&mut self) -> Entry {
        loop {
            if self.ahead.len() >= AHEAD || self.shown.is_some() {
                return std::future::pending().await;
            }
            let Some(report) = self.from.recv().await else {
                return std::future::pending().await;
            };
            self.ahead.push_back(report);
            if let Some(Report::Entry(entry)) = self.ahead.back()
                && matches!(entry.what, EntryKind::Ended { .. })
            {
                return entry.clone();
            }
        }
    }

    /// Records that the end with this number is shown.
    pub fn show(&mut self, seq: u64) {
        self.shown = Some(seq);
    }

    /// Whether the end with this number is shown.
    pub fn is_shown(&self, seq: u64) -> bool {
        self.shown == Some(seq)
    }
}

#[cfg(test)]
mod tests {
    use super::Reports;
    use downbeat_keeper::{Entry, EntryKind, Report};
    use jiff::Timestamp;

    #[tokio::test]
    async fn an_end_is_known_ahead_and_still_comes_in_order() {
        let (sender, from) = tokio::sync::mpsc::channel(8);
        let mut reports = Reports::new(from);
        let entry = |seq, what| {
            let at = Timestamp::UNIX_EPOCH;
            Report::Entry(Entry {
                seq,
                at,
                output_seq: 0,
                what,
            })
        };
        let hook = |seq| entry(seq, EntryKind::Hook { body: "{}".into() });
        sender.send(hook(1)).await.unwrap();
        sender.send(hook(2)).await.unwrap();
        let ended = EntryKind::Ended {
            code: Some(0),
            signal: None,
        };
        sender.send(entry(3, ended)).await.unwrap();
        let end = reports.end().await;
        reports.show(end.seq);
        assert!(reports.is_shown(3) && !reports.is_shown(2));
        drop(sender);
        for expected in 1..=3 {
            let Some(Report::Entry(entry)) = reports.next().await else {
                panic!("an entry");
            };
            assert_eq!(entry.seq, expected);
        }
        assert!(reports.next().await.is_none());
    }
}
