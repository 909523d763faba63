//! Secrets in the system's keychain: the Secret Service of the session bus on Linux (GNOME Keyring, KWallet), the login
//! keychain on macOS, the Credential Manager on Windows. Each is an entry of the service [`SERVICE`] under a name. Not where a
//! secret is named and used: that is the notifiers' `secret`.
//!
//! A keychain may ask the person to unlock it and then answers after minutes or never, so each request has its own thread and
//! a time limit. There is one request at a time, and none while an earlier one still waits beyond its limit.
#![forbid(unsafe_code)]

use keyring_core::CredentialStore;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// The service of each entry; its account is the secret's name.
pub const SERVICE: &str = "downbeat";

/// The time limit of a request, within which a person can type a password.
const PATIENCE: Duration = Duration::from_secs(30);

/// The interval at which a request looks whether it is its turn.
const LOOK: Duration = Duration::from_millis(5);

/// What the keychain is doing for this process: [`FREE`], the number of the request that is under way, or that number with
/// [`SILENT`] added if it is beyond its time limit.
static STATE: AtomicU64 = AtomicU64::new(FREE);

/// No request is under way.
const FREE: u64 = 0;

/// Marks a request that is beyond its time limit.
const SILENT: u64 = 1 << 63;

/// The number of the last request.
static LAST: AtomicU64 = AtomicU64::new(FREE);

/// A request that is under way, by its number. The next one may begin when it is dropped.
struct Turn(u64);

impl Turn {
    /// Waits for the end of the request before.
    fn take() -> Result<Self, Error> {
        let own = LAST.fetch_add(1, Ordering::AcqRel) + 1;
        let until = Instant::now() + PATIENCE;
        loop {
            match STATE.compare_exchange(FREE, own, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Ok(Self(own)),
                Err(other) if other >= SILENT || Instant::now() > until => return Err(Error::Silent),
                Err(_) => std::thread::sleep(LOOK),
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        STATE.store(FREE, Ordering::Release);
    }
}

/// Why a secret was not read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The keychain has no entry of this name.
    Missing(String),
    /// The keychain has several entries of this name.
    Several(String),
    /// The keychain did not answer in time; it may show a dialog.
    Silent,
    /// There is no keychain, or it refused, in its own words.
    Refused(String),
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(
                to,
                "the keychain has no secret {name}: `downbeat secret set {name}` stores it"
            ),
            Self::Several(name) => write!(
                to,
                "the keychain has several secrets {name} of {SERVICE}: delete all but one"
            ),
            Self::Silent => to.write_str("the keychain does not answer; it may ask you to unlock it"),
            Self::Refused(why) => write!(to, "the system's keychain cannot be used: {why}"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Returns whether a later request may succeed although nobody changes an entry.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Silent | Self::Refused(_))
    }
}

/// Returns a secret.
///
/// # Errors
/// See [`Error`].
pub fn read(name: &str) -> Result<String, Error> {
    ask(name, |entry| entry.get_password())
}

/// Stores a secret, replacing an earlier one.
///
/// # Errors
/// See [`Error`].
pub fn store(name: &str, secret: String) -> Result<(), Error> {
    ask(name, move |entry| entry.set_password(&secret))
}

/// Deletes a secret.
///
/// # Errors
/// See [`Error`].
pub fn delete(name: &str) -> Result<(), Error> {
    ask(name, |entry| entry.delete_credential())
}

/// Opens the system's keychain. It is opened for each request: a service of the session may have been restarted.
fn open() -> keyring_core::Result<Arc<CredentialStore>> {
    #[cfg(target_os = "macos")]
    let store = apple_native_keyring_store::keychain::Store::new()?;
    #[cfg(windows)]
    let store = windows_native_keyring_store::Store::new()?;
    #[cfg(all(unix, not(target_os = "macos")))]
    let store = zbus_secret_service_keyring_store::Store::new()?;
    Ok(store)
}

/// Asks the keychain about an entry.
fn ask<R: Send + 'static>(
    name: &str,
    what: impl FnOnce(&keyring_core::Entry) -> keyring_core::Result<R> + Send + 'static,
) -> Result<R, Error> {
    let turn = Turn::take()?;
    let own = turn.0;
    let (answer, answered) = sync_channel(1);
    let account = name.to_owned();
    let asking = move || {
        let found = open().and_then(|store| what(&store.build(SERVICE, &account, None)?));
        drop(turn);
        // Nobody waits any more if it took too long.
        let _ = answer.send(found);
    };
    let thread = std::thread::Builder::new().name("keychain".to_owned());
    thread
        .spawn(asking)
        .map_err(|error| Error::Refused(error.to_string()))?;
    match answered.recv_timeout(PATIENCE) {
        Ok(found) => found.map_err(|error| because(name, &error)),
        Err(RecvTimeoutError::Timeout) => {
            // It may have ended in this instant, and another one may have begun.
            let _ = STATE.compare_exchange(own, own + SILENT, Ordering::AcqRel, Ordering::Acquire);
            Err(Error::Silent)
        }
        Err(RecvTimeoutError::Disconnected) => Err(Error::Refused("it failed unexpectedly".to_owned())),
    }
}

fn because(name: &str, error: &keyring_core::Error) -> Error {
    match error {
        keyring_core::Error::NoEntry => Error::Missing(name.to_owned()),
        keyring_core::Error::Ambiguous(_) => Error::Several(name.to_owned()),
        other => Error::Refused(other.to_string()),
    }
}
