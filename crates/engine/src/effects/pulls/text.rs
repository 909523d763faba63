//! The title and the text of a new pull request, as far as nobody says them. Pure.

use downbeat_git::Message;
use downbeat_model::lines;

/// The longest title, in characters: that of GitHub.
pub const LONGEST_TITLE: usize = 256;

/// The longest text, in characters: that of GitHub.
pub const LONGEST_BODY: usize = 65_536;

/// Returns the title: the subject of the only commit, otherwise the title of the session.
pub fn title(session: &str, commits: &[Message]) -> String {
    let title = match commits {
        [only] if !only.subject.is_empty() => &only.subject,
        _ => lines::first_line(session),
    };
    title.chars().take(LONGEST_TITLE).collect()
}

/// Returns a text that closes the issue of this name once the pull request is merged.
pub fn closing(text: String, issue: Option<String>) -> String {
    let Some(name) = issue else { return text };
    let is_end = |rest: &str| !rest.starts_with(|one: char| one.is_ascii_digit());
    let is_named = text
        .match_indices(&*name)
        .any(|(at, _)| is_end(&text[at + name.len()..]));
    match (is_named, text.trim_end()) {
        (true, _) => text,
        (false, "") => format!("Closes {name}\n"),
        (false, text) => format!("{text}\n\nCloses {name}\n"),
    }
}

/// Returns a text with what is said of a plan, as far as there is room for it.
pub fn linked(text: String, links: Option<&str>) -> String {
    let Some(links) = links else { return text };
    let whole = match text.trim_end() {
        "" => links.to_owned(),
        text => format!("{text}\n\n{links}"),
    };
    match whole.chars().nth(LONGEST_BODY) {
        Some(_) => text,
        None => whole,
    }
}

/// Returns the text: that of the only commit, otherwise the subjects of all.
pub fn body(commits: &[Message]) -> String {
    let body = match commits {
        [only] => only.body.clone(),
        all => all
            .iter()
            .map(|commit| format!("- {}\n", commit.subject))
            .collect(),
    };
    body.chars().take(LONGEST_BODY).collect()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_BODY, LONGEST_TITLE, body, closing, linked, title};
    use downbeat_git::Message;

    fn commit(subject: &str, body: &str) -> Message {
        Message {
            subject: subject.into(),
            body: body.into(),
        }
    }

    #[test]
    fn the_issue_is_closed_unless_the_text_names_it() {
        let said = |text: &str| closing(text.into(), Some("#4".into()));
        assert_eq!(said(""), "Closes #4\n");
        assert_eq!(said("A cart.\n"), "A cart.\n\nCloses #4\n");
        assert_eq!(said("Part of #4."), "Part of #4.");
        assert_eq!(said("After #42"), "After #42\n\nCloses #4\n");
        assert_eq!(closing("A cart.".into(), None), "A cart.");
    }

    #[test]
    fn what_is_said_of_the_plan_comes_after_the_text_if_there_is_room() {
        let links = Some("Part of the plan `Cart`.\n");
        assert_eq!(linked("A cart.".into(), None), "A cart.");
        assert_eq!(linked("\n".into(), links), "Part of the plan `Cart`.\n");
        assert_eq!(
            linked("A cart.\n".into(), links),
            "A cart.\n\nPart of the plan `Cart`.\n"
        );
        let long = "é".repeat(LONGEST_BODY - 10);
        assert_eq!(linked(long.clone(), links), long);
    }

    #[test]
    fn a_pull_request_says_what_its_commits_say() {
        let one = [commit("Add a cart", "It holds things.")];
        assert_eq!(
            (title("Do the cart\nplease", &one), body(&one)),
            ("Add a cart".into(), "It holds things.".into())
        );
        let two = [commit("Add a cart", "It holds things."), commit("Empty it", "")];
        assert_eq!(
            (title("Do the cart\nplease", &two), body(&two)),
            ("Do the cart".into(), "- Add a cart\n- Empty it\n".into())
        );
        assert_eq!(title("Cart", &[commit("", "")]), "Cart");
        assert_eq!(title(&"é".repeat(300), &two).chars().count(), LONGEST_TITLE);
    }
}
