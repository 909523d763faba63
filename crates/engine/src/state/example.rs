//! Sessions and projects for tests: the least that makes one, to be changed by whoever needs more.

use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::session::Pause;
use downbeat_model::{
    About, Activity, EventKind, Evidence, EvidenceSource, Fact, FactKind, Limited, Observed, OpenQuestion,
    PermissionMode, ProjectId, Question, QuestionKind, SessionId, Status, UsageLimit,
};
use downbeat_store::{ProjectRow, SessionRow};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A moment, by its second.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// The identifier of the session of this number.
pub fn id(number: u32) -> SessionId {
    SessionId::parse(&format!("s{number:012}")).unwrap()
}

/// A project, in which all sessions of these tests are.
pub fn project() -> ProjectRow {
    ProjectRow {
        id: ProjectId::parse("p000000000001").unwrap(),
        name: "shop".into(),
        path: "/shop".into(),
        default_branch: "main".into(),
        trusted: true,
        permission_mode: PermissionMode::default(),
        approved_setup: None,
        conductors_answer: false,
        vouched: None,
        created_at: at(0),
    }
}

/// A session that rests since second 0, asked for at the second of its number.
pub fn session(number: u32) -> SessionRow {
    let evidence = json!({"source": "engine", "detail": "", "at": at(0)});
    let row = json!({
        "id": id(number), "name": format!("session-{number}"), "title": "", "projectId": project().id, "role": "session",
        "depth": 0, "agent": "claude", "model": null, "permissionMode": "ask", "status": "idle", "statusEvidence": evidence,
        "statusSince": at(0), "workspace": "worktree", "steps": [], "createdAt": at(number.into()),
        "lastActivityAt": at(0), "token": "",
    });
    serde_json::from_value(row).unwrap()
}

/// A session in this status.
pub fn with(number: u32, status: Status) -> SessionRow {
    SessionRow {
        status,
        ..session(number)
    }
}

/// A worker of `parent`, one level below it.
pub fn worker(number: u32, parent: &SessionRow) -> SessionRow {
    SessionRow {
        parent: Some(parent.id.clone()),
        depth: parent.depth + 1,
        ..session(number)
    }
}

/// The same session, paused by the person at second 0.
pub fn paused(mut row: SessionRow) -> SessionRow {
    row.hold.pause = Some(Pause {
        at: at(0),
        why: "paused by you".into(),
        budget: None,
        interrupts: false,
    });
    row
}

/// A session that waits for a usage limit, which was told at second 0 and ends at second `ends`.
pub fn limited(number: u32, ends: Option<i64>) -> SessionRow {
    let mut row = with(number, Status::Waiting);
    let mut seen = observed(Activity::Blocked);
    seen.limit = Some(Limited {
        limit: UsageLimit {
            text: "usage limit".into(),
            resets_at: ends.map(at),
        },
        at: at(0),
        refusals: 1,
        message: None,
    });
    row.observed = Some(seen);
    row
}

/// What this source saw at this second.
pub fn fact(second: i64, source: EvidenceSource, kind: FactKind) -> Fact {
    Fact {
        at: at(second),
        source,
        detail: "seen".into(),
        kind,
        about: About::default(),
    }
}

/// What is known of an agent that has been at this since second 0.
pub fn observed(activity: Activity) -> Observed {
    let mut seen = Observed::started(at(0));
    seen.activity = activity;
    seen
}

/// A session that waits since second `since` with a question.
pub fn asking(number: u32, kind: QuestionKind, since: i64) -> SessionRow {
    let mut row = session(number);
    row.status = Status::Waiting;
    let mut seen = observed(Activity::Idle);
    seen.open.push(OpenQuestion {
        question: Question {
            kind,
            text: "Which?".into(),
            options: Vec::new(),
        },
        about: About::default(),
        evidence: Evidence {
            source: EvidenceSource::Hook,
            detail: String::new(),
            at: at(since),
        },
    });
    row.observed = Some(seen);
    row
}

/// A state with these sessions in the one project.
pub fn state(sessions: impl IntoIterator<Item = SessionRow>) -> State {
    let mut draft = Draft::of(State::default());
    draft.put_project(project());
    for row in sessions {
        draft.put_session(row);
    }
    draft.into_state()
}

/// A change of these sessions, made at this second.
pub fn draft(second: i64, sessions: impl IntoIterator<Item = SessionRow>) -> Draft {
    Draft::made_at(state(sessions), at(second))
}

/// The events of this kind that a change writes: what each says.
pub fn events(draft: &Draft, kind: EventKind) -> Vec<Value> {
    let events = draft.unwritten().filter(|event| event.kind == kind);
    events.map(|event| event.payload).collect()
}

/// What a change tells the person: `needsInput: Which?`.
pub fn told(draft: &Draft) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let notices = events(draft, EventKind::Notice).into_iter();
    notices
        .map(|notice| format!("{}: {}", word(&notice["kind"]), word(&notice["text"])))
        .collect()
}
