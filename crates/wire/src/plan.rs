//! Plans: a goal as tasks with what they need, which workers do one after the other.

use downbeat_model::budget::Budget;
use downbeat_model::queue::Priority;
use downbeat_model::{PlanId, ProjectId, SessionId};
use downbeat_plans::{PlanState, ShareState, Split, Task};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Proposes a plan. Nothing runs until it is run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposePlan {
    /// The tasks: a list separated by commas, lines, quotes or bars; or, with `file`, the content of a file. Left out if `path`
    /// names the file.
    #[serde(default)]
    pub text: String,
    /// Whether the text is the content of a file: a Markdown checklist, `tasks.md` of spec-kit or OpenSpec, `tasks.json` of
    /// Taskmaster, or the JSON of a planner.
    #[serde(default)]
    #[ts(optional)]
    pub file: Option<bool>,
    /// The path of the file in the project's own checkout. It is read if there is no text, and tasks that are done are
    /// ticked in it, if the project is trusted. Or what is meant instead of a file: an issue, whose sub-issues are the tasks (`#42`,
    /// `acme/shop#42`, `ENG-42`, the address of its page); `beads`, or `beads:ID` for what is below one issue of beads.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// Which of several lists of a Taskmaster file.
    #[serde(default)]
    #[ts(optional)]
    pub tag: Option<String>,
    /// Id or name of the project; default that of the session that asks.
    #[serde(default)]
    #[ts(optional)]
    pub project_id: Option<String>,
    /// The template by which each task is done: `review`; see the settings.
    #[serde(default)]
    #[ts(optional)]
    pub template: Option<String>,
    /// Keywords of domains for this plan alone, by the name of the domain, which may be new: `{"graphics": ["shader"]}`. They count
    /// besides those that every project has, and those of its configuration.
    #[serde(default)]
    #[ts(optional)]
    pub domains: Option<BTreeMap<String, Vec<String>>>,
    /// One worker for each domain (default without a template), or for each task (default with one).
    #[serde(default)]
    #[ts(optional)]
    pub split: Option<Split>,
    /// The agent of the workers; default from config.
    #[serde(default)]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The most workers at once, 1 to 50; default 6.
    #[serde(default)]
    #[ts(optional)]
    pub at_once: Option<u32>,
    /// How soon its workers start, if others wait for room too; default normal. Only the person chooses it.
    #[serde(default)]
    #[ts(optional)]
    pub priority: Option<Priority>,
    /// Whether its workers get the tools of a conductor, so that they may have workers of their own, above the deepest level;
    /// default no.
    #[serde(default)]
    #[ts(optional)]
    pub conductors: Option<bool>,
    /// What its workers may use together, before the plan is paused.
    #[serde(default)]
    #[ts(optional)]
    pub budget: Option<Budget>,
    /// How long it may take from its start, in minutes, before it is paused.
    #[serde(default)]
    #[ts(optional)]
    pub minutes: Option<u32>,
    /// Whether it is only shown, and not kept.
    #[serde(default)]
    #[ts(optional)]
    pub dry_run: Option<bool>,
}

/// Asks for a plan of a goal alone. Nothing runs until the plan is run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanGoal {
    /// What is to be reached.
    pub goal: String,
    /// Id or name of the project.
    pub project_id: String,
    /// One worker for each domain (default), or for each task.
    #[serde(default)]
    #[ts(optional)]
    pub split: Option<Split>,
    /// The agent of the workers, and of the session that makes the plan if there is no planner; default from config.
    #[serde(default)]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The most workers at once, 1 to 50; default 6.
    #[serde(default)]
    #[ts(optional)]
    pub at_once: Option<u32>,
    /// What its workers may use together, before the plan is paused.
    #[serde(default)]
    #[ts(optional)]
    pub budget: Option<Budget>,
    /// How long it may take from its start, in minutes, before it is paused.
    #[serde(default)]
    #[ts(optional)]
    pub minutes: Option<u32>,
    /// The template by which each task is done.
    #[serde(default)]
    #[ts(optional)]
    pub template: Option<String>,
    /// How soon its workers start, if others wait for room too.
    #[serde(default)]
    #[ts(optional)]
    pub priority: Option<Priority>,
    /// Whether its workers get the tools of a conductor.
    #[serde(default)]
    #[ts(optional)]
    pub conductors: Option<bool>,
    /// Whether it is only shown, and not kept; possible with a planner.
    #[serde(default)]
    #[ts(optional)]
    pub dry_run: Option<bool>,
}

