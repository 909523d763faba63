//! Defines the reactions of a project, as people write them. The keys are those of Agent Orchestrator. What each event
//! means, and when a rule acts, is in [`downbeat_model::reactions`].

use crate::host::config::command::Command;
use downbeat_model::reactions::{Action, EscalateAfter, Event, NoticePriority, Period, Rule, RuleCommand};
use downbeat_model::session::MergeStrategy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reactions of a project by event. Those that it does not name are Downbeat's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Reactions {
    /// Checks of a pull request failed.
    pub ci_failed: Option<Reaction>,
    /// A person requests changes of a pull request, or comments on it; or changes are requested of work without one.
    pub changes_requested: Option<Reaction>,
    /// A program comments on a pull request.
    pub bugbot_comments: Option<Reaction>,
    /// A pull request conflicts with its base.
    pub merge_conflicts: Option<Reaction>,
    /// A pull request can be merged, or work without one that you approved: nothing is missing.
    pub approved_and_green: Option<Reaction>,
    /// A pull request got a label.
    pub label_added: Option<Reaction>,
    /// A pull request was opened.
    pub pr_opened: Option<Reaction>,
    /// A pull request was closed without being merged.
    pub pr_closed: Option<Reaction>,
    /// A pull request was merged.
    pub pr_merged: Option<Reaction>,
    /// An agent is at work and has shown nothing new for a while (`watchdog.stuckAfter` of your own settings).
    pub agent_stuck: Option<Reaction>,
    /// An agent asks.
    pub agent_needs_input: Option<Reaction>,
    /// An agent ended by itself.
    pub agent_exited: Option<Reaction>,
    /// An agent has nothing to do.
    pub agent_idle: Option<Reaction>,
    /// An agent hit a usage limit.
    pub usage_limit: Option<Reaction>,
    /// A budget is used up.
    pub budget_reached: Option<Reaction>,
    /// The project's own checks of a session's work failed.
    pub checks_failed: Option<Reaction>,
    /// A task is reported as done, and the project's own checks passed on its commit.
    pub checks_passed: Option<Reaction>,
    /// All workers of a conductor are done.
    pub all_complete: Option<Reaction>,
}

/// The time limit of a command that names none, in minutes: that of checks.
const LIMIT_MINUTES: u32 = 30;

/// The number of times that the failures of checks are sent to an agent, unless a reaction says otherwise. Then the person is
/// notified.
pub(crate) const MOST_FAILURES_SENT: u32 = 2;

/// The longest message of a rule, in bytes.
pub(crate) const LONGEST: usize = 8 * 1024;

/// A reaction to an event. What it leaves out is as in Downbeat's own reaction to the event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Reaction {
    /// Whether it acts by itself. Notices come in any case.
    pub auto: Option<bool>,
    /// What it does.
    pub action: Option<ReactionAction>,
    /// The text in front of what is sent. Names in double braces are replaced: `{{ errors }}`, `{{ comments }}`,
    /// `{{ pr.title }}`, `{{ session.name }}`.
    pub message: Option<String>,
    /// What has to hold besides: `label == 'needs-tests'`.
    pub condition: Option<String>,
    /// The number of attempts for a problem. Then you are notified.
    #[schemars(range(min = 0, max = 100))]
    pub retries: Option<u32>,
    /// The number of attempts, or the time (`30m`, `2h`), after which you are notified.
    pub escalate_after: Option<EscalateAfter>,
    /// How long the event has to stand before it acts: `30s`, `10m`.
    pub threshold: Option<Period>,
    /// How urgent a notice is.
    pub priority: Option<NoticePriority>,
    /// How `merge` merges: `squash`, `merge` or `rebase`. Default the first of these that the repository allows.
    pub strategy: Option<MergeStrategy>,
    /// Whether `merge` deletes the branch at the forge afterwards.
    pub delete_after: Option<bool>,
    /// Whether a notice of `all-complete` says how each worker did.
    pub include_summary: Option<bool>,
    /// The agent that `spawn` starts, by its id. Default that of new sessions.
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// The command that `run` runs in the session's worktree, once you approved it. What it is about is in its
    /// environment: `DOWNBEAT_EVENT`, `DOWNBEAT_BRANCH`, `DOWNBEAT_PR_NUMBER`…
    pub command: Option<Command>,
    /// The time limit of the command in minutes; 30 by default.
    #[schemars(range(min = 1, max = 1440))]
    pub timeout_minutes: Option<u32>,
}

/// What a reaction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReactionAction {
    /// Sends a message to the session's agent.
    SendToAgent,
    /// Notifies you.
    Notify,
    /// Merges the pull request.
    Merge,
    /// Lets the forge merge the pull request as soon as nothing is missing.
    AutoMerge,
    /// Archives the session and removes its worktree, after saving the work in it.
    Archive,
    /// Restarts the agent, which continues its conversation.
    Restart,
    /// Pauses the session.
    Pause,
    /// Starts another session on the session's branch; `message` is its task.
    Spawn,
    /// Runs `command` in the session's worktree.
    Run,
}

