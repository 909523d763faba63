//! Reads the task lists that agents keep for themselves. Agents post them in different forms: a whole list
//! with states, or one task at a time. Nothing here is evidence of a status.

use crate::text::{MAX_LINE, one_line};
use downbeat_model::{FactKind, Task};
use serde_json::Value;

/// Returns the tasks that a tool call of Claude Code or Codex lists or changes. `answer` is the answer of the
/// tool, once the call has ended.
pub(crate) fn tasks_of_tool_call(tool: &str, input: &Value, answer: Option<&Value>) -> Option<FactKind> {
    match (tool, answer) {
        ("TodoWrite", None) => tasks_in_list(input.get("todos")?, &["activeForm", "content"]),
        ("update_plan", None) => tasks_in_list(input.get("plan")?, &["step"]),
        ("TaskUpdate", None) => {
            let state = input.get("status").and_then(Value::as_str);
            Some(FactKind::Task(Task {
                id: word(input.get("taskId")?)?,
                text: line(input, &["activeForm", "subject"]),
                is_current: state.map(|state| state == "in_progress"),
            }))
        }
        ("TaskCreate", Some(answer)) => Some(FactKind::Task(Task {
            id: id_of_made_task(answer)?,
            text: line(input, &["activeForm", "subject"]),
            is_current: None,
        })),
        _ => None,
    }
}

/// Returns the tasks in a whole list that are in progress.
pub(crate) fn tasks_in_list(items: &Value, names: &[&str]) -> Option<FactKind> {
    let items = items.as_array()?.iter().enumerate();
    let current = items.filter(|(_, item)| item.get("status").and_then(Value::as_str) == Some("in_progress"));
    let tasks = current.map(|(at, item)| Task {
        id: at.to_string(),
        text: line(item, names),
        is_current: Some(true),
    });
    Some(FactKind::Plan(tasks.collect()))
}

/// Returns the id of a newly created task: `Task #3 created successfully: …`, or `{"task": {"id": "3"}}`.
fn id_of_made_task(answer: &Value) -> Option<String> {
    if let Some(id) = answer.get("task").and_then(|task| task.get("id")) {
        return word(id);
    }
    let text = answer.to_string();
    let rest = text.split_once("Task #")?.1;
    let (id, _) = rest.split_once(" created")?;
    (!id.is_empty() && id.len() <= 40 && !id.contains(char::is_whitespace)).then(|| id.to_owned())
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.chars().take(MAX_LINE).collect()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the first of these fields that has text, as one line.
fn line(item: &Value, names: &[&str]) -> Option<String> {
    let texts = names.iter().filter_map(|name| item.get(name)?.as_str());
    texts.map(one_line).find(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_model::Tasks;
    use serde_json::json;

    fn current(calls: &[(&str, Value, Option<Value>)]) -> Option<String> {
        let mut tasks = Tasks::default();
        for (tool, input, answer) in calls {
            if let Some(fact) = tasks_of_tool_call(tool, input, answer.as_ref()) {
                tasks.apply(&fact);
            }
        }
        tasks.current().map(str::to_owned)
    }

    #[test]
    fn the_current_task_is_read_from_each_agents_calls() {
        let todos = json!({"todos": [
            {"content": "Read it", "status": "completed", "activeForm": "Reading it"},
            {"content": "Mend it", "status": "in_progress", "activeForm": "Mending\nit"},
        ]});
        assert_eq!(
            current(&[("TodoWrite", todos, None)]).as_deref(),
            Some("Mending it")
        );
        let plan = json!({"plan": [{"step": "Look", "status": "in_progress"}]});
        assert_eq!(current(&[("update_plan", plan, None)]).as_deref(), Some("Look"));
        let made = |answer: Value| {
            let create = json!({"subject": "Mend it", "activeForm": "Mending it"});
            let begin = json!({"taskId": "3", "status": "in_progress"});
            vec![("TaskCreate", create, Some(answer)), ("TaskUpdate", begin, None)]
        };
        for answer in [
            json!({"task": {"id": "3"}}),
            json!("Task #3 created successfully: x"),
            json!([{"text": "Task #3 created successfully: x"}]),
        ] {
            assert_eq!(current(&made(answer)).as_deref(), Some("Mending it"));
        }
        let done = ("TaskUpdate", json!({"taskId": "3", "status": "completed"}), None);
        let all = [made(json!({"task": {"id": 3}})), vec![done]].concat();
        assert_eq!(current(&all), None);
    }

    #[test]
    fn calls_of_another_form_are_ignored() {
        for input in [
            json!(null),
            json!([]),
            json!({"todos": 1}),
            json!({"taskId": {}}),
            json!({"plan": [1, {}]}),
        ] {
            for tool in ["TodoWrite", "TaskUpdate", "update_plan", "TaskCreate", "Bash"] {
                for answer in [None, Some(json!("Task # created")), Some(json!({"task": []}))] {
                    let _ = tasks_of_tool_call(tool, &input, answer.as_ref());
                }
            }
        }
    }
}
