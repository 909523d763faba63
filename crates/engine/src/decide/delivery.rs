//! Decides whether an agent can take a message now, and why not: first by what is known of the session, then
//! by its screen. People read the reasons in the queue.

use crate::decide::limits;
use crate::session::{retry, row};
use downbeat_agents::Manifest;
use downbeat_keeper::{Text, Typed};
use downbeat_model::session::Intent;
use downbeat_model::{Activity, EvidenceSource, MessageState, Status, ToolsState, When};
use downbeat_store::{MessageRow, SessionRow};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// The time without a key press before something is typed: a person who types is not interrupted, and by then
/// the effect of a key is known.
const HANDS_OFF: Duration = Duration::from_secs(1);

/// How long an agent may take to accept keys after it reported that it is up. Its hook fires a moment earlier,
/// and an Enter in between is lost; its title shows when the prompt is there.
const UNTIL_KEYS: Duration = Duration::from_secs(10);

/// Why a message waits while keys are pressed.
const TYPES: &str = "somebody is typing in its terminal";

/// The decision about a message now.
#[derive(Debug, PartialEq, Eq)]
pub enum Ready {
    /// The message can be typed.
    Yes,
    /// The turn has to be interrupted first.
    Interrupt,
    /// The message's own text is in the prompt, and nobody typed there: it has to be removed first.
    TakeOut,
    /// The message waits, for this reason. It is checked again after this time or, if none is given, at the
    /// next change.
    No(String, Option<Duration>),
}

impl Ready {
    fn no(why: impl Into<String>) -> Self {
        Self::No(why.into(), None)
    }
}

/// Decides by what is known of the session at `now`. `settled` is the last time that its screen came to rest.
pub fn by_status(
    row: &SessionRow,
    agent: &Manifest,
    message: &MessageRow,
    settled: Option<Timestamp>,
    now: Timestamp,
) -> Ready {
    if row.intent.as_ref().is_some_and(Intent::ends) {
        return Ready::no("its session is being ended");
    }
    if row.hold.pause.is_some() && !row.status.is_ended() {
        return Ready::no("its session is paused");
    }
    if let Some(at) = retry::retries_at(row, now) {
        // Text that is typed now would wait unseen behind the next try.
        let why = format!("its agent retries the model at {}", limits::clock(at, now));
        return match message.mode == When::Now && !agent.interrupt.is_empty() {
            true => Ready::Interrupt,
            false => Ready::No(why, Some(limits::rest(at, now))),
        };
    }
    match row.status {
        Status::Queued => Ready::no("its session is queued"),
        Status::Spawning if message.is_task && row.is_up_at_start() => Ready::Yes,
        Status::Spawning => Ready::no("its agent is starting"),
        Status::SetupFailed => Ready::no("the set-up of its session failed"),
        Status::Paused => Ready::no("its session is paused"),
        Status::Exited | Status::Killed | Status::Errored => Ready::no("its session has ended"),
        Status::Waiting => match row.open_question() {
            Some(question) => Ready::no(format!(
                "a question is open: {}",
                row::first_words(&question.text)
            )),
            // The agent failed, or asked in prose: a message makes it continue.
            None => Ready::Yes,
        },
        Status::Running if message.mode == When::Now && !agent.interrupt.is_empty() => Ready::Interrupt,
        Status::Running => Ready::no("the agent is working"),
        Status::Idle => Ready::Yes,
        Status::Unknown => {
            let seen = row.observed.as_ref();
            let is_quiet = seen.is_some_and(|seen| seen.evidence.source == EvidenceSource::Output);
            let rests = settled.is_some_and(|at| at > row.status_since);
            match is_quiet || rests {
                true => Ready::Yes,
                false => Ready::no("its screen is still changing"),
            }
        }
    }
}

/// Returns how long an agent that reported that it is up still has to draw its prompt; zero if its time is
/// over, or if it accepted keys before.
pub fn to_draw(row: &SessionRow, now: Timestamp) -> Duration {
    let seen = row
        .observed
        .as_ref()
        .filter(|seen| seen.activity == Activity::Ready);
    let age = seen.and_then(|seen| Duration::try_from(now.duration_since(seen.since)).ok());
    age.map_or(Duration::ZERO, |age| UNTIL_KEYS.saturating_sub(age))
}

