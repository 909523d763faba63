//! The notices, which of them the person has read, and those that scripts and agents raise.

use crate::api::view;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::{NewNotice, NoticeKind, SessionId, shown};
use downbeat_wire::notice::{AddAttention, Notice, ReadNotices};
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;

/// The number of notices that are listed.
const MOST: u32 = 200;

/// Returns the newest notices, the newest first.
///
/// # Errors
/// Fails if they cannot be read.
pub async fn list(engine: &Engine) -> Result<Vec<Notice>, ApiError> {
    let rows = engine.ledger.store().notices(MOST).await.map_err(error::store)?;
    let routes = engine.config().routes();
    let notices = rows.into_iter().filter_map(|row| view::notice(row, &routes));
    Ok(notices.collect())
}

/// Notes that the person has read some notices.
///
/// # Errors
/// Fails if that cannot be written.
pub async fn read(engine: &Engine, request: ReadNotices) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        draft.read_notices(request.ids);
        Ok(())
    });
    written.await
}

/// The longest text of a notice that is raised, and its longest title, in characters.
const LONGEST: (usize, usize) = (4000, 200);

/// The number of notices that a session's token, or the person's, may raise in a minute.
const A_MINUTE: (usize, usize) = (5, 60);

/// Raises a notice for the person.
///
/// # Errors
/// Fails if the request is not valid, if it is about another session than the caller's own, or if it is one too many.
pub async fn raise(engine: &Engine, caller: &Caller, request: AddAttention) -> Result<(), ApiError> {
    let own = match caller {
        Caller::Owner => None,
        Caller::Session(id) => Some(id.clone()),
    };
    let (text, title) = (bounded(&request.text, LONGEST.0, "text")?, &request.title);
    let title = title
        .as_deref()
        .map(|title| bounded(title, LONGEST.1, "title"))
        .transpose()?;
    let named = request.session.as_deref().or(own.as_ref().map(SessionId::as_str));
    let row = match named {
        Some(name) => Some(engine.find(caller, name).await?),
        None => None,
    };
    let about = row.as_ref().map(|row| &row.id);
    if own.is_some() && about != own.as_ref() {
        let what = "a session raises notices about itself only";
        return Err(ApiError::new(Code::Forbidden, what).hint("leave out the session"));
    }
    let most = own.as_ref().map_or(A_MINUTE.1, |_| A_MINUTE.0);
    if engine
        .notifiers
        .memory()
        .raises_too_many(own.as_ref(), most, Timestamp::now())
    {
        let what = format!("at most {most} notices a minute can be raised");
        return Err(
            ApiError::new(Code::Conflict, what).hint("say several things in one notice, or wait a minute")
        );
    }
    let usual = row
        .as_ref()
        .map_or_else(|| "Downbeat".to_owned(), |row| row.title.clone());
    let written = engine.ledger.write(|draft| {
        draft.notice(NewNotice {
            kind: NoticeKind::Raised,
            priority: request.priority.unwrap_or(NoticeKind::Raised.priority()),
            session_id: about.cloned(),
            plan_id: None,
            project_id: row.as_ref().map(|row| row.project_id.clone()),
            title: title.unwrap_or(usual),
            text,
            at: draft.now(),
        });
        Ok(())
    });
    written.await
}

/// Returns a text without characters that act on a terminal or change the direction of text, unless it is empty or too long.
fn bounded(text: &str, most: usize, what: &str) -> Result<String, ApiError> {
    let text = text.trim();
    match text.chars().count() {
        0 => Err(ApiError::invalid(format!("the {what} is empty"))),
        length if length > most => {
            let error = format!("the {what} has {length} characters; at most {most} are allowed");
            Err(ApiError::invalid(error))
        }
        _ => Ok(shown::lines(text)),
    }
}
