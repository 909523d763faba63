//! What a face needs of the engine: the table, the two streams, and who a token stands for.
//! The engine implements it; the desktop shell and the server only ever see this trait.

use crate::caller::Caller;
use crate::error::ApiError;
use crate::event::StreamItem;
use crate::key::Key;
use crate::table::Operations;
use crate::webhook::{Webhook, WebhookReceipt};
use async_trait::async_trait;
use downbeat_model::terminal::{Frame, Input};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;

/// One viewer's end of a session's terminal. Dropping it detaches the viewer.
#[derive(Debug)]
pub struct TerminalLink {
    /// From the keeper; starts as [`FirstFrame`] says. Closed after [`Frame::Closed`].
    pub frames: mpsc::Receiver<Frame>,
    /// To the keeper.
    pub input: mpsc::Sender<Input>,
}

/// What a new viewer of a terminal is sent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FirstFrame {
    /// The whole snapshot.
    #[default]
    Snapshot,
    /// [`Frame::Screen`] if there is much scrollback, then the snapshot.
    Screen,
}

/// The engine as a face sees it.
#[async_trait]
pub trait Host: Operations + 'static {
    /// Who a token stands for; `None` for a token that is not (or no longer) valid.
    async fn authenticate(&self, token: &str) -> Option<Caller>;

    /// Runs the operation `name` of the table. With a key, an operation that changes something happens
    /// once, however often it is asked for: a repeat gets the answer of the first request, also from
    /// the engine that replaced the one that was asked, and waits where that request is still under way.
    ///
    /// # Errors
    /// `invalid` where the key came with another request before; else those of [`crate::call`].
    async fn perform(
        &self,
        caller: &Caller,
        name: &str,
        arguments: Value,
        key: Option<&Key>,
    ) -> Result<Value, ApiError>;

    /// Proves to a client on `port` that this engine knows the token with the fingerprint `key`, without
    /// being shown it (see [`crate::proof`]). For a fingerprint of no valid token the answer proves
    /// nothing and looks the same.
    async fn prove(&self, key: &str, nonce: &str, port: u16) -> String;

    /// Changes after `since` (from the store), then as they happen. `None` starts from now.
    /// A session's caller sees only changes of its subtree. A reader that does not keep up gets
    /// [`StreamItem::Resync`] in place of what it missed.
    async fn subscribe(
        &self,
        caller: &Caller,
        since: Option<i64>,
    ) -> Result<mpsc::Receiver<StreamItem>, ApiError>;

    /// Attaches a viewer to the terminal of a session, named by id or readable name.
    async fn attach(
        &self,
        caller: &Caller,
        session: &str,
        first: FirstFrame,
    ) -> Result<TerminalLink, ApiError>;

    /// Takes a webhook of a forge, whose sender has no token.
    ///
    /// # Errors
    /// `not_found` where no webhook of this forge is configured, `forbidden` where it is not genuine, `invalid` where it
    /// cannot be read, `limit_reached` where too many arrive.
    async fn take_webhook(&self, webhook: Webhook) -> Result<WebhookReceipt, ApiError>;

    /// Hands over to another engine of the same person: lets go of the data directory and of the
    /// listening port, then ends, leaving every session alive. Answers when both are free.
    async fn hand_over(&self, caller: &Caller) -> Result<(), ApiError>;
}
