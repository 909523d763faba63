//! Examples of answers that end with a question, and of answers that do not.

use super::question;

/// Answers, with the question that each asks and the answers that it offers.
const ASKS: &[(&str, &str, &[&str])] = &[
    ("Should I proceed?", "Should I proceed?", &["Yes", "No"]),
    (
        "I found two callers.\n\nShould I change **both**?",
        "Should I change both?",
        &["Yes", "No"],
    ),
    (
        "Tests pass. Do you want me to commit this?",
        "Do you want me to commit this?",
        &["Yes", "No"],
    ),
    (
        "What port should the server use?",
        "What port should the server use?",
        &[],
    ),
    (
        "Should I use tabs or spaces?",
        "Should I use tabs or spaces?",
        &[],
    ),
    (
        "There are two ways.\n\n1. **Postgres**: robust, one more service.\n2. **SQLite**: nothing to run.\n\nWhich do you prefer?",
        "Which do you prefer?",
        &["Postgres", "SQLite"],
    ),
    (
        "Which one should I take?\n\n1. Rewrite the parser.\n2. Patch it.\n\nI recommend option 2.",
        "Which one should I take?",
        &["Rewrite the parser", "Patch it"],
    ),
    (
        "How should I go on?\n\nOption 1: Keep the old API\nOption 2: Break it\n",
        "How should I go on?",
        &["Option 1: Keep the old API", "Option 2: Break it"],
    ),
    (
        "Both work.\n\n**Option A**: a table. It is quick.\n**Option B**: a tree\n\nWhich option do you want?",
        "Which option do you want?",
        &["Option A: a table", "Option B: a tree"],
    ),
    (
        "Which of these do you want:\n- a lock\n- a queue",
        "Which of these do you want:",
        &["a lock", "a queue"],
    ),
    (
        "Plan:\n1. Move the file.\n2. Run the tests.\n\nShall I start?",
        "Shall I start?",
        &["Yes", "No"],
    ),
    (
        "Before I begin:\n1. Which database is it?\n2. May I drop the old table?",
        "Before I begin:\nWhich database is it?\nMay I drop the old table?",
        &[],
    ),
    (
        "Delete the branch too? Let me know.",
        "Delete the branch too?",
        &[],
    ),
    (
        "Should I delete it? Anything else you need?",
        "Should I delete it?",
        &["Yes", "No"],
    ),
    ("Run this?\n```sh\nrm -rf build\n```", "Run this?", &[]),
    (
        "The branch has conflicts. What would you like me to do?",
        "What would you like me to do?",
        &[],
    ),
    (
        "I can go either way. Let me know which option you prefer.",
        "Let me know which option you prefer.",
        &[],
    ),
    (
        "This deletes data. Please confirm before I go on.",
        "Please confirm before I go on.",
        &[],
    ),
    ("Proceed? (y/n)", "Proceed?", &["Yes", "No"]),
    ("これでいいですか？", "これでいいですか？", &[]),
];

/// Ends of turns that leave nothing open.
const TELLS: &[&str] = &[
    "",
    "Done.",
    "All tests pass.\n\nAnything else?",
    "Done. Is there anything else you'd like me to do?",
    "Let me know if you have any questions.",
    "Done! Let me know if you want changes.",
    "Hello! How can I help you today?",
    "Fixed. What would you like me to do next?",
    "Does that make sense?",
    "Why did it fail? Because the port was taken.",
    "Why? The cache was stale.\n\nI cleared it.",
    "The docs say:\n> Should I proceed?",
    "I added this test:\n```js\nexpect(ask()).toBe('Should I proceed?')\n```",
    "```\nWhat now?",
    "The prompt now reads \"Should I proceed?\"",
    "The prompt now reads `Continue?`",
    "I changed the pattern to `a?`.",
    "Two steps are left:\n1. Write the docs.\n2. Tag it.",
    "I looked at these options:\n1. A lock\n2. A queue\n\nI took the queue.",
    "| question | answer |\n|---|---|\n| ok? | yes |",
    "Try http://localhost:3000/?a=1 in a browser.",
    "I recommend option 2.",
    "Done.\n\n---",
    "I answered your question about `?`.",
    "Please check the result in your browser.",
    "Should I have used a lock? No: one writer is enough, so it stays as it is.",
];

#[test]
fn a_question_at_the_end_is_found_with_its_answers() {
    for (answer, text, options) in ASKS {
        let asked = question(answer).unwrap_or_else(|| panic!("asks: {answer}"));
        assert_eq!(
            (asked.text.as_str(), asked.options.as_slice()),
            (*text, &options.map_to_owned()[..]),
            "{answer}"
        );
    }
}

#[test]
fn an_answer_that_leaves_nothing_open_is_not_a_question() {
    for answer in TELLS {
        assert_eq!(question(answer), None, "{answer}");
    }
}

#[test]
fn no_answer_makes_the_search_panic() {
    for answer in [
        "?",
        "??",
        "1. ",
        "1.",
        "Option",
        "option ä",
        "- ",
        "**",
        "`",
        "\"",
        "“?",
        "?\n\n?",
        "é?",
        "1) ?\n2) ?",
    ] {
        let _ = question(answer);
    }
    let long = format!("{}\n\nShould I proceed?", "é ".repeat(100_000));
    assert_eq!(question(&long).unwrap().text, "Should I proceed?");
    let _ = question(&"? ".repeat(50_000));
    let _ = question(&"1. a\n\n".repeat(20_000));
}

trait Owned {
    fn map_to_owned(&self) -> Vec<String>;
}

impl Owned for &[&str] {
    fn map_to_owned(&self) -> Vec<String> {
        self.iter().map(|text| (*text).to_owned()).collect()
    }
}
