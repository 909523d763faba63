//! Budgets: what sessions, conductors with all below them, and projects in a day may use. Whenever a
//! transcript told something new, and while one is paused, each session of the project is held
//! against its budgets: near the end of one the person is told, once; over it the session is paused.
//! Sums and prices are [`crate::cost`]'s, the arithmetic is [`downbeat_model::budget`]'s, and pausing
//! is [`crate::pause`]'s.

mod blind;
mod report;

pub use report::report;

use crate::config::Budgets;
use crate::cost::{self, ByModel, join, priced};
use crate::ending::{self, Wish};
use crate::engine::Engine;
use crate::hold::Hold;
use crate::ledger::{Draft, State};
use crate::prices::Prices;
use crate::{error, lookup, once, pause, transition};
use downbeat_agents::SHELL;
use downbeat_model::budget::{Budget, Spent, Standing};
use downbeat_model::{EventKind, ProjectId, Role, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_store::chronicle::Period;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::session::Session;
use downbeat_wire::usage::{BudgetScope, BudgetState, Usage};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Who stops a session that cannot be paused.
const BY: &str = "by its budget";

/// Whose a budget is: a session's, that of one above all that count, or a project's.
#[derive(Clone)]
struct Whose {
    session: Option<SessionId>,
    id: String,
    name: String,
}

impl Whose {
    fn session(row: &SessionRow) -> Self {
        Self {
            session: Some(row.id.clone()),
            id: row.id.to_string(),
            name: row.name.clone(),
        }
    }

    fn project(id: &ProjectId) -> Self {
        Self {
            session: None,
            id: id.to_string(),
            name: String::new(),
        }
    }
}

/// One budget, held against what was used of it.
struct Line {
    scope: BudgetScope,
    of: Whose,
    budget: Budget,
    used: Usage,
    standing: Standing,
    /// Tells this budget from any other, also from the same once it was changed, or on another day.
    key: String,
}

impl Line {
    fn new(scope: BudgetScope, of: Whose, budget: Budget, used: Usage, warn: u32, day: Date) -> Self {
        let spent = Spent {
            usd: used.cost.unwrap_or(0.0),
            tokens: used.tokens(),
        };
        let day = if scope == BudgetScope::ProjectDay {
            day.to_string()
        } else {
            String::new()
        };
        Self {
            scope,
            key: format!("{scope:?} {} {day} {:?} {:?}", of.id, budget.usd, budget.tokens),
            standing: budget.standing(spent, warn),
            of,
            budget,
            used,
        }
    }

    /// Whether a key is this budget's of before: of another day, or before it was changed.
    fn is_older(&self, key: &str) -> bool {
        key != self.key && key.starts_with(&format!("{:?} {} ", self.scope, self.of.id))
    }

    /// `$4.02 of $5.00`; `at least` where the price of a model is not known.
    fn says(&self) -> String {
        let mut parts = Vec::new();
        if let Some(usd) = self.budget.usd {
            let least = if self.used.unpriced.is_empty() {
                ""
            } else {
                "at least "
            };
            parts.push(format!(
                "{least}${:.2} of ${usd:.2}",
                self.used.cost.unwrap_or(0.0)
            ));
        }
        if let Some(tokens) = self.budget.tokens {
            parts.push(format!("{} of {tokens} tokens", self.used.tokens()));
        }
        let whose = match self.scope {
            BudgetScope::Session => "its budget".to_owned(),
            BudgetScope::Subtree => format!("the budget of {} and all below it", self.of.name),
            BudgetScope::ProjectDay => "its project's budget of today".to_owned(),
        };
        format!("{} of {whose}", parts.join(", "))
    }

    fn state(&self, name: Option<String>) -> BudgetState {
        let spent = Spent {
            usd: self.used.cost.unwrap_or(0.0),
            tokens: self.used.tokens(),
        };
        BudgetState {
            scope: self.scope,
            session_id: self.of.session.clone(),
            name,
            budget: self.budget,
            used: self.used.clone(),
            share: self.budget.share(spent),
            standing: self.standing,
        }
    }
}

/// What is needed to hold sessions of one project against their budgets.
struct Books<'a> {
    engine: &'a Engine,
    state: &'a State,
    budgets: Budgets,
    prices: Prices,
    /// What the project used today; only read where it has a budget.
    today: ByModel,
    day: Date,
}

