//! Rows with every field set, and a database for them.

use downbeat_model::session::{
    Base, BudgetScope, Checks, Collisions, Exchanges, Hold, Intent, LastReport, Lineage, Merging, Pause,
    Reacted, RemovalChoices, Removed, ReportStatus, RunProgress, WorkerReport, steps,
};
use downbeat_model::{
    About, Activity, Evidence, EvidenceSource, Limited, Observed, OpenQuestion, PermissionMode, ProjectId,
    Question, QuestionKind, Retry, Role, SessionId, Status, Subject, UsageLimit, Workspace,
};
use downbeat_store::{ProjectRow, SessionRow, Store};
use jiff::Timestamp;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Sandbox {
    pub folder: TempDir,
    pub file: PathBuf,
    pub store: Store,
}

pub async fn sandbox() -> Sandbox {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data").join("downbeat.db");
    let store = Store::open(&file).await.unwrap();
    Sandbox { folder, file, store }
}

pub fn at(nanoseconds: i128) -> Timestamp {
    Timestamp::from_nanosecond(1_790_000_000_123_456_789 + nanoseconds).unwrap()
}

pub fn project(name: &str) -> ProjectRow {
    ProjectRow {
        id: ProjectId::random().unwrap(),
        name: name.into(),
        path: format!("/tmp/é '{name}'"),
        default_branch: "main".into(),
        trusted: true,
        permission_mode: PermissionMode::AcceptEdits,
        approved_setup: Some("hash".into()),
        conductors_answer: false,
        allowed_commits: Some("1234 5678".into()),
        repositories: Some("github.com/acme/shop".into()),
        completed_by: SessionId::parse("s000000000001"),
        created_at: at(1),
    }
}

pub fn about(session: &SessionId) -> Subject {
    Subject::Session(session.clone())
}

pub fn session(project: &ProjectId, name: &str, parent: Option<&SessionId>) -> SessionRow {
    let evidence = Evidence {
        source: EvidenceSource::Hook,
        detail: "Stop hook".into(),
        at: at(2),
    };
    SessionRow {
        id: SessionId::random().unwrap(),
        name: name.into(),
        title: "'; DROP TABLE sessions; -- 🎉\n".into(),
        project_id: project.clone(),
        role: Role::Worker,
        parent: parent.cloned(),
        depth: 2,
        agent: "claude".into(),
        model: Some("opus".into()),
        permission_mode: PermissionMode::Plan,
        task: "x".repeat(100_000),
        status: Status::SetupFailed,
        observed: Some(Observed {
            activity: Activity::WaitingInput,
            evidence: evidence.clone(),
            since: at(3),
            open: vec![OpenQuestion {
                question: Question {
                    kind: QuestionKind::Permission,
                    text: "Bash: ls".into(),
                    options: vec!["Yes".into(), "No".into()],
                },
                about: About::default(),
                evidence: evidence.clone(),
            }],
            left: None,
            has_hooks: true,
            tasks: Default::default(),
            sub_agents: Default::default(),
            own_at: Some(at(6)),
            stuck: None,
            tools: None,
            limit: Some(Limited {
                limit: UsageLimit {
                    text: "limit".into(),
                    resets_at: Some(at(9)),
                },
                at: at(8),
                refusals: 2,
                message: Some(7),
            }),
            refusals: 2,
            blocked: Some("no key".into()),
            retry: Some(Retry {
                text: "overloaded".into(),
                at: Some(at(9)),
                attempt: Some(2),
                most: Some(10),
                by_limit: false,
            }),
            answer: Some("Done.".into()),
            program: Some("vim".into()),
        }),
        status_evidence: evidence,
        status_since: at(4),
        error: Some("no".into()),
        workspace: Workspace::InPlace,
        workspace_path: Some("/w".into()),
        branch: Some("feature/x".into()),
        base: Some(Base {
            name: "main".into(),
            commit: "abc".into(),
            behind: 3,
        }),
        port: Some(65535),
        steps: steps(),
        created_at: at(5),
        last_activity_at: at(6),
        exit_code: Some(-1),
        conversation: Some("c".into()),
        token: "t".into(),
        keeper: Some("12 345".into()),
        copies: Some(json!({".env": {"hash": "h"}})),
        run: RunProgress {
            taken_up: 1,
            was_shown: true,
            had_turn: Some(false),
            said: Some(true),
            made: Some(json!({ "files": {} })),
            commands: Some(vec![vec!["npm".into(), "ci".into()]]),
            failed: Some(0),
        },
        has_backup: true,
        notified_through: i64::MAX,
        intent: Some(Intent::Remove(RemovalChoices {
            delete_branch: true,
            forget: false,
            force: true,
        })),
        removed: Some(Removed {
            commit: Some("abc".into()),
            ..Removed::default()
        }),
        checks: Checks::default(),
        changed: None,
        review: None,
        collisions: Collisions::default(),
        exchanges: Exchanges::default(),
        pulls: Vec::new(),
        untold_merge: None,
        reacted: Reacted::new(),
        started_by_rule: None,
        goal_to_plan: None,
        reactions_paused: false,
        reactions_off: BTreeSet::new(),
        issue: None,
        merging: Merging::default(),
        result: Some(LastReport {
            report: WorkerReport {
                status: ReportStatus::Partial,
                summary: "half".into(),
                files: vec!["a.rs".into()],
                at: at(10),
            },
            fresh: true,
            unchecked: None,
        }),
        lineage: Lineage {
            first: Some("go on".into()),
            ..Lineage::default()
        },
        hold: Hold {
            go_on: Some(true),
            pause: Some(Pause {
                at: at(11),
                why: "by you".into(),
                budget: Some(BudgetScope::Subtree),
                interrupts: true,
            }),
            ..Hold::default()
        },
        archived_at: Some(at(7)),
        last_prompt: Some("do it".into()),
        side_shell_of: None,
        conducts: true,
        one_shot: true,
    }
}
