//! Hands a prepared workspace to a keeper: the agent's command, its environment, and the set-up commands that
//! run before it on the same screen.

use crate::decide::start::{AGENT, setup_step};
use crate::decide::{mailbox, start, status};
use crate::effects::process::environment;
use crate::host::failpoint::point;
use crate::host::{blocking, files};
use crate::keepers::sweep;
use crate::session::row;
use crate::state::agents::HookTrust;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::error;
use crate::state::handles::Live;
use downbeat_agents::{FirstPrompt, LaunchRequest, Mode};
use downbeat_git::SetupCommand;
use downbeat_keeper::{Limits, Spec, State, StepSpec};
use downbeat_model::session::Intent;
use downbeat_model::{Observed, Sender, SessionId, Status, ToolsState, When};
use downbeat_store::SessionRow;
use downbeat_wire::session::StepState;
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The size of a terminal that nobody has looked at yet, in columns and rows.
const SIZE: (u16, u16) = (120, 36);

/// How long the keeper of an earlier run has to exit.
const CLEARED: Duration = Duration::from_secs(15);

/// The interval between two checks whether it exited.
const LOOK: Duration = Duration::from_millis(50);

/// Starts the keeper with `commands` and then the agent.
pub async fn start(
    engine: &Arc<Engine>,
    id: &SessionId,
    live: &Arc<Live>,
    commands: Vec<SetupCommand>,
) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let dir = engine.paths.keeper(id);
    if !vacate(engine, &row, live).await? {
        return Ok(());
    }
    let hook_trust = crate::effects::process::probe::hook_trust(engine, &row.agent).await?;
    let row = copied(engine, row).await?;
    let (spec, launch) = spec(engine, &row, &commands, &hook_trust)?;
    write_files(&launch.files).await?;
    engine
        .ledger
        .write(|draft| note_launch(draft, id, &launch, &commands))
        .await?;
    point("spawn-handed-over");
    match downbeat_keeper::launch(&engine.cli, &dir, &spec).await {
        Ok((link, reports)) => {
            point("spawn-keeper-started");
            engine.runtimes.follow(id, link, reports).await;
        }
        // The keeper runs, and its agent with it: a slow answer on a busy machine is not a failed start.
        Err(error @ downbeat_keeper::Error::Slow(..)) => {
            tracing::warn!(session = %id, "its keeper is slow to answer: {error}");
            engine.runtimes.seek(id).await;
        }
        Err(error) => {
            let what = format!("the session's keeper could not be started: {error}");
            return Err(ApiError::new(Code::Failed, what).hint("`downbeat doctor` checks what it needs"));
        }
    }
    Ok(())
}

/// Writes down what is being started, and puts a first prompt that has to be typed into the session's queue.
fn note_launch(
    draft: &mut Draft,
    id: &SessionId,
    launch: &downbeat_agents::Launch,
    commands: &[SetupCommand],
) -> Result<(), ApiError> {
    let now = draft.now();
    let row = draft.session(id)?;
    row.keeper = None;
    if launch.conversation.is_none() || launch.conversation != row.conversation {
        row.run.said = Some(false);
    }
    row.conversation = launch.conversation.clone().or(row.conversation.take());
    row.observed = Some(Observed {
        tools: launch.has_tools.then_some(ToolsState::Awaited),
        ..Observed::started(now)
    });
    row.exit_code = None;
    row.error = None;
    let argv = commands.iter().map(|command| command.argv.clone()).collect();
    row.run = row.run.carried(row.was_up(), row.had_turn(), Some(argv));
    let sender = row.parent.clone().map_or(Sender::Person, Sender::Session);
    if launch.first_prompt != FirstPrompt::Nothing {
        mailbox::drop_tasks(draft, id);
    }
    if let FirstPrompt::Paste(text) = &launch.first_prompt {
        let task = mailbox::New {
            text: text.clone(),
            sender,
            when: When::WhenReady,
            is_task: true,
        };
        mailbox::enqueue(draft, id, task)?;
    }
    status::set(
        draft,
        id,
        Status::Spawning,
        crate::session::status::by_engine("starting", now),
    )?;
    if commands.is_empty() {
        let detail = start::without_port(draft.session(id)?);
        start::note_step(draft, id, "start", StepState::Running, detail)?;
    }
    Ok(())
}

