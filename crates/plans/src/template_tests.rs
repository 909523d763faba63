//! Tests of templates: what becomes of the tasks of a plan, and what is refused.

use super::Templates;
use crate::domain::Domains;
use crate::forms::{read_file, read_goal};
use crate::plan::{Form, Plan, Task};
use crate::problem::Problem;
use proptest::prelude::*;

fn listed(text: &str) -> Plan {
    read_goal(text, &Domains::default()).unwrap()
}

/// Formats each task as `id domain: title <needs>`.
fn shown(plan: &Plan) -> Vec<String> {
    let tasks = plan.tasks.iter();
    let words = tasks.map(|task| {
        format!(
            "{} {}: {} <{}>",
            task.id,
            task.domain,
            task.title,
            task.needs.join(" ")
        )
    });
    words.collect()
}

fn by(name: &str, text: &str) -> Result<Vec<String>, String> {
    let plan = Templates::default().apply(name, listed(text));
    plan.map(|plan| shown(&plan))
        .map_err(|problem| problem.to_string())
}

#[test]
fn each_known_template_makes_its_tasks() {
    let two = "Create API (id: api), Build UI (id: ui)";
    for (name, wanted) in [
        (
            "parallel",
            &["api backend: Create API <>", "ui frontend: Build UI <>"][..],
        ),
        (
            "compare",
            &[
                "api-small backend: Create API (the smallest change) <>",
                "api-design backend: Create API (the best design) <>",
                "ui-small frontend: Build UI (the smallest change) <>",
                "ui-design frontend: Build UI (the best design) <>",
            ],
        ),
        (
            "divide",
            &[
                "api backend: Create API <>",
                "ui frontend: Build UI <>",
                "together general: Put the parts together <api ui>",
            ],
        ),
        (
            "red-green",
            &[
                "api-red backend: Write failing tests: Create API <>",
                "api-green backend: Make the tests pass: Create API <api-red>",
                "api backend: Tidy up: Create API <api-green>",
                "ui-red frontend: Write failing tests: Build UI <>",
                "ui-green frontend: Make the tests pass: Build UI <ui-red>",
                "ui frontend: Tidy up: Build UI <ui-green>",
            ],
        ),
        (
            "review",
            &[
                "api-work backend: Create API <>",
                "api backend: Review: Create API <api-work>",
                "ui-work frontend: Build UI <>",
                "ui frontend: Review: Build UI <ui-work>",
            ],
        ),
    ] {
        assert_eq!(by(name, two).unwrap(), wanted, "{name}");
    }
}

#[test]
fn what_a_task_needs_is_what_its_first_part_needs_and_others_need_its_last() {
    assert_eq!(
        by(
            "review",
            "Create API (id: api), Build UI (id: ui) (depends_on: api)"
        )
        .unwrap(),
        [
            "api-work backend: Create API <>",
            "api backend: Review: Create API <api-work>",
            "ui-work frontend: Build UI <api>",
            "ui frontend: Review: Build UI <ui-work>",
        ]
    );
    assert_eq!(
        by(
            "compare",
            "Create API (id: api), Build UI (id: ui) (depends_on: api)"
        )
        .unwrap_err(),
        "task ui needs api, of which this template makes several versions: plan ui when one of them is chosen"
    );
}

#[test]
fn done_tasks_stay_and_the_last_part_has_the_id_that_is_ticked() {
    let file = "- [x] Set up (id: a)\n- [ ] Build (id: b) (depends_on: a) [Skill: rust]\n  Mind the edges.\n";
    let plan = read_file(file.as_bytes(), None, &Domains::default()).unwrap();
    let plan = Templates::default().apply("review", plan).unwrap();
    assert_eq!(
        shown(&plan),
        [
            "a general: Set up <>",
            "b-work general: Build <a>",
            "b general: Review: Build <b-work>",
        ]
    );
    let review = &plan.tasks[2];
    assert!(plan.tasks[0].done && !review.done);
    assert!(
        review.description.ends_with("\n\nMind the edges."),
        "{}",
        review.description
    );
    assert_eq!(review.skills, ["rust"]);
}

#[test]
fn what_comes_once_gets_an_id_that_no_task_has() {
    let list = "{task} (id: work) (agent: codex)\nReview: {task} (depends_on: work)\ndocs: Write what changed\nTell (depends_on: 3)";
    let all = Templates::default()
        .with("mine", list, &Domains::default())
        .unwrap();
    let mine = all.apply("mine", listed("A, B, C")).unwrap();
    let last = shown(&mine).split_off(6);
    assert_eq!(
        last,
        [
            "3-2 general: docs: Write what changed <1 2 3>",
            "4 general: Tell <3-2>"
        ]
    );
}

#[test]
fn a_word_before_a_task_says_what_is_done_with_it() {
    let list = "Implement: {task} (id: work)\nReview: {task} (depends_on: work)";
    let all = Templates::default()
        .with("mine", list, &Domains::default())
        .unwrap();
    let mine = all.apply("mine", listed("Create API")).unwrap();
    assert_eq!(
        shown(&mine),
        [
            "1-work backend: Implement: Create API <>",
            "1 backend: Review: Create API <1-work>"
        ]
    );
}

