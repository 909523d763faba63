//! What is known of a subject: its facts, folded in the order in which they were written down. What the facts are, and
//! what follows from each, is defined with each kind of subject (`observe.rs` for sessions).
//!
//! A session keeps what is known of it in its own row. What is known of any other subject is folded from its stored facts
//! when somebody asks. Of those only the newest are kept, so each such fact describes its subject completely, like an
//! answer of a forge, not only the difference from the previous fact.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What is known of a subject of one kind.
pub trait Fold: Clone + PartialEq {
    /// An observation of such a subject.
    type Fact: Serialize + DeserializeOwned;

    /// Returns what is known after `fact`, which came after all that is known.
    #[must_use]
    fn after(self, fact: &Self::Fact) -> Self;

    /// Returns whether `fact` says something new.
    fn is_changed_by(&self, fact: &Self::Fact) -> bool {
        self.clone().after(fact) != *self
    }
}
