//! Admission: decides whether one more session may start, by depth and caps. Pure. Not the usage limits
//! of agents: see `usage_limit.rs`.

/// The limits that a person set, or those of [`Limits::default`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The deepest level that a session may have; 0 is a session without a parent.
    pub max_depth: u32,
    /// The number of live workers that one conductor may have.
    pub workers_per_conductor: u32,
    /// The number of live sessions in all.
    pub total_sessions: u32,
    /// The number of live sessions of each project; `None` for as many as there may be in all.
    pub sessions_per_project: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_depth: 2,
            workers_per_conductor: 8,
            total_sessions: 60,
            sessions_per_project: None,
        }
    }
}

/// The sessions that count against the limits now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// The number of live sessions in all.
    pub live: u32,
    /// The number of live sessions of the same project.
    pub in_project: u32,
    /// The number of live workers of the same parent.
    pub siblings: u32,
    /// The number of queued workers of the same parent.
    pub queued: u32,
}

/// A limit on how many sessions run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// The cap on all sessions.
    Sessions(u32),
    /// The cap on the sessions of one project.
    Project(u32),
    /// The cap on the workers of one conductor.
    Workers(u32),
}

impl std::fmt::Display for Cap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sessions(1) => f.write_str("the limit of 1 session"),
            Self::Sessions(most) => write!(f, "the limit of {most} sessions"),
            Self::Project(1) => f.write_str("the project's limit of 1 session"),
            Self::Project(most) => write!(f, "the project's limit of {most} sessions"),
            Self::Workers(1) => f.write_str("its conductor's limit of 1 worker"),
            Self::Workers(most) => write!(f, "its conductor's limit of {most} workers"),
        }
    }
}

/// The decision about a session that someone asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The session may start now.
    Start,
    /// The session waits for room under this cap.
    Queue(Cap),
    /// The session may never start: its level would be too deep.
    TooDeep,
    /// The session may neither start nor wait: the queue holds this many workers of its parent.
    QueueFull(u32),
}

/// The number of workers that may wait for each one at work. A conductor that plans a day's work needs no
/// more; a conductor that spawns in a loop is stopped before it has filled the list.
const QUEUED_FOR_EACH: u32 = 2;

/// The message that an agent reads at the depth limit; briefings name it.
pub const TOO_DEEP: &str = "Max depth reached, no worker spawning allowed";

impl Limits {
    /// Decides whether a session of `depth` may start under the present `load`.
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

    /// Returns the cap that holds a session of `depth` back under the present `load`.
    #[must_use]
    pub fn cap(&self, depth: u32, load: Load) -> Option<Cap> {
        if load.live >= self.total_sessions {
            Some(Cap::Sessions(self.total_sessions))
        } else if let Some(most) = self.sessions_per_project.filter(|most| load.in_project >= *most) {
            Some(Cap::Project(most))
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
            sessions_per_project: None,
        };
        let load = |live, siblings| Load {
            live,
            in_project: live,
            siblings,
            queued: 0,
        };
        assert_eq!(limits.admit(0, load(9, 9)), Admission::Start);
        assert_eq!(limits.admit(2, load(0, 0)), Admission::Start, "the deepest level");
        assert_eq!(limits.admit(3, load(0, 0)), Admission::TooDeep);
        assert!(matches!(limits.admit(1, load(4, 3)), Admission::Queue(_)));
        assert!(matches!(limits.admit(0, load(10, 0)), Admission::Queue(_)));
        let crowd = |queued| Load {
            live: 5,
            in_project: 5,
            siblings: 3,
            queued,
        };
        assert!(matches!(limits.admit(1, crowd(5)), Admission::Queue(_)));
        assert_eq!(limits.admit(1, crowd(6)), Admission::QueueFull(6));
        let freed = Load {
            live: 5,
            in_project: 5,
            siblings: 2,
            queued: 6,
        };
        assert_eq!(limits.admit(1, freed), Admission::Start);
        let own = Load { live: 10, ..crowd(6) };
        let waits = limits.admit(0, own);
        assert_eq!(
            waits,
            Admission::Queue(Cap::Sessions(10)),
            "a session without a parent waits in no queue of workers"
        );
        let shared = Limits {
            sessions_per_project: Some(4),
            ..limits
        };
        for (live, in_project, wanted) in [
            (9, 3, Admission::Start),
            (9, 4, Admission::Queue(Cap::Project(4))),
            (10, 4, Admission::Queue(Cap::Sessions(10))),
        ] {
            let load = Load {
                live,
                in_project,
                ..Load::default()
            };
            assert_eq!(
                shared.admit(0, load),
                wanted,
                "{live} in all, {in_project} of the project"
            );
        }
    }

    #[test]
    fn by_default_workers_of_workers_have_none() {
        let may = |depth| Limits::default().admit(depth, Load::default());
        let wanted = [
            Admission::Start,
            Admission::Start,
            Admission::Start,
            Admission::TooDeep,
        ];
        assert_eq!([0, 1, 2, 3].map(may), wanted);
    }

    #[test]
    fn a_cap_is_named_in_words() {
        for (cap, words) in [
            (Cap::Sessions(1), "the limit of 1 session"),
            (Cap::Sessions(60), "the limit of 60 sessions"),
            (Cap::Project(1), "the project's limit of 1 session"),
            (Cap::Workers(1), "its conductor's limit of 1 worker"),
            (Cap::Workers(8), "its conductor's limit of 8 workers"),
        ] {
            assert_eq!(cap.to_string(), words);
        }
    }
}
