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
    use super::{LONGEST_TITLE, body, title};
    use downbeat_git::Message;

    fn commit(subject: &str, body: &str) -> Message {
        Message {
            subject: subject.into(),
            body: body.into(),
        }
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
