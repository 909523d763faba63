//! Messages for tests: puts them into the queue of the session with the number 1, and reads that queue.

use crate::decide::mailbox::{self, New};
use crate::state::draft::Draft;
use crate::state::example::id;
use downbeat_model::{MessageState, Sender, When};

/// Returns a message of the person, to be delivered when its session is ready.
pub fn new(text: &str) -> New {
    New {
        text: text.into(),
        sender: Sender::Person,
        when: When::WhenReady,
        is_task: false,
    }
}

/// Returns a first prompt.
pub fn task(text: &str) -> New {
    New {
        is_task: true,
        ..new(text)
    }
}

/// Returns a message that is to be delivered now.
pub fn at_once(text: &str) -> New {
    New {
        when: When::Now,
        ..new(text)
    }
}

/// Puts a message into the queue, in this state, and returns its number.
pub fn put(draft: &mut Draft, new: New, state: MessageState) -> i64 {
    let number = mailbox::enqueue(draft, &id(1), new).unwrap();
    mailbox::find(draft, &id(1), number).unwrap().state = state;
    mailbox::prune(draft.queue(&id(1)));
    number
}

/// Returns the queue, each message as its text and its state: `go: delivered`.
pub fn queue(draft: &Draft) -> Vec<String> {
    let queue = draft.state().queues.get(&id(1)).into_iter();
    let rows = queue.flat_map(|queue| queue.iter());
    rows.map(|row| format!("{}: {}", row.text, row.state.as_str()))
        .collect()
}

/// Returns the texts of the messages that wait or are being typed, the next one first.
pub fn waiting(draft: &Draft) -> Vec<String> {
    let session = id(1);
    let open = mailbox::open(draft.state(), &session);
    open.map(|row| row.text.clone()).collect()
}
