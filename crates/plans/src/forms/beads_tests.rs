//! Tests of reading the issues of beads.

use super::{is_closed_bead, read_beads};
use crate::domain::Domains;
use crate::forms::issues::read_issues;
use crate::problem::Problem;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Three issues of an epic and one beside it, as bd 1.0 prints them.
fn printed() -> Value {
    let issue = |id: &str, title: &str, kind: &str, status: &str, priority: u32, more: Value| {
        let mut one = json!({ "id": id, "title": title, "status": status, "priority": priority, "issue_type": kind,
            "owner": "ada@example.com", "created_at": "2026-05-01T10:00:00Z", "created_by": "Ada", "updated_at": "2026-05-01T10:00:00Z",
            "dependency_count": 0, "dependent_count": 0, "comment_count": 0 });
        one.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        one
    };
    let depends = |id: &str, on: &str, kind: &str| {
        json!({ "issue_id": id, "depends_on_id": on, "type": kind,
        "created_at": "2026-05-01T10:00:00Z", "created_by": "Ada", "metadata": "{}" })
    };
    json!([
        issue("shop-e1", "Sell shoes", "epic", "open", 1, json!({})),
        issue(
            "shop-ui",
            "Build the page",
            "task",
            "open",
            2,
            json!({ "parent": "shop-e1",
            "dependencies": [depends("shop-ui", "shop-e1", "parent-child"), depends("shop-ui", "shop-api", "blocks")],
            "acceptance_criteria": "It shows shoes" })
        ),
        issue(
            "shop-api",
            "Create the API",
            "task",
            "open",
            2,
            json!({ "description": "With JWT.\nNo sessions.", "parent": "shop-e1",
            "dependencies": [depends("shop-api", "shop-e1", "parent-child"), depends("shop-api", "shop-old", "blocks"),
                depends("shop-api", "shop-x", "related")] })
        ),
        issue("shop-x", "Fix the build", "bug", "open", 0, json!({})),
        issue("shop-z", "Later", "task", "deferred", 3, json!({})),
        issue(
            "shop-y",
            "Now",
            "task",
            "in_progress",
            3,
            json!({ "assignee": "ada" })
        ),
    ])
}

fn seen(text: &str, below: Option<&str>) -> (Vec<String>, Vec<String>) {
    let (plan, notes) = read_issues(read_beads(text, below).unwrap(), &Domains::default()).unwrap();
    let tasks = plan
        .tasks
        .iter()
        .map(|task| format!("{} {} <{}>", task.id, task.title, task.needs.join(" ")));
    (tasks.collect(), notes)
}

#[test]
fn open_issues_are_tasks_by_priority_with_what_blocks_them() {
    let plain = printed().to_string();
    let (tasks, notes) = seen(&plain, None);
    assert_eq!(
        tasks,
        [
            "shop-x Fix the build <>",
            "shop-ui Build the page <shop-api>",
            "shop-api Create the API <>"
        ]
    );
    assert_eq!(
        notes,
        [
            "shop-e1 has parts of its own: it is no task of this plan",
            "shop-z is deferred: it is no task of this plan",
            "shop-y is worked on by ada: it is no task of this plan",
        ]
    );
    let enveloped = json!({ "schema_version": 1, "data": printed() }).to_string();
    assert_eq!(seen(&enveloped, None), seen(&plain, None));
    let (tasks, notes) = seen(&enveloped, Some("shop-e1"));
    assert_eq!(
        tasks,
        ["shop-ui Build the page <shop-api>", "shop-api Create the API <>"]
    );
    assert_eq!(notes, [""; 0]);
    let read = read_beads(&plain, Some("shop-e1")).unwrap();
    assert_eq!(read.title, "shop-e1 Sell shoes");
    assert_eq!(read.parts[0].text, "It is done when:\nIt shows shoes");
    assert_eq!(read.parts[1].text, "With JWT.\nNo sessions.");
    assert_eq!(read_beads(&plain, Some("shop-none")), Err(Problem::Empty));
    assert_eq!(read_beads("[]", None), Err(Problem::Empty));
}

