//! The `PATH` on which agents' programs are searched.

use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The minimum interval between two queries of the login shell: long enough for somebody who retries a name
/// several times, short enough for a fresh installation.
const PAUSE: Duration = Duration::from_secs(5);

/// The `PATH` of sessions. It is extended if a program is missing and the login shell now has more folders.
pub(crate) struct SearchPath {
    pub(crate) path: RwLock<String>,
    pub(crate) asked: tokio::sync::Mutex<Option<Instant>>,
}

impl SearchPath {
    /// Takes the `PATH` from an environment.
    pub(crate) fn of(env: &[(String, String)]) -> Self {
        // Windows writes `Path`.
        let named = env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        Self {
            path: RwLock::new(named.map(|(_, path)| path.clone()).unwrap_or_default()),
            asked: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the present path.
    pub(crate) fn get(&self) -> String {
        self.path.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the login shell again, unless it was asked just now. Concurrent callers share one answer.
    pub(crate) async fn again(&self) {
        let mut asked = self.asked.lock().await;
        if cfg!(windows) || asked.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        let login = tokio::task::spawn_blocking(crate::host::environment::ask_again).await;
        *asked = Some(Instant::now());
        let vars = login.map(|login| login.vars).unwrap_or_default();
        if let Some((_, said)) = vars.iter().find(|(name, _)| name == "PATH") {
            let both = crate::host::environment::both_paths(&self.get(), said);
            *self.path.write().unwrap_or_else(PoisonError::into_inner) = both;
        }
    }
}

/// Whether an argument has no characters that `cmd` would interpret.
pub(crate) fn is_plain(argument: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./\\:@+,=".contains(c);
    !argument.is_empty() && argument.chars().all(plain)
}
