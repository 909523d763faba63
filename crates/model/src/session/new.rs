//! A session that was just asked for: everything that is the same for all new sessions. What its maker decides, such as the agent
//! and the workspace, is set there.

use super::{
    Checks, Collisions, Exchanges, Hold, Lineage, Merging, Reacted, Role, RunProgress, Session, Workspace,
    steps,
};
use crate::{Evidence, PermissionMode, ProjectId, SessionId, Status};
use std::collections::BTreeSet;

impl Session {
    /// Returns a session that was asked for at the time of `evidence`, with nothing done yet. It has no name, agent or token.
    #[must_use]
    pub fn new(id: SessionId, project_id: ProjectId, evidence: Evidence) -> Self {
        let now = evidence.at;
        Self {
            id,
            name: String::new(),
            title: String::new(),
            project_id,
            role: Role::default(),
            parent: None,
            depth: 0,
            agent: String::new(),
            model: None,
            permission_mode: PermissionMode::default(),
            task: String::new(),
            conducts: false,
            one_shot: false,
            status: Status::Spawning,
            observed: None,
            status_evidence: evidence,
            status_since: now,
            error: None,
            workspace: Workspace::default(),
            workspace_path: None,
            branch: None,
            base: None,
            port: None,
            steps: steps(),
            created_at: now,
            last_activity_at: now,
            exit_code: None,
            conversation: None,
            token: String::new(),
            keeper: None,
            copies: None,
            run: RunProgress::default(),
            has_backup: false,
            notified_through: 0,
            intent: None,
            removed: None,
            result: None,
            checks: Checks::default(),
            changed: None,
            review: None,
            collisions: Collisions::default(),
            exchanges: Exchanges::default(),
            merging: Merging::default(),
            issue: None,
            pulls: Vec::new(),
            untold_merge: None,
            reacted: Reacted::new(),
            reactions_paused: false,
            reactions_off: BTreeSet::new(),
            started_by_rule: None,
            goal_to_plan: None,
            lineage: Lineage::default(),
            hold: Hold::default(),
            archived_at: None,
            last_prompt: None,
            side_shell_of: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EvidenceSource;
    use crate::session::{STEPS, StepState};

    #[test]
    fn a_new_session_was_asked_for_and_has_done_nothing() {
        let at = jiff::Timestamp::from_second(7).unwrap();
        let evidence = Evidence {
            source: EvidenceSource::Engine,
            detail: "asked for".into(),
            at,
        };
        let id = SessionId::parse("s000000000001").unwrap();
        let project = ProjectId::parse("p000000000001").unwrap();
        let new = Session::new(id, project, evidence);
        assert_eq!(
            (new.status, new.status_since, new.created_at),
            (Status::Spawning, at, at)
        );
        assert_eq!(new.last_activity_at, at);
        assert_eq!(new.steps.len(), STEPS.len());
        assert!(new.steps.iter().all(|step| step.state == StepState::Waiting));
        assert!(!new.was_up() && !new.had_turn() && !new.is_done());
        // It is stored as a document from which every field that may be missing is missing or empty.
        let read: Session = serde_json::from_value(serde_json::to_value(&new).unwrap()).unwrap();
        assert_eq!(read, new);
    }
}
