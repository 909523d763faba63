//! The usage report: tokens and cost by day, project, plan, session, agent and model.

use crate::api::budgets;
use crate::decide::plan_access;
use crate::host::prices::Prices;
use crate::state::context::Engine;
use crate::state::find::Children;
use crate::state::known::State;
use crate::state::usage::{ByModel, Used};
use crate::state::{error, find, usage};
use downbeat_model::{ProjectId, SessionId};
use downbeat_plans::PlanRecord;
use downbeat_store::chronicle::{Period, Sum, Tokens};
use downbeat_wire::session::{Session, SessionSummary};
use downbeat_wire::usage::{
    AgentUsage, DayUsage, GetUsage, ModelUsage, PlanUsage, ProjectUsage, SessionUsage, Usage, UsageReport,
};
use downbeat_wire::{ApiError, Caller};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

/// Sets `usage` in each session.
pub fn fill(engine: &Engine, used: &Used, sessions: &mut [SessionSummary]) {
    let (prices, _) = engine.prices.get();
    for session in sessions {
        session.usage = usage::priced(&prices, &used.of(&session.id));
    }
}

/// Sets `subtree_usage` in each session that has others below it.
pub fn fill_subtrees(engine: &Engine, state: &State, used: &Used, sessions: &mut [Session]) {
    let (prices, _) = engine.prices.get();
    let children = Children::of(state);
    for session in sessions {
        let row = state.sessions.get(&session.id);
        if row.is_some_and(|row| usage::has_below(&children, row)) {
            let all = used.of_family(&children, &session.id);
            session.subtree_usage = Some(usage::priced(&prices, &all));
        }
    }
}

/// Returns the report for a caller; an agent sees only its own subtree.
pub async fn report(engine: &Engine, caller: &Caller, request: &GetUsage) -> Result<UsageReport, ApiError> {
    let root = match (&request.session, caller) {
        (Some(name), _) => Some(engine.find(caller, name).await?.id.clone()),
        (None, Caller::Session(id)) => Some(id.clone()),
        (None, Caller::Owner) => None,
    };
    let (_family, state) = match &root {
        Some(root) => (Some(engine.recall_family(root).await?), engine.ledger.state()),
        None => (None, engine.everything().await?.0),
    };
    let children = Children::of(&state);
    let project = request
        .project
        .as_deref()
        .map(|name| find::project(&state, name))
        .transpose()?;
    let period = Period {
        from: day(request.from.as_deref(), "from")?,
        to: day(request.to.as_deref(), "to")?,
    };
    let within = root.map(|root| {
        usage::with_below(&children, &root)
            .into_iter()
            .collect::<BTreeSet<_>>()
    });
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
    let mut report = summed(&state, &prices, &sums);
    report.plans.retain(|one| {
        let plan = state.plans.get(&one.id);
        plan.is_some_and(|plan| plan_access::is_visible(&state, caller, plan))
    });
    Ok(UsageReport {
        budgets,
        problem: problem.filter(|_| *caller == Caller::Owner),
        ..report
    })
}

fn day(text: Option<&str>, field: &str) -> Result<Option<Date>, ApiError> {
    let read = |text: &str| {
        text.parse().map_err(|_| {
            ApiError::invalid(format!("{field}: {text:?} is not a date")).hint("write dates like 2026-11-21")
        })
    };
    text.map(read).transpose()
}

/// The sums by day, project, plan, session, agent and model.
fn summed(state: &State, prices: &Prices, sums: &[Sum]) -> UsageReport {
    let (mut total, mut removed) = (ByModel::new(), ByModel::new());
    let mut days: BTreeMap<Date, ByModel> = BTreeMap::new();
    let mut sessions: BTreeMap<&SessionId, ByModel> = BTreeMap::new();
    let mut projects: BTreeMap<&ProjectId, ByModel> = BTreeMap::new();
    for sum in sums {
        if !state.sessions.contains_key(&sum.session) {
            usage::add(&mut removed, &sum.model, &sum.tokens);
        }
        for sums in [
            sessions.entry(&sum.session).or_default(),
            &mut total,
            days.entry(sum.day).or_default(),
            projects.entry(&sum.project).or_default(),
        ] {
            usage::add(sums, &sum.model, &sum.tokens);
        }
    }
    let model = |(model, tokens): (&String, &Tokens)| ModelUsage {
        model: model.clone(),
        usage: usage::priced(prices, &ByModel::from([(model.clone(), *tokens)])),
    };
    let mut models: Vec<ModelUsage> = total.iter().map(model).collect();
    models.retain(|model| model.usage != Usage::default());
    models.sort_by_key(|model| std::cmp::Reverse(model.usage.output));
    let day = |(day, used): (Date, ByModel)| DayUsage {
        day: day.to_string(),
        usage: usage::priced(prices, &used),
    };
    let project = |(id, used): (&ProjectId, ByModel)| ProjectUsage {
        id: id.clone(),
        name: state.projects.get(id).map(|project| project.name.clone()),
        usage: usage::priced(prices, &used),
    };
    UsageReport {
        total: usage::priced(prices, &total),
        days: days.into_iter().rev().map(day).collect(),
        models,
        sessions: by_session(state, prices, &sessions),
        projects: projects.into_iter().map(project).collect(),
        agents: by_agent(state, prices, &sessions),
        plans: by_plan(state, prices, &sessions),
        removed: (!removed.is_empty()).then(|| usage::priced(prices, &removed)),
        budgets: Vec::new(),
        problem: None,
    }
}

