//! The JSON of a planner: tasks with `title, description, dependencies, estimatedEffort, agent, domain, checks`. Tasks are named by id,
//! title or number. What a planner is asked is in `goal`.

use crate::check::{MOST_NEEDS, MOST_TASKS, is_short};
use crate::domain::Domains;
use crate::forms::{finish, text_of, title};
use crate::gathered::Gathered;
use crate::goal::Question;
use crate::plan::{Form, Plan, Task, UNTITLED_JSON};
use crate::problem::Problem;
use crate::words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::iter::zip;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    #[serde(default)]
    id: Option<Value>,
    title: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, alias = "dependsOn", alias = "needs")]
    dependencies: Option<Vec<Value>>,
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

impl Own {
    /// Returns what it needs, as it names that.
    fn needs(&self) -> &[Value] {
        self.dependencies.as_deref().unwrap_or_default()
    }
}

/// Returns the title, if there is one, and the tasks of a list, or of what names them `tasks`.
fn listed(value: Value) -> Option<(Option<String>, Vec<Value>)> {
    match value {
        Value::Array(tasks) => Some((None, tasks)),
        Value::Object(mut named) => match (named.remove("title"), named.remove("tasks")) {
            (Some(Value::String(title)), Some(Value::Array(tasks))) => Some((Some(title), tasks)),
            (None | Some(Value::Null), Some(Value::Array(tasks))) => Some((None, tasks)),
            _ => None,
        },
        _ => None,
    }
}

/// Reads the JSON of a planner.
///
/// # Errors
/// Says why it is no plan that can be done.
pub fn read_planner(text: &str, domains: &Domains) -> Result<Plan, Problem> {
    read(text, UNTITLED_JSON, domains)
}

/// Reads the answer of a planner to a question. The plan has the goal as its title, unless the planner gives it another one.
///
/// # Errors
/// Says why it is no plan that can be done, or what of it was not asked for.
pub fn read_answer(text: &str, question: &Question<'_>, domains: &Domains) -> Result<Plan, Problem> {
    let plan = read(text, &title(question.goal, &[]), domains)?;
    if plan.tasks.len() > question.max_tasks {
        return Err(Problem::MoreThanAsked {
            tasks: plan.tasks.len(),
            most: question.max_tasks,
        });
    }
    for task in &plan.tasks {
        if let Some(agent) = &task.agent
            && !question.agents.contains(agent)
        {
            return Err(Problem::UnknownAgent {
                task: task.id.clone(),
                agent: agent.clone(),
                known: question.agents.clone(),
            });
        }
    }
    Ok(plan)
}

fn read(text: &str, untitled: &str, domains: &Domains) -> Result<Plan, Problem> {
    text_of(text.as_bytes())?;
    let (title, tasks) = handed(text)?;
    let plan = Plan {
        title: title.unwrap_or_else(|| untitled.to_owned()),
        form: Form::Planner,
        tasks,
    };
    finish(plan, domains)
}

/// Returns the title, if there is one, and the tasks of a planner's JSON, as they are written.
pub(super) fn handed(text: &str) -> Result<(Option<String>, Vec<Task>), Problem> {
    let value = super::json_of(text)?;
    let (title, tasks) = listed(value).ok_or_else(|| {
        let what = "it needs a list of tasks, each with a title, such as [{\"title\": \"Build it\"}]";
        Problem::Json(what.into())
    })?;
    let read = |(number, task): (usize, Value)| {
        let own = Own::deserialize(task);
        own.map_err(|error| Problem::Json(format!("task {number}: {}", words::name(&error.to_string()))))
    };
    let own: Vec<Own> = (1_usize..).zip(tasks).map(read).collect::<Result<_, _>>()?;
    let needed: usize = own.iter().map(|one| one.needs().len()).sum();
    if own.len() > MOST_TASKS {
        return Err(Problem::TooMany { most: MOST_TASKS });
    }
    if needed > MOST_NEEDS {
        return Err(Problem::TooManyNeeds { most: MOST_NEEDS });
    }
    let ids: Vec<String> = (own.iter().zip(1_usize..))
        .map(|(one, place)| one.id.as_ref().map_or_else(|| place.to_string(), super::number))
        .collect();
    // A task is named by an id in the place of a title, so that a long one would be repeated.
    ids.iter().try_for_each(|id| is_short(id))?;
    let is_empty = |(one, _): &(&Own, &String)| words::one_line(&one.title).is_empty();
    if let Some((_, id)) = zip(&own, &ids).find(is_empty) {
        return Err(Problem::Untitled(id.clone()));
    }
    let needs = needs(&own, &ids);
    let mut tasks = Gathered::default();
    for ((one, id), needs) in zip(zip(own, ids), needs) {
        tasks.push(task(one, id, needs))?;
    }
    let title = title.map(|title| words::name(&title));
    Ok((title.filter(|title| !title.is_empty()), tasks.into_tasks()))
}

