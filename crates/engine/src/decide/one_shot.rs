//! One-shot sessions, which run one prompt and end: checks their requests, and records their start and end.

use crate::decide::{notices, status};
use crate::state::draft::Draft;
use downbeat_agents::{Agents, MAX_ONCE, Manifest};
use downbeat_model::lines::first_line;
use downbeat_model::{
    About, Evidence, EvidenceSource, Fact, FactKind, Fold as _, Observed, PermissionMode, SessionId, Status,
};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Code};

/// The number of characters of the answer that the event of the end carries; `get_output` returns all of it.
pub(crate) const MAX_ANSWER: usize = 4 * 1024;

/// Refuses a request that cannot run once.
pub fn check(
    agents: &Agents,
    project: &ProjectRow,
    request: &NewSession,
    agent: &Manifest,
    mode: PermissionMode,
) -> Result<(), ApiError> {
    if request.once != Some(true) {
        return Ok(());
    }
    // One-shot forms ask nobody whether the repository may bring hooks and rules of its own.
    if !project.trusted {
        let what = format!("a one-shot run cannot ask whether you trust {}", project.name);
        let hint = format!(
            "trust it in the project's settings (`downbeat project edit {} --trust yes`), or leave `once` out",
            project.name
        );
        return Err(ApiError::invalid(what).hint(hint));
    }
    if !agent.can_run_once() {
        let able = agents.iter().filter(|agent| agent.can_run_once());
        let able: Vec<&str> = able.map(|agent| agent.id.as_str()).collect();
        let what = format!("{} has no one-shot mode", agent.name);
        let hint = format!(
            "leave `once` out, or choose an agent that has one: {}",
            able.join(", ")
        );
        return Err(ApiError::invalid(what).hint(hint));
    }
    if !agent.holds_once(mode) {
        let (name, word) = (&agent.name, mode.as_str());
        let what = format!("{name} cannot ask in a one-shot run, so `{word}` cannot be enforced");
        let hint = "leave `once` out; or, if it may do anything, use the permission mode `bypass`";
        return Err(ApiError::invalid(what).hint(hint));
    }
    if request.conductor == Some(true) {
        let what = "a conductor waits for its workers, so it cannot be a one-shot run";
        return Err(ApiError::invalid(what).hint("leave `once` or `conductor` out"));
    }
    let prompt = request.prompt.as_deref().unwrap_or_default();
    if prompt.trim().is_empty() {
        return Err(
            ApiError::invalid("a one-shot run needs a prompt").hint("describe what the agent should do")
        );
    }
    if prompt.len() > MAX_ONCE {
        let long = prompt.len();
        let what = format!("prompt is {long} bytes long; a one-shot run accepts at most {MAX_ONCE}");
        let hint = "write it to a file of the repository and name the file, or leave `once` out";
        return Err(ApiError::invalid(what).hint(hint));
    }
    Ok(())
}

/// Refuses to type to a one-shot session; `what` names the refused input.
pub fn takes(agents: &Agents, row: &SessionRow, what: &str) -> Result<(), ApiError> {
    if !row.one_shot {
        return Ok(());
    }
    let goes_on = agents.get(&row.agent).is_some_and(|agent| agent.can_resume());
    let hint = match (goes_on, row.status.is_ended()) {
        (true, true) => "resume it to continue as a conversation",
        (true, false) => "resume it once it has ended, to continue as a conversation",
        (false, _) => "its agent cannot resume a conversation: start another session",
    };
    let what = format!("{} is a one-shot run and takes no {what}", row.name);
    Err(ApiError::new(Code::Conflict, what).hint(hint))
}

/// Records that the program was started: it works from now on, whether its hooks report it or not.
pub fn begun(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let fact = Fact {
        at: draft.now(),
        source: EvidenceSource::Process,
        detail: "process started".into(),
        kind: FactKind::Working,
        about: About::default(),
    };
    let seen = Observed::started(fact.at).after(&fact);
    let evidence = seen.evidence.clone();
    draft.session(id)?.observed = Some(seen);
    status::set(draft, id, Status::Running, evidence)
}

/// Records that the program ended well; `said` is its answer, or what its screen showed.
pub fn done(draft: &mut Draft, id: &SessionId, said: &str) -> Result<(), ApiError> {
    let evidence = Evidence {
        source: EvidenceSource::Process,
        detail: "done: exit code 0".into(),
        at: draft.now(),
    };
    status::set_telling(draft, id, Status::Exited, evidence, Some(said))?;
    let text = match first_line(said) {
        "" => "is done".to_owned(),
        line => format!("is done: {line}"),
    };
    notices::notify(draft, id, NoticeKind::Finished, text)
}

#[cfg(test)]
#[path = "one_shot_tests.rs"]
mod tests;
