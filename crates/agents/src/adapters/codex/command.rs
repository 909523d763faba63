//! The command line of Codex.
//!
//! Codex filters the environment of its tool servers, so the variables that the bridge needs are listed. A
//! paste is sent as one (bracketed), and the detection of pastes by fast typing is turned off: it reads the
//! Enter after a message as one of its lines, and leaves the message unsent.

use super::hooks;
use crate::error::Error;
use crate::launch::request::{
    Launch, LaunchRequest, Mode, TOOL_SECONDS, briefing_for, path_text, program_words,
};
use crate::text::harmless;
use downbeat_model::PermissionMode;

/// Variables of the session that the tool server needs.
const TOOL_ENV: [&str; 6] = [
    "DOWNBEAT_SESSION",
    "DOWNBEAT_TOOLS",
    "DOWNBEAT_KEEPER",
    "DOWNBEAT_ENGINE",
    "DOWNBEAT_TOKEN",
    "DOWNBEAT_CLI",
];

/// Builds the command line for `request`.
pub(super) fn launch(request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let mut argv = program_words(request)?;
    if request.is_once() {
        argv.push("exec".into());
    }
    let mut set = |setting: String| argv.extend(["-c".to_owned(), setting]);
    hooks::settings(request.cli)?.into_iter().for_each(&mut set);
    hooks::trust(request.hook_trust).into_iter().for_each(&mut set);
    set("disable_paste_burst=true".into());
    set("check_for_update_on_startup=false".into());
    if request.trusted {
        set(trusted(request)?);
    }
    if request.wants_bridge() {
        set(tools(request)?);
    }
    if let Some(part) = briefing_for(request, true) {
        set(format!("developer_instructions={}", toml::Value::String(part)));
    }
    match limits(request.permission) {
        Some((sandbox, asks)) => {
            argv.extend(["--sandbox", sandbox].map(str::to_owned));
            // `exec` asks nobody, and does not have the option.
            if !request.is_once() {
                argv.extend(["--ask-for-approval", asks].map(str::to_owned));
            }
        }
        None => argv.push("--dangerously-bypass-approvals-and-sandbox".into()),
    }
    if let Some(model) = request.model.filter(|m| !m.is_empty()) {
        argv.push(format!("--model={model}"));
    }
    let conversation = match &request.mode {
        Mode::Fresh => None,
        Mode::Resume { conversation } => {
            argv.extend(["resume".to_owned(), conversation.clone()]);
            Some(conversation.clone())
        }
        Mode::Fork { conversation } => {
            // Named, since Codex otherwise asks which of the two directories is meant.
            argv.extend(["-C".to_owned(), path_text(request.workspace)?]);
            argv.extend(["fork".to_owned(), conversation.clone()]);
            None
        }
    };
    let first_prompt = request.first_prompt(harmless(request.prompt), &mut argv);
    Ok(Launch {
        argv,
        env: Vec::new(),
        strip: Vec::new(),
        conversation,
        first_prompt,
        files: Vec::new(),
        has_tools: request.wants_bridge(),
    })
}

/// Returns the sandbox and the approval policy of a mode; `None` for no limits. Codex has no plan mode of its
/// own on the command line: if nothing may be written and nobody is asked, it can only read and say what it
/// would do.
fn limits(mode: PermissionMode) -> Option<(&'static str, &'static str)> {
    match mode {
        PermissionMode::Plan => Some(("read-only", "never")),
        PermissionMode::Ask => Some(("read-only", "on-request")),
        PermissionMode::AcceptEdits => Some(("workspace-write", "on-request")),
        PermissionMode::Bypass => None,
    }
}

/// Returns the person's trust in the project, for this folder and this launch.
fn trusted(request: &LaunchRequest<'_>) -> Result<String, Error> {
    let level = toml::Table::from_iter([("trust_level".to_owned(), "trusted".into())]);
    let projects = toml::Table::from_iter([(path_text(request.workspace)?, toml::Value::Table(level))]);
    Ok(format!("projects={}", toml::Value::Table(projects)))
}

