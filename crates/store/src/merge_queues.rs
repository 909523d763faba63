//! Merge queues: one document for each target branch. Their meaning is defined by the model.

use crate::codec::{Columns, json};
use crate::{Error, Store, Write};
use downbeat_model::queue::Kept;

impl Store {
    /// Returns all merge queues.
    pub async fn merge_queues(&self) -> Result<Vec<Kept>, Error> {
        let rows = sqlx::query("SELECT * FROM merge_queues ORDER BY project_id, target");
        let rows = self.seen(rows.fetch_all(&self.readers).await)?;
        let kept = rows.iter().map(|row| {
            let columns = Columns {
                row,
                table: "merge_queues",
            };
            columns.json("doc")
        });
        kept.collect()
    }
}

impl Write {
    /// Stores a merge queue, in place of what was stored of it. It is removed with its project.
    pub async fn put_merge_queue(&mut self, kept: &Kept) -> Result<(), Error> {
        let place = &kept.queue.place;
        let put = sqlx::query(
            "INSERT INTO merge_queues (project_id, target, doc) VALUES (?1, ?2, ?3) \
             ON CONFLICT (project_id, target) DO UPDATE SET doc = excluded.doc",
        );
        let put = put
            .bind(place.project.as_str())
            .bind(&place.target)
            .bind(json(kept));
        self.run(put).await.map(drop)
    }
}
