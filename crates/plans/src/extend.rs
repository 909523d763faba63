//! Adds tasks to a plan that is kept, also while it runs. Who works on what already stays: the new tasks get workers of
//! their own.

use crate::domain::Domains;
use crate::forms::read_more;
use crate::names::Names;
use crate::plan::{Plan, Task};
use crate::problem::Problem;
use crate::record::PlanRecord;
use crate::share::{Share, shares};
use crate::share_record::ShareRecord;
use std::collections::{BTreeSet, HashMap};

/// Further tasks that were read for a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct More {
    tasks: Vec<Task>,
    /// The number of tasks that the plan had then: their ids are not those of the new ones.
    after: usize,
}

impl More {
    /// Returns the tasks.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Returns the tasks, to say in which projects they are.
    pub fn tasks_mut(&mut self) -> &mut [Task] {
        &mut self.tasks
    }
}

impl PlanRecord {
    /// Reads tasks as they are typed for a new plan, which may need those that are there. Returns them as they will be in the
    /// plan; nothing is added yet.
    ///
    /// # Errors
    /// Says why the plan could not be done with them.
    pub fn read_more(&self, text: &str, domains: &Domains) -> Result<More, Problem> {
        let last = self.plan.tasks.iter().map(|task| task.stage).max();
        let tasks = read_more(&self.plan, text, last.unwrap_or_default(), domains)?;
        let after = self.plan.tasks.len();
        Ok(More { tasks, after })
    }

    /// Adds tasks that were read for this plan. They are not in its file, so they are not ticked there.
    ///
    /// # Errors
    /// Fails if others were added since then.
    pub fn extend(&mut self, more: More) -> Result<(), Problem> {
        if more.after != self.plan.tasks.len() {
            return Err(Problem::Changed);
        }
        let made = self.shares_of(&more.tasks);
        self.plan.tasks.extend(more.tasks);
        for share in made {
            let mut one = ShareRecord::new(share);
            one.ticked = true;
            self.shares.push(one);
        }
        self.told = false;
        Ok(())
    }

    /// Returns the shares of further tasks, with what they need among those that are there.
    fn shares_of(&self, more: &[Task]) -> Vec<Share> {
        let alone = Plan {
            title: String::new(),
            form: self.plan.form,
            tasks: more.to_vec(),
        };
        let before = self.shares.len();
        let taken = self.shares.iter().map(|one| one.share.name.clone());
        let mut names = Names::taken(taken);
        let by_id: HashMap<&str, &Task> = more.iter().map(|task| (task.id.as_str(), task)).collect();
        let mut made = shares(&alone, self.split);
        let needs = self.needs_before(more);
        for share in &mut made {
            for need in &mut share.needs {
                *need += before;
            }
            let own = share.tasks.iter().filter_map(|id| needs.get(id.as_str()));
            let all: BTreeSet<usize> = own.flatten().chain(&share.needs).copied().collect();
            share.needs = all.into_iter().collect();
            let first = share.tasks.first().and_then(|id| by_id.get(id.as_str()));
            if let Some(first) = first {
                share.name = names.free(first);
            }
        }
        made
    }

