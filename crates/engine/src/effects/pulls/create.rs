//! Pushes the branch of a session and opens a pull request for it. Can be repeated: what was pushed stays pushed, and a
//! pull request that is open already is found.

use crate::decide::{plan_links, pull_orders};
use crate::effects::pulls::failed::Failed;
use crate::effects::pulls::{reach, text};
use crate::effects::worktree::allowed_commits;
use crate::effects::worktree::committed::committed;
use crate::facts::forges::look;
use crate::host::blocking;
use crate::host::config::ForgeKind;
use crate::host::failpoint::point;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_forge::{
    Forge, ForgeError, NodeId, PullStub, RemoteAddress, Repository, RepositoryName, Retry, Write, Written,
};
use downbeat_git::{Message, Pushed};
use downbeat_model::pull::{DoneOpening, NewPull, Ordered, PullDone, PullOrder, Sent};
use downbeat_model::{PullId, Subject, Workspace};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::pull_request::CreatePull;
use downbeat_wire::{ApiError, Code};
use std::path::PathBuf;
use std::sync::Arc;

/// What is pushed, and where it goes.
struct Plan {
    /// The branch.
    branch: String,
    /// The name of the remote that it is pushed to.
    remote: String,
    /// The repository of that remote.
    from: RemoteAddress,
    /// The repository that the pull request goes to.
    into: RemoteAddress,
    /// The messages of its commits.
    commits: Vec<Message>,
    /// The commit at which this session pushed it to the remote, as far as is known.
    pushed: Option<String>,
}

/// A pushed branch, and what the forge is to be sent about it.
struct Ready {
    client: Arc<dyn Forge>,
    /// The repository that the pull request goes to.
    into: Repository,
    /// The repository of the branch, if that is another one.
    fork: Option<Repository>,
    plan: Plan,
    /// The number of uncommitted files, which the pull request does not have.
    uncommitted: u32,
    write: Write,
}

/// A pull request at its forge.
struct Opened {
    node: NodeId,
    number: u64,
    was_open: bool,
}

/// Returns what is ordered: the branch is the one that is checked out now.
///
/// # Errors
/// Fails if the request is not valid, or if the session has no branch of its own.
pub async fn ordered(engine: &Engine, row: &SessionRow, request: &CreatePull) -> Result<Ordered, ApiError> {
    let project = engine.project(&row.project_id)?;
    reach::refuse_untrusted(&project)?;
    refuse_too_long(request)?;
    let (branch, ..) = checked_out(&project, row).await?;
    Ok(Ordered::Open(NewPull {
        branch,
        title: request.title.clone(),
        body: request.body.clone(),
        base: request.base.clone(),
        draft: request.draft.unwrap_or(false),
    }))
}

/// Pushes the branch of a session and opens a pull request for it, unless there is one.
///
/// # Errors
/// Fails if there is nothing to propose, if the remote does not take the branch, or if the forge refuses.
pub async fn open(
    engine: &Engine,
    row: &SessionRow,
    order: (&str, &PullOrder),
    new: &NewPull,
) -> Result<PullDone, Failed> {
    let ready = pushed(engine, row, new).await;
    let ready = ready.map_err(|error| Failed::before_sending(error, order.1))?;
    point("pull-pushed");
    let opened = send(engine, &ready, order).await?;
    point("pull-opened");
    let (host, repository) = (&ready.plan.into.host, &ready.plan.into.repository);
    look::look_at_change(engine, host, repository, (&opened.node, Some(&row.id))).await;
    let id = PullId::new(host, &opened.node.0);
    let id =
        id.ok_or_else(|| ApiError::new(Code::Failed, "the forge's id of the pull request cannot be read"))?;
    Ok(PullDone {
        number: opened.number,
        url: page(engine, host, &ready.into.name, opened.number),
        opened: Some(DoneOpening {
            id: Subject::Pull(id),
            was_open: opened.was_open,
            uncommitted: ready.uncommitted,
        }),
    })
}

