//! `downbeat project`: the repositories that Downbeat knows.

use crate::client::{self, Client};
use crate::command::engine::start::absolute;
use crate::command::engine::{clone, import};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::table::{Cell, lines};
use clap::{Args, Subcommand, ValueHint};
use downbeat_model::Workspace;
use downbeat_model::shown::line;
use downbeat_wire::Client as _;
use downbeat_wire::project::{
    AddProject, EditProject, FolderKind, InspectFolder, Project, RemoveProject, SetupPlan,
};
use downbeat_wire::request::{Nothing, ProjectRef};
use downbeat_wire::session::SessionFilter;
use downbeat_wire::{ApiError, Code};
use std::io::{BufRead, IsTerminal, Read};

/// The maximum number of bytes of an answer to a question.
const MOST_ANSWER: u64 = 100;

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// Add the repository that a folder is in, or clone one and add it
    Add(Add),
    /// List projects
    #[command(visible_alias = "ls")]
    List {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Change a project's name, folder or permissions
    Edit {
        /// Id or name
        project: String,
        /// Its new name
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// The new folder of its repository
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        path: Option<String>,
        /// Whether agents may start in its worktrees without asking
        #[arg(long, value_name = "YES|NO", value_parser = yes)]
        trust: Option<bool>,
        /// Whether conductors may answer what their workers ask
        #[arg(long, value_name = "YES|NO", value_parser = yes)]
        conductors_answer: Option<bool>,
        /// Print the project as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a project's set-up commands, checks and commands of reactions, and approve exactly these
    Approve {
        /// Id or name
        project: String,
        /// Approve the list with this hash without asking
        #[arg(long, value_name = "HASH")]
        hash: Option<String>,
        /// Approve the current commands without asking
        #[arg(long, short, conflicts_with = "hash")]
        yes: bool,
    },
    /// Remove a project from the list; its folder stays
    #[command(visible_alias = "rm")]
    Remove(Remove),
}

#[derive(Debug, Args)]
pub(in crate::command) struct Add {
    /// A folder in or below a repository, or the address of one to clone into this folder
    #[arg(value_hint = ValueHint::DirPath)]
    path: String,
    /// Let agents start in this project's worktrees without asking
    #[arg(long)]
    trust: bool,
    /// Its name; default the folder's
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Create what is missing first: a repository, and an empty first commit
    #[arg(long)]
    init: bool,
    /// Print the project as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Remove {
    /// Id or name
    project: String,
    /// Remove it even if a program is running in a side shell or its folder is gone
    #[arg(long, short)]
    force: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    if let Arguments::List { json } = arguments {
        let projects = client::look(&home).list_projects(Nothing {}).await?;
        return match json {
            true => print_json(&projects),
            false => print(&table(&projects)),
        };
    }
    let client = Client::ready(&home).await?;
    match arguments {
        Arguments::List { .. } => DONE,
        Arguments::Add(new) => {
            let path = match clone::is_address(&new.path) {
                true => clone::clone(&new.path)?.to_string_lossy().into_owned(),
                false => new.path,
            };
            let request = AddProject {
                path: absolute(&path)?.to_string_lossy().into_owned(),
                trust: Some(new.trust),
                name: new.name,
                initialize: Some(new.init),
            };
            add(&client, request, new.json).await
        }
        Arguments::Edit {
            project,
            name,
            path,
            trust,
            conductors_answer,
            json,
        } => {
            let path = path.map(|path| absolute(&path)).transpose()?;
            let request = EditProject {
                id: project,
                name,
                path: path.map(|path| path.to_string_lossy().into_owned()),
                trust,
                conductors_answer,
                ..EditProject::default()
            };
            edit(&client, request, json).await
        }
        Arguments::Approve { project, hash, yes } => approve(&client, project, hash, yes).await,
        Arguments::Remove(which) => remove(&client, which.project, which.force).await,
    }
}

async fn add(client: &Client, request: AddProject, json: bool) -> Outcome {
    let mut begun = "";
    if request.initialize == Some(true) {
        let folder = InspectFolder {
            path: request.path.clone(),
        };
        let report = client.inspect_folder(folder).await?;
        begun = match report.kind {
            FolderKind::PlainFolder | FolderKind::NoCommits => {
                "its first commit is empty: commit your files, since worktrees start from what is committed\n"
            }
            _ => "",
        };
    }
    let added = client.add_project(request).await.map_err(Failure::from);
    let project = added.map_err(|failure| match failure.0.code {
        Code::NotARepository => failure.hint("add it again with --init: git init and an empty first commit"),
        _ => failure,
    })?;
    if json {
        return print_json(&project);
    }
    let trusted = if project.trusted {
        ""
    } else {
        "; agents ask before they start in it (--trust)"
    };
    print(&format!(
        "added {} at {}{trusted}\n{begun}{}",
        plain(&project.name),
        plain(&project.path),
        import::hint(&project.path)
    ))
}

/// Takes a project off the list. If its folder is gone, the files of its sessions stay and are named.
async fn remove(client: &Client, project: String, force: bool) -> Outcome {
    let filter = SessionFilter {
        project: Some(project.clone()),
        ..SessionFilter::default()
    };
    let sessions = match force {
        true => client.list_sessions(filter).await.ok(),
        false => None,
    };
    let request = RemoveProject {
        id: project,
        force: force.then_some(true),
    };
    client.remove_project(request).await?;
    let mut text = String::new();
    for session in sessions.unwrap_or_default() {
        let place = session
            .workspace_path
            .filter(|_| session.workspace == Workspace::Worktree);
        if let Some(place) = place.filter(|place| std::path::Path::new(place).is_dir()) {
            let name = plain(&session.name);
            text.push_str(&format!("the files of {name} are left in {}\n", plain(&place)));
        }
    }
    print(&text)
}

/// Parses a yes or a no.
fn yes(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("say yes or no".to_owned()),
    }
}

