//! Answers questions about a session from its row alone.

use downbeat_model::lines::first_line;
use downbeat_model::{Activity, EvidenceSource, Fact, FactKind, Status};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use std::path::PathBuf;

/// Whether there is evidence that a session works.
pub(crate) fn works(row: &SessionRow) -> bool {
    row.status == Status::Running
        && row
            .observed
            .as_ref()
            .is_some_and(|seen| seen.activity == Activity::Active)
}

/// The number of characters of a question that are quoted in the queue.
const WORDS: usize = 80;

pub(crate) fn first_words(text: &str) -> String {
    let line = first_line(text);
    line.chars().take(WORDS).collect()
}

/// Whether a fact applies to a one-shot run: that it works, and how its process ended. Its questions are
/// refused immediately, and its turn ends with its program.
pub fn counts(fact: &Fact) -> bool {
    let works = matches!(
        fact.kind,
        FactKind::TurnStarted
            | FactKind::Working
            | FactKind::SubAgent
            | FactKind::Plan(_)
            | FactKind::Task(_)
            | FactKind::Topic(_)
            | FactKind::Stuck
    );
    works
        || matches!(
            fact.source,
            EvidenceSource::Process | EvidenceSource::Tool | EvidenceSource::Engine
        )
}

/// Returns the program that runs in a shell's terminal, as of the last look.
pub fn program(row: &SessionRow) -> Option<&str> {
    let program = row.observed.as_ref()?.program.as_deref();
    program.filter(|_| row.status == Status::Running)
}

/// Whether a session keeps the machine awake: an agent that works. A program in a shell does not count,
/// because an editor or a dev server runs all day.
pub(crate) fn keeps_awake(row: &SessionRow) -> bool {
    let by_process = row.status_evidence.source == EvidenceSource::Process;
    works(row) && !by_process
}

/// The separator between a session's name and the number of its shell.
pub(crate) const INFIX: &str = "/shell-";

/// Returns a shell's number among those of its session.
pub(crate) fn number(row: &SessionRow) -> u32 {
    let digits = row.name.rsplit(INFIX).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Returns the directory that a session is planned for.
pub fn path_of(row: &SessionRow) -> Result<PathBuf, ApiError> {
    let path = row.workspace_path.as_ref().map(PathBuf::from);
    path.ok_or_else(|| {
        ApiError::new(
            Code::Conflict,
            format!("the workspace of {} was removed", row.name),
        )
        .hint(format!("`downbeat resume {}` recreates it", row.name))
    })
}

pub(crate) fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}