impl<'a> Books<'a> {
    async fn open(
        engine: &'a Engine,
        state: &'a State,
        project: &ProjectId,
    ) -> Result<Option<Self>, ApiError> {
        if let Some(row) = state.projects.get(project) {
            // A file that is wrong is told of where sessions are planned.
            let _ = engine.project_config(row).await;
        }
        let budgets = of_project(engine, state, project);
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
            budgets,
            prices,
            today,
            day,
        }))
    }

    /// The budgets that hold for a session: its own, those of all above it, its project's.
    fn lines(&self, row: &SessionRow) -> Vec<Line> {
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
        let above = above(self.state, row);
        let trees = above.filter(|row| leads(self.state, row)).filter_map(|row| {
            let used = with_below(self.engine, self.state, &row.id);
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

/// A session and all above it.
fn above<'a>(state: &'a State, row: &'a SessionRow) -> impl Iterator<Item = &'a SessionRow> {
    std::iter::successors(Some(row), |row| {
        row.parent
            .as_ref()
            .and_then(|id| state.sessions.get(id))
            .map(Arc::as_ref)
    })
}

/// Whether there is, or is to be, something below a session.
fn leads(state: &State, row: &SessionRow) -> bool {
    row.role == Role::Conductor
        || state
            .sessions
            .values()
            .any(|other| other.parent.as_ref() == Some(&row.id))
}

fn with_below(engine: &Engine, state: &State, id: &SessionId) -> ByModel {
    let mut all = ByModel::new();
    for id in cost::with_below(state, id) {
        join(&mut all, &engine.used.of(&id));
    }
    all
}

/// The person's budgets and the project's own, the stricter of the two.
fn of_project(engine: &Engine, state: &State, project: &ProjectId) -> Budgets {
    let own = engine.config().budgets;
    let row = state.projects.get(project);
    // A project's file that is wrong is told of where sessions are planned.
    let theirs = row.and_then(|row| engine.project_configs.known(Path::new(&row.path)));
    match theirs.and_then(|config| config.budgets) {
        Some(theirs) => own.and(&theirs),
        None => own,
    }
}

/// Whether anything is held against a budget: then transcripts are read during a turn, too.
pub fn any(engine: &Engine, id: &SessionId) -> bool {
    let state = engine.ledger.state();
    let row = state.sessions.get(id);
    row.is_some_and(|row| !of_project(engine, &state, &row.project_id).is_open())
}

/// Holds every session of a project against its budgets.
pub async fn check(engine: &Arc<Engine>, project: &ProjectId) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let row = state.projects.get(project);
    if let Some(row) = row
        && engine.project_config(row).await.is_err()
    {
        // Its budgets are not known now: what they hold stays held.
        return Ok(());
    }
    let books = Books::open(engine, &state, project).await?;
    let rows = state.sessions.values().filter(|row| row.project_id == *project);
    for row in rows.filter(|row| row.agent != SHELL && is_held(row)) {
        let lines = books.as_ref().map(|books| books.lines(row)).unwrap_or_default();
        hold(engine, row, lines).await?;
    }
    Ok(())
}

/// Whether budgets are held against a session now: one that starts has nothing to interrupt yet, and
/// one that ended only while it stands for the pause of its project.
fn is_held(row: &SessionRow) -> bool {
    let starts = matches!(row.status, Status::Spawning | Status::SetupFailed);
    by_budget(row) || (row.status.is_live() && !starts)
}

/// Warns, pauses or lets go on, as the budgets of one session say. True where it was paused or let go.
async fn hold(engine: &Arc<Engine>, row: &SessionRow, lines: Vec<Line>) -> Result<bool, ApiError> {
    let state = engine.ledger.state();
    let stays = match (over(&lines, &Hold::of(row)), Hold::of(row).pause) {
        (Some(line), Some(pause)) => pause.budget.is_none_or(|budget| budget == line.scope),
        (Some(_), None) => once::is(row) && row.intent.is_some(),
        (None, _) => !by_budget(row),
    };
    let blind = !blind::news(&state, row, &lines).is_empty();
    if stays && !blind && !lines.iter().any(|line| is_news(&state, line)) {
        return Ok(false);
    }
    let written = engine.ledger.write(|draft| {
        let unpriced = blind::news(draft.state(), row, &lines);
        blind::tell(draft, &row.id, &unpriced)?;
        for line in lines
            .iter()
            .filter(|line| is_news(draft.state(), line))
            .collect::<Vec<_>>()
        {
            warn(draft, &row.id, line)?;
        }
        // Other looks, and people, come between what was read and this.
        let now = draft.session(&row.id)?;
        let (held, is_live, by_budget) = (Hold::of(now), now.status.is_live(), by_budget(now));
        match over(&lines, &held) {
            // Nothing can interrupt one that runs one prompt; resumed, it is a session like any other.
            Some(line) if is_live && once::is(now) => {
                let text = format!("stopped: used {}", line.says());
                let wished = now.intent.is_none() && ending::note(draft, &row.id, Wish::Stop, BY)?;
                wished
                    .then(|| transition::tell(draft, &row.id, NoticeKind::NeedsLook, text))
                    .transpose()?;
                Ok(wished.then_some(Held::Stopped))
            }
            Some(line) if is_live && held.pause.is_none() => {
                let why = format!("used {}", line.says());
                pause::begin(draft, &row.id, why.clone(), Some(line.scope))?;
                transition::tell(draft, &row.id, NoticeKind::NeedsLook, format!("paused: {why}"))?;
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
        Some(Held::Paused) => pause::interrupt(engine, &row.id),
        Some(Held::Stopped) => stop(engine, &row.id),
        Some(Held::LetGo) | None => {}
    }
    Ok(now.is_some())
}

/// What a budget did to a session.
enum Held {
    Paused,
    Stopped,
    LetGo,
}

/// Carries out a stop that is written down, in the background.
fn stop(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        if let Err(error) = ending::carry_out(&engine, &id, Wish::Stop, BY).await {
            tracing::warn!(session = %id, "it is over its budget, and was not stopped: {error}");
        }
    });
}

/// The budget that a session is over and may not pass: of several the one that holds most back, which
/// come last.
fn over<'a>(lines: &'a [Line], held: &Hold) -> Option<&'a Line> {
    lines
        .iter()
        .rfind(|line| line.standing == Standing::Over && !held.past.contains(&line.key))
}

/// Whether the person was not told yet that a budget is near its end.
fn is_news(state: &State, line: &Line) -> bool {
    let told = |row: &Arc<SessionRow>| Hold::of(row).warned.contains(&line.key);
    line.standing != Standing::Within && !state.sessions.values().any(told)
}

/// Tells of a budget that is near its end, or over: where it is a session's, of that one.
fn warn(draft: &mut Draft, id: &SessionId, line: &Line) -> Result<(), ApiError> {
    let of = line
        .of
        .session
        .clone()
        .filter(|of| draft.state().sessions.contains_key(of));
    let of = of.unwrap_or_else(|| id.clone());
    Hold::change(draft.session(&of)?, |hold| {
        // Another day's, or those of another sum, are never asked for again.
        hold.warned.retain(|key| !line.is_older(key));
        hold.warned.push(line.key.clone());
    });
    let payload = json!({ "budget": line.scope, "used": line.says() });
    draft.session_event(&of, EventKind::BudgetWarned, payload);
    if line.standing == Standing::Near {
        transition::tell(draft, &of, NoticeKind::NeedsLook, format!("used {}", line.says()))?;
    }
    Ok(())
}

/// Whether the budget of today holds a project's sessions back: one of them is paused by it.
pub fn day_is_over(state: &State, project: &ProjectId) -> bool {
    let by_day = |row: &Arc<SessionRow>| {
        row.project_id == *project
            && Hold::of(row)
                .pause
                .is_some_and(|pause| pause.budget == Some(BudgetScope::ProjectDay))
    };
    state.sessions.values().any(by_day)
}

/// The budgets that a person passes by saying that a session goes on, and those below it that are over
/// another one.
pub async fn passed(engine: &Engine, row: &SessionRow) -> Result<(Vec<String>, Vec<SessionId>), ApiError> {
    let state = engine.ledger.state();
    let Some(books) = Books::open(engine, &state, &row.project_id).await? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let over = |row: &SessionRow| -> Vec<String> {
        let lines = books.lines(row).into_iter();
        let over = lines.filter(|line| line.standing == Standing::Over);
        over.map(|line| line.key).collect()
    };
    let past = over(row);
    let stays = |row: &Arc<SessionRow>| {
        let before = Hold::of(row).past;
        over(row)
            .iter()
            .any(|key| !past.contains(key) && !before.contains(key))
    };
    let below = lookup::below(&state, &row.id).into_iter().filter(stays);
    let stay = below.map(|row| row.id.clone()).collect();
    Ok((past, stay))
}

/// Fills in the budgets of sessions: their own, and of those that lead others.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [Session]) {
    let (prices, _) = engine.prices.get();
    let day = Timestamp::now().to_zoned(TimeZone::system()).date();
    let mut by_project: BTreeMap<ProjectId, Budgets> = BTreeMap::new();
    for session in sessions {
        let budgets = by_project
            .entry(session.project_id.clone())
            .or_insert_with(|| of_project(engine, state, &session.project_id));
        let Some(row) = state.sessions.get(&session.id).filter(|row| row.agent != SHELL) else {
            continue;
        };
        let own = (BudgetScope::Session, budgets.session, engine.used.of(&row.id));
        let tree = leads(state, row).then(|| {
            (
                BudgetScope::Subtree,
                budgets.subtree,
                with_below(engine, state, &row.id),
            )
        });
        session.budgets = std::iter::once(own)
            .chain(tree)
            .filter(|(_, budget, _)| !budget.is_open())
            .map(|(scope, budget, used)| {
                let used = priced(&prices, &used);
                Line::new(scope, Whose::session(row), budget, used, budgets.warn, day).state(None)
            })
            .collect();
    }
}

/// Whether a session is paused by a budget.
pub fn by_budget(row: &SessionRow) -> bool {
    Hold::of(row).pause.is_some_and(|pause| pause.budget.is_some())
}
