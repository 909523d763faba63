//! Holds sessions to their budgets: when a session has used something, when a budget has changed, when a day
//! ends, and at the start of an engine. Near the end of a budget the person is notified; over it the session
//! is paused. The arithmetic is in [`downbeat_model::budget`].

use crate::decide::budgets::{Line, Whose};
use crate::decide::{budgets, ending, notices, pause, unpriced};
use crate::effects::process::end;
use crate::host::config::Budgets;
use crate::host::prices::Prices;
use crate::reactors::agenda::CHECK;
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::error;
use crate::state::find::Children;
use crate::state::known::State;
use crate::state::usage::{ByModel, join, priced};
use async_trait::async_trait;
use downbeat_agents::SHELL;
use downbeat_model::budget::Budget;
use downbeat_model::{ProjectId, SessionId, Status, Subject};
use downbeat_store::SessionRow;
use downbeat_store::chronicle::Period;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::usage::BudgetScope;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// Holds sessions to their budgets.
pub struct HoldToBudgets;

#[async_trait]
impl Reactor for HoldToBudgets {
    fn name(&self) -> &'static str {
        "hold_to_budgets"
    }

    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        let (number, again) = period(CHECK, now);
        for id in state.projects.keys() {
            let used = context.used.get(id).copied().unwrap_or_default();
            let mut own = state.sessions.values().filter(|row| row.project_id == *id);
            // A budget that was raised in the project's file is noticed only by reading the file.
            let mut looked = None;
            if own.any(|row| waits(row)) {
                looked = Some((number, context.today));
                next.again_at(again);
            }
            let mark = format!("{used} {:?} {looked:?}", context.config.budgets);
            next.due.push(Due::once(Subject::Project(id.clone()), mark));
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Project(id) => check(engine, id).await,
            _ => Ok(()),
        }
    }
}

/// Reports whether a session waits for a budget: a pause that remains on an ended session does not count,
/// unless it is for the project's budget.
fn waits(row: &SessionRow) -> bool {
    let pause = row.hold.pause.as_ref();
    let whole = pause.is_some_and(|pause| pause.budget == Some(BudgetScope::ProjectDay));
    row.is_paused_by_budget() && (row.status.is_live() || whole)
}

/// Interrupts the turns of sessions that the previous engine paused but did not interrupt.
pub fn interrupt_again(engine: &Arc<Engine>) {
    for row in engine.ledger.state().sessions.values() {
        let paused = row.hold.pause.as_ref().filter(|pause| pause.interrupts);
        if row.status == Status::Running && paused.is_some_and(|pause| row.status_since <= pause.at) {
            crate::effects::session::pause::interrupt(engine, &row.id);
        }
    }
}

/// The recorded reason of a stop for a session that cannot be paused.
const BY: &str = "by its budget";

/// The data for holding the sessions of one project to their budgets.
pub(crate) struct Books<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) state: &'a State,
    pub(crate) children: Children<'a>,
    pub(crate) budgets: Budgets,
    pub(crate) prices: Prices,
    /// The project's usage for today; read only if the project has a budget.
    pub(crate) today: ByModel,
    pub(crate) day: Date,
}

impl<'a> Books<'a> {
    pub(crate) async fn open(
        engine: &'a Engine,
        state: &'a State,
        project: &ProjectId,
    ) -> Result<Option<Self>, ApiError> {
        if let Some(row) = state.projects.get(project) {
            // An invalid file is reported when sessions are planned.
            let _ = engine.project_config(row).await;
        }
        let budgets = crate::state::budgets::of_project(engine, state, project);
        if budgets.is_open() {
            return Ok(None);
        }
        let day = Timestamp::now().to_zoned(TimeZone::system()).date();
        let mut today = ByModel::new();
        if !budgets.project_day.is_open() {
            let period = Period {
                from: Some(day),
                to: Some(day),
            };
            let sums = engine
                .transcripts
                .chronicle
                .sums(None, period)
                .await
                .map_err(error::store)?;
            for sum in sums.into_iter().filter(|sum| sum.project == *project) {
                join(&mut today, &ByModel::from([(sum.model, sum.tokens)]));
            }
        }
        let (prices, _) = engine.prices.get();
        Ok(Some(Self {
            engine,
            state,
            children: Children::of(state),
            budgets,
            prices,
            today,
            day,
        }))
    }

    /// Returns the budgets that apply to a session: its own, those of its ancestors, its project's.
    pub(crate) fn lines(&self, row: &SessionRow) -> Vec<Line> {
        let line = |scope, of, budget: Budget, used: &ByModel| {
            let used = priced(&self.prices, used);
            (!budget.is_open()).then(|| Line::new(scope, of, budget, used, self.budgets.warn, self.day))
        };
        let own = self.engine.used.of(&row.id);
        let own = line(
            BudgetScope::Session,
            Whose::session(row),
            self.budgets.session,
            &own,
        );
        let above = budgets::above(self.state, row);
        let trees = above
            .filter(|row| budgets::leads(&self.children, row))
            .filter_map(|row| {
                let used = self.engine.used.of_family(&self.children, &row.id);
                line(
                    BudgetScope::Subtree,
                    Whose::session(row),
                    self.budgets.subtree,
                    &used,
                )
            });
        let project = line(
            BudgetScope::ProjectDay,
            Whose::project(&row.project_id),
            self.budgets.project_day,
            &self.today,
        );
        own.into_iter().chain(trees).chain(project).collect()
    }
}

