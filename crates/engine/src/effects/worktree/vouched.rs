//! Whose word stands behind the commit that a session starts at. Set-up, hooks and filters run what
//! that commit holds, and no permission mode asks about them. So where an agent that has to ask chose
//! the commit, nothing of it runs unasked, unless the person let that commit, or one that comes after
//! it, run before: by trusting the project while a branch stood there, or by a session of their own.

use crate::host::blocking;
use crate::state::draft::Draft;
use crate::state::error;
use crate::state::known::State;
use downbeat_git::Programs;
use downbeat_model::{PermissionMode, SessionId, Workspace};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Caller};
use std::path::{Path, PathBuf};

/// How many commits of one project are kept.
const MOST: usize = 256;

/// What the set-up step says where only the commit is not allowed.
pub const WAITS: &str = "waits for your approval of its commit";

/// Why an allowed set-up does not run.
const WHY: &str = ", at a commit that an agent chose and no branch that you trusted holds";

/// Why it does not run in a fork that files came along to.
const WHY_WORK: &str = ", with files that an agent may have written and no commit holds";

/// What the person can do then.
pub const HINT: &str =
    "look at what it starts from; then try set-up again, which allows this commit, or start without it";

/// What is told where a worktree is made without what the repository names.
const LEFT_OUT: &str =
    "its worktree was made at a commit that you have not allowed to run anything, so these were left out";

/// What a conductor reads.
const TOLD: &str = "its base is a commit that the person has not allowed to run anything: the repository's hooks and \
    filters are left out, and set-up, where it needs any, waits for the person";

/// Notes in a planned session whether an agent that has to ask chose its commit, and what follows.
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

/// Notes in a planned fork whether an agent that has to ask chose what it begins with: the person said whose
/// work goes on, not that it may run.
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

/// Why an allowed set-up does not run in a session, after the commands that it has.
pub fn why(row: &SessionRow) -> &'static str {
    match row.lineage.brings_work {
        true => WHY_WORK,
        false => WHY,
    }
}

/// Whether set-up, which runs what is in the worktree of a session, may run unasked.
pub async fn setup_stands(project: &ProjectRow, row: &SessionRow) -> Result<bool, ApiError> {
    Ok(!row.lineage.brings_work && stands(project, row).await?)
}

/// Whether what the commit of a session holds may run unasked.
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

/// Whether hooks and filters of the repository run where the worktree of a session is made.
pub async fn programs(project: &ProjectRow, row: &SessionRow) -> Result<Programs, ApiError> {
    match project.trusted && stands(project, row).await? {
        true => Ok(Programs::Run),
        false => Ok(Programs::Skip),
    }
}

/// What runs where the worktree of a session is made again: its branch may stand at another commit by now,
/// which its agent chose, whoever started the session.
pub struct AllowedCommits {
    trusted: bool,
    /// Its agent may run anything without a question, and the person started it so.
    is_free: bool,
    /// The commits that the person let run.
    from: Vec<String>,
}

/// The commits of a session at which the repository's programs may run when its worktree is made again.
pub fn allowed_again(project: &ProjectRow, row: &SessionRow) -> AllowedCommits {
    let by_agent = row.lineage.by_agent;
    let own = commit(row).filter(|_| !by_agent);
    AllowedCommits {
        trusted: project.trusted,
        is_free: !by_agent && row.permission_mode == PermissionMode::Bypass,
        from: all(project).map(str::to_owned).chain(own).collect(),
    }
}

impl AllowedCommits {
    /// Whether hooks and filters of the repository run at a commit. Blocks.
    pub fn programs(&self, repo: &Path, commit: &str) -> Result<Programs, downbeat_git::Error> {
        let runs = self.trusted && (self.is_free || downbeat_git::is_reached(repo, commit, &self.from)?);
        Ok(if runs { Programs::Run } else { Programs::Skip })
    }
}

/// What the person is told where what a repository that they trust names was left out for a commit.
pub fn left_out(project: &ProjectRow, programs: Programs) -> Option<String> {
    let is_held = project.trusted && programs == Programs::Skip;
    let own = downbeat_git::own_programs(Path::new(&project.path));
    let own = own.ok().filter(|own| is_held && !own.is_empty())?;
    Some(format!("{LEFT_OUT}: {}", own.join(", ")))
}

/// The commits that a yes to the trust question covers.
pub async fn tips(project: &ProjectRow) -> Vec<String> {
    let (repo, default) = (PathBuf::from(&project.path), project.default_branch.clone());
    let look = move || downbeat_git::shared_tips(&repo, &default, MOST);
    let found = blocking::in_time(&project.path, look).await;
    // Without them more is asked, not less.
    found
        .and_then(|found| found.map_err(error::git))
        .unwrap_or_else(|error| {
            tracing::warn!(project = %project.id, "its branches could not be noted: {error}");
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
    project.vouched = Some(kept.join(" ")).filter(|text| !text.is_empty());
}

/// Notes the commit that the person lets a session start at.
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

/// Notes that the person said yes to the commit of a session, where that was asked.
pub fn approved(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if !row.steps.iter().any(|step| step.detail == WAITS) {
        return Ok(());
    }
    row.lineage.by_agent = false;
    row.lineage.brings_work = false;
    let row = row.clone();
    chosen(draft, &row)
}

fn all(project: &ProjectRow) -> impl Iterator<Item = &str> {
    let all = project.vouched.as_deref().unwrap_or_default();
    all.split_ascii_whitespace()
}

fn commit(row: &SessionRow) -> Option<String> {
    row.base.as_ref().map(|base| base.commit.clone())
}
