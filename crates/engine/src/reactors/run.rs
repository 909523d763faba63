//! The one loop that runs all reactors. It wakes after each commit of the ledger, when a run is over, and
//! when the first of the reactors wants to look again; it uses the wall clock, which continues while a
//! machine sleeps. Runs are separate tasks, so that a run that panics, or never ends, delays no other.
//!
//! The loop holds no engine between two looks and does not follow events, so it does not keep an unneeded
//! engine open.

use crate::reactors::agenda::{Agenda, CHECK, later};
use crate::reactors::reactor::{Context, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{Id, JoinError, JoinSet};

/// Lets all reactors look, and does what is due, until the engine closes.
pub fn start(engine: &Arc<Engine>, reactors: Vec<Arc<dyn Reactor>>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        let mut all = All::new(reactors, Timestamp::now());
        loop {
            let Some(engine) = weak.upgrade() else { break };
            let rest = all.look(&engine);
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => break,
                changed = commits.changed() => match changed {
                    Ok(()) => all.changed(Timestamp::now()),
                    Err(_) => break,
                },
                Some(over) = all.tasks.join_next_with_id() => all.over(over, Timestamp::now()),
                () = pause(rest) => {}
            }
        }
        // Work in progress is abandoned, as in a crash: the next engine takes it up.
    });
}

async fn pause(rest: Option<Duration>) {
    match rest {
        Some(rest) => tokio::time::sleep(rest).await,
        None => std::future::pending().await,
    }
}

/// All reactors with their agendas and tasks.
struct All {
    reactors: Vec<(Arc<dyn Reactor>, Agenda)>,
    tasks: JoinSet<Result<(), ApiError>>,
    /// The reactor and the subject of each task.
    runs: HashMap<Id, (usize, Subject)>,
    changes: u64,
    /// The time of the last look.
    looked: Timestamp,
}

impl All {
    fn new(reactors: Vec<Arc<dyn Reactor>>, now: Timestamp) -> Self {
        let with_agenda = reactors.into_iter().map(|reactor| {
            let mut agenda = Agenda::default();
            agenda.changed(0, now, Duration::ZERO);
            (reactor, agenda)
        });
        Self {
            reactors: with_agenda.collect(),
            tasks: JoinSet::new(),
            runs: HashMap::new(),
            changes: 0,
            looked: now,
        }
    }

    /// Records that something was written.
    fn changed(&mut self, now: Timestamp) {
        self.changes += 1;
        for (reactor, agenda) in &mut self.reactors {
            agenda.changed(self.changes, now, reactor.collects());
        }
    }

    /// Lets the reactors look whose time has come, and starts what they ask for. Returns how long to rest.
    fn look(&mut self, engine: &Arc<Engine>) -> Option<Duration> {
        let now = Timestamp::now();
        if now < self.looked {
            for (_, agenda) in &mut self.reactors {
                agenda.forget_times(now);
            }
        }
        self.looked = now;
        if self.reactors.iter().any(|(_, agenda)| agenda.is_due(now)) {
            let context = Context {
                config: engine.config(),
                used: engine.used.changes(),
                today: now.to_zoned(TimeZone::system()).date(),
            };
            let state = engine.ledger.state();
            for (at, (reactor, agenda)) in self.reactors.iter_mut().enumerate() {
                if !agenda.is_due(now) {
                    continue;
                }
                let next = looked(&**reactor, &context, &state, now);
                for subject in agenda.take(next, now) {
                    let (reactor, engine, own) = (Arc::clone(reactor), Arc::clone(engine), subject.clone());
                    let task = self.tasks.spawn(async move { reactor.act(&engine, &own).await });
                    self.runs.insert(task.id(), (at, subject));
                }
            }
        }
        let next = self
            .reactors
            .iter()
            .filter_map(|(_, agenda)| agenda.next())
            .min()?;
        let rest = Duration::try_from(next.duration_since(now)).unwrap_or_default();
        Some(rest.min(CHECK))
    }

    /// Records the end of a task.
    fn over(&mut self, over: Result<(Id, Result<(), ApiError>), JoinError>, now: Timestamp) {
        let (id, done) = match over {
            Ok((id, done)) => (id, done),
            Err(error) => (
                error.id(),
                Err(ApiError::failed("it failed unexpectedly", &error)),
            ),
        };
        let Some((at, subject)) = self.runs.remove(&id) else {
            return;
        };
        let Some((reactor, agenda)) = self.reactors.get_mut(at) else {
            return;
        };
        let again = done.err().map(|error| {
            let after = reactor.retries_after();
            let seconds = after.as_secs();
            tracing::warn!(
                reactor = reactor.name(),
                ?subject,
                "tried again in {seconds} s: {error}"
            );
            later(now, after)
        });
        agenda.finished(subject, again, now);
    }
}

