//! What is observed of a forge and what is asked of it, in words that do not depend on the provider. No behaviour beyond
//! what follows from one value.

pub mod changes;
pub mod checks;
pub mod conversation;
pub mod failure;
pub mod identity;
pub mod issue;
pub mod limit;
pub mod pull;
pub mod repository;
pub mod review;
pub mod write;
