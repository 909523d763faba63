//! The command line of Claude Code: its hooks and tools are passed at each launch, so that neither the
//! person's settings nor the repository is written.
//!
//! Tools are always passed by `--mcp-config`, never by a `.mcp.json`: that would ask "New MCP server found"
//! by itself, could be committed by the agent, and would have to be kept out of git status. The JSON contains
//! no secret: the bridge finds its session in the environment.
//!
//! A session that can run plans also gets a plugin, by `--plugin-dir`, with the skill `/orchestrate`: a skill in the
//! person's home or in the repository would have to be written there.
//!
//! Bypass: as root, Claude Code refuses it unless the person has set `IS_SANDBOX=1`, and its first use shows
//! a warning to accept. Downbeat answers neither: the first is a claim about the machine that only the person
//! can make, the second is shown as a question.

use super::typed::as_text;
use crate::error::Error;
use crate::launch::hook_command::hook_command;
use crate::launch::orchestrate;
use crate::launch::request::{Launch, LaunchRequest, Mode, briefing_for, path_text, program_words};
use downbeat_model::PermissionMode;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// The hooks that we ask for. Claude Code ignores names that it does not know.
pub(super) const HOOKS: [&str; 17] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "Elicitation",
    "ElicitationResult",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
];

/// Seconds that Claude Code waits for one hook. The post is journaled in milliseconds; a keeper that hangs
/// must not block the agent for the default minute.
const HOOK_SECONDS: u32 = 10;

/// Variables that Claude Code sets for the programs it starts. Another Claude Code would take them for its
/// own.
const STRIP: [&str; 6] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_PROJECT_DIR",
];

/// Builds the command line for `request`.
pub(super) fn launch(request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let mut argv = program_words(request)?;
    if request.is_once() {
        argv.push("--print".into());
    }
    argv.extend(["--settings".to_owned(), settings(request)?]);
    if request.wants_bridge() {
        argv.extend(["--mcp-config".to_owned(), tools(request)?]);
        argv.extend(["--allowedTools", "mcp__downbeat"].map(str::to_owned));
    }
    let mut files = Vec::new();
    if request.tools {
        argv.push(format!("--plugin-dir={}", path_text(&plugin(request))?));
        files.extend(plugin_files(request));
    }
    argv.extend(["--permission-mode", permission(request.permission)].map(str::to_owned));
    if let Some(model) = request.model.filter(|m| !m.is_empty()) {
        // Joined, so that a model that starts with a dash is not read as an option.
        argv.push(format!("--model={model}"));
    }
    if let Some(part) = briefing_for(request, true) {
        argv.extend(["--append-system-prompt".to_owned(), part]);
    }
    let conversation = match &request.mode {
        Mode::Fresh => {
            let id = uuid::Uuid::new_v4().to_string();
            argv.extend(["--session-id".to_owned(), id.clone()]);
            id
        }
        Mode::Resume { conversation } => {
            argv.push(format!("--resume={conversation}"));
            conversation.clone()
        }
        // Claude Code finds a conversation by its id whatever directory it was held in, and stores the copy
        // under the directory it now runs in (tried with 2.1.329).
        Mode::Fork { conversation } => {
            let id = uuid::Uuid::new_v4().to_string();
            argv.push(format!("--resume={conversation}"));
            argv.extend(["--fork-session", "--session-id", &id].map(str::to_owned));
            id
        }
    };
    let first_prompt = request.first_prompt(as_text(request.prompt), &mut argv);
    Ok(Launch {
        argv,
        env: Vec::new(),
        strip: STRIP.map(str::to_owned).to_vec(),
        conversation: Some(conversation),
        first_prompt,
        files,
        has_tools: request.wants_bridge(),
    })
}

fn permission(mode: PermissionMode) -> &'static str {
    match mode {
        PermissionMode::Plan => "plan",
        // Named, since the agent's own default is less strict in newer versions.
        PermissionMode::Ask => "default",
        PermissionMode::AcceptEdits => "acceptEdits",
        PermissionMode::Bypass => "bypassPermissions",
    }
}

/// Returns the settings of this launch: every hook posts to Downbeat.
fn settings(request: &LaunchRequest<'_>) -> Result<String, Error> {
    let command = hook_command(request.cli)?;
    let hook = json!([{"hooks": [{"type": "command", "command": command, "timeout": HOOK_SECONDS}]}]);
    let hooks: Map<String, Value> = HOOKS
        .iter()
        .map(|name| ((*name).to_owned(), hook.clone()))
        .collect();
    Ok(json!({"hooks": hooks}).to_string())
}

/// Returns the tool server of this launch. Its tools are always loaded: otherwise they are hidden behind a
/// search, and a model that does not see that it can delegate does not delegate.
fn tools(request: &LaunchRequest<'_>) -> Result<String, Error> {
    let command = path_text(request.cli)?;
    let server = json!({"type": "stdio", "command": command, "args": ["mcp"], "alwaysLoad": true});
    Ok(json!({"mcpServers": {"downbeat": server}}).to_string())
}

/// Returns the folder of the plugin: next to the program that its tools run, which is a copy of one version.
fn plugin(request: &LaunchRequest<'_>) -> PathBuf {
    request.cli.with_file_name("claude-plugin")
}

/// Returns the files of the plugin.
fn plugin_files(request: &LaunchRequest<'_>) -> [(PathBuf, String); 2] {
    let manifest = json!({
        "name": "downbeat",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "The commands of Downbeat",
    });
    // Claude Code runs it only when the person asks for it.
    let skill = format!(
        "---\nname: {}\ndescription: {}\ndisable-model-invocation: true\n---\n\n{}\n",
        orchestrate::NAME,
        orchestrate::DESCRIPTION,
        orchestrate::message("mcp__downbeat__"),
    );
    let at = plugin(request);
    let skills = at.join("skills").join(orchestrate::NAME);
    [
        (at.join(".claude-plugin/plugin.json"), manifest.to_string()),
        (skills.join("SKILL.md"), skill),
    ]
}
