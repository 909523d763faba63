//! The amounts that are measured.

/// The amounts of work of the rows.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// Bytes of output that are drained.
    pub drained: usize,
    /// Turns of measurements that take seconds.
    pub rounds: usize,
    /// Turns of measurements that take less.
    pub turns: usize,
    /// Keys in each turn.
    pub keys: usize,
    /// The numbers of sessions that are compared.
    pub fleets: &'static [usize],
    /// Seconds for which idle processes are watched.
    pub idle: u64,
    /// The number of sessions that work in parallel.
    pub working: usize,
    /// Seconds that the task of one of several workers takes.
    pub task: u64,
    /// The number of sessions whose work lands through the merge queue.
    pub landed: usize,
    /// Seconds for which pull requests are followed.
    pub followed: u64,
    /// The number of webhooks of each turn: of more than eleven in ten minutes, some have to wait.
    pub webhooks: usize,
    /// Bytes of transcripts that are searched.
    pub searched: usize,
    /// The numbers of archived sessions, few and many.
    pub archived: [u32; 2],
    /// The number of events with the many.
    pub events: u32,
    /// Messages to each real agent.
    pub messages: usize,
    /// Seconds for which the status of each real agent is watched.
    pub statuses: u64,
}

impl Scale {
    /// The full amounts.
    pub const FULL: Self = Self {
        drained: 200 << 20,
        rounds: 3,
        turns: 9,
        keys: 400,
        fleets: &[1, 10, 50],
        idle: 20,
        working: 60,
        task: 10,
        landed: 20,
        followed: 90,
        webhooks: 10,
        searched: 1 << 30,
        archived: [10, 20_000],
        events: 1_000_000,
        messages: 200,
        statuses: 1000,
    };

    /// A tenth of the work, to see that the rows work.
    pub const QUICK: Self = Self {
        drained: 20 << 20,
        rounds: 1,
        turns: 3,
        keys: 100,
        fleets: &[1, 5],
        idle: 3,
        working: 6,
        task: 2,
        landed: 4,
        followed: 10,
        webhooks: 4,
        searched: 8 << 20,
        archived: [10, 2_000],
        events: 100_000,
        messages: 4,
        statuses: 40,
    };
}
