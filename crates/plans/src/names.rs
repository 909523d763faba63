//! The names of the shares of a plan, each only once: that of the domain, with the project where it is not the plan's own.

use crate::plan::Task;
use crate::words;
use std::collections::{HashMap, HashSet};

/// The names that are taken.
#[derive(Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// The last number that was tried for each beginning.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// Returns the names of a plan in which these are taken.
    pub(crate) fn taken(names: impl Iterator<Item = String>) -> Self {
        Self {
            taken: names.collect(),
            numbers: HashMap::new(),
        }
    }

    /// Returns a name that no other share has, for the share that begins with this task: `backend`, `backend-api-2`.
    pub(crate) fn free(&mut self, task: &Task) -> String {
        let beginning = beginning(task);
        let number = self.numbers.entry(beginning.clone()).or_insert(0);
        loop {
            *number += 1;
            let name = match *number {
                1 => beginning.clone(),
                number => format!("{beginning}-{number}"),
            };
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Returns what the name of a share begins with.
fn beginning(task: &Task) -> String {
    let project = task.project_id.as_ref().and(task.project.as_deref());
    match project.map(words::domain).filter(|project| !project.is_empty()) {
        Some(project) => format!("{}-{project}", task.domain),
        None => task.domain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::Names;
    use crate::plan::Task;
    use downbeat_model::ProjectId;

    fn task(domain: &str, project: Option<&str>) -> Task {
        let mut task = Task::titled("x");
        task.domain = domain.into();
        task.project = project.map(str::to_owned);
        task.project_id = project.and(ProjectId::parse("p000000000002"));
        task
    }

    #[test]
    fn a_name_says_the_domain_and_another_project_and_is_there_once() {
        let mut names = Names::taken(["backend-api-3".to_owned()].into_iter());
        let mut free = |domain, project| names.free(&task(domain, project));
        assert_eq!(free("backend", None), "backend");
        assert_eq!(free("backend", Some("api")), "backend-api");
        assert_eq!(
            free("backend-api", None),
            "backend-api-2",
            "a domain may look like both"
        );
        assert_eq!(free("backend", Some("api")), "backend-api-4");
        assert_eq!(free("backend", Some("Web $hop\u{202e}")), "backend-web hop");
        assert_eq!(free("backend", Some("()")), "backend-2");
        let mut own = task("backend", Some("shop"));
        own.project_id = None;
        assert_eq!(
            names.free(&own),
            "backend-3",
            "the plan's own project is not named"
        );
    }
}
