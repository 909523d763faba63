//! Changes a pull request at its forge, once: after a lost answer the forge is asked whether it happened.

use crate::decide::pull_orders;
use crate::effects::pulls::failed::Failed;
use crate::effects::pulls::found::{self, Found};
use crate::effects::pulls::{reach, text};
use crate::facts::forges::record;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_forge::{NodeId, Retry, Subject, Write, Written};
use downbeat_model::pull::{Ordered, PullChange, PullDone, PullOrder, Sent};
use downbeat_model::session::SessionPull;
use downbeat_store::SessionRow;
use downbeat_wire::pull_request::ChangePull;
use downbeat_wire::{ApiError, Code};

/// The maximum number of labels, or of reviewers, in one change.
const MOST: usize = 100;

/// Returns what is ordered.
///
/// # Errors
/// Fails if no pull request is meant, or if the change says nothing.
pub async fn ordered(engine: &Engine, row: &SessionRow, request: &ChangePull) -> Result<Ordered, ApiError> {
    reach::refuse_untrusted(&*engine.project(&row.project_id)?)?;
    let card = reach::one_of(row, request.number)?;
    refuse_senseless(&request.change)?;
    refuse_other_threads(engine, card, &request.change).await?;
    Ok(Ordered::Change {
        pull: card.id.clone(),
        number: card.number,
        change: request.change.clone(),
    })
}

/// Changes a pull request of a session. If that was sent before, the forge is asked first whether it happened.
///
/// # Errors
/// Fails if the pull request is not the session's any more, or if the forge refuses the change.
pub async fn carry_out(
    engine: &Engine,
    row: &SessionRow,
    (key, order): (&str, &PullOrder),
    (pull, change): (&downbeat_model::Subject, &PullChange),
) -> Result<PullDone, Failed> {
    let card = row.pulls.iter().find(|card| card.id == *pull);
    let card = card.ok_or_else(|| {
        let what = format!("{} does not have this pull request any more", row.name);
        Failed::before_sending(ApiError::new(Code::NotFound, what), order)
    })?;
    let at = reach::reach(engine, card).await;
    let at = at.map_err(|error| Failed::before_sending(error, order))?;
    let before = match &order.sent {
        Some(sent) => match look(&at, change, sent).await? {
            Some(url) => Err(url),
            None => Ok(sent.clone()),
        },
        None => match found::before(&at, change).await {
            Ok(before) => Ok(before),
            Err(error) => return Err(Failed::refused(engine, &at.host, error)),
        },
    };
    let url = match before {
        Err(url) => url,
        Ok(before) => send(engine, key, (&at, change), before).await?,
    };
    point("pull-changed");
    reach::look_again(engine, &at.host, &at.repository, &at.node).await;
    Ok(PullDone {
        number: at.number,
        url,
        opened: None,
    })
}

/// Sends a change, and returns the page of what it changed. After a lost answer, the forge is asked whether it happened.
async fn send(
    engine: &Engine,
    key: &str,
    (at, change): (&reach::Reached, &PullChange),
    before: Sent,
) -> Result<String, Failed> {
    let noted = engine
        .ledger
        .write(|draft| pull_orders::sending(draft, key, before.clone()));
    noted.await?;
    point("pull-sending");
    match at.client.write(&write(change, at)).await {
        Ok(Written::Comment { url, .. }) => Ok(url),
        Ok(_) => Ok(at.url.clone()),
        Err(error) if error.retry() == Retry::AfterLooking => {
            let found = look(at, change, &before).await?;
            found.ok_or_else(|| reach::error(error).into())
        }
        Err(error) => Err(Failed::refused(engine, &at.host, error)),
    }
}

/// Returns the page of what a change that was sent led to; `None` if it has to be sent again.
async fn look(at: &reach::Reached, change: &PullChange, sent: &Sent) -> Result<Option<String>, Failed> {
    match found::look(at, change, sent).await {
        Ok(Found::Done(url)) => Ok(Some(url)),
        Ok(Found::Open) => Ok(None),
        Ok(Found::Hidden) => {
            let what = format!(
                "the thread on pull request #{} is too long to see whether the reply was written",
                at.number
            );
            Err(ApiError::new(Code::Conflict, what)
                .hint(format!("look at {}", at.url))
                .into())
        }
        Err(error) => Err(Failed::unknown(reach::error(error))),
    }
}

