//! Tables of the order in which the work of plans lands.

use super::{held, landed_heads, share_of};
use crate::state::draft::Draft;
use crate::state::example::{self, change_plan, draft, id, planned};
use downbeat_model::session::{MergeOutcome, MergeResult};
use jiff::Timestamp;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// Returns a state with tasks 1 to 7 in `api`, which task 8 in `shop` needs.
fn started() -> Draft {
    let text = "backend: a (id: 1) | backend: b (id: 2) | backend: c (id: 3) | backend: d (id: 4) | backend: e (id: 5) | \
                backend: f (id: 6) | backend: g (id: 7) | frontend: h (id: 8) (depends_on: 1, 2, 3, 4, 5, 6, 7)";
    let mut draft = draft(0, []);
    planned(&mut draft, text, &["1", "2", "3", "4", "5", "6", "7"]);
    draft
}

/// Lets the work of these workers be done, and that of the last ones have landed.
fn change(draft: &mut Draft, done: usize, landed: usize) {
    change_plan(draft, |plan| {
        for place in 0..done {
            plan.done(place, Some(format!("c{place}")), NOW);
        }
        for place in 7 - landed..7 {
            plan.landed(place, &format!("c{place}"));
        }
    });
}

#[test]
fn what_has_to_land_before_is_named() {
    let mut draft = started();
    for (done, landed, said) in [
        (
            0,
            0,
            Some(
                "waits until the work of backend-api in api, backend-api-2 in api, backend-api-3 in api, backend-api-4 in api, \
                 backend-api-5 in api and 2 more have landed",
            ),
        ),
        (
            7,
            5,
            Some("waits until the work of backend-api in api and backend-api-2 in api have landed"),
        ),
        (
            7,
            6,
            Some("waits until the work of backend-api in api has landed"),
        ),
        (7, 7, None),
    ] {
        change(&mut draft, done, landed);
        assert_eq!(held(draft.state(), &id(8)).as_deref(), said, "{landed} landed");
        assert_eq!(held(draft.state(), &id(1)), None, "it needs nothing elsewhere");
        assert_eq!(held(draft.state(), &id(9)), None, "it is in no plan");
    }
    assert_eq!(share_of(draft.state(), &id(3)).map(|(_, place)| place), Some(2));
}

#[test]
fn that_a_project_was_removed_is_said_with_the_way_out() {
    let mut draft = draft(0, [example::session(2)]);
    planned(
        &mut draft,
        "backend: a (id: 1) | frontend: b (id: 2) (depends_on: 1)",
        &["1"],
    );
    change_plan(&mut draft, |plan| plan.done(0, Some("c".into()), NOW));
    let said = held(draft.state(), &id(2)).unwrap();
    assert_eq!(said, "waits until the work of backend-api in api has landed");
    draft.drop_project(&downbeat_model::ProjectId::parse("p000000000002").unwrap());
    let name = example::session(2).name;
    let expected = format!(
        "waits until the work of backend-api has landed; api was removed, so nobody sees that it has: `downbeat merge {name} \
         --any-order` merges at once"
    );
    assert_eq!(held(draft.state(), &id(2)), Some(expected));
}

#[test]
fn only_what_is_on_the_default_branch_has_landed() {
    let project = example::project();
    let result = |outcome, target: &str| MergeResult {
        outcome,
        target: target.into(),
        head: "h".into(),
        commit: None,
        detail: String::new(),
        files: Vec::new(),
        at: NOW,
    };
    let mut row = example::session(1);
    assert_eq!(landed_heads(&row, &project), Vec::<String>::new());
    for (outcome, target, landed) in [
        (MergeOutcome::Landed, "main", true),
        (MergeOutcome::Contained, "main", true),
        (MergeOutcome::Landed, "next", false),
        (MergeOutcome::Queued, "main", false),
        (MergeOutcome::Refused, "main", false),
        (MergeOutcome::Conflict, "main", false),
        (MergeOutcome::ChecksFailed, "main", false),
    ] {
        row.merging.last = Some(result(outcome, target));
        let found = landed_heads(&row, &project);
        assert_eq!(found == ["h"], landed, "{outcome:?} {target}");
    }
}
