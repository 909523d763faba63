//! Finds the question in prose with which an agent ended its turn. Reads the agent's own last answer, never a
//! screen; code, quotes and tables in it are skipped.
//!
//! A question counts if it comes last, or if only its answers, a recommendation or a request for the answer
//! follow. Questions out of politeness do not count: nobody waits for an answer to them. English phrases are
//! data; a question mark counts in any language.

use crate::text::plain;
use downbeat_model::{FactKind, Question, QuestionKind};

/// Characters at the end of an answer that are read.
const READ: usize = 6000;

/// Characters at the end of an answer that are reported.
const TOLD: usize = 4000;

/// The maximum length of an offered answer, in characters.
const LABEL: usize = 120;

/// The numbers of answers that a list may offer.
const OFFERED: std::ops::RangeInclusive<usize> = 2..=9;

/// Parts of questions that are asked out of politeness.
const COURTESY: [&str; 23] = [
    "anything else",
    "something else",
    "any other question",
    "any questions",
    "let me know if",
    "need any help",
    "need more help",
    "can i help",
    "may i help",
    "i help you",
    "i assist you",
    "can i assist",
    "can i do for you",
    "do next",
    "work on next",
    "tackle next",
    "like to work on",
    "like to do today",
    "what's next",
    "make sense",
    "who knows",
    "isn't it",
    "why not",
];

/// Phrases that may follow a question without ending it: a request for the answer, or a recommendation.
const TRAILERS: [&str; 22] = [
    "let me know",
    "please confirm",
    "please choose",
    "please advise",
    "tell me",
    "reply with",
    "just say",
    "your call",
    "up to you",
    "i'll wait",
    "i will wait",
    "i'm waiting",
    "waiting for",
    "once you",
    "i recommend",
    "i'd recommend",
    "i suggest",
    "i'd suggest",
    "i'd go with",
    "my recommendation",
    "either works",
    "(y/n)",
];

/// Phrases that ask without a question mark, at the start of a sentence or after a comma in it.
const REQUESTS: [&str; 22] = [
    "please confirm whether",
    "please confirm if",
    "please confirm before",
    "please confirm that i",
    "please confirm so",
    "please confirm which",
    "please choose",
    "please pick",
    "please clarify",
    "please specify",
    "please decide",
    "please let me know which",
    "please let me know whether",
    "please let me know how",
    "please tell me which",
    "let me know which",
    "let me know whether",
    "let me know how you",
    "let me know if i should",
    "tell me which",
    "i need your",
    "waiting for your",
];

/// Beginnings of questions that are answered by yes or no.
const YES_NO: [&str; 20] = [
    "should i",
    "should we",
    "shall i",
    "shall we",
    "do you want",
    "would you like",
    "may i",
    "can i",
    "could i",
    "want me to",
    "is it ok",
    "is it okay",
    "is that ok",
    "is that okay",
    "are you ok",
    "ok to",
    "okay to",
    "proceed",
    "ready to",
    "sound good",
];

/// Words of questions that ask for one of a list.
const CHOICE: [&str; 8] = [
    "which",
    "option",
    "prefer",
    "choose",
    "pick",
    "would you like",
    "should i",
    "how ",
];

/// A line of an answer, reduced to what matters.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Text(String),
    /// An item of a list, and whether it is numbered or named.
    Item(String, bool),
    Blank,
}

/// Returns the question with which `answer` ends, if it ends with one.
#[must_use]
pub fn question(answer: &str) -> Option<Question> {
    let skip = answer.chars().count().saturating_sub(READ);
    let start = answer.char_indices().nth(skip).map_or(0, |(at, _)| at);
    let lines = own_words(&answer[start..]);
    let mut blocks = blocks(&lines);
    let mut end = blocks.pop()?;
    let mut list: &[Line] = &[];
    if matches!(end.first(), Some(Line::Item(..))) {
        (list, end) = (end, blocks.pop().unwrap_or_default());
        if let Some(text) = asked_in(list, end) {
            return Some(asked(&text, Vec::new()));
        }
        let said = text_of(end);
        let asks = last_question(&said).or_else(|| leads(&said));
        return asks.map(|text| asked(&text, offered(list, &text)));
    }
    let said = text_of(end);
    if let Some(text) = last_question(&said) {
        if let Some(before @ [Line::Item(..), ..]) = blocks.last() {
            list = before;
        }
        return Some(asked(&text, offered(list, &text)));
    }
    // Only a recommendation or a request: its subject is above, with the list in between.
    if !sentences(&said)
        .iter()
        .all(|sentence| is_one(sentence, &TRAILERS))
    {
        return None;
    }
    if let Some(before @ [Line::Item(..), ..]) = blocks.last() {
        list = before;
        blocks.pop();
    }
    let said = text_of(blocks.pop()?);
    let text = last_question(&said).or_else(|| leads(&said).filter(|_| !list.is_empty()))?;
    Some(asked(&text, offered(list, &text)))
}

