//! The bounds of what is read and of what is kept of a failure.

use quick_xml::Reader;
use quick_xml::events::Event;

/// The longest text that is kept of a failure, in bytes.
pub const MAX_TEXT: usize = 64 << 10;

/// The longest title, message or path, in bytes.
pub const MAX_LINE: usize = 400;

/// The largest number of failures that is read of one check.
pub const MAX_FAILURES: usize = 1000;

/// The largest number of failures that is read of one text: one more, so that it is known that there are too many.
pub const MAX_READ: usize = MAX_FAILURES + 1;

/// The deepest nesting of elements in an XML report. The parser recurses into them.
const MAX_DEPTH: usize = 32;

/// Returns the beginning of a text, within a number of bytes, ending at a character.
pub fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the end of a text, within a number of bytes, beginning at a character.
pub fn end_of(text: &str, bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// Returns the first line of a text that is not blank, within [`MAX_LINE`].
pub fn line_of(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    start_of(line.unwrap_or_default(), MAX_LINE).to_owned()
}

/// Returns why an XML document is not parsed: it declares a document type, which could define entities, or nests too
/// deeply. It is read as the parser of reports reads it: what only looks like a comment or an end to another reader hides nothing.
pub fn refuse_xml(text: &str) -> Result<(), String> {
    let mut events = Reader::from_str(text);
    let mut depth = 0_usize;
    loop {
        match events.read_event() {
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::DocType(_)) => return Err("it declares a document type or entities".to_owned()),
            // The parser stops there, too, and says why.
            Ok(Event::Eof) | Err(_) => return Ok(()),
            Ok(_) => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("its elements are nested more than {MAX_DEPTH} deep"));
        }
    }
}
