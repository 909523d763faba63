//! Tests of ticking: what changes in a file, what does not, and what stays due.

use super::{Left, Line, Missing, lines, tick};
use crate::domain::Domains;
use crate::forms::read_file;
use crate::plan::{Form, Plan, Task};
use crate::record::{PlanRecord, PlanState, Source};
use crate::schedule::ShareState;
use crate::share::Split;
use crate::template::Templates;
use downbeat_model::{PlanId, ProjectId};
use jiff::Timestamp;

fn read(text: &str) -> Plan {
    read_file(text.as_bytes(), None, &Domains::default()).unwrap()
}

/// Ticks in a text the lines of a plan at these places, and returns the text and the titles of what is missing.
fn ticked(text: &str, plan: &Plan, places: &[usize]) -> (String, Vec<(String, Missing)>) {
    let all = lines(plan);
    let done: Vec<Line> = places.iter().map(|place| all[*place].clone()).collect();
    let ticking = tick(text, (plan.form, None), &done).unwrap();
    let missing = ticking
        .missing
        .iter()
        .map(|(at, why)| (done[*at].title.clone(), *why));
    (ticking.applied_to(text), missing.collect())
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(minute * 60).unwrap()
}

/// Returns a running plan of a file, with a worker for each task.
fn running(text: &str, template: &str) -> PlanRecord {
    let plan = Templates::default().apply(template, read(text)).unwrap();
    let (id, project) = ("pl000000000001", "p000000000001");
    let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
    let mut plan = PlanRecord::new(id, project, plan, Split::Task, at(0));
    plan.state = PlanState::Running;
    plan.source = Some(Source {
        path: "plan.md".into(),
        tag: None,
    });
    plan
}

fn titles(plan: &PlanRecord) -> Vec<String> {
    plan.due().lines.into_iter().map(|line| line.title).collect()
}

/// Records that all that is due is ticked.
fn record(plan: &mut PlanRecord) {
    let due = plan.due();
    assert_eq!(plan.ticked(&due, &[], at(0)), Vec::<String>::new());
}

#[test]
fn a_byte_order_mark_stays() {
    let text = "\u{feff}- [ ] A\n- [ ] B\n";
    assert_eq!(ticked(text, &read(text), &[0]).0, "\u{feff}- [x] A\n- [ ] B\n");
    let json = "\u{feff}{\"tasks\": [{\"id\": 1, \"title\": \"A\", \"status\": \"pending\"}]}";
    assert_eq!(ticked(json, &read(json), &[0]).0, json.replace("pending", "done"));
}

#[test]
fn only_the_boxes_change() {
    let text = "# Plan\r\n\r\n-  [ ]  T001 é Set up [P]\r\n* [X] T002 Done before\n```\n- [ ] T003 Build\n```\n\t- [ ] T003 Build \n  - [ ] T004 Last";
    let plan = read(text);
    let expected = "# Plan\r\n\r\n-  [x]  T001 é Set up [P]\r\n* [X] T002 Done before\n```\n- [ ] T003 Build\n```\n\t- [x] T003 Build \n  - [ ] T004 Last";
    assert_eq!(plan.tasks.len(), 3, "what is indented below a task is its text");
    assert_eq!(ticked(text, &plan, &[2, 1, 0]), (expected.to_owned(), vec![]));
}

#[test]
fn a_task_is_found_by_its_title_after_the_file_was_edited() {
    let plan = read("- [ ] one\n- [ ] two (depends_on: 1)\n- [ ] one\n");
    let edited = "- [ ] new\n- [ ] two (depends_on: 1)\n- [ ] one\n";
    let expected = "- [ ] new\n- [x] two (depends_on: 1)\n- [x] one\n";
    assert_eq!(ticked(edited, &plan, &[1, 0]), (expected.to_owned(), vec![]));
    let (same, missing) = ticked("- [ ] new\n", &plan, &[0]);
    assert_eq!(
        (same.as_str(), missing),
        ("- [ ] new\n", vec![("one".into(), Missing::Gone)])
    );
}