/// Pushes the branch, and returns what the forge is to be sent.
async fn pushed(engine: &Engine, row: &SessionRow, new: &NewPull) -> Result<Ready, ApiError> {
    let project = engine.project(&row.project_id)?;
    let (branch, head, uncommitted) = checked_out(&project, row).await?;
    if branch != new.branch {
        let what = format!("{} has {branch} checked out by now", row.name);
        return Err(ApiError::new(Code::Conflict, what).hint("open it from its branch"));
    }
    let base = new.base.clone().unwrap_or_else(|| project.default_branch.clone());
    refuse_branch(engine, &project, row, (&branch, &base))?;
    let plan = plan(&project, row, (&branch, &head, &base)).await?;
    if plan.commits.is_empty() {
        let what = format!("{} has no commits that {base} does not have", row.name);
        return Err(ApiError::new(Code::Conflict, what).hint("commit something in its worktree first"));
    }
    let client = reach::forge(engine, &plan.into.host).await?;
    let into = repository(engine, &*client, &plan.into).await?;
    let fork = match plan.from == plan.into {
        true => None,
        false => Some(repository(engine, &*client, &plan.from).await?),
    };
    push(engine, &project, row, &plan).await?;
    let links = links(engine, row).await?;
    let write = write(
        (&into, fork.as_ref()),
        (row, &plan, &base),
        (new, links.as_deref()),
    );
    Ok(Ready {
        client,
        into,
        fork,
        plan,
        uncommitted,
        write,
    })
}

/// Returns the branch that is checked out in the session's worktree, its commit, and the number of uncommitted files.
async fn checked_out(project: &ProjectRow, row: &SessionRow) -> Result<(String, String, u32), ApiError> {
    if row.workspace == Workspace::InPlace {
        let what = format!("{} works in the project's own checkout", row.name);
        return Err(
            ApiError::new(Code::Conflict, what).hint("push your branch and open the pull request yourself")
        );
    }
    let (head, uncommitted) = committed(project, row).await?;
    let Some(branch) = head.branch else {
        let what = format!("{} has no branch checked out", row.name);
        return Err(ApiError::new(Code::Conflict, what).hint("check out its branch in its worktree"));
    };
    Ok((branch, head.commit, uncommitted))
}

/// Returns the address of a pull request's page.
fn page(engine: &Engine, host: &str, repository: &RepositoryName, number: u64) -> String {
    let below = match engine.config().forge_kind(host) {
        ForgeKind::GitHub => "pull",
        ForgeKind::GitLab => "-/merge_requests",
    };
    format!("https://{host}/{repository}/{below}/{number}")
}

/// Refuses a branch that is not the session's to push: one that others start from, or that another session works on.
fn refuse_branch(
    engine: &Engine,
    project: &ProjectRow,
    row: &SessionRow,
    (branch, base): (&str, &str),
) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let others = state.sessions.values().filter(|other| other.id != row.id);
    let mut others =
        others.filter(|other| other.project_id == row.project_id && other.workspace_path.is_some());
    let of = others.find(|other| other.branch.as_deref() == Some(branch));
    let what = match of {
        _ if branch == base || branch == project.default_branch => {
            format!("{} has {branch} checked out, which sessions start from", row.name)
        }
        Some(other) => format!(
            "{} has {branch} checked out, the branch of {}",
            row.name, other.name
        ),
        None => return Ok(()),
    };
    Err(ApiError::new(Code::Conflict, what).hint("check out a branch of its own in its worktree"))
}

fn refuse_too_long(request: &CreatePull) -> Result<(), ApiError> {
    let title = request.title.as_deref();
    if title.is_some_and(|title| title.trim().is_empty()) {
        return Err(ApiError::invalid("title: it is empty"));
    }
    let texts = [
        ("title", title, text::LONGEST_TITLE),
        ("body", request.body.as_deref(), text::LONGEST_BODY),
    ];
    for (key, text, longest) in texts {
        if text.is_some_and(|text| text.chars().count() > longest) {
            return Err(ApiError::invalid(format!(
                "{key}: it has more than {longest} characters"
            )));
        }
    }
    Ok(())
}

