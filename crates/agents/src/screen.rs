//! Reads an agent's title and screen, by the rules of its manifest. The last resort: screens change
//! often, so the engine looks for what no hook tells: a question before the first hook (none fires at the
//! question about a folder), the answers to an open one, whether one left the screen after a key,
//! and by the title whether a turn goes on (no hook fires when a person interrupts it).

use crate::manifest::{AnswerKey, Manifest};
use crate::{asking, tasks};
use downbeat_model::Question;
use std::collections::BTreeMap;

/// What stands before the answer that Enter would give.
const POINTERS: [char; 2] = ['❯', '›'];

/// A question on a screen, and the way to its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The question, with the answers that it offers.
    pub question: Question,
    /// Which answer Enter would give, where the screen tells.
    pub pointed: Option<usize>,
    /// The lines above it, where the agent tells what it is about; without blanks and frames.
    pub above: String,
    /// The keys of answers that need no pointer.
    keys: BTreeMap<String, AnswerKey>,
}

/// How an answer is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// These keys bring the pointer there, and Enter gives it.
    Point(String),
    /// This key gives it.
    Press(&'static str),
    /// Only somebody who sees the terminal can.
    Closed,
}

impl Shown {
    /// How the answer `option` is given.
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

    /// Whether `other` shows the same question about the same thing, wherever its pointer stands.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let near = |shown: &Self| -> String {
            let skip = shown.above.chars().count().saturating_sub(NEAR);
            shown.above.chars().skip(skip).collect()
        };
        self.question == other.question && near(self) == near(other)
    }

    /// How far down above the question `text` is told: the nearer to the question, the greater.
    /// `None` where it is not.
    #[must_use]
    pub fn tells(&self, text: &str) -> Option<usize> {
        let about = text.split_once(": ").map_or(text, |(_, about)| about);
        let start: String = bones(about).chars().take(TELLING).collect();
        self.above.rfind(&start).filter(|_| !start.is_empty())
    }
}

/// Characters by which what a question is about is found on the screen.
const TELLING: usize = 60;

/// Characters above a question that belong to it; further up an agent may draw how long it works.
const NEAR: usize = 160;

/// Text without blanks and the frames that agents draw, so that wrapped lines compare.
pub(crate) fn bones(text: &str) -> String {
    let frame = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{259f}').contains(&c);
    text.chars().filter(|&c| !frame(c)).collect()
}

/// The question that `screen` of an agent shows, if it shows one.
#[must_use]
pub fn screen_question(agent: &Manifest, screen: &str) -> Option<Shown> {
    let lines: Vec<&str> = screen.lines().map(str::trim).collect();
    let shows = |mark: &String| lines.iter().any(|line| line.contains(mark.as_str()));
    let rule = agent.questions.iter().find(|rule| rule.marks.iter().all(shows))?;
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
        Some(first) => beside(below, first),
        None => options(below),
    };
    Some(Shown {
        question: Question {
            kind: rule.kind,
            text: asking::plain(&text),
            options,
        },
        pointed,
        above: bones(&lines[..=at + height].join("\n")),
        keys: rule.keys.clone(),
    })
}

/// The first line with text after the one that says `heading`.
fn after<'a>(lines: &[&'a str], heading: &str) -> Option<&'a str> {
    let at = lines.iter().position(|line| line.contains(heading))?;
    lines[at + 1..].iter().copied().find(|line| !line.is_empty())
}

