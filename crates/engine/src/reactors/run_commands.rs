//! Runs the commands of rules: one at a time for each subject and in each worktree, and a few for each project. Other
//! effects do not wait for them.

use crate::decide::reactions::command::running;
use crate::effects::rule_command;
use crate::reactors::carry_out::put_off;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_model::effect::{Effect, Work};
use downbeat_model::reactions::{Act, Effect as Reaction, RuleCommand};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of commands of a project's rules that run at the same time. A push or a label can set off one for each
/// session.
const AT_ONCE: usize = 3;

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
        let (mut seen, mut due) = (BTreeSet::new(), Vec::new());
        let mut next = Next::default();
        for effect in state.effects.iter() {
            let Some((reaction, _)) = command(effect).filter(|_| seen.insert(&effect.subject)) else {
                continue;
            };
            match !effect.is_due(now) {
                true => next.again_at(effect.not_before),
                false => due.push((effect, reaction)),
            }
        }
        // What runs keeps its place; then the one that has waited longest is next.
        due.sort_by_key(|(effect, reaction)| {
            let runs = running(state, &effect.key, reaction).is_some();
            (!runs, effect.not_before)
        });
        let (mut of_projects, mut worktrees) = (BTreeMap::new(), BTreeSet::new());
        for (effect, reaction) in due {
            let row = reaction.session.as_ref().and_then(|id| state.sessions.get(id));
            // Without a session nothing is run; that is only recorded.
            if let Some(row) = row {
                let all: &mut usize = of_projects.entry(&row.project_id).or_default();
                let worktree = row.workspace_path.as_deref().unwrap_or(row.id.as_str());
                if *all == AT_ONCE || !worktrees.insert(worktree) {
                    continue;
                }
                *all += 1;
            }
            let mark = format!("{} {}", effect.key, effect.attempts);
            next.due.push(Due::once(effect.subject.clone(), mark));
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
        put_off(engine, effect, &error).await
    }
}

#[cfg(test)]
mod tests {
    use super::RunCommands;
    use crate::reactors::carry_out::CarryOut;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::draft::Draft;
    use crate::state::example::{at, id, session, state};
    use downbeat_model::effect::{Effect, EffectState, Work};
    use downbeat_model::reactions::{self, Act, Event, RuleCommand};
    use downbeat_model::session::RunningCommand;
    use downbeat_model::{SessionId, Subject};

    fn effect(number: u32, act: Act) -> Effect {
        of(Subject::Session(id(1)), id(1), number, act)
    }

    fn run() -> Act {
        Act::Run {
            command: RuleCommand {
                argv: vec!["true".into()],
                limit_minutes: 30,
                approved: true,
            },
        }
    }

    fn of(subject: Subject, session: SessionId, number: u32, act: Act) -> Effect {
        let reaction = reactions::Effect {
            key: format!("r{number}"),
            subject: subject.clone(),
            session: Some(session),
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

    #[test]
    fn a_few_run_for_each_project_and_one_in_each_worktree() {
        let sessions = (1..=6).map(|number| {
            let mut row = session(number);
            // The second one works where the first one does.
            row.workspace_path = Some(format!("/shop/{}", number.max(2)));
            row
        });
        let mut draft = Draft::of(state(sessions));
        for number in 1..=6 {
            draft.carry_out(of(Subject::Session(id(number)), id(number), number, run()));
        }
        let due = |draft: &Draft| {
            let next = RunCommands.look(&Context::default(), draft.state(), draft.now());
            next.due.into_iter().map(|due| due.subject).collect::<Vec<_>>()
        };
        let subjects = |numbers: [u32; 3]| numbers.map(|number| Subject::Session(id(number)));
        assert_eq!(due(&draft), subjects([1, 3, 4]));
        let reacted = &mut draft.session(&id(6)).unwrap().reacted;
        let commands = &mut reacted.entry(Subject::Session(id(6))).or_default().commands;
        let (run, at) = (id(9), at(1));
        commands.insert("r6".into(), RunningCommand { run, at });
        assert_eq!(due(&draft), subjects([6, 1, 3]), "what runs keeps its place");
        draft.change_effect("r1", |effect| effect.state = EffectState::Done);
        assert_eq!(due(&draft), subjects([6, 2, 3]));
    }
}
