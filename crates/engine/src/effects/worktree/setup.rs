//! Determines the set-up commands of a fresh worktree, and whether they may run. Commands from a repository's
//! config run only after the person approved that exact list; an install command for a lockfile also runs if
//! the person trusts the project (`docs/adr/0003`).

use crate::host::blocking;
use crate::state::approvals::is_approved;
use crate::state::context::Engine;
use downbeat_git::{CopyPlan, SetupCommand};
use downbeat_model::shown;
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use downbeat_wire::project::SetupPlan;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The set-up of a worktree, which runs before its agent starts.
pub struct SetUp {
    /// The commands, in order.
    pub commands: Vec<SetupCommand>,
    /// Whether the commands may run.
    pub approved: bool,
    /// The lockfiles whose tool is missing, one sentence each.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Returns the set-up that a worktree of `project` needs.
    pub async fn setup_commands(
        &self,
        project: &ProjectRow,
        worktree: PathBuf,
        copied: CopyPlan,
    ) -> Result<SetUp, ApiError> {
        let config = self.project_config(project).await?;
        if !config.setup.is_empty() {
            let commands: Vec<_> = config
                .setup_argv()
                .into_iter()
                .map(|argv| SetupCommand {
                    argv,
                    because: "downbeat.yaml".into(),
                })
                .collect();
            let approved = is_approved(project, &hash(&commands));
            return Ok(SetUp {
                commands,
                approved,
                warnings: Vec::new(),
            });
        }
        let repo = PathBuf::from(&project.path);
        let look = move || {
            let commands = downbeat_git::lockfile_setup(&worktree, &repo, &copied);
            (commands, downbeat_git::setup_warnings(&worktree, &repo, &copied))
        };
        let (commands, warnings) = blocking::in_time(&project.path, look).await?;
        let approved = commands.is_empty() || project.trusted || is_approved(project, &hash(&commands));
        Ok(SetUp {
            commands,
            approved,
            warnings,
        })
    }
}

/// Describes the commands for display and approval.
pub fn plan(commands: &[SetupCommand], approved: bool) -> SetupPlan {
    SetupPlan {
        commands: commands.iter().map(|one| shown::command(&one.argv)).collect(),
        because: commands.first().map(|command| command.because.clone()),
        hash: hash(commands),
        approved,
    }
}

/// Hashes a list of commands, including the boundaries of words and commands.
fn hash(commands: &[SetupCommand]) -> String {
    let mut digest = Sha256::new();
    for command in commands {
        for word in &command.argv {
            digest.update((word.len() as u64).to_be_bytes());
            digest.update(word.as_bytes());
        }
        digest.update([0xff]);
    }
    digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
