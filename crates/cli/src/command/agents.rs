//! `downbeat agents`: lists the agents, shows what Downbeat knows about one, and checks manifests.

use crate::client::{self, Client};
use crate::command::look::explain;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::table;
use clap::Subcommand;
use downbeat_engine::config;
use downbeat_wire::ApiError;
use downbeat_wire::Client as _;
use downbeat_wire::agent::{Agent, AgentRef};
use downbeat_wire::request::Nothing;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time limit of a list for versions; an agent that is slower is listed without one.
const VERSIONS: Duration = Duration::from_secs(3);
/// The interval between checks for the versions.
const LOOK: Duration = Duration::from_millis(50);

/// The id of the agent that is a plain shell.
const SHELL: &str = "shell";

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// List the agents and whether they are installed
    #[command(visible_alias = "ls")]
    List {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print what Downbeat knows about an agent, as JSON
    Show {
        /// Its id
        #[arg(value_name = "ID")]
        agent: String,
        /// Changes nothing: the output is always JSON
        #[arg(long, hide = true)]
        json: bool,
    },
    /// Explain a session's status: the same as `downbeat explain`
    Explain(explain::Arguments),
    /// Check manifests; problems are shown with file, line and a suggestion
    Check {
        /// Files; default all next to your configuration
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    match arguments {
        Arguments::List { json } => {
            let engine = client::visit(&home).await?;
            let agents = list(&engine.client).await;
            engine.leave().await;
            let agents = agents?;
            if json {
                print_json(&agents)
            } else {
                print(&text(&agents))
            }
        }
        Arguments::Explain(arguments) => explain::run(arguments, home).await,
        Arguments::Show { agent, json: _ } => {
            let engine = client::visit(&home).await?;
            let shown = engine
                .client
                .get_agent(AgentRef { id: agent })
                .await
                .map_err(Failure::from);
            engine.leave().await;
            print_json(&shown?)
        }
        Arguments::Check { files } => check(&files, &home.agents()),
    }
}

/// Returns all agents. The engine lists them immediately; for a single list, wait a moment for the versions
/// that the engine is still asking for.
pub(super) async fn list(client: &Client) -> Result<Vec<Agent>, Failure> {
    let until = Instant::now() + VERSIONS;
    loop {
        let agents = client.list_agents(Nothing {}).await?;
        if Instant::now() >= until || !agents.iter().any(|agent| agent.asking) {
            return Ok(agents);
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn text(agents: &[Agent]) -> String {
    let rows: Vec<Vec<table::Cell>> = agents
        .iter()
        .map(|agent| {
            let version = match (&agent.version, agent.installed) {
                _ if agent.problem.is_some() && !agent.installed => "wrong".into(),
                (Some(version), _) if agent.untried => format!("{version} (untested)"),
                (Some(version), _) => version.clone(),
                (None, true) if agent.asking => "asking…".into(),
                (None, true) => "installed".into(),
                (None, false) => "-".into(),
            };
            let is_shell = agent.id == SHELL;
            let tried = agent.tried.clone();
            let tried = tried.unwrap_or_else(|| if is_shell { "any" } else { "not verified" }.into());
            let status = match agent.has_hooks {
                _ if is_shell => "foreground process",
                true => "hooks",
                false => "title, screen, output",
            };
            [
                agent.id.clone(),
                agent.name.clone(),
                version,
                tried,
                status.into(),
            ]
            .map(table::Cell::from)
            .to_vec()
        })
        .collect();
    let mut text = table::lines(&["ID", "NAME", "VERSION", "TESTED WITH", "STATUS FROM"], &rows);
    for agent in agents.iter().filter(|agent| !agent.installed) {
        if let Some(hint) = &agent.install_hint {
            text.push_str(&format!("{}: {hint}\n", agent.id));
        }
    }
    for agent in agents {
        if let Some(problem) = &agent.problem {
            text.push_str(&format!("{}: its manifest is ignored: {problem}\n", agent.id));
        }
    }
    text
}

fn check(files: &[PathBuf], folder: &Path) -> Outcome {
    let mut problems = Vec::new();
    let mut right = 0usize;
    for path in files {
        if !path.exists() {
            return Err(ApiError::not_found("file", path.display()).into());
        }
        match config::manifest(path) {
            Ok(_) => right += 1,
            Err(wrong) => problems.extend(wrong),
        }
    }
    if files.is_empty() {
        let added = config::added(folder);
        right = added.manifests.len();
        problems = added.problems;
    }
    if problems.is_empty() {
        return match right {
            0 => print(&format!("no manifests in {}\n", folder.display())),
            _ => print(&format!("{right} ok\n")),
        };
    }
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Err(Failure::new(told.join("\n")))
}
