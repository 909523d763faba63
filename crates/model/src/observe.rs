//! Folds facts into what is known of a live session. Pure: the same facts give the same answer.
//!
//! Facts come in the order in which their keeper wrote them down or saw them, and count in that
//! order: the clock that stamped them may have been set back meanwhile.
//!
//! The rule of evidence: hooks open states; a newer title, keystroke or screen may *close* a
//! question, since an agent fires no hook when a person presses Esc; where an agent has hooks,
//! output alone never opens or closes anything.
//!
//! Several questions may be open, since an agent and its sub-agents work side by side; the agent
//! shows the oldest. A hook closes only what is its own: the end of the call that was asked about,
//! or of the agent or sub-agent that asked. A rest of the whole agent closes all, and so does a
//! screen that shows no question after a key.
//!
//! A question in prose is what a finished turn left behind. The next turn closes it, and nothing
//! that merely repeats that the agent rests.

use crate::fact::{About, Fact, FactKind};
use crate::status::{Activity, Evidence, EvidenceSource, Question, QuestionKind, Status};
use crate::tasks::Tasks;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The most questions that are kept. Nobody runs more sub-agents at once; a question beyond shows
/// when it is asked again, or stays on the agent's own screen.
const MAX_OPEN: usize = 32;

/// Between two facts of which the clock says that they came the other way round.
const TICK: SignedDuration = SignedDuration::from_micros(1);

/// What is known of a live session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// What it does.
    pub activity: Activity,
    /// Why we say so.
    pub evidence: Evidence,
    /// Since when the activity is what it is.
    pub since: Timestamp,
    /// The open questions, oldest first; empty unless `activity` is waiting.
    #[serde(default)]
    pub open: Vec<OpenQuestion>,
    /// A question that it left for its conductor and that opens when its turn ends.
    #[serde(default)]
    pub left: Option<OpenQuestion>,
    /// Whether a hook of this agent was ever heard: from then on, output says nothing.
    pub has_hooks: bool,
    /// What it says that it is at.
    #[serde(default)]
    pub tasks: Tasks,
}

/// A question, with what may close it and why we say that it is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    /// The question.
    pub question: Question,
    /// Whose it is.
    pub about: About,
    /// What opened it.
    pub evidence: Evidence,
}

impl OpenQuestion {
    /// Whether it was asked in prose, at the end of a turn.
    #[must_use]
    pub fn is_prose(&self) -> bool {
        self.question.kind == QuestionKind::Asks
    }
}

impl Observed {
    /// A session whose process was started at `at` and of which nothing is known yet.
    pub fn started(at: Timestamp) -> Self {
        let evidence = Evidence {
            source: EvidenceSource::Process,
            detail: "process started".into(),
            at,
        };
        Self {
            activity: Activity::Unknown,
            evidence,
            since: at,
            open: Vec::new(),
            left: None,
            has_hooks: false,
            tasks: Tasks::default(),
        }
    }

    /// The question that the agent shows.
    #[must_use]
    pub fn question(&self) -> Option<&Question> {
        self.open.first().map(|open| &open.question)
    }

    /// Whether the agent ended its turn with a question in prose that is still open.
    #[must_use]
    pub fn is_prose(&self) -> bool {
        self.open.first().is_some_and(OpenQuestion::is_prose)
    }

    /// The time of something that came after all that is known, as the clock tells it or, where
    /// that was set back, as late as the last that is known.
    #[must_use]
    pub fn not_before(&self, at: Timestamp) -> Timestamp {
        at.max(self.evidence.at).max(self.since)
    }

