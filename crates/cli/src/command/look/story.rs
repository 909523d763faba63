//! `downbeat story`: prints what happened in a session, oldest first.

use crate::client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show::{ago, cut};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::story::{GetStory, Story, StoryEntry, StoryKind, StoryTone};
use jiff::Timestamp;

/// The maximum length of a line of detail, in characters.
const WIDE: usize = 100;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// How many entries from the end
    #[arg(long, short = 'n', value_name = "ENTRIES", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Print prompts and answers in full
    #[arg(long)]
    full: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let request = GetStory {
        id: arguments.session,
        limit: Some(arguments.limit),
    };
    let story = client::look(&home).get_story(request).await?;
    if arguments.json {
        return print_json(&story);
    }
    print(&text(
        Paint::for_stdout(),
        &story,
        arguments.full,
        Timestamp::now(),
    ))
}

fn text(paint: Paint, story: &Story, full: bool, now: Timestamp) -> String {
    if story.entries.is_empty() {
        return "nothing is recorded yet\n".to_owned();
    }
    let earlier = match story.has_earlier {
        true => paint.faint("There is more before this: --limit N shows up to 1,000 entries.\n"),
        false => String::new(),
    };
    let lines = story.entries.iter().map(|entry| line(paint, entry, full, now));
    earlier + &lines.collect::<String>()
}

fn line(paint: Paint, entry: &StoryEntry, full: bool, now: Timestamp) -> String {
    let mut head = plain(&entry.text);
    if entry.kind == StoryKind::Commit {
        let id = entry.commit.as_deref().unwrap_or_default();
        head = format!("Commit {} {head}", id.get(..8).unwrap_or(id));
    }
    let head = match entry.tone {
        StoryTone::Bad => paint.bad(&head),
        StoryTone::Needs => paint.warn(&head),
        StoryTone::Good | StoryTone::Plain => paint.strong(&head),
    };
    let when = paint.faint(&format!("{} ago", ago(entry.at, now)));
    let detail: String = match full {
        true => entry
            .detail
            .lines()
            .map(|line| format!("  {}\n", plain(line)))
            .collect(),
        false => entry
            .detail
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(|line| format!("  {}\n", cut(&plain(line), WIDE)))
            .unwrap_or_default(),
    };
    format!("{head}  {when}\n{detail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: StoryKind, text: &str, detail: &str) -> StoryEntry {
        StoryEntry {
            at: Timestamp::UNIX_EPOCH,
            until: None,
            kind,
            tone: StoryTone::Plain,
            text: text.to_owned(),
            detail: detail.to_owned(),
            commit: (kind == StoryKind::Commit).then(|| "c".repeat(40)),
        }
    }

    #[test]
    fn each_entry_is_a_line_and_words_of_agents_cannot_move_the_cursor() {
        let story = Story {
            id: downbeat_model::SessionId::parse("s000000000001").unwrap(),
            entries: vec![
                entry(StoryKind::Prompt, "Prompt", "\nBuild\x1b[2J it\nand test it"),
                entry(StoryKind::Commit, "Add a cart", ""),
            ],
            has_earlier: true,
        };
        let now = Timestamp::from_second(60).unwrap();
        let short = text(Paint::off(), &story, false, now);
        assert_eq!(
            short,
            "There is more before this: --limit N shows up to 1,000 entries.\n\
             Prompt  1m ago\n  Build [2J it\nCommit cccccccc Add a cart  1m ago\n"
        );
        assert!(text(Paint::off(), &story, true, now).contains("  and test it\n"));
        let nothing = Story {
            entries: Vec::new(),
            ..story
        };
        assert_eq!(
            text(Paint::off(), &nothing, false, now),
            "nothing is recorded yet\n"
        );
    }
}
