//! Follows one keeper: takes each report, records its meaning, and acknowledges it. There is one task per live
//! session; it ends with the session or when the keeper is gone.

use crate::decide::status;
use crate::effects::session::end_all;
use crate::effects::terminal::given_back;
use crate::facts::reports::Reports;
use crate::facts::resources::{Over, Watchdog};
use crate::facts::{evidence, foreground, journal, lost, screen, screen_rules, transcripts, unheard};
use crate::host::failpoint::point;
use crate::session::end_mode;
use crate::state::context::Engine;
use crate::state::handles::{Follow, Live};
use downbeat_agents::{Looks, Manifest};
use downbeat_keeper::{EntryKind, Link, Report, State};
use downbeat_model::{About, EvidenceSource, Fact, FactKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::Caller;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::Instant;

/// The time without output after which an agent without hooks no longer counts as working.
const QUIET: Duration = Duration::from_secs(5);

/// The pause in the output before the screen is searched for a question.
const SETTLED: Duration = Duration::from_millis(700);

/// The time after which the screen is read even if the output does not pause: some agents draw an animation
/// while they wait.
const RESTLESS: Duration = Duration::from_secs(2);

/// The number of tries after which a keeper that lives but closes connections is reported as not answering. A
/// keeper that hangs is reported after the first try, which took seconds.
const UNREACHABLE: u32 = 5;

/// The wait before the second try; later waits grow longer.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest wait between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The time that processes left by an agent have to end by themselves.
const LEFT_OVER: Duration = Duration::from_secs(1);

/// Follows every keeper that `followed` names from now on.
pub fn start(engine: &Arc<Engine>, mut followed: Receiver<Follow>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    tokio::spawn(async move {
        loop {
            let next = tokio::select! {
                next = followed.recv() => next,
                () = closing.cancelled() => return,
            };
            match (next, weak.upgrade()) {
                (Some(Follow::Connected(id, link, reports)), Some(engine)) => {
                    begin(&engine, id, link, reports);
                }
                (Some(Follow::Slow(id)), Some(engine)) => seek(engine, id),
                _ => return,
            }
        }
    });
}

fn begin(engine: &Arc<Engine>, id: SessionId, link: Link, reports: Receiver<Report>) {
    let (engine, live) = (Arc::clone(engine), engine.runtimes.of(&id));
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let work = follow(&engine, &id, &live, link, reports);
        closing.run_until_cancelled(work).await;
    });
}

/// The timers of one session; they are off while nothing happens.
#[derive(Default)]
pub(crate) struct Timers {
    pub(crate) quiet: Option<Instant>,
    pub(crate) settled: Option<Instant>,
    /// The next look at an agent that is idle by its title and works by its hooks.
    pub(crate) untold: Option<Instant>,
    /// Whether the title ever showed that the agent works: without that, an idle title means nothing.
    pub(crate) spins: bool,
    /// Whether the prompt was checked for text that the previous engine left.
    pub(crate) looked_behind: bool,
    /// The time since which there has been output without a pause.
    pub(crate) restless: Option<Instant>,
    /// The last key, until the screen shows the agent's reaction to it, which may take a while.
    pub(crate) key: Option<screen::Key>,
}

impl Timers {
    /// Schedules a look at the screen for the next pause in the output.
    fn unsettle(&mut self) {
        let now = Instant::now();
        let since = *self.restless.get_or_insert(now);
        self.settled = Some((now + SETTLED).min(since + RESTLESS));
    }
}

