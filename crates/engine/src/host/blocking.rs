//! Runs blocking work off the async threads: git, file copies, and folders whose disk may not respond.

use downbeat_wire::{ApiError, Code};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The stack size of an engine's worker thread, in bytes; the system allocates only what is used of it.
/// Libraries recurse for each level of what they read, and a stack overflow ends the whole program.
pub const STACK: usize = 256 << 20;

/// The time limit for a look at a project's folder.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time limit for finding out what a worktree changed. Git is ended earlier than that.
pub(crate) const CHANGES: Duration = Duration::from_secs(90);

/// The time limit for finding out all that a worktree holds, including ignored files and nested repositories.
pub(crate) const WORK: Duration = Duration::from_secs(300);

/// The folders that did not respond, each with a thread that still waits. No other thread is started for
/// them.
static WAITING: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The maximum number of threads that look at one folder at a time.
const LOOKS: usize = 4;

/// The folders in use, each with its places for threads.
static LOOKED_AT: Mutex<BTreeMap<String, Weak<Semaphore>>> = Mutex::new(BTreeMap::new());

/// Waits for a free place to look at a folder.
async fn look(folder: &str) -> Option<OwnedSemaphorePermit> {
    let places = {
        let mut all = LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, places| places.strong_count() > 0);
        let known = all.get(folder).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::new(Semaphore::new(LOOKS));
            all.insert(folder.to_owned(), Arc::downgrade(&new));
            new
        })
    };
    places.acquire_owned().await.ok()
}

fn waiting() -> std::sync::MutexGuard<'static, BTreeSet<String>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs blocking work that only reads a folder, or something else with a name of its own. Returns an error if the folder's disk
/// does not respond in time; the thread keeps waiting for it.
pub(crate) async fn in_time<R: Send + 'static>(
    folder: &str,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, ApiError> {
    within(PATIENCE, folder, work).await
}

/// Runs such work with another time limit.
pub(crate) async fn within<R: Send + 'static>(
    patience: Duration,
    folder: &str,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, ApiError> {
    if waiting().contains(folder) {
        return Err(silent(folder));
    }
    let Ok(place) = tokio::time::timeout(patience, look(folder)).await else {
        return Err(silent(folder));
    };
    // The caller may be gone before the thread ends, so the thread owns the place.
    let mut task = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(place);
        done
    });
    if let Ok(done) = tokio::time::timeout(patience, &mut task).await {
        return done.map_err(|error| ApiError::failed("a background step failed unexpectedly", error));
    }
    waiting().insert(folder.to_owned());
    let silent = silent(folder);
    let folder = folder.to_owned();
    tokio::spawn(async move {
        // The result is ignored: nobody waits for it any more.
        let _ = task.await;
        waiting().remove(&folder);
    });
    Err(silent)
}

fn silent(folder: &str) -> ApiError {
    ApiError::new(Code::Failed, format!("{folder} does not answer"))
        .hint("check that its disk is connected, then try again")
}

/// Runs blocking work (git, file copies, process look-ups) off the async threads.
pub(crate) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ApiError::failed("a background step failed unexpectedly", error))
}

#[cfg(test)]
mod tests {
    use super::{LOOKS, within};
    use std::time::Duration;

    #[tokio::test]
    async fn a_folder_that_does_not_respond_holds_one_thread_and_recovers() {
        let soon = Duration::from_millis(50);
        let (answer, asked) = std::sync::mpsc::sync_channel::<()>(1);
        let first = within(soon, "/silent", move || asked.recv()).await;
        assert_eq!(first.unwrap_err().message, "/silent does not answer");
        let second = within(soon, "/silent", || panic!("nobody else is sent there")).await;
        second.map(|(): ()| ()).unwrap_err();
        assert_eq!(within(soon, "/other", || 1).await.unwrap(), 1);
        answer.send(()).unwrap();
        for _ in 0..200 {
            if within(soon, "/silent", || ()).await.is_ok() {
                return;
            }
            tokio::time::sleep(soon).await;
        }
        panic!("it answers again, and nobody asks");
    }

    #[tokio::test]
    async fn a_folder_never_has_more_threads_than_its_places() {
        let (asked, answers) = std::sync::mpsc::sync_channel::<std::sync::mpsc::SyncSender<()>>(LOOKS + 3);
        let soon = Duration::from_millis(50);
        for _ in 0..LOOKS + 3 {
            let asked = asked.clone();
            let work = move || {
                let (end, ended) = std::sync::mpsc::sync_channel(0);
                let _ = asked.send(end);
                let _: Result<(), _> = ended.recv();
            };
            // The client hangs up.
            let gone = tokio::time::timeout(soon, within(Duration::from_secs(60), "/crowd", work)).await;
            gone.unwrap_err();
        }
        let at_work: Vec<_> = answers.try_iter().collect();
        assert_eq!(at_work.len(), LOOKS);
        assert_eq!(within(soon, "/beside", || 1).await.unwrap(), 1);
        assert!(within(soon, "/crowd", || 1).await.is_err());
        drop(at_work);
        assert_eq!(within(Duration::from_secs(60), "/crowd", || 1).await.unwrap(), 1);
    }
}
