//! Bounds in time and size. Not the limits that forges set.

use std::time::Duration;

/// Bounds of a client.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long connecting may take.
    pub connect: Duration,
    /// How long a request may take, its answer included. GitHub itself gives up after 10 seconds, GitLab after 60.
    pub request: Duration,
    /// How long reading a log may take.
    pub log: Duration,
    /// The longest answer that is read, in bytes: 100 pull requests with 100 checks each are about 5 MB.
    pub answer_bytes: u64,
    /// The most that is read of a log to find its end, in bytes. It is read in passing and not kept.
    pub log_bytes: u64,
    /// The least time between two writes
    /// (<https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api>).
    pub write_gap: Duration,
    /// Secrets to mask in logs, besides those of known forms.
    pub secrets: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            request: Duration::from_secs(30),
            log: Duration::from_secs(120),
            answer_bytes: 16 << 20,
            log_bytes: 1 << 30,
            write_gap: Duration::from_secs(1),
            secrets: Vec::new(),
        }
    }
}
