//! Finds places and blocks in the lines that tools print.

use crate::bounds::{MAX_TEXT, start_of};

/// Returns the places in files of the repository that a text names: `src/cart.ts:14`.
pub fn places(text: &str) -> Vec<(String, u32)> {
    let words = text.split(|c: char| c.is_whitespace() || "()[]\"'`,".contains(c));
    words.filter_map(place).collect()
}

fn place(word: &str) -> Option<(String, u32)> {
    let mut parts = word.split(':');
    let (file, line) = (parts.next()?, parts.next()?.parse().ok()?);
    let name = file.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_file = !stem.is_empty() && !extension.is_empty() && extension.chars().all(char::is_alphanumeric);
    let is_own = !file.starts_with('/') && !file.contains("node_modules/") && !file.contains("://");
    (is_file && is_own).then(|| (file.trim_start_matches("./").to_owned(), line))
}

/// Returns the lines from `from` up to the first one that ends the block, within [`MAX_TEXT`]. No further line is looked at: a
/// block that never ends begins at each of many lines.
pub fn block(lines: &[&str], from: usize, ends: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for line in lines.get(from..).unwrap_or_default() {
        if ends(line) || text.len() >= MAX_TEXT {
            break;
        }
        text.push_str(start_of(line, MAX_TEXT - text.len()));
        text.push('\n');
    }
    text.trim_matches('\n').to_owned()
}

/// Splits `file:line:column` at the end of a text.
pub fn split_place(text: &str) -> Option<(&str, u32)> {
    let mut parts = text.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    column.parse::<u32>().ok()?;
    Some((file, line.parse().ok()?))
}
