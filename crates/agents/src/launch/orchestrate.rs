//! The command `/orchestrate`, which a session that can run plans has in its agent: what it says to the agent. How an
//! agent is given a command is known to its adapter. What the words after the command mean is decided by the engine,
//! which reads them as tasks.

/// The name of the command, without the slash.
pub(crate) const NAME: &str = "orchestrate";

/// What the agent shows beside the command.
pub(crate) const DESCRIPTION: &str = "Divide work among several workers as a plan of Downbeat";

/// What a briefing says about the word, for agents that cannot be given a command and for messages of the person.
pub(crate) const IN_MESSAGES: &str = "When the person writes `/orchestrate` or `orchestrate` before tasks or a goal, pass them to `propose_plan`, \
     show the plan, and call `run_plan` when the person agrees, or at once with `--yes`; with `--dry-run`, only show it. If it \
     says `execute` and names a file, read the file and pass its content with `file: true`. If it says `--kill-all`, cancel each plan \
     that is not over with `update_task`, and call `kill_all_workers`.";

/// Returns the message to the agent. `$ARGUMENTS` stands for the words after the command, as Claude Code and OpenCode
/// replace it. `tool` is what the names of Downbeat's tools begin with in this agent.
pub(crate) fn message(tool: &str) -> String {
    format!(
        "The person wants this to be worked on by several workers at once:\n\
         \n\
         $ARGUMENTS\n\
         \n\
         - If it is a list of tasks, call `{tool}propose_plan` with exactly these words as `tasks`, without options \
         that begin with `--`.\n\
         - If it says `execute` and names a file, read the file and pass its content as `tasks`, with `file: true`. Once a \
         task is done, tick its box in your copy of the file.\n\
         - If it is a goal, look at the repository and divide the goal into tasks first. Each task stands alone, with \
         `(id: …)` and, where it needs another one, `(depends_on: …)`.\n\
         - If it says `--kill-all`, call `{tool}plan_status`, cancel each plan that is not over with `{tool}update_task`, and \
         call `{tool}kill_all_workers`; do nothing else.\n\
         - If nothing is there, ask what is to be done.\n\
         \n\
         Show the person the plan that comes back: who does what, in which order. Call `{tool}run_plan` when the person \
         agrees, or at once if `--yes` was said; with `--dry-run`, stop here. Then follow the plan with \
         `{tool}wait_for_workers` and `{tool}plan_status` until it is over, and say what was done, where it is, and what \
         is left. If Downbeat answers that no worker may be spawned here, do the tasks yourself, one after the other, and \
         report `mode: sequential`."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_have_the_names_that_the_agent_knows() {
        let text = message("mcp__downbeat__");
        assert_eq!(text.matches("`mcp__downbeat__").count(), 7, "{text}");
        assert_eq!(text.matches("$ARGUMENTS").count(), 1);
    }
}
