//! Who works on the tasks of a domain, by the project's configuration. What a task says itself, and the agent that was chosen for
//! all workers of its plan, come first. It is decided when a plan is made, so that people read it before they run the plan.

use crate::host::config::DomainConfig;
use downbeat_model::PermissionMode;
use downbeat_plans::{Task, domain_name};
use downbeat_store::ProjectRow;
use std::collections::BTreeMap;

/// Returns the freest mode of workers in a project: the person's for it, or that of its file if that is stricter.
pub fn most(configured: Option<PermissionMode>, project: &ProjectRow) -> PermissionMode {
    let own = project.permission_mode;
    configured.map_or(own, |mode| mode.min(own))
}

/// Returns the mode of the worker of these tasks; none if no task has one, so that it is the project's.
pub fn strictest(tasks: &[&Task], most: PermissionMode) -> Option<PermissionMode> {
    let modes = tasks.iter().filter_map(|task| task.permission_mode);
    modes.min().map(|mode| mode.min(most))
}

/// Gives tasks in the plan's own project the agent, the model, the permission mode and the skills of their domains. A file of a
/// repository makes nothing freer: no worker has a freer mode than `most`, the project's.
pub fn apply(
    domains: &BTreeMap<String, DomainConfig>,
    most: PermissionMode,
    agent: Option<&str>,
    tasks: &mut [Task],
) {
    let named = |name: &str| {
        let mut all = domains.iter();
        all.find(|(own, _)| domain_name(own) == name)
    };
    for task in (tasks.iter_mut()).filter(|task| !task.done && task.project_id.is_none()) {
        let Some(settings) = named(&task.domain).and_then(|(_, domain)| domain.settings()) else {
            continue;
        };
        if task.agent.is_none() && agent.is_none() {
            task.agent.clone_from(&settings.agent);
        }
        let chosen = task.agent.as_deref().or(agent);
        if task.model.is_none() && chosen == settings.agent.as_deref() {
            task.model.clone_from(&settings.model);
        }
        if task.permission_mode.is_none() {
            task.permission_mode = settings.permission_mode.map(|mode| mode.min(most));
        }
        for skill in &settings.skills {
            if !task.skills.contains(skill) {
                task.skills.push(skill.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{apply, most, strictest};
    use crate::host::config::DomainConfig;
    use downbeat_model::PermissionMode::{self, AcceptEdits, Ask, Plan};
    use downbeat_model::ProjectId;
    use downbeat_plans::{Domains, Task, domain_name, read_goal};
    use serde_json::json;
    use std::collections::BTreeMap;

    fn domains() -> BTreeMap<String, DomainConfig> {
        let security = json!({
            "keywords": ["pen test"], "agent": "codex", "model": "gpt-5", "permissionMode": "acceptEdits", "skills": ["owasp"]
        });
        let all = json!({ "testing": ["vitest"], "Security": security, "documentation": { "permissionMode": "plan" } });
        serde_json::from_value(all).unwrap()
    }

    fn applied(text: &str, most: PermissionMode, agent: Option<&str>) -> Vec<Task> {
        let mut plan = read_goal(text, &Domains::default()).unwrap();
        apply(&domains(), most, agent, &mut plan.tasks);
        plan.tasks
    }

    fn who(task: &Task) -> (Option<&str>, Option<&str>, Option<PermissionMode>) {
        (task.agent.as_deref(), task.model.as_deref(), task.permission_mode)
    }

    #[test]
    fn a_domain_says_who_works_on_its_tasks() {
        let text = "Audit the login, Write unit tests, Write docs";
        let tasks = applied(text, AcceptEdits, None);
        assert_eq!(who(&tasks[0]), (Some("codex"), Some("gpt-5"), Some(AcceptEdits)));
        assert_eq!(tasks[0].skills, ["owasp"]);
        assert_eq!(who(&tasks[1]), (None, None, None), "keywords alone say nothing");
        assert_eq!(who(&tasks[2]), (None, None, Some(Plan)));
    }

    #[test]
    fn no_worker_has_a_freer_mode_than_its_project_has_when_it_starts() {
        let mut project = crate::state::example::project();
        project.permission_mode = AcceptEdits;
        assert_eq!(most(None, &project), AcceptEdits);
        assert_eq!(most(Some(Plan), &project), Plan, "its file may be stricter");
        project.permission_mode = Ask;
        assert_eq!(most(Some(AcceptEdits), &project), Ask, "but not freer");
        let tasks = applied("Audit the login, Write docs, Write unit tests", AcceptEdits, None);
        let of = |places: &[usize]| {
            let own: Vec<&Task> = places.iter().map(|place| &tasks[*place]).collect();
            strictest(&own, Ask)
        };
        assert_eq!((of(&[0]), of(&[0, 1]), of(&[2])), (Some(Ask), Some(Plan), None));
    }

    #[test]
    fn a_domain_is_known_by_its_name_as_tasks_have_it_and_other_projects_have_their_own() {
        let all = json!({ "UI (web)": { "permissionMode": "plan" } });
        let all: BTreeMap<String, DomainConfig> = serde_json::from_value(all).unwrap();
        let mut plan = read_goal("UI (web): Build it | UI (web): Style it", &Domains::default()).unwrap();
        plan.tasks[1].project_id = Some(ProjectId::parse("p000000000002").unwrap());
        for task in &mut plan.tasks {
            task.domain = domain_name("UI (web)");
        }
        apply(&all, Ask, None, &mut plan.tasks);
        let modes: Vec<_> = plan.tasks.iter().map(|task| task.permission_mode).collect();
        assert_eq!(modes, [Some(Plan), None]);
    }

    #[test]
    fn what_a_task_or_a_person_says_comes_first() {
        let tasks = applied("Audit the login (agent: claude)", Ask, None);
        assert_eq!(
            who(&tasks[0]),
            (Some("claude"), None, Some(Ask)),
            "a model is one of its agent, and no file makes a mode freer"
        );
        let tasks = applied("Audit the login", Ask, Some("opencode"));
        assert_eq!(who(&tasks[0]), (None, None, Some(Ask)));
        let tasks = applied("Audit the login", Ask, Some("codex"));
        assert_eq!(who(&tasks[0]), (None, Some("gpt-5"), Some(Ask)));
    }
}
