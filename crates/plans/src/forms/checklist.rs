//! Markdown checklists: those of people, of spec-kit (phases are stages; a task without `[P]` follows those before it) and of
//! OpenSpec (groups are stages).

use super::{following, marks};
use crate::gathered::Gathered;
use crate::plan::{Form, Plan, UNTITLED_CHECKLIST};
use crate::problem::Problem;
use crate::words;

/// A box of a checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Box<'a> {
    /// How far it is indented, in bytes.
    pub indent: usize,
    /// Where the sign in the box is, in its line.
    pub sign: usize,
    /// Whether it is ticked.
    pub ticked: bool,
    /// What follows it.
    pub text: &'a str,
}

/// Returns the box of a line.
pub(crate) fn box_of(line: &str) -> Option<Box<'_>> {
    let item = item_of(line)?;
    let inner = line.get(item..)?;
    let ticked = match inner.get(..3)? {
        "[ ]" => false,
        "[x]" | "[X]" => true,
        _ => return None,
    };
    let text = inner.get(3..)?;
    (text.is_empty() || text.starts_with([' ', '\t'])).then(|| Box {
        indent: line.len() - line.trim_start().len(),
        sign: item + 1,
        ticked,
        text: text.trim(),
    })
}

/// Returns where the text of a list item begins.
fn item_of(line: &str) -> Option<usize> {
    // A file of Windows may begin with a byte order mark.
    let body = line.trim_start_matches('\u{feff}').trim_start();
    let digits = body.chars().take_while(char::is_ascii_digit).count();
    let after = match digits {
        0 => body.strip_prefix(['-', '*', '+'])?,
        _ => body.get(digits..)?.strip_prefix(['.', ')'])?,
    };
    let text = after.trim_start();
    (text.len() < after.len()).then(|| line.len() - text.len())
}

/// Returns whether a line stands outside of code, and a box begins there.
pub(crate) fn is_box(line: &str, in_code: &mut bool) -> bool {
    let fence = line.trim_start();
    if fence.starts_with("```") || fence.starts_with("~~~") {
        *in_code = !*in_code;
        return false;
    }
    !*in_code && box_of(line).is_some()
}

/// Returns the id at the start of a text, of spec-kit (`T014`) or OpenSpec (`1.2`), and what follows it.
pub(crate) fn own_id(text: &str) -> Option<(Form, &str, &str)> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if word
        .strip_prefix('T')
        .is_some_and(|number| number.len() >= 3 && digits(number))
    {
        return Some((Form::SpecKit, word, rest));
    }
    let (group, number) = word.split_once('.')?;
    (digits(group) && digits(number)).then_some((Form::OpenSpec, word, rest))
}

/// Reads a Markdown file.
///
/// # Errors
/// Fails if it has too many tasks.
pub fn read(text: &str) -> Result<Plan, Problem> {
    let form = form_of(text);
    let mut reader = Reader {
        form,
        title: None,
        phase: None,
        stage: 0,
        indent: 0,
        is_open: false,
        before: Vec::new(),
        follows: Vec::new(),
        tasks: Gathered::default(),
    };
    let mut in_code = false;
    for line in text.lines() {
        let is_box = is_box(line, &mut in_code);
        reader.line(line, is_box, in_code)?;
    }
    let mut tasks = reader.tasks.into_tasks();
    following::follow(&mut tasks, reader.follows);
    for task in &mut tasks {
        let kept = task.description.trim_end().len();
        task.description.truncate(kept);
    }
    Ok(Plan {
        title: reader.title.unwrap_or_else(|| UNTITLED_CHECKLIST.to_owned()),
        form,
        tasks,
    })
}

fn form_of(text: &str) -> Form {
    let mut in_code = false;
    let boxes = text.lines().filter(|line| is_box(line, &mut in_code));
    let mut forms = boxes.filter_map(|line| own_id(box_of(line)?.text));
    forms.next().map_or(Form::Checklist, |(form, ..)| form)
}

