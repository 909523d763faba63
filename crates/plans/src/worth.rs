//! Says whether several workers are worthwhile for some tasks, with the reason; and whether their work is uneven.

use crate::plan::{Plan, Task};
use crate::share::Share;
use std::collections::{BTreeSet, HashMap};

/// Whether a plan is worthwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is.
    pub worthwhile: bool,
    /// Why.
    pub why: String,
}

/// The least tasks that can run at once for which a plan is worthwhile.
const LEAST_TASKS: usize = 3;

/// The least domains.
const LEAST_DOMAINS: usize = 2;

/// Decides whether a plan is worthwhile: three or more tasks that may start now, in two or more domains.
#[must_use]
pub fn worth(plan: &Plan) -> Verdict {
    let open: HashMap<&str, u32> = (plan.tasks.iter().filter(|task| !task.done))
        .map(|task| (task.id.as_str(), task.stage))
        .collect();
    let first = open.values().min();
    let is_free = |task: &&Task| {
        Some(&task.stage) == first && !task.needs.iter().any(|need| open.contains_key(need.as_str()))
    };
    let free = plan.tasks.iter().filter(|task| !task.done).filter(is_free);
    let free: Vec<&str> = free.map(|task| task.domain.as_str()).collect();
    let domains = free.iter().collect::<BTreeSet<_>>().len();
    let said = format!(
        "{} can run at once, in {}",
        counted(free.len(), "task"),
        counted(domains, "domain")
    );
    let (worthwhile, why) = match (free.len(), domains) {
        (tasks, _) if tasks < LEAST_TASKS => (
            false,
            format!("{said}: with fewer than {LEAST_TASKS}, one worker is enough"),
        ),
        (_, domains) if domains < LEAST_DOMAINS => (
            false,
            format!("{said}: work of one domain is better done by one worker"),
        ),
        _ => (true, said),
    };
    Verdict { worthwhile, why }
}

fn counted(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        number => format!("{number} {word}s"),
    }
}

/// Says which worker has much more to do than the others, if one has.
#[must_use]
pub fn lopsided(shares: &[Share]) -> Option<String> {
    let most = shares.iter().max_by_key(|share| share.tasks.len())?;
    let others: usize = shares.iter().map(|share| share.tasks.len()).sum::<usize>() - most.tasks.len();
    let count = shares.len().checked_sub(1).filter(|count| *count > 0)?;
    let own = most.tasks.len();
    (own >= 4 && own * count >= 3 * others).then(|| {
        format!(
            "{} has {own} tasks, the others {others} together: the plan takes as long as {} does; one worker for each task is faster",
            most.name, most.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{lopsided, worth};
    use crate::domain::Domains;
    use crate::forms::{read_file, read_goal};
    use crate::share::{Split, shares};

    #[test]
    fn three_tasks_in_two_domains_are_worth_a_plan() {
        let table = [
            (
                "Build login UI, Create JWT API, Write tests, Security audit",
                "true: 4 tasks can run at once, in 4 domains",
            ),
            (
                "Build UI, Create API",
                "false: 2 tasks can run at once, in 2 domains: with fewer than 3, one worker is enough",
            ),
            (
                "Build UI, Fix UI, Style UI",
                "false: 3 tasks can run at once, in 1 domain: work of one domain is better done by one worker",
            ),
            (
                "Create API (id: a), Build UI (depends_on: a), Write tests (depends_on: a)",
                "false: 1 task can run at once, in 1 domain: with fewer than 3, one worker is enough",
            ),
        ];
        for (text, said) in table {
            let verdict = worth(&read_goal(text, &Domains::default()).unwrap());
            assert_eq!(format!("{}: {}", verdict.worthwhile, verdict.why), said);
        }
    }

    #[test]
    fn only_the_first_open_phase_counts_and_what_needs_nothing_open() {
        let text = "## Phase 1\n- [x] T001 a\n- [ ] T002 [P] b (depends on T001)\n- [ ] T003 c\n## Phase 2\n- [ ] T004 [P] d\n";
        let plan = read_file(text.as_bytes(), None, &Domains::default()).unwrap();
        let said = worth(&plan).why;
        assert!(said.starts_with("1 task can run at once"), "{said}");
    }

    #[test]
    fn an_uneven_split_is_pointed_out() {
        let read = |text: &str| shares(&read_goal(text, &Domains::default()).unwrap(), Split::Domain);
        let said = lopsided(&read(&format!("{}Create API", "Fix UI, ".repeat(10)))).unwrap();
        assert!(
            said.starts_with("frontend has 10 tasks, the others 1 together"),
            "{said}"
        );
        assert_eq!(lopsided(&read("Build UI, Fix UI, Create API")), None);
        assert_eq!(lopsided(&read("a, b, c, d")), None, "there is only one");
    }
}
