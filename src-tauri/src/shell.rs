//! The state that the parts of the shell share: the engine as a host, and the little that the shell itself
//! remembers. Managed by Tauri once the engine is open.

use crate::viewers::Viewers;
use downbeat_wire::{ApiError, Caller, Client, Host, Key, Misfit, Operation};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// The shell's state.
pub struct Shell {
    /// The engine.
    pub host: Arc<dyn Host>,
    /// The data directory of the engine, which also contains the window's place.
    pub data_dir: PathBuf,
    /// The copy of the `downbeat` program in the data directory.
    pub cli: PathBuf,
    /// Cancelled once the engine has released its data directory.
    pub closed: CancellationToken,
    /// The viewers of terminals that the page opened.
    pub viewers: Arc<Viewers>,
    /// The page's own follower of changes.
    pub follower: Mutex<Option<AbortHandle>>,
    /// The id of the session that the page shows.
    pub in_view: Mutex<Option<String>>,
}

impl Shell {
    /// Runs an operation for the person, at most once per `key` if there is one. A panic inside it becomes an
    /// error.
    pub async fn call(&self, name: String, arguments: Value, key: Option<Key>) -> Result<Value, ApiError> {
        let host = Arc::clone(&self.host);
        let operation = async move { host.perform(&Caller::Owner, &name, arguments, key.as_ref()).await };
        match tokio::spawn(operation).await {
            Ok(answer) => answer,
            Err(error) => Err(ApiError::failed("the operation was cut off", error)),
        }
    }
}

/// The shell's own requests, each sent once.
impl Client for Shell {
    type Error = ApiError;

    async fn call_json(&self, row: &'static Operation, request: Value) -> Result<Value, ApiError> {
        self.call(row.name.to_owned(), request, None).await
    }

    fn misfit(misfit: Misfit) -> ApiError {
        match misfit {
            Misfit::Request(error) => ApiError::failed("could not write the request", error),
            Misfit::Answer(error) => ApiError::failed("could not read the answer", error),
        }
    }
}
