//! `downbeat plan` and `downbeat orchestrate`: tasks with what they need, and the workers that do them.

pub(super) mod orchestrate;
pub(super) mod show;

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use clap::{Args, Subcommand};
use downbeat_wire::Client as _;
use downbeat_wire::plan::{ChangePlan, ListPlans, Plan, PlanChange, PlanRef};

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// Read tasks and keep them as a plan, without running it
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
    /// Show a plan: its workers, and what waits for what
    #[command(visible_alias = "report")]
    Show {
        /// The plan
        plan: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a plan
    Run(One),
    /// Start nothing further of a plan; what runs goes on
    Pause(One),
    /// Let a paused plan go on
    Resume(One),
    /// Give up a plan; what runs goes on
    Cancel(One),
    /// Start the tasks of a failed worker again
    Retry(OfWorker),
    /// Go on without the tasks of a worker
    Skip(OfWorker),
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
    /// The worker, as `downbeat plan show` names it
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
        Arguments::Show { plan, json } => {
            let plan = client.plan_status(PlanRef { id: plan }).await?;
            return match json {
                true => print_json(&plan),
                false => print(&show::one(&plan)),
            };
        }
        Arguments::Run(One { plan }) => client.run_plan(PlanRef { id: plan }).await?,
        Arguments::Pause(one) => change(&client, one.plan, PlanChange::Pause, None).await?,
        Arguments::Resume(one) => change(&client, one.plan, PlanChange::Resume, None).await?,
        Arguments::Cancel(one) => change(&client, one.plan, PlanChange::Cancel, None).await?,
        Arguments::Retry(of) => change(&client, of.plan, PlanChange::Retry, Some(of.worker)).await?,
        Arguments::Skip(of) => change(&client, of.plan, PlanChange::Skip, Some(of.worker)).await?,
    };
    print(&show::one(&plan))
}

async fn change(
    client: &Client,
    id: String,
    change: PlanChange,
    worker: Option<String>,
) -> Result<Plan, Failure> {
    Ok(client.change_plan(ChangePlan { id, change, worker }).await?)
}
