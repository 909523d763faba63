//! Pull requests as the tools show them to agents. Titles, names and comments are from outside: set in, so that none of their
//! lines can be taken for ours.

use super::answer::{inside, quoted};
use crate::pulls::{checks, review_word, stage_word, state_word};
use downbeat_model::pull::{Comment, Thread};
use downbeat_wire::pull::PullDetail;
use downbeat_wire::session::Session;

/// The longest text about one pull request, in bytes. Its page has the rest.
const LONGEST: usize = 32 * 1024;

/// Formats the pull requests of a session, one on a line.
pub(super) fn listed(session: &Session) -> String {
    let line = |pull: &downbeat_model::session::SessionPull| {
        format!(
            "- {}: #{} {}; checks: {}; {}\n",
            session.name,
            pull.number,
            stage_word(pull),
            checks(pull),
            inside(&pull.title)
        )
    };
    session.pulls.iter().map(line).collect()
}

/// Formats a pull request with its checks, reviews and unresolved threads.
pub(super) fn shown(pull: &PullDetail) -> String {
    let mut text = summary(pull);
    let mut left_out = 0;
    let threads = pull.threads.iter().filter(|thread| !thread.is_resolved);
    let comments = pull.comments.iter().map(comment_text);
    for said in threads.map(thread_text).chain(comments) {
        match text.len() + said.len() > LONGEST {
            true => left_out += 1,
            false => text.push_str(&said),
        }
    }
    if pull.beyond > 0 {
        text.push_str(&format!(
            "up to {} older threads and comments are only on its page.\n",
            pull.beyond
        ));
    }
    if left_out > 0 {
        text.push_str(&format!(
            "{left_out} more unresolved threads or comments are on its page.\n"
        ));
    }
    text
}

/// Formats a pull request with its checks, reviews and labels.
fn summary(pull: &PullDetail) -> String {
    let card = &pull.card;
    let mut text = format!(
        "#{} {}: {}\n{}\nfrom {} at {} into {}\n",
        card.number,
        stage_word(card),
        inside(&card.title),
        inside(&card.url),
        inside(&pull.head_branch),
        card.head.as_str(),
        inside(&card.base_branch)
    );
    for check in &pull.checks {
        let required = if check.is_required { ", required" } else { "" };
        let state = state_word(check.state);
        text.push_str(&format!("check {}: {state}{required}\n", inside(&check.name)));
    }
    for review in &pull.reviews {
        text.push_str(&format!(
            "{} {}\n",
            inside(&review.author),
            review_word(review.state)
        ));
    }
    if !pull.labels.is_empty() {
        text.push_str(&format!("labels: {}\n", inside(&pull.labels.join(", "))));
    }
    text
}

/// Formats a thread with its comments.
fn thread_text(thread: &Thread) -> String {
    let file = inside(thread.file.as_deref().unwrap_or("the whole change"));
    let line = thread.line.map(|line| format!(":{line}")).unwrap_or_default();
    let mut text = format!("thread {} at {file}{line}\n", inside(&thread.id));
    if thread.has_earlier {
        text.push_str("earlier comments of it are on the page\n");
    }
    for comment in &thread.comments {
        text.push_str(&format!(
            "{} wrote:\n{}\n",
            inside(&comment.author),
            quoted(&comment.text)
        ));
    }
    text
}

/// Formats a comment in the conversation of a pull request.
fn comment_text(comment: &Comment) -> String {
    let (author, text) = (inside(&comment.author), quoted(&comment.text));
    format!("{author} wrote in the conversation:\n{text}\n")
}
