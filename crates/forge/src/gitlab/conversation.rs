//! Discussions as threads, and notes beside them as comments. What GitLab itself notes, such as a push, is neither.

use crate::error::ForgeError;
use crate::text::{Excerpt, line};
use crate::types::conversation::{Comment, Conversation, ReviewBody, Thread};
use crate::types::identity::NodeId;
use crate::types::review::ReviewDecision;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::api::{Api, PAGE, Path};
use super::ids::{Numbered, ThreadId};
use super::parts::User;

/// How many pages of 100 discussions are read: the last ones.
const PAGES: usize = 10;

/// How many comments beside threads are kept: the newest.
const COMMENTS: usize = 100;

/// How far apart the comments of one review may be: closer than anybody writes two.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(2);

const WHAT: &str = "read a conversation";

#[derive(Debug, Deserialize)]
struct Discussion {
    id: String,
    #[serde(default)]
    individual_note: bool,
    notes: Vec<Note>,
}

/// A note, of a merge request or an issue.
#[derive(Debug, Deserialize)]
pub(super) struct Note {
    pub(super) id: u64,
    pub(super) body: String,
    author: Option<User>,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(default)]
    pub(super) system: bool,
    #[serde(default)]
    resolvable: bool,
    resolved: Option<bool>,
    position: Option<Position>,
}

#[derive(Debug, Deserialize)]
struct Position {
    new_path: Option<String>,
    old_path: Option<String>,
    new_line: Option<u32>,
    old_line: Option<u32>,
}

/// A reviewer, with what they say.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Reviewer {
    pub(super) user: User,
    pub(super) state: String,
}

impl Reviewer {
    pub(super) fn decision(&self) -> Option<ReviewDecision> {
        match self.state.as_str() {
            "approved" => Some(ReviewDecision::Approved),
            "requested_changes" => Some(ReviewDecision::ChangesRequested),
            _ => None,
        }
    }
}

impl Note {
    /// Bounds its text. `page` is the address of what it is on.
    pub(super) fn read(&self, page: &str) -> Comment {
        let (author, by_bot) = User::of(self.author.as_ref());
        Comment {
            id: NodeId(format!("note-{}", self.id)),
            author,
            by_bot,
            body: Excerpt::body(&self.body),
            url: line(&format!("{page}#note_{}", self.id)),
            created_at: self.created_at,
            updated_at: self.updated_at,
            review: None,
        }
    }

    fn is_by(&self, user: &User) -> bool {
        self.author.as_ref().is_some_and(|author| author.id == user.id)
    }
}

impl Discussion {
    /// A thread; nothing if it is a single note.
    fn thread(&self, pull: Numbered, page: &str) -> Option<Thread> {
        let notes: Vec<&Note> = self.notes.iter().filter(|note| !note.system).collect();
        let first = notes.first().filter(|_| !self.individual_note)?;
        let position = first.position.as_ref();
        let path = position.and_then(|at| at.new_path.as_ref().or(at.old_path.as_ref()));
        let at_line = position.and_then(|at| at.new_line.or(at.old_line));
        let resolvable = || notes.iter().filter(|note| note.resolvable);
        let is_resolved = resolvable().all(|note| note.resolved == Some(true)) && resolvable().count() > 0;
        let id = ThreadId {
            project: pull.project,
            iid: pull.iid,
            discussion: self.id.clone(),
        };
        Some(Thread {
            id: id.node(),
            path: path.map(|path| line(path)).unwrap_or_default(),
            line: at_line,
            original_line: at_line,
            resolved: is_resolved,
            outdated: false,
            comments: notes.iter().map(|note| note.read(page)).collect(),
            complete: true,
            has_beginning: true,
        })
    }
}

impl Api {
    /// What was said about a merge request, whose page this is.
    pub(super) async fn conversation(
        &self,
        pull: Numbered,
        page: &str,
        reviewers: &[Reviewer],
    ) -> Result<Conversation, ForgeError> {
        let path = Path::of(pull);
        let discussions = path.with(&["discussions"]);
        let (all, beyond) = self.newest::<Discussion>(WHAT, &discussions, PAGES).await?;
        let (complete, list) = (all.complete, all.items);
        let mut threads: Vec<Thread> = list.iter().filter_map(|one| one.thread(pull, page)).collect();
        together(&mut threads, pull);
        let single = list.iter().filter(|one| one.individual_note);
        let mut notes: Vec<&Note> = single
            .flat_map(|one| &one.notes)
            .filter(|note| !note.system)
            .collect();
        notes.drain(..notes.len().saturating_sub(COMMENTS));
        let reviews = reviewers
            .iter()
            .filter_map(|reviewer| review(reviewer, &notes, pull));
        let reviews: Vec<ReviewBody> = reviews.collect();
        Ok(Conversation {
            threads,
            comments: notes.iter().map(|note| beside(note, page, &reviews)).collect(),
            reviews,
            complete,
            beyond: u32::try_from(beyond * PAGE).unwrap_or(u32::MAX),
        })
    }
}

/// Returns a note beside threads, which may be the text of a review.
fn beside(note: &Note, page: &str, reviews: &[ReviewBody]) -> Comment {
    let end = format!("-{}", note.id);
    let review = reviews.iter().find(|review| review.id.0.ends_with(&end));
    Comment {
        review: review.map(|review| review.id.clone()),
        ..note.read(page)
    }
}

