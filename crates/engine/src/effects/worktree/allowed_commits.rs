//! Decides whether code from the commit that a session starts at may run. Set-up, hooks and filters run what
//! that commit holds, and no permission mode asks about them. So if an agent that has to ask chose the
//! commit, none of it runs without approval, unless the person allowed that commit, or a later one that
//! contains it, before: by trusting the project while a branch stood there, or by a session of their own.

use crate::host::blocking;
use crate::state::draft::Draft;
use crate::state::error;
use crate::state::known::State;
use downbeat_git::Programs;
use downbeat_model::session::Approval;
use downbeat_model::{PermissionMode, SessionId, Workspace};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Caller};
use std::path::{Path, PathBuf};

/// The maximum number of allowed commits that are kept for a project.
const MOST: usize = 256;

/// The reason that an allowed set-up does not run.
const WHY: &str = ", at a commit that an agent chose and that is on no branch you trusted";

/// The reason that it does not run in a fork with files that were copied along.
const WHY_WORK: &str = ", with files that an agent may have written and that are in no commit";

/// The hint for the person in that case.
pub const HINT: &str =
    "review the commit it starts from; then retry set-up, which allows this commit, or start without it";

/// The notice for a worktree that was made without running the repository's programs.
const LEFT_OUT: &str =
    "its worktree was created at a commit that you have not allowed to run anything, so these were skipped";

/// The detail of the set-up step that a conductor reads.
const TOLD: &str = "its base is a commit that the person has not allowed to run anything: the repository's hooks and \
    filters are skipped, and set-up, if it has any, waits for the person";

/// Records in a planned session whether an agent that has to ask chose its commit, and the consequences.
pub async fn planned(
    state: &State,
    caller: &Caller,
    project: &ProjectRow,
    row: &mut SessionRow,
) -> Result<(), ApiError> {
    let Caller::Session(id) = caller else {
        return Ok(());
    };
    let mode = state.sessions.get(id).map(|caller| caller.permission_mode);
    if mode == Some(PermissionMode::Bypass) {
        return Ok(());
    }
    row.lineage.by_agent = true;
    let runs = project.trusted || project.approved_setup.is_some();
    if runs
        && !stands(project, row).await?
        && let Some(step) = row.steps.iter_mut().find(|step| step.name == "setup")
    {
        TOLD.clone_into(&mut step.detail);
    }
    Ok(())
}

/// Records in a planned fork whether an agent that has to ask chose what it begins with. The person decided
/// whose work is continued, not that it may run.
pub async fn forked(
    project: &ProjectRow,
    from: &SessionRow,
    new: &mut SessionRow,
    brings: bool,
) -> Result<(), ApiError> {
    let allowed = allowed_again(project, from);
    let Some(commit) = commit(new).filter(|_| !allowed.is_free) else {
        return Ok(());
    };
    let repo = PathBuf::from(&project.path);
    let look = move || downbeat_git::is_reached(&repo, &commit, &allowed.from);
    let reached = blocking::in_time(&project.path, look).await?;
    new.lineage.by_agent = !reached.map_err(error::git)?;
    new.lineage.brings_work = brings;
    Ok(())
}

/// Returns the reason that an allowed set-up does not run in a session, to follow its commands.
pub fn why(row: &SessionRow) -> &'static str {
    match row.lineage.brings_work {
        true => WHY_WORK,
        false => WHY,
    }
}

/// Whether the set-up of a session, which runs files from its worktree, may run without approval.
pub async fn setup_stands(project: &ProjectRow, row: &SessionRow) -> Result<bool, ApiError> {
    Ok(!row.lineage.brings_work && stands(project, row).await?)
}

/// Whether code from the commit of a session may run without approval.
pub async fn stands(project: &ProjectRow, row: &SessionRow) -> Result<bool, ApiError> {
    if !row.lineage.by_agent || row.workspace == Workspace::InPlace {
        return Ok(true);
    }
    let Some(commit) = commit(row) else {
        return Ok(false);
    };
    let repo = PathBuf::from(&project.path);
    let from: Vec<String> = all(project).map(str::to_owned).collect();
    let look = move || downbeat_git::is_reached(&repo, &commit, &from);
    blocking::in_time(&project.path, look).await?.map_err(error::git)
}