/// Decides by the screen: nothing is typed into a question, over a draft, or between a person's keys. `left`
/// are our texts that were typed and may not have been taken, with the next one to deliver last; `last` is
/// the prompt that the agent took last.
pub fn by_screen(
    agent: &Manifest,
    to_draw: Duration,
    shown: &Text,
    left: &[Arc<MessageRow>],
    last: Option<&str>,
) -> Ready {
    if !to_draw.is_zero() && agent.has_hooks() && !downbeat_agents::title_is_up(agent, &shown.title) {
        return Ready::No("its prompt is not on the screen yet".into(), Some(to_draw));
    }
    if shows_question(agent, shown) {
        return Ready::no("a question is on its screen");
    }
    let next = left.last().filter(|row| row.state == MessageState::Queued);
    if agent.clear.is_some() && next.is_some_and(|next| is_own(agent, shown, next, last)) {
        // An Enter that somebody just pressed sends the text, although the screen still shows it: the key would
        // interrupt that turn.
        return match hands_on(shown) {
            Some(rest) => Ready::No(TYPES.into(), Some(rest)),
            None => Ready::TakeOut,
        };
    }
    if drafts(agent, shown) {
        let in_prompt = downbeat_agents::prompt_text(agent, &shown.text).unwrap_or_default();
        let is_back = !downbeat_agents::stands_for_paste(agent, &in_prompt)
            && last.is_some_and(|last| downbeat_agents::prompt_holds(agent, &in_prompt, last));
        return Ready::no(match is_back {
            true => format!("{} put your interrupted prompt back into its prompt", agent.name),
            false => "its prompt contains a draft".to_owned(),
        });
    }
    if holds(agent, shown, left) {
        return Ready::no("its prompt contains a message that was not sent");
    }
    match hands_on(shown) {
        Some(rest) => Ready::No(TYPES.into(), Some(rest)),
        None => Ready::Yes,
    }
}

/// Returns how long to wait after a key that somebody pressed a moment ago.
pub fn hands_on(shown: &Text) -> Option<Duration> {
    let ago = Duration::from_millis(shown.typed?.ago);
    HANDS_OFF.checked_sub(ago).filter(|rest| !rest.is_zero())
}

/// Forgets the one key that answered a question: if no key followed, nothing of it is in the prompt.
pub(crate) fn forget_answer(shown: &mut Text, answered: Option<Timestamp>, now: Timestamp) {
    let Some(typed) = &mut shown.typed else { return };
    let pressed = now - Duration::from_millis(typed.ago);
    if typed.keys == 1 && answered.is_some_and(|answered| answered > pressed) {
        typed.stands = false;
    }
}

/// Reports whether somebody's text is in the prompt. Keys alone do not show it: some erase, and an agent
/// may give text back. If the screen shows the prompt, the prompt decides, once somebody typed.
pub fn drafts(agent: &Manifest, shown: &Text) -> bool {
    let Some(Typed { stands, .. }) = shown.typed else {
        return false;
    };
    let text = downbeat_agents::prompt_text(agent, &shown.text);
    text.map_or(stands, |text| !text.is_empty())
}

/// Reports whether one of these texts is in the prompt: text that is typed after it would be sent with it.
fn holds<'a>(agent: &Manifest, shown: &Text, texts: impl IntoIterator<Item = &'a Arc<MessageRow>>) -> bool {
    let in_prompt = downbeat_agents::prompt_text(agent, &shown.text).filter(|text| !text.is_empty());
    in_prompt.is_some_and(|in_prompt| {
        let mut texts = texts.into_iter();
        texts.any(|row| downbeat_agents::prompt_holds(agent, &in_prompt, &row.text))
    })
}

