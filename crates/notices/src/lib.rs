//! Shows notices as desktop notifications: which ones are new, what a notification contains, and whether this
//! machine can show any. A click is handled by the face that shows the notification.
#![forbid(unsafe_code)]

use downbeat_model::name::shows;
use downbeat_wire::notice::Notice;
pub use notify_rust::{Notification, NotificationHandle, NotificationResponse};

/// The maximum length of a text, in characters; desktops cut much earlier.
const TEXT: usize = 400;

/// The sound of a notification, by its name in the system.
const SOUND: &str = if cfg!(target_os = "linux") {
    "message-new-instant"
} else {
    "Default"
};

/// Tracks which notices have not been shown yet.
#[derive(Debug)]
pub struct Unseen {
    last: i64,
}

impl Unseen {
    /// Starts after the notices that exist already.
    #[must_use]
    pub fn after(notices: &[Notice]) -> Self {
        Self {
            last: newest(notices).unwrap_or(0),
        }
    }

    /// Returns the notices for the desktop that are new and unread, oldest first. They stay new until [`Self::pass`].
    #[must_use]
    pub fn of(&self, mut notices: Vec<Notice>) -> Vec<Notice> {
        notices.retain(|notice| notice.id > self.last && !notice.read && notice.on_desktop);
        notices.sort_by_key(|notice| notice.id);
        notices
    }

    /// Marks these notices as handled.
    pub fn pass(&mut self, notices: &[Notice]) {
        self.last = newest(notices).map_or(self.last, |newest| newest.max(self.last));
    }
}

fn newest(notices: &[Notice]) -> Option<i64> {
    notices.iter().map(|notice| notice.id).max()
}

/// Builds the notification for a notice, with a sound if the person wants one.
#[must_use]
pub fn notification(notice: &Notice, sound: bool) -> Notification {
    let mut shown = Notification::new();
    shown
        .appname("Downbeat")
        .summary(&format!("{}{}", plain(&notice.title), notice.kind.phrase()))
        .body(&plain(&notice.text));
    if sound {
        shown.sound_name(SOUND);
    }
    #[cfg(target_os = "linux")]
    shown
        .icon("downbeat-desktop")
        .hint(notify_rust::Hint::DesktopEntry("Downbeat".into()));
    #[cfg(target_os = "windows")]
    shown.app_id("dev.downbeat.desktop");
    shown
}

/// Returns why this machine shows no notifications, and what would help; `None` if it can.
#[cfg(all(unix, not(target_os = "macos")))]
#[must_use]
pub fn problem() -> Option<(String, &'static str)> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !set("DBUS_SESSION_BUS_ADDRESS") && !set("XDG_RUNTIME_DIR") {
        return Some((
            "there is no session bus (DBUS_SESSION_BUS_ADDRESS is not set)".into(),
            "start it in a desktop session, or under dbus-run-session",
        ));
    }
    let error = notify_rust::get_server_information().err()?;
    Some((
        format!("nothing on the session bus shows notifications: {error}"),
        "install and start a notification daemon, like dunst or mako",
    ))
}

/// Returns why this machine shows no notifications; `None` if it can.
#[cfg(not(all(unix, not(target_os = "macos"))))]
#[must_use]
pub fn problem() -> Option<(String, &'static str)> {
    None
}

/// Cleans a text: bounded, and visible characters only. On Linux the body may be read as markup, and a text
/// from an agent must stay text: the three characters that begin markup are replaced by look-alikes, which
/// read the same on servers without markup.
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

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_model::reactions::NoticePriority;
    use downbeat_model::{NoticeKind, SessionId};

    fn notice(id: i64, read: bool) -> Notice {
        Notice {
            id,
            kind: NoticeKind::NeedsInput,
            priority: NoticePriority::Urgent,
            on_desktop: true,
            session_id: Some(SessionId::random().unwrap()),
            plan_id: None,
            project_id: None,
            title: "docs <b>".into(),
            text: "one\ntwo \u{202e}three".into(),
            at: jiff::Timestamp::UNIX_EPOCH,
            read,
        }
    }

    #[test]
    fn each_unread_notice_is_shown_once_in_order() {
        let mut unseen = Unseen::after(&[notice(3, false), notice(2, false)]);
        let new = unseen.of(vec![
            notice(5, false),
            notice(3, false),
            notice(4, false),
            notice(6, true),
        ]);
        let elsewhere = Notice {
            on_desktop: false,
            ..notice(9, false)
        };
        assert!(unseen.of(vec![elsewhere]).is_empty());
        let ids = |notices: &[Notice]| notices.iter().map(|notice| notice.id).collect::<Vec<_>>();
        assert_eq!(ids(&new), [4, 5]);
        // Not passed yet, so they are returned again.
        assert_eq!(ids(&unseen.of(new.clone())), [4, 5]);
        unseen.pass(&new);
        assert!(unseen.of(new).is_empty());
    }

    #[test]
    fn a_text_of_an_agent_stays_text() {
        let shown = notification(&notice(1, false), false);
        assert!(shown.summary.ends_with(" needs you"), "{}", shown.summary);
        let printed = |sound| format!("{:?}", notification(&notice(1, false), sound));
        assert!(printed(true).contains(SOUND) && !printed(false).contains(SOUND));
        assert!(!shown.body.contains(['\n', '\u{202e}']), "{}", shown.body);
        assert!(!cfg!(target_os = "linux") || !shown.summary.contains('<'));
    }
}