/// Sums up the sessions of each agent, and sorts by cost.
fn by_agent(state: &State, prices: &Prices, used: &BTreeMap<&SessionId, ByModel>) -> Vec<AgentUsage> {
    let mut agents: BTreeMap<&str, ByModel> = BTreeMap::new();
    for (id, used) in used {
        if let Some(row) = state.sessions.get(*id) {
            usage::join(agents.entry(row.agent.as_str()).or_default(), used);
        }
    }
    let mut agents: Vec<AgentUsage> = agents
        .into_iter()
        .map(|(agent, used)| AgentUsage {
            agent: agent.to_owned(),
            usage: usage::priced(prices, &used),
        })
        .filter(|agent| agent.usage != Usage::default())
        .collect();
    agents.sort_by(|a, b| {
        let cost = |agent: &AgentUsage| agent.usage.cost.unwrap_or_default();
        let by_cost = cost(b).total_cmp(&cost(a));
        by_cost.then_with(|| b.usage.output.cmp(&a.usage.output))
    });
    agents
}

/// Sums up the workers of each plan, with all below those that are on the list, and sorts by age.
fn by_plan(state: &State, prices: &Prices, used: &BTreeMap<&SessionId, ByModel>) -> Vec<PlanUsage> {
    let children = Children::of(state);
    let one = |plan: &std::sync::Arc<PlanRecord>| {
        let workers = plan
            .shares
            .iter()
            .flat_map(|one| one.before.iter().chain(&one.session));
        let ids: BTreeSet<SessionId> = workers
            .flat_map(|worker| usage::with_below(&children, worker))
            .collect();
        let usage = together(prices, used, &ids);
        (usage != Usage::default()).then(|| PlanUsage {
            id: plan.id.clone(),
            title: plan.plan.title.clone(),
            usage,
        })
    };
    let mut plans: Vec<_> = state.plans.values().collect();
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.created_at));
    plans.into_iter().filter_map(one).collect()
}

/// Returns what sessions used together.
fn together<'a>(
    prices: &Prices,
    used: &BTreeMap<&SessionId, ByModel>,
    ids: impl IntoIterator<Item = &'a SessionId>,
) -> Usage {
    let mut all = ByModel::new();
    for used in ids.into_iter().filter_map(|id| used.get(id)) {
        usage::join(&mut all, used);
    }
    usage::priced(prices, &all)
}

/// Sorts by age, as the sidebar does.
fn by_session(state: &State, prices: &Prices, used: &BTreeMap<&SessionId, ByModel>) -> Vec<SessionUsage> {
    let mut rows: Vec<_> = state.sessions.values().collect();
    rows.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    let children = Children::of(state);
    let one = |row: &&std::sync::Arc<downbeat_store::SessionRow>| {
        let own = used.get(&row.id).cloned().unwrap_or_default();
        let ids = usage::with_below(&children, &row.id);
        let usage = together(prices, used, &ids);
        (usage != Usage::default()).then(|| SessionUsage {
            id: row.id.clone(),
            title: row.title.clone(),
            project_id: row.project_id.clone(),
            usage: usage::priced(prices, &own),
            subtree: (ids.len() > 1).then_some(usage),
        })
    };
    rows.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::example::{change_plan, draft, id, planned, project, session, state, worker};

    /// Returns what a session used on a day of one model whose price is known.
    fn sum(session: u32, output: u64) -> Sum {
        Sum {
            session: id(session),
            project: project().id,
            day: "2026-11-21".parse().unwrap(),
            model: "claude-opus-4-5".into(),
            tokens: Tokens {
                output,
                ..Tokens::default()
            },
        }
    }

    #[test]
    fn agents_are_summed_up_the_most_expensive_first_without_those_removed() {
        let mut codex = session(2);
        codex.agent = "codex".into();
        let state = state([session(1), codex, session(3)]);
        let sums = [sum(1, 100), sum(2, 900), sum(3, 200), sum(4, 5_000)];
        let report = summed(&state, &Prices::default(), &sums);
        let agents = report.agents.iter();
        let agents: Vec<_> = agents.map(|one| (one.agent.as_str(), one.usage.output)).collect();
        assert_eq!(agents, [("codex", 900), ("claude", 300)]);
        assert_eq!(report.removed.unwrap().output, 5_000);
    }

    #[test]
    fn a_plan_counts_its_workers_also_replaced_ones_and_all_below_them_once() {
        let lead = session(1);
        let mut draft = draft(9, [lead.clone(), worker(2, &lead), session(3)]);
        planned(&mut draft, "Build the API", &[]);
        change_plan(&mut draft, |plan| {
            let one = &mut plan.shares[0];
            one.session = Some(id(1));
            // The worker of a worker is not counted twice.
            one.before = vec![id(4), id(2)];
        });
        // Session 4 was removed from the list, and session 3 does not belong to the plan.
        let sums = [sum(1, 1), sum(2, 20), sum(3, 300), sum(4, 4_000)];
        let plans = summed(draft.state(), &Prices::default(), &sums).plans;
        assert_eq!(plans.len(), 1);
        assert_eq!(
            (plans[0].title.as_str(), plans[0].usage.output),
            ("Build the API", 4_021)
        );
    }
}