/// Reports whether the text of `next` is in the prompt, and no text that a person typed. A paste mark
/// counts as the text only if the agent took it `last`, or if it was typed before and no key followed.
pub fn is_own(agent: &Manifest, shown: &Text, next: &MessageRow, last: Option<&str>) -> bool {
    let is_typed = shown.typed.is_some_and(|typed| typed.stands);
    let in_prompt = downbeat_agents::prompt_text(agent, &shown.text).unwrap_or_default();
    let was_typed = next.changed_at > next.created_at;
    let is_known = || {
        !downbeat_agents::stands_for_paste(agent, &in_prompt)
            || (was_typed && shown.typed.is_none())
            || last.is_some_and(|last| downbeat_agents::is_same_prompt(&next.text, last))
    };
    !is_typed && downbeat_agents::prompt_holds(agent, &in_prompt, &next.text) && is_known()
}

/// Reports whether a screen shows a question. Text on the screen of an agent whose title says that it works
/// is not a question.
pub(crate) fn shows_question(agent: &Manifest, shown: &Text) -> bool {
    let works = downbeat_agents::title_works(agent, &shown.title) == Some(true);
    let question = downbeat_agents::screen_question(agent, &shown.text);
    !works && question.is_some_and(|shown| !shown.question.options.is_empty())
}

/// The time that an agent whose prompt is ready may take to list its tools. Three agents that start at once on
/// two busy cores may need more than 20 seconds, and a conductor cannot work without them.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Why a message waits until then.
pub const AWAITED: &str = "its agent has not loaded Downbeat's tools yet";

/// Returns how long a session's prompt still waits for the tools; `None` if it does not.
pub fn awaited(row: &SessionRow, now: Timestamp) -> Option<Duration> {
    let seen = row.observed.as_ref();
    let seen = seen.filter(|seen| seen.tools == Some(ToolsState::Awaited))?;
    let ready = Duration::try_from(now.duration_since(seen.since)).unwrap_or_default();
    Some(PATIENCE.saturating_sub(ready))
}

#[cfg(test)]
mod tests {
    use super::{Ready, TYPES, by_screen, drafts, forget_answer, is_own};
    use downbeat_agents::Manifest;
    use downbeat_keeper::{Text, Typed};
    use downbeat_model::{MessageState, SessionId, When};
    use downbeat_store::MessageRow;
    use jiff::Timestamp;
    use std::sync::Arc;
    use std::time::Duration;

    fn shown(text: &str, typed: Option<(bool, u64)>) -> Text {
        Text {
            text: text.into(),
            title: "✳ Claude Code".into(),
            typed: typed.map(|(stands, ago)| Typed { stands, ago, keys: 1 }),
            ..Text::default()
        }
    }

    fn claude() -> Manifest {
        let agents = downbeat_agents::Agents::new("/bin/sh", []);
        Manifest::clone(agents.get("claude").unwrap())
    }

    const RULE: &str = "──────";

    #[test]
    fn a_draft_is_text_in_a_prompt_that_somebody_touched() {
        let (empty, text) = (format!("{RULE}\n❯\n{RULE}"), format!("{RULE}\n❯ mine\n{RULE}"));
        let later = 60_000;
        for (screen, typed, is_draft) in [
            (&empty, None, false),
            (&text, None, false),
            (&text, Some((false, later)), true),
            (&text, Some((true, later)), true),
            (&empty, Some((true, later)), false),
        ] {
            let shown = shown(screen, typed);
            assert_eq!(drafts(&claude(), &shown), is_draft, "{shown:?}");
            assert_eq!(
                by_screen(&claude(), Duration::ZERO, &shown, &[], None) == Ready::Yes,
                !is_draft
            );
        }
        // If no rule marks the prompt, the keys decide.
        let plain = Manifest::default();
        assert!(drafts(&plain, &shown("$ mine", Some((true, later)))));
        assert!(!drafts(&plain, &shown("$ mine", Some((false, later)))));
    }

    fn message(text: &str, state: MessageState) -> Arc<MessageRow> {
        let now = Timestamp::now();
        Arc::new(MessageRow {
            id: 1,
            session_id: SessionId::random().unwrap(),
            place: 0,
            text: text.into(),
            sender: downbeat_model::Sender::Person,
            mode: When::WhenReady,
            state,
            is_task: false,
            detail: String::new(),
            sent_with: None,
            created_at: now,
            changed_at: now,
        })
    }

