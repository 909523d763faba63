//! What agents used and what it costs: sums in memory for every session, reports from the chronicle.
//! Not budgets, and not prices: see [`crate::budgets`] and [`crate::prices`].

use crate::budgets;
use crate::engine::Engine;
use crate::error;
use crate::ledger::State;
use crate::lineage::Lineage;
use crate::lookup;
use crate::prices::Prices;
use downbeat_model::{EventKind, ProjectId, SessionId};
use downbeat_store::chronicle::{Period, Sum, Tokens};
use downbeat_wire::session::Session;
use downbeat_wire::usage::{DayUsage, GetUsage, ModelUsage, ProjectUsage, SessionUsage, Usage, UsageReport};
use downbeat_wire::{ApiError, Caller};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Tokens by model.
pub type ByModel = BTreeMap<String, Tokens>;

/// What every session used, as of the last read of its transcript.
#[derive(Debug, Default)]
pub struct Used {
    /// Plain locks, held for a copy only, never across an await.
    sessions: RwLock<BTreeMap<SessionId, ByModel>>,
    /// The projects of which a session used more since somebody asked.
    news: Mutex<BTreeSet<ProjectId>>,
}

impl Used {
    /// Over what the chronicle says.
    pub fn new(sums: Vec<Sum>) -> Self {
        let mut all: BTreeMap<SessionId, ByModel> = BTreeMap::new();
        for sum in sums {
            let of = all.entry(sum.session).or_default();
            add(of, &sum.model, &sum.tokens);
        }
        Self {
            sessions: RwLock::new(all),
            news: Mutex::default(),
        }
    }

    /// What one session used.
    pub fn of(&self, id: &SessionId) -> ByModel {
        let all = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        all.get(id).cloned().unwrap_or_default()
    }

    /// Takes up new sums of a session. False where nothing is new.
    fn set(&self, id: &SessionId, sums: ByModel) -> bool {
        let mut all = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = all.get(id) != Some(&sums);
        all.insert(id.clone(), sums);
        is_new
    }

    fn note_news(&self, project: ProjectId) {
        self.news
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(project);
    }

    /// The projects of which a session used more since the last call.
    pub fn take_news(&self) -> BTreeSet<ProjectId> {
        std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn add(to: &mut ByModel, model: &str, tokens: &Tokens) {
    let sum = match to.get_mut(model) {
        Some(sum) => sum,
        None => to.entry(model.to_owned()).or_default(),
    };
    sum.input = sum.input.saturating_add(tokens.input);
    sum.cached = sum.cached.saturating_add(tokens.cached);
    sum.written = sum.written.saturating_add(tokens.written);
    sum.output = sum.output.saturating_add(tokens.output);
}

pub fn join(to: &mut ByModel, other: &ByModel) {
    for (model, tokens) in other {
        add(to, model, tokens);
    }
}

/// A session and everything below it, also what was taken off the list: whose use is its own.
pub fn with_below(state: &State, id: &SessionId) -> Vec<SessionId> {
    let mut all = vec![id.clone()];
    all.extend(
        state
            .sessions
            .get(id)
            .into_iter()
            .flat_map(|own| Lineage::forgotten(own)),
    );
    for row in lookup::below(state, id) {
        all.push(row.id.clone());
        all.extend(Lineage::forgotten(&row));
    }
    all
}

/// Tokens with what they cost.
pub fn priced(prices: &Prices, used: &ByModel) -> Usage {
    let mut usage = Usage::default();
    for (model, tokens) in used.iter().filter(|(_, tokens)| **tokens != Tokens::default()) {
        usage.input += tokens.input;
        usage.cached += tokens.cached;
        usage.written += tokens.written;
        usage.output += tokens.output;
        match prices.cost(model, tokens) {
            Some(cost) => {
                *usage.cost.get_or_insert(0.0) += cost.usd;
                if cost.by_family {
                    usage.by_family.push(model.clone());
                }
            }
            None => usage.unpriced.push(model.clone()),
        }
    }
    usage
}

/// Takes up what a read of a session's transcripts gave, and tells where it is news.
pub async fn changed(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let sums = engine.transcripts.chronicle.sums(Some(id), Period::default());
    let mut used = ByModel::new();
    for sum in sums.await.map_err(error::store)? {
        add(&mut used, &sum.model, &sum.tokens);
    }
    // It may have been taken off the list meanwhile.
    engine.row(id)?;
    if !engine.used.set(id, used) {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        draft.session(id)?;
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        Ok(())
    });
    // Before the write: who looks after it finds the project.
    engine.used.note_news(engine.row(id)?.project_id.clone());
    written.await
}

/// Fills in what sessions used.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [Session]) {
    let (prices, _) = engine.prices.get();
    for session in sessions {
        session.usage = priced(&prices, &engine.used.of(&session.id));
        let ids = with_below(state, &session.id);
        if ids.len() > 1 {
            let mut all = ByModel::new();
            for id in &ids {
                join(&mut all, &engine.used.of(id));
            }
            session.subtree_usage = Some(priced(&prices, &all));
        }
    }
}

