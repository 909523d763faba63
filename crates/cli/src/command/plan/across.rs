//! Plans over several projects, as a prompt shows them: in which project a worker works, and what it needs in others.

use downbeat_plans::Elsewhere;
use downbeat_wire::plan::{Plan, PlanProject, PlanWorker};

/// Returns the project of a worker, in a plan over several.
pub(super) fn project_of<'a>(plan: &'a Plan, worker: &PlanWorker) -> Option<&'a PlanProject> {
    let id = worker.project_id.as_ref()?;
    plan.projects.iter().find(|project| project.id == *id)
}

/// Returns the workers that a worker needs in its own project, and the work of those in others.
pub(super) fn needs_of<'a>(plan: &Plan, worker: &'a PlanWorker) -> (Vec<&'a str>, Vec<Elsewhere>) {
    let (mut before, mut elsewhere) = (Vec::new(), Vec::new());
    for name in &worker.needs {
        let needed = plan.workers.iter().find(|other| other.name == *name);
        let needed = needed.filter(|needed| needed.project_id != worker.project_id);
        match needed.and_then(|needed| Some((needed, project_of(plan, needed)?))) {
            None => before.push(name.as_str()),
            Some((needed, project)) => elsewhere.push(Elsewhere {
                worker: needed.name.clone(),
                project: project.name.clone(),
                branch: needed.branch.clone(),
                commit: needed.commit.clone(),
                folder: project.path.clone(),
            }),
        }
    }
    (before, elsewhere)
}

#[cfg(test)]
mod tests {
    use super::needs_of;
    use crate::command::plan::show::one;
    use downbeat_wire::plan::Plan;
    use serde_json::json;

    fn plan() -> Plan {
        let worker = |name: &str, project: &str, needs: &[&str]| {
            json!({ "name": name, "domain": "d", "tasks": [name], "needs": needs, "state": "waiting", "sessionId": null, "why": null,
                "projectId": project, "branch": format!("downbeat/{name}") })
        };
        let task = |id: &str| json!({ "id": id, "title": format!("Task {id}"), "domain": "d", "stage": 0, "done": false });
        let plan = json!({
            "id": "pl000000000001", "projectId": "p000000000001", "title": "t", "state": "proposed", "atOnce": 6,
            "projects": [
                { "id": "p000000000001", "name": "shop", "path": "/shop" },
                { "id": "p000000000002", "name": "api\u{1b}", "path": "/api" },
            ],
            "tasks": [task("d"), task("d-api"), task("d-2")],
            "workers": [
                worker("d", "p000000000001", &["d-api"]),
                worker("d-api", "p000000000002", &[]),
                worker("d-2", "p000000000001", &["d", "d-api"]),
            ],
            "advice": "a", "warning": null, "report": "", "createdAt": "2026-01-01T00:00:00Z",
        });
        serde_json::from_value(plan).unwrap()
    }

    #[test]
    fn each_worker_is_shown_with_its_project() {
        let said = one(&plan());
        assert!(
            said.contains("\nWORKER  PROJECT  STATE    TASKS              NEEDS"),
            "{said}"
        );
        assert!(
            said.contains("\nd       shop     waiting  d: Task d          d-api\n"),
            "{said}"
        );
        assert!(
            said.contains("\nd-api   api") && !said.contains('\u{1b}'),
            "{said}"
        );
    }

    #[test]
    fn what_is_needed_in_another_repository_is_told_with_its_place() {
        let plan = plan();
        let (before, elsewhere) = needs_of(&plan, &plan.workers[2]);
        assert_eq!(before, ["d"]);
        let [one] = elsewhere.as_slice() else {
            panic!("{elsewhere:?}")
        };
        let branch = one.branch.as_deref();
        assert_eq!((one.worker.as_str(), one.folder.as_str()), ("d-api", "/api"));
        assert_eq!((branch, one.commit.as_deref()), (Some("downbeat/d-api"), None));
    }
}
