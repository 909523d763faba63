//! `downbeat pr`: the pull requests of sessions.
//!
//! * `input`: which session and which text are meant
//! * `show`: shows them, and the forges that they are on
//! * `webhook`: how a forge tells this machine of changes
//! * `create`: opens one
//! * `change`: changes one
//!
//! They are merged by `downbeat merge`, which `downbeat pr merge` runs.

mod change;
mod create;
mod input;
mod show;
mod webhook;

use crate::command::session::merge;
use crate::home::Home;
use crate::outcome::Outcome;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// List the pull requests of all sessions
    List(show::List),
    /// Show the pull requests of a session, with their checks and reviews
    Show(show::Show),
    /// List the forges that projects have remotes on, and whether they answer
    Forges(show::Forges),
    /// Show how forges tell this machine of changes at once, and when they last did
    Webhook(webhook::Arguments),
    /// Push the branch of a session and open a pull request for it
    Create(create::Arguments),
    /// Change the title, the text or the base of a pull request
    Edit(change::Edit),
    /// Comment on a pull request, or reply in one of its review threads
    Comment(change::Comment),
    /// Resolve a review thread, or open it again
    Resolve(change::Resolve),
    /// Add and remove labels
    Label(change::Label),
    /// Request reviews
    RequestReview(change::RequestReview),
    /// Mark a draft as ready for review
    Ready(change::Which),
    /// Turn a pull request into a draft
    Draft(change::Which),
    /// Close a pull request without merging it
    Close(change::Which),
    /// Merge the work of a session, as `downbeat merge` does
    Merge(merge::Arguments),
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    match arguments {
        Arguments::List(list) => show::list(list, home).await,
        Arguments::Show(show) => show::show(show, home).await,
        Arguments::Forges(forges) => show::forges(forges, home).await,
        Arguments::Webhook(webhook) => webhook::run(webhook, home).await,
        Arguments::Create(create) => create::run(create, home).await,
        Arguments::Edit(edit) => change::edit(edit, home).await,
        Arguments::Comment(comment) => change::comment(comment, home).await,
        Arguments::Resolve(resolve) => change::resolve(resolve, home).await,
        Arguments::Label(label) => change::label(label, home).await,
        Arguments::RequestReview(request) => change::request_review(request, home).await,
        Arguments::Ready(which) => change::draft(which, false, home).await,
        Arguments::Draft(which) => change::draft(which, true, home).await,
        Arguments::Close(which) => change::close(which, home).await,
        Arguments::Merge(arguments) => merge::run(arguments, home).await,
    }
}
