//! Runs the commands of rules: one at a time for what each rule reacted to. Other effects do not wait for them.

use crate::effects::rule_command;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_model::effect::{Effect, Work};
use downbeat_model::reactions::{Act, Effect as Reaction, RuleCommand};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs the commands of rules.
pub struct RunCommands;

/// Returns the command of an effect, if it is the run of one.
fn command(effect: &Effect) -> Option<(&Reaction, &RuleCommand)> {
    match &effect.work {
        Work::React(reaction) => match &reaction.act {
            Act::Run { command } => Some((reaction, command)),
            _ => None,
        },
        _ => None,
    }
}

#[async_trait]
impl Reactor for RunCommands {
    fn name(&self) -> &'static str {
        "run_commands"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut seen = BTreeSet::new();
        let mut next = Next::default();
        let runs = state.effects.iter().filter(|effect| command(effect).is_some());
        for effect in runs.filter(|effect| seen.insert(&effect.subject)) {
            match effect.not_before > now {
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
        let mut own = state.effects.iter().filter(|effect| effect.subject == *subject);
        let found = own.find_map(|effect| Some((effect, command(effect)?)));
        let Some((effect, about)) = found else {
            return Ok(());
        };
        let Err(error) = rule_command::carry_out(engine, effect, about).await else {
            return Ok(());
        };
        tracing::warn!(effect = effect.key, "not carried out yet: {error}");
        let noted = engine.ledger.write(|draft| {
            let now = draft.now();
            draft.change_effect(&effect.key, |effect| effect.failed(now));
            Ok(())
        });
        noted.await
    }
}

#[cfg(test)]
mod tests {
    use super::RunCommands;
    use crate::reactors::carry_out::CarryOut;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::draft::Draft;
    use crate::state::example::{at, id, session, state};
    use downbeat_model::Subject;
    use downbeat_model::effect::{Effect, EffectState, Work};
    use downbeat_model::reactions::{self, Act, Event, RuleCommand};

    fn effect(number: u32, act: Act) -> Effect {
        let subject = Subject::Session(id(1));
        let reaction = reactions::Effect {
            key: format!("r{number}"),
            subject: subject.clone(),
            session: Some(id(1)),
            rule: "agent-idle".into(),
            event: Event::AgentIdle,
            detail: String::new(),
            problem: 1,
            attempt: 1,
            items: Vec::new(),
            act,
        };
        Effect::new(
            format!("r{number}"),
            subject,
            Work::React(Box::new(reaction)),
            at(0),
        )
    }

    #[test]
    fn commands_follow_one_another_and_nothing_else_waits_for_them() {
        let run = || Act::Run {
            command: RuleCommand {
                argv: vec!["true".into()],
                limit_minutes: 30,
                approved: true,
            },
        };
        let mut draft = Draft::of(state([session(1)]));
        for (number, act) in [(1, run()), (2, run()), (3, Act::Pause)] {
            draft.carry_out(effect(number, act));
        }
        let now = draft.now();
        let context = Context::default();
        let marks = |draft: &Draft| {
            let runs = RunCommands.look(&context, draft.state(), now).due;
            let others = CarryOut.look(&context, draft.state(), now).due;
            [runs, others].map(|due| due.into_iter().filter_map(|due| due.mark).collect::<Vec<_>>())
        };
        assert_eq!(marks(&draft), [vec!["r1 0".to_owned()], vec!["r3 0".to_owned()]]);
        draft.change_effect("r1", |effect| effect.state = EffectState::Done);
        assert_eq!(marks(&draft), [vec!["r2 0".to_owned()], vec!["r3 0".to_owned()]]);
    }
}
