//! Asks the rules of a project about a session or a pull request that did not change. With a change of a pull request,
//! they are asked where that is recorded (`forges/record.rs`).

use crate::decide::reactions;
use crate::decide::reactions::matter::Matter;
use crate::facts::forges::record;
use crate::state::context::Engine;
use downbeat_model::{SessionId, Subject};
use downbeat_wire::ApiError;

/// Asks the rules about a session, or about one of its pull requests.
///
/// # Errors
/// Fails if its facts cannot be read, or if nothing can be written.
pub async fn react_again(engine: &Engine, session: &SessionId, subject: &Subject) -> Result<(), ApiError> {
    let rules = engine.rules(&engine.row(session)?.project_id).await;
    if matches!(subject, Subject::Session(_)) {
        // What an unreadable file says of sessions, the next change finds out.
        let Some(rules) = rules else { return Ok(()) };
        let stuck_after = engine.config().watchdog.stuck_after();
        let written = engine
            .ledger
            .write(|draft| reactions::react_to_session(draft, session, &rules, stuck_after));
        return written.await;
    }
    let pull = record::known(engine, subject).await?;
    let written = engine.ledger.write(|draft| {
        let matter = Matter::Pull(&pull);
        reactions::react(draft, session, (subject, matter), rules.as_deref())
    });
    written.await
}
