//! Pull requests for the tests of this crate.

use super::*;
use crate::fixture::at;

pub fn commit(number: u64) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

pub fn check(id: &str, name: &str, state: CheckState) -> Check {
    Check {
        id: id.into(),
        name: name.into(),
        is_required: false,
        state,
        ended_at: None,
    }
}

/// Returns an open pull request with head 1 and one check, which passed; it can be merged, and needs no review.
pub fn green() -> SeenPull {
    SeenPull {
        number: 7,
        url: "https://github.com/o/r/pull/7".into(),
        title: "Cart".into(),
        state: PullState::Open,
        is_gone: false,
        denied: None,
        is_draft: false,
        head: commit(1),
        head_branch: "cart".into(),
        head_repository: Some("o/r".into()),
        base_branch: "main".into(),
        base: Some(commit(1000)),
        mergeable: Mergeable::Yes,
        is_behind: false,
        is_queued: false,
        queue_place: None,
        decision: ReviewDecision::NotRequired,
        reviews: Vec::new(),
        threads: Vec::new(),
        beyond: 0,
        comments: Vec::new(),
        checks: checks(1, vec![check("run-1", "test", CheckState::Passed)]),
        labels: Vec::new(),
        updated_at: at(0),
    }
}

pub fn checks(head: u64, runs: Vec<Check>) -> Checks {
    Checks::new(commit(head), runs, None, None)
}

fn comment(id: &str, is_bot: bool) -> Comment {
    Comment {
        id: id.into(),
        author: "ada".into(),
        is_bot,
        is_ours: false,
        is_of_review: false,
        text: format!("text of {id}"),
        at: at(0),
    }
}

impl SeenPull {
    /// Returns the pull request with a head, and the checks of that head.
    pub fn with_checks(mut self, head: u64, runs: Vec<Check>) -> Self {
        self.head = commit(head);
        self.checks = checks(head, runs);
        self
    }

    /// Returns the pull request with an unresolved thread of one comment more.
    pub fn with_comment(mut self, id: &str, is_bot: bool) -> Self {
        self.threads.push(Thread {
            id: format!("thread of {id}"),
            file: Some("src/lib.rs".into()),
            line: Some(3),
            is_resolved: false,
            comments: vec![comment(id, is_bot)],
            has_earlier: false,
        });
        self
    }

    /// Returns the pull request with a comment in its conversation more.
    pub fn with_remark(mut self, id: &str, is_bot: bool) -> Self {
        self.comments.push(comment(id, is_bot));
        self
    }
}

impl Pull {
    pub fn of(seen: &SeenPull) -> Self {
        Self::unseen().after(seen)
    }
}