/// Copies the conversation that a fork begins with, if its agent does not do that at its start.
async fn copied(engine: &Engine, row: Arc<SessionRow>) -> Result<Arc<SessionRow>, ApiError> {
    let Some(conversation) = row.lineage.to_copy().map(str::to_owned) else {
        return Ok(row);
    };
    let agent = engine.agent(&row.agent)?;
    let (found, cwd) = (engine.find_program(&agent)?, row::path_of(&row)?);
    let env = environment::environment(engine, &row);
    let copy = move || downbeat_agents::copy_conversation(&agent, &found, &conversation, &cwd, &env);
    let copy = blocking::blocking(copy).await?.map_err(error::agent)?;
    if let Some(copy) = copy {
        let noted = engine.ledger.write(|draft| {
            let row = draft.session(&row.id)?;
            row.conversation = Some(copy);
            row.lineage.copied();
            Ok(())
        });
        noted.await?;
    }
    engine.row(&row.id)
}

/// Makes sure that no keeper serves the session. Returns false if one already runs what is to be started;
/// that one is followed instead.
async fn vacate(engine: &Arc<Engine>, row: &SessionRow, live: &Arc<Live>) -> Result<bool, ApiError> {
    let (id, dir) = (&row.id, engine.paths.keeper(&row.id));
    let busy = |why: &str| {
        let text = format!("the previous keeper of {} {why}", row.name);
        ApiError::new(Code::Conflict, text).hint("try again in a moment")
    };
    // The previous keeper may still be ending processes that its agent left.
    if tokio::time::timeout(CLEARED, live.unlinked()).await.is_err() {
        return Err(busy("is still ending processes that its agent left"));
    }
    // Nothing has been heard yet from a keeper that started a moment ago.
    let unheard = row.keeper.is_none() && row.intent.is_none();
    match downbeat_keeper::connect(&dir).await {
        Err(downbeat_keeper::Error::Gone) => Ok(true),
        Ok((link, reports)) if unheard && link.hello().state == State::Running => {
            engine.runtimes.follow(id, link, reports).await;
            Ok(false)
        }
        Ok((link, _reports)) => {
            sweep::let_go(id, &link).await;
            let gone = async {
                while !matches!(
                    downbeat_keeper::connect(&dir).await,
                    Err(downbeat_keeper::Error::Gone)
                ) {
                    tokio::time::sleep(LOOK).await;
                }
            };
            let gone = tokio::time::timeout(CLEARED, gone).await;
            gone.map(|()| true).map_err(|_| busy("does not exit"))
        }
        Err(downbeat_keeper::Error::Slow(..)) if unheard => {
            engine.runtimes.seek(id).await;
            Ok(false)
        }
        Err(error) => Err(busy(&format!("does not answer: {error}"))),
    }
}

/// Builds the keeper's specification and the launch that it came from.
fn spec(
    engine: &Engine,
    row: &SessionRow,
    commands: &[SetupCommand],
    hook_trust: &HookTrust,
) -> Result<(Spec, downbeat_agents::Launch), ApiError> {
    let cwd = row::path_of(row)?;
    let launch = agent_command(engine, row, &cwd, hook_trust)?;
    let env = environment::environment(engine, row);
    let step = |command: &SetupCommand| {
        Ok(StepSpec {
            name: setup_step(&downbeat_model::shown::command(&command.argv)),
            argv: engine.runnable(&command.argv)?,
            env: env.clone(),
            cwd: cwd.clone(),
        })
    };
    let mut steps = commands.iter().map(step).collect::<Result<Vec<_>, ApiError>>()?;
    let mut agent_env = env;
    agent_env.retain(|(name, _)| {
        !launch.strip.contains(name) && launch.env.iter().all(|(other, _)| other != name)
    });
    agent_env.extend(launch.env.iter().cloned());
    steps.push(StepSpec {
        name: AGENT.into(),
        argv: launch.argv.clone(),
        env: agent_env,
        cwd,
    });
    let (cols, rows) = SIZE;
    Ok((
        Spec {
            id: row.id.clone(),
            cols,
            rows,
            steps,
            limits: Limits::default(),
        },
        launch,
    ))
}