async fn follow(
    engine: &Arc<Engine>,
    id: &SessionId,
    live: &Arc<Live>,
    mut link: Link,
    reports: Receiver<Report>,
) {
    let mut reports = Reports::new(reports);
    let mut timers = Timers {
        // The previous engine may have seen the last output, but not the silence after it.
        quiet: Some(Instant::now() + QUIET),
        // The agent may have reached its prompt, or asked something, while no engine looked.
        settled: Some(Instant::now() + SETTLED),
        spins: unheard::works_by_hooks(engine, id),
        ..Timers::default()
    };
    // The keeper reports the title again only when it changes.
    let mut title = link.hello().title.clone();
    let mut looks = Looks::default();
    looks.drawn(std::time::Instant::now());
    let mut watchdog = Watchdog::default();
    watchdog.moved(engine, id);
    unheard::count(engine, id);
    note_keeper(engine, id, &link).await;
    restore_failure(engine, id, &link).await;
    loop {
        let report = tokio::select! {
            report = reports.next() => report,
            () = at(timers.quiet) => {
                timers.quiet = None;
                if foreground::look(engine, id, &link).await == foreground::Seen::Untold && !tells_turns(engine, id) {
                    evidence::note(engine, id, EvidenceSource::Output, "no output for 5 s", FactKind::Quiet).await;
                }
                continue;
            }
            () = at(watchdog.due()) => {
                if let Some(over) = watchdog.look(engine, id, &link).await {
                    stop(engine, id, over);
                }
                continue;
            }
            () = at(timers.untold) => {
                timers.untold = None;
                if rests_untold(engine, id, &title) {
                    // The transcript may say why the turn is over.
                    transcripts::read_soon(engine, id);
                    match unheard::ended(engine, id).await {
                        true => transcripts::read_soon(engine, id),
                        false => timers.untold = Some(Instant::now() + unheard::LOOK),
                    }
                }
                continue;
            }
            () = at(looks.due().map(Instant::from_std)) => {
                match agent(engine, id).filter(|agent| screen_rules::is_looked_at(agent)) {
                    Some(agent) => screen_rules::look(engine, id, &agent, &link, &mut looks).await,
                    None => looks = Looks::default(),
                }
                continue;
            }
            () = at(timers.settled) => {
                (timers.settled, timers.restless) = (None, None);
                if !std::mem::replace(&mut timers.looked_behind, true) {
                    given_back::look_soon(engine, id, given_back::Look::Behind);
                }
                note_topic(engine, id, &title).await;
                if rests_untold(engine, id, &title) {
                    transcripts::read_soon(engine, id);
                    if timers.spins {
                        timers.untold.get_or_insert(Instant::now() + unheard::LOOK);
                    }
                }
                unheard::retries(engine, id, &link).await;
                if is_shell(engine, id) && foreground::look(engine, id, &link).await == foreground::Seen::Untold {
                    output(engine, id, Timestamp::now()).await;
                }
                // A program that starts in a shell and draws nothing is noticed only by this look.
                watchdog.begun(engine, id);
                match screen::look(engine, id, &link, timers.key.as_ref()).await {
                    screen::Seen::Enough => timers.key = None,
                    screen::Seen::Interrupted => {
                        timers.key = None;
                        given_back::look_soon(engine, id, given_back::Look::Key);
                    }
                    screen::Seen::NotYet => {}
                    screen::Seen::Answered => {
                        let (name, at) = ("answer".into(), evidence::in_order(engine, id, Timestamp::now()));
                        timers.key = Some(screen::Key { name, at });
                        timers.settled = Some(Instant::now() + RESTLESS);
                    }
                }
                live.settle();
                continue;
            }
        };
        looks.drawn(std::time::Instant::now());
        match report {
            Some(Report::Entry(entry)) => {
                let over = matches!(entry.what, EntryKind::Ended { .. });
                if let EntryKind::Key { name } = &entry.what {
                    timers.key = Some(screen::Key {
                        name: name.clone(),
                        at: evidence::in_order(engine, id, entry.at),
                    });
                    timers.unsettle();
                }
                if !journal::take(engine, id, &link, entry, &mut reports).await {
                    return;
                }
                watchdog.moved(engine, id);
                if timers.spins && rests_untold(engine, id, &title) {
                    timers.untold.get_or_insert(Instant::now() + unheard::LOOK);
                }
                if over {
                    point("exit-written");
                    // Processes that the agent left running would continue unseen, on a port that is free
                    // now.
                    if let Err(error) = link.kill(LEFT_OVER).await {
                        tracing::debug!(session = %id, "nothing more to end: {error}");
                    }
                    // The keeper may be gone already, with nothing left to close.
                    let _ = link.close().await;
                    live.unlink(&link);
                    return;
                }
            }
            Some(Report::Output { at, .. }) => {
                // Output of a shell means nothing: its foreground program counts, once the output has settled.
                // The title and screen of other agents may mean something.
                if !is_shell(engine, id) && !tells_turns(engine, id) {
                    output(engine, id, at).await;
                }
                watchdog.begun(engine, id);
                timers.quiet = Some(Instant::now() + QUIET);
                timers.unsettle();
            }
            Some(Report::Title(new)) => {
                // A turning spinner is not news.
                let works = downbeat_agents::title_works;
                let turned = |agent: Arc<Manifest>| works(&agent, &title) != works(&agent, &new);
                if agent(engine, id).is_some_and(turned) {
                    looks.turned(std::time::Instant::now());
                }
                title = new;
                timers.spins |= agent(engine, id).is_some_and(|agent| works(&agent, &title) == Some(true));
                timers.unsettle();
            }
            Some(Report::Lost) | None => match reconnect(engine, id).await {
                Some((new_link, new_reports)) => {
                    live.set_link(Some(new_link.clone()));
                    note_keeper(engine, id, &new_link).await;
                    repeat_end(engine, id, &new_link);
                    title.clone_from(&new_link.hello().title);
                    (link, reports) = (new_link, Reports::new(new_reports));
                    timers.unsettle();
                }
                None => {
                    lost::keeper_gone(engine, id).await;
                    live.unlink(&link);
                    return;
                }
            },
        }
    }
}

