//! Takes as done what the person ticked in the file of a plan after it was made. It is looked for before a worker starts, so that
//! nothing is done twice. What one of several tasks of a worker was ticked for does not count: the worker looks at it.

use crate::decide::plans;
use crate::effects::plans::{file, reading};
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_plans::{About, Domains, Form, Plan, PlanRecord, ShareState, Source, Stands, Task, read_file};
use downbeat_wire::ApiError;
use std::path::PathBuf;

/// Counts the tasks of a share as done if all of them are ticked by now, and returns whether they are. A file that cannot be read says
/// nothing.
///
/// # Errors
/// Fails if nothing can be recorded.
pub(crate) async fn take(engine: &Engine, plan: &PlanRecord, place: usize) -> Result<bool, ApiError> {
    let Some(source) = plan.source.clone().filter(|_| plan.plan.form != Form::Beads) else {
        return Ok(false);
    };
    // What was added to the plan is not in its file, whatever has the same title there; and a tick may be that of another plan.
    let is_added = plan.shares.get(place).is_none_or(|one| one.ticked);
    if is_added || others_tick(&engine.ledger.state(), plan, &source) {
        return Ok(false);
    }
    let Ok(project) = engine.project(&plan.project) else {
        return Ok(false);
    };
    let (root, from) = (PathBuf::from(&project.path), source.clone());
    let look = move || {
        let read = file::read(&root, &from.path).ok()?;
        read_file(read.text.as_bytes(), from.tag.as_deref(), &Domains::default()).ok()
    };
    let now = reading::read(&project, look).await.ok().flatten();
    if !now.is_some_and(|now| are_ticked(&plan.tasks(place), &now)) {
        return Ok(false);
    }
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &plan.id, |plan, now| {
            if plan.schedule().start.contains(&place) {
                plan.done_by_hand(place, None, now);
                note(plan, place, &source);
            }
            Ok(())
        })
    });
    written.await?;
    Ok(true)
}

/// Whether another plan ticks what it does in the same file, before anybody merged it.
fn others_tick(state: &State, plan: &PlanRecord, source: &Source) -> bool {
    let all = plans::of_file(state, &plan.project, source).into_iter();
    let mut others = all
        .filter(|other| other.id != plan.id)
        .flat_map(|other| &other.shares);
    others.any(|one| one.state == ShareState::Done)
}

fn note(plan: &mut PlanRecord, place: usize, source: &Source) {
    let name = plan.shares.get(place).map(|one| one.share.name.clone());
    let text = format!(
        "{} counts as done, because its tasks were ticked in {}: it has no commit that workers which need it could begin with",
        name.unwrap_or_default(),
        source.path
    );
    plan.note(About::Event, &text);
}

/// Whether the file has a tick for each of these tasks. A task is found by its title; its id decides between tasks with the same one.
fn are_ticked(tasks: &[&Task], file: &Plan) -> bool {
    let is_ticked = |task: &&Task| {
        let same = file.tasks.iter().filter(|other| other.title == task.title);
        let same: Vec<&Task> = same.collect();
        let own = match same.as_slice() {
            [only] => Some(*only),
            several => several.iter().find(|other| other.id == task.id).copied(),
        };
        task.stands == Stands::ForItself && own.is_some_and(|own| own.done)
    };
    !tasks.is_empty() && tasks.iter().all(is_ticked)
}

#[cfg(test)]
mod tests {
    use super::are_ticked;
    use downbeat_plans::{Domains, Plan, Stands, read_file};

    fn read(text: &str) -> Plan {
        read_file(text.as_bytes(), None, &Domains::default()).unwrap()
    }

    #[test]
    fn a_task_is_ticked_by_its_title_and_only_if_it_stands_for_itself() {
        let mut plan = read("- [ ] Make a\n- [ ] Make b\n- [ ] Make b\n");
        let ticked = |plan: &Plan, places: &[usize], text: &str| {
            let tasks: Vec<_> = places.iter().filter_map(|place| plan.tasks.get(*place)).collect();
            are_ticked(&tasks, &read(text))
        };
        assert!(
            ticked(&plan, &[0], "- [ ] Make c\n- [x] Make a\n"),
            "it was moved"
        );
        assert!(!ticked(&plan, &[0], "- [ ] Make a\n"));
        assert!(!ticked(&plan, &[0], "- [x] Make another a\n"));
        assert!(!ticked(&plan, &[0, 1], "- [x] Make a\n- [ ] Make b\n"));
        let twice = "- [x] Make a\n- [ ] Make b\n- [x] Make b\n";
        assert!(ticked(&plan, &[2], twice));
        assert!(!ticked(&plan, &[1], twice));
        assert!(!ticked(&plan, &[], twice));
        plan.tasks[0].stands = Stands::ForNothing;
        assert!(!ticked(&plan, &[0], twice), "it is a step towards another one");
    }
}
