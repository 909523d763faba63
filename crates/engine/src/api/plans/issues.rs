//! Makes a plan of issues, which a person names in place of a file: the parts of an epic, or the issues of beads.

use crate::decide::epic;
use crate::effects::plans::{beads, reading};
use crate::effects::pulls;
use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_plans::{BEADS, Domains, Issues, Meant, Plan, Source, read_issues};
use downbeat_store::ProjectRow;
use downbeat_wire::plan::ProposePlan;
use downbeat_wire::{ApiError, Caller, Code};
use std::path::Path;

/// Returns the issues that a request means; nothing if it means a file, which comes first, or has a text.
///
/// # Errors
/// Fails for an agent: a program or a forge is asked in the name of the person.
pub(super) async fn meant(
    caller: &Caller,
    project: &ProjectRow,
    request: &ProposePlan,
) -> Result<Option<Meant>, ApiError> {
    let path = request.path.clone().filter(|_| request.text.is_empty());
    let Some((path, meant)) = path.and_then(|path| Meant::of(&path).map(|meant| (path, meant))) else {
        return Ok(None);
    };
    if *caller != Caller::Owner {
        let what = "only the person has a plan made of issues";
        return Err(ApiError::new(Code::Forbidden, what).hint("read them, and give the tasks as `text`"));
    }
    let file = Path::new(&project.path).join(path.trim());
    let is_file = blocking::in_time(&project.path, move || file.is_file()).await?;
    Ok((!is_file).then_some(meant))
}

/// Reads the tasks of a plan, where it was read from, and what a person has to know.
///
/// # Errors
/// Fails if they cannot be read, or are no plan that can be done.
pub(super) async fn read(
    engine: &Engine,
    project: &ProjectRow,
    (meant, domains): (Meant, Domains),
    is_shown: bool,
) -> Result<(Plan, Option<Source>, Vec<String>), ApiError> {
    let source = match &meant {
        Meant::Epic(_) => None,
        Meant::Beads(_) => Some(Source {
            path: BEADS.to_owned(),
            tag: None,
        }),
    };
    let of = (project.id.clone(), meant);
    let known = engine.read_issues.get(&of).filter(|_| is_shown);
    let issues = match known {
        Some(issues) => issues,
        None => {
            let issues = asked(engine, project, &of.1).await?;
            engine.read_issues.put(of, issues.clone());
            issues
        }
    };
    let read = reading::read(project, move || read_issues(issues, &domains)).await?;
    let (plan, mut notes) = read.map_err(|problem| ApiError::invalid(format!("the plan: {problem}")))?;
    notes.extend(epic::at_work(&engine.ledger.state(), &project.id, &plan));
    Ok((plan, source, notes))
}

async fn asked(engine: &Engine, project: &ProjectRow, meant: &Meant) -> Result<Issues, ApiError> {
    match meant {
        Meant::Epic(text) => pulls::epic::read(engine, project, text).await,
        Meant::Beads(below) => beads::read(engine, project, below.clone()).await,
    }
}
