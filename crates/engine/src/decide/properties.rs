//! Properties of the message queue and of admission that hold after any changes in any order.

use crate::decide::admission::Next;
use crate::decide::mailbox::{MAX_WAITING, New, edit, enqueue, put_first, withdraw};
use crate::decide::{admission, mailbox, message_state};
use crate::state::draft::Draft;
use crate::state::example::{at, id, session, state};
use downbeat_model::limit::Limits;
use downbeat_model::session::Pause;
use downbeat_model::{MessageState, Sender, Status, When};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::message::EditMessage;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;

/// A change that somebody makes to the queue of a session. A message is named by the number of messages
/// before it.
#[derive(Debug, Clone)]
enum Deed {
    Send { when: When, is_task: bool },
    Edit { message: i64, change: EditMessage },
    First(i64),
    Withdraw(i64),
    Remove(i64),
    Type,
    Set(i64, MessageState),
}

const WHENS: [When; 2] = [When::Now, When::WhenReady];

const STATES: [MessageState; 6] = [
    MessageState::Queued,
    MessageState::Typing,
    MessageState::Delivered,
    MessageState::Uncertain,
    MessageState::Failed,
    MessageState::Interrupted,
];

fn any_deed() -> impl Strategy<Value = Deed> {
    let message = || 1..60i64;
    let change = (
        option::of(1..9u32),
        option::of(select(&WHENS[..])),
        option::of(any::<bool>()),
    );
    let change = change.prop_map(|(place, when, again)| EditMessage {
        place,
        when,
        again,
        ..EditMessage::default()
    });
    prop_oneof![
        6 => (select(&WHENS[..]), prop::bool::weighted(0.1)).prop_map(|(when, is_task)| Deed::Send { when, is_task }),
        3 => (message(), change).prop_map(|(message, change)| Deed::Edit { message, change }),
        1 => message().prop_map(Deed::First),
        1 => message().prop_map(Deed::Withdraw),
        1 => message().prop_map(Deed::Remove),
        4 => Just(Deed::Type),
        4 => (message(), select(&STATES[2..])).prop_map(|(message, state)| Deed::Set(message, state)),
    ]
}

fn queue(draft: &Draft) -> Vec<Arc<MessageRow>> {
    let queue = draft.state().queues.get(&id(1));
    queue.map(|queue| queue.to_vec()).unwrap_or_default()
}

/// Makes a change, if it is allowed: a refused one changes nothing.
fn happens(draft: &mut Draft, deed: &Deed) {
    let before = draft.clone();
    let session = id(1);
    let done = match deed {
        Deed::Send { when, is_task } => {
            let new = New {
                text: "do it".into(),
                sender: Sender::Person,
                when: *when,
                is_task: *is_task,
            };
            enqueue(draft, &session, new).map(drop)
        }
        Deed::Edit { message, change } => edit(draft, &session, *message, change),
        Deed::First(message) => put_first(draft, &session, *message),
        Deed::Withdraw(message) => {
            withdraw(draft, &session, *message);
            Ok(())
        }
        Deed::Remove(message) => message_state::remove(draft, &session, *message),
        Deed::Type => {
            let row = SessionRow::clone(&draft.state().sessions[&session]);
            let first = mailbox::open(draft.state(), &session).next().map(|row| row.id);
            first.map_or(Ok(()), |first| message_state::begin(draft, &row, first).map(drop))
        }
        // The outcome is only ever found out for a message that is being typed.
        Deed::Set(message, state) => {
            let is_typed = |row: &Arc<MessageRow>| row.id == *message && row.state == MessageState::Typing;
            match queue(draft).iter().any(is_typed) {
                true => message_state::set(draft, &session, *message, *state, ""),
                false => Ok(()),
            }
        }
    };
    if done.is_err() {
        *draft = before;
    }
}

/// A session of a random fleet: its parent, its status, and whether it is paused.
type Member = (Option<u32>, Status, bool);

fn any_fleet() -> impl Strategy<Value = Vec<Member>> {
    let status = select(vec![
        Status::Queued,
        Status::Queued,
        Status::Running,
        Status::Idle,
        Status::Killed,
        Status::Exited,
    ]);
    vec((option::of(1..12u32), status, prop::bool::weighted(0.1)), 1..12)
}