fn agent(engine: &Engine, id: &SessionId) -> Option<Arc<Manifest>> {
    let row = engine.ledger.session(id)?;
    engine.agent(&row.agent).ok()
}

/// Notes the topic that the title names. Runs only when the output settles, since a program may change its
/// title as fast as it can.
async fn note_topic(engine: &Engine, id: &SessionId, title: &str) {
    let Some(agent) = agent(engine, id).filter(|_| !title.is_empty()) else {
        return;
    };
    if let Some(topic) = downbeat_agents::title_topic(&agent, title) {
        evidence::note(
            engine,
            id,
            EvidenceSource::Title,
            "the title",
            FactKind::Topic(topic),
        )
        .await;
    }
}

/// Reports whether the title shows an idle agent while its hooks say that it works: a turn may have failed,
/// which some agents record only in their transcript.
fn rests_untold(engine: &Engine, id: &SessionId, title: &str) -> bool {
    unheard::works_by_hooks(engine, id)
        && agent(engine, id).is_some_and(|agent| downbeat_agents::title_works(&agent, title) == Some(false))
}

fn tells_turns(engine: &Engine, id: &SessionId) -> bool {
    agent(engine, id).is_some_and(|agent| screen_rules::tells_turns(&agent))
}

fn is_shell(engine: &Engine, id: &SessionId) -> bool {
    let row = engine.ledger.session(id);
    row.is_some_and(|row| foreground::is_shell(engine, &row.agent))
}

/// Notes which keeper holds the session, so that the processes it left behind can be recognised.
async fn note_keeper(engine: &Engine, id: &SessionId, link: &Link) {
    let incarnation = Some(link.hello().incarnation.clone());
    if engine
        .ledger
        .session(id)
        .is_some_and(|row| row.keeper == incarnation)
    {
        return;
    }
    let written = engine.ledger.write(|draft| {
        draft.session(id)?.keeper = incarnation;
        Ok(())
    });
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "could not record the keeper: {error}");
    }
}

