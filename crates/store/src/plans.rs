//! Plans: one document for each. Their meaning is defined by the crate `plans`.

use crate::codec::json;
use crate::{Error, Store, Write};
use downbeat_plans::PlanRecord;

impl Store {
    /// Returns all plans, in the order in which they were proposed.
    pub async fn plans(&self) -> Result<Vec<PlanRecord>, Error> {
        self.documents("plans", "SELECT id, doc FROM plans ORDER BY rowid")
            .await
    }
}

impl Write {
    /// Stores a plan, in place of what was stored of it. It is removed with its project.
    pub async fn put_plan(&mut self, plan: &PlanRecord) -> Result<(), Error> {
        let put = sqlx::query(
            "INSERT INTO plans (id, project_id, doc) VALUES (?1, ?2, ?3) \
             ON CONFLICT (id) DO UPDATE SET doc = excluded.doc",
        );
        let put = put
            .bind(plan.id.as_str())
            .bind(plan.project.as_str())
            .bind(json(plan));
        self.run(put).await.map(drop)
    }
}