async fn plan(
    project: &ProjectRow,
    row: &SessionRow,
    (branch, head, base): (&str, &str, &str),
) -> Result<Plan, ApiError> {
    let repo = PathBuf::from(&project.path);
    let started = row.base.as_ref().map(|base| base.commit.clone());
    let own: Vec<String> = row.pulls.iter().map(|card| card.head.to_string()).collect();
    // Git counts whole seconds.
    let since = row.created_at.as_second();
    let (name, head, base) = (branch.to_owned(), head.to_owned(), base.to_owned());
    let read = move || -> Result<_, downbeat_git::Error> {
        let (remotes, remote) = (
            downbeat_git::remotes(&repo)?,
            downbeat_git::push_remote(&repo, &name)?,
        );
        let base = downbeat_git::branch_heads(&repo, &[base])?
            .pop()
            .unwrap_or_default();
        let without: Vec<String> = started.into_iter().chain(base.pushed).collect();
        let commits = downbeat_git::messages(&repo, &head, &without)?;
        let at = (remote.as_str(), name.as_str());
        let pushed = downbeat_git::pushed_commit(&repo, at, (&without, &own), since)?;
        Ok((remotes, remote, commits, pushed))
    };
    let read = blocking::in_time(&project.path, read).await?;
    let (remotes, remote, commits, pushed) = read.map_err(error::git)?;
    let address = |name: &str| {
        let remote = remotes.iter().find(|remote| remote.name == name)?;
        RemoteAddress::parse(&remote.url).ok()
    };
    let from = address(&remote).ok_or_else(|| {
        // What is not a name is an address, which may have a password.
        let name = if remote.contains(['/', ':', '@']) {
            "to push to"
        } else {
            &remote
        };
        let what = format!(
            "the remote {name} of {} is not a repository on a forge",
            project.name
        );
        ApiError::new(Code::Conflict, what).hint("`git remote -v` in its repository lists its remotes")
    })?;
    // A fork has what it comes from as its upstream.
    let into = address("upstream").filter(|upstream| upstream.host == from.host);
    Ok(Plan {
        branch: branch.to_owned(),
        remote,
        into: into.unwrap_or_else(|| from.clone()),
        from,
        commits,
        pushed,
    })
}

async fn repository(engine: &Engine, client: &dyn Forge, at: &RemoteAddress) -> Result<Repository, ApiError> {
    let found = match client.repository(&at.repository).await {
        Ok(found) => found,
        Err(error) => return Err(reach::failed(engine, &at.host, error)),
    };
    if found.archived {
        let what = format!("{} is archived and read-only", found.name);
        return Err(ApiError::new(Code::Conflict, what).hint("unarchive it in its settings"));
    }
    Ok(found)
}

/// Pushes the branch: from the repository, without its hooks, unless the session's agent may run anything anyway.
async fn push(engine: &Engine, project: &ProjectRow, row: &SessionRow, plan: &Plan) -> Result<(), ApiError> {
    let repo = PathBuf::from(&project.path);
    let checkout = match allowed_commits::is_free(row) {
        true => Some(row::path_of(row)?),
        false => None,
    };
    let (remote, branch, there) = (plan.remote.clone(), plan.branch.clone(), plan.pushed.clone());
    let push = move || {
        let to = (remote.as_str(), branch.as_str());
        downbeat_git::push(&repo, checkout.as_deref(), to, there.as_deref())
    };
    let (name, branch, remote) = (&row.name, &plan.branch, &plan.remote);
    match blocking::blocking(push).await?.map_err(error::git)? {
        Pushed::Done => Ok(()),
        Pushed::Behind => {
            let what = format!("{branch} on {remote} has commits that {name} does not have");
            let way =
                format!("`git pull --rebase {remote} {branch}` in its worktree; nothing was overwritten");
            Err(ApiError::new(Code::Conflict, what).hint(way))
        }
        Pushed::There => {
            let what =
                format!("{remote} has a branch {branch} already, which is not known to be that of {name}");
            let way =
                format!("`git branch -m NAME` in its worktree; or `git push {remote} {branch}` yourself");
            Err(ApiError::new(Code::Conflict, what).hint(way))
        }
        Pushed::Refused(why) => {
            let what = format!("{remote} did not take {branch}: {why}");
            let way = match engine.config().forge_kind(&plan.from.host) {
                ForgeKind::GitHub => {
                    "try `git push` in a terminal; `gh auth setup-git` lets git use GitHub's login"
                }
                ForgeKind::GitLab => "try `git push` in a terminal",
            };
            Err(ApiError::new(Code::Conflict, what).hint(way))
        }
    }
}

