//! Tables of the shells of a session: how one is planned, and which ones a removal has to ask about.

use super::*;
use crate::state::example::{at, draft, events, id, observed, session, state, with};
use downbeat_model::{Activity, EventKind, Role};

/// Returns the shell of session 1 with this number, which runs a program if one is named.
fn shell(number: u32, runs: Option<&str>) -> SessionRow {
    let mut row = planned(&state([session(1)]), &session(1), id(100 + number), at(0)).unwrap();
    row.name = format!("session-1{INFIX}{number}");
    row.status = runs.map_or(Status::Idle, |_| Status::Running);
    let mut seen = observed(Activity::Active);
    seen.program = runs.map(str::to_owned);
    row.observed = Some(seen);
    row
}

fn with_shells(shells: impl IntoIterator<Item = SessionRow>) -> State {
    state([session(1), session(2)].into_iter().chain(shells))
}

fn ended(mut row: SessionRow) -> SessionRow {
    row.status = Status::Killed;
    row
}

#[test]
fn a_removal_asks_about_programs_and_an_agent_about_every_shell() {
    for (shells, person, agent) in [
        (vec![], "", ""),
        (vec![shell(1, None)], "", "a shell that the person opened"),
        (
            vec![shell(1, None), shell(2, None)],
            "",
            "2 shells that the person opened",
        ),
        (
            vec![shell(1, Some("make")), shell(2, None)],
            "a shell that runs make",
            "2 shells that the person opened",
        ),
        (
            vec![shell(2, Some("vim")), shell(1, Some("make"))],
            "2 shells that run make, vim",
            "2 shells that the person opened",
        ),
        (vec![ended(shell(1, Some("make")))], "", ""),
    ] {
        let state = with_shells(shells);
        assert_eq!(held(&state, &Caller::Owner, &id(1)), person);
        assert_eq!(held(&state, &Caller::Session(id(1)), &id(1)), agent);
        assert_eq!(held(&state, &Caller::Owner, &id(2)), "", "another session's");
        let refused = refuse_held(&state, &session(1)).err();
        let message = refused.as_ref().map(|error| error.message.clone());
        assert_eq!(message.is_some(), !person.is_empty());
        if let Some(error) = refused {
            assert_eq!(error.code, Code::UnsavedWork);
            assert_eq!(error.message, format!("session-1 has {person}"));
        }
    }
}

#[test]
fn a_shell_gets_the_smallest_number_that_is_free() {
    for (taken, wanted) in [
        (vec![], 1),
        (vec![shell(1, None)], 2),
        (vec![shell(2, None), shell(3, None)], 1),
        (vec![shell(1, None), shell(3, None)], 2),
        // A shell that ended and is not cleared away yet still has its name.
        (vec![ended(shell(1, None))], 2),
    ] {
        let row = planned(&with_shells(taken), &session(1), id(50), at(9)).unwrap();
        assert_eq!(row.name, format!("session-1/shell-{wanted}"));
        assert_eq!(row.title, format!("Shell {wanted}"));
    }
    let other = planned(&with_shells([shell(1, None)]), &session(2), id(50), at(9)).unwrap();
    assert_eq!(other.name, "session-2/shell-1");
}

#[test]
fn a_session_has_a_bounded_number_of_shells() {
    let most = u32::try_from(MOST).unwrap();
    let state = with_shells((1..most).map(|number| shell(number, None)));
    let last = planned(&state, &session(1), id(50), at(9)).unwrap();
    assert_eq!(row::number(&last), most);
    let state = with_shells((1..=most).map(|number| shell(number, None)));
    let error = planned(&state, &session(1), id(50), at(9)).unwrap_err();
    assert_eq!(error.code, Code::LimitReached);
    assert_eq!(error.message, "session-1 already has 16 side shells, the maximum");
}

#[test]
fn a_shell_shares_the_place_of_its_session_and_nothing_else() {
    let mut own = with(1, Status::Errored);
    own.workspace_path = Some("/worktree".into());
    own.branch = Some("fix".into());
    own.port = Some(3100);
    (own.conducts, own.one_shot, own.has_backup, own.notified_through) = (true, true, true, 7);
    (own.error, own.conversation) = (Some("failed".into()), Some("c1".into()));
    (own.token, own.task, own.parent) = ("secret".into(), "fix it".into(), Some(id(2)));
    (own.exit_code, own.archived_at, own.role) = (Some(1), Some(at(1)), Role::Conductor);
    let row = planned(&state([own.clone()]), &own, id(50), at(9)).unwrap();
    assert_eq!(
        (&row.workspace_path, &row.branch, row.port),
        (&own.workspace_path, &own.branch, own.port)
    );
    assert_eq!(
        (row.agent.as_str(), row.status, row.side_shell_of),
        (SHELL, Status::Spawning, Some(id(1)))
    );
    assert_eq!(
        (row.status_since, row.created_at, row.last_activity_at),
        (at(9), at(9), at(9))
    );
    assert_eq!(row.status_evidence, status::by_engine("opened by you", at(9)));
    assert!(!row.conducts && !row.one_shot && !row.has_backup && row.notified_through == 0);
    assert_eq!(
        (row.error, row.conversation, row.parent, row.exit_code),
        (None, None, None, None)
    );
    assert_eq!(
        (row.token.as_str(), row.task.as_str(), row.archived_at),
        ("", "", None)
    );
    assert_eq!(
        (row.role, row.observed, row.model, row.intent),
        (Role::Session, None, None, None)
    );
    assert_eq!(
        (row.keeper, row.result, row.last_prompt, row.removed),
        (None, None, None, None)
    );
    assert_eq!(row.steps, downbeat_model::session::steps());
}

#[test]
fn an_archived_session_gets_no_shell() {
    let mut row = session(1);
    assert!(is_listed(&row).is_ok());
    row.archived_at = Some(at(0));
    let error = is_listed(&row).unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (Code::Conflict, "session-1 is archived")
    );
}

#[test]
fn the_end_of_all_open_shells_of_a_session_is_recorded() {
    let shells = [shell(1, None), shell(2, Some("make")), ended(shell(3, None))];
    let mut draft = draft(50, [session(1)].into_iter().chain(shells));
    assert_eq!(
        note_kill(&mut draft, &id(1), "by you").unwrap(),
        [id(101), id(102)]
    );
    let has_intent = |draft: &mut Draft, number| draft.session(&id(number)).unwrap().intent.is_some();
    assert!(has_intent(&mut draft, 101) && has_intent(&mut draft, 102) && !has_intent(&mut draft, 103));
    assert!(!has_intent(&mut draft, 1), "not the session itself");
    assert_eq!(events(&draft, EventKind::SessionKilled).len(), 2);
    let dead = killed(&shell(1, None), at(60));
    assert_eq!(dead.status, Status::Killed);
    assert_eq!(dead.status_evidence, status::by_engine("killed by you", at(60)));
}
