//! Tables of collisions: who is compared with whom, when, what is kept, and what a conductor is told.

use super::{due, found, others, record, words, work};
use crate::state::draft::Draft;
use crate::state::example::{at, draft, id, session, state, worker};
use downbeat_model::EventKind;
use downbeat_model::session::{Changed, CollidingFile, Collision};
use downbeat_store::SessionRow;

fn counted(mut row: SessionRow, second: i64, paths: &[&str]) -> SessionRow {
    row.workspace_path = Some(format!("/shop/{}", row.name));
    let changed = Changed::counted(None, None, Some("a".into()), None, at(second));
    row.changed = Some(changed.of_paths(paths.iter().map(|path| (*path).to_owned()).collect()));
    row
}

fn file(path: &str, same_place: bool, conflicts: bool) -> CollidingFile {
    CollidingFile {
        path: path.into(),
        same_place,
        conflicts,
    }
}

fn collision(with: u32, second: i64, same_place: bool) -> Collision {
    found(&id(with), vec![file("a", same_place, false)], at(second)).unwrap()
}

fn kinds(draft: &Draft) -> Vec<(EventKind, String)> {
    draft
        .unwritten()
        .map(|event| (event.kind, event.subject.session().unwrap().as_str().to_owned()))
        .collect()
}

#[test]
fn only_worktrees_with_work_that_has_not_landed_are_compared() {
    let row = counted(session(1), 5, &["a"]);
    assert!(work(&row).is_some());
    let gone = |change: &dyn Fn(&mut SessionRow)| {
        let mut row = row.clone();
        change(&mut row);
        work(&row).is_none()
    };
    assert!(gone(&|row| row.workspace_path = None), "removed");
    assert!(gone(&|row| row.archived_at = Some(at(9))), "archived");
    assert!(
        gone(&|row| row.changed.as_mut().unwrap().paths.clear()),
        "no work"
    );
    assert!(gone(&|row| row.changed = None), "not counted yet");
    assert!(
        gone(&|row| row.workspace = downbeat_model::Workspace::InPlace),
        "no worktree"
    );
    assert!(gone(&|row| row.side_shell_of = Some(id(2))), "a side shell");
    let landed = serde_json::json!({ "run": null, "last": { "outcome": "landed", "target": "main", "head": "",
        "commit": null, "detail": "", "files": [], "at": at(9) } });
    assert!(
        gone(&|row| row.merging = serde_json::from_value(landed.clone()).unwrap()),
        "landed"
    );
}

#[test]
fn a_session_is_compared_with_those_that_changed_the_same_files_most_first() {
    let mut other_project = counted(session(5), 5, &["a", "b"]);
    other_project.project_id = downbeat_model::ProjectId::parse("p000000000002").unwrap();
    let state = state([
        counted(session(1), 5, &["a", "b"]),
        counted(session(2), 5, &["b", "c"]),
        counted(session(3), 5, &["a", "b"]),
        counted(session(4), 5, &["c"]),
        other_project,
    ]);
    let told = |number| {
        let others = others(&state, &state.sessions[&id(number)]);
        let told = others
            .into_iter()
            .map(|other| (other.row.name.clone(), other.paths.join(" ")));
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        told(1),
        [
            ("session-3".into(), "a b".into()),
            ("session-2".into(), "b".into())
        ]
    );
    assert_eq!(told(4), [("session-2".to_owned(), "c".to_owned())]);
}

#[test]
fn each_count_is_compared_once_and_what_is_known_is_not_read_again() {
    let rows = [counted(session(1), 5, &["a"]), counted(session(2), 5, &["a"])];
    let mut draft = draft(10, rows);
    let mark = |draft: &Draft, number| due(draft.state(), &draft.state().sessions[&id(number)]);
    assert!(mark(&draft, 1).is_some() && mark(&draft, 2).is_some());
    record(&mut draft, &id(1), Some(at(5)), &[collision(2, 6, false)]).unwrap();
    assert!(mark(&draft, 1).is_none());
    // The other one has its own count to look at, and finds the pair known.
    assert!(mark(&draft, 2).is_some());
    let known = |draft: &Draft| {
        others(draft.state(), &draft.state().sessions[&id(2)])[0]
            .known
            .clone()
    };
    assert_eq!(known(&draft).unwrap().session, id(1));
    let again = counted(draft.state().sessions[&id(1)].as_ref().clone(), 7, &["a"]);
    draft.put_session(again);
    assert!(
        mark(&draft, 1).is_some() && known(&draft).is_none(),
        "it was counted again"
    );
}

