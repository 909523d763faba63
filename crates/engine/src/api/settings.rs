//! Shows and changes the settings: a view of the global configuration file.

use crate::host::config::GlobalConfig;
use crate::state::context::Engine;
use downbeat_model::budget::Budget;
use downbeat_plans::Domains;
use downbeat_wire::ApiError;
use downbeat_wire::settings::{BudgetSettings, EditSettings, Settings};
use serde_json::{Value, json};

impl Engine {
    /// Returns the settings in effect, with what is wrong with the file.
    pub(crate) fn settings(&self) -> Settings {
        let manifest = || {
            let first = self.wrong_manifests().into_iter().next();
            first.map(|(_, problem)| problem)
        };
        let problem = self.config_wrong().map(|wrong| wrong.problem).or_else(manifest);
        let mut config = self.config();
        // The list of agents is by id.
        if let Some(agent) = self.known_agents().get(&config.defaults.agent) {
            config.defaults.agent.clone_from(&agent.id);
        }
        view(&config, &self.paths.global_config(), problem)
    }
}

/// Returns the settings of a configuration.
pub fn view(config: &GlobalConfig, path: &std::path::Path, problem: Option<String>) -> Settings {
    Settings {
        prevent_idle_sleep: config.power.prevent_idle_sleep,
        desktop_notifications: config.notifications.desktop,
        desktop_sound: config.desktop_sound(),
        default_agent: config.defaults.agent.clone(),
        default_permission_mode: config.defaults.permission_mode,
        theme: config.appearance.theme,
        terminal_font_size: config.appearance.terminal_font_size,
        terminal_font: config.appearance.terminal_font.clone(),
        interface_font_size: config.appearance.interface_font_size,
        budgets: BudgetSettings {
            session: config.budgets.session,
            subtree: config.budgets.subtree,
            project_day: config.budgets.project_day,
            warn: config.budgets.warn,
        },
        max_depth: config.limits.max_depth,
        workers_per_conductor: config.limits.workers_per_conductor,
        total_sessions: config.limits.total_sessions,
        sessions_per_project: config.limits.sessions_per_project,
        go_on_after_limit: config.usage_limits.go_on,
        keys: config.keys.clone(),
        planner: config.planner.as_ref().map(|planner| planner.name().to_owned()),
        plan_templates: config.all_plan_templates(&Domains::default()).infos(),
        config_path: path.to_string_lossy().into_owned(),
        problem,
    }
}

/// Returns budgets as they stand in the file, where one without an amount does not stand.
fn in_file(budgets: &BudgetSettings) -> Vec<(String, Value)> {
    let budget = |budget: &Budget| {
        let amounts = [
            budget.usd.map(|usd| ("usd".to_owned(), json!(usd))),
            budget.tokens.map(|tokens| ("tokens".to_owned(), json!(tokens))),
        ];
        match budget.is_open() {
            true => Value::Null,
            false => Value::Object(amounts.into_iter().flatten().collect()),
        }
    };
    vec![
        ("budgets.session".into(), budget(&budgets.session)),
        ("budgets.subtree".into(), budget(&budgets.subtree)),
        ("budgets.projectDay".into(), budget(&budgets.project_day)),
        ("budgets.warn".into(), json!(budgets.warn)),
    ]
}

/// Changes settings in the file, and applies them to this engine immediately.
pub async fn edit(engine: &Engine, request: EditSettings) -> Result<Settings, ApiError> {
    let mut changes: Vec<(String, Value)> = [
        (
            "power.preventIdleSleep",
            request.prevent_idle_sleep.map(|v| json!(v)),
        ),
        (
            "notifications.desktop",
            request.desktop_notifications.map(|v| json!(v)),
        ),
        ("defaults.agent", request.default_agent.as_ref().map(|v| json!(v))),
        (
            "defaults.permissionMode",
            request.default_permission_mode.map(|v| json!(v)),
        ),
        ("appearance.theme", request.theme.map(|v| json!(v))),
        (
            "appearance.terminalFontSize",
            request.terminal_font_size.map(|v| json!(v)),
        ),
        (
            "appearance.terminalFont",
            // Without a name, the key goes.
            request.terminal_font.as_ref().map(|name| match name.trim() {
                "" => Value::Null,
                name => json!(name),
            }),
        ),
        (
            "appearance.interfaceFontSize",
            request.interface_font_size.map(|v| json!(v)),
        ),
        ("limits.maxDepth", request.max_depth.map(|v| json!(v))),
        (
            "limits.workersPerConductor",
            request.workers_per_conductor.map(|v| json!(v)),
        ),
        ("limits.totalSessions", request.total_sessions.map(|v| json!(v))),
        (
            "limits.sessionsPerProject",
            // Without a limit, the key goes.
            request.sessions_per_project.map(|v| match v {
                0 => Value::Null,
                most => json!(most),
            }),
        ),
        ("usageLimits.goOn", request.go_on_after_limit.map(|v| json!(v))),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect();
    changes.extend(request.budgets.iter().flat_map(in_file));
    for (command, keys) in request.keys.iter().flatten() {
        if let Some(command) = json!(command).as_str() {
            changes.push((format!("keys.{command}"), json!(keys)));
        }
    }
    if let Some(agent) = &request.default_agent {
        engine.agent(agent)?;
    }
    let path = engine.paths.global_config();
    let config = crate::host::blocking::blocking(move || crate::host::config::edit(&path, &changes))
        .await?
        .map_err(|error| ApiError::invalid(error.to_string()))?;
    engine.set_config(config);
    engine.tell_settings().await?;
    Ok(engine.settings())
}
