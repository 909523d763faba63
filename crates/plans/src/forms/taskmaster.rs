//! The `tasks.json` of Taskmaster: lists of tasks by tag, or one list. Subtasks are tasks that their own task needs.

use crate::plan::{Form, Plan, Task};
use crate::problem::Problem;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

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
        Value::String(text) => text.trim().to_owned(),
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
    let tags: BTreeMap<&str, ()> = fields
        .into_iter()
        .flatten()
        .filter(|(_, value)| has_tasks(value))
        .map(|(tag, _)| (tag.as_str(), ()))
        .collect();
    let known = || tags.keys().copied().collect::<Vec<_>>().join(", ");
    match tag {
        Some(tag) if tags.contains_key(tag) => Ok(Some(tag.to_owned())),
        Some(tag) => Err(Problem::UnknownTag {
            tag: tag.to_owned(),
            known: known(),
        }),
        None if tags.len() == 1 => Ok(tags.keys().next().map(|tag| (*tag).to_owned())),
        None if tags.contains_key("master") => Ok(Some("master".to_owned())),
        None => Err(Problem::Tags(known())),
    }
}

/// Reads a file, if it has the form of Taskmaster.
pub fn read(text: &str, tag: Option<&str>) -> Result<Option<Plan>, Problem> {
    let value: Value = serde_json::from_str(text).map_err(|error| Problem::Json(error.to_string()))?;
    let is_ours = |list: &Value| {
        let tasks = list.get("tasks").and_then(Value::as_array);
        tasks.is_some_and(|tasks| {
            tasks
                .iter()
                .any(|task| task.get("id").is_some() && task.get("status").is_some())
        })
    };
    let is_tagged = value
        .as_object()
        .is_some_and(|fields| fields.values().any(is_ours));
    if !is_tagged && !is_ours(&value) {
        return Ok(None);
    }
    let tag = list_of(&value, tag)?;
    let list = tag.as_deref().map_or(Some(&value), |tag| value.get(tag));
    let list = list
        .and_then(|list| list.get("tasks"))
        .cloned()
        .unwrap_or_default();
    let own: Vec<Own> = serde_json::from_value(list).map_err(|error| Problem::Json(error.to_string()))?;
    let mut tasks = Vec::new();
    for one in own {
        add(one, &mut tasks);
    }
    Ok(Some(Plan {
        title: tag.map_or_else(|| "Taskmaster".to_owned(), |tag| format!("Taskmaster: {tag}")),
        form: Form::Taskmaster,
        tasks,
    }))
}

/// Adds a task after its subtasks.
fn add(own: Own, tasks: &mut Vec<Task>) {
    let id = number(&own.id);
    let needs: Vec<String> = own.dependencies.iter().map(number).collect();
    let mut task = task(&own, id.clone());
    task.needs.clone_from(&needs);
    for sub in &own.subtasks {
        let mut below = self::task(sub, format!("{id}.{}", number(&sub.id)));
        below.done |= task.done;
        let siblings = sub.dependencies.iter().map(number);
        // Within its task, a subtask is called by its number alone.
        let siblings = siblings.map(|need| match need.contains('.') {
            true => need,
            false if own.subtasks.iter().any(|other| number(&other.id) == need) => format!("{id}.{need}"),
            false => need,
        });
        below.needs = needs.iter().cloned().chain(siblings).collect();
        task.needs.push(below.id.clone());
        tasks.push(below);
    }
    tasks.push(task);
}

fn task(own: &Own, id: String) -> Task {
    let parts = [&own.description, &own.details];
    let parts: Vec<&str> = parts.into_iter().flatten().map(|part| part.trim()).collect();
    let status = own.status.as_deref().unwrap_or("pending");
    Task {
        id,
        description: parts.join("\n"),
        checks: own
            .test_strategy
            .iter()
            .filter(|text| !text.trim().is_empty())
            .cloned()
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
