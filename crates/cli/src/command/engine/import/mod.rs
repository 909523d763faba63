//! `downbeat config import`: translates a configuration of Agent Orchestrator into Downbeat's files. What a person wrote
//! there stays; a second run changes nothing. What each key becomes is decided by the engine's crate.

mod target;
mod text;

use crate::client::Client;
use crate::command::engine::start::absolute;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print};
use crate::paint::plain;
use clap::{Args, ValueHint};
use downbeat_engine::config::orchestrator::foreign::{limit, repository_of};
use downbeat_engine::config::orchestrator::places::{FILES, find};
use downbeat_engine::config::orchestrator::translate::translate;
use downbeat_wire::project::Project;
use downbeat_wire::request::Nothing;
use downbeat_wire::{ApiError, Client as _, Code};
use std::io::{BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};
use target::{MOST_FILE, Target};

/// The variables that name the file, Agent Orchestrator's documented one first.
pub(in crate::command) const NAMED_BY: [&str; 3] = ["AO_CONFIG", "AO_CONFIG_PATH", "AO_GLOBAL_CONFIG"];

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

pub(in crate::command) async fn run(arguments: &Arguments, home: &Home) -> Outcome {
    home.refuse_inside("change your configuration")?;
    let file = match &arguments.file {
        Some(file) => absolute(file)?,
        None => found()?,
    };
    let text = read(&file).map_err(|error| {
        Failure::from(ApiError::not_found("file", file.display())).hint(error.to_string())
    })?;
    let mut translation = translate(&file, &text).map_err(|error| Failure::new(error.to_string()))?;
    if let Some(repository) = repository_of(&file) {
        limit(&mut translation, &repository);
    }
    let client = Client::ready(home).await?;
    let known = client.list_projects(Nothing {}).await?;
    print(&format!("{}\n\n", plain(&file.display().to_string())))?;
    let mut targets = vec![target::own(home, &translation)];
    for project in &translation.projects {
        targets.push(target::of_project(&client, project, &known).await?);
    }
    for target in &mut targets {
        target.add(true)?;
        print(&text::target(target))?;
    }
    print(&text::told(&translation))?;
    if !targets.iter().any(Target::is_change) {
        return print("nothing has to change\n");
    }
    if arguments.dry_run {
        return print("nothing was changed: --dry-run\n");
    }
    if !arguments.yes {
        ask()?;
    }
    carry_out(&client, targets).await
}

/// Reads a file, perhaps through a link. A repository may have a pipe or a device in its place.
fn read(file: &Path) -> std::io::Result<String> {
    let (file, length) = downbeat_files::open_linked(file)?;
    if length > MOST_FILE {
        let what = format!("it has more than {MOST_FILE} bytes");
        return Err(std::io::Error::other(what));
    }
    let mut text = String::new();
    file.take(MOST_FILE).read_to_string(&mut text)?;
    Ok(text)
}

/// Adds the projects and the settings. What fails for one project does not stop the others.
async fn carry_out(client: &Client, targets: Vec<Target>) -> Outcome {
    let mut failed: Option<Failure> = None;
    let mut fail = |failure: Failure| match &failed {
        None => failed = Some(failure),
        Some(_) => drop(failure.report()),
    };
    let mut ready = Vec::new();
    for target in targets {
        match target.add_project(client).await {
            Ok(said) => {
                print(&said)?;
                ready.push(target);
            }
            Err(failure) => fail(failure),
        }
    }
    // Only now git's own default branches are known.
    let known = client.list_projects(Nothing {}).await?;
    for mut target in ready {
        target.drop_default_branch(known.iter().find(|project| is_at(project, target.folder())));
        match target.add(false).and_then(|()| target.written()) {
            Ok(said) => drop(print(&said)?),
            Err(failure) => fail(failure),
        }
    }
    failed.map_or(DONE, Err)
}

fn is_at(project: &Project, folder: &Path) -> bool {
    Path::new(&project.path) == folder
}

/// Returns the file that nobody named.
fn found() -> Result<PathBuf, Failure> {
    let named = NAMED_BY.iter().filter_map(std::env::var_os);
    if let Some(named) = named.into_iter().find(|value| !value.is_empty()) {
        return absolute(&named.to_string_lossy());
    }
    find(&std::env::current_dir()?).ok_or_else(|| {
        Failure::from(ApiError::not_found("file", FILES[0]))
            .hint("name it: `downbeat config import FILE`, or with AO_CONFIG")
    })
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

/// Returns a line about the file of Agent Orchestrator in the folder of a project; empty if there is none.
pub(in crate::command) fn hint(project: &str) -> String {
    let name = FILES.iter().find(|name| Path::new(project).join(name).is_file());
    name.map_or_else(String::new, |name| {
        format!(
            "{name} is there: its reactions apply as long as downbeat.yaml has none; `downbeat config import` translates \
             the rest\n"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{MOST_FILE, read};

    #[test]
    fn only_a_regular_file_of_a_usual_length_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("agent-orchestrator.yaml");
        std::fs::write(&file, "defaults:\n").unwrap();
        assert_eq!(read(&file).unwrap(), "defaults:\n");
        std::fs::File::create(&file)
            .unwrap()
            .set_len(MOST_FILE + 1)
            .unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("1048576 bytes"));
        #[cfg(unix)]
        {
            let link = dir.path().join("link");
            std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
            read(&link).unwrap_err();
        }
    }
}
