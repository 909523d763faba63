//! The plain shell, and commands that a person declared in config. Nothing is known of them but
//! their output and their exit.

use crate::Error;
use crate::definition::{CustomAgent, Definition, PromptWay};
use crate::launch::{FirstPrompt, Launch, LaunchRequest, Mode, fits_argument, program};
use crate::message::harmless;

/// The id of the plain shell.
pub const SHELL: &str = "shell";

pub(crate) fn shell_definition() -> Definition {
    Definition {
        id: SHELL.into(),
        name: "Shell".into(),
        program: shell_program(),
        install_hint: "Every system has one; set SHELL to the one you want".into(),
        can_conduct: false,
        has_hooks: false,
        tells_start: false,
        tells_answers: false,
        can_resume: false,
    }
}

/// The person's shell, as the system tells it.
fn shell_program() -> String {
    let (name, fallback) = if cfg!(windows) {
        ("COMSPEC", "powershell.exe")
    } else {
        ("SHELL", "/bin/sh")
    };
    std::env::var(name)
        .ok()
        .filter(|s| !s.is_empty())
        .unwrap_or_else(|| fallback.into())
}

pub(crate) fn definition(agent: &CustomAgent) -> Definition {
    let program = agent.command.first().cloned().unwrap_or_default();
    Definition {
        id: agent.id.clone(),
        name: agent.name.clone(),
        install_hint: format!(
            "Put `{program}` on PATH, or correct the command of agent `{}` in config",
            agent.id
        ),
        program,
        can_conduct: false,
        has_hooks: false,
        tells_start: false,
        tells_answers: false,
        can_resume: agent.resume.is_some(),
    }
}

/// A shell: the prompt is left to the person, since a shell would run it as code.
pub(crate) fn launch_shell(request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let argv = program(request)?;
    Ok(plain(argv, FirstPrompt::Nothing))
}

pub(crate) fn launch(agent: &CustomAgent, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let command = match (&request.mode, &agent.resume) {
        (Mode::Fresh, _) => &agent.command,
        (Mode::Resume { .. }, Some(resume)) => resume,
        (Mode::Resume { .. }, None) => return Err(Error::CannotResume(agent.id.clone())),
    };
    let Some((named, arguments)) = command.split_first() else {
        return Err(Error::EmptyCommand(agent.id.clone()));
    };
    // The program as found stands for the first word of the command that was looked for.
    let found = agent.command.first() == Some(named);
    let mut argv = if found {
        program(request)?
    } else {
        vec![named.clone()]
    };
    argv.extend(arguments.iter().cloned());
    let prompt = harmless(request.prompt);
    let first_prompt = match agent.prompt {
        _ if prompt.trim().is_empty() => FirstPrompt::Nothing,
        PromptWay::None => FirstPrompt::Nothing,
        PromptWay::Argument if fits_argument(&prompt) => {
            argv.push(prompt);
            FirstPrompt::Given
        }
        PromptWay::Argument | PromptWay::Type => FirstPrompt::Paste(request.prompt.to_owned()),
    };
    let env = agent.env.clone().into_iter().collect();
    Ok(Launch {
        env,
        ..plain(argv, first_prompt)
    })
}

fn plain(argv: Vec<String>, first_prompt: FirstPrompt) -> Launch {
    Launch {
        argv,
        env: Vec::new(),
        strip: Vec::new(),
        conversation: None,
        first_prompt,
        files: Vec::new(),
    }
}