/// Returns the ids of what each task needs, which may be named by its title.
fn needs(own: &[Own], ids: &[String]) -> Vec<Vec<String>> {
    let known: HashSet<&String> = ids.iter().collect();
    let titles: HashMap<String, &String> = zip(own, ids)
        .map(|(one, id)| (words::one_line(&one.title), id))
        .collect();
    let all = own.iter().map(|one| {
        let named = one.needs().iter().map(super::number);
        let found = named.map(|name| match titles.get(&name) {
            Some(id) if !known.contains(&name) => (*id).clone(),
            _ => name,
        });
        found.collect()
    });
    all.collect()
}

fn task(one: Own, id: String, needs: Vec<String>) -> Task {
    let lines = |all: Vec<String>| all.iter().map(|text| words::one_line(text)).collect();
    Task {
        id,
        needs,
        description: words::plain_lines(&one.description.unwrap_or_default()),
        domain: words::domain(&one.domain.unwrap_or_default()),
        skills: lines(one.skills),
        checks: lines(one.checks),
        agent: one.agent.map(|agent| words::name(&agent)),
        project: one.project.map(|project| words::name(&project)),
        effort: one
            .estimated_effort
            .map(|effort| words::name(&super::number(&effort))),
        ..Task::titled(&one.title)
    }
}

