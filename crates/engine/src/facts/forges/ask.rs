//! Asks a forge what is due, notes the answers, and records what they say of pull requests.

use crate::facts::forges::{client, queued, record, seen};
use crate::state::context::Engine;
use crate::state::forges::{Connected, Followed, HOST, Host, Known, Memory};
use downbeat_forge::schedule::{Ask, Change, Facts, Pending, Spent, plan};
use downbeat_forge::{
    Changes, CheckKind, CheckState, Conversation, Detail, Forge, ForgeError, Mergeable, NodeId, Observed,
    PullRequest, PullState, PullStub, RepositoryName,
};
use downbeat_model::pull::{Pull, SeenPull};
use downbeat_model::{PullId, Subject};
use jiff::{SignedDuration, Timestamp};

/// The number of plans in one look: changes, what they concern, and conversations.
const ROUNDS: usize = 3;

/// The time for which queries count.
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// The most pull requests of a repository that are remembered although no session is known for them.
const STUBS: usize = 2_000;

/// What errors about all pull requests, and about conversations, are noted under.
const PULLS: &str = "pull requests";
const TALKS: &str = "conversations";

/// One look at a forge.
pub struct Look<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The host.
    pub host: &'a str,
    /// What people see of it.
    pub shown: &'a Host,
    /// The client, with whose token it is.
    pub connected: &'a Connected,
    /// The same client.
    pub client: &'a dyn Forge,
}

