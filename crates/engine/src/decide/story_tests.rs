//! Tables of what a session's story says of events, conversation, messages and commits, and in which order.

use super::*;
use downbeat_model::{MessageState, SessionId, Subject, When};
use serde_json::json;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn event(second: i64, kind: EventKind, payload: Value) -> EventRow {
    EventRow {
        seq: second,
        at: at(second),
        kind,
        subject: Subject::Engine,
        project_id: None,
        payload,
    }
}

fn text(second: i64, kind: TextKind, text: &str) -> Utterance {
    Utterance {
        kind,
        at: at(second),
        text: text.to_owned(),
        sub_agent: false,
    }
}

fn message(id: i64, second: i64, sender: Sender, text: &str) -> Arc<MessageRow> {
    Arc::new(MessageRow {
        id,
        session_id: SessionId::random().unwrap(),
        place: id,
        text: text.to_owned(),
        sender,
        mode: When::WhenReady,
        state: MessageState::Delivered,
        is_task: false,
        detail: String::new(),
        sent_with: None,
        created_at: at(second),
        changed_at: at(second),
    })
}

/// Tells a story and returns each entry in one line.
fn lines(events: &[EventRow], conversation: &[Utterance], messages: &[Arc<MessageRow>]) -> Vec<String> {
    let commits = [ChangeCommit {
        id: "c".repeat(40),
        subject: "Add a cart".to_owned(),
        author: "Ada".to_owned(),
        at: at(50),
    }];
    let sources = Sources {
        events,
        conversation,
        messages,
        commits: &commits,
    };
    let told = tell(&sources, |sender| match sender {
        Sender::Session(_) => "lead".to_owned(),
        _ => "Downbeat".to_owned(),
    });
    assert!(told.is_sorted_by_key(by_time));
    let line = |entry: StoryEntry| {
        let detail = entry.detail.replace('\n', "|");
        format!("{:?}/{:?} {}: {detail}", entry.kind, entry.tone, entry.text)
    };
    told.into_iter().map(line).collect()
}

#[test]
fn a_conversation_is_told_in_order_and_tools_in_a_row_are_one_entry() {
    let conversation = [
        text(10, TextKind::Said, "Build the cart"),
        text(20, TextKind::Called, "Bash: npm test\nmore"),
        text(30, TextKind::Called, "Edit: cart.ts"),
        Utterance {
            sub_agent: true,
            ..text(35, TextKind::Answered, "a sub-agent's words")
        },
        text(40, TextKind::Answered, "Done. "),
        text(60, TextKind::Called, "Bash: ls"),
    ];
    let ended = event(
        41,
        EventKind::SessionStatus,
        json!({ "from": "running", "to": "idle", "answer": "Done." }),
    );
    assert_eq!(
        lines(&[ended], &conversation, &[]),
        [
            "Prompt/Plain Prompt: Build the cart",
            "Tools/Plain Ran 2 tools: Bash: npm test|Edit: cart.ts",
            "Answer/Plain Answer: Done.",
            "Turn/Plain Finished its turn: ",
            "Commit/Good Add a cart: ",
            "Tools/Plain Ran a tool: Bash: ls",
        ]
    );
}

#[test]
fn a_message_is_told_once_with_its_sender() {
    let lead = Sender::Session(SessionId::random().unwrap());
    let messages = [
        message(1, 10, lead.clone(), "Build  the cart"),
        message(2, 70, Sender::Person, "Thanks"),
        message(3, 80, Sender::Downbeat, "CI failed"),
    ];
    let sent = |second, id| {
        event(
            second,
            EventKind::MessageSent,
            json!({ "message": id, "state": "delivered" }),
        )
    };
    let events = [sent(10, 1), sent(70, 2), sent(80, 3), sent(81, 99)];
    // The first one is in the transcript, too; the last one is no longer in the queue.
    assert_eq!(
        lines(&events, &[text(11, TextKind::Said, "Build the cart")], &messages),
        [
            "Prompt/Plain Message from lead: Build the cart",
            "Commit/Good Add a cart: ",
            "Prompt/Plain Prompt: Thanks",
            "Prompt/Plain Message from Downbeat: CI failed",
        ]
    );
    // The same words later are another message.
    let again = lines(
        &events[..1],
        &[text(500, TextKind::Said, "Build the cart")],
        &messages[..1],
    );
    assert_eq!(again[0], "Prompt/Plain Message from lead: Build  the cart");
    assert_eq!(again[2], "Prompt/Plain Prompt: Build the cart");
}

