//! Writes the statuses of Taskmaster.

use super::index::{Found, Index};
use super::lines::Line;
use super::places::{Node, places};
use super::ticking::{Edit, Missing, Ticking};
use crate::check::is_short;
use crate::forms::{json_of, list_of, number};
use crate::problem::Problem;
use crate::words::one_line;
use serde_json::Value;
use std::ops::Range;

/// What stands there when a task is done.
const DONE: &str = "\"done\"";

/// Says which statuses are written for lines of a plan.
///
/// # Errors
/// Fails if the file has another form by now.
pub(super) fn tick(text: &str, tag: Option<&str>, lines: &[Line]) -> Result<Ticking, Problem> {
    let tag = list_of(&json_of(text)?, tag)?;
    let other_form = || Problem::Json("its tasks are not where they were".into());
    let root = places(text).ok_or_else(other_form)?;
    let list = match &tag {
        Some(tag) => root.field(tag).ok_or_else(other_form)?,
        None => &root,
    };
    let mut known = Known::default();
    known.read(text, list);
    let mut index = Index::of(known.all);
    let mut ticking = Ticking::default();
    for (at, line) in lines.iter().enumerate() {
        let taken = index.take(line);
        let place = taken.map(|(place, is_open)| (known.statuses.get(place).cloned().flatten(), is_open));
        match place {
            Ok((Some(at), true)) => ticking.edits.push(Edit { at, text: DONE }),
            Ok((Some(_), false)) => {}
            Ok((None, _)) => ticking.missing.push((at, Missing::NoStatus)),
            Err(why) => ticking.missing.push((at, why)),
        }
    }
    ticking.edits.sort_by_key(|edit| edit.at.start);
    Ok(ticking)
}

/// The tasks and subtasks of a list, in the order in which they are read, and where their statuses stand.
#[derive(Default)]
struct Known {
    all: Vec<Found>,
    statuses: Vec<Option<Range<usize>>>,
}

impl Known {
    fn read(&mut self, text: &str, list: &Node) {
        for task in items(list, "tasks") {
            // A long id would be repeated for each subtask. No plan has one.
            let id = value(text, task, "id").map(|id| number(&id));
            let id = id.filter(|id| is_short(id).is_ok());
            for sub in items(task, "subtasks") {
                let own = value(text, sub, "id").map(|own| number(&own));
                let whole = id.as_ref().zip(own).map(|(id, own)| format!("{id}.{own}"));
                self.add(text, sub, whole);
            }
            self.add(text, task, id);
        }
    }

    fn add(&mut self, text: &str, task: &Node, id: Option<String>) {
        let title = match value(text, task, "title") {
            Some(Value::String(title)) => one_line(&title),
            _ => String::new(),
        };
        let status = match task.field("status") {
            Some(Node::Plain(place)) => Some(place.clone()),
            _ => None,
        };
        let is_done = status.clone().and_then(|place| text.get(place)) == Some(DONE);
        self.statuses.push(status);
        self.all.push(Found {
            ids: id.into_iter().collect(),
            titles: vec![title],
            is_task: true,
            is_open: !is_done,
        });
    }
}

fn items<'a>(node: &'a Node, field: &str) -> &'a [Node] {
    node.field(field).map_or(&[], Node::items)
}

/// Returns a field that is no list and no object.
fn value(text: &str, node: &Node, field: &str) -> Option<Value> {
    let Node::Plain(place) = node.field(field)? else {
        return None;
    };
    serde_json::from_str(text.get(place.clone())?).ok()
}
