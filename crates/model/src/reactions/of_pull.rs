//! The cases of a pull request.

use super::case::{Case, Item, Standing};
use super::event::Event;
use crate::pull::{
    ChecksVerdict, Comment, Mergeable, Pull, PullState, ReviewDecision, ReviewState, SeenPull,
};
use jiff::SignedDuration;

/// The time in which checks of a new commit start. In a repository that never had any, nothing else shows that they come.
const CHECKS_START: SignedDuration = SignedDuration::from_mins(2);

/// Returns the cases of a pull request; none before it was seen. While the forge does not find it, or does not show it,
/// nothing shows whether they stand.
#[must_use]
pub fn cases_of_pull(pull: &Pull) -> Vec<Case> {
    let Some(seen) = &pull.seen else {
        return Vec::new();
    };
    let happened = |event, state, name: &str| match seen.state == state {
        true => Case::standing(event, None, Item::thing(name)),
        false => Case::of(event, Standing::Clear),
    };
    let mut cases = vec![
        Case {
            // A pull request can be closed again after it was opened again.
            items: vec![Item::state("closed")],
            ..happened(Event::PrClosed, PullState::Closed, "closed")
        },
        happened(Event::PrMerged, PullState::Merged, "merged"),
        happened(Event::PrOpened, PullState::Open, "opened"),
    ];
    if seen.state == PullState::Open {
        cases.extend([ci_failed(seen), comments(seen, false), comments(seen, true)]);
        cases.extend([conflicts(pull, seen), ready(pull, seen)]);
        let label = |label: &String| {
            let item = Item::state(&format!("label:{label}"));
            Case::standing(Event::LabelAdded, None, item).with_detail(label)
        };
        cases.extend(seen.labels.iter().map(label));
    }
    for case in &mut cases {
        case.head = Some(seen.head.clone());
        if seen.is_gone || seen.denied.is_some() {
            case.standing = Standing::Unclear;
        }
        if case.standing != Standing::Open {
            case.items.clear();
        }
    }
    cases
}

/// Checks that count failed. While they run, nothing shows whether the problem stands.
fn ci_failed(seen: &SeenPull) -> Case {
    let standing = match seen.checks.verdict() {
        ChecksVerdict::Red => Standing::Open,
        ChecksVerdict::Pending => Standing::Unclear,
        ChecksVerdict::Green | ChecksVerdict::None => Standing::Clear,
    };
    let have_ended = seen.checks.have_ended();
    let items = seen.checks.failed().map(|check| Item {
        is_complete: have_ended,
        ..Item::thing(&format!("run:{}", check.id)).repeating(seen.head.as_str(), &check.name)
    });
    Case {
        items: items.collect(),
        ..Case::of(Event::CiFailed, standing)
    }
}

/// Threads are open, a review requests changes, or something is said in the conversation: by people, or by programs. What is ours
/// tells nobody anything.
fn comments(seen: &SeenPull, of_bots: bool) -> Case {
    let is_about = |comment: &&Comment| comment.is_bot == of_bots && !comment.is_ours;
    let threads = seen.threads.iter().filter(|thread| !thread.is_resolved);
    let comments = threads.flat_map(|thread| thread.comments.iter().filter(is_about));
    let comments = comments.map(|comment| Item {
        is_complete: comment.is_of_review,
        ..Item::thing(&format!("comment:{}", comment.id))
    });
    // Nobody resolves what is said in the conversation. A reviewer's decision says when it is dealt with, an answer need not.
    let remarks = seen.comments.iter().filter(is_about).map(|comment| Item {
        is_complete: comment.is_of_review,
        is_passing: seen.decision != ReviewDecision::ChangesRequested || of_bots,
        ..Item::thing(&format!("comment:{}", comment.id))
    });
    let requests = |review: &&crate::pull::Review| {
        review.is_bot == of_bots && review.state == ReviewState::ChangesRequested
    };
    let reviews = seen.reviews.iter().filter(requests);
    let reviews = reviews.map(|review| Item::thing(&format!("review:{}", review.id)));
    let items: Vec<Item> = reviews
        .chain(comments)
        .chain(remarks)
        .map(|item| {
            let slot = item.slot.clone();
            item.repeating(seen.head.as_str(), &slot)
        })
        .collect();
    let is_requested = seen.decision == ReviewDecision::ChangesRequested && !of_bots;
    let standing = match items.is_empty() && !is_requested {
        true => Standing::Clear,
        false => Standing::Open,
    };
    let event = match of_bots {
        true => Event::BugbotComments,
        false => Event::ChangesRequested,
    };
    Case {
        items,
        ..Case::of(event, standing)
    }
}

fn conflicts(pull: &Pull, seen: &SeenPull) -> Case {
    match pull.mergeable() {
        Mergeable::Conflicts => {
            let head = seen.head.as_str();
            // With another base, the same commit has another conflict.
            let name = format!("head:{head} into {}", seen.base_branch);
            let item = Item::state(&name).repeating(head, "conflict");
            Case::standing(Event::MergeConflicts, None, item)
        }
        Mergeable::Unknown => Case::of(Event::MergeConflicts, Standing::Unclear),
        Mergeable::Yes => Case::of(Event::MergeConflicts, Standing::Clear),
    }
}

/// Nothing is missing. A review that the base does not require is not missing; an open thread of a person is.
fn ready(pull: &Pull, seen: &SeenPull) -> Case {
    let is_reviewed = matches!(
        seen.decision,
        ReviewDecision::Approved | ReviewDecision::NotRequired
    );
    let of_people = comments(seen, false);
    let is_discussed = of_people.standing == Standing::Open && !of_people.is_passing();
    let verdict = seen.checks.verdict();
    let is_clear = seen.is_draft
        || seen.is_behind
        || !is_reviewed
        || is_discussed
        || verdict == ChecksVerdict::Red
        || pull.mergeable() == Mergeable::Conflicts;
    let is_unclear = verdict == ChecksVerdict::Pending || pull.mergeable() == Mergeable::Unknown;
    match (is_clear, is_unclear) {
        (true, _) => Case::of(Event::ApprovedAndGreen, Standing::Clear),
        (false, true) => Case::of(Event::ApprovedAndGreen, Standing::Unclear),
        (false, false) => Case {
            settles: match verdict {
                ChecksVerdict::None => CHECKS_START,
                _ => SignedDuration::ZERO,
            },
            ..Case::standing(Event::ApprovedAndGreen, None, ready_head(seen))
        },
    }
}

/// Returns the state of a head, which is another attempt with each head.
fn ready_head(seen: &SeenPull) -> Item {
    let head = seen.head.as_str();
    Item::state(&format!("head:{head}")).repeating(head, "ready")
}
