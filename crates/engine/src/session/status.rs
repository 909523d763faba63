//! Builds the evidence for a status that the engine sets itself.

use downbeat_model::{Evidence, EvidenceSource};
use jiff::Timestamp;

/// Returns evidence for an action of Downbeat itself.
pub fn by_engine(detail: impl Into<String>, at: Timestamp) -> Evidence {
    Evidence {
        source: EvidenceSource::Engine,
        detail: detail.into(),
        at,
    }
}
