//! Refuses plans that cannot be done: doubled and unknown ids, tasks that wait for each other, too many tasks.

use crate::plan::{Plan, Task};
use crate::problem::Problem;
use std::collections::HashMap;

/// The largest number of tasks in a plan.
pub const MOST_TASKS: usize = 10_000;

/// The most tasks that the tasks of a plan name as needed, all together.
pub const MOST_NEEDS: usize = 50_000;

/// The most bytes of all tasks together: a template says what is in a text a few times.
pub(crate) const MOST_SIZE: usize = 8 * 1024 * 1024;

/// The most tasks of a circle that are named.
const MOST_NAMED: usize = 12;

/// The most ids that an unknown one is compared with.
const MOST_COMPARED: usize = 2_000;

/// The most characters of an id: the nearest one is looked for, which takes as long as both are long.
pub(crate) const MOST_ID: usize = 200;

/// Checks that an id is not too long.
///
/// # Errors
/// Names its beginning.
pub(crate) fn is_short(id: &str) -> Result<(), Problem> {
    match id.chars().nth(MOST_ID) {
        Some(_) => Err(Problem::LongId(id.chars().take(40).collect())),
        None => Ok(()),
    }
}

/// Returns how many bytes the texts of a task have.
pub(crate) fn size(task: &Task) -> usize {
    let texts = [&task.id, &task.title, &task.description, &task.domain];
    let lists = task.needs.iter().chain(&task.skills).chain(&task.checks);
    let rest = [&task.agent, &task.project, &task.phase, &task.effort];
    let rest = rest.into_iter().filter_map(Option::as_ref);
    texts.into_iter().chain(lists).chain(rest).map(String::len).sum()
}

/// Checks a plan.
///
/// # Errors
/// Names the first thing that prevents it from being done.
pub fn check(plan: &Plan) -> Result<(), Problem> {
    if plan.tasks.is_empty() {
        return Err(Problem::Empty);
    }
    if plan.tasks.len() > MOST_TASKS {
        return Err(Problem::TooMany { most: MOST_TASKS });
    }
    if plan.tasks.iter().map(|task| task.needs.len()).sum::<usize>() > MOST_NEEDS {
        return Err(Problem::TooManyNeeds { most: MOST_NEEDS });
    }
    if plan.tasks.iter().map(size).sum::<usize>() > MOST_SIZE {
        return Err(Problem::TooLarge { most: MOST_SIZE });
    }
    let names = plan
        .tasks
        .iter()
        .flat_map(|task| task.needs.iter().chain([&task.id]));
    names.map(String::as_str).try_for_each(is_short)?;
    let mut places = HashMap::new();
    for (place, task) in plan.tasks.iter().enumerate() {
        if places.insert(task.id.as_str(), place).is_some() {
            return Err(Problem::Twice(task.id.clone()));
        }
    }
    let mut needs = Vec::with_capacity(plan.tasks.len());
    for task in &plan.tasks {
        let mut own = Vec::new();
        for need in &task.needs {
            if *need == task.id {
                return Err(Problem::Itself(need.clone()));
            }
            let Some(place) = places.get(need.as_str()) else {
                return Err(Problem::Unknown {
                    task: task.id.clone(),
                    needs: need.clone(),
                    near: nearest(need, plan),
                });
            };
            own.push(*place);
        }
        needs.push(own);
    }
    no_cycle(plan, &needs)
}

fn nearest(need: &str, plan: &Plan) -> Option<String> {
    let ids = plan.tasks.iter().map(|task| task.id.as_str()).take(MOST_COMPARED);
    let rated = ids.map(|id| (strsim::jaro_winkler(&need.to_lowercase(), &id.to_lowercase()), id));
    let (rate, id) = rated.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (rate > 0.7).then(|| id.to_owned())
}

/// Checks that no tasks wait for each other, those of later stages included.
fn no_cycle(plan: &Plan, needs: &[Vec<usize>]) -> Result<(), Problem> {
    let named = |place: usize| plan.tasks.get(place).map_or("", |task| task.id.as_str());
    let stage = |place: usize| plan.tasks.get(place).map_or(0, |task| task.stage);
    // A task that needs one of a later stage waits for what waits for itself.
    for (place, own) in needs.iter().enumerate() {
        if let Some(later) = own.iter().find(|need| stage(**need) > stage(place)) {
            let (task, later) = (named(place), named(*later));
            return Err(Problem::Cycle(format!(
                "{task} → {later} → {task}, by the order of their phases"
            )));
        }
    }
    circle(needs).map_or(Ok(()), |circle| {
        let names: Vec<&str> = circle.into_iter().map(named).collect();
        Err(Problem::Cycle(circle_of(&names)))
    })
}