impl Look<'_> {
    /// Asks for the changes of repositories that are due. The rest follows with [`Look::observe`]. Returns whether the forge
    /// can be reached: one that lets requests hang is not asked for more in this look.
    pub async fn changes(&self, memory: &mut Memory) -> bool {
        for ask in self.plan(memory) {
            if let Ask::Changes(name) = ask {
                let answer = self.changes_of(memory, &name).await;
                self.note(memory, &name.to_string(), &answer);
                if matches!(answer, Err(ForgeError::Unreachable { .. })) {
                    self.plan(memory);
                    return false;
                }
            }
        }
        true
    }

    /// Observes what is due, and plans the next look.
    pub async fn observe(&self, memory: &mut Memory) {
        for _ in 1..ROUNDS {
            for ask in self.plan(memory) {
                let (about, answer) = match ask {
                    Ask::Changes(_) => continue,
                    Ask::Observe { pulls, detail } => (PULLS, self.pulls(memory, &pulls, detail).await),
                    Ask::Conversations(pulls) => (TALKS, self.conversations(memory, &pulls).await),
                };
                self.note(memory, about, &answer);
                if matches!(answer, Err(ForgeError::Unreachable { .. })) {
                    self.plan(memory);
                    return;
                }
            }
        }
        self.plan(memory);
    }

    /// Returns what to ask now, and notes when to look again.
    fn plan(&self, memory: &mut Memory) -> Vec<Ask> {
        let now = Timestamp::now();
        memory
            .spent
            .retain(|one| now.duration_since(one.at) < HOUR && one.at <= now);
        let repositories: Vec<_> = (memory.repositories.values())
            .map(|known| known.facts.clone())
            .collect();
        let pulls: Vec<_> = (memory.pulls.values())
            .map(|followed| followed.facts.clone())
            .collect();
        let limits = self.client.limits();
        let plan = plan(
            &Facts {
                repositories: &repositories,
                pulls: &pulls,
                limits: &limits,
                spent: &memory.spent,
            },
            now,
        );
        memory.next = Some((now, plan.next));
        plan.asks
    }

    /// Notes for people how the forge answered about something: a repository, or all pull requests.
    fn note<T>(&self, memory: &mut Memory, about: &str, answer: &Result<T, ForgeError>) {
        let now = Timestamp::now();
        let points = self.client.limits().points;
        self.shown.show(|shown| {
            shown.pulls = memory.pulls.values().filter(|one| one.facts.open).count();
            shown.points = points.map(|points| (points.remaining, points.limit));
            match answer {
                Ok(_) => {
                    shown.answered_at = Some(now);
                    shown.errors.remove(about);
                    shown.errors.remove(HOST);
                    if memory.pulls.is_empty() {
                        shown.errors.remove(PULLS);
                    }
                    if !memory.pulls.values().any(|one| one.facts.talked_since.is_some()) {
                        shown.errors.remove(TALKS);
                    }
                }
                Err(error) => shown.fail(about, error.to_string(), now),
            }
        });
        if let Err(error) = answer {
            tracing::debug!(host = self.host, "{error}");
            if error.may_need_another_token() {
                // The next look finds a token that the person replaced meanwhile.
                self.shown.disconnect();
            }
        }
    }

    async fn changes_of(&self, memory: &mut Memory, name: &RepositoryName) -> Result<(), ForgeError> {
        let Some(known) = memory.repositories.get_mut(name) else {
            return Ok(());
        };
        known.facts.asked_at = Some(Timestamp::now());
        let answer = async {
            let changes = self.client.changes(name, &known.seen).await?;
            let open = match known.is_listed && !has_gap(known, &changes) {
                true => Vec::new(),
                false => self.client.open_pulls(name).await?,
            };
            Ok((changes, open))
        };
        match answer.await {
            Ok((changes, open)) => {
                known.facts.failures = 0;
                known.is_listed = true;
                known.seen = changes.seen.clone();
                if let Some(runs) = &changes.runs {
                    known.has_runs = Some(known.has_runs == Some(true) || !runs.is_empty());
                }
                let listed = open.iter().chain(changes.pulls.iter().flatten());
                for stub in listed {
                    known.stubs.insert(stub.id.clone(), stub.clone());
                }
                while known.stubs.len() > STUBS {
                    let oldest = known.stubs.values().min_by_key(|stub| stub.updated_at);
                    if let Some(id) = oldest.map(|stub| stub.id.clone()) {
                        known.stubs.remove(&id);
                    }
                }
                mark(memory, name, &changes);
                Ok(())
            }
            Err(error) => {
                known.facts.failures += 1;
                known.facts.asked_at = Some(Timestamp::now());
                Err(error)
            }
        }
    }

    async fn pulls(&self, memory: &mut Memory, ids: &[NodeId], detail: Detail) -> Result<(), ForgeError> {
        let answer = self.paid(memory, self.client.observe(ids, detail)).await;
        let observed = match answer {
            Ok(observed) => observed,
            Err(error) => {
                each(memory, ids, failed);
                return Err(error);
            }
        };
        let mut answer = Ok(());
        for one in observed {
            match one {
                Observed::Pull(pull) => self.pull(memory, *pull, detail).await,
                Observed::Gone(id) => self.unseen(memory, &id, None).await,
                Observed::Denied(id, why) => self.unseen(memory, &id, Some(why)).await,
                Observed::Failed(id, error) => {
                    each(memory, std::slice::from_ref(&id), failed);
                    answer = Err(error);
                }
            }
        }
        answer
    }

    /// Reads conversations. If one of several cannot be read, each is asked for alone, so that the others are read.
    async fn conversations(&self, memory: &mut Memory, ids: &[NodeId]) -> Result<(), ForgeError> {
        let all = self.some_conversations(memory, ids).await;
        let Err(error) = &all else { return Ok(()) };
        if ids.len() < 2 || !error.concerns_one() {
            each(memory, ids, failed);
            return all;
        }
        let (mut answer, mut read) = (Ok(()), 0);
        for (place, id) in ids.iter().enumerate() {
            match self.some_conversations(memory, std::slice::from_ref(id)).await {
                Ok(()) => read += 1,
                // None of several can be read: that is the forge's fault, and not that of each.
                Err(error) if !error.concerns_one() || (read == 0 && place > 0) => {
                    each(memory, ids, failed);
                    return Err(error);
                }
                Err(error) => {
                    each(memory, std::slice::from_ref(id), failed);
                    answer = Err(error);
                }
            }
        }
        answer
    }

    async fn some_conversations(&self, memory: &mut Memory, ids: &[NodeId]) -> Result<(), ForgeError> {
        let read = self.paid(memory, self.client.conversations(ids)).await?;
        for (id, conversation) in ids.iter().zip(read) {
            each(memory, std::slice::from_ref(id), |one| {
                one.facts.talked_since = None;
                one.facts.failures = 0;
                one.conversation = conversation.clone().or_else(|| one.conversation.take());
            });
            self.record(memory, id).await;
        }
        Ok(())
    }

    /// Notes what a query cost.
    async fn paid<T>(
        &self,
        memory: &mut Memory,
        query: impl Future<Output = Result<T, ForgeError>>,
    ) -> Result<T, ForgeError> {
        let before = self.client.limits().points_used;
        let answer = query.await;
        let points = self.client.limits().points_used.saturating_sub(before);
        let at = Timestamp::now();
        memory.spent.push(Spent { at, points });
        answer
    }

    /// Notes an observation.
    async fn pull(&self, memory: &mut Memory, pull: PullRequest, detail: Detail) {
        let (id, now) = (pull.id.clone(), Timestamp::now());
        let Some(one) = memory.pulls.get_mut(&id) else {
            return;
        };
        let pull = complete(pull, one.last.take());
        if let Some(conversation) = &pull.conversation {
            one.conversation = Some(conversation.clone());
            one.facts.talked_since = (!conversation.complete).then_some(now);
        } else if talks(&pull) != one.conversation.as_ref().map(extent) && detail != Detail::Checks {
            one.facts.talked_since.get_or_insert(now);
        }
        let facts = &mut one.facts;
        facts.observed_at = Some(now);
        facts.failures = 0;
        facts.open = pull.state == PullState::Open;
        facts.pending = pending(&pull);
        if detail != Detail::Checks || facts.change == Change::Run {
            facts.change = Change::Nothing;
        }
        facts.unknown_asks = match pull.mergeable {
            Mergeable::Unknown if facts.open => facts.unknown_asks + 1,
            _ => 0,
        };
        one.last = Some(pull);
        self.record(memory, &id).await;
    }

    /// Notes that a pull request is not found any more, or why the token may not see it. It is still asked for with all others: it
    /// may come back with another token. One that was never seen to be open is forgotten.
    async fn unseen(&self, memory: &mut Memory, id: &NodeId, denied: Option<String>) {
        tracing::info!(host = self.host, %id, ?denied, "a pull request is gone, or may not be seen any more");
        for known in memory.repositories.values_mut() {
            known.stubs.remove(id);
        }
        let Some(one) = memory.pulls.get_mut(id) else {
            return;
        };
        let facts = &mut one.facts;
        facts.observed_at = Some(Timestamp::now());
        facts.failures = 0;
        facts.pending = Pending::Nothing;
        facts.change = Change::Nothing;
        facts.unknown_asks = 0;
        facts.talked_since = None;
        one.last = None;
        let Some(subject) = PullId::new(self.host, &id.0).map(Subject::Pull) else {
            return;
        };
        let known = match one.known.take() {
            Some(known) => Ok(known),
            None => record::known(self.engine, &subject).await,
        };
        match known.map(|known| known.seen) {
            Ok(Some(seen)) if seen.state == downbeat_model::pull::PullState::Open => {
                let fact = SeenPull {
                    is_gone: denied.is_none(),
                    denied,
                    ..seen
                };
                self.write(one, (id, &subject), (fact, true)).await;
            }
            Ok(_) => {
                memory.pulls.remove(id);
            }
            Err(error) => {
                tracing::warn!(host = self.host, %id, "what is known of it cannot be read: {error}")
            }
        }
    }

    /// Records what is known of a pull request.
    async fn record(&self, memory: &mut Memory, id: &NodeId) {
        self.ask_whose_token(memory, id).await;
        let viewer = self.connected.viewer.get().cloned();
        let Some(one) = memory.pulls.get_mut(id) else {
            return;
        };
        let has_runs = memory
            .repositories
            .get(&one.repository)
            .and_then(|known| known.has_runs);
        let fact = one
            .last
            .as_ref()
            .and_then(|pull| seen::seen(pull, (one.conversation.as_ref(), viewer.as_deref()), has_runs));
        let subject = PullId::new(self.host, &id.0).map(Subject::Pull);
        let (Some(mut fact), Some(subject)) = (fact, subject) else {
            tracing::warn!(host = self.host, %id, "the forge described a pull request without a commit");
            return;
        };
        // What was said before the session began is no answer to its work.
        let sessions = self.engine.ledger.state().sessions;
        let since = sessions.get(&one.session).map(|row| row.created_at);
        if let Some(since) = since {
            seen::leave_out_before(&mut fact.comments, since);
        }
        self.write(one, (id, &subject), (fact, viewer.is_some())).await;
        if let Some(one) = memory.pulls.get(id) {
            queued::follow(self.engine, self.client, id, one).await;
        }
    }

    /// Asks once whose token it is, if anything is said in the conversation of a pull request: without it, nothing shows what others
    /// say there.
    async fn ask_whose_token(&self, memory: &mut Memory, id: &NodeId) {
        let conversation = memory.pulls.get(id).and_then(|one| one.conversation.as_ref());
        let is_discussed = conversation.is_some_and(|talk| {
            !talk.comments.is_empty() || talk.reviews.iter().any(|one| one.decision.is_none())
        });
        if is_discussed && client::viewer(self.connected, self.host).await.is_none() {
            tracing::warn!(host = self.host, "comments are not passed on");
        }
    }

    /// Writes an observation. If it cannot be written, the next look tries again. If the conversation could not be judged, what was
    /// known of it stays.
    async fn write(
        &self,
        one: &mut Followed,
        (id, subject): (&NodeId, &Subject),
        (mut fact, is_judged): (SeenPull, bool),
    ) {
        let recorded = async {
            let before = match one.known.take() {
                Some(known) => known,
                None => record::known(self.engine, subject).await?,
            };
            if let Some(seen) = before.seen.as_ref().filter(|_| !is_judged) {
                fact.comments.clone_from(&seen.comments);
            }
            record::record(self.engine, (subject, &one.session), &before, &fact).await
        };
        let recorded: Result<Pull, _> = recorded.await;
        match recorded {
            Ok(known) => one.known = Some(known),
            Err(error) => {
                tracing::warn!(host = self.host, %id, "what was seen of it cannot be recorded: {error}");
                one.facts.change = Change::Itself;
            }
        }
    }
}

