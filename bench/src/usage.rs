//! The resources that processes use, as Linux reports them: processor time and their share of memory.

use std::collections::HashMap;
use std::path::Path;

/// Nanoseconds that each present thread of some processes has run.
pub struct Ran(HashMap<String, u64>);

impl Ran {
    /// Reads the times until now.
    pub fn until_now(pids: &[u32]) -> Self {
        let threads = pids
            .iter()
            .flat_map(|pid| {
                std::fs::read_dir(format!("/proc/{pid}/task"))
                    .into_iter()
                    .flatten()
            })
            .flatten();
        let ran = threads.filter_map(|thread| {
            let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
            let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
            Some((thread.path().to_string_lossy().into_owned(), nanoseconds))
        });
        Self(ran.collect())
    }

    /// Sums up what all threads ran between then and now. A thread that ended meanwhile counts as zero.
    pub fn since(&self, then: &Self) -> u64 {
        let before = |thread: &String| then.0.get(thread).copied().unwrap_or_default();
        self.0
            .iter()
            .map(|(thread, now)| now.saturating_sub(before(thread)))
            .sum()
    }
}

/// Returns the kilobytes of memory of a process; shared memory is divided among its users.
pub fn pss(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("Pss:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or(f64::NAN)
}

/// Returns the process ids of the keepers of a data directory.
pub fn keepers(data: &Path) -> Vec<u32> {
    let folder = format!("{}/", data.join("keepers").display());
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            let mut words = line.split('\0').skip(1);
            words.next() == Some("keeper") && words.next().is_some_and(|dir| dir.starts_with(&folder))
        })
        .collect()
}
