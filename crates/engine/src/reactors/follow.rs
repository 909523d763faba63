//! Follows one keeper: takes each report, has written what it means, acknowledges it. One task per live session; it
//! ends with the session or when the keeper is gone.

use crate::decide::status;
use crate::effects::session::end_all;
use crate::effects::terminal::given_back;
use crate::facts::reports::Reports;
use crate::facts::resources::{Care, Over};
use crate::facts::{evidence, foreground, journal, lost, screen, screen_rules, transcripts, unheard};
use crate::host::failpoint::point;
use crate::session::wish;
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

/// Without output for this long, an agent without hooks is no longer called working.
const QUIET: Duration = Duration::from_secs(5);

/// Output must rest this long before the screen is read for a question.
const SETTLED: Duration = Duration::from_millis(700);

/// Read all the same where it does not: some agents draw a moving picture while they wait.
const RESTLESS: Duration = Duration::from_secs(2);

/// Tries after which a keeper that lives but hangs up is said not to answer. Of one that stands still the
/// first says it: that took seconds.
const UNREACHABLE: u32 = 5;

/// Before the second try; later ones wait longer each time.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest wait between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long what an agent left behind has to end by itself.
const LEFT_OVER: Duration = Duration::from_secs(1);

/// Follows every keeper that it is told of, from now on.
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
        tokio::select! {
            () = follow(&engine, &id, &live, link, reports) => {}
            () = closing.cancelled() => {}
        }
    });
}

/// Timers of one session; both are off while nothing happens.
#[derive(Default)]
pub(crate) struct Timers {
    pub(crate) quiet: Option<Instant>,
    pub(crate) settled: Option<Instant>,
    /// The next look at an agent that rests by its title and works by its hooks.
    pub(crate) untold: Option<Instant>,
    /// Whether its title was seen to say that it works: one that never does says nothing by resting.
    pub(crate) spins: bool,
    /// Whether its prompt was looked at for what an engine before this one left.
    pub(crate) looked_behind: bool,
    /// Since when output did not rest.
    pub(crate) restless: Option<Instant>,
    /// The last key, until the screen was seen to follow it: an agent may take its time.
    pub(crate) key: Option<screen::Key>,
}

