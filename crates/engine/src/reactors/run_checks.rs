//! Runs requested checks, and carries out the steps of merge queues and merges at forges. All that runs checks happens one
//! at a time for each project, in the order of the requests; other steps wait only for those of the same branch, and merges at
//! forges for those into the same branch there.

use crate::decide::forge_queue;
use crate::effects::checks::{at_forge, enqueue, merge, run};
use crate::effects::fix;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_model::effect::{Effect, Work};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs requested checks and merges.
pub struct RunChecks;

#[async_trait]
impl Reactor for RunChecks {
    fn name(&self) -> &'static str {
        "run_checks"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut seen = BTreeSet::new();
        let is_ours = |work: &Work| {
            matches!(
                work,
                Work::Check(_) | Work::Merge(_) | Work::Queue(_) | Work::Fix(_)
            )
        };
        let runs = state.effects.iter().filter(|effect| is_ours(&effect.work));
        let mut next = Next::default();
        let turns = forge_queue::turns(state);
        for effect in runs {
            let is_at_forge = forge_queue::is_one(effect);
            // A merge of a rule may be put off; then another order for the same pull request goes first.
            if is_at_forge && !effect.is_due(now) {
                next.again_at(effect.not_before);
                continue;
            }
            let waits = is_at_forge && !forge_queue::is_next(state, &turns, &effect.key, now);
            if waits || !seen.insert(&effect.subject) {
                continue;
            }
            match !effect.is_due(now) {
                true => next.again_at(effect.not_before),
                false => {
                    let mark = format!("{} {}", effect.key, effect.attempts);
                    next.due.push(Due::once(effect.subject.clone(), mark));
                }
            }
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let state = engine.ledger.state();
        let (turns, now) = (forge_queue::turns(&state), Timestamp::now());
        let has_turn = |effect: &Effect| {
            let is_due =
                || effect.not_before <= now && forge_queue::is_next(&state, &turns, &effect.key, now);
            !forge_queue::is_one(effect) || is_due()
        };
        let own = state.effects.iter().filter(|effect| effect.subject == *subject);
        for effect in own.filter(|effect| has_turn(effect)) {
            match &effect.work {
                Work::Check(run) => return run::carry_out(engine, run).await,
                Work::Merge(run) if matches!(subject, Subject::Pull(_)) => {
                    return at_forge::carry_out(engine, run).await;
                }
                Work::Merge(run) => return enqueue::take_over(engine, &effect.key, run).await,
                Work::Queue(step) => return merge::carry_out(engine, &effect.key, step).await,
                Work::Fix(step) => return fix::carry_out(engine, &effect.key, step).await,
                Work::GoOn(_) | Work::React(_) | Work::Notify(_) | Work::Track(_) | Work::Pull(_) => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::RunChecks;
    use crate::decide::checks;
    use crate::decide::merge::{self, Wanted};
    use crate::reactors::reactor::{Context, Due, Reactor as _};
    use crate::state::draft::Draft;
    use crate::state::example::{draft, id, project, session, state};
    use downbeat_model::effect::Check;
    use downbeat_model::session::{CheckedFor, MergingPull, SessionPull};
    use downbeat_model::{Oid, Subject};
    use jiff::Timestamp;
    use serde_json::json;

    #[test]
    fn the_runs_of_a_project_follow_one_another() {
        let row = |number| {
            let mut row = session(number);
            row.workspace_path = Some("/shop/w".into());
            row
        };
        let mut draft = Draft::of(state([row(1), row(2)]));
        for number in [2, 1] {
            checks::request(&mut draft, &id(number), id(number + 10), CheckedFor::Caller).unwrap();
        }
        let look = |draft: &Draft| {
            RunChecks
                .look(&Context::default(), draft.state(), draft.now())
                .due
        };
        let due = |number: u32| {
            let key = format!("check:{}:{} 0", id(number), id(number + 10));
            vec![Due::once(Subject::Project(project().id), key)]
        };
        assert_eq!(look(&draft), due(2));
        checks::cancel(&mut draft, &id(2)).unwrap();
        assert_eq!(look(&draft), due(1));
        checks::cancel(&mut draft, &id(1)).unwrap();
        assert_eq!(look(&draft), []);
    }

    #[test]
    fn an_order_that_was_put_off_keeps_no_other_one_of_its_pull_request_back() {
        let card = json!({
            "id": "pull:github.com/PR_1", "number": 1, "title": "", "url": "https://github.com/acme/shop/pull/1",
            "state": "open", "isDraft": false, "head": "1".repeat(40), "baseBranch": "main", "verdict": "green",
            "passed": 1, "failed": 0, "pending": 0, "decision": "approved", "unresolved": 0, "mergeable": "yes",
            "stage": "mergeable", "reason": { "kind": "ready" }, "place": 9,
        });
        let card: SessionPull = serde_json::from_value(card).unwrap();
        let row = |number| downbeat_store::SessionRow {
            pulls: vec![card.clone()],
            ..session(number)
        };
        let mut draft = draft(10, [row(1), row(2)]);
        let order = |number: u32| Check {
            session: id(number),
            run: id(number + 10),
        };
        let wanted = Wanted {
            strategy: None,
            unchecked: false,
            pull: Some(MergingPull {
                id: card.id.clone(),
                number: 1,
                head: Oid::parse(&"1".repeat(40)).unwrap(),
                base: "main".into(),
                delete_branch: false,
                when_ready: false,
                by_rule: true,
            }),
            any_order: false,
        };
        merge::request(&mut draft, &id(1), id(11), &wanted).unwrap();
        assert!(merge::begin(&mut draft, &order(1)).unwrap());
        assert!(merge::put_off(&mut draft, &order(1), "its checks run").unwrap());
        merge::request(&mut draft, &id(2), id(12), &wanted).unwrap();
        for (now, what) in [(draft.now(), "it waits"), (Timestamp::MAX, "it is due again")] {
            let next = RunChecks.look(&Context::default(), draft.state(), now);
            let keys: Vec<_> = next.due.iter().map(|due| &due.subject).collect();
            assert_eq!(keys, [&card.id], "{what}");
            assert!(
                next.due[0].mark.as_ref().unwrap().contains(id(2).as_str()),
                "{what}: {:?}",
                next.due
            );
        }
    }
}
