//! Whether an agent can take a message now, and why not. By what is known of the session first,
//! then by its screen; words that people read in the queue.

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

/// How long nobody may have pressed a key: whoever types is not interrupted, and what a key did is
/// known by then.
const HANDS_OFF: Duration = Duration::from_secs(1);

/// How long an agent that says that it is up may take until its prompt takes keys. Its hook fires a
/// moment before, and an Enter in between is lost; its title shows when it is there.
const UP: Duration = Duration::from_secs(10);

/// What can be done with a message now.
#[derive(Debug, PartialEq, Eq)]
pub enum Ready {
    /// It can be typed.
    Yes,
    /// The turn has to be interrupted first.
    Interrupt,
    /// Its own text stands in the prompt, and nobody typed there: it has to be taken out first.
    TakeOut,
    /// It waits, and why; to be looked at again after this long, else at the next change.
    No(String, Option<Duration>),
}

impl Ready {
    fn no(why: impl Into<String>) -> Self {
        Self::No(format!("waits: {}", why.into()), None)
    }
}

/// By what is known of the session at `now`. `settled` is when its screen came to rest last.
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
        // What is typed now would stand behind the next try, unseen.
        let why = format!(
            "waits: its agent asks its model again at {}",
            limits::clock(at, now)
        );
        return match message.mode == When::Now && !agent.interrupt.is_empty() {
            true => Ready::Interrupt,
            false => Ready::No(why, Some(limits::rest(at, now))),
        };
    }
    match row.status {
        Status::Queued => Ready::no("its session waits until it may start"),
        Status::Spawning if message.is_task && row.is_up_at_start() => Ready::Yes,
        Status::Spawning => Ready::no("its agent starts"),
        Status::SetupFailed => Ready::no("the set-up of its session failed"),
        Status::Paused => Ready::no("its session is paused"),
        Status::Exited | Status::Killed | Status::Errored => Ready::no("its session is over"),
        Status::Waiting => match row.open_question() {
            Some(question) => Ready::no(format!(
                "a question is open: {}",
                row::first_words(&question.text)
            )),
            // It could not go on when it last tried, or asked in prose: a message is how it goes on.
            None => Ready::Yes,
        },
        Status::Running if message.mode == When::Now && !agent.interrupt.is_empty() => Ready::Interrupt,
        Status::Running => Ready::no("the agent works"),
        Status::Idle => Ready::Yes,
        Status::Unknown => {
            let seen = row.observed.as_ref();
            let is_quiet = seen.is_some_and(|seen| seen.evidence.source == EvidenceSource::Output);
            let rests = settled.is_some_and(|at| at > row.status_since);
            match is_quiet || rests {
                true => Ready::Yes,
                false => Ready::no("its screen has not come to rest yet"),
            }
        }
    }
}

/// How long an agent that says that it is up still has to draw its prompt; zero where it had its
/// time, or took keys before.
pub fn to_draw(row: &SessionRow, now: Timestamp) -> Duration {
    let seen = row
        .observed
        .as_ref()
        .filter(|seen| seen.activity == Activity::Ready);
    let age = seen.and_then(|seen| Duration::try_from(now.duration_since(seen.since)).ok());
    age.map_or(Duration::ZERO, |age| UP.saturating_sub(age))
}

/// By the screen: nothing is typed into a question, over a draft, or between a person's keys.
/// `left` are texts of ours that were typed and are not known to be taken, the next to be delivered
/// last; `last` is the prompt that the agent took last.
pub fn by_screen(
    agent: &Manifest,
    to_draw: Duration,
    shown: &Text,
    left: &[Arc<MessageRow>],
    last: Option<&str>,
) -> Ready {
    if !to_draw.is_zero() && agent.has_hooks() && !downbeat_agents::title_is_up(agent, &shown.title) {
        return Ready::No("waits: its prompt is not drawn yet".into(), Some(to_draw));
    }
    if shows_question(agent, shown) {
        return Ready::no("a question is on its screen");
    }
    let next = left.last().filter(|row| row.state == MessageState::Queued);
    if agent.clear.is_some() && next.is_some_and(|next| is_own(agent, shown, next, last)) {
        return Ready::TakeOut;
    }
    if drafts(agent, shown) {
        let stands = downbeat_agents::prompt_text(agent, &shown.text).unwrap_or_default();
        let is_back = !downbeat_agents::stands_for_paste(agent, &stands)
            && last.is_some_and(|last| downbeat_agents::prompt_holds(agent, &stands, last));
        return Ready::no(match is_back {
            true => format!("{} put your interrupted prompt back into its box", agent.name),
            false => "a draft stands in its prompt".to_owned(),
        });
    }
    if holds(agent, shown, left) {
        return Ready::no("a message that was not sent stands in its prompt");
    }
    match hands_on(shown) {
        Some(rest) => Ready::No("waits: somebody presses keys in its terminal".into(), Some(rest)),
        None => Ready::Yes,
    }
}

