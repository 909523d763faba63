//! Carries out the steps of merge queues: makes the commit that a branch is to become, checks it, and moves the branch. Each
//! step can be repeated, so that one that a crash cut off is made again by the next engine, under the same number.

use crate::decide::conflict;
use crate::decide::merge_queue::{self, Account};
use crate::effects::checks::plan::Plan;
use crate::effects::checks::run::Ran;
use crate::effects::checks::{command, enqueue, landing, run};
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::session::row;
use crate::state::context::Engine;
use downbeat_git::Combination;
use downbeat_model::effect::{Check, QueueStep};
use downbeat_model::queue::{Candidate, Head, StepResult, Told, Withdrawal, Work};
use downbeat_model::session::MergeRun;
use downbeat_model::{CheckOutcome, CheckResult, Oid, SessionId, Verification};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// The interval between two looks whether a step is still wanted.
const LOOK: Duration = Duration::from_millis(200);

/// What came of a step.
#[derive(Default)]
struct Done {
    /// What was seen meanwhile.
    told: Vec<Told>,
    /// The result of the step; `None` if what was seen ends its round.
    result: Option<StepResult>,
    account: Account,
}

impl Done {
    fn of(result: StepResult) -> Self {
        Self {
            result: Some(result),
            ..Self::default()
        }
    }

    fn failed(error: &ApiError) -> Self {
        Self::of(StepResult::Failed {
            why: error.to_string(),
        })
    }
}

/// A step that is being carried out.
struct Doing<'a> {
    engine: &'a Engine,
    key: &'a str,
    step: &'a QueueStep,
    project: &'a ProjectRow,
}

/// Carries out a step, and records its result. Returns early, without a result, if the step is not wanted any more, or if
/// the engine shuts down; the next engine then repeats it.
///
/// # Errors
/// Fails if the result cannot be recorded; the step is then repeated later.
pub async fn carry_out(engine: &Engine, key: &str, step: &QueueStep) -> Result<(), ApiError> {
    let place = &step.place;
    let state = engine.ledger.state();
    let ids = merge_queue::sessions(&merge_queue::kept(&state, place));
    let _held = engine.recall(&ids).await?;
    let project = engine.project(&place.project)?;
    let doing = Doing {
        engine,
        key,
        step,
        project: &project,
    };
    let (number, done) = match &step.work {
        Work::MakeCandidate { step, heads } => {
            point("merge-noted");
            let done = doing.make(heads).await;
            point("merge-candidate");
            (*step, done)
        }
        Work::RunChecks {
            step, commit, hash, ..
        } => match doing.check(commit, hash).await {
            Some(done) => (*step, done),
            None => return Ok(()),
        },
        Work::Land {
            step,
            from,
            to,
            heads,
        } => {
            point("merge-checked");
            let done = doing.land((from, to), heads).await;
            point("merge-made");
            (*step, done)
        }
        Work::CancelChecks { .. } | Work::TellAgent { .. } | Work::Finish { .. } | Work::Notify(_) => {
            return Ok(());
        }
    };
    doing.record(number, done, &ids).await
}

