//! Values that a page of the interface stores for its next start, by name. Their limits are defined by the
//! engine, their meaning by the page.

use crate::codec::Columns;
use crate::{Error, Store, Write};
use std::collections::BTreeMap;

impl Store {
    /// Returns all stored values.
    pub async fn preferences(&self) -> Result<BTreeMap<String, String>, Error> {
        let rows = sqlx::query("SELECT * FROM preferences").fetch_all(&self.readers);
        let rows = self.seen(rows.await)?;
        let kept = rows.iter().map(|row| {
            let columns = Columns {
                row,
                table: "preferences",
            };
            Ok((columns.plain("name")?, columns.plain("value")?))
        });
        kept.collect()
    }
}

impl Write {
    /// Stores a value; replaces the earlier one of that name.
    pub async fn put_preference(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let put = sqlx::query(
            "INSERT INTO preferences (name, value) VALUES (?1, ?2) \
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        );
        self.run(put.bind(name).bind(value)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_value_of_each_name_survives_reopening_the_store() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("some.db");
        let store = Store::open(&file).await.unwrap();
        assert_eq!(store.preferences().await.unwrap(), BTreeMap::new());
        let mut write = store.begin().await.unwrap();
        for (name, value) in [("sidebar", "300"), ("view", "{}"), ("sidebar", "320")] {
            write.put_preference(name, value).await.unwrap();
        }
        drop(write.commit().await.unwrap());
        store.close().await;
        let kept = Store::open(&file).await.unwrap().preferences().await.unwrap();
        let expected = [("sidebar", "320"), ("view", "{}")];
        assert_eq!(
            kept,
            expected.map(|(name, value)| (name.into(), value.into())).into()
        );
    }
}