fn fleet(members: &[Member]) -> Vec<SessionRow> {
    (1..)
        .zip(members)
        .map(|(number, (above, status, is_paused))| {
            let mut row = session(number);
            row.status = *status;
            // Only an earlier member can be the parent, so that no session is below itself.
            row.parent = above.filter(|above| *above < number).map(id);
            row.depth = u32::from(row.parent.is_some());
            row.hold.pause = is_paused.then(|| Pause {
                at: at(0),
                why: String::new(),
                budget: None,
                interrupts: false,
            });
            row
        })
        .collect()
}

fn live(draft: &Draft, of: impl Fn(&SessionRow) -> bool) -> u32 {
    let all = draft.state().sessions.values();
    let count = all.filter(|row| row.status.is_live() && of(row)).count();
    u32::try_from(count).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn a_queue_is_in_order_bounded_and_has_one_message_on_its_way(deeds in vec(any_deed(), 0..120)) {
        let mut draft = Draft::of(state([session(1)]));
        let mut newest = 0;
        for deed in &deeds {
            let before = queue(&draft);
            happens(&mut draft, deed);
            let rows = queue(&draft);
            let places: Vec<i64> = rows.iter().map(|row| row.place).collect();
            prop_assert_eq!(places, (0..).take(rows.len()).collect::<Vec<_>>(), "{:?}", deed);
            let open: Vec<_> = rows.iter().map(|row| row.state.is_open()).collect();
            prop_assert!(open.is_sorted(), "what is over stands first: {:?} {:?}", open, deed);
            let typing = rows.iter().filter(|row| row.state == MessageState::Typing).count();
            prop_assert!(typing <= 1, "{:?}", deed);
            if typing == 1 {
                let first = mailbox::open(draft.state(), &id(1)).next().unwrap();
                prop_assert_eq!(first.state, MessageState::Typing, "{:?}", deed);
            }
            let tasks = rows.iter().filter(|row| row.is_task).count();
            prop_assert!(open.iter().filter(|is_open| **is_open).count() <= MAX_WAITING + tasks);
            prop_assert!(open.iter().filter(|is_open| !**is_open).count() <= 30);
            // A number is never reused for another message.
            for row in &rows {
                prop_assert!(before.iter().any(|old| old.id == row.id) || row.id > newest, "{:?}", deed);
            }
            newest = rows.iter().map(|row| row.id).max().unwrap_or(0).max(newest);
            // A waiting message only leaves the queue if somebody removes it.
            let removes = matches!(deed, Deed::Remove(_) | Deed::Withdraw(_));
            for old in before.iter().filter(|old| old.state.is_open() && !removes) {
                prop_assert!(rows.iter().any(|row| row.id == old.id), "{:?} lost {}", deed, old.id);
            }
        }
    }

    #[test]
    fn however_many_wait_no_cap_is_passed_and_nobody_starts_below_one_that_is_held(
        members in any_fleet(),
        total in 1..8u32,
        below in 1..4u32,
    ) {
        let limits = Limits { max_depth: 2, workers_per_conductor: below, total_sessions: total, sessions_per_project: None };
        let mut draft = Draft::of(state(fleet(&members)));
        let parents: Vec<_> = (1..=12).map(id).collect();
        let children = |draft: &Draft| -> Vec<u32> {
            parents.iter().map(|parent| live(draft, |row| row.parent.as_ref() == Some(parent))).collect()
        };
        let (all, own) = (live(&draft, |_| true), children(&draft));
        let starts = |draft: &Draft| {
            let mut rows = draft.state().sessions.values();
            rows.find(|row| matches!(admission::next(&limits, draft.state(), row), Next::Starts)).cloned()
        };
        let mut rounds = 0;
        while let Some(row) = starts(&draft) {
            rounds += 1;
            prop_assert!(rounds <= members.len(), "one starts once");
            prop_assert!(row.hold.pause.is_none());
            let mut above = row.parent.clone();
            while let Some(up) = above.and_then(|up| draft.state().sessions.get(&up).cloned()) {
                prop_assert!(up.status != Status::Killed);
                prop_assert!(up.hold.pause.is_none() || up.status.is_ended());
                above = up.parent.clone();
            }
            draft.session(&row.id).unwrap().status = Status::Spawning;
        }
        prop_assert!(live(&draft, |_| true) <= total.max(all));
        for (now, before) in children(&draft).into_iter().zip(own) {
            prop_assert!(now <= below.max(before));
        }
    }
}
