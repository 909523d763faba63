//! What Codex writes into its window's title: a turning braille sign while it works, words while
//! it asks, the folder's name alone otherwise.

/// How the title of a question begins.
const ASKS: &str = "[ ! ]";

/// Whether the title says that a turn goes on; `None` where it says nothing.
pub(crate) fn works(title: &str) -> Option<bool> {
    if title.starts_with(ASKS) {
        return Some(false);
    }
    let first = title.chars().next()?;
    Some(('\u{2801}'..='\u{28ff}').contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_rest_and_questions_are_told_apart() {
        assert_eq!(works("⠸ repo"), Some(true));
        assert_eq!(works("repo"), Some(false));
        assert_eq!(works("[ ! ] Action Required | repo"), Some(false));
        assert_eq!(works(""), None);
    }
}
