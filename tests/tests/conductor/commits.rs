//! What the models of the agents do so that their agent runs a command that commits.

use downbeat_tests::model_server::Step;
use serde_json::json;

/// Returns a command with the commit of what it makes.
pub fn committed(command: &str) -> String {
    format!("{command} && git add -A && git commit -qm work")
}

/// Returns the steps with which Codex runs a command that writes outside of its sandbox: git's folder.
pub fn codex(command: &str) -> [Step; 2] {
    let call = json!({
        "cmd": command, "yield_time_ms": 30_000,
        "sandbox_permissions": "require_escalated", "justification": "to commit",
    });
    [Step::call("exec_command", call), said()]
}

/// Returns the steps with which OpenCode runs a command.
pub fn opencode(command: &str) -> [Step; 2] {
    let call = json!({ "command": command, "description": "work" });
    [Step::call("bash", call), said()]
}

/// Returns the call with which Claude Code runs a command and commits what that makes.
pub fn commit(command: &str) -> Step {
    let call = json!({ "command": committed(command), "description": "work" });
    Step::call("Bash", call)
}

/// Returns what an agent says once it has committed.
pub fn said() -> Step {
    Step::say("It is committed.")
}
