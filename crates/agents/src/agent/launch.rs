//! Builds the command line of an agent. The keeper starts it.

use crate::adapter::Ability;
use crate::adapters::adapter;
use crate::error::Error;
use crate::launch::request::{FirstPrompt, Launch, LaunchRequest};
use crate::manifest::Manifest;
use crate::program::find::Program;
use crate::text::harmless;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// Builds the command line for `request` of `agent`.
pub fn launch(agent: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let begin = |request: &LaunchRequest<'_>| adapter(agent.adapter).launch(agent, request);
    let typed_later = agent.prompt_after_tools && request.wants_bridge() && !request.is_once();
    if !typed_later || harmless(request.prompt).trim().is_empty() {
        return begin(request);
    }
    let without = LaunchRequest {
        prompt: "",
        ..request.clone()
    };
    let mut launch = begin(&without)?;
    launch.first_prompt = match launch.has_tools {
        true => FirstPrompt::Paste(request.prompt.to_owned()),
        false => return begin(request),
    };
    Ok(launch)
}

/// Returns whether [`trust_hooks`] has to ask `agent` before a start.
#[must_use]
pub fn needs_hook_trust(agent: &Manifest) -> bool {
    agent.can(Ability::VouchForHooks)
}

/// Asks an agent for the hashes by which it trusts our hooks, so that it runs them without asking the person.
/// Blocks for half a second if the agent has to be asked, otherwise not at all. The answer is valid as long
/// as `program` and `cli` stay the same files. `own` is a folder that only the person can write to.
#[must_use]
pub fn trust_hooks(
    agent: &Manifest,
    program: &Program,
    cli: &Path,
    path_env: &OsStr,
    own: &Path,
) -> BTreeMap<String, String> {
    adapter(agent.adapter).trust_hooks(program, cli, path_env, own)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::launch::briefing::Conductor;
    use crate::launch::request::{Mode, briefing_for};
    use crate::manifest::agents::{Agents, built_in};
    use downbeat_model::{PermissionMode, SessionId};
    use std::sync::LazyLock;

    fn request<'a>(session: &'a SessionId, prompt: &'a str) -> LaunchRequest<'a> {
        static CLAUDE: LazyLock<Program> = LazyLock::new(|| Program::plain("/usr/bin/claude".into()));
        LaunchRequest {
            session,
            mode: Mode::Fresh,
            prompt,
            model: None,
            permission: PermissionMode::Ask,
            conductor: None,
            tools: false,
            worker_of: None,
            in_place: false,
            cli: Path::new("/opt/down beat/downbeat"),
            workspace: Path::new("/w"),
            program: &CLAUDE,
            name: "a-name",
            trusted: false,
            hook_trust: const { &BTreeMap::new() },
            once: false,
        }
    }

    /// A resumed or forked conversation is never run as one prompt.
    #[test]
    fn one_prompt_is_run_by_each_agents_own_form() {
        let session = SessionId::random().unwrap();
        for (agent, wanted) in [
            (built_in("claude"), "--print"),
            (built_in("codex"), "exec"),
            (built_in("opencode"), "run"),
            (built_in("gemini"), "--prompt"),
        ] {
            let once = LaunchRequest {
                once: true,
                ..request(&session, "/etc")
            };
            let argv = launch(&agent, &once).unwrap().argv;
            assert!(argv.iter().any(|a| a == wanted), "{argv:?}");
            assert!(!argv.iter().any(|a| a == "--ask-for-approval"), "{argv:?}");
            let long = "x".repeat(8 * 1024);
            let prompt = LaunchRequest {
                once: true,
                ..request(&session, &long)
            };
            let launched = launch(&agent, &prompt).unwrap();
            assert_eq!(launched.first_prompt, FirstPrompt::Given);
            assert!(launched.argv.contains(&long));
        }
        let on = LaunchRequest {
            once: true,
            mode: Mode::Resume {
                conversation: "5d0a6c1e-0b62-4d3c-8f39-2f5d2f8a3a11".into(),
            },
            ..request(&session, "")
        };
        let argv = launch(&built_in("claude"), &on).unwrap().argv;
        assert!(!argv.iter().any(|a| a == "--print"), "{argv:?}");
        let once = LaunchRequest {
            once: true,
            worker_of: Some("lead"),
            ..request(&session, "--help {conversation}")
        };
        let launched = launch(&built_in("copilot"), &once).unwrap();
        assert_eq!(
            launched.argv[1..3],
            ["--prompt", " --help {conversation}"],
            "{launched:?}"
        );
        let conversation = launched.conversation.clone().unwrap();
        let named = format!("--session-id={conversation}");
        assert!(launched.argv.contains(&named), "it can be resumed: {launched:?}");
        let part = briefing_for(&once, true).unwrap();
        assert!(part.contains("nobody can answer you"), "{part}");
        assert!(!part.contains("ask_conductor"), "{part}");
        let none = launch(&built_in("shell"), &once);
        assert!(matches!(none, Err(Error::CannotRunOnce(_))));
    }

    /// Returns the argument that follows `option`.
    fn value<'a>(launch: &'a Launch, option: &str) -> Option<&'a str> {
        let at = launch.argv.iter().position(|a| a == option)?;
        launch.argv.get(at + 1).map(String::as_str)
    }

    #[test]
    fn a_conductor_gets_hooks_tools_and_briefing_and_no_secret() {
        let session = SessionId::random().unwrap();
        let conductor = Conductor {
            depth: 0,
            max_depth: 2,
            project_name: "shop",
        };
        let launch = launch(
            &built_in("claude"),
            &LaunchRequest {
                conductor: Some(conductor),
                tools: true,
                model: Some("--evil"),
                ..request(&session, "--help; $(x)")
            },
        )
        .unwrap();
        let settings: serde_json::Value =
            serde_json::from_str(value(&launch, "--settings").unwrap()).unwrap();
        let hook = &settings["hooks"]["PermissionRequest"][0]["hooks"][0]["command"];
        assert_eq!(hook, "'/opt/down beat/downbeat' hook");
        let tools: serde_json::Value = serde_json::from_str(value(&launch, "--mcp-config").unwrap()).unwrap();
        assert_eq!(
            tools["mcpServers"]["downbeat"]["command"],
            "/opt/down beat/downbeat"
        );
        assert_eq!(value(&launch, "--allowedTools"), Some("mcp__downbeat"));
        assert_eq!(value(&launch, "--permission-mode"), Some("default"));
        assert_eq!(value(&launch, "--session-id"), launch.conversation.as_deref());
        assert!(
            value(&launch, "--append-system-prompt")
                .unwrap()
                .contains("spawn_worker")
        );
        assert!(launch.argv.contains(&"--model=--evil".to_owned()));
        // Typed after the agent has loaded the tools, since it does not wait for them.
        assert!(launch.has_tools);
        assert_eq!(launch.first_prompt, FirstPrompt::Paste("--help; $(x)".into()));
        assert!(!launch.argv.iter().any(|a| a.contains("--help")));
        assert!(launch.strip.contains(&"CLAUDECODE".to_owned()));
    }

    /// The command is a file beside the program, and only for sessions with the tools that it names.
    #[test]
    fn only_a_session_that_can_run_plans_has_the_command_orchestrate() {
        let session = SessionId::random().unwrap();
        for (tools, worker_of) in [(true, None), (false, Some("boss")), (false, None)] {
            let asked = LaunchRequest {
                tools,
                worker_of,
                ..request(&session, "")
            };
            let claude = launch(&built_in("claude"), &asked).unwrap();
            let plugin = "--plugin-dir=/opt/down beat/claude-plugin".to_owned();
            assert_eq!(claude.argv.contains(&plugin), tools, "{:?}", claude.argv);
            let skill = Path::new("/opt/down beat/claude-plugin/skills/orchestrate/SKILL.md");
            assert_eq!(claude.files.iter().any(|(path, _)| path == skill), tools);
            let opencode = launch(&built_in("opencode"), &asked).unwrap();
            let settings: serde_json::Value = serde_json::from_str(&opencode.env[0].1).unwrap();
            let template = settings["command"]["orchestrate"]["template"].as_str();
            assert_eq!(
                template.is_some_and(|text| text.contains("`downbeat_run_plan`")),
                tools
            );
        }
    }

    /// Claude Code's first request may leave before its tool servers answer; Codex and OpenCode wait.
    #[test]
    fn a_prompt_waits_for_tools_only_if_its_agent_does_not() {
        let session = SessionId::random().unwrap();
        let paste = FirstPrompt::Paste("do it".into());
        for (id, tools, once, wanted) in [
            ("claude", true, false, &paste),
            ("claude", false, false, &FirstPrompt::Given),
            ("claude", true, true, &FirstPrompt::Given),
            ("codex", true, false, &FirstPrompt::Given),
            ("opencode", true, false, &FirstPrompt::Given),
        ] {
            let request = LaunchRequest {
                tools,
                once,
                ..request(&session, "do it")
            };
            let launch = launch(&built_in(id), &request).unwrap();
            assert_eq!((&launch.first_prompt, launch.has_tools), (wanted, tools), "{id}");
        }
        let nothing = LaunchRequest {
            tools: true,
            ..request(&session, "\n")
        };
        let launch = launch(&built_in("claude"), &nothing).unwrap();
        assert_eq!(launch.first_prompt, FirstPrompt::Nothing);
    }

    #[test]
    fn a_long_prompt_is_pasted_and_a_resume_keeps_the_conversation() {
        let session = SessionId::random().unwrap();
        let long = "x".repeat(100_000);
        let mode = Mode::Resume {
            conversation: "c-1".into(),
        };
        let wanted = LaunchRequest {
            mode,
            worker_of: Some("boss"),
            ..request(&session, &long)
        };
        let launch = launch(&built_in("claude"), &wanted).unwrap();
        assert_eq!(launch.first_prompt, FirstPrompt::Paste(long.clone()));
        assert!(launch.argv.contains(&"--resume=c-1".to_owned()));
        assert_eq!(launch.conversation.as_deref(), Some("c-1"));
        assert!(
            value(&launch, "--append-system-prompt")
                .unwrap()
                .contains("\"boss\"")
        );
        // A worker has tools to report and ask.
        assert!(value(&launch, "--mcp-config").is_some());
        let alone = LaunchRequest {
            worker_of: None,
            ..wanted.clone()
        };
        let alone = super::launch(&built_in("claude"), &alone).unwrap();
        assert_eq!(value(&alone, "--mcp-config"), None);
    }

    #[test]
    fn a_declared_command_gets_its_prompt_in_the_declared_way() {
        let session = SessionId::random().unwrap();
        use crate::manifest::PromptWay;
        let agent = |prompt| Manifest {
            id: "mine".into(),
            command: vec!["mine".into(), "--fast".into()],
            resume: Some(vec!["mine".into(), "--again".into()]),
            prompt,
            ..Manifest::default()
        };
        let program = Program {
            arguments: vec!["mine.js".into()],
            ..Program::plain("/bin/node".into())
        };
        let run = |way, mode| {
            let wanted = LaunchRequest {
                mode,
                program: &program,
                ..request(&session, "-x")
            };
            launch(&agent(way), &wanted).unwrap()
        };
        let given = run(PromptWay::Argument, Mode::Fresh);
        assert_eq!(given.argv, ["/bin/node", "mine.js", "--fast", " -x"]);
        let typed = run(PromptWay::Type, Mode::Fresh);
        assert_eq!(typed.first_prompt, FirstPrompt::Paste("-x".into()));
        let conversation = String::new();
        let resumed = run(PromptWay::None, Mode::Resume { conversation });
        assert_eq!(resumed.argv, ["/bin/node", "mine.js", "--again"]);
        assert_eq!(resumed.first_prompt, FirstPrompt::Nothing);
        let shell = launch(
            Agents::new("/bin/sh", []).get("shell").unwrap(),
            &request(&session, "rm -rf /"),
        );
        let shell = shell.unwrap();
        assert_eq!((shell.argv.len(), shell.first_prompt), (1, FirstPrompt::Nothing));
    }

    #[test]
    fn a_manifest_defines_how_model_mode_tools_and_conversation_are_passed() {
        let session = SessionId::random().unwrap();
        let program = Program::plain("/bin/qwen".into());
        let wanted = LaunchRequest {
            program: &program,
            model: Some("{tools} big"),
            permission: PermissionMode::Plan,
            tools: true,
            worker_of: Some("boss"),
            ..request(&session, "do it")
        };
        let fresh = launch(&built_in("qwen"), &wanted).unwrap();
        let id = fresh.conversation.clone().unwrap();
        assert_eq!(fresh.argv[..3], ["/bin/qwen", "--session-id", &id]);
        assert_eq!(value(&fresh, "--approval-mode"), Some("plan"));
        assert!(
            fresh.argv.contains(&"--model={tools} big".to_owned()),
            "filled in once: {:?}",
            fresh.argv
        );
        assert!(value(&fresh, "--append-system-prompt").unwrap().contains("boss"));
        assert!(
            value(&fresh, "--mcp-config")
                .unwrap()
                .contains("/opt/down beat/downbeat")
        );
        assert_eq!(fresh.argv[fresh.argv.len() - 2..], ["-i", "do it"]);
        let mode = Mode::Resume {
            conversation: id.clone(),
        };
        let again = launch(
            &built_in("qwen"),
            &LaunchRequest {
                mode,
                prompt: "",
                ..wanted
            },
        )
        .unwrap();
        assert_eq!(again.argv[..3], ["/bin/qwen", "--resume", &id]);
    }
}
