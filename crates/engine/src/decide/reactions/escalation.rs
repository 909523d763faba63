//! The notice of a problem that a rule does not solve: what happened, and what the rule did about it.

use crate::decide::reactions::matter::Matter;
use crate::decide::reactions::text;
use downbeat_model::count;
use downbeat_model::reactions::{Action, Effect, EscalationReason};

/// Returns the notice.
#[must_use]
pub fn notice(effect: &Effect, matter: Matter<'_>, why: &EscalationReason) -> String {
    format!("{}; {}", text::happened(effect, matter), reason(why))
}

/// Says why the person is told.
fn reason(why: &EscalationReason) -> String {
    match why {
        EscalationReason::Attempts { made: 0, .. } => "no reaction handles it automatically".to_owned(),
        EscalationReason::Attempts { made, action } => {
            let times = count(u64::from(*made), "time", "times");
            format!("{} {times}", did(*action))
        }
        EscalationReason::Time { since } => {
            let since = since.strftime("%H:%M UTC");
            format!("unresolved since {since}")
        }
        EscalationReason::Failed { error, action } => format!("{}: {error}", did_not(*action)),
        EscalationReason::Condition { error } => format!("its rule has an error: {error}"),
        EscalationReason::NotApproved => {
            "its command waits for your approval: `downbeat project approve`, or the project's settings"
                .to_owned()
        }
        EscalationReason::TooMuch => "there are more items than its rule handles".to_owned(),
    }
}

/// Says what a rule did, without how often.
fn did(action: Option<Action>) -> &'static str {
    match action {
        Some(Action::SendToAgent) => "the agent was notified",
        Some(Action::Notify) => "you were notified",
        Some(Action::Merge | Action::AutoMerge) => "a merge was requested",
        Some(Action::Spawn) => "a session was started for it",
        Some(Action::Run) => "the command of its rule ran",
        Some(Action::Restart) => "the agent was restarted",
        Some(Action::Pause) => "the session was paused",
        Some(Action::Archive) => "the session was archived",
        None => "its reaction ran",
    }
}

/// Says what a rule could not do.
fn did_not(action: Option<Action>) -> &'static str {
    match action {
        Some(Action::SendToAgent) => "the agent could not be notified",
        Some(Action::Notify) => "no notification could be made of its rule",
        Some(Action::Merge | Action::AutoMerge) => "it could not be merged",
        Some(Action::Spawn) => "no session could be started for it",
        Some(Action::Run) => "the command of its rule failed",
        Some(Action::Restart) => "the agent could not be restarted",
        Some(Action::Pause) => "the session could not be paused",
        Some(Action::Archive) => "the session could not be archived",
        None => "its reaction failed",
    }
}

#[cfg(test)]
mod tests {
    use super::reason;
    use downbeat_model::reactions::{Action, EscalationReason};

    #[test]
    fn each_action_has_one_true_sentence() {
        let rows = [
            (
                Some(Action::SendToAgent),
                "the agent was notified 2 times",
                "the agent could not be notified: why",
            ),
            (
                Some(Action::Notify),
                "you were notified 2 times",
                "no notification could be made of its rule: why",
            ),
            (
                Some(Action::Merge),
                "a merge was requested 2 times",
                "it could not be merged: why",
            ),
            (
                Some(Action::AutoMerge),
                "a merge was requested 2 times",
                "it could not be merged: why",
            ),
            (
                Some(Action::Spawn),
                "a session was started for it 2 times",
                "no session could be started for it: why",
            ),
            (
                Some(Action::Run),
                "the command of its rule ran 2 times",
                "the command of its rule failed: why",
            ),
            (
                Some(Action::Restart),
                "the agent was restarted 2 times",
                "the agent could not be restarted: why",
            ),
            (
                Some(Action::Pause),
                "the session was paused 2 times",
                "the session could not be paused: why",
            ),
            (
                Some(Action::Archive),
                "the session was archived 2 times",
                "the session could not be archived: why",
            ),
            (None, "its reaction ran 2 times", "its reaction failed: why"),
        ];
        for (action, done, failed) in rows {
            let attempts = EscalationReason::Attempts { made: 2, action };
            assert_eq!(reason(&attempts), done);
            let error = "why".to_owned();
            assert_eq!(reason(&EscalationReason::Failed { error, action }), failed);
            let none = EscalationReason::Attempts { made: 0, action };
            assert_eq!(reason(&none), "no reaction handles it automatically");
        }
    }

    #[test]
    fn a_record_of_an_older_version_is_still_read() {
        for (text, said) in [
            (r#"{ "kind": "attempts", "made": 1 }"#, "its reaction ran 1 time"),
            (
                r#"{ "kind": "failed", "error": "why" }"#,
                "its reaction failed: why",
            ),
        ] {
            assert_eq!(reason(&serde_json::from_str(text).unwrap()), said);
        }
    }
}
