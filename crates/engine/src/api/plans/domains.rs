//! The domains of a project's plans: those that every project has, those of the person, and those of the project's configuration.

use crate::decide::plan_domains;
use crate::host::config::DomainConfig;
use crate::state::context::Engine;
use downbeat_plans::{Domains, Task, domain_name};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use downbeat_wire::plan::ProposePlan;
use std::collections::BTreeMap;

/// The most domains and keywords of a project: each is looked for in each of thousands of tasks.
const MOST_WORDS: usize = 200;

/// Returns the domains of a project's plans.
///
/// # Errors
/// Fails if the project's configuration cannot be read, or has too many keywords.
pub(crate) async fn of(engine: &Engine, project: &ProjectRow) -> Result<Domains, ApiError> {
    let own = configured(engine, engine.project_config(project).await?.domains);
    let words: usize = own.values().map(|domain| domain.keywords().len() + 1).sum();
    if words > MOST_WORDS {
        let what = format!(
            "domains: {words} names and keywords in downbeat.yaml; at most {MOST_WORDS} are possible"
        );
        return Err(ApiError::invalid(what));
    }
    let all = own.into_iter();
    Ok(all.fold(Domains::default(), |all, (name, domain)| {
        all.with(&name, domain.keywords().to_vec())
    }))
}

/// The most characters of a keyword that a request names.
const MOST_WORD: usize = 60;

/// Returns the domains of one plan: those of its project's plans, with the keywords that its request names.
///
/// # Errors
/// As [`of`]; also fails if the request has too many keywords, or one that is empty or too long.
pub(crate) async fn of_request(
    engine: &Engine,
    project: &ProjectRow,
    request: &ProposePlan,
) -> Result<Domains, ApiError> {
    let all = of(engine, project).await?;
    let own = || request.domains.iter().flatten();
    let words: usize = own().map(|(_, words)| words.len() + 1).sum();
    if words > MOST_WORDS {
        let what = format!("domains: {words} names and keywords; at most {MOST_WORDS} are possible");
        return Err(ApiError::invalid(what));
    }
    for (name, words) in own() {
        if domain_name(name).is_empty() {
            return Err(ApiError::invalid("domains: a domain has no name"));
        }
        let is_wrong = |word: &&String| word.trim().is_empty() || word.chars().count() > MOST_WORD;
        if words.iter().any(|word| is_wrong(&word)) {
            let name = domain_name(name);
            let what = format!("domains.{name}: a keyword has between 1 and {MOST_WORD} characters");
            return Err(ApiError::invalid(what));
        }
    }
    Ok(own().fold(all, |all, (name, words)| {
        all.with(&domain_name(name), words.clone())
    }))
}

/// Returns the person's domains and those of a project, which replace the person's of the same name.
fn configured(engine: &Engine, own: BTreeMap<String, DomainConfig>) -> BTreeMap<String, DomainConfig> {
    let mut all = engine.config().domains;
    all.extend(own);
    all
}

/// Gives tasks what the project's configuration says of their domains. `agent` is the one that was chosen for all workers.
///
/// # Errors
/// Fails if the project's configuration cannot be read, or names an agent that does not exist for one of these domains.
pub(crate) async fn apply(
    engine: &Engine,
    project: &ProjectRow,
    agent: Option<&str>,
    tasks: &mut [Task],
) -> Result<(), ApiError> {
    let config = engine.project_config(project).await?;
    let all = configured(engine, config.domains);
    for (name, domain) in &all {
        let name = domain_name(name);
        let is_used = |task: &Task| task.domain == name && !task.done && task.agent.is_none();
        let own = domain.settings().and_then(|settings| settings.agent.as_deref());
        let own = own.filter(|_| agent.is_none() && tasks.iter().any(is_used));
        if let Some(agent) = own
            && let Err(error) = engine.agent(agent)
        {
            let message = format!("domains.{name}.agent in downbeat.yaml: {}", error.message);
            return Err(ApiError { message, ..error });
        }
    }
    let most = plan_domains::most(config.permission_mode, project);
    plan_domains::apply(&all, most, agent, tasks);
    Ok(())
}
