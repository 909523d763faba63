//! An engine for a single read: the running one, or one that is started for it and ends afterwards.

use super::engines::Client;
use crate::failure::Failure;
use crate::home::Home;
use downbeat_wire::engine::{OnShutdown, Shutdown};
use downbeat_wire::{Client as _, Misfit, Operation};
use serde_json::Value;

/// Sends requests to the running engine, or to one that is started for each and ends again if nothing needs
/// it.
pub(crate) struct Look<'a>(&'a Home);

/// Returns an engine for a single request.
pub(crate) fn look(home: &Home) -> Look<'_> {
    Look(home)
}

impl downbeat_wire::Client for Look<'_> {
    type Error = Failure;

    async fn call_json(&self, row: &'static Operation, request: Value) -> Result<Value, Failure> {
        let engine = visit(self.0).await?;
        let answer = engine.client.call_json(row, request).await;
        engine.leave().await;
        Ok(answer?)
    }

    fn misfit(misfit: Misfit) -> Failure {
        Client::misfit(misfit).into()
    }
}

/// An engine for a single read. If it was started only for that and nothing needs it, it ends afterwards.
pub(crate) struct Visit {
    /// A client of the engine.
    pub(crate) client: Client,
    started: bool,
}

/// Returns the running engine, or starts one for a single read.
pub(crate) async fn visit(home: &Home) -> Result<Visit, Failure> {
    Ok(match Client::running(home).await? {
        Some(client) => Visit {
            client,
            started: false,
        },
        None => Visit {
            client: Client::started(home).await?,
            started: true,
        },
    })
}

impl Visit {
    /// Ends the engine if it was started for this visit and nothing needs it; the engine itself decides that.
    pub(crate) async fn leave(self) {
        if !self.started {
            return;
        }
        let unused = Shutdown {
            sessions: OnShutdown::IfUnused,
        };
        let ended = self.client.shutdown_engine(unused).await;
        if let Err(error) = ended {
            tracing::debug!("the engine keeps running: {error:?}");
        }
    }
}
