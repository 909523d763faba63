//! Tests of plans that are made of issues.

use super::{Blocker, Issues, Meant, Part, read_issues};
use crate::domain::Domains;
use crate::plan::Form;
use crate::problem::Problem;
use crate::share::{Split, shares};
use downbeat_model::session::SessionIssue;
use proptest::prelude::*;

#[test]
fn a_text_means_issues_or_a_file() {
    let epic = |text: &str| Some(Meant::Epic(text.to_owned()));
    for (text, expected) in [
        ("#42", epic("#42")),
        (" 42 ", epic("42")),
        ("GH-42", epic("GH-42")),
        ("ENG-42", epic("ENG-42")),
        ("acme/shop#42", epic("acme/shop#42")),
        (
            "https://github.com/acme/shop/issues/42",
            epic("https://github.com/acme/shop/issues/42"),
        ),
        ("beads", Some(Meant::Beads(None))),
        (".beads", Some(Meant::Beads(None))),
        (".beads/", Some(Meant::Beads(None))),
        (
            "beads:shop-a1b2.3",
            Some(Meant::Beads(Some("shop-a1b2.3".into()))),
        ),
        ("beads:--all", None),
        ("beads:", None),
        ("beads.md", None),
        (".beads/issues.jsonl", None),
        ("docs/plan.md", None),
        ("plan#1", None),
        ("a b/c#1", None),
        ("2024-10", None),
        ("plan-10.md", None),
        ("", None),
    ] {
        assert_eq!(Meant::of(text), expected, "{text}");
    }
}

fn part(id: &str, blocked_by: &[(&str, bool)]) -> Part {
    let blockers = blocked_by.iter().map(|(id, is_closed)| Blocker {
        id: (*id).to_owned(),
        title: format!("Title of {id}"),
        is_closed: *is_closed,
    });
    Part {
        id: id.to_owned(),
        title: format!("Build the UI {id}"),
        blocked_by: blockers.collect(),
        ..Part::default()
    }
}

fn issues(parts: Vec<Part>) -> Issues {
    Issues {
        title: "#1 Sell\nshoes".into(),
        form: Form::Epic,
        parts,
        notes: Vec::new(),
    }
}

#[test]
fn blockers_are_needs_among_the_parts_and_notes_outside() {
    let mut closed = part("2", &[("9", false)]);
    closed.is_closed = true;
    let parts = vec![
        part(
            "3",
            &[
                ("2", true),
                ("4", false),
                ("4", false),
                ("acme/api#9", false),
                ("8", true),
            ],
        ),
        closed,
        part("4", &[]),
    ];
    let (plan, notes) = read_issues(issues(parts), &Domains::default()).unwrap();
    assert_eq!(plan.title, "#1 Sell shoes");
    let seen: Vec<String> = plan
        .tasks
        .iter()
        .map(|task| {
            format!(
                "{} <{}> {} {}",
                task.id,
                task.needs.join(" "),
                task.done,
                task.domain
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            "3 <2 4> false frontend",
            "2 <> true frontend",
            "4 <> false frontend"
        ]
    );
    assert_eq!(
        notes,
        [
            "3 is blocked by acme/api#9 (Title of acme/api#9), which is open and not part of this plan: its task does not wait for it"
        ]
    );
    let parts = vec![part("3", &[("4", false)]), part("4", &[("3", false)])];
    assert_eq!(
        read_issues(issues(parts), &Domains::default()),
        Err(Problem::Cycle("3 → 4 → 3".into()))
    );
    assert_eq!(
        read_issues(issues(Vec::new()), &Domains::default()),
        Err(Problem::Empty)
    );
    let parts = vec![part("3", &[]), part("3", &[])];
    assert_eq!(
        read_issues(issues(parts), &Domains::default()),
        Err(Problem::Twice("3".into()))
    );
}

#[test]
fn each_issue_has_a_worker_of_its_own() {
    let parts = ["3", "4"].map(|id| Part {
        issue: Some(SessionIssue {
            host: "github.com".into(),
            repository: "acme/shop".into(),
            number: id.parse().unwrap(),
            title: "t".into(),
            url: format!("https://github.com/acme/shop/issues/{id}"),
            key: None,
            children: Vec::new(),
            blocked_by: Vec::new(),
        }),
        ..part(id, &[])
    });
    let (plan, _) = read_issues(issues(parts.to_vec()), &Domains::default()).unwrap();
    let cut: Vec<String> = shares(&plan, Split::Domain)
        .into_iter()
        .map(|share| format!("{} {}", share.name, share.tasks.join("+")))
        .collect();
    assert_eq!(cut, ["frontend 3", "frontend-2 4"]);
}

proptest! {
    /// Whatever somebody writes into issues: it is a plan whose tasks need only each other, or a reason; and nothing acts on a
    /// terminal.
    #[test]
    fn what_others_write_is_a_plan_or_a_reason(
        ids in prop::collection::vec("[a-c\\u{1b}]{1,3}", 0..8),
        edges in prop::collection::vec((0_usize..8, "[a-d\\u{202e}]{1,3}", any::<bool>()), 0..20),
        text in any::<String>(),
    ) {
        let parts = ids.iter().enumerate().map(|(place, id)| {
            let own = edges.iter().filter(|(of, ..)| *of == place);
            let blocked_by = own.map(|(_, id, is_closed)| Blocker { id: id.clone(), title: text.clone(), is_closed: *is_closed });
            Part { id: id.clone(), title: format!("t{text}"), text: text.clone(), blocked_by: blocked_by.collect(), ..Part::default() }
        });
        let read = read_issues(issues(parts.collect()), &Domains::default());
        if let Ok((plan, notes)) = read {
            let is_plain = |text: &str| !text.contains(['\u{1b}', '\u{202e}', '\n']);
            let known: Vec<&String> = plan.tasks.iter().map(|task| &task.id).collect();
            for task in &plan.tasks {
                prop_assert!(task.needs.iter().all(|need| known.contains(&need)));
                prop_assert!(is_plain(&task.title));
            }
            prop_assert!(notes.len() <= 21);
            prop_assert!(notes.iter().all(|note| is_plain(note)));
        }
    }
}
