//! Previews what a new session would do, without side effects.

use crate::decide::admission;
use crate::effects::pulls::issue;
use crate::effects::worktree::plan_place;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::CopyPlan;
use downbeat_model::Workspace;
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::project::SetupPlan;
use downbeat_wire::spawn::{NewSession, SpawnPreview};
use downbeat_wire::{ApiError, Caller};
use std::path::PathBuf;

/// Upper limit for the files that are listed by name; further files are counted.
const NAMED: usize = 50;

/// Returns the preview of a new session.
pub async fn preview(
    engine: &Engine,
    caller: &Caller,
    request: &NewSession,
) -> Result<SpawnPreview, ApiError> {
    let _parent = engine.recall_parent(request.parent.as_deref()).await?;
    let state = engine.ledger.state();
    let family = admission::family(&state, caller, request)?;
    let (request, _) = issue::filled(engine, caller, &family.project, request.clone()).await?;
    let request = &request;
    let held = admission::admit(&engine.limits(), &state, &family)?;
    let row = plan_place::row(engine, &state, &family, request).await?;
    let mut warnings: Vec<String> = held
        .map(|why| format!("it will wait: {why} is reached"))
        .into_iter()
        .collect();
    warnings.extend(concerns(engine, request, &row));
    let worktree = row.workspace == Workspace::Worktree;
    let plan = copies(engine, &family.project, worktree).await?;
    let names = plan
        .copies
        .iter()
        .chain(&plan.links)
        .map(|path| path.to_string_lossy().into_owned());
    let copied: Vec<String> = names.take(NAMED).collect();
    let copied_count = u32::try_from(plan.copies.len() + plan.links.len()).unwrap_or(u32::MAX);
    if worktree && !family.project.trusted {
        warnings.extend(skipped_programs(&family.project).await?);
    }
    let setup = match worktree {
        true => {
            let root = PathBuf::from(&family.project.path);
            let setup = engine.setup_commands(&family.project, root, plan).await?;
            warnings.extend(setup.warnings);
            crate::effects::worktree::setup::plan(&setup.commands, setup.approved)
        }
        false => SetupPlan {
            approved: true,
            ..SetupPlan::default()
        },
    };
    Ok(SpawnPreview {
        path: row.workspace_path.clone().unwrap_or_default(),
        name: row.name,
        agent: row.agent,
        permission_mode: row.permission_mode,
        branch: row.branch,
        base: row.base,
        copied,
        copied_count,
        setup,
        port: row.port,
        warnings,
    })
}

/// Returns what the person should know about the planned session itself.
fn concerns(engine: &Engine, request: &NewSession, row: &SessionRow) -> Vec<String> {
    let mut all = Vec::new();
    if let Err(missing) = engine
        .agent(&row.agent)
        .and_then(|agent| engine.find_program(&agent))
    {
        all.push(missing.message);
    }
    if row.port.is_none() {
        all.push(crate::decide::start::without_port(row).to_owned());
    }
    if let (Some(asked), Some(branch)) = (&request.branch, &row.branch)
        && asked != branch
    {
        all.push(format!(
            "{}; its branch becomes {branch}",
            downbeat_model::name::otherwise(asked, branch)
        ));
    }
    if let Some(base) = row.base.as_ref().filter(|base| base.behind > 0) {
        all.push(format!(
            "{} is {} behind its upstream; nothing is fetched",
            base.name,
            downbeat_model::count(base.behind, "commit", "commits")
        ));
    }
    all
}

/// Returns the files that would be copied into its worktree; none if it has no worktree.
async fn copies(engine: &Engine, project: &ProjectRow, worktree: bool) -> Result<CopyPlan, ApiError> {
    let config = engine.project_config(project).await?;
    if !worktree {
        return Ok(CopyPlan {
            copies: Vec::new(),
            links: Vec::new(),
        });
    }
    let repo = PathBuf::from(&project.path);
    let look = move || downbeat_git::plan_copies(&repo, &config.copy, &config.symlink);
    blocking::in_time(&project.path, look).await?.map_err(error::git)
}

/// Names the programs of the repository's own git configuration, which do not run in a project without trust.
async fn skipped_programs(project: &ProjectRow) -> Result<Option<String>, ApiError> {
    let repo = PathBuf::from(&project.path);
    let look = move || downbeat_git::own_programs(&repo);
    let own = blocking::in_time(&project.path, look)
        .await?
        .map_err(error::git)?;
    let names = own.join(", ");
    Ok((!own.is_empty()).then(|| {
        format!(
            "the repository's own git configuration names programs, which do not run until you trust the \
             project: {names}"
        )
    }))
}