async fn edit(client: &Client, request: EditProject, json: bool) -> Outcome {
    let edited = client.edit_project(request).await;
    let project = edited.map_err(Failure::from)?;
    if json {
        return print_json(&project);
    }
    let word = |yes: bool| if yes { "yes" } else { "no" };
    print(&format!(
        "{} at {}: trust {}, conductors answer {}\n",
        plain(&project.name),
        plain(&project.path),
        word(project.trusted),
        word(project.conductors_answer)
    ))
}

/// Shows the commands first: exactly those that were shown are approved, even if they change meanwhile.
async fn approve(client: &Client, id: String, hash: Option<String>, yes: bool) -> Outcome {
    let project = client.get_project(ProjectRef { id }).await?;
    let name = plain(&project.name);
    if let Some(problem) = &project.problem {
        return Err(Failure::new(problem.clone()).hint("fix it first; nothing was approved"));
    }
    let lists = [
        (List::Setup, &project.setup),
        (List::Checks, &project.checks),
        (List::Reactions, &project.reaction_commands),
    ];
    let lists: Vec<_> = lists
        .into_iter()
        // An empty list that is not approved was emptied.
        .filter(|(_, list)| !list.commands.is_empty() || !list.approved)
        .collect();
    if lists.is_empty() {
        return print(&format!(
            "{name} has no set-up commands, no checks and no commands of reactions\n"
        ));
    }
    if let Some(hash) = &hash
        && lists.iter().all(|(_, list)| list.hash != *hash)
    {
        for (kind, list) in &lists {
            print(&shown(*kind, list, &name))?;
        }
        return Err(Failure::from(ApiError::new(
            Code::Conflict,
            "that hash belongs to another list of commands",
        ))
        .hint("read the commands, then approve them with their own hash"));
    }
    for (kind, list) in lists {
        print(&shown(kind, list, &name))?;
        match &hash {
            Some(hash) if *hash != list.hash => continue,
            None if !yes => ask(list, &project.name)?,
            _ => {}
        }
        let mut request = EditProject {
            id: project.id.to_string(),
            ..EditProject::default()
        };
        match kind {
            List::Setup => request.approve_setup = Some(list.hash.clone()),
            List::Checks => request.approve_checks = Some(list.hash.clone()),
            List::Reactions => request.approve_reactions = Some(list.hash.clone()),
        }
        client.edit_project(request).await?;
        print(&format!("{name}: approved\n"))?;
    }
    DONE
}

/// A list of commands that a person approves.
#[derive(Clone, Copy)]
enum List {
    Setup,
    Checks,
    Reactions,
}

/// Formats a list of commands with its hash.
fn shown(kind: List, list: &SetupPlan, project: &str) -> String {
    let what = match kind {
        List::Setup => format!("sessions of {project} run these commands before their agent"),
        List::Checks if list.commands.is_empty() => {
            return format!(
                "the checks of {project} that you approved are gone from downbeat.yaml\nhash: {}\n",
                list.hash
            );
        }
        List::Checks => {
            format!("these commands check the commits of agents in {project}, and run what agents wrote")
        }
        List::Reactions => format!(
            "reactions of {project} run these commands by themselves, in the worktrees of sessions, beside what agents wrote"
        ),
    };
    let because = list.because.as_deref();
    let because = because.map_or_else(String::new, |file| format!(" ({})", plain(file)));
    let commands: String = list
        .commands
        .iter()
        .map(|command| format!("  {}\n", line(command)))
        .collect();
    format!("{what}{because}:\n{commands}hash: {}\n", list.hash)
}

/// Asks on a terminal; otherwise refuses, since nobody would read the question.
fn ask(list: &SetupPlan, name: &str) -> Result<(), Failure> {
    let hash = &list.hash;
    let needs = |what: &str| {
        let way = format!("`downbeat project approve {name} --hash {hash}` allows exactly these");
        Failure::from(ApiError::new(Code::ApprovalNeeded, what)).hint(way)
    };
    if list.approved {
        return Ok(());
    }
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        return Err(needs("nothing was approved: there is no terminal to ask on"));
    }
    let question = match list.commands.is_empty() {
        true => "Merge without checks from now on? [y/N] ",
        false => "Allow them? [y/N] ",
    };
    print(question)?;
    let mut answer = String::new();
    std::io::stdin().lock().take(MOST_ANSWER).read_line(&mut answer)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(needs("nothing was approved")),
    }
}

fn table(projects: &[Project]) -> String {
    if projects.is_empty() {
        return "no projects yet; add one with `downbeat project add PATH`\n".to_owned();
    }
    let paint = Paint::for_stdout();
    let rows: Vec<Vec<Cell>> = projects
        .iter()
        .map(|project| {
            let problem = project.problem.as_deref().map(plain).unwrap_or_default();
            vec![
                Cell::from(plain(&project.name)),
                Cell::from(plain(&project.default_branch)),
                Cell::from(if project.trusted { "yes" } else { "no" }),
                Cell::from(plain(&project.path)),
                Cell::painted(&problem, |text| paint.bad(text)),
            ]
        })
        .collect();
    lines(&["NAME", "BRANCH", "TRUSTED", "PATH", "PROBLEM"], &rows)
}
