//! `downbeat config import`: translates a configuration of Agent Orchestrator into Downbeat's files. What a person wrote
//! there stays; a second run changes nothing. What each key becomes is decided by the engine's crate.

use crate::client::Client;
use crate::command::engine::start::absolute;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print};
use crate::paint::plain;
use clap::{Args, ValueHint};
use downbeat_engine::config::orchestrator::places::{FILES, find};
use downbeat_engine::config::orchestrator::translate::{self, How, Setting, Translation, translate};
use downbeat_engine::config::{self, FILE, Kind, Put};
use downbeat_wire::project::{AddProject, Project};
use downbeat_wire::request::Nothing;
use downbeat_wire::{ApiError, Client as _, Code};
use serde_json::Value;
use std::io::{BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// The variables that name the file, Agent Orchestrator's documented one first.
pub(in crate::command) const NAMED_BY: [&str; 3] = ["AO_CONFIG", "AO_CONFIG_PATH", "AO_GLOBAL_CONFIG"];

/// What is written for what does not fit into a file as it is.
const BESIDE: &str = "downbeat.imported.yaml";

/// The maximum number of bytes of an answer to a question.
const MOST_ANSWER: u64 = 100;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The file; default that of AO_CONFIG, of this folder or one above it, or of your home directory
    #[arg(value_hint = ValueHint::FilePath)]
    file: Option<String>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(long, short)]
    yes: bool,
}

/// One of Downbeat's files, and what is added to it.
struct Target {
    title: String,
    path: PathBuf,
    kind: Kind,
    settings: Vec<Setting>,
    outcome: Vec<Put>,
}

pub(in crate::command) async fn run(arguments: &Arguments, home: &Home) -> Outcome {
    home.refuse_inside("change your configuration")?;
    let file = match &arguments.file {
        Some(file) => absolute(file)?,
        None => found()?,
    };
    let text = std::fs::read_to_string(&file).map_err(|error| {
        Failure::from(ApiError::not_found("file", file.display())).hint(error.to_string())
    })?;
    let translation = translate(&file, &text).map_err(|error| Failure::new(error.to_string()))?;
    let client = Client::ready(home).await?;
    let known = client.list_projects(Nothing {}).await?;
    print(&format!("{}\n\n", plain(&file.display().to_string())))?;
    let mut targets = vec![own(home, &translation)];
    let mut added = Vec::new();
    for project in &translation.projects {
        let there = known.iter().find(|known| is_at(known, &project.path));
        if there.is_none() && project.path.is_dir() {
            added.push(project);
        }
        targets.push(of_project(project, there));
    }
    for target in &mut targets {
        add(target, true)?;
        print(&shown(target))?;
    }
    print(&told(&translation))?;
    let changes = targets.iter().any(|target| target.outcome.iter().any(is_change)) || !added.is_empty();
    if !changes {
        return print("nothing has to change\n");
    }
    if arguments.dry_run {
        return print("nothing was changed: --dry-run\n");
    }
    if !arguments.yes {
        ask()?;
    }
    for project in added {
        print(&add_project(&client, project).await?)?;
    }
    // Only now git's own default branches are known.
    let known = client.list_projects(Nothing {}).await?;
    for mut target in targets {
        let there = known
            .iter()
            .find(|known| Path::new(&known.path) == folder(&target));
        target
            .settings
            .retain(|setting| !is_default_branch(setting, there));
        add(&mut target, false)?;
        print(&written(&target)?)?;
    }
    DONE
}

/// Returns the file that nobody named.
fn found() -> Result<PathBuf, Failure> {
    let named = NAMED_BY
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty());
    if let Some(named) = named {
        return absolute(&named.to_string_lossy());
    }
    find(&std::env::current_dir()?).ok_or_else(|| {
        Failure::from(ApiError::not_found("file", FILES[0]))
            .hint("name it: `downbeat config import FILE`, or with AO_CONFIG")
    })
}

fn own(home: &Home, translation: &Translation) -> Target {
    let path = home.config();
    Target {
        title: format!("your file, {}", plain(&path.display().to_string())),
        path,
        kind: Kind::Global,
        settings: translation.own.clone(),
        outcome: Vec::new(),
    }
}

fn of_project(project: &translate::Project, there: Option<&Project>) -> Target {
    let (name, place) = (plain(&project.name), plain(&project.path.display().to_string()));
    let root = there.map_or_else(|| project.path.clone(), |there| PathBuf::from(&there.path));
    let is_here = root.is_dir();
    let state = match (there, is_here, &project.repo) {
        (Some(there), ..) if there.name != project.name => {
            format!("which is added as {}", plain(&there.name))
        }
        (Some(_), ..) => "which is added already".into(),
        (None, true, _) => "which will be added".into(),
        (None, false, Some(repo)) => {
            let repo = plain(repo);
            format!(
                "which is not there; `downbeat start https://github.com/{repo}` clones it, then import again"
            )
        }
        (None, false, None) => "which is not there".into(),
    };
    let settings = project
        .settings
        .iter()
        .filter(|setting| !is_default_branch(setting, there));
    Target {
        title: format!("project {name} at {place}, {state}"),
        path: root.join(FILE),
        kind: Kind::Project,
        settings: settings.filter(|_| is_here).cloned().collect(),
        outcome: Vec::new(),
    }
}

fn is_at(known: &Project, path: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(Path::new(&known.path)) == real(path)
}

fn folder(target: &Target) -> &Path {
    target.path.parent().unwrap_or(&target.path)
}

/// Whether a setting only says what is so without it.
fn is_default_branch(setting: &Setting, project: Option<&Project>) -> bool {
    setting.key == "base" && project.is_some_and(|project| setting.value == project.default_branch)
}

