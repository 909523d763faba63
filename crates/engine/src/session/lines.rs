//! Bounds what is quoted of an agent to one line.

use downbeat_model::lines;

/// Bytes of one worker's own words; the rest is in its terminal and its result file.
const MAX_WORDS: usize = 4 * 1024;

/// The beginning of others' text, set into ours.
pub fn set_in(words: &str) -> String {
    let mut end = words.len().min(MAX_WORDS);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    let cut = if end < words.len() { "\n…" } else { "" };
    lines::set_in(&format!("{}{cut}", &words[..end]), "    > ")
}
