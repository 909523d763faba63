//! The marks in the text of a task: `(id: api)`, `(depends_on: db, ui)`, `[Skill: name]`, `→ /skill-name`, `[P]`, `[US1]`.

use crate::plan::Task;
use crate::words;

/// The longest mark, in bytes: one that needs a few hundred tasks.
const MOST_MARK: usize = 2048;

/// The longest key of a mark, in bytes, with blanks around it.
const MOST_KEY: usize = 32;

/// What the marks of a text said beside the task.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Whether the task may run beside the one before it.
    pub parallel: bool,
    /// The story that the task belongs to.
    pub story: Option<String>,
}

/// Reads a task with its marks.
pub fn read(text: &str) -> (Task, Said) {
    let mut task = Task::titled("");
    let mut said = Said::default();
    let text = text.trim();
    let mut rest = text;
    let mut title = String::new();
    let (mut round, mut square) = (Closing::new(')'), Closing::new(']'));
    while let Some(at) = rest.find(['(', '[', '→']) {
        let (before, from) = rest.split_at(at);
        title.push_str(before);
        let closing = if from.starts_with('(') {
            &mut round
        } else {
            &mut square
        };
        let end = closing.after(text, text.len() - from.len());
        match mark(from, end, &mut task, &mut said) {
            Some(length) => rest = from.get(length..).unwrap_or(""),
            None => {
                let first = from.chars().next().map_or(0, char::len_utf8);
                let (kept, after) = from.split_at(first);
                title.push_str(kept);
                rest = after;
            }
        }
    }
    title.push_str(rest);
    task.title = words::one_line(&title);
    (task, said)
}

/// Returns the places of the brackets of a text that are never closed.
pub(super) fn open_brackets(text: &str) -> Vec<usize> {
    let mut open: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => open.push(at),
            ')' | ']' => drop(open.pop()),
            _ => {}
        }
    }
    open
}

/// Returns the beginning of a mark in round brackets, if the text begins with one.
pub(super) fn begins(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?;
    // No key is longer, and a text may have very many brackets.
    let lower: String = inner.chars().take(MOST_KEY).collect::<String>().to_lowercase();
    let after = |key: &str| lower.trim_start().strip_prefix(key).map(str::trim_start);
    let names_needs = |key: &str| {
        let rest = lower.strip_prefix(key);
        rest.is_some_and(|rest| rest.starts_with([' ', ':']))
    };
    let is_key = KEYS
        .iter()
        .any(|key| after(key).is_some_and(|rest| rest.starts_with(':')))
        || NEEDS.iter().any(|key| names_needs(key));
    let end = text
        .char_indices()
        .nth(MOST_SHOWN)
        .map_or(text.len(), |(at, _)| at);
    text.get(..end).filter(|_| is_key)
}

/// The most characters of a mark that is shown.
const MOST_SHOWN: usize = 30;

/// The keys of the marks in round brackets, without those that name needs.
const KEYS: &[&str] = &["id", "domain", "agent", "project"];

/// The keys before the tasks that a task needs.
const NEEDS: &[&str] = &["depends on", "depends_on", "depends-on", "needs"];

/// Where a kind of bracket closes. It is looked for only once, however many open before it.
struct Closing {
    sign: char,
    /// The last place that was found; the end of the text if there is none.
    place: Option<usize>,
}

impl Closing {
    fn new(sign: char) -> Self {
        Self { sign, place: None }
    }

    /// Returns how far after a place the bracket closes, unless that is too far.
    fn after(&mut self, text: &str, from: usize) -> Option<usize> {
        if self.place.is_none_or(|place| place < from) {
            let found = text.get(from..)?.find(self.sign);
            self.place = Some(found.map_or(text.len(), |at| from + at));
        }
        let length = self.place.filter(|place| *place < text.len())? - from;
        (length <= MOST_MARK).then_some(length)
    }
}

