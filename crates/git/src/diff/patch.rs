//! Parses the unified diff of one file. Pure.

/// The longest line that is shown, in bytes; of a longer one, only the beginning.
const LONGEST: usize = 4_000;

/// Changed lines with their surroundings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The first line in the earlier file, from 1; 0 if the hunk has none.
    pub old_start: u32,
    /// The number of its lines in the earlier file.
    pub old_lines: u32,
    /// The first line in the later file.
    pub new_start: u32,
    /// The number of its lines in the later file.
    pub new_lines: u32,
    /// The line that git shows as the place, such as the function.
    pub heading: String,
    /// Its lines.
    pub rows: Vec<Row>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// It is in both files.
    Same,
    /// It is only in the later file.
    Added,
    /// It is only in the earlier file.
    Removed,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What became of it.
    pub kind: RowKind,
    /// Its text without the line end; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether its file ends without a line end there.
    pub is_unended: bool,
}

/// The hunks of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) hunks: Vec<Hunk>,
    /// Whether a line is not UTF-8.
    pub(super) is_lossy: bool,
    /// Whether a line was too long to be shown in full.
    pub(super) is_cut: bool,
}

impl Patch {
    /// Parses the output of `git diff` about one file. What stands before the first hunk is ignored.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut patch = Self::default();
        let (mut old, mut new) = (0, 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            if old == 0 && new == 0 {
                if let Some(hunk) = header(line) {
                    (old, new) = (hunk.old_lines, hunk.new_lines);
                    patch.hunks.push(hunk);
                } else if line.starts_with(b"\\")
                    && let Some(row) = patch.hunks.last_mut().and_then(|hunk| hunk.rows.last_mut())
                {
                    row.is_unended = true;
                }
                continue;
            }
            let kind = match line.first() {
                Some(b'+') => RowKind::Added,
                Some(b'-') => RowKind::Removed,
                Some(b'\\') => {
                    if let Some(row) = patch.hunks.last_mut().and_then(|hunk| hunk.rows.last_mut()) {
                        row.is_unended = true;
                    }
                    continue;
                }
                _ => RowKind::Same,
            };
            old -= u32::from(kind != RowKind::Added).min(old);
            new -= u32::from(kind != RowKind::Removed).min(new);
            patch.push(kind, line.get(1..).unwrap_or_default());
        }
        patch
    }

    /// Returns a file as one hunk in which every line was added.
    pub(super) fn added(content: &[u8]) -> Self {
        let mut patch = Self::default();
        if content.is_empty() {
            return patch;
        }
        patch.hunks.push(Hunk::default());
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            patch.push(RowKind::Added, line.strip_suffix(b"\n").unwrap_or(line));
        }
        if let Some(hunk) = patch.hunks.last_mut() {
            hunk.new_start = 1;
            hunk.new_lines = u32::try_from(hunk.rows.len()).unwrap_or(u32::MAX);
            if let Some(last) = hunk.rows.last_mut() {
                last.is_unended = !content.ends_with(b"\n");
            }
        }
        patch
    }

    fn push(&mut self, kind: RowKind, bytes: &[u8]) {
        let shown = bytes.get(..LONGEST).unwrap_or(bytes);
        let text = match std::str::from_utf8(shown) {
            Ok(text) => text.to_owned(),
            // A character that the limit cuts in two is left out.
            Err(error) if shown.len() < bytes.len() && error.error_len().is_none() => {
                String::from_utf8_lossy(shown.get(..error.valid_up_to()).unwrap_or_default()).into_owned()
            }
            Err(_) => {
                self.is_lossy = true;
                String::from_utf8_lossy(shown).into_owned()
            }
        };
        self.is_cut |= shown.len() < bytes.len();
        if let Some(hunk) = self.hunks.last_mut() {
            hunk.rows.push(Row {
                kind,
                text,
                is_unended: false,
            });
        }
    }
}

/// Parses `@@ -1,2 +3,4 @@ heading`.
fn header(line: &[u8]) -> Option<Hunk> {
    let text = String::from_utf8_lossy(line.strip_prefix(b"@@ -")?).into_owned();
    let (old, rest) = text.split_once(" +")?;
    let (new, heading) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        let (start, lines) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, lines.parse().ok()?))
    };
    let ((old_start, old_lines), (new_start, new_lines)) = (range(old)?, range(new)?);
    Some(Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        heading: heading.trim().to_owned(),
        rows: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Patch, RowKind};

    fn shown(patch: &Patch) -> Vec<String> {
        let rows = patch.hunks.iter().flat_map(|hunk| &hunk.rows);
        let sign = |kind| match kind {
            RowKind::Same => ' ',
            RowKind::Added => '+',
            RowKind::Removed => '-',
        };
        rows.map(|row| {
            format!(
                "{}{}{}",
                sign(row.kind),
                row.text,
                if row.is_unended { "~" } else { "" }
            )
        })
        .collect()
    }

    #[test]
    fn lines_that_look_like_headers_are_lines() {
        let text = b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ fn a()\n a\n--- b\n+++ b\n @@ -1 +1 @@\n@@ -9 +9 @@\n-diff\n\\ No newline at end of file\n+diff --git\n\\ No newline at end of file\n";
        let patch = Patch::parse(text);
        assert_eq!(patch.hunks.len(), 2);
        assert_eq!(
            (patch.hunks[0].heading.as_str(), patch.hunks[1].old_start),
            ("fn a()", 9)
        );
        assert_eq!(
            shown(&patch),
            [" a", "--- b", "+++ b", " @@ -1 +1 @@", "-diff~", "+diff --git~"]
        );
    }

    #[test]
    fn a_new_file_is_one_hunk() {
        assert_eq!(Patch::added(b""), Patch::default());
        let patch = Patch::added(b"a\n\nb");
        assert_eq!(shown(&patch), ["+a", "+", "+b~"]);
        assert_eq!((patch.hunks[0].new_start, patch.hunks[0].new_lines), (1, 3));
    }

    #[test]
    fn other_bytes_and_long_lines_are_named() {
        let other = Patch::added(b"caf\xe9\n");
        assert!(other.is_lossy && !other.is_cut);
        let long = Patch::added("ä".repeat(LONGEST).as_bytes());
        assert!(long.is_cut && !long.is_lossy);
        assert_eq!(long.hunks[0].rows[0].text, "ä".repeat(LONGEST / 2));
        let odd = Patch::added(format!("x{}", "ä".repeat(LONGEST)).as_bytes());
        assert!(odd.is_cut && !odd.is_lossy);
        assert_eq!(odd.hunks[0].rows[0].text.len(), LONGEST - 1);
    }
}
