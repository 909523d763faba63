//! Prevents idle sleep of the machine while agents work. Does not affect the display, or sleep that the
//! person requests.
//!
//! A single thread owns the inhibition, since some systems tie it to the requesting thread and D-Bus may be
//! slow. Only the newest request counts; one that fails is recorded with its reason and repeated at the next
//! change.

use std::any::Any;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Whether idle sleep is to be prevented: only for work that there is evidence of, and only if the person
/// wants it.
#[must_use]
pub fn wanted(working: u32, setting: bool) -> bool {
    setting && working > 0
}

/// The state of the inhibition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether idle sleep is prevented now.
    pub awake: bool,
    /// The reason of the last failure while it was requested.
    pub problem: Option<String>,
}

/// The reason that the system is given for the inhibition.
const REASON: &str = "agents are working";

/// A guard that prevents sleep until it is dropped.
type Hold = Box<dyn Any>;

/// The function that requests the inhibition from the system.
type Ask = Box<dyn FnMut() -> Result<Hold, String> + Send>;

#[derive(Default)]
struct State {
    target: bool,
    /// The number of requests: the thread has work while it is ahead of `done`.
    asked: u64,
    done: u64,
    standing: Standing,
    over: bool,
}

/// The state that the holder shares with its thread. A lock and not a channel, since only the newest request
/// counts.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prevents idle sleep on request; allows it again when dropped.
pub struct Power {
    shared: Arc<Shared>,
}

impl Power {
    /// Creates an inactive holder of the system's inhibition.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Box::new(ask_system))
    }

    fn with(ask: Ask) -> Self {
        let shared = Arc::new(Shared::default());
        let thread = std::thread::Builder::new().name("power".into());
        let started = thread.spawn({
            let shared = Arc::clone(&shared);
            move || follow(&shared, ask)
        });
        if let Err(error) = started {
            let mut state = shared.lock();
            state.over = true;
            state.standing.problem = Some(format!("no thread for it: {error}"));
        }
        Self { shared }
    }

    /// Sets what is wanted from now on. Never waits.
    pub fn set(&self, wanted: bool) {
        let mut state = self.shared.lock();
        // A refused request is not repeated until the intent changes; its reason is in `standing`.
        if state.target == wanted && state.asked > 0 {
            return;
        }
        state.target = wanted;
        state.asked += 1;
        self.shared.changed.notify_all();
    }

    /// Whether idle sleep is prevented now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.standing().awake
    }

    /// Returns the present state. A recent request may still be in progress.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.shared.lock().standing.clone()
    }
}

impl Default for Power {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Power {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.changed.notify_all();
    }
}

/// Runs in the thread and makes the state follow the request.
fn follow(shared: &Shared, mut ask: Ask) {
    let mut hold: Option<Hold> = None;
    let mut told: Option<String> = None;
    let mut state = shared.lock();
    loop {
        while state.asked == state.done && !state.over {
            state = shared.wait(state);
        }
        if state.over {
            state.standing.awake = false;
            return;
        }
        let (target, asked) = (state.target, state.asked);
        // The system may take its time; requests arrive meanwhile.
        drop(state);
        let problem = match (target, &hold) {
            (true, None) => ask().map(|held| hold = Some(held)).err(),
            (true, Some(_)) => None,
            (false, _) => {
                hold = None;
                None
            }
        };
        // Logged once: without a bus it would be logged at every start of work.
        if let Some(problem) = problem.as_ref().filter(|problem| told.as_ref() != Some(problem)) {
            tracing::warn!("idle sleep cannot be prevented: {problem}");
            told = Some(problem.clone());
        }
        state = shared.lock();
        state.done = asked;
        state.standing = Standing {
            awake: hold.is_some(),
            problem,
        };
        shared.changed.notify_all();
    }
}

/// Returns what can prevent sleep on this machine, or why nothing can. Prevents it for the moment of the
/// request.
pub fn probe() -> Result<&'static str, String> {
    ask_each().map(|(_, how)| how)
}

fn ask_system() -> Result<Hold, String> {
    ask_each().map(|(hold, _)| hold)
}