/// How long to wait yet, where somebody pressed a key a moment ago.
pub fn hands_on(shown: &Text) -> Option<Duration> {
    let ago = Duration::from_millis(shown.typed?.ago);
    HANDS_OFF.checked_sub(ago).filter(|rest| !rest.is_zero())
}

/// A question closed after one key was pressed, and none since: that key was its answer, and stands in
/// no prompt.
pub(crate) fn forget_answer(shown: &mut Text, answered: Option<Timestamp>, now: Timestamp) {
    let Some(typed) = &mut shown.typed else { return };
    let pressed = now - Duration::from_millis(typed.ago);
    if typed.keys == 1 && answered.is_some_and(|answered| answered > pressed) {
        typed.stands = false;
    }
}

/// Whether somebody's text stands in the prompt. Keys alone do not tell: some erase, and an agent
/// may give text back. Where the screen shows the prompt, it decides for whoever touched it.
pub fn drafts(agent: &Manifest, shown: &Text) -> bool {
    let Some(Typed { stands, .. }) = shown.typed else {
        return false;
    };
    let text = downbeat_agents::prompt_text(agent, &shown.text);
    text.map_or(stands, |text| !text.is_empty())
}

/// Whether one of these texts stands in the prompt: what is typed behind it would be sent with it.
fn holds<'a>(agent: &Manifest, shown: &Text, texts: impl IntoIterator<Item = &'a Arc<MessageRow>>) -> bool {
    let stands = downbeat_agents::prompt_text(agent, &shown.text).filter(|text| !text.is_empty());
    stands.is_some_and(|stands| {
        let mut texts = texts.into_iter();
        texts.any(|row| downbeat_agents::prompt_holds(agent, &stands, &row.text))
    })
}

/// Whether the text of `next` stands in the prompt, and no text that a person typed. A mark is known to
/// stand for it where the agent took it `last`, or where it was typed before and no key came since.
pub fn is_own(agent: &Manifest, shown: &Text, next: &MessageRow, last: Option<&str>) -> bool {
    let is_typed = shown.typed.is_some_and(|typed| typed.stands);
    let stands = downbeat_agents::prompt_text(agent, &shown.text).unwrap_or_default();
    let was_typed = next.changed_at > next.created_at;
    let is_known = || {
        !downbeat_agents::stands_for_paste(agent, &stands)
            || (was_typed && shown.typed.is_none())
            || last.is_some_and(|last| downbeat_agents::is_same_prompt(&next.text, last))
    };
    !is_typed && downbeat_agents::prompt_holds(agent, &stands, &next.text) && is_known()
}

/// Whether a screen shows a question. Text on the screen of an agent whose title says that it works
/// is none.
pub(crate) fn shows_question(agent: &Manifest, shown: &Text) -> bool {
    let works = downbeat_agents::title_works(agent, &shown.title) == Some(true);
    let question = downbeat_agents::screen_question(agent, &shown.text);
    !works && question.is_some_and(|shown| !shown.question.options.is_empty())
}

/// How long an agent whose prompt is ready may take until it lists its tools.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Why a message waits meanwhile.
pub const AWAITED: &str = "waits: its agent has not loaded Downbeat's tools yet";

/// How long the prompt of a session still waits for its tools; `None` where it does not.
pub fn awaited(row: &SessionRow, now: Timestamp) -> Option<Duration> {
    let seen = row.observed.as_ref();
    let seen = seen.filter(|seen| seen.tools == Some(ToolsState::Awaited))?;
    let ready = Duration::try_from(now.duration_since(seen.since)).unwrap_or_default();
    Some(PATIENCE.saturating_sub(ready))
}

#[cfg(test)]
mod tests {
    use super::{Ready, by_screen, drafts, forget_answer, is_own};
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
    fn a_draft_is_what_stands_in_a_prompt_that_somebody_touched() {
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
        // Where no rule tells where the prompt is, the keys tell.
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
            created_at: now,
            changed_at: now,
        })
    }

    #[test]
    fn what_stands_in_a_prompt_is_told_by_whose_it_is() {
        let screen = format!("{RULE}\n❯ think about it\n{RULE}");
        let escaped = shown(&screen, Some((false, 60_000)));
        let untouched = shown(&screen, None);
        let typed = shown(&screen, Some((true, 60_000)));
        let next = message("think about it", MessageState::Queued);
        let other = message("another", MessageState::Queued);
        let gone = message("think about it", MessageState::Interrupted);
        let back = "waits: Claude Code put your interrupted prompt back into its box";
        let draft = "waits: a draft stands in its prompt";
        let left = "waits: a message that was not sent stands in its prompt";
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

    #[test]
    fn a_paste_is_taken_out_only_where_it_is_the_message_itself() {
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
    fn one_key_that_closed_a_question_is_no_draft() {
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
    fn hands_on_the_keys_are_waited_for() {
        let shown = shown("", Some((false, 400)));
        let Ready::No(why, Some(rest)) = by_screen(&claude(), Duration::ZERO, &shown, &[], None) else {
            panic!("typed between a person's keys");
        };
        assert!(
            why.contains("presses keys") && rest <= Duration::from_millis(600),
            "{rest:?}"
        );
    }
}
