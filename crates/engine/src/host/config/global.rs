//! The person's own configuration, with its defaults.

use crate::host::config::domain::DomainConfig;
use crate::host::config::editor::EditorConfig;
use crate::host::config::forge::{ForgeConfig, ForgeKind};
use crate::host::config::planner::PlannerConfig;
use crate::host::config::tracker::{TrackerConfig, Trackers};
use downbeat_agents::Manifest;
use downbeat_model::PermissionMode;
use downbeat_model::budget::Budget;
use downbeat_model::delivery::{DESKTOP, Routes};
use downbeat_model::limit::Limits as ModelLimits;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::usage_limit;
use downbeat_notifiers::NotifierConfig;
use downbeat_plans::{Domains, Templates};
use downbeat_wire::settings::{Command, Theme};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The global `downbeat.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GlobalConfig {
    /// Defaults of new sessions and projects.
    pub defaults: Defaults,
    /// Power settings.
    pub power: PowerConfig,
    /// Notification settings.
    pub notifications: Notifications,
    /// Notifiers besides the desktop, by name.
    pub notifiers: BTreeMap<String, NotifierConfig>,
    /// The look of the window.
    pub appearance: Appearance,
    /// Keys of the interface, by command, instead of the defaults: `mod+Shift+A`, or `none`.
    pub keys: BTreeMap<Command, String>,
    /// Limits on what may run at once.
    pub limits: Limits,
    /// The reaction to an agent's usage limit.
    pub usage_limits: UsageLimits,
    /// Budgets of sessions, conductors and projects.
    pub budgets: Budgets,
    /// The supervision of working sessions.
    pub watchdog: Watchdog,
    /// The location of worktrees.
    pub worktrees: Worktrees,
    /// The dev-server ports for sessions.
    pub ports: Ports,
    /// Further agents, by id.
    pub agents: BTreeMap<String, Manifest>,
    /// Forges that are not known by their host's name, or whose API is not where it is by default, by host.
    pub forges: BTreeMap<String, ForgeConfig>,
    /// How trackers are reached.
    pub trackers: Trackers,
    /// The editor in which files are opened; by default the first one that is installed.
    pub editor: Option<EditorConfig>,
    /// The program that makes a plan of a goal; by default a session does.
    pub planner: Option<PlannerConfig>,
    /// Domains of the tasks of plans in all projects; a project's own come first.
    pub domains: BTreeMap<String, DomainConfig>,
    /// Templates of plans, by name, written as the tasks of a plan are; `{task}` stands for the title of a task.
    pub plan_templates: BTreeMap<String, String>,
    /// The program of the agent `shell`; by default the login shell.
    #[schemars(length(min = 1))]
    pub shell: Option<String>,
}

impl GlobalConfig {
    /// Returns all templates of plans. What is wrong with one is said when the file is read, so such a one is left out.
    #[must_use]
    pub fn all_plan_templates(&self, domains: &Domains) -> Templates {
        let own = self.plan_templates.iter();
        own.fold(Templates::default(), |all, (name, text)| {
            all.clone().with(name, text, domains).unwrap_or(all)
        })
    }

    /// Returns what runs at a host.
    #[must_use]
    pub fn forge_kind(&self, host: &str) -> ForgeKind {
        let config = self.forges.get(host);
        config.map_or_else(|| ForgeKind::of_host(host), |config| config.kind(host))
    }

    /// Returns which notifiers get the notices of each priority.
    #[must_use]
    pub fn routes(&self) -> Routes {
        let names: Vec<String> = self.notifiers.keys().cloned().collect();
        Routes::of(&names, &self.notifications.routes)
    }

    /// Returns whether desktop notifications make a sound.
    #[must_use]
    pub fn desktop_sound(&self) -> bool {
        let desktop = self.notifiers.get(DESKTOP);
        desktop.and_then(|desktop| desktop.sound).unwrap_or_default()
    }
}

/// Defaults of new sessions and projects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Defaults {
    /// The agent of new sessions, by id.
    #[schemars(length(min = 1))]
    pub agent: String,
    /// The permission mode of new projects; never `bypass`.
    pub permission_mode: PermissionMode,
    /// The tracker of projects that name none.
    pub tracker: Option<TrackerConfig>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            agent: "claude".into(),
            permission_mode: PermissionMode::default(),
            tracker: None,
        }
    }
}

/// Power settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PowerConfig {
    /// Whether idle sleep is prevented while an agent works.
    pub prevent_idle_sleep: bool,
}

impl Default for PowerConfig {
    fn default() -> Self {
        Self {
            prevent_idle_sleep: true,
        }
    }
}

/// Notification settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Notifications {
    /// Whether desktop notifications are shown.
    pub desktop: bool,
    /// The notifiers that get the notices of a priority, instead of the usual ones.
    pub routes: BTreeMap<NoticePriority, Vec<String>>,
}

impl Default for Notifications {
    fn default() -> Self {
        Self {
            desktop: true,
            routes: BTreeMap::new(),
        }
    }
}

/// The look of the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Appearance {
    /// Light, dark, or the system's choice.
    pub theme: Theme,
    /// The size of terminal text in CSS pixels.
    #[schemars(range(min = 8, max = 32))]
    pub terminal_font_size: u32,
    /// The font of terminals, by the name that the system knows it by; by default the one that comes with Downbeat.
    #[schemars(length(max = 100))]
    pub terminal_font: Option<String>,
    /// The size of the interface's text in CSS pixels.
    #[schemars(range(min = 11, max = 20))]
    pub interface_font_size: u32,
}

impl Default for Appearance {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            terminal_font_size: 13,
            terminal_font: None,
            interface_font_size: 13,
        }
    }
}

/// Limits on what may run at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Limits {
    /// The maximum number of levels of workers.
    #[schemars(range(min = 0, max = 5))]
    pub max_depth: u32,
    /// The maximum number of live workers per conductor; further ones are queued.
    #[schemars(range(min = 1, max = 100))]
    pub workers_per_conductor: u32,
    /// The maximum number of live sessions in all; further ones are queued.
    #[schemars(range(min = 1, max = 500))]
    pub total_sessions: u32,
    /// The maximum number of live sessions of each project; further ones are queued. Left out, only the limit of all sessions
    /// applies.
    #[schemars(range(min = 1, max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions_per_project: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        let limits = ModelLimits::default();
        Self {
            max_depth: limits.max_depth,
            workers_per_conductor: limits.workers_per_conductor,
            total_sessions: limits.total_sessions,
            sessions_per_project: limits.sessions_per_project,
        }
    }
}

impl From<&Limits> for ModelLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            max_depth: limits.max_depth,
            workers_per_conductor: limits.workers_per_conductor,
            total_sessions: limits.total_sessions,
            sessions_per_project: limits.sessions_per_project,
        }
    }
}

/// Budgets of a session, of a conductor with all below it, and of a project per day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budgets {
    /// The budget of each session itself.
    pub session: Budget,
    /// The budget of each conductor with all below it.
    pub subtree: Budget,
    /// The budget of each project per day, in the time zone of this machine.
    pub project_day: Budget,
    /// The share of a budget, in per cent, at which the person is warned.
    #[schemars(range(min = 1, max = 100))]
    pub warn: u32,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            session: Budget::default(),
            subtree: Budget::default(),
            project_day: Budget::default(),
            warn: 80,
        }
    }
}

impl Budgets {
    /// Whether the budgets allow any amount.
    pub fn is_open(&self) -> bool {
        self.session.is_open() && self.subtree.is_open() && self.project_day.is_open()
    }

    /// Returns the stricter of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            session: self.session.and(other.session),
            subtree: self.subtree.and(other.subtree),
            project_day: self.project_day.and(other.project_day),
            warn: self.warn.min(other.warn),
        }
    }
}

/// The reaction to an agent's usage limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UsageLimits {
    /// Whether a session continues by itself once its limit is over; each session can override this.
    pub go_on: bool,
    /// Seconds from the end of a limit, as its agent reports it, until a session continues.
    #[schemars(range(min = 0, max = 3600))]
    pub margin: u32,
}

impl Default for UsageLimits {
    fn default() -> Self {
        Self {
            go_on: false,
            margin: u32::try_from(usage_limit::MARGIN.as_secs()).unwrap_or_default(),
        }
    }
}

impl UsageLimits {
    /// Returns [`UsageLimits::margin`] as a duration.
    #[must_use]
    pub fn margin(&self) -> SignedDuration {
        SignedDuration::from_secs(self.margin.into())
    }
}

/// The supervision of working sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Watchdog {
    /// Minutes without anything new after which a working session counts as stuck; 0 for never.
    #[schemars(range(min = 0, max = 1440))]
    pub stuck_after: f64,
    /// Seconds between two measurements of what the processes of a working session use.
    #[schemars(range(min = 1, max = 3600))]
    pub measure_every: u32,
    /// Seconds between two checks whether the folders of live sessions exist.
    #[schemars(range(min = 1, max = 3600))]
    pub folders_every: u32,
    /// Seconds that a conductor has to answer a worker's question before you are notified of it.
    #[schemars(range(min = 1, max = 86400))]
    pub answer_within: u32,
    /// How many messages a conductor and its worker may exchange without a change to the worker's code before you are notified; 0
    /// for any number.
    #[schemars(range(min = 0, max = 1000))]
    pub exchanges: u32,
    /// Megabytes of memory that the processes of a session may use; 0 for any amount.
    pub memory: u64,
    /// The number of processes that a session may have; 0 for any number.
    pub processes: u64,
    /// The reaction to a session that exceeds `memory` or `processes`.
    pub over_ceiling: OverCeiling,
}

impl Watchdog {
    /// Returns how long a working session may show nothing new; `None` for any time.
    #[must_use]
    pub fn stuck_after(&self) -> Option<Duration> {
        let long = Duration::try_from_secs_f64(self.stuck_after * 60.0).ok();
        long.filter(|long| !long.is_zero())
    }

    /// Returns the interval between two measurements.
    #[must_use]
    pub fn measure_every(&self) -> Duration {
        Duration::from_secs(self.measure_every.into())
    }

    /// Returns the interval between two checks for folders.
    #[must_use]
    pub fn folders_every(&self) -> Duration {
        Duration::from_secs(self.folders_every.into())
    }

    /// Returns how long a conductor has for an answer.
    #[must_use]
    pub fn answer_within(&self) -> Duration {
        Duration::from_secs(self.answer_within.into())
    }
}

impl Default for Watchdog {
    fn default() -> Self {
        Self {
            stuck_after: 20.0,
            measure_every: 60,
            folders_every: 10,
            answer_within: 60,
            exchanges: 8,
            memory: 8192,
            processes: 500,
            over_ceiling: OverCeiling::Warn,
        }
    }
}

/// The reaction to a session whose processes use more than they may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OverCeiling {
    /// A notice is shown.
    #[default]
    Warn,
    /// A notice is shown and the session is stopped; it can be resumed.
    Stop,
}

/// The location of worktrees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Worktrees {
    /// `data` (in the data directory), `project` (`.worktrees/` in the project), or an absolute path.
    pub location: Location,
}

/// The location of worktrees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Location {
    /// In the data directory.
    #[default]
    Data,
    /// In `.worktrees/` of the project, hidden from git.
    Project,
    /// In this folder, by project.
    Folder(PathBuf),
}

impl TryFrom<String> for Location {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "data" => Ok(Self::Data),
            "project" => Ok(Self::Project),
            path if PathBuf::from(path).is_absolute() => Ok(Self::Folder(path.into())),
            _ => Err(format!(
                "expected `data`, `project` or an absolute path, found {text:?}"
            )),
        }
    }
}

impl From<Location> for String {
    fn from(location: Location) -> Self {
        match location {
            Location::Data => "data".into(),
            Location::Project => "project".into(),
            Location::Folder(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// The dev-server ports for sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Ports {
    /// The first port.
    #[schemars(range(min = 1024, max = 65535))]
    pub from: u16,
    /// The last port.
    #[schemars(range(min = 1024, max = 65535))]
    pub to: u16,
}

impl Default for Ports {
    /// Starts above 3000, which a person's own dev server uses, and has room for all sessions.
    fn default() -> Self {
        Self { from: 3100, to: 3999 }
    }
}
