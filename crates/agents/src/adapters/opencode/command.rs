//! The command line and the environment of OpenCode.
//!
//! OpenCode allows everything by default, so the actions that it must ask about are always listed, in
//! `OPENCODE_CONFIG_CONTENT`, which OpenCode merges over the settings in the person's files and in the
//! repository. Settings that we do not set stay as they are, except for permissions: of the permissions in
//! the files only denials count, unless we set the same name and pattern; what the files allow is asked
//! about. OpenCode applies the last rule that matches, in the order of all files, so the plugin puts them in
//! order. Settings for single agents in the files, and `OPENCODE_PERMISSION`, apply unchanged.
//!
//! A person's own `OPENCODE_CONFIG_CONTENT` is replaced, since the request does not contain it.

use crate::error::Error;
use crate::launch::hook_command::hook_program;
use crate::launch::orchestrate;
use crate::launch::request::{
    FirstPrompt, Launch, LaunchRequest, Mode, TOOL_SECONDS, briefing_for, path_text, program_words,
};
use crate::text::harmless;
use downbeat_model::PermissionMode;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The plugin, and the name of its file.
pub(super) const PLUGIN: (&str, &str) = ("downbeat-opencode.js", include_str!("plugin.js"));

/// The id of OpenCode, for errors.
const OPENCODE: &str = "opencode";

/// Tools that only read, besides `read`.
const LOOKING: [&str; 6] = ["glob", "grep", "list", "lsp", "todoread", "todowrite"];

/// Builds the command line for `request`.
pub(super) fn launch(request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let mut argv = program_words(request)?;
    if request.is_once() {
        argv.push("run".into());
    }
    match request.permission {
        PermissionMode::Plan => argv.extend(["--agent", "plan"].map(str::to_owned)),
        PermissionMode::Bypass => argv.push("--auto".into()),
        PermissionMode::Ask | PermissionMode::AcceptEdits => {}
    }
    if let Some(model) = request.model.filter(|m| !m.is_empty()) {
        argv.push(format!("--model={model}"));
    }
    let conversation = match &request.mode {
        Mode::Fresh => None,
        Mode::Resume { conversation } => {
            argv.push(format!("--session={conversation}"));
            Some(conversation.clone())
        }
        // OpenCode's own `--fork` keeps working in the directory of the original, so a copy is made before
        // the start (`copying`) and resumed.
        Mode::Fork { .. } => return Err(Error::CannotFork(OPENCODE.into())),
    };
    let first_prompt = match harmless(request.prompt) {
        prompt if prompt.trim().is_empty() => FirstPrompt::Nothing,
        prompt if request.is_once() => {
            argv.extend(["--".to_owned(), prompt]);
            FirstPrompt::Given
        }
        // OpenCode ignores `--prompt` when it resumes a conversation.
        prompt if request.gives_argument(&prompt) && conversation.is_none() => {
            argv.push(format!("--prompt={prompt}"));
            FirstPrompt::Given
        }
        _ => FirstPrompt::Paste(request.prompt.to_owned()),
    };
    let mut env = vec![(
        "OPENCODE_CONFIG_CONTENT".to_owned(),
        settings(request)?.to_string(),
    )];
    if let Some(hook) = hook_program(request.cli) {
        env.push(("DOWNBEAT_HOOK".to_owned(), path_text(&hook)?));
    }
    if let Some(part) = briefing_for(request, true) {
        env.push((
            "DOWNBEAT_BRIEFING".into(),
            part.replace("mcp__downbeat__", "downbeat_"),
        ));
    }
    Ok(Launch {
        argv,
        env,
        strip: Vec::new(),
        conversation,
        first_prompt,
        files: vec![(plugin(request), PLUGIN.1.to_owned())],
        has_tools: request.wants_bridge(),
    })
}

fn settings(request: &LaunchRequest<'_>) -> Result<Value, Error> {
    let plugin = address(&path_text(&plugin(request))?);
    let mut settings = json!({
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": false,
        "plugin": [plugin],
        "permission": permission(request.permission),
        "agent": {"plan": planning()},
    });
    if request.wants_bridge() {
        let command = [path_text(request.cli)?, "mcp".into()];
        // The default is five seconds: too short on a busy machine, where it then continues without the
        // tools.
        let timeout = TOOL_SECONDS * 1000;
        let server = json!({"type": "local", "command": command, "enabled": true, "timeout": timeout});
        settings["mcp"] = json!({ "downbeat": server });
    }
    if request.tools {
        let command = json!({
            "description": orchestrate::DESCRIPTION,
            "template": orchestrate::message("downbeat_"),
        });
        settings["command"] = json!({ orchestrate::NAME: command });
    }
    Ok(settings)
}