/// The answers, which of them the pointer stands at, and how many lines come before them: the block
/// of lines around the pointer. Where they are numbered, a line without a number goes on with the
/// one before.
fn options(lines: &[&str]) -> (Vec<String>, Option<usize>, usize) {
    // The last one: what an agent prints above its own question is no pointer.
    let Some(at) = lines.iter().rposition(|line| line.starts_with(POINTERS)) else {
        return (Vec::new(), None, 0);
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
    let found = found.iter().map(|line| asking::plain(line)).collect();
    (found, pointed, start)
}

/// The same for the answers of one line, wide gaps between them, up to the first that is none.
fn beside(lines: &[&str], first: &str) -> (Vec<String>, Option<usize>, usize) {
    let Some(at) = lines.iter().rposition(|line| line.contains(first)) else {
        return (Vec::new(), None, 0);
    };
    let line = lines[at];
    let from = line.find(first).unwrap_or(0);
    let words = line[from..].split("   ").map(str::trim);
    let words = words.take_while(|word| !word.is_empty());
    (words.map(asking::plain).collect(), None, at)
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

/// Whether the title of an agent says that its screen is drawn and takes keys.
#[must_use]
pub fn title_is_up(agent: &Manifest, title: &str) -> bool {
    agent.title.up.iter().any(|beginning| begins(title, beginning))
        || title_works(agent, title) == Some(false)
}

/// Whether the title of an agent says that it works (`Some(true)`) or that it does not, because it
/// is done or asks (`Some(false)`); `None` where the title says nothing of that.
#[must_use]
pub fn title_works(agent: &Manifest, title: &str) -> Option<bool> {
    let says = |beginnings: &[String]| beginnings.iter().any(|beginning| begins(title, beginning));
    if says(&agent.title.works) {
        return Some(true);
    }
    says(&agent.title.rests).then_some(false)
}

/// What the title says that the agent is about, where its manifest says that the title does. Empty
/// where it says nothing: the agent's own name, or what does not begin as its titles do.
#[must_use]
pub fn title_topic(agent: &Manifest, title: &str) -> Option<String> {
    if !agent.title.topic {
        return None;
    }
    let known = title_works(agent, title).is_some();
    let mut signs = title.chars();
    signs.next();
    let topic = tasks::one_line(signs.as_str());
    Some(topic)
        .filter(|topic| known && *topic != agent.name)
        .or(Some(String::new()))
}

/// Whether a title begins so; `⠁-⣿` stands for every sign in between, `*` for any title.
fn begins(title: &str, beginning: &str) -> bool {
    let Some(first) = title.chars().next() else {
        return false;
    };
    let mut signs = beginning.chars();
    match (signs.next(), signs.next(), signs.next(), signs.next()) {
        (Some('*'), None, ..) => true,
        (Some(from), Some('-'), Some(to), None) => (from..=to).contains(&first),
        _ => !beginning.is_empty() && title.starts_with(beginning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::built_in;
    use downbeat_model::QuestionKind;

    fn screen_question(id: &str, screen: &str) -> Option<Shown> {
        super::screen_question(&built_in(id), screen)
    }

    fn title_works(id: &str, title: &str) -> Option<bool> {
        super::title_works(&built_in(id), title)
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
    fn what_an_agent_prints_above_is_neither_its_pointer_nor_nearer() {
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
    fn work_is_no_question() {
        for screen in ["", "❯ ", "● Do you want to know more?\n\n❯ \n", "Do you want to"] {
            assert_eq!(screen_question("claude", screen), None, "{screen}");
        }
    }

    #[test]
    fn the_title_tells_what_it_is_about() {
        let topic = |id: &str, title: &str| title_topic(&built_in(id), title);
        assert_eq!(
            topic("claude", "◐ Mend the totals").as_deref(),
            Some("Mend the totals")
        );
        for none in ["✳ Claude Code", "somebody's title", ""] {
            assert_eq!(topic("claude", none).as_deref(), Some(""), "{none}");
        }
        assert_eq!(topic("codex", "⠸ shop"), None);
    }

    #[test]
    fn the_title_tells_work_from_rest() {
        assert_eq!(title_works("claude", "✳ Claude Code"), Some(false));
        assert_eq!(title_works("claude", "◐ Claude Code"), Some(true));
        assert_eq!(title_works("claude", "vim"), None);
        assert_eq!(title_works("shell", "✳ Claude Code"), None);
        assert_eq!(title_works("codex", "⠸ repo"), Some(true));
        assert_eq!(title_works("codex", "repo"), Some(false));
        assert_eq!(title_works("codex", "[ ! ] Action Required | repo"), Some(false));
        assert_eq!(title_works("codex", ""), None);
        assert_eq!(title_works("opencode", "OC | shop"), None);
        assert!(title_is_up(&built_in("opencode"), "OpenCode"));
    }
}
