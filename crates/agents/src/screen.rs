//! Reads an agent's title and screen, by rules that are data. The last resort: screens change
//! often, so the engine asks for a question only while no hook has been heard since the agent's
//! start (no hook fires at the question about a folder), and for the title only where a hook or
//! a key leaves open whether a turn goes on (no hook fires when a person interrupts it).

use crate::{asking, claude, codex, opencode};
use downbeat_model::{Question, QuestionKind};

/// How a question looks.
struct Rule {
    agent: &'static str,
    kind: QuestionKind,
    /// All of these are on the screen, the last one in the question's own line.
    marks: &'static [&'static str],
    /// What people read; empty for the line of the last mark.
    text: &'static str,
    /// The line after this one tells what it is about.
    about: Option<&'static str>,
    /// Where the answers stand side by side: the first of them.
    beside: Option<&'static str>,
}

/// Tried in order: those at the start of an agent first. As seen with Claude Code 2.1, Codex 0.169
/// and OpenCode 1.18.
const RULES: [Rule; 13] = [
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Trust,
        marks: &["trust this folder", "Quick safety check"],
        text: "May the agent start in this folder?",
        about: Some("Accessing workspace:"),
        beside: None,
    },
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Permission,
        marks: &["Yes, I accept", "Bypass Permissions mode"],
        text: "May the agent run everything without asking (bypass)?",
        about: None,
        beside: None,
    },
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Blocked,
        marks: &["Select login method"],
        text: "The agent is not signed in",
        about: None,
        beside: None,
    },
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Choice,
        marks: &["Do you want to use this API key?"],
        text: "",
        about: None,
        beside: None,
    },
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Choice,
        marks: &["Choose the text style"],
        text: "First start of the agent: choose how it looks",
        about: None,
        beside: None,
    },
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Permission,
        marks: &["New MCP server found in this project"],
        text: "",
        about: None,
        beside: None,
    },
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Permission,
        marks: &["Esc to cancel", "Do you want to "],
        text: "",
        about: None,
        beside: None,
    },
    // One question alone: several at once have other keys, and an answer to one closes none.
    Rule {
        agent: claude::CLAUDE,
        kind: QuestionKind::Choice,
        marks: &["Enter to select · ↑/↓ to navigate", "☐ "],
        text: "",
        about: None,
        beside: None,
    },
    Rule {
        agent: codex::CODEX,
        kind: QuestionKind::Trust,
        marks: &["enter continue", "Trust this folder?"],
        text: "May the agent start in this folder?",
        about: Some("Folder access"),
        beside: None,
    },
    Rule {
        agent: codex::CODEX,
        kind: QuestionKind::Permission,
        marks: &["Hooks need review"],
        text: "",
        about: None,
        beside: None,
    },
    Rule {
        agent: codex::CODEX,
        kind: QuestionKind::Permission,
        marks: &["Press enter to confirm or esc to cancel", "Would you like to "],
        text: "",
        about: None,
        beside: None,
    },
    Rule {
        agent: codex::CODEX,
        kind: QuestionKind::Blocked,
        marks: &["Sign in with ChatGPT"],
        text: "The agent is not signed in",
        about: None,
        beside: None,
    },
    Rule {
        agent: opencode::OPENCODE,
        kind: QuestionKind::Permission,
        marks: &["Allow once", "Permission required"],
        text: "Permission required",
        about: None,
        beside: Some("Allow once"),
    },
];

/// What stands before the answer that Enter would give.
const POINTERS: [char; 2] = ['❯', '›'];

/// A question on a screen, and the way to its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The question, with the answers that it offers.
    pub question: Question,
    /// Which answer Enter would give, where the screen tells.
    pub pointed: Option<usize>,
    /// Whether the answers stand side by side, not one below the other.
    pub sideways: bool,
}

impl Shown {
    /// The keys that bring the pointer to an answer; Enter then gives it. A pointer that does not
    /// show is taken to stand at the first one.
    #[must_use]
    pub fn keys_to(&self, option: usize) -> String {
        let from = self.pointed.unwrap_or(0);
        let (back, on) = match self.sideways {
            true => ("\x1b[D", "\x1b[C"),
            false => ("\x1b[A", "\x1b[B"),
        };
        match option.checked_sub(from) {
            Some(steps) => on.repeat(steps),
            None => back.repeat(from - option),
        }
    }
}

