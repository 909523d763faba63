//! Why an order of a pull request was not carried out.

use crate::effects::pulls::reach;
use crate::state::context::Engine;
use downbeat_forge::ForgeError;
use downbeat_model::pull::PullOrder;
use downbeat_wire::{ApiError, Code};

/// Why an order was not carried out.
pub struct Failed {
    /// The error, for people.
    pub error: ApiError,
    /// Whether it may have happened, and the forge could not be asked.
    pub is_unknown: bool,
}

impl Failed {
    /// Returns the failure of an order that may have been carried out.
    pub fn unknown(error: ApiError) -> Self {
        Self {
            error,
            is_unknown: true,
        }
    }

    /// Returns what went wrong before an order was sent. If it was sent before, that may have been enough.
    pub fn before_sending(error: ApiError, order: &PullOrder) -> Self {
        Self {
            error,
            is_unknown: order.sent.is_some(),
        }
    }

    /// Returns what a forge answered to an order that it did not carry out.
    pub fn refused(engine: &Engine, host: &str, error: ForgeError) -> Self {
        reach::failed(engine, host, error).into()
    }

    /// Reports whether another try may go better.
    pub fn may_pass(&self) -> bool {
        self.is_unknown || matches!(self.error.code, Code::Failed | Code::Unavailable)
    }
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self {
            error,
            is_unknown: false,
        }
    }
}
