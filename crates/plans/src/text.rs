//! What is said of a plan: to its workers, and to the person at its end.

use crate::plan::Task;
use crate::record::{PlanRecord, PlanState};
use crate::schedule::ShareState;
use crate::words::{one_line, plain_lines};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// The most workers that a prompt names as those whose work is there.
const MOST_NAMED: usize = 40;

/// Returns what the worker of a share is asked.
#[must_use]
pub fn prompt(plan: &PlanRecord, place: usize) -> String {
    let tips = plan.tips(place);
    let before: Vec<&str> = tips.iter().map(|(name, _)| *name).collect();
    prompt_for((&plan.plan.title, plan.shares.len()), &plan.tasks(place), &before)
}

/// Returns what a worker of a plan with this title and number of workers is asked: its tasks, after the workers `before` it.
#[must_use]
pub fn prompt_for((title, workers): (&str, usize), tasks: &[&Task], before: &[&str]) -> String {
    let mut text = format!(
        "You are one of {workers} workers of the plan “{}”. Others do the other tasks; do only these:\n",
        one_line(title)
    );
    // Plans that were kept long ago may have anything in their words.
    for task in tasks {
        text.push_str(&format!("\n- {}\n", one_line(&task.title)));
        for line in plain_lines(&task.description).lines() {
            text.push_str(&format!("  {line}\n"));
        }
        for skill in &task.skills {
            text.push_str(&format!("  Use the skill {}.\n", one_line(skill)));
        }
        for check in &task.checks {
            text.push_str(&format!("  It is done when: {}\n", one_line(check)));
        }
    }
    if !before.is_empty() {
        let names: Vec<String> = before
            .iter()
            .take(MOST_NAMED)
            .map(|name| one_line(name))
            .collect();
        let names = names.join(", ");
        let more = match before.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            Some(more) => format!(" and {more} more"),
            None => String::new(),
        };
        text.push_str(&format!("\nYour branch has the work of {names}{more} already.\n"));
    }
    text.push_str("\nCommit your work on your branch, then end your turn. Do not merge or push it.\n");
    text
}

/// Returns what the person reads at the end of a plan, or of how far it is before.
#[must_use]
pub fn report(plan: &PlanRecord, now: Timestamp) -> String {
    let mut domains: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut order = Vec::new();
    for one in &plan.shares {
        let entry = domains.entry(&one.share.domain).or_insert_with(|| {
            order.push(one.share.domain.as_str());
            (0, 0)
        });
        entry.1 += one.share.tasks.len();
        if one.state == ShareState::Done {
            entry.0 += one.share.tasks.len();
        }
    }
    let done = plan
        .shares
        .iter()
        .filter(|one| one.state == ShareState::Done)
        .count();
    let all = plan.shares.len();
    let workers = if all == 1 { "worker" } else { "workers" };
    let mut text = match plan.state {
        PlanState::Complete if done == all => format!("[COMPLETE] All {all} {workers} finished\n"),
        PlanState::Complete => {
            format!("[COMPLETE] {done} of {all} {workers} finished, the others were skipped\n")
        }
        PlanState::Cancelled => format!("[CANCELLED] {done} of {all} {workers} finished\n"),
        _ => format!("{done} of {all} {workers} finished\n"),
    };
    for domain in order {
        let (done, all) = domains.get(domain).copied().unwrap_or_default();
        let tick = if done == all { " ✓" } else { "" };
        text.push_str(&format!("- {}: {done}/{all} tasks{tick}\n", one_line(domain)));
    }
    let working = plan.shares.iter().map(|one| one.worked(now)).sum();
    let total = plan.started_at.map_or(0, |from| {
        let to = plan.ended_at.unwrap_or(now);
        to.duration_since(from).as_secs().max(0)
    });
    text.push_str(&format!(
        "Total time: {} (the workers worked {} together)\n",
        length(total),
        length(working)
    ));
    let spent = plan.spent();
    match (spent.tokens, spent.usd) {
        (0, _) => {}
        (tokens, Some(usd)) => text.push_str(&format!("Cost: ${usd:.2}, {tokens} tokens\n")),
        (tokens, None) => text.push_str(&format!("Cost: {tokens} tokens\n")),
    }
    text
}

fn length(seconds: i64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{prompt, prompt_for, report};
    use crate::domain::Domains;
    use crate::forms::read_goal;
    use crate::plan::Task;
    use crate::record::{PlanRecord, PlanState};
    use crate::share::Split;
    use crate::share_record::Cost;
    use downbeat_model::{PlanId, ProjectId, SessionId};
    use jiff::Timestamp;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_prompt_has_nothing_that_acts_on_a_terminal() {
        let mut task = Task::titled("");
        task.title = "Build\u{1b}[2J\u{202e} it".into();
        task.description = "one\u{1b}\n\ttwo\u{2066}".into();
        task.checks = vec!["a\u{9b}b\n- c".into()];
        let before = vec!["x\u{1b}y"; 50];
        let text = prompt_for(("T\u{1b}", 2), &[&task], &before);
        assert!(
            !text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{2066}']),
            "{text}"
        );
        assert!(
            text.contains("\n- Build [2J it\n  one\n  \ttwo\n  It is done when: a b - c\n"),
            "{text}"
        );
        assert!(text.contains("x y and 10 more already."), "{text}");
    }

    #[test]
    fn the_end_of_the_four_domains_is_reported() {
        let text = "Build login UI, Create JWT API, Write tests, Security audit";
        let plan = read_goal(text, &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        let mut plan = PlanRecord::new(id, project, plan, Split::Domain, at(0));
        (plan.state, plan.started_at) = (PlanState::Running, Some(at(0)));
        for place in 0..4 {
            assert!(plan.claim(place, SessionId::parse("s000000000001").unwrap(), at(0)));
            plan.done(place, None, at(900));
        }
        (plan.state, plan.ended_at) = (PlanState::Complete, Some(at(1080)));
        assert_eq!(
            report(&plan, at(9999)),
            "[COMPLETE] All 4 workers finished\n- frontend: 1/1 tasks ✓\n- backend: 1/1 tasks ✓\n- testing: 1/1 tasks ✓\n\
             - security: 1/1 tasks ✓\nTotal time: 18 min (the workers worked 1 h 0 min together)\n"
        );
        assert!(prompt(&plan, 0).contains("\n- Build login UI\n"));
        plan.shares[0].cost = Cost {
            tokens: 1200,
            usd: Some(0.5),
        };
        plan.shares[1].earlier = Cost {
            tokens: 300,
            usd: None,
        };
        let said = report(&plan, at(9999));
        assert!(said.ends_with("together)\nCost: $0.50, 1500 tokens\n"), "{said}");
    }
}
