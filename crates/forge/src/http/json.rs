//! Reads an answer as JSON, and says which field is wrong.

use crate::error::ForgeError;
use serde::de::DeserializeOwned;

use super::asked::Asked;

/// Reads JSON.
///
/// # Errors
/// [`ForgeError::Unreadable`], with the path of the wrong field.
pub(crate) fn read<T: DeserializeOwned>(asked: &Asked<'_>, body: &[u8]) -> Result<T, ForgeError> {
    let deserializer = &mut serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(deserializer)
        .map_err(|error| asked.unreadable(crate::text::line(&error.to_string())))
}
