//! Properties that hold whatever happens to a subject, whatever the rules, and by whatever clock.

use super::fixture::*;
use super::*;
use crate::fixture::at;
use crate::pull::fixture::commit;
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;

fn any_rule() -> impl Strategy<Value = Rule> {
    let events = vec![
        Event::CiFailed,
        Event::ChangesRequested,
        Event::AgentExited,
        Event::MergeConflicts,
        Event::LabelAdded,
    ];
    let actions = vec![Action::SendToAgent, Action::Notify, Action::Restart, Action::Run];
    let escalate = option::of(prop_oneof![
        (0..4u32).prop_map(EscalateAfter::Attempts),
        select(vec!["1m", "10m", "2h"]).prop_map(|text| after(text).unwrap()),
    ]);
    let threshold = option::of(select(vec!["5s", "5m"]).prop_map(|text| Period::parse(text).unwrap()));
    (
        select(events),
        select(actions),
        any::<bool>(),
        option::of(0..4u32),
        escalate,
        threshold,
    )
        .prop_map(|(event, action, auto, retries, escalate_after, threshold)| Rule {
            auto,
            retries,
            escalate_after,
            threshold,
            command: Some(command(true)),
            ..rule(event, action)
        })
}

fn any_item() -> impl Strategy<Value = Item> {
    (0..12u32, 0..3u32, 0..3u32, any::<bool>()).prop_map(|(name, group, slot, is_complete)| Item {
        // A thing never becomes a state, and the other way round.
        recurs: name > 8,
        is_complete,
        ..Item::thing(&format!("item:{name}")).repeating(&group.to_string(), &slot.to_string())
    })
}

fn any_case() -> impl Strategy<Value = (Standing, Vec<Item>, String)> {
    let standing = select(vec![
        Standing::Open,
        Standing::Open,
        Standing::Unclear,
        Standing::Clear,
    ]);
    (
        standing,
        vec(any_item(), 0..4),
        select(vec![String::new(), "x".into()]),
    )
}

/// What happens: a time passes, which may be negative; something is seen, or an effect fails.
type Happens = (i64, Option<(Standing, Vec<Item>, String)>, bool, bool);

fn any_story() -> impl Strategy<Value = Vec<Happens>> {
    let seconds = prop_oneof![6 => 0..120i64, 2 => 0..9000i64, 1 => -500..0i64];
    let paused = prop::bool::weighted(0.1);
    vec(
        (
            seconds,
            option::weighted(0.7, any_case()),
            prop::bool::weighted(0.1),
            paused,
        ),
        1..50,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn nothing_is_sent_twice_budgets_hold_and_the_person_is_told_once(rules in vec(any_rule(), 1..4), story in any_story()) {
        let rules = rules.into_iter().enumerate();
        let rules: Vec<Rule> = rules.map(|(n, rule)| Rule { id: format!("rule {n}"), ..rule }).collect();
        let mut desk = Desk::new(rules);
        let events: Vec<Event> = desk.rules.iter().map(|rule| rule.event).collect();
        let mut second = 10_000;
        for (seconds, case, fails, paused) in story {
            second += seconds;
            if let Some((standing, items, detail)) = case {
                desk.situation.cases = events.iter().map(|event| Case {
                    items: if standing == Standing::Open { items.clone() } else { Vec::new() },
                    head: Some(commit(1)),
                    detail: detail.clone(),
                    ..Case::of(*event, standing)
                }).collect();
            }
            desk.controls.paused = paused;
            // The desk asserts that no item of a problem is sent twice, and that asking again changes nothing.
            let effects = desk.ask(second);
            prop_assert!(!paused || effects.is_empty(), "it acts although it is paused");
            if let Some(effect) = effects.last().filter(|_| fails) {
                desk.record.failed(effect.problem, "it failed");
            }
            prop_assert!(desk.due.is_none_or(|due| due > at(second)));
        }
        let mut told = BTreeMap::new();
        for (_, effect) in &desk.effects {
            let rule = desk.rules.iter().find(|rule| rule.id == effect.rule).unwrap();
            prop_assert!(rule.acts(), "it was not asked for");
            prop_assert!(effect.attempt <= rule.most_attempts(), "{} attempts", effect.attempt);
            if is_escalation(effect) {
                let times: &mut u32 = told.entry((effect.rule.clone(), effect.problem)).or_default();
                *times += 1;
                prop_assert_eq!(*times, 1, "the person is told twice");
            }
        }
    }

    #[test]
    fn what_stands_for_too_long_is_told_by_the_clock_alone(minutes in 1..300i64, opened in 0..100_000i64, retries in 1..4u32) {
        let mut rule = sends(Event::CiFailed, retries);
        rule.escalate_after = after(&format!("{minutes}m"));
        let mut desk = Desk::new(vec![rule]);
        desk.situation.cases = vec![Case::standing(Event::CiFailed, None, Item::thing("run:1"))];
        desk.ask(opened);
        desk.pass(opened + 10_000 * 60);
        let at_times: Vec<i64> = desk.effects.iter().map(|(at, _)| at.as_second()).collect();
        prop_assert_eq!(at_times, [opened, opened + minutes * 60]);
    }

    #[test]
    fn all_new_items_are_sent_in_the_end(batches in vec(btree_set(0..40u32, 1..6), 1..12)) {
        let mut desk = Desk::new(vec![rule(Event::ChangesRequested, Action::Notify)]);
        let mut all: std::collections::BTreeSet<u32> = std::collections::BTreeSet::new();
        for (second, batch) in (0..).step_by(7).zip(&batches) {
            all.extend(batch);
            let mut case = Case::of(Event::ChangesRequested, Standing::Open);
            let items = all.iter().map(|n| Item { is_complete: false, ..Item::thing(&format!("comment:{n}")) });
            case.items = items.collect();
            desk.situation.cases = vec![case];
            desk.ask(second);
        }
        desk.pass(1000);
        let sent: usize = desk.effects.iter().map(|(_, effect)| effect.items.len()).sum();
        prop_assert_eq!(sent, all.len());
    }
}