#[cfg(test)]
mod tests {
    use super::{read_answer, read_planner};
    use crate::domain::Domains;
    use crate::goal::{Place, Question};
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
    fn a_short_text_does_not_become_a_long_plan() {
        let read = |text: String| read_planner(&text, &Domains::default()).unwrap_err();
        // A long id would be repeated for each need that names its task by title.
        let long = "x".repeat(100_000);
        let needs = vec!["\"a\""; 20_000].join(",");
        let text =
            format!(r#"[{{"id": "{long}", "title": "a"}}, {{"title": "b", "dependencies": [{needs}]}}]"#);
        assert_eq!(read(text), Problem::LongId("x".repeat(40)));
        let needs = vec!["1"; 50_001].join(",");
        let text = format!(r#"[{{"title": "a"}}, {{"title": "b", "dependencies": [{needs}]}}]"#);
        assert_eq!(read(text), Problem::TooManyNeeds { most: 50_000 });
        let many = vec![r#"{"title": "a"}"#; 10_001].join(",");
        assert_eq!(read(format!("[{many}]")), Problem::TooMany { most: 10_000 });
    }

    #[test]
    fn what_is_read_cannot_act_on_a_terminal_and_names_are_short() {
        let long = "x".repeat(500);
        let text = format!(
            r#"{{"title": "S\u001b[2J{long}", "tasks": [{{"id": "a\u202e", "title": "A\u001bb\n", "description": "c\u001b\nd",
            "domain": "U\u202eI$ {long}", "checks": ["e\nf\u0007"], "skills": ["g\u009b"]}},
            {{"title": "B", "dependencies": ["A b"]}}]}}"#
        );
        let plan = read_planner(&text, &Domains::default()).unwrap();
        assert!(
            plan.title.starts_with("S [2Jxxx") && plan.title.len() == 120,
            "{}",
            plan.title
        );
        let task = &plan.tasks[0];
        assert_eq!((task.id.as_str(), task.title.as_str()), ("a", "A b"));
        assert_eq!(task.description, "c\nd");
        assert!(
            task.domain.starts_with("ui xxx") && task.domain.len() <= 60,
            "{}",
            task.domain
        );
        assert_eq!(
            (task.checks.join(""), task.skills.join("")),
            ("e f".into(), "g".into())
        );
        assert_eq!(plan.tasks[1].needs, ["a"]);
    }

    #[test]
    fn garbage_is_refused() {
        for text in ["", "{", "{}", "[1]", r#"{"tasks": 1}"#, r#"[{"name": "x"}]"#] {
            let problem = read_planner(text, &Domains::default());
            assert!(matches!(problem, Err(Problem::Json(_))), "{text}: {problem:?}");
        }
        assert_eq!(read_planner("[]", &Domains::default()), Err(Problem::Empty));
    }

    fn answered(text: &str) -> Result<Vec<String>, String> {
        let question = Question {
            goal: "Sell shoes\nonline",
            project: Place {
                name: "shop",
                path: "/shop",
            },
            max_tasks: 3,
            domains: Vec::new(),
            agents: vec!["claude".into(), "codex".into()],
        };
        let plan =
            read_answer(text, &question, &Domains::default()).map_err(|problem| problem.to_string())?;
        let tasks = plan.tasks.iter().map(|task| {
            let agent = task.agent.as_deref().unwrap_or("-");
            format!("{} {} <{}> {agent}", task.id, task.title, task.needs.join(" "))
        });
        Ok(std::iter::once(plan.title.clone()).chain(tasks).collect())
    }

    #[test]
    fn good_answers_are_plans_with_the_goal_as_their_title() {
        for (text, wanted) in [
            (
                r#"[{"title": "Build UI"}]"#,
                vec!["Sell shoes", "1 Build UI <> -"],
            ),
            (
                r#"{"title": "Shoes", "tasks": [{"id": "db", "title": "Tables"},
                    {"title": "API\nof shoes", "dependencies": ["db"], "agent": "codex", "estimatedEffort": "2h"}]}"#,
                vec!["Shoes", "db Tables <> -", "2 API of shoes <db> codex"],
            ),
            (
                "  {\"tasks\": [{\"title\": \"Tests\", \"note\": 1}]}\n",
                vec!["Sell shoes", "1 Tests <> -"],
            ),
        ] {
            let wanted: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
            assert_eq!(answered(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn bad_answers_name_what_is_wrong() {
        let four = r#"[{"title": "a"}, {"title": "b"}, {"title": "c"}, {"title": "d"}]"#;
        for (text, wanted) in [
            ("", "its JSON cannot be read: EOF"),
            (
                "Sure! Here is your plan:\n[]",
                "its JSON cannot be read: expected value",
            ),
            (
                r#"[{"title": "a"}] and more"#,
                "its JSON cannot be read: trailing",
            ),
            (r#"{"plan": []}"#, "it needs a list of tasks, each with a title"),
            (
                r#"{"tasks": "a, b"}"#,
                "it needs a list of tasks, each with a title",
            ),
            (r#"{"tasks": []}"#, "there is no task in it"),
            ("[]", "there is no task in it"),
            (
                r#"[{"title": "a"}, {"title": "b", "dependencies": "a"}]"#,
                "task 2: invalid type: string",
            ),
            (
                r#"[{"title": "a"}, {"titel": "b"}]"#,
                "task 2: missing field `title`",
            ),
            (r#"[{"title": "a"}, {"title": " \n"}]"#, "task 2 has no title"),
            (four, "it has 4 tasks; at most 3 were asked for"),
            (
                r#"[{"title": "a", "agent": "shell"}]"#,
                "task 1 names the agent shell; those for workers are claude, codex",
            ),
            (
                r#"[{"id": "a", "title": "a"}, {"id": "a", "title": "b"}]"#,
                "two tasks have the id a",
            ),
            (
                r#"[{"id": "a", "title": "a", "dependencies": ["b"]}, {"id": "b", "title": "b", "dependencies": ["a"]}]"#,
                "these tasks wait for each other: a → b → a",
            ),
            (
                r#"[{"id": "api", "title": "a", "dependencies": ["databse"]}, {"id": "database", "title": "b"}]"#,
                "task api needs databse, which is not in the plan: did you mean database?",
            ),
        ] {
            let said = answered(text).unwrap_err();
            assert!(said.contains(wanted), "{text}: {said}");
        }
    }
}
