//! Bounds the text that is quoted from an agent.

use downbeat_model::lines;

/// The maximum length of a worker's quoted words in bytes; the rest is in its terminal and its result file.
const MAX_WORDS: usize = 4 * 1024;

/// Quotes the beginning of others' text within ours.
pub fn set_in(words: &str) -> String {
    let mut end = words.len().min(MAX_WORDS);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    let cut = if end < words.len() { "\n…" } else { "" };
    lines::set_in(&format!("{}{cut}", &words[..end]), "    > ")
}