/// What became of a goal: one of the two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlannedGoal {
    /// The plan that the person's planner made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub plan: Option<Plan>,
    /// The session that makes the plan, and hands it in later; a notice tells when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<PlanningSession>,
}

/// A session that makes a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanningSession {
    /// Its id.
    pub id: SessionId,
    /// Its readable name.
    pub name: String,
}

/// Names a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanRef {
    /// Its id.
    pub id: String,
}

/// Asks for plans.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPlans {
    /// Id or name of a project; default all.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
}

/// Changes a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangePlan {
    /// Its id.
    pub id: String,
    /// What is to happen.
    pub change: PlanChange,
    /// The name of the worker that is retried, skipped or done.
    #[serde(default)]
    #[ts(optional)]
    pub worker: Option<String>,
    /// With `add`: the tasks, written as for a new plan. They may need existing tasks.
    #[serde(default)]
    #[ts(optional)]
    pub tasks: Option<String>,
    /// The id of the task that is changed; or of one whose worker is retried, skipped or done.
    #[serde(default)]
    #[ts(optional)]
    pub task: Option<String>,
    /// With `done`: the branch with the work; left out if there is none in the repository. Empty leaves out commits of the worker,
    /// which is refused otherwise.
    #[serde(default)]
    #[ts(optional)]
    pub branch: Option<String>,
    /// With `results`: the whole path of the folder.
    #[serde(default)]
    #[ts(optional)]
    pub folder: Option<String>,
    /// Of a changed task, or of the plan: its new title.
    #[serde(default)]
    #[ts(optional)]
    pub title: Option<String>,
    /// Of a changed task: its new description; empty for none.
    #[serde(default)]
    #[ts(optional)]
    pub description: Option<String>,
    /// Of a changed task: the agent of its worker; empty for the plan's. Of a retried worker: that of the new one. Without a task or a
    /// worker: the agent of the plan; empty for the project's.
    #[serde(default)]
    #[ts(optional)]
    pub agent: Option<String>,
    /// Of a changed task: the id or name of the project that it is worked on in; empty for the plan's own.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// Of a changed task: the ids of the tasks that have to be done before it; empty for none.
    #[serde(default)]
    #[ts(optional)]
    pub needs: Option<Vec<String>>,
    /// Of a changed task: how it is recognised that it is done, in words; empty for nothing.
    #[serde(default)]
    #[ts(optional)]
    pub checks: Option<Vec<String>>,
    /// Of a changed task: the skills that its agent is to use; empty for none.
    #[serde(default)]
    #[ts(optional)]
    pub skills: Option<Vec<String>>,
    /// With `prioritize`: the new priority. Only the person changes it.
    #[serde(default)]
    #[ts(optional)]
    pub priority: Option<Priority>,
    /// With `retry`: whether a worker that is at work is stopped and started anew, too.
    #[serde(default)]
    #[ts(optional)]
    pub stop: Option<bool>,
    /// With `edit`, of the plan: the most workers at once from now on.
    #[serde(default)]
    #[ts(optional)]
    pub at_once: Option<u32>,
    /// With `resume`, or `edit` of the plan: what the workers may use together from now on, with what they used already; an empty
    /// budget for no limit.
    #[serde(default)]
    #[ts(optional)]
    pub budget: Option<Budget>,
    /// With `resume`, or `edit` of the plan: how long the plan may take from its start, in minutes; 0 for no limit.
    #[serde(default)]
    #[ts(optional)]
    pub minutes: Option<u32>,
}

/// A change of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PlanChange {
    /// Nothing further starts; what runs goes on.
    Pause,
    /// It goes on.
    Resume,
    /// The tasks of a failed, skipped or stuck worker start again, with a new worker; with `stop`, also those of one that is at work. The
    /// one before is stopped.
    Retry,
    /// It goes on without a worker's tasks. The worker is stopped.
    Skip,
    /// A worker's tasks count as done, because the person did them, or saw to it. The worker is stopped. Only the person says so.
    Done,
    /// Result files (`worker-NAME_result.json`) that are put into `folder` from now on count: tasks that were done elsewhere. Only the
    /// person says so.
    Results,
    /// A task that nobody has begun gets another title, description, agent or project, or needs other tasks, checks or skills. Without
    /// a task, the plan itself gets another title, agent, budget or time, or more or fewer workers at once.
    Edit,
    /// Further tasks, which get workers of their own. What runs goes on.
    Add,
    /// It gets another priority.
    Prioritize,
    /// Nothing further starts, for good; workers that are not done are stopped.
    Cancel,
}

