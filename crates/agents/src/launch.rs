//! The command line of a session's agent. Not its start: the keeper does that.

use crate::briefing::{self, Conductor, briefing};
use crate::manifest::{Adapter, Manifest};
use crate::message::harmless;
use crate::program::Program;
use crate::{Error, claude, codex, custom, opencode};
use downbeat_model::{PermissionMode, SessionId};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Seconds that an agent gives Downbeat's tools to start, and each call of one: `wait_for_workers`
/// waits for 45, and a start takes its time on a busy machine.
pub(crate) const TOOL_SECONDS: i64 = 120;

/// Whether a conversation begins or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// A new conversation.
    Fresh,
    /// The conversation of this id, as a fact told it.
    Resume {
        /// The agent's own id of it.
        conversation: String,
    },
    /// A new conversation that begins with a copy of the one of this id, in another directory.
    Fork {
        /// The agent's own id of it.
        conversation: String,
    },
}

/// What a session's agent is to be started with.
#[derive(Debug, Clone)]
pub struct LaunchRequest<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Begin or go on.
    pub mode: Mode,
    /// What it is asked to do; empty for nothing.
    pub prompt: &'a str,
    /// The model to ask it for.
    pub model: Option<&'a str>,
    /// How freely it may act.
    pub permission: PermissionMode,
    /// Present where it is to conduct.
    pub conductor: Option<Conductor<'a>>,
    /// Whether it gets the orchestration tools.
    pub tools: bool,
    /// The readable name of the session that spawned it.
    pub worker_of: Option<&'a str>,
    /// Whether it runs in the person's own checkout.
    pub in_place: bool,
    /// The `downbeat` program, for hooks and tools.
    pub cli: &'a Path,
    /// The directory it runs in.
    pub workspace: &'a Path,
    /// The agent's program, as found.
    pub program: &'a Program,
    /// The session's readable name.
    pub name: &'a str,
    /// Whether the person trusts the project.
    pub trusted: bool,
    /// What [`vouch`] gave.
    pub vouched: &'a BTreeMap<String, String>,
    /// Whether it runs the prompt once and ends. Without effect where a conversation goes on.
    pub once: bool,
}

impl LaunchRequest<'_> {
    /// Whether it gets Downbeat's tools: those of a conductor, those of a worker, or both.
    pub(crate) fn wants_bridge(&self) -> bool {
        self.tools || self.worker_of.is_some()
    }

    /// Whether it runs one prompt. What goes on, or begins with a copy, does not.
    pub(crate) fn is_once(&self) -> bool {
        self.once && self.mode == Mode::Fresh
    }

    /// Whether the prompt goes into the command line; a run of one prompt has no other way.
    pub(crate) fn gives_argument(&self, prompt: &str) -> bool {
        fits_argument(prompt) || self.is_once()
    }
}

/// How the first prompt gets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstPrompt {
    /// It is in the command line.
    Given,
    /// To be typed, as [`crate::message_bytes`] has it, once the agent is ready.
    Paste(String),
    /// There is none.
    Nothing,
}

/// How a session's agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Program and arguments; no shell reads them. Holds no secret.
    pub argv: Vec<String>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// Names taken out of the inherited environment: an agent that was started from inside
    /// another must not take itself for a part of it.
    pub strip: Vec<String>,
    /// The agent's own id of the conversation, where it is known before the agent tells it.
    pub conversation: Option<String>,
    /// How the first prompt gets in.
    pub first_prompt: FirstPrompt,
    /// Files to write before the start, each with its whole path and text.
    pub files: Vec<(PathBuf, String)>,
    /// Whether it was given Downbeat's tools.
    pub has_tools: bool,
}

/// The command line for `request` of `agent`.
pub fn launch(agent: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let typed_later = agent.prompt_after_tools && request.wants_bridge() && !request.is_once();
    if !typed_later || harmless(request.prompt).trim().is_empty() {
        return begin(agent, request);
    }
    let without = LaunchRequest {
        prompt: "",
        ..request.clone()
    };
    let mut launch = begin(agent, &without)?;
    launch.first_prompt = match launch.has_tools {
        true => FirstPrompt::Paste(request.prompt.to_owned()),
        false => return begin(agent, request),
    };
    Ok(launch)
}

