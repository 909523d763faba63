//! The commands that the rules of a project run, and whether the person approved them. They come from the repository, so
//! trust in the project is not enough: the person approves exactly this list, as with checks.

use crate::host::config;
use crate::state::approvals;
use downbeat_model::reactions::Rule;
use downbeat_model::{count, shown};
use downbeat_store::ProjectRow;
use downbeat_wire::project::SetupPlan;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What the hash of such a list begins with, in contrast to those of checks and set-up commands.
const KIND: &str = "reactions-";

/// Notes in the rules whether the person approved their commands.
pub fn note_approval(rules: &mut [Rule], project: &ProjectRow) {
    let is_approved = is_approved(project, &hash(rules));
    for command in rules.iter_mut().filter_map(|rule| rule.command.as_mut()) {
        command.approved = is_approved;
    }
}

/// Whether the commands with this hash may run: the project is trusted, and the person approved exactly this list.
pub fn is_approved(project: &ProjectRow, hash: &str) -> bool {
    project.trusted && approvals::is_approved(project, hash)
}

/// Describes the commands of rules for display and approval. What differs from the default is part of what is shown.
#[must_use]
pub fn shown(rules: &[Rule], project: &ProjectRow, file: &str) -> SetupPlan {
    let usual = config::Check::LIMIT.as_secs() / 60;
    let commands = rules.iter().filter_map(|rule| {
        let command = rule.command.as_ref()?;
        let limit = match u64::from(command.limit_minutes) == usual {
            true => String::new(),
            false => format!(" (at most {})", count(command.limit_minutes, "minute", "minutes")),
        };
        Some(format!("{}: {}{limit}", rule.id, shown::command(&command.argv)))
    });
    let commands: Vec<String> = commands.collect();
    let hash = hash(rules);
    SetupPlan {
        because: (!commands.is_empty()).then(|| file.to_owned()),
        approved: commands.is_empty() || approvals::is_approved(project, &hash),
        commands,
        hash,
    }
}

/// Ends all approvals of commands of rules, because the person no longer trusts the project.
pub fn forget(project: &mut ProjectRow) {
    approvals::forget(project, |earlier| earlier.starts_with(KIND));
}

/// Hashes the commands of rules, each with the rule that runs it and its time limit.
pub fn hash(rules: &[Rule]) -> String {
    let mut digest = Sha256::new();
    digest.update(b"reactions\0");
    for rule in rules {
        let Some(command) = &rule.command else {
            continue;
        };
        for word in std::iter::once(&rule.id).chain(&command.argv) {
            digest.update((word.len() as u64).to_be_bytes());
            digest.update(word.as_bytes());
        }
        digest.update([0xff]);
        digest.update(command.limit_minutes.to_be_bytes());
    }
    let bytes = digest.finalize();
    bytes.iter().fold(KIND.to_owned(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::config::{ProjectConfig, parse, reaction_rules};
    use crate::state::example::project;
    use std::path::Path;

    fn rules(text: &str) -> Vec<Rule> {
        let config: ProjectConfig = parse(Path::new("downbeat.yaml"), text).unwrap();
        reaction_rules(&config.reactions)
    }

    const PREVIEW: &str = "reactions:\n  pr-opened: { action: run, command: make preview }\n";

    #[test]
    fn an_approval_covers_exactly_one_list() {
        let mut row = project();
        let plan = shown(&rules(PREVIEW), &row, "downbeat.yaml");
        assert_eq!(
            (&plan.commands[..], plan.approved),
            (&["pr-opened: make preview".to_owned()][..], false)
        );
        approvals::approve(&mut row, &plan.hash);
        let is_approved = |text: &str, row: &ProjectRow| {
            let mut rules = rules(text);
            note_approval(&mut rules, row);
            let command = rules.iter().find_map(|rule| rule.command.clone());
            command.is_some_and(|command| command.approved)
        };
        assert!(is_approved(PREVIEW, &row));
        assert!(is_approved(
            "reactions:\n  pr-opened: { action: run, command: [make, preview] }\n",
            &row
        ));
        for other in [
            "reactions:\n  pr-opened: { action: run, command: make previews }\n",
            "reactions:\n  pr-merged: { action: run, command: make preview }\n",
            "reactions:\n  pr-opened: { action: run, command: make preview, timeoutMinutes: 5 }\n",
            "reactions:\n  pr-opened: { action: run, command: { sh: make preview } }\n",
            "reactions:\n  pr-opened: { action: run, command: make preview }\n  agent-idle: { action: run, command: make }\n",
        ] {
            assert!(!is_approved(other, &row), "{other}");
        }
        forget(&mut row);
        assert!(!is_approved(PREVIEW, &row));
        let none = shown(&rules(""), &row, "downbeat.yaml");
        assert!(none.approved && none.commands.is_empty() && none.because.is_none());
    }

    #[test]
    fn what_is_approved_is_shown_with_its_rule_and_its_limit() {
        let text = "reactions:\n  agent-idle: { action: run, command: { sh: 'make && say done' }, timeoutMinutes: 5 }\n";
        let plan = shown(&rules(text), &project(), "downbeat.yaml");
        assert_eq!(
            plan.commands,
            ["agent-idle: sh -c 'make && say done' (at most 5 minutes)"]
        );
    }
}
