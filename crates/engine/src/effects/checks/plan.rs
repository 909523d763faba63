//! Returns the checks of a project, and whether the person approved them. Checks come from the repository and run what
//! agents wrote, so trust in the project is not enough: the person approves exactly this list.

use crate::host::config::{self, ProjectConfig};
use crate::state::approvals;
use crate::state::context::Engine;
use downbeat_model::{count, shown};
use downbeat_store::ProjectRow;
use downbeat_wire::project::SetupPlan;
use downbeat_wire::{ApiError, Code};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::time::Duration;

/// One check of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCheck {
    /// The name that people see.
    pub name: String,
    /// The program with its arguments.
    pub argv: Vec<String>,
    /// The time limit.
    pub limit: Duration,
    /// Whether a commit counts as failed if this check fails.
    pub required: bool,
    /// The files with its results, in the worktree.
    pub reports: Vec<String>,
}

impl PlannedCheck {
    /// Returns the command as people read it.
    pub fn command(&self) -> String {
        shown::command(&self.argv)
    }
}

/// The checks of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The checks, in the order in which they run.
    pub checks: Vec<PlannedCheck>,
    /// The hash of the list, which the person approves.
    pub hash: String,
    /// Whether the person approved this list.
    pub approved: bool,
}

impl Plan {
    /// Reads the checks of a project from its primary checkout.
    ///
    /// # Errors
    /// Fails if its configuration cannot be read.
    pub async fn of(engine: &Engine, project: &ProjectRow) -> Result<Self, ApiError> {
        let config = engine.project_config(project).await?;
        Ok(Self::from_config(&config, project))
    }

    fn from_config(config: &ProjectConfig, project: &ProjectRow) -> Self {
        let check = |check: &config::Check| {
            let argv = check.command().argv();
            PlannedCheck {
                name: check.name().map_or_else(|| shown::command(&argv), str::to_owned),
                argv,
                limit: check.limit(),
                required: check.required(),
                reports: check.reports().to_vec(),
            }
        };
        let checks: Vec<_> = config.checks.iter().map(check).collect();
        let hash = hash(&checks);
        // A commit of an agent may have removed the checks that the person approved.
        let was_none = || !approvals::approved(project).any(|hash| hash.starts_with(KIND));
        let approved = approvals::is_approved(project, &hash) || (checks.is_empty() && was_none());
        Self {
            checks,
            hash,
            approved,
        }
    }

    /// Describes the checks for display and approval. Settings that differ from the defaults are part of what is shown.
    pub fn shown(&self) -> SetupPlan {
        let line = |check: &PlannedCheck| {
            let mut line = check.command();
            if check.name != line {
                line = format!("{}: {line}", check.name);
            }
            if !check.required {
                line.push_str(" (optional)");
            }
            if check.limit != config::Check::LIMIT {
                let minutes = check.limit.as_secs() / 60;
                line.push_str(&format!(" (at most {})", count(minutes, "minute", "minutes")));
            }
            line
        };
        SetupPlan {
            commands: self.checks.iter().map(line).collect(),
            because: (!self.checks.is_empty()).then(|| config::FILE.to_owned()),
            hash: self.hash.clone(),
            approved: self.approved,
        }
    }

    /// Fails, with the way out, if the checks that the person approved are gone.
    pub fn refuse_emptied(&self, project: &ProjectRow) -> Result<(), ApiError> {
        if !self.checks.is_empty() || self.approved {
            return Ok(());
        }
        let name = &project.name;
        let what = format!("{} names no checks of {name} any more", config::FILE);
        Err(ApiError::new(Code::ApprovalNeeded, what).hint(format!(
            "put them back, or agree that it has none with `downbeat project approve {name}`; `--unchecked` merges once \
             without checks"
        )))
    }

    /// Fails, with the way out, if there are no checks, or if the person has not approved them.
    pub fn refuse_unusable(&self, project: &ProjectRow) -> Result<(), ApiError> {
        let name = &project.name;
        if self.checks.is_empty() {
            let what = format!("{name} has no checks");
            return Err(ApiError::new(Code::Conflict, what).hint(format!(
                "name them in {}/{}, for example `checks: [npm test]`",
                project.path,
                config::FILE
            )));
        }
        if self.approved {
            return Ok(());
        }
        let what = format!(
            "you have not approved the checks of {name}: {}",
            self.shown().commands.join("; ")
        );
        Err(ApiError::new(Code::ApprovalNeeded, what).hint(format!(
            "read them, then approve them: `downbeat project approve {name}`, or in the project's settings"
        )))
    }
}

