//! Cleans text that comes from agents or goes to them: removes characters that act, hide or redraw, and
//! brings text into a form in which two texts can be compared. Knows no agent.

use downbeat_model::name::shows;

/// Characters of a text that people read in full; the terminal shows the rest.
pub(crate) const MAX_TEXT: usize = 2000;

/// Characters of a text that is shown in one row.
pub(crate) const MAX_LINE: usize = 120;

/// Removes control characters from `text`: line ends become line feeds, and of the others only tabs stay.
pub(crate) fn without_control(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars()
        .filter(|&c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect()
}

/// Removes control characters from `text`, and puts a space before text that an agent would read as one of
/// its commands or options.
pub(crate) fn harmless(text: &str) -> String {
    let clean = without_control(text);
    if clean.starts_with(['/', '!', '#', '-']) {
        format!(" {clean}")
    } else {
        clean
    }
}

/// Prepares `text` for people: no character hides, reverses or redraws, and a long text is cut.
pub(crate) fn plain(text: &str) -> String {
    let shown = |c: &char| *c == '\n' || shows(*c);
    let mut characters = text.trim().chars().filter(shown);
    let mut out: String = characters.by_ref().take(MAX_TEXT).collect();
    if characters.next().is_some() {
        out.push('…');
    }
    out
}

/// Prepares `text` for people as one short line.
pub(crate) fn one_line(text: &str) -> String {
    let text = plain(text.split_whitespace().collect::<Vec<_>>().join(" ").as_str());
    let mut shown: String = text.chars().take(MAX_LINE).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Removes blanks and the frames that agents draw from `text`, so that it can be compared with the same text
/// wrapped on a screen.
pub(crate) fn without_layout(text: &str) -> String {
    let layout = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{259f}').contains(&c);
    text.chars().filter(|&c| !layout(c)).collect()
}