#[test]
fn both_sessions_know_and_only_what_is_new_is_an_event() {
    let rows = [counted(session(1), 5, &["a"]), counted(session(2), 5, &["a"])];
    let mut draft = draft(10, rows);
    record(&mut draft, &id(1), Some(at(4)), &[collision(2, 6, true)]).unwrap();
    assert!(kinds(&draft).is_empty(), "it was counted again meanwhile");
    record(&mut draft, &id(1), Some(at(5)), &[collision(2, 6, true)]).unwrap();
    let changed = |number| (EventKind::SessionChanged, id(number).as_str().to_owned());
    assert_eq!(kinds(&draft), [changed(1), changed(2)]);
    let with = |draft: &Draft, number: u32| {
        let all = &draft.state().sessions[&id(number)].collisions.all;
        all.iter().map(|one| one.session.clone()).collect::<Vec<_>>()
    };
    assert_eq!((with(&draft, 1), with(&draft, 2)), (vec![id(2)], vec![id(1)]));
    record(&mut draft, &id(2), Some(at(5)), &[collision(1, 7, true)]).unwrap();
    assert_eq!(kinds(&draft).len(), 2, "the same again");
    record(&mut draft, &id(2), Some(at(5)), &[]).unwrap();
    assert_eq!(kinds(&draft).len(), 4);
    assert!(with(&draft, 1).is_empty() && with(&draft, 2).is_empty());
}

#[test]
fn what_landed_or_is_gone_collides_no_more() {
    let rows = [counted(session(1), 5, &["a"]), counted(session(2), 5, &["a"])];
    let mut draft = draft(10, rows);
    record(&mut draft, &id(1), Some(at(5)), &[collision(2, 6, true)]).unwrap();
    let mut other = draft.state().sessions[&id(2)].as_ref().clone();
    other.workspace_path = None;
    draft.put_session(other);
    let is_due = |draft: &Draft, number| {
        let row = &draft.state().sessions[&id(number)];
        due(draft.state(), row).is_some()
    };
    assert!(is_due(&draft, 1) && is_due(&draft, 2));
    // Whichever is compared first, both know.
    record(&mut draft, &id(2), None, &[]).unwrap();
    for number in [1, 2] {
        let all = &draft.state().sessions[&id(number)].collisions.all;
        assert!(all.is_empty() && !is_due(&draft, number), "{number}");
    }
}

#[test]
fn the_conductor_of_both_is_told_once_and_only_of_the_same_place() {
    let lead = session(9);
    let rows = [
        lead.clone(),
        counted(worker(1, &lead), 5, &["a"]),
        counted(worker(2, &lead), 5, &["a"]),
        counted(session(3), 5, &["a"]),
    ];
    let mut draft = draft(10, rows);
    let told = |draft: &Draft| {
        let is_told = |(kind, _): &(EventKind, String)| *kind == EventKind::WorkersCollided;
        kinds(draft).into_iter().filter(is_told).count()
    };
    record(&mut draft, &id(1), Some(at(5)), &[collision(2, 6, false)]).unwrap();
    assert_eq!(told(&draft), 0, "other places of one file");
    record(
        &mut draft,
        &id(1),
        Some(at(5)),
        &[collision(2, 7, true), collision(3, 7, true)],
    )
    .unwrap();
    assert_eq!(told(&draft), 1, "not of a session that is none of its workers");
    record(&mut draft, &id(2), Some(at(5)), &[collision(1, 8, true)]).unwrap();
    record(&mut draft, &id(2), Some(at(5)), &[]).unwrap();
    record(&mut draft, &id(2), Some(at(5)), &[collision(1, 9, true)]).unwrap();
    assert_eq!(told(&draft), 1, "once");
}

#[test]
fn the_words_name_the_files_that_matter_and_the_end() {
    let of = |files: Vec<CollidingFile>| words("login", &found(&id(2), files, at(1)).unwrap());
    assert_eq!(
        of(vec![file("a\nb", true, true), file("c", false, false)]),
        "changed the same lines as login in a\\nb; merging both would conflict"
    );
    let many = ["a", "b", "c", "d"].map(|path| file(path, true, false));
    assert_eq!(
        of(many.to_vec()),
        "changed the same lines as login in a, b, c and more; both still merge"
    );
    assert!(found(&id(2), Vec::new(), at(1)).is_none());
}
