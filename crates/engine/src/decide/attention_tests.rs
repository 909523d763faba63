//! A table of which states and messages of a session need the person.

use super::*;
use crate::decide::example::{new, put};
use crate::state::example::{at, draft, id, limited, paused, with};
use downbeat_model::attention::AttentionKind;
use downbeat_model::session::BudgetScope;
use downbeat_model::{MessageState, Status};

fn kind(row: &SessionRow, go_on: bool) -> Option<AttentionKind> {
    let config = UsageLimits { go_on, margin: 60 };
    let state = crate::state::example::state([row.clone()]);
    of(&state, row, &config, None).map(|attention| attention.kind)
}

#[test]
fn a_limit_needs_somebody_unless_it_ends_by_itself() {
    let own = |go_on| {
        let mut row = limited(1, Some(100));
        row.hold.go_on = Some(go_on);
        row
    };
    for (row, go_on, wanted) in [
        (limited(1, Some(100)), true, None),
        (limited(1, Some(100)), false, Some(AttentionKind::Limit)),
        (limited(1, None), true, Some(AttentionKind::Limit)),
        (own(true), false, None),
        (own(false), true, Some(AttentionKind::Limit)),
    ] {
        assert_eq!(kind(&row, go_on), wanted, "{:?} {go_on}", row.hold.go_on);
    }
}

#[test]
fn a_pause_needs_somebody_if_a_budget_caused_it() {
    let mut row = paused(with(1, Status::Paused));
    assert_eq!(kind(&row, false), None);
    row.hold.pause.as_mut().unwrap().budget = Some(BudgetScope::Session);
    assert_eq!(kind(&row, false), Some(AttentionKind::Budget));
    row.archived_at = Some(at(0));
    assert_eq!(kind(&row, false), None);
}

#[test]
fn the_oldest_message_that_may_be_lost_is_named() {
    use MessageState::{Delivered, Failed, Queued, Uncertain};
    for (messages, wanted) in [
        (vec![(Delivered, 1), (Queued, 2)], None),
        (vec![(Failed, 9), (Uncertain, 5), (Delivered, 1)], Some(5)),
        (vec![(Uncertain, 8), (Failed, 3)], Some(3)),
    ] {
        let mut draft = draft(50, [with(1, Status::Idle)]);
        for (state, second) in &messages {
            let number = put(&mut draft, new("go"), *state);
            let row = crate::decide::mailbox::find(&mut draft, &id(1), number).unwrap();
            row.changed_at = at(*second);
        }
        let row = with(1, Status::Idle);
        let found = of(draft.state(), &row, &UsageLimits::default(), None);
        let since = found.map(|attention| attention.since.as_second());
        assert_eq!(since, wanted, "{messages:?}");
    }
}
