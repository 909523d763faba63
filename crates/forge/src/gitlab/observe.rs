//! Merge requests as GitLab describes them, turned into ours. One after the other: REST has no list of them in full.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::checks::Checks;
use crate::types::conversation::Conversation;
use crate::types::identity::{NodeId, Oid, RepositoryRef};
use crate::types::pull::{Base, Detail, Head, Observed, PullRequest, PullState, QueueEntry, Review, Talk};
use crate::types::review::ReviewDecision;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::api::{Api, Path};
use super::conversation::Reviewer;
use super::ids::{Kind, Numbered};
use super::parts::User;
use super::pipeline::{Pipeline, expect};
use super::places::place;
use super::state::{
    Opinions, decision, merge_state, mergeable, missing, pull_state, title, waits_for_pipeline,
};

/// What requests are for, in errors.
const WHAT: &str = "observe pull requests";

/// How many may fail with an error of the server before the first that does not, until the forge counts as out of order.
const MOST_FAILED: usize = 3;

/// What is expected of a merge request whose project is archived.
const UNARCHIVED: &str = "a project that is not archived";

/// A merge request in full.
#[derive(Debug, Deserialize)]
pub(super) struct Raw {
    pub(super) id: u64,
    pub(super) iid: u64,
    pub(super) project_id: u64,
    pub(super) title: String,
    pub(super) web_url: String,
    author: Option<User>,
    state: String,
    #[serde(default)]
    pub(super) draft: bool,
    updated_at: Timestamp,
    merged_at: Option<Timestamp>,
    merge_commit_sha: Option<String>,
    squash_commit_sha: Option<String>,
    sha: Option<String>,
    source_branch: String,
    source_project_id: Option<u64>,
    target_branch: String,
    references: Option<References>,
    diff_refs: Option<DiffRefs>,
    #[serde(default)]
    detailed_merge_status: String,
    #[serde(default)]
    has_conflicts: bool,
    /// Whether it merges by itself, or is on a merge train.
    #[serde(default)]
    merge_when_pipeline_succeeds: bool,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    pub(super) reviewers: Vec<User>,
    pub(super) head_pipeline: Option<Pipeline>,
}

#[derive(Debug, Deserialize)]
struct References {
    full: String,
}

#[derive(Debug, Deserialize)]
struct DiffRefs {
    start_sha: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Approvals {
    approvals_required: Option<u32>,
    approvals_left: Option<u32>,
    #[serde(default)]
    approved_by: Vec<Approval>,
}

#[derive(Debug, Deserialize)]
struct Approval {
    user: User,
}

/// What is read beside the merge request itself.
struct Beside {
    checks: Checks,
    opinions: Opinions,
    reviews: Vec<Review>,
    head: Option<RepositoryRef>,
    queue: Option<QueueEntry>,
    conversation: Option<Conversation>,
}

impl Raw {
    pub(super) fn numbered(&self) -> Numbered {
        Numbered {
            kind: Kind::Merge,
            id: self.id,
            project: self.project_id,
            iid: self.iid,
        }
    }

    /// The commit that merged it.
    pub(super) fn merged_as(&self) -> Option<Oid> {
        let merged = pull_state(&self.state) == PullState::Merged;
        // Without a commit of its own it was fast-forwarded.
        let commit = [&self.merge_commit_sha, &self.squash_commit_sha, &self.sha];
        let commit = commit.into_iter().flatten().find(|commit| !commit.is_empty());
        commit.filter(|_| merged).map(|commit| Oid(commit.clone()))
    }

    /// The pipeline of its head, if it has one.
    pub(super) fn pipeline(&self) -> Option<&Pipeline> {
        let head = self.sha.as_deref().unwrap_or_default();
        self.head_pipeline
            .as_ref()
            .filter(|pipeline| pipeline.is_of(head))
    }

