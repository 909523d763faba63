//! Combines the title and the screen of an agent that has no hooks, and decides when to look and what to
//! believe. An agent draws in pieces and a look may fall between two of them, so a state counts once two
//! looks in a row show it. Pure: the time is passed in.

use crate::manifest::Manifest;
use crate::terminal::screen::{Shown, screen_question, screen_works};
use crate::terminal::title::title_works;
use std::time::{Duration, Instant};

/// The time between two looks while something is drawn.
const PACE: Duration = Duration::from_millis(200);

/// The delay before the first look after a pause, and before a look that confirms another.
const SOON: Duration = Duration::from_millis(100);

/// The delay before a look after the title has changed its meaning: the screen may follow it.
const TURNED: Duration = Duration::from_millis(20);

/// Looks continue for this long after the last report of output: a keeper reports at most once a second.
const TAIL: Duration = Duration::from_millis(1200);

/// The time after which a question counts although the title says that the agent is working: some agents
/// keep drawing their spinner while they wait. A question that an agent merely prints while it works is gone
/// sooner.
const STANDS: Duration = Duration::from_secs(2);

/// The sign that shows whether an agent is working or idle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The title.
    Title,
    /// The mark on the screen.
    Screen(String),
}

/// The state of an agent, according to its title and screen alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalState {
    /// The agent asks a question.
    Asks(Box<Shown>),
    /// The screen shows a question while the title says that the agent is working.
    Doubtful(Box<Shown>),
    /// The agent is working.
    Works(By),
    /// The agent is idle.
    Rests(By),
    /// No rule matches.
    Nothing,
}

impl TerminalState {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Asks(one), Self::Asks(other)) | (Self::Doubtful(one), Self::Doubtful(other)) => {
                one.question == other.question
            }
            (Self::Works(_), Self::Works(_)) | (Self::Rests(_), Self::Rests(_)) => true,
            (one, other) => one == other,
        }
    }
}

/// Reads the state of an agent off its title and screen.
#[must_use]
pub fn terminal_state(agent: &Manifest, title: &str, screen: &str) -> TerminalState {
    let by = |works: bool, by: By| match works {
        true => TerminalState::Works(by),
        false => TerminalState::Rests(by),
    };
    match (title_works(agent, title), screen_question(agent, screen)) {
        (Some(true), Some(shown)) => TerminalState::Doubtful(Box::new(shown)),
        (_, Some(shown)) => TerminalState::Asks(Box::new(shown)),
        (Some(works), None) => by(works, By::Title),
        (None, None) => match screen_works(agent, screen) {
            Some((works, mark)) => by(works, By::Screen(mark.trim_start_matches('^').to_owned())),
            None => TerminalState::Nothing,
        },
    }
}

/// The schedule of looks at one agent, and what the last looks showed.
#[derive(Debug, Default)]
pub struct Looks {
    due: Option<Instant>,
    until: Option<Instant>,
    before: Option<TerminalState>,
    /// The time since when the screen has shown a question while the title says that the agent is working.
    doubted: Option<Instant>,
    /// The usage limit that was on the screen at the last look.
    limit: Option<String>,
    /// Set once a look has searched for a limit.
    knows: bool,
}

impl Looks {
    /// Notes that the agent drew something, or may have drawn something.
    pub fn drawn(&mut self, now: Instant) {
        self.until = Some(now + TAIL);
        self.due.get_or_insert(now + SOON);
    }

    /// Notes that the title has changed.
    pub fn turned(&mut self, now: Instant) {
        self.drawn(now);
        let soon = now + TURNED;
        self.due = self.due.map(|due| due.min(soon));
    }

    /// Returns when the next look is due; `None` while nothing is drawn.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Takes the state that a look showed and returns the state to believe, or `None` if it is too early to
    /// say.
    pub fn looked(&mut self, told: TerminalState, now: Instant) -> Option<TerminalState> {
        let again = self.before.as_ref().is_some_and(|before| before.is_same(&told));
        let goes_on = !again || self.until.is_some_and(|until| now < until);
        self.due = goes_on.then_some(now + if again { PACE } else { SOON });
        self.before = Some(told.clone());
        let believed = match told {
            TerminalState::Doubtful(shown) => {
                let since = self.doubted.filter(|_| again).unwrap_or(now);
                self.doubted = Some(since);
                if now >= since + STANDS {
                    TerminalState::Asks(shown)
                } else {
                    self.due.get_or_insert(now + PACE);
                    TerminalState::Works(By::Title)
                }
            }
            told => {
                self.doubted = None;
                told
            }
        };
        again.then_some(believed)
    }