fn is_change(put: &Put) -> bool {
    matches!(put, Put::Added(_) | Put::Unfit)
}

/// Adds the settings of a file, or finds out what would become of them.
fn add(target: &mut Target, is_dry: bool) -> Result<(), Failure> {
    let values = pairs(&target.settings);
    let added = config::add(&target.path, target.kind, &values, is_dry);
    target.outcome =
        added.map_err(|error| Failure::new(error.to_string()).hint("correct that file first"))?;
    // What does not fit was perhaps written beside it before.
    let written = config::value(&std::fs::read_to_string(beside(target)).unwrap_or_default());
    let written = written.unwrap_or_default();
    for (setting, put) in target.settings.iter().zip(&mut target.outcome) {
        let mut words = setting.key.split('.');
        let there = words.try_fold(&written, |value, word| value.get(word));
        if *put == Put::Unfit && there == Some(&setting.value) {
            *put = Put::Same;
        }
    }
    Ok(())
}

/// Returns the file for what does not fit into a file.
fn beside(target: &Target) -> PathBuf {
    target.path.with_file_name(BESIDE)
}

fn pairs(settings: &[Setting]) -> Vec<(&str, Value)> {
    settings
        .iter()
        .map(|setting| (setting.key.as_str(), setting.value.clone()))
        .collect()
}

/// Says what was written. What does not fit into the file is written beside it.
fn written(target: &Target) -> Result<String, Failure> {
    let count = target
        .outcome
        .iter()
        .filter(|put| matches!(put, Put::Added(_)))
        .count();
    let path = plain(&target.path.display().to_string());
    let mut text = match count {
        0 => String::new(),
        1 => format!("added 1 key to {path}\n"),
        many => format!("added {many} keys to {path}\n"),
    };
    let unfit = target
        .settings
        .iter()
        .zip(&target.outcome)
        .filter(|(_, put)| **put == Put::Unfit);
    let unfit: Vec<Setting> = unfit.map(|(setting, _)| setting.clone()).collect();
    if !unfit.is_empty() {
        let beside = beside(target);
        config::add(&beside, target.kind, &pairs(&unfit), false)
            .map_err(|error| Failure::new(error.to_string()))?;
        let shown = plain(&beside.display().to_string());
        text.push_str(&format!(
            "wrote {shown}: its keys do not fit into {path} as that is written; move them by hand\n"
        ));
    }
    Ok(text)
}

async fn add_project(client: &Client, project: &translate::Project) -> Result<String, Failure> {
    let request = AddProject {
        path: project.path.to_string_lossy().into_owned(),
        trust: None,
        name: Some(project.name.clone()),
        initialize: None,
    };
    let name = plain(&project.name);
    let added = client.add_project(request).await.map_err(Failure::from);
    match added {
        Ok(added) => Ok(format!(
            "added project {name} at {}; agents ask before they start in it\n",
            plain(&added.path)
        )),
        Err(failure) if failure.0.code == Code::Exists => Ok(format!("{name} is added already\n")),
        Err(failure) => Err(failure),
    }
}

/// Asks on a terminal; otherwise refuses, since nobody would read the question.
fn ask() -> Result<(), Failure> {
    let refused = |why: &str| {
        Failure::from(ApiError::new(
            Code::ApprovalNeeded,
            format!("nothing was changed{why}"),
        ))
        .hint("`downbeat config import --yes` does it without asking")
    };
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        return Err(refused(": there is no terminal to ask on"));
    }
    print("Do this? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().take(MOST_ANSWER).read_line(&mut answer)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(refused("")),
    }
}

/// Formats what becomes of a file.
fn shown(target: &Target) -> String {
    let mut text = format!("{}\n", target.title);
    for (setting, put) in target.settings.iter().zip(&target.outcome) {
        let value = plain(&setting.value.to_string());
        let note = Some(&setting.note).filter(|note| !note.is_empty());
        let note = note.map_or_else(String::new, |note| format!("; {note}"));
        let key = plain(&setting.key);
        text.push_str(&match put {
            Put::Added(_) => format!("  + {key}: {value} (from {}{note})\n", plain(&setting.from)),
            Put::Unfit => format!(
                "  + {key}: {value} (from {}; into {BESIDE}{note})\n",
                plain(&setting.from)
            ),
            Put::Same => format!("  = {key}: {value}\n"),
            Put::Kept(there) => format!("  = {key} stays {}, as you wrote it\n", plain(&there.to_string())),
        });
    }
    text + "\n"
}

/// Formats the keys that become no setting.
fn told(translation: &Translation) -> String {
    let groups = [
        (How::Same, "as it is without a setting"),
        (How::Nothing, "without a key here"),
        (How::Unknown, "unknown"),
        (How::Refused, "not taken"),
    ];
    let mut text = String::new();
    for (how, title) in groups {
        let rows = translation.told.iter().filter(|told| told.how == how);
        let rows: String = rows
            .map(|told| format!("  {}: {}\n", plain(&told.from), plain(&told.text)))
            .collect();
        if !rows.is_empty() {
            text.push_str(&format!("{title}\n{rows}\n"));
        }
    }
    text
}

/// Returns a line about the file of Agent Orchestrator in the folder of a project; empty if there is none.
pub(in crate::command) fn hint(project: &str) -> String {
    let name = FILES.iter().find(|name| Path::new(project).join(name).is_file());
    name.map_or_else(String::new, |name| {
        format!("{name} is there: its reactions apply as long as downbeat.yaml has none; `downbeat config import` translates the rest\n")
    })
}
