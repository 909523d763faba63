//! Merge queues: one document for each target branch. Their meaning is defined by the model.

use crate::codec::json;
use crate::{Error, Store, Write};
use downbeat_model::queue::Kept;

impl Store {
    /// Returns all merge queues.
    pub async fn merge_queues(&self) -> Result<Vec<Kept>, Error> {
        self.documents(
            "merge_queues",
            "SELECT project_id || ' ' || target AS id, doc FROM merge_queues ORDER BY project_id, target",
        )
        .await
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::has_unfinished;
    use downbeat_model::queue::{Fact, Place, Priority, Settings, Told};
    use downbeat_model::{Oid, ProjectId, Subject};
    use jiff::Timestamp;

    #[tokio::test]
    async fn a_queue_is_replaced_and_unfinished_while_something_waits_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("some.db");
        let store = Store::open(&file).await.unwrap();
        let place = Place {
            project: ProjectId::parse("p000000000001").unwrap(),
            target: "main".into(),
        };
        let project = sqlx::query(
            "INSERT INTO projects (id, name, path, default_branch, trusted, permission_mode, created_at, conductors_answer) \
             VALUES ('p000000000001', 'shop', '/shop', 'main', 1, 'ask', '1970-01-01T00:00:00Z', 0)",
        );
        let mut write = store.begin().await.unwrap();
        write.run(project).await.unwrap();
        drop(write.commit().await.unwrap());
        let mut kept = Kept::new(place);
        let told = [
            (
                Told::Enqueued {
                    subject: Subject::Engine,
                    session: None,
                    head: Oid::parse(&"1".repeat(40)).unwrap(),
                    unchecked: false,
                    priority: Priority::Normal,
                },
                true,
            ),
            (Told::Paused, false),
            (Told::Resumed, true),
        ];
        for (number, (told, unfinished)) in (1..).zip(told) {
            let fact = Fact::Told { number, told };
            drop(
                kept.queue
                    .apply(&fact, &Settings::default(), Timestamp::UNIX_EPOCH),
            );
            let mut write = store.begin().await.unwrap();
            write.put_merge_queue(&kept).await.unwrap();
            drop(write.commit().await.unwrap());
            assert_eq!(store.merge_queues().await.unwrap(), std::slice::from_ref(&kept));
            assert_eq!(has_unfinished(&file).await, unfinished);
        }
    }
}
