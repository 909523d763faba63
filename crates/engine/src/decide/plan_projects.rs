//! In which projects the tasks of a plan are worked on: those that they name. Not whether these can be used now.

use crate::state::find;
use crate::state::known::State;
use downbeat_model::ProjectId;
use downbeat_model::lines::first_line;
use downbeat_plans::{Held, PlanRecord, Task};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};

/// The most projects that a hint names.
const MOST_NAMED: usize = 8;

/// Finds the projects that tasks name, by id or name. Tasks that name none are worked on in the plan's `own`. What is done already
/// may have been done in a project that nobody knows any more.
///
/// # Errors
/// Fails, with the first such task, if there is no such project, or if the workers of the plan are those of a conductor: these
/// work in its project.
pub fn resolve(
    state: &State,
    (own, has_conductor): (&ProjectRow, bool),
    tasks: &mut [Task],
) -> Result<(), ApiError> {
    for task in tasks {
        task.project_id = None;
        let Some(name) = task.project.clone() else {
            continue;
        };
        let found = match named(state, (own, has_conductor), (&task.id, &name)) {
            Ok(found) => found,
            Err(_) if task.done => continue,
            Err(error) => return Err(error),
        };
        if found.0 != own.id {
            task.project_id = Some(found.0);
        }
        task.project = Some(found.1);
    }
    Ok(())
}

/// Returns the id and the name of the project that a task names.
fn named(
    state: &State,
    (own, has_conductor): (&ProjectRow, bool),
    (task, name): (&str, &str),
) -> Result<(ProjectId, String), ApiError> {
    if name == own.id.as_str() || name == own.name {
        return Ok((own.id.clone(), own.name.clone()));
    }
    if has_conductor {
        // Whether there is such a project is not said to an agent.
        let what = format!(
            "task {task} names the project {name}, but the workers of a conductor work in its own project, {}",
            own.name
        );
        let hint = "the person can run a plan over several projects: tell them, or leave the task out";
        return Err(ApiError::new(Code::Forbidden, what).hint(hint));
    }
    match find::project(state, name) {
        Ok(found) => Ok((found.id.clone(), found.name.clone())),
        Err(error) if error.code == Code::NotFound => {
            let what = format!("task {task} names the project {name}, which Downbeat does not have");
            Err(ApiError::invalid(what).hint(near(state, name)))
        }
        Err(error) => Err(ApiError {
            message: format!("task {task} names its project: {}", error.message),
            ..error
        }),
    }
}

/// Names the projects that were probably meant.
fn near(state: &State, name: &str) -> String {
    let mut names: Vec<&str> = state.projects.values().map(|row| row.name.as_str()).collect();
    let lower = name.to_lowercase();
    if let Some(near) = find::nearest(&lower, names.iter().copied()) {
        return format!("did you mean {near}?");
    }
    names.sort_by_key(|other| strsim::damerau_levenshtein(other, &lower));
    names.truncate(MOST_NAMED);
    let names = names.join(", ");
    format!("there are: {names}; `downbeat project add PATH` adds another one")
}

/// Says in each task of a plan over several projects in which one it is.
pub fn name(state: &State, plan: &mut PlanRecord) {
    plan.name_projects(|id| Some(state.projects.get(id)?.name.clone()));
}

/// Says what holds a share that waits. That a project was removed is said with the way out, also to those that wait for work there.
#[must_use]
pub fn held(state: &State, plan: &PlanRecord, place: usize, held: &Held) -> String {
    if is_removed(state, plan, place) {
        return removed(plan, place);
    }
    let (Held::Needs(of) | Held::Failed(of)) = held else {
        return plan.held(held);
    };
    match of.iter().find(|other| is_removed(state, plan, **other)) {
        Some(other) => {
            let name = plan.shares.get(*other).map_or("", |one| one.share.name.as_str());
            format!("held: {name} cannot be worked on: {}", removed(plan, *other))
        }
        None => plan.held(held),
    }
}

/// Returns whether the project of a share was removed.
#[must_use]
pub fn is_removed(state: &State, plan: &PlanRecord, place: usize) -> bool {
    !state.projects.contains_key(plan.project_of(place))
}

/// Says that the project of a share was removed, and what the person can do. A project that is added again is another one.
#[must_use]
pub fn removed(plan: &PlanRecord, place: usize) -> String {
    let id = &plan.id;
    let worker = plan.shares.get(place).map_or("", |one| one.share.name.as_str());
    let tasks = plan.tasks(place);
    let name = tasks.first().and_then(|task| task.project.as_deref());
    let which = name.map_or_else(String::new, |name| format!(" {}", first_line(name)));
    let moved = match tasks.as_slice() {
        [task] => format!(
            "name another one (`downbeat plan edit {id} {} --project NAME`), or ",
            task.id
        ),
        _ => String::new(),
    };
    format!("its project{which} was removed: {moved}go on without it (`downbeat plan skip {id} {worker}`)")
}

#[cfg(test)]
mod tests {
    use super::{held, name, resolve};
    use crate::state::example;
    use crate::state::known::State;
    use downbeat_model::{PlanId, ProjectId};
    use downbeat_plans::{Domains, PlanRecord, PlanState, Split, read_goal};
    use downbeat_store::ProjectRow;
    use jiff::Timestamp;
    use std::sync::Arc;

