//! Ticks what is done in a plan's file. Only in a project that the person trusts.

use crate::decide::plans;
use crate::effects::plans::file::{self, Written};
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_model::PlanId;
use downbeat_plans::{PlanRecord, ShareState, Source, Task};
use downbeat_wire::ApiError;
use std::path::PathBuf;

/// Ticks the tasks of shares that became done. Repeating it changes nothing. What cannot be ticked is noted with the plan, and the
/// plan goes on.
///
/// # Errors
/// Fails if nothing can be recorded.
pub(crate) async fn tick(engine: &Engine, id: &PlanId) -> Result<(), ApiError> {
    let Some(plan) = engine.ledger.state().plans.get(id).cloned() else {
        return Ok(());
    };
    let Some(source) = &plan.source else {
        return Ok(());
    };
    let places = due(&plan);
    if places.is_empty() {
        return Ok(());
    }
    let notes = written(engine, &plan, source, &places).await;
    point("plan-ticked");
    let written = engine.ledger.write(|draft| {
        plans::change(draft, id, |plan, _| {
            for place in &places {
                if let Some(one) = plan.shares.get_mut(*place) {
                    one.ticked = true;
                }
            }
            notes.into_iter().for_each(|note| plan.note(note));
            Ok(())
        })
    });
    written.await
}

fn due(plan: &PlanRecord) -> Vec<usize> {
    let all = plan.shares.iter().enumerate();
    let due = all.filter(|(_, one)| one.state == ShareState::Done && !one.ticked);
    due.map(|(place, _)| place).collect()
}

/// Writes the file, and returns what the person has to know.
async fn written(engine: &Engine, plan: &PlanRecord, source: &Source, places: &[usize]) -> Vec<String> {
    let tasks = places.iter().flat_map(|place| plan.tasks(*place));
    let tasks: Vec<Task> = tasks.cloned().collect();
    let titles: Vec<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
    let not = |what: &str, why: String| vec![format!("{what} not ticked in {}: {why}", source.path)];
    let what = titles.join(", ");
    let project = match engine.project(&plan.project) {
        Ok(project) => project,
        Err(error) => return not(&what, error.message),
    };
    if !project.trusted {
        return not(&what, format!("{} is not trusted", project.name));
    }
    let (root, from, done) = (PathBuf::from(&project.path), source.clone(), tasks.clone());
    let written = blocking::in_time(&project.path, move || file::write(&root, &from, &done)).await;
    match written {
        Ok(Ok(Written::All)) => Vec::new(),
        Ok(Ok(Written::Gone(gone))) => {
            let why = "not in the file any more; it was edited meanwhile".to_owned();
            not(&gone.join(", "), why)
        }
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            not(&what, "the file was moved or deleted".to_owned())
        }
        Ok(Err(error)) => not(&what, error.to_string()),
        Err(error) => not(&what, error.message),
    }
}
