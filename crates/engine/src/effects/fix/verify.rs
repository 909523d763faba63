//! Runs the checks of a group on its worker's newest commit, in the worktree of checks.

use crate::decide::fix::words;
use crate::decide::fix::worked::{self, Checked};
use crate::effects::checks::plan::Plan;
use crate::effects::fix::seen;
use crate::effects::worktree::committed::committed;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_model::count;
use downbeat_model::effect::FixStep;
use downbeat_model::fix::{Failure, Fix, Group};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;

/// Carries out the step.
///
/// # Errors
/// Fails if the result cannot be recorded.
pub async fn carry_out(
    engine: &Engine,
    (project, key): (&ProjectRow, &str),
    step: &FixStep,
    number: u32,
) -> Result<(), ApiError> {
    let fix = engine.ledger.state().fixes.get(&step.run).cloned();
    let group = fix
        .as_ref()
        .and_then(|fix| fix.groups.iter().find(|group| group.number == number));
    let checked = match (&fix, group) {
        (Some(fix), Some(group)) => check(engine, project, step, (fix, group)).await,
        _ => Err(ApiError::not_found("run of fix", &step.run)),
    };
    point("fix-verified");
    if engine.closing.is_cancelled() {
        return Ok(());
    }
    let checked = checked.unwrap_or_else(|error| Checked::Failed(error.to_string()));
    let written = engine.ledger.write(|draft| {
        worked::checked(draft, key, step, number, checked);
        Ok(())
    });
    written.await
}

async fn check(
    engine: &Engine,
    project: &ProjectRow,
    step: &FixStep,
    (fix, group): (&Fix, &Group),
) -> Result<Checked, ApiError> {
    let Some(id) = &group.session else {
        return Ok(Checked::Nothing("there is no worker".to_owned()));
    };
    let row = engine.row(id)?;
    let (head, uncommitted) = committed(project, &row).await?;
    if row.base.as_ref().is_some_and(|base| base.commit == head.commit) {
        return Ok(Checked::Nothing("it committed nothing".to_owned()));
    }
    if uncommitted > 0 {
        let files = count(uncommitted, "file is", "files are");
        return Ok(Checked::Nothing(format!("{files} not committed")));
    }
    let mut plan = Plan::of(engine, project).await?;
    plan.refuse_unusable(project)?;
    plan.checks.retain(|check| group.checks.contains(&check.name));
    let (seen, _) = seen::checks(engine, step, (project, &plan), &head.commit).await?;
    let mut failed = Vec::new();
    for check in &seen {
        let known = fix.seen.get(&check.name);
        for failure in &check.failures {
            let is_own = group
                .failures
                .iter()
                .any(|own| own.check == check.name && own.id == failure.id);
            let is_new = known.is_none_or(|known| !known.contains(&failure.id));
            if is_own || is_new {
                failed.push(Failure {
                    check: check.name.clone(),
                    tool: failure.tool.word().to_owned(),
                    id: failure.id.clone(),
                    title: failure.title.clone(),
                    message: failure.message.clone(),
                    file: failure.file.clone(),
                    line: failure.line,
                    text: failure.excerpt.clone(),
                });
            }
        }
    }
    Ok(match failed.is_empty() {
        true => Checked::Green(head.commit),
        false => Checked::Red(words::still(group, &head.commit, &failed)),
    })
}
