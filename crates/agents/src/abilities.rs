//! What an agent can do and what it can be held to, as its manifest says. Not how it is done.

use crate::manifest::{Adapter, Manifest};
use downbeat_model::PermissionMode;

impl Manifest {
    /// Whether this version is one of those that it was tried with; true where none is named.
    #[must_use]
    pub fn was_tried(&self, version: &str) -> bool {
        let tried = self.tried.as_deref();
        tried.is_none_or(|tried| tried.split(',').any(|one| one.trim() == version))
    }

    /// Whether it can be given the orchestration tools.
    #[must_use]
    pub fn can_conduct(&self) -> bool {
        self.adapter != Adapter::None || !self.tools.is_empty()
    }

    /// Whether an ended conversation can be taken up again.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        self.adapter != Adapter::None || self.resume.is_some()
    }

    /// Whether a new session can begin with a copy of a conversation of it.
    #[must_use]
    pub fn can_fork(&self) -> bool {
        self.adapter != Adapter::None || self.fork.is_some()
    }

    /// Whether it can run one prompt and end.
    #[must_use]
    pub fn can_run_once(&self) -> bool {
        self.adapter != Adapter::None || self.once.is_some()
    }

    /// Whether a run of one prompt only reads in the modes that would ask first.
    #[must_use]
    pub fn only_reads_once(&self) -> bool {
        self.adapter != Adapter::None || self.once_reads
    }

    /// Whether a run of one prompt, where nobody can be asked, can be held to a permission mode.
    #[must_use]
    pub fn holds_once(&self, mode: PermissionMode) -> bool {
        mode == PermissionMode::Bypass || self.only_reads_once() || self.permission.is_some()
    }

    /// Whether title or screen tell when a turn goes on and when it does not.
    #[must_use]
    pub fn tells_turns(&self) -> bool {
        let (title, screen) = (&self.title, &self.screen);
        let any = |one: &[String], other: &[String]| !one.is_empty() || !other.is_empty();
        any(&title.works, &screen.works) && any(&title.rests, &screen.rests)
    }

    /// Whether its manifest has rules for title or screen.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        let (title, screen) = (&self.title, &self.screen);
        let all = [&title.works, &title.rests, &screen.works, &screen.rests];
        !self.questions.is_empty()
            || all.iter().any(|marks| !marks.is_empty())
            || self.limits.iter().any(|rule| rule.screen)
    }

    /// Whether Downbeat learns when it asks something.
    #[must_use]
    pub fn tells_questions(&self) -> bool {
        self.has_hooks() || !self.questions.is_empty()
    }

    /// Whether a conductor may spawn it.
    #[must_use]
    pub fn can_be_spawned(&self) -> bool {
        self.adapter != Adapter::None || self.permission.is_some() || self.spawnable
    }
}