/// Restores the failure of a set-up whose retry was recorded but never reached its keeper.
async fn restore_failure(engine: &Engine, id: &SessionId, link: &Link) {
    let waits = |row: &SessionRow| row.status == Status::Spawning && row.run.failed.is_some();
    if !matches!(link.hello().state, State::Held { .. })
        || !engine.ledger.session(id).is_some_and(|row| waits(&row))
    {
        return;
    }
    let written = engine.ledger.write(|draft| match waits(draft.session(id)?) {
        true => status::fail(
            draft,
            id,
            Status::SetupFailed,
            "set-up failed and was not tried again",
        ),
        false => Ok(()),
    });
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "could not record a retry that was cut off: {error}");
    }
}

/// Repeats a request to end the session that was made while the keeper could not be reached.
fn repeat_end(engine: &Engine, id: &SessionId, link: &Link) {
    let mode = engine
        .ledger
        .session(id)
        .and_then(|row| end_mode::EndMode::of(&row));
    let Some(mode) = mode else { return };
    let (id, link) = (id.clone(), link.clone());
    tokio::spawn(async move {
        if let Err(error) = link.kill(mode.grace()).await {
            tracing::debug!(session = %id, "nothing more to end: {error}");
        }
    });
}

/// Stops a session that exceeds a limit, in a task of its own: the end waits for the task that follows the
/// keeper.
fn stop(engine: &Arc<Engine>, id: &SessionId, over: Over) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        match end_all::end(&engine, &id, end_mode::EndMode::Stop, &Caller::Owner).await {
            Ok(()) => over.stopped(&engine, &id).await,
            Err(error) => {
                tracing::warn!(session = %id, "could not stop a session over its limit: {error}");
                over.not_stopped();
            }
        }
    });
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

async fn reconnect(engine: &Engine, id: &SessionId) -> Option<(Link, Receiver<Report>)> {
    let dir = engine.paths.keeper(id);
    let (mut attempt, mut is_told) = (0, false);
    loop {
        match downbeat_keeper::connect(&dir).await {
            Ok(connected) => return Some(connected),
            Err(downbeat_keeper::Error::Gone) => return None,
            // The keeper lives but does not answer, which is never a reason to end its agent.
            Err(error) => {
                attempt += 1;
                let is_still = matches!(error, downbeat_keeper::Error::Slow(..));
                if !is_told && (is_still || attempt == UNREACHABLE) {
                    is_told = true;
                    let detail = "its keeper does not answer";
                    evidence::note(
                        engine,
                        id,
                        EvidenceSource::Process,
                        detail,
                        FactKind::ConversationEnded,
                    )
                    .await;
                }
                tracing::warn!(session = %id, attempt, "keeper lost: {error}");
                tokio::time::sleep((PAUSE * attempt).min(LONGEST_PAUSE)).await;
            }
        }
    }
}

/// Follows a keeper that exists but did not answer at first.
fn seek(engine: Arc<Engine>, id: SessionId) {
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let found = tokio::select! {
            found = reconnect(&engine, &id) => found,
            () = closing.cancelled() => return,
        };
        match found {
            // Another task connected first.
            Some(_) if engine.runtimes.of(&id).link().is_some() => {}
            Some((link, reports)) => {
                repeat_end(&engine, &id, &link);
                engine.runtimes.follow(&id, link, reports).await;
            }
            None => lost::keeper_gone(&engine, &id).await,
        }
    });
}

async fn output(engine: &Engine, id: &SessionId, at: Timestamp) {
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let silent = row.observed.as_ref().is_none_or(|seen| !seen.has_hooks);
    let active = row.status == Status::Running;
    let agent_has_hooks = engine.agent(&row.agent).is_ok_and(|agent| agent.has_hooks());
    if silent && !active && !agent_has_hooks && row.status.is_live() && row.status != Status::Spawning {
        let fact = Fact {
            at,
            source: EvidenceSource::Output,
            detail: "output".into(),
            kind: FactKind::Output,
            about: About::default(),
        };
        evidence::apply(engine, id, &fact).await;
    }
}