/// Returns Downbeat's own rules.
fn built_in() -> Vec<Rule> {
    let rule = |event, action| Rule::new(event, action, &word(event));
    let sends = |event, retries: u32, longest: &str| Rule {
        retries: Some(retries),
        escalate_after: Period::parse(longest).ok().map(EscalateAfter::Time),
        ..rule(event, Action::SendToAgent)
    };
    let tells = |event, priority| Rule {
        priority: Some(priority),
        ..rule(event, Action::Notify)
    };
    vec![
        sends(Event::CiFailed, 2, "6h"),
        sends(Event::ChangesRequested, 5, "1h"),
        sends(Event::BugbotComments, 3, "1h"),
        sends(Event::MergeConflicts, 2, "30m"),
        tells(Event::ApprovedAndGreen, NoticePriority::Action),
        tells(Event::PrMerged, NoticePriority::Info),
        tells(Event::PrClosed, NoticePriority::Info),
    ]
}

/// Returns the word of an event.
pub(crate) fn word(event: Event) -> String {
    match serde_json::to_value(event) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns the rules of a project.
#[must_use]
pub fn rules(reactions: &Reactions) -> Vec<Rule> {
    let mut rules = built_in();
    for (event, reaction) in reactions.by_event() {
        let place = rules.iter().position(|rule| rule.event == event);
        let rule = match place {
            Some(place) => &mut rules[place],
            None => {
                rules.push(Rule::new(event, Action::Notify, &word(event)));
                let last = rules.len() - 1;
                &mut rules[last]
            }
        };
        reaction.change(rule);
        // As often as without a reaction.
        let has_number = matches!(rule.escalate_after, Some(EscalateAfter::Attempts(_)));
        if event == Event::ChecksFailed && rule.action == Action::SendToAgent && !has_number {
            rule.retries.get_or_insert(MOST_FAILURES_SENT);
        }
    }
    rules
}

/// Returns how often work that does not land in the project's repository is returned to its agent because of an event, if the
/// project's reaction to that event says so.
#[must_use]
pub fn returns(reactions: &Reactions, event: Event) -> Option<u32> {
    let (_, own) = reactions.by_event().find(|(known, _)| *known == event)?;
    let rule = rules(reactions).into_iter().find(|rule| rule.event == event)?;
    let has_number = own.retries.is_some() || matches!(own.escalate_after, Some(EscalateAfter::Attempts(_)));
    match rule.action {
        Action::SendToAgent if !rule.acts() => Some(0),
        Action::SendToAgent => has_number.then(|| rule.most_attempts()),
        // What `checks-failed` does otherwise, it does besides.
        _ if event == Event::ChecksFailed => None,
        _ => Some(0),
    }
}

impl Reactions {
    /// Returns the reactions that the project names.
    pub(crate) fn by_event(&self) -> impl Iterator<Item = (Event, &Reaction)> {
        let all = [
            (Event::CiFailed, &self.ci_failed),
            (Event::ChangesRequested, &self.changes_requested),
            (Event::BugbotComments, &self.bugbot_comments),
            (Event::MergeConflicts, &self.merge_conflicts),
            (Event::ApprovedAndGreen, &self.approved_and_green),
            (Event::LabelAdded, &self.label_added),
            (Event::PrOpened, &self.pr_opened),
            (Event::PrClosed, &self.pr_closed),
            (Event::PrMerged, &self.pr_merged),
            (Event::AgentStuck, &self.agent_stuck),
            (Event::AgentNeedsInput, &self.agent_needs_input),
            (Event::AgentExited, &self.agent_exited),
            (Event::AgentIdle, &self.agent_idle),
            (Event::UsageLimit, &self.usage_limit),
            (Event::BudgetReached, &self.budget_reached),
            (Event::ChecksFailed, &self.checks_failed),
            (Event::ChecksPassed, &self.checks_passed),
            (Event::AllComplete, &self.all_complete),
        ];
        let named = |(event, reaction)| Option::as_ref(reaction).map(|reaction| (event, reaction));
        all.into_iter().filter_map(named)
    }
}

impl Reaction {
    fn change(&self, rule: &mut Rule) {
        if let Some(action) = self.action {
            rule.action = match action {
                ReactionAction::SendToAgent => Action::SendToAgent,
                ReactionAction::Notify => Action::Notify,
                ReactionAction::Merge => Action::Merge,
                ReactionAction::AutoMerge => Action::AutoMerge,
                ReactionAction::Archive => Action::Archive,
                ReactionAction::Restart => Action::Restart,
                ReactionAction::Pause => Action::Pause,
                ReactionAction::Spawn => Action::Spawn,
                ReactionAction::Run => Action::Run,
            };
        }
        rule.auto = self.auto.unwrap_or(rule.auto);
        rule.condition = self.condition.clone().or_else(|| rule.condition.take());
        rule.message = self.message.clone().or_else(|| rule.message.take());
        rule.retries = self.retries.or(rule.retries);
        rule.escalate_after = self.escalate_after.or(rule.escalate_after);
        rule.threshold = self.threshold.or(rule.threshold);
        rule.priority = self.priority.or(rule.priority);
        rule.strategy = self.strategy.or(rule.strategy);
        rule.delete_after = self.delete_after.or(rule.delete_after);
        rule.include_summary = self.include_summary.or(rule.include_summary);
        rule.agent = self.agent.clone().or_else(|| rule.agent.take());
        rule.command = self.command.as_ref().map(|command| RuleCommand {
            argv: command.argv(),
            limit_minutes: self.timeout_minutes.unwrap_or(LIMIT_MINUTES),
            approved: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::config::{ProjectConfig, parse};
    use jiff::SignedDuration;
    use std::path::Path;

    /// Every row: a reaction, and how often it lets work be returned because of failed checks and of a conflict.
    #[test]
    fn returns_of_the_merge_queue_are_those_of_the_reactions() {
        for (text, checks, conflicts) in [
            ("{}", None, None),
            ("{ checks-failed: { action: notify } }", None, None),
            ("{ checks-failed: { action: send-to-agent } }", None, None),
            (
                "{ checks-failed: { action: send-to-agent, retries: 5 } }",
                Some(5),
                None,
            ),
            (
                "{ checks-failed: { action: send-to-agent, auto: false } }",
                Some(0),
                None,
            ),
            (
                "{ checks-failed: { action: send-to-agent, escalateAfter: 1 } }",
                Some(1),
                None,
            ),
            (
                "{ checks-failed: { action: send-to-agent, escalateAfter: 1h } }",
                None,
                None,
            ),
            ("{ merge-conflicts: { message: Look. } }", None, None),
            ("{ merge-conflicts: { retries: 1 } }", None, Some(1)),
            (
                "{ merge-conflicts: { retries: 4, escalateAfter: 2 } }",
                None,
                Some(2),
            ),
            ("{ merge-conflicts: { action: notify } }", None, Some(0)),
            ("{ merge-conflicts: { auto: false } }", None, Some(0)),
        ] {
            let config: ProjectConfig =
                parse(Path::new("downbeat.yaml"), &format!("reactions: {text}\n")).unwrap();
            let of = |event| returns(&config.reactions, event);
            assert_eq!(
                (of(Event::ChecksFailed), of(Event::MergeConflicts)),
                (checks, conflicts),
                "{text}"
            );
        }
    }

    #[test]
    fn failed_checks_are_sent_as_often_as_without_a_reaction() {
        for (keys, most) in [
            ("", 2),
            (", retries: 7", 7),
            (", escalateAfter: 4", 4),
            (", escalateAfter: 1h", 2),
        ] {
            let text = format!("reactions:\n  checks-failed: {{ action: send-to-agent{keys} }}\n");
            let config: ProjectConfig = parse(Path::new("downbeat.yaml"), &text).unwrap();
            let rules = rules(&config.reactions);
            let rule = rules
                .iter()
                .find(|rule| rule.event == Event::ChecksFailed)
                .unwrap();
            assert_eq!(rule.most_attempts(), most, "{keys}");
        }
    }

    #[test]
    fn a_project_changes_single_keys_of_a_rule() {
        let text = "reactions:\n  ci-failed: { retries: 1 }\n  pr-opened: { action: notify }\n  merge-conflicts:\n    auto: \
                    false\n    escalateAfter: 10m\n  approved-and-green: { message: Ready. }\n";
        let config: ProjectConfig = parse(Path::new("downbeat.yaml"), text).unwrap();
        let rules = rules(&config.reactions);
        let of = |event| rules.iter().find(|rule| rule.event == event).unwrap();
        assert_eq!(
            (of(Event::CiFailed).retries, of(Event::CiFailed).action),
            (Some(1), Action::SendToAgent)
        );
        assert!(!of(Event::MergeConflicts).acts());
        assert_eq!(
            of(Event::MergeConflicts).longest(),
            Some(SignedDuration::from_mins(10))
        );
        assert_eq!(of(Event::PrOpened).action, Action::Notify);
        assert_eq!(of(Event::ApprovedAndGreen).message.as_deref(), Some("Ready."));
        assert_eq!(
            of(Event::ChangesRequested).longest(),
            Some(SignedDuration::from_mins(60))
        );
        let ids: std::collections::BTreeSet<_> = rules.iter().map(|rule| &rule.id).collect();
        assert_eq!(ids.len(), rules.len(), "budgets belong to a rule's name");
    }
}