    fn project(number: u32, name: &str) -> ProjectRow {
        ProjectRow {
            id: ProjectId::parse(&format!("p00000000000{number}")).unwrap(),
            name: name.into(),
            path: format!("/{number}"),
            ..example::project()
        }
    }

    /// Returns a state with the projects `shop`, `api`, `web` and `web`.
    fn state() -> State {
        let all = [
            project(1, "shop"),
            project(2, "api"),
            project(3, "web"),
            project(4, "web"),
        ];
        State {
            projects: Arc::new(all.map(|row| (row.id.clone(), Arc::new(row))).into()),
            ..State::default()
        }
    }

    #[test]
    fn a_task_is_in_the_project_that_it_names_or_in_the_plans_own() {
        let (state, own) = (state(), project(1, "shop"));
        let found = |name: &str, has_conductor: bool| {
            let mut plan = read_goal(&format!("Do it (id: t) {name}"), &Domains::default()).unwrap();
            resolve(&state, (&own, has_conductor), &mut plan.tasks)
                .map(|()| {
                    let task = plan.tasks.remove(0);
                    let id = task.project_id.map(|id| id.to_string());
                    (id.unwrap_or_default(), task.project.unwrap_or_default())
                })
                .map_err(|error| format!("{} {}", error.message, error.hint.unwrap_or_default()))
        };
        let id = |number: u32| format!("p00000000000{number}");
        for (text, expected) in [
            ("", (String::new(), "")),
            ("(project: shop)", (String::new(), "shop")),
            ("(project: p000000000001)", (String::new(), "shop")),
            ("(project: api)", (id(2), "api")),
            ("(project: p000000000004)", (id(4), "web")),
        ] {
            assert_eq!(
                found(text, false),
                Ok((expected.0, expected.1.to_owned())),
                "{text}"
            );
        }
        for (text, has_conductor, said) in [
            (
                "(project: Apii)",
                false,
                "task t names the project Apii, which Downbeat does not have",
            ),
            ("(project: Apii)", false, "did you mean api?"),
            ("(project: accounting)", false, "there are: "),
            ("(project: web)", false, "several projects are named"),
            (
                "(project: api)",
                true,
                "task t names the project api, but the workers of a conductor work in its own project, shop",
            ),
            ("(project: nothing)", true, "the workers of a conductor"),
            ("(project: api)", true, "the person can run"),
        ] {
            let error = found(text, has_conductor).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert!(found("(project: shop)", true).is_ok(), "its own");
    }

    #[test]
    fn that_a_project_was_removed_is_said_of_all_that_wait_for_it_with_the_way_out() {
        let mut draft = example::draft(0, []);
        let text =
            "backend: a (id: 1) | frontend: b (id: 2) (depends_on: 1) | docs: c (id: 3) (depends_on: 2)";
        example::planned(&mut draft, text, &["1"]);
        let why = |draft: &crate::state::draft::Draft| -> Vec<String> {
            let plan = draft.state().plans.values().next().unwrap().clone();
            let all = plan.schedule().held.into_iter();
            all.map(|(place, why)| held(draft.state(), &plan, place, &why))
                .collect()
        };
        example::change_plan(&mut draft, |plan| plan.state = PlanState::Running);
        assert_eq!(why(&draft), ["waits for backend-api", "waits for frontend"]);
        let api = ProjectId::parse("p000000000002").unwrap();
        draft.drop_project(&api);
        example::change_plan(&mut draft, |plan| plan.state = PlanState::Paused);
        let way = "its project api was removed: name another one (`downbeat plan edit pl000000000001 1 --project NAME`), or go \
                   on without it (`downbeat plan skip pl000000000001 backend-api`)";
        let there = format!("held: backend-api cannot be worked on: {way}");
        assert_eq!(
            why(&draft),
            [way, there.as_str(), "waits for frontend"],
            "before it failed"
        );
        let state = draft.state().clone();
        example::change_plan(&mut draft, |plan| {
            name(&state, plan);
            plan.failed(0, "x".into(), example::at(1));
        });
        assert_eq!(why(&draft), [there.as_str(), there.as_str()], "and after");
    }

    #[test]
    fn what_is_done_may_name_anything_and_tasks_name_projects_only_where_there_are_several() {
        let (state, own) = (state(), project(1, "shop"));
        let kept = |text: &str| {
            let mut plan = read_goal(text, &Domains::default()).unwrap();
            plan.tasks[0].done = true;
            resolve(&state, (&own, false), &mut plan.tasks).unwrap();
            let id = PlanId::parse("pl000000000001").unwrap();
            let mut plan = PlanRecord::new(id, own.id.clone(), plan, Split::Task, Timestamp::UNIX_EPOCH);
            name(&state, &mut plan);
            let tasks = plan.plan.tasks.into_iter();
            tasks
                .map(|task| task.project.unwrap_or_default())
                .collect::<Vec<_>>()
        };
        assert_eq!(kept("A (project: gone), B (project: shop)"), ["gone", ""]);
        assert_eq!(
            kept("A (project: gone), B, C (project: p000000000002)"),
            ["gone", "shop", "api"]
        );
    }
}
