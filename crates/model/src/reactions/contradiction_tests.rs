//! Rules as people write them: those of Agent Orchestrator's documents, and those that contradict each other.

use super::fixture::*;
use super::*;
use crate::session::MergeStrategy;
use serde_json::json;

fn rule_of(event: &str, mut keys: serde_json::Value) -> Rule {
    keys["id"] = json!(event);
    keys["event"] = json!(event);
    serde_json::from_value(keys).unwrap()
}

#[test]
fn the_rules_of_agent_orchestrator_load_and_say_what_they_say_there() {
    let rules = [
        rule_of(
            "ci-failed",
            json!({"auto": true, "action": "send-to-agent", "retries": 2, "message": "{{errors}}"}),
        ),
        rule_of(
            "changes-requested",
            json!({"auto": true, "action": "send-to-agent", "escalateAfter": "30m"}),
        ),
        rule_of(
            "bugbot-comments",
            json!({"auto": true, "action": "send-to-agent", "escalateAfter": "30m"}),
        ),
        rule_of(
            "merge-conflicts",
            json!({"auto": true, "action": "send-to-agent", "escalateAfter": "15m"}),
        ),
        rule_of(
            "approved-and-green",
            json!({"auto": true, "action": "merge", "strategy": "squash", "deleteAfter": true}),
        ),
        rule_of(
            "agent-stuck",
            json!({"action": "notify", "priority": "urgent", "threshold": "10m"}),
        ),
        rule_of(
            "agent-needs-input",
            json!({"auto": true, "action": "notify", "priority": "urgent"}),
        ),
        rule_of(
            "agent-exited",
            json!({"auto": true, "action": "notify", "priority": "action"}),
        ),
        rule_of(
            "all-complete",
            json!({"auto": true, "action": "notify", "priority": "info", "includeSummary": true}),
        ),
        rule_of(
            "label-added",
            json!({"auto": true, "condition": "label == 'x'", "action": "send-to-agent"}),
        ),
        rule_of("pr-merged", json!({"action": "notify", "escalateAfter": 3})),
    ];
    assert_eq!(contradictions(&rules), []);
    assert_eq!(rules.iter().map(Rule::most_attempts).max(), Some(u32::MAX));
    let attempts = |retries, after: Option<EscalateAfter>, action| {
        Rule {
            retries,
            escalate_after: after,
            ..rule(Event::CiFailed, action)
        }
        .most_attempts()
    };
    let count = |count| Some(EscalateAfter::Attempts(count));
    for (retries, after, action, most) in [
        (Some(2), None, Action::SendToAgent, 2),
        (None, count(3), Action::SendToAgent, 3),
        (Some(5), count(3), Action::SendToAgent, 3),
        (None, after("30m"), Action::SendToAgent, 10),
        (None, None, Action::Merge, 10),
        (None, None, Action::Notify, u32::MAX),
        (Some(4), None, Action::Notify, 4),
    ] {
        assert_eq!(
            attempts(retries, after, action),
            most,
            "{retries:?} {after:?} {action:?}"
        );
    }
    for rule in &rules {
        let stored = serde_json::to_string(rule).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&stored).unwrap(), *rule);
    }
}

#[test]
fn every_event_has_its_word() {
    for event in Event::ALL {
        let word = serde_json::to_value(event).unwrap();
        assert_eq!(serde_json::from_value::<Event>(word).unwrap(), event);
    }
    assert_eq!(
        Event::ALL.iter().collect::<std::collections::BTreeSet<_>>().len(),
        18
    );
}