    /// What is known after `fact`, which came after all that is known.
    #[must_use]
    pub fn after(mut self, fact: &Fact) -> Self {
        let last = self.not_before(Timestamp::MIN);
        if fact.at < last {
            // Later than the last one, so that what came in between is told apart.
            let at = last.checked_add(TICK).unwrap_or(last);
            return self.after(&Fact { at, ..fact.clone() });
        }
        self.has_hooks |= fact.source == EvidenceSource::Hook;
        if self.tasks.take(&fact.kind) {
            return self;
        }
        if let FactKind::Offered(options) = &fact.kind {
            if let Some(shown) = self
                .open
                .first_mut()
                .filter(|shown| shown.question.options.is_empty() && !shown.is_prose())
            {
                shown.question.options.clone_from(options);
            }
            return self;
        }
        let left = self.left.take();
        if let FactKind::Left(question) = &fact.kind {
            let open = OpenQuestion {
                question: question.clone(),
                about: About::default(),
                evidence: evidence_of(fact),
            };
            return match self.activity.status() {
                Status::Idle => self.opened(open, fact.at),
                _ => Self {
                    left: Some(open),
                    ..self
                },
            };
        }
        let Some(next) = self.next(fact) else {
            return Self { left, ..self };
        };
        if let (Activity::Idle | Activity::WaitingInput, Some(left), false) = (next, &left, is_dialog(fact)) {
            return self.opened(left.clone(), fact.at);
        }
        // Only a new turn, or the end of the conversation, answers what was left.
        if !matches!(
            fact.kind,
            FactKind::TurnStarted | FactKind::Ready(_) | FactKind::ConversationEnded
        ) {
            self.left = left;
        }
        self.open = self.open_after(fact);
        let (next, evidence) = match self.open.first() {
            Some(shown) => (Activity::WaitingInput, shown.evidence.clone()),
            None => (next, evidence_of(fact)),
        };
        if next != self.activity {
            self.since = fact.at;
        }
        self.activity = next;
        self.evidence = evidence;
        self
    }

    /// At rest, with one question left behind.
    fn opened(mut self, question: OpenQuestion, at: Timestamp) -> Self {
        if self.activity != Activity::WaitingInput {
            self.since = at;
        }
        self.activity = Activity::WaitingInput;
        self.evidence = question.evidence.clone();
        self.open = vec![question];
        self
    }

    /// The questions that are open after `fact`.
    fn open_after(&self, fact: &Fact) -> Vec<OpenQuestion> {
        let others = |closes: &dyn Fn(&About) -> bool| -> Vec<OpenQuestion> {
            let open = self.open.iter().filter(|open| !closes(&open.about));
            open.cloned().collect()
        };
        match &fact.kind {
            FactKind::Asked(question) => {
                // The same asked again is one question. One in prose comes with the end of a turn,
                // and one in prose before it was not waited for.
                let mut open = match question.kind {
                    QuestionKind::Asks => Vec::new(),
                    _ => others(&|about| *about == fact.about),
                };
                open.retain(|open| !open.is_prose());
                if open.len() < MAX_OPEN {
                    open.push(OpenQuestion {
                        question: question.clone(),
                        about: fact.about.clone(),
                        evidence: evidence_of(fact),
                    });
                }
                open
            }
            FactKind::TurnStarted | FactKind::Working => {
                let mut open = others(&|about| fact.about.ends(about));
                open.retain(|open| !open.is_prose());
                open
            }
            FactKind::SubAgent => others(&|about| fact.about.ends(about)),
            FactKind::TurnEnded if self.is_prose() && !fact.about.ended => self.open.clone(),
            FactKind::QuestionClosed if fact.source == EvidenceSource::Hook => {
                others(&|about| fact.about.ends(about))
            }
            FactKind::Conversation(_)
            | FactKind::Left(_)
            | FactKind::Offered(_)
            | FactKind::Output
            | FactKind::Quiet
            | FactKind::Plan(_)
            | FactKind::Task(_)
            | FactKind::Topic(_) => self.open.clone(),
            FactKind::QuestionClosed
            | FactKind::Cleared
            | FactKind::Ready(_)
            | FactKind::TurnEnded
            | FactKind::Blocked(_)
            | FactKind::ConversationEnded => Vec::new(),
        }
    }

