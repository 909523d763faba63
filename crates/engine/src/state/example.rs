//! Sessions and projects for tests: the least that makes one, to be changed by whoever needs more.

use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::{
    About, Activity, Evidence, EvidenceSource, Observed, OpenQuestion, PermissionMode, ProjectId, Question,
    QuestionKind, SessionId, Status,
};
use downbeat_store::{ProjectRow, SessionRow};
use jiff::Timestamp;
use serde_json::json;

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
