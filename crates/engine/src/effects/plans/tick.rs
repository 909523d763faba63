//! Ticks in a plan's file what is done, or closes it in beads.

use crate::decide::plans;
use crate::effects::plans::{beads, file};
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::{NewNotice, NoticeKind, PlanId};
use downbeat_plans::{Form, Left, Line, PlanRecord, PlanState, Source};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::path::PathBuf;

/// Ticks what is done. Repeating it changes nothing. What cannot be ticked is noted with the plan, which goes on; it stays due for a
/// while, and is tried again.
///
/// # Errors
/// Fails if nothing can be recorded.
pub(crate) async fn tick(engine: &Engine, id: &PlanId) -> Result<(), ApiError> {
    let Some(plan) = engine.ledger.state().plans.get(id).cloned() else {
        return Ok(());
    };
    let due = plan.due();
    let Some(source) = plan.source.as_ref().filter(|_| !due.is_empty()) else {
        return Ok(());
    };
    let left = written(engine, &plan, source, &due.lines).await;
    point("plan-ticked");
    let written = engine.ledger.write(|draft| {
        let new = plans::change(draft, id, |plan, now| Ok(plan.ticked(&due, &left, now)))?;
        let plan = draft.state().plans.get(id).cloned();
        if let Some(notice) = plan.and_then(|plan| notice(&plan, &new, draft.now())) {
            draft.notice(notice);
        }
        Ok(())
    });
    written.await
}

/// Writes the file, and returns what could not be ticked.
async fn written(engine: &Engine, plan: &PlanRecord, source: &Source, lines: &[Line]) -> Vec<Left> {
    let all = |why: String| -> Vec<Left> {
        let left = (0..lines.len()).map(|line| Left {
            line,
            why: why.clone(),
            is_missing: false,
        });
        left.collect()
    };
    if lines.is_empty() {
        return Vec::new();
    }
    let project = match engine.project(&plan.project) {
        Ok(project) => project,
        Err(error) => return all(error.message),
    };
    if !project.trusted {
        return all(format!("{} is not trusted", project.name));
    }
    if plan.plan.form == Form::Beads {
        return beads::close(engine, &project, &plan.plan.title, lines).await;
    }
    let (root, from, form) = (PathBuf::from(&project.path), source.clone(), plan.plan.form);
    let own = lines.to_vec();
    let written = blocking::in_time(&project.path, move || file::write(&root, &from, form, &own)).await;
    match written {
        Ok(Ok(missing)) => {
            let left = missing.into_iter().map(|(line, why)| Left {
                line,
                why: why.as_str().to_owned(),
                is_missing: true,
            });
            left.collect()
        }
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            all("the file was moved or deleted".to_owned())
        }
        Ok(Err(error)) => all(error.to_string()),
        Err(error) => all(error.message),
    }
}

/// Returns what the person is told of a plan whose report was written before its last tasks were ticked.
fn notice(plan: &PlanRecord, new: &[String], at: Timestamp) -> Option<NewNotice> {
    if plan.state != PlanState::Complete || new.is_empty() {
        return None;
    }
    let again = match plan.has_due() {
        true => "\nIt is tried again for a few minutes.",
        false => "",
    };
    Some(NewNotice {
        kind: NoticeKind::Raised,
        priority: NoticePriority::Info,
        session_id: None,
        plan_id: Some(plan.id.clone()),
        project_id: Some(plan.project.clone()),
        title: match plan.plan.form {
            Form::Beads => format!("not closed in beads: {}", plan.plan.title),
            _ => format!("not ticked in its file: {}", plan.plan.title),
        },
        text: format!("{}{again}\n", new.join("\n")),
        at,
    })
}