#[test]
fn ids_that_a_person_gave_to_other_tasks_meanwhile_tick_nothing() {
    let plan = read("- [ ] 1.1 Create repo\n- [ ] 1.2 Add CI\n");
    let now = "- [ ] 1.1 Buy a domain\n- [ ] 1.2 Create repo\n- [ ] 1.3 Add CI\n";
    let expected = "- [ ] 1.1 Buy a domain\n- [x] 1.2 Create repo\n- [ ] 1.3 Add CI\n";
    assert_eq!(ticked(now, &plan, &[0]), (expected.to_owned(), vec![]));
    let all = "- [ ] 1.1 Buy a domain\n- [x] 1.2 Create repo\n- [x] 1.3 Add CI\n";
    assert_eq!(ticked(now, &plan, &[1, 0]), (all.to_owned(), vec![]));
    let other = "- [ ] 1.1 Buy a domain\n- [ ] 1.2 Add CI\n";
    let missing = vec![("Create repo".into(), Missing::Edited)];
    assert_eq!(ticked(other, &plan, &[0]), (other.to_owned(), missing));
    // The number of a task that has none in the file is not looked for there.
    let plan = read("- [ ] first\n- [ ] second\n");
    let now = "- [ ] other (id: 1)\n- [ ] second\n- [ ] first\n";
    let expected = "- [ ] other (id: 1)\n- [ ] second\n- [x] first\n";
    assert_eq!(ticked(now, &plan, &[0]), (expected.to_owned(), vec![]));
}

#[test]
fn of_several_with_one_title_the_own_one_is_ticked() {
    let text = "- [ ] a\n- [ ] a\n- [ ] b\n  - [ ] a\n";
    let plan = read(text);
    let second = "- [ ] a\n- [x] a\n- [ ] b\n  - [ ] a\n";
    assert_eq!(ticked(text, &plan, &[1]).0, second, "the second was done first");
    assert_eq!(
        ticked(second, &plan, &[1]).0,
        second,
        "it was ticked before a crash"
    );
    let both = "- [x] a\n- [x] a\n- [ ] b\n  - [ ] a\n";
    assert_eq!(ticked(second, &plan, &[0, 1]).0, both);
    // The person took one out, or put one in.
    assert_eq!(ticked("- [ ] a\n- [ ] b\n", &plan, &[1]).0, "- [x] a\n- [ ] b\n");
    let more = "- [ ] a\n- [ ] a\n- [ ] a\n- [ ] b\n";
    let two = "- [x] a\n- [x] a\n- [ ] a\n- [ ] b\n";
    assert_eq!(ticked(more, &plan, &[0, 1]).0, two);
    assert_eq!(ticked(two, &plan, &[0, 1]).0, two, "the same again after a crash");
    // It was put below another one.
    let below = "- [ ] group\n  - [ ] b\n";
    assert_eq!(ticked(below, &plan, &[2]).0, "- [ ] group\n  - [x] b\n");
    let plan = read("- [ ] a (id: x)\n- [ ] a (id: y)\n");
    let turned = "- [ ] a (id: y)\n- [ ] a (id: x)\n";
    assert_eq!(
        ticked(turned, &plan, &[0]).0,
        "- [ ] a (id: y)\n- [x] a (id: x)\n"
    );
}

#[test]
fn a_changed_task_is_ticked_by_the_title_that_it_has_in_the_file() {
    let text = "- [ ] one (id: a)\n- [ ] two\n";
    let mut plan = read(text);
    for (task, title) in plan.tasks.iter_mut().zip(["First", "Second"]) {
        task.rename(title);
        task.rename("Once more");
    }
    assert_eq!(ticked(text, &plan, &[0, 1]).0, text.replace("[ ]", "[x]"));
}

#[test]
fn a_status_is_written_in_place() {
    let text = "{ \"master\":{\"tasks\": [\n  {\"id\":1, \"title\":\"a \\\"status\\\"\", \"status\" : \"pending\",\n \"subtasks\":[{\"id\":2,\"title\":\"b\",\"status\":\"pending\",\"x\":[1,{}]}]},\n{\"status\":\"in-progress\",\"id\":\"7\",\"title\":\"c\"}\n]}}\n";
    let plan = read(text);
    let changed = |from: &str, to: &str| text.replacen(from, to, 1);
    let whole = changed("\"status\" : \"pending\"", "\"status\" : \"done\"");
    // A subtask comes before its task.
    assert_eq!(ticked(text, &plan, &[1]).0, whole);
    let below = changed("\"b\",\"status\":\"pending\"", "\"b\",\"status\":\"done\"");
    assert_eq!(ticked(text, &plan, &[0]).0, below);
    let all = text
        .replace("\"pending\"", "\"done\"")
        .replace("\"in-progress\"", "\"done\"");
    assert_eq!(ticked(text, &plan, &[2, 0, 1]).0, all);
    assert_eq!(ticked(&all, &plan, &[2, 0, 1]).0, all);
    // Numbered anew, renamed, without a status.
    let anew = text.replace("\"7\"", "\"8\"").replace("\"c\"", "\"new\"");
    let anew = anew.replacen(
        "\n]}}",
        ",\n{\"id\":9,\"title\":\"c\",\"status\":\"pending\"}\n]}}",
        1,
    );
    let done = anew.replacen("\"c\",\"status\":\"pending\"", "\"c\",\"status\":\"done\"", 1);
    assert_eq!(ticked(&anew, &plan, &[2]).0, done);
    let renamed = text.replace("\"c\"", "\"d\"");
    assert_eq!(
        ticked(&renamed, &plan, &[2]).1,
        [("c".to_owned(), Missing::Edited)]
    );
    let bare = text.replace("\"status\":\"in-progress\",", "");
    assert_eq!(
        ticked(&bare, &plan, &[2]).1,
        [("c".to_owned(), Missing::NoStatus)]
    );
    for (half, tag) in [
        ("{\"master\":{\"tasks\":[", None),
        ("", None),
        (text, Some("other")),
    ] {
        assert!(tick(half, (Form::Taskmaster, tag), &lines(&plan)).is_err());
    }
}