/// The question that `screen` of the agent `id` shows, if it shows one.
#[must_use]
pub fn screen_question(id: &str, screen: &str) -> Option<Shown> {
    let lines: Vec<&str> = screen.lines().map(str::trim).collect();
    let shows = |mark: &&str| lines.iter().any(|line| line.contains(mark));
    let rule = RULES
        .iter()
        .find(|r| r.agent == id && r.marks.iter().all(shows))?;
    let at = lines
        .iter()
        .rposition(|line| line.contains(rule.marks[rule.marks.len() - 1]))?;
    let mut text = if rule.text.is_empty() {
        lines[at].to_owned()
    } else {
        rule.text.to_owned()
    };
    if let Some(about) = rule.about.and_then(|heading| after(&lines, heading)) {
        text = format!("{text} {about}");
    }
    let below = &lines[at + 1..];
    let (options, pointed) = match rule.beside {
        Some(first) => (beside(below, first), None),
        None => options(below),
    };
    Some(Shown {
        question: Question {
            kind: rule.kind,
            text: asking::plain(&text),
            options,
        },
        pointed,
        sideways: rule.beside.is_some(),
    })
}

/// The first line with text after the one that says `heading`.
fn after<'a>(lines: &[&'a str], heading: &str) -> Option<&'a str> {
    let at = lines.iter().position(|line| line.contains(heading))?;
    lines[at + 1..].iter().copied().find(|line| !line.is_empty())
}

/// The answers, and which of them the pointer stands at: the block of lines around the pointer.
/// Where they are numbered, a line without a number goes on with the one before.
fn options(lines: &[&str]) -> (Vec<String>, Option<usize>) {
    let Some(at) = lines.iter().position(|line| line.starts_with(POINTERS)) else {
        return (Vec::new(), None);
    };
    let start = lines[..at]
        .iter()
        .rposition(|line| line.is_empty())
        .map_or(0, |blank| blank + 1);
    let block = lines[start..].iter().take_while(|line| !line.is_empty());
    let numbered = numbered(lines[at]).is_some();
    let mut found: Vec<String> = Vec::new();
    let mut pointed = None;
    for line in block {
        match found.last_mut() {
            Some(last) if numbered && self::numbered(line).is_none() => {
                last.push(' ');
                last.push_str(line);
                continue;
            }
            _ => {}
        }
        if line.starts_with(POINTERS) {
            pointed = Some(found.len());
        }
        found.push(self::numbered(line).unwrap_or(bare(line)).to_owned());
    }
    (found.iter().map(|line| asking::plain(line)).collect(), pointed)
}

/// The answers of one line, wide gaps between them, up to the first that is no answer.
fn beside(lines: &[&str], first: &str) -> Vec<String> {
    let Some(line) = lines.iter().find(|line| line.contains(first)) else {
        return Vec::new();
    };
    let from = line.find(first).unwrap_or(0);
    let words = line[from..].split("   ").map(str::trim);
    words
        .take_while(|word| !word.is_empty())
        .map(asking::plain)
        .collect()
}

/// A line without the pointer.
fn bare(line: &str) -> &str {
    line.trim_start_matches(POINTERS).trim_start()
}

/// A numbered answer without its number.
fn numbered(line: &str) -> Option<&str> {
    let line = bare(line);
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(". ").filter(|_| rest.len() < line.len())
}

/// Whether the title of the agent `id` says that its screen is drawn and takes keys.
#[must_use]
pub fn title_is_up(id: &str, title: &str) -> bool {
    match id {
        opencode::OPENCODE => title.starts_with("OpenCode") || title.starts_with("OC "),
        _ => title_works(id, title) == Some(false),
    }
}

/// Whether the title of the agent `id` says that it works (`Some(true)`) or that it does not,
/// because it is done or asks (`Some(false)`); `None` where the title says nothing of that.
#[must_use]
pub fn title_works(id: &str, title: &str) -> Option<bool> {
    match id {
        claude::CLAUDE => claude_works(title),
        codex::CODEX => codex::works(title),
        _ => None,
    }
}

