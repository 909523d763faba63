//! `downbeat orchestrate` and `downbeat plan new`: read tasks, or have a goal planned, show that as a plan, and run it if that is
//! wanted.

use super::changed::changed;
use super::show;
use crate::client::Client;
use crate::command::session::new::around;
use crate::command::session::queue::Level;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print, print_json};
use clap::{Args, ValueEnum};
use downbeat_model::budget::Budget;
use downbeat_model::{Status, count};
use downbeat_plans::{MOST_BYTES, Meant, PlanState, ShareState, Split, file_in};
use downbeat_wire::plan::{
    ListPlans, Plan, PlanChange, PlanGoal, PlanRef, PlanWorker, PlannedGoal, PlanningSession, ProposePlan,
};
use downbeat_wire::request::SessionRef;
use downbeat_wire::{Client as _, Code};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

#[derive(Debug, Args)]
pub(in crate::command) struct New {
    /// The tasks: separated by commas, lines, or one in each argument; `domain: task | domain: task`; `execute PATH` for a file;
    /// `execute ISSUE` for the sub-issues of an issue; `execute beads`
    #[arg(value_name = "TASKS")]
    tasks: Vec<String>,
    /// A goal instead of tasks: your planner makes the plan (`planner:` in downbeat.yaml), or else a session
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["tasks", "tag"])]
    goal: Option<String>,
    /// Id or name; default the project around this folder
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// The agent of the workers
    #[arg(long, short, value_name = "AGENT")]
    agent: Option<String>,
    /// Do each task by a template: parallel, compare, divide, red-green, review, or one of yours (`planTemplates` in downbeat.yaml)
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Keywords of a domain for this plan, perhaps of a new domain: `--domain graphics=shader,texture`
    #[arg(long = "domain", value_name = "NAME=WORDS", value_parser = domain, conflicts_with = "goal")]
    domains: Vec<(String, Vec<String>)>,
    /// How many workers there are: one for each domain, or for each task; default domain, with a template task
    #[arg(long, value_name = "WHAT")]
    split: Option<Workers>,
    /// The most workers at once
    #[arg(long, value_name = "NUMBER")]
    at_once: Option<u32>,
    /// How soon its workers start, if others wait for room too
    #[arg(long, value_name = "PRIORITY")]
    priority: Option<Level>,
    /// Give the workers the tools of a conductor, so that they may have workers of their own
    #[arg(long)]
    conductors: bool,
    /// Which of several lists of a Taskmaster file
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// After how much a plan is paused.
#[derive(Debug, Args)]
pub(in crate::command) struct Limits {
    /// Pause the plan after these dollars in all, by list price; for a plan that is there, 0 for no limit
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<f64>,
    /// Pause the plan after these tokens in all; for a plan that is there, 0 for no limit
    #[arg(long, value_name = "NUMBER")]
    budget_tokens: Option<u64>,
    /// Pause the plan after these minutes since its start; 0 for no limit
    #[arg(long, value_name = "NUMBER")]
    pub(super) minutes: Option<u32>,
}

impl Limits {
    /// Returns the budget, if one is given.
    pub(super) fn budget(&self) -> Option<Budget> {
        let (usd, tokens) = (self.budget, self.budget_tokens);
        (usd.is_some() || tokens.is_some()).then_some(Budget { usd, tokens })
    }