/// Asks the system first, since that never keeps a screen lit; then the desktop's session.
fn ask_each() -> Result<(Hold, &'static str), String> {
    let held = keepawake::Builder::default()
        .display(false)
        .idle(true)
        .sleep(false)
        .reason(REASON)
        .app_name("Downbeat")
        .app_reverse_domain("dev.downbeat.Downbeat")
        .create();
    match held {
        Ok(held) => Ok((Box::new(held), "the system prevents idle sleep")),
        Err(error) => session::ask(REASON)
            .map(|held| (held, "the desktop session prevents idle sleep"))
            .map_err(|also| format!("{error}{also}")),
    }
}

#[cfg(target_os = "linux")]
pub(crate) mod session {
    //! Uses the session bus, for desktops without systemd-logind.

    use super::Hold;
    use zbus::blocking::Connection;

    /// Requests the inhibition. Desktops' power managers hold it until the requesting connection ends.
    pub fn ask(reason: &str) -> Result<Hold, String> {
        let bus = Connection::session().map_err(|error| format!("; session bus: {error}"))?;
        by(&bus, reason).map(|()| Box::new(bus) as Hold)
    }

    /// The flag of GNOME's session manager for inhibiting suspend.
    const SUSPEND: u32 = 4;

    fn by(bus: &Connection, reason: &str) -> Result<(), String> {
        let manager = "org.freedesktop.PowerManagement";
        let (path, interface) = (
            "/org/freedesktop/PowerManagement/Inhibit",
            "org.freedesktop.PowerManagement.Inhibit",
        );
        let words = ("Downbeat", reason);
        let Err(first) = bus.call_method(Some(manager), path, Some(interface), "Inhibit", &words) else {
            return Ok(());
        };
        let gnome = "org.gnome.SessionManager";
        let words = ("Downbeat", 0u32, reason, SUSPEND);
        let asked = bus.call_method(
            Some(gnome),
            "/org/gnome/SessionManager",
            Some(gnome),
            "Inhibit",
            &words,
        );
        asked
            .map(drop)
            .map_err(|_| format!("; session bus: no power manager answers: {first}"))
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) mod session {
    //! Other systems have no second way.

    use super::Hold;

    pub fn ask(_: &str) -> Result<Hold, String> {
        Err(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::{Hold, Power, Standing, wanted};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::time::Duration;

    struct Held(Arc<AtomicU32>);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    impl Power {
        /// Waits until every request was handled.
        fn settled(&self) -> Standing {
            let state = self.shared.lock();
            let wait = self
                .shared
                .changed
                .wait_timeout_while(state, Duration::from_secs(10), |s| s.asked != s.done);
            let (state, timeout) = wait.unwrap();
            assert!(!timeout.timed_out());
            state.standing.clone()
        }
    }

    #[test]
    fn sleep_is_prevented_only_for_work_and_if_wanted() {
        assert!(wanted(1, true));
        assert!(!wanted(0, true) && !wanted(3, false));
    }

    #[test]
    fn power_holds_once_releases_and_retries_after_a_failure() {
        let (count, fails) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(true)));
        let power = Power::with({
            let (count, fails) = (Arc::clone(&count), Arc::clone(&fails));
            Box::new(move || {
                if fails.load(Ordering::SeqCst) {
                    return Err("no bus".into());
                }
                count.fetch_add(1, Ordering::SeqCst);
                Ok(Box::new(Held(Arc::clone(&count))) as Hold)
            })
        });
        power.set(true);
        let standing = power.settled();
        assert_eq!(
            standing,
            Standing {
                awake: false,
                problem: Some("no bus".into())
            }
        );
        fails.store(false, Ordering::SeqCst);
        power.set(true);
        assert!(!power.settled().awake, "the same target is not tried again");
        power.set(false);
        power.set(true);
        assert_eq!(
            power.settled(),
            Standing {
                awake: true,
                problem: None
            }
        );
        power.set(true);
        power.settled();
        assert_eq!(count.load(Ordering::SeqCst), 1);
        power.set(false);
        assert_eq!((power.settled().awake, count.load(Ordering::SeqCst)), (false, 0));
        power.set(true);
        power.settled();
        drop(power);
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while count.load(Ordering::SeqCst) != 0 {
            assert!(std::time::Instant::now() < deadline, "dropping lets go");
            std::thread::yield_now();
        }
    }

    #[test]
    fn the_real_system_either_holds_or_says_why_not() {
        let power = Power::new();
        power.set(true);
        let standing = power.settled();
        assert_ne!(standing.awake, standing.problem.is_some(), "{standing:?}");
    }
}