    /// The activity that `fact` gives, or `None` where it gives none.
    fn next(&self, fact: &Fact) -> Option<Activity> {
        let weak = self.has_hooks && fact.source == EvidenceSource::Output;
        match &fact.kind {
            _ if weak => None,
<<<<<<< HEAD
            FactKind::Conversation(_) | FactKind::Offered(_) => None,
            FactKind::Plan(_) | FactKind::Task(_) | FactKind::Topic(_) => None,
            FactKind::Cleared => Some(Activity::Unknown),
=======
            FactKind::Conversation(_) | FactKind::Offered(_) | FactKind::Left(_) => None,
            FactKind::Ready(_) => Some(Activity::Ready),
            FactKind::TurnStarted | FactKind::Working => Some(Activity::Active),
            // A background sub-agent may end after its parent's turn: that opens nothing new.
            FactKind::SubAgent if self.activity == Activity::Idle => None,
            FactKind::SubAgent => Some(Activity::Active),
            FactKind::Asked(_) => Some(Activity::WaitingInput),
            FactKind::QuestionClosed if self.activity == Activity::WaitingInput => Some(Activity::Active),
            FactKind::QuestionClosed => None,
            FactKind::TurnEnded => Some(Activity::Idle),
            FactKind::Blocked(_) => Some(Activity::Blocked),
            FactKind::ConversationEnded => Some(Activity::Unknown),
            FactKind::Output if self.activity == Activity::WaitingInput => None,
            FactKind::Output => Some(Activity::Active),
            FactKind::Quiet if self.activity == Activity::WaitingInput => None,
            FactKind::Quiet => Some(Activity::Unknown),
        }
    }
}

/// Whether a fact is a dialog on the agent's screen, in the middle of its turn.
fn is_dialog(fact: &Fact) -> bool {
    matches!(&fact.kind, FactKind::Asked(question) if question.kind != QuestionKind::Asks)
}