/// Reads one mark, and returns its length. Its bracket closes at `end`.
fn mark(from: &str, end: Option<usize>, task: &mut Task, said: &mut Said) -> Option<usize> {
    match from.chars().next()? {
        '→' => {
            let after = from.get('→'.len_utf8()..)?;
            let name = after.trim_start().strip_prefix('/')?;
            let length = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
            let skill = name.get(..length).filter(|name| !name.is_empty())?;
            task.skills.push(words::one_line(skill));
            Some(from.len() - name.len() + length)
        }
        '[' => {
            let end = end?;
            let inner = from.get(1..end)?.trim();
            if inner == "P" {
                said.parallel = true;
            } else if is_story(inner) {
                said.story = Some(inner.to_owned());
            } else {
                let (key, value) = inner.split_once(':')?;
                if !key.trim().eq_ignore_ascii_case("skill") {
                    return None;
                }
                task.skills.extend(names(value));
            }
            Some(end + 1)
        }
        _ => {
            let end = end?;
            let inner = from.get(1..end)?.trim();
            assign(inner, task)?;
            Some(end + 1)
        }
    }
}

/// Reads what stands in round brackets.
fn assign(inner: &str, task: &mut Task) -> Option<()> {
    for key in NEEDS {
        let Some((begin, rest)) = inner.split_at_checked(key.len()) else {
            continue;
        };
        if !begin.eq_ignore_ascii_case(key) || !rest.starts_with([' ', ':']) {
            continue;
        }
        task.needs.extend(names(rest.trim_start_matches([':', ' '])));
        return Some(());
    }
    let (key, value) = inner.split_once(':').filter(|(key, _)| key.len() <= MOST_KEY)?;
    match key.trim().to_lowercase().as_str() {
        "id" => task.id = words::one_line(value),
        "domain" => task.domain = words::domain(value),
        "agent" => task.agent = Some(words::name(value)),
        "project" => task.project = Some(words::name(value)),
        _ => return None,
    }
    Some(())
}

fn names(list: &str) -> impl Iterator<Item = String> {
    let all = list.split(',').flat_map(|part| part.split(" and "));
    all.map(words::one_line).filter(|name| !name.is_empty())
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':')
}

fn is_story(inner: &str) -> bool {
    let number = inner.strip_prefix("US");
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn marks_leave_the_title() {
        let (task, said) = read("Create API (id: api) (depends_on: db, ui) [Skill: rest] → /go-api (fast)");
        assert_eq!(task.title, "Create API (fast)");
        assert_eq!(
            (task.id.as_str(), task.needs),
            ("api", vec!["db".into(), "ui".into()])
        );
        assert_eq!(task.skills, ["rest", "go-api"]);
        assert!(!said.parallel);
        let (task, said) = read("[P] [US1] Write it in src/a.rs (depends on T012, T013)");
        assert_eq!(
            (task.title.as_str(), said.parallel),
            ("Write it in src/a.rs", true)
        );
        assert_eq!(task.needs, ["T012", "T013"]);
        assert_eq!(said.story.as_deref(), Some("US1"));
    }

    #[test]
    fn a_mark_has_nothing_that_acts_on_a_terminal() {
        let (task, _) = read(
            "Build\u{1b}[2J it\u{202e} (id: a\u{9b}b) (domain: U\u{1b}I/X\u{2066}$) (needs: c\u{7}, d) [Skill: e\u{202e}]",
        );
        assert_eq!((task.title.as_str(), task.id.as_str()), ("Build [2J it", "a b"));
        assert_eq!(
            (task.domain.as_str(), task.needs),
            ("u i/x", vec!["c".into(), "d".into()])
        );
        assert_eq!(task.skills, ["e"]);
    }

    #[test]
    fn a_mark_is_not_long_and_what_closes_it_is_looked_for_once() {
        let many = vec!["t"; 400].join(", ");
        assert_eq!(read(&format!("a (needs: {many})")).0.needs.len(), 400);
        let long = format!("a (id: {})", "x".repeat(super::MOST_MARK));
        assert_eq!(read(&long).0.title, long);
        // With a look from each bracket, these would take days.
        let open = "(".repeat(1_000_000);
        for text in [
            format!("{open})"),
            format!("{open}x:)"),
            open,
            "([".repeat(500_000),
            "(x".repeat(500_000) + ")",
        ] {
            assert_eq!(read(&text).0.title, text);
        }
    }

    #[test]
    fn brackets_without_a_mark_stay() {
        for text in [
            "Fix f(x) [now]",
            "Half (id",
            "→ nothing",
            "a [b",
            "(see: docs) é→",
            "[USA] [US]",
        ] {
            assert_eq!(read(text).0.title, text);
        }
    }
}