/// Returns the path of the plugin: next to the program that it calls, which is a copy of one version.
fn plugin(request: &LaunchRequest<'_>) -> PathBuf {
    request.cli.with_file_name(PLUGIN.0)
}

/// Returns a path as the URL that OpenCode loads a plugin from.
fn address(path: &str) -> String {
    let mut address = String::from("file://");
    if !path.starts_with('/') {
        address.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => address.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => {
                address.push(byte.into());
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

fn permission(mode: PermissionMode) -> Value {
    // The defaults of OpenCode itself, which `*` would override.
    let read = json!({"*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow"});
    let mut rules = json!({"*": "ask", "read": read});
    for tool in LOOKING {
        rules[tool] = json!("allow");
    }
    match mode {
        // Applies also to the sub-agents of a plan.
        PermissionMode::Plan => rules["edit"] = json!("deny"),
        PermissionMode::AcceptEdits => rules["edit"] = json!("allow"),
        PermissionMode::Ask | PermissionMode::Bypass => {}
    }
    rules["downbeat_*"] = json!("allow");
    rules
}

/// Returns the permissions that OpenCode itself gives the agent `plan`, to which a person may switch at any
/// time.
fn planning() -> Value {
    json!({"permission": {"edit": {"*": "deny", ".opencode/plans/*.md": "allow"}}})
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::program::find::Program;
    use downbeat_model::SessionId;
    use std::collections::BTreeMap;
    use std::path::Path;

    fn settings_of(launch: &Launch) -> Value {
        let (name, value) = &launch.env[0];
        assert_eq!(name, "OPENCODE_CONFIG_CONTENT");
        serde_json::from_str(value).unwrap()
    }

    #[test]
    fn permissions_are_always_set_and_the_persons_settings_are_not_written() {
        let session = SessionId::random().unwrap();
        let request = LaunchRequest {
            session: &session,
            mode: Mode::Fresh,
            prompt: "--help; $(x)",
            model: None,
            permission: PermissionMode::Ask,
            conductor: None,
            tools: true,
            worker_of: Some("boss"),
            in_place: false,
            cli: Path::new("/opt/down beat/downbeat"),
            workspace: Path::new("/w"),
            program: &Program::plain("/usr/bin/opencode".into()),
            name: "a-name",
            trusted: false,
            hook_trust: &BTreeMap::new(),
            once: false,
        };
        let asks = super::launch(&request).unwrap();
        assert_eq!(asks.argv, ["/usr/bin/opencode", "--prompt= --help; $(x)"]);
        let settings = settings_of(&asks);
        assert_eq!(settings["permission"]["*"], "ask");
        assert_eq!(settings["permission"]["downbeat_*"], "allow");
        assert_eq!(settings["permission"]["edit"], Value::Null);
        assert_eq!(settings["permission"]["read"]["*.env"], "ask");
        let order = settings["permission"]["read"].as_object().unwrap().keys();
        assert_eq!(
            order.collect::<Vec<_>>(),
            ["*", "*.env", "*.env.*", "*.env.example"],
            "the last that fits counts"
        );
        assert_eq!(
            settings["permission"].as_object().unwrap().keys().next().unwrap(),
            "*"
        );
        let plugin = "file:///opt/down%20beat/downbeat-opencode.js";
        assert_eq!(settings["plugin"][0], plugin);
        assert_eq!(
            settings["mcp"]["downbeat"]["command"][0],
            "/opt/down beat/downbeat"
        );
        assert_eq!(settings["mcp"]["downbeat"]["timeout"], 120_000);
        assert_eq!(asks.files[0].0, Path::new("/opt/down beat/downbeat-opencode.js"));
        assert!(asks.env[1].1.contains("boss"));
        let plans = super::launch(&LaunchRequest {
            permission: PermissionMode::Plan,
            ..request.clone()
        })
        .unwrap();
        assert_eq!(plans.argv[1..3], ["--agent", "plan"]);
        assert_eq!(settings_of(&plans)["permission"]["edit"], "deny");
        let edits = super::launch(&LaunchRequest {
            permission: PermissionMode::AcceptEdits,
            mode: Mode::Resume {
                conversation: "ses_1".into(),
            },
            prompt: "go on",
            ..request
        })
        .unwrap();
        assert_eq!(settings_of(&edits)["permission"]["edit"], "allow");
        assert_eq!(edits.argv[1..], ["--session=ses_1"]);
        assert_eq!(edits.first_prompt, FirstPrompt::Paste("go on".into()));
    }
}