impl Doing<'_> {
    /// Records what came of the step, and lets git forget the commits of merges that are over.
    async fn record(&self, number: u64, done: Done, ids: &[SessionId]) -> Result<(), ApiError> {
        let settings = enqueue::settings(self.engine, self.project).await.ok();
        let runs: Vec<SessionId> = ids
            .iter()
            .filter_map(|id| self.run_of(id))
            .map(|run| run.id)
            .collect();
        let place = &self.step.place;
        let written = self.engine.ledger.write(|draft| {
            if let Some(settings) = settings {
                merge_queue::set_settings(draft, place, settings);
            }
            for told in done.told {
                merge_queue::tell(draft, place, told)?;
            }
            match done.result {
                Some(result) => merge_queue::step_ended(draft, place, (number, result), done.account),
                None => Ok(()),
            }
        });
        written.await?;
        for run in runs {
            let is_under_way = |id: &SessionId| self.run_of(id).is_some_and(|now| now.id == run);
            if !ids.iter().any(is_under_way) {
                landing::drop_candidate(self.project, &run).await;
            }
        }
        Ok(())
    }

    fn row_of(&self, head: &Head) -> Option<Arc<SessionRow>> {
        self.engine.ledger.session(head.subject.session()?)
    }

    fn run_of(&self, id: &SessionId) -> Option<MergeRun> {
        self.engine.ledger.session(id)?.merging.run.clone()
    }

    /// Looks at the branches of these heads. Returns what the queue has to know.
    async fn moved(&self, heads: &[Head]) -> Vec<Told> {
        let mut told = Vec::new();
        for head in heads {
            let subject = head.subject.clone();
            let Some(row) = self.row_of(head) else {
                let why = Withdrawal::SessionRemoved;
                told.push(Told::Withdrawn { subject, why });
                continue;
            };
            if row.merging.run.is_none() {
                let why = Withdrawal::ByPerson;
                told.push(Told::Withdrawn { subject, why });
                continue;
            }
            // A commit whose worktree is gone lands as it was verified.
            let Ok(path) = row::path_of(&row) else { continue };
            let look = blocking::in_time(&self.project.path, move || downbeat_git::head(&path)).await;
            let Ok(Some(now)) = look else { continue };
            if now.commit != head.head.as_str() {
                let head = Oid::parse(&now.commit);
                told.push(Told::HeadSeen { subject, head });
            }
        }
        told
    }

    /// Makes the candidate: one head after the other.
    async fn make(&self, heads: &[Head]) -> Done {
        let told = self.moved(heads).await;
        if !told.is_empty() {
            return Done {
                told,
                ..Done::default()
            };
        }
        let base = match landing::tip(self.project, &self.step.place.target).await {
            Ok(tip) => tip,
            Err(error) => return Done::failed(&error),
        };
        let (mut commit, mut tree) = (base.clone(), base.clone());
        for head in heads {
            let Some(row) = self.row_of(head) else { continue };
            let Some(run) = row.merging.run.clone() else {
                continue;
            };
            let way = (commit.as_str(), head.head.as_str());
            match landing::combine(self.project, &row, &run, way).await {
                Ok(Combination::Candidate(made)) => (commit, tree) = (made.commit, made.tree),
                Ok(Combination::AlreadyMerged) => {}
                Ok(Combination::Conflict(found)) => {
                    let files = found.files.iter().map(|file| file.path.clone()).collect();
                    let base = Oid::parse(&base).unwrap_or_else(|| head.head.clone());
                    let ticket = head.ticket;
                    let done = Done::of(StepResult::Conflict { ticket, files, base });
                    let account = Account {
                        has_more_files: found.has_more,
                        conflict: Some(conflict::described(&self.step.place.target, &found)),
                        ..Account::default()
                    };
                    return Done { account, ..done };
                }
                Err(not_made) if not_made.is_of_work => {
                    let (ticket, why) = (head.ticket, not_made.error.to_string());
                    return Done::of(StepResult::Unusable { ticket, why });
                }
                Err(not_made) => return Done::failed(&not_made.error),
            }
        }
        // If the target contains everything, its tree is not needed.
        match (Oid::parse(&base), Oid::parse(&commit), Oid::parse(&tree)) {
            (Some(base), Some(commit), Some(tree)) => {
                Done::of(StepResult::Made(Candidate { base, commit, tree }))
            }
            _ => Done::failed(&ApiError::new(Code::Failed, "a commit has no usable id")),
        }
    }

    /// Runs the checks on a candidate. Returns `None` if the step is not wanted any more, or if the engine shuts down.
    async fn check(&self, commit: &Oid, hash: &str) -> Option<Done> {
        let (engine, run) = (self.engine, &self.step.run);
        run::clear_left(engine, &self.project.id).await;
        let keeper = run::keeper(engine, &self.project.id, run);
        command::clear(&keeper, run).await;
        let checked = tokio::select! {
            checked = self.checked(commit, hash) => checked,
            () = self.unwanted() => {
                command::clear(&keeper, run).await;
                return None;
            }
        };
        point("round-checked");
        if engine.closing.is_cancelled() {
            // The end of its commands is not their result.
            return None;
        }
        Some(match checked {
            Ok(result) => {
                let account = Account {
                    red: Some(result.clone()).filter(|result| !result.is_green()),
                    ..Account::default()
                };
                let known = merge_queue::as_result(&result);
                Done {
                    told: self.moved(&self.heads()).await,
                    result: known.map(StepResult::Checked),
                    account,
                }
            }
            Err(error) => Done::failed(&error),
        })
    }

    /// Returns the heads in the round.
    fn heads(&self) -> Vec<Head> {
        let kept = merge_queue::kept(&self.engine.ledger.state(), &self.step.place);
        let round = kept.queue.round.as_ref();
        round.map_or_else(Vec::new, |round| kept.queue.heads(&round.batch.tickets))
    }

    async fn unwanted(&self) {
        while merge_queue::is_waiting(&self.engine.ledger.state(), self.key)
            && !self.engine.closing.is_cancelled()
        {
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn checked(&self, commit: &Oid, hash: &str) -> Result<Verification, ApiError> {
        let started_at = Timestamp::now();
        let plan = Plan::of(self.engine, self.project).await?;
        plan.refuse_emptied(self.project)?;
        plan.refuse_unusable(self.project)?;
        if plan.hash != hash {
            return Err(ApiError::new(Code::Conflict, "the checks have changed"));
        }
        let session = self
            .heads()
            .first()
            .and_then(|head| head.subject.session().cloned());
        let check = Check {
            session: session.unwrap_or_else(|| self.step.run.clone()),
            run: self.step.run.clone(),
        };
        let ran = run::on_commit(self.engine, &check, (self.project, &plan), commit.as_str(), None).await?;
        let Ran { tree, checks, .. } = ran;
        Ok(Verification {
            commit: commit.as_str().to_owned(),
            tree,
            hash: plan.hash.clone(),
            uncommitted: 0,
            started_at,
            finished_at: Timestamp::now(),
            // A set-up that fails on a candidate fails because of what is merged.
            checks: checks.unwrap_or_else(|output| vec![set_up_failed(output)]),
            error: None,
        })
    }

    async fn land(&self, (from, to): (&Oid, &Oid), heads: &[Head]) -> Done {
        let names: Vec<String> = heads
            .iter()
            .filter_map(|head| Some(self.row_of(head)?.name.clone()))
            .collect();
        let way = (from.as_str(), to.as_str());
        let landing = landing::land(self.project, &self.step.place.target, &names, way).await;
        match landing {
            Ok((result, landed)) => Done {
                account: Account {
                    landed,
                    ..Account::default()
                },
                ..Done::of(result)
            },
            Err(error) => Done::failed(&error),
        }
    }
}

/// Returns the failure of the set-up as one of a check.
fn set_up_failed(output: String) -> CheckResult {
    CheckResult {
        name: "set-up".into(),
        command: "set-up".into(),
        required: true,
        outcome: CheckOutcome::Failed,
        exit_code: None,
        millis: 0,
        excerpt: output,
    }
}

/// Returns the identifier of a new merge.
pub fn new_run() -> Result<SessionId, ApiError> {
    SessionId::random().map_err(|error| ApiError::failed("no randomness", error))
}