fn agent_command(
    engine: &Engine,
    row: &SessionRow,
    cwd: &Path,
    hook_trust: &HookTrust,
) -> Result<downbeat_agents::Launch, ApiError> {
    let agent = engine.agent(&row.agent)?;
    let found = engine.find_program(&agent)?;
    let project = engine.project(&row.project_id)?;
    let tools = row.conducts && agent.can_conduct();
    let parent = row.parent.as_ref().and_then(|id| engine.ledger.session(id));
    let resumes = row.intent == Some(Intent::Resume);
    let lineage = &row.lineage;
    let mode = match (lineage.to_copy(), &row.conversation) {
        (Some(conversation), _) => Mode::Fork {
            conversation: conversation.to_owned(),
        },
        // The conversation of a fork may have been copied before its first start.
        (None, Some(conversation)) if resumes || lineage.forked.is_some() => Mode::Resume {
            conversation: conversation.clone(),
        },
        _ => Mode::Fresh,
    };
    let prompt = match &lineage.first {
        Some(first) => first,
        None if resumes => "",
        None => &row.task,
    };
    downbeat_agents::launch(
        &agent,
        &LaunchRequest {
            session: &row.id,
            mode,
            prompt,
            model: row.model.as_deref(),
            permission: row.permission_mode,
            conductor: tools.then_some(downbeat_agents::Conductor {
                depth: row.depth,
                max_depth: engine.limits().max_depth,
                project_name: &project.name,
            }),
            tools,
            worker_of: parent.as_ref().map(|parent| parent.name.as_str()),
            in_place: row.workspace == downbeat_model::Workspace::InPlace,
            cli: &engine.cli,
            workspace: cwd,
            program: &found,
            name: &row.name,
            trusted: project.trusted,
            hook_trust,
            once: row.one_shot,
        },
    )
    .map_err(error::agent)
}

/// Writes the files that the agent reads besides its command line, unless they are already there.
async fn write_files(files: &[(PathBuf, String)]) -> Result<(), ApiError> {
    for (path, text) in files {
        if tokio::fs::read_to_string(path)
            .await
            .is_ok_and(|old| old == *text)
        {
            continue;
        }
        // Other sessions may write the same file at the same time.
        let (target, content) = (path.clone(), text.clone());
        let written = tokio::task::spawn_blocking(move || files::replace(&target, content.as_bytes()));
        let written = written.await.unwrap_or_else(|error| Err(error.into()));
        written.map_err(|error| {
            ApiError::new(
                Code::Failed,
                format!("{} cannot be written: {error}", path.display()),
            )
            .hint("make sure that the data directory is writable and its disk has room")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::write_files;
    use crate::host::environment;
    use std::path::Path;

    #[test]
    fn our_own_program_is_found_last() {
        let cli = Path::new("/data/bin/0.1.0-ab/downbeat");
        let path = environment::with_ours("/home/ada/bin:/usr/bin".into(), cli);
        assert_eq!(path, "/home/ada/bin:/usr/bin:/data/bin/0.1.0-ab");
        assert_eq!(environment::with_ours(path.clone(), cli), path, "once");
    }

    /// The number of concurrent rounds. With one draft file for all starts, some round fails within a few.
    const ROUNDS: usize = 200;

    #[tokio::test(flavor = "multi_thread")]
    async fn concurrent_starts_write_the_same_file_without_harm() {
        let dir = tempfile::tempdir().unwrap();
        for round in 0..ROUNDS {
            let files = [(dir.path().join(format!("plugin-{round}.js")), "text".repeat(100))];
            let start = || {
                let files = files.clone();
                tokio::spawn(async move { write_files(&files).await })
            };
            for started in [start(), start(), start()] {
                started.await.unwrap().unwrap();
            }
            let left = std::fs::read_to_string(&files[0].0).unwrap();
            assert_eq!(left, files[0].1);
        }
        let drafts = std::fs::read_dir(dir.path()).unwrap().count() - ROUNDS;
        assert_eq!(drafts, 0, "no draft is left");
    }
}