    /// Returns the places of the shares that each of the further tasks needs, by the task's id.
    fn needs_before<'a>(&self, more: &'a [Task]) -> HashMap<&'a str, BTreeSet<usize>> {
        let shares = self.shares.iter().enumerate();
        let places: HashMap<&str, usize> = shares
            .flat_map(|(place, one)| one.share.tasks.iter().map(move |id| (id.as_str(), place)))
            .collect();
        let needs = more.iter().map(|task| {
            let own = task.needs.iter().filter_map(|need| places.get(need.as_str()));
            (task.id.as_str(), own.copied().collect())
        });
        needs.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::{read_file, read_goal};
    use crate::problem::Problem;
    use crate::record::{PlanRecord, PlanState};
    use crate::share::Split;
    use downbeat_model::{PlanId, ProjectId, SessionId};
    use jiff::Timestamp;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn kept(plan: crate::plan::Plan, split: Split) -> PlanRecord {
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        PlanRecord::new(id, project, plan, split, NOW)
    }

    fn listed(text: &str, split: Split) -> PlanRecord {
        kept(read_goal(text, &Domains::default()).unwrap(), split)
    }

    fn add(plan: &mut PlanRecord, text: &str) -> Result<(), Problem> {
        let more = plan.read_more(text, &Domains::default())?;
        plan.extend(more)
    }

    /// Formats each share as `name tasks [needs]`.
    fn cut(plan: &PlanRecord) -> Vec<String> {
        let shares = plan.shares.iter().map(|one| &one.share);
        let words = shares.map(|share| format!("{} {} {:?}", share.name, share.tasks.join("+"), share.needs));
        words.collect()
    }

    #[test]
    fn new_tasks_get_workers_of_their_own_and_wait_for_what_they_need() {
        let mut plan = listed("Build login UI, Create JWT API (id: api)", Split::Domain);
        plan.state = PlanState::Running;
        assert!(plan.claim(0, SessionId::parse("s000000000001").unwrap(), NOW));
        plan.told = true;
        let text = "Style the UI, Test the API (id: tests) (depends_on: api), Audit the tests (depends_on: tests, 1)";
        add(&mut plan, text).unwrap();
        assert_eq!(
            cut(&plan),
            [
                "frontend 1 []",
                "backend api []",
                "frontend-2 3 []",
                "testing tests [1]",
                "security 5 [0, 3]",
            ],
        );
        assert!(!plan.told, "it can go on");
        assert_eq!(plan.schedule().start, [1, 2]);
        assert!(plan.shares[2].ticked && !plan.shares[0].ticked);
        add(&mut plan, "Style the form").unwrap();
        assert_eq!(plan.shares[5].share.name, "frontend-3");
    }

    #[test]
    fn what_cannot_be_done_is_refused_and_changes_nothing() {
        let plan = listed("Build UI (id: ui), Create API (id: api)", Split::Task);
        let read = |text: &str| plan.read_more(text, &Domains::default()).unwrap_err().to_string();
        for (text, said) in [
            (
                "",
                "there is no task in it: write one task on each line, or separate them with commas",
            ),
            (
                "Again (id: ui)",
                "two tasks have the id ui: give one of them another",
            ),
            (
                "Docs (id: docs) (depends_on: uii)",
                "task docs needs uii, which is not in the plan: did you mean ui?",
            ),
            (
                "A (id: a) (depends_on: b), B (id: b) (depends_on: a)",
                "these tasks wait for each other: a → b → a; take one of these needs out",
            ),
        ] {
            assert_eq!(read(text), said, "{text}");
        }
    }

    #[test]
    fn thousands_are_added_and_what_they_need_a_thousand_times_is_needed_once() {
        let many: Vec<String> = (0..4000).map(|id| format!("t (id: {id})")).collect();
        let mut plan = listed(&many.join("\n"), Split::Task);
        let last = ["3999"; 12].join(",");
        let more: Vec<String> = (0..4000).map(|_| format!("m (depends_on: {last})")).collect();
        add(&mut plan, &more.join("\n")).unwrap();
        assert_eq!(plan.shares.len(), 8000);
        assert!(plan.shares[4000..].iter().all(|one| one.share.needs == [3999]));
        assert_eq!(plan.shares[7999].share.name, "general-8000");
        let needs = ["0"; 60].join(",");
        let more: Vec<String> = (0..1000).map(|_| format!("m (depends_on: {needs})")).collect();
        assert_eq!(
            plan.read_more(&more.join("\n"), &Domains::default()),
            Err(Problem::TooManyNeeds { most: 50_000 })
        );
    }

    #[test]
    fn what_was_read_before_others_were_added_is_not_added() {
        let mut plan = listed("Build UI, Create API", Split::Task);
        let more = plan.read_more("Write docs", &Domains::default()).unwrap();
        assert_eq!(more.tasks()[0].id, "3");
        add(&mut plan, "Write tests").unwrap();
        assert_eq!(plan.extend(more), Err(Problem::Changed));
        assert_eq!(plan.plan.tasks.len(), 3);
    }

    #[test]
    fn they_come_after_the_last_phase_and_need_nothing_of_what_is_ticked() {
        let file =
            "# Tasks\n\n## Phase 1: Setup\n\n- [x] T001 Set up\n\n## Phase 2: Build\n\n- [ ] T002 Build\n";
        let mut plan = kept(
            read_file(file.as_bytes(), None, &Domains::default()).unwrap(),
            Split::Task,
        );
        let last = plan.plan.tasks[1].stage;
        add(&mut plan, "Document it (depends_on: T001)").unwrap();
        let own = &plan.shares[1].share;
        assert_eq!((own.stage, own.needs.as_slice()), (last, &[][..]));
    }
}
