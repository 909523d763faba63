//! `downbeat cost`: the usage of agents, in tokens and dollars, by session, project, plan, agent, day and model.

use crate::client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show::cut;
use crate::table::{Cell, lines};
use clap::Args;
use downbeat_model::budget::Standing;
use downbeat_wire::Client as _;
use downbeat_wire::usage::{BudgetScope, BudgetState, GetUsage, Usage, UsageReport};

/// The maximum number of days in the list; `--json` prints all.
const DAYS: usize = 14;

/// The maximum length of a title, in characters.
const TITLE: usize = 40;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Only this session and its workers
    #[arg(conflicts_with = "project")]
    session: Option<String>,
    /// Only this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// Only this day: `today`, or a date like 2026-11-21
    #[arg(long, value_name = "DAY", conflicts_with = "since")]
    day: Option<String>,
    /// Only from this day on
    #[arg(long, value_name = "DAY")]
    since: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let day = arguments.day.map(|day| date("--day", day)).transpose()?;
    let since = arguments.since.map(|day| date("--since", day)).transpose()?;
    let request = GetUsage {
        session: arguments.session,
        project: arguments.project,
        from: since.or_else(|| day.clone()),
        to: day,
    };
    let report = client::look(&home).get_usage(request).await?;
    if arguments.json {
        print_json(&report)
    } else {
        print(&text(Paint::for_stdout(), &report))
    }
}

fn date(option: &str, day: String) -> Result<String, Failure> {
    match day.parse::<jiff::civil::Date>() {
        _ if day == "today" => Ok(jiff::Zoned::now().date().to_string()),
        Ok(_) => Ok(day),
        Err(_) => Err(Failure::usage(format!(
            "{option}: {day} is not a date; write `today` or a date like 2026-11-21"
        ))),
    }
}

/// Formats a report for people.
fn text(paint: Paint, report: &UsageReport) -> String {
    let mut out = String::new();
    if report.total == Usage::default() {
        out.push_str("no usage reported yet\n");
    } else {
        out.push_str(&usage_table(paint, report));
    }
    if !report.budgets.is_empty() {
        let rows: Vec<Vec<Cell>> = report.budgets.iter().map(|line| budget(paint, line)).collect();
        out.push('\n');
        out.push_str(&lines(&["BUDGET", "OF", "USED", "ALLOWED", "SHARE"], &rows));
    }
    if !report.total.unpriced.is_empty() {
        let models: Vec<String> = report.total.unpriced.iter().map(|model| plain(model)).collect();
        out.push_str(&format!(
            "\nno price known for {}; add one to prices.yaml, next to downbeat.yaml\n",
            models.join(", ")
        ));
        if report.budgets.iter().any(cannot_count) {
            out.push_str("dollar budgets do not count these models; token budgets do\n");
        }
    }
    if !report.total.by_family.is_empty() {
        let models: Vec<String> = report.total.by_family.iter().map(|model| plain(model)).collect();
        out.push_str(&format!(
            "\nno price known for {}; counted at the latest price of its model family\n",
            models.join(", ")
        ));
    }
    if let Some(problem) = &report.problem {
        out.push_str(&format!("\nyour list of prices is ignored: {}\n", plain(problem)));
    }
    out
}

/// Formats the usage by session, project, plan, agent, day and model as a table.
fn usage_table(paint: Paint, report: &UsageReport) -> String {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut group = |name: &str, entries: Vec<(String, &Usage)>| {
        for (index, (what, usage)) in entries.into_iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            rows.push(row(Cell::painted(name, |t| paint.faint(t)), &what, usage));
        }
    };
    let title = |title: &str| cut(&plain(title), TITLE);
    let mut sessions = Vec::new();
    for session in &report.sessions {
        sessions.push((title(&session.title), &session.usage));
        if let Some(all) = &session.subtree {
            sessions.push((format!("  {} with workers", title(&session.title)), all));
        }
    }
    if let Some(removed) = &report.removed {
        sessions.push(("removed from the list".to_owned(), removed));
    }
    group("sessions", sessions);
    let named = |name: &Option<String>| name.as_deref().map_or("removed".to_owned(), plain);
    let projects = report.projects.iter();
    group("projects", projects.map(|p| (named(&p.name), &p.usage)).collect());
    let plans = report.plans.iter();
    group(
        "plans",
        plans.map(|plan| (title(&plan.title), &plan.usage)).collect(),
    );
    let agents = report.agents.iter();
    group(
        "agents",
        agents.map(|one| (plain(&one.agent), &one.usage)).collect(),
    );
    let days = report.days.iter().take(DAYS);
    group("days", days.map(|day| (day.day.clone(), &day.usage)).collect());
    let models = report.models.iter();
    group("models", models.map(|m| (plain(&m.model), &m.usage)).collect());
    group("total", vec![(String::new(), &report.total)]);
    lines(&["", "", "COST", "INPUT", "CACHED", "WRITTEN", "OUTPUT"], &rows)
}