#[test]
fn thousands_are_ticked_after_one_look_at_the_file() {
    let sub = |at: u32| format!("{{\"id\":{at},\"title\":\"s\",\"status\":\"pending\"}}");
    let all: Vec<String> = (0..9_000).map(sub).collect();
    let text = format!(
        "{{\"tasks\":[{{\"id\":1,\"title\":\"t\",\"status\":\"pending\",\"subtasks\":[{}]}}]}}",
        all.join(",")
    );
    let plan = read(&text);
    let places: Vec<usize> = (0..9_001).collect();
    assert_eq!(
        ticked(&text, &plan, &places),
        (text.replace("pending", "done"), vec![])
    );
    let text = "- [ ] a\n".repeat(9_000);
    let plan = read(&text);
    let places: Vec<usize> = (0..9_000).collect();
    let shorter = "- [ ] a\n".repeat(8_999);
    assert_eq!(
        ticked(&shorter, &plan, &places),
        (shorter.replace("[ ]", "[x]"), vec![])
    );
}

#[test]
fn a_box_is_ticked_after_the_review_and_not_before() {
    let text = "- [ ] Create API\n";
    let mut plan = running(text, "review");
    plan.done(0, None, at(1));
    assert_eq!(titles(&plan), Vec::<String>::new());
    record(&mut plan);
    assert!(
        plan.shares[0].ticked && !plan.has_due(),
        "there is nothing to tick"
    );
    plan.failed(1, "broken".into(), at(2));
    assert!(plan.due().is_empty());
    plan.done(1, None, at(3));
    assert_eq!(titles(&plan), ["Create API"]);
    assert_eq!(
        ticked(text, &plan.plan, &[0]),
        ("- [x] Create API\n".into(), vec![])
    );
    record(&mut plan);
    assert_eq!((plan.has_due(), plan.notes.len()), (false, 0));
    // The same for Taskmaster.
    let text = "{\"tasks\":[{\"id\":1,\"title\":\"A\",\"status\":\"pending\"}]}";
    let mut plan = running(text, "review");
    plan.done(0, None, at(1));
    assert_eq!(titles(&plan), Vec::<String>::new());
    plan.done(1, None, at(3));
    assert_eq!(titles(&plan), ["A"]);
    assert_eq!(ticked(text, &plan.plan, &[0]).0, text.replace("pending", "done"));
}

#[test]
fn a_box_is_ticked_when_all_versions_of_its_task_are_done() {
    let text = "- [ ] Create API\n- [ ] Build UI\n";
    let mut plan = running(text, "compare");
    plan.done(1, None, at(1));
    plan.done(2, None, at(1));
    assert!(plan.due().is_empty() && plan.has_due());
    plan.done(0, None, at(2));
    assert_eq!(titles(&plan), ["Create API"]);
    assert_eq!(
        ticked(text, &plan.plan, &[0]).0,
        "- [x] Create API\n- [ ] Build UI\n"
    );
    record(&mut plan);
    let ticked: Vec<bool> = plan.shares.iter().map(|one| one.ticked).collect();
    assert_eq!(ticked, [true, true, false, false]);
    // One of two is skipped: the person reads why the box stays open, until that one is done after all.
    plan.skip(3, at(3));
    let due = plan.due();
    let why = "Build UI not ticked in plan.md: “Build UI (the best design)” was skipped";
    assert_eq!(plan.ticked(&due, &[], at(3)), [why]);
    assert_eq!((plan.noted(), plan.has_due()), (vec![why.to_owned()], false));
    plan.retry(3, at(4));
    plan.done(3, None, at(5));
    assert_eq!(titles(&plan), ["Build UI"]);
    record(&mut plan);
    assert_eq!((plan.notes.len(), plan.has_due()), (0, false));
    let mut plan = running(text, "compare");
    plan.done(0, None, at(1));
    plan.cancel(at(2));
    let due = plan.due();
    assert!(plan.ticked(&due, &[], at(2))[0].ends_with("“Create API (the best design)” was not done"));
}

