//! What becomes of a file of Agent Orchestrator, as data, and the check that a setting is valid here.

use downbeat_yaml::Error;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What becomes of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Translation {
    /// The settings for the person's own file.
    pub own: Vec<Setting>,
    /// The projects.
    pub projects: Vec<Project>,
    /// What becomes of each key that is not, or not only, a setting.
    pub told: Vec<Told>,
}

/// A setting of one of Downbeat's files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// The key that it comes from: `projects.shop.symlinks`.
    pub from: String,
    /// The key here, of one or two words: `symlink`, `defaults.agent`.
    pub key: String,
    /// The value here.
    pub value: Value,
    /// What differs; empty if nothing does.
    pub note: String,
}

/// A project of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// Its repository at a forge: `acme/shop`.
    pub repo: Option<String>,
    /// The settings for its file.
    pub settings: Vec<Setting>,
}

/// What becomes of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// The key.
    pub from: String,
    /// How it is.
    pub how: How,
    /// The reason, or what to use instead.
    pub text: String,
}

/// How a key is that becomes no setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum How {
    /// It is so without a setting.
    Same,
    /// It has no meaning here.
    Nothing,
    /// Agent Orchestrator has no such key either.
    Unknown,
    /// Its value cannot be taken.
    Refused,
}

/// Checks a file with these keys.
pub(super) fn check<T: DeserializeOwned + JsonSchema + downbeat_yaml::Rules>(
    whole: &Value,
) -> Result<(), String> {
    match downbeat_yaml::parse::<T>(Path::new(""), &whole.to_string()) {
        Ok(_) => Ok(()),
        Err(Error::Wrong(problems)) => Err(problems
            .into_iter()
            .map(|problem| problem.message)
            .collect::<Vec<_>>()
            .join("; ")),
        Err(other) => Err(other.to_string()),
    }
}
