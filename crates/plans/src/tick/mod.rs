//! Writes progress back into a plan's text: boxes of checklists, statuses of Taskmaster. Nothing else changes, not a byte.

use crate::forms::{box_of, is_box, list_of, marks_of, number, own_id};
use crate::plan::Task;
use crate::problem::Problem;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

mod places;

use places::{Node, places};

/// A status of Taskmaster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nobody works on it.
    Pending,
    /// A worker has it.
    InProgress,
    /// It is done.
    Done,
}

impl Status {
    /// Returns its word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in-progress",
            Self::Done => "done",
        }
    }
}

/// Ticks the boxes of tasks. Returns the new text, and the ids of tasks that are not in it any more. A task without an id of its
/// own is found by its title.
#[must_use]
pub fn tick(text: &str, done: &[&Task]) -> (String, Vec<String>) {
    let mut boxes: HashMap<String, Vec<usize>> = HashMap::new();
    let (mut start, mut in_code) = (0, false);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        if is_box(bare, &mut in_code)
            && let Some(own) = box_of(bare)
        {
            let (id, text) = own_id(own.text).map_or(("", own.text), |(_, id, rest)| (id, rest));
            let (task, _) = marks_of(text);
            let sign = start + own.sign;
            for key in [id, &task.id].into_iter().filter(|id| !id.is_empty()) {
                boxes.entry(format!("id {key}")).or_default().push(sign);
            }
            boxes
                .entry(format!("title {}", task.title))
                .or_default()
                .push(sign);
        }
        start += line.len();
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut gone = Vec::new();
    for task in done {
        let by_id = boxes.get(&format!("id {}", task.id)).and_then(|all| all.first());
        let found = by_id.or_else(|| {
            let all = boxes.get(&format!("title {}", task.title))?;
            let open = all.iter().find(|sign| bytes.get(**sign) == Some(&b' '));
            open.or_else(|| all.first())
        });
        match found.and_then(|sign| bytes.get_mut(*sign)) {
            Some(sign) if *sign == b' ' => *sign = b'x',
            Some(_) => {}
            None => gone.push(task.id.clone()),
        }
    }
    (String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned()), gone)
}

/// Writes the status of one task of Taskmaster.
///
/// # Errors
/// Fails if the file has another form by now, or does not have the task.
pub fn write_status(text: &str, tag: Option<&str>, id: &str, status: Status) -> Result<String, Problem> {
    let value: Value = serde_json::from_str(text).map_err(|error| Problem::Json(error.to_string()))?;
    let gone = || Problem::Gone(id.to_owned());
    let root = places(text).ok_or_else(gone)?;
    let list = match list_of(&value, tag)? {
        Some(tag) => root.field(&tag).ok_or_else(gone)?,
        None => &root,
    };
    let place = place_of(text, list, id).ok_or_else(gone)?;
    let mut written = text.to_owned();
    written.replace_range(place, &format!("\"{}\"", status.word()));
    Ok(written)
}

/// Returns where the status of a task or subtask stands.
fn place_of(text: &str, list: &Node, id: &str) -> Option<Range<usize>> {
    let found = |all: &Node, wanted: &str| -> Option<Node> {
        let all = all.items();
        let own = all
            .iter()
            .find(|task| task.field("id").and_then(|id| name(text, id)).as_deref() == Some(wanted));
        own.cloned()
    };
    let tasks = list.field("tasks")?;
    let task = found(tasks, id).or_else(|| {
        let (above, own) = id.rsplit_once('.')?;
        found(found(tasks, above)?.field("subtasks")?, own)
    })?;
    match task.field("status")? {
        Node::Plain(place) => Some(place.clone()),
        _ => None,
    }
}

fn name(text: &str, id: &Node) -> Option<String> {
    let Node::Plain(place) = id else {
        return None;
    };
    serde_json::from_str(text.get(place.clone())?)
        .ok()
        .map(|id: Value| number(&id))
}

#[cfg(test)]
mod tests {
    use super::{Status, tick, write_status};
    use crate::domain::Domains;
    use crate::forms::read_file;
    use crate::problem::Problem;

    #[test]
    fn only_the_boxes_change() {
        let text = "# Plan\r\n\r\n-  [ ]  T001 é Set up [P]\r\n* [X] T002 Done before\n```\n- [ ] T003 Build\n```\n\t- [ ] T003 Build \n  - [ ] T004 Last";
        let plan = read_file(text.as_bytes(), None, &Domains::default()).unwrap();
        let all: Vec<_> = plan.tasks.iter().collect();
        let (ticked, gone) = tick(text, &all);
        let expected = "# Plan\r\n\r\n-  [x]  T001 é Set up [P]\r\n* [X] T002 Done before\n```\n- [ ] T003 Build\n```\n\t- [x] T003 Build \n  - [ ] T004 Last";
        assert_eq!(gone, Vec::<String>::new());
        let expected = expected.replace(
            "- [ ] T004",
            if all.len() == 4 {
                "- [x] T004"
            } else {
                "- [ ] T004"
            },
        );
        assert_eq!(ticked, expected);
    }

    #[test]
    fn a_task_is_found_by_its_title_after_the_file_was_edited() {
        let plan = read_file(
            b"- [ ] one\n- [ ] two (depends_on: 1)\n- [ ] one\n",
            None,
            &Domains::default(),
        )
        .unwrap();
        let edited = "- [ ] new\n- [ ] two (depends_on: 1)\n- [ ] one\n";
        let (ticked, gone) = tick(edited, &[&plan.tasks[1], &plan.tasks[0]]);
        assert_eq!(ticked, "- [ ] new\n- [x] two (depends_on: 1)\n- [x] one\n");
        assert!(gone.is_empty());
        assert_eq!(
            tick("- [ ] new\n", &[&plan.tasks[0]]),
            ("- [ ] new\n".to_owned(), vec!["1".to_owned()])
        );
    }

    #[test]
    fn a_status_is_written_in_place() {
        let text = "{ \"master\":{\"tasks\": [\n  {\"id\":1, \"title\":\"a \\\"status\\\"\", \"status\" : \"pending\",\n \"subtasks\":[{\"id\":2,\"status\":\"pending\",\"x\":[1,{}]}]},\n{\"status\":\"pending\",\"id\":\"7\"}\n]}}\n";
        let written = write_status(text, None, "1", Status::Done).unwrap();
        assert_eq!(
            written,
            text.replacen("\"status\" : \"pending\"", "\"status\" : \"done\"", 1)
        );
        let written = write_status(text, Some("master"), "1.2", Status::InProgress).unwrap();
        assert_eq!(
            written,
            text.replacen("2,\"status\":\"pending\"", "2,\"status\":\"in-progress\"", 1)
        );
        let written = write_status(text, None, "7", Status::Done).unwrap();
        assert_eq!(
            written,
            text.replacen("{\"status\":\"pending\"", "{\"status\":\"done\"", 1)
        );
        assert_eq!(
            write_status(text, None, "9", Status::Done),
            Err(Problem::Gone("9".into()))
        );
        assert!(write_status("{", None, "9", Status::Done).is_err());
    }
}