/// What the hash of a list of checks begins with, in contrast to that of set-up commands.
const KIND: &str = "checks-";

/// Records that the person approved a list of checks. The agreement that there are none ends with that.
pub fn approve(project: &mut ProjectRow, hash_approved: &str) {
    approvals::forget(project, |earlier| earlier == hash(&[]));
    approvals::approve(project, hash_approved);
}

/// Ends all approvals of checks, because the person no longer trusts the project.
pub fn forget(project: &mut ProjectRow) {
    approvals::forget(project, |earlier| earlier.starts_with(KIND));
}

/// Hashes a list of checks.
fn hash(checks: &[PlannedCheck]) -> String {
    let mut digest = Sha256::new();
    digest.update(b"checks\0");
    for check in checks {
        for word in std::iter::once(&check.name).chain(&check.argv) {
            digest.update((word.len() as u64).to_be_bytes());
            digest.update(word.as_bytes());
        }
        digest.update([0xff, u8::from(check.required)]);
        digest.update(check.limit.as_secs().to_be_bytes());
    }
    let bytes = digest.finalize();
    bytes.iter().fold(KIND.to_owned(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::Plan;
    use crate::host::config::{Check, Command, NamedCheck, ProjectConfig};
    use crate::state::approvals;
    use crate::state::example::project;
    use downbeat_wire::Code;

    fn config(checks: Vec<Check>) -> ProjectConfig {
        ProjectConfig {
            checks,
            ..ProjectConfig::default()
        }
    }

    fn line(text: &str) -> Check {
        Check::Command(Command::Line(text.into()))
    }

    fn named(name: &str, minutes: Option<u32>, required: Option<bool>) -> Check {
        Check::Named(NamedCheck {
            name: Some(name.into()),
            run: Command::Line("make test".into()),
            timeout_minutes: minutes,
            required,
            reports: Vec::new(),
        })
    }

    #[test]
    fn an_approval_covers_exactly_one_list() {
        let mut row = project();
        let of = |checks| Plan::from_config(&config(checks), &project()).hash;
        let approved = of(vec![line("make test")]);
        approvals::approve(&mut row, &approved);
        assert!(Plan::from_config(&config(vec![line("make test")]), &row).approved);
        for other in [
            vec![line("make tests")],
            vec![line("make test"), line("make lint")],
            vec![named("make test", Some(5), None)],
            vec![named("make test", None, Some(false))],
            vec![named("test", None, None)],
        ] {
            assert_ne!(of(other.clone()), approved);
            let plan = Plan::from_config(&config(other), &row);
            let refused = plan.refuse_unusable(&row).unwrap_err();
            assert_eq!(refused.code, Code::ApprovalNeeded, "{refused:?}");
        }
        assert_eq!(
            of(vec![named("make test", None, None)]),
            approved,
            "only written in another way"
        );
    }

    #[test]
    fn checks_that_were_removed_need_the_persons_word() {
        let mut row = project();
        let list = || Plan::from_config(&config(vec![line("make test")]), &project()).hash;
        let plan = |row: &_| Plan::from_config(&config(vec![]), row);
        assert!(plan(&row).approved, "it never had any");
        approvals::approve(&mut row, "5e7");
        assert!(plan(&row).approved, "a set-up is none");
        super::approve(&mut row, &list());
        let refused = plan(&row).refuse_emptied(&row).unwrap_err();
        assert_eq!(refused.code, Code::ApprovalNeeded);
        let none = plan(&row).hash;
        super::approve(&mut row, &none);
        plan(&row).refuse_emptied(&row).unwrap();
        super::approve(&mut row, &list());
        assert!(!plan(&row).approved, "new checks end the agreement");
        super::forget(&mut row);
        assert!(!Plan::from_config(&config(vec![line("make test")]), &row).approved);
        assert!(approvals::is_approved(&row, "5e7"));
    }

    #[test]
    fn what_is_approved_is_shown_with_its_settings() {
        let plan = Plan::from_config(
            &config(vec![line("make test"), named("lint", Some(5), Some(false))]),
            &project(),
        );
        let shown = ["make test", "lint: make test (optional) (at most 5 minutes)"];
        assert_eq!(plan.shown().commands, shown);
        assert!(!plan.approved);
        let none = Plan::from_config(&config(vec![]), &project());
        assert!(none.approved && none.shown().commands.is_empty());
        assert_eq!(none.refuse_unusable(&project()).unwrap_err().code, Code::Conflict);
    }
}
