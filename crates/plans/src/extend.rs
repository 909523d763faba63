//! Adds tasks to a plan that is kept, also while it runs. Who works on what already stays: the new tasks get workers of
//! their own.

use crate::domain::Domains;
use crate::forms::read_more;
use crate::plan::{Plan, Task};
use crate::problem::Problem;
use crate::record::PlanRecord;
use crate::share::{Share, shares};
use crate::share_record::ShareRecord;
use std::collections::HashSet;

impl PlanRecord {
    /// Reads tasks as they are typed for a new plan, which may need those that are there. Returns them as they will be in the
    /// plan; nothing is added yet.
    ///
    /// # Errors
    /// Says why the plan could not be done with them.
    pub fn read_more(&self, text: &str, domains: &Domains) -> Result<Vec<Task>, Problem> {
        let last = self.plan.tasks.iter().map(|task| task.stage).max();
        read_more(&self.plan, text, last.unwrap_or_default(), domains)
    }

    /// Adds tasks that were read for this plan. They are not in its file, so they are not ticked there.
    pub fn extend(&mut self, more: Vec<Task>) {
        let made = self.shares_of(&more);
        self.plan.tasks.extend(more);
        for share in made {
            let mut one = ShareRecord::new(share);
            one.ticked = true;
            self.shares.push(one);
        }
        self.told = false;
    }

    /// Returns the shares of further tasks, with what they need among those that are there.
    fn shares_of(&self, more: &[Task]) -> Vec<Share> {
        let alone = Plan {
            tasks: more.to_vec(),
            ..self.plan.clone()
        };
        let before = self.shares.len();
        let mut names: HashSet<String> = self.shares.iter().map(|one| one.share.name.clone()).collect();
        let mut made = shares(&alone, self.split);
        for share in &mut made {
            for need in &mut share.needs {
                *need += before;
            }
            let own = more.iter().filter(|task| share.tasks.contains(&task.id));
            let needs = own.flat_map(|task| &task.needs);
            share.needs.extend(needs.filter_map(|need| self.place_of(need)));
            share.needs.sort_unstable();
            share.needs.dedup();
            share.name = free_name(&share.domain, &names);
            names.insert(share.name.clone());
        }
        made
    }
}

/// Returns a name for a share of this domain that no other share has.
fn free_name(domain: &str, names: &HashSet<String>) -> String {
    let mut numbered = (2_usize..).map(|number| format!("{domain}-{number}"));
    match names.contains(domain) {
        false => domain.to_owned(),
        true => numbered.find(|name| !names.contains(name)).unwrap_or_default(),
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
        plan.extend(more);
        Ok(())
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
                "frontend-2 2 []",
                "testing tests [1]",
                "security 3 [0, 3]",
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