fn begin(agent: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    match agent.adapter {
        Adapter::Claude => claude::launch(request),
        Adapter::Codex => codex::launch(request),
        Adapter::Opencode => opencode::launch(request),
        Adapter::None => custom::launch(agent, request),
    }
}

/// Whether `agent` has to be asked by [`vouch`] before a start.
#[must_use]
pub fn wants_vouching(agent: &Manifest) -> bool {
    agent.adapter == Adapter::Codex
}

/// What an agent has to be told so that it runs our hooks without asking the person: asked of the
/// agent itself. Blocks for half a second where it needs that, else not at all; the answer holds as
/// long as `program` and `cli` stay the same files. `own` is a folder that only the person may write to.
#[must_use]
pub fn vouch(
    agent: &Manifest,
    program: &Program,
    cli: &Path,
    path_env: &OsStr,
    own: &Path,
) -> BTreeMap<String, String> {
    match agent.adapter {
        Adapter::Codex => codex::vouch(program, cli, path_env, own),
        _ => BTreeMap::new(),
    }
}

/// What it is told about its part.
pub(crate) fn part(request: &LaunchRequest<'_>, has_tools: bool) -> Option<String> {
    let worker = request
        .worker_of
        .map(|parent| briefing::worker_briefing(parent, request.in_place, has_tools, request.is_once()));
    let lead = request
        .conductor
        .map(|conductor: Conductor<'_>| briefing(conductor));
    let lead = lead.or_else(|| request.tools.then(|| briefing::TOOLS.to_owned()));
    let parts: Vec<String> = worker.into_iter().chain(lead).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Copies a conversation for a fork in `workspace` before the start, where the agent's own fork would
/// not do; the copy is then resumed. `None` where the start itself makes the copy. Blocks for some
/// seconds.
pub fn copy_conversation(
    agent: &Manifest,
    program: &Program,
    conversation: &str,
    workspace: &Path,
    env: &[(String, String)],
) -> Result<Option<String>, Error> {
    match agent.adapter {
        Adapter::Opencode => opencode::copy(program, conversation, workspace, env).map(Some),
        _ => Ok(None),
    }
}

/// The longest prompt of a run of one prompt, in bytes: it is an argument, and systems cap one (Linux
/// at 128 KiB, Windows all together at 32 Ki characters).
pub const MAX_ONCE: usize = if cfg!(windows) { 12 * 1024 } else { 96 * 1024 };

/// Longer prompts are pasted: an argument is seen by every process list, and systems cap it.
const MAX_ARGUMENT: usize = 4096;

/// Whether a prompt goes into the command line. Never on Windows, where programs take their
/// command line apart themselves, each in its own way.
fn fits_argument(prompt: &str) -> bool {
    cfg!(not(windows)) && prompt.len() <= MAX_ARGUMENT
}

/// The agent's program as the beginning of a command line.
pub(crate) fn program(request: &LaunchRequest<'_>) -> Result<Vec<String>, Error> {
    let mut argv = vec![text(&request.program.path)?];
    argv.extend(request.program.arguments.iter().cloned());
    Ok(argv)
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::Path {
        path: path.to_owned(),
        reason: "it is not UTF-8",
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::agents::{Agents, built_in};
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
            vouched: const { &BTreeMap::new() },
            once: false,
        }
    }

    /// One prompt, by the form that each agent has for that; what goes on is none.
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
        let part = part(&once, true).unwrap();
        assert!(part.contains("nobody can answer you"), "{part}");
        assert!(!part.contains("ask_conductor"), "{part}");
        let none = launch(&built_in("shell"), &once);
        assert!(matches!(none, Err(Error::CannotRunOnce(_))));
    }

    /// The value behind `option`.
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
        // Typed once it loaded the tools: it does not wait for them.
        assert!(launch.has_tools);
        assert_eq!(launch.first_prompt, FirstPrompt::Paste("--help; $(x)".into()));
        assert!(!launch.argv.iter().any(|a| a.contains("--help")));
        assert!(launch.strip.contains(&"CLAUDECODE".to_owned()));
    }

    /// Claude Code's first request may leave before its tool servers answer; Codex and OpenCode wait.
    #[test]
    fn a_prompt_waits_for_tools_only_where_its_agent_does_not() {
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
    fn commands_of_a_person_get_their_prompt_as_they_say() {
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
    fn a_manifest_says_how_model_mode_tools_and_conversation_are_given() {
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
