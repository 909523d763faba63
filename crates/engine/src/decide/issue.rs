//! Issues of forges and trackers: which one a text names, and what a session that works on it is asked and called. Pure.

use crate::decide::reactions::text::{MARK, NOT_OURS};
use downbeat_forge::{
    Comment, Issue, IssueKey, IssueLinks, LinkedIssue as Linked, RemoteAddress, RepositoryName, TrackedIssue,
};
use downbeat_model::session::{LinkedIssue, SessionIssue};
use downbeat_model::{Workspace, lines};
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Code};

/// The longest quotation of the issue's own text, in bytes.
const BODY: usize = 32 * 1024;

/// The longest quotation of one comment, in bytes.
const COMMENT: usize = 8 * 1024;

/// The longest text of all comments, in bytes. The rest is on the issue's page.
const COMMENTS: usize = 32 * 1024;

/// The issue that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The host and the repository; `None` for the project's own.
    pub place: Option<RemoteAddress>,
    /// Its number.
    pub number: u64,
}

/// Returns the issue of a tracker that a text names: `ENG-123`, or the address of its page at Linear. `GH-42` is a forge's.
#[must_use]
pub fn tracked(text: &str) -> Option<Tracked> {
    let text = text.trim();
    let page = || {
        let (workspace, rest) = workspace(text)?;
        let key = rest.strip_prefix("issue/")?.split(['/', '#', '?']).next()?;
        Some(Tracked::Page {
            workspace: workspace.to_owned(),
            key: IssueKey::parse(key)?,
        })
    };
    let is_forges = |key: &IssueKey| key.team == "GH";
    let key = || IssueKey::parse(text).filter(|key| !is_forges(key));
    page().or_else(|| key().map(Tracked::Key))
}

/// Splits the address of a page at Linear into its workspace and the rest.
fn workspace(url: &str) -> Option<(&str, &str)> {
    let split = url.strip_prefix("https://linear.app/")?.split_once('/')?;
    Some(split).filter(|(workspace, _)| !workspace.is_empty())
}

/// An issue of a tracker, as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracked {
    /// By the address of its page.
    Page {
        /// The workspace in that address.
        workspace: String,
        /// Its key there.
        key: IssueKey,
    },
    /// By its key, which may be any word with a number where there is no tracker.
    Key(IssueKey),
}

impl Tracked {
    /// Returns its key.
    #[must_use]
    pub const fn key(&self) -> &IssueKey {
        match self {
            Self::Page { key, .. } | Self::Key(key) => key,
        }
    }

    /// Checks that the issue that was found is the one that is meant: workspaces have issues with the same keys.
    ///
    /// # Errors
    /// Fails if it is of another workspace than the page.
    pub fn refuse_another(&self, found: &TrackedIssue) -> Result<(), ApiError> {
        let Self::Page {
            workspace: wanted,
            key,
        } = self
        else {
            return Ok(());
        };
        let there = workspace(&found.url).map_or("", |(workspace, _)| workspace);
        if there.eq_ignore_ascii_case(wanted) {
            return Ok(());
        }
        let wanted = lines::first_line(wanted);
        let what =
            format!("the key for Linear is of the workspace {there:?}, and {key} is asked of {wanted:?}");
        Err(ApiError::new(Code::Conflict, what).hint(format!(
            "create a key in {wanted}, and set LINEAR_API_KEY or `trackers.linear.apiKey` to it"
        )))
    }
}