#[test]
fn each_kind_of_event_has_its_line() {
    use EventKind::{
        BudgetWarned, ChecksFinished, MergeFinished, QuestionAnswered, Reacted, Reviewed, SessionCreated,
        SessionHandedOver, SessionPaused, SessionResumed, SessionStatus, WorkerAsked, WorkerReported,
        WorkspaceRemoved,
    };
    let status = |from: &str, to: &str| json!({ "from": from, "to": to, "detail": "why" });
    for (kind, payload, line) in [
        (SessionCreated, json!(null), "Session/Plain Created: "),
        (
            SessionStatus,
            status("running", "waiting"),
            "Question/Needs Waits for you: why",
        ),
        (
            SessionStatus,
            status("running", "exited"),
            "Session/Plain Ended: why",
        ),
        (
            SessionStatus,
            status("spawning", "errored"),
            "Session/Bad Failed: why",
        ),
        (
            SessionStatus,
            status("spawning", "setup_failed"),
            "Session/Bad Its set-up failed: why",
        ),
        (
            QuestionAnswered,
            json!({ "answer": "Yes" }),
            "Question/Plain You answered its question: Yes",
        ),
        (
            QuestionAnswered,
            json!({ "answer": "No", "by": "s1" }),
            "Question/Plain Its conductor answered its question: No",
        ),
        (
            WorkerAsked,
            json!({ "question": "Which?" }),
            "Question/Needs Asked its conductor: Which?",
        ),
        (
            WorkerReported,
            json!({ "status": "done", "summary": "All of it", "files": [], "at": at(1) }),
            "Report/Plain Reported its task as done: All of it",
        ),
        (
            ChecksFinished,
            json!({ "green": true, "verified": true, "detail": "2 checks" }),
            "Checks/Good Its work is verified: 2 checks",
        ),
        (
            ChecksFinished,
            json!({ "green": true }),
            "Checks/Good Its checks passed: ",
        ),
        (
            ChecksFinished,
            json!({ "green": false, "detail": "test: exit 1" }),
            "Checks/Bad Its checks failed: test: exit 1",
        ),
        (
            MergeFinished,
            json!({ "outcome": "landed", "detail": "into main" }),
            "Merge/Good Merged: into main",
        ),
        (
            MergeFinished,
            json!({ "outcome": "conflict" }),
            "Merge/Bad Its merge has conflicts: ",
        ),
        (
            Reviewed,
            json!({ "verdict": "approved", "byPerson": true, "commit": "a1b2c3d4e5", "summary": "Good." }),
            "Review/Good You approved its work at a1b2c3d4: Good.",
        ),
        (
            Reviewed,
            json!({ "verdict": "changesRequested", "byPerson": false, "commit": "a1b2c3d4e5", "summary": "" }),
            "Review/Needs Its conductor requested changes at a1b2c3d4: ",
        ),
        (
            Reacted,
            json!({ "rule": "ci-failed", "outcome": "done", "detail": "sent" }),
            "Reaction/Plain The reaction ci-failed ran: sent",
        ),
        (
            Reacted,
            json!({ "rule": "ci-failed", "outcome": "failed", "detail": "no" }),
            "Reaction/Bad The reaction ci-failed failed: no",
        ),
        (
            SessionPaused,
            json!({ "why": "over its budget" }),
            "Session/Needs Paused: over its budget",
        ),
        (
            SessionResumed,
            json!({ "fresh": true }),
            "Session/Plain Started again, with a new conversation: ",
        ),
        (
            SessionHandedOver,
            json!({ "from": "claude", "to": "codex" }),
            "Session/Plain Handed over from claude to codex: ",
        ),
        (
            BudgetWarned,
            json!({ "used": "$4 of $5" }),
            "Budget/Needs A budget is nearly used up: $4 of $5",
        ),
        (
            WorkspaceRemoved,
            json!({ "backup": "b1" }),
            "Session/Plain Its worktree was removed, and its work saved: b1",
        ),
    ] {
        assert_eq!(lines(&[event(1, kind, payload)], &[], &[])[0], line);
    }
}

#[test]
fn what_only_repeats_something_else_is_left_out() {
    let status = |payload| event(1, EventKind::SessionStatus, payload);
    for payload in [
        json!({ "from": "idle", "to": "running" }),
        json!({ "from": "running", "to": "waiting", "asked": true }),
        json!({ "from": "running", "to": "exited", "goesOn": true }),
        json!({ "from": "exited", "to": "exited" }),
        // Words of a newer version.
        json!({ "from": "running", "to": "asleep" }),
        json!(null),
    ] {
        assert_eq!(lines(&[status(payload.clone())], &[], &[]).len(), 1, "{payload}");
    }
}

#[test]
fn a_commit_comes_after_what_else_happened_in_its_second() {
    let created = EventRow {
        at: at(50) + SignedDuration::from_millis(700),
        ..event(50, EventKind::SessionCreated, json!(null))
    };
    assert_eq!(
        lines(&[created], &[], &[]),
        ["Session/Plain Created: ", "Commit/Good Add a cart: "]
    );
}
