//! Changes what a task of a kept plan needs. Who works on what stays.

use crate::check::{check, circle, circle_of};
use crate::plan::{Plan, Task};
use crate::problem::Problem;
use crate::record::PlanRecord;
use std::collections::{BTreeSet, HashMap};

impl PlanRecord {
    /// Lets a task that nobody has begun need other tasks than before. Its worker waits for the workers of these.
    ///
    /// # Errors
    /// Says why the plan could not be done then; it is as before.
    pub fn rewire(&mut self, id: &str, needs: Vec<String>) -> Result<(), Problem> {
        let of = |task: &&mut Task| task.id == id;
        let Some(task) = self.plan.tasks.iter_mut().find(of) else {
            return Ok(());
        };
        let before = std::mem::replace(&mut task.needs, unique(needs));
        let made = check(&self.plan).and_then(|()| self.waits_of(id));
        match made {
            Ok(Some((place, needs))) => {
                let tasks = self.ordered(place);
                if let Some(one) = self.shares.get_mut(place) {
                    (one.share.needs, one.share.tasks) = (needs, tasks);
                }
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(problem) => {
                if let Some(task) = self.plan.tasks.iter_mut().find(of) {
                    task.needs = before;
                }
                Err(problem)
            }
        }
    }

    /// Returns the place of a task's share, and the shares that it has to wait for.
    fn waits_of(&self, id: &str) -> Result<Option<(usize, Vec<usize>)>, Problem> {
        let Some(place) = self.place_of(id) else {
            return Ok(None);
        };
        let shares = self.shares.iter().enumerate();
        let places: HashMap<&str, usize> = shares
            .flat_map(|(place, one)| one.share.tasks.iter().map(move |id| (id.as_str(), place)))
            .collect();
        let needed = self.tasks(place).into_iter().flat_map(|task| &task.needs);
        let waits: BTreeSet<usize> = needed
            .filter_map(|need| places.get(need.as_str()).copied())
            .filter(|other| *other != place)
            .collect();
        let waits: Vec<usize> = waits.into_iter().collect();
        let mut all: Vec<&[usize]> = self.shares.iter().map(|one| one.share.needs.as_slice()).collect();
        if let Some(own) = all.get_mut(place) {
            *own = &waits;
        }
        if let Some(circle) = circle(&all) {
            let named = |place: usize| self.shares.get(place).map_or("", |one| one.share.name.as_str());
            let names: Vec<&str> = circle.into_iter().map(named).collect();
            return Err(Problem::Workers(circle_of(&names)));
        }
        Ok(Some((place, waits)))
    }

    /// Returns the ids of a share's tasks, each after those that it needs.
    fn ordered(&self, place: usize) -> Vec<String> {
        let own = Plan {
            title: String::new(),
            form: self.plan.form,
            tasks: self.tasks(place).into_iter().cloned().collect(),
        };
        let done = own.tasks.iter().filter(|task| task.done);
        done.chain(own.in_order()).map(|task| task.id.clone()).collect()
    }
}

/// Returns ids without those that come again.
fn unique(ids: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    ids.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::read_goal;
    use crate::record::PlanRecord;
    use crate::share::Split;
    use downbeat_model::{PlanId, ProjectId};
    use jiff::Timestamp;

    fn record(text: &str, split: Split) -> PlanRecord {
        let plan = read_goal(text, &Domains::default()).unwrap();
        let (id, project) = (
            PlanId::parse("pl000000000001").unwrap(),
            ProjectId::parse("p000000000001").unwrap(),
        );
        PlanRecord::new(id, project, plan, split, Timestamp::UNIX_EPOCH)
    }

    fn words(plan: &PlanRecord) -> Vec<String> {
        let shares = plan.shares.iter().map(|one| &one.share);
        let words = shares.map(|one| format!("{} {} {:?}", one.name, one.tasks.join("+"), one.needs));
        words.collect()
    }

    const PLAN: &str = "Build UI (id: ui), Create API (id: api) (depends_on: ui), Write tests (id: tests), Style UI (id: style)";

    #[test]
    fn a_worker_waits_for_what_its_task_needs_now() {
        let mut plan = record(PLAN, Split::Domain);
        assert_eq!(
            words(&plan),
            ["frontend ui+style []", "backend api [0]", "testing tests []"]
        );
        plan.rewire("tests", vec!["api".into(), "ui".into(), "api".into()])
            .unwrap();
        assert_eq!(words(&plan)[2], "testing tests [0, 1]");
        assert_eq!(plan.plan.tasks[2].needs, ["api", "ui"]);
        plan.rewire("tests", Vec::new()).unwrap();
        assert_eq!(words(&plan)[2], "testing tests []");
    }

    #[test]
    fn a_worker_does_its_tasks_in_the_order_of_their_needs() {
        let mut plan = record(PLAN, Split::Domain);
        plan.rewire("ui", vec!["style".into()]).unwrap();
        assert_eq!(words(&plan)[0], "frontend style+ui []");
        let order: Vec<&str> = plan.tasks(0).iter().map(|task| task.id.as_str()).collect();
        assert_eq!(order, ["style", "ui"]);
    }

    #[test]
    fn what_could_not_be_done_is_refused_and_changes_nothing() {
        let table = [
            (
                "ui",
                "api",
                "these tasks wait for each other: ui → api → ui; take one of these needs out",
            ),
            ("ui", "ui", "task ui needs itself: take that out"),
            (
                "tests",
                "apy",
                "task tests needs apy, which is not in the plan: did you mean api?",
            ),
            (
                "style",
                "api",
                "workers would wait for each other: frontend → backend → frontend; choose another need, or propose the plan \
                 with one worker for each task",
            ),
        ];
        for (task, need, said) in table {
            let mut plan = record(PLAN, Split::Domain);
            let before = plan.clone();
            let problem = plan.rewire(task, vec![need.into()]).unwrap_err();
            assert_eq!(problem.to_string(), said);
            assert_eq!(plan, before);
        }
        let mut plan = record(PLAN, Split::Task);
        plan.rewire("style", vec!["api".into()]).unwrap();
        assert_eq!(words(&plan)[3], "frontend-2 style [1]");
    }
}
