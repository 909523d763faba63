//! Whether one more session may start: depth and caps. Pure.

/// What a person set, or the defaults of [`Limits::default`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deepest level at which a session may stand; 0 is a session without parent.
    pub max_depth: u32,
    /// Live workers that one conductor may have.
    pub workers_per_conductor: u32,
    /// Live sessions in all.
    pub total_sessions: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_depth: 2,
            workers_per_conductor: 8,
            total_sessions: 60,
        }
    }
}

/// What is there now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Live sessions in all.
    pub live: u32,
    /// Live workers of the same parent.
    pub siblings: u32,
    /// Queued workers of the same parent.
    pub queued: u32,
}

/// A limit on how many sessions run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// On all sessions.
    Sessions(u32),
    /// On the workers of one conductor.
    Workers(u32),
}

impl std::fmt::Display for Cap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sessions(1) => f.write_str("the limit of 1 session"),
            Self::Sessions(most) => write!(f, "the limit of {most} sessions"),
            Self::Workers(1) => f.write_str("its conductor's limit of 1 worker"),
            Self::Workers(most) => write!(f, "its conductor's limit of {most} workers"),
        }
    }
}

/// The decision about a session that someone wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It may start now.
    Start,
    /// It waits; the reason is the limit that holds it.
    Queue(Cap),
    /// It never may: too deep.
    TooDeep,
    /// Not now, nor in the queue, which holds this many of its parent's workers.
    QueueFull(u32),
}

/// Workers that may wait for one that works. A conductor that plans a day's work needs no more; one
/// that spawns in a circle is stopped before it has filled the list.
const QUEUED_FOR_EACH: u32 = 2;

/// The message that an agent gets at the depth limit; agents are briefed to look for it.
pub const TOO_DEEP: &str = "Max depth reached, no worker spawning allowed";

impl Limits {
    /// Decides for a session of `depth` under the present `load`.
    #[must_use]
    pub fn admit(&self, depth: u32, load: Load) -> Admission {
        let most = self.workers_per_conductor.saturating_mul(QUEUED_FOR_EACH);
        match self.cap(depth, load) {
            _ if depth > self.max_depth => Admission::TooDeep,
            Some(_) if depth > 0 && load.queued >= most => Admission::QueueFull(load.queued),
            Some(why) => Admission::Queue(why),
            None => Admission::Start,
        }
    }

    /// The limit that holds a session of `depth` back under the present `load`.
    #[must_use]
    pub fn cap(&self, depth: u32, load: Load) -> Option<Cap> {
        if load.live >= self.total_sessions {
            Some(Cap::Sessions(self.total_sessions))
        } else if depth > 0 && load.siblings >= self.workers_per_conductor {
            Some(Cap::Workers(self.workers_per_conductor))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_refuses_and_caps_queue() {
        let limits = Limits {
            max_depth: 2,
            workers_per_conductor: 3,
            total_sessions: 10,
        };
        let load = |live, siblings| Load {
            live,
            siblings,
            queued: 0,
        };
        assert_eq!(limits.admit(0, load(9, 9)), Admission::Start);
        assert_eq!(limits.admit(3, load(0, 0)), Admission::TooDeep);
        assert!(matches!(limits.admit(1, load(4, 3)), Admission::Queue(_)));
        assert!(matches!(limits.admit(0, load(10, 0)), Admission::Queue(_)));
        let crowd = |queued| Load {
            live: 5,
            siblings: 3,
            queued,
        };
        assert!(matches!(limits.admit(1, crowd(5)), Admission::Queue(_)));
        assert_eq!(limits.admit(1, crowd(6)), Admission::QueueFull(6));
        let freed = Load {
            live: 5,
            siblings: 2,
            queued: 6,
        };
        assert_eq!(limits.admit(1, freed), Admission::Start);
    }
}