fn row(group: Cell, what: &str, usage: &Usage) -> Vec<Cell> {
    let mut cells = vec![group, what.into(), dollars(usage).into()];
    let numbers = [usage.input, usage.cached, usage.written, usage.output];
    cells.extend(numbers.map(|tokens| Cell::from(short(tokens))));
    cells
}

/// Returns whether a budget in dollars misses some of the usage.
fn cannot_count(line: &BudgetState) -> bool {
    line.budget.usd.is_some() && !line.used.unpriced.is_empty()
}

/// Formats a budget as a row. Tokens are shown next to dollars only if the budget counts them.
fn budget(paint: Paint, line: &BudgetState) -> Vec<Cell> {
    let scope = match line.scope {
        BudgetScope::Session => "session",
        BudgetScope::Subtree => "with workers",
        BudgetScope::ProjectDay => "project today",
    };
    let usd = line
        .budget
        .usd
        .map(|usd| (dollars(&line.used), format!("${usd:.2}")));
    let tokens = |tokens| {
        (
            format!("{} tokens", short(line.used.tokens())),
            format!("{} tokens", short(tokens)),
        )
    };
    let parts: Vec<_> = usd.into_iter().chain(line.budget.tokens.map(tokens)).collect();
    let join = |parts: Vec<String>| parts.join(", ");
    let used = parts.iter().map(|(used, _)| {
        if used.is_empty() {
            "$0.00".into()
        } else {
            used.clone()
        }
    });
    let share = format!("{:.0} %", line.share * 100.0);
    vec![
        Cell::from(scope),
        Cell::from(cut(&plain(line.name.as_deref().unwrap_or_default()), TITLE)),
        Cell::from(join(used.collect())),
        Cell::from(join(parts.iter().map(|(_, may)| may.clone()).collect())),
        Cell::painted(&share, |text| match line.standing {
            Standing::Within => paint.good(text),
            Standing::Near => paint.warn(text),
            Standing::Over => paint.bad(text),
        }),
    ]
}

/// Formats dollars: `$0.42`, `≥ $0.42` if part of the usage has no price, the tokens if all of it has none.
pub(in crate::command) fn dollars(usage: &Usage) -> String {
    let known = usage.cost.map(|cost| match cost {
        cost if cost > 0.0 && cost < 0.01 => "< $0.01".to_owned(),
        cost => format!("${cost:.2}"),
    });
    match (known, usage.unpriced.is_empty()) {
        (Some(cost), true) => cost,
        (Some(cost), false) => format!("≥ {}", cost.trim_start_matches("< ")),
        (None, false) => format!("{} tokens", short(usage.tokens())),
        (None, true) => String::new(),
    }
}

/// Formats a number of tokens: `950`, `12.3k`, `4.5M`.
fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{:.1}k", tokens as f64 / 1e3),
        _ => format!("{:.1}M", tokens as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_cost_is_never_shown_as_a_number() {
        let usage = |cost, unpriced: &[&str]| Usage {
            cost,
            unpriced: unpriced.iter().map(|&model| model.to_owned()).collect(),
            output: 12_345,
            ..Usage::default()
        };
        assert_eq!(dollars(&usage(Some(1.234), &[])), "$1.23");
        assert_eq!(dollars(&usage(Some(0.001), &[])), "< $0.01");
        assert_eq!(dollars(&usage(Some(1.0), &["x"])), "≥ $1.00");
        assert_eq!(dollars(&usage(None, &["x"])), "12.3k tokens");
        assert_eq!(dollars(&usage(None, &[])), "");
        assert_eq!((short(950), short(12_345)), ("950".into(), "12.3k".into()));
    }
}
