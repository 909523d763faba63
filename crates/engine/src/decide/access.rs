//! Decides what an agent may request through its session's token, beyond staying in its subtree (see
//! [`crate::state::find`]): nothing that would run without the questions that its own permission mode asks.

use crate::state::known::State;
use downbeat_agents::{Agents, SHELL, asks_to_act};
use downbeat_forge::IssueKey;
use downbeat_model::limit::TOO_DEEP;
use downbeat_model::{EvidenceSource, OpenQuestion, QuestionKind, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Caller, Code};
use std::sync::Arc;

/// Checks that `caller` may have a session of this agent in such a workspace.
pub fn may_spawn(
    caller: &Caller,
    agents: &Agents,
    (agent, workspace): (&str, Workspace),
) -> Result<(), ApiError> {
    if *caller == Caller::Owner {
        return Ok(());
    }
    if agent == SHELL {
        return Err(
            no("start a shell: its task would run as commands without anybody's approval")
                .hint("spawn a worker with a coding agent instead"),
        );
    }
    let known = agents.get(agent);
    if known.is_some_and(|known| !known.can_be_spawned()) {
        return Err(not_held(
            agent,
            "start",
            "because Downbeat cannot enforce a permission mode for it",
        ));
    }
    if workspace == Workspace::InPlace {
        return Err(no("start a worker in the project's own checkout")
            .hint("leave `workspace` out: a worker gets its own worktree"));
    }
    Ok(())
}

/// Checks that `caller` may have workers at all: a session that was asked for a plan has none before the person runs that plan.
pub fn may_lead(state: &State, caller: &Caller) -> Result<(), ApiError> {
    let Caller::Session(id) = caller else {
        return Ok(());
    };
    let makes_plan = |row: &Arc<SessionRow>| row.goal_to_plan.is_some();
    let mut own = state
        .plans
        .values()
        .filter(|plan| plan.conductor.as_ref() == Some(id));
    if !state.sessions.get(id).is_some_and(makes_plan) || own.any(|plan| plan.started_at.is_some()) {
        return Ok(());
    }
    Err(
        no("start a worker: it was asked for a plan, and the person runs that")
            .hint("hand the tasks in with propose_plan, and end your turn"),
    )
}

/// Checks that `caller` may have an issue of Linear read. The key for Linear reaches everything that the person can read
/// there, so an agent gets only issues of the team that the project's issues are in; `None` if none is named.
pub fn may_read(caller: &Caller, project: &str, team: Option<&str>, key: &IssueKey) -> Result<(), ApiError> {
    if *caller == Caller::Owner || team.is_some_and(|team| team.eq_ignore_ascii_case(&key.team)) {
        return Ok(());
    }
    let by_person = format!("the person can start it: `downbeat spawn {key} --project {project}`");
    Err(match team {
        Some(team) => no(&format!("read {key}: the issues of {project} are those of the team {team}"))
            .hint(by_person),
        None => no(&format!(
            "read {key}: {project} names no team of Linear whose issues its agents may read"
        ))
        .hint(format!(
            "{by_person}, or allow a team: `tracker: {{ plugin: linear, teamId: TEAM }}` in the project's downbeat.yaml"
        )),
    })
}

/// Checks that `caller` may give the session that `row` plans the tools to spawn: below the deepest level
/// each call would be refused.
pub fn may_conduct(caller: &Caller, row: &SessionRow, max_depth: u32) -> Result<(), ApiError> {
    if *caller == Caller::Owner || !row.conducts || row.depth < max_depth {
        return Ok(());
    }
    let what = format!(
        "{TOO_DEEP} for a worker at depth {}: it is the deepest level",
        row.depth
    );
    Err(ApiError::new(Code::TooDeep, what).hint("leave `conductor` out"))
}

/// Refuses a session's token that would end its own session.
pub fn may_kill(caller: &Caller, row: &SessionRow) -> Result<(), ApiError> {
    if *caller != Caller::Session(row.id.clone()) {
        return Ok(());
    }
    Err(ApiError::new(Code::Forbidden, "a session cannot kill itself").hint("name one of its workers"))
}

