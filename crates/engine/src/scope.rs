//! What an agent may ask for through its session's token, beyond staying in its subtree (that is
//! [`crate::lookup`]): nothing that would run without the questions its own permission mode asks.

use crate::ledger::State;
use downbeat_agents::{Agents, SHELL};
use downbeat_model::{Question, QuestionKind, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Caller, Code};

/// Whether `caller` may have the session that `row` plans.
pub fn may_spawn(caller: &Caller, agents: &Agents, row: &SessionRow) -> Result<(), ApiError> {
    if *caller == Caller::Owner {
        return Ok(());
    }
    if row.agent == SHELL {
        return Err(
            no("start a shell: its task would run as commands that nobody was asked about")
                .hint("spawn a worker with a coding agent instead"),
        );
    }
    let agent = agents.get(&row.agent);
    if agent.is_some_and(|agent| !agent.can_be_spawned()) {
        return Err(not_held(
            row,
            "start",
            "which Downbeat cannot hold to a permission mode",
        ));
    }
    if row.workspace == Workspace::InPlace {
        return Err(no("start a worker in the project's own checkout")
            .hint("leave `workspace` out: a worker gets a worktree of its own"));
    }
    Ok(())
}

/// Whether `caller` may type into the session of `row`.
pub fn may_type(caller: &Caller, agents: &Agents, row: &SessionRow) -> Result<(), ApiError> {
    let Caller::Session(id) = caller else {
        return Ok(());
    };
    if *id == row.id {
        return Err(no(
            "type into its own session: text of a tool would come back as the person's",
        ));
    }
    if row.agent == SHELL {
        return Err(no("type into a shell: the text would run as a command"));
    }
    let agent = agents.get(&row.agent);
    if agent.is_some_and(|agent| !agent.tells_questions() && !agent.spawnable) {
        let why = "of which Downbeat does not know when it asks something";
        return Err(not_held(row, "type into", why));
    }
    Ok(())
}

/// Whether `caller` may answer what the session of `row` asks: a conductor may where the person
/// allowed it for the project. (A question in prose takes any message, as of old.)
pub fn may_answer(caller: &Caller, agents: &Agents, state: &State, row: &SessionRow) -> Result<(), ApiError> {
    let Caller::Session(id) = caller else {
        return Ok(());
    };
    if *id == row.id {
        return Err(no("answer its own question"));
    }
    if row.observed.as_ref().is_some_and(|seen| seen.is_prose()) {
        return may_type(caller, agents, row);
    }
    match state.projects.get(&row.project_id) {
        Some(project) if project.conductors_answer => Ok(()),
        project => {
            let name = project.map_or("PROJECT", |project| project.name.as_str());
            Err(no("answer its workers' questions in this project").hint(format!(
                "the person was asked, and can allow it: `downbeat project edit {name} --conductors-answer yes`"
            )))
        }
    }
}

/// Words of an answer to a permission question that holds for more than this once.
const LASTING: [&str; 8] = [
    "always",
    "don't ask",
    "don’t ask",
    "do not ask",
    "session",
    "auto",
    "bypass",
    "all edits",
];

/// Whether `caller` may give this answer: what lasts, and whether a folder is trusted, is the
/// person's to say.
pub fn may_choose(caller: &Caller, question: &Question, answer: &str) -> Result<(), ApiError> {
    if *caller == Caller::Owner {
        return Ok(());
    }
    let answer = answer.to_lowercase();
    let lasts = LASTING.iter().any(|word| answer.contains(word));
    match question.kind {
        QuestionKind::Trust => Err(no("say whether a folder is trusted").hint("the person was asked")),
        QuestionKind::Permission if lasts => {
            Err(no("give an answer that lasts").hint("choose one that holds for this once, or the refusal"))
        }
        _ => Ok(()),
    }
}

/// Refused, unless the person has taken it on.
fn not_held(row: &SessionRow, verb: &str, why: &str) -> ApiError {
    let agent = &row.agent;
    no(&format!("{verb} {agent:?}, {why}")).hint(format!(
        "the person can allow it: `agents.{agent}.spawnable: true`"
    ))
}

fn no(what: &str) -> ApiError {
    ApiError::new(Code::Forbidden, format!("an agent may not {what}"))
}
