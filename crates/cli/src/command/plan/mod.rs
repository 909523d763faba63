//! `downbeat plan` and `downbeat orchestrate`: tasks with what they need, and the workers that do them.

mod across;
mod changed;
mod merge;
pub(super) mod orchestrate;
mod prompts;
mod report;
pub(super) mod show;

use crate::client::Client;
use crate::command::session::queue::Level;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use changed::changed;
use clap::{Args, Subcommand};
use downbeat_model::budget::Budget;
use downbeat_model::session::MergeStrategy;
use downbeat_plans::PlanState;
use downbeat_wire::Client as _;
use downbeat_wire::plan::{ChangePlan, ListPlans, PlanChange, PlanRef};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// Read tasks, or have a goal planned, and keep that as a plan, without running it
    New(orchestrate::New),
    /// List plans
    #[command(visible_alias = "ls")]
    List {
        /// The project; default all
        project: Option<String>,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a plan: its workers, and what waits for what; before it runs, also what the workers are asked
    Show {
        /// The plan
        plan: String,
        /// Show descriptions in full
        #[arg(long)]
        full: bool,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a plan
    Run(One),
    /// Start nothing further of a plan; what runs goes on
    Pause(One),
    /// Let a paused plan go on, with larger limits if these were used up
    Resume {
        /// The plan
        plan: String,
        #[command(flatten)]
        limits: orchestrate::Limits,
    },
    /// Change how soon the workers of a plan start, if others wait for room too
    Priority {
        /// The plan
        plan: String,
        /// The priority
        priority: Level,
    },
    /// Give up a plan, and stop its workers that are not done
    Cancel(One),
    /// Start the tasks of a failed, skipped or stuck worker again
    Retry {
        #[command(flatten)]
        of: OfWorker,
        /// The agent of the new worker; empty for that of the plan
        #[arg(long, short, value_name = "AGENT")]
        agent: Option<String>,
        /// Also if its worker is at work: stop that one, and start a new one
        #[arg(long)]
        stop: bool,
    },
    /// Go on without the tasks of a worker, and stop it
    Skip(OfWorker),
    /// Count the tasks of a worker as done, because you did them
    Done {
        #[command(flatten)]
        of: OfWorker,
        /// The branch with your work, on which the tasks that need it begin
        #[arg(long, value_name = "BRANCH")]
        branch: Option<String>,
    },
    /// Change a task that nobody has begun; or, without a task, the plan itself
    Edit(Edit),
    /// Add tasks to a plan that is not over; they get workers of their own
    Add {
        /// The plan
        plan: String,
        /// The tasks, written as for a new plan; `(depends_on: ID)` may name existing tasks
        #[arg(required = true)]
        tasks: Vec<String>,
    },
    /// Write what each worker that is not done would be asked as a file, to do it with another program; its result file counts
    Prompts {
        /// The plan
        plan: String,
        /// The folder that gets `worker-NAME_prompt.md` for each worker, and in which `worker-NAME_result.json` counts
        folder: PathBuf,
    },
    /// Merge the work of the workers that are done, each after what it needs
    Merge {
        /// The plan
        plan: String,
        /// Merge the commits of each worker as one
        #[arg(long, conflicts_with = "rebase")]
        squash: bool,
        /// Put the commits of each worker on top of the default branch, one by one
        #[arg(long)]
        rebase: bool,
        /// Take work that was done by hand as merged, and go on with what needs it
        #[arg(long)]
        by_hand_merged: bool,
    },
    /// Print the report of a plan, or write it as files
    Report {
        /// The plan
        plan: String,
        /// Write `event_log.jsonl` and `worker-NAME_result.json` for each worker into this folder
        #[arg(long, value_name = "FOLDER")]
        files: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(in crate::command) struct Edit {
    /// The plan
    plan: String,
    /// The id of the task; left out to change the plan itself
    task: Option<String>,
    /// Its new title
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Its new description; empty for none
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The agent of its worker; empty for that of the plan, or, for the plan itself, that of the project
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Of the plan: the most workers at once
    #[arg(long, value_name = "NUMBER", conflicts_with = "task")]
    at_once: Option<u32>,
    #[command(flatten)]
    limits: orchestrate::Limits,
    /// The project that it is worked on in; empty for that of the plan
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// The ids of the tasks that have to be done before it, separated by commas; empty for none
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    needs: Option<Vec<String>>,
    /// How it is recognised that it is done; may be repeated; empty for nothing
    #[arg(long = "check", value_name = "TEXT")]
    checks: Option<Vec<String>>,
    /// A skill that its agent is to use; may be repeated; empty for none
    #[arg(long = "skill", value_name = "NAME")]
    skills: Option<Vec<String>>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct One {
    /// The plan
    plan: String,
}

#[derive(Debug, Args)]
pub(in crate::command) struct OfWorker {
    /// The plan
    plan: String,
    /// The worker, as `downbeat plan show` names it; or the id of one of its tasks
    worker: String,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let plan = match arguments {
        Arguments::New(new) => return orchestrate::new(&client, new).await,
        Arguments::List { project, json } => {
            let all = client.list_plans(ListPlans { project }).await?;
            return match json {
                true => print_json(&all),
                false => print(&show::list(&all)),
            };
        }
        Arguments::Show { plan, full, json } => {
            let plan = client.plan_status(PlanRef { id: plan }).await?;
            return match (json, plan.state) {
                (true, _) => print_json(&plan),
                (false, PlanState::Proposed) => {
                    print(&format!("{}{}", show::one(&plan), show::asked(&plan, full)))
                }
                (false, _) => print(&show::one(&plan)),
            };
        }
        Arguments::Report { plan, files } => {
            let plan = client.plan_status(PlanRef { id: plan }).await?;
            let stops = match &files {
                Some(_) => {
                    let id = plan.id.to_string();
                    client.plan_stops(PlanRef { id }).await?
                }
                None => Vec::new(),
            };
            return report::run(&plan, &stops, files.as_deref());
        }
        Arguments::Merge {
            plan,
            squash,
            rebase,
            by_hand_merged,
        } => {
            let strategy = match (squash, rebase) {
                (true, _) => Some(MergeStrategy::Squash),
                (_, true) => Some(MergeStrategy::Rebase),
                _ => None,
            };
            return merge::run(&client, plan, (strategy, by_hand_merged)).await;
        }
        Arguments::Prompts { plan, folder } => return prompts::run(&client, plan, &folder).await,
        Arguments::Run(One { plan }) => client.run_plan(PlanRef { id: plan }).await?,
        Arguments::Pause(One { plan }) => client.change_plan(changed(plan, PlanChange::Pause)).await?,
        Arguments::Cancel(One { plan }) => client.change_plan(changed(plan, PlanChange::Cancel)).await?,
        Arguments::Resume { plan, limits } => {
            let request = ChangePlan {
                budget: budget(&client, &plan, &limits).await?,
                minutes: limits.minutes,
                ..changed(plan, PlanChange::Resume)
            };
            client.change_plan(request).await?
        }
        Arguments::Priority { plan, priority } => {
            let request = ChangePlan {
                priority: Some(priority.into()),
                ..changed(plan, PlanChange::Prioritize)
            };
            client.change_plan(request).await?
        }
        Arguments::Retry { of, agent, stop } => {
            let request = ChangePlan {
                agent,
                stop: Some(stop),
                ..of_worker(&client, of, PlanChange::Retry).await?
            };
            client.change_plan(request).await?
        }
        Arguments::Skip(of) => {
            let request = of_worker(&client, of, PlanChange::Skip).await?;
            client.change_plan(request).await?
        }
        Arguments::Done { of, branch } => {
            let request = ChangePlan {
                branch,
                ..of_worker(&client, of, PlanChange::Done).await?
            };
            client.change_plan(request).await?
        }
        Arguments::Edit(edit) => {
            let request = ChangePlan {
                budget: budget(&client, &edit.plan, &edit.limits).await?,
                ..edited(edit)
            };
            client.change_plan(request).await?
        }
        Arguments::Add { plan, tasks } => {
            if orchestrate::path_of(&tasks).is_some() {
                let what = "tasks are added as text, and not from a file";
                return Err(
                    Failure::usage(what).hint("make a plan of the file: `downbeat orchestrate execute PATH`")
                );
            }
            let request = ChangePlan {
                tasks: Some(orchestrate::joined(&tasks)),
                ..changed(plan, PlanChange::Add)
            };
            client.change_plan(request).await?
        }
    };
    print(&show::one(&plan))
}

/// Returns the budget that a plan gets: a limit that is not named stays.
async fn budget(
    client: &Client,
    plan: &str,
    limits: &orchestrate::Limits,
) -> Result<Option<Budget>, Failure> {
    if limits.budget().is_none() {
        return Ok(None);
    }
    let old = client.plan_status(PlanRef { id: plan.to_owned() }).await?.budget;
    Ok(Some(limits.budget_for(old)))
}

fn edited(edit: Edit) -> ChangePlan {
    ChangePlan {
        task: edit.task,
        at_once: edit.at_once,
        minutes: edit.limits.minutes,
        title: edit.title,
        description: edit.description,
        agent: edit.agent,
        project: edit.project,
        needs: edit.needs,
        checks: edit.checks,
        skills: edit.skills,
        ..changed(edit.plan, PlanChange::Edit)
    }
}

/// Returns a change of what a worker does, which is named itself or by one of its tasks.
async fn of_worker(client: &Client, of: OfWorker, change: PlanChange) -> Result<ChangePlan, Failure> {
    let plan = client.plan_status(PlanRef { id: of.plan }).await?;
    let is_worker = plan.workers.iter().any(|worker| worker.name == of.worker);
    let mut request = changed(plan.id.to_string(), change);
    match is_worker {
        true => request.worker = Some(of.worker),
        false => request.task = Some(of.worker),
    }
    Ok(request)
}
