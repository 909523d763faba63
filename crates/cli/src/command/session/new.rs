//! `downbeat new`, and `downbeat spawn`, its short form.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::{Args, ValueEnum};
use downbeat_model::{PermissionMode, Workspace, name};
use downbeat_wire::Client as _;
use downbeat_wire::project::Project;
use downbeat_wire::request::Nothing;
use downbeat_wire::session::Session;
use downbeat_wire::spawn::NewSession;
use std::io::Read;
use std::path::Path;

/// The maximum length of a title in front of an agent's name, in characters, so that both fit.
const TITLE: usize = 90;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The title that people see; the readable name is made from it
    #[arg(allow_hyphen_values = true)]
    title: Option<String>,
    /// What the agent is asked to do; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    #[command(flatten)]
    options: SessionOptions,
}

#[derive(Debug, Args)]
pub(in crate::command) struct SpawnArguments {
    /// What the agent is asked to do, or an issue: 42, ENG-42, or the address of its page; `-` reads standard input
    #[arg(allow_hyphen_values = true)]
    prompt: String,
    #[command(flatten)]
    options: SessionOptions,
}

impl From<SpawnArguments> for Arguments {
    fn from(SpawnArguments { prompt, mut options }: SpawnArguments) -> Self {
        let is_issue = options.issue.is_none() && is_issue(&prompt);
        if is_issue {
            options.issue = Some(prompt.clone());
        }
        Self {
            title: None,
            prompt: Some(prompt).filter(|_| !is_issue),
            options,
        }
    }
}

/// Whether a text is nothing but a number, the key or the address of an issue.
fn is_issue(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.trim();
    let is_page = text.starts_with("https://") && !text.contains(char::is_whitespace);
    let number = text.strip_prefix('#').or_else(|| text.strip_prefix("GH-"));
    digits(number.unwrap_or(text))
        || is_key(text)
        || is_page && (text.contains("/issues/") || text.contains("/issue/"))
}

/// Whether a text has the form of a tracker's key, in capitals: `ENG-123`.
fn is_key(text: &str) -> bool {
    let Some((team, number)) = text.split_once('-') else {
        return false;
    };
    let is_team = team.starts_with(|first: char| first.is_ascii_uppercase())
        && team
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_team && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[derive(Debug, Args)]
struct SessionOptions {
    /// Id or name; default the project around this folder
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// The agent: claude, shell, or one from the configuration; repeat it to start a session with each for the same task
    #[arg(long, short, value_name = "AGENT")]
    agent: Vec<String>,
    /// The model to request from the agent
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// A readable name; default from the title
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Make it a conductor: it gets the tools to spawn workers and a briefing
    #[arg(long)]
    conductor: bool,
    /// The parent session
    #[arg(long, value_name = "SESSION")]
    parent: Option<String>,
    /// The branch; gets a suffix if the name is taken
    #[arg(long, value_name = "BRANCH", allow_hyphen_values = true)]
    branch: Option<String>,
    /// What the branch starts from; default the project's default branch
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    base: Option<String>,
    /// The issue that it works on: 42, acme/shop#42, ENG-42 of Linear, or the address of its page
    #[arg(long, value_name = "ISSUE")]
    issue: Option<String>,
    /// Where it runs
    #[arg(long, value_enum)]
    workspace: Option<Place>,
    /// How freely the agent may act; default the project's
    #[arg(long, value_enum, value_name = "MODE")]
    permission_mode: Option<Mode>,
    /// Run the task once and exit, without asking anything; exit code 0 means done
    #[arg(long, conflicts_with = "conductor")]
    once: bool,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Place {
    Worktree,
    InPlace,
}

/// How freely an agent may act, as it is typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::command) enum Mode {
    Plan,
    Ask,
    AcceptEdits,
    Bypass,
}

impl From<Mode> for PermissionMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Plan => Self::Plan,
            Mode::Ask => Self::Ask,
            Mode::AcceptEdits => Self::AcceptEdits,
            Mode::Bypass => Self::Bypass,
        }
    }
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let Arguments {
        title,
        prompt,
        options,
    } = arguments;
    let prompt = match prompt.as_deref() {
        Some("-") => Some(from_stdin()?),
        _ => prompt,
    };
    // `spawn "$TASK"` with TASK not set: an agent without a task would be a surprise.
    if title.is_none() && prompt.as_deref().is_some_and(|task| task.trim().is_empty()) {
        return Err(
            Failure::usage("the task is empty").hint("`downbeat new TITLE` starts an agent without one")
        );
    }
    let client = Client::ready(&home).await?;
    let project = match options.project {
        Some(project) => project,
        // A worker's project is its parent's; inside a session, that session is the parent.
        None if options.parent.is_some() || client.is_session() => String::new(),
        None => around(&client).await?,
    };
    let agents = options.agent;
    let request = NewSession {
        project_id: Some(project).filter(|project| !project.is_empty()),
        title,
        name: options.name,
        prompt,
        agent: None,
        model: options.model,
        conductor: options.conductor.then_some(true),
        once: options.once.then_some(true),
        parent: options.parent,
        permission_mode: options.permission_mode.map(PermissionMode::from),
        branch: options.branch,
        base: options.base,
        workspace: options.workspace.map(|place| match place {
            Place::Worktree => Workspace::Worktree,
            Place::InPlace => Workspace::InPlace,
        }),
        issue: options.issue,
    };
    match agents.as_slice() {
        [] => one(&client, request, options.json).await,
        [agent] => {
            let agent = Some(agent.clone());
            one(&client, NewSession { agent, ..request }, options.json).await
        }
        several => many(&client, &request, several, options.json).await,
    }
}

