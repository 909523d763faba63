//! Converts what git found to types of the wire. Pure.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use downbeat_git::{Change, CommitInfo, FileContent, Hunk, RowKind, Unshown};
use downbeat_wire::change::{
    ChangeCommit, ChangeHunk, ChangeMark, ChangedPicture, FileChange, FileDiff, NotShown,
};

/// The lines of a page by default.
const LINES: u32 = 2_000;

/// The most lines of a page.
const MOST_LINES: u32 = 5_000;

/// The pictures that every browser shows and none runs anything in, by the ends of their names.
const PICTURES: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("ico", "image/x-icon"),
];

/// Returns the media type of a picture.
pub(super) fn picture_type(path: &str) -> Option<&'static str> {
    let (_, end) = path.rsplit_once('.')?;
    let end = end.to_ascii_lowercase();
    let known = PICTURES.iter().find(|(name, _)| *name == end);
    known.map(|(_, media)| *media)
}

/// Converts a file.
pub(super) fn file(file: downbeat_git::FileChange) -> FileChange {
    let both = file.old_mode != 0 && file.new_mode != 0 && file.old_mode != file.new_mode;
    FileChange {
        mode: both.then(|| format!("{:o} → {:o}", file.old_mode, file.new_mode)),
        path: file.path,
        old_path: file.old_path,
        mark: match file.change {
            Change::Added => ChangeMark::Added,
            Change::Modified => ChangeMark::Modified,
            Change::Deleted => ChangeMark::Deleted,
            Change::Renamed => ChangeMark::Renamed,
            Change::Copied => ChangeMark::Copied,
            Change::TypeChanged => ChangeMark::TypeChanged,
            Change::Conflict => ChangeMark::Conflict,
            Change::Untracked => ChangeMark::Untracked,
        },
        added: file.added,
        removed: file.removed,
        is_submodule: file.is_submodule,
        content_id: file.id,
    }
}

/// Converts a commit.
pub(super) fn commit(commit: CommitInfo) -> ChangeCommit {
    ChangeCommit {
        id: commit.id,
        subject: commit.subject,
        author: commit.author,
        at: commit.time,
    }
}

/// Converts the content of a file, of which `from` is the first line of the page.
pub(super) fn content(content: FileContent, from: Option<u32>, lines: Option<u32>) -> FileDiff {
    let from = from.unwrap_or(0);
    let lines = lines.unwrap_or(LINES).clamp(1, MOST_LINES);
    let (hunks, total) = page(&content.hunks, from, lines);
    let end = from.saturating_add(lines);
    let not_shown = match content.unshown {
        Some(Unshown::Binary) => Some(NotShown::Binary),
        Some(Unshown::TooLarge) => Some(NotShown::TooLarge),
        Some(Unshown::Submodule) => Some(NotShown::Submodule),
        None if content.file.is_none() => Some(NotShown::Unchanged),
        None => None,
    };
    let media = content.file.as_ref().and_then(|file| picture_type(&file.path));
    let code = |bytes: Option<Vec<u8>>| bytes.map(|bytes| STANDARD.encode(bytes));
    let picture = media.filter(|_| content.before.is_some() || content.after.is_some());
    let picture = picture.map(|media| ChangedPicture {
        media_type: media.to_owned(),
        before: code(content.before),
        after: code(content.after),
    });
    FileDiff {
        file: content.file.map(file),
        hunks,
        total,
        next: (end < total).then_some(end),
        not_shown,
        is_lossy: content.is_lossy,
        is_cut: content.is_cut,
        picture,
    }
}

/// Returns the lines of the hunks from `from`, and how many there are in all.
fn page(hunks: &[Hunk], from: u32, lines: u32) -> (Vec<ChangeHunk>, u32) {
    let mut shown: Vec<ChangeHunk> = Vec::new();
    let mut at: u32 = 0;
    let end = from.saturating_add(lines);
    for hunk in hunks {
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        let mut part: Option<ChangeHunk> = None;
        for (index, row) in hunk.rows.iter().enumerate() {
            if at >= from && at < end {
                let part = part.get_or_insert_with(|| ChangeHunk {
                    old_start: old,
                    new_start: new,
                    heading: if index == 0 {
                        hunk.heading.clone()
                    } else {
                        String::new()
                    },
                    continues: index > 0,
                    rows: Vec::new(),
                });
                let sign = match row.kind {
                    RowKind::Same => ' ',
                    RowKind::Added => '+',
                    RowKind::Removed => '-',
                };
                part.rows.push(format!("{sign}{}", row.text));
                if row.is_unended {
                    part.rows.push("\\".to_owned());
                }
            }
            old += u32::from(row.kind != RowKind::Added);
            new += u32::from(row.kind != RowKind::Removed);
            at = at.saturating_add(1);
        }
        shown.extend(part);
    }
    (shown, at)
}

#[cfg(test)]
mod tests {
    use super::{page, picture_type};
    use downbeat_git::{Hunk, Row, RowKind};

    fn hunk(start: u32, signs: &str) -> Hunk {
        let kind = |sign| match sign {
            '+' => RowKind::Added,
            '-' => RowKind::Removed,
            _ => RowKind::Same,
        };
        let row = |sign| Row {
            kind: kind(sign),
            text: "x".into(),
            is_unended: false,
        };
        Hunk {
            old_start: start,
            new_start: start,
            heading: "fn x".into(),
            rows: signs.chars().map(row).collect(),
            ..Hunk::default()
        }
    }

    #[test]
    fn pages_join_to_the_whole_and_each_knows_its_line_numbers() {
        let hunks = [hunk(1, " -+ "), hunk(50, "++ ")];
        let (all, total) = page(&hunks, 0, 100);
        assert_eq!((all.len(), total), (2, 7));
        let parts: Vec<_> = (0..7).map(|from| page(&hunks, from, 1).0.remove(0)).collect();
        let numbers: Vec<_> = parts
            .iter()
            .map(|part| (part.old_start, part.new_start))
            .collect();
        assert_eq!(
            numbers,
            [(1, 1), (2, 2), (3, 2), (3, 3), (50, 50), (50, 51), (50, 52)]
        );
        let continues: Vec<_> = parts.iter().map(|part| part.continues).collect();
        assert_eq!(continues, [false, true, true, true, false, true, true]);
        let rows: Vec<_> = parts.into_iter().flat_map(|part| part.rows).collect();
        assert_eq!(
            rows,
            all.into_iter().flat_map(|part| part.rows).collect::<Vec<_>>()
        );
        assert!(page(&hunks, 7, 5).0.is_empty() && page(&hunks, u32::MAX, u32::MAX).0.is_empty());
    }

    #[test]
    fn only_pictures_that_run_nothing_are_pictures() {
        let types = ["a/b.PNG", "x.jpeg", "x.svg", "png", "x.html", "x.png.exe"].map(picture_type);
        assert_eq!(
            types,
            [Some("image/png"), Some("image/jpeg"), None, None, None, None]
        );
    }
}
