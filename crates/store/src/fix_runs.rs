//! Runs of `fix`: one document for each. Their meaning is defined by the model.

use crate::codec::json;
use crate::{Error, Store, Write};
use downbeat_model::SessionId;
use downbeat_model::fix::Fix;

impl Store {
    /// Returns all runs that are kept.
    pub async fn fix_runs(&self) -> Result<Vec<Fix>, Error> {
        self.documents("fix_runs", "SELECT id, doc FROM fix_runs ORDER BY id")
            .await
    }
}

impl Write {
    /// Stores a run, in place of what was stored of it. It is removed with its project.
    pub async fn put_fix_run(&mut self, fix: &Fix) -> Result<(), Error> {
        let put = sqlx::query(
            "INSERT INTO fix_runs (id, project_id, doc) VALUES (?1, ?2, ?3) \
             ON CONFLICT (id) DO UPDATE SET doc = excluded.doc",
        );
        let put = put
            .bind(fix.id.as_str())
            .bind(fix.project.as_str())
            .bind(json(fix));
        self.run(put).await.map(drop)
    }

    /// Deletes a run.
    pub async fn delete_fix_run(&mut self, id: &SessionId) -> Result<(), Error> {
        let delete = sqlx::query("DELETE FROM fix_runs WHERE id = ?1").bind(id.as_str());
        self.run(delete).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::has_unfinished;
    use downbeat_model::ProjectId;
    use downbeat_model::fix::{End, Settings};
    use jiff::Timestamp;

    #[tokio::test]
    async fn a_run_is_replaced_and_unfinished_until_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("some.db");
        let store = Store::open(&file).await.unwrap();
        let project = sqlx::query(
            "INSERT INTO projects (id, name, path, default_branch, trusted, permission_mode, created_at, conductors_answer) \
             VALUES ('p000000000001', 'shop', '/shop', 'main', 1, 'ask', '1970-01-01T00:00:00Z', 0)",
        );
        let mut write = store.begin().await.unwrap();
        write.run(project).await.unwrap();
        drop(write.commit().await.unwrap());
        let id = SessionId::parse("s000000000001").unwrap();
        let project = ProjectId::parse("p000000000001").unwrap();
        let mut fix = Fix::new(
            id.clone(),
            project,
            "main".into(),
            Settings::default(),
            Timestamp::UNIX_EPOCH,
        );
        for unfinished in [true, false] {
            if !unfinished {
                fix.ended_at = Some(Timestamp::UNIX_EPOCH);
                fix.end = Some(End::Green);
            }
            let mut write = store.begin().await.unwrap();
            write.put_fix_run(&fix).await.unwrap();
            drop(write.commit().await.unwrap());
            assert_eq!(store.fix_runs().await.unwrap(), std::slice::from_ref(&fix));
            assert_eq!(has_unfinished(&file).await, unfinished);
        }
        let mut write = store.begin().await.unwrap();
        write.delete_fix_run(&id).await.unwrap();
        drop(write.commit().await.unwrap());
        assert_eq!(store.fix_runs().await.unwrap(), []);
    }
}
