//! When budgets are looked at: when a session used something, when they were changed, when a day ends, and
//! at the start of an engine. What they say is in [`crate::budgets`].

use crate::budgets::{by_budget, check};
use crate::engine::Engine;
use crate::hold::Hold;
use crate::limits::CHECK;
use crate::pause;
use downbeat_model::{ProjectId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::usage::BudgetScope;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::Instant;

/// Looks whether budgets were changed, and while sessions are paused by one whether it was raised in a
/// project's file or a new day began.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        let (mut before, mut is_due) = (None, true);
        let mut due = Instant::now() + CHECK;
        if let Some(engine) = weak.upgrade() {
            interrupt_again(&engine);
        }
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            let now = engine.config().budgets;
            let used = engine.used.take_news();
            if is_due || before.as_ref() != Some(&now) {
                let all = engine.ledger.state().projects.keys().cloned().collect();
                check_each(&engine, all).await;
                before = Some(now);
                due = Instant::now() + CHECK;
            } else {
                check_each(&engine, used).await;
            }
            let state = engine.ledger.state();
            let waits = state.sessions.values().any(|row| waits(row));
            drop(engine);
            is_due = tokio::select! {
                () = closing.cancelled() => return,
                () = tokio::time::sleep_until(due), if waits => true,
                changed = commits.changed() => match changed {
                    Ok(()) => waits && Instant::now() >= due,
                    Err(_) => return,
                },
            };
        }
    });
}

/// Whether a session waits for a budget: a pause that only stands for an ended session holds nobody,
/// unless it is its project's.
fn waits(row: &SessionRow) -> bool {
    let pause = Hold::of(row).pause;
    let whole = pause.is_some_and(|pause| pause.budget == Some(BudgetScope::ProjectDay));
    by_budget(row) && (row.status.is_live() || whole)
}

/// Interrupts the turns that an engine before this one paused and did not come to interrupt.
fn interrupt_again(engine: &Arc<Engine>) {
    for row in engine.ledger.state().sessions.values() {
        let paused = Hold::of(row).pause.filter(|pause| pause.interrupts);
        if row.status == Status::Running && paused.is_some_and(|pause| row.status_since <= pause.at) {
            pause::interrupt(engine, &row.id);
        }
    }
}

async fn check_each(engine: &Arc<Engine>, projects: BTreeSet<ProjectId>) {
    for project in projects {
        if let Err(error) = check(engine, &project).await {
            tracing::warn!("budgets were not looked at: {error}");
        }
    }
}