struct Reader {
    form: Form,
    title: Option<String>,
    phase: Option<String>,
    stage: u32,
    /// How far the last task is indented.
    indent: usize,
    /// Whether lines belong to the last task.
    is_open: bool,
    /// The places of the open tasks of the phase that a task without `[P]` follows: the last one without it, and those after that.
    before: Vec<usize>,
    /// The places of the tasks that follow others, and of these.
    follows: Vec<(usize, Vec<usize>)>,
    tasks: Gathered,
}

impl Reader {
    fn line(&mut self, line: &str, is_box: bool, in_code: bool) -> Result<(), Problem> {
        if let Some(heading) = line.strip_prefix('#').filter(|_| !in_code) {
            self.heading(heading);
            return Ok(());
        }
        let indent = line.len() - line.trim_start().len();
        let is_below = self.is_open && indent > self.indent;
        if is_box && !is_below {
            return self.task(line);
        }
        if self.is_open && (is_below || line.trim().is_empty()) {
            if let Some(task) = self.tasks.last_mut()
                && !(task.description.is_empty() && line.trim().is_empty())
            {
                task.description.push_str(&words::plain_lines(line.trim()));
                task.description.push('\n');
            }
        } else {
            self.is_open = false;
        }
        Ok(())
    }

    fn heading(&mut self, heading: &str) {
        let level = heading.chars().take_while(|c| *c == '#').count() + 1;
        let text = heading.trim_matches(|c: char| c == '#' || c.is_whitespace());
        self.is_open = false;
        if level == 1 && self.title.is_none() {
            self.title = Some(words::name(text));
        } else if level == 2 {
            self.phase = Some(words::name(text));
            // Phases without tasks are no stages: see `task`.
            self.stage = self.tasks.last().map_or(self.stage, |task| task.stage + 1);
            self.before.clear();
        }
    }

    /// Lets the next task, of spec-kit, follow what is left of those before it, unless it may run beside them.
    fn follow(&mut self, is_parallel: bool) {
        let place = self.tasks.len();
        if !is_parallel {
            self.follows.push((place, std::mem::take(&mut self.before)));
        }
        self.before.push(place);
    }

