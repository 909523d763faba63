//! The `tasks.json` of Taskmaster: lists of tasks by tag, or one list. Subtasks are tasks that their own task needs.

use crate::check::{MOST_NEEDS, is_short};
use crate::gathered::Gathered;
use crate::plan::{Form, Plan, Task};
use crate::problem::Problem;
use crate::words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// The most lists that are named to somebody who has to choose one.
const MOST_TAGS: usize = 20;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    id: Value,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    details: Option<String>,
    #[serde(default)]
    test_strategy: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    dependencies: Vec<Value>,
    #[serde(default)]
    subtasks: Vec<Own>,
}

/// Returns an id, which is a number or a text.
pub(crate) fn number(id: &Value) -> String {
    match id {
        Value::String(text) => words::one_line(text),
        other => other.to_string(),
    }
}

/// Returns the key of the list to read: `None` for a file with one list without a tag.
pub(crate) fn list_of(value: &Value, tag: Option<&str>) -> Result<Option<String>, Problem> {
    let has_tasks = |value: &Value| value.get("tasks").is_some_and(Value::is_array);
    if has_tasks(value) {
        return Ok(None);
    }
    let fields = value.as_object();
    let tags: BTreeSet<&str> = fields
        .into_iter()
        .flatten()
        .filter(|(_, value)| has_tasks(value))
        .map(|(tag, _)| tag.as_str())
        .collect();
    let known = || {
        let named: Vec<String> = tags.iter().take(MOST_TAGS).map(|tag| words::name(tag)).collect();
        named.join(", ")
    };
    match tag {
        Some(tag) if tags.contains(tag) => Ok(Some(tag.to_owned())),
        Some(tag) => Err(Problem::UnknownTag {
            tag: words::name(tag),
            known: known(),
        }),
        None if tags.len() == 1 => Ok(tags.first().map(|tag| (*tag).to_owned())),
        None if tags.contains("master") => Ok(Some("master".to_owned())),
        None => Err(Problem::Tags(known())),
    }
}

/// Reports whether a value has the form of Taskmaster, whose tasks may be in several lists.
fn is_ours(value: &Value) -> bool {
    let is_list = |list: &Value| {
        let tasks = list.get("tasks").and_then(Value::as_array);
        tasks.is_some_and(|tasks| {
            tasks
                .iter()
                .any(|task| task.get("id").is_some() && task.get("status").is_some())
        })
    };
    let fields = value.as_object();
    is_list(value) || fields.is_some_and(|fields| fields.values().any(is_list))
}

/// Reads a file, if it has the form of Taskmaster.
pub fn read(text: &str, tag: Option<&str>) -> Result<Option<Plan>, Problem> {
    let mut value = super::json_of(text)?;
    if !is_ours(&value) {
        return Ok(None);
    }
    let tag = list_of(&value, tag)?;
    let list = match tag.as_deref() {
        Some(tag) => value.get_mut(tag),
        None => Some(&mut value),
    };
    let list = list.and_then(|list| list.get_mut("tasks")).map(Value::take);
    let own: Vec<Own> =
        serde_json::from_value(list.unwrap_or_default()).map_err(|error| Problem::Json(error.to_string()))?;
    let mut tasks = Gathered::default();
    for one in own {
        add(one, &mut tasks)?;
    }
    Ok(Some(Plan {
        title: tag.map_or_else(
            || "Taskmaster".to_owned(),
            |tag| words::name(&format!("Taskmaster: {tag}")),
        ),
        form: Form::Taskmaster,
        tasks: tasks.into_tasks(),
    }))
}

/// Adds a task after its subtasks. Each of these needs what its task needs, so that a short list of both could become a long one.
fn add(own: Own, tasks: &mut Gathered) -> Result<(), Problem> {
    let id = number(&own.id);
    is_short(&id)?;
    let needs = named(&own.dependencies)?;
    let mut task = task(&own, id.clone());
    task.needs.clone_from(&needs);
    let siblings: HashSet<String> = own.subtasks.iter().map(|sub| number(&sub.id)).collect();
    for sub in &own.subtasks {
        let mut below = self::task(sub, format!("{id}.{}", number(&sub.id)));
        below.done |= task.done;
        below.description = part_of(&task, &below.description);
        // Within its task, a subtask is called by its number alone.
        let near = named(&sub.dependencies)?.into_iter().map(|need| {
            let is_sibling = !need.contains('.') && siblings.contains(&need);
            if is_sibling { format!("{id}.{need}") } else { need }
        });
        below.needs = needs.iter().cloned().chain(near).collect();
        task.needs.push(below.id.clone());
        tasks.push(below)?;
    }
    tasks.push(task)
}

