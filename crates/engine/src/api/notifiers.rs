//! The notifiers: what is configured, what became of the last notices, and tests; and what the person looks at.

use crate::effects::notify;
use crate::state::addressed::waiting;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::known::State;
use downbeat_model::SessionId;
use downbeat_model::delivery::{DESKTOP, Routes};
use downbeat_model::{NewNotice, NoticeKind};
use downbeat_notifiers::retry::Outcome;
use downbeat_notifiers::{Kind, NotifierConfig};
use downbeat_wire::notifier::{NotifierState, NotifierTested, ReportView};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;

/// What a test of the desktop answers.
const ON_DESKTOP: &str =
    "handed to the window, or to `downbeat serve`; if nothing appears, `downbeat doctor` says why";

/// Returns all notifiers, the desktop first.
///
/// # Errors
/// Fails if what was seen of them cannot be read.
pub async fn list(engine: &Engine) -> Result<Vec<NotifierState>, ApiError> {
    let (config, state) = (engine.config(), engine.ledger.state());
    let routes = config.routes();
    let mut all = vec![desktop(config.notifications.desktop, &routes)];
    for (name, notifier) in config.notifiers.iter().filter(|(name, _)| *name != DESKTOP) {
        all.push(one(engine, &state, &routes, (name, notifier)).await?);
    }
    Ok(all)
}

fn desktop(is_on: bool, routes: &Routes) -> NotifierState {
    NotifierState {
        name: DESKTOP.to_owned(),
        kind: Kind::Desktop.word().to_owned(),
        address: None,
        gets: if is_on {
            routes.of_notifier(DESKTOP)
        } else {
            Vec::new()
        },
        problem: None,
        waiting: 0,
        delivered_at: None,
        error: None,
        failed_at: None,
        given_up: 0,
        waits_until: None,
    }
}

async fn one(
    engine: &Engine,
    state: &State,
    routes: &Routes,
    (name, config): (&str, &NotifierConfig),
) -> Result<NotifierState, ApiError> {
    let (address, problem) = match notify::target(engine, name, config).await {
        Ok(target) => (Some(target.shown()), None),
        Err(unready) => (None, Some(format!("{}; {}", unready.why, unready.hint))),
    };
    let seen = notify::seen(engine, name).await?;
    let stands = seen.stands().map(str::to_owned);
    let now = Timestamp::now();
    Ok(NotifierState {
        name: name.to_owned(),
        kind: config.kind(name).map(Kind::word).unwrap_or_default().to_owned(),
        address,
        gets: routes.of_notifier(name),
        problem,
        waiting: u32::try_from(waiting(state, name).count()).unwrap_or(u32::MAX),
        delivered_at: seen.delivered_at,
        failed_at: seen.failed_at.filter(|_| stands.is_some()),
        error: stands,
        given_up: seen.given_up,
        waits_until: seen.waits_until.filter(|until| *until > now),
    })
}

/// Sends a test through a notifier.
///
/// # Errors
/// Fails if there is no such notifier.
pub async fn test(engine: &Engine, name: &str) -> Result<NotifierTested, ApiError> {
    if name == DESKTOP {
        return test_desktop(engine).await;
    }
    let all = engine.config().notifiers;
    let Some(config) = all.get(name) else {
        let known: Vec<&str> = std::iter::once(DESKTOP)
            .chain(all.keys().map(String::as_str))
            .collect();
        let mut hint = format!(
            "there are: {}; more are added as `notifiers` in downbeat.yaml",
            known.join(", ")
        );
        if let Some(near) = find::nearest(name, known.iter().copied()) {
            hint = format!("did you mean {near:?}? {hint}");
        }
        return Err(ApiError::not_found("notifier", name).hint(hint));
    };
    let (delivered, told) = match notify::test(engine, name, config).await? {
        Outcome::Delivered => (true, "delivered".to_owned()),
        Outcome::Wait(until) => (false, format!("not delivered: it asks to wait until {until:.0}")),
        Outcome::Again { why, .. } | Outcome::GaveUp(why) => {
            let why = why.strip_suffix(", after 1 try").unwrap_or(&why);
            (false, format!("not delivered: {why}"))
        }
    };
    Ok(NotifierTested { delivered, told })
}

/// Shows a notification on the desktop. The engine does not learn whether it appears.
async fn test_desktop(engine: &Engine) -> Result<NotifierTested, ApiError> {
    if !engine.config().notifications.desktop {
        let what = "desktop notifications are switched off";
        return Err(ApiError::new(Code::Conflict, what).hint("switch them on in the settings"));
    }
    let written = engine.ledger.write(|draft| {
        draft.notice(NewNotice {
            kind: NoticeKind::Test,
            priority: NoticeKind::Test.priority(),
            session_id: None,
            plan_id: None,
            project_id: None,
            title: "Downbeat: test".to_owned(),
            text: "Notices of your sessions will appear here.".to_owned(),
            at: draft.now(),
        });
        Ok(())
    });
    written.await?;
    Ok(NotifierTested {
        delivered: true,
        told: ON_DESKTOP.to_owned(),
    })
}

/// Records which session a page shows in a focused window.
///
/// # Errors
/// Fails if the page has no name, or too long a one.
pub fn report_view(engine: &Engine, request: &ReportView) -> Result<(), ApiError> {
    if request.viewer.is_empty() || request.viewer.len() > 64 {
        return Err(ApiError::invalid("viewer: expected 1 to 64 bytes"));
    }
    let session = request.session.as_deref().and_then(SessionId::parse);
    let mut memory = engine.notifiers.memory();
    memory.views.report(&request.viewer, session, Timestamp::now());
    Ok(())
}
