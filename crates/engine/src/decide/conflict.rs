//! What an agent is told of a conflict: the files, and the commits of both sides that changed them. Pure. Names and subjects are
//! text from a repository: each is one quoted line.

use downbeat_git::{CommitInfo, Commits, Conflict};
use downbeat_model::lines;

/// The largest number of files that are named.
const FILES: usize = 30;

/// The largest number of commits of each side that are named.
const COMMITS: usize = 10;

/// The longest file name and subject, in characters.
const LINE: usize = 120;

/// What precedes a quoted line.
const MARK: &str = "    > ";

/// Describes a conflict of a branch with `target`.
#[must_use]
pub fn described(target: &str, conflict: &Conflict) -> String {
    let files = conflict.files.iter().map(|file| file.path.as_str());
    let mut text = named_files(files, conflict.has_more);
    let target = lines::first_line(target);
    text.push_str(&side(
        &format!("Commits of {target} that changed them:\n"),
        &conflict.target,
    ));
    text.push_str(&side(
        "Commits of your branch that changed them:\n",
        &conflict.head,
    ));
    text
}

/// Names files, one on a line.
#[must_use]
pub fn named_files<'a>(files: impl ExactSizeIterator<Item = &'a str>, has_more: bool) -> String {
    let left_out = files.len().saturating_sub(FILES);
    let mut text: String = files
        .take(FILES)
        .map(|file| format!("{MARK}{}\n", one_line(file)))
        .collect();
    match (left_out, has_more) {
        (0, false) => {}
        (0, true) => text.push_str("and more files\n"),
        (more, _) => text.push_str(&format!("and at least {more} more\n")),
    }
    text
}

fn side(heading: &str, commits: &Commits) -> String {
    if commits.commits.is_empty() {
        return String::new();
    }
    let line = |commit: &CommitInfo| {
        let id: String = commit.id.chars().take(8).collect();
        format!("{MARK}{id} {}\n", one_line(&commit.subject))
    };
    let named = commits.commits.iter().take(COMMITS).map(line);
    let mut text = heading.to_owned();
    text.extend(named);
    if commits.has_more || commits.commits.len() > COMMITS {
        text.push_str("and older ones\n");
    }
    text
}

/// Makes one harmless line of a text.
fn one_line(text: &str) -> String {
    let visible = text.chars().map(|one| if one.is_control() { ' ' } else { one });
    visible.take(LINE).collect()
}

#[cfg(test)]
#[path = "conflict_tests.rs"]
mod tests;