fn failed(one: &mut Followed) {
    one.facts.failures += 1;
    one.facts.failed_at = Some(Timestamp::now());
}

fn each(memory: &mut Memory, ids: &[NodeId], mut change: impl FnMut(&mut Followed)) {
    for id in ids {
        if let Some(one) = memory.pulls.get_mut(id) {
            change(one);
        }
    }
}

/// Whether pull requests may have been opened that `changes` does not show: it is cut, and reaches back to nothing that is
/// known.
fn has_gap(known: &Known, changes: &Changes) -> bool {
    let is_known = |stub: &PullStub| {
        let known = known.stubs.get(&stub.id);
        known.is_some_and(|known| known.updated_at == stub.updated_at)
    };
    changes.is_cut && !changes.pulls.iter().flatten().any(is_known)
}

/// Marks the pull requests that the lists of a repository show as changed.
fn mark(memory: &mut Memory, name: &RepositoryName, changes: &Changes) {
    for one in memory.pulls.values_mut().filter(|one| one.repository == *name) {
        let stub = (changes.pulls.iter().flatten()).find(|stub| stub.id == one.facts.id);
        let is_news = stub.is_some_and(|stub| {
            one.last.as_ref().is_none_or(|last| {
                last.updated_at != stub.updated_at || last.head.oid != stub.head || last.state != stub.state
            })
        });
        let runs = changes.runs.iter().flatten();
        let has_run = one.last.as_ref().is_some_and(|last| {
            runs.filter(|run| run.head == last.head.oid)
                .any(|_| one.facts.open)
        });
        if is_news {
            one.facts.change = Change::Itself;
        } else if has_run && one.facts.change == Change::Nothing {
            one.facts.change = Change::Run;
        }
    }
}