    /// Returns the budget with what is given in place of `old`: a limit that is not named stays, and 0 is no limit.
    pub(super) fn budget_for(&self, old: Budget) -> Budget {
        Budget {
            usd: self.budget.or(old.usd).filter(|usd| *usd != 0.0),
            tokens: self.budget_tokens.or(old.tokens).filter(|tokens| *tokens != 0),
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    #[command(flatten)]
    new: New,
    /// Run it without a further command
    #[arg(long, short)]
    yes: bool,
    /// Only show the plan, and keep nothing
    #[arg(long)]
    dry_run: bool,
    /// Cancel all plans that run or are paused, and kill their workers
    #[arg(long, conflicts_with_all = ["tasks", "goal", "yes", "dry_run"])]
    kill_all: bool,
}

/// How many workers there are.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::command) enum Workers {
    Domain,
    Task,
}

impl From<Workers> for Split {
    fn from(workers: Workers) -> Self {
        match workers {
            Workers::Domain => Self::Domain,
            Workers::Task => Self::Task,
        }
    }
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    if arguments.kill_all {
        return kill_all(&client).await;
    }
    let json = arguments.new.json;
    let mut plan = match made(&client, arguments.new, arguments.dry_run).await? {
        Made::Plan(plan) => *plan,
        Made::Later(session) => return later(session, json, arguments.yes),
    };
    if arguments.yes && !arguments.dry_run {
        let id = plan.id.to_string();
        plan = client.run_plan(PlanRef { id }).await?;
    }
    match (json, arguments.dry_run, arguments.yes) {
        (true, ..) => print_json(&plan),
        (false, true, _) => print(&format!("{}{}", show::unkept(&plan), show::asked(&plan, false))),
        (false, false, true) => print(&show::one(&plan)),
        (false, false, false) => kept(&plan),
    }
}

/// Prints a plan that waits until it is run.
fn kept(plan: &Plan) -> Outcome {
    let mut shown = show::one(plan);
    if plan.tasks.iter().any(|task| !task.done && show::has_more(task)) {
        let id = &plan.id;
        shown.push_str(&format!("What the workers are asked: downbeat plan show {id}\n"));
    }
    print(&format!("{shown}Run it: downbeat plan run {}\n", plan.id))
}

/// Proposes a plan without running it.
pub(super) async fn new(client: &Client, new: New) -> Outcome {
    let json = new.json;
    match made(client, new, false).await? {
        Made::Plan(plan) if json => print_json(&plan),
        Made::Plan(plan) => kept(&plan),
        Made::Later(session) => later(session, json, false),
    }
}

/// What became of tasks or of a goal.
enum Made {
    /// A plan, which is there now.
    Plan(Box<Plan>),
    /// A session that makes the plan.
    Later(PlanningSession),
}

async fn made(client: &Client, new: New, dry_run: bool) -> Result<Made, Failure> {
    let Some(goal) = new.goal.clone() else {
        let request = request(client, new, dry_run).await?;
        return Ok(Made::Plan(Box::new(client.propose_plan(request).await?)));
    };
    let request = PlanGoal {
        goal,
        project_id: project(client, &new).await?,
        split: new.split.map(Split::from),
        agent: new.agent,
        at_once: new.at_once,
        budget: new.limits.budget(),
        minutes: new.limits.minutes,
        template: new.template,
        priority: new.priority.map(Level::into),
        conductors: new.conductors.then_some(true),
        dry_run: Some(dry_run),
    };
    let planned = client.plan_goal(request).await?;
    match (planned.plan, planned.session) {
        (Some(plan), _) => Ok(Made::Plan(Box::new(plan))),
        (None, Some(session)) => Ok(Made::Later(session)),
        (None, None) => Err(
            Failure::new("the engine answered with neither a plan nor a session")
                .hint("it may be another version: `downbeat doctor` tells"),
        ),
    }
}

/// Prints which session makes a plan.
fn later(session: PlanningSession, json: bool, yes: bool) -> Outcome {
    let name = session.name.clone();
    if json {
        return print_json(&PlannedGoal {
            plan: None,
            session: Some(session),
        });
    }
    let mut text = format!(
        "{name} makes the plan. A notice says when it is there, and `downbeat plan list` shows it; nothing runs before you run it.\n\
         Watch it: downbeat attach {name}\n"
    );
    if yes {
        text.push_str("It does not run by itself: --yes is for a planner (`planner:` in your downbeat.yaml), which answers at once.\n");
    }
    print(&text)
}

/// Returns the project that is meant.
async fn project(client: &Client, new: &New) -> Result<String, Failure> {
    match &new.project {
        Some(project) => Ok(project.clone()),
        None => around(client).await,
    }
}

/// Returns the tasks of a command's arguments as one text.
pub(super) fn joined(tasks: &[String]) -> String {
    match tasks {
        [one] => one.clone(),
        several => several.join("\n"),
    }
}

async fn request(client: &Client, new: New, dry_run: bool) -> Result<ProposePlan, Failure> {
    if new.tasks.is_empty() {
        let hint = "downbeat orchestrate \"Build login UI, Create JWT API\", or --goal \"Add a login\"";
        return Err(Failure::usage("there are no tasks").hint(hint));
    }
    let project_id = project(client, &new).await?;
    let file = path_of(&new.tasks);
    let is_issue = |path: &&str| Meant::of(path).is_some() && !Path::new(path).is_file();
    if let Some(named) = file.as_deref().filter(is_issue).map(str::to_owned) {
        return Ok(wanted(new, (project_id, dry_run), String::new(), Some(named)));
    }
    let text = match &file {
        // It may be one of the project, which is not around this folder. The engine says what is near to it there.
        Some(path) if is_missing(path) => {
            return Ok(wanted(new, (project_id, dry_run), String::new(), file));
        }
        Some(path) => read(path)?,
        None => joined(&new.tasks),
    };
    // Where it lies inside the project, its boxes are ticked.
    let path = file.as_deref().map(std::path::absolute).transpose();
    let path = path.map_err(|error| Failure::usage(format!("the path of the plan: {error}")))?;
    let path = path.map(|path| path.to_string_lossy().into_owned());
    Ok(wanted(new, (project_id, dry_run), text, path))
}

/// Returns a request for a plan with the options of a command. `path` names what the tasks are in, if they are not typed.
fn wanted(
    new: New,
    (project_id, dry_run): (String, bool),
    text: String,
    path: Option<String>,
) -> ProposePlan {
    ProposePlan {
        text,
        file: Some(path.is_some()),
        path,
        tag: new.tag,
        project_id: Some(project_id),
        template: new.template,
        domains: (!new.domains.is_empty()).then(|| by_name(new.domains)),
        split: new.split.map(Split::from),
        agent: new.agent,
        at_once: new.at_once,
        priority: new.priority.map(Level::into),
        conductors: Some(new.conductors),
        budget: new.limits.budget(),
        minutes: new.limits.minutes,
        dry_run: Some(dry_run),
    }
}

/// Reads a domain with its keywords: `graphics=shader,texture`.
fn domain(text: &str) -> Result<(String, Vec<String>), String> {
    let wrong = || "write it as NAME=WORD,WORD, such as graphics=shader,texture".to_owned();
    let (name, words) = text.split_once('=').ok_or_else(wrong)?;
    let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_owned).collect();
    match name.trim() {
        name if name.is_empty() || words.is_empty() => Err(wrong()),
        name => Ok((name.to_owned(), words)),
    }
}

