//! A run of `fix`: what is red on a branch, in groups, and who makes each of them green. One document. What follows from
//! what is decided in the engine.

use crate::budget::Budget;
use crate::id::{ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use ts_rs::TS;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The agent of the workers; absent for the default one.
    pub agent: Option<String>,
    /// The conductor that asked; absent if it was the person.
    pub parent: Option<SessionId>,
    /// The largest number of workers at a time.
    pub workers: u32,
    /// The number of tries for each group.
    pub attempts: u32,
    /// What all workers together may use.
    pub budget: Budget,
    /// The longest time, in minutes.
    pub minutes: Option<u32>,
    /// Whether only what is red is shown, and nothing started.
    pub dry_run: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            agent: None,
            parent: None,
            workers: 3,
            attempts: 3,
            budget: Budget::default(),
            minutes: None,
            dry_run: false,
        }
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// The identifier; it marks the processes of its checks.
    pub id: SessionId,
    /// The project.
    pub project: ProjectId,
    /// The branch.
    pub target: String,
    /// What was asked for.
    pub settings: Settings,
    /// The start.
    pub started_at: Timestamp,
    /// The end.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    #[serde(default)]
    pub end: Option<End>,
    /// The number of steps that were ordered.
    #[serde(default)]
    pub steps: u32,
    /// The number of the run of checks on the branch that is under way.
    #[serde(default)]
    pub look: Option<u32>,
    /// Whether something landed since that began.
    #[serde(default)]
    pub again: bool,
    /// Whether the last run of checks on the branch was of all checks.
    #[serde(default)]
    pub was_whole: bool,
    /// The commit of that run.
    #[serde(default)]
    pub commit: Option<String>,
    /// The checks that are red there.
    #[serde(default)]
    pub red: BTreeSet<String>,
    /// All failures that were ever seen of each check: what else fails in a worker's worktree is its own doing.
    #[serde(default)]
    pub seen: BTreeMap<String, BTreeSet<String>>,
    /// What could not be read, and what was left out.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The groups.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// What the workers that a group had before used, in tokens and dollars, by the number of the group.
    #[serde(default)]
    pub earlier: BTreeMap<u32, (u64, Option<f64>)>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "why")]
pub enum End {
    /// All checks are green.
    Green,
    /// Something is red, and nothing more is tried.
    Left,
    /// Only what is red was to be shown.
    Shown,
    /// A budget is used up.
    Budget(String),
    /// Somebody cancelled it.
    Cancelled,
    /// The checks cannot run.
    Failed(String),
}

/// Failures that one worker fixes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "FixGroup")]
#[schemars(rename = "FixGroup")]
pub struct Group {
    /// The number, from 1.
    pub number: u32,
    /// What it is about, in a few words.
    pub title: String,
    /// The checks that report it.
    pub checks: Vec<String>,
    /// Their commands.
    pub commands: Vec<String>,
    /// The files that it names.
    pub files: BTreeSet<String>,
    /// The failures.
    pub failures: Vec<Failure>,
    /// How far it is.
    pub state: GroupState,
    /// Since when.
    #[ts(type = "string")]
    pub since: Timestamp,
    /// Why it is so, in a sentence; empty if the state says it.
    #[serde(default)]
    pub why: String,
    /// The worker.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// The worker's name.
    #[serde(default)]
    pub worker: Option<String>,
    /// The start of its first worker.
    #[serde(default)]
    #[ts(type = "string | null")]
    pub begun_at: Option<Timestamp>,
    /// The number of tries that failed.
    #[serde(default)]
    pub attempts: u32,
    /// The end of the worker's turn that was verified last.
    #[serde(default)]
    #[ts(type = "string | null")]
    pub rested: Option<Timestamp>,
    /// The commit that was verified.
    #[serde(default)]
    pub head: Option<String>,
    /// Whether the worker is to be ended.
    #[serde(default)]
    pub stops: bool,
    /// The tokens that its workers used.
    #[serde(default)]
    #[ts(type = "number")]
    pub tokens: u64,
    /// Dollars by list price; absent where no price is known.
    #[serde(default)]
    pub usd: Option<f64>,
}

/// How far a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "FixState")]
#[schemars(rename = "FixState")]
pub enum GroupState {
    /// It waits for a worker.
    Waiting,
    /// Another live worktree changes its files.
    Skipped,
    /// Its worker is at work.
    Working,
    /// Its check runs on the worker's commit.
    Verifying,
    /// Its check found the worker's commit good.
    Verified,
    /// The worker's commit is in the merge queue.
    Landing,
    /// It is on the branch, whose checks run again.
    Landed,
    /// The branch does not show it any more, because its worker's commit landed.
    Fixed,
    /// The branch does not show it any more for another reason.
    Vanished,
    /// Nobody tries it any more.
    GivenUp,
}

impl GroupState {
    /// Returns whether something still happens.
    #[must_use]
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Skipped | Self::Fixed | Self::Vanished | Self::GivenUp)
    }

    /// Returns whether a worker is busy with it.
    #[must_use]
    pub fn has_worker(self) -> bool {
        matches!(
            self,
            Self::Working | Self::Verifying | Self::Verified | Self::Landing
        )
    }

    /// Returns whether it is green.
    #[must_use]
    pub fn is_green(self) -> bool {
        matches!(self, Self::Fixed | Self::Vanished)
    }
}

/// A failure, as a check reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "FixFailure")]
#[schemars(rename = "FixFailure")]
pub struct Failure {
    /// The check that reports it.
    pub check: String,
    /// The tool that reports it.
    pub tool: String,
    /// The id, the same in every run.
    pub id: String,
    /// The test, or the rule.
    pub title: String,
    /// What is wrong, in a line.
    pub message: String,
    /// The file.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<u32>,
    /// What the tool printed about it.
    pub text: String,
}

impl Fix {
    /// Returns a run of which nothing is known yet.
    #[must_use]
    pub fn new(
        id: SessionId,
        project: ProjectId,
        target: String,
        settings: Settings,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            project,
            target,
            settings,
            started_at: now,
            ended_at: None,
            end: None,
            steps: 0,
            look: None,
            again: false,
            was_whole: false,
            commit: None,
            red: BTreeSet::new(),
            seen: BTreeMap::new(),
            notes: Vec::new(),
            groups: Vec::new(),
            earlier: BTreeMap::new(),
        }
    }

    /// Returns a group by its number.
    pub fn group(&mut self, number: u32) -> Option<&mut Group> {
        self.groups.iter_mut().find(|group| group.number == number)
    }

    /// Returns what all workers used: tokens, and dollars by list price.
    #[must_use]
    pub fn spent(&self) -> (u64, Option<f64>) {
        let tokens = self.groups.iter().map(|group| group.tokens).sum();
        let usd = self.groups.iter().filter_map(|group| group.usd);
        (tokens, usd.reduce(|a, b| a + b))
    }
}

impl Group {
    /// Changes how far it is.
    pub fn becomes(&mut self, state: GroupState, why: &str, now: Timestamp) {
        (self.state, self.since) = (state, now);
        why.clone_into(&mut self.why);
        // Whoever worked on it is not needed any more.
        self.stops = self.stops || (!state.has_worker() && self.session.is_some());
    }
}
