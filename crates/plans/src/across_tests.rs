//! Tables and properties of plans over several projects.

use crate::domain::Domains;
use crate::forms::read_goal;
use crate::plan::{Form, Plan, Task};
use crate::record::{PlanRecord, PlanState};
use crate::schedule::Held;
use crate::share::Split;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn project(number: usize) -> ProjectId {
    ProjectId::parse(&format!("p00000000000{number}")).unwrap()
}

/// Returns a plan of project 1, whose tasks are in the projects of these numbers.
fn kept(mut plan: Plan, projects: &[usize]) -> PlanRecord {
    for (task, number) in plan.tasks.iter_mut().zip(projects) {
        task.project = Some(format!("r{number}"));
        task.project_id = (*number != 1).then(|| project(*number));
    }
    let id = PlanId::parse("pl000000000001").unwrap();
    let mut plan = PlanRecord::new(id, project(1), plan, Split::Task, NOW);
    plan.state = PlanState::Running;
    plan
}

fn listed(text: &str, projects: &[usize]) -> PlanRecord {
    kept(read_goal(text, &Domains::default()).unwrap(), projects)
}

/// Returns the tasks of these places.
fn named(plan: &PlanRecord, places: &[usize]) -> Vec<String> {
    let all = places
        .iter()
        .map(|place| plan.shares[*place].share.tasks.join("+"));
    all.collect()
}

#[test]
fn work_begins_with_what_it_needs_in_its_project_and_is_told_of_the_rest() {
    let text = "Schema (id: a1), Routes (id: b1) (depends_on: a1), Client (id: a2) (depends_on: b1), \
                Page (id: b2) (depends_on: a2), Docs (id: c1) (depends_on: a1, b1)";
    let mut plan = listed(text, &[1, 2, 1, 2, 3]);
    let place = |plan: &PlanRecord, task: &str| plan.place_of(task).unwrap();
    for task in ["a1", "b1", "a2"] {
        let at = place(&plan, task);
        plan.done(at, Some(task.to_uppercase()), NOW);
    }
    for (task, tips, elsewhere) in [
        ("a1", vec![], vec![]),
        ("b1", vec![], vec!["a1"]),
        ("a2", vec!["A1"], vec!["b1"]),
        ("b2", vec!["B1"], vec!["a2"]),
        ("c1", vec![], vec!["a1", "b1"]),
    ] {
        let at = place(&plan, task);
        let commits: Vec<&str> = plan.tips(at).into_iter().map(|(_, commit)| commit).collect();
        assert_eq!(commits, tips, "{task}");
        assert_eq!(named(&plan, &plan.elsewhere(at)), elsewhere, "{task}");
    }
    // What a skipped share needs takes its place.
    plan.skip(place(&plan, "a2"), NOW);
    plan.shares[2].tip = None;
    assert_eq!(
        named(&plan, &plan.elsewhere(place(&plan, "b2"))),
        Vec::<String>::new()
    );
    assert_eq!(plan.tips(place(&plan, "b2")).len(), 1, "the work of b1 is here");
    plan.shares[1].tip = None;
    assert_eq!(named(&plan, &plan.elsewhere(place(&plan, "b2"))), ["a1"]);
}

#[test]
fn work_lands_after_what_it_needs_elsewhere() {
    let text = "Schema (id: a1), Routes (id: b1) (depends_on: a1), Page (id: b2) (depends_on: b1)";
    let mut plan = listed(text, &[1, 2, 2]);
    assert_eq!(plan.lands_after(1), [0], "nobody has begun it");
    assert_eq!(plan.lands_after(2), [0], "through what is in the same project");
    assert_eq!(plan.lands_after(0), [0; 0]);
    plan.cancel(NOW);
    assert_eq!(plan.lands_after(1), [0; 0], "nothing of it will land");
    plan.state = PlanState::Running;
    plan.done(0, Some("x".into()), NOW);
    plan.landed(0, "another");
    assert_eq!(plan.lands_after(2), [0], "an older commit landed");
    plan.landed(0, "x");
    assert_eq!(plan.lands_after(2), [0; 0]);
    plan.done(0, Some("y".into()), NOW);
    assert_eq!(plan.lands_after(2), [0], "it was repaired since");
    plan.skip(0, NOW);
    assert_eq!(plan.lands_after(2), [0; 0]);
    plan.retry(0, NOW);
    assert_eq!(plan.lands_after(2), [0]);
    plan.done_by_hand(0, None, NOW);
    assert_eq!(plan.lands_after(2), [0; 0], "there is nothing that could land");
}

