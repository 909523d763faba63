//! The adapter of all agents that need no code of their own. They can do only what their manifest says. The
//! plain shell is one of them.

use crate::adapter::{Ability, Adapter};
use crate::error::Error;
use crate::files::{AgentFiles, Record};
use crate::launch::request::{
    FirstPrompt, Launch, LaunchRequest, Mode, briefing_for, path_text, program_words,
};
use crate::manifest::agents::SHELL;
use crate::manifest::{Manifest, PromptWay};
use crate::post::Post;
use crate::text::{harmless, without_control};
use crate::transcript::{Entry, Place};
use crate::typing::{ENTER, paste};
use jiff::Timestamp;
use serde_json::json;

/// An agent that its manifest declares.
pub(super) struct Declared;

impl Adapter for Declared {
    fn can(&self, agent: &Manifest, ability: Ability) -> bool {
        match ability {
            Ability::Conduct => !agent.tools.is_empty(),
            Ability::Resume => agent.resume.is_some(),
            Ability::Fork => agent.fork.is_some(),
            Ability::RunOnce => agent.once.is_some(),
            Ability::OnlyReadOnce => agent.once_reads,
            Ability::KeepPermissions => agent.permission.is_some(),
            Ability::TellStatus
            | Ability::TellStart
            | Ability::TellAnswers
            | Ability::KeepTranscripts
            | Ability::VouchForHooks => false,
        }
    }

    fn launch(&self, agent: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
        launch(agent, request)
    }

    fn read_post(&self, _: &str, _: Timestamp) -> Post {
        Post::empty()
    }

    fn keys_for(&self, agent: &Manifest, text: &str) -> String {
        // A shell gets what a person would type there: for it, text is commands.
        if agent.id == SHELL {
            return without_control(text).trim_end_matches('\n').replace('\n', ENTER);
        }
        // Not every command supports pastes; a single line needs none.
        match text.trim_end().contains(['\n', '\r']) {
            true => paste(&harmless(text)),
            false => harmless(text).trim_end().to_owned(),
        }
    }

    fn conversation(&self, _: &AgentFiles, _: &str) -> Record {
        Record::Kept
    }

    fn read_transcript_line(&self, _: &str, _: &mut Place, _: &mut dyn FnMut(Entry)) {}
}

/// Placeholders in arguments.
const CONVERSATION: &str = "{conversation}";
const PROMPT: &str = "{prompt}";

fn launch(agent: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    let (command, conversation) = beginning(agent, request)?;
    let Some((named, arguments)) = command.split_first() else {
        return Err(Error::EmptyCommand(agent.id.clone()));
    };
    // The program as found replaces the first word of the command that was looked for.
    let found = agent.command.first() == Some(named);
    let mut argv = if found {
        program_words(request)?
    } else {
        vec![named.clone()]
    };
    argv.extend(arguments.iter().cloned());
    if let Some(permission) = &agent.permission {
        argv.extend(permission.of(request.permission).iter().cloned());
    }
    if let Some(model) = request.model.filter(|model| !model.is_empty()) {
        argv.extend(filled(&agent.model, "{model}", model));
    }
    if let Some(part) = briefing_for(request, !agent.tools.is_empty()) {
        argv.extend(filled(&agent.briefing, "{briefing}", &part));
    }
    if request.wants_bridge() {
        argv.extend(filled(&agent.tools, "{tools}", &tools(request)?));
    }
    let prompt = harmless(request.prompt);
    let first_prompt = match agent.prompt {
        _ if request.is_once() => FirstPrompt::Given,
        _ if prompt.trim().is_empty() => FirstPrompt::Nothing,
        PromptWay::None => FirstPrompt::Nothing,
        PromptWay::Argument if request.gives_argument(&prompt) => {
            argv.extend(agent.prompt_option.clone());
            argv.push(prompt);
            FirstPrompt::Given
        }
        PromptWay::Argument | PromptWay::Type => FirstPrompt::Paste(request.prompt.to_owned()),
    };
    Ok(Launch {
        argv,
        env: agent.env.clone().into_iter().collect(),
        strip: Vec::new(),
        conversation,
        first_prompt,
        files: Vec::new(),
        has_tools: request.wants_bridge() && !agent.tools.is_empty(),
    })
}

/// Returns the command that starts or resumes, and the id of the conversation if one is named.
fn beginning(agent: &Manifest, request: &LaunchRequest<'_>) -> Result<(Vec<String>, Option<String>), Error> {
    match (&request.mode, &agent.resume) {
        (Mode::Fresh, _) => {
            let mut command = match (request.once, &agent.once) {
                (false, _) => agent.command.clone(),
                (true, Some(once)) => filled(once, PROMPT, &harmless(request.prompt)).collect(),
                (true, None) => return Err(Error::CannotRunOnce(agent.id.clone())),
            };
            if agent.conversation.is_empty() {
                return Ok((command, None));
            }
            let id = uuid::Uuid::new_v4().to_string();
            command.extend(filled(&agent.conversation, CONVERSATION, &id));
            Ok((command, Some(id)))
        }
        (Mode::Resume { conversation }, Some(resume)) => {
            let command = filled(resume, CONVERSATION, conversation).collect();
            Ok((command, Some(conversation.clone()).filter(|id| !id.is_empty())))
        }
        (Mode::Resume { .. }, None) => Err(Error::CannotResume(agent.id.clone())),
        (Mode::Fork { conversation }, _) => {
            let fork = agent.fork.as_ref();
            let fork = fork.ok_or_else(|| Error::CannotFork(agent.id.clone()))?;
            Ok((filled(fork, CONVERSATION, conversation).collect(), None))
        }
    }
}

/// Fills a placeholder in arguments. Each stays one argument, whatever the value contains.
fn filled(arguments: &[String], place: &str, with: &str) -> impl Iterator<Item = String> {
    arguments
        .iter()
        .map(move |argument| argument.replace(place, with))
}

/// Returns the tool server, in the form that most agents use. Contains no secret.
fn tools(request: &LaunchRequest<'_>) -> Result<String, Error> {
    let server = json!({"type": "stdio", "command": path_text(request.cli)?, "args": ["mcp"]});
    Ok(json!({"mcpServers": {"downbeat": server}}).to_string())
}