    /// Takes the usage limit that is on the screen, and returns whether it is new. A limit that is left over
    /// from a turn that ended long ago is not. Neither is the one that the first look finds if the agent was
    /// already idle (`rested`): another engine looked then.
    pub fn limited(&mut self, text: Option<&str>, rested: bool) -> bool {
        let left_over = !std::mem::replace(&mut self.knows, true) && rested;
        let is_news = text.is_some() && self.limit.as_deref() != text && !left_over;
        self.limit = text.map(str::to_owned);
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::read_manifest;
    use std::path::Path;

    const MANIFEST: &str = "
command: [x]
title: { works: ['⠁-⣿'], rests: ['='] }
screen: { lines: 2, works: [esc to stop], rests: ['^>'] }
questions:
  - kind: permission
    marks: ['May I ']
";

    fn tells(title: &str, screen: &str) -> TerminalState {
        let agent = read_manifest("x", Path::new("x.yaml"), MANIFEST).unwrap();
        terminal_state(&agent, title, screen)
    }

    #[test]
    fn a_limit_is_news_once_while_its_words_stay_on_the_screen() {
        let mut looks = Looks::default();
        let seen = [
            Some("at 3pm"),
            Some("at 3pm"),
            None,
            Some("at 3pm"),
            Some("at 9pm"),
            None,
        ];
        let news: Vec<_> = seen.into_iter().map(|text| looks.limited(text, false)).collect();
        assert_eq!(news, [true, false, false, true, true, false]);
        // Another engine that starts later finds the limit next to an idle agent.
        let mut looks = Looks::default();
        let seen = [Some("at 3pm"), Some("at 3pm"), None, Some("at 3pm")];
        let news = seen.map(|text| looks.limited(text, true));
        assert_eq!(news, [false, false, false, true]);
    }

    fn short(told: Option<&TerminalState>) -> &'static str {
        match told {
            None => "too early",
            Some(TerminalState::Asks(_)) => "asks",
            Some(TerminalState::Doubtful(_)) => "doubtful",
            Some(TerminalState::Works(_)) => "works",
            Some(TerminalState::Rests(_)) => "rests",
            Some(TerminalState::Nothing) => "nothing",
        }
    }

    #[test]
    fn the_title_comes_before_the_lowest_lines() {
        for (title, screen, wanted) in [
            ("⠙ x", "> ", "works"),
            ("= x", "esc to stop", "rests"),
            ("", "thinking · esc to stop\n\nfoot", "works"),
            ("", "esc to stop\n1\n2\n", "nothing"),
            ("", "text\n> ", "rests"),
            ("", "text > ", "nothing"),
            ("", "May I go?\n ❯ Yes\n   No", "asks"),
            ("⠙ x", "May I go?\n ❯ Yes\n   No", "doubtful"),
        ] {
            assert_eq!(short(Some(&tells(title, screen))), wanted, "{title:?} {screen:?}");
        }
    }

    /// Returns what is believed about a screen at each look from `from` ms on, for `long` ms.
    fn run(
        looks: &mut Looks,
        start: Instant,
        from: u64,
        long: u64,
        told: &TerminalState,
    ) -> Vec<(u64, &'static str)> {
        let mut out = Vec::new();
        let ms = |ms: u64| start + Duration::from_millis(ms);
        looks.drawn(ms(from));
        while let Some(due) = looks.due().filter(|due| *due < ms(from + long)) {
            let at = u64::try_from((due - start).as_millis()).unwrap();
            let believed = looks.looked(told.clone(), due);
            out.push((at, short(believed.as_ref())));
        }
        out.dedup_by_key(|(_, word)| *word);
        out
    }

    #[test]
    fn a_state_counts_after_two_equal_looks_and_looking_ends() {
        let (mut looks, start) = (Looks::default(), Instant::now());
        let works = tells("⠙ x", "");
        let seen = run(&mut looks, start, 0, 300, &works);
        assert_eq!(seen, [(100, "too early"), (200, "works")]);
        // A single look in the middle of a redraw changes nothing.
        let seen = run(&mut looks, start, 300, 150, &tells("", ""));
        assert_eq!(seen, [(400, "too early")]);
        let seen = run(&mut looks, start, 450, 5000, &works);
        assert_eq!(seen, [(500, "too early"), (600, "works")]);
        assert_eq!(looks.due(), None, "nothing is looked at where nothing is drawn");
        looks.turned(start);
        assert_eq!(looks.due(), Some(start + TURNED));
    }

    #[test]
    fn a_question_that_stays_counts_although_the_title_says_working() {
        let (mut looks, start) = (Looks::default(), Instant::now());
        let doubtful = tells("⠙ x", "May I go?\n ❯ Yes\n   No");
        let seen = run(&mut looks, start, 0, 4000, &doubtful);
        assert_eq!(seen, [(100, "too early"), (200, "works"), (2200, "asks")]);
        // A question that disappears soon does not count.
        let (mut looks, works) = (Looks::default(), tells("⠙ x", ""));
        run(&mut looks, start, 0, 1500, &doubtful);
        assert_eq!(
            run(&mut looks, start, 1500, 4000, &works).last().unwrap().1,
            "works"
        );
        assert_eq!(looks.doubted, None);
    }
}
