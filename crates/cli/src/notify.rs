//! Desktop notifications of an engine without a window, if this desktop can show any. If it cannot, the log
//! says so once, and `downbeat doctor` says what is missing.

use downbeat_engine::Engine;
use downbeat_notices::{Unseen, notification};
use downbeat_wire::notice::Notice;
use downbeat_wire::request::Nothing;
use downbeat_wire::{Caller, Operations};
use std::sync::Arc;

/// Shows new notices until the engine ends; the caller then drops this.
pub(crate) async fn follow(engine: Arc<Engine>) {
    // macOS shows notifications of bundled applications only.
    if cfg!(target_os = "macos") {
        return;
    }
    let mut told = engine.notices();
    let Ok(before) = engine.list_notices(&Caller::Owner, Nothing {}).await else {
        return;
    };
    let mut shower = Shower {
        unseen: Unseen::after(&before),
        fails: false,
    };
    while told.changed().await.is_ok() {
        shower.show_new(&engine).await;
    }
}

struct Shower {
    unseen: Unseen,
    /// Whether the last notification could not be shown, which is logged once.
    fails: bool,
}

impl Shower {
    async fn show_new(&mut self, engine: &Engine) {
        let Ok(notices) = engine.list_notices(&Caller::Owner, Nothing {}).await else {
            return;
        };
        let new = self.unseen.of(notices);
        if new.is_empty() {
            return;
        }
        // If the settings cannot be read, the notices stay new, and the next change shows them.
        let Ok(settings) = engine.get_settings(&Caller::Owner, Nothing {}).await else {
            return;
        };
        self.unseen.pass(&new);
        if settings.desktop_notifications {
            self.show(new, settings.desktop_sound).await;
        }
    }

    async fn show(&mut self, new: Vec<Notice>, sound: bool) {
        // The bus may be slow; a missing bus fails immediately.
        let shown = tokio::task::spawn_blocking(move || {
            let mut all = new.iter().map(|notice| notification(notice, sound).show());
            all.find_map(Result::err)
        });
        let error = shown.await.ok().flatten();
        if let Some(error) = error.as_ref().filter(|_| !self.fails) {
            tracing::warn!("notifications cannot be shown; `downbeat doctor` says what is missing: {error}");
        }
        self.fails = error.is_some();
    }
}
