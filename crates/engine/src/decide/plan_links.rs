//! What the pull request of a worker says of a plan over several projects: the plan, and the pull requests or branches of the work
//! that it needs. Others read it at the forge, where names must do nothing.

use crate::decide::landing_order::share_of;
use crate::state::known::State;
use downbeat_model::SessionId;
use downbeat_plans::{PlanRecord, one_line};
use std::fmt::Write as _;

/// The most needed workers that are named.
const MOST_NAMED: usize = 30;

/// Returns the sessions whose pull requests or branches are named for a session.
#[must_use]
pub fn needed(state: &State, id: &SessionId) -> Vec<SessionId> {
    let Some((plan, place)) = share_of(state, id) else {
        return Vec::new();
    };
    let places = places(plan, place).into_iter();
    let sessions = places.filter_map(|other| plan.shares.get(other)?.session.clone());
    sessions.collect()
}

/// Returns the lines about the plan that a session works for; nothing if that is in one project.
#[must_use]
pub fn lines(state: &State, id: &SessionId) -> Option<String> {
    let (plan, place) = share_of(state, id).filter(|(plan, _)| plan.is_over_several())?;
    let title = match one_line(&plan.plan.title) {
        title if title.is_empty() => plan.id.to_string(),
        title => title,
    };
    let mut text = format!("Part of the plan {}.\n", code(&title));
    let needs: Vec<String> = places(plan, place)
        .into_iter()
        .take(MOST_NAMED)
        .filter_map(|other| line(state, plan, other))
        .collect();
    if !needs.is_empty() {
        let _ = write!(text, "\nIt needs:\n\n{}", needs.concat());
    }
    Some(text)
}

/// Returns the places of the shares that a share needs.
fn places(plan: &PlanRecord, place: usize) -> Vec<usize> {
    let share = plan.shares.get(place).map(|one| &one.share);
    share.map_or_else(Vec::new, |share| share.needs.clone())
}

/// Returns the line about a share that is needed; nothing if it has no work.
fn line(state: &State, plan: &PlanRecord, place: usize) -> Option<String> {
    let one = plan.shares.get(place)?;
    let row = one.session.as_ref().and_then(|id| state.sessions.get(id));
    if let Some(pull) = row.and_then(|row| row.pulls.last()) {
        // What is not an address is not written as one.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%".contains(c);
        let url =
            Some(pull.url.as_str()).filter(|url| url.starts_with("https://") && url.chars().all(is_plain));
        if let Some(url) = url {
            return Some(format!("- {url} ({})\n", code(&one.share.name)));
        }
    }
    let project = state.projects.get(plan.project_of(place))?;
    let at = match row.and_then(|row| row.branch.as_deref()) {
        Some(branch) => format!("the branch {}", code(branch)),
        None => format!("the commit {}", code(one.tip.as_deref()?)),
    };
    Some(format!(
        "- {at} of {} ({})\n",
        code(&project.name),
        code(&one.share.name)
    ))
}

/// Returns a name as code, in which forges see no mention, no issue and no markup.
fn code(name: &str) -> String {
    format!("`{}`", one_line(name).replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::{lines, needed};
    use crate::decide::reactions::tests::pull;
    use crate::state::draft::Draft;
    use crate::state::example::{self, change_plan, draft, id, planned};
    use downbeat_model::Subject;
    use downbeat_model::session::SessionPull;

    fn card(url: &str) -> SessionPull {
        let known = pull(&[], &[]);
        let mut seen = known.seen.clone().unwrap();
        seen.url = url.into();
        SessionPull::of(Subject::of_word("pull:forge/PR_3"), &known, &seen)
    }

    /// Returns a state with a plan in which the tasks of workers 1 and 2 are needed by that of worker 3 in `shop`.
    fn started(in_api: &[&str]) -> Draft {
        let (mut first, mut second) = (example::session(1), example::session(2));
        first.pulls = vec![card("https://forge/acme/api/pull/3")];
        second.branch = Some("downbeat/x`y".into());
        let mut draft = draft(0, [first, second, example::session(3)]);
        let text = "backend: a (id: 1) | backend: b (id: 2) | frontend: c (id: 3) (depends_on: 1, 2)";
        planned(&mut draft, text, in_api);
        change_plan(&mut draft, |plan| plan.plan.title = "Fixes #4 `@ada`\n".into());
        draft
    }

    #[test]
    fn a_pull_request_names_the_plan_and_what_it_needs() {
        let draft = started(&["1", "2"]);
        assert_eq!(
            lines(draft.state(), &id(3)).as_deref(),
            Some(
                "Part of the plan `Fixes #4 '@ada'`.\n\nIt needs:\n\n- https://forge/acme/api/pull/3 (`backend-api`)\n\
                 - the branch `downbeat/x'y` of `api` (`backend-api-2`)\n"
            )
        );
        assert_eq!(
            lines(draft.state(), &id(1)).as_deref(),
            Some("Part of the plan `Fixes #4 '@ada'`.\n")
        );
        assert_eq!(needed(draft.state(), &id(3)), [id(1), id(2)]);
        assert_eq!(lines(draft.state(), &id(9)), None);
        assert_eq!(lines(started(&[]).state(), &id(3)), None, "one repository");
    }
}
