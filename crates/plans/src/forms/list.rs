//! A list of tasks in one text, as people type it.

use super::marks;
use crate::domain::Domains;
use crate::gathered::Gathered;
use crate::plan::Task;
use crate::problem::Problem;
use crate::words::{self, SLOT};
use std::collections::HashSet;

/// Reads the tasks of a text.
///
/// # Errors
/// Fails if there are too many.
pub fn tasks(text: &str, domains: &Domains) -> Result<Vec<Task>, Problem> {
    if let Some(path) = file_in(text) {
        return Err(Problem::NamesFile(words::name(path)));
    }
    if text.trim() == "execute" {
        return Err(Problem::NamesFile("…".to_owned()));
    }
    let text = without_command(text);
    for line in text.lines() {
        let open = marks::open_brackets(line);
        if let Some(mark) = open.iter().find_map(|at| marks::begins(line.get(*at..)?)) {
            return Err(Problem::Unclosed(words::name(mark)));
        }
    }
    let (pieces, any_domain) = pieces(text);
    let mut tasks = Gathered::default();
    for task in pieces
        .into_iter()
        .filter_map(|piece| task(piece, domains, any_domain))
    {
        tasks.push(task)?;
    }
    Ok(tasks.into_tasks())
}

/// Returns the file that a text names in place of tasks: `execute plans/shop.md`, perhaps after the name of the command. A text of
/// several words that does not end like a file is a task: `execute the migration`.
#[must_use]
pub fn file_in(text: &str) -> Option<&str> {
    let text = without_command(text).trim();
    let (word, path) = text.split_once(char::is_whitespace)?;
    let path = path.trim_start();
    let path = path.strip_prefix("tasks from ").unwrap_or(path).trim();
    let is_file = FILES.iter().any(|end| path.to_lowercase().ends_with(end));
    let is_word = !path.contains(char::is_whitespace);
    let is_list = !is_word && path.contains(['\n', ',', '|', '"']);
    (word == "execute" && !is_list && (is_file || is_word)).then_some(path)
}

/// How the names of files with plans end.
const FILES: &[&str] = &[".md", ".markdown", ".json", ".txt"];

/// Takes the name of the command off a text that was typed for an agent.
fn without_command(text: &str) -> &str {
    let text = text.trim_start();
    let after = text.split_at_checked(COMMAND.len());
    let after = after.filter(|(command, _)| command.eq_ignore_ascii_case(COMMAND));
    after
        .map(|(_, rest)| rest)
        .filter(|rest| rest.starts_with(char::is_whitespace))
        .unwrap_or(text)
}

const COMMAND: &str = "/orchestrate";

/// Cuts a text into its tasks. The flag says whether any word before a colon is a domain.
fn pieces(text: &str) -> (Vec<&str>, bool) {
    if let Some(quoted) = quoted(text) {
        let have_domains = have_domains(&quoted);
        return (quoted, have_domains);
    }
    let between: Vec<&str> = text.split('|').collect();
    let mut parts = between.iter().filter(|part| !part.trim().is_empty());
    if between.len() > 1 && parts.all(|part| domain_of(part).is_some()) {
        return (between, true);
    }
    let has_lines = text.trim().contains('\n');
    let alone = at_lone_bars(text);
    if alone.len() > 1 && !has_lines {
        return (alone, true);
    }
    let parts = match has_lines {
        true => text.lines().filter(|line| !line.trim().is_empty()).collect(),
        false => outside_brackets(text),
    };
    let have_domains = have_domains(&parts);
    (parts, have_domains)
}

/// Reports whether each of several tasks has a domain before a colon.
fn have_domains(parts: &[&str]) -> bool {
    let has_one = |part: &&str| {
        // In a template, the word says what is done with each task.
        domain_of(unlisted(part.trim())).is_some_and(|(_, rest)| !rest.trim_start().starts_with(SLOT))
    };
    parts.len() > 1 && parts.iter().all(has_one)
}

/// Cuts a text at the bars with blanks on both sides; others belong to words, as in `a|b` and `a || b`.
fn at_lone_bars(text: &str) -> Vec<&str> {
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let (mut from, mut parts) = (0, Vec::new());
    for (at, _) in text.match_indices('|') {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + 1..).and_then(|text| text.chars().next());
        if is_blank(before) && is_blank(after) {
            parts.extend(text.get(from..at));
            from = at + 1;
        }
    }
    parts.extend(text.get(from..));
    parts
}

/// Returns the quoted texts, if there is nothing else.
fn quoted(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '\\'));
    while let Some(open) = rest.chars().next() {
        let close = match open {
            '"' | '\'' => open,
            '“' => '”',
            _ => return None,
        };
        let inner = rest.get(open.len_utf8()..)?;
        let end = inner.find(close)?;
        found.push(inner.get(..end)?);
        let after = inner.get(end + close.len_utf8()..)?;
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '\\'));
    }
    (!found.is_empty()).then_some(found)
}