fn claude_works(title: &str) -> Option<bool> {
    match title.chars().next()? {
        '✳' => Some(false),
        '◐' | '◑' | '◒' | '◓' | '\u{2801}'..='\u{28ff}' => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUST: &str = "\
 Accessing workspace:

 /tmp/repo

 Quick safety check: Is this a project you created or one you trust? (Like your own code, a
 project, or work from your team). If not, take a moment to review what's in this folder first.

 Security guide

 ❯ No, exit
   Yes, I trust this folder

 Enter to confirm · Esc to cancel";

    const WRITE: &str = "\
❯ write a file

● Write(a.txt)
────────────
 Create file
 a.txt
╌╌╌╌╌╌╌╌╌╌╌╌
  1 hi
╌╌╌╌╌╌╌╌╌╌╌╌
 Do you want to create a.txt?
 ❯ 1. Yes
   2. Yes, and switch to accept edits
   3. No

 Esc to cancel · Tab to amend";

    #[test]
    fn the_question_about_a_folder_is_told_with_its_answers_in_their_order() {
        let question = screen_question("claude", TRUST).unwrap().question;
        assert_eq!(question.kind, QuestionKind::Trust);
        assert_eq!(question.text, "May the agent start in this folder? /tmp/repo");
        assert_eq!(question.options, ["No, exit", "Yes, I trust this folder"]);
        assert_eq!(screen_question("shell", TRUST), None);
    }

    #[test]
    fn a_permission_question_is_told_as_the_screen_has_it() {
        let question = screen_question("claude", WRITE).unwrap().question;
        assert_eq!(question.kind, QuestionKind::Permission);
        assert_eq!(question.text, "Do you want to create a.txt?");
        assert_eq!(question.options, ["Yes", "Yes, and switch to accept edits", "No"]);
    }

    const RUN: &str = "\
› make the file

• Running touch made.txt

  Would you like to run the following command?

  Reason: because

  $ touch made.txt

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start with `touch made.txt` (p)
  3. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel";

    const FOLDER: &str = "\
  Folder access
  /w/maker

  Trust this folder? Codex can read, edit, and run files here.

› 1. Trust and continue
  2. Back to Agent Command Center

  enter continue · esc back";

    #[test]
    fn codex_asks_about_folders_and_commands() {
        let question = screen_question("codex", RUN).unwrap().question;
        assert_eq!(question.text, "Would you like to run the following command?");
        assert_eq!(question.options.len(), 3);
        assert_eq!(question.options[0], "Yes, proceed (y)");
        let question = screen_question("codex", FOLDER).unwrap().question;
        assert_eq!(question.text, "May the agent start in this folder? /w/maker");
        assert_eq!(
            question.options,
            ["Trust and continue", "Back to Agent Command Center"]
        );
        assert_eq!(screen_question("claude", RUN), None);
    }

    const BESIDE: &str = "\
 ┃
 ┃  △ Permission required
 ┃    # Shell command
 ┃
 ┃  $ touch made.txt
 ┃
 ┃   Allow once   Allow always   Reject                      ctrl+f fullscreen  ⇆ select  enter confirm";

    const COLOUR: &str = "\
❯ one
────────────
 ☐ Colour

Which colour?

❯ 1. Red
     About Red
  2. Blue
     About Blue
  3. Type something.
────────────
  4. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel";

    #[test]
    fn a_choice_of_claude_is_answered_where_it_is_the_only_one() {
        let shown = screen_question("claude", COLOUR).unwrap();
        assert_eq!(shown.question.kind, QuestionKind::Choice);
        assert_eq!(shown.question.options[..2], ["Red About Red", "Blue About Blue"]);
        assert_eq!((shown.pointed, shown.keys_to(1).as_str()), (Some(0), "\x1b[B"));
        let several = COLOUR.replace(" ☐ Colour", "←  ☐ Colour  ☐ Size  ✔ Submit  →");
        let several = several.replace("↑/↓", "Tab/Arrow keys");
        assert_eq!(screen_question("claude", &several), None);
    }

    #[test]
    fn keys_lead_from_the_pointer_to_an_answer() {
        let shown = screen_question("claude", TRUST).unwrap();
        assert_eq!((shown.pointed, shown.keys_to(1).as_str()), (Some(0), "\x1b[B"));
        let long = RUN.replace("that start with `touch", "that\n     start with `touch");
        let shown = screen_question("codex", &long.replace("› 1", "  1").replace("  3.", "› 3.")).unwrap();
        assert_eq!(shown.question.options.len(), 3);
        assert!(
            shown.question.options[1].contains("commands that start with"),
            "{shown:?}"
        );
        assert_eq!(
            (shown.pointed, shown.keys_to(0).as_str()),
            (Some(2), "\x1b[A\x1b[A")
        );
        let shown = screen_question("opencode", BESIDE).unwrap();
        assert_eq!(shown.question.options, ["Allow once", "Allow always", "Reject"]);
        assert_eq!(shown.keys_to(2), "\x1b[C\x1b[C");
    }

    #[test]
    fn work_is_no_question() {
        for screen in ["", "❯ ", "● Do you want to know more?\n\n❯ \n", "Do you want to"] {
            assert_eq!(screen_question("claude", screen), None, "{screen}");
        }
    }

    #[test]
    fn the_title_tells_work_from_rest() {
        assert_eq!(title_works("claude", "✳ Claude Code"), Some(false));
        assert_eq!(title_works("claude", "◐ Claude Code"), Some(true));
        assert_eq!(title_works("claude", "vim"), None);
        assert_eq!(title_works("shell", "✳ Claude Code"), None);
    }
}
