//! A pull request as a forge describes it, in the words of the model. Pure.

use downbeat_forge::{
    CheckState as Said, Conversation, MergeState, Mergeable as Answer, PullRequest, PullState as State,
    ReviewDecision as Decision,
};
use downbeat_model::oid::Oid;
use downbeat_model::pull::{
    Check, CheckState, Checks, Comment, Mergeable, PullState, Review, ReviewDecision, ReviewState, SeenPull,
    Thread,
};
use jiff::Timestamp;

/// The name under which checks are expected that could not be read.
const UNREAD: &str = "checks that could not be read";

/// Returns what was seen of a pull request; `None` if the forge names no commit. `conversation` is what was last read of
/// it, with the name of the token's account, if it is known. `has_runs` says whether its repository was ever seen to run checks.
pub fn seen(
    pull: &PullRequest,
    talk: (Option<&Conversation>, Option<&str>),
    has_runs: Option<bool>,
) -> Option<SeenPull> {
    let (conversation, viewer) = talk;
    let head = Oid::parse(&pull.head.oid.0)?;
    let repository = pull.head.repository.as_ref();
    let seen = SeenPull {
        number: pull.number,
        url: pull.url.clone(),
        title: pull.title.clone(),
        state: state(pull.state),
        is_gone: false,
        denied: None,
        is_draft: pull.draft,
        head: head.clone(),
        head_branch: pull.head.branch.clone(),
        head_repository: repository.map(|repository| repository.name.to_string()),
        base_branch: pull.base.branch.clone(),
        base: Oid::parse(&pull.base.oid.0),
        mergeable: mergeable(pull),
        is_behind: pull.merge_state == MergeState::Behind,
        is_queued: pull.queue.is_some(),
        queue_place: pull.queue.as_ref().and_then(|entry| entry.position),
        decision: match pull.review {
            None => ReviewDecision::NotRequired,
            Some(Decision::Approved) => ReviewDecision::Approved,
            Some(Decision::ChangesRequested) => ReviewDecision::ChangesRequested,
            Some(Decision::ReviewRequired) => ReviewDecision::Required,
        },
        reviews: reviews(pull, conversation),
        threads: conversation
            .map(|conversation| threads(conversation, pull.author.as_deref()))
            .unwrap_or_default(),
        beyond: conversation
            .map(|conversation| conversation.beyond)
            .unwrap_or_default(),
        comments: match (conversation, viewer) {
            (Some(conversation), Some(viewer)) => comments(conversation, pull.author.as_deref(), viewer),
            _ => Vec::new(),
        },
        checks: checks(pull, head, has_runs),
        labels: pull.labels.clone().unwrap_or_default(),
        updated_at: pull.updated_at,
    };
    Some(seen.bounded())
}

fn state(state: State) -> PullState {
    match state {
        State::Open => PullState::Open,
        State::Closed => PullState::Closed,
        State::Merged => PullState::Merged,
    }
}

fn mergeable(pull: &PullRequest) -> Mergeable {
    match pull.mergeable {
        Answer::Yes => Mergeable::Yes,
        Answer::Conflicts => Mergeable::Conflicts,
        Answer::Unknown => Mergeable::Unknown,
    }
}

fn checks(pull: &PullRequest, head: Oid, has_runs: Option<bool>) -> Checks {
    let runs = pull.checks.runs.iter().map(|run| Check {
        id: run.id.0.clone(),
        name: run.name.clone(),
        is_required: run.required,
        state: match run.state {
            Said::Pending => CheckState::Running,
            Said::Passed => CheckState::Passed,
            Said::Skipped => CheckState::Skipped,
            Said::Failed => CheckState::Failed,
            Said::Cancelled => CheckState::Stopped,
        },
        ended_at: run.completed_at,
    });
    let mut required: Vec<String> = pull.checks.expected.clone();
    let of_required = pull.checks.runs.iter().filter(|run| run.required);
    required.extend(of_required.map(|run| run.name.clone()));
    if !pull.checks.complete {
        required.push(UNREAD.to_owned());
    }
    Checks::new(head, runs.collect(), Some(&required), has_runs)
}

/// Returns the review threads. A reply by the account that opened the pull request is the agent's own word, or the person's
/// about it; a thread that this account began is a review.
fn threads(conversation: &Conversation, opener: Option<&str>) -> Vec<Thread> {
    let is_own = |comment: &downbeat_forge::Comment| opener.is_some() && comment.author.as_deref() == opener;
    let comment = |comment: &downbeat_forge::Comment, is_first: bool| Comment {
        id: comment.id.0.clone(),
        author: comment.author.clone().unwrap_or_default(),
        is_bot: comment.by_bot,
        is_ours: !is_first && is_own(comment),
        is_of_review: comment.review.is_some(),
        text: comment.body.text.clone(),
        at: comment.created_at,
    };
    let thread = |thread: &downbeat_forge::Thread| Thread {
        id: thread.id.0.clone(),
        file: Some(thread.path.clone()).filter(|path| !path.is_empty()),
        line: thread.line,
        is_resolved: thread.resolved,
        comments: (thread.comments.iter().enumerate())
            .map(|(index, one)| comment(one, index == 0 && thread.has_beginning))
            .collect(),
        has_earlier: !thread.has_beginning,
    };
    conversation.threads.iter().map(thread).collect()
}