/// Reads what people call an issue: `42`, `#42`, `GH-42`, `acme/shop#42`, or the address of its page at GitHub or GitLab.
///
/// # Errors
/// Fails if it is none of these.
pub fn reference(text: &str) -> Result<Reference, ApiError> {
    let text = text.trim();
    let number = |digits: &str| digits.parse().ok().filter(|number: &u64| *number > 0);
    let bare = text.strip_prefix('#').or_else(|| {
        let (start, rest) = text.split_at_checked(3)?;
        start.eq_ignore_ascii_case("gh-").then_some(rest)
    });
    if let Some(number) = number(bare.unwrap_or(text)) {
        return Ok(Reference { place: None, number });
    }
    let page = || {
        // GitLab calls an issue a work item, too.
        let parts = ["/issues/", "/work_items/"].map(|part| text.rsplit_once(part));
        let (before, digits) = parts.into_iter().flatten().next()?;
        let end = digits
            .find(|one: char| !one.is_ascii_digit())
            .unwrap_or(digits.len());
        Some((RemoteAddress::parse(before).ok()?, number(&digits[..end])?))
    };
    let named = || {
        let (repository, digits) = text.split_once('#')?;
        let address = RemoteAddress {
            host: String::new(),
            repository: RepositoryName::parse(repository)?,
        };
        Some((address, number(digits)?))
    };
    let found = page().or_else(named);
    found
        .map(|(place, number)| Reference {
            place: Some(place),
            number,
        })
        .ok_or_else(|| {
            ApiError::invalid(format!("{:?} is not an issue", lines::first_line(text)))
                .hint("name one as 42, acme/shop#42, or by the address of its page; for ENG-42 of Linear, set LINEAR_API_KEY")
        })
}

/// Returns the repository of an issue: one that the project has as a remote.
///
/// # Errors
/// Fails if the project has no such remote.
pub fn place<'a>(
    wanted: &Reference,
    project: &str,
    remotes: &'a [RemoteAddress],
) -> Result<&'a RemoteAddress, ApiError> {
    let none = || {
        let what = format!("no remote of {project} is a repository on a forge, so it has no issues there");
        ApiError::new(Code::Conflict, what).hint("`git remote add origin URL` in its repository")
    };
    let Some(place) = &wanted.place else {
        return remotes.first().ok_or_else(none);
    };
    let is_it = |one: &&RemoteAddress| {
        one.repository == place.repository && (place.host.is_empty() || one.host == place.host)
    };
    remotes.iter().find(is_it).ok_or_else(|| match remotes {
        [] => none(),
        all => {
            let names: Vec<_> = all.iter().map(ToString::to_string).collect();
            let what = format!("{} is not a repository of {project}", place.repository);
            ApiError::new(Code::Conflict, what).hint(format!("its remotes are: {}", names.join(", ")))
        }
    })
}

/// An issue of a forge or a tracker, as far as a session is told of it.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// What people call it: `#42`, `ENG-42`.
    name: &'a str,
    /// Where it is, after "of": `acme/shop`; nothing where its name says it.
    place: Option<&'a str>,
    /// What a session's name begins with.
    slug: &'a str,
    title: &'a str,
    url: &'a str,
    body: &'a str,
    comments: &'a [Comment],
    /// The branch that its tracker proposes.
    branch: Option<&'a str>,
}

/// Returns what a session stores of an issue of a forge.
#[must_use]
pub fn stored(host: &str, issue: &Issue, links: &IssueLinks) -> SessionIssue {
    SessionIssue {
        host: host.to_owned(),
        repository: issue.repository.to_string(),
        number: issue.number,
        title: lines::first_line(&issue.title).to_owned(),
        url: issue.url.clone(),
        key: None,
        children: linked(&links.children),
        blocked_by: linked(&links.blocked_by),
    }
}

fn linked(issues: &[Linked]) -> Vec<LinkedIssue> {
    let linked = issues.iter().map(|one| LinkedIssue {
        key: one.key.clone(),
        title: one.title.clone(),
        url: one.url.clone(),
        is_closed: !one.open,
    });
    linked.collect()
}

/// Returns what a session stores of an issue of a tracker.
#[must_use]
pub fn stored_of_tracker(host: &str, issue: &TrackedIssue) -> SessionIssue {
    SessionIssue {
        host: host.to_owned(),
        repository: issue.key.team.clone(),
        number: issue.key.number,
        title: lines::first_line(&issue.title).to_owned(),
        url: issue.url.clone(),
        key: Some(issue.key.to_string()),
        children: linked(&issue.links.children),
        blocked_by: linked(&issue.links.blocked_by),
    }
}