fn evidence_of(fact: &Fact) -> Evidence {
    Evidence {
        source: fact.source,
        detail: fact.detail.clone(),
        at: fact.at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(second: i64, source: EvidenceSource, kind: FactKind) -> Fact {
        let at = Timestamp::from_second(second).unwrap();
        Fact {
            at,
            source,
            detail: format!("{kind:?}"),
            kind,
            about: About::default(),
        }
    }

    /// A fact of a sub-agent, or of the agent itself, about a call.
    fn of(second: i64, sub_agent: &str, call: &str, ended: bool, kind: FactKind) -> Fact {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Fact {
            about: About {
                sub_agent: text(sub_agent),
                call: text(call),
                ended,
            },
            ..fact(second, Hook, kind)
        }
    }

    fn asks(text: &str) -> FactKind {
        let question = Question {
            text: text.into(),
            ..question()
        };
        FactKind::Asked(question)
    }

    fn shown(seen: &Observed) -> Option<&str> {
        seen.question().map(|question| question.text.as_str())
    }

    fn question() -> Question {
        Question {
            kind: QuestionKind::Permission,
            text: "Bash: ls".into(),
            options: vec![],
        }
    }

    fn run(facts: &[(EvidenceSource, FactKind)]) -> Observed {
        let start = Observed::started(Timestamp::from_second(0).unwrap());
        facts.iter().enumerate().fold(start, |seen, (i, (source, kind))| {
            seen.after(&fact(i as i64 + 1, *source, kind.clone()))
        })
    }

    use EvidenceSource::{Hook, Input, Output};

    #[test]
    fn the_screen_adds_the_answers_that_a_hook_does_not_tell() {
        let asked = |options: &[&str]| {
            FactKind::Asked(Question {
                kind: QuestionKind::Permission,
                text: "Bash: ls".into(),
                options: options.iter().map(|&text| text.to_owned()).collect(),
            })
        };
        let start = || Observed::started(Timestamp::from_second(0).unwrap());
        let offered = fact(
            2,
            EvidenceSource::Screen,
            FactKind::Offered(vec!["Yes".into(), "No".into()]),
        );
        let seen = start().after(&fact(1, Hook, asked(&[]))).after(&offered);
        assert_eq!(seen.question().unwrap().options, ["Yes", "No"]);
        assert_eq!(seen.evidence.source, Hook, "the hook opened it");
        let told = start().after(&fact(1, Hook, asked(&["Once"]))).after(&offered);
        assert_eq!(told.question().unwrap().options, ["Once"]);
        assert_eq!(start().after(&offered).open, []);
    }

    #[test]
    fn a_question_left_for_the_conductor_opens_when_the_turn_ends() {
        let left = Question {
            kind: QuestionKind::Asks,
            text: "Which one?".into(),
            options: vec![],
        };
        let left = (EvidenceSource::Engine, FactKind::Left(left));
        let mut facts = vec![
            (Hook, FactKind::TurnStarted),
            left.clone(),
            (Hook, FactKind::Working),
        ];
        assert_eq!(run(&facts).activity, Activity::Active, "it still works");
        facts.push((Hook, asks("ls?")));
        facts.push((Hook, FactKind::QuestionClosed));
        facts.push((Hook, FactKind::TurnEnded));
        let asked = run(&facts);
        assert_eq!(
            (asked.activity, shown(&asked)),
            (Activity::WaitingInput, Some("Which one?"))
        );
        assert_eq!(asked.evidence.source, EvidenceSource::Engine);
        facts.push((Hook, FactKind::TurnStarted));
        facts.push((Hook, FactKind::TurnEnded));
        assert_eq!(run(&facts).activity, Activity::Idle, "a new turn answered it");
        let late = run(&[(Hook, FactKind::TurnEnded), left]);
        assert_eq!(
            late.activity,
            Activity::WaitingInput,
            "one that comes behind the turn is open at once"
        );
    }

    #[test]
    fn a_turn_with_a_question() {
        let mut facts = vec![(Hook, FactKind::Ready(None))];
        assert_eq!(run(&facts).activity.status(), Status::Idle);
        facts.push((Hook, FactKind::TurnStarted));
        assert_eq!(run(&facts).activity.status(), Status::Running);
        facts.push((Hook, FactKind::Asked(question())));
        assert_eq!(run(&facts).activity.status(), Status::Waiting);
        assert_eq!(run(&facts).question(), Some(&question()));
        facts.push((Hook, FactKind::Working));
        assert_eq!(
            run(&facts).question(),
            Some(&question()),
            "other work is no answer"
        );
        facts.push((Hook, FactKind::TurnEnded));
        let seen = run(&facts);
        assert_eq!(seen.activity, Activity::Idle);
        assert_eq!(seen.since, seen.evidence.at);
    }

    #[test]
    fn output_neither_opens_nor_closes_where_hooks_speak() {
        let asked = run(&[(Hook, FactKind::Asked(question())), (Output, FactKind::Output)]);
        assert_eq!(asked.activity, Activity::WaitingInput);
        let idle = run(&[(Hook, FactKind::TurnEnded), (Output, FactKind::Output)]);
        assert_eq!(idle.activity, Activity::Idle);
        let blind = run(&[(Output, FactKind::Output), (Output, FactKind::Quiet)]);
        assert_eq!(blind.activity, Activity::Unknown);
    }

    #[test]
    fn a_key_closes_a_question() {
        let open = run(&[(Hook, FactKind::Asked(question()))]);
        let closed = open.after(&fact(9, Input, FactKind::QuestionClosed));
        assert_eq!((closed.activity, closed.question()), (Activity::Active, None));
    }

    #[test]
    fn facts_count_in_their_order_when_the_clock_is_set_back() {
        let start = Observed::started(Timestamp::from_second(100).unwrap());
        let works = start.after(&fact(101, Hook, FactKind::TurnStarted));
        let key = works.not_before(Timestamp::from_second(1).unwrap());
        let asks = works.after(&fact(2, Hook, FactKind::Asked(question())));
        assert_eq!(asks.activity, Activity::WaitingInput);
        assert!(
            asks.evidence.at > key,
            "a key of before the question is no answer"
        );
        let key = asks.not_before(Timestamp::from_second(3).unwrap());
        assert!(key >= asks.evidence.at, "one of after it may be");
        let closed = asks.after(&fact(4, Input, FactKind::QuestionClosed));
        assert_eq!(closed.activity, Activity::Active);
        let rests = closed.after(&fact(5, Hook, FactKind::TurnEnded));
        assert_eq!((rests.activity, rests.since), (Activity::Idle, rests.evidence.at));
        let on_time = rests.after(&fact(200, Hook, FactKind::TurnStarted));
        assert_eq!(on_time.since, Timestamp::from_second(200).unwrap());
    }

    #[test]
    fn a_late_sub_agent_does_not_reopen_a_finished_turn() {
        let seen = run(&[
            (Hook, FactKind::TurnStarted),
            (Hook, FactKind::SubAgent),
            (Hook, FactKind::TurnEnded),
            (Hook, FactKind::SubAgent),
        ]);
        assert_eq!(seen.activity, Activity::Idle);
    }

    #[test]
    fn what_one_sub_agent_does_never_closes_the_question_of_another() {
        let working =
            |sub_agent: &str, call: &str, second| of(second, sub_agent, call, true, FactKind::SubAgent);
        let start = Observed::started(Timestamp::from_second(0).unwrap());
        let both = start
            .after(&of(1, "a", "Bash: one", false, asks("one")))
            .after(&of(2, "b", "Bash: two", false, asks("two")))
            .after(&of(3, "b", "Bash: two", false, asks("two")));
        assert_eq!(
            (shown(&both), both.open.len()),
            (Some("one"), 2),
            "asked again is asked once"
        );
        let other = both
            .clone()
            .after(&working("b", "Read: x", 4))
            .after(&working("c", "Bash: one", 5))
            .after(&of(6, "", "Bash: one", true, FactKind::Working))
            .after(&of(7, "", "", true, FactKind::TurnStarted));
        assert_eq!(other, both, "none of this is an answer");
        let first = both.clone().after(&working("a", "Bash: one", 8));
        assert_eq!(
            (first.activity, shown(&first)),
            (Activity::WaitingInput, Some("two"))
        );
        assert_eq!(
            (first.since, first.evidence.at),
            (both.since, Timestamp::from_second(3).unwrap())
        );
        let stopped = first.clone().after(&working("b", "", 9));
        assert_eq!((stopped.activity, shown(&stopped)), (Activity::Active, None));
        let rests = both.clone().after(&fact(8, Hook, FactKind::TurnEnded));
        assert_eq!((rests.activity, shown(&rests)), (Activity::Idle, None));
        let left = both.after(&fact(8, Input, FactKind::QuestionClosed));
        assert_eq!(
            left.activity,
            Activity::Active,
            "the screen shows no question any more"
        );
    }

    #[test]
    fn what_a_person_clears_is_unknown_until_the_next_fact() {
        let asked = run(&[(Hook, FactKind::Asked(question()))]);
        let cleared = asked.after(&fact(9, EvidenceSource::Engine, FactKind::Cleared));
        assert_eq!((cleared.activity, cleared.question()), (Activity::Unknown, None));
        let ended = cleared.after(&fact(10, Hook, FactKind::TurnEnded));
        assert_eq!(ended.activity, Activity::Idle);
    }

    #[test]
    fn questions_are_bounded() {
        let start = Observed::started(Timestamp::from_second(0).unwrap());
        let many = (1..100).fold(start, |seen, n| {
            seen.after(&of(n, "a", &format!("{n}"), false, asks("x")))
        });
        assert_eq!(many.open.len(), MAX_OPEN);
    }
}