#[test]
fn tasks_name_their_projects_where_there_are_several() {
    let name = |id: &ProjectId| Some(format!("now {}", &id.as_str()[12..]));
    let of = |plan: &PlanRecord| -> Vec<Option<String>> {
        plan.plan.tasks.iter().map(|task| task.project.clone()).collect()
    };
    let mut plan = listed("A, B", &[1, 2]);
    plan.name_projects(name);
    assert_eq!(of(&plan), [Some("now 1".into()), Some("now 2".into())]);
    assert_eq!(plan.projects(), [&project(1), &project(2)]);
    let mut plan = listed("A, B", &[1, 1]);
    plan.name_projects(name);
    assert_eq!((of(&plan), plan.is_over_several()), (vec![None, None], false));
    let mut plan = listed("A, B", &[2, 2]);
    assert_eq!(plan.projects().len(), 2, "the plan is also in its own");
    plan.plan.tasks[0].done = true;
    (plan.plan.tasks[0].project_id, plan.plan.tasks[0].project) = (None, Some("gone".into()));
    plan.name_projects(name);
    assert_eq!(of(&plan), [Some("gone".into()), Some("now 2".into())]);
}

#[test]
fn plans_that_were_kept_before_stay_in_their_project() {
    let mut plan = listed("A, B (depends_on: 1)", &[1, 1]);
    let mut old = serde_json::to_value(&plan).unwrap();
    old["plan"]["tasks"][1]["project"] = "api".into();
    let read: PlanRecord = serde_json::from_value(old).unwrap();
    assert!(!read.is_over_several() && read.project_of(1) == &project(1));
    plan.plan.tasks[1].project = Some("api".into());
    plan.plan.tasks[0].project = Some("r1".into());
    assert_eq!(read, plan);
}

#[test]
fn behind_what_was_skipped_stands_what_that_needs() {
    let mut plan = listed("A, B (depends_on: 1), C (depends_on: 2)", &[1, 1, 1]);
    assert!(plan.claim(0, SessionId::parse("s000000000001").unwrap(), NOW));
    plan.skip(1, NOW);
    let made = plan.schedule();
    assert_eq!((made.start, made.held), (vec![], vec![(2, Held::Needs(vec![0]))]));
    assert_eq!(plan.open_needs(2), [plan.shares[0].share.name.as_str()]);
    plan.done(0, Some("a".into()), NOW);
    assert_eq!(plan.schedule().start, [2]);
    assert_eq!(plan.tips(2).len(), 1, "it begins with the work of the first");
}

#[test]
fn a_branch_contains_only_what_was_done_before_its_worker_started() {
    let at = |second| Timestamp::from_second(second).unwrap();
    let session = || SessionId::parse("s000000000001").unwrap();
    let mut plan = listed("A, B (depends_on: 1), C (depends_on: 2)", &[1, 1, 1]);
    plan.skip(0, at(1));
    assert!(plan.claim(1, session(), at(2)));
    plan.shares[1].started_at = Some(at(2));
    plan.retry(0, at(3));
    assert!(plan.claim(0, session(), at(3)));
    plan.shares[0].started_at = Some(at(3));
    plan.done(1, Some("b".into()), at(4));
    plan.done(0, Some("a".into()), at(5));
    assert!(
        plan.contained(1).is_empty(),
        "the first was retried after the second had started"
    );
    plan.lands(1, "b", "main");
    assert_eq!(plan.shares[0].landed_at(), None);
    // The third starts after both, but begins with the commit of the second only.
    assert!(plan.claim(2, session(), at(6)));
    plan.shares[2].started_at = Some(at(6));
    plan.done(2, Some("c".into()), at(7));
    assert_eq!(plan.contained(2).into_iter().collect::<Vec<_>>(), [1]);
}

/// Returns a plan after these steps, each with the number of its task: `done` is by a worker, `hand` by hand with a commit, `nothing` by
/// hand without one. Each digit of `projects` is the project of a task.
fn after(text: &str, projects: &str, steps: &str) -> PlanRecord {
    let projects = projects.chars().map(|digit| digit.to_digit(10).unwrap() as usize);
    let mut plan = listed(text, &projects.collect::<Vec<_>>());
    for step in steps.split(", ") {
        let (what, place) = step.split_once(' ').unwrap();
        let place: usize = place.parse::<usize>().unwrap() - 1;
        let tip = Some(format!("c{}", place + 1));
        match what {
            "skip" => plan.skip(place, NOW),
            "retry" => plan.retry(place, NOW),
            "claim" => assert!(
                plan.claim(place, SessionId::parse("s000000000001").unwrap(), NOW),
                "{steps}"
            ),
            "done" => plan.done(place, tip, NOW),
            "hand" => plan.done_by_hand(place, tip, NOW),
            "nothing" => plan.done_by_hand(place, None, NOW),
            _ => panic!("{what}"),
        }
    }
    plan
}