/// Returns what others say in the conversation, oldest first: comments, and reviews with a text that neither approve nor request
/// changes. What the account of the token says, or the one that opened the pull request, is the agent's word or Downbeat's.
fn comments(conversation: &Conversation, opener: Option<&str>, viewer: &str) -> Vec<Comment> {
    let is_own = |author: Option<&str>| author == Some(viewer) || (opener.is_some() && author == opener);
    let is_of_review = |comment: &downbeat_forge::Comment| {
        let reviews = &conversation.reviews;
        comment
            .review
            .as_ref()
            .is_some_and(|id| reviews.iter().any(|review| review.id == *id))
    };
    let comments = conversation
        .comments
        .iter()
        .filter(|comment| !is_of_review(comment));
    let comments = comments.map(|comment| {
        let said = (&comment.id, &comment.author, &comment.body);
        (said, comment.by_bot, Some(comment.created_at), false)
    });
    let reviews = conversation
        .reviews
        .iter()
        .filter(|review| review.decision.is_none());
    let reviews = reviews.map(|review| {
        let said = (&review.id, &review.author, &review.body);
        (said, review.by_bot, review.submitted_at, true)
    });
    let all = comments
        .chain(reviews)
        .filter(|((_, author, body), ..)| !is_own(author.as_deref()) && !body.text.trim().is_empty());
    let mut all: Vec<Comment> = all
        .map(|((id, author, body), is_bot, at, is_of_review)| Comment {
            id: id.0.clone(),
            author: author.clone().unwrap_or_default(),
            is_bot,
            is_ours: false,
            is_of_review,
            text: body.text.clone(),
            at: at.unwrap_or_default(),
        })
        .collect();
    all.sort_by_key(|comment| comment.at);
    all
}

/// Returns the latest review of each reviewer that says something, from the conversation; otherwise from the opinions.
fn reviews(pull: &PullRequest, conversation: Option<&Conversation>) -> Vec<Review> {
    let said = |decision: Option<Decision>| match decision {
        Some(Decision::Approved) => ReviewState::Approved,
        Some(Decision::ChangesRequested) => ReviewState::ChangesRequested,
        Some(Decision::ReviewRequired) | None => ReviewState::Commented,
    };
    let mut list: Vec<Review> = Vec::new();
    for review in conversation.iter().flat_map(|conversation| &conversation.reviews) {
        let author = review.author.clone().unwrap_or_default();
        list.retain(|one| one.author != author || said(review.decision) == ReviewState::Commented);
        list.push(Review {
            id: review.id.0.clone(),
            author,
            is_bot: review.by_bot,
            state: said(review.decision),
            text: review.body.text.clone(),
        });
    }
    for opinion in pull.reviews.iter().flatten() {
        let author = opinion.author.clone().unwrap_or_default();
        let is_known = list
            .iter()
            .any(|one| one.author == author && one.state == said(opinion.decision));
        if !is_known && opinion.decision.is_some() {
            list.push(Review {
                id: String::new(),
                author,
                is_bot: false,
                state: said(opinion.decision),
                text: String::new(),
            });
        }
    }
    list
}
/// Leaves out what was said before a session began: that is no answer to its work. Forges give whole seconds.
pub fn leave_out_before(comments: &mut Vec<Comment>, began: Timestamp) {
    comments.retain(|comment| comment.at.as_second() >= began.as_second());
}

#[cfg(test)]
mod tests {
    use super::leave_out_before;
    use downbeat_model::pull::Comment;
    use jiff::Timestamp;

    #[test]
    fn what_was_said_in_the_second_in_which_a_session_began_counts() {
        let began: Timestamp = "2026-01-01T12:00:10.900Z".parse().unwrap();
        let comment = |second: &str| Comment {
            id: String::new(),
            author: "ada".into(),
            is_bot: false,
            is_ours: false,
            is_of_review: false,
            text: "Rename it.".into(),
            at: format!("2026-01-01T12:00:{second}Z").parse().unwrap(),
        };
        let mut comments: Vec<Comment> = ["09", "10", "11"].map(comment).into();
        leave_out_before(&mut comments, began);
        assert_eq!(comments.len(), 2);
    }
}
