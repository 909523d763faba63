//! The format of changes: a list of files, and a unified diff. Pure. Not where they come from.

use crate::paint::Paint;
use downbeat_model::shown::line;
use downbeat_wire::change::{ChangeHunk, ChangeList, ChangeMark, FileChange, FileDiff, NotShown};

/// The sign of a mark, as git writes it.
fn sign(mark: ChangeMark) -> &'static str {
    match mark {
        ChangeMark::Added => "A",
        ChangeMark::Modified => "M",
        ChangeMark::Deleted => "D",
        ChangeMark::Renamed => "R",
        ChangeMark::Copied => "C",
        ChangeMark::TypeChanged => "T",
        ChangeMark::Conflict => "U",
        ChangeMark::Untracked => "?",
    }
}

/// The list of files, with their numbers of lines and the sum.
pub(crate) fn stat(paint: Paint, list: &ChangeList) -> String {
    if list.files.is_empty() {
        return format!("nothing changed since {}\n", line(&list.since));
    }
    let mut text = String::new();
    let (mut added, mut removed) = (0_u64, 0_u64);
    for file in &list.files {
        added += u64::from(file.added.unwrap_or(0));
        removed += u64::from(file.removed.unwrap_or(0));
        let numbers = match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!(
                "{} {}",
                paint.good(&format!("+{added}")),
                paint.bad(&format!("-{removed}"))
            ),
            _ if file.is_submodule => "repository".to_owned(),
            _ => "binary".to_owned(),
        };
        let mode = file
            .mode
            .as_ref()
            .map(|mode| format!(" ({mode})"))
            .unwrap_or_default();
        text.push_str(&format!("{} {} {numbers}{mode}\n", sign(file.mark), name(file)));
    }
    let noun = if list.files.len() == 1 { "file" } else { "files" };
    let more = if list.has_more { "more than " } else { "" };
    text.push_str(&format!(
        "{more}{} {noun} changed since {}, +{added} -{removed}\n",
        list.files.len(),
        line(&list.since)
    ));
    text
}

/// The name of a file, with the one that it had.
fn name(file: &FileChange) -> String {
    match &file.old_path {
        Some(old) => format!("{} → {}", line(old), line(&file.path)),
        None => line(&file.path),
    }
}

/// The head of a file's diff, and why it has no lines.
pub(crate) fn head(paint: Paint, file: &FileChange, diff: &FileDiff) -> String {
    let old = file.old_path.as_ref().unwrap_or(&file.path);
    let (old, new) = (line(old), line(&file.path));
    let mut text = format!("{}\n", paint.strong(&format!("diff --git a/{old} b/{new}")));
    if let Some(mode) = &file.mode {
        text.push_str(&format!("mode {mode}\n"));
    }
    match file.mark {
        ChangeMark::Added | ChangeMark::Untracked => text.push_str("new file\n"),
        ChangeMark::Deleted => text.push_str("deleted file\n"),
        _ => {}
    }
    if file.old_path.is_some() {
        let how = if file.mark == ChangeMark::Copied {
            "copy"
        } else {
            "rename"
        };
        text.push_str(&format!("{how} from {old}\n{how} to {new}\n"));
    }
    if file.mark == ChangeMark::Conflict {
        text.push_str("a merge left conflicts in it\n");
    }
    let why = match diff.not_shown {
        Some(NotShown::Binary) => "it is not text",
        Some(NotShown::TooLarge) => "it has more than 16 MB",
        Some(NotShown::Submodule) => "it is a repository of its own",
        Some(NotShown::Unchanged) => "it is as it was meanwhile",
        None if diff.hunks.is_empty() => return text,
        None => {
            let is_new = matches!(file.mark, ChangeMark::Added | ChangeMark::Untracked);
            let before = if is_new {
                "/dev/null".to_owned()
            } else {
                format!("a/{old}")
            };
            let is_gone = file.mark == ChangeMark::Deleted;
            let after = if is_gone {
                "/dev/null".to_owned()
            } else {
                format!("b/{new}")
            };
            text.push_str(&format!("--- {before}\n+++ {after}\n"));
            return text;
        }
    };
    text.push_str(&format!("not shown: {why}\n"));
    text
}

/// The hunks as git writes them, with what acts on a terminal written out.
pub(crate) fn hunks(paint: Paint, hunks: &[ChangeHunk]) -> String {
    let mut text = String::new();
    for hunk in hunks {
        if !hunk.continues {
            let count = |sign: char| {
                let rows = hunk.rows.iter();
                rows.filter(|row| row.starts_with([' ', sign])).count()
            };
            let (old, new) = (count('-'), count('+'));
            let range = format!("@@ -{},{old} +{},{new} @@", hunk.old_start, hunk.new_start);
            let place = match hunk.heading.is_empty() {
                true => String::new(),
                false => format!(" {}", line(&hunk.heading)),
            };
            text.push_str(&format!("{}{place}\n", paint.busy(&range)));
        }
        for row in &hunk.rows {
            let shown = downbeat_model::shown::lines(row);
            match row.chars().next() {
                Some('+') => text.push_str(&paint.good(&shown)),
                Some('-') => text.push_str(&paint.bad(&shown)),
                Some('\\') => text.push_str("\\ No newline at end of file"),
                _ => text.push_str(&shown),
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{head, hunks, stat};
    use crate::paint::Paint;
    use downbeat_wire::change::{ChangeHunk, ChangeList, FileChange, FileDiff};
    use serde_json::json;

    fn file() -> FileChange {
        let file = json!({ "path": "src/new\u{1b}[2J.rs", "oldPath": "src/old.rs", "mark": "renamed", "added": 1,
            "removed": 1, "mode": "100644 → 100755", "isSubmodule": false, "contentId": "1" });
        serde_json::from_value(file).unwrap()
    }

    #[test]
    fn a_diff_reads_as_that_of_git_and_nothing_in_it_acts_on_the_terminal() {
        let hunk = ChangeHunk {
            old_start: 3,
            new_start: 3,
            heading: "fn a()".into(),
            continues: false,
            rows: vec![" a".into(), "-b\u{1b}[31m".into(), "+\tc\r".into(), "\\".into()],
        };
        let diff: FileDiff =
            serde_json::from_value(json!({ "file": null, "hunks": [hunk], "total": 3, "next": null,
            "notShown": null, "isLossy": false, "isCut": false, "picture": null }))
            .unwrap();
        let text = format!(
            "{}{}",
            head(Paint::off(), &file(), &diff),
            hunks(Paint::off(), &diff.hunks)
        );
        let wanted = "diff --git a/src/old.rs b/src/new\\e[2J.rs\nmode 100644 → 100755\nrename from src/old.rs\n\
            rename to src/new\\e[2J.rs\n--- a/src/old.rs\n+++ b/src/new\\e[2J.rs\n@@ -3,2 +3,2 @@ fn a()\n a\n\
            -b\\e[31m\n+\tc\\r\n\\ No newline at end of file\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn the_list_ends_with_the_sum() {
        let mut list: ChangeList =
            serde_json::from_value(json!({ "id": "s000000000001", "since": "main", "from": "a",
            "to": null, "note": null, "files": [file()], "hasMore": false, "commits": [], "turns": [] }))
            .unwrap();
        assert_eq!(
            stat(Paint::off(), &list),
            "R src/old.rs → src/new\\e[2J.rs +1 -1 (100644 → 100755)\n1 file changed since main, +1 -1\n"
        );
        list.files.clear();
        assert_eq!(stat(Paint::off(), &list), "nothing changed since main\n");
    }
}