/// Returns the end of an agent's last answer, if it gave one.
pub(crate) fn answered(answer: Option<&str>) -> Option<FactKind> {
    let text = answer.map(str::trim).filter(|text| !text.is_empty())?;
    let from = text.char_indices().rev().nth(TOLD - 1).map_or(0, |(at, _)| at);
    let text = plain(&text[from..]);
    Some(FactKind::Answered(match from {
        0 => text,
        _ => format!("…{text}"),
    }))
}

/// Returns the fact that the end of a turn stands for, with its evidence: a question in prose leaves the
/// session waiting.
pub(crate) fn ended(detail: String, answer: Option<&str>) -> (FactKind, String) {
    match answer.and_then(question) {
        Some(question) => (
            FactKind::Asked(question),
            format!("{detail}: its answer ends with a question"),
        ),
        None => (FactKind::TurnEnded, detail),
    }
}

fn asked(text: &str, options: Vec<String>) -> Question {
    Question {
        kind: QuestionKind::Asks,
        text: plain(&bare(text)),
        options: options.iter().map(|option| plain(option)).collect(),
    }
}

/// Returns the lines of an answer without code, quotes and tables.
fn own_words(answer: &str) -> Vec<Line> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in answer.lines() {
        let text = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (Some(_), _) => {}
            (None, None) => {
                let foreign = text.starts_with(['>', '|']) || text.chars().all(|c| "-=*_".contains(c));
                lines.push(match item(text) {
                    _ if foreign => Line::Blank,
                    Some((text, named)) => Line::Item(text.to_owned(), named),
                    None => Line::Text(text.trim_start_matches('#').trim().to_owned()),
                });
            }
        }
    }
    lines
}

/// Returns a line of a list without its mark, and whether that was a number or a name.
fn item(line: &str) -> Option<(&str, bool)> {
    let bullet = ["- ", "* ", "• ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    match bullet {
        // `- **Option A**: …` counts as named, too.
        Some(text) => Some((text, named(text).is_some())),
        None => named(line).map(|text| (text, true)),
    }
}

/// Returns a line that starts with a number or a name, without the number.
fn named(line: &str) -> Option<&str> {
    let open = line.trim_start_matches(['*', '(', '_']);
    let named = open
        .get(..7)
        .is_some_and(|word| word.eq_ignore_ascii_case("option "))
        && open[7..].starts_with(|c: char| c.is_ascii_alphanumeric())
        && open[8..].starts_with([':', '.', ')', ' ', '*']);
    if named {
        return Some(line);
    }
    let mark = open.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let letter = open.starts_with(|c: char| c.is_ascii_alphabetic());
    let mark = if mark == 0 && letter { 1 } else { mark };
    let rest = open.get(mark..)?;
    let ends: &[&str] = if letter {
        &[") ", ")** "]
    } else {
        &[". ", ") ", ".** ", ")** "]
    };
    let text = ends.iter().find_map(|end| rest.strip_prefix(end))?;
    (1..=2).contains(&mark).then(|| text.trim())
}

/// Splits lines into paragraphs and lists, in their order. A list continues over blank lines.
fn blocks(lines: &[Line]) -> Vec<&[Line]> {
    let mut blocks: Vec<&[Line]> = Vec::new();
    let mut from = 0;
    for at in 0..=lines.len() {
        let is_item = |line: Option<&Line>| matches!(line, Some(Line::Item(..)));
        let in_list = is_item(lines.get(from));
        let ends = match lines.get(at) {
            None => true,
            Some(Line::Blank) if in_list => {
                let next = lines[at..].iter().find(|line| **line != Line::Blank);
                !is_item(next)
            }
            Some(Line::Blank) => true,
            Some(Line::Item(..)) => !in_list,
            // Continues the item before it.
            Some(Line::Text(_)) => false,
        };
        if ends {
            if lines[from..at].iter().any(|line| *line != Line::Blank) {
                blocks.push(&lines[from..at]);
            }
            from = at;
        }
        if lines.get(from) == Some(&Line::Blank) {
            from = at + 1;
        }
    }
    blocks
}

fn text_of(block: &[Line]) -> String {
    let texts = block.iter().filter_map(|line| match line {
        Line::Text(text) | Line::Item(text, _) => Some(text.as_str()),
        Line::Blank => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Splits text into sentences with their ends. A mark inside a word, inline code or quotes does not end one.
fn sentences(text: &str) -> Vec<&str> {
    let (mut out, mut from, mut inside) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        match (inside, c) {
            (Some(end), c) if c == end => inside = None,
            (Some(_), _) => {}
            (None, '`' | '"') => inside = Some(c),
            (None, '“') => inside = Some('”'),
            (None, '.' | '?' | '!' | '？' | '。') => {
                let end = at + c.len_utf8();
                let closes = text[end..].trim_start_matches(['*', '_', ')', '"', '?', '!', '.']);
                if closes.is_empty() || closes.starts_with(char::is_whitespace) || c > '\u{7f}' {
                    out.push(text[from..text.len() - closes.len()].trim());
                    from = text.len() - closes.len();
                }
            }
            _ => {}
        }
    }
    out.push(text.get(from..).unwrap_or_default().trim());
    out.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    out
}

fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !"?？؟`\"”>".contains(c));
    let end = end.strip_suffix("(y/n)").map_or(end, str::trim_end);
    end.ends_with(['?', '？', '؟']) && !is_one(sentence, &COURTESY)
}