/// Decides whether the repository's hooks and filters run when the worktree of a session is made.
pub async fn programs(project: &ProjectRow, row: &SessionRow) -> Result<Programs, ApiError> {
    match project.trusted && stands(project, row).await? {
        true => Ok(Programs::Run),
        false => Ok(Programs::Skip),
    }
}

/// The commits that may run programs when a session's worktree is recreated. Its branch may point at another
/// commit by then, chosen by its agent, whoever started the session.
pub struct AllowedCommits {
    trusted: bool,
    /// Whether the person started the session in bypass mode, so that its agent may run anything anyway.
    is_free: bool,
    /// The commits that the person allowed to run.
    from: Vec<String>,
}

/// Whether the person started a session in bypass mode, so that its agent may run anything anyway.
pub fn is_free(row: &SessionRow) -> bool {
    !row.lineage.by_agent && row.permission_mode == PermissionMode::Bypass
}

/// Returns the commits at which the repository's programs may run when a session's worktree is recreated.
pub fn allowed_again(project: &ProjectRow, row: &SessionRow) -> AllowedCommits {
    let by_agent = row.lineage.by_agent;
    let own = commit(row).filter(|_| !by_agent);
    AllowedCommits {
        trusted: project.trusted,
        is_free: is_free(row),
        from: all(project).map(str::to_owned).chain(own).collect(),
    }
}

impl AllowedCommits {
    /// Decides whether the repository's hooks and filters run at a commit. Blocks.
    pub fn programs(&self, repo: &Path, commit: &str) -> Result<Programs, downbeat_git::Error> {
        let runs = self.trusted && (self.is_free || downbeat_git::is_reached(repo, commit, &self.from)?);
        Ok(if runs { Programs::Run } else { Programs::Skip })
    }
}

/// Returns the notice for the person if programs of a repository that they trust were left out for a commit.
pub fn left_out(project: &ProjectRow, programs: Programs) -> Option<String> {
    let is_held = project.trusted && programs == Programs::Skip;
    let own = downbeat_git::own_programs(Path::new(&project.path));
    let own = own.ok().filter(|own| is_held && !own.is_empty())?;
    Some(format!("{LEFT_OUT}: {}", own.join(", ")))
}

/// Returns the commits that a yes to the trust question covers.
pub async fn tips(project: &ProjectRow) -> Vec<String> {
    let (repo, default) = (PathBuf::from(&project.path), project.default_branch.clone());
    let look = move || downbeat_git::shared_tips(&repo, &default, MOST);
    let found = blocking::in_time(&project.path, look).await;
    // An empty list leads to more questions, not fewer.
    found
        .and_then(|found| found.map_err(error::git))
        .unwrap_or_else(|error| {
            tracing::warn!(project = %project.id, "could not record its branches: {error}");
            Vec::new()
        })
}

/// Adds commits, the newest first.
pub fn add(project: &mut ProjectRow, commits: Vec<String>) {
    let mut kept = commits;
    for earlier in all(project) {
        if !kept.iter().any(|commit| commit == earlier) {
            kept.push(earlier.to_owned());
        }
    }
    kept.truncate(MOST);
    project.allowed_commits = Some(kept.join(" ")).filter(|text| !text.is_empty());
}

/// Records the commit at which the person started a session as allowed.
pub fn chosen(draft: &mut Draft, row: &SessionRow) -> Result<(), ApiError> {
    if row.lineage.by_agent || row.workspace == Workspace::InPlace {
        return Ok(());
    }
    let Some(commit) = commit(row) else { return Ok(()) };
    let project = draft.project(&row.project_id)?;
    if !all(project).any(|known| known == commit) {
        add(project, vec![commit]);
    }
    Ok(())
}

/// Records that the person approved the commit of a session, if that was asked.
pub fn approved(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if !row
        .steps
        .iter()
        .any(|step| step.waits_for == Some(Approval::Commit))
    {
        return Ok(());
    }
    row.lineage.by_agent = false;
    row.lineage.brings_work = false;
    let row = row.clone();
    chosen(draft, &row)
}

fn all(project: &ProjectRow) -> impl Iterator<Item = &str> {
    let all = project.allowed_commits.as_deref().unwrap_or_default();
    all.split_ascii_whitespace()
}

fn commit(row: &SessionRow) -> Option<String> {
    row.base.as_ref().map(|base| base.commit.clone())
}
