//! What is known of forges while an engine runs: the clients, when each was last asked, and what it answered. Nothing of
//! it is stored: a new engine asks again. What follows from the answers is stored with the sessions.

use crate::state::webhooks::{Arrivals, Hints};
use downbeat_forge::schedule::{Change, Pending, PullFacts, RepositoryFacts, Spent};
use downbeat_forge::{Conversation, Forge, NodeId, PullRequest, PullStub, RepositoryName, Seen};
use downbeat_model::pull::Pull;
use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The forges by host.
#[derive(Default)]
pub struct Forges {
    /// The webhooks that arrived.
    pub arrivals: Arrivals,
    hosts: Mutex<BTreeMap<String, Arc<Host>>>,
}

/// What errors about a whole host are noted under.
pub const HOST: &str = "";

/// One forge.
#[derive(Default)]
pub struct Host {
    /// The client, with whose token it is; none before a token was found. It can be used while the forge is looked at.
    connected: Mutex<Option<Arc<Connected>>>,
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
    /// What could not be asked, why, and since when: under the name of a repository, of what was asked of all, or [`HOST`].
    pub errors: BTreeMap<String, (String, Timestamp)>,
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
    /// Its repositories.
    pub repositories: BTreeMap<RepositoryName, Known>,
    /// The pull requests that are followed.
    pub pulls: BTreeMap<NodeId, Followed>,
    /// What was spent in the last hour.
    pub spent: Vec<Spent>,
    /// The number of times in a row that no client could be made.
    pub failures: u32,
    /// When the next look was planned, and for when; none for at once.
    pub next: Option<(Timestamp, Timestamp)>,
}

/// The client of a forge.
pub struct Connected {
    /// The client.
    pub client: Arc<dyn Forge>,
    /// The name of the account that its token belongs to; none if nobody asked.
    pub viewer: OnceLock<String>,
    /// When the forge did not say that.
    pub unknown_at: Mutex<Option<Timestamp>>,
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

    /// Returns the client, if there is one.
    pub fn connected(&self) -> Option<Arc<Connected>> {
        self.connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Keeps a new client.
    pub fn connect(&self, client: Arc<dyn Forge>) -> Arc<Connected> {
        let viewer = OnceLock::new();
        let connected = Arc::new(Connected {
            client,
            viewer,
            unknown_at: Mutex::default(),
        });
        let mut kept = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.insert(connected))
    }

    /// Forgets the client, so that the next one is made with the token that there is then.
    pub fn disconnect(&self) {
        *self.connected.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Shown {
    /// Notes that something could not be asked.
    pub fn fail(&mut self, about: &str, why: String, now: Timestamp) {
        let since = self.errors.get(about).map_or(now, |(_, since)| *since);
        self.errors.insert(about.to_owned(), (why, since));
    }

    /// Returns everything that could not be asked, in words, and since when. What is about one repository names it.
    pub fn error(&self) -> Option<(String, Timestamp)> {
        let since = self.errors.values().map(|(_, since)| *since).min()?;
        // A host that is down says the same about all that is asked.
        let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (about, (why, _)) in &self.errors {
            of.entry(why).or_default().push(about);
        }
        let words = of.into_iter().map(|(why, about)| match about[..] {
            [one] if self.repositories.contains(one) && !why.contains(one) => format!("{one}: {why}"),
            _ => why.to_owned(),
        });
        Some((words.collect::<Vec<_>>().join("; "), since))
    }
}

impl Memory {
    /// Reports whether the time of the next look has come. A plan that was made later than now is of a clock that was set back
    /// since.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.next
            .is_none_or(|(planned, next)| next <= now || now < planned)
    }

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
                failed_at: None,
            },
            last: None,
            conversation: None,
            known: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HOST, Memory, Shown};
    use crate::state::example::at;

    #[test]
    fn an_error_of_one_repository_names_it_and_outlives_the_answer_of_another() {
        let mut shown = Shown::default();
        shown
            .repositories
            .extend(["acme/bill".to_owned(), "acme/shop".to_owned()]);
        shown.fail("acme/bill", "it may not be read".into(), at(5));
        shown.fail("acme/bill", "it may not be read".into(), at(9));
        shown.errors.remove("acme/shop");
        assert_eq!(
            shown.error(),
            Some(("acme/bill: it may not be read".to_owned(), at(5)))
        );
        shown.fail("acme/shop", "github.com does not answer".into(), at(7));
        shown.fail(HOST, "github.com does not answer".into(), at(8));
        let (words, since) = shown.error().unwrap();
        assert_eq!(since, at(5));
        assert_eq!(words, "github.com does not answer; acme/bill: it may not be read");
        shown.errors.clear();
        assert_eq!(shown.error(), None);
    }

    #[test]
    fn a_look_is_due_at_its_time_and_after_the_clock_was_set_back() {
        let mut memory = Memory::default();
        assert!(memory.is_due(at(0)));
        memory.next = Some((at(100), at(130)));
        for (now, is_due) in [(100, false), (129, false), (130, true), (99, true), (0, true)] {
            assert_eq!(memory.is_due(at(now)), is_due, "{now}");
        }
    }
}