fn is_one(sentence: &str, phrases: &[&str]) -> bool {
    let lower = bare(sentence).to_lowercase().replace('’', "'");
    phrases.iter().any(|phrase| lower.contains(phrase))
}

/// Returns whether a sentence asks for a decision without a question mark.
fn requests(sentence: &str) -> bool {
    let lower = bare(sentence).to_lowercase().replace('’', "'");
    lower.split([',', ';', '—']).any(|part| {
        let part = part.trim_start();
        REQUESTS.iter().any(|phrase| part.starts_with(phrase))
    })
}

/// Returns the question at the end of a paragraph, if only politeness, recommendations and requests for the
/// answer follow it.
fn last_question(text: &str) -> Option<String> {
    let all = sentences(text);
    let follows = |sentence: &&str| {
        let polite = is_one(sentence, &COURTESY) && !requests(sentence);
        polite || (is_one(sentence, &TRAILERS) && !is_question(sentence))
    };
    let last = all.iter().rposition(|sentence| !follows(sentence));
    if let Some(at) = last.filter(|&at| is_question(all[at])) {
        // Consecutive questions belong together.
        let before = all[..at]
            .iter()
            .rev()
            .take_while(|sentence| is_question(sentence));
        return Some(all[at - before.count()..=at].join(" "));
    }
    let from = last.map_or(0, |at| at + 1);
    let own = |sentence: &&&str| requests(sentence);
    let asks = all[from..].iter().find(own).or_else(|| all.last().filter(own));
    asks.map(|&sentence| sentence.to_owned())
}

/// Returns a paragraph that introduces a list of answers without a question mark: `Which do you prefer:`.
fn leads(text: &str) -> Option<String> {
    let last = *sentences(text).last()?;
    let lower = last.to_lowercase();
    let asks = [
        "which ",
        "please choose",
        "choose one",
        "pick one",
        "do you prefer",
        "would you like",
    ];
    (last.ends_with(':') && asks.iter().any(|word| lower.contains(word))).then(|| last.to_owned())
}

/// Returns the questions of a list at the end, with the sentence that introduces them.
fn asked_in(list: &[Line], before: &[Line]) -> Option<String> {
    let items: Vec<&str> = list
        .iter()
        .filter_map(|line| match line {
            Line::Item(text, _) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let all = items.iter().all(|item| is_question(item));
    (all && !items.is_empty()).then(|| {
        let lead = sentences(&text_of(before)).last().map(|lead| format!("{lead}\n"));
        format!("{}{}", lead.unwrap_or_default(), items.join("\n"))
    })
}

/// Returns the answers that a question offers: the items of the list next to it, or yes and no.
fn offered(list: &[Line], text: &str) -> Vec<String> {
    let last = sentences(text).last().map(|last| bare(last).to_lowercase());
    let last = last.unwrap_or_default();
    let between = last.contains(" or ");
    if !between && YES_NO.iter().any(|start| last.starts_with(start)) && !last.contains("which") {
        return vec!["Yes".into(), "No".into()];
    }
    let items: Vec<String> = list
        .iter()
        .filter_map(|line| match line {
            Line::Item(text, _) => Some(label(text)),
            _ => None,
        })
        .collect();
    let named = list.iter().any(|line| matches!(line, Line::Item(_, true)));
    let fits = OFFERED.contains(&items.len()) && CHOICE.iter().any(|word| last.contains(word));
    // Bullets above a question may be anything.
    let fits = fits && (named || last.contains("which") || last.ends_with(':'));
    if fits { items } else { Vec::new() }
}

/// Returns the name of a list item: the bold text at its start, or otherwise its first sentence.
fn label(item: &str) -> String {
    let bold = item.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let name = match bold {
        Some((name, rest)) if item_is_bare(name) => format!("{name}{rest}"),
        Some((name, _)) => name.to_owned(),
        None => item.to_owned(),
    };
    let name = bare(sentences(&name).first().copied().unwrap_or(&name));
    let name = name.trim_end_matches(['.', ':']);
    let mut shown: String = name.chars().take(LABEL).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown
}

/// Returns whether a name is only a label, like `Option A`.
fn item_is_bare(name: &str) -> bool {
    name.trim_end_matches([':', '.']).split_whitespace().count() <= 2
        && name.to_lowercase().starts_with("option")
}

/// Removes the marks of emphasis.
fn bare(text: &str) -> String {
    text.replace("**", "")
        .replace("__", "")
        .trim()
        .trim_start_matches(['*', '_'])
        .to_owned()
}

#[cfg(test)]
#[path = "prose_tests.rs"]
mod tests;
