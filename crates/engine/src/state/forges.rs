//! What is known of forges while an engine runs: the clients, when each was last asked, and what it answered. Nothing of
//! it is stored: a new engine asks again. What follows from the answers is stored with the sessions.

use crate::state::webhooks::{Arrivals, Hints};
use downbeat_forge::schedule::{Change, Pending, PullFacts, RepositoryFacts, Spent};
use downbeat_forge::{Conversation, Forge, NodeId, PullRequest, PullStub, RepositoryName, Seen};
use downbeat_model::pull::Pull;
use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The forges by host.
#[derive(Default)]
pub struct Forges {
    /// The webhooks that arrived.
    pub arrivals: Arrivals,
    hosts: Mutex<BTreeMap<String, Arc<Host>>>,
}

/// One forge.
#[derive(Default)]
pub struct Host {
    /// Held while it is asked.
    pub memory: tokio::sync::Mutex<Memory>,
    /// What webhooks named.
    pub hints: Hints,
    /// What people see of it.
    shown: Mutex<Shown>,
}

/// What people see of a forge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// The repositories that are looked at.
    pub repositories: BTreeSet<String>,
    /// The number of pull requests that are followed.
    pub pulls: usize,
    /// Why it could not be asked, and since when.
    pub error: Option<(String, Timestamp)>,
    /// When it last answered.
    pub answered_at: Option<Timestamp>,
    /// The points that are left of its hourly limit, and that limit.
    pub points: Option<(u64, u64)>,
    /// Why the last webhook that was refused was not genuine, and when.
    pub refused: Option<(String, Timestamp)>,
}

/// What is known of one forge.
#[derive(Default)]
pub struct Memory {
    /// The client; none before a token was found.
    pub client: Option<Arc<dyn Forge>>,
    /// The name of the account that its token belongs to; none if nobody asked.
    pub viewer: Option<String>,
    /// Its repositories.
    pub repositories: BTreeMap<RepositoryName, Known>,
    /// The pull requests that are followed.
    pub pulls: BTreeMap<NodeId, Followed>,
    /// What was spent in the last hour.
    pub spent: Vec<Spent>,
    /// The number of times in a row that no client could be made.
    pub failures: u32,
    /// When to look again; none for at once.
    pub next: Option<Timestamp>,
}

/// What is known of a repository.
pub struct Known {
    /// What the schedule is computed from.
    pub facts: RepositoryFacts,
    /// The projects with this remote.
    pub projects: BTreeSet<ProjectId>,
    /// What was seen of its lists.
    pub seen: Seen,
    /// Whether its open pull requests were listed.
    pub is_listed: bool,
    /// Whether it was ever seen to run checks; none if its runs were not listed yet.
    pub has_runs: Option<bool>,
    /// Its pull requests as the lists showed them last, which may belong to a session.
    pub stubs: BTreeMap<NodeId, PullStub>,
    /// The commits that its sessions' branches had at the remote.
    pub pushed: BTreeSet<String>,
}

/// A pull request that is followed.
pub struct Followed {
    /// The session that it belongs to.
    pub session: SessionId,
    /// Its repository.
    pub repository: RepositoryName,
    /// What the schedule is computed from.
    pub facts: PullFacts,
    /// The last observation.
    pub last: Option<PullRequest>,
    /// Its conversation as it was last read.
    pub conversation: Option<Conversation>,
    /// What is known of it; none before that was read from its facts.
    pub known: Option<Pull>,
}

impl Forges {
    /// Returns a forge by its host.
    pub fn host(&self, name: &str) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(hosts.entry(name.to_owned()).or_default())
    }

    /// Returns all forges by host.
    pub fn all(&self) -> BTreeMap<String, Arc<Host>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Host {
    /// Returns what people see of it.
    pub fn shown(&self) -> Shown {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what people see of it. Returns whether it changed.
    pub fn show(&self, change: impl FnOnce(&mut Shown)) -> bool {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let before = shown.clone();
        change(&mut shown);
        *shown != before
    }
}

impl Memory {
    /// Forgets when everything was asked, so that it is due. The limits of the forge stay.
    pub fn forget_times(&mut self) {
        for known in self.repositories.values_mut() {
            known.facts.asked_at = None;
            known.facts.failures = 0;
        }
        for followed in self.pulls.values_mut().filter(|followed| followed.facts.open) {
            followed.facts.change = Change::Itself;
            followed.facts.failures = 0;
        }
    }
}

impl Known {
    /// Returns a repository of which nothing is known yet.
    pub fn new(name: RepositoryName) -> Self {
        Self {
            facts: RepositoryFacts {
                name,
                asked_at: None,
                pushed_at: None,
                failures: 0,
            },
            projects: BTreeSet::new(),
            seen: Seen::default(),
            is_listed: false,
            has_runs: None,
            stubs: BTreeMap::new(),
            pushed: BTreeSet::new(),
        }
    }
}

impl Followed {
    /// Returns a pull request that is observed next.
    pub fn new(id: NodeId, session: SessionId, repository: RepositoryName) -> Self {
        Self {
            session,
            repository,
            facts: PullFacts {
                id,
                open: true,
                observed_at: None,
                change: Change::Itself,
                pending: Pending::Nothing,
                unknown_asks: 0,
                talked_since: None,
                failures: 0,
            },
            last: None,
            conversation: None,
            known: None,
        }
    }
}
