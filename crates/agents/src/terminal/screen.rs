//! Reads an agent's screen, by the rules of its manifest. This is the last resort, since screens change
//! often. The engine looks for what hooks do not report: a question before the first hook (there is none for
//! the question about a folder), the answers to an open question, and whether a question left the screen
//! after a key.

use crate::manifest::{AnswerKey, Manifest, QuestionRule};
use crate::terminal::title::begins;
use crate::text::{plain, without_layout};
use downbeat_model::Question;
use std::collections::BTreeMap;

/// The marks before the answer that Enter would choose.
const POINTERS: [char; 2] = ['❯', '›'];

/// A question on a screen, and the way to its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The question, with the answers that it offers.
    pub question: Question,
    /// The answer that Enter would give, if the screen shows it.
    pub pointed: Option<usize>,
    /// The lines above the question, in which the agent shows its subject; without blanks and frames.
    pub above: String,
    /// The keys of answers that need no pointer.
    keys: BTreeMap<String, AnswerKey>,
}

/// The way to give an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// These keys move the pointer to the answer, and Enter chooses it.
    Point(String),
    /// This key gives the answer.
    Press(&'static str),
    /// Only somebody who sees the terminal can give the answer.
    Closed,
}

impl Shown {
    /// Returns the way to give the answer `option`.
    #[must_use]
    pub fn way_to(&self, option: usize) -> Way {
        if !self.keys.is_empty() {
            let key = self
                .question
                .options
                .get(option)
                .and_then(|label| self.keys.get(label));
            return key.map_or(Way::Closed, |key| Way::Press(key.bytes()));
        }
        let Some(from) = self.pointed else {
            return Way::Closed;
        };
        Way::Point(match option.checked_sub(from) {
            Some(steps) => "\x1b[B".repeat(steps),
            None => "\x1b[A".repeat(from - option),
        })
    }

    /// Returns whether `other` shows the same question about the same thing, wherever the pointer is.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let near = |shown: &Self| -> String {
            let skip = shown.above.chars().count().saturating_sub(NEAR);
            shown.above.chars().skip(skip).collect()
        };
        self.question == other.question && near(self) == near(other)
    }

    /// The position of `text` in the lines above the question, greater when nearer to it; `None` if
    /// those lines do not contain it.
    #[must_use]
    pub fn tells(&self, text: &str) -> Option<usize> {
        let about = text.split_once(": ").map_or(text, |(_, about)| about);
        let start: String = without_layout(about).chars().take(SUBJECT_CHARS).collect();
        self.above.rfind(&start).filter(|_| !start.is_empty())
    }
}

/// Characters by which the subject of a question is found on the screen.
const SUBJECT_CHARS: usize = 60;

/// Characters above a question that belong to it; further up an agent may draw how long it has been working.
const NEAR: usize = 160;

/// Returns the question that `screen` of an agent shows, if it shows one.
#[must_use]
pub fn screen_question(agent: &Manifest, screen: &str) -> Option<Shown> {
    shown_by(agent.questions.iter(), screen)
}

/// Like [`screen_question`], for the questions that an agent asks outside a turn.
#[must_use]
pub fn question_at_rest(agent: &Manifest, screen: &str) -> Option<Shown> {
    shown_by(agent.questions.iter().filter(|rule| rule.at_rest), screen)
}

fn shown_by<'a>(mut rules: impl Iterator<Item = &'a QuestionRule>, screen: &str) -> Option<Shown> {
    let lines: Vec<&str> = screen.lines().map(unframed).collect();
    let rule = rules.find(|rule| {
        let low = lowest(&lines, rule.lines);
        let shows = |mark: &String| low.iter().any(|line| line.contains(mark.as_str()));
        rule.marks.iter().all(shows)
    })?;
    let own = rule.marks.last()?;
    let at = lines.iter().rposition(|line| line.contains(own.as_str()))?;
    let mut text = if rule.text.is_empty() {
        lines[at].to_owned()
    } else {
        rule.text.clone()
    };
    if let Some(about) = rule.about.as_ref().and_then(|heading| after(&lines, heading)) {
        text = format!("{text} {about}");
    }
    let below = &lines[at + 1..];
    let (options, pointed, height) = match &rule.beside {
        _ if !rule.answers.is_empty() => (rule.answers.clone(), None, 0),
        Some(first) => options_on_one_line(below, first),
        None => options(below, &rule.marks),
    };
    Some(Shown {
        question: Question {
            kind: rule.kind,
            text: plain(&text),
            options,
        },
        pointed,
        above: without_layout(&lines[..=at + height].join("\n")),
        keys: rule.keys.clone(),
    })
}

