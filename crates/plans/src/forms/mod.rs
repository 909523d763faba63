//! Reads every form of a plan.

mod beads;
mod checklist;
mod following;
mod issues;
mod json;
mod list;
mod marks;
mod pattern;
mod planner;
mod taskmaster;

pub use beads::{is_closed_bead, read_beads};
pub use issues::{Blocker, Issues, Meant, Part, read_issues};
pub use list::file_in;
pub use planner::{read_answer, read_planner};

pub(crate) use checklist::{box_of, is_box, own_id};
pub(crate) use json::value as json_of;
pub(crate) use marks::read as marks_of;
pub(crate) use pattern::pattern_of;
pub(crate) use taskmaster::{list_of, number};

use crate::check::check;
use crate::domain::{Domains, GENERAL};
use crate::plan::{Form, Plan, Task};
use crate::problem::Problem;
use crate::words;
use std::collections::{HashMap, HashSet};

/// The largest size of a plan in bytes.
pub const MOST_BYTES: usize = 2 * 1024 * 1024;

/// Reads a list of tasks as it is typed: separated by bars, quotes, lines or commas.
///
/// # Errors
/// Says why it is no plan that can be done.
pub fn read_goal(text: &str, domains: &Domains) -> Result<Plan, Problem> {
    text_of(text.as_bytes())?;
    let tasks = list::tasks(text, domains)?;
    finish(
        Plan {
            title: title(text, &tasks),
            form: Form::List,
            tasks,
        },
        domains,
    )
}

/// Reads tasks for a plan that is there, in its stage `stage`, as they are typed: see [`read_goal`].
///
/// # Errors
/// Says why the plan could not be done with them.
pub(crate) fn read_more(
    plan: &Plan,
    text: &str,
    stage: u32,
    domains: &Domains,
) -> Result<Vec<Task>, Problem> {
    text_of(text.as_bytes())?;
    let mut more = list::tasks(text, domains)?;
    if more.is_empty() {
        return Err(Problem::Empty);
    }
    for task in &mut more {
        task.stage = stage;
    }
    let mut whole = plan.clone();
    whole.tasks.append(&mut more);
    number_tasks(&mut whole.tasks);
    name_needs(&mut whole.tasks, plan.tasks.len());
    let mut whole = completed(whole, domains)?;
    Ok(whole.tasks.split_off(plan.tasks.len()))
}

/// Reads a file: Markdown, or JSON of Taskmaster or of a planner. `tag` names one of several lists of Taskmaster.
///
/// # Errors
/// Says why it is no plan that can be done.
pub fn read_file(bytes: &[u8], tag: Option<&str>, domains: &Domains) -> Result<Plan, Problem> {
    let text = text_of(bytes)?;
    let no_lists = || match tag {
        Some(tag) => Err(Problem::NoTags(words::name(tag))),
        None => Ok(()),
    };
    let is_json = matches!(text.trim_start().chars().next(), Some('{' | '['));
    let plan = match is_json && !text.trim_start().starts_with("[ ]") {
        true => match taskmaster::read(text, tag)? {
            Some(plan) => plan,
            None => {
                no_lists()?;
                return read_planner(text, domains);
            }
        },
        false => {
            no_lists()?;
            let plan = checklist::read(text)?;
            if plan.tasks.is_empty() {
                return Err(Problem::NoBoxes);
            }
            plan
        }
    };
    finish(plan, domains)
}

/// Gives what is missing to a plan, and checks it.
fn finish(mut plan: Plan, domains: &Domains) -> Result<Plan, Problem> {
    number_tasks(&mut plan.tasks);
    if matches!(plan.form, Form::List | Form::Checklist | Form::Planner) {
        name_needs(&mut plan.tasks, 0);
    }
    completed(plan, domains)
}

/// Gives a domain to each task without one, and checks a plan.
fn completed(mut plan: Plan, domains: &Domains) -> Result<Plan, Problem> {
    for task in &mut plan.tasks {
        if task.domain.is_empty() {
            task.domain = words::domain(domains.of(&task.title));
        }
        if task.domain.is_empty() {
            GENERAL.clone_into(&mut task.domain);
        }
    }
    check(&plan)?;
    Ok(plan)
}