impl Timers {
    /// The screen is looked at once it rests.
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
        // The engine before this one may have seen the last output, and not the silence behind it.
        quiet: Some(Instant::now() + QUIET),
        // It may have come to its prompt, or asked something, while nobody looked.
        settled: Some(Instant::now() + SETTLED),
        spins: unheard::works_by_hooks(engine, id),
        ..Timers::default()
    };
    // Its keeper tells the title again only once it changes.
    let mut title = link.hello().title.clone();
    let mut looks = Looks::default();
    looks.drawn(std::time::Instant::now());
    let mut care = Care::default();
    care.moved(engine, id);
    unheard::count(engine, id);
    remember(engine, id, &link).await;
    held(engine, id, &link).await;
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
            () = at(care.due()) => {
                if let Some(over) = care.look(engine, id, &link).await {
                    stop(engine, id, over);
                }
                continue;
            }
            () = at(timers.untold) => {
                timers.untold = None;
                if rests_untold(engine, id, &title) && !unheard::ended(engine, id).await {
                    timers.untold = Some(Instant::now() + unheard::LOOK);
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
                topic(engine, id, &title).await;
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
                // What begins in a shell and draws nothing is known by this look alone.
                care.begun(engine, id);
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
                care.moved(engine, id);
                if timers.spins && rests_untold(engine, id, &title) {
                    timers.untold.get_or_insert(Instant::now() + unheard::LOOK);
                }
                if over {
                    point("exit-written");
                    // What the agent left running would go on unseen, on a port that is free now.
                    if let Err(error) = link.kill(LEFT_OVER).await {
                        tracing::debug!(session = %id, "nothing more to end: {error}");
                    }
                    // The keeper may be gone already: then there is nothing left to close.
                    let _ = link.close().await;
                    live.unlink(&link);
                    return;
                }
            }
            Some(Report::Output { at, .. }) => {
                // Of a shell, drawing tells nothing: who has its terminal does, once it settled. Of
                // others title and screen may.
                if !is_shell(engine, id) && !tells_turns(engine, id) {
                    output(engine, id, at).await;
                }
                care.begun(engine, id);
                timers.quiet = Some(Instant::now() + QUIET);
                timers.unsettle();
            }
            Some(Report::Title(new)) => {
                // A spinner that turns tells nothing new.
                let works = downbeat_agents::title_works;
                let turned = |agent: Arc<Manifest>| works(&agent, &title) != works(&agent, &new);
                if agent(engine, id).is_some_and(turned) {
                    looks.turned(std::time::Instant::now());
                }
                title = new;
                timers.spins |= agent(engine, id).is_some_and(|agent| works(&agent, &title) == Some(true));
                timers.unsettle();
            }
            Some(Report::Lost) | None => match again(engine, id).await {
                Some((new_link, new_reports)) => {
                    live.set_link(Some(new_link.clone()));
                    remember(engine, id, &new_link).await;
                    carry_on(engine, id, &new_link);
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

/// Notes what the title says that the agent is about. At most as often as output settles, since a
/// program may draw titles as fast as it can.
async fn topic(engine: &Engine, id: &SessionId, title: &str) {
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

/// Whether the title says that it rests, and its hooks that it works: a turn may have failed, of which
/// some agents tell in their transcript alone.
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

/// Notes which keeper holds the session, so that what it left behind can be told apart.
async fn remember(engine: &Engine, id: &SessionId, link: &Link) {
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
        tracing::warn!(session = %id, "the keeper was not noted: {error}");
    }
}

/// A retry that was written down but never reached its keeper: the failure stands.
async fn held(engine: &Engine, id: &SessionId, link: &Link) {
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
        tracing::warn!(session = %id, "a retry that was cut off was not noted: {error}");
    }
}

/// Asks again for an end that was wished while the keeper could not be asked.
fn carry_on(engine: &Engine, id: &SessionId, link: &Link) {
    let wish = engine.ledger.session(id).and_then(|row| wish::Wish::of(&row));
    let Some(wish) = wish else { return };
    let (id, link) = (id.clone(), link.clone());
    tokio::spawn(async move {
        if let Err(error) = link.kill(wish.grace()).await {
            tracing::debug!(session = %id, "nothing more to end: {error}");
        }
    });
}

/// Stops a session that takes more than it may, beside all else: the end waits for who follows it.
fn stop(engine: &Arc<Engine>, id: &SessionId, over: Over) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        match end_all::end(&engine, &id, wish::Wish::Stop, &Caller::Owner).await {
            Ok(()) => over.stopped(&engine, &id).await,
            Err(error) => {
                tracing::warn!(session = %id, "one that takes too much was not stopped: {error}");
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

async fn again(engine: &Engine, id: &SessionId) -> Option<(Link, Receiver<Report>)> {
    let dir = engine.paths.keeper(id);
    let (mut attempt, mut is_told) = (0, false);
    loop {
        match downbeat_keeper::connect(&dir).await {
            Ok(connected) => return Some(connected),
            Err(downbeat_keeper::Error::Gone) => return None,
            // It lives, but does not answer: never a reason to end its agent.
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

/// Follows a keeper that is there but did not answer at first.
fn seek(engine: Arc<Engine>, id: SessionId) {
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let found = tokio::select! {
            found = again(&engine, &id) => found,
            () = closing.cancelled() => return,
        };
        match found {
            // Someone else found it first.
            Some(_) if engine.runtimes.of(&id).link().is_some() => {}
            Some((link, reports)) => {
                carry_on(&engine, &id, &link);
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
