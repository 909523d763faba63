//! Refuses a start whose set-up the person has not approved.

use crate::state::context::Engine;
use downbeat_model::Workspace;
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Caller, Code};
use std::path::PathBuf;

/// Fails if a person starts a session whose set-up waits for their approval. An agent's worker starts and
/// shows a failed set-up instead, so that the person sees it.
pub async fn refuse_unapproved(
    engine: &Engine,
    caller: &Caller,
    project: &ProjectRow,
    workspace: Workspace,
) -> Result<(), ApiError> {
    if *caller != Caller::Owner || workspace == Workspace::InPlace {
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
    let plan = crate::effects::worktree::setup::plan(&setup.commands, setup.approved);
    Err(ApiError::new(
        Code::ApprovalNeeded,
        format!("set-up wants to run: {}", plan.commands.join("; ")),
    )
    .hint(format!(
        "approve the project's set-up first (`downbeat project approve {}`, or in the dialog)",
        project.name
    )))
}