/// Fills in what a request leaves out, and adds the issue of a forge to its prompt.
#[must_use]
pub fn filled(request: &NewSession, issue: &Issue) -> NewSession {
    let (name, place) = names(issue);
    with(request, told(issue, (&name, &place)))
}

/// Fills in what a request leaves out, and adds the issue of a tracker to its prompt.
#[must_use]
pub fn filled_of_tracker(request: &NewSession, issue: &TrackedIssue) -> NewSession {
    let name = issue.key.to_string();
    with(request, told_of_tracker(issue, &name))
}

/// Returns the text of an issue of a forge as a session gets it, with at most `most` bytes of its own, and as many of its comments.
#[must_use]
pub fn text(issue: &Issue, most: usize) -> String {
    let (name, place) = names(issue);
    prompt(None, told(issue, (&name, &place)), most)
}

/// Returns the text of an issue of a tracker as a session gets it, with at most `most` bytes of its own, and as many of its comments.
#[must_use]
pub fn text_of_tracker(issue: &TrackedIssue, most: usize) -> String {
    let name = issue.key.to_string();
    prompt(None, told_of_tracker(issue, &name), most)
}

/// Returns what people call an issue of a forge, and its repository.
fn names(issue: &Issue) -> (String, String) {
    (format!("#{}", issue.number), issue.repository.to_string())
}

fn told<'a>(issue: &'a Issue, (name, place): (&'a str, &'a str)) -> Told<'a> {
    Told {
        name,
        place: Some(place),
        slug: name.trim_start_matches('#'),
        title: &issue.title,
        url: &issue.url,
        body: &issue.body.text,
        comments: &issue.comments,
        branch: None,
    }
}

fn told_of_tracker<'a>(issue: &'a TrackedIssue, name: &'a str) -> Told<'a> {
    Told {
        name,
        place: None,
        slug: name,
        title: &issue.title,
        url: &issue.url,
        body: &issue.body.text,
        comments: &issue.comments,
        branch: issue.branch.as_deref(),
    }
}

fn with(request: &NewSession, issue: Told<'_>) -> NewSession {
    let title = lines::first_line(issue.title);
    let has_branch = request.workspace != Some(Workspace::InPlace);
    NewSession {
        name: request.name.clone().or_else(|| match request.title {
            Some(_) => None,
            None => Some(format!("{} {title}", issue.slug)),
        }),
        title: request.title.clone().or_else(|| Some(title.to_owned())),
        branch: (request.branch.clone()).or_else(|| issue.branch.filter(|_| has_branch).map(str::to_owned)),
        prompt: Some(prompt(request.prompt.as_deref(), issue, BODY)),
        ..request.clone()
    }
}

/// Returns the prompt: what the person wrote, then the issue with its comments, quoted, each at most this long.
fn prompt(own: Option<&str>, issue: Told<'_>, most: usize) -> String {
    let mut text = String::new();
    if let Some(own) = own.map(str::trim).filter(|own| !own.is_empty()) {
        text.push_str(own);
        text.push_str("\n\n");
    }
    let (name, title) = (issue.name, lines::first_line(issue.title));
    let place = issue
        .place
        .map(|place| format!(" of {place}"))
        .unwrap_or_default();
    text.push_str(&format!(
        "Work on issue {name}{place}: {title}\n{}\n\n",
        issue.url
    ));
    text.push_str(&quoted(&beginning(issue.body, most.min(BODY))));
    let mut left = most.min(COMMENTS);
    for comment in issue.comments {
        let author = comment.author.as_deref().map_or("somebody", lines::first_line);
        let comment = format!(
            "{author} commented:\n{}",
            quoted(&beginning(&comment.body.text, COMMENT))
        );
        if comment.len() > left {
            break;
        }
        left -= comment.len();
        text.push_str(&comment);
    }
    text.push_str(&format!(
        "{NOT_OURS} If you open a pull request, write \"Closes {name}\" in its text."
    ));
    text
}

fn quoted(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("{MARK}{}\n", lines::set_in(text, MARK)),
    }
}

fn beginning(text: &str, most: usize) -> String {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
#[path = "issue_tests.rs"]
mod tests;