/// Returns the description of a subtask, whose worker knows nothing else of its task.
fn part_of(task: &Task, own: &str) -> String {
    let parts = [
        own,
        &format!("It is part of task {}: {}", task.id, task.title),
        &task.description,
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Returns the ids in a list of dependencies, each once.
fn named(dependencies: &[Value]) -> Result<Vec<String>, Problem> {
    if dependencies.len() > MOST_NEEDS {
        return Err(Problem::TooManyNeeds { most: MOST_NEEDS });
    }
    let mut seen = HashSet::new();
    let all = dependencies.iter().map(number);
    Ok(all.filter(|id| seen.insert(id.clone())).collect())
}

fn task(own: &Own, id: String) -> Task {
    let parts = [&own.description, &own.details];
    let parts: Vec<&str> = parts.into_iter().flatten().map(|part| part.trim()).collect();
    let status = own.status.as_deref().unwrap_or("pending");
    Task {
        id,
        description: words::plain_lines(&parts.join("\n")),
        checks: own
            .test_strategy
            .iter()
            .map(|text| words::one_line(text))
            .filter(|text| !text.is_empty())
            .collect(),
        done: matches!(status, "done" | "completed" | "cancelled" | "deferred"),
        ..Task::titled(&own.title)
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::read_file;
    use crate::problem::Problem;

    const FILE: &str = r#"{"master": {"tasks": [
        {"id": 1, "title": "Set up database", "status": "done", "dependencies": []},
        {"id": 2, "title": "Create API", "description": "REST.", "details": "With limits.", "testStrategy": "curl it",
         "status": "pending", "dependencies": [1], "priority": "high", "subtasks": [
            {"id": 1, "title": "Routes", "status": "pending", "dependencies": []},
            {"id": 2, "title": "Errors", "status": "in-progress", "dependencies": [1, "1.1"]}]},
        {"id": "1.1", "title": "Odd", "status": "deferred", "dependencies": []}
    ], "metadata": {}}}"#;

    #[test]
    fn tasks_subtasks_and_statuses() {
        let plan = read_file(FILE.as_bytes(), None, &Domains::default()).unwrap();
        let seen: Vec<_> = (plan.tasks.iter())
            .map(|task| format!("{} {} <{}>", task.id, task.done, task.needs.join(" ")))
            .collect();
        assert_eq!(
            seen,
            [
                "1 true <>",
                "2.1 false <1>",
                "2.2 false <1 2.1 1.1>",
                "2 false <1 2.1 2.2>",
                "1.1 true <>"
            ]
        );
        assert_eq!(plan.tasks[3].description, "REST.\nWith limits.");
        assert_eq!(plan.tasks[3].checks, ["curl it"]);
        let routes = "It is part of task 2: Create API\nREST.\nWith limits.";
        assert_eq!(plan.tasks[1].description, routes, "its worker knows nothing else");
    }

    /// Writes a file with one task that has these dependencies and subtasks.
    fn with(id: &str, dependencies: usize, subtasks: usize) -> String {
        let listed = |one: &str, times: usize| vec![one; times].join(",");
        let tasks: Vec<String> = (0..dependencies)
            .map(|other| format!(r#"{{"id": {other}}}"#))
            .collect();
        let needs: Vec<String> = (0..dependencies).map(|other| other.to_string()).collect();
        format!(
            r#"{{"tasks": [{}{{"id": "{id}", "title": "a", "status": "pending", "dependencies": [{}], "subtasks": [{}]}}]}}"#,
            tasks.iter().map(|task| format!("{task},")).collect::<String>(),
            needs.join(","),
            listed(r#"{"id": 1, "title": "b"}"#, subtasks),
        )
    }

    #[test]
    fn a_short_file_does_not_become_a_long_plan() {
        let read = |text: String| read_file(text.as_bytes(), None, &Domains::default()).unwrap_err();
        // Each subtask needs what its task needs.
        assert_eq!(
            read(with("x", 3000, 3000)),
            Problem::TooManyNeeds { most: 50_000 }
        );
        assert_eq!(read(with("x", 0, 10_001)), Problem::TooMany { most: 10_000 });
        let long = "x".repeat(100_000);
        assert_eq!(read(with(&long, 0, 9000)), Problem::LongId("x".repeat(40)));
        let dependencies = vec!["1"; 60_000].join(",");
        let text = format!(r#"{{"tasks": [{{"id": 1, "status": "", "dependencies": [{dependencies}]}}]}}"#);
        assert_eq!(read(text), Problem::TooManyNeeds { most: 50_000 });
    }

    #[test]
    fn a_dependency_that_is_named_twice_is_one() {
        let text = r#"{"tasks": [{"id": 1, "title": "a", "status": "x"},
            {"id": 2, "title": "b\u001b", "status": "x", "dependencies": [1, "1", 1], "testStrategy": "run\nit"}]}"#;
        let plan = read_file(text.as_bytes(), None, &Domains::default()).unwrap();
        let task = &plan.tasks[1];
        assert_eq!(
            (task.needs.as_slice(), task.title.as_str(), task.checks.as_slice()),
            (&["1".to_owned()][..], "b", &["run it".to_owned()][..])
        );
    }

    #[test]
    fn several_lists_have_to_be_named() {
        let list = r#"{"tasks": [{"id": 1, "title": "a", "status": "pending"}]}"#;
        let file = format!(r#"{{"one": {list}, "two": {list}}}"#);
        let read = |tag| read_file(file.as_bytes(), tag, &Domains::default());
        assert_eq!(read(None), Err(Problem::Tags("one, two".into())));
        assert_eq!(read(Some("two")).unwrap().title, "Taskmaster: two");
        assert!(matches!(read(Some("three")), Err(Problem::UnknownTag { .. })));
        assert_eq!(
            read_file(list.as_bytes(), None, &Domains::default())
                .unwrap()
                .tasks
                .len(),
            1
        );
    }
}
