//! Conversion between values and columns: words, JSON and times as text. The columns are defined in `row`.

use crate::Error;
use serde::Serialize;
use serde::de::value::Error as ValueError;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::Value;
use sqlx::sqlite::{Sqlite, SqliteRow};
use sqlx::{Decode, Row, Type};

/// Returns a word of the model, or an identifier, as it is stored.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => unreachable_word(other.ok()),
    }
}

/// Returns JSON as a fallback; the model's words are all unit variants or strings.
fn unreachable_word(value: Option<Value>) -> String {
    debug_assert!(false, "not a word: {value:?}");
    value.unwrap_or_default().to_string()
}

/// Returns a structure as JSON text.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}

/// A row that is being read, with its table's name for errors.
pub(crate) struct Columns<'r> {
    pub(crate) row: &'r SqliteRow,
    pub(crate) table: &'static str,
}

impl<'r> Columns<'r> {
    fn error(&self, column: &'static str, detail: impl ToString) -> Error {
        let id = self.row.try_get::<String, _>("id");
        let whose = id.map_or_else(|_| String::new(), |id| format!(" (of {id})"));
        Error::Value {
            table: self.table,
            column,
            detail: format!("{}{whose}", detail.to_string()),
        }
    }

    /// Reads a column that SQLite stores as it is.
    pub(crate) fn plain<T: Decode<'r, Sqlite> + Type<Sqlite>>(
        &self,
        column: &'static str,
    ) -> Result<T, Error> {
        self.row.try_get(column).map_err(|e| self.error(column, e))
    }

    /// Reads a word, an identifier or a time.
    pub(crate) fn word<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Error> {
        let text: &str = self.plain(column)?;
        T::deserialize(text.into_deserializer()).map_err(|e: ValueError| self.error(column, e))
    }

    /// Reads a word, an identifier or a time that may be absent.
    pub(crate) fn word_or_none<T: DeserializeOwned>(&self, column: &'static str) -> Result<Option<T>, Error> {
        let text: Option<&str> = self.plain(column)?;
        text.map(|text| T::deserialize(text.into_deserializer()))
            .transpose()
            .map_err(|e: ValueError| self.error(column, e))
    }

    /// Reads JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Error> {
        let text: &str = self.plain(column)?;
        serde_json::from_str(text).map_err(|e| self.error(column, e))
    }

    /// Reads JSON that may be absent.
    pub(crate) fn json_or_none<T: DeserializeOwned>(&self, column: &'static str) -> Result<Option<T>, Error> {
        let text: Option<&str> = self.plain(column)?;
        text.map(serde_json::from_str)
            .transpose()
            .map_err(|e| self.error(column, e))
    }
}