/// Puts the keywords of each domain together, which may be named several times.
fn by_name(all: Vec<(String, Vec<String>)>) -> BTreeMap<String, Vec<String>> {
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, words) in all {
        named.entry(name).or_default().extend(words);
    }
    named
}

/// Returns the path after `execute`, which may stand in one argument with it.
pub(super) fn path_of(tasks: &[String]) -> Option<String> {
    match tasks {
        [text] => file_in(text).map(str::to_owned),
        [word, path @ ..] if word == "execute" => {
            let path = path.join(" ");
            let path = path.trim();
            Some(path.strip_prefix("tasks from ").unwrap_or(path).trim().to_owned())
        }
        _ => None,
    }
}

fn is_missing(path: &str) -> bool {
    matches!(std::fs::symlink_metadata(path), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

/// Reads a plan's file, no further than a plan may be long, and without waiting for a pipe.
fn read(path: &str) -> Result<String, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("{path} cannot be read: {error}")).hint("name the file after `execute`")
    };
    let (file, _) = downbeat_files::open_linked(Path::new(path)).map_err(failed)?;
    let mut bytes = Vec::new();
    let most = MOST_BYTES as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::usage(format!("{path} is empty"))
            .hint("write one task on each line: `- [ ] Build login UI`"));
    }
    if bytes.len() > MOST_BYTES {
        let what = format!("{path} is too long: a plan has at most {} MiB", MOST_BYTES >> 20);
        return Err(Failure::new(what).hint("cut it into several plans"));
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(format!("{path} is not text")).hint("a plan is Markdown, JSON or a list of tasks")
    })
}

/// Cancels all plans that run or are paused, and kills their workers.
async fn kill_all(client: &Client) -> Outcome {
    let (mut text, mut left) = (String::new(), Vec::new());
    for plan in client.list_plans(ListPlans::default()).await? {
        if !matches!(plan.state, PlanState::Running | PlanState::Paused) {
            continue;
        }
        // What is not needed any more may have ended meanwhile; the others are cancelled and killed all the same.
        let cancelled = client
            .change_plan(changed(plan.id.to_string(), PlanChange::Cancel))
            .await;
        let plan = match cancelled {
            Ok(plan) => plan,
            Err(error) => {
                left.push(format!("{}: {}", plan.id, Failure::from(error)));
                continue;
            }
        };
        let at_work = |worker: &&PlanWorker| matches!(worker.state, ShareState::Running | ShareState::Failed);
        let mut killed = 0;
        for id in plan
            .workers
            .iter()
            .filter(at_work)
            .filter_map(|worker| worker.session_id.as_ref())
        {
            let one = SessionRef { id: id.to_string() };
            match client.kill_session(one).await {
                Ok(session) => killed += u32::from(session.status == Status::Killed),
                Err(error) => match Failure::from(error) {
                    gone if gone.0.code == Code::NotFound => {}
                    failure => left.push(format!("{id}: {failure}")),
                },
            }
        }
        let killed = count(killed, "worker", "workers");
        text.push_str(&format!("cancelled {}; {killed} killed\n", plan.id));
    }
    if text.is_empty() && left.is_empty() {
        return print("No plan runs.\n");
    }
    print(&text)?;
    match left.is_empty() {
        true => DONE,
        false => Err(Failure::new(format!(
            "not everything was ended:\n{}",
            left.join("\n")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn a_file_is_named_after_execute() {
        let path = |words: &[&str]| path_of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            path(&["execute tasks from .opencode/plans/a b.md"]).as_deref(),
            Some(".opencode/plans/a b.md")
        );
        assert_eq!(path(&["execute", "plan.md"]).as_deref(), Some("plan.md"));
        assert_eq!(
            path(&["/orchestrate execute plan.md"]).as_deref(),
            Some("plan.md")
        );
        assert_eq!(path(&["Build it, execute it"]), None);
        assert_eq!(path(&["execute the migration", "Write docs"]), None);
    }
}
