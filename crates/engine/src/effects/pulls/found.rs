//! Finds out from a forge whether a change of a pull request happened that was sent without an answer.

use crate::effects::pulls::reach::Reached;
use downbeat_forge::{Comment, Conversation, Detail, Excerpt, ForgeError, Observed, PullState};
use downbeat_model::pull::{PullChange, Sent};

/// What a forge has of a change.
pub enum Found {
    /// It happened; the page of the comment, or of the pull request.
    Done(String),
    /// It did not happen, or may be done twice without harm.
    Open,
    /// The forge does not list it completely.
    Hidden,
}

/// Returns what the forge has before a change is sent.
///
/// # Errors
/// Fails if the forge does not answer.
pub async fn before(at: &Reached, change: &PullChange) -> Result<Sent, ForgeError> {
    let Some(body) = text(change) else {
        return Ok(Sent::default());
    };
    let talk = conversation(at).await?;
    let same = same(listed(&talk, change).0, body);
    Ok(Sent {
        same: same.map(|comment| comment.id.0.clone()).collect(),
    })
}

/// Looks whether a change happened.
///
/// # Errors
/// Fails if the forge does not answer.
pub async fn look(at: &Reached, change: &PullChange, sent: &Sent) -> Result<Found, ForgeError> {
    if let Some(body) = text(change) {
        let talk = conversation(at).await?;
        let (comments, is_complete) = listed(&talk, change);
        let new = same(comments, body).find(|comment| !sent.same.contains(&comment.id.0));
        return Ok(match new {
            Some(comment) => Found::Done(comment.url.clone()),
            None if is_complete => Found::Open,
            None => Found::Hidden,
        });
    }
    let (PullChange::Draft { .. } | PullChange::Close) = change else {
        return Ok(Found::Open);
    };
    let observed = at
        .client
        .observe(std::slice::from_ref(&at.node), Detail::Checks)
        .await?;
    let is_so = match observed.first() {
        Some(Observed::Pull(pull)) => match change {
            PullChange::Draft { draft } => pull.draft == *draft,
            _ => pull.state != PullState::Open,
        },
        _ => false,
    };
    Ok(match is_so {
        true => Found::Done(at.url.clone()),
        false => Found::Open,
    })
}

/// Returns the text that a change adds to a conversation.
fn text(change: &PullChange) -> Option<&str> {
    match change {
        PullChange::Comment { body } | PullChange::Reply { body, .. } => Some(body),
        _ => None,
    }
}

async fn conversation(at: &Reached) -> Result<Conversation, ForgeError> {
    let of = at.client.conversations(std::slice::from_ref(&at.node)).await?;
    Ok(of.into_iter().next().flatten().unwrap_or_default())
}

/// Returns the comments among which the one of a change is, and whether the newest are among them.
fn listed<'a>(talk: &'a Conversation, change: &PullChange) -> (&'a [Comment], bool) {
    match change {
        PullChange::Reply { thread: id, .. } => {
            let thread = talk.threads.iter().find(|thread| thread.id.0 == *id);
            match thread {
                Some(thread) => (&thread.comments, thread.complete),
                None => (&[], talk.complete && talk.beyond == 0),
            }
        }
        // The newest comments are listed.
        _ => (&talk.comments, true),
    }
}

/// Returns the comments with this text, as a forge gives it back: without blanks around it.
fn same<'a>(comments: &'a [Comment], body: &str) -> impl Iterator<Item = &'a Comment> + use<'a> {
    let body = Excerpt::body(body);
    comments
        .iter()
        .filter(move |comment| comment.body.cut == body.cut && comment.body.text.trim() == body.text.trim())
}

#[cfg(test)]
mod tests {
    use super::{listed, same};
    use downbeat_forge::{Comment, Conversation, Excerpt, NodeId, Thread};
    use downbeat_model::pull::PullChange;
    use jiff::Timestamp;

    fn comment(id: &str, body: &str) -> Comment {
        Comment {
            id: NodeId(id.into()),
            author: None,
            by_bot: false,
            body: Excerpt::body(body),
            url: String::new(),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            review: None,
        }
    }

    #[test]
    fn a_comment_is_found_by_its_text_whatever_a_forge_does_to_its_ends() {
        let all = [
            comment("1", "Have a look"),
            comment("2", "Have a look\n"),
            comment("3", "Have a look at it"),
            comment("4", "one\ntwo"),
        ];
        let ids = |body: &str| -> Vec<_> { same(&all, body).map(|one| one.id.0.clone()).collect() };
        assert_eq!(ids("  Have a look "), ["1", "2"]);
        assert_eq!(ids("one\r\ntwo"), ["4"]);
        assert_eq!(ids("nothing"), [""; 0]);
    }

    #[test]
    fn a_reply_is_looked_for_in_its_thread_alone() {
        let thread = |id: &str, complete| Thread {
            id: NodeId(id.into()),
            path: "a.rs".into(),
            line: None,
            original_line: None,
            resolved: false,
            outdated: false,
            comments: vec![comment(id, "Because")],
            complete,
            has_beginning: true,
        };
        let talk = Conversation {
            threads: vec![thread("t1", true), thread("t2", false)],
            reviews: Vec::new(),
            comments: vec![comment("c1", "Because")],
            complete: true,
            beyond: 0,
        };
        let reply = |thread: &str| PullChange::Reply {
            thread: thread.into(),
            body: "Because".into(),
        };
        let comments = PullChange::Comment {
            body: "Because".into(),
        };
        for (change, ids, is_complete) in [
            (reply("t1"), vec!["t1"], true),
            (reply("t2"), vec!["t2"], false),
            (reply("t3"), vec![], true),
            (comments, vec!["c1"], true),
        ] {
            let (found, complete) = listed(&talk, &change);
            let found: Vec<_> = found.iter().map(|one| one.id.0.as_str()).collect();
            assert_eq!((found, complete), (ids, is_complete), "{change:?}");
        }
    }
}