#[test]
fn what_a_branch_contains_is_what_was_done_before_it_began_whatever_the_clock_says() {
    const CHAIN: &str = "A, B (depends_on: 1), C (depends_on: 2)";
    for (projects, steps, expected) in [
        ("111", "claim 1, done 1, claim 2, done 2, claim 3, done 3", "12"),
        // Done by hand without what was skipped, which was retried afterwards.
        (
            "111",
            "skip 1, hand 2, claim 3, retry 1, claim 1, done 3, done 1",
            "2",
        ),
        // Done by hand after all, with a branch that has what was retried.
        (
            "111",
            "skip 1, claim 2, retry 1, claim 1, done 1, hand 2, claim 3, done 3",
            "12",
        ),
        // Skipped when the third began, and done later: the third began with what the second needs.
        (
            "111",
            "claim 1, done 1, skip 2, claim 3, done 3, retry 2, claim 2, done 2",
            "1",
        ),
        // Counted as done once more, without a commit.
        (
            "111",
            "claim 1, done 1, skip 2, claim 3, retry 2, nothing 2, done 3",
            "1",
        ),
        // The work of the second is in another repository, and the third begins with what the second needs.
        ("121", "claim 1, done 1, claim 2, done 2, claim 3, done 3", "1"),
        (
            "121",
            "skip 1, claim 2, retry 1, claim 1, done 1, done 2, claim 3, done 3",
            "1",
        ),
    ] {
        let contained = after(CHAIN, projects, steps).contained(2);
        let contained: String = contained
            .into_iter()
            .map(|place| (place + 1).to_string())
            .collect();
        assert_eq!(contained, expected, "{projects}: {steps}");
    }
}

#[test]
fn a_reviewer_that_changed_nothing_has_nothing_to_land() {
    let mut plan = listed("A, Review A (depends_on: 1), B (depends_on: 2)", &[1, 1, 2]);
    plan.done(0, Some("a".into()), NOW);
    plan.done(1, Some("a".into()), NOW);
    plan.note_no_commit(1);
    assert_eq!(plan.lands_after(2), [0], "the reviewer changed nothing");
    plan.landed(0, "a");
    assert!(plan.lands_after(2).is_empty());
}

proptest! {
    /// Any plan, over any projects, and any order in which somebody tries to land the work.
    #[test]
    fn nothing_lands_before_what_it_needs_elsewhere_and_all_lands(
        edges in prop::collection::vec((0_usize..16, 0_usize..16), 0..40),
        projects in prop::collection::vec(1_usize..4, 16),
        skipped in prop::collection::vec(any::<bool>(), 16),
        tries in prop::collection::vec(0_usize..16, 0..64),
    ) {
        let mut tasks: Vec<Task> = (0..16).map(|id| Task { id: format!("t{id}"), ..Task::titled("x") }).collect();
        for (from, to) in edges.into_iter().filter(|(from, to)| from < to) {
            tasks[to].needs.push(format!("t{from}"));
        }
        let mut plan = kept(Plan { title: String::new(), form: Form::List, tasks }, &projects);
        for (place, is_skipped) in skipped.into_iter().enumerate() {
            let begun = plan.claim(place, SessionId::parse("s000000000001").unwrap(), NOW);
            prop_assert!(begun, "all that it needs is settled");
            for (_, tip) in plan.tips(place) {
                let of = plan.shares.iter().position(|one| one.tip.as_deref() == Some(tip)).unwrap();
                prop_assert_eq!(plan.project_of(of), plan.project_of(place));
            }
            for other in plan.elsewhere(place) {
                prop_assert!(plan.project_of(other) != plan.project_of(place));
            }
            match is_skipped && place % 3 == 0 {
                true => plan.skip(place, NOW),
                false => plan.done(place, Some(format!("c{place}")), NOW),
            }
        }
        let mut order = Vec::new();
        // What is tried again and again lands at the end, so that no two wait for each other.
        for place in tries.into_iter().chain((0..16).cycle().take(16 * 16)) {
            let is_open = plan.shares[place].tip.is_some() && !plan.shares[place].landed;
            if is_open && plan.lands_after(place).is_empty() {
                plan.landed(place, &format!("c{place}"));
                order.push(place);
            }
        }
        let with_work = plan.shares.iter().filter(|one| one.tip.is_some()).count();
        prop_assert_eq!(order.len(), with_work, "all lands");
        for (at, place) in order.iter().enumerate() {
            let needs = plan.shares[*place].share.needs.iter();
            for need in needs.filter(|need| plan.project_of(**need) != plan.project_of(*place)) {
                if plan.shares[*need].tip.is_some() {
                    prop_assert!(order[..at].contains(need), "{need} lands before {place}");
                }
            }
        }
    }
}
