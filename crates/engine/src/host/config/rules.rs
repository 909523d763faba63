//! Checks what a schema cannot express. Pure, over the parsed configuration.

use crate::host::config::check;
use crate::host::config::domain::DomainConfig;
use crate::host::config::editor::EditorConfig;
use crate::host::config::global::{GlobalConfig, Location};
use crate::host::config::planner::PlannerConfig;
use crate::host::config::project;
use crate::host::config::project::ProjectConfig;
use crate::host::config::reaction::{self, Reaction};
use crate::host::config::template;
use downbeat_model::delivery::DESKTOP;
use downbeat_model::reactions::{
    Action, Contradiction, ContradictionIn, Event, Rule, Severity, contradictions,
};
use downbeat_model::{NotifierName, PermissionMode, shown};
use downbeat_notifiers::secret::Named;
use downbeat_plans::{Domains, Templates, one_line};
use downbeat_yaml::{Broken, Rules};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

const BYPASS: &str = "`bypass` is chosen for one session at a time, never in a file";

const CHORD: &str = "expected keys such as `mod+Shift+A` (`mod`, `Ctrl`, `Alt`, `Shift`), or `none`";

fn broken(path: impl Into<String>, message: impl Into<String>) -> Broken {
    Broken {
        path: path.into(),
        message: message.into(),
    }
}

impl Rules for GlobalConfig {
    fn broken(&self) -> Vec<Broken> {
        let mut all = Vec::new();
        if self.defaults.permission_mode == PermissionMode::Bypass {
            all.push(broken("defaults.permissionMode", BYPASS));
        }
        if self.ports.from > self.ports.to {
            let message = format!("the last port is before the first, {}", self.ports.from);
            all.push(broken("ports.to", message));
        }
        for (host, forge) in &self.forges {
            if let Some((key, message)) = forge.wrong(host) {
                all.push(broken(format!("forges.{host}.{key}"), message));
            }
        }
        if let Some(message) = self.editor.as_ref().and_then(EditorConfig::wrong) {
            all.push(broken("editor", message));
        }
        if let Some(message) = self.planner.as_ref().and_then(PlannerConfig::wrong) {
            all.push(broken("planner.command", message));
        }
        for (name, text) in &self.plan_templates {
            if let Err(problem) = Templates::default().with(name, text, &Domains::default()) {
                all.push(broken(format!("planTemplates.{name}"), problem.to_string()));
            }
        }
        all.extend(wrong_domains(&self.domains));
        let linear = &self.trackers.linear;
        if let Some(message) = linear.api_key.as_ref().and_then(Named::mistake) {
            all.push(broken("trackers.linear.apiKey", message));
        }
        for (command, keys) in &self.keys {
            if !is_chord(keys)
                && let Ok(serde_json::Value::String(command)) = serde_json::to_value(command)
            {
                all.push(broken(format!("keys.{command}"), CHORD));
            }
        }
        for (id, agent) in &self.agents {
            let path = |key: &str| format!("agents.{id}.{key}");
            if !is_id(id) {
                all.push(broken(
                    format!("agents.{id}"),
                    "an id is made of a-z, 0-9 and `-`",
                ));
            }
            for rule in agent.broken() {
                all.push(broken(path(&rule.path), rule.message));
            }
        }
        all.extend(wrong_notifiers(self));
        all
    }
}

/// Returns what is wrong with the notifiers, and with the routes to them.
fn wrong_notifiers(config: &GlobalConfig) -> Vec<Broken> {
    let mut all = Vec::new();
    for (name, notifier) in &config.notifiers {
        if NotifierName::new(name).is_none() {
            let message = "a name is made of letters, digits, `-` and `_`";
            all.push(broken(format!("notifiers.{name}"), message));
        }
        for (key, message) in notifier.wrong(name) {
            all.push(broken(format!("notifiers.{name}.{key}"), message));
        }
    }
    for (priority, names) in &config.notifications.routes {
        let serde_json::Value::String(priority) = serde_json::json!(priority) else {
            continue;
        };
        for (index, name) in names.iter().enumerate() {
            if name != DESKTOP && !config.notifiers.contains_key(name) {
                let known = config.notifiers.keys().map(String::as_str);
                let known: Vec<&str> = std::iter::once(DESKTOP).chain(known).collect();
                let message = format!("there is no notifier `{name}`; there are {}", known.join(", "));
                all.push(broken(
                    format!("notifications.routes.{priority}[{index}]"),
                    message,
                ));
            }
        }
    }
    all
}

impl Rules for ProjectConfig {
    /// What only the person's own file may have, such as programs that run as the person.
    fn elsewhere(key: &str) -> Option<String> {
        let global = downbeat_yaml::schema_of::<GlobalConfig>();
        global.get("properties")?.get(key)?;
        Some(format!(
            "`{key}` belongs in your own downbeat.yaml (`downbeat config path` prints its path); a project's file cannot have it"
        ))
    }

