//! What a project is, and what it demands of its branches.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::checks::Protection;
use crate::types::identity::{NodeId, RepositoryName};
use crate::types::repository::Repository;
use crate::types::write::MergeStrategy;
use serde::Deserialize;

use super::api::{Api, Path};

/// The least access with which branches can be pushed: that of a developer.
const DEVELOPER: u32 = 30;

#[derive(Debug, Deserialize)]
struct Raw {
    id: u64,
    path_with_namespace: String,
    web_url: String,
    default_branch: Option<String>,
    #[serde(default)]
    archived: bool,
    permissions: Option<Permissions>,
    merge_method: Option<String>,
    squash_option: Option<String>,
    #[serde(default)]
    remove_source_branch_after_merge: Option<bool>,
    #[serde(default)]
    only_allow_merge_if_all_discussions_are_resolved: Option<bool>,
    #[serde(default)]
    merge_trains_enabled: bool,
}

/// What a project says of changes.
#[derive(Debug, Deserialize)]
pub(super) struct Writable {
    path_with_namespace: String,
    #[serde(default)]
    archived: bool,
    /// Whether merge requests are merged by trains.
    #[serde(default)]
    pub(super) merge_trains_enabled: bool,
}

#[derive(Debug, Deserialize)]
struct Permissions {
    project_access: Option<Access>,
    group_access: Option<Access>,
}

#[derive(Debug, Deserialize)]
struct Access {
    access_level: u32,
}

impl Raw {
    /// The ways to merge. A project has one way beside squashing.
    fn strategies(&self) -> Vec<MergeStrategy> {
        let own = match self.merge_method.as_deref() {
            Some("ff") => MergeStrategy::Rebase,
            _ => MergeStrategy::Merge,
        };
        match self.squash_option.as_deref() {
            Some("always") => vec![MergeStrategy::Squash],
            Some("never") => vec![own],
            // Squashing by default is what the project prefers.
            Some("default_on") => vec![MergeStrategy::Squash, own],
            _ => vec![own, MergeStrategy::Squash],
        }
    }

    fn can_push(&self) -> bool {
        let levels = self.permissions.as_ref().map(|all| {
            let all = [&all.project_access, &all.group_access];
            all.into_iter()
                .flatten()
                .map(|access| access.access_level)
                .max()
                .unwrap_or_default()
        });
        levels.unwrap_or_default() >= DEVELOPER
    }

    fn read(self, host: &str, asked: &RepositoryName) -> Option<Repository> {
        let name = RepositoryName::parse(&self.path_with_namespace)?;
        Some(Repository {
            id: NodeId(self.id.to_string()),
            host: host.to_owned(),
            renamed: name != *asked,
            name,
            url: line(&self.web_url),
            default_branch: self.default_branch.as_deref().map(line),
            archived: self.archived,
            can_push: self.can_push(),
            strategies: self.strategies(),
            // GitLab merges by itself wherever there is something to wait for.
            auto_merge_allowed: true,
            deletes_branch_on_merge: self.remove_source_branch_after_merge == Some(true),
        })
    }
}

impl Api {
    /// Reads what a project says of changes, before one is sent.
    ///
    /// Fails if it is archived: GitLab would only say that it is forbidden.
    pub(super) async fn writable(&self, what: &str, project: u64) -> Result<Writable, ForgeError> {
        let path = Path::project(project, &[]);
        let found: Writable = self.get(what, &path.with(&[]), &[]).await?;
        self.note(project, &found.path_with_namespace, found.archived);
        match found.archived {
            true => Err(ForgeError::Archived {
                what: what.to_owned(),
            }),
            false => Ok(found),
        }
    }

    async fn project(&self, what: &str, name: &RepositoryName) -> Result<Raw, ForgeError> {
        self.get(what, &["projects", &name.to_string()], &[]).await
    }

    /// Looks a repository up by name. One that was renamed or transferred answers under its new name.
    pub(super) async fn repository(&self, name: &RepositoryName) -> Result<Repository, ForgeError> {
        let what = "read a repository";
        let raw = self.project(what, name).await?;
        self.note(raw.id, &raw.path_with_namespace, raw.archived);
        raw.read(self.endpoint.host(), name)
            .ok_or_else(|| self.gone(what))
    }

    /// What a project demands. Which checks is not part of it: all jobs that may not fail are required.
    pub(super) async fn protection(&self, name: &RepositoryName) -> Result<Protection, ForgeError> {
        let raw = self.project("read what a branch requires", name).await?;
        let method = raw.merge_method.as_deref().unwrap_or("merge");
        Ok(Protection {
            resolved_threads: raw.only_allow_merge_if_all_discussions_are_resolved == Some(true),
            linear_history: method == "ff",
            up_to_date: method != "merge",
            merge_queue: raw.merge_trains_enabled,
            ..Protection::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MergeStrategy::{Merge, Rebase, Squash};

    #[test]
    fn a_project_allows_its_own_way_to_merge_and_maybe_squashing() {
        for (method, squash, expected) in [
            ("merge", "default_off", &[Merge, Squash][..]),
            ("merge", "default_on", &[Squash, Merge]),
            ("rebase_merge", "never", &[Merge]),
            ("ff", "always", &[Squash]),
            ("ff", "never", &[Rebase]),
        ] {
            let raw: Raw = serde_json::from_value(serde_json::json!({
                "id": 7, "path_with_namespace": "group/sub/shop", "web_url": "https://x", "default_branch": "main",
                "merge_method": method, "squash_option": squash,
                "permissions": { "project_access": null, "group_access": { "access_level": 30 } },
            }))
            .expect("a project");
            let asked = RepositoryName::parse("group/shop").expect("a name");
            let repository = raw.read("gitlab.com", &asked).expect("a repository");
            assert_eq!(repository.strategies, expected, "{method} {squash}");
            assert!(repository.can_push && repository.renamed);
        }
    }
}