/// Gives a number to each task without an id: its place in the list, from 1, or another one if a task has that as its id.
fn number_tasks(tasks: &mut [Task]) {
    let taken: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let mut others = (tasks.len() + 1..).map(|number| number.to_string());
    for (task, place) in tasks.iter_mut().zip(1_usize..) {
        if task.id.is_empty() {
            let place = Some(place.to_string()).filter(|place| !taken.contains(place));
            let id = place.or_else(|| others.find(|id| !taken.contains(id)));
            task.id = id.unwrap_or_default();
        }
    }
}

/// Puts ids in the place of other names of what the tasks of a list need: places in the list, which begins at `from`, and titles that
/// only one task has.
fn name_needs(tasks: &mut [Task], from: usize) {
    if tasks.iter().all(|task| task.needs.is_empty()) {
        return;
    }
    let ids: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let mut titles: HashMap<String, Option<String>> = HashMap::new();
    for task in tasks.iter() {
        let known = titles.entry(task.title.to_lowercase());
        known
            .and_modify(|id| *id = None)
            .or_insert_with(|| Some(task.id.clone()));
    }
    let places: Vec<String> = tasks.iter().skip(from).map(|task| task.id.clone()).collect();
    let named = |need: &str| -> Option<String> {
        let place = need.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
        let by_place = place.and_then(|place| places.get(place)).cloned();
        by_place.or_else(|| titles.get(&need.to_lowercase()).cloned().flatten())
    };
    let needs = tasks.iter_mut().skip(from).flat_map(|task| &mut task.needs);
    for need in needs.filter(|need| !ids.contains(*need)) {
        if let Some(id) = named(need) {
            *need = id;
        }
    }
}

/// Returns the text of a file.
fn text_of(bytes: &[u8]) -> Result<&str, Problem> {
    if bytes.len() > MOST_BYTES {
        return Err(Problem::TooLong {
            bytes: bytes.len(),
            most: MOST_BYTES,
        });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Problem::Binary)?;
    // Editors on Windows write this mark at the start of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.contains('\0') {
        true => Err(Problem::Binary),
        false => Ok(text),
    }
}

/// Returns the first line of a text, shortened; the titles of its tasks in place of a line with marks.
fn title(text: &str, tasks: &[Task]) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    if tasks.is_empty() || marks::read(line).0.title == words::one_line(line) {
        return words::name(line);
    }
    let titles: Vec<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
    words::name(&titles.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, read_file, read_goal};
    use crate::domain::Domains;
    use crate::problem::Problem;

    #[test]
    fn what_is_no_plan_is_refused() {
        let domains = Domains::default();
        let read = |bytes: &[u8]| read_file(bytes, None, &domains);
        assert_eq!(read(b""), Err(Problem::NoBoxes));
        assert_eq!(read(b"# Nothing to do\n\nProse.\n"), Err(Problem::NoBoxes));
        assert_eq!(read(&[0x7f, b'E', b'L', b'F', 0, 1]), Err(Problem::Binary));
        assert_eq!(read(&[0xff, 0xfe]), Err(Problem::Binary));
        let long = "- [ ] x\n".repeat(MOST_BYTES / 8 + 1);
        let said = read(long.as_bytes()).unwrap_err().to_string();
        assert!(said.contains("at most 2 MiB"), "{said}");
        assert_eq!(read_goal(" , ,\n", &domains), Err(Problem::Empty));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_plan() {
        for text in [
            "\u{feff}- [ ] A\n- [ ] B\n",
            "\u{feff}[{\"title\": \"A\"}, {\"title\": \"B\", \"dependencies\": [1]}]",
            "\u{feff}{\"tasks\": [{\"id\": 1, \"title\": \"A\", \"status\": \"pending\"}, {\"id\": 2, \"title\": \"B\", \"status\": \"pending\"}]}",
        ] {
            let plan = read_file(text.as_bytes(), None, &Domains::default()).unwrap();
            let titles: Vec<&str> = plan.tasks.iter().map(|task| task.title.as_str()).collect();
            assert_eq!(titles, ["A", "B"], "{text}");
        }
    }

    #[test]
    fn a_list_of_a_file_without_lists_is_refused() {
        let said = read_file(b"- [ ] A\n", Some("v2"), &Domains::default()).unwrap_err();
        assert_eq!(
            said.to_string(),
            "--tag v2: only a tasks.json of Taskmaster has several lists of tasks"
        );
    }

    #[test]
    fn the_title_of_a_list_has_no_marks() {
        let plan = read_goal(
            "Set up a database (id: db) [Skill: sql], Create an API (depends_on: db)",
            &Domains::default(),
        );
        assert_eq!(plan.unwrap().title, "Set up a database, Create an API");
    }
}
