//! `downbeat config`: prints the path and the contents of configuration, checks it, and prints its schema.

use crate::command::engine::{import, set};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print, print_json, wait};
use clap::{Subcommand, ValueEnum, ValueHint};
use downbeat_engine::config::{FILE, Kind, load_global, load_project, schema, validate};
use downbeat_model::shown::{line, lines};
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// Print where the configuration file is
    Path {
        /// The file of the project in this folder instead
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        project: Option<PathBuf>,
    },
    /// Print every effective setting, defaults included
    Show {
        /// The settings of the project in this folder instead
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        project: Option<PathBuf>,
    },
    /// Check the configuration; problems are shown with file, line and a suggestion
    Validate {
        /// Files or project folders; default your own file and the one of this folder
        files: Vec<PathBuf>,
        /// Check the files as global configuration, not as a project's; without files, check only your own
        #[arg(long)]
        global: bool,
    },
    /// Print the JSON schema, for editors
    Schema {
        /// Which file it is for
        #[arg(value_enum, default_value_t = Which::Project)]
        which: Which,
    },
    /// Change a key of your own file: `defaults.agent codex`; `null` removes it
    Set {
        /// The key: `section.name`
        key: String,
        /// Its value, as YAML
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Translate a configuration of Agent Orchestrator into Downbeat's files; what you wrote there stays
    Import(import::Arguments),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::command) enum Which {
    Global,
    Project,
}

pub(in crate::command) fn run(arguments: &Arguments, home: &Home) -> Outcome {
    let failed = |error: downbeat_engine::config::Error| Failure::new(error.to_string());
    match arguments {
        Arguments::Path { project } => print(&format!("{}\n", file(project.as_deref(), home).display())),
        Arguments::Show { project: None } => print_json(&load_global(&home.config()).map_err(failed)?),
        Arguments::Show {
            project: Some(folder),
        } => print_json(&load_project(folder).map_err(failed)?),
        Arguments::Validate { files, global } => check(files, *global, home),
        Arguments::Set { key, value } => set::run(key, value, home),
        Arguments::Import(arguments) => wait(import::run(arguments, home)),
        Arguments::Schema { which: Which::Global } => print_json(&schema(Kind::Global)),
        Arguments::Schema {
            which: Which::Project,
        } => print_json(&schema(Kind::Project)),
    }
}

/// Says where the configuration is, and what lists its keys.
pub(in crate::command) fn help(home: &Home) -> Outcome {
    let path = line(&home.config().display().to_string());
    print(&format!(
        "your file:        {path}\n\
         a project's file: {FILE} in its folder\n\
         every value:      downbeat config show [--project FOLDER]\n\
         every key:        downbeat config schema global|project\n\
         one value:        downbeat config set KEY VALUE\n\
         mistakes:         downbeat config validate\n\
         from Agent Orchestrator: downbeat config import [FILE]\n"
    ))
}

/// Returns the mistakes in the person's own files, one sentence each.
pub(in crate::command) fn problems(home: &Home) -> Vec<String> {
    let own = [(home.config(), Kind::Global), (home.prices(), Kind::Prices)];
    own.iter()
        .flat_map(|(path, kind)| validate(path, *kind))
        .map(|problem| problem.to_string())
        .collect()
}

fn file(project: Option<&Path>, home: &Home) -> PathBuf {
    project.map_or_else(|| home.config(), |folder| folder.join(FILE))
}

fn check(files: &[PathBuf], all_global: bool, home: &Home) -> Outcome {
    let (global, prices) = (home.config(), home.prices());
    let mut wanted: Vec<(PathBuf, Kind)> = Vec::new();
    for path in files {
        match path.is_dir() {
            true => wanted.push((path.join(FILE), Kind::Project)),
            false if !path.exists() => {
                return Err(downbeat_wire::ApiError::not_found("file", path.display()).into());
            }
            false if *path == prices => wanted.push((path.clone(), Kind::Prices)),
            false if all_global || *path == global => wanted.push((path.clone(), Kind::Global)),
            false => wanted.push((path.clone(), Kind::Project)),
        }
    }
    if files.is_empty() {
        wanted = vec![(global, Kind::Global), (prices, Kind::Prices)];
        if !all_global {
            wanted.push((std::env::current_dir()?.join(FILE), Kind::Project));
        }
    }
    let mut wrong = 0usize;
    for (path, kind) in wanted {
        let problems = validate(&path, kind);
        let name = line(&path.display().to_string());
        wrong += problems.len();
        for problem in &problems {
            print(&format!("{}\n", lines(&problem.to_string())))?;
        }
        if problems.is_empty() && path.exists() {
            print(&format!("{name}: ok, as {}\n", words(kind)))?;
        }
        if !problems.is_empty() {
            print(&format!("{name}: read as {}\n", words(kind)))?;
        }
    }
    let as_project = !all_global && files.iter().any(|path| path.is_file() && *path != home.config());
    let hint = |failure: Failure| match as_project {
        true => failure.hint("--global checks a file as global configuration, not as a project's"),
        false => failure,
    };
    match wrong {
        0 => DONE,
        1 => Err(hint(Failure::new("1 problem"))),
        many => Err(hint(Failure::new(format!("{many} problems")))),
    }
}

fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Global => "your own file",
        Kind::Project => "a project's file",
        Kind::Prices => "your list of prices",
    }
}
