//! What is merged of plans, in which order, and what that keeps back.

use super::{MergeChoices, MergeStep, Merging, WorkerFacts};
use crate::domain::Domains;
use crate::forms::{read_file, read_goal};
use crate::plan::Plan;
use crate::record::{PlanRecord, PlanState};
use crate::schedule::ShareState;
use crate::share::Split;
use crate::template::Templates;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn record(plan: Plan) -> PlanRecord {
    let (id, project) = ("pl000000000001", "p000000000001");
    let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
    PlanRecord::new(id, project, plan, Split::Task, NOW)
}

fn list(text: &str) -> PlanRecord {
    record(read_goal(text, &Domains::default()).unwrap())
}

fn by_template(name: &str, text: &str) -> PlanRecord {
    let plan = read_goal(text, &Domains::default()).unwrap();
    record(Templates::default().apply(name, plan).unwrap())
}

/// Counts a task as done by a session, with a commit of its own.
fn done(plan: &mut PlanRecord, task: &str) {
    let place = place(plan, task);
    plan.shares[place].session = SessionId::parse("s000000000001");
    plan.done(place, Some(format!("commit of {task}")), NOW);
}

fn place(plan: &PlanRecord, task: &str) -> usize {
    plan.place_of(task).unwrap()
}

fn known(plan: &PlanRecord) -> Vec<WorkerFacts> {
    let one = WorkerFacts {
        is_known: true,
        is_archived: false,
        base: Some("base".into()),
    };
    vec![one; plan.shares.len()]
}

/// Returns what is done about each task, in this order; merges of those in `refused` are refused.
fn steps(
    plan: &PlanRecord,
    choices: MergeChoices,
    facts: Vec<WorkerFacts>,
    refused: &[&str],
) -> Vec<(String, MergeStep)> {
    let mut merging = Merging::new(plan, choices, facts);
    let mut steps = Vec::new();
    for place in merging.order() {
        let step = merging.step(place);
        let id = plan.shares[place].share.tasks[0].clone();
        if step == MergeStep::Request && refused.contains(&id.as_str()) {
            merging.refused(place);
        }
        steps.push((id, step));
    }
    steps
}

fn usual(plan: &PlanRecord) -> Vec<(String, MergeStep)> {
    steps(plan, MergeChoices::default(), known(plan), &[])
}

fn step_of(steps: &[(String, MergeStep)], task: &str) -> MergeStep {
    steps.iter().find(|(id, _)| id == task).unwrap().1
}

const CHAIN: &str = "Build UI (id: ui) (depends_on: api), Write docs (id: docs), Create API (id: api) (depends_on: db), Set up database (id: db)";

#[test]
fn what_is_needed_comes_first_and_what_is_refused_keeps_back_what_needs_it() {
    let mut plan = list(CHAIN);
    for task in ["ui", "docs", "api", "db"] {
        done(&mut plan, task);
    }
    let all = usual(&plan);
    let order: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(order, ["docs", "db", "api", "ui"]);
    assert!(all.iter().all(|(_, step)| *step == MergeStep::Request));
    let all = steps(&plan, MergeChoices::default(), known(&plan), &["db"]);
    let db = place(&plan, "db");
    assert_eq!(step_of(&all, "api"), MergeStep::Needs(db));
    assert_eq!(
        step_of(&all, "ui"),
        MergeStep::Needs(db),
        "it contains the work of db"
    );
    assert_eq!(step_of(&all, "docs"), MergeStep::Request);
}

#[test]
fn a_phase_comes_after_the_one_before_it() {
    let text = "# Tasks\n\n## Phase 1: Setup\n- [ ] T001 Create project\n- [ ] T002 [P] Add linters in lint.toml\n\n## Phase 2: Core\n- [ ] T003 [P] Add model in src/model.rs\n- [ ] T004 [P] Add view in src/view.rs\n";
    let mut plan = record(read_file(text.as_bytes(), None, &Domains::default()).unwrap());
    for task in ["T001", "T003", "T004"] {
        done(&mut plan, task);
    }
    let all = usual(&plan);
    assert_eq!(step_of(&all, "T001"), MergeStep::Request);
    assert_eq!(step_of(&all, "T002"), MergeStep::Open(ShareState::Waiting));
    let second = place(&plan, "T002");
    assert_eq!(step_of(&all, "T003"), MergeStep::After(second));
    assert_eq!(step_of(&all, "T004"), MergeStep::After(second));
}