fn refuse_senseless(change: &PullChange) -> Result<(), ApiError> {
    let text = |key: &str, text: &str, longest: usize| match text.chars().count() {
        0 => Err(ApiError::invalid(format!("{key}: it is empty"))),
        many if many > longest => Err(ApiError::invalid(format!(
            "{key}: it has more than {longest} characters"
        ))),
        _ => Ok(()),
    };
    let some = |lists: [&[String]; 2], what: &str| match lists.iter().map(|list| list.len()).sum::<usize>() {
        0 => Err(ApiError::invalid(format!("name at least one {what}"))),
        many if many > MOST => Err(ApiError::invalid(format!(
            "at most {MOST} at once; there are {many}"
        ))),
        _ if lists.iter().any(|list| list.iter().any(|name| is_no_name(name))) => {
            Err(ApiError::invalid(format!("a {what} has an empty name")))
        }
        _ => Ok(()),
    };
    match change {
        PullChange::Edit { title, body, base } => {
            if title.is_none() && body.is_none() && base.is_none() {
                return Err(ApiError::invalid("name a title, a text or a base to change"));
            }
            title
                .as_ref()
                .map_or(Ok(()), |title| text("title", title.trim(), text::LONGEST_TITLE))?;
            base.as_ref()
                .map_or(Ok(()), |base| text("base", base.trim(), text::LONGEST_TITLE))?;
            let body = body.as_ref().filter(|body| !body.is_empty());
            body.map_or(Ok(()), |body| text("body", body, text::LONGEST_BODY))
        }
        PullChange::Comment { body } | PullChange::Reply { body, .. } => {
            text("body", body.trim(), text::LONGEST_BODY)
        }
        PullChange::Label { add, remove } => some([add, remove], "label"),
        PullChange::RequestReview { people, teams } => some([people, teams], "reviewer"),
        PullChange::Resolve { .. } | PullChange::Draft { .. } | PullChange::Close => Ok(()),
    }
}

/// Whether a label or an account cannot have this name. `.` and `..` would change the address that names it.
fn is_no_name(name: &str) -> bool {
    matches!(name.trim(), "" | "." | "..") || name.len() > text::LONGEST_TITLE
}

/// Refuses a thread that is not one of the pull request: a forge takes the id of any thread.
async fn refuse_other_threads(
    engine: &Engine,
    card: &SessionPull,
    change: &PullChange,
) -> Result<(), ApiError> {
    let (PullChange::Reply { thread, .. } | PullChange::Resolve { thread, .. }) = change else {
        return Ok(());
    };
    let seen = record::known(engine, &card.id).await?.seen;
    let mut threads = seen.iter().flat_map(|seen| &seen.threads);
    if threads.any(|one| one.id == *thread) {
        return Ok(());
    }
    let what = format!("pull request #{} has no review thread {thread:?}", card.number);
    Err(ApiError::new(Code::NotFound, what).hint("`downbeat pr show SESSION --json` names its threads"))
}

fn write(change: &PullChange, at: &reach::Reached) -> Write {
    let subject = || Subject {
        id: at.node.clone(),
        repository: at.repository.clone(),
        number: at.number,
    };
    let (pull, thread) = (at.node.clone(), |id: &String| NodeId(id.clone()));
    match change {
        PullChange::Edit { title, body, base } => Write::Update {
            pull,
            title: title.clone(),
            body: body.clone(),
            base: base.clone(),
        },
        PullChange::Comment { body } => Write::Comment {
            on: pull,
            body: body.clone(),
        },
        PullChange::Reply { thread: id, body } => Write::Reply {
            thread: thread(id),
            body: body.clone(),
        },
        PullChange::Resolve { thread: id, resolved } => Write::Resolve {
            thread: thread(id),
            resolved: *resolved,
        },
        PullChange::Label { add, remove } => Write::Label {
            on: subject(),
            add: add.clone(),
            remove: remove.clone(),
        },
        PullChange::RequestReview { people, teams } => Write::RequestReview {
            pull: subject(),
            people: people.clone(),
            teams: teams.clone(),
        },
        PullChange::Draft { draft } => Write::Draft { pull, draft: *draft },
        PullChange::Close => Write::Close { pull },
    }
}
