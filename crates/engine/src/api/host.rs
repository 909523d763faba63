//! Implements the server's `Host` trait: identifies callers and runs their requests.

use crate::api::engine::refuse_all_but_owner;
use crate::api::{idempotency, stream, webhooks};
use crate::state::context::Engine;
use async_trait::async_trait;
use downbeat_wire::event::StreamItem;
use downbeat_wire::webhook::{Webhook, WebhookReceipt};
use downbeat_wire::{ApiError, Caller, FirstFrame, Host, Key, Repeat, TerminalLink, call, operation};
use serde_json::Value;
use tokio::sync::mpsc;

#[async_trait]
impl Host for Engine {
    async fn authenticate(&self, token: &str) -> Option<Caller> {
        self.who(token)
    }

    async fn prove(&self, key: &str, nonce: &str, port: u16) -> String {
        Self::prove(self, key, nonce, port)
    }

    async fn perform(
        &self,
        caller: &Caller,
        name: &str,
        arguments: Value,
        key: Option<&Key>,
    ) -> Result<Value, ApiError> {
        let is_keyed = operation(name).is_some_and(|row| row.repeat == Repeat::Keyed);
        match key.filter(|_| is_keyed) {
            Some(key) => idempotency::answer(self, caller, name, arguments, key).await,
            None => call(self, caller, name, arguments).await,
        }
    }

    async fn subscribe(
        &self,
        caller: &Caller,
        since: Option<i64>,
    ) -> Result<mpsc::Receiver<StreamItem>, ApiError> {
        stream::subscribe(&self.arc()?, caller, since).await
    }

    async fn attach(
        &self,
        caller: &Caller,
        session: &str,
        first: FirstFrame,
    ) -> Result<TerminalLink, ApiError> {
        stream::attach(self, caller, session, first).await
    }

    async fn take_webhook(&self, webhook: Webhook) -> Result<WebhookReceipt, ApiError> {
        webhooks::take(self, webhook).await
    }

    async fn hand_over(&self, caller: &Caller) -> Result<(), ApiError> {
        refuse_all_but_owner(caller)?;
        self.let_go().await;
        Ok(())
    }
}