    fn task(&mut self, line: &str) -> Result<(), Problem> {
        let Some(own) = box_of(line) else {
            return Ok(());
        };
        let found = own_id(own.text).filter(|(form, ..)| *form == self.form);
        let (id, text) = found.map_or(("", own.text), |(_, id, text)| (id, text));
        let (mut task, said) = marks::read(text);
        if !id.is_empty() {
            id.clone_into(&mut task.id);
        }
        task.done = own.ticked;
        task.phase.clone_from(&self.phase);
        if self.form != Form::Checklist {
            task.stage = self.stage;
        }
        self.indent = own.indent;
        self.is_open = true;
        if task.title.is_empty() {
            return Ok(());
        }
        if self.form == Form::SpecKit && !task.done {
            self.follow(said.parallel);
        }
        self.tasks.push(task)
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::read_file;
    use crate::plan::{Form, Plan};
    use crate::problem::Problem;

    fn read(text: &str) -> Plan {
        read_file(text.as_bytes(), None, &Domains::default()).unwrap()
    }

    #[test]
    fn a_checklist_with_skills_details_and_code() {
        let plan = read(
            "# User sign-in\n\nSome prose.\n\n- [x] Create the schema [Skill: sql-expert]\n- [ ] Create API → /rest-api\n  With rate \
             limits.\n  - [ ] and a log\n\n```md\n- [ ] not a task\n```\n* [X] Build UI (depends_on: 2)\n1. [ ] Write docs\n[ ] no item\n",
        );
        assert_eq!(
            (plan.title.as_str(), plan.form),
            ("User sign-in", Form::Checklist)
        );
        let titles: Vec<_> = plan
            .tasks
            .iter()
            .map(|task| (task.title.as_str(), task.done))
            .collect();
        assert_eq!(
            titles,
            [
                ("Create the schema", true),
                ("Create API", false),
                ("Build UI", true),
                ("Write docs", false)
            ]
        );
        assert_eq!(plan.tasks[0].skills, ["sql-expert"]);
        assert_eq!(plan.tasks[1].skills, ["rest-api"]);
        assert_eq!(plan.tasks[1].description, "With rate limits.\n- [ ] and a log");
        assert_eq!(plan.tasks[2].needs, ["2"]);
        assert_eq!(plan.tasks[3].domain, "documentation");
    }

    #[test]
    fn phases_of_spec_kit_are_stages_and_tasks_without_p_follow_each_other() {
        let plan = read(
            "# Tasks: sign-in\n\n## Format\n\nProse\n\n## Phase 1: Setup\n\n- [X] T001 Create the project\n- [ ] T002 [P] Set up linting\n\
             - [ ] T003 Add a database\n\n## Phase 2: Story 1\n\n- [ ] T004 [P] [US1] Write tests (depends on T001, T003)\n- [ ] T005 [US1] Build it\n",
        );
        assert_eq!(
            (plan.title.as_str(), plan.form),
            ("Tasks: sign-in", Form::SpecKit)
        );
        let seen: Vec<_> = (plan.tasks.iter())
            .map(|task| (task.id.as_str(), task.stage, task.needs.join(" ")))
            .collect();
        let expected = [
            ("T001", 0, ""),
            ("T002", 0, ""),
            ("T003", 0, "T002"),
            ("T004", 1, "T001 T003"),
            ("T005", 1, "T004"),
        ];
        assert_eq!(
            seen,
            expected.map(|(id, stage, needs)| (id, stage, needs.to_owned()))
        );
        assert_eq!(plan.tasks[3].phase.as_deref(), Some("Phase 2: Story 1"));
    }

    #[test]
    fn a_task_of_spec_kit_without_p_follows_all_that_is_left_since_the_last_one() {
        let plan = read(
            "## Phase 1\n- [ ] T001 [P] a\n- [ ] T002 b\n- [ ] T003 [P] c\n- [ ] T004 [P] d\n- [x] T005 e\n\
             - [ ] T006 f (depends on T003)\n- [ ] T007 g\n## Phase 2\n- [ ] T008 h\n- [ ] T009 [P] i\n",
        );
        let needs: Vec<String> = plan.tasks.iter().map(|task| task.needs.join(" ")).collect();
        assert_eq!(needs, ["", "T001", "", "", "", "T003 T002 T004", "T006", "", ""]);
    }

    #[test]
    fn a_phase_is_short_and_plain_since_each_task_has_it() {
        let text = format!(
            "# T\u{1b}\n## P\u{202e}\u{1b}[2J {}\n{}",
            "A".repeat(100_000),
            "- [ ] a\n".repeat(9_000)
        );
        let plan = read(&text);
        let phases: usize = plan
            .tasks
            .iter()
            .flat_map(|task| task.phase.as_deref())
            .map(str::len)
            .sum();
        assert_eq!((plan.title.as_str(), phases), ("T", 9_000 * 120));
        assert!(plan.tasks[0].phase.as_deref().unwrap().starts_with("P [2J AAA"));
        let many = format!("## {}\n{}", "A".repeat(100_000), "- [ ] a\n".repeat(200_000));
        let refused = read_file(many.as_bytes(), None, &Domains::default());
        assert_eq!(refused, Err(Problem::TooMany { most: 10_000 }));
    }

    #[test]
    fn groups_of_open_spec_are_stages() {
        let plan = read(
            "## 1. Database\n- [ ] 1.1 Add a table\n- [ ] 1.2 Add an index\n\n## 2. API\r\n- [ ] 2.1 Add a route\r\n",
        );
        let seen: Vec<_> = (plan.tasks.iter())
            .map(|task| (task.id.as_str(), task.title.as_str(), task.stage))
            .collect();
        assert_eq!(plan.form, Form::OpenSpec);
        assert_eq!(
            seen,
            [
                ("1.1", "Add a table", 0),
                ("1.2", "Add an index", 0),
                ("2.1", "Add a route", 1)
            ]
        );
        assert!(plan.tasks.iter().all(|task| task.needs.is_empty()));
    }
}
