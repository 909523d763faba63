//! What an agent may ask for through its session's token, beyond staying in its subtree (that is
//! [`crate::lookup`]): nothing that would run without the questions its own permission mode asks.

use downbeat_agents::{Agents, SHELL};
use downbeat_model::Workspace;
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
