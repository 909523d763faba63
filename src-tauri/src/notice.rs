//! Desktop notifications for new notices. A click shows the session. There is none for a session that the
//! person is looking at, and none for notices from before this start.

use crate::lock::lock;
use crate::page::{self, Ask};
use crate::shell::Shell;
use crate::window;
use downbeat_notices::{NotificationHandle, NotificationResponse, Unseen, notification};
use downbeat_wire::Client;
use downbeat_wire::notice::Notice;
use downbeat_wire::request::Nothing;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tauri::AppHandle;

/// The maximum number of notifications whose click is awaited; each occupies a thread. Further ones are
/// shown, but a click on them does nothing.
const WAITING: usize = 24;

/// The notices that were not shown yet, and the number of notifications that wait for a click.
pub struct Notices {
    unseen: Unseen,
    waiting: Arc<AtomicUsize>,
}

impl Notices {
    /// Starts after the notices that exist already.
    pub async fn start(shell: &Shell) -> Self {
        let unseen = Unseen::after(&list(shell).await);
        let waiting = Arc::new(AtomicUsize::new(0));
        Self { unseen, waiting }
    }

    /// Shows the new notices.
    pub async fn show_new(&mut self, app: &AppHandle, shell: &Shell) {
        let notices = self.unseen.of(list(shell).await);
        if notices.is_empty() {
            return;
        }
        // If the settings cannot be read, these notices stay new, and the next change shows them.
        let Ok(settings) = shell.get_settings(Nothing {}).await else {
            return;
        };
        self.unseen.pass(&notices);
        if !settings.desktop_notifications {
            return;
        }
        let in_view = lock(&shell.in_view).clone().filter(|_| window::is_focused(app));
        for notice in notices {
            let about = notice.session_id.as_ref().map(ToString::to_string);
            if about.is_none() || in_view != about {
                self.show(app.clone(), notice, settings.desktop_sound);
            }
        }
    }

    fn show(&self, app: AppHandle, notice: Notice, sound: bool) {
        let waiting = Arc::clone(&self.waiting);
        tauri::async_runtime::spawn_blocking(move || {
            match notification(&notice, sound).action("default", "Open").show() {
                Ok(shown) => {
                    if waiting.fetch_add(1, Ordering::Relaxed) < WAITING {
                        wait_for_click(shown, &app, &notice);
                    }
                    waiting.fetch_sub(1, Ordering::Relaxed);
                }
                Err(error) => tracing::warn!(%error, "the notification could not be shown"),
            }
        });
    }
}

fn wait_for_click(shown: NotificationHandle, app: &AppHandle, notice: &Notice) {
    let session = notice.session_id.as_ref().map(ToString::to_string);
    let plan = notice.plan_id.as_ref().map(ToString::to_string);
    let about = session.map(|id| Ask::OpenSession { id });
    let about = about.or_else(|| plan.map(|id| Ask::OpenPlan { id }));
    let answered = shown.wait_for_response(|response: &NotificationResponse| {
        use NotificationResponse::{Action, Default};
        if matches!(response, Default | Action(_)) {
            window::show(app);
            if let Some(about) = about.clone() {
                page::ask(app, about);
            }
        }
    });
    if let Err(error) = answered {
        tracing::debug!(%error, "could not learn what became of the notification");
    }
}

async fn list(shell: &Shell) -> Vec<Notice> {
    shell.list_notices(Nothing {}).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "notices cannot be listed");
        Vec::new()
    })
}
