//! Tables of what a person wants of a rule: that it acts now, skips what is new, or is switched off; and of what a rule would
//! do.

use super::simulate::{Assumed, simulate};
use super::tests::{RED, pull};
use super::{Occasion, explained, react, switch, values};
use crate::decide::reactions::matter::Matter;
use crate::host::config::{ProjectConfig, Reactions, parse, reaction_rules};
use crate::state::draft::Draft;
use crate::state::example::{at, draft, id, session};
use downbeat_model::Subject;
use downbeat_model::pull::Pull;
use downbeat_model::reactions::{Event, Rule};
use downbeat_wire::reaction::ReactionState;

fn subject() -> Subject {
    Subject::of_word("pull:github.com/PR_1")
}

fn rule(event: Event) -> Rule {
    let rules = reaction_rules(&Reactions::default());
    rules.into_iter().find(|rule| rule.event == event).unwrap()
}

/// Asks the rules about a pull request of session 1, and returns the number of effects.
fn ask(draft: &mut Draft, pull: &Pull, rule: &Rule, occasion: Occasion<'_>) -> usize {
    let rules = std::slice::from_ref(rule);
    react(
        draft,
        &id(1),
        (&subject(), Matter::Pull(pull)),
        Some(rules),
        occasion,
    )
    .unwrap()
}

fn state(draft: &Draft, pull: &Pull, rule: &Rule) -> ReactionState {
    let row = draft.state().row(&id(1)).unwrap();
    let about = (&subject(), Matter::Pull(pull));
    explained(draft.state(), row, about, std::slice::from_ref(rule), at(100)).remove(0)
}

#[test]
fn a_rule_that_does_not_act_by_itself_acts_once_when_asked() {
    let rule = Rule {
        auto: false,
        ..rule(Event::CiFailed)
    };
    let red = pull(RED, &[]);
    let mut draft = draft(100, [session(1)]);
    assert_eq!(ask(&mut draft, &red, &rule, Occasion::Change), 0);
    assert_eq!(state(&draft, &red, &rule).fresh, 1);
    assert_eq!(ask(&mut draft, &red, &rule, Occasion::RunNow(&rule)), 1);
    assert_eq!(state(&draft, &red, &rule).fresh, 0);
    assert_eq!(ask(&mut draft, &red, &rule, Occasion::RunNow(&rule)), 0);
}

#[test]
fn what_is_skipped_is_never_sent_and_what_comes_later_is() {
    let rule = rule(Event::ChangesRequested);
    let mut draft = draft(100, [session(1)]);
    let one = pull(&[], &[("1", "a")]);
    assert_eq!(ask(&mut draft, &one, &rule, Occasion::Skip(&rule)), 0);
    let mut draft = Draft::made_at(draft.state().clone(), at(1000));
    assert_eq!(ask(&mut draft, &one, &rule, Occasion::Change), 0);
    let two = pull(&[], &[("1", "a"), ("2", "b")]);
    ask(&mut draft, &two, &rule, Occasion::Change);
    let mut draft = Draft::made_at(draft.state().clone(), at(2000));
    assert_eq!(ask(&mut draft, &two, &rule, Occasion::Change), 1);
}

#[test]
fn a_rule_that_is_switched_off_does_nothing_and_can_be_switched_on_again() {
    let rule = rule(Event::CiFailed);
    let red = pull(RED, &[]);
    let mut draft = draft(100, [session(1)]);
    switch(&mut draft, &id(1), "ci-failed", true).unwrap();
    let mut draft = Draft::made_at(draft.state().clone(), at(200));
    ask(&mut draft, &red, &rule, Occasion::Change);
    let mut draft = Draft::made_at(draft.state().clone(), at(300));
    assert_eq!(ask(&mut draft, &red, &rule, Occasion::Change), 0);
    let shown = state(&draft, &red, &rule);
    assert!(shown.is_off && !shown.stands, "{shown:?}");
    // Also while nothing stands, it is shown, to be switched on.
    assert!(state(&draft, &pull(&[], &[]), &rule).is_off);
    switch(&mut draft, &id(1), "ci-failed", false).unwrap();
    assert_eq!(ask(&mut draft, &red, &rule, Occasion::Change), 1);
    assert!(!state(&draft, &red, &rule).is_off);
}

/// What a rule of a file would do, a line for each step.
fn simulated(reactions: &str, event: Event, detail: &str) -> Vec<String> {
    let text = format!("reactions:\n  {reactions}\n");
    let config: ProjectConfig = parse(std::path::Path::new("downbeat.yaml"), &text).unwrap();
    let rules = reaction_rules(&config.reactions);
    let rule = rules.iter().find(|rule| rule.event == event).unwrap();
    let values = values::of_example("shop", "claude");
    let assumed = Assumed {
        session: &id(1),
        values: &values,
        detail,
        pull: None,
        now: at(0),
    };
    let done = simulate(rule, &assumed);
    let first = |text: &Option<String>| match text {
        Some(text) => format!(" [{}]", text.lines().next().unwrap_or_default()),
        None => String::new(),
    };
    let steps = done.steps.iter();
    let steps = steps.map(|step| format!("{}: {}{}", step.when, step.what, first(&step.text)));
    steps.chain(done.nothing).collect()
}

#[test]
fn each_step_of_a_rule_is_said_before_it_is_taken() {
    for (reactions, event, detail, steps) in [
        (
            "ci-failed: { retries: 2 }",
            Event::CiFailed,
            "",
            &[
                "at once: its agent gets a message [Checks of your pull request #12 failed at 00000000 (automatic, from \
                 Downbeat):]",
                "when it happens again: the same, 2 times in all",
                "when it happens once more: you are notified [checks of pull request #12 failed: test; the agent was notified 2 \
                 times]",
                "if it still stands after 6 h: you are notified [checks of pull request #12 failed: test; unresolved since \
                 00:00 UTC]",
            ][..],
        ),
        (
            "agent-exited: { action: restart, retries: 1 }",
            Event::AgentExited,
            "",
            &[
                "at once: its agent is restarted",
                "when it happens once more: you are notified [its agent ended: exit code 1; the agent was restarted 1 time]",
            ],
        ),
        (
            "agent-idle: { threshold: 2h, action: notify, message: 'Look at {{ session.name }}' }",
            Event::AgentIdle,
            "",
            &["after 2 h: you are notified [its agent has nothing to do: Look at example]"],
        ),
        (
            "label-added: { action: send-to-agent, message: Add tests., condition: \"label == 'needs-tests'\" }",
            Event::LabelAdded,
            "bug",
            &["its condition is not met here"],
        ),
        (
            "approved-and-green: { action: merge, strategy: squash }",
            Event::ApprovedAndGreen,
            "",
            &["at once: its pull request is merged"],
        ),
        (
            "bugbot-comments: { auto: false }",
            Event::BugbotComments,
            "",
            &["it is not automatic; `downbeat reactions run` runs it once"],
        ),
    ] {
        assert_eq!(simulated(reactions, event, detail), steps, "{reactions}");
    }
}
