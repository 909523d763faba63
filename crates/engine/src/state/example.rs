//! Minimal sessions and projects for tests, to be changed as each test needs.

use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::session::Pause;
use downbeat_model::{
    About, Activity, EventKind, Evidence, EvidenceSource, Fact, FactKind, Limited, Observed, OpenQuestion,
    PermissionMode, PlanId, ProjectId, Question, QuestionKind, SessionId, Status, UsageLimit,
};
use downbeat_plans::{Domains, PlanRecord, Split, read_goal};
use downbeat_store::{ProjectRow, SessionRow};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Returns the moment of this second.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Returns the identifier of the session with this number.
pub fn id(number: u32) -> SessionId {
    SessionId::parse(&format!("s{number:012}")).unwrap()
}

/// Returns the project of all sessions in these tests.
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
        allowed_commits: None,
        repositories: Some("github.com/acme/shop gitlab.com/acme/shop".into()),
        completed_by: None,
        created_at: at(0),
    }
}

/// Returns a session that is idle since second 0, created at the second of its number.
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

/// Returns a session in this status.
pub fn with(number: u32, status: Status) -> SessionRow {
    SessionRow {
        status,
        ..session(number)
    }
}

/// Returns a worker of `parent`, one level below it.
pub fn worker(number: u32, parent: &SessionRow) -> SessionRow {
    SessionRow {
        parent: Some(parent.id.clone()),
        depth: parent.depth + 1,
        ..session(number)
    }
}

/// Returns the session, paused by the person at second 0.
pub fn paused(mut row: SessionRow) -> SessionRow {
    row.hold.pause = Some(Pause {
        at: at(0),
        why: "paused by you".into(),
        budget: None,
        interrupts: false,
    });
    row
}

/// Returns a session that waits for a usage limit, which was reported at second 0 and ends at second `ends`.
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

/// Returns a fact from this source at this second.
pub fn fact(second: i64, source: EvidenceSource, kind: FactKind) -> Fact {
    Fact {
        at: at(second),
        source,
        detail: "seen".into(),
        kind,
        about: About::default(),
    }
}

/// Returns the observation of an agent with this activity since second 0.
pub fn observed(activity: Activity) -> Observed {
    let mut seen = Observed::started(at(0));
    seen.activity = activity;
    seen
}

/// Returns a session that waits since second `since` with a question.
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

/// Returns a state with these sessions in the one project.
pub fn state(sessions: impl IntoIterator<Item = SessionRow>) -> State {
    let mut draft = Draft::of(State::default());
    draft.put_project(project());
    for row in sessions {
        draft.put_session(row);
    }
    draft.into_state()
}

/// Returns a draft over these sessions, made at this second.
pub fn draft(second: i64, sessions: impl IntoIterator<Item = SessionRow>) -> Draft {
    Draft::made_at(state(sessions), at(second))
}

/// Adds the project `api`, and a plan of `shop` with these tasks, of which some are worked on in `api`. Each has a worker of its own:
/// session 1, 2, and so on.
pub fn planned(draft: &mut Draft, tasks: &str, in_api: &[&str]) {
    let api = ProjectRow {
        id: ProjectId::parse("p000000000002").unwrap(),
        name: "api".into(),
        path: "/api".into(),
        ..project()
    };
    let mut plan = read_goal(tasks, &Domains::default()).unwrap();
    for task in &mut plan.tasks {
        let is_there = in_api.contains(&task.id.as_str());
        task.project_id = is_there.then(|| api.id.clone());
        task.project = Some(if is_there { "api" } else { "shop" }.to_owned());
    }
    let plan_id = PlanId::parse("pl000000000001").unwrap();
    let mut plan = PlanRecord::new(plan_id, project().id, plan, Split::Task, at(0));
    for (place, one) in plan.shares.iter_mut().enumerate() {
        one.session = Some(id(u32::try_from(place + 1).unwrap()));
    }
    draft.put_project(api);
    draft.put_plan(plan);
}

/// Changes the plan of [`planned`].
pub fn change_plan(draft: &mut Draft, change: impl FnOnce(&mut PlanRecord)) {
    let mut plan = PlanRecord::clone(draft.state().plans.values().next().unwrap());
    change(&mut plan);
    draft.put_plan(plan);
}

/// Returns the payloads of the events of this kind that a draft writes.
pub fn events(draft: &Draft, kind: EventKind) -> Vec<Value> {
    let events = draft.unwritten().filter(|event| event.kind == kind);
    events.map(|event| event.payload).collect()
}

/// Returns the notices that a draft writes: `needsInput: Which?`.
pub fn told(draft: &Draft) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let notices = events(draft, EventKind::Notice).into_iter();
    notices
        .map(|notice| format!("{}: {}", word(&notice["kind"]), word(&notice["text"])))
        .collect()
}