#[test]
fn what_landed_or_was_skipped_keeps_nothing_back() {
    let mut plan = list(CHAIN);
    for task in ["ui", "api", "db"] {
        done(&mut plan, task);
    }
    let (db, docs) = (place(&plan, "db"), place(&plan, "docs"));
    plan.lands(db, "commit of db", "main as 1234567");
    plan.skip(docs, NOW);
    let all = usual(&plan);
    assert_eq!(step_of(&all, "db"), MergeStep::Landed);
    assert_eq!(step_of(&all, "docs"), MergeStep::Skipped);
    assert_eq!(step_of(&all, "api"), MergeStep::Request);
    // What landed with a later one is no longer kept back.
    let api = place(&plan, "api");
    plan.lands(api, "commit of api", "main as 7654321");
    let all = steps(&plan, MergeChoices::default(), known(&plan), &["db"]);
    assert_eq!(step_of(&all, "api"), MergeStep::Landed);
    assert_eq!(step_of(&all, "ui"), MergeStep::Request);
}

#[test]
fn work_by_hand_is_merged_by_the_person() {
    let mut plan = list(CHAIN);
    for task in ["ui", "docs", "api"] {
        done(&mut plan, task);
    }
    let db = place(&plan, "db");
    plan.done_by_hand(db, Some("mine".into()), NOW);
    let all = usual(&plan);
    assert_eq!(step_of(&all, "db"), MergeStep::ByHand);
    assert_eq!(step_of(&all, "api"), MergeStep::Needs(db));
    let merged = MergeChoices {
        by_hand_merged: true,
        ..MergeChoices::default()
    };
    let all = steps(&plan, merged, known(&plan), &[]);
    assert_eq!(step_of(&all, "db"), MergeStep::MergedByHand);
    assert_eq!(step_of(&all, "ui"), MergeStep::Request);
    plan.done_by_hand(db, None, NOW);
    assert_eq!(step_of(&usual(&plan), "db"), MergeStep::NoBranch);
}

#[test]
fn a_reviewer_that_changed_nothing_keeps_nothing_back_but_passes_on_what_does() {
    let mut plan = by_template(
        "review",
        "Create API (id: api), Build UI (id: ui) (depends_on: api)",
    );
    for task in ["api-work", "api", "ui-work", "ui"] {
        done(&mut plan, task);
    }
    let (work, review) = (place(&plan, "api-work"), place(&plan, "api"));
    plan.shares[review].tip = plan.shares[work].tip.clone();
    let mut facts = known(&plan);
    facts[review].base = plan.shares[work].tip.clone();
    let all = steps(&plan, MergeChoices::default(), facts.clone(), &[]);
    assert_eq!(step_of(&all, "api-work"), MergeStep::Request);
    assert_eq!(step_of(&all, "api"), MergeStep::NothingChanged);
    assert_eq!(step_of(&all, "ui"), MergeStep::Request);
    let all = steps(&plan, MergeChoices::default(), facts.clone(), &["api-work"]);
    assert_eq!(step_of(&all, "ui-work"), MergeStep::Needs(work));
    // With one commit for each worker, only the last branch of a chain is merged.
    let squash = MergeChoices {
        squash: true,
        ..MergeChoices::default()
    };
    let all = steps(&plan, squash, facts, &[]);
    let ui_work = place(&plan, "ui-work");
    assert_eq!(step_of(&all, "api-work"), MergeStep::With(ui_work));
    assert_eq!(step_of(&all, "ui-work"), MergeStep::With(place(&plan, "ui")));
    assert_eq!(step_of(&all, "ui"), MergeStep::Request);
}

#[test]
fn failing_tests_land_with_the_code_that_makes_them_pass() {
    let mut plan = by_template("red-green", "Create API (id: api)");
    done(&mut plan, "api-red");
    let all = usual(&plan);
    assert_eq!(step_of(&all, "api-red"), MergeStep::MeantToFail);
    done(&mut plan, "api-green");
    done(&mut plan, "api");
    let all = usual(&plan);
    assert_eq!(
        step_of(&all, "api-red"),
        MergeStep::With(place(&plan, "api-green"))
    );
    assert_eq!(step_of(&all, "api-green"), MergeStep::Request);
    assert_eq!(step_of(&all, "api"), MergeStep::Request);
}

