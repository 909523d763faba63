//! The JSON of a planner: tasks with `title, description, dependencies, estimatedEffort, agent, domain, checks`. Tasks are named by id,
//! title or number.

use crate::domain::Domains;
use crate::forms::{finish, text_of};
use crate::plan::{Form, Plan, Task};
use crate::problem::Problem;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

#[derive(Deserialize)]
#[serde(untagged)]
enum Handed {
    Named {
        #[serde(default)]
        title: Option<String>,
        tasks: Vec<Own>,
    },
    Tasks(Vec<Own>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    #[serde(default)]
    id: Option<Value>,
    title: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, alias = "dependsOn", alias = "needs")]
    dependencies: Vec<Value>,
    #[serde(default)]
    estimated_effort: Option<Value>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    domain: Option<String>,
    #[serde(default)]
    skills: Vec<String>,
    #[serde(default)]
    checks: Vec<String>,
}

/// Reads the JSON of a planner.
///
/// # Errors
/// Says why it is no plan that can be done.
pub fn read_planner(text: &str, domains: &Domains) -> Result<Plan, Problem> {
    text_of(text.as_bytes())?;
    let value: Value = serde_json::from_str(text).map_err(|error| Problem::Json(error.to_string()))?;
    let handed = Handed::deserialize(value).map_err(|_| {
        Problem::Json(
            "it needs a list of tasks, each with a title, such as [{\"title\": \"Build it\"}]".into(),
        )
    })?;
    let (title, own) = match handed {
        Handed::Named { title, tasks } => (title, tasks),
        Handed::Tasks(tasks) => (None, tasks),
    };
    let ids: Vec<String> = (own.iter().zip(1_usize..))
        .map(|(one, place)| one.id.as_ref().map_or_else(|| place.to_string(), super::number))
        .collect();
    let known: HashSet<&String> = ids.iter().collect();
    let titles: HashMap<&str, &String> = own.iter().map(|one| one.title.trim()).zip(&ids).collect();
    let needs = |one: &Own| -> Vec<String> {
        let named = one.dependencies.iter().map(super::number);
        let found = named.map(|name| match titles.get(name.as_str()) {
            Some(id) if !known.contains(&name) => (*id).clone(),
            _ => name,
        });
        found.collect()
    };
    let needs: Vec<Vec<String>> = own.iter().map(needs).collect();
    let tasks = own
        .into_iter()
        .zip(ids)
        .zip(needs)
        .map(|((one, id), needs)| Task {
            id,
            needs,
            description: one.description.unwrap_or_default(),
            domain: one.domain.unwrap_or_default().trim().to_lowercase(),
            skills: one.skills,
            checks: one.checks,
            agent: one.agent,
            project: one.project,
            effort: one.estimated_effort.as_ref().map(super::number),
            ..Task::titled(&one.title)
        });
    let plan = Plan {
        title: title.unwrap_or_else(|| "Plan".to_owned()),
        form: Form::Planner,
        tasks: tasks.collect(),
    };
    finish(plan, domains)
}

#[cfg(test)]
mod tests {
    use super::read_planner;
    use crate::domain::Domains;
    use crate::problem::Problem;

    #[test]
    fn tasks_are_named_by_id_title_or_number() {
        let text = r#"{"title": "Shop", "tasks": [
            {"title": "Tables", "domain": "Database", "estimatedEffort": 3},
            {"title": "Routes", "dependencies": ["Tables"], "agent": "codex", "checks": ["curl"]},
            {"id": "ui", "title": "Build UI", "dependencies": [2]}]}"#;
        let plan = read_planner(text, &Domains::default()).unwrap();
        let seen: Vec<_> = (plan.tasks.iter())
            .map(|task| format!("{} {} <{}>", task.id, task.domain, task.needs.join(" ")))
            .collect();
        assert_eq!(seen, ["1 database <>", "2 general <1>", "ui frontend <2>"]);
        assert_eq!(plan.tasks[0].effort.as_deref(), Some("3"));
        assert_eq!(plan.tasks[1].agent.as_deref(), Some("codex"));
        assert_eq!(
            read_planner(r#"[{"title": "x"}]"#, &Domains::default())
                .unwrap()
                .title,
            "Plan"
        );
    }

    #[test]
    fn garbage_is_refused() {
        for text in ["", "{", "{}", "[1]", r#"{"tasks": 1}"#, r#"[{"name": "x"}]"#] {
            let problem = read_planner(text, &Domains::default());
            assert!(matches!(problem, Err(Problem::Json(_))), "{text}: {problem:?}");
        }
        assert_eq!(read_planner("[]", &Domains::default()), Err(Problem::Empty));
    }
}
