//! The marks in the text of a task: `(id: api)`, `(depends_on: db, ui)`, `[Skill: name]`, `→ /skill-name`, `[P]`, `[US1]`.

use crate::plan::Task;

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
    let mut rest = text.trim();
    let mut title = String::new();
    while let Some(at) = rest.find(['(', '[', '→']) {
        let (before, from) = rest.split_at(at);
        title.push_str(before);
        match mark(from, &mut task, &mut said) {
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
    task.title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (task, said)
}

/// Reads one mark, and returns its length.
fn mark(from: &str, task: &mut Task, said: &mut Said) -> Option<usize> {
    match from.chars().next()? {
        '→' => {
            let after = from.get('→'.len_utf8()..)?;
            let name = after.trim_start().strip_prefix('/')?;
            let length = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
            let skill = name.get(..length).filter(|name| !name.is_empty())?;
            task.skills.push(skill.to_owned());
            Some(from.len() - name.len() + length)
        }
        '[' => {
            let end = from.find(']')?;
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
            let end = from.find(')')?;
            let inner = from.get(1..end)?.trim();
            assign(inner, task)?;
            Some(end + 1)
        }
    }
}

/// Reads what stands in round brackets.
fn assign(inner: &str, task: &mut Task) -> Option<()> {
    let lower = inner.to_lowercase();
    for key in ["depends on", "depends_on", "depends-on", "needs"] {
        let Some(rest) = lower.strip_prefix(key) else {
            continue;
        };
        if !rest.starts_with([' ', ':']) {
            continue;
        }
        let value = inner.get(inner.len() - rest.len()..)?;
        task.needs.extend(names(value.trim_start_matches([':', ' '])));
        return Some(());
    }
    let (key, value) = inner.split_once(':')?;
    let value = value.trim().to_owned();
    match key.trim().to_lowercase().as_str() {
        "id" => task.id = value,
        "domain" => task.domain = value.to_lowercase(),
        "agent" => task.agent = Some(value),
        "project" => task.project = Some(value),
        _ => return None,
    }
    Some(())
}

fn names(list: &str) -> impl Iterator<Item = String> {
    let all = list.split(',').flat_map(|part| part.split(" and "));
    all.map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
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