/// Cuts a text at the commas that stand outside of brackets.
fn outside_brackets(text: &str) -> Vec<&str> {
    let open: HashSet<usize> = marks::open_brackets(text).into_iter().collect();
    let (mut depth, mut from, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            // One that is never closed is a sign like any other.
            '(' | '[' if open.contains(&at) => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(text.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(from..));
    parts
}

/// Returns the word before the first colon of a text, and what follows it.
fn domain_of(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.trim().split_once(':')?;
    let is_word = !word.is_empty()
        && word.len() <= 40
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        && word.chars().any(char::is_alphabetic);
    (is_word && !rest.starts_with("//") && !rest.trim().is_empty()).then_some((word, rest))
}

fn task(piece: &str, domains: &Domains, any_domain: bool) -> Option<Task> {
    let piece = unlisted(piece.trim());
    let found = domain_of(piece).filter(|(word, _)| any_domain || domains.knows(word));
    let (domain, text) = found.unwrap_or(("", piece));
    let (mut task, _) = marks::read(text);
    if !domain.is_empty() {
        task.domain = words::domain(domain);
    }
    (!task.title.is_empty()).then_some(task)
}

/// Takes the sign of a list off a line.
fn unlisted(line: &str) -> &str {
    if let Some(rest) = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|sign| line.strip_prefix(sign))
    {
        let unticked = rest.strip_prefix("[ ] ").unwrap_or(rest);
        return unticked.trim_start();
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or("");
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::file_in;
    use crate::domain::Domains;
    use crate::forms::read_goal;
    use crate::problem::Problem;

    /// Reads a goal into `domain: title (id) <needs>` of each task.
    fn read(text: &str) -> Vec<String> {
        let plan = read_goal(text, &Domains::default()).unwrap();
        let tasks = plan.tasks.into_iter();
        tasks
            .map(|task| {
                format!(
                    "{}: {} ({}) <{}>",
                    task.domain,
                    task.title,
                    task.id,
                    task.needs.join(" ")
                )
            })
            .collect()
    }

    #[test]
    fn a_list_separated_by_commas_lines_or_quotes() {
        let four = [
            "frontend: Build login UI (1) <>",
            "backend: Create JWT API (2) <>",
            "testing: Write tests (3) <>",
            "security: Security audit (4) <>",
        ];
        for text in [
            "Build login UI, Create JWT API, Write tests, Security audit",
            "Build login UI\nCreate JWT API\n\nWrite tests\nSecurity audit\n",
            "- Build login UI\n* Create JWT API\n3. Write tests\n- [ ] Security audit",
            "\"Build login UI\" \"Create JWT API\" 'Write tests', “Security audit”",
        ] {
            assert_eq!(read(text), four, "{text}");
        }
    }

    #[test]
    fn each_of_several_tasks_may_have_a_domain_of_ones_own() {
        let two = [
            "blockchain: Deploy a contract (1) <>",
            "defi: Build the pool (2) <>",
        ];
        for text in [
            "blockchain: Deploy a contract, defi: Build the pool",
            "blockchain: Deploy a contract\n\ndefi:Build the pool\n",
            "- blockchain: Deploy a contract\n- defi: Build the pool",
            "\"blockchain:Deploy a contract\" \"defi:Build the pool\"",
        ] {
            assert_eq!(read(text), two, "{text}");
        }
        let some = "Note: Deploy a contract\nBuild the pool";
        assert_eq!(read(some)[0], "devops: Note: Deploy a contract (1) <>");
    }

    #[test]
    fn a_text_that_names_a_file_is_no_task() {
        let table = [
            ("execute plan.md", Some("plan.md")),
            (
                "/orchestrate execute .opencode/plans/a b.md",
                Some(".opencode/plans/a b.md"),
            ),
            (" execute tasks from tasks.json ", Some("tasks.json")),
            ("execute shop/web#43", Some("shop/web#43")),
            ("Execute tests", None),
            ("execute the migration", None),
            ("execute the migration, update README.md", None),
            ("execute it\nUpdate README.md", None),
            ("/orchestrate Build UI, Write docs", None),
        ];
        for (text, path) in table {
            assert_eq!(file_in(text), path, "{text}");
        }
        let refused = read_goal("execute plan.md", &Domains::default()).unwrap_err();
        assert!(
            refused.to_string().contains("“execute plan.md” names a file"),
            "{refused}"
        );
    }

    #[test]
    fn bars_give_domains_of_ones_own() {
        assert_eq!(
            read("frontend: Build login page | backend: Create API | testing: Write E2E tests"),
            [
                "frontend: Build login page (1) <>",
                "backend: Create API (2) <>",
                "testing: Write E2E tests (3) <>",
            ]
        );
        assert_eq!(
            read("blockchain:Deploy smart contract | DeFi:Build liquidity pool"),
            [
                "blockchain: Deploy smart contract (1) <>",
                "defi: Build liquidity pool (2) <>",
            ]
        );
        assert_eq!(
            read("Note: this, too"),
            ["general: Note: this (1) <>", "general: too (2) <>"]
        );
    }

    #[test]
    fn bars_within_words_cut_nothing() {
        assert_eq!(
            read("Support a|b in the parser (id: x)\nWrite docs (depends_on: x)"),
            [
                "general: Support a|b in the parser (x) <>",
                "documentation: Write docs (2) <x>"
            ]
        );
        assert_eq!(
            read("Build UI\nSupport a || b\nParse a | b"),
            [
                "frontend: Build UI (1) <>",
                "general: Support a || b (2) <>",
                "general: Parse a | b (3) <>"
            ]
        );
        assert_eq!(
            read("Build UI | Support a || b"),
            ["frontend: Build UI (1) <>", "general: Support a || b (2) <>"]
        );
        assert_eq!(
            read("ui:Build it|api:Create it |\nqa: Test it"),
            [
                "ui: Build it (1) <>",
                "api: Create it (2) <>",
                "qa: Test it (3) <>"
            ]
        );
    }

    #[test]
    fn a_short_text_does_not_become_a_long_plan() {
        let refused = |text: String| read_goal(&text, &Domains::default()).unwrap_err();
        for one in ["a,", "a | ", "a\n", "\"a\" "] {
            assert_eq!(
                refused(one.repeat(20_000)),
                Problem::TooMany { most: 10_000 },
                "{one}"
            );
        }
        let many = "(needs: a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a) b\n".repeat(3_000);
        assert_eq!(refused(many), Problem::TooManyNeeds { most: 50_000 });
        let domain = format!("a (domain: {})", "x".repeat(1_000));
        assert_eq!(read(&domain)[0], format!("{}: a (1) <>", "x".repeat(60)));
    }

    #[test]
    fn a_need_is_an_id_a_place_in_the_list_or_a_title() {
        let ids = |text: &str| -> Vec<String> {
            let plan = read_goal(text, &Domains::default()).unwrap();
            let tasks = plan.tasks.iter();
            tasks
                .map(|task| format!("{}<{}", task.id, task.needs.join(" ")))
                .collect()
        };
        assert_eq!(ids("A (id: a), B, C (depends_on: 1)"), ["a<", "2<", "3<a"]);
        assert_eq!(ids("A (id: a), B, C (depends_on: 2)"), ["a<", "2<", "3<2"]);
        assert_eq!(
            ids("Set up, Build it, C (depends_on: build it)"),
            ["1<", "2<", "3<2"]
        );
        assert_eq!(ids("A (id: 2), B, C (depends_on: 2)"), ["2<", "4<", "3<2"]);
        let twice = read_goal("B, B, C (depends_on: B)", &Domains::default()).unwrap_err();
        assert!(matches!(twice, Problem::Unknown { .. }), "{twice}");
    }

    #[test]
    fn a_mark_that_is_not_closed_is_refused_and_other_brackets_are_signs() {
        for text in [
            "Mend the :( needs work, B",
            "Polish (needsless code, B",
            "Half (id, B",
        ] {
            assert!(read_goal(text, &Domains::default()).is_ok(), "{text}");
        }
        for text in [
            "A (id: b, B (depends_on: b)",
            "A\nB (depends_on: a\nC",
            "A, B (needs 1",
        ] {
            let said = read_goal(text, &Domains::default()).unwrap_err();
            assert!(matches!(said, Problem::Unclosed(_)), "{text}: {said}");
        }
        let said = read_goal("A (id: b, B", &Domains::default())
            .unwrap_err()
            .to_string();
        assert_eq!(
            said,
            "“(id: b, B” is not closed: write the closing bracket after it"
        );
        let smile = read("Mend the typo :( in the header, Write docs, Write tests (a, b)");
        assert_eq!(smile.len(), 3, "{smile:?}");
    }

    #[test]
    fn ids_and_needs() {
        let text = "\"Set up database (id: db)\" \\\n \"Create API (id: api) (depends_on: db)\" \\\n \
                    \"Build UI (id: ui) (depends_on: api)\"";
        assert_eq!(
            read(text),
            [
                "database: Set up database (db) <>",
                "backend: Create API (api) <db>",
                "frontend: Build UI (ui) <api>",
            ]
        );
        assert_eq!(
            read("A (id: 1), B, C (depends_on: 1, 2)"),
            ["general: A (1) <>", "general: B (2) <>", "general: C (3) <1 2>"]
        );
    }
}