/// Returns the part of `lines` that contains the lowest `many` lines with text.
fn lowest<'a, 'b>(lines: &'a [&'b str], many: Option<usize>) -> &'a [&'b str] {
    let Some(many) = many else { return lines };
    let texts = lines
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, line)| !line.is_empty());
    let first = texts.take(many).last().map_or(lines.len(), |(at, _)| at);
    &lines[first..]
}

/// Returns a line without blanks and without the sides of a box at its ends.
fn unframed(line: &str) -> &str {
    let line = line.trim();
    let inner = line.strip_prefix('│').and_then(|line| line.strip_suffix('│'));
    inner.map_or(line, str::trim)
}

/// Returns the first line with text after the one that contains `heading`.
fn after<'a>(lines: &[&'a str], heading: &str) -> Option<&'a str> {
    let at = lines.iter().position(|line| line.contains(heading))?;
    lines[at + 1..].iter().copied().find(|line| !line.is_empty())
}

/// Returns the answers, the one that the pointer is at, and the number of lines before them: the block of
/// lines around the pointer. If the answers are numbered, a line without a number continues the one before
/// it, up to a line with a mark of the question.
fn options(lines: &[&str], marks: &[String]) -> (Vec<String>, Option<usize>, usize) {
    // The last one, since text that an agent prints above its own question is not a pointer.
    let Some(at) = lines.iter().rposition(|line| line.starts_with(POINTERS)) else {
        return (Vec::new(), None, 0);
    };
    let start = lines[..at]
        .iter()
        .rposition(|line| line.is_empty())
        .map_or(0, |blank| blank + 1);
    let block = lines[start..].iter().take_while(|line| !line.is_empty());
    let numbered = numbered(lines[at]).is_some();
    let is_foot = |line: &str| marks.iter().any(|mark| line.contains(mark.as_str()));
    let mut found: Vec<String> = Vec::new();
    let mut pointed = None;
    for line in block {
        match found.last_mut() {
            // A mark that identifies the question is not part of an answer.
            Some(_) if numbered && self::numbered(line).is_none() && is_foot(line) => break,
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
    let found = found.iter().map(|line| plain(line)).collect();
    (found, pointed, start)
}

/// Like [`options`], for answers next to each other on one line with wide gaps between them.
fn options_on_one_line(lines: &[&str], first: &str) -> (Vec<String>, Option<usize>, usize) {
    let Some(at) = lines.iter().rposition(|line| line.contains(first)) else {
        return (Vec::new(), None, 0);
    };
    let line = lines[at];
    let from = line.find(first).unwrap_or(0);
    let words = line[from..].split("   ").map(str::trim);
    let words = words.take_while(|word| !word.is_empty());
    (words.map(plain).collect(), None, at)
}

/// Returns a line without the pointer.
fn bare(line: &str) -> &str {
    line.trim_start_matches(POINTERS).trim_start()
}

/// Returns a numbered answer without its number.
fn numbered(line: &str) -> Option<&str> {
    let line = bare(line);
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(". ").filter(|_| rest.len() < line.len())
}

/// Returns `true` if the lowest lines of the screen say that the agent is working and `false` if they say
/// that it is idle, with the mark that says so.
#[must_use]
pub fn screen_works<'a>(agent: &'a Manifest, screen: &str) -> Option<(bool, &'a str)> {
    let rules = &agent.screen;
    let all: Vec<&str> = screen.lines().map(str::trim).collect();
    let lines = lowest(&all, rules.lines);
    let shown = |mark: &&String| match mark.strip_prefix('^') {
        Some(start) => lines.iter().any(|line| begins(line, start)),
        None => lines.iter().any(|line| line.contains(mark.as_str())),
    };
    let works = rules.works.iter().find(shown).map(|mark| (true, mark.as_str()));
    works.or_else(|| rules.rests.iter().find(shown).map(|mark| (false, mark.as_str())))
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod plan_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::built_in;
    use downbeat_model::QuestionKind;

    fn screen_question(id: &str, screen: &str) -> Option<Shown> {
        super::screen_question(&built_in(id), screen)
    }

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
    fn the_question_about_a_folder_is_read_with_its_answers_in_order() {
        let question = screen_question("claude", TRUST).unwrap().question;
        assert_eq!(question.kind, QuestionKind::Trust);
        assert_eq!(question.text, "May the agent start in this folder? /tmp/repo");
        assert_eq!(question.options, ["No, exit", "Yes, I trust this folder"]);
        assert_eq!(screen_question("shell", TRUST), None);
    }

    #[test]
    fn a_permission_question_is_read_as_the_screen_shows_it() {
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
    fn a_choice_of_claude_is_answered_if_it_is_the_only_one() {
        let shown = screen_question("claude", COLOUR).unwrap();
        assert_eq!(shown.question.kind, QuestionKind::Choice);
        assert_eq!(shown.question.options[..2], ["Red About Red", "Blue About Blue"]);
        assert_eq!(
            (shown.pointed, shown.way_to(1)),
            (Some(0), Way::Point("\x1b[B".into()))
        );
        assert!(shown.tells("Which colour?").is_some());
        let several = COLOUR.replace(" ☐ Colour", "←  ☐ Colour  ☐ Size  ✔ Submit  →");
        let several = several.replace("↑/↓", "Tab/Arrow keys");
        assert_eq!(screen_question("claude", &several), None);
    }

    #[test]
    fn keys_lead_from_the_pointer_to_an_answer() {
        let shown = screen_question("claude", TRUST).unwrap();
        assert_eq!(
            (shown.pointed, shown.way_to(1)),
            (Some(0), Way::Point("\x1b[B".into()))
        );
        let long = RUN.replace("that start with `touch", "that\n     start with `touch");
        let shown = screen_question("codex", &long.replace("› 1", "  1").replace("  3.", "› 3.")).unwrap();
        assert_eq!(shown.question.options.len(), 3);
        assert!(
            shown.question.options[1].contains("commands that start with"),
            "{shown:?}"
        );
        assert_eq!(
            (shown.pointed, shown.way_to(0)),
            (Some(2), Way::Point("\x1b[A\x1b[A".into()))
        );
        let shown = screen_question("opencode", BESIDE).unwrap();
        assert_eq!(shown.question.options, ["Allow once", "Allow always", "Reject"]);
        assert_eq!(shown.way_to(0), Way::Press("\r"));
        assert_eq!(
            (shown.way_to(1), shown.way_to(2)),
            (Way::Closed, Way::Press("\x1b"))
        );
    }

    #[test]
    fn output_above_a_question_is_neither_its_pointer_nor_nearer() {
        let fake = WRITE.replace(
            "● Write(a.txt)",
            "Do you want to \n ❯ 1. No\n   2. Yes\n\n● Write(a.txt)",
        );
        let shown = screen_question("claude", &fake).unwrap();
        assert_eq!(
            shown.question.options,
            ["Yes", "Yes, and switch to accept edits", "No"]
        );
        let two = RUN.replace("• Running touch made.txt", "• Running touch other.txt");
        let shown = screen_question("codex", &two).unwrap();
        assert!(shown.tells("Bash: touch made.txt") > shown.tells("Bash: touch other.txt"));
        assert_eq!(shown.tells("Bash: rm made.txt"), None);
        let wrapped = RUN.replace("$ touch made.txt", "$ touch\n  made.txt");
        assert!(
            screen_question("codex", &wrapped)
                .unwrap()
                .tells("Bash: touch made.txt")
                .is_some()
        );
    }

    #[test]
    fn a_foot_right_below_is_not_part_of_the_last_answer() {
        let close = RUN.replace("(esc)\n\n  Press", "(esc)\n  Press");
        assert_ne!(close, RUN);
        let shown = screen_question("codex", &close).unwrap();
        assert_eq!(
            shown.question.options[2],
            "No, and tell Codex what to do differently (esc)"
        );
    }

    #[test]
    fn a_screen_of_work_is_not_a_question() {
        for screen in ["", "❯ ", "● Do you want to know more?\n\n❯ \n", "Do you want to"] {
            assert_eq!(screen_question("claude", screen), None, "{screen}");
        }
    }

    const BOXED: &str = "\
  ╭────────────────────────────────────────────╮
  │ ?  Shell touch made.txt (make it) ←        │
  │                                            │
  │   touch made.txt                           │
  │                                            │
  │ Allow execution of: 'touch'?               │
  │                                            │
  │ › 1. Yes, allow once                       │
  │   2. Always allow in this project          │
  │   4. No, suggest changes (esc)             │
  │                                            │
  ╰────────────────────────────────────────────╯
  ⠏ Waiting for user confirmation...";

    #[test]
    fn a_question_in_a_box_is_read_without_it() {
        let shown = screen_question("qwen", BOXED).unwrap();
        assert_eq!(shown.question.text, "Allow execution of: 'touch'?");
        assert_eq!(shown.question.options[2], "No, suggest changes (esc)");
        assert_eq!((shown.question.options.len(), shown.pointed), (3, Some(0)));
    }

    #[test]
    fn only_the_lowest_line_asks_if_the_rule_says_so() {
        let asks = "made.txt\nCreate new file? (Y)es/(N)o [Yes]:";
        let shown = screen_question("aider", asks).unwrap();
        assert_eq!(shown.question.options, ["Yes", "No"]);
        assert_eq!(shown.way_to(1), Way::Press("n\r"));
        assert_eq!(
            screen_question("aider", &format!("{asks} y\nApplied edit\n")),
            None
        );
    }
}