#[test]
fn a_template_of_ones_own_is_a_list_or_json() {
    let domains = Domains::default();
    let list =
        "{task} (id: work) (agent: codex)\nReview: {task} (depends_on: work)\ndocs: Write what changed";
    let json = r#"[{"id": "a", "title": "Plan it", "description": "Think about {task}", "domain": "design"},
        {"title": "{task}", "dependencies": ["a"]}]"#;
    let all = Templates::default().with("mine", list, &domains).unwrap();
    let all = all.with("think", json, &domains).unwrap();
    let mine = all.apply("mine", listed("Create API (id: api)")).unwrap();
    assert_eq!(
        shown(&mine),
        [
            "api-work backend: Create API <>",
            "api backend: Review: Create API <api-work>",
            "3 general: docs: Write what changed <api>",
        ]
    );
    assert_eq!(mine.tasks[0].agent.as_deref(), Some("codex"));
    let think = all.apply("think", listed("Create API (id: api)")).unwrap();
    assert_eq!(
        shown(&think),
        ["api-a design: Plan it <>", "api backend: Create API <api-a>"]
    );
    assert_eq!(think.tasks[0].description, "Think about Create API");
    let infos = all.infos();
    let mine = infos.iter().find(|info| info.name == "mine").unwrap();
    assert_eq!(mine.about, "{task}; Review: {task}; docs: Write what changed");
}

#[test]
fn what_is_no_template_is_refused() {
    let with = |text: &str| Templates::default().with("mine", text, &Domains::default());
    assert_eq!(with("Build it"), Err(Problem::NoSlot));
    assert_eq!(with(""), Err(Problem::Empty));
    assert!(matches!(
        with("{task} (id: a) (depends_on: b)"),
        Err(Problem::Unknown { .. })
    ));
    assert!(matches!(with(r#"{"tasks": 1}"#), Err(Problem::Json(_))));
    assert_eq!(
        by("reviews", "A").unwrap_err(),
        "there is no template reviews: there are compare, divide, parallel, red-green, review"
    );
    let many = "x\n".repeat(6_000);
    assert!(by("review", &many).unwrap_err().contains("more than 10000 tasks"));
    assert_eq!(
        by("review", "A (id: a), B (id: a-work)").unwrap_err(),
        "two tasks have the id a-work: give one of them another"
    );
}

prop_compose! {
    /// Tasks that need only earlier ones.
    fn tasks()(needs in prop::collection::vec(prop::collection::vec(0..20_usize, 0..3), 1..20)) -> Vec<Task> {
        let task = |(place, needs): (usize, &Vec<usize>)| Task {
            id: format!("t{place}"),
            domain: "general".into(),
            needs: needs.iter().filter(|need| **need < place).map(|need| format!("t{need}")).collect(),
            ..Task::titled(&format!("Task {place}"))
        };
        needs.iter().enumerate().map(task).collect()
    }
}

proptest! {
    #[test]
    fn any_plan_stays_one_and_each_task_keeps_its_id(tasks in tasks(), name in prop::sample::select(vec!["parallel", "divide", "red-green", "review"])) {
        let plan = Plan { title: "p".into(), form: Form::List, tasks };
        let applied = Templates::default().apply(name, plan.clone()).unwrap();
        for task in &plan.tasks {
            prop_assert!(applied.tasks.iter().any(|made| made.id == task.id));
        }
        // In an order in which one worker could do it, a task comes after what the written one needs.
        let order: Vec<&str> = applied.in_order().iter().map(|task| task.id.as_str()).collect();
        let place = |id: &str| order.iter().position(|own| *own == id).unwrap();
        for task in &plan.tasks {
            for need in &task.needs {
                prop_assert!(place(need) < place(&task.id));
            }
        }
    }
}

#[test]
fn a_template_does_not_make_a_plan_without_bounds() {
    let long = "x".repeat(1_000_000);
    let mut plan = listed(
        &["a", "b", "c", "d"]
            .map(|id| format!("{id} (id: {id})"))
            .join("\n"),
    );
    for task in &mut plan.tasks {
        task.description.clone_from(&long);
    }
    let made = Templates::default().apply("red-green", plan);
    assert!(matches!(made, Err(Problem::TooLarge { .. })), "{made:?}");
    let mut plan = listed(
        &(0..4_000)
            .map(|id| format!("t (id: t{id})"))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    let made = Templates::default().apply("red-green", plan.clone());
    assert!(matches!(made, Err(Problem::TooMany { .. })), "{made:?}");
    for task in plan.tasks.iter_mut().skip(20) {
        task.needs = (0..12).map(|id| format!("t{id}")).collect();
    }
    let own = Templates::default().with("own", "{task}; one\n{task}; two", &Domains::default());
    let made = own.unwrap().apply("own", plan.clone());
    assert!(matches!(made, Err(Problem::Versions { .. })), "{made:?}");
    let own = "{task} (id: one)\nAgain: {task} (depends_on: one)\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd\nEnd";
    let own = Templates::default().with("own", own, &Domains::default());
    let made = own.unwrap().apply("own", plan);
    assert!(matches!(made, Err(Problem::TooManyNeeds { .. })), "{made:?}");
}