/// A project of a plan over several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanProject {
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// The folder of its repository.
    pub path: String,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Its id.
    pub id: PlanId,
    /// The project; of several, the one in which tasks are that name none.
    pub project_id: ProjectId,
    /// The projects that it is worked on in, that one first, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<PlanProject>>")]
    pub projects: Vec<PlanProject>,
    /// Whether it is shortened, as in lists: its tasks have no description, skills and checks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_summary: bool,
    /// What it is about.
    pub title: String,
    /// How far it is.
    pub state: PlanState,
    /// How many workers it has: one for each domain, or for each task.
    #[serde(default)]
    pub split: Split,
    /// The agent of workers whose tasks name none; left out if it is the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The most workers at once.
    pub at_once: u32,
    /// How soon its workers start, if others wait for room too; left out if it is the normal one.
    #[serde(default, skip_serializing_if = "Priority::is_normal")]
    #[ts(optional, as = "Option<Priority>")]
    pub priority: Priority,
    /// Whether its workers may have workers of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub conductors: bool,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The workers, and what each does.
    pub workers: Vec<PlanWorker>,
    /// Whether several workers are worthwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_worthwhile: bool,
    /// Why they are, or are not.
    pub advice: String,
    /// Which worker has much more to do than the others.
    pub warning: Option<String>,
    /// How far it is in words; at its end, the report.
    pub report: String,
    /// When it was proposed.
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// When it was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub started_at: Option<Timestamp>,
    /// When it was complete or cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub ended_at: Option<Timestamp>,
    /// The session that proposed it, whose workers its workers are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conductor: Option<SessionId>,
    /// The tokens that its workers used, if it was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub tokens: Option<u64>,
    /// The dollars that its workers used, by list price; left out if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usd: Option<f64>,
    /// What its workers may use together.
    #[serde(default, skip_serializing_if = "Budget::is_open")]
    #[ts(optional, as = "Option<Budget>")]
    pub budget: Budget,
    /// How long it may take from its start, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub minutes: Option<u32>,
    /// Why it was paused by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<String>,
    /// The file in which its tasks are ticked, in the project's own checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<String>,
    /// What could not be ticked there, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub notes: Vec<String>,
    /// Whether its session was only to make the plan, so that the person runs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub person_runs: bool,
    /// The folder in which result files of its workers count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub results: Option<String>,
}

/// What one worker of a plan does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanWorker {
    /// Its name, unique in the plan.
    pub name: String,
    /// The domain of its tasks.
    pub domain: String,
    /// The project that it works in, if the plan is over several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project_id: Option<ProjectId>,
    /// The ids of its tasks.
    pub tasks: Vec<String>,
    /// The names of the workers that have to be done before it.
    pub needs: Vec<String>,
    /// How far it is.
    pub state: ShareState,
    /// The session that does it.
    pub session_id: Option<SessionId>,
    /// Why it waits, or failed.
    pub why: Option<String>,
    /// What its session asks, if it waits for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asks: Option<String>,
    /// Whether its session does nothing more before somebody tells it to, so that it can be retried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_stuck: bool,
    /// Whether its tasks were done without its session, by the person or by a program elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub by_hand: bool,
    /// When its newest session was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub started_at: Option<Timestamp>,
    /// When it was done, or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub ended_at: Option<Timestamp>,
    /// The seconds for which it worked, those of its earlier sessions included, if it had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub seconds: Option<i64>,
    /// The branch of its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub branch: Option<String>,
    /// The commit with its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub commit: Option<String>,
    /// Where that commit landed: a branch with the commit that it is there, or the address of a pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub landed: Option<String>,
    /// Why the last merge of its work failed; left out once it landed, and while another one is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub merge_failed: Option<String>,
    /// Whether that commit is to be merged: it is done by a session, and landed nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub can_merge: bool,
    /// The tokens that its sessions used, if it had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number", optional)]
    pub tokens: Option<u64>,
    /// The dollars that they used, by list price; left out if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usd: Option<f64>,
}
