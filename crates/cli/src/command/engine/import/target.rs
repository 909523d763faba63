//! The files of Downbeat to which an import adds settings: the person's own, and that of each project.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::paint::plain;
use downbeat_engine::config::orchestrator::translate::{self, Setting, Translation};
use downbeat_engine::config::{self, FILE, Kind, Put};
use downbeat_model::count;
use downbeat_wire::Client as _;
use downbeat_wire::project::{AddProject, FolderKind, FolderReport, InspectFolder, Project};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The maximum number of bytes of a file that is read: a longer one is not written by hand.
pub(super) const MOST_FILE: u64 = 1 << 20;

/// The file for what does not fit into a file as it is written.
pub(super) const BESIDE: &str = "downbeat.imported.yaml";

/// One of Downbeat's files, and what is added to it.
pub(super) struct Target {
    /// What people read about it.
    pub(super) title: String,
    path: PathBuf,
    kind: Kind,
    /// The settings for it.
    pub(super) settings: Vec<Setting>,
    /// What became, or would become, of each setting.
    pub(super) outcome: Vec<Put>,
    /// The name of the project that has to be added first.
    new: Option<String>,
}

/// Returns the person's own file.
pub(super) fn own(home: &Home, translation: &Translation) -> Target {
    let path = home.config();
    Target {
        title: format!("your file, {}", plain(&path.display().to_string())),
        path,
        kind: Kind::Global,
        settings: translation.own.clone(),
        outcome: Vec::new(),
        new: None,
    }
}

/// Returns the file of a project.
pub(super) async fn of_project(
    client: &Client,
    project: &translate::Project,
    known: &[Project],
) -> Result<Target, Failure> {
    let path = project.path.to_string_lossy().into_owned();
    let report = client.inspect_folder(InspectFolder { path }).await?;
    let there = known
        .iter()
        .find(|known| Some(&known.id) == report.project_id.as_ref());
    let is_new = there.is_none() && report.kind == FolderKind::Repository;
    let root = there.map_or(report.path.as_str(), |there| there.path.as_str());
    let mut target = Target {
        title: title(project, &report, there),
        path: Path::new(root).join(FILE),
        kind: Kind::Project,
        settings: Vec::new(),
        outcome: Vec::new(),
        new: is_new.then(|| project.name.clone()),
    };
    if is_new || there.is_some() {
        target.settings.clone_from(&project.settings);
    }
    target.drop_default_branch(there);
    Ok(target)
}

fn title(project: &translate::Project, report: &FolderReport, there: Option<&Project>) -> String {
    let state = match (there, report.kind, &project.repo) {
        (Some(there), ..) if there.name != project.name => {
            format!("which is added as {}", plain(&there.name))
        }
        (Some(_), ..) => "which is added already".into(),
        (None, FolderKind::Repository, _) => "which will be added".into(),
        (None, FolderKind::Missing, Some(repo)) => format!(
            "which is not there; `downbeat start https://github.com/{}` clones it, then import again",
            plain(repo)
        ),
        _ => format!("which stays out: {}", plain(&report.message)),
    };
    let (name, place) = (plain(&project.name), plain(&project.path.display().to_string()));
    format!("project {name} at {place}, {state}")
}

impl Target {
    /// Returns the folder of the file.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Whether anything changes.
    pub(super) fn is_change(&self) -> bool {
        let is_change = |put: &Put| matches!(put, Put::Added(_) | Put::Unfit);
        self.new.is_some() || self.outcome.iter().any(is_change)
    }

    /// Drops what only says what is so without it.
    pub(super) fn drop_default_branch(&mut self, project: Option<&Project>) {
        let is_default =
            |setting: &Setting| project.is_some_and(|project| setting.value == project.default_branch);
        self.settings
            .retain(|setting| setting.key != "base" || !is_default(setting));
    }

    /// Adds the project, if it is new, and says so.
    pub(super) async fn add_project(&self, client: &Client) -> Result<String, Failure> {
        let Some(name) = &self.new else {
            return Ok(String::new());
        };
        let request = AddProject {
            path: self.folder().to_string_lossy().into_owned(),
            trust: None,
            name: Some(name.clone()),
            initialize: None,
        };
        let added = client.add_project(request).await.map_err(Failure::from)?;
        Ok(format!(
            "added project {} at {}; agents ask before they start in it\n",
            plain(&added.name),
            plain(&added.path)
        ))
    }

    /// Adds the settings, or finds out what would become of them.
    pub(super) fn add(&mut self, is_dry: bool) -> Result<(), Failure> {
        let added = config::add(&self.path, self.kind, &pairs(&self.settings), is_dry);
        self.outcome =
            added.map_err(|error| Failure::new(error.to_string()).hint("correct that file first"))?;
        // What does not fit was perhaps written beside it before.
        let written = downbeat_files::read(&self.beside(), MOST_FILE).unwrap_or_default();
        let written = config::value(&String::from_utf8_lossy(&written));
        let written = written.unwrap_or_default();
        for (setting, put) in self.settings.iter().zip(&mut self.outcome) {
            let mut words = setting.key.split('.');
            let there = words.try_fold(&written, |value, word| value.get(word));
            if *put == Put::Unfit && there == Some(&setting.value) {
                *put = Put::Same;
            }
        }
        Ok(())
    }

    /// Says what was written. What does not fit into the file is written beside it.
    pub(super) fn written(&self) -> Result<String, Failure> {
        let added = self
            .outcome
            .iter()
            .filter(|put| matches!(put, Put::Added(_)))
            .count();
        let path = plain(&self.path.display().to_string());
        let mut text = match added {
            0 => String::new(),
            some => format!("added {} to {path}\n", count(some as u64, "key", "keys")),
        };
        let all = self.settings.iter().zip(&self.outcome);
        let unfit: Vec<Setting> = all
            .filter(|(_, put)| **put == Put::Unfit)
            .map(|(setting, _)| setting.clone())
            .collect();
        if !unfit.is_empty() {
            let added = config::add(&self.beside(), self.kind, &pairs(&unfit), false);
            added.map_err(|error| Failure::new(error.to_string()))?;
            let beside = plain(&self.beside().display().to_string());
            text.push_str(&format!(
                "wrote {beside}: its keys do not fit into {path} as that is written; move them by hand\n"
            ));
        }
        Ok(text)
    }

    fn beside(&self) -> PathBuf {
        self.path.with_file_name(BESIDE)
    }
}

fn pairs(settings: &[Setting]) -> Vec<(&str, Value)> {
    let all = settings.iter();
    all.map(|setting| (setting.key.as_str(), setting.value.clone()))
        .collect()
}