    #[test]
    fn a_text_in_the_prompt_is_reported_by_its_author() {
        let screen = format!("{RULE}\n❯ think about it\n{RULE}");
        let escaped = shown(&screen, Some((false, 60_000)));
        let untouched = shown(&screen, None);
        let typed = shown(&screen, Some((true, 60_000)));
        let next = message("think about it", MessageState::Queued);
        let other = message("another", MessageState::Queued);
        let gone = message("think about it", MessageState::Interrupted);
        let back = "Claude Code put your interrupted prompt back into its prompt";
        let draft = "its prompt contains a draft";
        let left = "its prompt contains a message that was not sent";
        for (shown, texts, last, wanted) in [
            (&escaped, vec![&next], None, None),
            (&untouched, vec![&next], None, None),
            (&typed, vec![&next], None, Some(draft)),
            (&escaped, vec![&other], Some("think about it"), Some(back)),
            (&escaped, vec![&other], Some("what was before"), Some(draft)),
            (&untouched, vec![&gone, &other], None, Some(left)),
        ] {
            let texts: Vec<_> = texts.into_iter().cloned().collect();
            let is = by_screen(&claude(), Duration::ZERO, shown, &texts, last);
            match wanted {
                None => assert_eq!(is, Ready::TakeOut, "{shown:?}"),
                Some(why) => assert_eq!(is, Ready::No(why.into(), None), "{shown:?}"),
            }
        }
    }

    /// The Enter may have sent the text, and the screen lags behind.
    #[test]
    fn a_text_is_not_taken_out_right_after_a_key() {
        let screen = format!("{RULE}\n❯ think about it\n{RULE}");
        let next = message("think about it", MessageState::Queued);
        for (ago, rest) in [(0, Some(1000)), (400, Some(600)), (1000, None)] {
            let pressed = shown(&screen, Some((false, ago)));
            let wanted = match rest {
                Some(rest) => Ready::No(TYPES.into(), Some(Duration::from_millis(rest))),
                None => Ready::TakeOut,
            };
            let is = by_screen(
                &claude(),
                Duration::ZERO,
                &pressed,
                std::slice::from_ref(&next),
                None,
            );
            assert_eq!(is, wanted, "{ago}");
        }
    }

    #[test]
    fn a_paste_is_taken_out_only_if_it_is_the_message_itself() {
        let screen = format!("{RULE}\n❯ [Pasted text #1 +9 lines]\n{RULE}");
        let (escaped, untouched) = (shown(&screen, Some((false, 60_000))), shown(&screen, None));
        let fresh = message("two\nlines", MessageState::Queued);
        let mut again = MessageRow::clone(&fresh);
        again.changed_at = fresh.created_at + Duration::from_secs(9);
        for (shown, next, last, is) in [
            (&escaped, &*fresh, None, false),
            (&escaped, &*fresh, Some("their paste"), false),
            (&untouched, &*fresh, Some("their paste"), false),
            (&escaped, &*fresh, Some("two\nlines"), true),
            (&untouched, &again, None, true),
            (&escaped, &again, None, false),
        ] {
            assert_eq!(is_own(&claude(), shown, next, last), is, "{shown:?} {last:?}");
        }
    }

    #[test]
    fn a_single_key_that_closed_a_question_is_not_a_draft() {
        let now = Timestamp::now();
        let ago = |seconds| Some(now - Duration::from_secs(seconds));
        let plain = Manifest::default();
        for (keys, answered, is_draft) in [
            (1, ago(3), false),
            (1, ago(9), true),
            (1, None, true),
            (2, ago(3), true),
        ] {
            let mut shown = shown("", Some((true, 5_000)));
            shown.typed.as_mut().unwrap().keys = keys;
            forget_answer(&mut shown, answered, now);
            assert_eq!(drafts(&plain, &shown), is_draft, "{keys} {answered:?}");
        }
    }

    #[test]
    fn a_message_waits_while_somebody_presses_keys() {
        let shown = shown("", Some((false, 400)));
        let Ready::No(why, Some(rest)) = by_screen(&claude(), Duration::ZERO, &shown, &[], None) else {
            panic!("typed between a person's keys");
        };
        assert!(
            why.contains("is typing") && rest <= Duration::from_millis(600),
            "{rest:?}"
        );
    }
}
