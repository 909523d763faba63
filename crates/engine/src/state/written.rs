//! Writes a draft into a transaction: only the rows that it touched, and of these only the ones that differ. Decides nothing.

use crate::state::draft::{Draft, Outbox};
use crate::state::known::{Queue, State};
use downbeat_model::SessionId;
use std::sync::Arc;

impl Draft {
    /// Writes the differences from `before`.
    pub async fn store(
        &self,
        before: &State,
        write: &mut downbeat_store::Write,
    ) -> Result<(), downbeat_store::Error> {
        for id in &self.touched.projects {
            match (before.projects.get(id), self.state.projects.get(id)) {
                (None, Some(row)) => write.insert_project(row).await?,
                (Some(old), Some(row)) if old != row => write.update_project(row).await?,
                _ => {}
            }
        }
        self.store_sessions(before, write).await?;
        for id in &self.touched.projects {
            if before.projects.contains_key(id) && !self.state.projects.contains_key(id) {
                write.delete_project(id).await?;
            }
        }
        for kept in (self.touched.merge_queues.iter()).filter_map(|place| self.state.merge_queues.get(place))
        {
            write.put_merge_queue(kept).await?;
        }
        for plan in (self.touched.plans.iter()).filter_map(|id| self.state.plans.get(id)) {
            write.put_plan(plan).await?;
        }
        for id in &self.touched.fixes {
            match self.state.fixes.get(id) {
                Some(fix) if self.state.projects.contains_key(&fix.project) => write.put_fix_run(fix).await?,
                _ => write.delete_fix_run(id).await?,
            }
        }
        for notice in &self.notices {
            write.insert_notice(notice).await?;
        }
        if let Some(ids) = &self.read {
            write.read_notices(ids.as_deref()).await?;
        }
        for change in &self.outbox {
            match change {
                Outbox::New(effect) => write.insert_effect(effect).await?,
                Outbox::Changed(effect) => write.update_effect(effect).await?,
            }
        }
        for request in &self.requests {
            write.put_request(request).await?;
        }
        for event in &self.events {
            let (subject, project) = (&event.subject, event.project.as_ref());
            write
                .append(event.kind, subject, project, event.payload.clone(), event.at)
                .await?;
        }
        Ok(())
    }

    /// Writes sessions, side shells and messages. A shell is written after the session that it belongs to.
    async fn store_sessions(
        &self,
        before: &State,
        write: &mut downbeat_store::Write,
    ) -> Result<(), downbeat_store::Error> {
        let touched = &self.touched.sessions;
        for of in [&self.state.sessions, &self.state.shells] {
            for row in touched.iter().filter_map(|id| of.get(id)) {
                match before.row(&row.id) {
                    None => write.insert_session(row).await?,
                    Some(old) if old != row => write.update_session(row).await?,
                    Some(_) => {}
                }
            }
        }
        for id in &self.touched.queues {
            if self.state.row(id).is_some() {
                store_queue(before, &self.state, id, write).await?;
            }
        }
        let gone = |id: &&SessionId| before.row(id).is_some() && self.state.row(id).is_none();
        for id in touched.iter().filter(gone) {
            write.delete_session(id).await?;
        }
        Ok(())
    }
}

/// Writes the changes of a session's queue. The queue of a removed session is removed with it.
async fn store_queue(
    before: &State,
    after: &State,
    session: &SessionId,
    write: &mut downbeat_store::Write,
) -> Result<(), downbeat_store::Error> {
    let none = Arc::new(Queue::new());
    let old = before.queues.get(session).unwrap_or(&none);
    let queue = after.queues.get(session).unwrap_or(&none);
    for row in queue.iter() {
        if !old.iter().any(|old| old == row) {
            write.put_message(row).await?;
        }
    }
    for row in old.iter() {
        if !queue.iter().any(|new| new.id == row.id) {
            write.delete_message(row.id).await?;
        }
    }
    Ok(())
}