#[test]
fn of_several_versions_the_one_that_is_kept_is_merged() {
    let mut plan = by_template("compare", "Create API (id: api)");
    let ids: Vec<String> = plan.plan.tasks.iter().map(|task| task.id.clone()).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    for id in &ids {
        done(&mut plan, id);
    }
    let all = usual(&plan);
    assert!(
        all.iter().all(|(_, step)| *step == MergeStep::Versions),
        "{all:?}"
    );
    let mut facts = known(&plan);
    facts[place(&plan, &ids[1])].is_archived = true;
    let all = steps(&plan, MergeChoices::default(), facts, &[]);
    assert_eq!(step_of(&all, &ids[0]), MergeStep::Request);
    assert_eq!(step_of(&all, &ids[1]), MergeStep::NotKept);
    let mut all_archived = known(&plan);
    for facts in &mut all_archived {
        facts.is_archived = true;
    }
    let all = steps(&plan, MergeChoices::default(), all_archived, &[]);
    assert!(
        all.iter().all(|(_, step)| *step == MergeStep::Versions),
        "{all:?}"
    );
    let kept = place(&plan, &ids[0]);
    plan.lands(kept, &format!("commit of {}", ids[0]), "main as 1234567");
    assert_eq!(step_of(&usual(&plan), &ids[1]), MergeStep::NotKept);
}

#[test]
fn a_removed_session_is_said_and_an_archived_one_is_merged() {
    let mut plan = list("Create API (id: api), Write docs (id: docs)");
    done(&mut plan, "api");
    done(&mut plan, "docs");
    let mut facts = known(&plan);
    facts[place(&plan, "api")] = WorkerFacts::default();
    facts[place(&plan, "docs")].is_archived = true;
    let all = steps(&plan, MergeChoices::default(), facts.clone(), &[]);
    assert_eq!(step_of(&all, "api"), MergeStep::Removed);
    assert_eq!(step_of(&all, "docs"), MergeStep::Request);
    let merged = MergeChoices {
        by_hand_merged: true,
        ..MergeChoices::default()
    };
    let all = steps(&plan, merged, facts, &[]);
    assert_eq!(step_of(&all, "api"), MergeStep::MergedByHand);
}

#[test]
fn what_was_retried_after_another_had_started_lands_by_itself() {
    let mut plan = list(CHAIN);
    for task in ["db", "api", "ui", "docs"] {
        done(&mut plan, task);
    }
    let squash = MergeChoices {
        squash: true,
        ..MergeChoices::default()
    };
    let all = steps(&plan, squash, known(&plan), &[]);
    assert_eq!(step_of(&all, "db"), MergeStep::With(place(&plan, "api")));
    // The database was skipped at first, and its work came after the API was begun without it.
    let mut plan = list(CHAIN);
    plan.state = PlanState::Running;
    let (db, api) = (place(&plan, "db"), place(&plan, "api"));
    plan.skip(db, NOW);
    assert!(plan.claim(api, SessionId::parse("s000000000001").unwrap(), NOW));
    plan.retry(db, NOW);
    for task in ["db", "api", "ui", "docs"] {
        done(&mut plan, task);
    }
    let all = steps(&plan, squash, known(&plan), &[]);
    assert_eq!(step_of(&all, "db"), MergeStep::Request);
    assert_eq!(step_of(&all, "api"), MergeStep::With(place(&plan, "ui")));
}

#[test]
fn work_behind_what_was_skipped_lands_with_the_branch_that_began_with_it() {
    let mut plan = list(CHAIN);
    plan.state = PlanState::Running;
    let worker = || SessionId::parse("s000000000001").unwrap();
    let (db, api, ui) = (place(&plan, "db"), place(&plan, "api"), place(&plan, "ui"));
    let squash = MergeChoices {
        squash: true,
        by_hand_merged: true,
    };
    assert!(plan.claim(db, worker(), NOW));
    done(&mut plan, "db");
    plan.skip(api, NOW);
    assert!(plan.claim(ui, worker(), NOW));
    done(&mut plan, "ui");
    let with_ui = MergeStep::With(ui);
    assert_eq!(
        step_of(&steps(&plan, squash, known(&plan), &[]), "db"),
        with_ui,
        "skipped"
    );
    plan.retry(api, NOW);
    plan.failed(api, "it failed".into(), NOW);
    plan.skip(api, NOW);
    assert_eq!(
        step_of(&steps(&plan, squash, known(&plan), &[]), "db"),
        with_ui,
        "skipped again"
    );
    plan.done_by_hand(api, None, NOW);
    assert_eq!(
        step_of(&steps(&plan, squash, known(&plan), &[]), "db"),
        with_ui,
        "done by hand"
    );
    // A branch by hand that has no database, which is retried while the next worker is at work.
    let mut plan = list(CHAIN);
    plan.state = PlanState::Running;
    plan.skip(db, NOW);
    plan.done_by_hand(api, Some("mine".into()), NOW);
    assert!(plan.claim(ui, worker(), NOW));
    plan.retry(db, NOW);
    done(&mut plan, "db");
    done(&mut plan, "ui");
    assert_eq!(
        step_of(&steps(&plan, squash, known(&plan), &[]), "db"),
        MergeStep::Request
    );
}
