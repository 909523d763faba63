//! Settings that the person changes in the interface. The global `downbeat.yaml` holds them.

use downbeat_model::PermissionMode;
use downbeat_model::budget::Budget;
use downbeat_plans::TemplateInfo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Light, dark, or as the system says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// A command of the interface that a key can run. What it does and which key runs it by default
/// stands in `ui/src/frame/commands.ts`, which must have a row for each.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the interface's table describes them")]
pub enum Command {
    Palette,
    Search,
    Board,
    NextNeedy,
    Attention,
    Cost,
    Timeline,
    Plans,
    PreviousSession,
    NextSession,
    PreviousTab,
    NextTab,
    FocusSidebar,
    NextRegion,
    PreviousRegion,
    Answer,
    WriteMessage,
    Notices,
    NewSession,
    NewWorker,
    TryTwo,
    Compare,
    Review,
    Approve,
    RequestChanges,
    Find,
    NewShell,
    CloseShell,
    OpenInPane,
    Rename,
    Resume,
    Pause,
    GoOn,
    Snooze,
    Restart,
    Fork,
    CreatePull,
    ReactionHistory,
    HandOver,
    RetrySetup,
    StartAnyway,
    Stop,
    Kill,
    KillWorkers,
    RemoveWorkspace,
    RestoreWork,
    Forget,
    Archive,
    CopyBranch,
    CopyPath,
    OpenInEditor,
    AddProject,
    StopAll,
    Archived,
    MergeQueue,
    RedToGreen,
    NewPlan,
    ToggleSidebar,
    ToggleDetails,
    SplitRight,
    SplitBelow,
    ClosePane,
    ZoomPane,
    NextPane,
    PreviousPane,
    PaneLeft,
    PaneRight,
    PaneUp,
    PaneDown,
    MovePaneLeft,
    MovePaneRight,
    MovePaneUp,
    MovePaneDown,
    LargerText,
    SmallerText,
    UsualText,
    ThemeLight,
    ThemeDark,
    ThemeSystem,
    Settings,
    Keys,
    ReadNotices,
    RemoveEnded,
    Quit,
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// Holds off idle sleep while an agent works (`power.preventIdleSleep`).
    pub prevent_idle_sleep: bool,
    /// Shows desktop notifications (`notifications.desktop`).
    pub desktop_notifications: bool,
    /// Whether they make a sound (`notifiers.desktop.sound`).
    pub desktop_sound: bool,
    /// The agent of new sessions (`defaults.agent`).
    pub default_agent: String,
    /// The permission mode of new projects (`defaults.permissionMode`).
    pub default_permission_mode: PermissionMode,
    /// Light or dark (`appearance.theme`).
    pub theme: Theme,
    /// Size of terminal text in CSS pixels, 8 to 32 (`appearance.terminalFontSize`).
    pub terminal_font_size: u32,
    /// The font of terminals, by the name that the system knows it by (`appearance.terminalFont`); absent for the one that comes
    /// with Downbeat.
    #[serde(default)]
    pub terminal_font: Option<String>,
    /// Size of the interface's text in CSS pixels, 11 to 20 (`appearance.interfaceFontSize`).
    #[serde(default = "usual_size")]
    pub interface_font_size: u32,
    /// What sessions, conductors and projects may use (`budgets`).
    #[serde(default)]
    pub budgets: BudgetSettings,
    /// Deepest level of workers, 0 to 5 (`limits.maxDepth`).
    pub max_depth: u32,
    /// Live workers per conductor, 1 to 100 (`limits.workersPerConductor`).
    pub workers_per_conductor: u32,
    /// Live sessions in all, 1 to 500 (`limits.totalSessions`).
    pub total_sessions: u32,
    /// Live sessions of each project, 1 to 500; without one, only the limit of all sessions applies
    /// (`limits.sessionsPerProject`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sessions_per_project: Option<u32>,
    /// Whether sessions go on by themselves once a usage limit is over (`usageLimits.goOn`).
    pub go_on_after_limit: bool,
    /// The keys that the person chose, such as `mod+Shift+A` (`mod` is ⌘ on macOS, else Ctrl), or
    /// `none`; a command that is not among them has its usual keys (`keys`).
    pub keys: BTreeMap<Command, String>,
    /// The program that makes a plan of a goal; without one, a session does (`planner`).
    #[serde(default)]
    pub planner: Option<String>,
    /// The templates of plans, by name: those that everybody has, and the person's own (`planTemplates`).
    #[serde(default)]
    pub plan_templates: Vec<TemplateInfo>,
    /// The file that holds them.
    pub config_path: String,
    /// What is wrong with that file now, with its lines; what counted before goes on meanwhile.
    pub problem: Option<String>,
}

fn usual_size() -> u32 {
    13
}

/// The budgets of the settings, each empty if there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BudgetSettings {
    /// Of each session itself (`budgets.session`).
    pub session: Budget,
    /// Of each conductor with all below it (`budgets.subtree`).
    pub subtree: Budget,
    /// Of each project per day (`budgets.projectDay`).
    pub project_day: Budget,
    /// The share of a budget in per cent at which the person is warned, 1 to 100 (`budgets.warn`).
    pub warn: u32,
}

/// Changes settings; absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct EditSettings {
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prevent_idle_sleep: Option<bool>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desktop_notifications: Option<bool>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_agent: Option<String>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_permission_mode: Option<PermissionMode>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<Theme>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_font_size: Option<u32>,
    /// See [`Settings`]; empty for the font that comes with Downbeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_font: Option<String>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface_font_size: Option<u32>,
    /// See [`Settings`]; all of them, as they are to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budgets: Option<BudgetSettings>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers_per_conductor: Option<u32>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_sessions: Option<u32>,
    /// See [`Settings`]; 0 for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions_per_project: Option<u32>,
    /// See [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub go_on_after_limit: Option<bool>,
    /// Keys to change, see [`Settings`]; null gives a command its usual keys back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<BTreeMap<Command, Option<String>>>,
}