/// Returns the tool server. It is approved, since it can do no more than its token allows.
fn tools(request: &LaunchRequest<'_>) -> Result<String, Error> {
    let names = TOOL_ENV.map(toml::Value::from).to_vec();
    let server = toml::Table::from_iter([
        ("command".to_owned(), path_text(request.cli)?.into()),
        ("args".to_owned(), vec!["mcp"].into()),
        ("env_vars".to_owned(), names.into()),
        ("default_tools_approval_mode".to_owned(), "approve".into()),
        ("startup_timeout_sec".to_owned(), TOOL_SECONDS.into()),
        ("tool_timeout_sec".to_owned(), TOOL_SECONDS.into()),
    ]);
    Ok(format!("mcp_servers.downbeat={}", toml::Value::Table(server)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::program::find::Program;
    use downbeat_model::SessionId;
    use std::collections::BTreeMap;
    use std::path::Path;

    /// Parses the values of every `-c`, as Codex does.
    fn settings(argv: &[String]) -> toml::Table {
        let pairs = argv.windows(2).filter(|pair| pair[0] == "-c");
        let mut all = toml::Table::new();
        for pair in pairs {
            let (key, value) = pair[1].split_once('=').unwrap();
            let mut inner = &mut all;
            let mut parts: Vec<&str> = key.split('.').collect();
            let last = parts.pop().unwrap();
            for part in parts {
                let next = inner.entry(part).or_insert_with(|| toml::Table::new().into());
                inner = next.as_table_mut().unwrap();
            }
            let read: toml::Table = toml::from_str(&format!("it = {value}")).unwrap();
            inner.insert(last.to_owned(), read["it"].clone());
        }
        all
    }

    #[test]
    fn a_conductor_gets_trusted_hooks_tools_and_briefing_and_writes_nothing() {
        let session = SessionId::random().unwrap();
        let hook_trust =
            BTreeMap::from([("/<session-flags>/config.toml:stop:0:0".into(), "sha256:1".into())]);
        let request = LaunchRequest {
            session: &session,
            mode: Mode::Fresh,
            prompt: "--help; $(x)",
            model: Some("--evil"),
            permission: PermissionMode::AcceptEdits,
            conductor: None,
            tools: true,
            worker_of: Some("boss \"x\""),
            in_place: false,
            cli: Path::new("/opt/down beat/downbeat"),
            workspace: Path::new("/w/it's \"one\""),
            program: &Program::plain("/usr/bin/codex".into()),
            name: "a-name",
            trusted: true,
            hook_trust: &hook_trust,
            once: false,
        };
        let launch = super::launch(&request).unwrap();
        let settings = settings(&launch.argv);
        let hook = &settings["hooks"]["PermissionRequest"][0]["hooks"][0];
        assert_eq!(hook["command"].as_str(), Some("'/opt/down beat/downbeat' hook"));
        let trust = &settings["hooks"]["state"]["/<session-flags>/config.toml:stop:0:0"];
        assert_eq!(trust["trusted_hash"].as_str(), Some("sha256:1"));
        let project = &settings["projects"]["/w/it's \"one\""];
        assert_eq!(project["trust_level"].as_str(), Some("trusted"));
        let server = &settings["mcp_servers"]["downbeat"];
        assert_eq!(server["command"].as_str(), Some("/opt/down beat/downbeat"));
        assert!(
            settings["developer_instructions"]
                .as_str()
                .unwrap()
                .contains("boss")
        );
        assert!(launch.argv.contains(&"--model=--evil".to_owned()));
        assert_eq!(launch.argv[launch.argv.len() - 2..], ["--", " --help; $(x)"]);
        let distrusted = LaunchRequest {
            trusted: false,
            ..request
        };
        let launch = super::launch(&distrusted).unwrap();
        assert!(!launch.argv.iter().any(|a| a.starts_with("projects=")));
    }
}
