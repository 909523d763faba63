//! How values become columns and back: words, JSON and times as text. Not which columns there are.

use crate::Error;
use serde::Serialize;
use serde::de::value::Error as ValueError;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::Value;
use sqlx::sqlite::{Sqlite, SqliteRow};
use sqlx::{Decode, Row, Type};

/// A word of the model, or an identifier, as it is stored.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => unreachable_word(other.ok()),
    }
}

/// The model's words are all unit variants or strings; JSON is the best that is left otherwise.
fn unreachable_word(value: Option<Value>) -> String {
    debug_assert!(false, "not a word: {value:?}");
    value.unwrap_or_default().to_string()
}

/// A structure as JSON text.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}

/// One row being read, with its table's name for errors.
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

    /// A column that SQLite stores as it is.
    pub(crate) fn plain<T: Decode<'r, Sqlite> + Type<Sqlite>>(
        &self,
        column: &'static str,
    ) -> Result<T, Error> {
        self.row.try_get(column).map_err(|e| self.error(column, e))
    }

    /// A word, an identifier or a time.
    pub(crate) fn word<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Error> {
        let text: &str = self.plain(column)?;
        T::deserialize(text.into_deserializer()).map_err(|e: ValueError| self.error(column, e))
    }

    /// A word, an identifier or a time that may be absent.
    pub(crate) fn word_or_none<T: DeserializeOwned>(&self, column: &'static str) -> Result<Option<T>, Error> {
        let text: Option<&str> = self.plain(column)?;
        text.map(|text| T::deserialize(text.into_deserializer()))
            .transpose()
            .map_err(|e: ValueError| self.error(column, e))
    }

    /// JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Error> {
        let text: &str = self.plain(column)?;
        serde_json::from_str(text).map_err(|e| self.error(column, e))
    }

    /// JSON that may be absent.
    pub(crate) fn json_or_none<T: DeserializeOwned>(&self, column: &'static str) -> Result<Option<T>, Error> {
        let text: Option<&str> = self.plain(column)?;
        text.map(serde_json::from_str)
            .transpose()
            .map_err(|e| self.error(column, e))
    }
}