#[test]
fn what_comes_once_is_in_no_file_and_parallel_tasks_stand_for_themselves() {
    let mut plan = running("- [ ] Create API\n- [ ] Build UI\n", "divide");
    (0..3).for_each(|place| plan.done(place, None, at(1)));
    assert_eq!(titles(&plan), ["Create API", "Build UI"]);
    record(&mut plan);
    assert!(!plan.has_due());
    let plain = read("- [ ] Create API (id: api)\n");
    assert_eq!(
        Templates::default().apply("parallel", plain.clone()).unwrap(),
        plain
    );
    // Plans that were stored before do not say it.
    let stored = serde_json::to_value(&plain.tasks[0]).unwrap();
    assert!(stored.get("stands").is_none(), "{stored}");
    assert_eq!(serde_json::from_value::<Task>(stored).unwrap(), plain.tasks[0]);
    let mut plan = running("[{\"title\": \"A\"}]", "parallel");
    plan.done(0, None, at(1));
    record(&mut plan);
    assert_eq!(
        (plan.has_due(), plan.notes.len()),
        (false, 0),
        "a planner's has no boxes"
    );
}

#[test]
fn what_cannot_be_written_stays_due_until_ten_minutes_after_the_plan() {
    let mut plan = running("- [ ] one\n- [ ] two\n", "parallel");
    let failed = |line| Left {
        line,
        why: "the file was moved or deleted".into(),
        is_missing: false,
    };
    let note = |names: &str| format!("{names} not ticked in plan.md: the file was moved or deleted");
    plan.done(1, None, at(1));
    let due = plan.due();
    assert_eq!(plan.ticked(&due, &[failed(0)], at(100)), [note("two")]);
    assert_eq!(
        (plan.noted(), titles(&plan)),
        (vec![note("two")], vec!["two".to_owned()])
    );
    let before = plan.clone();
    assert!(plan.ticked(&due, &[failed(0)], at(101)).is_empty());
    assert_eq!(plan, before, "nothing new is recorded");
    plan.done(0, None, at(102));
    (plan.state, plan.ended_at) = (PlanState::Complete, Some(at(102)));
    let due = plan.due();
    let left = [failed(0), failed(1)];
    assert_eq!(plan.ticked(&due, &left, at(111)), [note("one, two")]);
    assert_eq!(plan.noted(), [note("one, two")]);
    let (mut given_up, mut back) = (plan.clone(), plan);
    assert!(
        given_up.ticked(&due, &left, at(112)).is_empty(),
        "it is said once"
    );
    assert_eq!(
        (given_up.noted(), given_up.has_due()),
        (vec![note("one, two")], false)
    );
    // It is there again: one of both is ticked, then the other.
    assert_eq!(back.ticked(&due, &left[..1], at(111)), [note("one")]);
    assert_eq!(
        (back.noted(), titles(&back)),
        (vec![note("one")], vec!["one".to_owned()])
    );
    record(&mut back);
    assert_eq!((back.notes.len(), back.has_due()), (0, false));
    assert_eq!(back.shares[0].state, ShareState::Done);
}

#[test]
fn what_is_not_in_the_file_is_looked_for_ten_minutes_and_then_said() {
    let mut plan = running("- [ ] one\n- [ ] two\n- [ ] three\n", "parallel");
    let left = [Left {
        line: 0,
        why: Missing::Gone.as_str().into(),
        is_missing: true,
    }];
    plan.done(0, None, at(1));
    let due = plan.due();
    let note = "one not ticked in plan.md: not in the file any more; it was edited meanwhile";
    assert_eq!(plan.ticked(&due, &left, at(10)), [note]);
    assert_eq!((plan.noted(), plan.has_due()), (vec![note.to_owned()], true));
    assert!(plan.ticked(&due, &left, at(11)).is_empty());
    assert_eq!((plan.noted(), plan.has_due()), (vec![note.to_owned()], false));
    plan.done(1, None, at(12));
    record(&mut plan);
    assert_eq!(plan.noted(), [note], "what is said of others stays");
}

#[test]
fn a_note_on_many_is_short() {
    let text: String = (0..40)
        .map(|at| format!("- [ ] {}{at}\n", "x".repeat(900)))
        .collect();
    let mut plan = running(&text, "parallel");
    (0..40).for_each(|place| plan.done(place, None, at(1)));
    let due = plan.due();
    let why = || "no space".to_owned();
    let left: Vec<Left> = (0..40)
        .map(|line| Left {
            line,
            why: why(),
            is_missing: false,
        })
        .collect();
    plan.ticked(&due, &left, at(1));
    assert_eq!(plan.notes.len(), 1);
    assert!(
        plan.notes[0]
            .text
            .ends_with(" and 32 more not ticked in plan.md: no space"),
        "{}",
        plan.notes[0].text
    );
    record(&mut plan);
    assert_eq!(plan.notes.len(), 0);
}