/// Holds every session of a project to its budgets.
pub async fn check(engine: &Arc<Engine>, project: &ProjectId) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let row = state.projects.get(project);
    if let Some(row) = row
        && engine.project_config(row).await.is_err()
    {
        // The project's budgets are unknown now: what they hold stays held.
        return Ok(());
    }
    let books = Books::open(engine, &state, project).await?;
    let rows = state.sessions.values().filter(|row| row.project_id == *project);
    for row in rows.filter(|row| row.agent != SHELL && budgets::is_held(row)) {
        let lines = books.as_ref().map(|books| books.lines(row)).unwrap_or_default();
        hold(engine, row, lines).await?;
    }
    Ok(())
}

/// Warns, pauses or releases one session according to its budgets. Returns whether it was paused, stopped or
/// released.
async fn hold(engine: &Arc<Engine>, row: &SessionRow, lines: Vec<Line>) -> Result<bool, ApiError> {
    let state = engine.ledger.state();
    let stays = match (budgets::over(&lines, &row.hold), &row.hold.pause) {
        (Some(line), Some(pause)) => pause.budget.is_none_or(|budget| budget == line.scope),
        (Some(_), None) => row.one_shot && row.intent.is_some(),
        (None, _) => !row.is_paused_by_budget(),
    };
    let blind = !unpriced::news(&state, row, &lines).is_empty();
    if stays && !blind && !lines.iter().any(|line| budgets::is_news(&state, line)) {
        return Ok(false);
    }
    let written = engine.ledger.write(|draft| {
        let unpriced = unpriced::news(draft.state(), row, &lines);
        unpriced::notify(draft, &row.id, &unpriced)?;
        for line in lines
            .iter()
            .filter(|line| budgets::is_news(draft.state(), line))
            .collect::<Vec<_>>()
        {
            budgets::warn(draft, &row.id, line)?;
        }
        // Other looks, and people, may have changed the session since it was read.
        let now = draft.session(&row.id)?;
        let (held, is_live, by_budget) = (now.hold.clone(), now.status.is_live(), now.is_paused_by_budget());
        match budgets::over(&lines, &held) {
            // A one-shot session cannot be interrupted; once resumed, it is a session like any other.
            Some(line) if is_live && now.one_shot => {
                let text = format!("stopped: used {}", line.says());
                let noted = now.intent.is_none() && ending::note(draft, &row.id, EndMode::Stop, BY)?;
                noted
                    .then(|| notices::notify(draft, &row.id, NoticeKind::NeedsLook, text))
                    .transpose()?;
                Ok(noted.then_some(Held::Stopped))
            }
            Some(line) if is_live && held.pause.is_none() => {
                let why = format!("used {}", line.says());
                pause::begin(draft, &row.id, why.clone(), Some(line.scope))?;
                notices::notify(draft, &row.id, NoticeKind::NeedsLook, format!("paused: {why}"))?;
                Ok(Some(Held::Paused))
            }
            Some(line) if by_budget && held.pause.is_some_and(|pause| pause.budget != Some(line.scope)) => {
                pause::again(draft, &row.id, &format!("used {}", line.says()), line.scope)?;
                Ok(None)
            }
            None if by_budget => {
                pause::end(draft, &row.id)?;
                Ok(Some(Held::LetGo))
            }
            _ => Ok(None),
        }
    });
    let now = written.await?;
    match now {
        Some(Held::Paused) => crate::effects::session::pause::interrupt(engine, &row.id),
        Some(Held::Stopped) => stop(engine, &row.id),
        Some(Held::LetGo) | None => {}
    }
    Ok(now.is_some())
}

/// The action that a budget caused on a session.
pub(crate) enum Held {
    Paused,
    Stopped,
    LetGo,
}

/// Carries out a recorded stop in the background.
fn stop(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        if let Err(error) = end::carry_out(&engine, &id, EndMode::Stop, BY).await {
            tracing::warn!(session = %id, "it is over its budget, but could not be stopped: {error}");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::HoldToBudgets;
    use crate::reactors::reactor::{Context, Next, Reactor as _};
    use crate::state::example::{at, project, session, state};
    use crate::state::known::State;
    use downbeat_model::Status;
    use downbeat_model::session::Pause;
    use downbeat_wire::usage::BudgetScope;

    fn look(context: &Context, state: &State, second: i64) -> Next {
        HoldToBudgets.look(context, state, at(second))
    }

    #[test]
    fn a_project_is_checked_again_after_its_usage_or_its_budgets_changed() {
        let state = state([session(1)]);
        let mut context = Context::default();
        let first = look(&context, &state, 0);
        assert_eq!((first.due.len(), first.again), (1, None));
        assert_eq!(look(&context, &state, 9000), first, "no time changes that");
        context.used.insert(project().id, 1);
        let used = look(&context, &state, 0);
        assert_ne!(used, first);
        context.config.budgets.session.usd = Some(5.0);
        assert_ne!(look(&context, &state, 0), used);
    }

    #[test]
    fn a_project_is_checked_periodically_while_a_session_waits_for_a_budget() {
        let paused = |status, scope| {
            let mut row = session(1);
            row.status = status;
            row.hold.pause = Some(Pause {
                at: at(0),
                why: String::new(),
                budget: scope,
                interrupts: false,
            });
            state([row])
        };
        let mut context = Context::default();
        let state = paused(Status::Paused, Some(BudgetScope::Session));
        let first = look(&context, &state, 0);
        assert_eq!(first.again, Some(at(30)));
        assert_eq!(look(&context, &state, 29), first);
        assert_ne!(look(&context, &state, 30), first);
        context.today = context.today.tomorrow().unwrap();
        assert_ne!(look(&context, &state, 29), first);
        for (status, scope, waits) in [
            (Status::Paused, None, false),
            (Status::Exited, Some(BudgetScope::Session), false),
            (Status::Exited, Some(BudgetScope::ProjectDay), true),
        ] {
            let again = look(&context, &paused(status, scope), 0).again;
            assert_eq!(again.is_some(), waits, "{status:?} {scope:?}");
        }
    }
}
