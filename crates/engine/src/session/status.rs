//! Evidence for a status that the engine itself sets.

use downbeat_model::{Evidence, EvidenceSource};
use jiff::Timestamp;

/// Evidence for something that Downbeat itself did.
pub fn by_engine(detail: impl Into<String>, at: Timestamp) -> Evidence {
    Evidence {
        source: EvidenceSource::Engine,
        detail: detail.into(),
        at,
    }
}