/// Returns the first circle of places that need each other: its first place comes again at its end.
pub(crate) fn circle<'a>(needs: &'a [impl AsRef<[usize]> + 'a]) -> Option<Vec<usize>> {
    let needs_of = |place: usize| needs.get(place).map_or(&[][..], AsRef::as_ref);
    // 0: not seen, 1: on the way, 2: done.
    let mut seen = vec![0_u8; needs.len()];
    for start in 0..needs.len() {
        let mut way: Vec<(usize, usize)> = vec![(start, 0)];
        if seen.get(start) != Some(&0) {
            continue;
        }
        while let Some((place, next)) = way.last_mut() {
            let (own, number) = (*place, *next);
            *next += 1;
            if let Some(mark) = seen.get_mut(own) {
                *mark = 1;
            }
            match needs_of(own).get(number).copied() {
                None => {
                    if let Some(mark) = seen.get_mut(own) {
                        *mark = 2;
                    }
                    way.pop();
                }
                Some(need) if seen.get(need) == Some(&1) => {
                    let way = way.iter().map(|(place, _)| *place);
                    return Some(way.skip_while(|place| *place != need).chain([need]).collect());
                }
                Some(need) if seen.get(need) == Some(&0) => way.push((need, 0)),
                Some(_) => {}
            }
        }
    }
    None
}

/// Writes a circle, of which only the beginning and the end are named if it is long.
pub(crate) fn circle_of(names: &[&str]) -> String {
    let way = |names: &[&str]| names.join(" → ");
    match (names.first_chunk::<MOST_NAMED>(), names.last()) {
        (Some(begin), Some(end)) if names.len() > MOST_NAMED + 1 => {
            let more = names.len() - MOST_NAMED - 1;
            format!("{} → {more} more → {end}", way(begin))
        }
        _ => way(names),
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_NEEDS, MOST_TASKS, check};
    use crate::plan::{Form, Plan, Task};
    use crate::problem::Problem;

    type Tasks<'a> = &'a [(&'a str, &'a [&'a str])];

    fn plan(tasks: Tasks<'_>) -> Plan {
        let tasks = tasks.iter().map(|(id, needs)| Task {
            id: (*id).to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            ..Task::titled(id)
        });
        Plan {
            title: String::new(),
            form: Form::List,
            tasks: tasks.collect(),
        }
    }

    #[test]
    fn long_ids_are_refused_before_they_are_compared() {
        let long = "x".repeat(1_000_000);
        let task = |id: &str, needs: &[&str]| Task {
            id: id.into(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            ..Task::titled("a")
        };
        for tasks in [vec![task(&long, &[])], vec![task("a", &[&long])]] {
            let plan = Plan {
                title: String::new(),
                form: Form::List,
                tasks,
            };
            assert_eq!(check(&plan), Err(Problem::LongId("x".repeat(40))));
        }
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        let table: &[(Tasks<'_>, &str)] = &[
            (
                &[],
                "there is no task in it: write one task on each line, or separate them with commas",
            ),
            (&[("a", &["a"])], "task a needs itself: take that out"),
            (
                &[("a", &[]), ("a", &[])],
                "two tasks have the id a: give one of them another",
            ),
            (
                &[("database", &[]), ("api", &["databse"])],
                "task api needs databse, which is not in the plan: did you mean database?",
            ),
            (&[("a", &["zzz"])], "task a needs zzz, which is not in the plan"),
            (
                &[("x", &["a"]), ("a", &["b"]), ("b", &["c"]), ("c", &["a"])],
                "these tasks wait for each other: a → b → c → a; take one of these needs out",
            ),
        ];
        for (tasks, said) in table {
            assert_eq!(check(&plan(tasks)).unwrap_err().to_string(), *said);
        }
        let diamond: &[(&str, &[&str])] = &[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &["b", "c"])];
        assert_eq!(check(&plan(diamond)), Ok(()));
        let mut late = plan(&[("a", &["b"]), ("b", &[])]);
        late.tasks[1].stage = 1;
        assert!(matches!(check(&late), Err(Problem::Cycle(_))));
    }

    #[test]
    fn too_many_needs_are_refused_and_a_long_circle_is_named_in_short() {
        let ids: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let mut circle = plan(&[]);
        for (place, id) in ids.iter().enumerate() {
            circle.tasks.push(Task {
                id: id.clone(),
                needs: vec![ids[(place + 1) % ids.len()].clone()],
                ..Task::titled("x")
            });
        }
        let said = check(&circle).unwrap_err().to_string();
        assert!(
            said.contains("0 → 1 → ") && said.contains(" 988 more → 0;"),
            "{said}"
        );
        circle.tasks[0].needs = vec!["1".to_owned(); MOST_NEEDS];
        assert_eq!(check(&circle), Err(Problem::TooManyNeeds { most: MOST_NEEDS }));
    }

    #[test]
    fn a_long_chain_is_fine_and_too_many_tasks_are_not() {
        let mut long = plan(&[]);
        for number in 0..=MOST_TASKS {
            let needs = number.checked_sub(1).map(|before| before.to_string());
            long.tasks.push(Task {
                id: number.to_string(),
                needs: needs.into_iter().collect(),
                ..Task::titled("x")
            });
        }
        assert!(matches!(check(&long), Err(Problem::TooMany { .. })));
        long.tasks.pop();
        assert_eq!(check(&long), Ok(()));
    }
}