    fn broken(&self) -> Vec<Broken> {
        let mut all = Vec::new();
        if self.permission_mode == Some(PermissionMode::Bypass) {
            all.push(broken("permissionMode", BYPASS));
        }
        let rest = self.branch.replace(project::SLUG, "x");
        if rest.contains(['{', '}']) {
            all.push(broken("branch", "`{task-slug}` is the only placeholder"));
        }
        if let Some(Location::Folder(_)) = self.worktrees.as_ref().map(|worktrees| &worktrees.location) {
            all.push(broken(
                "worktrees.location",
                "only the global file may name a folder; here `data` or `project`",
            ));
        }
        for (key, globs) in [("copy", &self.copy), ("symlink", &self.symlink)] {
            for (index, glob) in globs.iter().enumerate() {
                if !stays_inside(glob) {
                    let message = format!("{glob:?} leads out of the project; name paths from its root");
                    all.push(broken(format!("{key}[{index}]"), message));
                }
            }
        }
        for (index, command) in self.setup.iter().enumerate() {
            if let Some(message) = command.wrong() {
                all.push(broken(format!("setup[{index}]"), message));
            }
        }
        all.extend(wrong_domains(&self.domains));
        let rules = reaction::rules(&self.reactions);
        for (event, reaction) in self.reactions.by_event() {
            all.extend(wrong_reaction(event, reaction, &rules));
        }
        all.extend(contradictory(&rules));
        if self.checks.len() > check::MOST {
            let message = format!("at most {} checks; let one command run several", check::MOST);
            all.push(broken("checks", message));
        }
        let mut names = BTreeSet::new();
        for (index, check) in self.checks.iter().enumerate() {
            if let Some(message) = check.command().wrong() {
                all.push(broken(format!("checks[{index}]"), message));
            }
            if check.reports().iter().any(|report| !is_below(report)) {
                let message =
                    "reports: name files below the project's folder, such as `reports/junit.xml`".to_owned();
                all.push(broken(format!("checks[{index}]"), message));
            }
            let name = check
                .name()
                .map_or_else(|| shown::command(&check.command().argv()), str::to_owned);
            if !names.insert(name.clone()) {
                let message = format!("{name:?} is already the name of an earlier check; give it a `name`");
                all.push(broken(format!("checks[{index}]"), message));
            }
        }
        all
    }
}

/// The most skills of a domain, which each of its workers is told.
const MOST_SKILLS: usize = 20;

/// The longest name of a skill, in characters.
const LONGEST_SKILL: usize = 100;

/// Returns what is wrong with the domains.
fn wrong_domains(domains: &BTreeMap<String, DomainConfig>) -> Vec<Broken> {
    let mut all = Vec::new();
    for (name, domain) in domains {
        let Some(settings) = domain.settings() else {
            continue;
        };
        let path = |key: &str| format!("domains.{name}.{key}");
        if settings.permission_mode == Some(PermissionMode::Bypass) {
            all.push(broken(path("permissionMode"), BYPASS));
        }
        if settings.model.is_some() && settings.agent.is_none() {
            all.push(broken(path("model"), "name the `agent` whose model it is"));
        }
        if settings.skills.len() > MOST_SKILLS {
            all.push(broken(path("skills"), format!("at most {MOST_SKILLS} skills")));
        }
        let is_name = |skill: &String| {
            let line = one_line(skill);
            !line.is_empty() && line == *skill && line.chars().count() <= LONGEST_SKILL
        };
        if !settings.skills.iter().all(is_name) {
            let message = format!("a skill is a name of one line, of at most {LONGEST_SKILL} characters");
            all.push(broken(path("skills"), message));
        }
    }
    all
}

/// Whether a path leads to something below the folder that it is relative to.
fn is_below(path: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !path.trim().is_empty() && Path::new(path).components().all(is_plain)
}