/// Checks that `caller` may type into the session of `row`.
pub fn may_type(caller: &Caller, agents: &Agents, row: &SessionRow) -> Result<(), ApiError> {
    let Caller::Session(id) = caller else {
        return Ok(());
    };
    if *id == row.id {
        return Err(no(
            "type into its own session: the text of a tool would look like the person's",
        ));
    }
    if row.agent == SHELL {
        return Err(no("type into a shell: the text would run as a command"));
    }
    let agent = agents.get(&row.agent);
    if agent.is_some_and(|agent| !agent.tells_questions() && !agent.spawnable) {
        let why = "because Downbeat cannot see when it asks a question";
        return Err(not_held(&row.agent, "type into", why));
    }
    Ok(())
}

/// Checks that `caller` may answer the question of the session of `row`: a conductor may if the person
/// allowed it for the project. A question in prose takes any message.
pub fn may_answer(caller: &Caller, agents: &Agents, state: &State, row: &SessionRow) -> Result<(), ApiError> {
    let Caller::Session(id) = caller else {
        return Ok(());
    };
    if *id == row.id {
        return Err(no("answer its own question"));
    }
    if row.hold.pause.is_some() {
        let what = format!("{} is paused", row.name);
        return Err(ApiError::new(Code::Conflict, what).hint("the person has to continue it"));
    }
    if row.observed.as_ref().is_some_and(|seen| seen.asks_in_prose()) {
        return may_type(caller, agents, row);
    }
    match state.projects.get(&row.project_id) {
        Some(project) if project.conductors_answer => Ok(()),
        project => {
            let name = project.map_or("PROJECT", |project| project.name.as_str());
            Err(no("answer its workers' questions in this project").hint(format!(
                "the person was notified and can allow it: `downbeat project edit {name} --conductors-answer yes`"
            )))
        }
    }
}

/// Words of an answer to a permission question that make it hold for more than this time.
const LASTING: [&str; 15] = [
    "always",
    "don't ask",
    "don’t ask",
    "do not ask",
    "session",
    "auto",
    "bypass",
    "all edits",
    "future",
    "remember",
    "keep allowing",
    "this project",
    "conversation",
    "trust",
    "unattended",
];

/// Reports whether an answer, in lower case, holds for more than this time: by its words, or because it
/// allows more than was asked.
fn lasts(answer: &str) -> bool {
    let more = answer.starts_with("yes, and ") || answer.starts_with("yes, allow ");
    LASTING.iter().any(|word| answer.contains(word)) || (more && !answer.contains("once"))
}

/// Checks that `caller` may give this answer to a question. Reserved for the person are lasting answers,
/// whether a folder is trusted, and what an agent with hooks asks without them, at its start or about its
/// account.
pub fn may_choose(
    caller: &Caller,
    asked: &OpenQuestion,
    has_hooks: bool,
    answer: &str,
) -> Result<(), ApiError> {
    if *caller == Caller::Owner {
        return Ok(());
    }
    let question = &asked.question;
    let by_hook = !has_hooks || asked.evidence.source == EvidenceSource::Hook;
    let persons = |what: &str| Err(no(what).hint("the person was notified"));
    match question.kind {
        QuestionKind::Trust => persons("decide whether a folder is trusted"),
        QuestionKind::Blocked => persons("answer for an agent that cannot continue"),
        _ if !by_hook => persons("answer what an agent asks at its start or about its account"),
        QuestionKind::Choice if !asks_to_act(asked) => Ok(()),
        _ if lasts(&answer.to_lowercase()) => {
            Err(no("give an answer that lasts").hint("choose one that applies only this time, or refuse"))
        }
        _ => Ok(()),
    }
}

/// Returns a refusal that the person can lift by a setting.
fn not_held(agent: &str, verb: &str, why: &str) -> ApiError {
    no(&format!("{verb} {agent:?}, {why}")).hint(format!(
        "the person can allow it: `agents.{agent}.spawnable: true`"
    ))
}

fn no(what: &str) -> ApiError {
    ApiError::new(Code::Forbidden, format!("an agent may not {what}"))
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
