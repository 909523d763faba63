//! Issues: which one a text names, and what a session that works on it is asked and called. Pure.

use crate::decide::reactions::text::{MARK, NOT_OURS};
use downbeat_forge::{Issue, RemoteAddress, RepositoryName};
use downbeat_model::lines;
use downbeat_model::session::SessionIssue;
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
                .hint("name one as 42, acme/shop#42, or by the address of its page")
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

/// Returns what a session stores of an issue.
#[must_use]
pub fn stored(host: &str, issue: &Issue) -> SessionIssue {
    SessionIssue {
        host: host.to_owned(),
        repository: issue.repository.to_string(),
        number: issue.number,
        title: lines::first_line(&issue.title).to_owned(),
        url: issue.url.clone(),
    }
}

/// Fills in what a request leaves out, and adds the issue to its prompt.
#[must_use]
pub fn filled(request: &NewSession, issue: &Issue) -> NewSession {
    let title = lines::first_line(&issue.title);
    NewSession {
        name: request.name.clone().or_else(|| match request.title {
            Some(_) => None,
            None => Some(format!("{} {title}", issue.number)),
        }),
        title: request.title.clone().or_else(|| Some(title.to_owned())),
        prompt: Some(prompt(request.prompt.as_deref(), issue)),
        ..request.clone()
    }
}

/// Returns the prompt: what the person wrote, then the issue with its comments, quoted.
fn prompt(own: Option<&str>, issue: &Issue) -> String {
    let mut text = String::new();
    if let Some(own) = own.map(str::trim).filter(|own| !own.is_empty()) {
        text.push_str(own);
        text.push_str("\n\n");
    }
    let (number, title) = (issue.number, lines::first_line(&issue.title));
    text.push_str(&format!(
        "Work on issue #{number} of {}: {title}\n{}\n\n",
        issue.repository, issue.url
    ));
    text.push_str(&quoted(&beginning(&issue.body.text, BODY)));
    let mut left = COMMENTS;
    for comment in &issue.comments {
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
        "{NOT_OURS} If you open a pull request, write \"Closes #{number}\" in its text."
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
