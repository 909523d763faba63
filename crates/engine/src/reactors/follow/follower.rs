//! Follows one keeper: waits for what is next, a report or a timer, and does what that one asks for.

use crate::effects::session::end_all;
use crate::effects::terminal::given_back;
use crate::facts::reports::Reports;
use crate::facts::resources::{Over, Watchdog};
use crate::facts::{evidence, foreground, journal, lost, screen, screen_rules, transcripts, unheard};
use crate::host::failpoint::point;
use crate::reactors::follow::agent::{self, is_shell, rests_untold, tells_turns};
use crate::reactors::follow::connection;
use crate::session::end_mode;
use crate::state::context::Engine;
use crate::state::handles::Live;
use downbeat_agents::{Looks, Manifest};
use downbeat_keeper::{Entry, EntryKind, Link, Report};
use downbeat_model::{EvidenceSource, FactKind, SessionId};
use downbeat_wire::Caller;
use jiff::Timestamp;
use std::ops::ControlFlow::{self, Break, Continue};
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

/// The time that processes left by an agent have to end by themselves.
const LEFT_OVER: Duration = Duration::from_secs(1);

/// The timers of one session; they are off while nothing happens.
#[derive(Default)]
struct Timers {
    quiet: Option<Instant>,
    settled: Option<Instant>,
    /// The next look at an agent that is idle by its title and works by its hooks.
    untold: Option<Instant>,
    /// Whether the title ever showed that the agent works: without that, an idle title means nothing.
    spins: bool,
    /// Whether the prompt was checked for text that the previous engine left.
    looked_behind: bool,
    /// The time since which there has been output without a pause.
    restless: Option<Instant>,
    /// The last key, until the screen shows the agent's reaction to it, which may take a while.
    key: Option<screen::Key>,
}

impl Timers {
    /// Schedules a look at the screen for the next pause in the output.
    fn unsettle(&mut self) {
        let now = Instant::now();
        let since = *self.restless.get_or_insert(now);
        self.settled = Some((now + SETTLED).min(since + RESTLESS));
    }
}

/// What a follower waits for.
enum Next {
    /// A report of the keeper; `None` at the end of the connection.
    Report(Option<Report>),
    /// There was no output for some time.
    Quiet,
    /// What the processes use is to be measured.
    Measure,
    /// An agent that is idle by its title and works by its hooks is looked at again.
    Untold,
    /// The screen of an agent without hooks is looked at.
    Look,
    /// The output has paused.
    Settled,
}

/// The follower of one keeper.
pub(super) struct Follower<'a> {
    engine: &'a Arc<Engine>,
    id: &'a SessionId,
    live: &'a Arc<Live>,
    link: Link,
    reports: Reports,
    timers: Timers,
    title: String,
    looks: Looks,
    watchdog: Watchdog,
}

