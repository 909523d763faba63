//! Merges a pull request at its forge, at exactly the commit that was asked for. Each try looks first, so that a merge
//! whose answer was lost is found and not repeated.

use crate::decide::forge_merge::{self, Obstacle};
use crate::decide::merge;
use crate::effects::checks::made::Made;
use crate::effects::pulls::reach::{self, Reached};
use crate::facts::forges::seen;
use crate::host::failpoint::{self, point};
use crate::session::row;
use crate::state::context::Engine;
use downbeat_forge::{
    Detail, Forge, ForgeError, MergeStrategy as Way, Observed, Oid, PullRequest, PullState, Repository,
    Retry, Write, Written,
};
use downbeat_model::Fold as _;
use downbeat_model::effect::Check;
use downbeat_model::pull::Pull;
use downbeat_model::session::{MergeOutcome, MergeResult, MergeRun, MergeStrategy, MergingPull};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::time::Duration;

/// The number of tries.
const TRIES: u32 = 6;

/// The wait after the first try; each further one is twice as long.
const WAIT: Duration = Duration::from_secs(1);

/// The longest time for which a forge may ask to wait.
const LONGEST: Duration = Duration::from_secs(90);

/// How one try ended.
enum Try {
    /// The merge has this result.
    Made(Box<Made>),
    /// Try again; this is what stands in the way.
    Again(Duration, String),
    /// Nobody has to be told: the pull request is another one by now.
    Moot(String),
    /// A rule waits for the end of this.
    Later(String),
}

impl Try {
    fn made(made: Made) -> Self {
        Self::Made(Box::new(made))
    }
}

/// Makes the merge, and records its result. Returns early, without a result, if it is cancelled, or if the engine shuts
/// down; the next engine then repeats it.
///
/// # Errors
/// Fails if the result cannot be recorded; the merge is then repeated later.
pub async fn carry_out(engine: &Engine, order: &Check) -> Result<(), ApiError> {
    point("pull-merge-noted");
    let _held = engine.recall(std::slice::from_ref(&order.session)).await?;
    if !engine.ledger.write(|draft| merge::begin(draft, order)).await? {
        return Ok(());
    }
    let Some(run) = merge::under_way(&engine.ledger.state(), order).cloned() else {
        return Ok(());
    };
    let Some(asked) = &run.pull else { return Ok(()) };
    let made = tokio::select! {
        made = make(engine, order, (&run, asked)) => made,
        () = cancelled(engine, order) => return Ok(()),
    };
    let made = made.unwrap_or_else(|error| Try::made(Made::refused(error.to_string())));
    point("pull-merge-made");
    let (made, is_quiet) = match made {
        Try::Made(made) => (*made, false),
        Try::Moot(why) => (Made::refused(why), asked.by_rule),
        Try::Later(why) | Try::Again(_, why) => {
            if asked.by_rule
                && engine
                    .ledger
                    .write(|draft| merge::put_off(draft, order, &why))
                    .await?
            {
                return Ok(());
            }
            (Made::refused(why), false)
        }
    };
    let row = engine.row(&order.session)?;
    let card = row.pulls.iter().find(|card| card.id == asked.id);
    let result = MergeResult {
        outcome: made.outcome,
        target: card.map(|card| card.base_branch.clone()).unwrap_or_default(),
        head: asked.head.as_str().to_owned(),
        commit: made.commit,
        detail: made.detail,
        files: Vec::new(),
        at: Timestamp::now(),
    };
    let written = engine.ledger.write(|draft| match is_quiet {
        true => merge::conclude_quietly(draft, order, result),
        false => merge::conclude(draft, order, result),
    });
    written.await
}

