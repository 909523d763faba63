//! Tables of what follows from the checks on the branch.

use super::*;
use crate::decide::fix::worked::apply;
use crate::decide::fix::{next, start};
use crate::state::example::{draft, id, project, told};
use downbeat_failures::{Printed, read};
use downbeat_model::effect::Work;
use downbeat_model::fix::Settings;

fn check(name: &str, output: &str) -> CheckSeen {
    let printed = Printed {
        check: name,
        ended: "exit code 1",
        root: "",
        output,
        reports: &[],
    };
    CheckSeen {
        name: name.into(),
        command: format!("make {name}"),
        failures: if output.is_empty() {
            Vec::new()
        } else {
            read(&printed).failures
        },
    }
}

fn seen(checks: Vec<CheckSeen>) -> Seen {
    Seen {
        commit: "1".repeat(40),
        checks,
        ..Seen::default()
    }
}

const TWO: &str = "a.ts(1,1): error TS1: no\nb.ts(1,1): error TS2: no\n";

fn begun(settings: Settings) -> Draft {
    let mut draft = draft(10, []);
    start(&mut draft, &project(), id(9), settings).unwrap();
    draft
}

/// Records what the step of the run that is under way sees.
fn see(draft: &mut Draft, seen: Result<Seen, String>) {
    let effects = draft.state().effects.clone();
    let mut looks = effects.iter().filter_map(|effect| match &effect.work {
        Work::Fix(step) => Some((effect.key.clone(), step.clone())),
        _ => None,
    });
    let (key, step) = looks.next_back().unwrap();
    looked(draft, &key, &step, seen);
}

fn states(draft: &Draft) -> Vec<(String, GroupState)> {
    let fix = &draft.state().fixes[&id(9)];
    fix.groups
        .iter()
        .map(|group| (group.title.clone(), group.state))
        .collect()
}

fn set(draft: &mut Draft, number: u32, state: GroupState) {
    let mut fix = Fix::clone(&draft.state().fixes[&id(9)]);
    fix.group(number).unwrap().state = state;
    draft.put_fix(fix);
}

#[test]
fn a_green_branch_needs_nobody() {
    let mut draft = begun(Settings::default());
    see(&mut draft, Ok(seen(vec![check("test", "")])));
    let state = draft.state().clone();
    let act = next::next(&state, &state.fixes[&id(9)], draft.now()).unwrap();
    assert_eq!(act, next::Act::End(End::Green));
    apply(&mut draft, &id(9), &act);
    assert_eq!(draft.state().fixes[&id(9)].end, Some(End::Green));
    assert_eq!(
        told(&draft),
        ["finished: fix: all checks are green on main: nothing to fix"]
    );
    assert!(draft.state().effects.is_empty());
}

#[test]
fn checks_that_cannot_run_end_it() {
    let mut draft = begun(Settings::default());
    see(&mut draft, Err("set-up failed: npm ci".into()));
    assert_eq!(
        told(&draft),
        ["needsLook: fix: the checks could not run: set-up failed: npm ci"]
    );
}

#[test]
fn what_is_only_to_be_shown_starts_nothing() {
    let settings = Settings {
        dry_run: true,
        ..Settings::default()
    };
    let mut draft = begun(settings);
    see(&mut draft, Ok(seen(vec![check("test", TWO)])));
    let state = draft.state();
    assert_eq!(state.fixes[&id(9)].end, Some(End::Shown));
    assert_eq!(next::next(state, &state.fixes[&id(9)], draft.now()), None);
}

#[test]
fn files_of_a_live_worktree_are_left_to_it() {
    let mut draft = begun(Settings::default());
    let mut first = seen(vec![check("test", TWO)]);
    first.busy.insert("a.ts".into(), "cart".into());
    see(&mut draft, Ok(first));
    assert_eq!(
        states(&draft),
        [
            ("a.ts".into(), GroupState::Skipped),
            ("b.ts".into(), GroupState::Waiting)
        ]
    );
    assert_eq!(
        draft.state().fixes[&id(9)].groups[0].why,
        "cart changes a.ts already"
    );
}

#[test]
fn the_next_look_says_what_became_of_each_group() {
    use GroupState::{Fixed, GivenUp, Landed, Landing, Skipped, Vanished, Verifying, Waiting, Working};
    let red = TWO;
    let green = "b.ts(1,1): error TS2: no\n";
    // The state of the first group before, what is red then, and its state after.
    for (before, output, after) in [
        (Landed, green, Fixed),
        (Landed, red, Waiting),
        (Working, green, Vanished),
        (Working, red, Working),
        (Verifying, green, Vanished),
        (Waiting, green, Vanished),
        (Skipped, red, Waiting),
        (Landing, green, Landing),
        (GivenUp, red, GivenUp),
        (GivenUp, green, GivenUp),
    ] {
        let mut draft = begun(Settings::default());
        see(&mut draft, Ok(seen(vec![check("test", TWO)])));
        set(&mut draft, 1, before);
        let mut fix = Fix::clone(&draft.state().fixes[&id(9)]);
        crate::decide::fix::look(&mut draft, &mut fix, false);
        draft.put_fix(fix);
        see(&mut draft, Ok(seen(vec![check("test", output)])));
        assert_eq!(states(&draft)[0].1, after, "{before:?} {output}");
        assert_eq!(states(&draft).len(), 2, "{before:?}");
    }
}

#[test]
fn what_is_red_again_or_new_is_another_group() {
    let mut draft = begun(Settings::default());
    see(&mut draft, Ok(seen(vec![check("test", TWO)])));
    set(&mut draft, 1, GroupState::Fixed);
    let mut fix = Fix::clone(&draft.state().fixes[&id(9)]);
    crate::decide::fix::look(&mut draft, &mut fix, true);
    draft.put_fix(fix);
    let lint = check("lint", "c.ts(1,1): error TS3: no\n");
    see(&mut draft, Ok(seen(vec![check("test", TWO), lint])));
    let titles: Vec<String> = states(&draft).into_iter().map(|(title, _)| title).collect();
    assert_eq!(titles, ["a.ts", "b.ts", "a.ts", "c.ts"]);
}

#[test]
fn what_lands_during_a_look_is_looked_at_again() {
    let mut draft = begun(Settings::default());
    let mut fix = Fix::clone(&draft.state().fixes[&id(9)]);
    crate::decide::fix::look(&mut draft, &mut fix, false);
    draft.put_fix(fix);
    assert_eq!(draft.state().effects.len(), 1);
    see(&mut draft, Ok(seen(vec![check("test", TWO)])));
    let fix = &draft.state().fixes[&id(9)];
    assert_eq!((fix.look, fix.again), (Some(2), false));
    assert_eq!(draft.state().effects.len(), 1);
}
