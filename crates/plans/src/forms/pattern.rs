//! Reads the tasks of a template: a list as it is typed, or the JSON of a planner.

use crate::check::check;
use crate::domain::Domains;
use crate::forms::{list, name_needs, number_tasks, planner, text_of};
use crate::plan::{Form, Plan, Task};
use crate::problem::Problem;

/// Reads the tasks of a template. Only what it says is in them: no domain is found.
///
/// # Errors
/// Says why no plan could be made with them.
pub(crate) fn pattern_of(text: &str, domains: &Domains) -> Result<Vec<Task>, Problem> {
    text_of(text.as_bytes())?;
    let mut tasks = match is_json(text) {
        true => planner::handed(text)?.1,
        false => list::tasks(text, domains)?,
    };
    number_tasks(&mut tasks);
    name_needs(&mut tasks, 0);
    let plan = Plan {
        title: String::new(),
        form: Form::List,
        tasks,
    };
    check(&plan)?;
    Ok(plan.tasks)
}

/// Whether a text is the JSON of a planner, and not a list that begins with a bracket.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('[').unwrap_or(text).trim_start();
    let inner = text.strip_prefix('{').map(str::trim_start);
    inner.is_some_and(|inner| inner.starts_with(['"', '}']))
}