/// Takes what a short observation leaves out from the one before.
fn complete(pull: PullRequest, last: Option<PullRequest>) -> PullRequest {
    let Some(last) = last else { return pull };
    PullRequest {
        labels: pull.labels.or(last.labels),
        reviews: pull.reviews.or(last.reviews),
        talk: pull.talk.or(last.talk),
        ..pull
    }
}

/// What the checks of a pull request wait for that no list tells.
fn pending(pull: &PullRequest) -> Pending {
    let open = pull
        .checks
        .runs
        .iter()
        .filter(|run| run.state == CheckState::Pending);
    let elsewhere = |kind: &CheckKind| !matches!(kind, CheckKind::Job { .. });
    match open.clone().any(|run| elsewhere(&run.kind)) || !pull.checks.expected.is_empty() {
        true => Pending::Elsewhere,
        false if open.count() > 0 => Pending::Jobs,
        false => Pending::Nothing,
    }
}

fn talks(pull: &PullRequest) -> Option<(usize, usize, usize)> {
    let talk = pull.talk?;
    Some((
        talk.threads as usize,
        talk.reviews as usize,
        talk.comments as usize,
    ))
}

fn extent(read: &Conversation) -> (usize, usize, usize) {
    (read.threads.len(), read.reviews.len(), read.comments.len())
}