/// A report for a caller, who sees its own subtree only.
pub async fn report(engine: &Engine, caller: &Caller, request: &GetUsage) -> Result<UsageReport, ApiError> {
    let state = engine.ledger.state();
    let root = match (&request.session, caller) {
        (Some(name), _) => Some(lookup::session(&state, caller, name)?.id.clone()),
        (None, Caller::Session(id)) => Some(id.clone()),
        (None, Caller::Owner) => None,
    };
    let project = request
        .project
        .as_deref()
        .map(|name| lookup::project(&state, name))
        .transpose()?;
    let period = Period {
        from: day(request.from.as_deref(), "from")?,
        to: day(request.to.as_deref(), "to")?,
    };
    let within = root.map(|root| with_below(&state, &root).into_iter().collect::<BTreeSet<_>>());
    let mut sums = engine
        .transcripts
        .chronicle
        .sums(None, period)
        .await
        .map_err(error::store)?;
    sums.retain(|sum| {
        within.as_ref().is_none_or(|within| within.contains(&sum.session))
            && project.as_ref().is_none_or(|project| sum.project == project.id)
    });
    let (prices, problem) = engine.prices.get();
    let projects = state
        .projects
        .values()
        .filter(|row| project.as_ref().is_none_or(|project| project.id == row.id));
    let projects: Vec<_> = projects.map(|row| row.id.clone()).collect();
    let mut budgets = budgets::report(engine, caller, &projects).await?;
    budgets.retain(|line| match (&within, &line.session_id) {
        (Some(within), Some(id)) => within.contains(id),
        (Some(_), None) => false,
        (None, _) => true,
    });
    Ok(UsageReport {
        budgets,
        problem: problem.filter(|_| *caller == Caller::Owner),
        ..summed(&state, &prices, &sums)
    })
}

fn day(text: Option<&str>, field: &str) -> Result<Option<Date>, ApiError> {
    let read = |text: &str| {
        text.parse().map_err(|_| {
            ApiError::invalid(format!("{field}: {text:?} is no day")).hint("days look like 2026-11-21")
        })
    };
    text.map(read).transpose()
}

/// Sums in every direction.
fn summed(state: &State, prices: &Prices, sums: &[Sum]) -> UsageReport {
    let (mut total, mut removed) = (ByModel::new(), ByModel::new());
    let mut days: BTreeMap<Date, ByModel> = BTreeMap::new();
    let mut sessions: BTreeMap<&SessionId, ByModel> = BTreeMap::new();
    let mut projects: BTreeMap<&ProjectId, ByModel> = BTreeMap::new();
    for sum in sums {
        if !state.sessions.contains_key(&sum.session) {
            add(&mut removed, &sum.model, &sum.tokens);
        }
        for sums in [
            sessions.entry(&sum.session).or_default(),
            &mut total,
            days.entry(sum.day).or_default(),
            projects.entry(&sum.project).or_default(),
        ] {
            add(sums, &sum.model, &sum.tokens);
        }
    }
    let model = |(model, tokens): (&String, &Tokens)| ModelUsage {
        model: model.clone(),
        usage: priced(prices, &ByModel::from([(model.clone(), *tokens)])),
    };
    let mut models: Vec<ModelUsage> = total.iter().map(model).collect();
    models.retain(|model| model.usage != Usage::default());
    models.sort_by_key(|model| std::cmp::Reverse(model.usage.output));
    let day = |(day, used): (Date, ByModel)| DayUsage {
        day: day.to_string(),
        usage: priced(prices, &used),
    };
    let project = |(id, used): (&ProjectId, ByModel)| ProjectUsage {
        id: id.clone(),
        name: state.projects.get(id).map(|project| project.name.clone()),
        usage: priced(prices, &used),
    };
    UsageReport {
        total: priced(prices, &total),
        days: days.into_iter().rev().map(day).collect(),
        models,
        sessions: by_session(state, prices, &sessions),
        projects: projects.into_iter().map(project).collect(),
        removed: (!removed.is_empty()).then(|| priced(prices, &removed)),
        budgets: Vec::new(),
        problem: None,
    }
}

/// In the order of the sidebar: by age.
fn by_session(state: &State, prices: &Prices, used: &BTreeMap<&SessionId, ByModel>) -> Vec<SessionUsage> {
    let mut rows: Vec<_> = state.sessions.values().collect();
    rows.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    let one = |row: &&std::sync::Arc<downbeat_store::SessionRow>| {
        let own = used.get(&row.id).cloned().unwrap_or_default();
        let ids = with_below(state, &row.id);
        let mut all = ByModel::new();
        for used in ids.iter().filter_map(|id| used.get(id)) {
            join(&mut all, used);
        }
        let usage = priced(prices, &all);
        (usage != Usage::default()).then(|| SessionUsage {
            id: row.id.clone(),
            title: row.title.clone(),
            project_id: row.project_id.clone(),
            usage: priced(prices, &own),
            subtree: (ids.len() > 1).then_some(usage),
        })
    };
    rows.iter().filter_map(one).collect()
}