/// Marks comments that were submitted together as of one review. GitLab does not say so, but publishes them at once.
fn together(threads: &mut [Thread], pull: Numbered) {
    let mut comments: Vec<&mut Comment> = threads.iter_mut().flat_map(|one| &mut one.comments).collect();
    comments.sort_by(|one, other| {
        (&one.author, one.created_at, &one.id).cmp(&(&other.author, other.created_at, &other.id))
    });
    let are_one = |one: &&mut Comment, next: &&mut Comment| {
        one.author == next.author && next.created_at.duration_since(one.created_at) <= AT_ONCE
    };
    for batch in comments.chunk_by_mut(are_one).filter(|batch| batch.len() > 1) {
        let id = NodeId(format!("review-{}-{}-{}", pull.project, pull.iid, batch[0].id));
        for comment in batch {
            comment.review = Some(id.clone());
        }
    }
}

/// The review of somebody who requests changes. GitLab keeps no text with it: it is what they wrote last beside threads.
fn review(reviewer: &Reviewer, notes: &[&Note], pull: Numbered) -> Option<ReviewBody> {
    let decision = reviewer.decision()?;
    let note = notes
        .iter()
        .rev()
        .find(|note| note.is_by(&reviewer.user))
        .filter(|_| decision == ReviewDecision::ChangesRequested);
    let (author, by_bot) = User::of(Some(&reviewer.user));
    let (note_id, body) = note.map_or((0, Excerpt::default()), |note| {
        (note.id, Excerpt::body(&note.body))
    });
    Some(ReviewBody {
        id: NodeId(format!(
            "review-{}-{}-{}-{note_id}",
            pull.project, pull.iid, reviewer.user.id
        )),
        author,
        by_bot,
        decision: Some(decision),
        body,
        submitted_at: note.map(|note| note.created_at),
        commit: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gitlab::ids::Kind;
    use serde_json::json;

    const PULL: Numbered = Numbered {
        kind: Kind::Merge,
        id: 1,
        project: 7,
        iid: 12,
    };

    fn note(id: u64, author: &str, more: serde_json::Value) -> serde_json::Value {
        let mut note = json!({ "id": id, "body": format!("note {id}"), "system": false,
            "author": { "id": author.len(), "username": author },
            "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z" });
        for (key, value) in more.as_object().expect("fields") {
            note[key] = value.clone();
        }
        note
    }

    #[test]
    fn a_discussion_is_a_thread_and_a_note_of_gitlab_is_nothing() {
        let at = json!({ "resolvable": true, "resolved": true,
            "position": { "new_path": "a.rs", "old_path": "a.rs", "new_line": null, "old_line": 4 } });
        let moved = json!({ "system": true });
        let discussion: Discussion = serde_json::from_value(json!({ "id": "abc", "individual_note": false,
            "notes": [note(1, "ada", at), note(2, "me", json!({ "resolvable": true, "resolved": false })),
                note(3, "ada", moved)] }))
        .expect("a discussion");
        let thread = discussion
            .thread(PULL, "https://x/-/merge_requests/12")
            .expect("a thread");
        assert_eq!(
            (
                thread.id.0.as_str(),
                thread.path.as_str(),
                thread.line,
                thread.resolved
            ),
            ("thread-7-12-abc", "a.rs", Some(4), false)
        );
        assert_eq!(thread.comments.len(), 2);
        assert_eq!(thread.comments[1].url, "https://x/-/merge_requests/12#note_2");
    }

    #[test]
    fn comments_that_were_submitted_together_are_of_one_review() {
        let made = |id: u64, author: &str, second: u32| -> Discussion {
            let at = json!({ "created_at": format!("2026-01-01T00:00:{second:02}Z") });
            serde_json::from_value(json!({ "id": format!("d{id}"), "notes": [note(id, author, at)] }))
                .expect("a discussion")
        };
        let all = [
            made(1, "ada", 10),
            made(2, "bob", 10),
            made(3, "ada", 11),
            made(4, "ada", 30),
        ];
        let mut threads: Vec<Thread> = all.iter().filter_map(|one| one.thread(PULL, "")).collect();
        together(&mut threads, PULL);
        let reviews: Vec<_> = threads
            .iter()
            .map(|one| one.comments[0].review.as_ref().map(|id| id.0.as_str()))
            .collect();
        let review = Some("review-7-12-note-1");
        assert_eq!(reviews, [review, None, review, None]);
    }

    #[test]
    fn whoever_requests_changes_says_why_in_their_last_note() {
        let notes: Vec<Note> = [
            note(1, "ada", json!({})),
            note(2, "ada", json!({})),
            note(3, "bob", json!({})),
        ]
        .into_iter()
        .map(|note| serde_json::from_value(note).expect("a note"))
        .collect();
        let notes: Vec<&Note> = notes.iter().collect();
        let reviewer = |state: &str| -> Reviewer {
            serde_json::from_value(json!({ "user": { "id": 3, "username": "ada" }, "state": state }))
                .expect("a reviewer")
        };
        let found = review(&reviewer("requested_changes"), &notes[..2], PULL).expect("a review");
        assert_eq!(
            (found.body.text.as_str(), found.id.0.as_str()),
            ("note 2", "review-7-12-3-2")
        );
        let of = |note: &Note| beside(note, "", std::slice::from_ref(&found)).review;
        assert_eq!((of(notes[0]), of(notes[1])), (None, Some(found.id.clone())));
        let found = review(&reviewer("approved"), &notes, PULL).expect("a review");
        assert_eq!(found.body.text, "");
        assert!(review(&reviewer("unreviewed"), &notes, PULL).is_none());
    }
}