/// Returns the name of the session's issue, if a pull request of this repository closes it. Trackers look for it in the text.
fn closes(row: &SessionRow, into: &Repository) -> Option<String> {
    let issue = row.issue.as_ref()?;
    let is_here = issue.key.is_some()
        || issue.host == into.host && RepositoryName::parse(&issue.repository).as_ref() == Some(&into.name);
    is_here.then(|| issue.name())
}

/// Returns what is said of the plan over several projects that the session works for.
async fn links(engine: &Engine, row: &SessionRow) -> Result<Option<String>, ApiError> {
    let needed = plan_links::needed(&engine.ledger.state(), &row.id);
    let _held = engine.recall(&needed).await?;
    Ok(plan_links::lines(&engine.ledger.state(), &row.id))
}

/// Returns the request that opens the pull request.
fn write(
    (into, fork): (&Repository, Option<&Repository>),
    (row, plan, base): (&SessionRow, &Plan, &str),
    (new, links): (&NewPull, Option<&str>),
) -> Write {
    let body = new.body.clone().unwrap_or_else(|| text::body(&plan.commits));
    Write::Create {
        repository: into.id.clone(),
        base: base.to_owned(),
        branch: plan.branch.clone(),
        head_repository: fork.map(|fork| fork.id.clone()),
        title: (new.title.clone()).unwrap_or_else(|| text::title(&row.title, &plan.commits)),
        body: text::closing(text::linked(body, links), closes(row, into)),
        draft: new.draft,
    }
}

/// Sends the request. If the pull request is open already, or nobody knows whether it was opened, it is looked for.
async fn send(engine: &Engine, ready: &Ready, (key, order): (&str, &PullOrder)) -> Result<Opened, Failed> {
    let noted = engine
        .ledger
        .write(|draft| pull_orders::sending(draft, key, Sent::default()));
    noted.await?;
    point("pull-sending");
    let error = match ready.client.write(&ready.write).await {
        Ok(Written::Pull { id, number, .. }) => {
            return Ok(Opened {
                node: id,
                number,
                was_open: false,
            });
        }
        Ok(_) => return Err(ApiError::new(Code::Failed, "the forge answered something else").into()),
        Err(error) if matches!(error, ForgeError::AlreadyExists) || error.retry() == Retry::AfterLooking => {
            error
        }
        // What refuses this try says nothing about the one before it.
        Err(error) => {
            let refused = Failed::refused(engine, &ready.plan.into.host, error);
            return Err(Failed::before_sending(refused.error, order));
        }
    };
    // One that is there after the same order was sent before is the one that was ordered.
    let was_open = error == ForgeError::AlreadyExists && order.sent.is_none();
    let listed = ready.client.open_pulls(&ready.into.name).await;
    let listed = listed.map_err(|error| Failed::unknown(reach::error(error)))?;
    let head = &ready.fork.as_ref().unwrap_or(&ready.into).name;
    let is_it = |stub: &&PullStub| {
        let of = stub.head_repository.as_deref().and_then(RepositoryName::parse);
        stub.branch == ready.plan.branch && of.as_ref() == Some(head)
    };
    let found = listed.iter().find(is_it).ok_or_else(|| reach::error(error))?;
    Ok(Opened {
        node: found.id.clone(),
        number: found.number,
        was_open,
    })
}
