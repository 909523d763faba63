//! What a branch demands: branch protection (readable without being an administrator) and rulesets, added up.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::checks::{Protection, Required};
use crate::types::identity::RepositoryName;
use serde::Deserialize;
use serde_json::json;

use super::api::Api;
use super::parts::Connection;
use super::queries::PROTECTION;

const WHAT: &str = "read what a branch requires";

#[derive(Deserialize)]
struct Answer {
    repository: Option<RepositoryPart>,
}

#[derive(Deserialize)]
struct RepositoryPart {
    #[serde(rename = "ref")]
    branch: Option<Branch>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Branch {
    ref_update_rule: Option<Classic>,
    rules: Option<Connection<Rule>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Classic {
    required_status_check_contexts: Option<Vec<Option<String>>>,
    required_approving_review_count: Option<u32>,
    requires_code_owner_reviews: bool,
    requires_conversation_resolution: bool,
    requires_linear_history: bool,
}

#[derive(Deserialize)]
struct Rule {
    #[serde(rename = "type")]
    kind: String,
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
#[serde(tag = "__typename")]
enum Parameters {
    #[serde(rename = "RequiredStatusChecksParameters", rename_all = "camelCase")]
    Checks {
        strict_required_status_checks_policy: bool,
        required_status_checks: Vec<Named>,
    },
    #[serde(rename = "PullRequestParameters", rename_all = "camelCase")]
    Reviews {
        required_approving_review_count: u32,
        require_code_owner_review: bool,
        required_review_thread_resolution: bool,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    context: String,
    integration_id: Option<i64>,
}

impl Api {
    /// What a branch demands.
    pub(super) async fn protection(
        &self,
        repository: &RepositoryName,
        branch: &str,
    ) -> Result<Protection, ForgeError> {
        let name = format!("refs/heads/{branch}");
        let variables = json!({ "owner": repository.owner(), "name": repository.name(), "branch": name });
        let answer: Answer = self.query(WHAT, PROTECTION, variables).await?;
        let branch = answer
            .repository
            .and_then(|repository| repository.branch)
            .ok_or_else(|| ForgeError::Gone {
                host: self.endpoint.host().to_owned(),
                what: WHAT.to_owned(),
            })?;
        Ok(branch.read())
    }
}

impl Branch {
    fn read(self) -> Protection {
        let mut all = Protection::default();
        if let Some(classic) = self.ref_update_rule {
            let names = classic
                .required_status_check_contexts
                .into_iter()
                .flatten()
                .flatten();
            all.required.extend(names.map(|name| Required {
                name: line(&name),
                app: None,
            }));
            all.approvals = classic.required_approving_review_count.unwrap_or_default();
            all.code_owners = classic.requires_code_owner_reviews;
            all.resolved_threads = classic.requires_conversation_resolution;
            all.linear_history = classic.requires_linear_history;
        }
        for rule in self.rules.into_iter().flat_map(Connection::items) {
            all.add(rule);
        }
        all.required
            .sort_by(|one, other| one.name.cmp(&other.name).then(other.app.cmp(&one.app)));
        all.required.dedup_by(|second, first| second.name == first.name);
        all
    }
}

impl Protection {
    fn add(&mut self, rule: Rule) {
        match rule.kind.as_str() {
            "REQUIRED_LINEAR_HISTORY" => self.linear_history = true,
            "MERGE_QUEUE" => self.merge_queue = true,
            _ => {}
        }
        match rule.parameters {
            Some(Parameters::Checks {
                strict_required_status_checks_policy: strict,
                required_status_checks: checks,
            }) => {
                self.up_to_date |= strict;
                let read = |one: Named| Required {
                    name: line(&one.context),
                    app: one.integration_id,
                };
                self.required.extend(checks.into_iter().map(read));
            }
            Some(Parameters::Reviews {
                required_approving_review_count: approvals,
                require_code_owner_review: owners,
                required_review_thread_resolution: resolved,
            }) => {
                self.approvals = self.approvals.max(approvals);
                self.code_owners |= owners;
                self.resolved_threads |= resolved;
            }
            Some(Parameters::Other) | None => {}
        }
    }
}
