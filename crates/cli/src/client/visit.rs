//! An engine for one look: the one that runs, else one that is started for it and ends after it.

use super::engines::Client;
use crate::failure::Failure;
use crate::home::Home;
use downbeat_wire::engine::{OnShutdown, Shutdown};
use downbeat_wire::{Client as _, Misfit, Operation};
use serde_json::Value;

/// Asks the engine that runs, else one that is started to be asked and ends again where nothing lives.
pub(crate) struct Look<'a>(&'a Home);

/// An engine for one question.
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

/// An engine for one look: what was started for that alone, and keeps nothing, ends after it.
pub(crate) struct Visit {
    /// The engine, as any other.
    pub(crate) client: Client,
    started: bool,
}

/// The engine that runs now, else one for a look.
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
    /// Ends the engine where it was started for this and nobody and nothing needs it: the engine
    /// itself knows.
    pub(crate) async fn leave(self) {
        if !self.started {
            return;
        }
        let unused = Shutdown {
            sessions: OnShutdown::IfUnused,
        };
        let ended = self.client.shutdown_engine(unused).await;
        if let Err(error) = ended {
            tracing::debug!("the engine goes on: {error:?}");
        }
    }
}
