//! Tables of what a prompt shows of a typed message, what is done about it and what is recorded in the end.

use super::{
    AfterQuestion, ENDED, EXITED, Known, LATE, LEFT_PROMPT, Next, PRESSES, Prompt, SCREEN_CHANGED, SHOWN,
    UNREPORTED, Wait, after_question,
};
use downbeat_agents::Manifest;
use downbeat_keeper::{Text, Typed};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::{collection, prop_assert};
use std::time::Duration;

const RULE: &str = "──────";
const MESSAGE: &str = "think about it";

fn claude() -> Manifest {
    let agents = downbeat_agents::Agents::new("/bin/sh", []);
    Manifest::clone(agents.get("claude").unwrap())
}

/// Returns a screen whose prompt shows `prompt`, or no prompt; `typed` is the time since a person's last key.
fn screen(prompt: Option<&str>, typed: Option<u64>, seq: u64) -> Text {
    Text {
        text: prompt.map_or_else(String::new, |prompt| format!("{RULE}\n❯ {prompt}\n{RULE}")),
        seq,
        typed: typed.map(|ago| Typed {
            stands: true,
            ago,
            keys: 1,
        }),
        ..Text::default()
    }
}

fn known(has_hooks: bool, works: bool) -> Known {
    Known {
        is_typing: true,
        has_hooks,
        works,
        ..Known::default()
    }
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn a_prompt_is_read_by_what_it_shows_of_the_message() {
    for (shown, wanted) in [
        (screen(Some(MESSAGE), None, 0), Prompt::Holds),
        (screen(Some(MESSAGE), Some(60_000), 0), Prompt::HoldsAmongKeys),
        (screen(Some(""), None, 0), Prompt::Empty),
        (screen(Some("another"), None, 0), Prompt::Empty),
        (screen(None, None, 7), Prompt::Hidden { moved: false }),
        (screen(None, None, 8), Prompt::Hidden { moved: true }),
    ] {
        assert_eq!(Prompt::read(&claude(), MESSAGE, 7, &shown), wanted, "{shown:?}");
    }
}

#[test]
fn what_hooks_and_processes_report_comes_before_the_screen() {
    let typing = known(true, false);
    let over = |ended_well| Known {
        is_over: true,
        ended_well,
        ..typing
    };
    for (known, now, wanted) in [
        (Known::default(), 0, Next::End(UNREPORTED)),
        (over(false), 0, Next::End(ENDED)),
        (over(true), 0, Next::End(EXITED)),
        (typing, 5, Next::Wait),
        (typing, 6, Next::Look),
        (known(false, false), 0, Next::Look),
    ] {
        assert_eq!(
            Wait::new().before_look(&known, seconds(now)),
            wanted,
            "{known:?} {now}"
        );
    }
}

#[test]
fn an_agent_without_hooks_is_judged_by_its_screen() {
    let hidden = |moved| Prompt::Hidden { moved };
    for (prompt, now, wanted) in [
        (Prompt::Empty, 0, Next::End(LEFT_PROMPT)),
        (hidden(true), 0, Next::End(SCREEN_CHANGED)),
        (hidden(false), 5, Next::Wait),
        (hidden(false), 6, Next::End(UNREPORTED)),
        (Prompt::Holds, 5, Next::Wait),
        (Prompt::Holds, 6, Next::Press),
        (Prompt::Unseen, 6, Next::Wait),
        (Prompt::Unseen, 30, Next::End(UNREPORTED)),
    ] {
        let next = Wait::new().after_look(&known(false, true), prompt, seconds(now));
        assert_eq!(next, wanted, "{prompt:?} {now}");
    }
}

#[test]
fn an_agent_with_hooks_has_time_to_report_what_it_took() {
    for prompt in [
        Prompt::Empty,
        Prompt::HoldsAmongKeys,
        Prompt::Hidden { moved: true },
        Prompt::Hidden { moved: false },
    ] {
        let idle = known(true, false);
        let mut wait = Wait::new();
        assert_eq!(wait.after_look(&idle, prompt, SHOWN), Next::Wait, "{prompt:?}");
        assert_eq!(wait.rest(SHOWN), LATE.checked_sub(SHOWN).unwrap());
        assert_eq!(wait.after_look(&idle, prompt, LATE), Next::End(UNREPORTED));
        // A turn under way takes the message when it allows; the time counts from its end.
        let mut wait = Wait::new();
        for now in [6, 40, 90] {
            assert_eq!(
                wait.after_look(&known(true, true), prompt, seconds(now)),
                Next::Wait
            );
            assert_eq!(wait.rest(seconds(now)), LATE);
        }
        assert_eq!(wait.after_look(&idle, prompt, seconds(119)), Next::Wait);
        assert_eq!(
            wait.after_look(&idle, prompt, seconds(120)),
            Next::End(UNREPORTED)
        );
    }
}

#[test]
fn a_lost_enter_is_pressed_again_and_the_text_taken_out_in_the_end() {
    let idle = known(true, false);
    let (mut wait, mut now) = (Wait::new(), Duration::ZERO);
    for _ in 1..PRESSES {
        now += SHOWN;
        assert_eq!(wait.after_look(&idle, Prompt::Holds, now), Next::Press);
        wait.tried(true, now);
        assert_eq!(wait.rest(now), SHOWN);
    }
    now += SHOWN;
    assert_eq!(wait.after_look(&idle, Prompt::Holds, now), Next::TakeOut);
    // An Enter that a question or a person held back is tried again and does not count.
    let mut wait = Wait::new();
    for try_ in 1..10 {
        let now = SHOWN * try_;
        assert_eq!(wait.after_look(&idle, Prompt::Holds, now), Next::Press);
        wait.tried(false, now);
    }
}

#[test]
fn a_keeper_that_does_not_answer_is_asked_again_until_it_is_late() {
    let mut wait = Wait::new();
    for now in [6, 12, 18, 24] {
        assert_eq!(
            wait.after_look(&known(true, false), Prompt::Unseen, seconds(now)),
            Next::Wait
        );
        assert_eq!(wait.rest(seconds(now)), SHOWN, "{now}");
    }
    let next = wait.after_look(&known(true, false), Prompt::Unseen, LATE);
    assert_eq!(next, Next::End(UNREPORTED));
}

#[test]
fn after_a_question_the_text_is_sent_only_if_it_stands_in_the_prompt() {
    for (prompt, typed, waited, wanted) in [
        (Some(MESSAGE), None, false, AfterQuestion::Press),
        (Some(MESSAGE), Some(60_000), true, AfterQuestion::Press),
        (Some(MESSAGE), Some(10), true, AfterQuestion::Wait),
        (Some(""), Some(10), true, AfterQuestion::Wait),
        (Some(""), None, false, AfterQuestion::Again),
        (Some("another"), None, false, AfterQuestion::Again),
        (Some("a draft"), Some(60_000), true, AfterQuestion::Swallowed),
        (None, None, false, AfterQuestion::Wait),
        (None, None, true, AfterQuestion::Swallowed),
    ] {
        let shown = screen(prompt, typed, 1);
        assert_eq!(
            after_question(&claude(), MESSAGE, &shown, waited),
            wanted,
            "{prompt:?} {typed:?} {waited}"
        );
    }
}

fn a_prompt() -> impl Strategy<Value = Prompt> {
    prop_oneof![
        Just(Prompt::Unseen),
        Just(Prompt::Holds),
        Just(Prompt::HoldsAmongKeys),
        Just(Prompt::Empty),
        any::<bool>().prop_map(|moved| Prompt::Hidden { moved }),
    ]
}

proptest! {
    /// Whatever an idle agent's screen shows, a wait ends; Enter is never pressed more than the maximum, and
    /// always a while after the last one.
    #[test]
    fn every_wait_of_an_idle_agent_ends(
        has_hooks in any::<bool>(),
        prompts in collection::vec(a_prompt(), 60),
    ) {
        let idle = known(has_hooks, false);
        let (mut wait, mut now, mut presses) = (Wait::new(), Duration::ZERO, 1);
        let mut ended = false;
        for prompt in prompts {
            now += wait.rest(now).max(seconds(1));
            match wait.after_look(&idle, prompt, now) {
                Next::End(_) | Next::TakeOut => {
                    ended = true;
                    break;
                }
                Next::Press => {
                    presses += 1;
                    wait.tried(true, now);
                }
                Next::Wait | Next::Look => {}
            }
            prop_assert!(presses <= PRESSES);
        }
        prop_assert!(ended, "it still waits after {now:?}");
    }
}
