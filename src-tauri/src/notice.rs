//! Desktop notifications for new notices. A click shows the session. None for a session that the
//! person is looking at, and none for what was written before this start.

use crate::page::{self, Ask};
use crate::shell::{Shell, lock};
use crate::window;
use downbeat_model::name::shows;
use downbeat_wire::notice::{Notice, NoticeKind};
use downbeat_wire::settings::Settings;
use notify_rust::Notification;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tauri::AppHandle;

/// Notifications whose click we wait for; each holds a thread. Beyond it they are still shown,
/// but a click on them does nothing.
const WAITING: usize = 24;

/// Longest text shown; desktops cut much earlier.
const TEXT: usize = 400;

/// What was shown last.
pub struct Notices {
    last: i64,
    waiting: Arc<AtomicUsize>,
}

impl Notices {
    /// Starts after what is there already.
    pub async fn start(shell: &Shell) -> Self {
        let last = newest(&list(shell).await).unwrap_or(0);
        let waiting = Arc::new(AtomicUsize::new(0));
        Self { last, waiting }
    }

    /// Shows what is new.
    pub async fn show_new(&mut self, app: &AppHandle, shell: &Shell) {
        let mut notices = list(shell).await;
        notices.retain(|notice| notice.id > self.last && !notice.read);
        notices.sort_by_key(|notice| notice.id);
        let Some(newest) = newest(&notices) else {
            return;
        };
        // Without an answer these notices stay new: the next change tells them.
        let Ok(settings) = shell.ask::<Settings>("get_settings").await else {
            return;
        };
        self.last = newest;
        if !settings.desktop_notifications {
            return;
        }
        let in_view = lock(&shell.in_view).clone().filter(|_| window::is_focused(app));
        for notice in notices {
            if in_view.as_deref() != Some(&notice.session_id.to_string()) {
                self.show(app.clone(), notice);
            }
        }
    }

    fn show(&self, app: AppHandle, notice: Notice) {
        let waiting = Arc::clone(&self.waiting);
        tauri::async_runtime::spawn_blocking(move || match notification(&notice).show() {
            Ok(shown) => {
                if waiting.fetch_add(1, Ordering::Relaxed) < WAITING {
                    wait_for_click(shown, &app, &notice);
                }
                waiting.fetch_sub(1, Ordering::Relaxed);
            }
            Err(error) => tracing::warn!(%error, "the notification could not be shown"),
        });
    }
}

fn wait_for_click(shown: notify_rust::NotificationHandle, app: &AppHandle, notice: &Notice) {
    let id = notice.session_id.to_string();
    let answered = shown.wait_for_response(|response: &notify_rust::NotificationResponse| {
        use notify_rust::NotificationResponse::{Action, Default};
        if matches!(response, Default | Action(_)) {
            window::show(app);
            page::ask(app, Ask::OpenSession { id: id.clone() });
        }
    });
    if let Err(error) = answered {
        tracing::debug!(%error, "nobody tells what became of the notification");
    }
}

async fn list(shell: &Shell) -> Vec<Notice> {
    shell.ask("list_notices").await.unwrap_or_else(|error| {
        tracing::warn!(%error, "notices cannot be listed");
        Vec::new()
    })
}

fn newest(notices: &[Notice]) -> Option<i64> {
    notices.iter().map(|notice| notice.id).max()
}

fn notification(notice: &Notice) -> Notification {
    let what = match notice.kind {
        NoticeKind::NeedsInput => "needs you",
        NoticeKind::Finished => "has finished",
        NoticeKind::Exited => "ended unexpectedly",
        NoticeKind::Failed => "could not start",
        NoticeKind::NeedsLook => "needs a look",
    };
    let mut shown = Notification::new();
    shown
        .appname("Downbeat")
        .summary(&format!("{} {what}", plain(&notice.title)))
        .body(&plain(&notice.text))
        .action("default", "Open");
    #[cfg(target_os = "linux")]
    shown
        .icon("downbeat-desktop")
        .hint(notify_rust::Hint::DesktopEntry("Downbeat".into()));
    #[cfg(target_os = "windows")]
    shown.app_id("dev.downbeat.desktop");
    shown
}

/// One bounded text of characters that show. On Linux the body may be taken for markup, and
/// a text from an agent must stay text: the three characters that begin markup are replaced by
/// look-alikes that read the same on servers without markup, too.
fn plain(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|&c| shows(c))
        .take(TEXT)
        .collect();
    if cfg!(target_os = "linux") {
        return text.replace('<', "‹").replace('>', "›").replace('&', "＆");
    }
    text
}
