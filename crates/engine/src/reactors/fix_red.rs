//! Does what is next in runs of `fix`.

use crate::decide::fix::next::{deadline, next};
use crate::effects::fix::advance;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::{ProjectId, Subject};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Does what is next in runs of `fix`.
pub struct FixRed;

#[async_trait]
impl Reactor for FixRed {
    fn name(&self) -> &'static str {
        "fix_red"
    }

    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next {
        let mut found = Next::default();
        let mut marks: BTreeMap<&ProjectId, String> = BTreeMap::new();
        for fix in state.fixes.values() {
            let act = next(state, fix, now);
            let is_over = fix.ended_at.is_some();
            if is_over && act.is_none() {
                continue;
            }
            if let Some(deadline) = deadline(fix).filter(|at| !is_over && *at > now) {
                found.again_at(deadline);
            }
            // What workers use is compared with the budget, too.
            let used = context.used.get(&fix.project).copied().unwrap_or_default();
            let mark = marks.entry(&fix.project).or_default();
            mark.push_str(&format!("{} {act:?} {used} ", fix.id));
        }
        for (project, mark) in marks {
            found.due.push(Due::once(Subject::Project(project.clone()), mark));
        }
        found
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Project(project) = subject else {
            return Ok(());
        };
        let state = engine.ledger.state();
        // A run that cannot go on now does not hold up another one.
        let mut done = Ok(());
        for fix in state.fixes.values().filter(|fix| fix.project == *project) {
            done = done.and(advance::advance(engine, &fix.id).await);
        }
        done
    }
}
