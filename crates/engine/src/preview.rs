//! What a new session would do, without doing it.

use crate::engine::Engine;
use crate::{error, plan};
use downbeat_model::Workspace;
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::project::SetupPlan;
use downbeat_wire::session::Base;
use downbeat_wire::spawn::{NewSession, SpawnPreview};
use downbeat_wire::{ApiError, Caller, Code};
use std::path::PathBuf;

/// Files that are named; the rest is counted.
const NAMED: usize = 50;

/// Previews a session.
pub async fn preview(
    engine: &Engine,
    caller: &Caller,
    request: &NewSession,
) -> Result<SpawnPreview, ApiError> {
    let state = engine.ledger.state();
    let family = plan::family(&state, caller, request)?;
    let held = plan::admit(engine, &state, &family)?;
    let row = plan::row(engine, &state, &family, request).await?;
    let mut warnings: Vec<String> = held
        .map(|why| format!("it will wait: {why} is reached"))
        .into_iter()
        .collect();
    if let Err(missing) = engine
        .agent(&row.agent)
        .and_then(|agent| engine.find_program(&agent))
    {
        warnings.push(missing.message);
    }
    if row.port.is_none() {
        warnings.push(crate::launch::without_port(&row).to_owned());
    }
    if let (Some(asked), Some(branch)) = (&request.branch, &row.branch)
        && asked != branch
    {
        warnings.push(format!(
            "{}; its branch becomes {branch}",
            downbeat_model::name::otherwise(asked, branch)
        ));
    }
    let base: Option<Base> = serde_json::from_value(row.base.clone()).ok();
    if let Some(base) = base.as_ref().filter(|base| base.behind > 0) {
        warnings.push(format!(
            "{} is {} behind its upstream; nothing is fetched",
            base.name,
            downbeat_model::count(base.behind, "commit", "commits")
        ));
    }
    let config = engine.project_config(&family.project).await?;
    let worktree = row.workspace == Workspace::Worktree;
    let plan = match worktree {
        true => {
            let repo = PathBuf::from(&family.project.path);
            let look = move || downbeat_git::plan_copies(&repo, &config.copy, &config.symlink);
            error::in_time(&family.project.path, look)
                .await?
                .map_err(error::git)?
        }
        false => downbeat_git::CopyPlan {
            copies: Vec::new(),
            links: Vec::new(),
        },
    };
    let names = plan
        .copies
        .iter()
        .chain(&plan.links)
        .map(|path| path.to_string_lossy().into_owned());
    let copied: Vec<String> = names.take(NAMED).collect();
    let copied_count = u32::try_from(plan.copies.len() + plan.links.len()).unwrap_or(u32::MAX);
    if worktree && !family.project.trusted {
        let repo = PathBuf::from(&family.project.path);
        let look = move || downbeat_git::own_programs(&repo);
        let own = error::in_time(&family.project.path, look)
            .await?
            .map_err(error::git)?;
        if !own.is_empty() {
            warnings.push(format!(
                "the repository's own git configuration names programs, which do not run until you trust the \
                 project: {}",
                own.join(", ")
            ));
        }
    }
    let setup = match worktree {
        true => {
            let root = PathBuf::from(&family.project.path);
            let setup = engine.setup_commands(&family.project, root, plan).await?;
            warnings.extend(setup.warnings);
            crate::setup::plan(&setup.commands, setup.approved)
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
        base,
        copied,
        copied_count,
        setup,
        port: row.port,
        warnings,
    })
}

/// A person who asks is told at once that set-up waits for their approval; an agent's worker shows
/// it as a failed set-up instead, so that the person sees it.
pub async fn refuse_unapproved(
    engine: &Engine,
    caller: &Caller,
    project: &ProjectRow,
    row: &SessionRow,
) -> Result<(), ApiError> {
    if *caller != Caller::Owner || row.workspace == Workspace::InPlace {
        return Ok(());
    }
    let none = downbeat_git::CopyPlan {
        copies: Vec::new(),
        links: Vec::new(),
    };
    let setup = engine
        .setup_commands(project, PathBuf::from(&project.path), none)
        .await?;
    if setup.approved {
        return Ok(());
    }
    let plan = crate::setup::plan(&setup.commands, setup.approved);
    Err(ApiError::new(
        Code::ApprovalNeeded,
        format!("set-up wants to run: {}", plan.commands.join("; ")),
    )
    .hint(format!(
        "approve the project's set-up first (`downbeat project approve {}`, or in the dialog)",
        project.name
    )))
}
