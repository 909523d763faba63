//! A notice as text: its title and its body, with visible characters only, and cut to the limits of a receiver.

use downbeat_model::name::shows;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::{NewNotice, NoticeKind, SessionId};
use jiff::Timestamp;

/// What shows that a text was cut.
const MORE: &str = "…";

/// A notice, as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Why the person is told.
    pub kind: NoticeKind,
    /// How urgent it is.
    pub priority: NoticePriority,
    /// What happened to whom: "Cart needs you".
    pub title: String,
    /// The question, the exit code, the error.
    pub text: String,
    /// The name of the project.
    pub project: Option<String>,
    /// The session.
    pub session: Option<SessionId>,
    /// The title of the session, or the one that the notice was given.
    pub subject: String,
    /// The time of the notice.
    pub at: Timestamp,
}

impl Message {
    /// Returns the message of a notice about a session of this project.
    #[must_use]
    pub fn of(notice: &NewNotice, project: Option<&str>) -> Self {
        let subject = plain(&notice.title).replace('\n', " ");
        Self {
            kind: notice.kind,
            priority: notice.priority,
            title: format!("{subject}{}", notice.kind.phrase()),
            text: plain(&notice.text),
            project: project.map(|name| plain(name).replace('\n', " ")),
            session: notice.session_id.clone(),
            subject,
            at: notice.at,
        }
    }

    /// Returns the message that a test sends.
    #[must_use]
    pub fn test(now: Timestamp) -> Self {
        Self {
            kind: NoticeKind::Test,
            priority: NoticePriority::Info,
            title: "Downbeat: test".to_owned(),
            text: "Notices of your sessions will arrive here.".to_owned(),
            project: None,
            session: None,
            subject: "Downbeat: test".to_owned(),
            at: now,
        }
    }

    /// Returns the priority as a word.
    #[must_use]
    pub const fn priority_word(&self) -> &'static str {
        match self.priority {
            NoticePriority::Info => "info",
            NoticePriority::Warning => "warning",
            NoticePriority::Action => "action",
            NoticePriority::Urgent => "urgent",
        }
    }

    /// Returns where it comes from, in one line: "shop · urgent".
    #[must_use]
    pub fn origin(&self) -> String {
        let parts = [self.project.as_deref(), Some(self.priority_word())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// Returns the visible characters of a text. Lines stay lines.
fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let visible = text
        .chars()
        .map(|c| if c.is_whitespace() && c != '\n' { ' ' } else { c });
    visible
        .filter(|&c| c == '\n' || shows(c))
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Cuts a text to `most` units of UTF-16, in which most services count. A longer text ends with `…`.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    bounded(text, most, char::len_utf16)
}

/// Cuts a text to `most` bytes.
#[must_use]
pub fn cut_bytes(text: &str, most: usize) -> String {
    bounded(text, most, char::len_utf8)
}

fn bounded(text: &str, most: usize, size: impl Fn(char) -> usize) -> String {
    if text.chars().map(&size).sum::<usize>() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(MORE.chars().map(&size).sum());
    let mut used = 0;
    let fits = |c: &char| {
        used += size(*c);
        used <= room
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{kept}{MORE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_in_the_units_of_its_receiver() {
        for (text, most, utf16, bytes) in [
            ("abcd", 4, "abcd", "abcd"),
            ("abcde", 4, "abc…", "a…"),
            ("äöüß", 4, "äöüß", "…"),
            ("😀😀😀", 5, "😀😀…", "…"),
        ] {
            assert_eq!(cut(text, most), utf16, "{text}");
            assert_eq!(cut_bytes(text, most), bytes, "{text}");
            assert!(cut_bytes(text, most).len() <= most);
        }
    }

    #[test]
    fn a_message_has_only_visible_characters() {
        let notice = NewNotice {
            kind: NoticeKind::NeedsInput,
            priority: NoticePriority::Urgent,
            session_id: None,
            plan_id: None,
            project_id: None,
            title: "Ca\u{202e}rt\n\u{1b}[31m".into(),
            text: "one\r\ntwo\u{7}\tthree\n\n".into(),
            at: Timestamp::UNIX_EPOCH,
        };
        let message = Message::of(&notice, Some("sh\u{200b}op"));
        assert_eq!(message.title, "Cart [31m needs you");
        assert_eq!(message.text, "one\ntwo three");
        assert_eq!(message.origin(), "shop · urgent");
    }
}
