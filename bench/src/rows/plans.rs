//! Measures how long a plan of 5,000 tasks takes: to read, check, cut into shares and plan; and one change of a share's state with
//! all that follows in memory: the claim, what may start next, and the document that is stored.

use crate::done::Done;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_model::{PlanId, ProjectId, SessionId};
use downbeat_plans::{Domains, PlanRecord, PlanState, Split, read_file};
use jiff::Timestamp;
use std::fmt::Write as _;
use std::time::Instant;

/// The number of tasks.
const TASKS: usize = 5_000;

/// The milliseconds for reading and planning, and for a change.
const GOALS: (f64, f64) = (100.0, 5.0);

/// Measures plans.
pub fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let text = checklist()?;
    let (mut planned, mut changed) = (Samples::new(), Samples::new());
    for _ in 0..scale.turns {
        let start = Instant::now();
        let mut plan = read(&text)?;
        let begins = plan.schedule().start.len();
        planned.add(ms(start));
        if begins == 0 || plan.shares.len() < TASKS / 2 {
            return Err("the plan is not what was meant".into());
        }
        change(&mut plan, &mut changed)?;
    }
    let what = "plans: 5,000 tasks read, checked and planned";
    report.add(Line::new(
        what,
        Unit::Ms,
        planned.median(),
        &[],
        Goal::Most(GOALS.0),
    ));
    let what = "plans: a change of state among 5,000 tasks, and what follows";
    report.add(Line::new(
        what,
        Unit::Ms,
        changed.median(),
        &[],
        Goal::Most(GOALS.1),
    ));
    Ok(())
}

fn read(text: &str) -> Done<PlanRecord> {
    let read = read_file(text.as_bytes(), None, &Domains::default()).map_err(|error| error.to_string())?;
    let id = PlanId::parse("pl000000000001").ok_or("no plan has this id")?;
    let project = ProjectId::parse("p000000000001").ok_or("no project has this id")?;
    let mut plan = PlanRecord::new(id, project, read, Split::Task, Timestamp::UNIX_EPOCH);
    (plan.state, plan.at_once) = (PlanState::Running, 50);
    Ok(plan)
}

/// Measures changes in the middle of a plan: half of it is done.
fn change(plan: &mut PlanRecord, changed: &mut Samples) -> Done<()> {
    let (session, now) = (
        SessionId::parse("s000000000001").ok_or("no session has this id")?,
        Timestamp::UNIX_EPOCH,
    );
    for place in 0..TASKS / 2 {
        plan.done(place, None, now);
    }
    for _ in 0..20 {
        let start = Instant::now();
        let made = plan.schedule();
        let place = *made.start.first().ok_or("nothing may start")?;
        if !plan.claim(place, session.clone(), now) {
            return Err("what may start may not be claimed".into());
        }
        let stored = serde_json::to_string(plan)?;
        changed.add(ms(start));
        plan.done(place, None, now);
        if stored.is_empty() {
            return Err("nothing was stored".into());
        }
    }
    Ok(())
}

/// Returns a checklist in which each task needs one or two of those before it.
fn checklist() -> Done<String> {
    let mut text = "# A year\n\n".to_owned();
    for number in 0..TASKS {
        let needs = match number {
            0..50 => String::new(),
            _ => format!(" (depends_on: t{}, t{})", number - 50, number / 2),
        };
        writeln!(
            text,
            "- [ ] Build part {number} of the api (id: t{number}){needs}"
        )?;
    }
    Ok(text)
}