/// Returns the result of a look; a look that panics is repeated later.
fn looked(reactor: &dyn Reactor, context: &Context, state: &State, now: Timestamp) -> Next {
    let look = || reactor.look(context, state, now);
    std::panic::catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| {
        tracing::error!(reactor = reactor.name(), "its look panicked");
        Next {
            again: Some(later(now, reactor.retries_after())),
            ..Next::default()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::start;
    use crate::open::Options;
    use crate::reactors::reactor::{Context, Due, Next, Reactor};
    use crate::state::context::Engine;
    use crate::state::known::State;
    use async_trait::async_trait;
    use downbeat_model::{EventKind, Subject};
    use downbeat_wire::ApiError;
    use jiff::Timestamp;
    use serde_json::Value;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    /// The behaviour of a sample reactor.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Way {
        Works,
        BreaksAtLook,
        BreaksAtWork,
        Hangs,
    }

    struct Sample {
        way: Way,
        looks: AtomicU32,
        acts: AtomicU32,
    }

    impl Sample {
        fn new(way: Way) -> Arc<Self> {
            let (looks, acts) = (AtomicU32::new(0), AtomicU32::new(0));
            Arc::new(Self { way, looks, acts })
        }
    }

    #[async_trait]
    impl Reactor for Sample {
        fn name(&self) -> &'static str {
            "sample"
        }

        fn look(&self, _: &Context, _: &State, _: Timestamp) -> Next {
            self.looks.fetch_add(1, Ordering::SeqCst);
            assert!(self.way != Way::BreaksAtLook, "as this test wants it");
            Next {
                due: vec![Due::after_each(Subject::Engine)],
                again: None,
            }
        }

        async fn act(&self, _: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
            self.acts.fetch_add(1, Ordering::SeqCst);
            assert!(self.way != Way::BreaksAtWork, "as this test wants it");
            if self.way == Way::Hangs {
                std::future::pending::<()>().await;
            }
            Ok(())
        }
    }

    async fn opened(dir: &std::path::Path) -> Arc<Engine> {
        let cli = dir.join("cli");
        std::fs::write(&cli, "").unwrap();
        let options = Options {
            data_dir: dir.join("data"),
            headless: true,
            cli,
            env: Vec::new(),
            take_over: false,
        };
        Engine::open(options).await.unwrap()
    }

    async fn change(engine: &Engine) {
        let write = engine.ledger.write(|draft| {
            draft.event(EventKind::SettingsChanged, None, Value::Null);
            Ok(())
        });
        write.await.unwrap();
    }

    async fn reaches(count: &AtomicU32, wanted: u32) {
        let reached = async {
            while count.load(Ordering::SeqCst) < wanted {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), reached)
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_reactor_that_breaks_or_hangs_does_not_stop_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let engine = opened(dir.path()).await;
        let ways = [Way::BreaksAtLook, Way::BreaksAtWork, Way::Hangs, Way::Works];
        let samples = ways.map(Sample::new);
        start(
            &engine,
            samples
                .iter()
                .map(|one| Arc::clone(one) as Arc<dyn Reactor>)
                .collect(),
        );
        let [at_look, at_work, hangs, works] = &samples;
        for round in 1..=3 {
            reaches(&works.acts, round).await;
            change(&engine).await;
        }
        reaches(&works.acts, 4).await;
        reaches(&at_look.looks, 2).await;
        let count = |count: &AtomicU32| count.load(Ordering::SeqCst);
        assert_eq!(count(&at_look.acts), 0);
        assert_eq!(count(&at_work.acts), 1, "it is tried again later");
        assert_eq!(count(&hangs.acts), 1, "one at a time");
        engine.let_go().await;
    }

    #[tokio::test]
    async fn reactors_do_not_keep_an_unused_engine_alive() {
        let dir = tempfile::tempdir().unwrap();
        let engine = opened(dir.path()).await;
        let works = Sample::new(Way::Works);
        start(&engine, vec![works.clone()]);
        reaches(&works.acts, 1).await;
        assert!(
            engine.ledger.close_if(|_| true).await,
            "somebody follows its changes"
        );
        let weak = Arc::downgrade(&engine);
        drop(engine);
        let gone = async {
            while weak.upgrade().is_some() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), gone).await.unwrap();
    }
}