#[test]
fn what_blocks_an_epic_blocks_its_parts_and_an_epic_blocks_by_its_parts() {
    let issue = |id: &str, blocked: &[&str], part_of: &[&str]| {
        let depends = |on: &&str, kind: &str| json!({ "issue_id": id, "depends_on_id": on, "type": kind });
        let blocks = blocked.iter().map(|on| depends(on, "blocks"));
        let all: Vec<Value> = blocks
            .chain(part_of.iter().map(|on| depends(on, "parent-child")))
            .collect();
        json!({ "id": id, "title": id, "status": "open", "priority": 1, "dependencies": all })
    };
    let text = json!([
        issue("a", &[], &[]),
        issue("a1", &[], &["a"]),
        issue("a2", &["a1"], &["a"]),
        issue("b", &["a"], &[]),
        issue("b1", &[], &["b"]),
        issue("c", &["b", "y"], &[]),
        issue("y", &[], &["x"]),
        issue("x", &[], &[]),
    ]);
    let (tasks, _) = seen(&text.to_string(), None);
    assert_eq!(
        tasks,
        ["a1 a1 <>", "a2 a2 <a1>", "b1 b1 <a1 a2>", "c c <b1 y>", "y y <>"]
    );
    let (tasks, notes) = seen(&text.to_string(), Some("b"));
    assert_eq!(tasks, ["b1 b1 <>"]);
    assert!(
        notes.len() == 2 && notes[0].starts_with("b1 is blocked by a1 (a1), which is open"),
        "{notes:?}"
    );
}

#[test]
fn what_is_no_list_is_refused() {
    for text in [
        "",
        "{",
        "Error: no beads database found",
        "{\"data\": 1}",
        "[{\"id\": \"a\"}]",
        "{\"error\": \"x\"}",
    ] {
        let said = read_beads(text, None);
        assert!(matches!(said, Err(Problem::Json(_))), "{text}: {said:?}");
    }
    assert_eq!(
        is_closed_bead(r#"{"schema_version": 1, "data": [{"id": "a", "status": "closed"}]}"#),
        Some(true)
    );
    assert_eq!(is_closed_bead(r#"{"id": "a", "status": "open"}"#), Some(false));
    assert_eq!(is_closed_bead("oops"), None);
}

proptest! {
    /// Any graph of issues, circles included, is read to its end.
    #[test]
    fn every_graph_is_read(edges in prop::collection::vec((0_usize..9, 0_usize..9, 0_usize..3), 0..40), below in 0_usize..9) {
        let kinds = ["blocks", "parent-child", "related"];
        let all: Vec<Value> = (0..9).map(|id| {
            let own = edges.iter().filter(|(from, ..)| *from == id);
            let own: Vec<Value> = own.map(|(_, to, kind)| json!({ "depends_on_id": format!("i{to}"), "type": kinds[*kind] })).collect();
            json!({ "id": format!("i{id}"), "title": "t", "status": "open", "priority": 1, "dependencies": own })
        }).collect();
        let text = json!(all).to_string();
        for below in [None, Some(format!("i{below}"))] {
            match read_beads(&text, below.as_deref()) {
                Ok(issues) => {
                    prop_assert!(issues.parts.len() <= 9);
                    if let Ok((plan, _)) = read_issues(issues, &Domains::default()) {
                        prop_assert!(plan.tasks.iter().all(|task| !task.needs.contains(&task.id)));
                    }
                }
                Err(problem) => prop_assert_eq!(problem, Problem::Empty),
            }
        }
    }
}

/// Issues of which `parts` are parts of `w`, and `waiting` wait for all of these.
fn waiting_for_parts(parts: usize, waiting: usize) -> String {
    let part = |n: usize| json!({ "id": format!("p{n}"), "title": "p", "parent": "w" });
    let waits = |n: usize| {
        json!({ "id": format!("x{n}"), "title": "x",
            "dependencies": [{ "depends_on_id": "w", "type": "blocks" }] })
    };
    let whole = json!({ "id": "w", "title": "w" });
    let all: Vec<Value> = std::iter::once(whole)
        .chain((0..parts).map(part))
        .chain((0..waiting).map(waits))
        .collect();
    Value::from(all).to_string()
}

#[test]
fn what_waits_for_all_parts_of_an_issue_is_followed_within_bounds() {
    let (_, notes) = seen(&waiting_for_parts(200, 200), None);
    assert_eq!(notes.len(), 1, "{notes:?}");
    for (parts, waiting) in [(500, 500), (12_000, 12_000)] {
        let said = read_beads(&waiting_for_parts(parts, waiting), None).unwrap_err();
        let too_many = matches!(said, Problem::TooManyNeeds { .. } | Problem::TooMany { .. });
        assert!(too_many, "{said}");
    }
    // A chain of wholes, each of which waits for many that are not there.
    let waits: Vec<Value> = (0..20_000)
        .map(|n| json!({ "depends_on_id": format!("n{n}"), "type": "blocks" }))
        .collect();
    let mut chain = vec![json!({ "id": "w", "title": "w", "dependencies": waits })];
    chain.extend((0..9_000).map(|n| json!({ "id": format!("p{n}"), "title": "p", "parent": "w" })));
    let said = read_beads(&Value::from(chain).to_string(), None).unwrap_err();
    assert!(matches!(said, Problem::TooManyNeeds { .. }), "{said}");
}