#[test]
fn rules_that_are_wrong_alone_are_found() {
    let unused = |key: &str| Contradiction::Unused { key: key.into() };
    for (event, keys, what) in [
        (
            "pr-merged",
            json!({"action": "merge"}),
            Contradiction::NothingToMerge,
        ),
        (
            "agent-stuck",
            json!({"action": "auto-merge"}),
            Contradiction::NothingToMerge,
        ),
        (
            "checks-passed",
            json!({"action": "auto-merge"}),
            Contradiction::NoForge,
        ),
        (
            "agent-exited",
            json!({"action": "send-to-agent"}),
            Contradiction::NoAgent,
        ),
        (
            "pr-opened",
            json!({"action": "spawn"}),
            Contradiction::Missing {
                key: "message".into(),
            },
        ),
        (
            "pr-opened",
            json!({"action": "notify", "agent": "codex"}),
            unused("agent"),
        ),
        (
            "approved-and-green",
            json!({"action": "archive"}),
            Contradiction::NotOver,
        ),
        (
            "ci-failed",
            json!({"action": "send-to-agent", "retries": 0}),
            Contradiction::NeverActs,
        ),
        (
            "ci-failed",
            json!({"action": "send-to-agent", "retries": 2, "escalateAfter": 5}),
            Contradiction::NeverReached,
        ),
        (
            "ci-failed",
            json!({"action": "run"}),
            Contradiction::Missing {
                key: "command".into(),
            },
        ),
        (
            "ci-failed",
            json!({"action": "run", "command": {"argv": ["true"], "limitMinutes": 30}, "message": "x"}),
            unused("message"),
        ),
        (
            "ci-failed",
            json!({"action": "notify", "command": {"argv": ["true"], "limitMinutes": 30}}),
            unused("command"),
        ),
        (
            "ci-failed",
            json!({"action": "restart", "message": "x"}),
            unused("message"),
        ),
        (
            "ci-failed",
            json!({"action": "notify", "strategy": "squash"}),
            unused("strategy"),
        ),
        (
            "ci-failed",
            json!({"action": "notify", "deleteAfter": true}),
            unused("deleteAfter"),
        ),
        (
            "ci-failed",
            json!({"action": "send-to-agent", "includeSummary": true}),
            unused("includeSummary"),
        ),
        (
            "pr-opened",
            json!({"action": "notify", "escalateAfter": "1h"}),
            unused("escalateAfter"),
        ),
        (
            "ci-failed",
            json!({"auto": false, "action": "send-to-agent", "escalateAfter": "1h"}),
            unused("escalateAfter"),
        ),
    ] {
        let found = contradictions(&[rule_of(event, keys)]);
        let found: Vec<_> = found.into_iter().map(|found| found.what).collect();
        assert_eq!(found, [what], "{event}");
    }
}

#[test]
fn rules_that_contradict_each_other_are_found() {
    use Action::{Merge, Notify, Pause, Restart, SendToAgent};
    let merge = |strategy| Rule {
        strategy: Some(strategy),
        ..rule(Event::ApprovedAndGreen, Merge)
    };
    let ci = |action| rule(Event::CiFailed, action);
    let when = |rule: Rule| Rule {
        condition: Some("x".into()),
        ..rule
    };
    for (first, second, what) in [
        (ci(SendToAgent), ci(Notify), None),
        (ci(SendToAgent), ci(SendToAgent), Some(Contradiction::Doubled)),
        (ci(SendToAgent), when(ci(SendToAgent)), None),
        (ci(Pause), ci(SendToAgent), Some(Contradiction::PausedAtWork)),
        (ci(Restart), ci(Pause), Some(Contradiction::PausedAtWork)),
        (
            merge(MergeStrategy::Squash),
            merge(MergeStrategy::Rebase),
            Some(Contradiction::TwoMerges),
        ),
        (
            merge(MergeStrategy::Squash),
            when(merge(MergeStrategy::Rebase)),
            None,
        ),
        (
            merge(MergeStrategy::Squash),
            rule(Event::ApprovedAndGreen, Merge),
            Some(Contradiction::TwoMerges),
        ),
        (ci(SendToAgent), rule(Event::ChecksFailed, Pause), None),
    ] {
        let second = Rule {
            id: "second".into(),
            ..second
        };
        let found = contradictions(&[first.clone(), second.clone()]);
        let found = found.into_iter().map(|found| found.what).next();
        assert_eq!(found, what, "{first:?} {second:?}");
    }
    let twice = contradictions(&[ci(Notify), ci(Notify)]);
    assert_eq!(twice[0].what, Contradiction::SameName);
    assert_eq!(twice[0].what.severity(), Severity::Error);
    assert_eq!(Contradiction::Doubled.severity(), Severity::Warning);
}
