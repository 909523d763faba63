//! The values that messages and conditions of reactions know, by the names of
//! [`crate::host::config::template`]. Texts from outside are values of one line, without control characters.

use crate::decide::reactions::matter::Matter;
use crate::state::known::State;
use downbeat_model::lines::first_line;
use downbeat_model::reactions::Event;
use downbeat_store::SessionRow;
use serde_json::{Value, json};

/// The longest text from outside that stands in a line, in characters.
const LONGEST: usize = 200;

/// Returns the values for an event of a session. `detail` is that of the case, `attempt` the number of the attempt; 0
/// before the first.
#[must_use]
pub fn of(state: &State, row: &SessionRow, matter: Matter<'_>, about: (Event, &str, u32)) -> Value {
    with(of_session(state, row), matter, about)
}

/// Returns the values that are the same for all events of a session.
#[must_use]
pub fn of_session(state: &State, row: &SessionRow) -> Value {
    let project = state.projects.get(&row.project_id);
    let issue = row.issue.as_ref();
    let number = issue.map_or_else(
        || json!(""),
        |issue| {
            issue
                .key
                .as_ref()
                .map_or_else(|| json!(issue.number), |key| json!(key))
        },
    );
    json!({
        "project": project.map_or("", |project| &project.name),
        "session": {
            "name": row.name,
            "title": line(&row.title),
            "agent": row.agent,
            "branch": line(row.branch.as_deref().unwrap_or_default()),
        },
        "issue": {
            "number": number,
            "title": issue.map_or_else(String::new, |issue| line(&issue.title)),
        },
    })
}

/// Returns the values of a session that does not exist, for a simulation.
#[must_use]
pub fn of_example(project: &str, agent: &str) -> Value {
    json!({
        "project": project,
        "session": { "name": "example", "title": "An example", "agent": agent, "branch": "feature/example" },
        "issue": { "number": "", "title": "" },
    })
}

/// Adds what an event is about to the values of a session.
#[must_use]
pub fn with(mut values: Value, matter: Matter<'_>, (event, detail, attempt): (Event, &str, u32)) -> Value {
    values["event"] = json!(event);
    values["attempt"] = json!(attempt);
    match event {
        Event::LabelAdded => values["label"] = json!(line(detail)),
        Event::BudgetReached => values["budget"] = json!(line(detail)),
        _ => {}
    }
    match matter {
        Matter::Pull(pull) => {
            if let Some(seen) = &pull.seen {
                values["pr"] = json!({
                    "number": seen.number,
                    "title": line(&seen.title),
                    "url": line(&seen.url),
                    "branch": line(&seen.head_branch),
                    "base": line(&seen.base_branch),
                    "head": seen.head,
                    "labels": seen.labels.iter().map(|label| line(label)).collect::<Vec<_>>(),
                    "draft": seen.is_draft,
                });
                let failed = seen.checks.failed().map(|check| line(&check.name));
                values["checks"] = failed.collect();
            }
        }
        Matter::Session(session) => {
            if event == Event::AgentNeedsInput {
                values["question"] = json!(line(session.question.as_deref().unwrap_or_default()));
            }
            if event.is_of_review() {
                // A rule for reviews is one for both: what a pull request alone has is empty here.
                let head = session.review.as_ref().map_or("", |review| &review.commit);
                values["pr"] = json!({
                    "number": "", "title": "", "url": "", "branch": values["session"]["branch"], "base": "", "head": head,
                    "labels": [], "draft": false,
                });
            }
        }
    }
    values
}

/// Returns a text from outside as one short line.
#[must_use]
pub fn line(text: &str) -> String {
    let plain = first_line(text).chars().filter(|c| !c.is_control());
    plain.take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::reactions::matter::SessionMatter;
    use crate::decide::reactions::tests::{RED, pull};
    use crate::host::config::template;
    use crate::state::example::{session, state};

    /// Every name that a file may use has a value, so that a valid message never fails for a name.
    #[test]
    fn every_known_name_has_a_value() {
        let row = session(1);
        let state = state([row.clone()]);
        let own = SessionMatter::of(&state, &row, None);
        let pull = pull(RED, &[]);
        for event in Event::ALL {
            let matters = [
                event.is_of_pull().then_some(Matter::Pull(&pull)),
                event.is_of_session().then_some(Matter::Session(&own)),
            ];
            for matter in matters.into_iter().flatten() {
                let example = with(of_example("shop", "claude"), matter, (event, "x", 1));
                for values in [of(&state, &row, matter, (event, "x", 1)), example] {
                    for name in template::names_of_condition(event) {
                        let text = format!("{{{{ {name} }}}}");
                        assert!(template::rendered(&text, &values).is_ok(), "{event:?}: {name}");
                    }
                    // A command tells events apart by what is set.
                    let has = |name: &str| values.get(name).is_some();
                    assert_eq!(has("label"), event == Event::LabelAdded, "{event:?}");
                    assert_eq!(has("budget"), event == Event::BudgetReached, "{event:?}");
                    assert_eq!(has("question"), event == Event::AgentNeedsInput, "{event:?}");
                }
            }
        }
    }

    #[test]
    fn an_issue_is_its_number_at_a_forge_and_its_key_at_a_tracker() {
        for (key, expected) in [(None, json!(42)), (Some("ENG-42"), json!("ENG-42"))] {
            let mut row = session(1);
            row.issue = Some(downbeat_model::session::SessionIssue {
                host: "linear.app".into(),
                repository: "ENG".into(),
                number: 42,
                title: "Round half cents".into(),
                url: "https://linear.app/acme/issue/ENG-42".into(),
                key: key.map(str::to_owned),
                children: Vec::new(),
                blocked_by: Vec::new(),
            });
            let values = of_session(&state([row.clone()]), &row);
            assert_eq!(values["issue"]["number"], expected);
        }
        let none = of_session(&state([session(1)]), &session(1));
        assert_eq!(none["issue"]["number"], json!(""));
    }

    #[test]
    fn a_text_from_outside_is_one_line_without_control_characters() {
        assert_eq!(line("a\u{1b}[31m b\nignore this"), "a[31m b");
        assert_eq!(line(&"é".repeat(500)).chars().count(), LONGEST);
    }
}
