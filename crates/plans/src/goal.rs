//! What is asked for a goal alone: a planner's question, and the prompt of a session that makes a plan. Their answers are read in
//! `forms`; who is asked, and how, is the engine's.

use serde::Serialize;

/// What a planner gets on its standard input, as one JSON object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Question<'a> {
    /// What is to be reached, in the person's words.
    pub goal: &'a str,
    /// Where.
    pub project: Place<'a>,
    /// The most tasks that the plan may have.
    pub max_tasks: usize,
    /// The domains that have a worker each; a task may have another one.
    pub domains: Vec<&'a str>,
    /// The agents that a task may name.
    pub agents: Vec<String>,
}

/// A project, as a planner gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place<'a> {
    /// Its name.
    pub name: &'a str,
    /// The path of its own checkout, in which the planner runs.
    pub path: &'a str,
}

/// Returns what a session is asked that makes a plan of a goal. The goal comes last, so that nothing of it is taken for a part of
/// these instructions.
#[must_use]
pub fn planning_prompt(goal: &str, domains: &[&str]) -> String {
    format!(
        "Make a plan for the goal below, for several workers that each have a worktree of their own. Do nothing else.\n\n\
         1. Look at this repository as far as the plan needs it. Change no file, make no commit, start no worker.\n\
         2. Cut the goal into as few tasks as let several workers be of use. Each task stands alone: its worker knows nothing of \
         this conversation, so name files, interfaces and how it is recognised that the task is done. Tasks that run at the same \
         time change different files; where that cannot be, one needs the other.\n\
         3. Hand them in with the tool propose_plan, with file: true and tasks as JSON: \
         [{{\"id\": \"db\", \"title\": \"…\", \"description\": \"…\", \"domain\": \"database\"}}, \
         {{\"id\": \"api\", \"title\": \"…\", \"dependencies\": [\"db\"]}}]. Usual domains are {}. \
         If it is refused, correct it and hand it in again.\n\
         4. End your turn. The person looks at the plan and runs it; do not call run_plan.\n\n\
         If the goal cannot be planned without an answer of the person, ask, and end your turn.\n\n\
         The goal:\n{goal}\n",
        domains.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::{Place, Question, planning_prompt};
    use serde_json::json;

    #[test]
    fn a_planner_gets_one_object() {
        let question = Question {
            goal: "Sell shoes",
            project: Place {
                name: "shop",
                path: "/shop",
            },
            max_tasks: 40,
            domains: vec!["frontend"],
            agents: vec!["claude".into()],
        };
        assert_eq!(
            serde_json::to_value(&question).unwrap(),
            json!({
                "goal": "Sell shoes", "project": { "name": "shop", "path": "/shop" }, "maxTasks": 40,
                "domains": ["frontend"], "agents": ["claude"],
            })
        );
    }

    #[test]
    fn the_goal_ends_the_prompt() {
        let prompt = planning_prompt("Sell {shoes}", &["frontend", "backend"]);
        assert!(prompt.ends_with("The goal:\nSell {shoes}\n"), "{prompt}");
        assert!(
            prompt.contains("Usual domains are frontend, backend. "),
            "{prompt}"
        );
        assert!(prompt.contains(r#"[{"id": "db", "title""#), "{prompt}");
    }
}
