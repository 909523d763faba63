//! What comes of measuring.

use std::error::Error;

/// What measuring gives, or what did not work.
pub type Done<T> = Result<T, Box<dyn Error>>;
