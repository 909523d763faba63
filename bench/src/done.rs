//! The result type of measurements.

use std::error::Error;

/// The result of a measurement, or the reason why it failed.
pub type Done<T> = Result<T, Box<dyn Error>>;