/// Waits until the merge is cancelled, or the engine shuts down.
async fn cancelled(engine: &Engine, order: &Check) {
    while merge::under_way(&engine.ledger.state(), order).is_some() && !engine.closing.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Tries until the merge has a result, and says what stands in the way if it gets none.
async fn make(engine: &Engine, order: &Check, asked: (&MergeRun, &MergingPull)) -> Result<Try, ApiError> {
    let row = engine.row(&order.session)?;
    reach::refuse_untrusted(&*engine.project(&row.project_id)?)?;
    let card = row.pulls.iter().find(|card| card.id == asked.1.id);
    let Some(card) = card else {
        let what = format!("{} has no pull request #{} any more", row.name, asked.1.number);
        return Ok(Try::made(Made::refused(what)));
    };
    let at = reach::reach(engine, card).await?;
    // An engine that was killed in the middle of it: the first look shows whether it was merged.
    set_landing(engine, order, false).await?;
    let mut last = Try::Later(String::new());
    for number in 0..TRIES {
        if let Try::Again(wait, _) = &last {
            let wait = (*wait).max(WAIT * 2_u32.pow(number - 1));
            tokio::time::sleep(failpoint::limit(wait)).await;
        }
        last = attempt(engine, order, (&at, asked)).await?;
        if !matches!(last, Try::Again(..)) {
            break;
        }
    }
    if let Try::Again(_, why) = &mut last {
        why.push_str(&format!(" (it was tried {TRIES} times)"));
    }
    if matches!(last, Try::Made(_)) {
        reach::look_again(engine, &at.host, &at.repository, &at.node).await;
    }
    Ok(last)
}

async fn set_landing(engine: &Engine, order: &Check, is_landing: bool) -> Result<bool, ApiError> {
    let written = engine
        .ledger
        .write(|draft| merge::set_landing(draft, order, is_landing));
    written.await
}

/// Looks at the pull request, and merges it if nothing stands in the way.
async fn attempt(
    engine: &Engine,
    order: &Check,
    (at, (run, asked)): (&Reached, (&MergeRun, &MergingPull)),
) -> Result<Try, ApiError> {
    let done = try_once(engine, order, at, (run, asked)).await;
    Ok(match done {
        Ok(done) => done?,
        Err(error) => match error.retry() {
            Retry::Never => Try::made(Made::refused(reach::failed(engine, &at.host, error).message)),
            Retry::After(wait) if wait > LONGEST && asked.by_rule => Try::Later(error.to_string()),
            Retry::After(wait) if wait > LONGEST => Try::made(Made::refused(error.to_string())),
            Retry::After(wait) => Try::Again(wait, error.to_string()),
            Retry::BackOff | Retry::AfterLooking => Try::Again(WAIT, error.to_string()),
        },
    })
}

async fn try_once(
    engine: &Engine,
    order: &Check,
    at: &Reached,
    (run, asked): (&MergeRun, &MergingPull),
) -> Result<Result<Try, ApiError>, ForgeError> {
    let client = &*at.client;
    let repository = client.repository(&at.repository).await;
    let pull = match observed(at, asked).await? {
        Ok(pull) => pull,
        Err(made) => return Ok(Ok(Try::made(made))),
    };
    // That the pull request is gone says more.
    let repository = repository?;
    if let Some(made) = settled(client, &repository, &pull, asked).await {
        return Ok(Ok(Try::made(made)));
    }
    let obstacle = obstacle(engine, at, &pull, (run, asked)).await?;
    if let Some(found) = &obstacle
        && let Some(end) = without_asking(asked, found)
    {
        return Ok(Ok(end));
    }
    // From here on it cannot be cancelled.
    match set_landing(engine, order, true).await {
        Ok(true) => {}
        Ok(false) => return Ok(Ok(Try::made(Made::refused("it was cancelled".into())))),
        Err(error) => return Ok(Err(error)),
    }
    point("pull-merge-checked");
    let done = match obstacle {
        Some(obstacle) => merge_later(client, &repository, (run, asked), obstacle).await,
        None => merge_now(client, &repository, &pull, (run, asked)).await,
    };
    point("pull-merge-sent");
    if !matches!(done, Ok(Try::Made(_)))
        && let Err(error) = set_landing(engine, order, false).await
    {
        return Ok(Err(error));
    }
    done.map(Ok)
}

/// Asks the forge for the pull request, or returns why it cannot be merged.
async fn observed(at: &Reached, asked: &MergingPull) -> Result<Result<Box<PullRequest>, Made>, ForgeError> {
    let observed = at
        .client
        .observe(std::slice::from_ref(&at.node), Detail::Talk)
        .await?;
    match observed.into_iter().next() {
        Some(Observed::Pull(pull)) => Ok(Ok(pull)),
        Some(Observed::Failed(_, error)) => Err(error),
        Some(Observed::Denied(_, why)) => {
            let what = format!("pull request #{} was not merged: {why}", asked.number);
            Ok(Err(Made::refused(what)))
        }
        Some(Observed::Gone(_)) | None => {
            let what = format!(
                "pull request #{} is gone, or the token may not see it any more",
                asked.number
            );
            Ok(Err(Made::refused(what)))
        }
    }
}

/// Returns the result of a merge that needs no request: it is made already, the forge's queue has it, or the repository
/// takes none.
async fn settled(
    client: &dyn Forge,
    repository: &Repository,
    pull: &PullRequest,
    asked: &MergingPull,
) -> Option<Made> {
    let is_asked_for = pull.head.oid.0 == asked.head.as_str();
    if pull.state == PullState::Merged && is_asked_for {
        let made = landed(pull, pull.merge_commit.as_ref());
        return Some(tidy(client, repository, pull, asked, made).await);
    }
    if let Some(entry) = pull.queue.as_ref().filter(|_| is_asked_for) {
        let place = entry.position.map(|place| format!(" at place {place}"));
        return Some(queued(asked, repository, &place.unwrap_or_default()));
    }
    if repository.archived {
        let what = format!(
            "pull request #{} was not merged: {} is archived and read-only; unarchive it in its settings",
            asked.number, repository.name
        );
        return Some(Made::refused(what));
    }
    None
}

/// Returns how a merge goes on without another request; `None` if the forge is to wait for what is missing.
fn without_asking(asked: &MergingPull, found: &Obstacle) -> Option<Try> {
    let detail = found.detail.clone();
    if found.is_moot {
        return Some(Try::Moot(detail));
    }
    if found.may_pass {
        return Some(Try::Again(WAIT, detail));
    }
    if asked.when_ready && found.can_wait {
        return None;
    }
    Some(match asked.by_rule && found.can_wait {
        true => Try::Later(detail),
        false => Try::made(Made::new(found.outcome, detail)),
    })
}

/// Returns what stands in the way: by the observation, then by the second list of its checks.
async fn obstacle(
    engine: &Engine,
    at: &Reached,
    pull: &PullRequest,
    (run, asked): (&MergeRun, &MergingPull),
) -> Result<Option<Obstacle>, ForgeError> {
    let has_runs = {
        let host = engine.forges.host(&at.host);
        let memory = host.memory.lock().await;
        memory
            .repositories
            .get(&at.repository)
            .and_then(|known| known.has_runs)
    };
    let Some(seen) = seen::seen(pull, (pull.conversation.as_ref(), None), has_runs) else {
        return Ok(None);
    };
    let known = Pull::unseen().after(&seen);
    if let Some(obstacle) = forge_merge::obstacle(asked, &known, &seen, run.unchecked) {
        return Ok(Some(obstacle));
    }
    if run.unchecked {
        return Ok(None);
    }
    let protection = at.client.protection(&at.repository, &pull.base.branch).await?;
    let confirmed = at.client.confirm(pull, &protection).await?;
    Ok(forge_merge::objection(
        asked.number,
        confirmed.is_clear(),
        &confirmed.overlooked,
    ))
}

/// Lets the forge merge it as soon as nothing is missing.
async fn merge_later(
    client: &dyn Forge,
    repository: &Repository,
    (run, asked): (&MergeRun, &MergingPull),
    obstacle: Obstacle,
) -> Result<Try, ForgeError> {
    let number = asked.number;
    if !repository.auto_merge_allowed {
        let what = format!(
            "{}; {} does not allow auto-merge: allow it in its settings, or let Downbeat merge with the reaction \
             approved-and-green",
            obstacle.detail, repository.name
        );
        return Ok(Try::made(Made::refused(what)));
    }
    let strategy = match way(run, repository) {
        Ok(strategy) => strategy,
        Err(why) => return Ok(Try::made(Made::refused(why))),
    };
    let write = Write::AutoMerge {
        pull: pull_id(asked),
        head: Oid(asked.head.as_str().to_owned()),
        strategy,
    };
    match client.write(&write).await {
        Ok(_) => {}
        // GitHub has nothing to wait for if the branch requires nothing that is missing.
        Err(ForgeError::Refused { why, .. }) => {
            let what = format!(
                "{}; {} will not wait for it ({why}): the reaction approved-and-green with `action: merge` does",
                obstacle.detail, repository.host
            );
            return Ok(Try::made(Made::refused(what)));
        }
        Err(error) => return Err(error),
    }
    let what = format!(
        "{} merges pull request #{number} as soon as nothing is missing",
        repository.host
    );
    Ok(Try::made(Made::new(MergeOutcome::Queued, what)))
}

async fn merge_now(
    client: &dyn Forge,
    repository: &Repository,
    pull: &PullRequest,
    (run, asked): (&MergeRun, &MergingPull),
) -> Result<Try, ForgeError> {
    let head = Oid(asked.head.as_str().to_owned());
    let protection = client.protection(&repository.name, &pull.base.branch).await?;
    if protection.merge_queue {
        let pull = pull_id(asked);
        let written = client.write(&Write::Enqueue { pull, head }).await?;
        let place = match written {
            Written::Queued {
                position: Some(place),
            } => format!(" at place {place}"),
            _ => String::new(),
        };
        return Ok(Try::made(queued(asked, repository, &place)));
    }
    let strategy = match way(run, repository) {
        Ok(strategy) => strategy,
        Err(why) => return Ok(Try::made(Made::refused(why))),
    };
    let write = Write::Merge {
        pull: pull_id(asked),
        head,
        strategy,
        headline: None,
        message: None,
    };
    let commit = match client.write(&write).await? {
        Written::Merged { commit } => commit,
        _ => None,
    };
    let made = landed(pull, commit.as_ref());
    Ok(Try::made(tidy(client, repository, pull, asked, made).await))
}

/// Deletes the branch of a merged pull request, if that was asked for and the forge does not do it. A branch of a fork
/// stays, and one that has moved on.
async fn tidy(
    client: &dyn Forge,
    repository: &Repository,
    pull: &PullRequest,
    asked: &MergingPull,
    mut made: Made,
) -> Made {
    let is_own = pull
        .head
        .repository
        .as_ref()
        .is_some_and(|head| head.id == repository.id);
    if !asked.delete_branch || repository.deletes_branch_on_merge || !is_own {
        return made;
    }
    let branch = pull.head.branch.clone();
    let write = Write::DeleteBranch {
        repository: repository.id.clone(),
        branch: branch.clone(),
        head: Oid(asked.head.as_str().to_owned()),
    };
    if let Err(error) = client.write(&write).await {
        made.detail = format!("{}; its branch {branch} stays: {error}", made.detail);
    }
    made
}

fn queued(asked: &MergingPull, repository: &Repository, place: &str) -> Made {
    let what = format!(
        "pull request #{} is in the merge queue of {}{place}",
        asked.number, repository.name
    );
    Made::new(MergeOutcome::Queued, what)
}

fn landed(pull: &PullRequest, commit: Option<&Oid>) -> Made {
    let base = &pull.base.branch;
    let what = match commit {
        Some(commit) => format!(
            "pull request #{} landed on {base} as {}",
            pull.number,
            row::short(&commit.0)
        ),
        None => format!("pull request #{} landed on {base}", pull.number),
    };
    Made {
        commit: commit.map(|commit| commit.0.clone()),
        ..Made::new(MergeOutcome::Landed, what)
    }
}

fn pull_id(asked: &MergingPull) -> downbeat_forge::NodeId {
    let id = match &asked.id {
        downbeat_model::Subject::Pull(id) => id.id().to_owned(),
        _ => String::new(),
    };
    downbeat_forge::NodeId(id)
}

/// Returns how to merge, in the words of the forge.
fn way(run: &MergeRun, repository: &Repository) -> Result<Way, String> {
    let own = |way: &Way| match way {
        Way::Squash => MergeStrategy::Squash,
        Way::Merge => MergeStrategy::Merge,
        Way::Rebase => MergeStrategy::Rebase,
    };
    let allowed: Vec<_> = repository.strategies.iter().map(own).collect();
    Ok(match forge_merge::strategy(run.strategy, &allowed)? {
        MergeStrategy::Squash => Way::Squash,
        MergeStrategy::Merge => Way::Merge,
        MergeStrategy::Rebase => Way::Rebase,
    })
}