impl<'a> Follower<'a> {
    /// Begins with what the keeper says at first.
    pub(super) fn new(
        (engine, id, live): (&'a Arc<Engine>, &'a SessionId, &'a Arc<Live>),
        link: Link,
        reports: Receiver<Report>,
    ) -> Self {
        let timers = Timers {
            // The previous engine may have seen the last output, but not the silence after it.
            quiet: Some(Instant::now() + QUIET),
            // The agent may have reached its prompt, or asked something, while no engine looked.
            settled: Some(Instant::now() + SETTLED),
            spins: unheard::works_by_hooks(engine, id),
            ..Timers::default()
        };
        let mut looks = Looks::default();
        looks.drawn(std::time::Instant::now());
        let mut watchdog = Watchdog::default();
        watchdog.moved(engine, id);
        Self {
            engine,
            id,
            live,
            // The keeper reports the title again only when it changes.
            title: link.hello().title.clone(),
            link,
            reports: Reports::new(reports),
            timers,
            looks,
            watchdog,
        }
    }

    /// Follows until the session is over or the keeper is gone.
    pub(super) async fn run(mut self) {
        unheard::count(self.engine, self.id);
        connection::note_keeper(self.engine, self.id, &self.link).await;
        connection::restore_failure(self.engine, self.id, &self.link).await;
        loop {
            match self.next().await {
                Next::Report(report) => {
                    self.looks.drawn(std::time::Instant::now());
                    if self.take(report).await.is_break() {
                        return;
                    }
                }
                Next::Quiet => self.quiet().await,
                Next::Measure => {
                    if let Some(over) = self.watchdog.look(self.engine, self.id, &self.link).await {
                        stop(self.engine, self.id, over);
                    }
                }
                Next::Untold => self.untold().await,
                Next::Look => self.look().await,
                Next::Settled => self.settled().await,
            }
        }
    }

    async fn next(&mut self) -> Next {
        tokio::select! {
            report = self.reports.next() => Next::Report(report),
            () = at(self.timers.quiet) => Next::Quiet,
            () = at(self.watchdog.due()) => Next::Measure,
            () = at(self.timers.untold) => Next::Untold,
            () = at(self.looks.due().map(Instant::from_std)) => Next::Look,
            () = at(self.timers.settled) => Next::Settled,
        }
    }

    async fn quiet(&mut self) {
        let (engine, id) = (self.engine, self.id);
        self.timers.quiet = None;
        let seen = foreground::look(engine, id, &self.link).await;
        if seen == foreground::Seen::Untold && !tells_turns(engine, id) {
            evidence::note(
                engine,
                id,
                EvidenceSource::Output,
                "no output for 5 s",
                FactKind::Quiet,
            )
            .await;
        }
    }

    async fn untold(&mut self) {
        let (engine, id) = (self.engine, self.id);
        self.timers.untold = None;
        if !rests_untold(engine, id, &self.title) {
            return;
        }
        // The transcript may say why the turn is over.
        transcripts::read_soon(engine, id);
        match unheard::ended(engine, id).await {
            true => transcripts::read_soon(engine, id),
            false => self.timers.untold = Some(Instant::now() + unheard::LOOK),
        }
    }

    async fn look(&mut self) {
        let (engine, id) = (self.engine, self.id);
        match agent::agent(engine, id).filter(|agent| screen_rules::is_looked_at(agent)) {
            Some(agent) => screen_rules::look(engine, id, &agent, &self.link, &mut self.looks).await,
            None => self.looks = Looks::default(),
        }
    }

    async fn settled(&mut self) {
        let (engine, id) = (self.engine, self.id);
        (self.timers.settled, self.timers.restless) = (None, None);
        if !std::mem::replace(&mut self.timers.looked_behind, true) {
            given_back::look_soon(engine, id, given_back::Look::Behind);
        }
        agent::note_topic(engine, id, &self.title).await;
        if rests_untold(engine, id, &self.title) {
            transcripts::read_soon(engine, id);
            self.look_untold();
        }
        unheard::retries(engine, id, &self.link).await;
        if is_shell(engine, id) && foreground::look(engine, id, &self.link).await == foreground::Seen::Untold
        {
            agent::output(engine, id, Timestamp::now()).await;
        }
        // A program that starts in a shell and draws nothing is noticed only by this look.
        self.watchdog.begun(engine, id);
        self.questions().await;
        self.live.settle();
    }

    /// Looks at the screen for a question that came, or that a key answered.
    async fn questions(&mut self) {
        let (engine, id) = (self.engine, self.id);
        match screen::look(engine, id, &self.link, self.timers.key.as_ref()).await {
            screen::Seen::Enough => self.timers.key = None,
            screen::Seen::Interrupted => {
                self.timers.key = None;
                given_back::look_soon(engine, id, given_back::Look::Key);
            }
            screen::Seen::NotYet => {}
            screen::Seen::Answered => {
                let (name, at) = ("answer".into(), evidence::in_order(engine, id, Timestamp::now()));
                self.timers.key = Some(screen::Key { name, at });
                self.timers.settled = Some(Instant::now() + RESTLESS);
            }
        }
    }

    /// Schedules a look at an agent that is idle by its title, if its title ever showed that it works.
    fn look_untold(&mut self) {
        if self.timers.spins {
            self.timers.untold.get_or_insert(Instant::now() + unheard::LOOK);
        }
    }

    /// Takes a report. Breaks if there is nothing more to follow.
    async fn take(&mut self, report: Option<Report>) -> ControlFlow<()> {
        match report {
            Some(Report::Entry(entry)) => return self.entry(entry).await,
            Some(Report::Output { at, .. }) => self.output(at).await,
            Some(Report::Title(new)) => self.titled(new),
            Some(Report::Lost) | None => return self.lost().await,
        }
        Continue(())
    }

    async fn entry(&mut self, entry: Entry) -> ControlFlow<()> {
        let (engine, id) = (self.engine, self.id);
        let over = matches!(entry.what, EntryKind::Ended { .. });
        if let EntryKind::Key { name } = &entry.what {
            self.timers.key = Some(screen::Key {
                name: name.clone(),
                at: evidence::in_order(engine, id, entry.at),
            });
            self.timers.unsettle();
        }
        if !journal::take(engine, id, &self.link, entry, &mut self.reports).await {
            return Break(());
        }
        self.watchdog.moved(engine, id);
        if self.timers.spins && rests_untold(engine, id, &self.title) {
            self.look_untold();
        }
        if !over {
            return Continue(());
        }
        point("exit-written");
        // Processes that the agent left running would continue unseen, on a port that is free now.
        if let Err(error) = self.link.kill(LEFT_OVER).await {
            tracing::debug!(session = %id, "nothing more to end: {error}");
        }
        // The keeper may be gone already, with nothing left to close.
        let _ = self.link.close().await;
        self.live.unlink(&self.link);
        Break(())
    }

    async fn output(&mut self, at: Timestamp) {
        let (engine, id) = (self.engine, self.id);
        // Output of a shell means nothing: its foreground program counts, once the output has settled.
        // The title and screen of other agents may mean something.
        if !is_shell(engine, id) && !tells_turns(engine, id) {
            agent::output(engine, id, at).await;
        }
        self.watchdog.begun(engine, id);
        self.timers.quiet = Some(Instant::now() + QUIET);
        self.timers.unsettle();
    }

    fn titled(&mut self, new: String) {
        let agent = agent::agent(self.engine, self.id);
        let works = |title: &str| {
            let agent: Option<&Manifest> = agent.as_deref();
            agent.and_then(|agent| downbeat_agents::title_works(agent, title))
        };
        // A turning spinner is not news.
        if works(&self.title) != works(&new) {
            self.looks.turned(std::time::Instant::now());
        }
        self.timers.spins |= works(&new) == Some(true);
        self.title = new;
        self.timers.unsettle();
    }

    /// Connects again. Breaks if the keeper is gone.
    async fn lost(&mut self) -> ControlFlow<()> {
        let Some((link, reports)) = connection::reconnect(self.engine, self.id).await else {
            lost::keeper_gone(self.engine, self.id).await;
            self.live.unlink(&self.link);
            return Break(());
        };
        self.live.set_link(Some(link.clone()));
        connection::note_keeper(self.engine, self.id, &link).await;
        connection::repeat_end(self.engine, self.id, &link);
        self.title.clone_from(&link.hello().title);
        (self.link, self.reports) = (link, Reports::new(reports));
        self.timers.unsettle();
        Continue(())
    }
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