async fn make(client: &Client, request: NewSession) -> Result<Session, Failure> {
    let made = client.create_session(request).await;
    made.map_err(Failure::from)
}

async fn one(client: &Client, request: NewSession, json: bool) -> Outcome {
    let asked = (request.name.clone(), request.branch.clone());
    let session = make(client, request).await?;
    match json {
        true => print_json(&session),
        false => print(&(summary(&session) + &otherwise(&asked, &session))),
    }
}

/// Starts a session for each of several agents, with the same task. Sessions made before one is refused stay.
async fn many(client: &Client, request: &NewSession, agents: &[String], json: bool) -> Outcome {
    let all = several(request, agents)?;
    let mut made: Vec<Session> = Vec::new();
    let mut refused = None;
    for request in all {
        match make(client, request).await {
            Ok(session) => made.push(session),
            Err(failure) => {
                refused = Some(failure);
                break;
            }
        }
    }
    let done = match json {
        true => print_json(&made)?,
        false => print(&made.iter().map(summary).collect::<String>())?,
    };
    match refused {
        None => Ok(done),
        Some(failure) => Err(failure),
    }
}

/// Builds a request for each agent. The title names the agent, and names and branches follow from it.
fn several(request: &NewSession, agents: &[String]) -> Result<Vec<NewSession>, Failure> {
    let single = [
        ("--name", request.name.is_some()),
        ("--branch", request.branch.is_some()),
        (
            "--workspace in-place",
            request.workspace == Some(Workspace::InPlace),
        ),
    ];
    if let Some((option, _)) = single.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("{option} goes with one agent only"))
            .hint("with several agents, each gets its own worktree, branch and name"));
    }
    for (at, agent) in agents.iter().enumerate() {
        if agents[..at].contains(agent) {
            return Err(Failure::usage(format!(
                "--agent {} was given twice",
                plain(agent)
            )));
        }
    }
    let Some(prompt) = request.prompt.as_ref().or(request.issue.as_ref()) else {
        return Err(Failure::usage("several agents need a common task").hint("give it with --prompt"));
    };
    let title = name::title(request.title.as_deref().unwrap_or(prompt));
    let title: String = title.chars().take(TITLE).collect();
    let titled = |agent: &String| NewSession {
        title: Some(format!("{title} ({agent})")),
        agent: Some(agent.clone()),
        ..request.clone()
    };
    Ok(agents.iter().map(titled).collect())
}

pub(in crate::command) fn summary(session: &Session) -> String {
    let branch = session
        .branch
        .as_deref()
        .map(|branch| format!(" on {}", plain(branch)))
        .unwrap_or_default();
    let status = session.status.as_str();
    format!(
        "{name} is {status}{branch}; watch it with `downbeat attach {name}`\n",
        name = session.name
    )
}

/// Explains a name and a branch that differ from the typed ones: they were taken, or git does not accept
/// them.
fn otherwise((name, branch): &(Option<String>, Option<String>), session: &Session) -> String {
    let differs = |what: &str, asked: &Option<String>, got: Option<&str>| match (asked, got) {
        (Some(asked), Some(got)) if asked != got => format!(
            "its {what} is {}, since {}\n",
            plain(got),
            plain(&name::otherwise(asked, got))
        ),
        _ => String::new(),
    };
    differs("name", name, Some(&session.name)) + &differs("branch", branch, session.branch.as_deref())
}

fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text.trim_end().to_owned())
}

/// Returns the project that contains this folder.
pub(in crate::command) async fn around(client: &Client) -> Result<String, Failure> {
    let here = std::env::current_dir()?;
    let here = dunce::canonicalize(&here).unwrap_or(here);
    let projects = client.list_projects(Nothing {}).await?;
    let contains = |project: &&Project| here.starts_with(Path::new(&project.path));
    let nearest = projects
        .iter()
        .filter(contains)
        .max_by_key(|project| project.path.len());
    nearest.map(|project| project.id.to_string()).ok_or_else(|| {
        let names: Vec<_> = projects.iter().map(|project| plain(&project.name)).collect();
        let hint = match names.is_empty() {
            true => "add one with `downbeat project add PATH`".to_owned(),
            false => format!("name one with --project: {}", names.join(", ")),
        };
        Failure::usage("this folder is not in a project").hint(hint)
    })
}
