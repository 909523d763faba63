//! Records what the workers of a plan used, for its report and its budget. It stays when they are removed.

use crate::decide::plans;
use crate::state::context::Engine;
use crate::state::find::Children;
use crate::state::usage::priced;
use downbeat_plans::{Cost, PlanRecord};
use downbeat_wire::ApiError;

/// Records what the newest worker of each share used, with the workers below it.
///
/// # Errors
/// Fails if nothing can be recorded.
pub(crate) async fn note(engine: &Engine, plan: &PlanRecord) -> Result<(), ApiError> {
    let (prices, _) = engine.prices.get();
    let used = engine.used.snapshot();
    let state = engine.ledger.state();
    let children = Children::of(&state);
    let mut news = Vec::new();
    for (place, one) in plan.shares.iter().enumerate() {
        let Some(worker) = one.session.as_ref().filter(|id| engine.used.knows(id)) else {
            continue;
        };
        let used = priced(&prices, &used.of_family(&children, worker));
        let cost = Cost {
            tokens: used.tokens(),
            usd: used.cost,
        };
        if cost != one.cost {
            news.push((place, worker.clone(), cost));
        }
    }
    if news.is_empty() {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &plan.id, |plan, _| {
            for (place, worker, cost) in &news {
                let one = plan.shares.get_mut(*place);
                if let Some(one) = one.filter(|one| one.session.as_ref() == Some(worker)) {
                    one.cost = *cost;
                }
            }
            Ok(())
        })
    });
    written.await
}
