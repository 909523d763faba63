//! The ids of things. GitLab's calls name a merge request by its project and its number there, so our ids have these beside
//! GitLab's own id, which decides: what answers with another id is another thing. The id of a project survives renames and
//! transfers.

use crate::types::identity::NodeId;

/// What has a number in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A merge request.
    Merge,
    /// An issue.
    Issue,
}

/// A merge request or an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) kind: Kind,
    /// GitLab's own id.
    pub(super) id: u64,
    pub(super) project: u64,
    /// The number in the project.
    pub(super) iid: u64,
}

/// A discussion of a merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ThreadId {
    pub(super) project: u64,
    pub(super) iid: u64,
    pub(super) discussion: String,
}

/// What a check is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckOf {
    /// A job, with a log.
    Job,
    /// A job that starts another pipeline.
    Bridge,
    /// A pipeline as a whole.
    Pipeline,
    /// A status that another program reports.
    Status,
}

/// A check: its project, and its number at GitLab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckId {
    pub(super) of: CheckOf,
    pub(super) project: u64,
    pub(super) id: u64,
}

impl Kind {
    /// The part of addresses.
    pub(super) fn part(self) -> &'static str {
        match self {
            Self::Merge => "merge_requests",
            Self::Issue => "issues",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Merge => "mr",
            Self::Issue => "issue",
        }
    }
}

impl Numbered {
    /// Reads an id; nothing if it is not one of ours.
    pub(super) fn parse(id: &NodeId) -> Option<Self> {
        let mut parts = id.0.split('-');
        let kind = match parts.next()? {
            "mr" => Kind::Merge,
            "issue" => Kind::Issue,
            _ => return None,
        };
        let mut number = || parts.next()?.parse().ok();
        let (id, project, iid) = (number()?, number()?, number()?);
        parts.next().is_none().then_some(Self {
            kind,
            id,
            project,
            iid,
        })
    }

    pub(super) fn node(self) -> NodeId {
        NodeId(format!(
            "{}-{}-{}-{}",
            self.kind.word(),
            self.id,
            self.project,
            self.iid
        ))
    }
}

impl ThreadId {
    /// Reads an id; nothing if it is not one of ours.
    pub(super) fn parse(id: &NodeId) -> Option<Self> {
        let mut parts = id.0.splitn(4, '-');
        if parts.next()? != "thread" {
            return None;
        }
        let mut number = || parts.next()?.parse().ok();
        let (project, iid) = (number()?, number()?);
        let discussion = parts.next()?;
        let fine = !discussion.is_empty() && discussion.bytes().all(|byte| byte.is_ascii_alphanumeric());
        fine.then(|| Self {
            project,
            iid,
            discussion: discussion.to_owned(),
        })
    }

    pub(super) fn node(&self) -> NodeId {
        NodeId(format!(
            "thread-{}-{}-{}",
            self.project, self.iid, self.discussion
        ))
    }
}

impl CheckOf {
    const ALL: [Self; 4] = [Self::Job, Self::Bridge, Self::Pipeline, Self::Status];

    fn word(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Bridge => "bridge",
            Self::Pipeline => "pipeline",
            Self::Status => "status",
        }
    }
}

impl CheckId {
    /// Reads an id; nothing if it is not one of ours.
    pub(super) fn parse(id: &NodeId) -> Option<Self> {
        let mut parts = id.0.split('-');
        let word = parts.next()?;
        let of = CheckOf::ALL.into_iter().find(|one| one.word() == word)?;
        let mut number = || parts.next()?.parse().ok();
        let (project, id) = (number()?, number()?);
        parts.next().is_none().then_some(Self { of, project, id })
    }

    pub(super) fn node(self) -> NodeId {
        NodeId(format!("{}-{}-{}", self.of.word(), self.project, self.id))
    }
}

/// The id of a project, from that of a repository.
pub(super) fn project(id: &NodeId) -> Option<u64> {
    id.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_was_written_and_nothing_else_is() {
        let node = |text: &str| NodeId(text.to_owned());
        for text in ["mr-4711-7-12", "issue-1-2-3"] {
            assert_eq!(
                Numbered::parse(&node(text)).expect(text).node(),
                node(text),
                "{text}"
            );
        }
        assert_eq!(
            ThreadId::parse(&node("thread-7-12-6a9c"))
                .expect("a thread")
                .node(),
            node("thread-7-12-6a9c")
        );
        for text in ["job-7-1", "bridge-7-1", "pipeline-7-1", "status-7-1"] {
            assert_eq!(CheckId::parse(&node(text)).expect(text).node(), node(text));
        }
        for text in [
            "",
            "PR_kwDO",
            "mr-1-2",
            "mr-1-2-3-4",
            "mr-a-2-3",
            "thread-7-12-",
            "thread-7-12-../x",
            "job-1",
        ] {
            let id = node(text);
            assert!(
                Numbered::parse(&id).is_none()
                    && ThreadId::parse(&id).is_none()
                    && CheckId::parse(&id).is_none(),
                "{text}"
            );
        }
    }
}