    /// The repository that it goes to.
    fn base(&self) -> Option<RepositoryRef> {
        let (path, _) = self.references.as_ref()?.full.rsplit_once('!')?;
        place(self.project_id, path)
    }

    fn read(self, beside: Beside) -> PullRequest {
        let word = self.detailed_merge_status.as_str();
        let base = self.base();
        let start = self.diff_refs.as_ref().and_then(|refs| refs.start_sha.clone());
        let talk = beside.conversation.as_ref().map(extent);
        PullRequest {
            id: self.numbered().node(),
            number: self.iid,
            url: line(&self.web_url),
            title: line(title(&self.title)),
            author: User::of(self.author.as_ref()).0,
            state: pull_state(&self.state),
            draft: self.draft,
            updated_at: self.updated_at,
            merged_at: self.merged_at,
            merge_commit: self.merged_as(),
            mergeable: mergeable(word, self.has_conflicts),
            merge_state: merge_state(word),
            review: decision(word, beside.opinions),
            head: Head {
                oid: Oid(self.sha.unwrap_or_default()),
                branch: line(&self.source_branch),
                from_fork: self.source_project_id != Some(self.project_id),
                repository: beside.head,
            },
            base: Base {
                oid: Oid(start.unwrap_or_default()),
                branch: line(&self.target_branch),
                repository: base,
            },
            auto_merge_since: (self.merge_when_pipeline_succeeds && beside.queue.is_none())
                .then_some(self.updated_at),
            queue: beside.queue,
            checks: beside.checks,
            labels: Some(self.labels.iter().map(|label| line(label)).collect()),
            reviews: Some(beside.reviews),
            talk,
            conversation: beside.conversation,
        }
    }
}

fn extent(conversation: &Conversation) -> Talk {
    let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    Talk {
        comments: count(conversation.comments.len()),
        reviews: count(conversation.reviews.len()),
        threads: count(conversation.threads.len()),
    }
}

impl Api {
    /// Observes merge requests; one entry for each id, in their order.
    pub(super) async fn observe(&self, ids: &[NodeId], detail: Detail) -> Result<Vec<Observed>, ForgeError> {
        let mut found = Vec::with_capacity(ids.len());
        let (mut read, mut failed) = (0, 0);
        for id in ids {
            found.push(match self.observe_one(id, detail).await {
                Ok(one) => {
                    read += 1;
                    one
                }
                // If none can be read, that is the forge's fault, and not that of each.
                Err(error) if error.concerns_one() && (read > 0 || failed < MOST_FAILED) => {
                    failed += usize::from(matches!(error, ForgeError::ServerFault { .. }));
                    Observed::Failed(id.clone(), error)
                }
                Err(error) => return Err(error),
            });
        }
        match found.pop() {
            Some(Observed::Failed(_, error)) if read == 0 => Err(error),
            last => {
                found.extend(last);
                Ok(found)
            }
        }
    }

