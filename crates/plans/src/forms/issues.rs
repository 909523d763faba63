//! Issues as the tasks of a plan: the parts of an epic at a forge or in a tracker, or the issues of beads. They are read by the
//! engine. Which of them a text means is here, too.

use crate::domain::Domains;
use crate::forms::finish;
use crate::gathered::Gathered;
use crate::plan::{Form, Plan, Task};
use crate::problem::Problem;
use crate::words;
use downbeat_model::session::SessionIssue;
use std::collections::HashSet;

/// The most notes on what is not part of a plan.
const MOST_NOTES: usize = 20;

/// What a plan of issues is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issues {
    /// What they are part of, in one line.
    pub title: String,
    /// Where they are.
    pub form: Form,
    /// The issues, in their order there.
    pub parts: Vec<Part>,
    /// What a person has to know of those that are no part.
    pub notes: Vec<String>,
}

/// An issue that becomes a task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// What people call it there, as the id of a task: `43`, `ENG-43`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its text, with its source.
    pub text: String,
    /// Whether it is closed.
    pub is_closed: bool,
    /// What has to be closed before it.
    pub blocked_by: Vec<Blocker>,
    /// The issue that its worker works on, at a forge or in a tracker.
    pub issue: Option<SessionIssue>,
    /// The branch that its tracker proposes.
    pub branch: Option<String>,
}

/// An issue that blocks another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// What people call it, as for [`Part::id`].
    pub id: String,
    /// Its title.
    pub title: String,
    /// Whether it is closed.
    pub is_closed: bool,
}

/// Issues that a text means instead of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// The parts of this issue, as people name it: `#42`, `acme/shop#42`, `ENG-42`, the address of its page.
    Epic(String),
    /// The open issues of beads, or those below one of them.
    Beads(Option<String>),
}

impl Meant {
    /// Returns what a text means after `execute`; nothing if it is the path of a file.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix(".beads").or_else(|| text.strip_prefix("beads")) {
            return match rest.strip_prefix(':') {
                Some(id) if is_id(id) => Some(Self::Beads(Some(id.to_owned()))),
                None if matches!(rest, "" | "/") => Some(Self::Beads(None)),
                _ => None,
            };
        }
        is_issue(text).then(|| Self::Epic(text.to_owned()))
    }
}

/// Reports whether a text can be the id of an issue of beads, and no option of its program.
fn is_id(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=100).contains(&text.len())
        && text.chars().all(is_sign)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

fn is_issue(text: &str) -> bool {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if text.starts_with("https://") || text.starts_with("http://") {
        return true;
    }
    if let Some((place, number)) = text.split_once('#') {
        let is_place = place.is_empty() || (place.contains('/') && !place.contains(char::is_whitespace));
        return is_number(number) && is_place;
    }
    if is_number(text) {
        return true;
    }
    let key = text.split_once('-');
    key.is_some_and(|(team, number)| {
        let is_team = team.len() <= 20
            && team.starts_with(|c: char| c.is_ascii_alphabetic())
            && team.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_team && is_number(number)
    })
}

/// Makes a plan of issues. Also returns what a person has to know: among others, which open issues block a task without being
/// part of the plan.
///
/// # Errors
/// Says why it is no plan that can be done.
pub fn read_issues(issues: Issues, domains: &Domains) -> Result<(Plan, Vec<String>), Problem> {
    let known: HashSet<String> = issues
        .parts
        .iter()
        .map(|part| words::one_line(&part.id))
        .collect();
    let mut notes = issues.notes;
    let mut tasks = Gathered::default();
    for part in issues.parts {
        let id = words::one_line(&part.id);
        let (mut needs, mut named) = (Vec::new(), HashSet::new());
        for blocker in part.blocked_by {
            let other = words::one_line(&blocker.id);
            if known.contains(&other) {
                if named.insert(other.clone()) {
                    needs.push(other);
                }
            } else if !blocker.is_closed && !part.is_closed {
                notes.push(format!(
                    "{id} is blocked by {} ({}), which is open and not part of this plan: its task does not wait for it",
                    words::name(&other),
                    words::name(&blocker.title)
                ));
            }
        }
        let title = words::one_line(&part.title);
        if title.is_empty() {
            return Err(Problem::Untitled(id));
        }
        tasks.push(Task {
            id,
            needs,
            description: words::plain_lines(&part.text),
            done: part.is_closed,
            issue: part.issue,
            branch: part.branch.map(|branch| words::one_line(&branch)),
            ..Task::titled(&title)
        })?;
    }
    if let Some(more) = notes.len().checked_sub(MOST_NOTES).filter(|more| *more > 0) {
        notes.truncate(MOST_NOTES);
        notes.push(format!("and {more} more that are not part of this plan"));
    }
    let plan = Plan {
        title: words::name(&issues.title),
        form: issues.form,
        tasks: tasks.into_tasks(),
    };
    Ok((finish(plan, domains)?, notes))
}

#[cfg(test)]
#[path = "issues_tests.rs"]
mod tests;