/// Returns what is wrong with a reaction.
fn wrong_reaction(event: Event, reaction: &Reaction, rules: &[Rule]) -> Vec<Broken> {
    let path = format!("reactions.{}", reaction::word(event));
    let Some(rule) = rules.iter().find(|rule| rule.event == event) else {
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for (key, text) in [("message", &reaction.message), ("condition", &reaction.condition)] {
        let text = text.as_deref().unwrap_or_default();
        let found = match key {
            _ if text.len() > reaction::LONGEST => Some(format!("at most {} bytes", reaction::LONGEST)),
            _ if text.trim().is_empty() => None,
            "message" => template::wrong_message(text, &template::names_of_message(event, rule.action)),
            _ => template::wrong_condition(text, &template::names_of_condition(event)),
        };
        wrong.extend(found.map(|message| broken(format!("{path}.{key}"), message)));
    }
    wrong.extend(wrong_command(&path, reaction, rule.action, cfg!(windows)));
    wrong
}

/// Returns what is wrong with the command of a reaction.
fn wrong_command(path: &str, reaction: &Reaction, action: Action, is_windows: bool) -> Vec<Broken> {
    let mut wrong = Vec::new();
    let is_run = action == Action::Run;
    if is_windows
        && let Some(command) = &reaction.command
        && command.argv().iter().any(|word| is_pasted(word))
    {
        let message = "`cmd` puts the text of a variable into the line before it reads the line, so that a title could \
                       become a command; run a script that reads `DOWNBEAT_…` itself, for example \
                       `[powershell, -File, preview.ps1]` with `$env:DOWNBEAT_PR_TITLE`";
        wrong.push(broken(format!("{path}.command"), message));
    }
    if let Some(message) = reaction.command.as_ref().and_then(|command| command.wrong()) {
        wrong.push(broken(format!("{path}.command"), message));
    }
    for (key, is_there) in [
        ("command", reaction.command.is_some()),
        ("timeoutMinutes", reaction.timeout_minutes.is_some()),
    ] {
        if is_there && !is_run {
            wrong.push(broken(
                format!("{path}.{key}"),
                "only `action: run` runs a command",
            ));
        }
    }
    if is_run && reaction.message.is_some() {
        let message = "`run` sends no message; its command finds what it is about in its environment: `DOWNBEAT_EVENT`, \
                       `DOWNBEAT_BRANCH`, `DOWNBEAT_ERRORS`…";
        wrong.push(broken(format!("{path}.message"), message));
    }
    wrong
}

/// Whether `cmd` would replace a variable of Downbeat in this text, before or after it takes the line apart.
fn is_pasted(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    ["%DOWNBEAT_", "!DOWNBEAT_"]
        .iter()
        .any(|begin| text.contains(begin))
}

/// Returns what is wrong with the rules that follow from the reactions.
fn contradictory(rules: &[Rule]) -> impl Iterator<Item = Broken> {
    // A rule that may not act even once only notifies.
    let severe = |found: &ContradictionIn| {
        found.what.severity() == Severity::Error && found.what != Contradiction::NeverActs
    };
    let found = contradictions(rules).into_iter().filter(severe);
    found.map(|found| {
        let message = match found.what {
            Contradiction::NothingToMerge => "on this event no pull request is open that could be merged",
            Contradiction::NoForge => {
                "on this event no forge merges; `merge` puts the work into the project's own merge queue"
            }
            Contradiction::NoAgent => "on this event there is no agent that could take a message",
            Contradiction::Missing { key } if key == "command" => {
                "it needs `command`: the program that it runs, for example `command: make preview`"
            }
            Contradiction::Missing { .. } => "it needs `message`: the task of the session that it starts",
            Contradiction::NotOver => "only what was merged or closed can be archived: pr-merged, pr-closed",
            _ => "it contradicts another reaction",
        };
        broken(format!("reactions.{}", found.rules.join(", ")), message)
    })
}

/// Whether a word can be the id of an agent.
pub(crate) fn is_id(id: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !id.is_empty() && id.bytes().all(fits)
}

/// Whether keys are in the notation of the interface, which itself knows which of them make sense.
fn is_chord(keys: &str) -> bool {
    const HELD: [&str; 4] = ["mod", "Ctrl", "Alt", "Shift"];
    let named = |key: &str| key.len() > 1 && key.bytes().all(|b| b.is_ascii_alphanumeric());
    let one = |key: &str| key.chars().count() == 1 && !key.contains(char::is_whitespace);
    // The key itself may be a plus.
    let at = keys
        .strip_suffix('+')
        .unwrap_or(keys)
        .rfind('+')
        .map_or(0, |at| at + 1);
    let (held, key) = keys.split_at(at);
    held.split_terminator('+').all(|word| HELD.contains(&word))
        && !HELD.contains(&key)
        && (named(key) || one(key))
}

/// Whether a glob stays below the root. As in git, a leading `/` refers to the root.
fn stays_inside(glob: &str) -> bool {
    let path = Path::new(glob.strip_prefix('/').unwrap_or(glob));
    !glob.trim().is_empty()
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::wrong_command;
    use crate::host::config::reaction::Reaction;
    use downbeat_model::reactions::Action;
    use serde_json::json;

    /// Every row: a command, and whether it is refused on Windows. It never is elsewhere.
    #[test]
    fn on_windows_no_text_from_outside_is_put_into_a_line() {
        for (command, is_refused) in [
            (json!({ "sh": "notify %DOWNBEAT_PR_TITLE%" }), true),
            (json!({ "sh": "notify \"%downbeat_pr_title:~0,9%\"" }), true),
            (json!({ "sh": "notify !DOWNBEAT_PR_TITLE!" }), true),
            (json!(["cmd", "/C", "echo %DOWNBEAT_BRANCH%"]), true),
            (json!("cmd /C echo %DOWNBEAT_BRANCH%"), true),
            (json!({ "sh": "notify %PATH% DOWNBEAT_PR_TITLE" }), false),
            (
                json!(["powershell", "-Command", "echo $env:DOWNBEAT_BRANCH"]),
                false,
            ),
        ] {
            let reaction = json!({ "action": "run", "command": command });
            let reaction: Reaction = serde_json::from_value(reaction).unwrap();
            let wrong = |is_windows| {
                let wrong = wrong_command("reactions.pr-opened", &reaction, Action::Run, is_windows);
                wrong.into_iter().map(|wrong| wrong.path).collect::<Vec<_>>()
            };
            let refused = vec!["reactions.pr-opened.command".to_owned(); usize::from(is_refused)];
            assert_eq!((wrong(true), wrong(false)), (refused, Vec::new()), "{command}");
        }
    }
}