    async fn observe_one(&self, id: &NodeId, detail: Detail) -> Result<Observed, ForgeError> {
        match self.merge_request(WHAT, id).await {
            Ok(Some(raw)) => Ok(Observed::Pull(Box::new(self.pull(raw, detail).await?))),
            Ok(None) => Ok(Observed::Gone(id.clone())),
            Err(error @ (ForgeError::Forbidden { .. } | ForgeError::SignOnRequired { .. })) => {
                Ok(Observed::Denied(id.clone(), error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// Reads a merge request; nothing if it is gone, or another one has its number.
    pub(super) async fn merge_request(&self, what: &str, id: &NodeId) -> Result<Option<Raw>, ForgeError> {
        let Some(one) = Numbered::parse(id).filter(|one| one.kind == Kind::Merge) else {
            return Ok(None);
        };
        match self.get::<Raw>(what, &Path::of(one).with(&[]), &[]).await {
            Ok(raw) => Ok(Some(raw).filter(|raw| raw.id == one.id)),
            Err(ForgeError::Gone { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn pull(&self, raw: Raw, detail: Detail) -> Result<PullRequest, ForgeError> {
        let mut checks = self.checks(raw.pipeline(), raw.project_id).await?;
        let is_open = pull_state(&raw.state) == PullState::Open;
        if is_open {
            if waits_for_pipeline(&raw.detailed_merge_status) {
                expect(&mut checks);
            }
            checks.expected.extend(missing(&raw.detailed_merge_status));
            if self.is_archived(raw.project_id).await? {
                checks.expected.push(UNARCHIVED.to_owned());
            }
        }
        let queue = match is_open && raw.merge_when_pipeline_succeeds {
            true => self.on_train(raw.numbered()).await?,
            false => None,
        };
        let approvals: Approvals = self.or_default(&raw, "approvals").await?;
        let reviewers: Vec<Reviewer> = if raw.reviewers.is_empty() {
            Vec::new()
        } else {
            self.or_default(&raw, "reviewers").await?
        };
        let head = match raw.source_project_id {
            Some(id) if id == raw.project_id => raw.base(),
            Some(id) => self.place(id).await?,
            None => None,
        };
        let conversation = match detail {
            Detail::Checks => None,
            Detail::Whole | Detail::Talk => {
                let read = self.conversation(raw.numbered(), &raw.web_url, &reviewers);
                Some(read.await?)
            }
        };
        let beside = Beside {
            checks,
            opinions: opinions(&approvals, &reviewers),
            reviews: reviews(&approvals, &reviewers),
            head,
            queue,
            conversation,
        };
        Ok(raw.read(beside))
    }

    /// Something below a merge request that not every edition and version has, or the token may not see.
    pub(super) async fn or_default<T: DeserializeOwned + Default>(
        &self,
        raw: &Raw,
        part: &str,
    ) -> Result<T, ForgeError> {
        let path = Path::of(raw.numbered());
        match self.get(WHAT, &path.with(&[part]), &[]).await {
            Err(ForgeError::Gone { .. } | ForgeError::Forbidden { .. }) => Ok(T::default()),
            other => other,
        }
    }

    /// What was said about merge requests; one entry for each id, in their order, none for one that is gone.
    pub(super) async fn conversations(
        &self,
        pulls: &[NodeId],
    ) -> Result<Vec<Option<Conversation>>, ForgeError> {
        let mut found = Vec::with_capacity(pulls.len());
        for id in pulls {
            found.push(match self.merge_request("read a conversation", id).await? {
                Some(raw) => {
                    let reviewers: Vec<Reviewer> = self.or_default(&raw, "reviewers").await?;
                    let read = self.conversation(raw.numbered(), &raw.web_url, &reviewers);
                    Some(read.await?)
                }
                None => None,
            });
        }
        Ok(found)
    }
}

fn opinions(approvals: &Approvals, reviewers: &[Reviewer]) -> Opinions {
    let requested = Some(ReviewDecision::ChangesRequested);
    Opinions {
        approved: !approvals.approved_by.is_empty(),
        required: approvals.approvals_required.unwrap_or_default(),
        left: approvals.approvals_left.unwrap_or_default(),
        changes_requested: reviewers.iter().any(|one| one.decision() == requested),
    }
}

/// The opinion of each reviewer, and of whoever approved without having been asked.
fn reviews(approvals: &Approvals, reviewers: &[Reviewer]) -> Vec<Review> {
    let review = |user: &User, decision| Review {
        author: User::of(Some(user)).0,
        decision: Some(decision),
        commit: None,
    };
    let of_reviewers = reviewers
        .iter()
        .filter_map(|one| Some(review(&one.user, one.decision()?)));
    let mut all: Vec<Review> = of_reviewers.collect();
    for approval in &approvals.approved_by {
        let one = review(&approval.user, ReviewDecision::Approved);
        if !all.iter().any(|known| known.author == one.author) {
            all.push(one);
        }
    }
    all
}
