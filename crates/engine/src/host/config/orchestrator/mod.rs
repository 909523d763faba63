//! The configuration of Agent Orchestrator, read by people who come from there: which of its keys mean what here, and
//! its reactions, which are used as they are. Its file is never written, and a key that it alone knows changes nothing.
//!
//! [`places`] finds its file, [`keys`] is the list of its keys, `values` converts a value, `notifiers` those of who gets
//! notices, [`translate`] goes through a file, and `translation` is what it returns; `reactions` takes the reactions that
//! are valid here, `beside` reads those of a file in a project's folder;
//! [`foreign`] limits what a file in a repository may set.

mod beside;
pub mod foreign;
#[cfg(test)]
mod key_tests;
pub mod keys;
mod notifiers;
pub mod places;
mod reactions;
#[cfg(test)]
mod tests;
pub mod translate;
mod translation;
mod values;

pub(crate) use beside::reactions as reactions_beside;
