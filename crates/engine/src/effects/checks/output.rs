//! The output of a session's last checks on disk: the whole text of each, for people and conductors, and the excerpt
//! that goes to the agent. Bounded, and removed with the session.

use crate::host::{blocking, files};
use downbeat_wire::ApiError;
use std::path::PathBuf;

/// The maximum size of a check's stored output, in bytes; the beginning of longer output is left out.
const STORED: usize = 2 << 20;

/// The maximum size of an excerpt, in bytes and in lines.
const EXCERPT: (usize, usize) = (16 << 10, 150);

/// What stands in place of output that is left out.
const LEFT_OUT: &str = "…\n";

/// Stores the output of the check with this number.
pub async fn store(folder: PathBuf, number: usize, text: &str) -> Result<(), ApiError> {
    let text = end_of(text, STORED, usize::MAX);
    let written = blocking::blocking(move || {
        files::own_folder(&folder)?;
        files::replace_here(&folder.join(format!("{number}.txt")), text.as_bytes())
    });
    let failed = |error| ApiError::failed("the output of a check cannot be written", error);
    written.await?.map_err(failed)
}

/// Reads the output of the check with this number; `None` if there is none.
pub async fn read(folder: PathBuf, number: usize) -> Result<Option<String>, ApiError> {
    let path = folder.join(format!("{number}.txt"));
    let read = blocking::blocking(move || downbeat_files::read(&path, STORED as u64 + 64)).await?;
    match read {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ApiError::failed("the output of a check cannot be read", error)),
    }
}

/// Removes the output of a session's checks.
pub async fn remove(folder: PathBuf) {
    let removed = blocking::blocking(move || downbeat_git::remove_tree(&folder)).await;
    if let Ok(Err(error)) = removed {
        tracing::warn!("the output of checks stays: {error}");
    }
}

/// Returns the end of an output, for the agent.
pub fn excerpt(text: &str) -> String {
    let (bytes, lines) = EXCERPT;
    end_of(text.trim_end(), bytes, lines)
}

/// Returns the end of a text, within bytes and lines.
pub fn end_of(text: &str, bytes: usize, lines: usize) -> String {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    // A cut line is left out, unless it is the only one.
    if from > 0
        && let Some(at) = text[from..].find('\n').filter(|at| from + at + 1 < text.len())
    {
        from += at + 1;
    }
    let kept = &text[from..];
    let first = kept
        .rmatch_indices('\n')
        .nth(lines.saturating_sub(1))
        .map_or(0, |(at, _)| at + 1);
    match from + first {
        0 => kept.to_owned(),
        _ => format!("{LEFT_OUT}{}", &kept[first..]),
    }
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn the_end_is_kept_in_whole_lines_and_characters() {
        for (text, bytes, lines, wanted) in [
            ("", 4, 4, ""),
            ("a\nb", 9, 9, "a\nb"),
            ("a\nb\nc", 9, 2, "…\nb\nc"),
            ("a\nb\nc", 9, 1, "…\nc"),
            ("aaaa\nbb", 4, 9, "…\nbb"),
            ("ääää", 3, 9, "…\nä"),
            ("aaaa", 2, 9, "…\naa"),
            ("aaa\n", 2, 9, "…\na\n"),
        ] {
            assert_eq!(end_of(text, bytes, lines), wanted, "{text:?} {bytes} {lines}");
        }
    }
}
